// SPDX-License-Identifier: GPL-2.0
/* Options that do not go together. */
#include "opts_table.h"

/**
 * struct conflict - an option that another one, or what is done, leaves without a meaning
 * @name: of the option
 * @with: of another one; NULL: see the table's use
 * @why: and what to do
 */
struct conflict {
	const char *name;
	const char *with;
	const char *why;
};

static const struct conflict conflicts[] = {
	{ "threads-only", "process-only", "one ranks only what the other leaves out" },
	{ "kernel", "no-kernel", "one asks for what the other forbids" },
	{ "no-inherit", "all", "every process is followed anyway" },
};

static const char *const need_records[] = {
	"rate", "max-stack", "kernel",	"min-critical", "criterion",	"ring",
	"by",	"top",	     "no-libs", "threads-only", "process-only", "call-graph",
};

static const char *const need_script[] = { "kernel" };

static const char *const need_report[] = {
	"by", "top", "no-libs", "threads-only", "process-only", "format", "verbose",
};

static bool is_given(option_set given, const char *name)
{
	const struct option *option = option_by_name(name, strlen(name));

	return option && given & option_bit(option);
}

static int check_targets(const struct options *options)
{
	int ways = !!options->command + !!options->pids + !!options->exe + options->all;

	if (options->command && !options->command[0]) {
		complain("no command after --: " SEE_HELP);
		return -1;
	}
	if (options->command && options->pids) {
		complain("-p and a command after -- exclude each other: to end by time, use -d");
		return -1;
	}
	if (ways > 1) {
		complain("-p, -x, -a and a command after -- exclude each other: give one of them");
		return -1;
	}
	if (!ways) {
		complain("nothing to record: give -p, -x, -a, or a command after --: " SEE_HELP);
		return -1;
	}
	if (options->as_one && !options->all) {
		complain(
			"--as-one joins the processes of -a, which is missing: with -p, -x and -- they are one target anyway");
		return -1;
	}
	return 0;
}

static int refuse_any(option_set given, const char *const *names, size_t count, const char *with,
		      const char *why)
{
	for (size_t i = 0; i < count; i++) {
		if (!is_given(given, names[i]))
			continue;
		complain("--%s has no meaning with %s: %s", names[i], with, why);
		return -1;
	}
	return 0;
}

/* The module takes no copies that would soon fill a ring. */
static int check_ring(const struct options *options)
{
	if (options->stack_copy_bytes <= options->ring_bytes / 8)
		return 0;
	complain("copies of %u bytes need a larger buffer: give -m %uK or more",
		 options->stack_copy_bytes, options->stack_copy_bytes / 128);
	return -1;
}

int options_check(const struct options *options, option_set given)
{
	if (check_targets(options))
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(conflicts); i++) {
		const struct conflict *conflict = &conflicts[i];

		if (!is_given(given, conflict->name) || !is_given(given, conflict->with))
			continue;
		complain("--%s and --%s exclude each other: %s", conflict->name, conflict->with,
			 conflict->why);
		return -1;
	}
	if (options->script && options->level == GAPP_LEVEL_STATS) {
		complain(
			"script prints records, and --level stats has none: use --level critical or trace");
		return -1;
	}
	if (options->level != GAPP_LEVEL_STATS && check_ring(options))
		return -1;
	if (options->script)
		return refuse_any(given, need_report, ARRAY_SIZE(need_report), "script",
				  "it prints records, no report");
	if (options->level == GAPP_LEVEL_STATS)
		return refuse_any(given, need_records, ARRAY_SIZE(need_records), "--level stats",
				  "it records no call paths; use --level critical");
	return refuse_any(given, need_script, ARRAY_SIZE(need_script), "a report",
			  "it has the paths of programs; `gapp-read script` prints the kernel's");
}
