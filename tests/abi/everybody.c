// SPDX-License-Identifier: GPL-2.0
/* GAPP_CONFIG_ALL: every process of the machine, and those that come later. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "busy.h"
#include "groups.h"
#include "records.h"

#define INIT 1
#define KTHREADD 2
#define PAGE 64

static bool has_group(int fd, pid_t tgid)
{
	struct gapp_target_figures groups[PAGE];
	struct gapp_page page = { .buffer = (uintptr_t)groups, .capacity = PAGE };
	bool found = false;

	do {
		page.count = 0;
		errno = -t_ioctl(fd, GAPP_IOC_TARGETS, &page);
		if (errno)
			t_die("GROUPS");
		for (u32 i = 0; i < page.count; i++)
			found |= groups[i].tgid == tgid;
	} while (page.count);
	return found;
}

static void check_who(int fd, pid_t before, pid_t later, u32 flags)
{
	struct t_rows rows = t_rows(fd, GAPP_IOC_THREADS, GAPP_PAGE_MAX);

	t_check(t_find(&rows, INIT) && t_find(&rows, before) && t_find(&rows, later),
		"whoever was there is followed, and who comes later", "%zu rows", rows.count);
	t_check(!t_find(&rows, KTHREADD) && !t_find(&rows, getpid()),
		"kernel threads are not, nor is the opener", "%zu rows", rows.count);
	if (flags & GAPP_CONFIG_PER_PROCESS)
		t_check(has_group(fd, INIT) && has_group(fd, before) && has_group(fd, later) &&
				!has_group(fd, getpid()),
			"each of them has a group", "one has none, or the opener has one");
	free(rows.rows);
}

static void follow(u32 flags)
{
	struct gapp_config config = t_config(GAPP_LEVEL_CRITICAL);
	struct t_child before = t_fork(t_idle, NULL), later;
	struct gapp_status status;
	struct r_reader reader;
	unsigned int ms = 200;
	int fd;

	t_hear(&before);
	config.flags = GAPP_CONFIG_ALL | flags;
	config.rate_hz = 1000;
	fd = t_session(&config);
	r_open(&reader, fd);
	t_expect(t_start(fd), T_OK, "START without a target");
	later = t_fork(busy_mixed, &ms);
	t_hear(&later);
	t_tell(&later);
	r_follow(&reader, &later);
	t_expect(t_stop(fd), T_OK, "STOP");
	r_drain(&reader);

	check_who(fd, before.pid, later.pid, flags);
	t_status(fd, &status);
	t_check(status.flags & GAPP_STATUS_RECOUNT_OK && !status.unexpected && !status.not_followed,
		"the recount agrees", "%u differ, %llu odd, %llu not followed",
		status.recount_differ, status.unexpected, status.not_followed);
	t_check(reader.tally.slices && !reader.tally.bad, "there are records, all make sense",
		"%llu slices, %llu bad: %s", reader.tally.slices, reader.tally.bad,
		reader.tally.why);
	if (!(flags & GAPP_CONFIG_PER_PROCESS))
		t_sums(fd, "sums");
	r_close(&reader);
	close(fd);
	t_kill(&before);
	t_kill(&later);
}

void everybody_as_one(void)
{
	follow(0);
}

void everybody_apart(void)
{
	follow(GAPP_CONFIG_PER_PROCESS);
}
