/* SPDX-License-Identifier: GPL-2.0 */
/* Made-up paths and records, instead of stacks.c and symbols.c. */
#ifndef GAPP_TESTS_FAKE_CODE_H
#define GAPP_TESTS_FAKE_CODE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "profile/profile.h"

#define SECONDS(n) (1000000000ULL * (n))
#define MS(n) (1000000ULL * (n))
#define US(n) (1000ULL * (n))
#define SHARE(ns) ((u64)(ns) << GAPP_SHARE_SHIFT)

/*
 * Number of a path, "function:line function:line ...", innermost first. How a function's name
 * begins tells what it is:
 *	lib_	it is in libsome.so
 *	?	in the program; its name is not known
 *	!	the frame pointer is not its frame's (FRAME_OTHER)
 *	$	the call frame information says that there is no caller
 *	^	it runs what it calls on another stack
 *	interpret	it runs what is written in another language
 *	py::	generated code, for the names of what is interpreted
 *	_	libc's: it begins a program or a thread
 *	pthread_, futex_, sem_, std::	libc's
 *	GOMP_, omp_, ?gomp	libgomp's
 *	__kmp, ?kmp	libomp's
 *	k_	the kernel's; k_sched: what puts a thread to sleep, k_start: what begins the
 *kernel's threads Lines from 500 are in the function "inlined", inline.h. In line 0 the file is not
 *known.
 */
u32 path_of(const char *frames);
u32 cut_path_of(const char *frames);
/* Of that method, which ended so (enum path_end). */
u32 path_by(enum path_method method, const char *frames, unsigned int end);
/* Of the kernel's functions, for gapp_sample.kernel_path and others like it. */
u32 kernel_path_of(const char *frames);
void fake_code_reset(void);

/* Of the test that runs. */
extern struct profile *profile;
int profile_begin(void **state);
int profile_end(void **state);
#define TEST(function) cmocka_unit_test_setup_teardown(function, profile_begin, profile_end)

#define MADE_SAMPLES 32

/* A slice's record, and samples; behind those, where each hit the thread, if that is said. */
struct made {
	struct gapp_record_slice slice;
	struct gapp_sample samples[MADE_SAMPLES];
	s32 room[MADE_SAMPLES];
};

/* One slice of thread @tid of process @tgid that ended at @end and has @share, all of it its own.
 */
struct made made_slice(s32 tid, s32 tgid, u32 end, u64 share);
void made_sample(struct made *made, u32 path, u64 share);
/* From a module that says where samples hit: @in, one of each sample. Comes after all samples. */
void made_in(struct made *made, const s32 *in);
struct gapp_record_wait made_wait(s32 tid, s32 tgid, u32 path, u64 wait_ns,
				  enum gapp_wait_reason wait);

void fold(struct profile *profile, const struct made *made);
void fold_wait(struct profile *profile, const struct gapp_record_wait *wait);

/* The ranking; fails the test without one. */
struct ranking ranking_by(struct profile *profile, enum by by);
struct ranking ranking_with(struct profile *profile, const struct profile_options *options);

/* The row of that kind whose innermost shown function is @function, or NULL. */
const struct ranked *row_of(const struct ranking *ranking, enum path_kind kind,
			    const char *function);

void near(double value, double expected);
/* Fails the test unless the functions of the row's path are @names, innermost first. */
void is_path(const struct ranked *row, const char *const *names, size_t count);

#endif /* GAPP_TESTS_FAKE_CODE_H */
