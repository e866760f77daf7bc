/* SPDX-License-Identifier: GPL-2.0 */
/* What --counters asks for: counters, and the tallies of the module that they are made of. */
#ifndef GAPP_READ_TALLIES_H
#define GAPP_READ_TALLIES_H

#include <stdbool.h>

#include <gapp.h>

#include "util/util.h"

/* Bytes of a counter's name, with its NUL. */
#define COUNTER_NAME_SIZE 24

/* Where the kernel names events of the processor, and where it names the processor itself. */
#define TALLY_EVENTS_FOLDER "/sys/bus/event_source/devices/cpu/events"
#define TALLY_CPU_FILE "/proc/cpuinfo"

enum {
	TALLY_NO_EVENT = 4096, /* no errno: gapp-read knows no event of this processor */
	TALLY_REFUSED_MAX = TALLY_NO_EVENT,
	TALLY_NONE = 0xff, /* no index of a tally */
};

/**
 * struct asked_tally - what the module is asked to add up
 * @source: enum gapp_tally_source
 * @type: as of struct gapp_add_tally
 * @config: as of struct gapp_add_tally
 * @refused: why it is not counted: an errno or TALLY_NO_EVENT; 0: it is counted
 */
struct asked_tally {
	u32 source;
	u32 type;
	u64 config;
	u32 refused;
};

/**
 * struct counter - a counter by the name that --counters has for it
 * @name: the name
 * @plus: index of its tally
 * @minus: index of the tally that is subtracted; TALLY_NONE: none is
 */
struct counter {
	char name[COUNTER_NAME_SIZE];
	u8 plus;
	u8 minus;
};

/**
 * struct tallies - what was asked for; all zero: nothing
 * @asked: tallies, each once, in the order in which the module is asked
 * @asked_count: elements of @asked
 * @counters: counters, each once
 * @count: elements of @counters
 */
struct tallies {
	struct asked_tally asked[GAPP_TALLIES];
	u32 asked_count;
	struct counter counters[GAPP_TALLIES];
	u32 count;
};

enum {
	TALLIES_UNKNOWN = 1, /* a name is not known */
	TALLIES_TOO_MANY = 2, /* they are more than GAPP_TALLIES tallies */
};

/* Adds the counters of a list such as "faults,cycles", or of "all". Returns 0, or TALLIES_*. */
int tallies_parse(struct tallies *tallies, const char *list);

/*
 * Finds events that have no name in the kernel's interface, but a number that depends on the
 * processor. @folder: TALLY_EVENTS_FOLDER; @cpu_file: TALLY_CPU_FILE.
 */
void tallies_find_events(struct tallies *tallies, const char *folder, const char *cpu_file);

/* The module's number of a tally, which counts those that are not refused; TALLY_NONE: refused. */
u8 tally_number(const struct tallies *tallies, u32 index);

/* How many tallies the module counts. */
u32 tallies_number(const struct tallies *tallies);

/* Why a counter is not counted: "this processor has no such counter"; NULL: it is counted. */
const char *counter_why_not(const struct tallies *tallies, const struct counter *counter);
bool tallies_any_counted(const struct tallies *tallies);

/* The index of a counter; TALLY_NONE: it was not asked for, or is not counted. */
u8 tallies_counted(const struct tallies *tallies, const char *name);

#define COUNTER_LOCAL_MEMORY "local-memory"
#define COUNTER_REMOTE_MEMORY "remote-memory"

#endif /* GAPP_READ_TALLIES_H */
