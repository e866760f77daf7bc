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
	switch (then) {
	case THEN_PREEMPTED:
		return "preempted";
	case THEN_EXITED:
		return "exited";
	case THEN_STOPPED:
		return "stopped";
	case THEN_ON:
		return "on";
	default:
		return wait_name(then);
	}
}

/* Innermost frames that are searched for a function that waits. */
#define LOOK_AT_FRAMES 12

/**
 * struct waiter - functions that wait
 * @begin: how their names begin, after the prefixes that plain_name() removes
 * @has: what must follow @begin somewhere in the name; NULL: nothing may follow but a suffix
 * @wait: what they wait for
 */
struct waiter {
	const char *begin;
	const char *has;
	enum gapp_wait_reason wait;
};

/* The first element that fits a function's name counts. */
static const struct waiter waiters[] = {
	{ "lll_lock_wait", NULL, GAPP_WAIT_LOCK },
	{ "lll_lock_wait_private", NULL, GAPP_WAIT_LOCK },
	{ "lll_timedlock_wait", NULL, GAPP_WAIT_LOCK },
	{ "lll_clocklock_wait", NULL, GAPP_WAIT_LOCK },
	{ "pthread_mutex_", "lock", GAPP_WAIT_LOCK },
	{ "pthread_rwlock_", "lock", GAPP_WAIT_LOCK },
	{ "mtx_lock", NULL, GAPP_WAIT_LOCK },
	{ "mtx_timedlock", NULL, GAPP_WAIT_LOCK },
	{ "gomp_mutex_lock", NULL, GAPP_WAIT_LOCK },
	{ "gomp_critical_", "start", GAPP_WAIT_LOCK },
	{ "pthread_cond_", "wait", GAPP_WAIT_QUEUE },
	{ "cnd_wait", NULL, GAPP_WAIT_QUEUE },
	{ "cnd_timedwait", NULL, GAPP_WAIT_QUEUE },
	{ "sem_wait", NULL, GAPP_WAIT_QUEUE },
	{ "sem_timedwait", NULL, GAPP_WAIT_QUEUE },
	{ "sem_clockwait", NULL, GAPP_WAIT_QUEUE },
	{ "new_sem_wait", NULL, GAPP_WAIT_QUEUE },
	{ "new_sem_wait_slow", NULL, GAPP_WAIT_QUEUE },
	{ "new_sem_timedwait", NULL, GAPP_WAIT_QUEUE },
	{ "gomp_sem_wait", NULL, GAPP_WAIT_QUEUE },
	{ "std::condition_variable", "wait", GAPP_WAIT_QUEUE },
	{ "std::_V2::condition_variable", "wait", GAPP_WAIT_QUEUE },
	{ "std::atomic_futex_unsigned", "wait", GAPP_WAIT_QUEUE },
	{ "pthread_join", NULL, GAPP_WAIT_JOIN },
	{ "pthread_timedjoin_np", NULL, GAPP_WAIT_JOIN },
	{ "pthread_clockjoin_np", NULL, GAPP_WAIT_JOIN },
	{ "pthread_clockjoin_ex", NULL, GAPP_WAIT_JOIN },
	{ "thrd_join", NULL, GAPP_WAIT_JOIN },
	{ "std::thread::join", NULL, GAPP_WAIT_JOIN },
	{ "pthread_barrier_wait", NULL, GAPP_WAIT_BARRIER },
	{ "gomp_barrier_wait", NULL, GAPP_WAIT_BARRIER },
	{ "gomp_team_barrier_wait", NULL, GAPP_WAIT_BARRIER },
	{ "std::barrier", "wait", GAPP_WAIT_BARRIER },
	{ "fsync", NULL, GAPP_WAIT_DISK },
	{ "fdatasync", NULL, GAPP_WAIT_DISK },
	{ "sync_file_range", NULL, GAPP_WAIT_DISK },
	{ "syncfs", NULL, GAPP_WAIT_DISK },
	{ "msync", NULL, GAPP_WAIT_DISK },
	{ "nanosleep", NULL, GAPP_WAIT_SLEEP },
	{ "clock_nanosleep", NULL, GAPP_WAIT_SLEEP },
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

/* With @has, @begin is a prefix of @name; without, @begin is all of @name but for a suffix. */
static bool fits(const struct waiter *waiter, const char *name)
{
	size_t len = strlen(waiter->begin);

	if (strncmp(name, waiter->begin, len))
		return false;
	if (waiter->has)
		return strstr(name + len, waiter->has);
	return ends_name(name[len]) || !strncmp(name + len, "64", 2);
}

static bool of_futexes(enum gapp_wait_reason wait)
{
	switch (wait) {
	case GAPP_WAIT_OTHER:
	case GAPP_WAIT_LOCK:
	case GAPP_WAIT_QUEUE:
	case GAPP_WAIT_JOIN:
	case GAPP_WAIT_BARRIER:
	case GAPP_WAIT_FUTEX:
		return true;
	default:
		return false;
	}
}

enum gapp_wait_reason wait_refine(enum gapp_wait_reason wait, const struct frame *const *functions,
				  size_t count)
{
	if (!of_futexes(wait))
		return wait;
	for (size_t i = 0; i < count && i < LOOK_AT_FRAMES; i++) {
		const char *name = functions[i]->function;

		name = name ? plain_name(name) : "";
		for (size_t j = 0; j < ARRAY_SIZE(waiters); j++) {
			if (fits(&waiters[j], name))
				return waiters[j].wait;
		}
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
		[GAPP_UNWIND_COMPLETE] = "whole",      [GAPP_UNWIND_FULL] = "max_stack",
		[GAPP_UNWIND_NO_FRAME] = "no_frame",   [GAPP_UNWIND_UNREADABLE] = "unreadable",
		[GAPP_UNWIND_NO_RULE] = "no_rule",     [GAPP_UNWIND_LOOP] = "loop",
		[GAPP_UNWIND_UNMAPPED] = "unmapped",   [PATH_END_COPY] = "copy_ended",
		[PATH_END_NO_FP] = "no_frame_pointer",
	};

	return end < PATH_ENDS ? names[end] : "unknown";
}
