/* SPDX-License-Identifier: GPL-2.0 */
/* What the tests of the ABI share: lines of results, sessions, processes to follow. */
#ifndef GAPP_TESTS_ABI_T_H
#define GAPP_TESTS_ABI_T_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <gapp.h>

typedef __u8 u8;
typedef __u32 u32;
typedef __s32 s32;
typedef __u64 u64;
typedef __s64 s64;

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

#define NSEC_PER_SEC 1000000000ULL
#define NSEC_PER_MSEC 1000000ULL

/* Error numbers are checked negative, as the module returns them. */
#define T_OK 0

/* Results: t_check() takes a printf format for the reason of a failure. */
extern unsigned int t_failures;
extern const char *t_group; /* comes before every name */
bool t_check(bool good, const char *name, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void t_expect(int result, int wanted, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void t_skip(const char *name, const char *reason);
void t_die(const char *what);
int t_done(void);

/* Sessions: ioctls return 0 or a negative error number. */
struct t_rows {
	struct gapp_thread_figures *rows;
	size_t count;
};

int t_open(void);
int t_ioctl(int fd, unsigned long request, void *argument);
int t_configure(int fd, u32 max_threads, u32 max_exited);
int t_ready(void); /* open and configured with the defaults, level stats */
struct gapp_config t_config(enum gapp_level level); /* defaults */
int t_session(const struct gapp_config *config); /* open and configured */
int t_add(int fd, pid_t pid, u32 flags);
int t_start(int fd);
int t_stop(int fd);
/* What the module was loaded with. */
#define T_SWITCH_US "50000"
#define T_CPU_PERCENT "100"
#define T_MLOCK_KIB "4096"
#define T_KEEP_PROBES_S "10"
/* A parameter of the module, as root. */
int t_try_parameter(const char *name, const char *value); /* 0 or a negative error number */
void t_set_parameter(const char *name, const char *value);
void t_status(int fd, struct gapp_status *status);
void t_counters(int fd, struct gapp_counters *counters);
struct t_rows t_rows(int fd, unsigned long request, u32 capacity);
size_t t_parallelism(int fd, u64 *bins, size_t max);
const struct gapp_thread_figures *t_find(const struct t_rows *rows, pid_t tid);
/* Time that may be in no sum of a thread that was added while running: until its state was read. */
extern u64 t_unseen_ns;
bool t_sums(int fd, const char *name);
void t_recount(int fd); /* it agrees */

/* Processes: each is killed and waited for by t_kill(). */
struct t_child {
	pid_t pid;
	int to; /* t_tell() */
	int from; /* t_hear() */
};

struct t_child t_fork(void (*run)(struct t_child *parent, void *arg), void *arg);
void t_tell(struct t_child *child);
void t_hear(struct t_child *child);
void t_kill(struct t_child *child);
void t_idle(struct t_child *parent, void *unused);
void t_brief_process(void); /* it does nothing, and has ended */

/* Whether the kernel is one with PREEMPT_RT: not each of them has /sys/kernel/realtime. */
bool t_preempt_rt(void);
u64 t_now(void);
void t_burn_until(u64 end_ns);
void t_sleep(u64 ns);
pid_t t_gettid(void);
/* On the first CPU that the thread may use. */
void t_stay_on_one_cpu(void);
/* Whether all threads of a process sleep, soon. */
bool t_settled(pid_t pid);
/* Whether a thread sleeps, and has left its CPU. */
bool t_switched_out(pid_t tid);

#endif /* GAPP_TESTS_ABI_T_H */
