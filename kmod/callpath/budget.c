// SPDX-License-Identifier: GPL-2.0
/* What is left of a CPU's time for call paths; see budget.h. */
#include <linux/math64.h>
#include <linux/module.h>

#include "budget.h"
#include "threads/thread.h"

/* Most that a CPU saves, and owes. */
#define MOST_CREDIT_NS (10 * NSEC_PER_MSEC)
/* A restricted session has two fifths of what the parameters allow. */
#define RESTRICTED_PARTS 2
#define ALL_PARTS 5
/*
 * An eighth of the time of a switch is for records: after the call paths, or from the begin on
 * where no call path is ever taken.
 */
#define RECORD_PART 8

static int set_in_range(const char *text, const struct kernel_param *param, unsigned int most)
{
	unsigned int value;
	int ret = kstrtouint(text, 0, &value);

	if (ret)
		return ret;
	if (!value || value > most)
		return -ERANGE;
	*(unsigned int *)param->arg = value;
	return 0;
}

static int set_switch_us(const char *text, const struct kernel_param *param)
{
	return set_in_range(text, param, USEC_PER_SEC);
}

static int set_cpu_percent(const char *text, const struct kernel_param *param)
{
	return set_in_range(text, param, 100);
}

static const struct kernel_param_ops switch_us_ops = { .set = set_switch_us,
						       .get = param_get_uint };
static const struct kernel_param_ops cpu_percent_ops = { .set = set_cpu_percent,
							 .get = param_get_uint };

static unsigned int max_switch_us = 40;
module_param_cb(max_switch_us, &switch_us_ops, &max_switch_us, 0644);
__MODULE_PARM_TYPE(max_switch_us, "uint");
MODULE_PARM_DESC(max_switch_us, "time of a switch for call paths and records, in us (40)");

static unsigned int max_cpu_percent = 25;
module_param_cb(max_cpu_percent, &cpu_percent_ops, &max_cpu_percent, 0644);
__MODULE_PARM_TYPE(max_cpu_percent, "uint");
MODULE_PARM_DESC(max_cpu_percent, "share of a CPU for new call paths, in percent (25)");

DEFINE_PER_CPU(struct gapp_budget, gapp_budgets);
unsigned int gapp_budget_sessions;

/**
 * gapp_budget_set() - what a session may take, by the module's parameters
 * @settings: the session's settings, with @restricted and @paths_at_first
 */
void gapp_budget_set(struct gapp_settings *settings)
{
	u32 switch_ns = READ_ONCE(max_switch_us) * NSEC_PER_USEC;

	settings->switch_ns = settings->restricted ? switch_ns / ALL_PARTS * RESTRICTED_PARTS :
						     switch_ns;
	switch_ns = settings->switch_ns;
	settings->record_ns = settings->paths_at_first == GAPP_PATHS_KNOWN ?
				      switch_ns / RECORD_PART :
				      switch_ns + switch_ns / RECORD_PART;
	settings->cpu_percent = READ_ONCE(max_cpu_percent);
}

/**
 * gapp_budget_is_late() - whether what is under way has taken too long
 * @allowed_ns: nanoseconds that it may take
 *
 * Return: true if it has.
 */
bool gapp_budget_is_late(u64 allowed_ns)
{
	const s64 used_ns = gapp_clock() - this_cpu_read(gapp_budgets.now.begin_ns);

	return used_ns >= (s64)allowed_ns;
}

/* Adds what the share has earned since it was seen last. */
static void earn(struct gapp_share *share, u64 now_ns, u32 parts, u32 of)
{
	/* events of two sessions may be nanoseconds out of order */
	u64 passed = clamp_t(s64, now_ns - share->seen_ns, 0, NSEC_PER_SEC);

	share->credit_ns =
		min_t(s64, share->credit_ns + div_u64(passed * parts, of), MOST_CREDIT_NS);
	share->seen_ns = now_ns;
}

/* Whether each share that the session uses has more than @least. */
static bool have(const struct gapp_settings *settings, u64 now_ns, s64 least)
{
	struct gapp_budget *budget = this_cpu_ptr(&gapp_budgets);
	const u32 percent = settings->cpu_percent;

	earn(&budget->all, now_ns, percent, 100);
	if (!settings->restricted)
		return budget->all.credit_ns > least;
	earn(&budget->restricted, now_ns, percent * RESTRICTED_PARTS, 100 * ALL_PARTS);
	return min(budget->all.credit_ns, budget->restricted.credit_ns) > least;
}

/**
 * gapp_budget_allows_path() - whether the CPU has time for a call path that it does not remember
 * @settings: settings of the session
 * @now_ns: gapp_clock()
 *
 * Return: true if it has.
 */
bool gapp_budget_allows_path(const struct gapp_settings *settings, u64 now_ns)
{
	return have(settings, now_ns, 0);
}

/**
 * gapp_budget_allows_copy() - whether the CPU has time for a stack copy
 * @settings: settings of the session
 * @now_ns: gapp_clock()
 *
 * Copies are left out first: with half of the share, or of the time of a switch, gone.
 *
 * Return: true if it has.
 */
bool gapp_budget_allows_copy(const struct gapp_settings *settings, u64 now_ns)
{
	return have(settings, now_ns, MOST_CREDIT_NS / 2) &&
	       (s64)(now_ns - this_cpu_read(gapp_budgets.now.begin_ns)) < settings->switch_ns / 2;
}

static void pay(struct gapp_share *share, u64 took_ns)
{
	share->credit_ns = max_t(s64, share->credit_ns - (s64)took_ns, -(s64)MOST_CREDIT_NS);
}

/**
 * gapp_budget_charge() - charge a call path to the CPU's share
 * @settings: settings of the session
 * @began_ns: gapp_clock() when the path began
 *
 * Return: nanoseconds since the switch, or whatever it was, began.
 */
u64 gapp_budget_charge(const struct gapp_settings *settings, u64 began_ns)
{
	struct gapp_budget *budget = this_cpu_ptr(&gapp_budgets);
	u64 now_ns = gapp_clock();
	s64 took_ns = now_ns - began_ns, used_ns = now_ns - budget->now.begin_ns;

	/* the event may be of the end of session time, long before */
	took_ns = clamp_t(s64, took_ns, 0, max_t(s64, used_ns, 0));
	pay(&budget->all, took_ns);
	if (settings->restricted)
		pay(&budget->restricted, took_ns);
	return max_t(s64, used_ns, 0);
}
