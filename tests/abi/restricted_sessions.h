/* SPDX-License-Identifier: GPL-2.0 */
/* How many sessions users without privilege may open. */
#ifndef GAPP_TESTS_ABI_RESTRICTED_SESSIONS_H
#define GAPP_TESTS_ABI_RESTRICTED_SESSIONS_H

#include "t.h"

/* The caller is root, has no session open, and the node is open to everybody. */
void restricted_sessions(void);

#endif /* GAPP_TESTS_ABI_RESTRICTED_SESSIONS_H */
