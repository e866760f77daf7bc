// SPDX-License-Identifier: GPL-2.0
/*
 * n alone is shared, or not even that: each CPU logs its changes, or counts for itself. G and C of
 * a log are found by whoever merges all of them afterwards.
 */
#include "schemes.h"

/* 1 MB for each CPU, as a ring for records has. */
#define LOG_LENGTH 65536U

/**
 * struct logged - a change
 * @t: session time
 * @dn: what was added to n
 */
struct logged {
	u64 t;
	s64 dn;
};

static struct log {
	u64 count;
	struct logged *entries;
} ____cacheline_aligned logs[MOST_WORKERS];

static struct {
	u32 n;
} shared ____cacheline_aligned;

static struct {
	u64 start_ns;
	u32 workers, n, n_min;
} facts ____cacheline_aligned;

static struct logged room[MOST_WORKERS][LOG_LENGTH];

static struct own {
	u64 t, s;
	s64 n;
} ____cacheline_aligned owns[MOST_WORKERS];

static void log_begin(u32 workers, u32 n, u32 n_min, u64 start_ns)
{
	u32 i;

	facts.start_ns = start_ns;
	facts.workers = workers;
	facts.n = n;
	facts.n_min = n_min;
	shared.n = n;
	for (i = 0; i < workers; i++) {
		logs[i].count = 0;
		logs[i].entries = room[i];
	}
}

static inline void log_change(struct worker *worker, int dn, struct gapp_at *at)
{
	struct log *log = &logs[worker->number];
	struct logged *entry = &log->entries[log->count++ % LOG_LENGTH];

	at->n = gapp_fetch_add_u32(&shared.n, dn) + dn;
	at->t = time_since(facts.start_ns);
	entry->t = at->t;
	entry->dn = dn;
}

static inline void log_read(struct worker *worker, struct gapp_at *at)
{
	(void)worker;
	at->n = READ_ONCE(shared.n);
	at->t = time_since(facts.start_ns);
}

/* Whose next entry is the oldest; workers if there is none. */
static u32 oldest(const u64 *next)
{
	u32 i, found = facts.workers;

	for (i = 0; i < facts.workers; i++)
		if (next[i] < logs[i].count &&
		    (found == facts.workers ||
		     logs[i].entries[next[i]].t < logs[found].entries[next[found]].t))
			found = i;
	return found;
}

/* Nothing may be lost: no more changes of a worker than LOG_LENGTH. */
static void log_finish(u64 now, struct gapp_at *at)
{
	u64 next[MOST_WORKERS] = { 0 }, t = 0;
	u32 i, n = facts.n;

	memset(at, 0, sizeof(*at));
	for (;;) {
		const struct logged end = { .t = now }, *entry = &end;

		i = oldest(next);
		if (i < facts.workers)
			entry = &logs[i].entries[next[i]++];
		at->g += share_of(entry->t - t, n);
		at->c += n <= facts.n_min ? share_of(entry->t - t, n) : 0;
		at->s += (entry->t - t) * n;
		t = entry->t;
		n += entry->dn;
		if (i == facts.workers)
			break;
	}
	at->t = now;
	at->n = n;
}

#define SCHEME log
#include "scheme_loops.h"

const struct scheme scheme_log = {
	.name = "log",
	.title = "D: n added to atomically, changes logged by each CPU, G and C found later",
	.merges = true,
	.at_once = HAS_N,
	.at_end = HAS_ALL,
	.ops = &log_ops,
};

static void apart_begin(u32 workers, u32 n, u32 n_min, u64 start_ns)
{
	(void)n_min;
	facts.start_ns = start_ns;
	facts.workers = workers;
	memset(owns, 0, sizeof(owns));
	owns[0].n = n;
}

static inline void apart_change(struct worker *worker, int dn, struct gapp_at *at)
{
	struct own *own = &owns[worker->number];
	u64 now = time_since(facts.start_ns);

	own->s += (now - own->t) * own->n;
	own->t = now;
	WRITE_ONCE(own->n, own->n + dn);
	at->t = now;
}

static inline void apart_read(struct worker *worker, struct gapp_at *at)
{
	u32 i, n = 0;

	(void)worker;
	for (i = 0; i < facts.workers; i++)
		n += READ_ONCE(owns[i].n);
	at->n = n;
	at->t = time_since(facts.start_ns);
}

static void apart_finish(u64 now, struct gapp_at *at)
{
	u32 i;

	memset(at, 0, sizeof(*at));
	for (i = 0; i < facts.workers; i++) {
		at->s += owns[i].s + (now - owns[i].t) * owns[i].n;
		at->n += owns[i].n;
	}
	at->t = now;
}

#define SCHEME apart
#include "scheme_loops.h"

const struct scheme scheme_apart = {
	.name = "apart",
	.title = "E: each CPU counts for itself",
	.at_once = 0,
	.at_end = HAS_N | HAS_S,
	.ops = &apart_ops,
};
