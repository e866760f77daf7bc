/* SPDX-License-Identifier: GPL-2.0 */
/* Parts of the text report. */
#ifndef GAPP_READ_TEXT_PRIVATE_H
#define GAPP_READ_TEXT_PRIVATE_H

#include <stdio.h>

#include "report.h"

#define TEXT_COLUMNS 100 /* of what is no terminal */
#define TEXT_COLUMNS_MIN 40
#define TEXT_COLUMNS_MAX 160
#define TEXT_LINES 24 /* of the report by default */
#define TEXT_INDENT 13 /* where the text beside a section's title begins */
#define BOTTLENECK_PART 0.1 /* of the time with few threads active: what has less is none */
#define NEARLY_ALL_OF 0.95 /* of a time: the rest is not worth a word */
#define SHOWN_PERCENT 0.05 /* less is 0.0 */
#define TEXT_SENTENCE_LEAST 3 /* lines that the sentence may take in any case */
#define TEXT_ROWS 20 /* threads in the table, without -v */

/* Columns of a name, at most; longer ones are cut. */
#define TEXT_NAME_COLUMNS 320
/* Bytes of a name or words for a part of a line: at most TEXT_NAME_COLUMNS columns. */
#define TEXT_CELL_SIZE (4 * TEXT_NAME_COLUMNS + 1)
#define TEXT_LINE_SIZE 4096

/* How a line looks with colours. */
enum text_style {
	TEXT_PLAIN,
	TEXT_BOLD,
	TEXT_WARNING,
};

/* What a report leaves out for lack of room, each with all before it. */
enum text_brief {
	TEXT_AT_LENGTH,
	TEXT_WITHOUT_SOURCE, /* the text of source lines */
	TEXT_WITHOUT_METHODS, /* how paths were found */
	TEXT_BRIEF, /* what the first place did, and its lines */
	TEXT_BRIEFER, /* what would name functions, and how many threads spun */
	TEXT_BRIEFEST, /* the first place at length, and imbalance */
	TEXT_LEAST, /* how much of the time has paths */
	TEXT_BAREST, /* how parallel the run was */
};

/**
 * struct text - a report that is being written
 * @out: the stream
 * @results: what is reported
 * @model: @results->model
 * @options: what was asked for
 * @unit_ns: nanoseconds in the unit of the report's times
 * @unit: name of the unit
 * @decimals: of times in tables
 * @columns: how wide a line may be
 * @terminal: it is written to a terminal
 * @color: styles are shown
 * @tight: there is no room for blank lines
 * @brief: what else is left out
 * @sentence_lines: lines of the sentence at most
 * @lines: written so far
 * @rows: rows of the table, once it is written
 * @line: the line that is being put together
 */
struct text {
	FILE *out;
	const struct results *results;
	const struct model *model;
	const struct options *options;
	double unit_ns;
	const char *unit;
	int decimals;
	unsigned int columns;
	bool terminal;
	bool color;
	bool tight;
	enum text_brief brief;
	unsigned int sentence_lines;
	unsigned int lines;
	size_t rows;
	char line[TEXT_LINE_SIZE];
};

static inline double text_time(const struct text *text, double ns)
{
	return ns / text->unit_ns;
}

static inline const char *text_plural(u64 count)
{
	return count == 1 ? "" : "s";
}

/* text.c: parts of lines */

void text_begin(struct text *text, FILE *out, const struct results *results,
		const struct options *options);

bool text_shows_color(enum color color, bool terminal);

_attribute_(format(printf, 2, 3)) void text_add(struct text *text, const char *format, ...);
void text_title(struct text *text, const char *title);
void text_end(struct text *text);
void text_whole(struct text *text);
#define text_line(text, ...) (text_add(text, __VA_ARGS__), text_end(text))
#define TEXT_WARNS "Warning: "
#define text_warning(text, ...) (text_add(text, TEXT_WARNS __VA_ARGS__), text_end_warning(text))
void text_end_warning(struct text *text);
void text_blank(struct text *text);
unsigned int text_room(const struct text *text);
_attribute_(format(printf, 2, 3)) void cell_add(char *cell, const char *format, ...);

/* Each returns words, made in @buffer: "40 %", "850 us", "0.81 s", "0.81 s of 2.00 s (40 %)". */
#define TEXT_WORDS_SIZE 96
const char *text_percent(char *buffer, double percent);
const char *text_short_time(char *buffer, double ns);
const char *text_long_time(const struct text *text, char *buffer, double ns);
const char *text_part(const struct text *text, char *buffer, double ns);
const char *text_part_of(const struct text *text, char *buffer, double ns, double whole_ns);
const char *text_n_min(const struct text *text, char *buffer, bool threads);

typedef void (*text_put_fn)(struct text *text, const void *what);
unsigned int text_dry_run(const struct text *text, text_put_fn put, const void *what);

/* text_wrap.c: words on lines */

void text_wrap(struct text *text, unsigned int indent, enum text_style style);
void text_wrap_to(struct text *text, unsigned int indent, unsigned int most, enum text_style style);
bool text_add_item(struct text *text, unsigned int indent, unsigned int most, const char *item);
unsigned int text_lines(const struct text *text, unsigned int indent);
unsigned int text_width(const char *shown);
void text_cut(char *cell, const char *name, size_t len, unsigned int columns);

/* text_names.c: how code is called; each sets a cell */

const char *text_behind_brackets(const char *open);

void text_module(char *cell, const char *module);
const struct frame *text_named_by(const struct frame *frames, size_t count);
void text_function(char *cell, const struct frame *frames, size_t count);
void text_source(char *cell, const char *file, u32 line);
void text_code(char *cell, const struct ranked *row);
void text_where(char *cell, const struct ranked *row);
void text_code_in_words(char *cell, const struct ranked *row);
/* @command: words with spaces between them; @cell: TEXT_CELL_SIZE bytes less a few. */
void text_command(char *cell, const char *command, unsigned int columns);
void text_process(const struct text *text, char *cell, const struct ranked *row);
const char *text_base_name(const char *path);

/* text_teams.c: threads with the same name, or with numbered ones; a name: GAPP_COMM_LEN bytes */

int text_team_compare(const u8 *x, const u8 *y);
bool text_same_name(const u8 *x, const u8 *y);
void text_team(char *cell, const u8 *comm, bool numbered, unsigned int columns);

/* text_levels.c: what has a part of a time that is worth words */

#define MOST_OF 0.5 /* of a time: what has so much of it has most */

/**
 * struct text_whole - the time that a sentence is about
 * @kind: PATH_RAN: few threads were active; PATH_WAITED: none was
 * @tgid: of this target; 0: there is one target
 * @ns: how long that was
 */
struct text_whole {
	enum path_kind kind;
	s32 tgid;
	double ns;
};

/**
 * struct text_holder - what has a part of such a time
 * @row: code, a thread, a process, or with @team the sums of @row.threads threads
 * @team: it is a team
 * @numbered: not all of the team's threads have the name @row.comm
 */
struct text_holder {
	struct ranked row;
	bool team;
	bool numbered;
};

const struct ranked *text_first_place(const struct text *text, const struct text_whole *whole);
void text_in_places(struct text *text, const struct text_whole *whole, const char *before);
bool text_is_spread(const struct text *text, const struct text_whole *whole);
bool text_find_holder(const struct text *text, const struct text_whole *whole,
		      struct text_holder *holder);
void text_holder(const struct text *text, char *cell, const struct text_holder *holder);
const char *text_kind(const struct ranked *row);

/* text_places.c: what rows say */

const struct ranking *text_ranking(const struct text *text);
unsigned int text_main_wait(const struct ranked *row, double *sum);
unsigned int text_named_waits(const struct ranked *row, double *sum, unsigned int waits[2]);
void text_doing(char *cell, const struct doing *doing);
bool text_row_counts(const struct text *text, const struct ranked *row);

/* text_row.c */

void text_row(struct text *text, const struct ranked *row, enum text_style style);

/* text_kernel.c */

void text_kernel(struct text *text, const struct ranked *row);

/* text_counters.c */

void text_place_counters(struct text *text, const struct ranked *place);

/* text_sentence.c: parts of the sentence */

const char *text_waited_for(unsigned int wait);
const char *text_nobody_ran(const struct text *text);
void text_others(struct text *text, const struct ranked *row);
void text_largest(struct text *text, const struct ranked *row, const char *format,
		  const char *otherwise);
#define NO_PATH ", and of that no call path is known."

/* text_targets.c: the sentence where each process is a target, and the list of targets */

void text_targets_verdict(struct text *text);
void text_targets(struct text *text);

/* text_views.c: what stands behind the report's head in place of the table of places */

typedef void (*text_view_fn)(struct text *text);
text_view_fn text_view(const struct text *text); /* NULL: the table of places */
void text_estimated_waits(struct text *text);
size_t text_view_rows(const struct text *text); /* that a view may have */
void text_view_left_out(struct text *text, size_t rows);
void text_view_waits(struct text *text);
void text_view_wait_objects(struct text *text);
void text_view_wakers(struct text *text);
void text_view_path(struct text *text);
void text_view_graph(struct text *text);
void text_view_handover(struct text *text);
void text_view_sections(struct text *text);
/* text_view_counters.c */
void text_view_counters(struct text *text);
/* text_regions.c: the parallel regions of a recording that has some */
void text_regions(struct text *text);
void text_view_missing(struct text *text, const char *view);
void text_view_bounds(struct text *text, const struct wait_views *views);

/* text_exact.c */

void text_exact(struct text *text);

/* text_counters.c */

void text_counters(struct text *text);

/* The report's sections. */

void text_what(struct text *text, const char *title);
void text_parallel(struct text *text, const char *title);
void text_why(struct text *text, enum path_kind kind);
void text_verdict(struct text *text);
void text_sentence(struct text *text);
unsigned int text_least_rows(struct text *text);
void text_table(struct text *text, unsigned int lines_after);
void text_at_length(struct text *text, size_t most);
void text_tree(struct text *text);
void text_imbalance(struct text *text);
void text_volume(struct text *text);
void text_quality(struct text *text);
void text_unwinds(struct text *text);
void text_stats_sentence(struct text *text);
void text_facts(struct text *text);
char *text_selection(const struct options *options, char words[static TEXT_CELL_SIZE]);
void text_parallelism(struct text *text);
void text_threads(struct text *text);

/* text_thread_waits.c */

void text_thread_waits(struct text *text);
void text_not_followed(struct text *text);
void text_warnings(struct text *text);
void text_doubts(struct text *text);
void text_checks(struct text *text);
void text_checks_in_short(struct text *text);
void text_advice(struct text *text);

#endif /* GAPP_READ_TEXT_PRIVATE_H */
