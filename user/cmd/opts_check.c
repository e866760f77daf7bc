// SPDX-License-Identifier: GPL-2.0
/* Which options go together. */
#include "opts_private.h"

#include "ctl_server.h"
#include "outputs.h"
#include "symbol/debuginfod.h"

/* Options that exclude each other, and why. */
static const struct {
	const char *name;
	const char *with;
	const char *why;
} conflicts[] = {
	{ "threads-only", "process-only", "one ranks only what the other leaves out" },
	{ "kernel", "no-kernel", "one asks for what the other forbids" },
	{ "debuginfod", "no-debuginfod", "one asks for what the other forbids" },
	{ "kthreads", "no-kernel", "kernel threads have no other frames" },
	{ "kthreads", "no-libs", "kernel threads have no frames in a program" },
	{ "kernel", "no-libs", "paths would end before they enter the kernel" },
	{ "records", "no-save", "records are kept in the recording" },
	{ "view", "by", "a view has rows of its own" },
	{ "no-inherit", "all", "every process is followed anyway" },
	{ "keep", "records", "only the last records are kept, and their sums are written" },
	{ "keep", "counters", "counters are added up for the whole recording" },
	{ "keep", "waits", "what threads waited for is added up for the whole recording" },
};

static const char *const need_records[] = {
	"rate",	   "max-stack", "kernel",  "min-critical", "criterion",	    "ring",
	"by",	   "top",	"no-libs", "threads-only", "process-only",  "call-graph",
	"tree",	   "reasons",	"symfs",   "debuginfod",   "no-debuginfod", "source-path",
	"records", "waits",	"view",	   "spin",	   "keep",
};

static bool is_given(const struct options *options, const char *name)
{
	const struct option *option = option_by_name(name, strlen(name));

	return option && options->given & option_bit(option);
}

#define AS_ONE_ALONE                                             \
	"--as-one joins the processes of -a, which is missing: " \
	"with -p, -x and -- they are one target anyway"

#define SEVERAL_WAYS                                                     \
	"-p, -x, --comm or --cgroup, -a and a command after -- exclude " \
	"each other: give one of them"

#define NO_WAY                                                        \
	"nothing to record: give -p, -x, --comm, --cgroup, -a, or a " \
	"command after --: " SEE_HELP

static int check_targets(const struct options *options)
{
	int ways = !!options->command + !!options->pids + !!options->exe + options->all +
		   (options->comm || options->cgroup);
	int any = ways + !!options->kthreads;
	const char *wrong = NULL;

	if (options->command && !options->command[0])
		wrong = "no command after --: " SEE_HELP;
	else if (options->command && options->pids)
		wrong = "-p and a command after -- exclude each other: to end by time, use -d";
	else if (ways > 1)
		wrong = SEVERAL_WAYS;
	else if (!any)
		wrong = NO_WAY;
	else if (options->as_one && !options->all)
		wrong = AS_ONE_ALONE;
	if (wrong)
		complain("%s", wrong);
	return wrong ? -1 : 0;
}

/* What is no report is text or JSON. Returns 0, or -1 with a complaint made. */
static int check_few_formats(const struct options *options)
{
	enum format format = options->format;
	bool known = format <= FORMAT_JSON;

	for (size_t i = 0; i < options->output_count; i++)
		known &= !output_format(options->outputs[i], &format) || format <= FORMAT_JSON;
	if (!known)
		complain("%s prints text and JSON: give -o FILE.txt or FILE.json",
			 action_name(options->action));
	return known ? 0 : -1;
}

/* The output of a command and a report for a program would be mixed on standard output. */
static int check_format(const struct options *options)
{
	enum format format;

	if ((options->action == ACTION_DIFF || options->action == ACTION_SPINS ||
	     options->action == ACTION_DOCTOR) &&
	    check_few_formats(options))
		return -1;
	if (options->level == GAPP_LEVEL_STATS && outputs_need_paths(options)) {
		complain(
			"--level stats records no call paths, and files other than .txt, .json and .csv are made of them; use --level critical");
		return -1;
	}
	if (options->format != FORMAT_TEXT && options->tree) {
		complain("--tree is a part of the text: --format %s has all paths",
			 format_words[options->format]);
		return -1;
	}
	if (options->format == FORMAT_TEXT || !options->command)
		return 0;
	for (size_t i = 0; i < options->output_count; i++)
		if (!output_format(options->outputs[i], &format) || format == options->format)
			return 0;
	complain("--format %s: standard output is the command's, too: give -o FILE.%s instead",
		 format_words[options->format], format_words[options->format]);
	return -1;
}

/* Why an option that belongs to other actions has no meaning. */
static const char *const action_why[] = {
	[ACTION_RECORD] = "record: it records and reports",
	[ACTION_SCRIPT] = "script: it prints records, no report",
	[ACTION_REPORT] = "report: it prints what has been recorded",
	[ACTION_EXPORT] = "export: it writes what has been recorded",
	[ACTION_DIFF] = "diff: it compares what has been recorded",
	[ACTION_TOP] = "top: it shows what is recorded now",
	[ACTION_MERGE] = "merge: it makes one recording of several",
	[ACTION_SPINS] = "spins: it reads programs and libraries",
	[ACTION_DOCTOR] = "doctor: it looks at this machine and at programs",
	[ACTION_CTL] = "ctl: it talks to a gapp-read that records",
};

/* Refuses options that have no meaning for the action. */
static int check_actions(const struct options *options)
{
	for (size_t i = 0; i < option_count; i++) {
		const struct option *option = &option_table[i];

		if (!(options->given & option_bit(option)) ||
		    option->actions & ACTION_BIT(options->action))
			continue;
		complain("--%s has no meaning with %s", option->name, action_why[options->action]);
		return -1;
	}
	return 0;
}

bool reads_recording(const struct options *options)
{
	return options->action == ACTION_REPORT || options->action == ACTION_EXPORT ||
	       options->action == ACTION_DIFF || options->action == ACTION_SPINS ||
	       options->action == ACTION_MERGE ||
	       (options->file_count && options->action != ACTION_DOCTOR &&
		options->action != ACTION_CTL);
}

bool wants_waits(const struct options *options)
{
	return options->waits ||
	       (options->by == BY_THREAD && options->verbose && options->action == ACTION_RECORD &&
		options->level != GAPP_LEVEL_STATS && !options->keep_ns);
}

/* Only two recordings have changes. */
static int check_conditions(const struct options *options)
{
	for (size_t i = 0; i < options->condition_count; i++) {
		if (options->action == ACTION_DIFF || !condition_is_change(&options->conditions[i]))
			continue;
		complain("--fail-if '%s': a change is between two recordings: use gapp-read diff",
			 options->conditions[i].text);
		return -1;
	}
	return 0;
}

static int check_conflicts(const struct options *options)
{
	for (size_t i = 0; i < ARRAY_SIZE(conflicts); i++) {
		if (!is_given(options, conflicts[i].name) || !is_given(options, conflicts[i].with))
			continue;
		complain("--%s and --%s exclude each other: %s", conflicts[i].name,
			 conflicts[i].with, conflicts[i].why);
		return -1;
	}
	return 0;
}

/* Of actions that read a recording. */
static int check_reading(const struct options *options)
{
	for (size_t i = 0; i < option_count; i++) {
		if (!(options->given & option_bit(&option_table[i])) ||
		    (option_table[i].actions & ~ACTION_BIT(ACTION_DOCTOR)) != RECORDING)
			continue;
		complain("--%s and a recording exclude each other: one records, the other reads",
			 option_table[i].name);
		return -1;
	}
	if (options->command) {
		complain(
			"a command after -- is recorded, and a recording is read: give one of them");
		return -1;
	}
	if (options->action == ACTION_EXPORT && !options->output_count) {
		complain("export writes files: give -o FILE");
		return -1;
	}
	if (options->action == ACTION_SPINS && !options->file_count) {
		complain("spins reads programs and libraries: give one or more");
		return -1;
	}
	if (check_conflicts(options) || check_conditions(options))
		return -1;
	return check_format(options);
}

static int refuse_any(const struct options *options, const char *const *names, size_t count,
		      const char *with, const char *why)
{
	for (size_t i = 0; i < count; i++) {
		if (!is_given(options, names[i]))
			continue;
		complain("--%s has no meaning with %s: %s", names[i], with, why);
		return -1;
	}
	return 0;
}

/* The module refuses a ring of less than eight stack copies. */
static int check_ring(const struct options *options)
{
	if (options->stack_copy_bytes <= options->ring_bytes / 8)
		return 0;
	complain("copies of %u bytes need a larger buffer: give -m %uK or more",
		 options->stack_copy_bytes, options->stack_copy_bytes / 128);
	return -1;
}

#define NO_SERVERS                                                         \
	"--debuginfod: DEBUGINFOD_URLS names no servers: set it, such as " \
	"https://debuginfod.debian.net (with sudo, by sudo DEBUGINFOD_URLS=URL)"

/* What is made of all slices and wake-ups needs their records. */
static int check_waits(const struct options *options)
{
	const char *what = outputs_need_waits(options) ?: outputs_need_records(options);

	if (!what || options->level == GAPP_LEVEL_TRACE)
		return 0;
	complain(
		"%s is made of every slice and wake-up, which only --level trace records: give it, too",
		what);
	return -1;
}

static int check_counters(const struct options *options)
{
	const char *name = outputs_need_counters(options);

	if (!name || options->counters.count)
		return 0;
	complain("-o %s is made of what --counters asks for: give --counters LIST, too", name);
	return -1;
}

/* What is made of all of a recording, and not of its last seconds. */
static int check_keep(const struct options *options)
{
	const char *of_all = NULL;

	if (!options->keep_ns) {
		if (options->trigger.text)
			complain("--when says when to write what --keep keeps: give --keep, too");
		return options->trigger.text ? -1 : 0;
	}
	if (options->view == VIEW_HANDOVER)
		of_all = "--view handover";
	else if (outputs_need_waits(options))
		of_all = outputs_need_waits(options);
	else if (outputs_need_records(options))
		of_all = outputs_need_records(options);
	else if (options->criterion == GAPP_CRITERION_AVERAGE)
		of_all = "--criterion average";
	else if (options->verify)
		of_all = "--call-graph verify";
	if (of_all) {
		complain("%s and --keep exclude each other: it is made of a whole recording",
			 of_all);
		return -1;
	}
	if (options->trigger.text && options->all && !options->as_one) {
		complain(
			"--when and -a exclude each other: each process has a parallelism of its own; give --as-one, too");
		return -1;
	}
	return 0;
}

static bool is_request(const char *word)
{
	for (int i = 0; ctl_words[i]; i++)
		if (!strcmp(ctl_words[i], word))
			return true;
	return false;
}

/* The process id that may follow the request is checked where it is used. */
static int check_ctl(const struct options *options)
{
	const char *end = "";
	u32 pid = 1;

	if (options->command) {
		complain("ctl runs no command: give the request without --");
		return -1;
	}
	if (!options->file_count || !is_request(options->files[0])) {
		complain("ctl tells a gapp-read what to do: give dump, status, start or stop");
		return -1;
	}
	if (options->file_count > 1 && options->socket) {
		complain(
			"a process id and -s exclude each other: both name the gapp-read to talk to");
		return -1;
	}
	if (options->file_count > 1 &&
	    (parse_count(options->files[1], &end, INT32_MAX, &pid) || *end || !pid)) {
		complain("'%s' is not the id of a process", options->files[1]);
		return -1;
	}
	return 0;
}

static int check_doctor(const struct options *options)
{
	if (options->command) {
		complain("doctor runs no command: give the program without --");
		return -1;
	}
	return check_format(options);
}

static int check_merge(const struct options *options)
{
	if (options->command) {
		complain("merge runs no command: give recordings");
		return -1;
	}
	if (options->file_count < 2) {
		complain("merge makes one recording of several: give two or more files");
		return -1;
	}
	if (options->output_count) {
		complain(
			"-o %s: merge writes a recording: give -o FILE.data, and FILE.data to export",
			options->outputs[0]);
		return -1;
	}
	if (options->save)
		return 0;
	complain("merge writes a recording: give -o FILE.data");
	return -1;
}

int options_check(const struct options *options)
{
	if (check_actions(options))
		return -1;
	if (options->debuginfod && !debuginfod_has_servers()) {
		complain(NO_SERVERS);
		return -1;
	}
	if (options->action == ACTION_DOCTOR)
		return check_doctor(options);
	if (options->action == ACTION_MERGE)
		return check_merge(options);
	if (options->action == ACTION_CTL)
		return check_ctl(options);
	if (reads_recording(options))
		return check_reading(options);
	if (check_targets(options))
		return -1;
	if (check_conflicts(options))
		return -1;
	if (options->action == ACTION_SCRIPT && options->level == GAPP_LEVEL_STATS) {
		complain(
			"script prints records, and --level stats has none: use --level critical or trace");
		return -1;
	}
	if (options->save && options->no_save) {
		complain("-o %s and --no-save exclude each other", options->save);
		return -1;
	}
	if (options->no_save && outputs_of_file(options)) {
		complain("-o %s is made of the recording's file: leave out --no-save",
			 outputs_of_file(options));
		return -1;
	}
	if (options->level != GAPP_LEVEL_STATS && check_ring(options))
		return -1;
	if (check_format(options) || check_waits(options) || check_counters(options) ||
	    check_keep(options))
		return -1;
	if (options->level == GAPP_LEVEL_STATS)
		return refuse_any(options, need_records, ARRAY_SIZE(need_records), "--level stats",
				  "it records no call paths; use --level critical");
	return 0;
}
