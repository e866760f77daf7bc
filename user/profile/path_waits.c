// SPDX-License-Identifier: GPL-2.0
/*
 * What threads waited for, by the path on which they wait. The module classes a wait by its system
 * call. Of a futex that says little, since every library uses values of its own; so the functions
 * on the path decide (wait_rules.h), and what no rule knows is "other".
 */
#include "profile_private.h"

/* Frames of a path, with inlined functions. */
#define FRAMES_MAX 32

static u32 bit(u32 wait)
{
	return 1U << wait;
}

/* Whether the module gives the wait reason to futexes; some of these to other system calls too. */
static bool may_be_futex(u32 wait)
{
	static const u32 of_futexes = 1U << GAPP_WAIT_OTHER | 1U << GAPP_WAIT_LOCK |
				      1U << GAPP_WAIT_QUEUE | 1U << GAPP_WAIT_JOIN |
				      1U << GAPP_WAIT_BARRIER | 1U << GAPP_WAIT_FUTEX;

	return of_futexes & bit(wait);
}

struct wait_kind wait_by_call(u32 wait)
{
	return (struct wait_kind){ .reason = wait == GAPP_WAIT_FUTEX ? GAPP_WAIT_OTHER : wait };
}

/* Adds the functions that were inlined. Returns the rule that names one of them, or NULL. */
static const struct wait_rule *look_at_inlined(const struct ranker *ranker,
					       const struct believed *believed, u32 wait)
{
	const struct frame *all[FRAMES_MAX];
	size_t count = 0;

	for (u32 i = believed->stack->kernel_count; i < believed->count; i++) {
		const struct frame *frames;
		size_t found = symbols_frames(ranker->symbols, believed->stack->addresses[i],
					      call_path_is_return(believed->stack, i), &frames);

		for (size_t j = 0; j < found; j++) {
			if (count == FRAMES_MAX)
				break;
			all[count++] = &frames[j];
		}
		if (!found || count == FRAMES_MAX)
			break;
	}
	return wait_rules_find(ranker->options->rules, all, count, wait);
}

/* The rule that decides for a call path and the module's wait reason, or NULL. */
static const struct wait_rule *rule_of(const struct ranker *ranker, u32 stack, u32 wait)
{
	const struct believed *believed = &ranker->believed[stack];
	struct path_rule *known = &ranker->path_rules[stack];
	u32 first = believed->stack->kernel_count;

	if (first >= believed->count)
		return NULL;
	if (known->asked && known->by_call == wait)
		return known->rule;
	known->asked = true;
	known->by_call = wait;
	known->rule = wait_rules_find(ranker->options->rules, believed->functions + first,
				      believed->count - first, wait);
	if (!known->rule)
		known->rule = look_at_inlined(ranker, believed, wait);
	return known->rule;
}

/* Whether a function is in one of these files. Through syscall() anybody may wait. */
static bool waits_in(const struct frame *function, const char *const *names, size_t count)
{
	if (function->function && !strcmp(function->function, "syscall"))
		return false;
	/* these wait for devices */
	if (!strncmp(function->module, "libgomp-plugin", strlen("libgomp-plugin")))
		return false;
	for (size_t i = 0; i < count; i++)
		if (!strncmp(function->module, names[i], strlen(names[i])))
			return true;
	return false;
}

/*
 * Whether the path shows none of the functions that a rule could name, but that the C library
 * waits: its values of futexes are those that the module knows.
 */
static bool is_hidden_in_libc(const struct believed *believed)
{
	static const char *const names[] = { "libc.so", "libc-2", "libpthread" };
	u32 first = believed->stack->kernel_count;

	return first >= believed->count ||
	       waits_in(believed->functions[first], names, ARRAY_SIZE(names));
}

bool path_value_is_known(const struct ranker *ranker, u32 stack)
{
	static const char *const names[] = { "libc.so", "libc-2", "libpthread", "libgomp.so",
					     "libgomp-" };
	const struct believed *believed = &ranker->believed[stack];
	u32 first = believed->stack->kernel_count;

	return first >= believed->count ||
	       waits_in(believed->functions[first], names, ARRAY_SIZE(names));
}

struct wait_kind path_wait(const struct ranker *ranker, u32 stack, u32 wait)
{
	const struct wait_rule *rule = rule_of(ranker, stack, wait);
	const struct wait_kind by_call = { .reason = wait };

	/* a rule knows what a loop is part of, and that it does not sleep is certain */
	if (wait == GAPP_WAIT_SPIN)
		return (struct wait_kind){ .reason = wait, .name = rule ? rule->kind.name : NULL };
	if (!may_be_futex(wait) || profile_is_sure(ranker->profile, stack))
		return rule && rule->kind.reason == wait ? rule->kind : by_call;
	if (rule)
		return rule->kind;
	if (is_hidden_in_libc(&ranker->believed[stack]))
		return wait_by_call(wait);
	return (struct wait_kind){ .reason = GAPP_WAIT_OTHER };
}

u32 path_wait_behind(const struct ranker *ranker, u32 stack, u32 wait)
{
	const struct believed *believed = &ranker->believed[stack];
	const struct wait_rule *rule = rule_of(ranker, stack, wait);
	u32 behind = believed->first;

	for (u32 i = believed->first; rule && i < believed->count; i++) {
		if (wait_rule_fits(rule, believed->functions[i]))
			behind = i + 1;
		else if (behind > believed->first)
			break;
	}
	return behind < believed->count ? behind : believed->first;
}

bool wait_kind_same(const struct wait_kind *a, const struct wait_kind *b)
{
	if (a->reason != b->reason || !a->name != !b->name)
		return false;
	return !a->name || !strcmp(a->name, b->name);
}
