// SPDX-License-Identifier: GPL-2.0
/*
 * Names of 200 columns in the report, in diff and in top: on a terminal nothing is wider than it,
 * nor longer than 24 lines; elsewhere such a name has a line of its own. No name is cut.
 */
#include "made_up.h"

#include <ctype.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>

#include "report/diff.h"
#include "report/live.h"

#define LINES 24
#define COLUMNS 100 /* of what is no terminal */

static char *const command[] = { "./prog", "-x", NULL };
static const struct options options = { .command = command };

static char rust[] = {
	"<alloc::collections::vec_deque::VecDeque<(usize, alloc::boxed::Box<dyn core::any::Any>)> as core::iter::traits::collect::Extend<(usize, alloc::boxed::Box<dyn core::any::Any>)>>::extend_desugared_with_growth",
};

static char cpp[] = {
	"storage::(anonymous namespace)::consistent_hashing::detail::VirtualNodeAssignmentTableBuilder::rebalancePartitionsAcrossAvailabilityZonesWithoutMovingPinnedReplicas::ScheduledMigration::Attempt::operator new",
};

static char plain[] = {
	"rehash_each_bucket_of_the_table_that_has_more_entries_than_it_had_when_the_table_was_made_and_put_those_back_that_somebody_else_has_taken_out_of_it_meanwhile_while_nobody_looks_or_waits_for_the_end",
};

static char *const names[] = { rust, cpp, plain };

static struct frame frames[] = {
	{ .module = "/opt/prog", .file = "src/hash.c", .line = 88 },
	{ .module = "/opt/prog", .file = "src/hash.c", .line = 12 },
	{ .function = "main", .module = "/opt/prog", .file = "src/main.c", .line = 9 },
};

static struct doing doing[] = {
	{ .frame = &frames[1], .critical_ns = MS(1000) },
	{ .frame = &frames[0], .critical_ns = MS(500) },
	{ .critical_ns = MS(400) },
};

/* The first place is called so, and so is its caller. */
static void make(struct made *made, char *name, bool inlined)
{
	assert_in_range(strlen(name), 190, 210);
	made_ranked(made);
	/* so that the sentence is no longer than it must be */
	made->parallelism[1] += made->parallelism[8];
	made->parallelism[8] = 0;
	frames[0].function = name;
	frames[0].inlined = inlined;
	frames[1].function = name == plain ? cpp : plain;
	made->rows[0].frames = frames;
	made->rows[0].frame_count = ARRAY_SIZE(frames);
	made->rows[0].doing = doing;
	made->rows[0].doing_count = ARRAY_SIZE(doing);
}

/* What @print writes to a terminal so wide, or with 0 columns to something else. */
static char *printed(void (*print)(FILE *out, const void *what), const void *what,
		     unsigned short columns)
{
	struct winsize window = { .ws_col = columns, .ws_row = LINES };
	struct termios raw = { 0 };
	struct pollfd readable = { .events = POLLIN };
	bool ended = false;
	int slave;
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);
	pid_t child;

	if (!columns) {
		print(out, what);
		fclose(out);
		return text;
	}
	cfmakeraw(&raw);
	assert_int_equal(openpty(&readable.fd, &slave, NULL, &raw, &window), 0);
	child = fork();
	if (!child) {
		FILE *terminal = fdopen(slave, "w");

		print(terminal, what);
		_exit(fclose(terminal) ? 1 : 0);
	}
	/* it stays open here: a terminal whose other end is closed may drop what is under way */
	while (poll(&readable, 1, ended ? 0 : 20) > 0 || !ended) {
		char part[512];

		if (readable.revents)
			fwrite(part, 1, read(readable.fd, part, sizeof(part)), out);
		else
			ended = waitpid(child, NULL, WNOHANG) == child;
	}
	close(slave);
	close(readable.fd);
	fclose(out);
	return text;
}

static void remove_spaces(char *text)
{
	char *to = text;

	for (const char *c = text; *c; c++)
		if (!isspace(*c))
			*to++ = *c;
	*to = '\0';
}

/* However the lines of the text are broken. */
static void has_words(const char *text, const char *words)
{
	_cleanup_free_ char *in = strdup(text), *part = strdup(words);

	remove_spaces(in);
	remove_spaces(part);
	if (!strstr(in, part))
		fail_msg("'%s' is not in:\n%s", words, text);
}

/* Lines are as wide as @columns, or have one name. */
static void has_names_on_their_lines(const char *text, size_t columns)
{
	for (; *text; text += strcspn(text, "\n") + 1) {
		const char *begin = text + strspn(text, " ");
		size_t len = strcspn(text, "\n"), own = len - (begin - text), name = 0;

		if (len <= columns)
			continue;
		for (size_t i = 0; i < ARRAY_SIZE(names); i++)
			if (!strncmp(begin, names[i], strlen(names[i])))
				name = strlen(names[i]);
		/* a comma, or a bracket's end */
		if (!name || own > name + 1)
			fail_msg("%zu columns: %.*s", len, (int)len, text);
	}
}

static void fits_both(const char *text, unsigned short columns, const char *name)
{
	has_not(text, "~");
	has_words(text, name);
	if (columns) {
		fits(text, columns);
		return;
	}
	has(text, name);
	has_names_on_their_lines(text, COLUMNS);
}

static void fits_lines(const char *text, size_t lines)
{
	if (lines_in(text) > lines)
		fail_msg("%zu lines:\n%s", lines_in(text), text);
}

static const unsigned short widths[] = { 80, 100, 160, 0 };

static void put_report(FILE *out, const void *what)
{
	report_text(out, what, &options);
}

static char *verdict_of(const struct made *made)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	report_verdict(out, &made->results, &options);
	fclose(out);
	return text;
}

static void the_report(bool inlined)
{
	struct made made;

	for (size_t i = 0; i < 2 * ARRAY_SIZE(names) * ARRAY_SIZE(widths); i++) {
		char *name = names[i % ARRAY_SIZE(names)];
		unsigned short columns = widths[i / ARRAY_SIZE(names) % ARRAY_SIZE(widths)];
		_cleanup_free_ char *text = NULL, *verdict = NULL;

		make(&made, name, inlined);
		/* with warnings, too */
		if (i >= ARRAY_SIZE(names) * ARRAY_SIZE(widths)) {
			made.results.no_kernel = "nobody knows";
			made.results.counters.lost[GAPP_LOST_RING] = 7;
		}
		text = printed(put_report, &made.results, columns);
		verdict = verdict_of(&made);
		fits_both(text, columns, name);
		fits_lines(text, LINES);
		has_words(text, verdict);
		has(text, "\n   1       1.900   15.3 ");
		has(text, "Checks ");
	}
}

static void places(void **state)
{
	the_report(false);
}

static void places_in_their_callers(void **state)
{
	the_report(true);
}

/* What is not followed, was lost and is doubtful takes lines, and all of it is there. */
static void with_every_warning_the_sentence_is_cut_last(void **state)
{
	_cleanup_free_ char *text = NULL, *wide = NULL, *verdict = NULL;
	struct made made;

	make(&made, plain, false);
	made.results.no_kernel = "nobody knows";
	made.results.model.status.not_followed = 12;
	made.results.model.status.not_followed_denied = 1;
	made.results.model.status.not_followed_late = 9;
	made.results.model.status.unexpected = 3;
	made.results.counters.lost[GAPP_LOST_RING] = 7;
	made.results.counters.lost[GAPP_LOST_PATHS_OVER_BUDGET] = 5;
	made.results.counters.lost[GAPP_LOST_PATHS] = 1;
	text = printed(put_report, &made.results, 80);
	fits_both(text, 80, plain);
	fits_lines(text, LINES);
	/* between words */
	has(text, "mostly in\nrehash_each_bucket");
	has(text, " ...\nWarning: no kernel frames");
	has_not(text, "Parallelism");
	wide = printed(put_report, &made.results, 160);
	fits_lines(wide, LINES);
	verdict = verdict_of(&made);
	has_words(wide, verdict);
	has_not(wide, " ...");
}

static void put_at_length(FILE *out, const void *what)
{
	report_text(out, what, &(struct options){ .command = command, .verbose = true });
}

/* A list ends before what has no room, and not within it. */
static void lists_have_whole_names(void **state)
{
	_cleanup_free_ char *text = NULL;
	struct made made;

	make(&made, plain, false);
	text = printed(put_at_length, &made.results, 160);
	has(text, "    doing\n    storage::(anonymous namespace)::");
	has(text, "operator new 53 %\n");
	has_not(text, "own code");
	fits(text, 160);
}

struct pair {
	struct made before;
	struct made after;
};

static const struct options five_rows = { .top = 5 };

static void put_diff(FILE *out, const void *what)
{
	_cleanup_diff_ struct diff diff = { .options = &five_rows };
	const struct pair *pair = what;

	diff.before = (struct recorded){ "old.data", &pair->before.results, &options };
	diff.after = (struct recorded){ "new.data", &pair->after.results, &options };
	if (diff_make(&diff))
		abort();
	diff_text(out, &diff);
}

static void diffs(void **state)
{
	_cleanup_free_ struct pair *pair = malloc(sizeof(*pair));

	assert_non_null(pair);
	for (size_t i = 0; i < ARRAY_SIZE(names) * ARRAY_SIZE(widths); i++) {
		char *name = names[i % ARRAY_SIZE(names)];
		unsigned short columns = widths[i / ARRAY_SIZE(names)];
		_cleanup_free_ char *text = NULL;

		make(&pair->before, name, true);
		make(&pair->after, name, true);
		pair->after.results.model.status.wall_ns = MS(6205);
		pair->after.rows[0].critical_ns = MS(62.05);
		text = printed(put_diff, pair, columns);
		fits_both(text, columns, name);
		/* the sentence, and the row */
		has(text, "has 1.0 % of the");
		has(text, "   15.3     1.0   -14.3 ");
	}
}

static void put_top(FILE *out, const void *what)
{
	if (report_live(out, what))
		abort();
}

static void tops(void **state)
{
	struct made made;
	struct live live = { .now = &made.results, .options = &options };

	for (size_t i = 0; i < ARRAY_SIZE(names) * ARRAY_SIZE(widths); i++) {
		char *name = names[i % ARRAY_SIZE(names)];
		_cleanup_free_ char *text = NULL, *verdict = NULL;

		make(&made, name, true);
		live.columns = widths[i / ARRAY_SIZE(names)];
		live.terminal = live.columns;
		live.lines = live.terminal ? LINES - 1 : 0;
		text = printed(put_top, &live, live.columns);
		verdict = verdict_of(&made);
		fits_both(text, live.columns, name);
		has_words(text, verdict);
		has(text, "   15.3      15.3 ");
		if (live.lines)
			fits_lines(text, live.lines);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(places),
		cmocka_unit_test(places_in_their_callers),
		cmocka_unit_test(with_every_warning_the_sentence_is_cut_last),
		cmocka_unit_test(lists_have_whole_names),
		cmocka_unit_test(diffs),
		cmocka_unit_test(tops),
	};

	setenv("NO_COLOR", "1", 1);
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("width", tests, NULL, NULL);
}
