// SPDX-License-Identifier: GPL-2.0
/*
 * Tables with anything in them, used for walks of a process that runs meanwhile: whatever they
 * say, a path has nothing but words of the process's own memory and registers.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "busy.h"
#include "groups.h"
#include "seen.h"

#define END_OF_USER 0x7ffffffff000ULL
/* Tables that must have been tried, and how long at least. */
#define LOADED_TABLES 1000
/* Or nothing was tried; a slow machine has some hundred. */
#define FEWEST_WORDS 20
#define SECONDS 6
#define MOST_SECONDS 60
#define PAGES 2
#define RULES 64
#define ROWS 200

/* A table of any rules, as valid as a table can be; what is not is refused. */
struct any_table {
	struct gapp_table_head head;
	struct gapp_rule rules[RULES];
	u32 first[PAGES + 1];
	struct gapp_row rows[ROWS];
};

_Static_assert(sizeof(struct any_table) ==
		       sizeof(struct gapp_table_head) + RULES * sizeof(struct gapp_rule) +
			       (PAGES + 1) * sizeof(u32) + ROWS * sizeof(struct gapp_row) + 4,
	       "any_table");
/* Without what the compiler puts behind it. */
#define ANY_BYTES (sizeof(struct any_table) - 4)

static unsigned int seed;

static u32 pick(u32 below)
{
	return rand_r(&seed) % below;
}

static s32 some_offset(void)
{
	switch (pick(6)) {
	case 0:
		return (s32)(pick(1U << 16) << 16 | pick(1U << 16));
	case 1:
		return -(s32)pick(512);
	case 2:
		return (s32)pick(1U << 22);
	default:
		return (s32)pick(64) * 8 - 32;
	}
}

static struct gapp_rule some_rule(void)
{
	struct gapp_rule rule = { .cfa = pick(2) ? GAPP_CFA_SP : pick(GAPP_CFA_KINDS) };

	if (rule.cfa <= GAPP_CFA_SIGNAL)
		return rule;
	rule.cfa_offset = some_offset();
	rule.fp_offset = some_offset();
	rule.ra_offset = pick(2) ? -8 : some_offset();
	rule.fp = pick(GAPP_FP_KINDS);
	rule.ra = pick(8) ? GAPP_RA_CFA : GAPP_RA_REGISTER;
	if (rule.cfa == GAPP_CFA_REGISTER || rule.ra == GAPP_RA_REGISTER)
		rule.number = pick(GAPP_REGISTERS);
	return rule;
}

static void make_any(struct any_table *table)
{
	u32 half = ROWS / PAGES, low = 0;

	memset(table, 0, sizeof(*table));
	table->head =
		(struct gapp_table_head){ .magic = GAPP_TABLE_MAGIC,
					  .version = GAPP_TABLE_VERSION,
					  .arch = pick(16) ? GAPP_ARCH_X86_64 : GAPP_ARCH_AARCH64,
					  .rules = RULES,
					  .pages = PAGES,
					  .rows = ROWS };
	for (u32 i = 0; i < RULES; i++)
		table->rules[i] = some_rule();
	for (u32 i = 0; i <= PAGES; i++)
		table->first[i] = i * half;
	for (u32 i = 0; i < ROWS; i++) {
		low = i % half ? low + 1 + pick(i < half / 2 ? 4 : 600) : 0;
		table->rows[i] = (struct gapp_row){ .low = low, .rule = pick(RULES) };
	}
}

/* Bytes of it, anywhere, become others. */
static void mutate(u8 *bytes, size_t count)
{
	for (u32 changes = 1 + pick(8); changes; changes--)
		bytes[pick(count)] = pick(2) ? pick(256) : 1U << pick(8);
}

/* The number of a table of one kind or another; 0: it was refused. */
static u32 load_some(int fd, u64 *refused)
{
	struct f_table hand = f_table();
	struct any_table any;
	int number;

	switch (pick(4)) {
	case 0:
		mutate((u8 *)&hand, sizeof(hand));
		number = f_load(fd, &hand, sizeof(hand));
		break;
	case 1:
		for (int i = 0; i < F_RULES; i++)
			hand.rules[i] = some_rule();
		number = f_load(fd, &hand, sizeof(hand));
		break;
	case 2:
		make_any(&any);
		mutate((u8 *)&any, ANY_BYTES);
		number = f_load(fd, &any, ANY_BYTES);
		break;
	default:
		make_any(&any);
		number = f_load(fd, &any, ANY_BYTES);
	}
	if (number > 0)
		return number;
	if (number != -EINVAL) {
		errno = -number;
		t_die("a table is refused, but not because of what it says");
	}
	(*refused)++;
	return 0;
}

/* All memory is told to be code that the table is for. */
static void use(struct seen *seen, const struct f_scene *scene, u32 image, u32 table)
{
	struct gapp_mapping map = {
		.begin = 0,
		.end = END_OF_USER,
		.bias = pick(4) ? (uintptr_t)scene->code : (u64)rand_r(&seed) << pick(32),
		.table = table,
	};

	errno = -f_set(seen->fd, seen->child.pid, &image, &map, 1);
	if (errno)
		t_die("SET_MAPS");
}

static u64 try_tables(struct seen *seen, const struct f_scene *scene)
{
	u64 end = t_now() + SECONDS * NSEC_PER_SEC, last = t_now() + MOST_SECONDS * NSEC_PER_SEC;
	u64 loaded = 0, refused = 0;
	u32 image, number;

	f_set(seen->fd, seen->child.pid, &image, NULL, 0);
	while (t_now() < last && (loaded < LOADED_TABLES || t_now() < end)) {
		number = load_some(seen->fd, &refused);
		if (!number)
			continue;
		use(seen, scene, image, number);
		f_drop(seen->fd, number);
		if (!(++loaded % 4))
			t_sleep(100000);
		s_read(seen);
	}
	t_check(loaded >= LOADED_TABLES, "very many tables are tried", "%llu only", loaded);
	t_check(refused, "others are refused", "none is");
	return loaded;
}

static int compare(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

struct words {
	u64 *words;
	size_t count;
};

static void add_words(struct words *all, int memory, u64 begin, u64 end)
{
	ssize_t got;

	all->words = reallocarray(all->words, all->count + (end - begin) / 8, 8);
	if (!all->words)
		t_die("memory");
	got = pread(memory, all->words + all->count, end - begin, begin);
	if (got > 0)
		all->count += got / 8;
}

/* All that the process can read, sorted; and its registers. */
static struct words words_of(pid_t pid, const struct f_scene *scene)
{
	const u64 *registers = (const u64 *)scene->stage;
	struct words all = { 0 };
	char path[32], line[512], rights[8];
	unsigned long long begin, end;
	int memory;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	memory = open(path, O_RDONLY | O_CLOEXEC);
	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	maps = fopen(path, "r");
	if (memory < 0 || !maps)
		t_die(path);
	while (fgets(line, sizeof(line), maps))
		if (sscanf(line, "%llx-%llx %7s", &begin, &end, rights) == 3 && rights[0] == 'r' &&
		    begin < END_OF_USER)
			add_words(&all, memory, begin, end);
	fclose(maps);
	close(memory);
	all.words = reallocarray(all.words, all.count + 64, 8);
	for (size_t i = 0; i < 12; i++)
		all.words[all.count++] = registers[i];
	all.words[all.count++] = (uintptr_t)scene->stage;
	all.words[all.count++] = scene->stage->rsp;
	all.words[all.count++] = f_at(scene, f_swap_back);
	/* What the kernel writes to the area for restartable sequences: CPUs and such. */
	for (u64 i = 0; i < 8; i++) {
		all.words[all.count++] = i << 32;
		all.words[all.count++] = i << 32 | i;
	}
	qsort(all.words, all.count, 8, compare);
	return all;
}

static void only_own_words(struct seen *seen, const struct f_scene *scene)
{
	struct words all = words_of(seen->child.pid, scene);
	const struct gapp_path *path = NULL;
	u64 foreign = 0, others = 0, example = 0, wrong_first = 0;

	for (u32 i = 0; i < seen->reader.layout.path_slots; i++) {
		const u64 *frames = r_frames(&seen->reader, i, &path);

		if (!frames)
			continue;
		wrong_first += frames[0] - (uintptr_t)scene->code >= F_CODE_BYTES;
		for (u16 j = 1; j < path->words; j++) {
			others++;
			/* A rule may name the thread's own instruction pointer. */
			if (frames[j] == frames[0] ||
			    bsearch(&frames[j], all.words, all.count, 8, compare))
				continue;
			foreign++;
			example = frames[j];
		}
	}
	t_check(!wrong_first, "the first frame is the thread's instruction", "%llu times not",
		wrong_first);
	t_check(others >= FEWEST_WORDS && !foreign, "all other words are of its own memory",
		"%llu of %llu are not, as %#llx; %llu slices, %u paths", foreign, others, example,
		seen->slices, r_path_count(&seen->reader));
	free(all.words);
}

/* Words that a walk can make much of: it begins in the middle, and none of them ever changes. */
static void fill(struct f_scene *scene)
{
	u64 *words = (u64 *)scene->stack, code = (uintptr_t)scene->code;

	scene->start = f_start_swap;
	scene->stage->rsp = (uintptr_t)scene->stack + F_STACK_BYTES / 4;
	for (u64 *word = &scene->stage->r10; word <= &scene->stage->r14; word++)
		*word = scene->stage->rsp + pick(1024) * 8;
	for (u32 i = F_STACK_BYTES / 32; i < F_STACK_BYTES / 8 - 64; i++)
		switch (pick(8)) {
		case 0:
		case 1:
			words[i] = code + pick(F_CODE_BYTES);
			break;
		case 2:
		case 3:
			words[i] = (uintptr_t)&words[pick(F_STACK_BYTES / 8)];
			break;
		case 4:
			words[i] = 0xffff888000000000ULL + rand_r(&seed);
			break;
		case 5:
			break;
		default:
			words[i] = (u64)rand_r(&seed) << pick(16);
		}
}

static void any_tables(enum gapp_unwind_by calls)
{
	struct gapp_config config = s_config(calls);
	struct f_scene scene;
	struct seen *seen;

	seed = 4711 + calls;
	f_make(&scene);
	fill(&scene);
	/* It sleeps and wakes without end. */
	scene.stage->unmap_bytes = 20000;
	config.rate_hz = 20000;
	config.paths = 1U << 17;
	seen = s_follow(&config, &scene);
	scene.stage->rdi = (uintptr_t)&scene.stage->unmap_at;
	scene.stage->rsi = 0;
	scene.stage->number = SYS_nanosleep;
	t_tell(&seen->child);
	try_tables(seen, &scene);
	t_stop(seen->fd);
	only_own_words(seen, &scene);
	s_done(seen, &scene);
}

void mutated_tables(void)
{
	any_tables(GAPP_UNWIND_BY_TABLE);
	any_tables(GAPP_UNWIND_BY_AUTO);
}

/* The same for a process that uses its stacks as any program does. */
void mutated_busy(void)
{
	struct gapp_config config = s_config(GAPP_UNWIND_BY_AUTO);
	struct f_scene scene;
	struct seen *seen;
	u64 before;

	seed = 815;
	f_make(&scene);
	config.rate_hz = 20000;
	seen = s_follow_body(&config, busy_storm, NULL);
	seen->tid = 0;
	before = seen->slices;
	try_tables(seen, &scene);
	t_stop(seen->fd);
	s_good(seen, "all records make sense");
	t_check(seen->slices > before + 1000 && !r_kernel_words(&seen->reader),
		"no path has an address of the kernel", "%u words; %llu slices",
		r_kernel_words(&seen->reader), seen->slices - before);
	s_end(seen);
	f_unmake(&scene);
}
