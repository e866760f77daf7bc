/* SPDX-License-Identifier: GPL-2.0 */
/* Records of waits, and what is said of descriptors and addresses when they are looked up. */
#ifndef TESTS_MADE_WAITS_H
#define TESTS_MADE_WAITS_H

#include "fake_code.h"
#include "profile/ranked_waits.h"

#define JOURNAL 0x1000
#define OTHER 0x2000
/* The first descriptors that are sockets of a client of one server, and of a server of clients. */
#define TO_PEER 40
#define OF_CLIENTS 60
/* Where the kernel has a variable "journal_lock". */
#define KERNEL_VARIABLE 0xffffffff82001000

/*
 * How often descriptors were looked at. Number 4 is of a socket, 5 of an eventfd, 6 of a pipe, 9 is
 * closed, all others are of files, number 3 with a path.
 */
extern u32 looked;
/* The address space of who waits. */
extern u32 image_now;
/* Inode and device of all of them from now on; 0: as usual. */
extern u64 inode_now, device_now;
/* Sockets and pipes are not found. */
extern bool no_names;
/* How often addresses were looked up, and that their process has ended. */
extern u32 places_looked;
extern bool place_gone;

/* Begins to collect waits, @all of them or not, with N_min 1. */
void collect(bool all);

/* A slice that ends at @ms in a wait in @call, with @n threads left. */
void wait_at(s32 tid, u64 ms, u32 n, s32 call, u64 arg, u32 path);
void woken_at(s32 tid, u64 ms, u32 n, u32 flags, s32 waker);
/* As woken_at() by thread 3, which was in @path. */
void woken_from(s32 tid, u64 ms, u32 path);
u32 lock_path(void);

struct ranked_waits ranked(struct profile *of);
/* The object of that name; fails the test without one. */
const struct ranked_object *named(const struct ranked_waits *waits, const char *name);

#endif /* TESTS_MADE_WAITS_H */
