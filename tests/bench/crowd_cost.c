// SPDX-License-Identifier: GPL-2.0
/* What the loop costs with and without sessions; and how much a ring holds. */
#include "crowd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Work that was put off when a session came or went is done by then. */
#define SETTLE_NS (20 * NSEC_PER_MSEC)

/* Context switches of the machine. */
static u64 switches_so_far(void)
{
	unsigned long long count = 0;
	FILE *file = fopen("/proc/stat", "r");
	char *line = NULL;
	size_t room = 0;
	bool found = false;

	if (!file)
		t_die("/proc/stat");
	while (!found && getline(&line, &room, file) > 0)
		found = sscanf(line, "ctxt %llu", &count) == 1;
	fclose(file);
	free(line);
	if (!found)
		t_die("/proc/stat has no ctxt");
	return count;
}

/**
 * struct run - the rounds, once
 * @ns: they took
 * @switches: of the machine meanwhile
 * @events: of those, calls of the probe, by the first session's own count; 0: without session
 */
struct run {
	u64 ns;
	u64 switches;
	u64 events;
};

static void rounds(struct people *people, struct run *run)
{
	u64 before = switches_so_far();

	run->ns = people_run(people);
	run->switches = switches_so_far() - before;
}

static void run_without(struct people *people, struct run *run)
{
	t_sleep(SETTLE_NS);
	rounds(people, run);
}

static void run_with(struct people *people, struct run *run)
{
	struct gapp_counters before, after;
	struct sessions sessions;

	sessions_open(&sessions, people->crowd, people->target.pid);
	sessions_start(&sessions);
	t_sleep(SETTLE_NS);
	t_counters(sessions.fds[0], &before);
	rounds(people, run);
	t_counters(sessions.fds[0], &after);
	run->events = after.switches - before.switches;
	sessions_stop(&sessions);
	sessions_close(&sessions);
}

static void print_pair(const struct crowd *crowd, u32 pair, const struct run *on,
		       const struct run *off)
{
	printf("{\"name\": \"%s\", \"loop\": \"pipe\", \"pair\": %u, \"on\": %llu, \"off\": %llu, \"reader\": 0, \"rounds\": %u, \"switches\": %llu, \"switches_off\": %llu, \"followed\": %llu}\n",
	       crowd->name, pair, on->ns, off->ns, crowd->rounds, on->switches, off->switches,
	       on->events);
	fflush(stdout);
}

/* The order is turned round every other time, so that a drift adds to both. */
void crowd_cost(const struct crowd *crowd)
{
	struct people people;
	struct run on, off;

	people_make(&people, crowd);
	run_without(&people, &off);
	for (u32 pair = 0; pair < crowd->pairs; pair++) {
		memset(&on, 0, sizeof(on));
		memset(&off, 0, sizeof(off));
		if (pair % 2)
			run_without(&people, &off);
		run_with(&people, &on);
		if (!(pair % 2))
			run_without(&people, &off);
		print_pair(crowd, pair, &on, &off);
	}
	people_kill(&people);
}

/* One CPU: its ring takes all. */
void crowd_hold(const struct crowd *crowd)
{
	struct gapp_counters counters = { 0 };
	struct sessions sessions;
	struct gapp_layout layout;
	struct people people;

	people_make(&people, crowd);
	sessions_open(&sessions, crowd, people.target.pid);
	errno = -t_ioctl(sessions.fds[0], GAPP_IOC_LAYOUT, &layout);
	if (errno)
		t_die("LAYOUT");
	sessions_start(&sessions);
	for (u32 tries = 0; tries < crowd->pairs && !counters.lost[GAPP_LOST_RING]; tries++) {
		people_run(&people);
		t_counters(sessions.fds[0], &counters);
	}
	printf("{\"name\": \"%s\", \"ring_bytes\": %u, \"records\": %llu, \"lost\": %llu, \"slices\": %llu}\n",
	       crowd->name, layout.ring_bytes, counters.records, counters.lost[GAPP_LOST_RING],
	       counters.slices);
	sessions_stop(&sessions);
	sessions_close(&sessions);
	people_kill(&people);
}
