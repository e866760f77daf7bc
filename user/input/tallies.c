// SPDX-License-Identifier: GPL-2.0
#include "tallies.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include <linux/perf_event.h>

#define COUNTER_L2_MISSES "l2-misses"
/* Digits of 64 bits. */
#define HEX_DIGITS 16

#define HARDWARE(event)                                                       \
	{                                                                     \
		GAPP_TALLY_PERF, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##event, 0 \
	}
/* Loads from memory of NUMA nodes: all of them, or those that another node served. */
#define NODE_LOADS(result)                                                            \
	{                                                                             \
		GAPP_TALLY_PERF, PERF_TYPE_HW_CACHE,                                  \
			PERF_COUNT_HW_CACHE_NODE | PERF_COUNT_HW_CACHE_OP_READ << 8 | \
				PERF_COUNT_HW_CACHE_RESULT_##result << 16,            \
			0                                                             \
	}

/* A counter that has a name: @plus less @minus, if @differs. */
static const struct named {
	const char *name;
	struct asked_tally plus;
	struct asked_tally minus;
	bool differs;
} named[] = {
	{ .name = "faults", .plus = { .source = GAPP_TALLY_FAULTS } },
	{ .name = "migrations", .plus = { .source = GAPP_TALLY_MIGRATIONS } },
	{ .name = "instructions", .plus = HARDWARE(INSTRUCTIONS) },
	{ .name = "cycles", .plus = HARDWARE(CPU_CYCLES) },
	{ .name = "l3-misses", .plus = HARDWARE(CACHE_MISSES) },
	{ .name = COUNTER_L2_MISSES,
	  .plus = { GAPP_TALLY_PERF, PERF_TYPE_RAW, 0, TALLY_NO_EVENT } },
	{ .name = COUNTER_LOCAL_MEMORY,
	  .plus = NODE_LOADS(ACCESS),
	  .minus = NODE_LOADS(MISS),
	  .differs = true },
	{ .name = COUNTER_REMOTE_MEMORY, .plus = NODE_LOADS(MISS) },
};

static bool is_same(const struct asked_tally *a, const struct asked_tally *b)
{
	return a->source == b->source && a->type == b->type && a->config == b->config &&
	       a->refused == b->refused;
}

/* The index of a tally, which is added unless it is there; TALLY_NONE: there is no room. */
static u8 add_tally(struct tallies *tallies, const struct asked_tally *tally)
{
	u32 i = 0;

	while (i < tallies->asked_count && !is_same(&tallies->asked[i], tally))
		i++;
	if (i == GAPP_TALLIES)
		return TALLY_NONE;
	if (i == tallies->asked_count)
		tallies->asked[tallies->asked_count++] = *tally;
	return i;
}

static int add_counter(struct tallies *tallies, const struct named *one)
{
	struct counter *counter = &tallies->counters[tallies->count];
	u8 plus, minus = TALLY_NONE;

	for (u32 i = 0; i < tallies->count; i++)
		if (!strcmp(tallies->counters[i].name, one->name))
			return 0;
	plus = add_tally(tallies, &one->plus);
	if (one->differs)
		minus = add_tally(tallies, &one->minus);
	if (tallies->count == GAPP_TALLIES || plus == TALLY_NONE ||
	    (one->differs && minus == TALLY_NONE))
		return TALLIES_TOO_MANY;
	snprintf(counter->name, sizeof(counter->name), "%s", one->name);
	counter->plus = plus;
	counter->minus = minus;
	tallies->count++;
	return 0;
}

/* Adds the event "rHEX" of the processor. */
static int add_raw(struct tallies *tallies, const char *name, size_t len)
{
	struct named raw = { .plus = { .source = GAPP_TALLY_PERF, .type = PERF_TYPE_RAW } };
	char digits[HEX_DIGITS + 1], canonical[COUNTER_NAME_SIZE];

	if (len < 2 || len > HEX_DIGITS + 1 || name[0] != 'r')
		return TALLIES_UNKNOWN;
	memcpy(digits, name + 1, len - 1);
	digits[len - 1] = '\0';
	if (strspn(digits, "0123456789abcdefABCDEF") != len - 1)
		return TALLIES_UNKNOWN;
	raw.plus.config = strtoull(digits, NULL, 16);
	snprintf(canonical, sizeof(canonical), "r%llx", (unsigned long long)raw.plus.config);
	raw.name = canonical;
	return add_counter(tallies, &raw);
}

static int add_name(struct tallies *tallies, const char *name, size_t len)
{
	const bool all = len == strlen("all") && !memcmp(name, "all", len);
	int error = 0;

	for (size_t i = 0; i < ARRAY_SIZE(named) && !error; i++) {
		if (all)
			error = add_counter(tallies, &named[i]);
		else if (strlen(named[i].name) == len && !memcmp(named[i].name, name, len))
			return add_counter(tallies, &named[i]);
	}
	return all ? error : add_raw(tallies, name, len);
}

int tallies_parse(struct tallies *tallies, const char *list)
{
	int error;

	do {
		size_t len = strcspn(list, ",");

		error = add_name(tallies, list, len);
		list += len;
	} while (!error && *list++);
	return error;
}

/* A term such as "event=0x24" of an event of sysfs. False: it is another one. */
static bool take_term(const char *term, const char *name, u64 most, u64 *value)
{
	size_t len = strlen(name);
	char *end;

	if (strncmp(term, name, len) || term[len] != '=' || !isdigit((unsigned char)term[len + 1]))
		return false;
	*value = strtoull(term + len + 1, &end, 0);
	return !*end && *value <= most;
}

/* Reads "event=0x24,umask=0x3f". False: the event needs what gapp-read does not know. */
static bool read_event(FILE *file, u64 *config)
{
	u64 event = 0, umask = 0;
	char line[128], *rest = line;
	bool known = false;
	char *term;

	if (!fgets(line, sizeof(line), file))
		return false;
	line[strcspn(line, "\n")] = '\0';
	while ((term = strsep(&rest, ","))) {
		if (take_term(term, "event", 0xff, &event))
			known = true;
		else if (!take_term(term, "umask", 0xff, &umask))
			return false;
	}
	*config = umask << 8 | event;
	return known;
}

/* Names under which kernels have had the misses of second-level caches. */
static bool event_of_kernel(const char *folder, u64 *config)
{
	static const char *const names[] = { "l2-misses", "l2-cache-misses", "l2_rqsts.miss" };
	bool found = false;

	for (size_t i = 0; i < ARRAY_SIZE(names) && !found; i++) {
		char path[256];
		FILE *file;

		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		file = fopen(path, "re");
		if (!file)
			continue;
		found = read_event(file, config);
		fclose(file);
	}
	return found;
}

/* By who made the processor: Intel's L2_RQSTS.MISS, AMD's misses of L2CacheReqStat. */
static bool event_of_vendor(const char *cpu_file, u64 *config)
{
	static const struct {
		const char *vendor;
		u64 config;
	} events[] = { { "GenuineIntel", 0x3f24 }, { "AuthenticAMD", 0x0964 } };
	FILE *file = fopen(cpu_file, "re");
	char line[256], vendor[32] = "";

	while (file && !*vendor && fgets(line, sizeof(line), file))
		if (sscanf(line, "vendor_id : %31s", vendor) != 1)
			*vendor = '\0';
	if (file)
		fclose(file);
	for (size_t i = 0; i < ARRAY_SIZE(events); i++) {
		if (strcmp(vendor, events[i].vendor))
			continue;
		*config = events[i].config;
		return true;
	}
	return false;
}

void tallies_find_events(struct tallies *tallies, const char *folder, const char *cpu_file)
{
	for (u32 i = 0; i < tallies->asked_count; i++) {
		struct asked_tally *tally = &tallies->asked[i];

		if (tally->refused == TALLY_NO_EVENT && (event_of_kernel(folder, &tally->config) ||
							 event_of_vendor(cpu_file, &tally->config)))
			tally->refused = 0;
	}
}

u8 tally_number(const struct tallies *tallies, u32 index)
{
	u8 number = 0;

	if (index >= tallies->asked_count || tallies->asked[index].refused)
		return TALLY_NONE;
	for (u32 i = 0; i < index; i++)
		number += !tallies->asked[i].refused;
	return number;
}

u32 tallies_number(const struct tallies *tallies)
{
	u32 number = 0;

	for (u32 i = 0; i < tallies->asked_count; i++)
		number += !tallies->asked[i].refused;
	return number;
}

static const char *why_not(const struct asked_tally *tally)
{
	const bool perf = tally->source == GAPP_TALLY_PERF;

	switch (tally->refused) {
	case 0:
		return NULL;
	case TALLY_NO_EVENT:
		return "gapp-read knows no event of this processor for it: give it as rHEX";
	case EPERM:
	case EACCES:
		return "only who has CAP_PERFMON may count it: run gapp-read with sudo";
	case ENOENT:
	case ENODEV:
	case EOPNOTSUPP:
	case EINVAL:
		return perf ? "this processor, or this virtual machine, has no such counter" :
			      "this kernel does not tell of it";
	case EAGAIN:
	case EBUSY:
	case ENOSPC:
		return "the processor has no counter left: give fewer --counters";
	case ENOMEM:
		return "the kernel has too little memory";
	default:
		return strerror(tally->refused);
	}
}

const char *counter_why_not(const struct tallies *tallies, const struct counter *counter)
{
	const char *why = why_not(&tallies->asked[counter->plus]);

	if (!why && counter->minus != TALLY_NONE)
		why = why_not(&tallies->asked[counter->minus]);
	return why;
}

bool tallies_any_counted(const struct tallies *tallies)
{
	for (u32 i = 0; i < tallies->count; i++)
		if (!counter_why_not(tallies, &tallies->counters[i]))
			return true;
	return false;
}

u8 tallies_counted(const struct tallies *tallies, const char *name)
{
	for (u32 i = 0; i < tallies->count; i++)
		if (!strcmp(tallies->counters[i].name, name))
			return counter_why_not(tallies, &tallies->counters[i]) ? TALLY_NONE : i;
	return TALLY_NONE;
}
