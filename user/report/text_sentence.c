// SPDX-License-Identifier: GPL-2.0
/* The first line of the report: the answer, in one sentence. */
#include "symbol/own_code.h"
#include "text_private.h"

#define WAITED_AT_ALL 0.1 /* of a path's time: the sentence is silent about less */
#define ALONE_BELOW 1.5 /* active threads on average while a path ran: below, it ran alone */
#define ALL_ALONG 0.95 /* of the run: threads that lived so long count as always there */

/* The wait reason of inactive threads in words. */
const char *text_waited_for(unsigned int wait)
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
		[GAPP_WAIT_KERNEL_LOCK] = "waited for a lock in the kernel",
		[GAPP_WAIT_SPIN] = "waited in a busy-wait loop",
	};
	const char *found = wait < GAPP_WAIT_REASONS ? words[wait] : NULL;

	return found ? found : "waited for something else";
}

/* Adds what the wait is called, if that says more than its reason. */
static void add_called(struct text *text, const struct wait_kind *called)
{
	if (called->name && !called->plain)
		text_add(text, " (%s)", called->name);
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

static const char *others_did(unsigned int wait)
{
	return wait == GAPP_WAIT_SLEEP ? "slept" : text_waited_for(wait);
}

/* What the others did: how many words tell it. */
enum others {
	OTHERS_NONE, /* there were none, or they ran */
	OTHERS_SELDOM, /* for most of the time none waited */
	OTHERS_ONE_WAIT, /* all or most for one reason */
	OTHERS_TWO_WAITS,
	OTHERS_VARIOUS,
};

static enum others others_of(const struct ranked *row, unsigned int waits[2], double *sum)
{
	unsigned int named = text_named_waits(row, sum, waits);

	if (*sum < WAITED_AT_ALL * row->critical_ns)
		return OTHERS_NONE;
	if (*sum < MOST_OF * row->critical_ns)
		return OTHERS_SELDOM;
	if (row->waiting_ns[waits[0]] >= MOST_OF * *sum)
		return OTHERS_ONE_WAIT;
	return named > 1 ? OTHERS_TWO_WAITS : OTHERS_VARIOUS;
}

/* All code that ran while few threads were active, as a row of its own. */
static struct ranked all_that_ran(const struct results *results)
{
	struct ranked all = { .kind = PATH_RAN };

	for (size_t i = 0; i < results->paths.count; i++) {
		const struct ranked *row = &results->paths.rows[i];

		if (row->kind != PATH_RAN)
			continue;
		all.critical_ns += row->critical_ns;
		for (unsigned int wait = 0; wait < GAPP_WAIT_REASONS; wait++)
			all.waiting_ns[wait] += row->waiting_ns[wait];
	}
	return all;
}

/* Whether what is said of the others while @row ran is true of all time with few threads active. */
static bool is_like_all(const struct text *text, const struct ranked *row)
{
	const struct ranked all = all_that_ran(text->results);
	unsigned int waits[2], all_waits[2];
	double sum;
	enum others others = others_of(row, waits, &sum);

	if (row->critical_ns >= NEARLY_ALL_OF * all.critical_ns)
		return true;
	if (others != others_of(&all, all_waits, &sum))
		return false;
	return (others != OTHERS_ONE_WAIT && others != OTHERS_TWO_WAITS) ||
	       (waits[0] == all_waits[0] &&
		(others == OTHERS_ONE_WAIT || waits[1] == all_waits[1]));
}

/* Adds for what nearly all or most of the others waited. */
static void add_wait(struct text *text, const struct ranked *row, unsigned int wait, double sum)
{
	u64 count = threads_waiting(text, row, wait, sum);

	if (!count || wait == GAPP_WAIT_SLEEP)
		text_add(text, "%s %s",
			 row->waiting_ns[wait] > (1 - WAITED_AT_ALL) * sum ? "the others" :
									     "most others",
			 others_did(wait));
	else
		text_add(text, "%llu %s", count, text_waited_for(wait));
	add_called(text, &row->waiting_called[wait]);
}

/* Adds for what others waited, of whom not most waited for one thing. */
static void add_two_waits(struct text *text, const struct ranked *row, const unsigned int waits[2])
{
	static const char waited[] = "waited ";
	const char *first = others_did(waits[0]), *second = others_did(waits[1]);
	const size_t length = strlen(waited);

	text_add(text, "others %s", first);
	add_called(text, &row->waiting_called[waits[0]]);
	if (!strncmp(first, waited, length) && !strncmp(second, waited, length))
		second += length;
	text_add(text, ", or %s", second);
	add_called(text, &row->waiting_called[waits[1]]);
}

/*
 * Adds what the others did while the code of @row ran; where that is not true of all the time that
 * the sentence is about, it says so.
 */
void text_others(struct text *text, const struct ranked *row)
{
	bool like_all = is_like_all(text, row);
	unsigned int waits[2];
	double sum;
	enum others others = others_of(row, waits, &sum);
	bool any = others != OTHERS_NONE && others != OTHERS_SELDOM;

	text_add(text, "%s", !like_all ? "; while that ran, " : any ? ", while " : ", and ");
	switch (others) {
	case OTHERS_NONE:
		text_add(text, "no other thread was there to wait");
		break;
	case OTHERS_SELDOM:
		text_add(text, "for most of it no other thread was there to wait");
		break;
	case OTHERS_ONE_WAIT:
		add_wait(text, row, waits[0], sum);
		break;
	case OTHERS_TWO_WAITS:
		add_two_waits(text, row, waits);
		break;
	case OTHERS_VARIOUS:
		text_add(text, "the others waited for various reasons");
		break;
	}
}

/*
 * The innermost caller that is not called as the place itself is, and does not just run what the
 * program gives it; NULL: there is none.
 */
static const struct frame *call_site(const struct ranked *row)
{
	const struct frame *names = text_named_by(row->frames, row->frame_count);

	for (size_t i = 1; i < row->frame_count; i++)
		if (text_named_by(&row->frames[i], row->frame_count - i) != names &&
		    !function_runs_others(&row->frames[i]))
			return &row->frames[i];
	return NULL;
}

/* Names a place with its call site: "load (a.c:3) called from main (a.c:9)". */
static void place_in_words(char *cell, const struct ranked *row)
{
	const struct frame *caller = call_site(row);
	char name[TEXT_CELL_SIZE], source[TEXT_CELL_SIZE];

	text_code_in_words(cell, row);
	/* the function with the line is named already; an interpreter's caller says nothing */
	if (!caller || row->frames->inlined || row->frames->interpreter || strstr(cell, " from "))
		return;
	/* what has no name there is a part of what is named */
	text_function(name, text_named_by(caller, row->frame_count - (caller - row->frames)), 1);
	cell_add(cell, " called from %s", name);
	if (!caller->file)
		return;
	text_source(source, caller->file, caller->line);
	cell_add(cell, " (%s)", source);
}

/*
 * Adds for how long few threads were active. @row: what is named next, to which that time is
 * compared, so it is the time of one thread alone only if there was hardly any other.
 */
static void add_low(struct text *text, const struct ranked *row)
{
	double low = results_critical_ns(text->results), alone = model_with(text->model, 1);
	char part[TEXT_WORDS_SIZE], few[TEXT_WORDS_SIZE];
	bool never_two = results_n_min_most(text->results) == 1;
	bool mostly_alone = alone >= MOST_OF * low && (never_two || row->running < ALONE_BELOW);
	bool all_alone = mostly_alone && alone >= NEARLY_ALL_OF * low && row->critical_ns <= alone;

	if (text->model->status.threads == 1) {
		text_add(text, "The only thread was active for %s", text_part(text, part, low));
		return;
	}
	if (all_alone || (mostly_alone && never_two)) {
		text_add(text, "For %s one thread ran alone", text_part(text, part, alone));
		return;
	}
	text_add(text, "For %s no more than %s were active", text_part(text, part, low),
		 text_n_min(text, few, true));
	if (mostly_alone)
		text_add(text, " (one alone for %s)", text_long_time(text, part, alone));
}

/* Whether threads of two processes were followed, also if they never ran while few were active. */
static bool several_processes(const struct model *model)
{
	const struct gapp_thread_figures *first = model->thread_count ? model->threads :
									model->processes;

	for (size_t i = 0; i < model->thread_count; i++)
		if (model->threads[i].tgid != first->tgid)
			return true;
	for (size_t i = 0; i < model->process_count; i++)
		if (model->processes[i].tgid != first->tgid)
			return true;
	return false;
}

/* Adds the process that has most of that time, if there are several. */
static void add_process(struct text *text)
{
	const struct ranking *processes = &text->results->by_process;
	const struct ranked *first = NULL;
	size_t ran = 0;
	double low = results_critical_ns(text->results);
	char code[TEXT_CELL_SIZE], percent[TEXT_WORDS_SIZE];

	for (size_t i = 0; i < processes->count; i++)
		if (processes->rows[i].kind == PATH_RAN && !ran++)
			first = &processes->rows[i];
	if (!first || (ran < 2 && !several_processes(text->model)) ||
	    first->critical_ns < MOST_OF * low)
		return;
	text_process(text, code, first);
	text_add(text, "; %s of that time is in %s %s",
		 text_percent(percent, percent_of(first->critical_ns, low)), text_kind(first),
		 code);
}

static void ran(struct text *text, const struct ranked *row)
{
	double low = results_critical_ns(text->results);
	const struct text_whole whole = { .kind = PATH_RAN, .ns = low };
	char code[TEXT_CELL_SIZE];

	place_in_words(code, row);
	add_low(text, row);
	if (row->critical_ns < MOST_OF * low && text_is_spread(text, &whole))
		text_in_places(text, &whole, ", in ");
	text_add(text,
		 row->critical_ns >= MOST_OF * low ? ", mostly in %s" :
						     ", more in %s than anywhere else",
		 code);
	if (text->model->status.threads != 1)
		text_others(text, row);
	add_process(text);
	text_add(text, ".");
}

/* The time without an active thread is one of followed threads. */
const char *text_nobody_ran(const struct text *text)
{
	return text->model->status.not_followed || text->results->kthreads_without_room ?
		       "none of the followed threads ran" :
		       "nobody ran";
}

/* Adds what the waits were for, if nearly all of that reason were for one thing. */
static void add_object(struct text *text, u32 wait)
{
	double part;
	const struct ranked_object *object = ranked_waits_idle(&text->results->waits, wait, &part);
	char name[TEXT_CELL_SIZE];

	if (!object || part < NEARLY_ALL_OF)
		return;
	text_cut(name, object->name, strlen(object->name), TEXT_NAME_COLUMNS);
	text_add(text, " (%s)", name);
}

static void waited(struct text *text, const struct ranked *row)
{
	double idle = text->model->status.idle_ns;
	char code[TEXT_CELL_SIZE], part[TEXT_WORDS_SIZE];
	const char *how = ", the longest part of it while";

	if (row->critical_ns >= NEARLY_ALL_OF * idle)
		how = ":";
	else if (row->critical_ns >= MOST_OF * idle)
		how = ", mostly while";
	place_in_words(code, row);
	text_add(text, "For %s %s%s %s %s", text_part(text, part, idle), text_nobody_ran(text), how,
		 code, text_waited_for(row->wait));
	add_called(text, &row->called);
	add_object(text, row->wait);
	text_add(text, ".");
}

/* No place stands out, but @holder has a part of @whole. */
static void spread(struct text *text, const struct text_whole *whole,
		   const struct text_holder *holder)
{
	const struct ranked *row = &holder->row;
	char name[TEXT_CELL_SIZE], part[TEXT_WORDS_SIZE], percent[TEXT_WORDS_SIZE];

	text_holder(text, name, holder);
	text_percent(percent, percent_of(row->critical_ns, whole->ns));
	if (whole->kind == PATH_WAITED) {
		text_add(text, "For %s %s", text_part(text, part, whole->ns),
			 text_nobody_ran(text));
		text_in_places(text, whole, ", with waits in ");
		text_add(text, "; for %s of that time %s %s.", percent, name,
			 text_waited_for(row->wait));
		return;
	}
	add_low(text, row);
	text_in_places(text, whole, ", in ");
	text_add(text, "; %s %s %s of that time", name, holder->team ? "have" : "has", percent);
	if (text->model->status.threads != 1)
		text_others(text, row);
	text_add(text, ".");
}

static void never_low(struct text *text)
{
	const struct model *model = text->model;
	size_t fewest = 1, most = model->parallelism_count ? model->parallelism_count - 1 : 0;
	char few[TEXT_WORDS_SIZE];

	while (fewest < most && !model_with(model, fewest))
		fewest++;
	text_add(text, "No bottleneck: parallelism never fell to %s", text_n_min(text, few, false));
	if (fewest < most)
		text_add(text, ": %zu to %zu threads were active%s.", fewest, most,
			 model_with(model, 0) ? "" : " all the time");
	else
		text_add(text, ": %zu thread%s active%s.", most, most == 1 ? " was" : "s were",
			 model_with(model, 0) ? "" : " all the time");
}

/* Adds a place, the largest one, by @format; without any place @otherwise. */
void text_largest(struct text *text, const struct ranked *row, const char *format,
		  const char *otherwise)
{
	char code[TEXT_CELL_SIZE], percent[TEXT_WORDS_SIZE];

	if (!row) {
		text_add(text, "%s", otherwise);
		return;
	}
	text_code_in_words(code, row);
	text_add(text, format, code,
		 text_percent(percent, results_percent(text->results, row->critical_ns)));
}

static void nobody_ran(struct text *text)
{
	char wall[TEXT_WORDS_SIZE];

	text_add(text, "No thread was active in %s: the whole target waited.",
		 text_long_time(text, wall, text->model->status.wall_ns));
}

/*
 * Writes the sentence of a run in which no place has much of the run, but anything has a part of
 * the time with few threads active, or of that with none. False: nothing has.
 */
static bool wrote_spread(struct text *text, const struct text_whole *wholes, size_t count)
{
	struct text_holder holder;

	for (size_t i = 0; i < count; i++) {
		if (results_percent(text->results, wholes[i].ns) < NOTABLE_PERCENT ||
		    !text_find_holder(text, &wholes[i], &holder))
			continue;
		spread(text, &wholes[i], &holder);
		return true;
	}
	return false;
}

static void no_single(struct text *text, const struct text_whole *whole)
{
	char part[TEXT_WORDS_SIZE], few[TEXT_WORDS_SIZE];

	text_add(text, "No single bottleneck: for %s", text_part(text, part, whole->ns));
	if (whole->kind == PATH_RAN)
		text_add(text, " no more than %s were active", text_n_min(text, few, true));
	else
		text_add(text, " %s", text_nobody_ran(text));
	text_in_places(text, whole, ", in ");
	text_largest(text, text_first_place(text, whole),
		     ", but the largest place, %s, has only %s.", NO_PATH);
}

/* Writes the sentence of a run in which no path reaches NOTABLE_PERCENT. */
static void nothing_notable(struct text *text)
{
	double low = results_critical_ns(text->results), wall = text->model->status.wall_ns;
	double queued = share_to_ns(text->results->counters.critical_runq);
	double idle = text->model->status.idle_ns;
	double notable = wall * NOTABLE_PERCENT / 100;
	struct text_whole wholes[] = { { .kind = PATH_RAN, .ns = low },
				       { .kind = PATH_WAITED, .ns = idle } };
	char part[TEXT_WORDS_SIZE], few[TEXT_WORDS_SIZE];

	text_n_min(text, few, true);
	if (idle >= wall) {
		nobody_ran(text);
	} else if (!low && idle < notable) {
		never_low(text);
	} else if (low < notable && idle < notable) {
		text_add(text, "No bottleneck: more than %s were active for %s", few,
			 text_part(text, part, wall - low - idle));
		text_largest(text, text_first_place(text, &wholes[0]),
			     "; the largest place, %s, held the others up for %s.", ".");
	} else if (queued >= notable && queued >= MOST_OF * low) {
		text_add(text, "For %s no more than %s were active, and those waited for a CPU.",
			 text_part(text, part, queued), few);
	} else {
		if (low < idle) {
			wholes[0] = (struct text_whole){ .kind = PATH_WAITED, .ns = idle };
			wholes[1] = (struct text_whole){ .kind = PATH_RAN, .ns = low };
		}
		if (!wrote_spread(text, wholes, ARRAY_SIZE(wholes)))
			no_single(text, wholes);
	}
}

static void nothing_recorded(struct text *text)
{
	const char *exe = text->options->exe;
	char path[TEXT_CELL_SIZE];

	text_add(text, "Nothing was recorded: ");
	if (text->model->status.not_followed_denied) {
		text_add(text, "you may not follow the program, which runs with other rights");
		text_add(text, " than yours (set-id): run gapp-read with sudo.");
		return;
	}
	if (text->options->comm || text->options->cgroup) {
		text_add(text, NO_PROCESS_SELECTED ".");
		return;
	}
	if (!exe) {
		text_add(text, "the target ended before any of its threads was seen.");
		return;
	}
	text_cut(path, exe, strlen(exe), TEXT_NAME_COLUMNS);
	text_add(text, NO_PROCESS_EXECUTED ".", path);
}

/* A place of a run that is worth a line, and has a part of what it is a part of. */
static const struct ranked *notable(const struct text *text)
{
	const struct ranking *places = &text->results->places;
	double low = results_critical_ns(text->results), idle = text->model->status.idle_ns;

	for (size_t i = 0; i < places->count; i++) {
		const struct ranked *row = &places->rows[i];

		if (results_percent(text->results, row->critical_ns) >= NOTABLE_PERCENT &&
		    row->critical_ns >= BOTTLENECK_PART * (row->kind == PATH_RAN ? low : idle))
			return row;
	}
	return NULL;
}

/* Puts the sentence of a run with a ranking together. */
void text_verdict(struct text *text)
{
	const struct ranked *row = notable(text);

	if (model_is_empty(text->model))
		nothing_recorded(text);
	else if (results_apart(text->results))
		text_targets_verdict(text);
	else if (!row)
		nothing_notable(text);
	else if (row->kind == PATH_RAN)
		ran(text, row);
	else
		waited(text, row);
}

/* Writes the sentence. */
void text_sentence(struct text *text)
{
	text_verdict(text);
	text_wrap_to(text, 0, text->sentence_lines, TEXT_PLAIN);
}

/* Writes the sentence as it is, without an end of line. */
void report_verdict(FILE *out, const struct results *results, const struct options *options)
{
	struct text text;

	text_begin(&text, out, results, options);
	text_verdict(&text);
	fputs(text.line, out);
}

/* Writes for how long one thread ran alone, for a report without a ranking. */
void text_stats_sentence(struct text *text)
{
	const struct model *model = text->model;
	u64 wall = model->status.wall_ns, idle = model_with(model, 0);
	u64 alone = model_with(model, 1);
	char part[TEXT_WORDS_SIZE], none[TEXT_WORDS_SIZE];

	if (model_is_empty(model)) {
		nothing_recorded(text);
	} else if (idle == wall) {
		nobody_ran(text);
	} else if (model->status.threads == 1) {
		text_add(text, "The only thread was active for %s.",
			 text_part(text, part, wall - idle));
	} else if (alone) {
		text_add(text, "For %s one thread ran alone", text_part(text, part, alone));
		if (idle)
			text_add(text, ", for %s none", text_long_time(text, none, idle));
		text_add(text, ".");
	} else {
		text_add(text, "Two or more threads were active for %s.",
			 text_part(text, part, wall - idle));
	}
	text_whole(text);
}
