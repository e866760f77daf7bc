// SPDX-License-Identifier: GPL-2.0
/* The values of options. */
#include "opts_private.h"

#include <errno.h>
#include <limits.h>

#include "core/cmetric.h"
#include "keep.h"
#include "outputs.h"

void *option_member(struct options *options, const struct option *option)
{
	return (char *)options + option->member;
}

int parse_count(const char *text, const char **end, u32 max, u32 *number)
{
	unsigned long parsed;
	char *rest;

	if (*text < '0' || *text > '9')
		return -1;
	errno = 0;
	parsed = strtoul(text, &rest, 10);
	if (errno || parsed > max)
		return -1;
	*number = parsed;
	*end = rest;
	return 0;
}

/* Parses an unsigned decimal number; strtod() alone takes signs, hexadecimal and "inf", too. */
static int parse_decimal(const char *text, const char **end, double *number)
{
	char *rest;

	if (!strchr(".0123456789", *text) || text[strcspn(text, "xX")])
		return -1;
	*number = strtod(text, &rest);
	if (rest == text)
		return -1;
	*end = rest;
	return 0;
}

int read_number(struct options *options, const struct option *option, const char *value)
{
	const char *end;
	u32 number;

	if (parse_count(value, &end, option->most, &number) || *end || number < option->least)
		return WRONG_VALUE;
	*(u32 *)option_member(options, option) = number;
	return 0;
}

int read_seconds(struct options *options, const struct option *option, const char *value)
{
	const char *end;
	double seconds;
	u64 ns;

	if (parse_decimal(value, &end, &seconds) || *end ||
	    !(seconds * NSEC_PER_SEC < GAPP_TIME_MAX))
		return WRONG_VALUE;
	ns = seconds * NSEC_PER_SEC + 0.5;
	*(u64 *)option_member(options, option) = ns;
	return ns < option->least ? WRONG_VALUE : 0;
}

/* Reads "10us", "1.5ms", "2s"; 0 needs no unit. */
int read_time(struct options *options, const struct option *option, const char *value)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = { { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };
	u64 *ns = option_member(options, option);
	const char *unit;
	double number;

	if (parse_decimal(value, &unit, &number))
		return WRONG_VALUE;
	if (!*unit && !number) {
		*ns = 0;
		return 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (strcmp(unit, units[i].name) || !(number * units[i].ns <= option->most))
			continue;
		*ns = number * units[i].ns + 0.5;
		return 0;
	}
	return WRONG_VALUE;
}

int read_word(struct options *options, const struct option *option, const char *value)
{
	for (u32 i = 0; option->words[i]; i++) {
		if (strcmp(option->words[i], value))
			continue;
		*(u32 *)option_member(options, option) = i;
		return 0;
	}
	return WRONG_VALUE;
}

static int add_pid(struct options *options, pid_t pid)
{
	pid_t *pids;

	for (size_t i = 0; i < options->pid_count; i++)
		if (options->pids[i] == pid)
			return 0;
	pids = reallocarray(options->pids, options->pid_count + 1, sizeof(*pids));
	if (!pids)
		return out_of_memory();
	pids[options->pid_count++] = pid;
	options->pids = pids;
	return 0;
}

int read_pids(struct options *options, const struct option *option, const char *value)
{
	u32 pid;

	do {
		if (parse_count(value, &value, option->most, &pid) || pid < option->least ||
		    (*value && *value != ','))
			return WRONG_VALUE;
		if (add_pid(options, pid))
			return -1;
	} while (*value++);
	return 0;
}

int read_path(struct options *options, const struct option *option, const char *value)
{
	const char **path = option_member(options, option);

	if (!*value)
		return WRONG_VALUE;
	if (*path)
		return GIVEN_TWICE;
	*path = value;
	return 0;
}

/* Whether a file's name says that it is a recording. */
static bool is_recording(const char *name)
{
	static const char suffix[] = ".data";
	size_t len = strlen(name);

	return len > strlen(suffix) && !strcmp(name + len - strlen(suffix), suffix);
}

static int read_save(struct options *options, const char *value)
{
	if (options->action != ACTION_RECORD && options->action != ACTION_MERGE) {
		complain(
			"-o %s: only record and merge write recordings: a copy of the file is as good",
			value);
		return -1;
	}
	if (options->save) {
		complain("-o %s: a recording can be written once", value);
		return -1;
	}
	options->save = value;
	return 0;
}

int read_output(struct options *options, const struct option *option, const char *value)
{
	const char **outputs;

	if (!*value)
		return WRONG_VALUE;
	if (is_recording(value))
		return read_save(options, value);
	for (size_t i = 0; i < options->output_count; i++) {
		if (strcmp(options->outputs[i], value))
			continue;
		complain("--%s %s: it can be written once", option->name, value);
		return -1;
	}
	if (outputs_check(value))
		return -1;
	outputs = reallocarray(options->outputs, options->output_count + 1, sizeof(*outputs));
	if (!outputs)
		return out_of_memory();
	outputs[options->output_count++] = value;
	options->outputs = outputs;
	return 0;
}

int read_reasons(struct options *options, _unused_ const struct option *option, const char *value)
{
	if (!*value)
		return WRONG_VALUE;
	if (options->rules)
		return GIVEN_TWICE;
	options->rules = wait_rules_read(value);
	return options->rules ? 0 : -1;
}

int read_condition(struct options *options, const struct option *option, const char *value)
{
	struct condition condition, *conditions;

	(void)option;
	if (condition_parse(&condition, value))
		return WRONG_VALUE;
	conditions = reallocarray(options->conditions, options->condition_count + 1,
				  sizeof(*conditions));
	if (!conditions)
		return out_of_memory();
	conditions[options->condition_count++] = condition;
	options->conditions = conditions;
	return 0;
}

int read_source_path(struct options *options, _unused_ const struct option *option,
		     const char *value)
{
	const char **paths;

	if (!*value)
		return WRONG_VALUE;
	paths = reallocarray(options->source_paths, options->source_path_count + 1, sizeof(*paths));
	if (!paths)
		return out_of_memory();
	paths[options->source_path_count++] = value;
	options->source_paths = paths;
	return 0;
}

int read_threshold(struct options *options, const struct option *option, const char *value)
{
	bool half = !strcmp(value, "half");

	options->n_min_mode = half ? GAPP_N_MIN_HALF : GAPP_N_MIN_FIXED;
	options->n_min = 0;
	return half ? 0 : read_number(options, option, value);
}

/* Reads "64M"; @most is its largest value. Returns 0, or WRONG_VALUE. */
static int read_size(const char *value, u64 most, u64 *size)
{
	static const char suffixes[] = "KMG";
	const char *suffix, *end;
	u32 number;

	if (parse_count(value, &end, UINT32_MAX, &number) || !number)
		return WRONG_VALUE;
	*size = number;
	suffix = *end ? strchr(suffixes, *end) : NULL;
	if (suffix) {
		*size <<= 10 * (suffix - suffixes + 1);
		end++;
	}
	return *end || *size > most ? WRONG_VALUE : 0;
}

int read_ring(struct options *options, const struct option *option, const char *value)
{
	u64 wanted;

	if (read_size(value, option->most, &wanted))
		return WRONG_VALUE;
	for (options->ring_bytes = GAPP_MIN_RING; options->ring_bytes < wanted;)
		options->ring_bytes *= 2;
	return 0;
}

int read_keep(struct options *options, _unused_ const struct option *option, const char *value)
{
	const struct option time = { .member = offsetof(struct options, keep_ns),
				     .most = KEEP_MOST_NS };
	const char *comma = strchr(value, ',');
	char text[32];
	size_t len = comma ? (size_t)(comma - value) : strlen(value);

	options->keep_bytes = KEEP_BYTES;
	if (len >= sizeof(text))
		return WRONG_VALUE;
	memcpy(text, value, len);
	text[len] = '\0';
	if (read_time(options, &time, text) || options->keep_ns < KEEP_LEAST_NS)
		return WRONG_VALUE;
	if (!comma)
		return 0;
	return read_size(comma + 1, KEEP_BYTES_MOST, &options->keep_bytes) ||
			       options->keep_bytes < KEEP_BYTES_LEAST ?
		       WRONG_VALUE :
		       0;
}

int read_trigger(struct options *options, _unused_ const struct option *option, const char *value)
{
	if (options->trigger.text)
		return GIVEN_TWICE;
	return trigger_parse(&options->trigger, value) ? WRONG_VALUE : 0;
}

int read_counters(struct options *options, _unused_ const struct option *option, const char *value)
{
	switch (tallies_parse(&options->counters, value)) {
	case 0:
		return 0;
	case TALLIES_TOO_MANY:
		complain(
			"--counters: the module counts %u at most, and local-memory takes two of them: give fewer",
			GAPP_TALLIES);
		return -1;
	default:
		return WRONG_VALUE;
	}
}

#define COPY_BYTES 8192

int read_call_graph(struct options *options, const struct option *option, const char *value)
{
	static const struct {
		const char *word;
		enum gapp_unwind_by unwind_by;
		bool verify;
		u32 stack_copy_bytes;
	} ways[] = {
		{ "auto", GAPP_UNWIND_BY_AUTO, false, GAPP_DEFAULT_STACK_COPY },
		{ "fp", GAPP_UNWIND_BY_FP, false, 0 },
		{ "table", GAPP_UNWIND_BY_TABLE, false, 0 },
		{ "copy", GAPP_UNWIND_BY_COPY, false, COPY_BYTES },
		{ "none", GAPP_UNWIND_BY_NONE, false, 0 },
		{ "verify", GAPP_UNWIND_BY_TABLE, true, GAPP_MAX_STACK_COPY },
	};

	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		if (strcmp(value, ways[i].word))
			continue;
		options->unwind_by = ways[i].unwind_by;
		options->verify = ways[i].verify;
		options->stack_copy_bytes = ways[i].stack_copy_bytes;
		return 0;
	}
	options->unwind_by = GAPP_UNWIND_BY_COPY;
	options->verify = false;
	if (strncmp(value, "copy,", strlen("copy,")) ||
	    read_number(options, option, value + strlen("copy,")))
		return WRONG_VALUE;
	return options->stack_copy_bytes % 8 ? WRONG_VALUE : 0;
}
