/* SPDX-License-Identifier: GPL-2.0 */
/* A busy-wait loop of the tests' own that is timed exactly, and its spin table. */
#ifndef GAPP_TESTS_ABI_EXACT_LOOP_H
#define GAPP_TESTS_ABI_EXACT_LOOP_H

#include "t.h"

/* The opcode of the exit, and what a breakpoint puts there. */
#define X_JUMP_IF_EQUAL 0x74
#define X_BREAKPOINT 0xcc

/* Skips the test where the kernel has no breakpoints for the code of programs. */
bool x_skips(const char *name);

extern const char t_exact_begin[], t_exact_exit[], t_exact_end[];

/* Waits until @flag is set, by nothing but looking; it can be run at any address. */
void x_look_until(const int *flag);

/* Its spin table, by the addresses that it has in this program. */
struct x_table {
	struct gapp_spin_head head;
	struct gapp_spin_range range;
	struct gapp_spin_exit exit;
};

struct x_table x_table(void);
/* A session that knows loops, and takes a sample a second. */
struct gapp_config x_config(void);
/* Loads the table; returns its number. */
u32 x_load(int fd);
/* Sets the mappings of a process that was followed when the session was started. */
void x_map(int fd, pid_t pid, const struct gapp_mapping *mappings, u32 count);
/* Loads the table, and sets the program's code as the only mapping of such a process. */
void x_map_all(int fd, pid_t pid);
int x_exact(int fd, const struct gapp_exact *exact);
/* What a process has at an address. False: nothing. */
bool x_opcode(pid_t pid, uintptr_t address, u8 *byte);

#endif /* GAPP_TESTS_ABI_EXACT_LOOP_H */
