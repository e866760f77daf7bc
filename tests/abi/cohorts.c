// SPDX-License-Identifier: GPL-2.0
/* GROUPS: one for the session, or one for each process. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "busy.h"
#include "groups.h"
#include "records.h"

#define MAX_GROUPS 2048

static struct gapp_target_figures groups[MAX_GROUPS];

static u32 read_groups(int fd, u32 capacity)
{
	struct gapp_page page = { .capacity = capacity };
	u32 count = 0;

	memset(groups, 0xAA, sizeof(groups));
	do {
		if (capacity > MAX_GROUPS - count)
			page.capacity = MAX_GROUPS - count;
		if (!page.capacity)
			break;
		page.buffer = (uintptr_t)&groups[count];
		page.count = 0;
		errno = -t_ioctl(fd, GAPP_IOC_TARGETS, &page);
		if (errno)
			t_die("GROUPS");
		count += page.count;
	} while (page.count);
	return count;
}

static const struct gapp_target_figures *find(u32 count, pid_t tgid)
{
	for (u32 i = 0; i < count; i++)
		if (groups[i].tgid == tgid)
			return &groups[i];
	return NULL;
}

static bool row_is_sane(const struct gapp_target_figures *row, u32 number, u64 wall_ns)
{
	return row->id == number && !row->flags && !row->spun_ns && row->c <= row->g &&
	       row->idle_ns <= row->wall_ns && row->wall_ns <= wall_ns &&
	       row->g >> GAPP_SHARE_SHIFT <= row->wall_ns && row->critical_runq <= row->c &&
	       row->n_min && strnlen((char *)row->comm, GAPP_COMM_LEN) < GAPP_COMM_LEN;
}

static void check_rows(int fd, u32 count, const char *name)
{
	u64 g = 0, c = 0, s = 0, idle = 0, runq = 0;
	struct gapp_counters counters;
	struct gapp_status status;
	u32 bad = 0, worst = 0;

	t_status(fd, &status);
	t_counters(fd, &counters);
	for (u32 i = 0; i < count; i++) {
		if (!row_is_sane(&groups[i], i, status.wall_ns)) {
			bad++;
			worst = i;
		}
		g += groups[i].g;
		c += groups[i].c;
		s += groups[i].s;
		idle += groups[i].idle_ns;
		runq += groups[i].critical_runq;
	}
	t_check(count && !bad && g == status.g && c == status.c && s == status.s &&
			idle == status.idle_ns && runq == counters.critical_runq,
		name, "%u groups, %u bad (number %u: g %llu, idle %llu, wall %llu), g %llu of %llu",
		count, bad, worst, groups[worst].g, groups[worst].idle_ns, groups[worst].wall_ns, g,
		status.g);
}

void groups_one(void)
{
	struct gapp_config config = t_config(GAPP_LEVEL_CRITICAL);
	unsigned int ms = 100;
	struct t_child target = t_fork(busy_mixed, &ms);
	int fd = t_session(&config);
	u32 count;

	t_hear(&target);
	t_check(!read_groups(fd, 4), "no group before START", " ");
	t_add(fd, target.pid, 0);
	t_expect(t_start(fd), T_OK, "START");
	t_check(read_groups(fd, 4) == 1, "one while running", " ");
	t_tell(&target);
	t_hear(&target);
	t_expect(t_stop(fd), T_OK, "STOP");
	count = read_groups(fd, 4);
	t_check(count == 1 && !groups[0].tgid && !groups[0].comm[0],
		"one after STOP, of no process", "%u, tgid %d", count, groups[0].tgid);
	check_rows(fd, count, "it is the session's");
	close(fd);
	t_kill(&target);
}

/* Which groups records name, and with which processes. */
struct seen {
	u64 of[MAX_GROUPS];
	s32 tgid[MAX_GROUPS];
	u64 share[MAX_GROUPS];
	u64 unknown;
	u64 mixed;
};

static void see(const struct gapp_record *record, void *arg)
{
	const struct gapp_record_slice *slice = (const void *)record;
	const struct gapp_record_wait *wait = (const void *)record;
	const struct gapp_record_wake *wake = (const void *)record;
	struct seen *seen = arg;
	u32 group = MAX_GROUPS;
	s32 tgid = 0;

	switch (record->type) {
	case GAPP_RECORD_SLICE:
		group = slice->target;
		tgid = slice->tgid;
		break;
	case GAPP_RECORD_WAIT:
		group = wait->target;
		tgid = wait->tgid;
		break;
	case GAPP_RECORD_WAKE:
		group = wake->target;
		tgid = wake->tgid;
		break;
	default:
		return;
	}
	if (group >= MAX_GROUPS) {
		seen->unknown++;
		return;
	}
	seen->mixed += seen->of[group] && seen->tgid[group] != tgid;
	seen->of[group]++;
	seen->tgid[group] = tgid;
	if (record->type == GAPP_RECORD_SLICE)
		seen->share[group] += slice->critical_share;
}

static void check_seen(const struct seen *seen, u32 count)
{
	u32 strange = 0, silent = 0;
	bool all = true;

	for (u32 i = 0; i < MAX_GROUPS; i++) {
		u64 wanted = i < count ? groups[i].c - groups[i].critical_runq : 0;
		u64 slack = 10000ULL << GAPP_SHARE_SHIFT;

		if (seen->of[i] && (i >= count || groups[i].tgid != seen->tgid[i]))
			strange++;
		if (i < count && groups[i].c && !seen->of[i])
			silent++;
		if (seen->share[i] + slack < wanted || seen->share[i] > wanted + slack)
			all = false;
	}
	t_check(!strange && !seen->unknown && !seen->mixed,
		"records name groups that exist, of their process",
		"%u do not, %llu out of range, %llu of several processes", strange, seen->unknown,
		seen->mixed);
	t_check(!silent && all, "all critical share of each group is in its records",
		"%u groups have no record", silent);
}

void groups_each(void)
{
	static struct seen seen;
	struct gapp_config config = t_config(GAPP_LEVEL_TRACE);
	unsigned int ms = 300;
	struct t_child first = t_fork(busy_mixed, &ms), second = t_fork(busy_mixed, &ms);
	struct t_child idle = t_fork(t_idle, NULL);
	struct gapp_status status;
	struct r_reader reader;
	u32 count, again;
	int fd;

	config.flags = GAPP_CONFIG_PER_PROCESS;
	config.ring_bytes = 4U << 20;
	fd = t_session(&config);
	t_hear(&first);
	t_hear(&second);
	t_hear(&idle);
	r_open(&reader, fd);
	memset(&seen, 0, sizeof(seen));
	reader.see = see;
	reader.arg = &seen;
	t_add(fd, first.pid, 0);
	t_add(fd, idle.pid, 0);
	t_expect(t_start(fd), T_OK, "START");
	t_check(read_groups(fd, 1) == 2, "a group for each process", " ");
	t_expect(t_add(fd, second.pid, 0), T_OK, "another process, while running");
	t_tell(&first);
	t_tell(&second);
	r_follow(&reader, &first);
	r_follow(&reader, &second);
	t_expect(t_stop(fd), T_OK, "STOP");
	r_drain(&reader);

	again = read_groups(fd, 1);
	count = read_groups(fd, 100);
	t_check(count == again && count > 3 && find(count, first.pid) && find(count, second.pid) &&
			find(count, idle.pid),
		"a group for each process, and for those they forked", "%u, and %u one by one",
		count, again);
	check_rows(fd, count, "together they are the session");
	t_status(fd, &status);
	t_check(!status.n && !status.n_min, "the session has no n of its own", "n %u, n_min %u",
		status.n, status.n_min);
	t_check(!reader.tally.bad, "all records make sense", "%llu do not: %s", reader.tally.bad,
		reader.tally.why);
	check_seen(&seen, count);
	r_close(&reader);
	close(fd);
	t_kill(&first);
	t_kill(&second);
	t_kill(&idle);
}
