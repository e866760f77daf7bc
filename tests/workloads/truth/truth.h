/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the programs of the truth suite share. Each is a bottleneck by
 * construction and says in its first comment, in lines that tests/truth reads,
 * what a profiler of bottlenecks must name:
 *
 *	truth: first=FUNCTION kind=ran|waited waits=CLASS ...
 *	variant: NAME COMPILER-OPTION... KEY=VALUE...
 *
 * first	the function of the first path; "none" where there is no bottleneck.
 *		The line is the one with the comment TRUTH: first
 * kind		whether that code ran while others waited, or waited while nobody ran
 * waits	what most of the other threads waited for meanwhile
 * wait		with kind=waited: what the code itself waited for
 * caller	the function that calls the first one there
 * cpu=below	most CPU time is spent elsewhere, so a plain CPU profile names another
 * cpu_as	the function whose CPU time counts as that of the first one
 * libc=yes	the first path begins in libc
 * sleeps	FUNCTION,...: waits for @waits are on paths from libc to one of these
 * options	options for gapp-read, with commas between
 * feed		a command whose output the program gets for its standard input
 * disk=yes	needs a disk at /disk
 * icount=yes	in a guest with one CPU whose time is its instructions: shares are exact there
 * ratio	A:B=R: the shares of the paths of A and B
 * stages	comma-separated names of threads; their CMetric evens out in the mended twin
 * alike=yes	slices of the first place are of one length, but for a few
 * path		the function that most of the critical path of the run is in
 * object	what most of the others wait for has this in its name
 * objects	so many of the objects that the others wait for have that in their names
 * own_object	with kind=waited: what the code itself waits for has this in its name
 * waits_at	the function that most of the others wait in
 * preempted	the name of a thread, which
 * preempted_by	a thread of this name keeps from its CPU most
 * part		not among those that are run without being asked for, but with this name
 * spun=yes	(of a variant) its threads wait in busy-wait loops; the report must be the program's
 * turns	(of a variant that spins) NAME:N:OBJECTS: N times each of so many objects with NAME
 *		in their names is waited for; a few may not be seen
 * twin=mended	(of a variant) first is not what the program itself has; the run is shorter
 *
 * Work is an amount, not a time: loops, calibrated once to the thread's own CPU
 * time. With TRUTH_CPU in the environment a program appends to that file how
 * much of it each function did, as "FUNCTION NANOSECONDS" lines.
 */
#ifndef GAPP_WORKLOADS_TRUTH_H
#define GAPP_WORKLOADS_TRUTH_H

#include <stdatomic.h>
#include <sys/syscall.h>

#include "../work.h"
#ifdef SPIN
#include "spin_sync.h"
#endif

#define WORKERS 4
/* What every program does alone at its begin and its end: its second and third path. */
#define INPUT_US 110000
#define OUTPUT_US 70000
#define CHUNK_US 500

/* Called as it stands, with arguments and all: noipa, for so it is with code of another file. */
#define noinline __attribute__((noipa, unused))

struct mark {
	const char *function;
	atomic_ullong loops;
	atomic_ullong ns;
} __attribute__((aligned(32)));

extern struct mark __start_truth_marks[], __stop_truth_marks[];

static unsigned long long loops_per_ms;

#define MARK(name) \
	static struct mark name __attribute__((section("truth_marks"), used)) = { __func__, 0, 0 }

/*
 * In the build with frame pointers: has the function set its frame up. Whatever options there are,
 * gcc leaves the frame pointer out of a function that calls nothing and needs no stack; its caller
 * then is not on a path.
 */
#ifdef FRAME_POINTERS
static inline __attribute__((always_inline)) void need_frame(const void *frame)
{
	__asm__ volatile("" : : "r"(frame));
}

#define NEED_FRAME() need_frame(__builtin_frame_address(0))
#else
#define NEED_FRAME() ((void)0)
#endif

#define LOOP(count)                                               \
	do {                                                      \
		unsigned long long x_ = 1;                        \
		NEED_FRAME();                                     \
		for (unsigned long long i_ = (count); i_; i_--) { \
			x_ = x_ * 6364136223846793005ULL + 1;     \
			__asm__ volatile("" : "+r"(x_));          \
		}                                                 \
	} while (0)

/*
 * So much work, in the code of the function that says it: a macro, for an inlined function would
 * be the innermost frame, with lines of its own.
 */
#define BURN(us)                                                                       \
	do {                                                                           \
		MARK(mark_);                                                           \
		unsigned long long loops_ = loops_per_ms * (us) / 1000;                \
		atomic_fetch_add_explicit(&mark_.loops, loops_, memory_order_relaxed); \
		LOOP(loops_);                                                          \
	} while (0)

/* CPU time that is no BURN(), measured by the caller. */
#define SPENT(nanoseconds)                                                                 \
	do {                                                                               \
		MARK(mark_);                                                               \
		atomic_fetch_add_explicit(&mark_.ns, (nanoseconds), memory_order_relaxed); \
	} while (0)

/*
 * A system call in the function itself, with no frame of libc between. The instruction behind it,
 * where a sleeping thread is found, belongs to the same line.
 */
#define DIRECT(nr, a, b, c, d)                                                      \
	({                                                                          \
		register long a4_ __asm__("r10") = (long)(d);                       \
		long ret_;                                                          \
		__asm__ volatile("syscall\n\tnop"                                   \
				 : "=a"(ret_)                                       \
				 : "a"((long)(nr)), "D"((long)(a)), "S"((long)(b)), \
				   "d"((long)(c)), "r"(a4_)                         \
				 : "rcx", "r11", "memory");                         \
		ret_;                                                               \
	})

/* The quickest of several short stretches: the others were disturbed. */
static noinline unsigned long long calibrate(void)
{
	const unsigned long long loops = 200000;
	unsigned long long best = ~0ULL;

	for (int i = 0; i < 10; i++) {
		unsigned long long begin = thread_cpu_ns(), took;

		LOOP(loops);
		took = thread_cpu_ns() - begin;
		if (took && took < best)
			best = took;
	}
	return loops * NSEC_PER_MSEC / best;
}

static inline void truth_begin(void)
{
	const char *known = getenv("TRUTH_LOOPS_PER_MS");

	loops_per_ms = known ? strtoull(known, NULL, 10) : calibrate();
	if (!loops_per_ms) {
		errno = EINVAL;
		die("TRUTH_LOOPS_PER_MS");
	}
}

/* Each process of a program says its own part. */
static inline void truth_end(void)
{
	const char *path = getenv("TRUTH_CPU");
	FILE *file;

	if (!path)
		return;
	file = fopen(path, "a");
	if (!file)
		die(path);
	for (struct mark *mark = __start_truth_marks; mark < __stop_truth_marks; mark++)
		fprintf(file, "%s %llu\n", mark->function,
			mark->loops * NSEC_PER_MSEC / loops_per_ms + mark->ns);
	if (fclose(file))
		die(path);
}

static noinline void read_input(void)
{
	BURN(INPUT_US);
}

static noinline void write_output(void)
{
	BURN(OUTPUT_US);
}

/* Work that all threads share, in pieces, so that they end at the same time. */
struct pieces {
	atomic_long left;
};

static inline int take_piece(struct pieces *pieces)
{
	return atomic_fetch_sub(&pieces->left, 1) > 0;
}

static noinline void parallel_work(struct pieces *pieces)
{
	while (take_piece(pieces))
		BURN(CHUNK_US);
}

/* Runs @run on @count threads, the calling one among them. */
static inline void on_threads(unsigned int count, void *(*run)(void *))
{
	pthread_t threads[WORK_MAX_THREADS];

	for (unsigned long i = 1; i < count; i++)
		start_thread(&threads[i], run, (void *)i);
	run(NULL);
	for (unsigned int i = 1; i < count; i++)
		pthread_join(threads[i], NULL);
}

#endif /* GAPP_WORKLOADS_TRUTH_H */
