/* SPDX-License-Identifier: GPL-2.0 */
/* Where the busy-wait loops of spins.c and spins_deep.c are, by labels in their code. */
#ifndef GAPP_TESTS_ABI_SPINS_H
#define GAPP_TESTS_ABI_SPINS_H

extern const char t_pause_begin[], t_pause_end[], t_yield_begin[], t_yield_end[];
extern const char t_deep_begin[], t_deep_end[];

/* Waits until @flag is set, by nothing but looking, in such a loop. */
void spins_pause_until(const int *flag);

/* Loads the two loops of spins.c into a session, before START; returns the table's number. */
u32 spins_load(int fd);
/* Names them in a process that was forked, after START. Returns 0 or an error. */
int spins_set_mapping(int fd, pid_t pid, u32 table);

/* A thread waits deep below a loop. */
void spins_deep(void);

/* With a location of two steps; @restricted: in a session without privilege. */
void spins_check_pointer(bool restricted);

#endif /* GAPP_TESTS_ABI_SPINS_H */
