// SPDX-License-Identifier: GPL-2.0
#include "doctor.h"

#include <sys/resource.h>
#include <sys/utsname.h>

#include "access.h"
#include "libraries.h"
#include "machine.h"
#include "module.h"
#include "program.h"
#include "symbol/debuginfod.h"

/* Folders where a module may lie that was built and not installed: beside the reader, and here. */
struct built {
	char reader[PATH_MAX];
	char here[PATH_MAX];
};

static void find_reader(char path[PATH_MAX])
{
	ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);

	path[length > 0 ? length : 0] = '\0';
}

static void find_built(struct built *built, const char *folders[3])
{
	size_t count = 0;
	char *slash;

	find_reader(built->reader);
	slash = strrchr(built->reader, '/');
	if (slash) {
		*slash = '\0';
		folders[count++] = built->reader;
	}
	if (getcwd(built->here, sizeof(built->here)))
		folders[count++] = built->here;
	folders[count] = NULL;
}

static void look_at_memory(struct findings *findings, const struct system *system,
			   const struct rights *rights)
{
	struct memory_limit memory = { .limit = UINT64_MAX, .cpus = system_cpus(system) };
	struct rlimit limit;
	char text[32];

	if (!getrlimit(RLIMIT_MEMLOCK, &limit) && limit.rlim_cur != RLIM_INFINITY)
		memory.limit = limit.rlim_cur;
	memory.known =
		system_read(system, "/sys/module/gapp/parameters/mlock_kib", text, sizeof(text)) &&
		memory.cpus;
	if (memory.known)
		memory.free_kib = strtoull(text, NULL, 10);
	memory_findings(findings, &memory, rights);
}

/* Returns whether a session can be set up. */
static bool look_at_machine(struct doctor *doctor, const struct system *system)
{
	struct findings *findings = &doctor->findings;
	const char *folders[3];
	struct module_state module;
	struct hardware hardware;
	struct helpers helpers;
	struct rights rights;
	struct access access = { 0 };
	char renew[MODULE_RENEW];
	struct built built;
	bool may_profile;

	find_built(&built, folders);
	machine_findings(findings, system);
	module_state_read(&module, system, folders);
	module_findings(findings, system, &module);
	rights_read(&rights, system);
	may_profile = rights_may_profile(&rights);
	access.loaded = module.loaded;
	access.loaded_known = module.loaded_known;
	module_renew(renew, system, &module);
	access.renew = renew;
	access_try(&access, system);
	access_findings(findings, system, &access, &rights);
	look_at_memory(findings, system, &rights);
	kernel_findings(findings, system, &rights, &access);
	clock_findings(findings, system, clock_cost());
	hardware_try(&hardware);
	hardware_findings(findings, system, &hardware, may_profile);
	helpers_try(&helpers);
	helpers_findings(findings, system, &helpers, may_profile);
	return access_works(&access);
}

static void look_at_programs(struct doctor *doctor, bool asks)
{
	const struct symbol_sources symbols = { .symfs = doctor->symfs };
	const struct debug_sources sources = {
		.servers = debuginfod_has_servers() && debuginfod_may_ask(false, false),
	};

	for (size_t i = 0; i < doctor->program_count; i++)
		program_findings(&doctor->findings, doctor->programs[i], &symbols, &sources);
	for (size_t i = 0; i < doctor->pid_count; i++)
		process_findings(&doctor->findings, doctor->pids[i], asks, &symbols, &sources);
}

int doctor_look(struct doctor *doctor)
{
	struct utsname name;
	char reader[PATH_MAX];
	struct system system = { .root = doctor->root, .reader = reader };
	bool asks;

	/* it fails for no kernel */
	uname(&name);
	system.release = name.release;
	system.build = name.version;
	system.machine = name.machine;
	find_reader(reader);
	asks = look_at_machine(doctor, &system);
	pause_measure(&doctor->pause);
	pause_findings(&doctor->findings, &doctor->pause);
	look_at_programs(doctor, asks);
	return doctor->findings.failed ? out_of_memory() : 0;
}

bool doctor_is_well(const struct doctor *doctor)
{
	return !findings_count(&doctor->findings, FINDING_PROBLEM);
}
