// SPDX-License-Identifier: GPL-2.0
#include "wakers.h"

#include <stdio.h>
#include <unistd.h>

#include "records.h"

#define WAKE_UPS 20

struct seen {
	u64 wakes;
	u64 by_us;
	u64 by_irq;
	u64 by_timer;
	u64 paths;
	u64 identities;
};

static void count(struct seen *seen, u32 flags, s32 tid, s32 tgid)
{
	seen->by_us += flags & GAPP_SLICE_WAKER && tid == t_gettid() && tgid == getpid();
	seen->by_irq += (flags & GAPP_SLICE_WOKEN_BY_IRQ) != 0;
	seen->by_timer += (flags & GAPP_SLICE_IRQ_TIMER) != 0;
	seen->paths += (flags & GAPP_SLICE_WAKER_PATH) != 0;
	seen->identities += flags & GAPP_SLICE_WAKER || tid || tgid;
}

static void see(const struct gapp_record *record, void *arg)
{
	const struct gapp_record_slice *slice = (const void *)record;
	const struct gapp_record_wait *wait = (const void *)record;
	const struct gapp_record_wake *wake = (const void *)record;
	struct seen *seen = arg;

	switch (record->type) {
	case GAPP_RECORD_SLICE:
		count(seen, slice->flags, slice->waker_tid, slice->waker_tgid);
		break;
	case GAPP_RECORD_WAIT:
		count(seen, wait->flags, wait->waker_tid, wait->waker_tgid);
		break;
	case GAPP_RECORD_WAKE:
		seen->wakes++;
		count(seen, wake->flags, wake->waker_tid, wake->waker_tgid);
		break;
	}
}

/* Answers each word, and then sleeps until a timer ends it. */
static void answers(struct t_child *parent, void *unused)
{
	(void)unused;
	t_tell(parent);
	for (;;) {
		t_hear(parent);
		t_sleep(NSEC_PER_MSEC);
		t_tell(parent);
	}
}

static struct seen run(u32 flags)
{
	struct gapp_config config = t_config(GAPP_LEVEL_TRACE);
	struct t_child child = t_fork(answers, NULL);
	struct seen seen = { 0 };
	struct r_reader reader;
	int fd;

	config.flags = flags;
	fd = t_session(&config);
	t_hear(&child);
	r_open(&reader, fd);
	reader.see = see;
	reader.arg = &seen;
	t_add(fd, child.pid, 0);
	t_expect(t_start(fd), T_OK, "START");
	for (int i = 0; i < WAKE_UPS; i++) {
		t_tell(&child);
		t_hear(&child);
	}
	t_expect(t_stop(fd), T_OK, "STOP");
	r_drain(&reader);
	t_check(!reader.tally.bad, "all records make sense", "%llu do not: %s", reader.tally.bad,
		reader.tally.why);
	r_close(&reader);
	close(fd);
	t_kill(&child);
	return seen;
}

void wakers_check(bool told)
{
	struct seen seen = run(GAPP_CONFIG_WAKERS);

	t_check(seen.wakes >= WAKE_UPS && seen.by_irq >= WAKE_UPS / 2, "wake-ups by timers say so",
		"%llu of %llu", seen.by_irq, seen.wakes);
	if (told)
		t_check(seen.by_us >= WAKE_UPS / 2, "a foreign waker is told", "%llu of %llu",
			seen.by_us, seen.wakes);
	else
		t_check(!seen.identities, "a foreign waker's identity is not told", "%llu of %llu",
			seen.identities, seen.wakes);
	seen = run(GAPP_CONFIG_WAKERS | GAPP_CONFIG_WAKER_PATHS);
	t_check(seen.wakes >= WAKE_UPS && !seen.paths && (told || !seen.identities),
		"a foreign waker has no path", "%llu of %llu, identities %llu", seen.paths,
		seen.wakes, seen.identities);
	t_check(seen.by_timer >= WAKE_UPS / 2 && seen.by_timer <= seen.by_irq,
		"a timer is told from other interrupts", "%llu of %llu", seen.by_timer,
		seen.by_irq);
	seen = run(0);
	t_check(seen.wakes >= WAKE_UPS && !seen.by_irq && !seen.identities,
		"no waker is told if none is asked for", "%llu of %llu",
		seen.by_irq + seen.identities, seen.wakes);
}
