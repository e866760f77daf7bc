// SPDX-License-Identifier: GPL-2.0
/*
 * Keeps the scale of the processor's counter at CLOCK_MONOTONIC, while there are sessions: the
 * kernel adjusts its clock's rate, and stops it when the machine sleeps.
 */
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/rcupdate.h>
#include <linux/suspend.h>

#include "compat/workqueue.h"
#include "clock.h"

/* From one comparison to the next: ten times as long each time, up to half a second. */
#define FIRST_MS 10
#define LONGEST_MS 500
/* Of so many tries the quickest counts, if it took no longer than QUICK_NS. */
#define TRIES 8
#define QUICK_NS (20 * NSEC_PER_USEC)
/* Readings of the kernel's clock that are timed at once, TRIES times. */
#define READINGS 8
/* A scale that is off by more begins anew: the clock leaps, or is adjusted very fast. */
#define MOST_ERROR_NS (2 * NSEC_PER_MSEC)

const struct gapp_scale *gapp_clock_scale;

/* Protects what follows, and changes of gapp_clock_scale. */
static DEFINE_MUTEX(lock);
static struct gapp_scale scales[2];
static struct gapp_comparison last;
static unsigned int users;
static unsigned int pause_ms;
static bool asleep;

static void compare_again(struct work_struct *work);
static DECLARE_DELAYED_WORK(comparisons, compare_again);

/* Reads counter and clock at about the same time; false: each time something came in between. */
static bool compare(struct gapp_comparison *now)
{
	u64 before, ns, took, least = div_u64(QUICK_NS * gapp_ticks_khz(), USEC_PER_SEC) + 1;
	const u64 limit = least;
	unsigned long flags;
	unsigned int i;

	for (i = 0; i < TRIES; i++) {
		local_irq_save(flags);
		before = gapp_ticks();
		ns = ktime_get_mono_fast_ns();
		took = gapp_ticks() - before;
		local_irq_restore(flags);
		if (took < least) {
			least = took;
			*now = (struct gapp_comparison){ .ticks = before + took / 2, .ns = ns };
		}
	}
	return least < limit;
}

/* Nanoseconds that one reading of the kernel's clock takes, where nothing comes in between. */
static u64 clock_cost(void)
{
	u64 begin, took, least = U64_MAX;
	unsigned long flags;
	unsigned int i, k;

	for (i = 0; i < TRIES; i++) {
		local_irq_save(flags);
		begin = ktime_get_mono_fast_ns();
		for (k = 1; k < READINGS; k++)
			ktime_get_mono_fast_ns();
		took = ktime_get_mono_fast_ns() - begin;
		local_irq_restore(flags);
		least = min(least, took);
	}
	return div_u64(least, READINGS);
}

static void use(const struct gapp_scale *scale)
{
	/* Release: whoever sees the scale sees its members. */
	smp_store_release(&gapp_clock_scale, scale);
}

/* Under the lock. */
static void begin(void)
{
	struct gapp_comparison now;

	if (asleep || !GAPP_HAS_TICKS)
		return;
	if (!gapp_ticks_are_trusted() || !compare(&now)) {
		pr_warn_once("the TSC is not used: events read the kernel's clock, in %llu ns\n",
			     clock_cost());
		return;
	}
	last = now;
	gapp_scale_init(&scales[0], &now, gapp_ticks_khz());
	use(&scales[0]);
	pause_ms = FIRST_MS;
	mod_delayed_work(gapp_any_cpu_wq, &comparisons, msecs_to_jiffies(pause_ms));
}

/* Under the lock. Afterwards nobody uses a scale. */
static void end(void)
{
	use(NULL);
	synchronize_rcu();
}

static void compare_again(struct work_struct *work)
{
	const struct gapp_scale *scale;
	const u64 shortest = (u64)FIRST_MS * gapp_ticks_khz() / 2;
	struct gapp_comparison now;
	struct gapp_scale *next;
	s64 error;

	mutex_lock(&lock);
	scale = gapp_clock_scale;
	if (!scale)
		goto unlock;
	/* whoever read the pointer before its last change may still use @next */
	synchronize_rcu();
	next = scale == &scales[0] ? &scales[1] : &scales[0];
	if (compare(&now) && now.ticks - last.ticks >= shortest) {
		error = gapp_scale_error(scale, &now);
		if (!gapp_ticks_are_trusted()) {
			end();
			pr_warn("the TSC is not used any more: events read the kernel's clock, in %llu ns\n",
				clock_cost());
			goto unlock;
		}
		if (abs(error) > MOST_ERROR_NS) {
			pr_warn_once("the clock is adjusted so fast that times leap by %lld ns\n",
				     error);
			gapp_scale_init(next, &now, gapp_ticks_khz());
			pause_ms = FIRST_MS;
		} else {
			pause_ms = min(10 * pause_ms, (unsigned int)LONGEST_MS);
			gapp_scale_next(next, scale, &last, &now, (u64)pause_ms * gapp_ticks_khz());
		}
		use(next);
		last = now;
	}
	queue_delayed_work(gapp_any_cpu_wq, &comparisons, msecs_to_jiffies(pause_ms));
unlock:
	mutex_unlock(&lock);
}

/* A session needs the clock. Process context. */
void gapp_clock_get(void)
{
	mutex_lock(&lock);
	if (!users++)
		begin();
	mutex_unlock(&lock);
}

void gapp_clock_put(void)
{
	mutex_lock(&lock);
	if (!--users)
		end();
	mutex_unlock(&lock);
}

/* While the machine sleeps CLOCK_MONOTONIC stands still, and the counter may begin anew. */
static int power_changes(struct notifier_block *block, unsigned long event, void *unused)
{
	mutex_lock(&lock);
	if (event == PM_SUSPEND_PREPARE || event == PM_HIBERNATION_PREPARE) {
		asleep = true;
		end();
	} else if (event == PM_POST_SUSPEND || event == PM_POST_HIBERNATION) {
		asleep = false;
		if (users && !gapp_clock_scale)
			begin();
	}
	mutex_unlock(&lock);
	return NOTIFY_DONE;
}

static struct notifier_block power_block = { .notifier_call = power_changes };

int gapp_clock_init(void)
{
	return register_pm_notifier(&power_block);
}

/* No session is left. */
void gapp_clock_exit(void)
{
	unregister_pm_notifier(&power_block);
	cancel_delayed_work_sync(&comparisons);
}
