/* SPDX-License-Identifier: GPL-2.0 */
/* What /proc tells of processes and of gapp; and what everything here uses. */
#ifndef GAPP_BENCH_OBSERVE_H
#define GAPP_BENCH_OBSERVE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define NSEC_PER_SEC 1000000000ULL
#define NSEC_PER_MSEC 1000000ULL

__attribute__((format(printf, 1, 2))) void complain(const char *format, ...);

uint64_t clock_ns(void);

void sleep_ns(uint64_t ns);

/* Waits for what a guest does in its first seconds to be over: measured before, all costs twice. */
bool wait_for_calm(void);

/* CPU time of all threads of @pid and of the processes it has started, those alive now. */
uint64_t cpu_ns_of(pid_t pid);

/* The same of every process of that name. */
uint64_t cpu_ns_of_name(const char *name);

/* Of @pid or a process it has started, a session of gapp is recording. */
bool gapp_is_recording(pid_t pid);

#endif /* GAPP_BENCH_OBSERVE_H */
