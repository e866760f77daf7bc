// SPDX-License-Identifier: GPL-2.0
#include "packages.h"

#include <stdio.h>

#include "spin/capstone_library.h"
#include "symbol/debuginfod.h"

/* @names: by enum package; of the headers' name the kernel's release is the rest. */
struct manager {
	const char *program;
	const char *install;
	const char *names[PACKAGE_COUNT];
};

static const struct manager managers[] = {
	{ "/usr/bin/apt-get",
	  "sudo apt-get install -y",
	  { [PACKAGE_HEADERS] = "linux-headers-",
	    [PACKAGE_CAPSTONE] = CAPSTONE_PACKAGE,
	    [PACKAGE_DEBUGINFOD] = DEBUGINFOD_PACKAGE,
	    [PACKAGE_MOKUTIL] = "mokutil",
	    [PACKAGE_OPENSSL] = "openssl",
	    [PACKAGE_MODULE] = "'gapp-dkms=" GAPP_VERSION "-*'" } },
	{ "/usr/bin/dnf",
	  "sudo dnf install -y",
	  { [PACKAGE_HEADERS] = "kernel-devel-",
	    [PACKAGE_CAPSTONE] = "capstone",
	    [PACKAGE_DEBUGINFOD] = "elfutils-debuginfod-client",
	    [PACKAGE_MOKUTIL] = "mokutil",
	    [PACKAGE_OPENSSL] = "openssl",
	    [PACKAGE_MODULE] = "gapp-dkms-" GAPP_VERSION } },
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

void package_before(const struct system *system, const char *program, enum package package,
		    char before[PACKAGE_BEFORE])
{
	char command[PACKAGE_COMMAND];

	*before = '\0';
	if (!system_has(system, program) && package_command(system, package, command))
		snprintf(before, PACKAGE_BEFORE, "%s && ", command);
}
