// SPDX-License-Identifier: GPL-2.0
/* Prints the layout of the ABI, for tests/abi/layout to compare with layout.txt. */
#include <stddef.h>
#include <stdio.h>

#include <gapp.h>

#define STRUCT(type) printf("struct %s: size %zu\n", #type, sizeof(struct type))
#define MEMBER(type, member)                                           \
	printf("struct %s.%s: offset %zu, size %zu\n", #type, #member, \
	       offsetof(struct type, member), sizeof(((struct type *)0)->member))
#define IOCTL(name) printf("%s: %#010x\n", #name, (unsigned int)name)
#define NUMBER(name) printf("%s: %llu\n", #name, (unsigned long long)name)

static void set_up(void)
{
	STRUCT(gapp_abi);
	MEMBER(gapp_abi, major);
	MEMBER(gapp_abi, minor);
	MEMBER(gapp_abi, features);
	MEMBER(gapp_abi, version);
	MEMBER(gapp_abi, reserved);

	STRUCT(gapp_config);
	MEMBER(gapp_config, abi_major);
	MEMBER(gapp_config, n_min_mode);
	MEMBER(gapp_config, n_min);
	MEMBER(gapp_config, max_threads);
	MEMBER(gapp_config, max_exited);
	MEMBER(gapp_config, flags);
	MEMBER(gapp_config, reserved);

	STRUCT(gapp_target);
	MEMBER(gapp_target, pid);
	MEMBER(gapp_target, flags);
	MEMBER(gapp_target, reserved);
}

static void status(void)
{
	STRUCT(gapp_status);
	MEMBER(gapp_status, id);
	MEMBER(gapp_status, state);
	MEMBER(gapp_status, flags);
	MEMBER(gapp_status, cpus);
	MEMBER(gapp_status, start_ns);
	MEMBER(gapp_status, wall_ns);
	MEMBER(gapp_status, g);
	MEMBER(gapp_status, c);
	MEMBER(gapp_status, s);
	MEMBER(gapp_status, idle_ns);
	MEMBER(gapp_status, n);
	MEMBER(gapp_status, n_min);
	MEMBER(gapp_status, live);
	MEMBER(gapp_status, peak);
	MEMBER(gapp_status, threads);
	MEMBER(gapp_status, not_followed);
	MEMBER(gapp_status, processes);
	MEMBER(gapp_status, reserved0);
	MEMBER(gapp_status, unexpected);
	MEMBER(gapp_status, recount_n);
	MEMBER(gapp_status, recount_tracked_n);
	MEMBER(gapp_status, recount_threads);
	MEMBER(gapp_status, recount_tracked);
	MEMBER(gapp_status, recount_differ);
	MEMBER(gapp_status, n_at_stop);
	MEMBER(gapp_status, tick_ns);
	MEMBER(gapp_status, reserved);
}

static void rows(void)
{
	STRUCT(gapp_thread);
	MEMBER(gapp_thread, tid);
	MEMBER(gapp_thread, tgid);
	MEMBER(gapp_thread, state);
	MEMBER(gapp_thread, flags);
	MEMBER(gapp_thread, comm);
	MEMBER(gapp_thread, cm_run);
	MEMBER(gapp_thread, cm_runq);
	MEMBER(gapp_thread, run_ns);
	MEMBER(gapp_thread, runq_ns);
	MEMBER(gapp_thread, blocked_ns);
	MEMBER(gapp_thread, slices);
	MEMBER(gapp_thread, wakeups);
	MEMBER(gapp_thread, blocks);
	MEMBER(gapp_thread, kernel_run_ns);
	MEMBER(gapp_thread, kernel_runq_ns);
	MEMBER(gapp_thread, kernel_seen_run_ns);
	MEMBER(gapp_thread, kernel_seen_runq_ns);
	MEMBER(gapp_thread, joined_ns);
	MEMBER(gapp_thread, left_ns);
	MEMBER(gapp_thread, threads);
	MEMBER(gapp_thread, reserved);

	STRUCT(gapp_page);
	MEMBER(gapp_page, buffer);
	MEMBER(gapp_page, cursor);
	MEMBER(gapp_page, capacity);
	MEMBER(gapp_page, count);
	MEMBER(gapp_page, reserved);
}

static void numbers(void)
{
	IOCTL(GAPP_IOC_GET_ABI);
	IOCTL(GAPP_IOC_CONFIGURE);
	IOCTL(GAPP_IOC_ADD_TARGET);
	IOCTL(GAPP_IOC_START);
	IOCTL(GAPP_IOC_STOP);
	IOCTL(GAPP_IOC_STATUS);
	IOCTL(GAPP_IOC_THREADS);
	IOCTL(GAPP_IOC_PROCESSES);
	IOCTL(GAPP_IOC_PARALLELISM);

	NUMBER(GAPP_SHARE_SHIFT);
	NUMBER(GAPP_COMM_LEN);
	NUMBER(GAPP_MAX_TARGETS);
	NUMBER(GAPP_MAX_THREADS);
	NUMBER(GAPP_DEFAULT_THREADS);
	NUMBER(GAPP_MAX_EXITED);
	NUMBER(GAPP_DEFAULT_EXITED);
	NUMBER(GAPP_MAX_PROCESSES);
	NUMBER(GAPP_EXITED_DEFAULT);
	NUMBER(GAPP_PAGE_MAX);
	NUMBER(GAPP_N_MIN_AUTO);
	NUMBER(GAPP_N_MIN_HALF);
	NUMBER(GAPP_N_MIN_FIXED);
	NUMBER(GAPP_TARGET_NO_INHERIT);
	NUMBER(GAPP_SESSION_NEW);
	NUMBER(GAPP_SESSION_READY);
	NUMBER(GAPP_SESSION_RUNNING);
	NUMBER(GAPP_SESSION_STOPPED);
	NUMBER(GAPP_STATUS_RESTRICTED);
	NUMBER(GAPP_STATUS_RECOUNTED);
	NUMBER(GAPP_STATUS_RECOUNT_OK);
	NUMBER(GAPP_THREAD_UNKNOWN);
	NUMBER(GAPP_THREAD_BLOCKED);
	NUMBER(GAPP_THREAD_RUNNABLE);
	NUMBER(GAPP_THREAD_RUNNING);
	NUMBER(GAPP_THREAD_GONE);
	NUMBER(GAPP_THREAD_KERNEL_SEEN);
	NUMBER(GAPP_THREAD_KERNEL_LATE);
}

int main(void)
{
	printf("ABI %u.%u\n", GAPP_ABI_MAJOR, GAPP_ABI_MINOR);
	set_up();
	status();
	rows();
	numbers();
	return 0;
}
