// SPDX-License-Identifier: GPL-2.0
#include "packages.h"

#include <stdio.h>

#include "spin/capstone_library.h"
#include "symbol/debuginfod.h"

/* @names: by enum package; of the headers' name the kernel's release is the rest. */
struct manager {
	const char *program;
	const char *install;
	const char *names[3];
};

static const struct manager managers[] = {
	{ "/usr/bin/apt-get",
	  "sudo apt-get install -y",
	  { [PACKAGE_HEADERS] = "linux-headers-",
	    [PACKAGE_CAPSTONE] = CAPSTONE_PACKAGE,
	    [PACKAGE_DEBUGINFOD] = DEBUGINFOD_PACKAGE } },
	{ "/usr/bin/dnf",
	  "sudo dnf install -y",
	  { [PACKAGE_HEADERS] = "kernel-devel-",
	    [PACKAGE_CAPSTONE] = "capstone",
	    [PACKAGE_DEBUGINFOD] = "elfutils-debuginfod-client" } },
};

bool package_command(const struct system *system, enum package package,
		     char command[PACKAGE_COMMAND])
{
	const char *release = package == PACKAGE_HEADERS ? system->release : "";

	*command = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(managers); i++) {
		const struct manager *manager = &managers[i];

		if (!system_has(system, manager->program))
			continue;
		snprintf(command, PACKAGE_COMMAND, "%s %s%s", manager->install,
			 manager->names[package], release);
		return true;
	}
	return false;
}
