/* SPDX-License-Identifier: GPL-2.0 */
/* Records of threads in busy-wait loops, and of stores that may end these. */
#ifndef TESTS_MADE_SPINS_H
#define TESTS_MADE_SPINS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "profile/spun_words.h"

#define US(n) (1000ULL * (n))
#define MS(n) (1000000ULL * (n))

/* Address space of the loops, unless they say another one. */
#define IMAGE 7

/**
 * struct loop - a busy-wait loop
 * @image: address space
 * @address: the word that it waits for
 * @goes_on: enum gapp_spin_while
 * @bytes: of the word
 * @number: what the word is compared with
 */
struct loop {
	u32 image;
	u64 address;
	u8 goes_on;
	u8 bytes;
	s64 number;
};

/* while (lock) */
extern const struct loop lock;
/* while (flag < -3) */
extern const struct loop flag;
/* while (word != register) */
extern const struct loop any;

extern struct spun_words words;

int begin(void **state);
int end(void **state);
#define TEST(function) cmocka_unit_test_setup_teardown(function, begin, end)

/* The process of a thread: of a hundred threads each. */
s32 process_of(s32 tid);

/* The slice of a thread that was found in @loop at @ns. */
struct gapp_record_slice found_in(s32 tid, u64 ns, const struct loop *loop);
void spins(s32 tid, u64 ns, const struct loop *loop);

/* All stores into the loop's word are seen, from @from_ns to @to_ns. A thread has spun for it. */
void watched(const struct loop *loop, u64 from_ns, u64 to_ns);

/* The CPU and the path of the record say who stored. */
struct gapp_record_store store_of(s32 tid, u64 ns, const struct loop *loop, u64 value);
void stores(s32 tid, u64 ns, const struct loop *loop, u64 value);
void path_is_of(const struct gapp_waker_path *path, s32 waker);

/* Without a waker. */
struct gapp_record_wake wake_of(s32 tid, u64 ns);
/* At @ns the thread's wait is known to have ended, by that one. */
void ended_by(s32 tid, u64 ns, s32 waker);
/* At @ns the thread becomes active, and nobody is known to have ended a wait. */
void ended_by_nobody(s32 tid, u64 ns);

/* A record of a time without any active thread, which was from @begin_ns to @ns. */
struct gapp_record_wait wait_of(s32 tid, u64 begin_ns, u64 ns, const struct loop *loop);
void wait_ended_by(const struct gapp_record_wait *wait, s32 waker);
void wait_ended_by_nobody(const struct gapp_record_wait *wait);

#endif /* TESTS_MADE_SPINS_H */
