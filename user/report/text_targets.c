// SPDX-License-Identifier: GPL-2.0
/*
 * Where each process is a target of its own (-a): the list of targets, and the sentence, which is
 * about the target that the list begins with.
 */
#include "util/names.h"
#include "text_private.h"

#define TARGETS_SHOWN 3
#define ALONE_BELOW 0.1 /* of a place's time: others waited for so little that it ran alone */

/**
 * struct held_up - a target
 * @target: its figures
 * @ns: for how long few of its threads were active
 */
struct held_up {
	const struct gapp_target_figures *target;
	double ns;
};

/*
 * The time that a target's times are parts of: with recordings that were merged its own, for
 * between them nothing was recorded.
 */
static double span_of(const struct text *text, const struct gapp_target_figures *target)
{
	return text->results->merged ? target->wall_ns : text->model->status.wall_ns;
}

/* For qsort: the target with most critical time first. */
static int held_up_compare(const void *a, const void *b)
{
	const struct held_up *x = a, *y = b;

	return compare_by(three_way(y->ns, x->ns), three_way(x->target->id, y->target->id));
}

/* The targets, that with most critical time first; to be freed. NULL: no memory, which it says. */
static struct held_up *targets_in_order(const struct results *results)
{
	_cleanup_free_ double *ns = results_targets_critical_ns(results);
	struct held_up *order = calloc(results->target_count + 1, sizeof(*order));

	if (!ns || !order) {
		out_of_memory();
		free(order);
		return NULL;
	}
	for (size_t i = 0; i < results->target_count; i++)
		order[i] = (struct held_up){ &results->targets[i], ns[i] };
	qsort(order, results->target_count, sizeof(*order), held_up_compare);
	return order;
}

static void target_name(char *cell, const struct gapp_target_figures *target)
{
	text_cut(cell, (const char *)target->comm, comm_len(target->comm), GAPP_COMM_LEN);
	cell_add(cell, " (%d)", target->tgid);
}

/* Writes how many targets there are, and the first ones. */
void text_targets(struct text *text)
{
	_cleanup_free_ struct held_up *order = targets_in_order(text->results);
	size_t count = text->results->target_count;
	char name[TEXT_CELL_SIZE];

	if (!order)
		return;
	text_title(text, "Targets");
	text_add(text, "%zu; most critical:", count);
	for (size_t i = 0; i < count && i < TARGETS_SHOWN; i++) {
		target_name(name, order[i].target);
		text_add(text, "%s %s %.*f %s", i ? "," : "", name, text->decimals,
			 text_time(text, order[i].ns), text->unit);
		if (text->results->merged)
			text_add(text, " of %.*f", text->decimals,
				 text_time(text, order[i].target->wall_ns));
	}
	text_end(text);
}

/* For how long the target's threads all waited for what holds up, such as the disk. */
static double held_up_ns(const struct text *text, s32 tgid)
{
	const struct ranking *places = &text->results->places;
	double sum = 0;

	for (size_t i = 0; i < places->count; i++) {
		const struct ranked *row = &places->rows[i];

		if (row->kind == PATH_WAITED && row->tgid == tgid && text_row_counts(text, row))
			sum += row->critical_ns;
	}
	return sum;
}

static bool is_notable(const struct text *text, const struct gapp_target_figures *target, double ns)
{
	return ns > 0 && ns >= span_of(text, target) * NOTABLE_PERCENT / 100;
}

/*
 * Whether places of the target are told from those of others, which is by process id. Of recordings
 * that were merged, one may have the process before it executed another program.
 */
static bool has_own_id(const struct results *results, const struct gapp_target_figures *target)
{
	size_t count = 0;

	for (size_t i = 0; i < results->target_count; i++)
		count += results->targets[i].tgid == target->tgid;
	return count == 1;
}

/* Of merged recordings no target waits for work of others: its code and its waits count alike. */
static const struct gapp_target_figures *merged_held_up_most(const struct text *text,
							     const struct held_up *order,
							     struct text_whole *whole,
							     bool *passed_over)
{
	const struct gapp_target_figures *most = NULL;
	double longest = 0;

	for (size_t i = 0; i < text->results->target_count; i++) {
		const struct gapp_target_figures *target = order[i].target;
		double waited = held_up_ns(text, target->tgid);
		bool ran = order[i].ns >= waited;
		double ns = ran ? order[i].ns : waited;

		if (ns > longest)
			longest = ns;
		if (ns <= whole->ns || !is_notable(text, target, ns) ||
		    !has_own_id(text->results, target))
			continue;
		most = target;
		*whole = (struct text_whole){ ran ? PATH_RAN : PATH_WAITED, target->tgid, ns };
	}
	*passed_over = longest > whole->ns;
	return most;
}

/*
 * Finds the target that was held up most, and for how long: by the code of few of its threads or,
 * if no target has much such time, by its waits. Of recordings that were merged one may have more
 * such time, which is little of its own: then @passed_over is set. NULL: no target has much of
 * either.
 */
static const struct gapp_target_figures *held_up_most(const struct text *text,
						      struct text_whole *whole, bool *passed_over)
{
	const struct results *results = text->results;
	_cleanup_free_ struct held_up *order = targets_in_order(text->results);
	const struct gapp_target_figures *most = NULL;
	double longest = 0;

	*whole = (struct text_whole){ PATH_WAITED, 0, 0 };
	*passed_over = false;
	if (!order || !results->target_count)
		return NULL;
	if (results->merged)
		return merged_held_up_most(text, order, whole, passed_over);
	for (size_t i = 0; i < results->target_count; i++) {
		if (!is_notable(text, order[i].target, order[i].ns) ||
		    !has_own_id(results, order[i].target))
			continue;
		most = order[i].target;
		*passed_over = i;
		*whole = (struct text_whole){ PATH_RAN, most->tgid, order[i].ns };
		return most;
	}
	for (size_t i = 0; i < results->target_count; i++) {
		const struct gapp_target_figures *target = &results->targets[i];
		double ns = held_up_ns(text, target->tgid);

		if (ns > longest)
			longest = ns;
		if (ns <= whole->ns || !is_notable(text, target, ns) ||
		    !has_own_id(results, target))
			continue;
		most = target;
		whole->tgid = most->tgid;
		whole->ns = ns;
	}
	*passed_over = longest > whole->ns;
	return most;
}

/* "for 1.90 s of 12.41 s (15 %) rehash (hash.c:88) ran while its other threads waited." */
static void one_place(struct text *text, const struct gapp_target_figures *target,
		      const struct ranked *row)
{
	char code[TEXT_CELL_SIZE], part[TEXT_WORDS_SIZE];
	double sum;

	text_main_wait(row, &sum);
	text_code_in_words(code, row);
	text_add(text, "for %s %s",
		 text_part_of(text, part, row->critical_ns, span_of(text, target)), code);
	if (row->kind == PATH_WAITED)
		text_add(text, " %s.", text_waited_for(row->wait));
	else if (sum < ALONE_BELOW * row->critical_ns)
		text_add(text, " ran alone.");
	else
		text_add(text, " ran while its other threads waited.");
}

/* As the sentence of one target: at the level at which something has a tenth of @whole. */
static void many_places(struct text *text, const struct gapp_target_figures *target,
			const struct text_whole *whole, const struct ranked *first)
{
	bool waited = whole->kind == PATH_WAITED;
	char name[TEXT_CELL_SIZE], part[TEXT_WORDS_SIZE], percent[TEXT_WORDS_SIZE];
	struct text_holder holder;

	text_add(text, "for %s %s", text_part_of(text, part, whole->ns, span_of(text, target)),
		 waited ? "all of its threads waited" : "few of its threads were active");
	if (first && first->critical_ns >= BOTTLENECK_PART * whole->ns &&
	    is_notable(text, target, first->critical_ns)) {
		text_code_in_words(name, first);
		if (waited)
			text_add(text, ", the longest part of it while %s %s.", name,
				 text_waited_for(first->wait));
		else
			text_add(text, ", more in %s than anywhere else.", name);
	} else if (text_find_holder(text, whole, &holder)) {
		text_holder(text, name, &holder);
		text_in_places(text, whole, ", in ");
		text_add(text, "; %s %s %s of that time.", name, holder.team ? "have" : "has",
			 text_percent(percent, percent_of(holder.row.critical_ns, whole->ns)));
	} else {
		text_largest(text, first, ", but its largest place, %s, has only %s.", NO_PATH);
	}
}

/* What targets are. */
static const char *targets_word(const struct text *text)
{
	return text->results->merged ? "targets" : "processes";
}

static void none_of_many(struct text *text)
{
	const struct results *results = text->results;
	const struct ranked *first = NULL;
	size_t low = 0;

	for (size_t i = 0; i < results->target_count; i++) {
		const struct gapp_target_figures *target = &results->targets[i];
		double ns = share_to_ns(target->c);

		low += ns > 0 && ns >= target->wall_ns * NOTABLE_PERCENT / 100;
	}
	for (size_t i = 0; i < results->places.count && !first; i++)
		if (text_row_counts(text, &results->places.rows[i]))
			first = &results->places.rows[i];
	if (low && !first) {
		text_add(text, "In %zu of %zu %s few threads were active" NO_PATH, low,
			 results->target_count, targets_word(text));
		return;
	}
	text_add(text, "None of %zu %s has a bottleneck", results->target_count,
		 targets_word(text));
	text_largest(text, first, ": the largest place, %s, held its process up for %s.", ".");
}

/* Puts the sentence together. */
void text_targets_verdict(struct text *text)
{
	struct text_whole whole;
	bool passed_over;
	const struct gapp_target_figures *target = held_up_most(text, &whole, &passed_over);
	const struct ranked *first;
	char name[TEXT_CELL_SIZE];

	if (!target) {
		none_of_many(text);
		return;
	}
	target_name(name, target);
	text_add(text, "Of %zu %s %s %s: ", text->results->target_count, targets_word(text), name,
		 passed_over ? "stands out" : "was held up most");
	first = text_first_place(text, &whole);
	if (first && first->critical_ns >= MOST_OF * whole.ns)
		one_place(text, target, first);
	else
		many_places(text, target, &whole, first);
}
