// SPDX-License-Identifier: GPL-2.0
/* What each thread waited for, its run-queue delays, and who preempted it. */
#include "util/names.h"
#include "text_private.h"
#include "thread_waits.h"

#define INDENT 10 /* of the lines below a thread's row */
#define NAME_COLUMN 72
#define NAME_COLUMNS 16

static void put_blocked(struct text *text, const struct gapp_thread_waits *waits,
			const struct ordered_waits *ordered)
{
	if (!ordered->reason_count)
		return;
	text_add(text, "%*sblocked:", INDENT, "");
	for (size_t i = 0; i < ordered->reason_count; i++) {
		u64 ns = ordered->ns[ordered->reasons[i]];

		text_add(text, "%s %s %.*f %.1f %%", i ? "," : "", wait_name(ordered->reasons[i]),
			 text->decimals, text_time(text, ns), percent_of(ns, waits->life_ns));
	}
	text_wrap(text, INDENT, TEXT_PLAIN);
}

static void add_preempter(struct text *text, const struct gapp_preempted *by)
{
	char name[NAME_SAFE_SIZE(GAPP_COMM_LEN)];

	if (!by->tid) {
		text_add(text, " " IDLE_PREEMPTER " %llu", by->times);
		return;
	}
	name_safe(name, by->comm, comm_len(by->comm), GAPP_COMM_LEN);
	text_add(text, " %s (%d) %llu", name, by->tid, by->times);
}

static void put_preempted(struct text *text, const struct gapp_thread_waits *waits,
			  const struct ordered_waits *ordered)
{
	char time[TEXT_WORDS_SIZE];

	if (!waits->preempted)
		return;
	text_add(text, "%*spreempted %llu time%s (%s in the run queue): by", INDENT, "",
		 waits->preempted, text_plural(waits->preempted),
		 text_short_time(time, waits->preempted_runq_ns));
	for (size_t i = 0; i < ordered->by_count; i++) {
		text_add(text, "%s", i ? "," : "");
		add_preempter(text, ordered->by[i]);
	}
	if (ordered->others)
		text_add(text, "%s others %llu", ordered->by_count ? "," : "", ordered->others);
	text_wrap(text, INDENT, TEXT_PLAIN);
}

static void put_thread(struct text *text, const struct gapp_thread_figures *thread,
		       const struct gapp_thread_waits *waits)
{
	int room = text->columns > NAME_COLUMN + NAME_COLUMNS ? text->columns - NAME_COLUMN :
								NAME_COLUMNS;
	char name[NAME_SAFE_SIZE(GAPP_COMM_LEN)], id[16] = "-";
	char average[TEXT_WORDS_SIZE], most[TEXT_WORDS_SIZE], at[TEXT_WORDS_SIZE] = "-";
	struct ordered_waits ordered;

	order_waits(waits, &ordered);
	if (thread->tid)
		snprintf(id, sizeof(id), "%d", thread->tid);
	name_safe(name, thread->comm, comm_len(thread->comm), room);
	if (waits->runq_max_ns)
		snprintf(at, sizeof(at), "%.*f", text->decimals,
			 text_time(text, waits->runq_max_at_ns));
	fprintf(text->out, "%7s %8.*f %6.1f %6.1f %8.1f %8s %8s %8s  %s\n", id, text->decimals,
		text_time(text, waits->life_ns), percent_of(waits->run_ns, waits->life_ns),
		percent_of(waits->runq_ns, waits->life_ns),
		percent_of(waits_blocked_ns(waits), waits->life_ns),
		text_short_time(average, waits_runq_average_ns(waits)),
		text_short_time(most, waits->runq_max_ns), at, name);
	put_blocked(text, waits, &ordered);
	put_preempted(text, waits, &ordered);
}

/*
 * Writes the lives of threads, if what they waited for was added up; or how to have that, for who
 * asked for threads.
 */
void text_thread_waits(struct text *text)
{
	const struct model *model = text->model;

	if (!model->wait_count && text->options->by != BY_THREAD)
		return;
	if (!model->wait_count) {
		text_add(
			text,
			"What threads waited for, and who preempted them, was not recorded: use --waits.");
		text_wrap(text, 0, TEXT_PLAIN);
		text_blank(text);
		return;
	}
	fprintf(text->out,
		"Threads' lives in %s, and in percent of them; stays in the run queue on average, the\n"
		"longest, and when that one began, in %s.\n",
		text->unit, text->unit);
	fprintf(text->out, "%7s %8s %6s %6s %8s %8s %8s %8s  %s\n", "tid", "life", "run %",
		"runq %", "blocked%", "average", "longest", "at", "name");
	for (size_t i = 0; i < model->thread_count; i++) {
		const struct gapp_thread_waits *waits = model_waits(model, &model->threads[i]);

		if (waits)
			put_thread(text, &model->threads[i], waits);
	}
	text_blank(text);
}
