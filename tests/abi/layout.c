// SPDX-License-Identifier: GPL-2.0
/* Prints the layout of the ABI, for tests/abi/layout to compare with layout-1.txt. */
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
	MEMBER(gapp_config, stack_copy_bytes);
	MEMBER(gapp_config, unwind_by);
	MEMBER(gapp_config, reserved);

	STRUCT(gapp_add_process);
	MEMBER(gapp_add_process, pid);
	MEMBER(gapp_add_process, flags);
	MEMBER(gapp_add_process, reserved);

	STRUCT(gapp_add_executable);
	MEMBER(gapp_add_executable, fd);
	MEMBER(gapp_add_executable, flags);
	MEMBER(gapp_add_executable, reserved);

	STRUCT(gapp_add_selection);
	MEMBER(gapp_add_selection, comm);
	MEMBER(gapp_add_selection, cgroup_fd);
	MEMBER(gapp_add_selection, flags);
	MEMBER(gapp_add_selection, reserved);

	STRUCT(gapp_watch);
	MEMBER(gapp_watch, address);
	MEMBER(gapp_watch, number);
	MEMBER(gapp_watch, pid);
	MEMBER(gapp_watch, time_ns);
	MEMBER(gapp_watch, stores);
	MEMBER(gapp_watch, goes_on);
	MEMBER(gapp_watch, bytes);
	MEMBER(gapp_watch, reserved);

	STRUCT(gapp_exact);
	MEMBER(gapp_exact, address);
	MEMBER(gapp_exact, pid);
	MEMBER(gapp_exact, passes);

	STRUCT(gapp_store_point);
	MEMBER(gapp_store_point, address);
	MEMBER(gapp_store_point, offset);
	MEMBER(gapp_store_point, number);
	MEMBER(gapp_store_point, pid);
	MEMBER(gapp_store_point, passes);
	MEMBER(gapp_store_point, base);
	MEMBER(gapp_store_point, index);
	MEMBER(gapp_store_point, scale);
	MEMBER(gapp_store_point, bytes);
	MEMBER(gapp_store_point, how);
	MEMBER(gapp_store_point, with);
	MEMBER(gapp_store_point, reserved);

	STRUCT(gapp_add_tally);
	MEMBER(gapp_add_tally, source);
	MEMBER(gapp_add_tally, type);
	MEMBER(gapp_add_tally, config);
	MEMBER(gapp_add_tally, reserved);

	STRUCT(gapp_mark);
	MEMBER(gapp_mark, text);
	MEMBER(gapp_mark, bytes);
	MEMBER(gapp_mark, kind);

	STRUCT(gapp_mark_page);
	MEMBER(gapp_mark_page, sessions);
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
	MEMBER(gapp_status, n_min_most);
	MEMBER(gapp_status, n_min_least);
	MEMBER(gapp_status, n_min_most_ns);
	MEMBER(gapp_status, not_followed_denied);
	MEMBER(gapp_status, not_followed_late);
	MEMBER(gapp_status, marks_left_out);

	STRUCT(gapp_counters);
	MEMBER(gapp_counters, slices);
	MEMBER(gapp_counters, critical_slices);
	MEMBER(gapp_counters, unsampled_slices);
	MEMBER(gapp_counters, switches);
	MEMBER(gapp_counters, records);
	MEMBER(gapp_counters, samples);
	MEMBER(gapp_counters, paths);
	MEMBER(gapp_counters, path_words);
	MEMBER(gapp_counters, critical_run);
	MEMBER(gapp_counters, critical_runq);
	MEMBER(gapp_counters, lost);
	MEMBER(gapp_counters, lost_critical_share);
	MEMBER(gapp_counters, lost_wait_ns);
	MEMBER(gapp_counters, probe_calls);
	MEMBER(gapp_counters, probe_timed);
	MEMBER(gapp_counters, probe_ns);
	MEMBER(gapp_counters, flags);
	MEMBER(gapp_counters, post_waits);
	MEMBER(gapp_counters, stack_copies);
	MEMBER(gapp_counters, tables);
	MEMBER(gapp_counters, table_bytes);
	MEMBER(gapp_counters, spaces);
	MEMBER(gapp_counters, longest_ns);
	MEMBER(gapp_counters, posts);

	STRUCT(gapp_layout);
	MEMBER(gapp_layout, cpus);
	MEMBER(gapp_layout, ring_bytes);
	MEMBER(gapp_layout, ring_map_bytes);
	MEMBER(gapp_layout, ring_data);
	MEMBER(gapp_layout, positions_map_bytes);
	MEMBER(gapp_layout, position_stride);
	MEMBER(gapp_layout, path_slots);
	MEMBER(gapp_layout, paths_map_bytes);
	MEMBER(gapp_layout, path_slots_at);
	MEMBER(gapp_layout, path_words_at);
	MEMBER(gapp_layout, path_words);
	MEMBER(gapp_layout, reserved);
}

static void rows(void)
{
	STRUCT(gapp_preempted);
	MEMBER(gapp_preempted, tid);
	MEMBER(gapp_preempted, reserved);
	MEMBER(gapp_preempted, times);
	MEMBER(gapp_preempted, runq_ns);
	MEMBER(gapp_preempted, comm);

	STRUCT(gapp_thread_waits);
	MEMBER(gapp_thread_waits, tid);
	MEMBER(gapp_thread_waits, tgid);
	MEMBER(gapp_thread_waits, joined_ns);
	MEMBER(gapp_thread_waits, life_ns);
	MEMBER(gapp_thread_waits, unknown_ns);
	MEMBER(gapp_thread_waits, run_ns);
	MEMBER(gapp_thread_waits, runq_ns);
	MEMBER(gapp_thread_waits, blocked_ns);
	MEMBER(gapp_thread_waits, runq_stays);
	MEMBER(gapp_thread_waits, runq_max_ns);
	MEMBER(gapp_thread_waits, runq_max_at_ns);
	MEMBER(gapp_thread_waits, preempted);
	MEMBER(gapp_thread_waits, preempted_runq_ns);
	MEMBER(gapp_thread_waits, by);

	STRUCT(gapp_handover);
	MEMBER(gapp_handover, from_tid);
	MEMBER(gapp_handover, from_tgid);
	MEMBER(gapp_handover, to_tid);
	MEMBER(gapp_handover, to_tgid);
	MEMBER(gapp_handover, from_image);
	MEMBER(gapp_handover, to_image);
	MEMBER(gapp_handover, from_ip);
	MEMBER(gapp_handover, to_ip);
	MEMBER(gapp_handover, count);
	MEMBER(gapp_handover, last_ns);
	MEMBER(gapp_handover, cpu);
	MEMBER(gapp_handover, flags);

	STRUCT(gapp_thread_tallies);
	MEMBER(gapp_thread_tallies, tid);
	MEMBER(gapp_thread_tallies, tgid);
	MEMBER(gapp_thread_tallies, uncounted);
	MEMBER(gapp_thread_tallies, reserved);
	MEMBER(gapp_thread_tallies, counts);

	STRUCT(gapp_cpu_tallies);
	MEMBER(gapp_cpu_tallies, cpu);
	MEMBER(gapp_cpu_tallies, uncounted);
	MEMBER(gapp_cpu_tallies, counts);

	STRUCT(gapp_thread_figures);
	MEMBER(gapp_thread_figures, tid);
	MEMBER(gapp_thread_figures, tgid);
	MEMBER(gapp_thread_figures, state);
	MEMBER(gapp_thread_figures, flags);
	MEMBER(gapp_thread_figures, comm);
	MEMBER(gapp_thread_figures, cm_run);
	MEMBER(gapp_thread_figures, cm_runq);
	MEMBER(gapp_thread_figures, run_ns);
	MEMBER(gapp_thread_figures, runq_ns);
	MEMBER(gapp_thread_figures, blocked_ns);
	MEMBER(gapp_thread_figures, slices);
	MEMBER(gapp_thread_figures, wakeups);
	MEMBER(gapp_thread_figures, blocks);
	MEMBER(gapp_thread_figures, kernel_run_ns);
	MEMBER(gapp_thread_figures, kernel_runq_ns);
	MEMBER(gapp_thread_figures, kernel_seen_run_ns);
	MEMBER(gapp_thread_figures, kernel_seen_runq_ns);
	MEMBER(gapp_thread_figures, joined_ns);
	MEMBER(gapp_thread_figures, left_ns);
	MEMBER(gapp_thread_figures, threads);
	MEMBER(gapp_thread_figures, critical_run);

	STRUCT(gapp_page);
	MEMBER(gapp_page, buffer);
	MEMBER(gapp_page, cursor);
	MEMBER(gapp_page, capacity);
	MEMBER(gapp_page, count);
	MEMBER(gapp_page, reserved);

	STRUCT(gapp_target_figures);
	MEMBER(gapp_target_figures, id);
	MEMBER(gapp_target_figures, tgid);
	MEMBER(gapp_target_figures, g);
	MEMBER(gapp_target_figures, c);
	MEMBER(gapp_target_figures, s);
	MEMBER(gapp_target_figures, idle_ns);
	MEMBER(gapp_target_figures, critical_runq);
	MEMBER(gapp_target_figures, n);
	MEMBER(gapp_target_figures, n_min);
	MEMBER(gapp_target_figures, live);
	MEMBER(gapp_target_figures, flags);
	MEMBER(gapp_target_figures, comm);
	MEMBER(gapp_target_figures, wall_ns);
	MEMBER(gapp_target_figures, spun_ns);
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

	STRUCT(gapp_mapping);
	MEMBER(gapp_mapping, begin);
	MEMBER(gapp_mapping, end);
	MEMBER(gapp_mapping, bias);
	MEMBER(gapp_mapping, table);
	MEMBER(gapp_mapping, spins);

	STRUCT(gapp_mappings);
	MEMBER(gapp_mappings, pid);
	MEMBER(gapp_mappings, image);
	MEMBER(gapp_mappings, maps);
	MEMBER(gapp_mappings, count);
	MEMBER(gapp_mappings, flags);
	MEMBER(gapp_mappings, reserved);
}

static void commands(void)
{
	IOCTL(GAPP_IOC_GET_ABI);
	IOCTL(GAPP_IOC_CONFIGURE);
	IOCTL(GAPP_IOC_ADD_PROCESS);
	IOCTL(GAPP_IOC_START);
	IOCTL(GAPP_IOC_STOP);
	IOCTL(GAPP_IOC_STATUS);
	IOCTL(GAPP_IOC_THREADS);
	IOCTL(GAPP_IOC_PROCESSES);
	IOCTL(GAPP_IOC_PARALLELISM);
	IOCTL(GAPP_IOC_ADD_EXECUTABLE);
	IOCTL(GAPP_IOC_COUNTERS);
	IOCTL(GAPP_IOC_TARGETS);
	IOCTL(GAPP_IOC_LAYOUT);
	IOCTL(GAPP_IOC_LOAD_TABLE);
	IOCTL(GAPP_IOC_DROP_TABLE);
	IOCTL(GAPP_IOC_SET_MAPPINGS);
	IOCTL(GAPP_IOC_THREAD_WAITS);
	IOCTL(GAPP_IOC_ADD_SELECTION);
	IOCTL(GAPP_IOC_HANDOVERS);
	IOCTL(GAPP_IOC_WATCH);
	IOCTL(GAPP_IOC_EXACT);
	IOCTL(GAPP_IOC_MARK);
	IOCTL(GAPP_IOC_ADD_TALLY);
	IOCTL(GAPP_IOC_THREAD_TALLIES);
	IOCTL(GAPP_IOC_CPU_TALLIES);
	IOCTL(GAPP_IOC_STORE_POINT);
}

static void numbers(void)
{
	NUMBER(GAPP_SHARE_SHIFT);
	NUMBER(GAPP_COMM_LEN);
	NUMBER(GAPP_MAX_ADDED_PROCESSES);
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
	NUMBER(GAPP_CONFIG_WAITS);
	NUMBER(GAPP_CONFIG_WAKER_PATHS);
	NUMBER(GAPP_CONFIG_HANDOVERS);
	NUMBER(GAPP_HANDOVER_LOST);
	NUMBER(GAPP_CONFIG_WAIT_FILES);
	NUMBER(GAPP_CONFIG_KERNEL_LOCKS);
	NUMBER(GAPP_CONFIG_SLICE_TALLIES);
	NUMBER(GAPP_CONFIG_SPINS);
	NUMBER(GAPP_CONFIG_MARKS);
	NUMBER(GAPP_CONFIG_TALLIES);
	NUMBER(GAPP_TALLIES);
	NUMBER(GAPP_TALLY_FAULTS);
	NUMBER(GAPP_TALLY_MIGRATIONS);
	NUMBER(GAPP_TALLY_PERF);
	NUMBER(GAPP_TALLY_SOURCES);
	NUMBER(GAPP_WATCH_MAX_NS);
	NUMBER(GAPP_WATCH_MAX_STORES);
	NUMBER(GAPP_EXACT_LOOPS);
	NUMBER(GAPP_EXACT_PASSES_NS);
	NUMBER(GAPP_EXACT_MAX_PASSES);
	NUMBER(GAPP_STORE_POINTS);
	NUMBER(GAPP_STORE_POINT_PASSES_NS);
	NUMBER(GAPP_STORE_POINT_MAX_PASSES);
	NUMBER(GAPP_STORE_SETS);
	NUMBER(GAPP_STORE_ADDS);
	NUMBER(GAPP_STORE_SUBTRACTS);
	NUMBER(GAPP_STORE_ANDS);
	NUMBER(GAPP_STORE_ORS);
	NUMBER(GAPP_STORE_XORS);
	NUMBER(GAPP_STORE_HOWS);
	NUMBER(GAPP_UNWIND_BY_FP);
	NUMBER(GAPP_UNWIND_BY_AUTO);
	NUMBER(GAPP_UNWIND_BY_TABLE);
	NUMBER(GAPP_UNWIND_BY_COPY);
	NUMBER(GAPP_UNWIND_BY_NONE);
	NUMBER(GAPP_MIN_STACK_COPY);
	NUMBER(GAPP_MAX_STACK_COPY);
	NUMBER(GAPP_DEFAULT_STACK_COPY);
	NUMBER(GAPP_MAX_TABLES);
	NUMBER(GAPP_MAX_TABLE_BYTES);
	NUMBER(GAPP_MAX_TABLE_BYTES_RESTRICTED);
	NUMBER(GAPP_MAX_MAPPINGS);
	NUMBER(GAPP_MAX_MAPPINGS_RESTRICTED);
	NUMBER(GAPP_MAX_MAPPINGS_HELD);
	NUMBER(GAPP_MAX_MAPPINGS_HELD_RESTRICTED);
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
	NUMBER(GAPP_ADD_NO_INHERIT);
	NUMBER(GAPP_ADD_AT_EXEC);
	NUMBER(GAPP_ADD_KTHREAD);
	NUMBER(GAPP_MAX_EXECUTABLES);
	NUMBER(GAPP_SELECTION_COMM);
	NUMBER(GAPP_MAX_SELECTIONS);
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
	NUMBER(GAPP_THREAD_SPINNING);
	NUMBER(GAPP_THREAD_SPIN_READY);
	NUMBER(GAPP_FIGURES_KERNEL_SEEN);
	NUMBER(GAPP_FIGURES_KERNEL_LATE);
	NUMBER(GAPP_PAGE_MAX);
	NUMBER(GAPP_PREEMPTERS);
	NUMBER(GAPP_LOST_RING);
	NUMBER(GAPP_LOST_PATHS);
	NUMBER(GAPP_LOST_UNREADABLE);
	NUMBER(GAPP_LOST_SAMPLES);
	NUMBER(GAPP_LOST_THREADS);
	NUMBER(GAPP_LOST_STACK_COPIES);
	NUMBER(GAPP_LOST_PATHS_OVER_BUDGET);
	NUMBER(GAPP_LOST_RECORDS_OVER_BUDGET);
	NUMBER(GAPP_LOST_CAUSES);
	NUMBER(GAPP_COUNTERS_KERNEL_PATHS);
	NUMBER(GAPP_COUNTERS_32_BIT);
	NUMBER(GAPP_MAP_PATHS);
	NUMBER(GAPP_MAP_READ_POSITIONS);
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
