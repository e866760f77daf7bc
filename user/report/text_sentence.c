// SPDX-License-Identifier: GPL-2.0
/* The first line of the report: the answer, in one sentence. */
#include "text_private.h"

#define SENTENCE_BYTES 1000
#define SENTENCE_LINES 3
#define MOST_OF 0.5
#define WAITED_AT_ALL 0.1 /* of a path's time: the sentence is silent about less */
#define ALONE_BELOW 1.5 /* active threads on average while a path ran: below, it ran alone */
#define ALL_ALONG 0.95 /* of the run: threads that lived so long count as always there */

/* Adds to the sentence in @words, SENTENCE_BYTES bytes. */
#define say(words, ...) text_append(words, SENTENCE_BYTES, __VA_ARGS__)

static void say_part(const struct text *text, char *words, double ns)
{
	text_append_part(text, words, SENTENCE_BYTES, ns);
}

/* The wait reason of inactive threads in words. */
static const char *waited_for(unsigned int wait)
{
	static const char *const words[GAPP_WAIT_REASONS] = {
		[GAPP_WAIT_LOCK] = "waited for a lock",
		[GAPP_WAIT_QUEUE] = "waited for a queue or condition",
		[GAPP_WAIT_JOIN] = "waited for a thread or process to end",
		[GAPP_WAIT_BARRIER] = "waited at a barrier",
		[GAPP_WAIT_DISK] = "waited for the disk",
		[GAPP_WAIT_NETWORK] = "waited for the network",
		[GAPP_WAIT_PIPE] = "waited for a pipe",
		[GAPP_WAIT_SLEEP] = "slept for a time of its own choice",
		[GAPP_WAIT_FAULT] = "waited for a page of memory",
		[GAPP_WAIT_MEMORY] = "waited to change its memory map",
		[GAPP_WAIT_EVENT] = "waited for an event",
		[GAPP_WAIT_SIGNAL] = "waited for a signal",
		[GAPP_WAIT_FUTEX] = "waited for a futex",
	};
	const char *found = wait < GAPP_WAIT_REASONS ? words[wait] : NULL;

	return found ? found : "waited for something else";
}

/* The wait reason with most waiting while @row ran; sets @sum to all waiting. */
static unsigned int main_wait(const struct ranked *row, double *sum)
{
	unsigned int most = 0;

	*sum = 0;
	for (unsigned int i = 0; i < GAPP_WAIT_REASONS; i++) {
		*sum += row->waiting_ns[i];
		if (row->waiting_ns[i] > row->waiting_ns[most])
			most = i;
	}
	return most;
}

/*
 * Threads that waited for @wait while @row ran, on average; 0: not known, because threads came and
 * went.
 */
static u64 threads_waiting(const struct text *text, const struct ranked *row, unsigned int wait,
			   double sum)
{
	const struct gapp_status *status = &text->model->status;
	double lived = 0;

	for (size_t i = 0; i < text->model->thread_count; i++) {
		const struct gapp_thread_figures *thread = &text->model->threads[i];
		u64 left = thread->left_ns ? thread->left_ns : status->wall_ns;

		lived += left > thread->joined_ns ? left - thread->joined_ns : 0;
	}
	if (text->model->process_count || !row->running || row->running >= status->peak ||
	    lived < ALL_ALONG * status->peak * status->wall_ns)
		return 0;
	return (status->peak - row->running) * row->waiting_ns[wait] / sum + 0.5;
}

static void add_others(const struct text *text, char *words, const struct ranked *row)
{
	unsigned int wait;
	double sum;
	u64 count;

	wait = main_wait(row, &sum);
	if (sum < WAITED_AT_ALL * row->critical_ns) {
		say(words, ", and no other thread was there to wait");
		return;
	}
	count = threads_waiting(text, row, wait, sum);
	if (row->waiting_ns[wait] < MOST_OF * sum)
		say(words, ", while the others waited for various reasons");
	else if (!count || wait == GAPP_WAIT_SLEEP)
		say(words, ", while %s %s",
		    row->waiting_ns[wait] > (1 - WAITED_AT_ALL) * sum ? "the others" :
									"most others",
		    wait == GAPP_WAIT_SLEEP ? "slept" : waited_for(wait));
	else
		say(words, ", while %llu %s", count, waited_for(wait));
}

static void ran(const struct text *text, char *words, const struct ranked *row)
{
	double low = results_critical_ns(text->results), alone = model_with(text->model, 1);
	char code[TEXT_CELL_SIZE];

	text_code_in_words(code, row);
	if (text->model->status.threads == 1) {
		say(words, "The only thread was active for ");
		say_part(text, words, low);
	} else if (alone >= MOST_OF * low && row->running < ALONE_BELOW) {
		say(words, "For ");
		say_part(text, words, alone);
		say(words, " one thread ran alone");
	} else {
		say(words, "For ");
		say_part(text, words, low);
		say(words, " no more than N_min = %u threads were active",
		    text->model->status.n_min);
	}
	say(words,
	    row->critical_ns >= MOST_OF * low ? ", mostly in %s" :
						", more in %s than anywhere else",
	    code);
	if (text->model->status.threads != 1)
		add_others(text, words, row);
	say(words, ".");
}

static void waited(const struct text *text, char *words, const struct ranked *row)
{
	double idle = text->model->status.idle_ns;
	char code[TEXT_CELL_SIZE];

	text_code_in_words(code, row);
	say(words, "For ");
	say_part(text, words, idle);
	say(words, " nobody ran%s %s %s.",
	    row->critical_ns >= MOST_OF * idle ? ":" : ", the longest part of it while", code,
	    waited_for(row->wait));
}

static void target_name(const struct text *text, char *cell, s32 tgid)
{
	const struct gapp_target_figures *target = results_target(text->results, tgid);
	char name[GAPP_COMM_LEN + 1] = "a process";

	if (target)
		snprintf(name, sizeof(name), "%.*s", GAPP_COMM_LEN, (const char *)target->comm);
	text_cut(cell, name, strlen(name), TEXT_COLUMNS_MAX / 4);
	text_append(cell, TEXT_CELL_SIZE, " (%d)", tgid);
}

static void one_of_many(const struct text *text, char *words, const struct ranked *row)
{
	char code[TEXT_CELL_SIZE], name[TEXT_CELL_SIZE];
	double sum;

	text_code_in_words(code, row);
	target_name(text, name, row->tgid);
	say(words, "Of %zu processes %s was held up most: for ", text->results->target_count, name);
	say_part(text, words, row->critical_ns);
	if (row->kind == PATH_WAITED) {
		say(words, " %s %s.", code, waited_for(row->wait));
		return;
	}
	main_wait(row, &sum);
	say(words, " %s ran%s.", code,
	    sum < WAITED_AT_ALL * row->critical_ns ? " alone" : " while its other threads waited");
}

static void never_low(const struct text *text, char *words)
{
	const struct model *model = text->model;
	size_t fewest = 1, most = model->parallelism_count ? model->parallelism_count - 1 : 0;

	while (fewest < most && !model_with(model, fewest))
		fewest++;
	say(words, "No bottleneck: parallelism never fell to N_min = %u", model->status.n_min);
	if (fewest < most)
		say(words, ": %zu to %zu threads were active%s.", fewest, most,
		    model_with(model, 0) ? "" : " all the time");
	else
		say(words, ": %zu thread%s active%s.", most, most == 1 ? " was" : "s were",
		    model_with(model, 0) ? "" : " all the time");
}

/* The first place of at least @least_percent that says something; sleeps are ranked last. */
static const struct ranked *first_of(const struct text *text, double least_percent)
{
	const struct ranking *paths = &text->results->paths;

	for (size_t i = 0; i < paths->count; i++) {
		const struct ranked *row = &paths->rows[i];

		if (text_row_counts(text, row) &&
		    results_percent(text->results, row->critical_ns) >= least_percent)
			return row;
	}
	return NULL;
}

/* Adds the first place to the sentence by @format, or without any place @otherwise. */
static void add_largest(const struct text *text, char *words, const char *format,
			const char *otherwise)
{
	const struct ranked *row = first_of(text, 0);
	char code[TEXT_CELL_SIZE], percent[TEXT_PERCENT_SIZE];

	if (!row) {
		say(words, "%s", otherwise);
		return;
	}
	text_code_in_words(code, row);
	say(words, format, code,
	    text_percent(percent, results_percent(text->results, row->critical_ns)));
}

#define NO_PATH ", and of that no call path is known."

/* Writes the sentence of a run in which no path reaches NOTABLE_PERCENT. */
static void nothing_notable(const struct text *text, char *words)
{
	double low = results_critical_ns(text->results), wall = text->model->status.wall_ns;
	double queued = share_to_ns(text->results->counters.critical_runq);
	double idle = text->model->status.idle_ns;
	unsigned int n_min = text->model->status.n_min;
	double notable = wall * NOTABLE_PERCENT / 100;

	if (idle >= wall) {
		say(words, "No thread was active in ");
		text_append_time(text, words, SENTENCE_BYTES, wall);
		say(words, ": the whole target waited.");
	} else if (!low && idle < notable) {
		never_low(text, words);
	} else if (low < notable && idle < notable) {
		say(words, "No bottleneck: more than N_min = %u threads were active for ", n_min);
		say_part(text, words, wall - low - idle);
		add_largest(text, words, "; the largest path, %s, held the others up for %s.", ".");
	} else if (queued >= notable && queued >= MOST_OF * low) {
		say(words, "For ");
		say_part(text, words, queued);
		say(words,
		    " no more than N_min = %u threads were active, and those waited for a CPU.",
		    n_min);
	} else {
		say(words, "No single bottleneck: for ");
		say_part(text, words, low >= idle ? low : idle);
		if (low >= idle)
			say(words, " no more than N_min = %u threads were active", n_min);
		else
			say(words, " nobody ran");
		add_largest(text, words, ", but the largest path, %s, has only %s.", NO_PATH);
	}
}

static void none_of_many(const struct text *text, char *words)
{
	const struct results *results = text->results;
	size_t low = 0;

	for (size_t i = 0; i < results->target_count; i++) {
		const struct gapp_target_figures *target = &results->targets[i];
		double ns = share_to_ns(target->c);

		low += ns > 0 && ns >= target->wall_ns * NOTABLE_PERCENT / 100;
	}
	if (low && !first_of(text, 0)) {
		say(words, "In %zu of %zu processes few threads were active" NO_PATH, low,
		    results->target_count);
		return;
	}
	say(words, "None of %zu processes has a bottleneck", results->target_count);
	add_largest(text, words, ": the largest path, %s, held its process up for %s.", ".");
}

static void nothing_recorded(const struct text *text, char *words)
{
	const char *exe = text->options->exe;
	char path[TEXT_CELL_SIZE];

	say(words, "Nothing was recorded: ");
	if (!exe) {
		say(words, "the target ended before any of its threads was seen.");
		return;
	}
	text_cut(path, exe, strlen(exe), TEXT_COLUMNS_MAX);
	say(words, NO_PROCESS_EXECUTED ".", path);
}

/**
 * text_sentence() - writes the sentence
 * @text: the report, of a run with a ranking
 */
void text_sentence(struct text *text)
{
	const struct ranked *row = first_of(text, NOTABLE_PERCENT);
	char words[SENTENCE_BYTES] = "";

	if (model_is_empty(text->model))
		nothing_recorded(text, words);
	else if (results_apart(text->results))
		row ? one_of_many(text, words, row) : none_of_many(text, words);
	else if (!row)
		nothing_notable(text, words);
	else if (row->kind == PATH_RAN)
		ran(text, words, row);
	else
		waited(text, words, row);
	text_wrap(text, words, 0, SENTENCE_LINES, false);
}
