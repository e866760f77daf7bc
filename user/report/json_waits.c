// SPDX-License-Identifier: GPL-2.0
/* Wait objects and wakers as JSON. */
#include "json_waits.h"

#include "spin_diagnoses.h"

#define ROW "\n  "

/* A function with its line; what is not known is null. */
static void put_frame(struct json *json, const struct frame *frame)
{
	json_string(json, "function", frame ? frame->function : NULL);
	json_string(json, "file", frame ? frame->file : NULL);
	if (frame && frame->line)
		json_number(json, "line", frame->line);
	else
		json_null(json, "line");
}

static void put_ender(struct json *json, const struct ranked_ender *ender)
{
	json_string(json, "thread", ender->name);
	json_bool(json, "interrupt", ender->interrupt);
	json_string(json, "interrupt_kind", ender->kind);
	json_number(json, "waits", ender->waits);
	json_seconds(json, "waited_s", ender->waited_ns);
}

static void put_holder(struct json *json, const struct ranked_holder *holder)
{
	put_frame(json, holder->frame);
	json_bool(json, "critical", holder->critical);
	json_number(json, "holds", holder->holds);
	json_seconds(json, "hold_s", holder->hold_ns);
	json_seconds(json, "hold_critical_s", holder->few_ns);
	json_number(json, "waits", holder->waits);
	json_seconds(json, "waited_s", holder->waited_ns);
	json_nanoseconds(json, "critical_s", holder->critical_ns);
}

/* null: no end was seen between CPUs whose nodes are known. */
static void put_delays(struct json *json, const char *name, const struct spin_delays *delays)
{
	if (!delays->ends) {
		json_null(json, name);
		return;
	}
	json_begin_member(json, name, '{');
	json_number(json, "ends", delays->ends);
	json_seconds(json, "delay_s", delays->sum_ns);
	json_end(json, '}');
}

/* null: nobody spun for it, or not every wait was recorded. */
static void put_spins(struct json *json, const struct spin_sums *spins)
{
	if (!spins->spins) {
		json_null(json, "spins");
		return;
	}
	json_begin_member(json, "spins", '{');
	json_number(json, "count", spins->spins);
	json_seconds(json, "spun_s", spins->spun_ns);
	json_number(json, "in_vain", spins->vain);
	json_seconds(json, "in_vain_s", spins->vain_ns);
	json_seconds(json, "then_slept_s", spins->slept_ns);
	json_seconds(json, "end_seen_s", spins->seen_ns);
	json_seconds(json, "ender_without_cpu_s", spins->starved_ns);
	put_delays(json, "ended_on_its_node", &spins->near);
	put_delays(json, "ended_on_another_node", &spins->far);
	json_end(json, '}');
}

static void put_diagnoses(struct json *json, const struct results *results,
			  const struct ranked_object *object)
{
	static const char *const names[SPIN_DIAGNOSES] = {
		[SPIN_BUDGET] = "spin_budget",
		[SPIN_STARVED] = "ender_without_cpu",
		[SPIN_FAR] = "far_node",
	};
	char words[SPIN_WORDS_SIZE];

	json_begin_member(json, "diagnoses", '[');
	for (u32 i = 0; i < SPIN_DIAGNOSES; i++) {
		if (!spin_diagnose(results, object, i, words))
			continue;
		json_begin_element(json, NULL);
		json_string(json, "diagnosis", names[i]);
		json_string(json, "says", words);
		json_end(json, '}');
	}
	json_end(json, ']');
}

static void put_waited(struct json *json, const struct ranked_object *object, u64 ns)
{
	if (ranked_object_has_length(object))
		json_seconds(json, "waited_s", ns);
	else
		json_null(json, "waited_s");
}

static void put_object(struct json *json, const struct results *results,
		       const struct ranked_object *object)
{
	json_string(json, "reason", wait_name(object->reason));
	json_string(json, "called", object->called);
	json_string(json, "name", object->name);
	json_number(json, "tgid", object->tgid > 0 ? object->tgid : 0);
	json_nanoseconds(json, "critical_s", object->critical_ns + object->idle_ns);
	json_bool(json, "inferred", object->inferred);
	json_nanoseconds(json, "nobody_ran_s", object->idle_ns);
	put_waited(json, object, object->waited_ns);
	json_number(json, "waits", object->waits);
	json_begin_member(json, "sites", '[');
	for (size_t i = 0; i < object->site_count; i++) {
		json_begin_element(json, NULL);
		put_frame(json, object->sites[i].frame);
		json_number(json, "waits", object->sites[i].waits);
		put_waited(json, object, object->sites[i].waited_ns);
		json_end(json, '}');
	}
	json_end(json, ']');
	json_begin_member(json, "enders", '[');
	for (size_t i = 0; i < object->ender_count; i++) {
		json_begin_element(json, NULL);
		put_frame(json, object->enders[i].frame);
		put_ender(json, &object->enders[i]);
		json_end(json, '}');
	}
	json_end(json, ']');
	json_begin_member(json, "holders", '[');
	for (size_t i = 0; i < object->holder_count; i++) {
		json_begin_element(json, NULL);
		put_holder(json, &object->holders[i]);
		json_end(json, '}');
	}
	json_end(json, ']');
	put_spins(json, &object->spins);
	put_diagnoses(json, results, object);
}

void json_waits(struct json *json, const struct results *results, const struct options *options)
{
	size_t most = options->top ? options->top : SIZE_MAX;
	const struct ranked_waits *waits = &results->waits;

	if (!waits->collected)
		return;
	json_bool(json, "every_wait", waits->all);
	json_begin_member(json, "wait_objects", '[');
	for (size_t i = 0; i < waits->object_count && i < most && !ferror(json->out); i++) {
		json_begin_element(json, ROW);
		put_object(json, results, &waits->objects[i]);
		json_end(json, '}');
	}
	json_end(json, ']');
	json_begin_member(json, "wakers", '[');
	for (size_t i = 0; i < waits->pair_count && i < most && !ferror(json->out); i++) {
		const struct ranked_pair *pair = &waits->pairs[i];
		const struct ranked_object *object = &waits->objects[pair->object];

		json_begin_element(json, ROW);
		put_ender(json, &pair->waker);
		json_seconds(json, "median_s", pair->median_ns);
		json_string(json, "woke", pair->waiter);
		json_string(json, "reason", wait_name(pair->kind.reason));
		json_string(json, "object", object->name);
		put_frame(json, pair->frame);
		json_begin_member(json, "woken_from", '{');
		put_frame(json, pair->waker.frame);
		json_end(json, '}');
		json_end(json, '}');
	}
	json_end(json, ']');
	json_begin_member(json, "waits_missing", '{');
	json_number(json, "without_room", waits->without_room);
	json_number(json, "not_looked_up", waits->not_looked_up);
	json_number(json, "cut", waits->cut);
	json_number(json, "waker_paths", waits->left_out);
	json_end(json, '}');
}
