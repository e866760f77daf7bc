// SPDX-License-Identifier: GPL-2.0
/* Paths that are walked by tables: of functions whose frames are known to the byte. */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "groups.h"
#include "seen.h"

#define STEPS 30
#define EXECS 3

static void make(struct s_test *test, enum gapp_unwind_by calls)
{
	const struct gapp_config config = s_config(calls);

	s_make(test, &config, f_start);
}

static void expect_path(struct s_test *test, u16 count, u16 flags, const char *name)
{
	s_expect(test->seen, test->seen->slice.path, test->frames, count, flags, name);
}

/* What the functions have loaded. */
static void expect_call(struct s_test *test)
{
	const struct gapp_record_slice *slice = &test->seen->slice;
	const struct f_stage *stage = test->scene.stage;

	t_check(slice->syscall == (s64)stage->number && slice->args[0] == stage->rdi &&
			slice->args[1] == stage->rsi && slice->args[2] == stage->rdx,
		"the system call and its arguments", "%d: %#llx, %#llx, %#llx", slice->syscall,
		slice->args[0], slice->args[1], slice->args[2]);
}

static void by_table(enum gapp_unwind_by calls, const char *name)
{
	struct gapp_counters counters;
	struct s_test test;
	u32 table;

	make(&test, calls);
	table = s_tell(test.seen, &test.scene);
	for (int i = 0; i < STEPS; i++)
		s_step(test.seen);
	expect_path(&test, F_FRAMES, GAPP_UNWIND_COMPLETE | GAPP_PATH_BY_TABLE, name);
	expect_call(&test);
	t_counters(test.seen->fd, &counters);
	t_check(!test.seen->needmaps && !test.seen->tails && !counters.stack_copies &&
			!counters.lost[GAPP_LOST_STACK_COPIES],
		"nobody is asked, and nothing goes along",
		"%llu NEED_MAPPING, %llu TAIL, counted %llu", test.seen->needmaps, test.seen->tails,
		counters.stack_copies);
	t_expect(f_drop(test.seen->fd, table), T_OK, "the table is dropped");
	s_step(test.seen);
	expect_path(&test, F_FRAMES, GAPP_UNWIND_COMPLETE | GAPP_PATH_BY_TABLE,
		    "it goes on for mappings that have it");
	t_expect(f_tell(test.seen->fd, test.seen->child.pid, &test.scene, table), -ENOENT,
		 "new ones cannot have it");
	s_unmake(&test);
}

void walks_by_table(void)
{
	by_table(GAPP_UNWIND_BY_TABLE, "table: the whole path");
	by_table(GAPP_UNWIND_BY_AUTO, "auto: the whole path");
}

/* Nobody has told anything, then he does; then he takes it back. */
void walks_asked(void)
{
	struct gapp_record_need_mapping *need;
	u32 image, asked;
	struct s_test test;
	u64 begin_ns;

	make(&test, GAPP_UNWIND_BY_TABLE);
	need = &test.seen->need;
	begin_ns = t_now();
	for (int i = 0; i < STEPS; i++)
		s_step(test.seen);
	expect_path(&test, 1, GAPP_UNWIND_UNMAPPED | GAPP_PATH_BY_TABLE, "one frame, unmapped");
	t_check(test.seen->needmaps && need->tgid == test.seen->child.pid &&
			need->image == test.seen->slice.image &&
			need->address - (uintptr_t)test.scene.code < F_CODE_BYTES,
		"NEED_MAPPING has process, image and address", "%llu of them; %d, %u, %#llx",
		test.seen->needmaps, need->tgid, need->image, need->address);
	/* Ten times a second, on each of few CPUs. */
	t_check(test.seen->needmaps <= 8 * (2 + (t_now() - begin_ns) / (100 * NSEC_PER_MSEC)) &&
			!test.seen->tails,
		"it is not asked at each path", "%llu times", test.seen->needmaps);
	s_tell(test.seen, &test.scene);
	asked = test.seen->needmaps;
	s_step(test.seen);
	expect_path(&test, F_FRAMES, GAPP_UNWIND_COMPLETE | GAPP_PATH_BY_TABLE, "now it is whole");
	t_check(test.seen->needmaps == asked, "and nothing is asked", " ");

	f_set(test.seen->fd, test.seen->child.pid, &image, NULL, 0);
	t_expect(f_set(test.seen->fd, test.seen->child.pid, &image, (void *)8, 0), T_OK,
		 "SET_MAPS of nothing");
	t_sleep(200 * NSEC_PER_MSEC);
	s_step(test.seen);
	expect_path(&test, 1, GAPP_UNWIND_UNMAPPED | GAPP_PATH_BY_TABLE, "one frame again");
	t_check(test.seen->needmaps > asked, "and it is asked for", "it is not");
	s_unmake(&test);
}

/* Only a part is told of: the walk ends before the first frame that is elsewhere. */
void walks_part(void)
{
	struct f_table table = f_table();
	struct gapp_mapping map;
	struct s_test test;
	u32 image;

	make(&test, GAPP_UNWIND_BY_TABLE);
	map = (struct gapp_mapping){
		.begin = f_at(&test.scene, f_outer_back),
		.end = f_at(&test.scene, f_end),
		.bias = (uintptr_t)test.scene.code,
		.table = f_load(test.seen->fd, &table, sizeof(table)),
	};
	f_set(test.seen->fd, test.seen->child.pid, &image, NULL, 0);
	t_expect(f_set(test.seen->fd, test.seen->child.pid, &image, &map, 1), T_OK, "SET_MAPS");
	test.seen->awaited = test.frames[2] - 1;
	s_step(test.seen);
	expect_path(&test, 2, GAPP_UNWIND_UNMAPPED | GAPP_PATH_BY_TABLE, "the frames up to there");
	/* a thread that is preempted elsewhere asks for another one, too */
	t_check(test.seen->awaited_came, "the call there is asked for", "of %llu the last is %#llx",
		test.seen->needmaps, test.seen->need.address);
	s_unmake(&test);
}

/* Mappings without a table, and gaps in one, are walked by the frame pointer. */
static void by_fp(const struct gapp_rule *rule, const char *name)
{
	struct gapp_config config = s_config(GAPP_UNWIND_BY_TABLE);
	struct f_table table = f_table();
	struct gapp_mapping map;
	struct s_test test;
	u64 *frame, two[2];
	char text[80];
	u32 image;

	f_make(&test.scene);
	f_frames(&test.scene, test.frames);
	two[0] = test.frames[0];
	two[1] = test.frames[3];
	frame = (u64 *)(test.scene.stack + F_STACK_TOP);
	frame[1] = two[1];
	test.seen = s_follow(&config, &test.scene);
	if (rule)
		table.rules[F_RULE_INNER] = *rule;
	map = (struct gapp_mapping){
		.begin = (uintptr_t)test.scene.code,
		.end = (uintptr_t)test.scene.code + F_CODE_BYTES,
		.bias = (uintptr_t)test.scene.code,
		.table = rule ? f_load(test.seen->fd, &table, sizeof(table)) : 0,
	};
	f_set(test.seen->fd, test.seen->child.pid, &image, NULL, 0);
	t_expect(f_set(test.seen->fd, test.seen->child.pid, &image, &map, 1), T_OK, "SET_MAPS, %s",
		 name);
	s_step(test.seen);
	snprintf(text, sizeof(text), "%s: the frame pointer points nowhere", name);
	expect_path(&test, 1, GAPP_UNWIND_NO_FRAME | GAPP_PATH_BY_TABLE, text);

	test.scene.stage->rbp = (uintptr_t)frame;
	s_step(test.seen);
	snprintf(text, sizeof(text), "%s: it points to a frame", name);
	s_expect(test.seen, test.seen->slice.path, two, 2,
		 GAPP_UNWIND_COMPLETE | GAPP_PATH_BY_TABLE | GAPP_PATH_BY_FP, text);

	test.scene.stage->rbp = 0;
	s_step(test.seen);
	snprintf(text, sizeof(text), "%s: it is 0", name);
	/* who has frame pointers ends them so; a file that says nothing just there may have none */
	expect_path(&test, 1,
		    (rule ? GAPP_UNWIND_NO_FRAME : GAPP_UNWIND_COMPLETE) | GAPP_PATH_BY_TABLE,
		    text);
	s_unmake(&test);
}

void walks_by_fp(void)
{
	struct gapp_rule gap = { .cfa = GAPP_CFA_GAP };

	by_fp(NULL, "no table");
	by_fp(&gap, "a gap");
}

struct rule_case {
	const char *name;
	struct gapp_rule rule; /* of f_inner() */
	u16 count;
	u16 end;
};

#define BY_REGISTER(name, register)                    \
	{                                              \
		name,                                  \
			{ .cfa = GAPP_CFA_REGISTER,    \
			  .number = register,          \
			  .cfa_offset = 8,             \
			  .ra_offset = -8 },           \
			F_FRAMES, GAPP_UNWIND_COMPLETE \
	}
#define LOOPS(name, cfa_at, ra_at)                                                         \
	{                                                                                  \
		name, { .cfa = GAPP_CFA_SP, .cfa_offset = cfa_at, .ra_offset = ra_at }, 1, \
			GAPP_UNWIND_LOOP                                                   \
	}

static const struct rule_case rule_cases[] = {
	{ "END", { .cfa = GAPP_CFA_END }, 1, GAPP_UNWIND_COMPLETE },
	{ "NONE", { .cfa = GAPP_CFA_NONE }, 1, GAPP_UNWIND_NO_RULE },
	BY_REGISTER("rbx + 8", 3),
	BY_REGISTER("r8 + 8", 8),
	BY_REGISTER("r9 + 8", 9),
	BY_REGISTER("r10 + 8", 10),
	BY_REGISTER("r12 + 8", 12),
	BY_REGISTER("r14 + 8", 14),
	{ "rbp + 8",
	  { .cfa = GAPP_CFA_FP, .cfa_offset = 8, .ra_offset = -8 },
	  F_FRAMES,
	  GAPP_UNWIND_COMPLETE },
	{ "aarch64's lr",
	  { .cfa = GAPP_CFA_SP, .ra = GAPP_RA_REGISTER, .number = 30 },
	  1,
	  GAPP_UNWIND_NO_RULE },
	LOOPS("an odd CFA", 0x41, -8),
	LOOPS("a CFA below the stack pointer", -64, -8),
	LOOPS("a CFA at the stack pointer", 0, 0),
	LOOPS("a CFA a gigabyte up", 1 << 30, -8),
};

/* Each rule for the innermost frame, whose return address is where it always is. */
void walks_rules(void)
{
	struct f_stage *stage;
	struct s_test test;
	u64 back;

	make(&test, GAPP_UNWIND_BY_TABLE);
	stage = test.scene.stage;
	/* What f_start(), f_outer() and f_middle() have pushed before f_inner() is called. */
	back = (uintptr_t)test.scene.stack + F_STACK_TOP - 8 - 0x138 - 0x20;
	stage->rbx = back;
	stage->rbp = back;
	stage->r8 = back;
	stage->r9 = back;
	stage->r10 = back;
	stage->r12 = back;
	stage->r14 = back;
	s_step(test.seen);
	for (size_t i = 0; i < ARRAY_SIZE(rule_cases); i++) {
		struct f_table table = f_table();
		int number;

		table.rules[F_RULE_INNER] = rule_cases[i].rule;
		number = f_load(test.seen->fd, &table, sizeof(table));
		errno = number < 0 ?
				-number :
				-f_tell(test.seen->fd, test.seen->child.pid, &test.scene, number);
		if (errno)
			t_die(rule_cases[i].name);
		s_step(test.seen);
		expect_path(&test, rule_cases[i].count, rule_cases[i].end | GAPP_PATH_BY_TABLE,
			    rule_cases[i].name);
		f_drop(test.seen->fd, number);
	}
	s_unmake(&test);
}

/* At a word it begins to sit in the functions; what was told holds until then. */
static void sits_later(struct t_child *parent, void *arg)
{
	t_tell(parent);
	t_hear(parent);
	f_sit(arg, parent->from);
}

static void sit_as_child(struct f_scene *scene, int fd)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	scene->stage->pid = getpid();
	f_sit(scene, fd);
}

static void forks(struct t_child *parent, void *arg)
{
	t_tell(parent);
	t_hear(parent);
	if (!fork())
		sit_as_child(arg, parent->from);
	for (;;)
		pause();
}

static int sharing_child(void *arg)
{
	void **both = arg;

	sit_as_child(both[0], *(int *)both[1]);
	return 0;
}

/* A process of its own in the same memory. */
static void clones(struct t_child *parent, void *arg)
{
	static char stack[16384] __attribute__((aligned(16)));
	void *both[] = { arg, &parent->from };

	t_tell(parent);
	t_hear(parent);
	if (clone(sharing_child, stack + sizeof(stack), CLONE_VM | SIGCHLD, both) < 0)
		_exit(1);
	for (;;)
		pause();
}

/* The process's own functions are told of before it does what it does. */
static struct seen *told(struct s_test *test, void (*run)(struct t_child *parent, void *arg))
{
	struct gapp_config config = s_config(GAPP_UNWIND_BY_TABLE);
	struct f_table table = f_table();
	struct seen *seen;
	int number;

	f_make(&test->scene);
	f_frames(&test->scene, test->frames);
	seen = s_follow_body(&config, run, &test->scene);
	test->seen = seen;
	number = f_load(seen->fd, &table, sizeof(table));
	errno = number < 0 ? -number : -f_tell_all(seen->fd, seen->child.pid, &test->scene, number);
	if (errno)
		t_die("SET_MAPS of all there is");
	return seen;
}

static void child_is_known(void (*run)(struct t_child *parent, void *arg), bool inherits,
			   const char *name)
{
	struct f_stage *stage;
	struct seen *seen;
	struct s_test test;
	u32 image;

	seen = told(&test, run);
	stage = test.scene.stage;
	f_set(seen->fd, seen->child.pid, &image, NULL, 0);
	t_tell(&seen->child);
	if (run != sits_later) {
		for (int i = 0; i < 10000 && !__atomic_load_n(&stage->pid, __ATOMIC_ACQUIRE); i++)
			t_sleep(NSEC_PER_MSEC);
		seen->tid = stage->pid;
	}
	t_sleep(20 * NSEC_PER_MSEC);
	s_step(seen);
	expect_path(&test, F_FRAMES, GAPP_UNWIND_COMPLETE | GAPP_PATH_BY_TABLE, name);
	t_check(!seen->needmaps, "nothing is asked for", "%llu times, last of %d at %#llx",
		seen->needmaps, seen->need.tgid, seen->need.address);
	if (inherits)
		t_check(seen->slice.image != image, "it is another image", "%u", image);
	if (stage->pid)
		kill(stage->pid, SIGKILL);
	s_unmake(&test);
}

void walks_children(void)
{
	child_is_known(sits_later, false, "mappings told of before they are used");
	child_is_known(forks, true, "a child has its parent's");
	child_is_known(clones, true, "a process in the same memory has them");
}

/*
 * The next program is at the same addresses, and yet nothing of it is known; nor if what held for
 * the program before is told while the next one is being mapped.
 */
static bool walks_unknown(u32 *before, struct s_test *test)
{
	const struct gapp_mapping all = { .begin = 4096, .end = 1ULL << 46 };
	const struct gapp_path *path = NULL;
	struct seen *seen = told(test, s_executes);
	int ret;

	f_set(seen->fd, seen->child.pid, before, NULL, 0);
	t_tell(&seen->child);
	do
		ret = f_set(seen->fd, seen->child.pid, before, &all, 1);
	while (!ret);
	t_hear(&seen->child);
	t_settled(seen->child.pid);
	s_read(seen);
	return ret == -ESTALE && r_frames(&seen->reader, seen->slice.path, &path) &&
	       path->words == 1 && (path->flags & GAPP_PATH_END_MASK) == GAPP_UNWIND_UNMAPPED;
}

void walks_exec(void)
{
	struct gapp_mapping map = { .begin = 4096, .end = 8192 };
	u32 before, after, known = 0;
	struct seen *seen;
	struct s_test test;

	for (int i = 1; i < EXECS; i++) {
		known += !walks_unknown(&before, &test);
		s_unmake(&test);
	}
	known += !walks_unknown(&before, &test);
	t_check(!known, "nothing is known of a program that comes", "%u times of %u", known, EXECS);
	seen = test.seen;
	t_expect(f_set(seen->fd, seen->child.pid, &after, NULL, 0), T_OK, "the image after exec");
	t_check(after != before, "is a new one", "it is %u", after);
	t_check(seen->needmaps && seen->need.image == after, "it is asked for",
		"%llu times, the last for image %u", seen->needmaps, seen->need.image);
	t_expect(f_set(seen->fd, seen->child.pid, &before, &map, 1), -ESTALE,
		 "mappings for the old one come too late");
	t_expect(f_set(seen->fd, seen->child.pid, &after, &map, 1), T_OK, "those for the new one");
	s_unmake(&test);
}
