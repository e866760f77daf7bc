// SPDX-License-Identifier: GPL-2.0
/* TAIL: registers and a part of the stack go along, where a walk ends or is to be checked. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "groups.h"
#include "seen.h"

#define RBX 3
#define RBP 6
#define RSP 7
/* A copy begins so far below the stack pointer, if it can and then is more than that. */
#define RED_ZONE 128
#define R15 15
#define RIP 16
#define ALL_REGISTERS ((1ULL << 17) - 1)
/* Of all CPUs together, a second; and at once, of each CPU. */
#define TAILS_HZ 1000
#define TAIL_BURST 64

/* Where f_inner() has its stack pointer. */
static u64 inner_sp(const struct f_scene *scene)
{
	return (uintptr_t)scene->stack + F_STACK_TOP - 0x138 - 0x20 - 0x40;
}

static void expect_registers(struct s_test *test, const char *name)
{
	const struct f_stage *stage = test->scene.stage;
	const struct gapp_record_stack_copy *tail = &test->seen->tail;
	const u64 wanted[] = {
		[1] = stage->rdx,	  [RBX] = stage->rbx,	  [4] = stage->rsi,
		[5] = stage->rdi,	  [RBP] = stage->rbp,	  [RSP] = inner_sp(&test->scene),
		[8] = stage->r8,	  [9] = stage->r9,	  [10] = stage->r10,
		[12] = stage->r12,	  [13] = stage->r13,	  [14] = stage->r14,
		[R15] = (uintptr_t)stage, [RIP] = test->frames[0]
	};
	/* rax and r11 are the kernel's while it is in a system call; rcx is rip. */
	const u64 told = ALL_REGISTERS & ~(1ULL << 0 | 1ULL << 2 | 1ULL << 11);
	int differ = -1;

	for (int i = 0; i <= RIP; i++)
		if (told >> i & 1 && tail->registers[i] != wanted[i])
			differ = i;
	t_check(tail->valid == ALL_REGISTERS && differ < 0, name, "valid %#llx; %d is %#llx",
		tail->valid, differ, differ < 0 ? 0 : tail->registers[differ]);
}

/* The process waits, so that its stack is as it was. */
static void expect_stack(struct s_test *test, u32 bytes, const char *name)
{
	const struct gapp_record_stack_copy *tail = &test->seen->tail;
	u8 memory[GAPP_MAX_STACK_COPY];
	char path[32];
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/mem", test->seen->child.pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	got = pread(fd, memory, tail->stack_bytes, tail->stack_at);
	close(fd);
	t_check(tail->stack_bytes == bytes && got == (ssize_t)bytes &&
			tail->registers[RSP] - tail->stack_at ==
				(bytes > RED_ZONE ? RED_ZONE : 0) &&
			!memcmp(memory, test->seen->stack, bytes),
		name, "%u bytes at %#llx, not %u; %zd could be read", tail->stack_bytes,
		tail->stack_at, bytes, got);
}

/* What is left of the stack above @sp, and what a copy has below. */
static u32 up_to_top(const struct f_scene *scene, u64 sp, u32 most)
{
	u64 left = (uintptr_t)scene->stack + F_STACK_BYTES - sp + RED_ZONE;

	return left < most ? left : most;
}

static void auto_tail(u32 stack_copy_bytes)
{
	struct gapp_config config = s_config(GAPP_UNWIND_BY_AUTO);
	u32 most = stack_copy_bytes ? stack_copy_bytes : GAPP_DEFAULT_STACK_COPY;
	struct gapp_counters counters;
	struct s_test test;

	config.stack_copy_bytes = stack_copy_bytes;
	s_make(&test, &config, f_start);
	s_step(test.seen);
	s_expect_tail(test.seen, "auto: the path goes on in a tail");
	s_expect(test.seen, test.seen->tail.path, test.frames, 1,
		 GAPP_UNWIND_UNMAPPED | GAPP_PATH_BY_TABLE, "it begins with one frame");
	t_check(test.seen->needmaps, "and memory is asked for", " ");
	expect_registers(&test, "the registers are those of the thread");
	expect_stack(&test, up_to_top(&test.scene, inner_sp(&test.scene), most), "so is the stack");
	s_step(test.seen);
	t_counters(test.seen->fd, &counters);
	t_check(test.seen->tails == counters.stack_copies && counters.stack_copies >= 2,
		"COUNTERS have them", "%llu, read %llu", counters.stack_copies, test.seen->tails);
	s_unmake(&test);
}

void tails_auto(void)
{
	auto_tail(0);
	auto_tail(GAPP_MIN_STACK_COPY);
	auto_tail(512);
	auto_tail(GAPP_MAX_STACK_COPY);
}

/* What there is between the innermost frame and the one that the walk came to is less than this. */
#define SHORT_TAIL 192

/*
 * Where the walk came to a frame of which nothing is known, the tail begins with that; or with the
 * innermost, for its registers, if what is in between takes less than half of it.
 */
void tails_middle(void)
{
	struct gapp_config config = s_config(GAPP_UNWIND_BY_AUTO);
	struct f_table table = f_table();
	const struct gapp_record_stack_copy *tail;
	struct s_test test;
	int number;
	u64 sp;

	config.stack_copy_bytes = SHORT_TAIL;
	s_make(&test, &config, f_start);
	tail = &test.seen->tail;
	table.rules[F_RULE_OUTER] = (struct gapp_rule){ .cfa = GAPP_CFA_NONE };
	number = f_load(test.seen->fd, &table, sizeof(table));
	t_expect(f_tell(test.seen->fd, test.seen->child.pid, &test.scene, number), T_OK,
		 "SET_MAPS");
	s_step(test.seen);
	s_expect_tail(test.seen, "a rule that says nothing: the path goes on in a tail");
	s_expect(test.seen, tail->path, test.frames, 3, GAPP_UNWIND_NO_RULE | GAPP_PATH_BY_TABLE,
		 "it begins with the frames up to there");
	sp = (uintptr_t)test.scene.stack + F_STACK_TOP - 0x138;
	t_check(tail->valid == (1ULL << RIP | 1ULL << RSP | 1ULL << RBP) &&
			tail->registers[RIP] == test.frames[2] && tail->registers[RSP] == sp &&
			tail->registers[RBP] == test.scene.stage->rbp,
		"registers of the last of them", "valid %#llx, rip %#llx, rsp %#llx, rbp %#llx",
		tail->valid, tail->registers[RIP], tail->registers[RSP], tail->registers[RBP]);
	expect_stack(&test, up_to_top(&test.scene, sp, SHORT_TAIL), "the stack from there");
	t_check(!test.seen->needmaps, "nothing is asked for", "%llu times", test.seen->needmaps);
	s_unmake(&test);

	config.stack_copy_bytes = 0;
	s_make(&test, &config, f_start);
	number = f_load(test.seen->fd, &table, sizeof(table));
	f_tell(test.seen->fd, test.seen->child.pid, &test.scene, number);
	s_step(test.seen);
	s_expect_tail(test.seen, "a longer tail has all of it");
	t_check(test.seen->tail.path == GAPP_PATH_NONE, "there is no path beside it", "path %#x",
		test.seen->tail.path);
	expect_registers(&test, "the registers are those of the innermost frame");
	expect_stack(&test, up_to_top(&test.scene, inner_sp(&test.scene), GAPP_DEFAULT_STACK_COPY),
		     "and so is the stack");
	s_unmake(&test);

	config.unwind_by = GAPP_UNWIND_BY_TABLE;
	s_make(&test, &config, f_start);
	number = f_load(test.seen->fd, &table, sizeof(table));
	f_tell(test.seen->fd, test.seen->child.pid, &test.scene, number);
	s_step(test.seen);
	s_expect(test.seen, test.seen->slice.path, test.frames, 3,
		 GAPP_UNWIND_NO_RULE | GAPP_PATH_BY_TABLE, "without tails the path ends there");
	t_check(!test.seen->tails, "none comes", "%llu", test.seen->tails);
	s_unmake(&test);
}

void tails_copy(void)
{
	struct gapp_config config = s_config(GAPP_UNWIND_BY_COPY);
	struct gapp_counters counters;
	struct s_test test;
	u64 before, lost;

	config.stack_copy_bytes = 8192;
	s_make(&test, &config, f_start);
	for (int i = 1; i < 200; i++)
		s_step_once(test.seen);
	s_step(test.seen);
	s_expect_tail(test.seen, "copy: each path is a tail");
	t_check(test.seen->tail.path == GAPP_PATH_NONE && !r_path_count(&test.seen->reader),
		"nothing is walked", "path %#x, %u in the table", test.seen->tail.path,
		r_path_count(&test.seen->reader));
	expect_registers(&test, "the registers are those of the thread");
	expect_stack(&test, up_to_top(&test.scene, inner_sp(&test.scene), 8192), "so is the stack");
	/* there are at most a thousand a second, and a fast machine makes more slices */
	t_counters(test.seen->fd, &counters);
	lost = counters.lost[GAPP_LOST_STACK_COPIES];
	before = s_step_to_tail(test.seen);
	t_check(test.seen->tails > before && test.seen->tails <= before + 3 &&
			before + lost >= 200 && lost < 100 && !test.seen->needmaps,
		"one for each slice, nothing is asked for",
		"%llu and %llu lost, then %llu; asked %llu", before, lost, test.seen->tails,
		test.seen->needmaps);
	s_unmake(&test);
}

void tails_none(void)
{
	struct gapp_config config = s_config(GAPP_UNWIND_BY_NONE);
	struct gapp_counters counters;
	struct s_test test;

	s_make(&test, &config, f_start);
	for (int i = 0; i < 20; i++) {
		s_step(test.seen);
		if (test.seen->slice.path != GAPP_PATH_NONE)
			break;
	}
	t_counters(test.seen->fd, &counters);
	t_check(test.seen->slice.path == GAPP_PATH_NONE && !counters.paths &&
			!counters.stack_copies && !test.seen->needmaps,
		"none: there are no paths", "path %#x; %llu paths, %llu tails, asked %llu",
		test.seen->slice.path, counters.paths, counters.stack_copies, test.seen->needmaps);
	s_unmake(&test);
}

void tails_verify(void)
{
	struct gapp_config config = s_config(GAPP_UNWIND_BY_TABLE);
	const struct gapp_record_stack_copy *tail;
	struct gapp_counters counters;
	struct s_test test;
	u64 before, lost;

	config.flags = GAPP_CONFIG_VERIFY;
	s_make(&test, &config, f_start);
	tail = &test.seen->tail;
	s_tell(test.seen, &test.scene);
	for (int i = 1; i < 200; i++)
		s_step_once(test.seen);
	s_step(test.seen);
	s_expect(test.seen, test.seen->slice.path, test.frames, F_FRAMES,
		 GAPP_UNWIND_COMPLETE | GAPP_PATH_BY_TABLE, "verify: the path is whole");
	t_check(tail->flags == GAPP_STACK_COPY_VERIFY && tail->path == test.seen->slice.path &&
			tail->image == test.seen->slice.image &&
			tail->head.time_ns <= test.seen->slice.head.time_ns,
		"its tail says so", "flags %#x, path %#x, not %#x", tail->flags, tail->path,
		test.seen->slice.path);
	expect_registers(&test, "it has the innermost frame's registers");
	expect_stack(&test, up_to_top(&test.scene, inner_sp(&test.scene), GAPP_DEFAULT_STACK_COPY),
		     "and stack");
	t_counters(test.seen->fd, &counters);
	lost = counters.lost[GAPP_LOST_STACK_COPIES];
	before = s_step_to_tail(test.seen);
	/* a busy machine may take the thread off its CPU in between */
	t_check(test.seen->tails > before && test.seen->tails <= before + 3 &&
			before + lost >= 200 && lost < 100,
		"one for each path", "%llu and %llu lost, then %llu", before, lost,
		test.seen->tails);
	s_unmake(&test);
}

/* A stack pointer at which there is nothing. */
void tails_unreadable(void)
{
	struct gapp_config config = s_config(GAPP_UNWIND_BY_COPY);
	struct s_test test;

	s_make(&test, &config, f_start_swap);
	test.scene.stage->rsp = 0xffff888000000000ULL;
	s_step(test.seen);
	s_expect_tail(test.seen, "a stack in the kernel: a tail");
	t_check(!test.seen->tail.stack_bytes &&
			test.seen->tail.registers[RSP] == 0xffff888000000000ULL,
		"with registers, without a stack", "%u bytes", test.seen->tail.stack_bytes);
	test.scene.stage->rsp = 0x10000;
	s_step(test.seen);
	t_check(!test.seen->tail.stack_bytes && test.seen->tail.stack_at == 0x10000,
		"likewise a stack that is not mapped", "%u bytes at %#llx",
		test.seen->tail.stack_bytes, test.seen->tail.stack_at);
	test.scene.stage->rsp = (uintptr_t)test.scene.stack + F_STACK_TOP - 12345;
	s_step(test.seen);
	expect_stack(&test, GAPP_DEFAULT_STACK_COPY, "a stack pointer that is no multiple of 8");
	s_unmake(&test);
}

/* A storm of paths that nobody has told of: not all of them send a copy. */
void tails_limit(void)
{
	struct gapp_config config = s_config(GAPP_UNWIND_BY_AUTO);
	struct gapp_counters counters;
	struct s_test test;
	u64 begin_ns, seconds, allowed, end_ns;

	config.stack_copy_bytes = GAPP_MIN_STACK_COPY;
	s_make(&test, &config, f_start);
	begin_ns = t_now();
	end_ns = begin_ns + 2 * NSEC_PER_SEC;
	/* It goes round by itself from now on: what is here is a struct timespec. */
	test.scene.stage->number = SYS_nanosleep;
	test.scene.stage->rdi = (uintptr_t)&test.scene.stage->unmap_at;
	test.scene.stage->unmap_bytes = 1000;
	test.scene.stage->rsi = 0;
	t_tell(&test.seen->child);
	while (t_now() < end_ns)
		s_read(test.seen);
	t_stop(test.seen->fd);
	seconds = (t_now() - begin_ns) / NSEC_PER_SEC + 1;
	t_counters(test.seen->fd, &counters);
	allowed = seconds * TAILS_HZ + TAIL_BURST * sysconf(_SC_NPROCESSORS_ONLN);
	if (counters.slices < allowed / 2) {
		t_skip("many paths, fewer tails", "this machine is too slow to make so many");
		s_unmake(&test);
		return;
	}
	t_check(counters.stack_copies && counters.stack_copies <= allowed &&
			counters.slices > counters.stack_copies + 100,
		"many paths, fewer tails", "%llu tails in %llu s (%llu allowed), %llu slices",
		counters.stack_copies, seconds, allowed, counters.slices);
	t_check(counters.lost[GAPP_LOST_STACK_COPIES] > 0 &&
			counters.stack_copies + counters.lost[GAPP_LOST_STACK_COPIES] <=
				counters.slices + counters.samples + 2,
		"those that did not go are counted", "%llu, of %llu slices",
		counters.lost[GAPP_LOST_STACK_COPIES], counters.slices);
	s_unmake(&test);
}
