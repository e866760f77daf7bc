// SPDX-License-Identifier: GPL-2.0
/*
 * What it costs to go up a stack by tables, and along frame pointers over the same stacks, with the
 * module's own code. The first argument is the folder with the libraries. --plain: they have no
 * frame pointers. --ratio: is it at most twice as much, with rules that are remembered? --count: no
 * times; callgrind counts the instructions of one_walk().
 */
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/uio.h>

#include "chains.h"
#include "core/unwind.h"

#define LIMIT 0x7ffffffff000ULL
#define ROUNDS 21
/* Of --ratio. A round is short: what else the machine does then holds both ways up. */
#define SETS 5
#define PAIRS 101
#define PAIR_WALKS 256
#define MOST_TIMES 2.0
#define COUNTED_WALKS 2000

static struct gapp_rule_cache cache;
static pid_t child;

static bool copy_by_memcpy(void *context, void *to, u64 address, u32 bytes)
{
	const struct stack *stack = context;
	u64 offset = address - stack->sp;

	if (offset > stack->bytes || bytes > stack->bytes - offset)
		return false;
	memcpy(to, stack->data + offset, bytes);
	return true;
}

/* From another process, for which the kernel has to look at its page tables. */
static bool copy_from_child(void *context, void *to, u64 address, u32 bytes)
{
	struct stack *stack = context;
	u64 offset = address - stack->sp;
	struct iovec local = { to, bytes }, remote = { stack->data + offset, bytes };

	if (offset > stack->bytes || bytes > stack->bytes - offset)
		return false;
	return process_vm_readv(child, &local, 1, &remote, 1, 0) == bytes;
}

enum way {
	BY_FP,
	BY_TABLES,
	BY_TABLES_REMEMBERED,
	WAYS,
};

static const char *const way_names[WAYS] = { "fp", "tables", "remembered" };

/* How stacks are copied. */
static bool (*copy_stack)(void *context, void *to, u64 address, u32 bytes);

static __attribute__((noinline)) u32 walk_by_tables(struct stack *stack, bool remember, u64 *frames,
						    u16 max)
{
	static struct gapp_unwind walk;
	enum gapp_unwind_end end;

	walk.window.copy = copy_stack;
	walk.window.is_late = NULL;
	walk.window.context = stack;
	walk.window.limit = LIMIT;
	walk.arch = GAPP_ARCH_X86_64;
	walk.mappings = code;
	walk.mapping_count = code_count;
	walk.list_id = 1;
	walk.cache = remember ? &cache : NULL;
	walk.regs.valid = 1 << GAPP_X86_64_IP | 1 << GAPP_X86_64_SP | 1 << GAPP_X86_64_FP;
	walk.regs.value[GAPP_X86_64_IP] = stack->ip;
	walk.regs.value[GAPP_X86_64_SP] = stack->sp;
	walk.regs.value[GAPP_X86_64_FP] = stack->fp;
	return gapp_unwind(&walk, frames, max, &end);
}

static __attribute__((noinline)) u32 walk_by_fp(struct stack *stack, u64 *frames, u16 max)
{
	static struct gapp_window window;
	enum gapp_unwind_end end;

	window.copy = copy_stack;
	window.is_late = NULL;
	window.context = stack;
	window.limit = LIMIT;
	return gapp_unwind_fp(GAPP_ARCH_X86_64, &window, stack->ip, stack->sp, stack->fp, frames,
			      max, &end);
}

/* Callgrind counts what is called from here. */
u32 one_walk(enum way way, struct stack *stack, u64 *frames, u16 max);

__attribute__((noinline)) u32 one_walk(enum way way, struct stack *stack, u64 *frames, u16 max)
{
	if (way == BY_FP)
		return walk_by_fp(stack, frames, max);
	return walk_by_tables(stack, way == BY_TABLES_REMEMBERED, frames, max);
}

static int compare_numbers(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Medians of rounds that alternate, in ns for a walk. */
static void measure(enum way first, u32 distinct, u16 max, u32 walks, double result[WAYS])
{
	static double all[WAYS][ROUNDS];
	u64 frames[MOST_FRAMES];
	u32 round, i;
	int way;

	for (round = 0; round < ROUNDS; round++) {
		for (way = first; way < WAYS; way++) {
			u64 begin = clock_ns();

			for (i = 0; i < walks; i++)
				one_walk(way, &stacks[i % distinct], frames, max);
			all[way][round] = (double)(clock_ns() - begin) / walks;
		}
	}
	for (way = first; way < WAYS; way++) {
		qsort(all[way], ROUNDS, sizeof(double), compare_numbers);
		result[way] = all[way][ROUNDS / 2];
	}
}

/* Every way must find the same frames, or there is nothing to compare. */
static int check_stacks(enum way first)
{
	u64 must[MOST_FRAMES], frames[MOST_FRAMES];
	u32 i, count;
	int way;

	for (i = 0; i < STACKS; i++) {
		for (way = first; way < WAYS; way++) {
			count = one_walk(way, &stacks[i], way == (int)first ? must : frames,
					 MOST_FRAMES);
			if (count == MOST_FRAMES &&
			    (way == (int)first || !memcmp(frames, must, sizeof(must))))
				continue;
			fprintf(stderr, "walk: stack %u, %s: %u frames, or not the same\n", i,
				way_names[way], count);
			return -1;
		}
	}
	return 0;
}

static int start_child(void)
{
	child = fork();
	if (child)
		return child < 0 ? -1 : 0;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		pause();
}

static const struct {
	const char *name;
	bool (*copy)(void *context, void *to, u64 address, u32 bytes);
	u32 walks;
} copies[] = {
	{ "memcpy", copy_by_memcpy, 2048 },
	{ "process_vm_readv", copy_from_child, 512 },
};

static const u16 depths[] = { 8, 16, 32 };
static const u32 distincts[] = { 4, 64, STACKS };
/* Of more, not all rules are remembered. */
static const u32 judged[] = { 4, 64 };

static void print_head(enum way first, bool markdown)
{
	if (markdown && first == BY_FP)
		printf("| copied by | frames | stacks | fp, ns | tables, ns | ratio | remembered, ns | ratio |\n|---|---|---|---|---|---|---|---|\n");
	else if (markdown)
		printf("| copied by | frames | stacks | tables, ns | remembered, ns |\n"
		       "|---|---|---|---|---|\n");
	else if (first == BY_FP)
		printf("%-17s %6s %6s %8s %8s %6s %10s %6s\n", "copied by", "frames", "stacks",
		       "fp ns", "table ns", "ratio", "remembered", "ratio");
	else
		printf("%-17s %6s %6s %8s %10s\n", "copied by", "frames", "stacks", "table ns",
		       "remembered");
}

static void print_row(enum way first, bool markdown, const char *name, u16 max, u32 distinct,
		      const double ns[WAYS])
{
	printf(markdown ? "| %s | %u | %u |" : "%-17s %6u %6u ", name, max, distinct);
	if (first == BY_FP)
		printf(markdown ? " %.0f | %.0f | %.2f | %.0f | %.2f |\n" :
				  "%8.0f %8.0f %6.2f %10.0f %6.2f\n",
		       ns[BY_FP], ns[BY_TABLES], ns[BY_TABLES] / ns[BY_FP],
		       ns[BY_TABLES_REMEMBERED], ns[BY_TABLES_REMEMBERED] / ns[BY_FP]);
	else
		printf(markdown ? " %.0f | %.0f |\n" : "%8.0f %10.0f\n", ns[BY_TABLES],
		       ns[BY_TABLES_REMEMBERED]);
}

static void measure_all(enum way first, bool markdown)
{
	double ns[WAYS];
	u32 i, k, m;

	print_head(first, markdown);
	for (i = 0; i < ARRAY_SIZE(copies); i++) {
		copy_stack = copies[i].copy;
		for (k = 0; k < ARRAY_SIZE(depths); k++)
			for (m = 0; m < ARRAY_SIZE(distincts); m++) {
				measure(first, distincts[m], depths[k], copies[i].walks, ns);
				print_row(first, markdown, copies[i].name, depths[k], distincts[m],
					  ns);
			}
	}
}

static u64 time_of(enum way way, u32 distinct, u16 max)
{
	u64 frames[MOST_FRAMES], begin = clock_ns();
	u32 i;

	for (i = 0; i < PAIR_WALKS; i++)
		one_walk(way, &stacks[i % distinct], frames, max);
	return clock_ns() - begin;
}

/* The median of how many times as long adjacent rounds take, which of them first in turn. */
static double ratio_of_pairs(enum way way, u32 distinct, u16 max)
{
	double all[PAIRS];
	u64 fp, tables;
	u32 i;

	for (i = 0; i < PAIRS; i++) {
		if (i % 2) {
			fp = time_of(BY_FP, distinct, max);
			tables = time_of(way, distinct, max);
		} else {
			tables = time_of(way, distinct, max);
			fp = time_of(BY_FP, distinct, max);
		}
		all[i] = (double)tables / fp;
	}
	qsort(all, PAIRS, sizeof(double), compare_numbers);
	return all[PAIRS / 2];
}

/* The best of some sets is judged: another program can only make caches smaller than they are. */
static int judge_ratio(u32 distinct, u16 max)
{
	double all[SETS], looked_up = ratio_of_pairs(BY_TABLES, distinct, max);
	bool good;
	u32 i;

	for (i = 0; i < SETS; i++)
		all[i] = ratio_of_pairs(BY_TABLES_REMEMBERED, distinct, max);
	qsort(all, SETS, sizeof(double), compare_numbers);
	good = all[0] <= MOST_TIMES;
	printf("%s - bench: %u frames, %u stacks: tables take %.2f times what frame pointers do",
	       good ? "ok" : "not ok", max, distinct, all[0]);
	printf(" (at most %.1f; %.2f in the median set, %.2f in the worst;", MOST_TIMES,
	       all[SETS / 2], all[SETS - 1]);
	printf(" %.2f if every rule is looked up anew, which is not judged here)\n", looked_up);
	return good ? 0 : 1;
}

static int judge_ratios(void)
{
	int status = 0;
	u32 i, k;

	printf("# At most twice: of walks whose rules are remembered, as all but the first ones through some code are;\n"
	       "# the first ones, which look each rule up, are judged by their instructions (count).\n");
	for (i = 0; i < ARRAY_SIZE(depths); i++)
		for (k = 0; k < ARRAY_SIZE(judged); k++)
			status |= judge_ratio(judged[k], depths[i]);
	return status;
}

static int count(const char *name, u16 max)
{
	u64 frames[MOST_FRAMES];
	int way;
	u32 i;

	for (way = 0; way < WAYS; way++)
		if (!strcmp(name, way_names[way]))
			break;
	if (way == WAYS || !max || max > MOST_FRAMES)
		return STATUS_USAGE;
	for (i = 0; i < COUNTED_WALKS; i++)
		one_walk(way, &stacks[i % 64], frames, max);
	return 0;
}

int main(int argc, char **argv)
{
	bool plain = argc > 2 && !strcmp(argv[2], "--plain");
	bool markdown = argc > 2 && !strcmp(argv[argc - 1], "--markdown");
	enum way first = plain ? BY_TABLES : BY_FP;

	copy_stack = copy_by_memcpy;

	if (argc < 2) {
		fprintf(stderr, "usage: walk FOLDER [--plain] [--markdown]\n"
				"       walk FOLDER --ratio\n"
				"       walk FOLDER --count fp|tables|remembered FRAMES\n");
		return STATUS_USAGE;
	}
	if (chains_make(argv[1])) {
		fprintf(stderr, "walk: no stacks could be made from %s\n", argv[1]);
		return 1;
	}
	if (argc == 5 && !strcmp(argv[2], "--count"))
		return count(argv[3], strtoul(argv[4], NULL, 10));
	if (check_stacks(first))
		return 1;
	if (argc == 3 && !strcmp(argv[2], "--ratio"))
		return judge_ratios();
	if (start_child())
		return 1;
	measure_all(first, markdown);
	kill(child, SIGKILL);
	return 0;
}
