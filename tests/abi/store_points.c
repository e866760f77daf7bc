// SPDX-License-Identifier: GPL-2.0
/*
 * STORE_POINT: what an instruction stores is told, by a breakpoint on it. The instructions are
 * written here, so nothing of gapp-read is needed to decode them.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exact_loop.h"
#include "groups.h"
#include "watched.h"

/* DWARF numbers. */
#define RAX 0
#define RDX 1
#define RCX 2
#define RSI 4
#define RDI 5

#define SLACK_NS (2 * NSEC_PER_MSEC)
#define FEW 10
#define ROUNDS 32
#define MANY_ROUNDS 1000
/* The first byte of "movl %esi, (%rdi,%rcx,8)". */
#define MOV 0x89

/* Stores the value into a word, adds 3 to the second one, swaps the value with it, or counts up. */
static __attribute__((noinline, noclone)) void put(u64 *words, u64 number, u32 value, u32 kind)
{
	asm volatile("	cmpl $1, %%edx\n"
		     "	je 1f\n"
		     "	cmpl $2, %%edx\n"
		     "	je 2f\n"
		     "	cmpl $3, %%edx\n"
		     "	je 3f\n"
		     ".globl t_points_set, t_points_add, t_points_swap, t_points_locked\n"
		     ".globl t_points_row\n"
		     "t_points_set:\n"
		     "	movl %%esi, (%%rdi,%%rcx,8)\n"
		     "	jmp 4f\n"
		     "1:\n"
		     "t_points_add:\n"
		     "	addw $3, 8(%%rdi)\n"
		     "	jmp 4f\n"
		     "2:	movl %%esi, %%eax\n"
		     "t_points_swap:\n"
		     "	xchgb %%al, 8(%%rdi)\n"
		     "	jmp 4f\n"
		     "3:\n"
		     "t_points_locked:\n"
		     "	lock incl (%%rdi)\n"
		     "	jmp 4f\n"
		     "t_points_row:\n"
		     "	.rept 9\n"
		     "	movl %%esi, (%%rdi)\n"
		     "	.endr\n"
		     "4:\n"
		     :
		     : "D"(words), "c"(number), "S"(value), "d"(kind)
		     : "rax", "memory", "cc");
}

static void stores_as(struct w_scene *scene, u32 kind)
{
	scene->tid = t_gettid();
	for (u32 i = 0; i < scene->count; i++) {
		scene->begin_ns[i] = t_now();
		put(&scene->word, i % 2, scene->value[i], kind);
		scene->end_ns[i] = t_now();
	}
}

static void sets(struct w_scene *scene)
{
	stores_as(scene, 0);
}

static void adds(struct w_scene *scene)
{
	stores_as(scene, 1);
}

static void swaps(struct w_scene *scene)
{
	stores_as(scene, 2);
}

static struct gapp_store_point point_at(const struct w_test *test, const char *address)
{
	return (struct gapp_store_point){
		.address = (uintptr_t)address,
		.pid = test->child.pid,
		.passes = GAPP_STORE_POINT_MAX_PASSES,
		.base = RDI,
		.index = GAPP_SPIN_NO_REGISTER,
		.bytes = 4,
		.how = GAPP_STORE_SETS,
		.with = RSI + 1,
	};
}

static struct gapp_store_point set_point(const struct w_test *test)
{
	struct gapp_store_point point = point_at(test, t_points_set);

	point.index = RCX;
	point.scale = 8;
	return point;
}

static int ask(int fd, struct gapp_store_point point)
{
	return t_ioctl(fd, GAPP_IOC_STORE_POINT, &point);
}

static int ask_nothing(int fd)
{
	return ask(fd, (struct gapp_store_point){ 0 });
}

static u8 opcode(const struct w_test *test, const char *address)
{
	u8 byte;

	if (!x_opcode(test->child.pid, (uintptr_t)address, &byte))
		t_die("/proc/PID/mem");
	return byte;
}

/* Compares the records with the stores of the last act. */
static void check_told(const struct w_test *test, const char *name, const char *from,
		       u64 (*word)(const struct w_scene *scene, u32 i),
		       u64 (*value)(const struct w_scene *scene, u32 i))
{
	const struct w_scene *scene = test->scene;
	u32 ids = 0, words = 0, values = 0, times = 0, flags = 0, paths = 0, without = 0;

	t_check(test->count == scene->count, name, "%u records of %u stores", test->count,
		scene->count);
	for (u32 i = 0; i < test->count && i < scene->count; i++) {
		const struct gapp_record_store *record = &test->seen[i].record;

		ids += record->tid != scene->tid || record->tgid != test->child.pid ||
		       !record->image;
		words += record->address != word(scene, i);
		values += record->value != value(scene, i);
		times += record->head.time_ns + SLACK_NS < scene->begin_ns[i] ||
			 record->head.time_ns > scene->end_ns[i] + SLACK_NS;
		flags += record->flags != GAPP_STORE_AT_POINT;
		without += !test->seen[i].has_path;
		paths += test->seen[i].has_path && test->seen[i].frames[0] != (uintptr_t)from;
	}
	t_check(!ids && !words && !values && !times && !flags && !paths,
		"they say who stores what, where and when",
		"of %u wrong: ids of %u, addresses of %u, values of %u, times of %u, flags of %u, paths of %u",
		test->count, ids, words, values, times, flags, paths);
	t_check(without <= test->count / 2, "and most have a call path", "%u of %u have none",
		without, test->count);
}

static u64 in_turn(const struct w_scene *scene, u32 i)
{
	return (uintptr_t)&scene->word + 8 * (i % 2);
}

static u64 second(const struct w_scene *scene, u32 i)
{
	(void)i;
	return (uintptr_t)&scene->word + 8;
}

static u64 set(const struct w_scene *scene, u32 i)
{
	return scene->value[i];
}

/* From 65534 on: of two bytes. */
static u64 sum(const struct w_scene *scene, u32 i)
{
	(void)scene;
	return (u16)(65534 + 3 * (i + 1));
}

static u64 low_byte(const struct w_scene *scene, u32 i)
{
	return scene->value[i] & 0xff;
}

void store_points_told(void)
{
	const struct gapp_config config = w_config(GAPP_UNWIND_BY_TABLE);
	struct gapp_store_point add, swap;
	struct w_test test;

	w_begin(&test, &config, 0);
	t_check(opcode(&test, t_points_set) == MOV, "no breakpoint before", "0x%x",
		opcode(&test, t_points_set));
	t_expect(ask(test.fd, set_point(&test)), T_OK, "STORE_POINT");
	t_check(opcode(&test, t_points_set) == X_BREAKPOINT, "a breakpoint is on the instruction",
		"0x%x", opcode(&test, t_points_set));
	t_expect(ask(test.fd, set_point(&test)), -EEXIST, "an instruction that is told of");
	w_act(&test, sets);
	check_told(&test, "each store of it has a record", t_points_set, in_turn, set);
	w_act(&test, adds);
	t_check(!test.count, "what another one stores has none", "%u", test.count);

	add = point_at(&test, t_points_add);
	add.offset = 8;
	add.bytes = 2;
	add.how = GAPP_STORE_ADDS;
	add.with = 0;
	add.number = 3;
	t_expect(ask(test.fd, add), T_OK, "STORE_POINT of one that adds");
	test.scene->other = 65534;
	w_act(&test, adds);
	check_told(&test, "each sum has a record", t_points_add, second, sum);

	swap = point_at(&test, t_points_swap);
	swap.offset = 8;
	swap.bytes = 1;
	swap.with = RAX + 1;
	t_expect(ask(test.fd, swap), T_OK, "STORE_POINT of one that swaps");
	w_act(&test, swaps);
	check_told(&test, "each swap has a record", t_points_swap, second, low_byte);

	t_expect(ask_nothing(test.fd), T_OK, "STORE_POINT of nothing");
	t_check(opcode(&test, t_points_set) == MOV, "no breakpoint is left", "0x%x",
		opcode(&test, t_points_set));
	w_act(&test, sets);
	t_check(!test.count, "and no store is told", "%u", test.count);
	t_expect(ask(test.fd, set_point(&test)), T_OK, "STORE_POINT again");
	t_expect(t_stop(test.fd), T_OK, "STOP");
	t_check(opcode(&test, t_points_set) == MOV, "nor is one after STOP", "0x%x",
		opcode(&test, t_points_set));
	w_end(&test);
}

/* Where the word cannot be read, nothing is told of what would be made of it. */
static void reads_nothing(struct w_scene *scene)
{
	(void)scene;
	signal(SIGSEGV, SIG_DFL);
	put((u64 *)8, 0, 1, 1);
}

void store_points_hostile(void)
{
	const struct gapp_config config = w_config(GAPP_UNWIND_BY_TABLE);
	struct gapp_store_point add;
	struct w_test test;

	w_begin(&test, &config, 0);
	add = point_at(&test, t_points_add);
	add.offset = ~0ULL - 0xfff;
	add.base = GAPP_SPIN_NO_REGISTER;
	add.how = GAPP_STORE_XORS;
	add.bytes = 8;
	t_expect(ask(test.fd, add), T_OK, "an address in the kernel");
	w_act(&test, adds);
	t_check(!test.count, "what is there is not read", "%u", test.count);
	t_expect(ask_nothing(test.fd), T_OK, "STORE_POINT of nothing");
	add = point_at(&test, t_points_add);
	add.how = GAPP_STORE_ORS;
	t_expect(ask(test.fd, add), T_OK, "an instruction that faults");
	test.scene->act = reads_nothing;
	t_tell(&test.child);
	t_sleep(20 * NSEC_PER_MSEC);
	w_end(&test);
}

/* An instruction that stores too often is given up, which the last record says. */
void store_points_given_up(void)
{
	const struct gapp_config config = w_config(GAPP_UNWIND_BY_TABLE);
	struct gapp_store_point few;
	const struct gapp_record_store *last;
	struct w_test test;

	w_begin(&test, &config, 0);
	few = set_point(&test);
	few.passes = FEW;
	t_expect(ask(test.fd, few), T_OK, "STORE_POINT of one that may store seldom");
	test.scene->count = W_STORES;
	w_act(&test, sets);
	last = &test.seen[test.count - 1].record;
	/* another window may have begun meanwhile */
	t_check(test.count > FEW && test.count < W_STORES, "it is given up", "%u records",
		test.count);
	t_check(last->flags == (GAPP_STORE_AT_POINT | GAPP_STORE_LAST) &&
			last->address == few.address && !last->value,
		"the last record says so", "flags %#x, at %#llx", last->flags, last->address);
	t_check(opcode(&test, t_points_set) == MOV, "it has no breakpoint any more", "0x%x",
		opcode(&test, t_points_set));
	t_expect(ask(test.fd, few), -EDQUOT, "one that was given up");
	t_expect(ask_nothing(test.fd), T_OK, "STORE_POINT of nothing");
	t_expect(ask(test.fd, set_point(&test)), T_OK, "STORE_POINT of it again");
	w_act(&test, sets);
	t_check(test.count == W_STORES, "and its stores are told again", "%u", test.count);
	w_end(&test);
}

/* Nobody watches a word while stores are told, and the other way round. */
void store_points_apart(void)
{
	const struct gapp_config config = w_config(GAPP_UNWIND_BY_TABLE);
	struct w_test test, other;
	struct gapp_watch watch;

	w_begin(&test, &config, 0);
	w_begin(&other, &config, 0);
	watch = w_usual(&other);
	t_expect(ask(test.fd, set_point(&test)), T_OK, "STORE_POINT");
	t_expect(w_watch(other.fd, &watch), -EBUSY,
		 "WATCH, while another session is told of stores");
	watch = w_usual(&test);
	t_expect(w_watch(test.fd, &watch), -EBUSY, "WATCH, while the session is");
	t_expect(ask(other.fd, set_point(&other)), T_OK, "STORE_POINT, for another session too");
	t_expect(ask_nothing(test.fd), T_OK, "STORE_POINT of nothing");
	t_expect(w_watch(test.fd, &watch), -EBUSY, "WATCH, while only the other one is");
	w_end(&other);
	t_expect(w_watch(test.fd, &watch), T_OK, "WATCH, after it was closed");
	t_expect(w_watch(test.fd, &watch), T_OK, "WATCH, once more");
	t_expect(ask(test.fd, set_point(&test)), -EBUSY, "STORE_POINT, while a word is watched");
	t_expect(w_watch_nothing(test.fd), T_OK, "WATCH of nothing");
	t_expect(ask(test.fd, set_point(&test)), T_OK, "STORE_POINT, when none is any more");
	w_end(&test);
}

static void refused(struct w_test *test)
{
	const struct gapp_store_point usual = set_point(test);
	struct gapp_store_point bad[] = {
		usual, usual, usual, usual, usual, usual, usual, usual,
		usual, usual, usual, usual, usual, usual, usual, usual,
	};
	u32 i = 0;

	bad[i++].passes = 0;
	bad[i++].passes = GAPP_STORE_POINT_MAX_PASSES + 1;
	bad[i++].pid = -1;
	bad[i++].base = 200;
	bad[i++].index = 200;
	bad[i++].scale = 0;
	bad[i++].scale = 3;
	bad[i++].scale = 16;
	bad[i++].bytes = 0;
	bad[i++].bytes = 3;
	bad[i++].how = 0;
	bad[i++].how = GAPP_STORE_HOWS;
	bad[i++].with = 200;
	bad[i++].number = 1;
	bad[i++].reserved = 1;
	bad[i++].pid = 0;
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		t_expect(ask(test->fd, bad[i]), -EINVAL, "bad member %u", i);
	bad[0] = usual;
	bad[0].index = GAPP_SPIN_NO_REGISTER;
	t_expect(ask(test->fd, bad[0]), -EINVAL, "a scale without an index");
	bad[0] = usual;
	bad[0].pid = getpid();
	t_expect(ask(test->fd, bad[0]), -ESRCH, "a process that is not followed");
	bad[0] = usual;
	bad[0].address = 4096;
	t_expect(ask(test->fd, bad[0]), -ENOENT, "no mapping");
	bad[0].address = (uintptr_t)test->scene;
	t_expect(ask(test->fd, bad[0]), -ENOENT, "memory that is no code");
	bad[0].address = ~0ULL;
	t_expect(ask(test->fd, bad[0]), -ENOENT, "the last address");
	t_expect(ask(test->fd, point_at(test, t_points_locked)), -EOPNOTSUPP,
		 "an instruction with a lock prefix");
}

void store_points_refused(void)
{
	struct gapp_config config = w_config(GAPP_UNWIND_BY_TABLE);
	struct w_test test;

	w_begin(&test, &config, 0);
	refused(&test);
	for (u32 i = 0; i <= GAPP_STORE_POINTS; i++)
		t_expect(ask(test.fd, point_at(&test, t_points_row + 2 * i)),
			 i < GAPP_STORE_POINTS ? T_OK : -ENOSPC, "instruction %u", i);
	t_expect(t_stop(test.fd), T_OK, "STOP");
	t_expect(ask(test.fd, set_point(&test)), -ENOTCONN, "after STOP");
	close(test.fd);
	config.flags = 0;
	test.fd = t_session(&config);
	t_add(test.fd, test.child.pid, 0);
	t_expect(ask(test.fd, set_point(&test)), -ENOTCONN, "before START");
	t_expect(t_start(test.fd), T_OK, "START");
	t_expect(ask(test.fd, set_point(&test)), -EINVAL, "a session that knows no loops");
	w_end(&test);
}

static void stores_forever(struct w_scene *scene)
{
	for (;;) {
		put(&scene->word, 0, 1, 0);
		t_sleep(100000);
	}
}

static void executes(struct w_scene *scene)
{
	(void)scene;
	execl("/bin/sleep", "sleep", "1000", (char *)NULL);
	t_die("/bin/sleep");
}

/* A child has the breakpoint in its copy of the code, until it comes to it. */
static void forks(struct w_scene *scene)
{
	pid_t child = fork();

	if (child < 0)
		t_die("fork");
	if (child)
		stores_forever(scene);
	put(&scene->other, 0, 1, 0);
	_exit(*(const volatile u8 *)t_points_set == MOV);
}

static void tells(struct t_child *parent, void *arg)
{
	const struct w_test *test = arg;

	ask(test->fd, set_point(test));
	t_tell(parent);
	pause();
}

/* Processes and sessions end in every way while stores are told. */
static void end_in_every_way(u32 rounds)
{
	static void (*const acts[])(struct w_scene *) = { stores_forever, executes, forks };
	const struct gapp_config config = w_config(GAPP_UNWIND_BY_TABLE);
	u32 left = 0;

	for (u32 i = 0; i < rounds; i++) {
		struct w_test test;
		struct t_child reader;

		w_begin(&test, &config, i % 2 ? 0 : GAPP_ADD_NO_INHERIT);
		/* a session ends with the last process that has it */
		reader = t_fork(tells, &test);
		t_hear(&reader);
		test.scene->act = acts[i % ARRAY_SIZE(acts)];
		t_tell(&test.child);
		t_sleep(i % 7 * 300000);
		if (i / 3 % 2)
			kill(test.child.pid, SIGKILL);
		if (i / 6 % 2)
			t_stop(test.fd);
		t_kill(&reader);
		r_drain(&test.reader);
		r_close(&test.reader);
		close(test.fd);
		if (!(i / 3 % 2) && i % ARRAY_SIZE(acts) != 1)
			left += opcode(&test, t_points_set) != MOV;
		t_kill(&test.child);
		munmap(test.scene, sizeof(*test.scene));
	}
	t_check(!left, "no breakpoint is left when the session has ended", "in %u of %u rounds",
		left, rounds);
}

void store_points_gone(void)
{
	end_in_every_way(ROUNDS);
}

void store_points_gone_often(void)
{
	end_in_every_way(MANY_ROUNDS);
}
