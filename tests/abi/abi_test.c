// SPDX-License-Identifier: GPL-2.0
/*
 * Tests the interface of the loaded module, call by call. Root, in a guest.
 *
 * Usage: abi_test [group...]
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "groups.h"
#include "seen.h"
#include "t.h"

static const struct {
	const char *name;
	void (*run)(void);
} groups[] = {
	{ "fields", args_fields },
	{ "order", args_order },
	{ "pointers", args_pointers },
	{ "unknown", args_unknown },
	{ "bound", args_sessions },
	{ "targets", targets_errors },
	{ "many", targets_many },
	{ "leaders", targets_leaders },
	{ "kernel thread", targets_kthread },
	{ "defined", pages_defined },
	{ "capacity", pages_capacity },
	{ "sessions", crowd_sessions },
	{ "added", crowd_added },
	{ "descendants", crowd_descendants },
	{ "max_exited", crowd_max_exited },
	{ "max_threads", crowd_max_threads },
	{ "status", crowd_status },
	{ "records", config_records },
	{ "layout", config_layout },
	{ "counters", config_counters },
	{ "exe", exes_errors },
	{ "executed", exes_followed },
	{ "alone", exes_alone },
	{ "selections", selections_errors },
	{ "names", selections_names },
	{ "control groups", selections_groups },
	{ "at exec", at_exec_begins },
	{ "at a later exec", at_exec_later },
	{ "at exec beside others", at_exec_beside_others },
	{ "at no exec", at_exec_never },
	{ "at exec refused", at_exec_errors },
	{ "maps", maps_regions },
	{ "closed", maps_outlive_file },
	{ "stopped", maps_outlive_stop },
	{ "fork", maps_fork },
	{ "charged", charged_memory },
	{ "given back", charged_given_back },
	{ "sums without memory", charged_sums },
	{ "locked", locked_memory },
	{ "clock", clock_stays },
	{ "sleep", clock_sleeps },
	{ "poll", waits_poll },
	{ "half", waits_half_full },
	{ "lives", lives_reasons },
	{ "lives", lives_preempted },
	{ "lives", lives_preempter },
	{ "handovers", handovers_counted },
	{ "sums", sums_records },
	{ "stats", sums_stats },
	{ "waits of short lives", ended_waits },
	{ "kernel paths", config_kernel_paths },
	{ "without rights", config_without_rights },
	{ "samples", samples_taken },
	{ "samples", samples_in_time },
	{ "wakers", wakers_told },
	{ "wakers", waker_paths_taken },
	{ "wakers", waker_paths_rate },
	{ "wakers", waker_paths_hidden },
	{ "files of waits", wait_files_kinds },
	{ "files of waits", wait_files_closed },
	{ "files of waits", wait_files_alone },
	{ "files of waits", wait_files_hidden },
	{ "files of waits", wait_files_storm },
	{ "calls of 32 bits", calls_32_untold },
	{ "kernel locks", kernel_locks_named },
	{ "kernel locks", kernel_locks_hidden },
	{ "kernel locks", kernel_locks_of_readers },
	{ "spins", spins_wait },
	{ "spins", spins_stopped },
	{ "spins", spins_parks },
	{ "spins", spins_n },
	{ "spins", spins_ends },
	{ "spins", spins_refused },
	{ "spins", spins_deep },
	{ "exact", exact_times },
	{ "exact", exact_given_up },
	{ "exact", exact_refused },
	{ "exact", exact_tables },
	{ "exact", exact_gone },
	{ "exact", exact_unmounted },
	{ "marks", marks_kinds },
	{ "marks", marks_refused },
	{ "marks", marks_others },
	{ "marks", marks_lives },
	{ "marks", marks_page },
	{ "marks", marks_ends },
	{ "marks", marks_order },
	{ "tallies", tallies_counted },
	{ "tallies", tallies_running },
	{ "tallies", tallies_exited },
	{ "tallies", tallies_slices },
	{ "tallies", tallies_refused },
	{ "one group", groups_one },
	{ "groups", groups_each },
	{ "everybody", everybody_as_one },
	{ "everybody apart", everybody_apart },
	{ "tables", tables_fields },
	{ "tables in order", tables_order },
	{ "table numbers", tables_numbers },
	{ "table limits", tables_limits },
	{ "others run", turns_load },
	{ "mappings", spaces_fields },
	{ "mappings in order", spaces_order },
	{ "a program before START", spaces_exec },
	{ "address spaces", spaces_go },
	{ "paths by table", walks_by_table },
	{ "paths asked for", walks_asked },
	{ "parts of paths", walks_part },
	{ "paths by frame pointer", walks_by_fp },
	{ "rules", walks_rules },
	{ "children", walks_children },
	{ "programs", walks_exec },
	{ "tail", tails_auto },
	{ "tail of a part", tails_middle },
	{ "copy", tails_copy },
	{ "no paths", tails_none },
	{ "verify", tails_verify },
	{ "tail unreadable", tails_unreadable },
	{ "tail limit", tails_limit },
	{ "stacks", stacks_anywhere },
	{ "stacks copied", stacks_copied },
	{ "a device's stack", device_remembered },
	{ "budget", stacks_late },
	{ "budget", stacks_share },
	{ "budget", budget_shared },
	{ "budget", budget_parts },
	{ "budget", budget_waits },
	{ "budget", budget_parameters },
	{ "stacks of others", foreign_walked },
	{ "stacks of others copied", foreign_copied },
	{ "any tables", mutated_tables },
	{ "any tables, busy", mutated_busy },
	{ "storm of mappings", storms_maps },
	{ "storm of sessions", storms_sharing },
	{ "storm of closes", storms_closing },
	{ "moving memory", storms_code },
	{ "leaving threads", storms_leaving },
	{ "hostile", hostile_tails },
	{ "returns", hostile_returns },
	{ "nth fault", nth_each },
	{ "no memory", no_memory_threads },
	{ "no memory", no_memory_targets },
	{ "no memory", no_memory_spaces },
};

/* Each in a guest of its own, with what it needs: isolated.sh and so on. */
static const struct {
	const char *name;
	void (*run)(void);
} alone[] = {
	{ "apart", apart_cpus },
	{ "patches", quiet_patches },
	{ "bounds", quiet_bounds },
	{ "nodes", nodes_rings },
	{ "kernel-locks-rounds", kernel_locks_stopped },
	{ "tallies-faked", tallies_of_the_processor },
	{ "tallies-faked", tallies_of_parts },
	{ "tallies-faked", tallies_of_spinners },
	{ "watch-rounds", watch_gone_often },
	{ "exact-counted", exact_counted },
	{ "exact-rounds", exact_gone_often },
	{ "store points", store_points_told },
	{ "store points", store_points_hostile },
	{ "store points", store_points_given_up },
	{ "store points", store_points_apart },
	{ "store points", store_points_refused },
	{ "store points", store_points_gone },
	{ "store-points-rounds", store_points_gone_often },
	{ "watch", watch_records },
	{ "watch", watch_kernel },
	{ "watch", watch_filter },
	{ "watch", watch_others },
	{ "watch", watch_bounds },
	{ "watch", watch_sessions },
	{ "watch", watch_refused },
	{ "watch", watch_full },
	{ "watch", watch_gone },
};

static void run(const char *name, void (*group)(void))
{
	char title[32];

	snprintf(title, sizeof(title), "abi %s: ", name);
	t_group = title;
	group();
}

static bool run_alone(const char *name)
{
	bool found = false;

	for (size_t i = 0; i < ARRAY_SIZE(alone); i++) {
		if (strcmp(alone[i].name, name))
			continue;
		run(name, alone[i].run);
		found = true;
	}
	return found;
}

static bool wanted(const char *name, int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], name))
			return true;
	return argc < 2;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "--tell"))
		return exes_tell(atoi(argv[2]));
	if (argc == 3 && !strcmp(argv[1], "--mark"))
		return marks_tell(argv[2]);
	if (argc == 2 && run_alone(argv[1]))
		return t_done();
	signal(SIGPIPE, SIG_IGN);
	for (size_t i = 0; i < ARRAY_SIZE(groups); i++)
		if (wanted(groups[i].name, argc, argv))
			run(groups[i].name, groups[i].run);
	run("all", s_check_steps);
	return t_done();
}
