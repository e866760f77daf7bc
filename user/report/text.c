// SPDX-License-Identifier: GPL-2.0
/*
 * The report for people: the order of its parts, its lines, and its overview. Lines are as wide as
 * the terminal at most; elsewhere they are made for TEXT_COLUMNS, and only a long name is wider.
 */
#include <stdarg.h>
#include <sys/ioctl.h>

#include "util/names.h"
#include "merged.h"
#include "text_private.h"

static unsigned int terminal_columns(int fd)
{
	struct winsize size;

	if (ioctl(fd, TIOCGWINSZ, &size) || !size.ws_col)
		return TEXT_COLUMNS;
	if (size.ws_col < TEXT_COLUMNS_MIN)
		return TEXT_COLUMNS_MIN;
	return size.ws_col < TEXT_COLUMNS_MAX ? size.ws_col : TEXT_COLUMNS_MAX;
}

bool text_shows_color(enum color color, bool terminal)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	if (color != COLOR_AUTO)
		return color == COLOR_ALWAYS;
	return terminal && !(no_color && *no_color) && term && *term && strcmp(term, "dumb");
}

struct unit {
	double ns;
	const char *name;
};

/* The unit that suits @ns. */
static const struct unit *unit_of(double ns)
{
	static const struct unit units[] = { { 1e9, "s" }, { 1e6, "ms" }, { 1e3, "us" } };
	size_t i = 0;

	while (i + 1 < ARRAY_SIZE(units) && ns < units[i].ns)
		i++;
	return &units[i];
}

/* What decides how exact times are. Between recordings that were merged there may be days. */
static u64 longest_run(const struct results *results)
{
	u64 longest = 0;

	if (!results->merged)
		return results->model.status.wall_ns;
	for (size_t i = 0; i < results->target_count; i++)
		if (results->targets[i].wall_ns > longest)
			longest = results->targets[i].wall_ns;
	return longest;
}

/* Chooses width, unit and style of the report. */
void text_begin(struct text *text, FILE *out, const struct results *results,
		const struct options *options)
{
	u64 wall = results->model.status.wall_ns;
	const struct unit *unit = unit_of(wall);
	int fd = fileno(out);

	*text = (struct text){
		.out = out,
		.results = results,
		.model = &results->model,
		.options = options,
		.unit = unit->name,
		.unit_ns = unit->ns,
		.decimals = longest_run(results) >= 10000 * NSEC_PER_SEC ? 1 : 3,
		.columns = TEXT_COLUMNS,
		.sentence_lines = TEXT_LINES,
	};
	text->terminal = fd >= 0 && isatty(fd);
	text->color = text_shows_color(options->color, text->terminal);
	if (text->terminal)
		text->columns = terminal_columns(fd);
}

static void append(char *buffer, size_t size, const char *format, va_list args)
{
	size_t len = strlen(buffer);

	vsnprintf(buffer + len, size - len, format, args);
}

/* Adds to the line what fits. */
void text_add(struct text *text, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	append(text->line, sizeof(text->line), format, args);
	va_end(args);
}

/* Begins the line with a section's title; "": with the room of one. */
void text_title(struct text *text, const char *title)
{
	text_add(text, "%-*s", TEXT_INDENT, title);
}

void text_end(struct text *text)
{
	text_wrap(text, TEXT_INDENT, TEXT_PLAIN);
}

/* Writes the line as it is, however wide. */
void text_whole(struct text *text)
{
	fprintf(text->out, "%s\n", text->line);
	*text->line = '\0';
}

void text_end_warning(struct text *text)
{
	text_wrap(text, strlen(TEXT_WARNS), TEXT_WARNING);
}

void text_blank(struct text *text)
{
	if (text->tight)
		return;
	putc('\n', text->out);
	text->lines++;
}

/* Adds to the cell what fits. */
void cell_add(char *cell, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	append(cell, TEXT_CELL_SIZE, format, args);
	va_end(args);
}

const char *text_percent(char *buffer, double percent)
{
	if (percent > 0 && percent < 0.1)
		snprintf(buffer, TEXT_WORDS_SIZE, "below 0.1 %%");
	else
		snprintf(buffer, TEXT_WORDS_SIZE, "%.*f %%", percent < 9.95 ? 1 : 0, percent);
	return buffer;
}

/* In the unit that suits @ns. */
const char *text_short_time(char *buffer, double ns)
{
	const struct unit *unit = unit_of(ns);

	ns /= unit->ns;
	snprintf(buffer, TEXT_WORDS_SIZE, "%.*f %s", ns < 9.95 ? 1 : 0, ns, unit->name);
	return buffer;
}

/* As a part of @whole_ns. */
static const char *time_of(const struct text *text, char *buffer, double ns, double whole_ns)
{
	bool is_long = whole_ns >= 1000 * NSEC_PER_SEC;

	snprintf(buffer, TEXT_WORDS_SIZE, "%.*f %s", is_long ? 0 : 2, text_time(text, ns),
		 text->unit);
	return buffer;
}

/* In the unit of the report. */
const char *text_long_time(const struct text *text, char *buffer, double ns)
{
	return time_of(text, buffer, ns, text->model->status.wall_ns);
}

const char *text_part_of(const struct text *text, char *buffer, double ns, double whole_ns)
{
	char part[TEXT_WORDS_SIZE], whole[TEXT_WORDS_SIZE], percent[TEXT_WORDS_SIZE];

	snprintf(buffer, TEXT_WORDS_SIZE, "%.32s of %.32s (%.16s)",
		 time_of(text, part, ns, whole_ns), time_of(text, whole, whole_ns, whole_ns),
		 text_percent(percent, percent_of(ns, whole_ns)));
	return buffer;
}

const char *text_part(const struct text *text, char *buffer, double ns)
{
	return text_part_of(text, buffer, ns, text->model->status.wall_ns);
}

#define BAR_COLUMNS 12
#define SPUN_AT_ALL 0.01 /* threads that spin, on average: fewer are not worth a line */
#define REST_COLUMNS 11 /* of what may follow in a list: ", rest 12.3" */
#define COMMAND_BYTES 511 /* of the command, at most, before it is cut to the line */

/* What was recorded; @title: of the line. */
void text_what(struct text *text, const char *title)
{
	const struct gapp_status *status = &text->model->status;
	char facts[128], what[TEXT_CELL_SIZE], words[TEXT_CELL_SIZE] = "", selected[TEXT_CELL_SIZE];
	const struct options *options = text->options;
	unsigned int room, width;

	snprintf(facts, sizeof(facts), "%.*f %s, %llu thread%s, %u CPU%s", text->decimals,
		 text_time(text, status->wall_ns), text->unit, status->threads,
		 text_plural(status->threads), status->cpus, text_plural(status->cpus));
	if (text->results->merged)
		for (u32 i = 0; i < text->results->merged->count; i++)
			cell_add(words, "%s%s",
				 i ? ", " : "merged: ", text->results->merged->parts[i].file);
	else if (options->command)
		for (char *const *argument = options->command; *argument; argument++)
			cell_add(words, "%s%s", *words ? " " : "", *argument);
	else if (options->exe)
		snprintf(words, sizeof(words), "%s", options->exe);
	else if (options->comm || options->cgroup)
		cell_add(words, "processes %s", text_selection(options, selected));
	else if (options->all)
		snprintf(words, sizeof(words), "every process");
	else if (!options->pid_count && options->kthreads)
		snprintf(words, sizeof(words), "kernel threads %s", options->kthreads);
	else
		for (size_t i = 0; i < options->pid_count; i++)
			cell_add(words, "%s%d", i ? ", " : "process ", options->pids[i]);
	width = TEXT_INDENT + strlen(facts) + 2;
	room = text->columns > width + 8 ? text->columns - width : 8;
	text_cut(what, words, strnlen(words, COMMAND_BYTES), room);
	text_title(text, title);
	text_line(text, "%s: %s", what, facts);
}

/* Which seconds of the recording a report of --keep is about, and who asked for it. */
static void text_window(struct text *text)
{
	const struct window *window = &text->results->window;
	char cause[TEXT_CELL_SIZE];

	if (!window->end_ns)
		return;
	text_title(text, "Window");
	text_add(text, "from %.*f to %.*f %s of the recording", text->decimals,
		 text_time(text, window->begin_ns), text->decimals, text_time(text, window->end_ns),
		 text->unit);
	if (window->full)
		text_add(text, "; memory had no room for more");
	if (window->number)
		text_add(text, "; dump %u", window->number);
	if (window->cause) {
		text_cut(cause, window->cause, strlen(window->cause), TEXT_NAME_COLUMNS);
		text_add(text, "%s %s", window->number ? ":" : ";", cause);
	}
	text_end(text);
}

static double percent_between(const struct text *text, size_t first, size_t last)
{
	u64 ns = 0;

	for (size_t n = first; n <= last && n < text->model->parallelism_count; n++)
		ns += model_with(text->model, n);
	return model_percent(text->model, ns);
}

/**
 * text_n_min() - N_min in words, and how it changed while threads came and went
 * @text: the report
 * @buffer: TEXT_WORDS_SIZE bytes
 * @threads: N_min is counted in threads, as in "no more than N_min = 2 threads were active"
 *
 * Return: the words, made in @buffer: "N_min = 2 (1 while fewer than 4 threads lived)".
 */
const char *text_n_min(const struct text *text, char *buffer, bool threads)
{
	unsigned int most = results_n_min_most(text->results);
	unsigned int least = results_n_min_least(text->results);
	int len =
		snprintf(buffer, TEXT_WORDS_SIZE, "N_min = %u%s", most, threads ? " threads" : "");

	/* it is half the live threads where these are few, so it falls below as many as twice it */
	if (results_percent(text->results, results_n_min_less_ns(text->results)) >= NOTABLE_PERCENT)
		snprintf(buffer + len, TEXT_WORDS_SIZE - len, " (%s%u while fewer than %u%s lived)",
			 most > least + 1 ? "down to " : "", least, 2 * most,
			 threads ? "" : " threads");
	return buffer;
}

/* Average parallelism with a bar; @title: of the line. */
void text_parallel(struct text *text, const char *title)
{
	unsigned int n_min = results_n_min_most(text->results), cpus = text->model->status.cpus;
	double average = model_average(text->model);
	double part = cpus ? average / cpus : 0;
	int length = BAR_COLUMNS;

	if (part < 1)
		length = part * BAR_COLUMNS + 0.5;
	text_title(text, title);
	text_add(text, "%.1f of %u |%.*s%.*s| none %.0f %%, one %.0f %%", average, cpus, length,
		 "############", BAR_COLUMNS - length, "............", percent_between(text, 0, 0),
		 percent_between(text, 1, 1));
	if (n_min > 1)
		text_add(text, ", 1-%u %.0f %%", n_min, percent_between(text, 1, n_min));
	text_line(text, ", >%u %.0f %%", n_min, percent_between(text, n_min + 1, SIZE_MAX));
}

/**
 * struct handed_on - time in which all threads were known to wait, one of them in a busy-wait loop
 * @ns: how long that was
 * @stretches: how many times
 */
struct handed_on {
	double ns;
	double stretches;
};

static struct handed_on find_handed_on(const struct text *text)
{
	const struct ranking *places = &text->results->places;
	struct handed_on found = { 0 };

	for (size_t i = 0; i < places->count; i++) {
		const struct ranked *row = &places->rows[i];

		if (row->kind != PATH_WAITED || row->wait != GAPP_WAIT_SPIN)
			continue;
		found.ns += row->critical_ns;
		found.stretches += row->slices;
	}
	return found;
}

/* Where one works by then, the next sample finds it: longer stretches have another reason, too. */
static void say_handed_on(struct text *text, const struct handed_on *found)
{
	const u32 rate_hz = text->options->rate_hz;
	char part[TEXT_WORDS_SIZE];

	text_add(text, "; for %s all seemed to wait", text_part(text, part, found->ns));
	if (rate_hz && found->ns > found->stretches * NSEC_PER_SEC / rate_hz)
		text_add(text, ": what they waited for is not followed, or they went on late");
	else if (text->results->exact_loops)
		text_add(text, ", until a sample found who went on");
	else
		text_add(text,
			 ", until a sample found who went on: --spin exact sees that at once");
}

/* How many threads waited on CPUs, on average. */
static void text_spinning(struct text *text)
{
	const u64 wall_ns = text->model->status.wall_ns, spun_ns = results_spun_ns(text->results);
	const double average = wall_ns ? (double)spun_ns / wall_ns : 0;
	const double starved = results_starved_ns(text->results);
	const struct handed_on handed_on = find_handed_on(text);
	char part[TEXT_WORDS_SIZE];

	if (average < SPUN_AT_ALL || text->brief >= TEXT_BRIEFER)
		return;
	text_title(text, "Spinning");
	text_add(text, "%.2f thread%s on average waited in busy-wait loops, not counted above",
		 average, average >= 0.995 && average < 1.005 ? "" : "s");
	if (starved)
		text_add(
			text,
			"; for %s threads that they waited for had no CPU: let them sleep sooner, or run fewer",
			text_part(text, part, starved));
	else if (results_percent(text->results, handed_on.ns) >= NOTABLE_PERCENT)
		say_handed_on(text, &handed_on);
	text_end(text);
}

/**
 * struct part - how much of a time, for example of the time with low parallelism, has one cause
 * @name: name of the cause
 * @ns: how much, in nanoseconds
 * @ended_by: the thread that ended most such waits; NULL: there is none, or it is not known
 * @object: what most of it was waited for; NULL: likewise
 * @object_part: of the time
 */
struct part {
	const char *name;
	double ns;
	const char *ended_by;
	const char *object;
	double object_part;
};

static int part_compare(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	return (x->ns < y->ns) - (x->ns > y->ns);
}

/*
 * Adds what more is known of a part, if it has room on the line: " (most ended by writer)",
 * " (for /var/log/journal)", " (61 % for tcp to 10.0.0.2:80)".
 */
static void add_note(const struct text *text, char *cell, const struct part *part)
{
	char name[TEXT_CELL_SIZE], note[TEXT_CELL_SIZE + 64] = "", percent[16] = "";

	if (part->ended_by) {
		text_cut(name, part->ended_by, strlen(part->ended_by), GAPP_COMM_LEN);
		snprintf(note, sizeof(note), " (most ended by %s)", name);
	} else if (part->object) {
		text_cut(name, part->object, strlen(part->object), TEXT_NAME_COLUMNS);
		if (part->object_part < NEARLY_ALL_OF)
			snprintf(percent, sizeof(percent), "%.0f %% ", 100 * part->object_part);
		snprintf(note, sizeof(note), " (%sfor %s)", percent, name);
	}
	if (text_width(text->line) + text_width(cell) + text_width(note) + REST_COLUMNS <=
	    text->columns)
		cell_add(cell, "%s", note);
}

/* "Why low      61.2 %: queue 48.1, lock 3.0"; @parts sum up to @whole_ns. */
static void put_parts(struct text *text, const char *title, double whole_ns, struct part *parts,
		      size_t count)
{
	size_t i;

	qsort(parts, count, sizeof(*parts), part_compare);
	text_title(text, title);
	text_add(text, "%.1f %%:", results_percent(text->results, whole_ns));
	for (i = 0; i < count; i++) {
		double percent = results_percent(text->results, parts[i].ns), rest = 0;
		const char *comma = i ? "," : "";
		char one[TEXT_CELL_SIZE];

		if (percent < SHOWN_PERCENT)
			break;
		snprintf(one, sizeof(one), "%s %s %.1f", comma, parts[i].name, percent);
		add_note(text, one, &parts[i]);
		if (text_width(text->line) + text_width(one) + REST_COLUMNS <= text->columns ||
		    i + 1 == count) {
			text_add(text, "%s", one);
			continue;
		}
		for (; i < count; i++)
			rest += parts[i].ns;
		text_add(text, "%s rest %.1f", comma, results_percent(text->results, rest));
	}
	text_end(text);
}

/*
 * The name of the threads that ended most of the time waited for a reason. NULL: it is not known,
 * there is none, or all whom they woke have it too, so it tells nothing.
 */
static const char *strongest_waker(const struct ranked_waits *waits, u32 reason)
{
	u64 all = 0, ended = 0, lead = 0;
	const char *first = NULL;
	bool tells = false;

	if (!waits->all)
		return NULL;

	/* who has more than half is left over when the time of two others is taken off in pairs */
	for (size_t i = 0; i < waits->pair_count; i++) {
		const struct ranked_pair *pair = &waits->pairs[i];
		u64 ns = pair->waker.waited_ns;

		if (pair->kind.reason != reason)
			continue;
		all += ns;
		if (first == pair->waker.name) {
			lead += ns;
		} else if (ns > lead) {
			first = pair->waker.name;
			lead = ns - lead;
		} else {
			lead -= ns;
		}
	}
	for (size_t i = 0; i < waits->pair_count; i++) {
		const struct ranked_pair *pair = &waits->pairs[i];

		if (!first || pair->waker.name != first || pair->kind.reason != reason)
			continue;
		ended += pair->waker.waited_ns;
		tells |= !pair->waiter || strcmp(pair->waiter, first);
	}
	return tells && ended > all / 2 ? first : NULL;
}

/*
 * Time with few threads active, by what the others waited for, or with PATH_WAITED time with no
 * thread active, by the wait reason of the thread that ended it.
 */
void text_why(struct text *text, enum path_kind kind)
{
	const struct results *results = text->results;
	bool low = kind == PATH_RAN;
	double whole = low ? results_critical_ns(results) : results->model.status.idle_ns;
	double known = low ? results->sums.attributed_ns : results->sums.waited_ns;
	double queued = low ? share_to_ns(results->counters.critical_runq) : 0;
	double shown = 0, alone = 0, missing, left_out;
	struct part parts[GAPP_WAIT_REASONS + 4];
	const struct ranked_object *object;
	size_t count, most = 0;

	for (count = 0; count < GAPP_WAIT_REASONS; count++)
		parts[count] = (struct part){ .name = wait_name(count) };
	for (size_t i = 0; i < results->paths.count; i++) {
		const struct ranked *row = &results->paths.rows[i];
		double waited = 0;

		if (row->kind != kind)
			continue;
		shown += row->critical_ns;
		if (!low)
			parts[row->wait % GAPP_WAIT_REASONS].ns += row->critical_ns;
		for (unsigned int wait = 0; low && wait < GAPP_WAIT_REASONS; wait++) {
			parts[wait].ns += row->waiting_ns[wait];
			waited += row->waiting_ns[wait];
		}
		alone += row->critical_ns > waited ? row->critical_ns - waited : 0;
	}
	for (size_t i = 1; i < count; i++)
		if (parts[i].ns > parts[most].ns)
			most = i;
	if (low) {
		parts[most].ended_by = strongest_waker(&results->waits, most);
		parts[count++] = (struct part){ .name = "no others", .ns = alone };
		parts[count++] = (struct part){ .name = "cpu-wait", .ns = queued };
	} else {
		object = ranked_waits_idle(&results->waits, most, &parts[most].object_part);
		parts[most].object = object ? object->name : NULL;
	}
	/* no place has the rest: options like --threads-only leave out what is known */
	missing = whole - shown - queued;
	if (missing > 0) {
		left_out = known > shown ? known - shown : 0;
		if (left_out > missing)
			left_out = missing;
		parts[count++] = (struct part){ .name = "not shown", .ns = left_out };
		parts[count++] = (struct part){ .name = "unknown", .ns = missing - left_out };
	}
	if (results_percent(results, whole) >= (low ? SHOWN_PERCENT : NOTABLE_PERCENT))
		put_parts(text, low ? "Why low" : "Why none", whole, parts, count);
}

/* What was recorded, and how parallel it was. */
static void text_overview(struct text *text)
{
	text_what(text, "Recorded");
	text_window(text);
	if (results_apart(text->results)) {
		text_targets(text);
		text_exact(text);
		text_counters(text);
		return;
	}
	if (text->brief >= TEXT_BAREST)
		return;
	text_parallel(text, "Parallelism");
	text_spinning(text);
	text_exact(text);
	text_why(text, PATH_RAN);
	text_why(text, PATH_WAITED);
	text_counters(text);
}

/* Lines that @put would write. */
unsigned int text_dry_run(const struct text *text, text_put_fn put, const void *what)
{
	struct text dry = *text;
	char *nowhere = NULL;
	size_t size;

	dry.out = open_memstream(&nowhere, &size);
	dry.lines = 0;
	if (dry.out) {
		put(&dry, what);
		fclose(dry.out);
	}
	free(nowhere);
	return dry.lines;
}

#define LINES_BEFORE_TIGHT 4 /* sentence and warnings; with more lines, no blank lines follow */

/* Writes the report of a session without records: threads' figures alone (--level stats). */
static void put_stats(struct text *text)
{
	text_not_followed(text);
	text_warnings(text);
	text_stats_sentence(text);
	putc('\n', text->out);
	text_facts(text);
	if (model_is_empty(text->model))
		return;
	if (!results_apart(text->results))
		text_parallelism(text);
	putc('\n', text->out);
	text_threads(text);
	putc('\n', text->out);
	/* without records no view can be asked for */
	if (text->results->counted.asked.count) {
		text_view_counters(text);
		putc('\n', text->out);
	}
	text_checks(text);
}

static void put_all(struct text *text)
{
	text_facts(text);
	if (!results_apart(text->results))
		text_parallelism(text);
	text_blank(text);
	text_threads(text);
	text_blank(text);
	text_thread_waits(text);
	text_volume(text);
	text_quality(text);
	text_unwinds(text);
	text_checks(text);
}

static void put_before_table(struct text *text)
{
	text_not_followed(text);
	text_sentence(text);
	text_doubts(text);
	text->tight = !text->options->verbose && text->lines > LINES_BEFORE_TIGHT;
	text_blank(text);
	text_overview(text);
	text_blank(text);
}

static void put_after_table(struct text *text, const void *unused)
{
	unsigned int lines = text->lines;

	(void)unused;
	if (text->options->by == BY_WAIT_OBJECT)
		text_estimated_waits(text);
	if (text->brief < TEXT_BRIEFEST)
		text_at_length(text, 1);
	if (text->rows || text->lines > lines)
		text_blank(text);
	if (text->brief < TEXT_BRIEFEST)
		text_imbalance(text);
	if (text->brief < TEXT_LEAST)
		text_quality(text);
	text_checks_in_short(text);
	if (text->brief < TEXT_BRIEFER) {
		text_advice(text);
		return;
	}
	text_title(text, "More");
	text_line(text, "gapp-read -v says what found no room here");
}

/* Lines that follow the table, and the sum of the places that are left out. */
static unsigned int lines_after_table(const struct text *text)
{
	struct text with_rows = *text;

	with_rows.rows = 1;
	return text_dry_run(&with_rows, put_after_table, NULL) + 1;
}

/* As much as there must be. */
static void put_least(struct text *text, const void *unused)
{
	(void)unused;
	put_before_table(text);
	text->lines += text_least_rows(text) + lines_after_table(text);
}

/* Lines that the report may have: one more for the source text of who named a folder of sources. */
unsigned int text_room(const struct text *text)
{
	return TEXT_LINES + !!text->options->source_path_count;
}

static bool fits_screen(const struct text *text)
{
	return text_dry_run(text, put_least, NULL) <= text_room(text);
}

/* Leaves out what a screen has no room for, and only then a part of the sentence. */
static void make_brief(struct text *text)
{
	while (text->brief < TEXT_BAREST && !fits_screen(text))
		text->brief++;
	while (text->sentence_lines > TEXT_SENTENCE_LEAST && !fits_screen(text))
		text->sentence_lines--;
}

static void put_nothing_recorded(struct text *text)
{
	text_not_followed(text);
	text_sentence(text);
	text_warnings(text);
	text_blank(text);
	text_facts(text);
}

/* The head of the report, and then a view that was asked for. */
static void put_view(struct text *text, text_view_fn view)
{
	put_before_table(text);
	view(text);
	text_tree(text);
	text_blank(text);
	if (!text->options->verbose) {
		text_checks_in_short(text);
		return;
	}
	text_volume(text);
	text_quality(text);
	text_unwinds(text);
	text_checks(text);
}

static void put_ranked(struct text *text)
{
	text_view_fn view = text_view(text);
	unsigned int lines;

	if (model_is_empty(text->model)) {
		put_nothing_recorded(text);
		return;
	}
	if (view) {
		put_view(text, view);
		return;
	}
	if (!text->options->verbose)
		make_brief(text);
	put_before_table(text);
	lines = text->lines;
	text_table(text, lines_after_table(text));
	if (!text->options->verbose) {
		put_after_table(text, NULL);
		text_tree(text);
		return;
	}
	if (text->options->by == BY_WAIT_OBJECT)
		text_estimated_waits(text);
	text_at_length(text, SIZE_MAX);
	text_tree(text);
	if (text->lines > lines)
		text_blank(text);
	text_imbalance(text);
	put_all(text);
	text_advice(text);
}

/**
 * report_text() - writes the report, as wide as the terminal at most, or 100 columns
 * @out: the stream
 * @results: of a stopped session
 * @options: what was asked for
 */
void report_text(FILE *out, const struct results *results, const struct options *options)
{
	struct text text;

	text_begin(&text, out, results, options);
	if (results->ranked)
		put_ranked(&text);
	else
		put_stats(&text);
}
