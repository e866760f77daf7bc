// SPDX-License-Identifier: GPL-2.0
#include "packages.h"

#include <stdio.h>

#include "settings.h"
#include "spin/capstone_library.h"
#include "symbol/debuginfod.h"

/* Of the package gapp: its reader, dpkg's list of its files, and a file of the RPM alone. */
#define READER "/usr/bin/gapp-read"
#define DPKG_LIST "/var/lib/dpkg/info/gapp.list"
#define RPM_LICENSE "/usr/share/licenses/gapp/LICENSE"
/* Bytes of a kernel's package name. */
#define KERNEL_NAME 40

/*
 * @names: by enum package; of the headers' name the kernel's release is the rest. NULL: the kernel,
 * whose name differs among the distributions with this manager.
 */
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
	    [PACKAGE_MODULE] = "./gapp-dkms_" GAPP_VERSION "-*_all.deb" } },
	{ "/usr/bin/dnf",
	  "sudo dnf install -y",
	  { [PACKAGE_HEADERS] = "kernel-devel-",
	    [PACKAGE_CAPSTONE] = "capstone",
	    [PACKAGE_DEBUGINFOD] = "elfutils-debuginfod-client",
	    [PACKAGE_MOKUTIL] = "mokutil",
	    [PACKAGE_OPENSSL] = "openssl",
	    [PACKAGE_KERNEL] = "kernel",
	    [PACKAGE_MODULE] = "./gapp-dkms-" GAPP_VERSION "-*.noarch.rpm" } },
};

/*
 * Of Debian and of what is made of it. Ubuntu's usual kernel is as old as its release; its releases
 * with long support have a newer one, which is new enough from 20.04 on. What is made of Ubuntu has
 * versions of its own. False: none is known.
 */
static bool debian_kernel(const struct system *system, char name[KERNEL_NAME])
{
	char id[PATH_MAX], version[PATH_MAX];
	unsigned int year, month;

	if (!system_is_ubuntu(system)) {
		strcpy(name, system_is_aarch64(system) ? "linux-image-arm64" : "linux-image-amd64");
		return true;
	}
	distribution_take(id, system, "ID");
	distribution_take(version, system, "VERSION_ID");
	if (strcmp(id, "ubuntu") || sscanf(version, "%u.%u", &year, &month) != 2 || year < 20 ||
	    year % 2 || month != 4)
		return false;
	snprintf(name, KERNEL_NAME, "linux-generic-hwe-%u.04", year);
	return true;
}

bool package_command(const struct system *system, enum package package,
		     char command[PACKAGE_COMMAND])
{
	const char *release = package == PACKAGE_HEADERS ? system->release : "";
	char kernel[KERNEL_NAME];

	*command = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(managers); i++) {
		const struct manager *manager = &managers[i];

		if (!system_has(system, manager->program))
			continue;
		if (!manager->names[package] && !debian_kernel(system, kernel))
			return false;
		snprintf(command, PACKAGE_COMMAND, "%s %s%s", manager->install,
			 manager->names[package] ?: kernel, release);
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

/* Whether a text has a line. */
static bool has_line(const char *text, const char *line)
{
	const size_t length = strlen(line);

	for (; text && *text; text += *text == '\n') {
		size_t size = strcspn(text, "\n");

		if (size == length && !strncmp(text, line, length))
			return true;
		text += size;
	}
	return false;
}

bool reader_is_packaged(const struct system *system)
{
	_cleanup_free_ char *files = NULL;

	/* make PREFIX=/usr install puts one there, too */
	if (!system->reader || strcmp(system->reader, READER))
		return false;
	files = system_read_all(system, DPKG_LIST);
	return has_line(files, READER) || system_has(system, RPM_LICENSE);
}
