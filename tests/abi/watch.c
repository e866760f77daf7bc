// SPDX-License-Identifier: GPL-2.0
/*
 * WATCH: which stores have a record, what it says, and how long that goes on. The stores are made
 * by a process that waits for a word before each act, so all of them are known.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "groups.h"
#include "watched.h"

/* The module's clock may be off by so much, where the machine has more to do than it can. */
#define SLACK_NS (2 * NSEC_PER_MSEC)
#define FEW 10
#define MANY 50
#define ROUNDS 40
#define MANY_ROUNDS 1000
#define PATIENCE_NS (60 * NSEC_PER_SEC)

/* What does not agree with what the process has stored, by member. */
struct wrong {
	u32 ids, values, places, times, flags, paths, callers, without_path;
};

static bool is_in_put(u64 address)
{
	return address >= (uintptr_t)t_put_begin && address < (uintptr_t)t_put_end;
}

/* Compares the records with the stores of the last act, one by one. */
static struct wrong compare(const struct w_test *test, u32 flags)
{
	const struct w_scene *scene = test->scene;
	struct wrong wrong = { 0 };
	u64 last_ns = 0;

	for (u32 i = 0; i < test->count && i < scene->count; i++) {
		const struct gapp_record_store *record = &test->seen[i].record;
		const u64 *frames = test->seen[i].frames;

		wrong.ids += record->tid != scene->tid || record->tgid != test->child.pid ||
			     !record->image;
		wrong.values += record->value != scene->value[i];
		wrong.places += record->address != (uintptr_t)&scene->word;
		wrong.times += record->head.time_ns < last_ns ||
			       record->head.time_ns + SLACK_NS < scene->begin_ns[i] ||
			       record->head.time_ns > scene->end_ns[i] + SLACK_NS;
		wrong.flags += record->flags != flags;
		wrong.without_path += !test->seen[i].has_path;
		wrong.paths += test->seen[i].has_path && !is_in_put(frames[0]);
		wrong.callers += test->seen[i].has_path && frames[1] != scene->from;
		last_ns = record->head.time_ns;
	}
	return wrong;
}

static void check_same(const struct w_test *test, const struct wrong *wrong, const char *how)
{
	char name[100];

	snprintf(name, sizeof(name), "each store has one record, %s", how);
	t_check(test->count == test->scene->count, name, "%u of %u", test->count,
		test->scene->count);
	snprintf(name, sizeof(name), "it says who stored what, where and when, %s", how);
	t_check(!wrong->ids && !wrong->values && !wrong->places && !wrong->times && !wrong->flags,
		name,
		"of %u wrong: ids of %u, values of %u, addresses of %u, times of %u, flags of %u",
		test->count, wrong->ids, wrong->values, wrong->places, wrong->times, wrong->flags);
	snprintf(name, sizeof(name), "most have a call path, %s", how);
	t_check(wrong->without_path <= test->count / 2, name, "%u of %u have none",
		wrong->without_path, test->count);
}

static void check_stores(enum gapp_unwind_by by, void (*act)(struct w_scene *scene),
			 const char *how)
{
	const struct gapp_config config = w_config(by);
	struct gapp_watch watch;
	struct wrong wrong;
	struct w_test test;
	char name[100];

	w_begin(&test, &config, 0);
	watch = w_usual(&test);
	w_act_watched(&test, &watch, act);
	wrong = compare(&test, 0);
	check_same(&test, &wrong, how);
	snprintf(name, sizeof(name), "the path begins in the instruction that stored, %s", how);
	t_check(!wrong.paths, name, "%u of %u do not: %#llx is not in %p to %p", wrong.paths,
		test.count, test.seen[0].frames[0], t_put_begin, t_put_end);
	snprintf(name, sizeof(name), "and goes on to its caller, %s", how);
	t_check(!wrong.callers, name, "%u of %u do not: %#llx, not %#llx", wrong.callers,
		test.count, test.seen[0].frames[1], test.scene->from);
	w_end(&test);
}

/* Stores on both CPUs, in turns. */
static void store_here_and_there(struct w_scene *scene)
{
	scene->tid = t_gettid();
	for (u32 i = 0; i < scene->count; i++) {
		w_stay_on(i % 2 ? scene->next_cpu : scene->cpu);
		scene->begin_ns[i] = t_now();
		w_put(scene, &scene->word, scene->value[i]);
		scene->end_ns[i] = t_now();
	}
	w_stay_on(scene->cpu);
}

static void on_cpus(void)
{
	const struct gapp_config config = w_config(GAPP_UNWIND_BY_TABLE);
	struct gapp_watch watch;
	struct w_test test;
	u32 there = 0, first = 0;

	w_begin(&test, &config, 0);
	test.scene->count = 4; /* to go elsewhere takes long */
	watch = w_usual(&test);
	w_act_watched(&test, &watch, store_here_and_there);
	for (u32 i = 0; i < test.count && i < W_SEEN; i++) {
		there += test.seen[i].record.head.cpu == test.scene->next_cpu;
		first += test.seen[i].record.head.cpu == test.scene->cpu;
	}
	if (test.scene->cpu == test.scene->next_cpu)
		t_skip("stores on two CPUs", "there is only one");
	else
		t_check(first == test.scene->count / 2 && there == test.scene->count / 2,
			"stores on two CPUs", "%u on the first, %u on the other one", first, there);
	w_end(&test);
}

/* Of 4 bytes that are stored, words of each size: the value has so many bytes, and no more. */
static void sizes(void)
{
	const struct gapp_config config = w_config(GAPP_UNWIND_BY_TABLE);
	struct gapp_watch watch;
	struct w_test test;
	char name[40];

	w_begin(&test, &config, 0);
	watch = w_usual(&test);
	test.scene->count = 1;
	test.scene->value[0] = 0x87654321;
	for (watch.bytes = 1; watch.bytes <= 8; watch.bytes *= 2) {
		const u32 unused = 64 - 8 * watch.bytes;
		const u64 wanted = 0xa9b8c7d687654321 << unused >> unused;

		test.scene->word = 0xa9b8c7d6ULL << 32;
		w_act_watched(&test, &watch, w_store);
		snprintf(name, sizeof(name), "a word of %u bytes", watch.bytes);
		t_check(test.count == 1 && test.seen[0].record.value == wanted, name,
			"%u records, the value is %#llx, not %#llx", test.count,
			test.seen[0].record.value, wanted);
	}
	w_end(&test);
}

void watch_records(void)
{
	check_stores(GAPP_UNWIND_BY_TABLE, w_store, "by table");
	check_stores(GAPP_UNWIND_BY_AUTO, w_store, "auto");
	check_stores(GAPP_UNWIND_BY_TABLE, w_store_in_thread, "of another thread");
	on_cpus();
	sizes();
}

/* The kernel stores what the process reads. */
static void read_word(struct w_scene *scene)
{
	int fds[2];

	if (pipe(fds))
		t_die("pipe");
	scene->tid = t_gettid();
	for (u32 i = 0; i < scene->count; i++) {
		const u8 byte = scene->value[i];

		if (write(fds[1], &byte, 1) != 1)
			t_die("write");
		scene->begin_ns[i] = t_now();
		if (read(fds[0], &scene->word, 1) != 1)
			t_die("read");
		scene->end_ns[i] = t_now();
	}
	close(fds[0]);
	close(fds[1]);
}

/* One byte: of more the kernel might make several stores. */
void watch_kernel(void)
{
	const struct gapp_config config = w_config(GAPP_UNWIND_BY_TABLE);
	struct gapp_watch watch;
	struct wrong wrong;
	struct w_test test;

	w_begin(&test, &config, 0);
	for (u32 i = 0; i < W_STORES; i++)
		test.scene->value[i] = i + 1;
	watch = w_usual(&test);
	watch.bytes = 1;
	w_act_watched(&test, &watch, read_word);
	wrong = compare(&test, GAPP_STORE_IN_KERNEL);
	check_same(&test, &wrong, "by the kernel");
	t_check(wrong.paths + wrong.without_path == test.count,
		"the path of a store by the kernel begins elsewhere", "%u of %u", wrong.paths,
		test.count);
	w_end(&test);
}

/* Which of six stores end a loop that goes on while the word compares so: the lowest bit first. */
static const struct filter {
	const char *name;
	u8 goes_on;
	s64 number;
	u32 value[6];
	u32 ends;
} filters[] = {
	{ "equal to 0", GAPP_SPIN_WHILE_EQUAL, 0, { 0, 1, 0, ~0U, 0, 7 }, 0x2a },
	{ "not equal to 5", GAPP_SPIN_WHILE_NOT_EQUAL, 5, { 5, 4, 5, 0, 6, 5 }, 0x25 },
	{ "below 3", GAPP_SPIN_WHILE_BELOW, 3, { 2, 3, ~0U, 0, 4, 1 }, 0x16 },
	{ "less than -2", GAPP_SPIN_WHILE_LESS, -2, { -3U, -2U, 5, -100U, 0, -4U }, 0x16 },
	{ "greater than -1", GAPP_SPIN_WHILE_GREATER, -1, { 0, 1, -1U, -2U, 9, -9U }, 0x2c },
	{ "equal to 1 << 32 or 0", GAPP_SPIN_WHILE_EQUAL, 1LL << 32, { 0, 1, 0, 0, 2, 0 }, 0x12 },
	{ "who knows how", GAPP_SPIN_WHILE_UNKNOWN, 0, { 0, 0, 1, 1, 2, 2 }, 0x3f },
};

static void filter(struct w_test *test, const struct filter *filter)
{
	struct gapp_watch watch = w_usual(test);
	u32 wanted = 0, wrong = 0;
	char name[100];

	test->scene->count = ARRAY_SIZE(filter->value);
	memcpy(test->scene->value, filter->value, sizeof(filter->value));
	watch.goes_on = filter->goes_on;
	watch.number = filter->number;
	w_act_watched(test, &watch, w_store);
	for (u32 i = 0; i < ARRAY_SIZE(filter->value); i++) {
		if (!(filter->ends >> i & 1))
			continue;
		wrong += wanted < test->count && wanted < W_SEEN &&
			 test->seen[wanted].record.value != filter->value[i];
		wanted++;
	}
	snprintf(name, sizeof(name), "only stores that end a loop, which goes on while %s",
		 filter->name);
	t_check(test->count == wanted && !wrong, name, "%u records of %u stores, %u are of others",
		test->count, wanted, wrong);
}

/* The fourth store is the last one that is seen. Only the second one ends a loop. */
static void last_one(struct w_test *test)
{
	static const u32 values[] = { 0, 8, 0, 0, 9 };
	struct gapp_watch watch = w_usual(test);
	const struct w_seen *seen = test->seen;

	test->scene->count = ARRAY_SIZE(values);
	memcpy(test->scene->value, values, sizeof(values));
	watch.goes_on = GAPP_SPIN_WHILE_EQUAL;
	watch.stores = 4;
	w_act_watched(test, &watch, w_store);
	t_check(test->count == 2 && seen[0].record.value == 8 && !seen[0].record.flags,
		"a store counts with whose value a loop goes on", "%u records, the first of %llu",
		test->count, seen[0].record.value);
	t_check(test->count == 2 && !seen[1].record.value &&
			seen[1].record.flags == GAPP_STORE_LAST,
		"and has a record if it is the last one",
		"%u records, the second of %llu, flags %#x", test->count, seen[1].record.value,
		seen[1].record.flags);
}

/* The process itself stores once first, then a child of it, whose stores count as well. */
static void store_then_child(struct w_scene *scene)
{
	const u32 count = scene->count;
	pid_t pid;

	scene->count = 1;
	w_store(scene);
	scene->count = count;
	pid = fork();
	if (!pid) {
		w_store(scene);
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, NULL, 0) != pid)
		t_die("fork");
}

/* The fourth store is the last one that is seen, and another process's. */
static void last_of_others(u32 flags, const char *name)
{
	const struct gapp_config config = w_config(GAPP_UNWIND_BY_TABLE);
	const struct w_seen *seen;
	struct gapp_watch watch;
	struct w_test test;

	w_begin(&test, &config, flags);
	watch = w_usual(&test);
	seen = test.seen;
	test.scene->count = 10;
	watch.stores = 4;
	w_act_watched(&test, &watch, store_then_child);
	t_check(test.count == 2 && seen[0].record.tid == test.child.pid && !seen[0].record.flags &&
			seen[1].record.flags == (GAPP_STORE_LAST | GAPP_STORE_UNTOLD) &&
			seen[1].record.image == seen[0].record.image,
		name, "%u records, the last of thread %d, flags %#x, image %u, not %u", test.count,
		seen[1].record.tid, seen[1].record.flags, seen[1].record.image,
		seen[0].record.image);
	w_end(&test);
}

void watch_filter(void)
{
	const struct gapp_config config = w_config(GAPP_UNWIND_BY_TABLE);
	struct w_test test;

	w_begin(&test, &config, 0);
	for (u32 i = 0; i < ARRAY_SIZE(filters); i++)
		filter(&test, &filters[i]);
	last_one(&test);
	w_end(&test);
	last_of_others(0, "the last one may be of another process that is followed");
	last_of_others(GAPP_ADD_NO_INHERIT, "and of one that is not followed");
}

/* A child of the process stores, and then the process itself once. */
static void store_in_child(struct w_scene *scene)
{
	const u32 count = scene->count;
	pid_t pid = fork();

	if (!pid) {
		w_store(scene);
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, NULL, 0) != pid)
		t_die("fork");
	scene->count = 1;
	w_store(scene);
	scene->count = count;
}

/* Memory of its own, though both processes use the same page. */
static void others(u32 flags, const char *name)
{
	const struct gapp_config config = w_config(GAPP_UNWIND_BY_TABLE);
	struct gapp_watch watch;
	struct w_test test;

	w_begin(&test, &config, flags);
	watch = w_usual(&test);
	w_act_watched(&test, &watch, store_in_child);
	t_check(test.count == 1 && test.seen[0].record.tid == test.child.pid, name,
		"%u records, the first one of thread %d, not %d only", test.count,
		test.seen[0].record.tid, test.child.pid);
	w_end(&test);
}

void watch_others(void)
{
	others(0, "stores of another process that is followed have no record");
	others(GAPP_ADD_NO_INHERIT, "nor have those of a process that is not followed");
}

/* Half of the stores on each CPU. */
static void store_here_then_there(struct w_scene *scene)
{
	scene->tid = t_gettid();
	for (u32 i = 0; i < scene->count; i++) {
		if (i == scene->count / 2)
			w_stay_on(scene->next_cpu);
		scene->begin_ns[i] = t_now();
		w_put(scene, &scene->word, scene->value[i]);
		scene->end_ns[i] = t_now();
	}
	w_stay_on(scene->cpu);
}

static void at_most(struct w_test *test, u32 most)
{
	struct gapp_watch watch = w_usual(test);
	const struct w_scene *scene = test->scene;
	bool two = scene->cpu != scene->next_cpu;
	u32 half = scene->count / 2, wrong = 0;
	char name[100];

	watch.stores = most;
	w_act_watched(test, &watch, w_store);
	for (u32 i = 0; i < test->count && i < W_SEEN; i++)
		wrong += test->seen[i].record.value != scene->value[i] ||
			 !(test->seen[i].record.flags & GAPP_STORE_LAST) != (i + 1 < most);
	snprintf(name, sizeof(name), "%u of %u stores on a CPU have a record", most, scene->count);
	t_check(test->count == most && !wrong, name, "%u have, %u of them not the first ones",
		test->count, wrong);
	w_act_watched(test, &watch, store_here_then_there);
	for (u32 i = 0; i < test->count && i < 2 * most; i++)
		wrong += test->seen[i].record.value != scene->value[i < most ? i : half + i - most];
	snprintf(name, sizeof(name), "%u on each of two CPUs", most);
	if (two)
		t_check(test->count == 2 * most && !wrong, name,
			"%u have, %u of them not the first ones", test->count, wrong);
	else
		t_skip(name, "there is only one");
}

/* Both words in turns. */
static void store_both(struct w_scene *scene)
{
	for (u32 i = 0; i < scene->count; i++) {
		scene->begin_ns[i] = t_now();
		w_put(scene, &scene->word, scene->value[i]);
		w_put(scene, &scene->other, ~scene->value[i]);
		scene->end_ns[i] = t_now();
	}
}

static int watch_other_word(void *arg)
{
	struct w_test *test = arg;
	struct gapp_watch watch = w_usual(test);
	int ret;

	watch.address = (uintptr_t)&test->scene->other;
	ret = w_watch(test->fd, &watch);
	w_act(test, store_both);
	return ret;
}

/* While the first word is watched: another one. */
static void replaced(struct w_test *test)
{
	const u64 other = (uintptr_t)&test->scene->other;
	u32 wrong = 0, unused;

	t_expect(w_call_watched(test, watch_other_word, test), T_OK, "a second watch");
	unused = w_unused(test->scene->cpu);
	t_check(unused >= W_BREAKPOINTS - 1, "it takes no second breakpoint", "%u are not used",
		unused);
	for (u32 i = 0; i < test->count && i < W_SEEN; i++)
		wrong += test->seen[i].record.address != other ||
			 (u32)test->seen[i].record.value != ~test->scene->value[i];
	t_check(test->count == test->scene->count && !wrong, "only the second word is watched",
		"%u records of %u stores, %u of another word", test->count, test->scene->count,
		wrong);
}

static int unused_here(void *arg)
{
	const struct w_test *test = arg;

	return w_unused(test->scene->cpu);
}

void watch_bounds(void)
{
	const struct gapp_config config = w_config(GAPP_UNWIND_BY_TABLE);
	struct gapp_watch watch;
	struct w_test test;
	int unused;

	w_begin(&test, &config, 0);
	test.scene->count = MANY;
	at_most(&test, FEW);
	at_most(&test, 1);
	replaced(&test);

	watch = w_usual(&test);
	unused = w_call_watched(&test, unused_here, &test);
	t_check(unused == W_BREAKPOINTS - 1, "a watch takes one breakpoint of the processor",
		"%d are not used", unused);
	t_expect(w_watch_nothing(test.fd), T_OK, "nothing is watched");
	t_check(w_all_unused(), "then no breakpoint is used at once", "one is");
	w_act(&test, w_store);
	t_check(!test.count, "and no store has a record", "%u have", test.count);
	t_expect(w_watch_nothing(test.fd), T_OK, "nothing is watched, once more");

	watch.time_ns = NSEC_PER_MSEC;
	t_expect(w_watch(test.fd, &watch), T_OK, "a watch of a millisecond");
	t_check(w_soon_unused(), "it ends by itself", "a breakpoint is used for very long");
	w_act(&test, w_store);
	t_check(!test.count, "then no store has a record", "%u have", test.count);
	w_end(&test);
}

/* A second session that follows the same process, and has seen it run. */
static int join(struct w_test *test)
{
	const struct gapp_config config = w_config(GAPP_UNWIND_BY_TABLE);
	int fd = t_session(&config);

	errno = -t_add(fd, test->child.pid, 0);
	if (!errno)
		errno = -t_start(fd);
	if (errno)
		t_die("START");
	w_act(test, w_visit);
	return fd;
}

/* Two sessions: what a watch of the second one returns. */
struct second {
	struct w_test *test;
	int fd;
};

static int watch_second(void *arg)
{
	const struct second *second = arg;
	const struct gapp_watch watch = w_usual(second->test);

	return w_watch(second->fd, &watch);
}

/* It must be refused; where it came too late for that, nothing is watched. */
static int try_second(void *arg)
{
	const struct second *second = arg;
	int ret = watch_second(arg);

	if (!ret)
		w_watch_nothing(second->fd);
	return ret;
}

/* Once the first one watches no longer: 0 or a negative error number. */
static int watch_second_soon(struct second *second)
{
	const u64 end = t_now() + PATIENCE_NS;
	int ret;

	do {
		ret = watch_second(second);
	} while (ret == -EBUSY && t_now() < end);
	return ret;
}

void watch_sessions(void)
{
	const struct gapp_config config = w_config(GAPP_UNWIND_BY_TABLE);
	struct gapp_watch watch;
	struct second second;
	struct w_test test;

	w_begin(&test, &config, 0);
	watch = w_usual(&test);
	second = (struct second){ &test, join(&test) };
	t_expect(w_call_watched(&test, try_second, &second), -EBUSY,
		 "the second session, while the first one watches");
	t_expect(w_watch_nothing(second.fd), T_OK, "the second one watches nothing");
	t_expect(w_call_watched(&test, try_second, &second), -EBUSY,
		 "that ends nobody else's watch");
	t_expect(watch_second_soon(&second), T_OK,
		 "after the time of the first one's watch the second one may");
	t_expect(t_stop(second.fd), T_OK, "STOP of the second one, which watches");
	t_expect(w_watch(test.fd, &watch), T_OK, "at once the first one may");
	close(second.fd);
	t_expect(w_watch_nothing(test.fd), T_OK, "the first one watches nothing");

	second.fd = join(&test);
	t_expect(watch_second(&second), T_OK, "at once a third one may");
	close(second.fd);
	t_check(w_all_unused(), "close of the third one: no breakpoint is used", "one is");
	t_expect(w_watch(test.fd, &watch), T_OK, "at once the first one may again");
	w_end(&test);
	t_check(w_all_unused(), "close of the first one: no breakpoint is used", "one is");
}

/**
 * struct debugged - what a debugger does
 * @test: of the process
 * @registers: how many debug registers it sets: each for stores into the second word
 * @hits: how often the process stopped for that
 */
struct debugged {
	const struct w_test *test;
	u32 registers;
	u32 hits;
};

#define DEBUG_REGISTER(number) offsetof(struct user, u_debugreg[number])
/* Enables the first one, for stores into 4 bytes. */
#define STORES_OF_4_BYTES 0xd0001UL

static void set_registers(const struct debugged *debugged)
{
	const pid_t pid = debugged->test->child.pid;
	int status;

	if (ptrace(PTRACE_SEIZE, pid, 0, 0) || ptrace(PTRACE_INTERRUPT, pid, 0, 0) ||
	    waitpid(pid, &status, __WALL) != pid)
		t_die("PTRACE_SEIZE");
	for (u32 i = 0; i < debugged->registers; i++)
		if (ptrace(PTRACE_POKEUSER, pid, DEBUG_REGISTER(i), &debugged->test->scene->other))
			t_die("PTRACE_POKEUSER");
	if (ptrace(PTRACE_POKEUSER, pid, DEBUG_REGISTER(7), STORES_OF_4_BYTES) ||
	    ptrace(PTRACE_CONT, pid, 0, 0))
		t_die("PTRACE_POKEUSER");
}

/* A debugger, which lets the process go on whenever it stops. */
static void debugs(struct t_child *parent, void *arg)
{
	struct debugged *debugged = arg;
	const pid_t pid = debugged->test->child.pid;
	int status, number;

	set_registers(debugged);
	t_tell(parent);
	while (waitpid(pid, &status, __WALL) == pid && WIFSTOPPED(status)) {
		number = WSTOPSIG(status);
		debugged->hits += number == SIGTRAP;
		ptrace(PTRACE_CONT, pid, 0, number == SIGTRAP ? 0 : number);
	}
	pause();
}

/* In a guest of its own: the kernel patches its code when a debugger sets its first breakpoint. */
static void watch_debugger(void)
{
	const struct gapp_config config = w_config(GAPP_UNWIND_BY_TABLE);
	struct debugged *debugged = mmap(NULL, sizeof(*debugged), PROT_READ | PROT_WRITE,
					 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct t_child debugger;
	struct gapp_watch watch;
	struct w_test test;

	if (debugged == MAP_FAILED)
		t_die("mmap");
	w_begin(&test, &config, 0);
	watch = w_usual(&test);
	*debugged = (struct debugged){ .test = &test, .registers = 1 };
	debugger = t_fork(debugs, debugged);
	t_hear(&debugger);
	test.scene->count = FEW;
	w_act_watched(&test, &watch, store_both);
	t_check(test.count == FEW, "beside a debugger each store has a record", "%u of %u have",
		test.count, FEW);
	t_check(debugged->hits && !(debugged->hits % FEW),
		"and the debugger sees each store into its own word", "%u", debugged->hits);
	t_kill(&debugger);
	w_end(&test);
	t_check(w_soon_unused(), "then no breakpoint is used", "one is");

	w_begin(&test, &config, 0);
	watch = w_usual(&test);
	*debugged = (struct debugged){ .test = &test, .registers = W_BREAKPOINTS };
	debugger = t_fork(debugs, debugged);
	t_hear(&debugger);
	t_expect(w_watch(test.fd, &watch), -ENOSPC, "a debugger has set all debug registers");
	t_kill(&debugger);
	w_end(&test);
	t_check(w_soon_unused(), "then no breakpoint is used either", "one is");
	munmap(debugged, sizeof(*debugged));
}

void watch_gone(void)
{
	w_rounds(ROUNDS, false);
}

void watch_gone_often(void)
{
	watch_debugger();
	w_rounds(MANY_ROUNDS, true);
}
