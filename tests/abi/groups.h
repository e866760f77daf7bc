/* SPDX-License-Identifier: GPL-2.0 */
/* The groups of checks of abi_test. */
#ifndef GAPP_TESTS_ABI_GROUPS_H
#define GAPP_TESTS_ABI_GROUPS_H

void args_fields(void);
void args_order(void);
void args_pointers(void);
void args_unknown(void);
void args_sessions(void);
void targets_errors(void);
void targets_many(void);
void targets_leaders(void);
void pages_defined(void);
void pages_capacity(void);
void crowd_sessions(void);
void crowd_added(void);
void crowd_descendants(void);
void crowd_max_exited(void);
void crowd_max_threads(void);
void crowd_status(void);
void config_records(void);
void config_layout(void);
void config_counters(void);
void ended_waits(void);
void exes_errors(void);
void exes_followed(void);
void exes_alone(void);
void maps_regions(void);
void maps_outlive_file(void);
void maps_outlive_stop(void);
void maps_fork(void);
void waits_poll(void);
void waits_half_full(void);
void sums_records(void);
void groups_one(void);
void groups_each(void);
void everybody_as_one(void);
void everybody_apart(void);
void config_kernel_paths(void);
void sums_stats(void);
void wakers_told(void);
void tables_fields(void);
void tables_order(void);
void tables_numbers(void);
void tables_limits(void);
void spaces_fields(void);
void spaces_order(void);
void spaces_exec(void);
void spaces_go(void);
void walks_by_table(void);
void walks_asked(void);
void walks_part(void);
void walks_by_fp(void);
void walks_rules(void);
void walks_children(void);
void walks_exec(void);
void tails_auto(void);
void tails_middle(void);
void tails_copy(void);
void tails_none(void);
void tails_verify(void);
void tails_unreadable(void);
void tails_limit(void);
void stacks_anywhere(void);
void stacks_copied(void);
void foreign_walked(void);
void foreign_copied(void);
void mutated_tables(void);
void mutated_busy(void);
void storms_maps(void);
void storms_sharing(void);
void storms_closing(void);
void storms_code(void);
void storms_leaving(void);
void hostile_tails(void);
void hostile_returns(void);

/* What a test has its own program do: `abi_test --tell FD`. */
int exes_tell(int fd);

#endif /* GAPP_TESTS_ABI_GROUPS_H */
