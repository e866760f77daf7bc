// SPDX-License-Identifier: GPL-2.0
#include "libraries.h"

#include <dlfcn.h>

#include "input/sideband.h"
#include "packages.h"
#include "spin/capstone_library.h"
#include "symbol/debuginfod.h"

static bool is_there(const char *library)
{
	void *handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL);

	if (handle)
		dlclose(handle);
	return handle;
}

void helpers_try(struct helpers *helpers)
{
	struct capstone *capstone = capstone_open(CS_ARCH_X86, CS_MODE_64, false);
	struct sideband *sideband;

	*helpers = (struct helpers){ .capstone = capstone,
				     .debuginfod = is_there(DEBUGINFOD_LIBRARY),
				     .servers = debuginfod_has_servers() };
	if (capstone)
		capstone_close(capstone);
	sideband = sideband_new(NULL, &helpers->sideband);
	if (sideband)
		helpers->sideband = NULL;
	sideband_free(sideband);
}

static void mend_by_package(struct findings *findings, const struct system *system,
			    enum package package)
{
	char command[PACKAGE_COMMAND];

	if (package_command(system, package, command))
		mend(findings, "%s", command);
}

static void check_debuginfod(struct findings *findings, const struct system *system,
			     const struct helpers *helpers)
{
	if (helpers->debuginfod) {
		found(findings, "libdebuginfod", FINDING_OK,
		      helpers->servers ? DEBUGINFOD_LIBRARY
			      " is there, and asks the servers of DEBUGINFOD_URLS for debug files" :
					 DEBUGINFOD_LIBRARY
			      " is there, but DEBUGINFOD_URLS names no servers, so none is asked for debug files");
		return;
	}
	found(findings, "libdebuginfod", helpers->servers ? FINDING_WARNING : FINDING_OK,
	      helpers->servers ? "DEBUGINFOD_URLS is set, but " DEBUGINFOD_LIBRARY
				 " (Debian: " DEBUGINFOD_PACKAGE
				 ") is missing: no server is asked for debug files" :
				 DEBUGINFOD_LIBRARY
		      " (Debian: " DEBUGINFOD_PACKAGE
		      ") is missing, and DEBUGINFOD_URLS names no servers: debug files are looked for here only");
	if (helpers->servers)
		mend_by_package(findings, system, PACKAGE_DEBUGINFOD);
}

static void check_capstone(struct findings *findings, const struct system *system,
			   const struct helpers *helpers)
{
	if (system_is_aarch64(system)) {
		found(findings, "libcapstone", FINDING_WARNING,
		      "busy-wait loops are found in code of x86-64 only: threads in them count as active");
	} else if (helpers->capstone) {
		found(findings, "libcapstone", FINDING_OK,
		      CAPSTONE_LIBRARY " is there: busy-wait loops are found");
	} else {
		found(findings, "libcapstone", FINDING_WARNING,
		      CAPSTONE_LIBRARY " (Debian: " CAPSTONE_PACKAGE
				       ") is missing: threads in busy-wait loops count as active");
		mend_by_package(findings, system, PACKAGE_CAPSTONE);
	}
}

void helpers_findings(struct findings *findings, const struct system *system,
		      const struct helpers *helpers, bool may_profile)
{
	check_capstone(findings, system, helpers);
	check_debuginfod(findings, system, helpers);
	if (!helpers->sideband) {
		found(findings, "perf events", FINDING_OK,
		      "perf tells of mappings, executions and forks");
	} else {
		found(findings, "perf events", FINDING_WARNING,
		      "mappings are read from /proc alone, so code of short processes may have no names: %s",
		      helpers->sideband);
		if (!may_profile)
			mend(findings, "sudo sysctl kernel.perf_event_paranoid=0");
	}
}
