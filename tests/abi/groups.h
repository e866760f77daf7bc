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

#endif /* GAPP_TESTS_ABI_GROUPS_H */
