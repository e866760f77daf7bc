// SPDX-License-Identifier: GPL-2.0
/* Names of wait reasons and unwind methods; refines wait reasons by the functions on a path. */
#include "profile_private.h"

static const char *const wait_names[GAPP_WAIT_REASONS] = {
	[GAPP_WAIT_OTHER] = "other",	 [GAPP_WAIT_LOCK] = "lock",
	[GAPP_WAIT_QUEUE] = "queue",	 [GAPP_WAIT_JOIN] = "join",
	[GAPP_WAIT_BARRIER] = "barrier", [GAPP_WAIT_DISK] = "disk",
	[GAPP_WAIT_NETWORK] = "network", [GAPP_WAIT_PIPE] = "pipe",
	[GAPP_WAIT_SLEEP] = "sleep",	 [GAPP_WAIT_FAULT] = "fault",
	[GAPP_WAIT_MEMORY] = "memory",	 [GAPP_WAIT_EVENT] = "event",
	[GAPP_WAIT_SIGNAL] = "signal",	 [GAPP_WAIT_FUTEX] = "futex",
};

const char *wait_name(enum gapp_wait_reason wait)
{
	const char *name = (u32)wait < GAPP_WAIT_REASONS ? wait_names[wait] : NULL;

	return name ? name : wait_names[GAPP_WAIT_OTHER];
}

const char *then_name(unsigned int then)
{
	static const char *const names[THEN_COUNT] = {
		[THEN_PREEMPTED] = "preempted",
		[THEN_EXITED] = "exited",
		[THEN_STOPPED] = "stopped",
		[THEN_ON] = "on",
	};

	return then < THEN_COUNT && names[then] ? names[then] : wait_name(then);
}

/* Innermost frames that are searched for a function that waits. */
#define LOOK_AT_FRAMES 12

/*
 * Functions that wait, without the prefixes that plain_name() removes. A * stands for any text, and
 * any text may follow then; else only a suffix may follow.
 */
#define WAITERS_MAX 18

static const char *const waiters[GAPP_WAIT_REASONS][WAITERS_MAX] = {
	[GAPP_WAIT_LOCK] = {
		"lll_lock_wait", "lll_lock_wait_private", "lll_timedlock_wait",
		"lll_clocklock_wait", "pthread_mutex_*lock", "pthread_rwlock_*lock", "mtx_lock",
		"mtx_timedlock", "gomp_mutex_lock", "gomp_critical_*start",
	},
	[GAPP_WAIT_QUEUE] = {
		"pthread_cond_*wait", "cnd_wait", "cnd_timedwait", "sem_wait", "sem_timedwait",
		"sem_clockwait", "new_sem_wait", "new_sem_wait_slow", "new_sem_timedwait",
		"runtime.notesleep", "runtime.notetsleep", "runtime.notetsleepg",
		"gomp_sem_wait", "std::condition_variable*wait",
		"std::_V2::condition_variable*wait", "std::atomic_futex_unsigned*wait",
	},
	[GAPP_WAIT_JOIN] = {
		"pthread_join", "pthread_timedjoin_np", "pthread_clockjoin_np",
		"pthread_clockjoin_ex", "thrd_join", "std::thread::join",
	},
	[GAPP_WAIT_BARRIER] = {
		"pthread_barrier_wait", "gomp_barrier_wait", "gomp_team_barrier_wait",
		"std::barrier*wait",
	},
	[GAPP_WAIT_DISK] = { "fsync", "fdatasync", "sync_file_range", "syncfs", "msync" },
	[GAPP_WAIT_SLEEP] = { "nanosleep", "clock_nanosleep" },
};

static bool ends_name(char c)
{
	return !c || c == '@' || c == '.' || c == '(' || c == '<';
}

/* Removes prefixes: libc also names a function "__GI___pthread_mutex_lock". */
static const char *plain_name(const char *name)
{
	static const char *const prefixes[] = { "_", "GI_", "libc_" };

	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++) {
		size_t len = strlen(prefixes[i]);

		if (!strncmp(name, prefixes[i], len))
			return plain_name(name + len);
	}
	return name;
}

static bool fits(const char *waiter, const char *name)
{
	size_t len = strcspn(waiter, "*");

	if (strncmp(name, waiter, len))
		return false;
	if (waiter[len])
		return strstr(name + len, waiter + len + 1);
	return ends_name(name[len]) || !strncmp(name + len, "64", 2);
}

/* TBB's threads wait for work by a system call of its own, which looks like that of a lock. */
static bool is_tbb(const struct frame *frame)
{
	return !strncmp(frame->module, "libtbb.so", strlen("libtbb.so"));
}

/*
 * Whether code of Python waits for its interpreter's lock, as the caller of a condition variable's
 * functions: all else that Python waits for are semaphores, and system calls.
 */
static bool takes_interpreter_lock(const struct frame *caller)
{
	static const char *const modules[] = { "python", "libpython" };

	for (size_t i = 0; i < ARRAY_SIZE(modules); i++)
		if (!strncmp(caller->module, modules[i], strlen(modules[i])))
			return true;
	return false;
}

enum gapp_wait_reason wait_refine(enum gapp_wait_reason wait, const struct frame *const *functions,
				  size_t count)
{
	static const u32 of_futexes = 1U << GAPP_WAIT_OTHER | 1U << GAPP_WAIT_LOCK |
				      1U << GAPP_WAIT_QUEUE | 1U << GAPP_WAIT_JOIN |
				      1U << GAPP_WAIT_BARRIER | 1U << GAPP_WAIT_FUTEX;

	if (!(of_futexes >> wait & 1))
		return wait;
	if (count > 1 && functions[0]->function && !strcmp(functions[0]->function, "syscall") &&
	    is_tbb(functions[1]))
		return GAPP_WAIT_QUEUE;
	for (size_t i = 0; i < count && i < LOOK_AT_FRAMES; i++) {
		const char *name = functions[i]->function;

		name = name ? plain_name(name) : "";
		if (fits("pthread_cond_*wait", name) && i + 1 < count &&
		    takes_interpreter_lock(functions[i + 1]))
			return GAPP_WAIT_LOCK;
		for (size_t reason = 0; reason < GAPP_WAIT_REASONS; reason++)
			for (const char *const *waiter = waiters[reason]; *waiter; waiter++)
				if (fits(*waiter, name))
					return reason;
	}
	return wait;
}

const char *method_name(unsigned int method)
{
	static const char *const names[PATH_METHODS] = {
		[PATH_BY_FP] = "frame_pointer",
		[PATH_BY_TABLE] = "table",
		[PATH_BY_COPY] = "copy",
	};

	return method < PATH_METHODS ? names[method] : "unknown";
}

const char *end_name(unsigned int end)
{
	static const char *const names[PATH_ENDS] = {
		[GAPP_UNWIND_COMPLETE] = "whole",    [GAPP_UNWIND_FULL] = "max_stack",
		[GAPP_UNWIND_NO_FRAME] = "no_frame", [GAPP_UNWIND_UNREADABLE] = "unreadable",
		[GAPP_UNWIND_NO_RULE] = "no_rule",   [GAPP_UNWIND_LOOP] = "loop",
		[GAPP_UNWIND_UNMAPPED] = "unmapped", [GAPP_UNWIND_LATE] = "late",
		[PATH_END_COPY] = "copy_ended",	     [PATH_END_NO_FP] = "no_frame_pointer",
	};

	return end < PATH_ENDS ? names[end] : "unknown";
}
