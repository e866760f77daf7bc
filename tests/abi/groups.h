/* SPDX-License-Identifier: GPL-2.0 */
/* The groups of checks of abi_test. */
#ifndef GAPP_TESTS_ABI_GROUPS_H
#define GAPP_TESTS_ABI_GROUPS_H

typedef void(group_run)(void);

group_run args_fields, args_order, args_pointers, args_unknown, args_sessions;
group_run targets_errors, targets_many, targets_leaders, targets_kthread;
group_run pages_defined, pages_capacity;
group_run crowd_sessions, crowd_added, crowd_descendants, crowd_max_exited, crowd_max_threads,
	crowd_status;
group_run config_records, config_layout, config_counters, config_kernel_paths,
	config_without_rights;
group_run ended_waits;
group_run at_exec_begins, at_exec_later, at_exec_beside_others, at_exec_never, at_exec_errors;
group_run exes_errors, exes_followed, exes_alone;
group_run selections_errors, selections_names, selections_groups;
group_run maps_regions, maps_outlive_file, maps_outlive_stop, maps_fork;
group_run charged_memory, charged_given_back, charged_sums;
group_run locked_memory;
group_run clock_stays, clock_sleeps;
group_run samples_taken, samples_in_time;
/* in guests of their own */
group_run apart_cpus, quiet_patches, quiet_bounds, nodes_rings, watch_gone_often, exact_gone_often,
	store_points_gone_often;
group_run waits_poll, waits_half_full;
group_run lives_reasons, lives_preempted, lives_preempter;
group_run handovers_counted;
group_run sums_records, sums_stats;
group_run groups_one, groups_each;
group_run everybody_as_one, everybody_apart;
group_run wakers_told;
group_run waker_paths_taken, waker_paths_rate, waker_paths_hidden;
group_run calls_32_untold;
group_run wait_files_kinds, wait_files_closed, wait_files_alone, wait_files_hidden,
	wait_files_storm;
group_run kernel_locks_named, kernel_locks_hidden, kernel_locks_of_readers, kernel_locks_stopped;
group_run spins_wait, spins_parks, spins_stopped, spins_n, spins_ends, spins_refused, spins_deep;
group_run exact_times, exact_given_up, exact_refused, exact_tables, exact_gone, exact_unmounted,
	exact_counted;
group_run store_points_told, store_points_hostile, store_points_given_up, store_points_apart,
	store_points_refused, store_points_gone;
group_run watch_records, watch_kernel, watch_filter, watch_others, watch_bounds, watch_sessions,
	watch_refused, watch_full, watch_gone;
group_run tallies_counted, tallies_running, tallies_exited, tallies_slices, tallies_refused,
	tallies_of_the_processor, tallies_of_parts, tallies_of_spinners;
group_run marks_kinds, marks_refused, marks_others, marks_lives, marks_page, marks_order,
	marks_ends;
group_run tables_fields, tables_order, tables_numbers, tables_limits;
group_run turns_load;
group_run spaces_fields, spaces_order, spaces_exec, spaces_go;
group_run walks_by_table, walks_asked, walks_part, walks_by_fp, walks_rules, walks_children,
	walks_exec;
group_run tails_auto, tails_middle, tails_copy, tails_none, tails_verify, tails_unreadable,
	tails_limit;
group_run device_remembered, stacks_anywhere, stacks_copied, stacks_late, stacks_share;
group_run budget_shared, budget_parts, budget_waits, budget_parameters;
group_run foreign_walked, foreign_copied;
group_run mutated_tables, mutated_busy;
group_run storms_maps, storms_sharing, storms_closing, storms_code, storms_leaving;
group_run hostile_tails, hostile_returns;
group_run nth_each;
group_run no_memory_threads, no_memory_targets, no_memory_spaces;

/*
 * What a test has its own program do: `abi_test --tell FD`. So many threads wait, and a child of
 * one thread.
 */
#define T_TOLD_THREADS 7
int exes_tell(int fd);
/* `abi_test --mark TEXT`: it makes a mark. */
int marks_tell(const char *text);

#endif /* GAPP_TESTS_ABI_GROUPS_H */
