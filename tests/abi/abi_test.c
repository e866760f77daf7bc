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
	{ "defined", pages_defined },
	{ "capacity", pages_capacity },
	{ "sessions", crowd_sessions },
	{ "added", crowd_added },
	{ "descendants", crowd_descendants },
	{ "max_exited", crowd_max_exited },
	{ "max_threads", crowd_max_threads },
	{ "status", crowd_status },
};

static bool wanted(const char *name, int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], name))
			return true;
	return argc < 2;
}

int main(int argc, char **argv)
{
	signal(SIGPIPE, SIG_IGN);
	for (size_t i = 0; i < ARRAY_SIZE(groups); i++) {
		char group[32];

		if (!wanted(groups[i].name, argc, argv))
			continue;
		snprintf(group, sizeof(group), "abi %s: ", groups[i].name);
		t_group = group;
		groups[i].run();
	}
	return t_done();
}
