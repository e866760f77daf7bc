// SPDX-License-Identifier: GPL-2.0
#include "targets.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>

void targets_config(const struct options *options, struct gapp_config *config)
{
	*config = (struct gapp_config){
		.abi_major = GAPP_ABI_MAJOR,
		.n_min_mode = options->n_min_mode,
		.n_min = options->n_min,
		.max_threads = options->max_threads,
		.max_exited = GAPP_EXITED_DEFAULT,
		.level = options->level,
	};
	if (options->all)
		config->flags |= GAPP_CONFIG_ALL;
	if (options->all && !options->as_one)
		config->flags |= GAPP_CONFIG_PER_PROCESS;
	if (options->level == GAPP_LEVEL_STATS)
		return;
	/* Only scripts name them, and to know them takes a probe of its own at every wake-up. */
	if (options->script)
		config->flags |= GAPP_CONFIG_WAKERS;
	if (options->kernel)
		config->flags |= GAPP_CONFIG_KERNEL_PATHS;
	config->min_critical_ns = options->min_critical_ns;
	config->rate_hz = options->rate_hz;
	config->ring_bytes = options->ring_bytes;
	config->max_stack = options->max_stack;
	config->criterion = options->criterion;
	config->unwind_by = options->unwind_by;
	config->stack_copy_bytes = options->stack_copy_bytes;
	if (options->verify)
		config->flags |= GAPP_CONFIG_VERIFY;
}

static u32 flags_of(const struct options *options)
{
	return options->no_inherit ? GAPP_ADD_NO_INHERIT : 0;
}

int targets_add(const struct options *options, struct device *dev, struct follow *follow,
		struct capture *capture, pid_t pid)
{
	/* In this order a pid that is reused in between ends the recording at once. */
	if (follow_add(follow, pid) || device_add_process(dev, pid, flags_of(options)))
		return -1;
	capture_attach(capture, pid);
	return 0;
}

static bool executes(pid_t pid, const struct stat *file)
{
	char path[32];
	struct stat exe;

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	return !stat(path, &exe) && exe.st_dev == file->st_dev && exe.st_ino == file->st_ino;
}

/* One that has gone by now is not missed. */
static int add_if_executing(const struct options *options, struct device *dev,
			    struct capture *capture, pid_t pid, const struct stat *file)
{
	int error;

	if (device_try_process(dev, pid, flags_of(options))) {
		error = errno;
		if (!executes(pid, file))
			return 0;
		errno = error;
		return device_refused_process(pid);
	}
	capture_attach(capture, pid);
	return 0;
}

/* Those that come later are found by the module, so what is looked for here runs already. */
static int add_executing(const struct options *options, struct device *dev, struct capture *capture)
{
	struct dirent *entry;
	struct stat file;
	int result = 0;
	DIR *proc;

	if (stat(options->exe, &file)) {
		complain("cannot look at %s: %s", options->exe, strerror(errno));
		return -1;
	}
	proc = opendir("/proc");
	if (!proc) {
		complain("cannot look through /proc: %s", strerror(errno));
		return -1;
	}
	while (!result && (entry = readdir(proc))) {
		pid_t pid = isdigit((unsigned char)entry->d_name[0]) ? atoi(entry->d_name) : 0;

		if (pid && pid != getpid() && executes(pid, &file))
			result = add_if_executing(options, dev, capture, pid, &file);
	}
	closedir(proc);
	return result;
}

int targets_add_all(const struct options *options, struct device *dev, struct follow *follow,
		    struct capture *capture)
{
	for (size_t i = 0; i < options->pid_count; i++)
		if (targets_add(options, dev, follow, capture, options->pids[i]))
			return -1;
	if (options->all) {
		capture_attach(capture, -1);
		follow->endless = true;
	}
	if (options->exe) {
		if (device_add_executable(dev, options->exe, flags_of(options)) ||
		    add_executing(options, dev, capture))
			return -1;
		follow->endless = true;
	}
	return 0;
}
