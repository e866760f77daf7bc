// SPDX-License-Identifier: GPL-2.0
/* Prints the layout of the ABI, for tests/abi/layout to compare with layout.txt. */
#include <gapp.h>

#include "layout.h"

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
	MEMBER(gapp_config, min_critical_ns);
	MEMBER(gapp_config, rate_hz);
	MEMBER(gapp_config, ring_bytes);
	MEMBER(gapp_config, paths);
	MEMBER(gapp_config, max_stack);
	MEMBER(gapp_config, level);
	MEMBER(gapp_config, criterion);
	MEMBER(gapp_config, tail_bytes);
	MEMBER(gapp_config, calls);
	MEMBER(gapp_config, reserved);

	STRUCT(gapp_target);
	MEMBER(gapp_target, pid);
	MEMBER(gapp_target, flags);
	MEMBER(gapp_target, reserved);

	STRUCT(gapp_exe);
	MEMBER(gapp_exe, fd);
	MEMBER(gapp_exe, flags);
	MEMBER(gapp_exe, reserved);
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

	STRUCT(gapp_counters);
	MEMBER(gapp_counters, slices);
	MEMBER(gapp_counters, critical_slices);
	MEMBER(gapp_counters, unsampled_slices);
	MEMBER(gapp_counters, switches);
	MEMBER(gapp_counters, records);
	MEMBER(gapp_counters, samples);
	MEMBER(gapp_counters, paths);
	MEMBER(gapp_counters, path_words);
	MEMBER(gapp_counters, crit_run);
	MEMBER(gapp_counters, crit_runq);
	MEMBER(gapp_counters, lost);
	MEMBER(gapp_counters, lost_share);
	MEMBER(gapp_counters, lost_wait_ns);
	MEMBER(gapp_counters, probe_calls);
	MEMBER(gapp_counters, probe_timed);
	MEMBER(gapp_counters, probe_ns);
	MEMBER(gapp_counters, flags);
	MEMBER(gapp_counters, reserved0);
	MEMBER(gapp_counters, tails);
	MEMBER(gapp_counters, tables);
	MEMBER(gapp_counters, table_bytes);
	MEMBER(gapp_counters, spaces);
	MEMBER(gapp_counters, reserved);

	STRUCT(gapp_layout);
	MEMBER(gapp_layout, cpus);
	MEMBER(gapp_layout, ring_bytes);
	MEMBER(gapp_layout, ring_map_bytes);
	MEMBER(gapp_layout, ring_data);
	MEMBER(gapp_layout, tails_map_bytes);
	MEMBER(gapp_layout, tail_stride);
	MEMBER(gapp_layout, path_slots);
	MEMBER(gapp_layout, paths_map_bytes);
	MEMBER(gapp_layout, path_slots_at);
	MEMBER(gapp_layout, path_words_at);
	MEMBER(gapp_layout, path_words);
	MEMBER(gapp_layout, reserved);
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
	MEMBER(gapp_thread, crit_run);

	STRUCT(gapp_page);
	MEMBER(gapp_page, buffer);
	MEMBER(gapp_page, cursor);
	MEMBER(gapp_page, capacity);
	MEMBER(gapp_page, count);
	MEMBER(gapp_page, reserved);

	STRUCT(gapp_group);
	MEMBER(gapp_group, id);
	MEMBER(gapp_group, tgid);
	MEMBER(gapp_group, g);
	MEMBER(gapp_group, c);
	MEMBER(gapp_group, s);
	MEMBER(gapp_group, idle_ns);
	MEMBER(gapp_group, crit_runq);
	MEMBER(gapp_group, n);
	MEMBER(gapp_group, n_min);
	MEMBER(gapp_group, live);
	MEMBER(gapp_group, flags);
	MEMBER(gapp_group, comm);
	MEMBER(gapp_group, wall_ns);
	MEMBER(gapp_group, reserved);
}

static void memory(void)
{
	STRUCT(gapp_table_load);
	MEMBER(gapp_table_load, data);
	MEMBER(gapp_table_load, bytes);
	MEMBER(gapp_table_load, table);
	MEMBER(gapp_table_load, flags);
	MEMBER(gapp_table_load, reserved);

	STRUCT(gapp_table_drop);
	MEMBER(gapp_table_drop, table);
	MEMBER(gapp_table_drop, reserved);

	STRUCT(gapp_map);
	MEMBER(gapp_map, begin);
	MEMBER(gapp_map, end);
	MEMBER(gapp_map, bias);
	MEMBER(gapp_map, table);
	MEMBER(gapp_map, flags);

	STRUCT(gapp_maps);
	MEMBER(gapp_maps, pid);
	MEMBER(gapp_maps, image);
	MEMBER(gapp_maps, maps);
	MEMBER(gapp_maps, count);
	MEMBER(gapp_maps, flags);
	MEMBER(gapp_maps, reserved);
}

static void commands(void)
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
	IOCTL(GAPP_IOC_ADD_EXE);
	IOCTL(GAPP_IOC_COUNTERS);
	IOCTL(GAPP_IOC_GROUPS);
	IOCTL(GAPP_IOC_LAYOUT);
	IOCTL(GAPP_IOC_LOAD_TABLE);
	IOCTL(GAPP_IOC_DROP_TABLE);
	IOCTL(GAPP_IOC_SET_MAPS);
}

static void numbers(void)
{
	NUMBER(GAPP_SHARE_SHIFT);
	NUMBER(GAPP_COMM_LEN);
	NUMBER(GAPP_MAX_TARGETS);
	NUMBER(GAPP_MAX_THREADS);
	NUMBER(GAPP_DEFAULT_THREADS);
	NUMBER(GAPP_MAX_EXITED);
	NUMBER(GAPP_DEFAULT_EXITED);
	NUMBER(GAPP_MAX_PROCESSES);
	NUMBER(GAPP_N_MIN_AUTO);
	NUMBER(GAPP_N_MIN_HALF);
	NUMBER(GAPP_N_MIN_FIXED);
	NUMBER(GAPP_LEVEL_STATS);
	NUMBER(GAPP_LEVEL_CRITICAL);
	NUMBER(GAPP_LEVEL_TRACE);
	NUMBER(GAPP_CRITERION_SHARE);
	NUMBER(GAPP_CRITERION_AVERAGE);
	NUMBER(GAPP_CONFIG_KERNEL_PATHS);
	NUMBER(GAPP_CONFIG_WAKERS);
	NUMBER(GAPP_CONFIG_PER_PROCESS);
	NUMBER(GAPP_CONFIG_ALL);
	NUMBER(GAPP_CONFIG_VERIFY);
	NUMBER(GAPP_CALLS_FP);
	NUMBER(GAPP_CALLS_AUTO);
	NUMBER(GAPP_CALLS_TABLE);
	NUMBER(GAPP_CALLS_COPY);
	NUMBER(GAPP_CALLS_NONE);
	NUMBER(GAPP_MIN_TAIL);
	NUMBER(GAPP_MAX_TAIL);
	NUMBER(GAPP_DEFAULT_TAIL);
	NUMBER(GAPP_MAX_TABLES);
	NUMBER(GAPP_MAX_TABLE_BYTES);
	NUMBER(GAPP_MAX_TABLE_BYTES_RESTRICTED);
	NUMBER(GAPP_MAX_MAPS);
	NUMBER(GAPP_MAX_MAPS_RESTRICTED);
	NUMBER(GAPP_MAX_MAPS_HELD);
	NUMBER(GAPP_MAX_MAPS_HELD_RESTRICTED);
	NUMBER(GAPP_IMAGE_LATER);
	NUMBER(GAPP_MAX_RATE_HZ);
	NUMBER(GAPP_MAX_STACK);
	NUMBER(GAPP_DEFAULT_STACK);
	NUMBER(GAPP_MIN_RING);
	NUMBER(GAPP_MAX_RING);
	NUMBER(GAPP_DEFAULT_RING);
	NUMBER(GAPP_MIN_PATHS);
	NUMBER(GAPP_MAX_PATHS);
	NUMBER(GAPP_DEFAULT_PATHS);
	NUMBER(GAPP_EXITED_DEFAULT);
	NUMBER(GAPP_TARGET_NO_INHERIT);
	NUMBER(GAPP_MAX_EXES);
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
	NUMBER(GAPP_PAGE_MAX);
	NUMBER(GAPP_LOST_RING);
	NUMBER(GAPP_LOST_PATHS);
	NUMBER(GAPP_LOST_UNREADABLE);
	NUMBER(GAPP_LOST_SAMPLES);
	NUMBER(GAPP_LOST_THREADS);
	NUMBER(GAPP_LOST_TAILS);
	NUMBER(GAPP_LOST_CAUSES);
	NUMBER(GAPP_COUNTERS_KERNEL_PATHS);
	NUMBER(GAPP_MAP_PATHS);
	NUMBER(GAPP_MAP_TAILS);
	printf("GAPP_MAP_RING: %llu, %llu each\n", GAPP_MAP_RING(0),
	       GAPP_MAP_RING(1) - GAPP_MAP_RING(0));
}

int main(void)
{
	printf("ABI %u.%u\n", GAPP_ABI_MAJOR, GAPP_ABI_MINOR);
	set_up();
	status();
	rows();
	memory();
	commands();
	numbers();
	layout_records();
	layout_tables();
	return 0;
}
