// SPDX-License-Identifier: GPL-2.0
/*
 * To register a probe the kernel patches its code, for which it may interrupt every CPU. So the
 * probes of a session stay registered for a while after its end, for nobody, and the next session
 * of the same kind takes its seat: it only sets the pointer that the probes read.
 */
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include "compat/workqueue.h"
#include "switch.h"

/*
 * Seats that are kept: as many as there are kinds of sessions, with level stats, critical, trace,
 * and trace without call paths, and all but the first without wakers, with them or with their call
 * paths, and without sums of waits, with them, or with handovers too; and of the last, with the
 * files of waits; and all but the first with locks in the kernel. So who opens sessions of all
 * kinds by turns finds a seat for each, but for those with tallies, which make twice as many kinds.
 * A seat costs a look at two bits at every event of the scheduler, and one that sees locks at every
 * lock of the kernel that is contended.
 */
#define MAX_VACANT 73
/* How often is looked whether the time of a seat is over. */
#define LOOK_JIFFIES HZ

static unsigned int keep_probes_s = 10;
module_param(keep_probes_s, uint, 0644);
MODULE_PARM_DESC(keep_probes_s, "how long probes stay registered after a session, in s (10)");

/* Follows no thread: all that probes look at is 0. */
static struct gapp_session nobody;

/* Protects the list and its seats. Probes read a seat's session without it. */
static DEFINE_MUTEX(seats_lock);
static LIST_HEAD(seats);

static void unregister_vacant(struct work_struct *unused);
static DECLARE_DELAYED_WORK(vacancy, unregister_vacant);

static u64 keep_jiffies(void)
{
	return (u64)READ_ONCE(keep_probes_s) * HZ;
}

static bool is_vacant(const struct gapp_seat *seat)
{
	return seat->session == &nobody;
}

static bool is_vacant_of(const struct gapp_seat *seat, const struct gapp_probe_kind *kind)
{
	return is_vacant(seat) && !memcmp(&seat->kind, kind, sizeof(*kind));
}

/* A vacant seat with the probes that a session needs, or NULL. Under the lock. */
static struct gapp_seat *find_vacant(const struct gapp_probe_kind *kind)
{
	struct gapp_seat *seat;

	list_for_each_entry(seat, &seats, node)
		if (is_vacant_of(seat, kind))
			return seat;
	return NULL;
}

/* Under the lock. NULL: there is no memory. */
static struct gapp_seat *add_seat(const struct gapp_probe_kind *kind)
{
	struct gapp_seat *seat = kzalloc(sizeof(*seat), GFP_KERNEL);

	if (!seat)
		return NULL;
	seat->session = &nobody;
	seat->kind = *kind;
	if (gapp_probes_register(seat)) {
		gapp_probes_wait();
		kfree(seat);
		return NULL;
	}
	list_add(&seat->node, &seats);
	return seat;
}

/**
 * gapp_seat_take() - the session's threads have events from now on
 * @session: the session
 *
 * Return: 0, or -ENOMEM and no events come.
 */
int gapp_seat_take(struct gapp_session *session)
{
	const struct gapp_settings *settings = &session->settings;
	const bool pathless = settings->level == GAPP_LEVEL_TRACE &&
			      settings->paths_at_first == GAPP_PATHS_KNOWN;
	const struct gapp_probe_kind kind = {
		.stats = settings->level == GAPP_LEVEL_STATS,
		.trace = settings->level == GAPP_LEVEL_TRACE,
		.pathless = pathless,
		.wakers = settings->wakers,
		.waits = settings->waits,
		.handovers = settings->handovers,
		.waker_paths = settings->waker_paths,
		.files = pathless && (settings->wait_files || settings->kernel_locks ||
				      settings->slice_tallies),
		.locks = settings->kernel_locks,
		.tallies = settings->tallies,
	};
	struct gapp_seat *seat;

	mutex_lock(&seats_lock);
	seat = find_vacant(&kind) ?: add_seat(&kind);
	if (seat) {
		session->seat = seat;
		/* Pairs with the read in gapp_session_in(): the session is seen as it is now. */
		smp_store_release(&seat->session, session);
		WRITE_ONCE(gapp_budget_sessions, gapp_budget_sessions + 1);
	}
	mutex_unlock(&seats_lock);
	return seat ? 0 : -ENOMEM;
}

/* Under the lock: the seat leaves the list for @gone, and is freed after gapp_probes_wait(). */
static void remove_seat(struct gapp_seat *seat, struct list_head *gone)
{
	gapp_probes_unregister(seat);
	list_move(&seat->node, gone);
}

static void free_seats(struct list_head *gone)
{
	struct gapp_seat *seat, *next;

	list_for_each_entry_safe(seat, next, gone, node)
		kfree(seat);
}

/* Under the lock. */
static u32 count_vacant(void)
{
	struct gapp_seat *seat;
	u32 count = 0;

	list_for_each_entry(seat, &seats, node)
		count += is_vacant(seat);
	return count;
}

/* Whether another seat of the same kind is vacant. Under the lock. */
static bool has_twin(const struct gapp_seat *seat)
{
	const struct gapp_seat *other;

	list_for_each_entry(other, &seats, node)
		if (other != seat && is_vacant_of(other, &seat->kind))
			return true;
	return false;
}

/*
 * The vacant seat to drop where there are too many: there is one that another one of its kind can
 * stand for, because there are more seats than kinds. Under the lock.
 */
static struct gapp_seat *find_surplus(void)
{
	struct gapp_seat *seat, *last = NULL;

	list_for_each_entry(seat, &seats, node) {
		if (!is_vacant(seat))
			continue;
		last = seat;
		if (has_twin(seat))
			break;
	}
	return last;
}

/**
 * gapp_seat_leave() - no event comes any more, and none is under way
 * @session: the session, which has a seat
 */
void gapp_seat_leave(struct gapp_session *session)
{
	struct gapp_seat *seat = session->seat;
	LIST_HEAD(gone);

	mutex_lock(&seats_lock);
	session->seat = NULL;
	WRITE_ONCE(seat->session, &nobody);
	WRITE_ONCE(gapp_budget_sessions, gapp_budget_sessions - 1);
	seat->vacated = jiffies;
	if (!keep_jiffies())
		remove_seat(seat, &gone);
	else if (count_vacant() > MAX_VACANT)
		remove_seat(find_surplus(), &gone);
	queue_delayed_work(gapp_any_cpu_wq, &vacancy, LOOK_JIFFIES);
	mutex_unlock(&seats_lock);
	gapp_probes_wait();
	free_seats(&gone);
}

/* How many seats sessions use, and how many are kept. */
void gapp_seats_count(u32 *in_use, u32 *kept)
{
	struct gapp_seat *seat;

	*in_use = 0;
	mutex_lock(&seats_lock);
	*kept = count_vacant();
	list_for_each_entry(seat, &seats, node)
		if (!is_vacant(seat))
			++*in_use;
	mutex_unlock(&seats_lock);
}

static void unregister_vacant(struct work_struct *unused)
{
	const u64 keep = keep_jiffies();
	struct gapp_seat *seat, *next;
	LIST_HEAD(gone);

	mutex_lock(&seats_lock);
	list_for_each_entry_safe(seat, next, &seats, node)
		if (is_vacant(seat) && jiffies - seat->vacated >= keep)
			remove_seat(seat, &gone);
	if (count_vacant())
		queue_delayed_work(gapp_any_cpu_wq, &vacancy, LOOK_JIFFIES);
	mutex_unlock(&seats_lock);
	if (list_empty(&gone))
		return;
	gapp_probes_wait();
	free_seats(&gone);
}

/* No session is left, and none can be opened. */
void gapp_seats_exit(void)
{
	struct gapp_seat *seat, *next;
	LIST_HEAD(gone);

	cancel_delayed_work_sync(&vacancy);
	mutex_lock(&seats_lock);
	list_for_each_entry_safe(seat, next, &seats, node)
		remove_seat(seat, &gone);
	mutex_unlock(&seats_lock);
	gapp_probes_wait();
	free_seats(&gone);
}
