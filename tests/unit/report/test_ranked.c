// SPDX-License-Identifier: GPL-2.0
/* Reports of a made-up session with a ranking. */
#include "made_up.h"

#include <pty.h>
#include <sys/syscall.h>

static char *const command[] = { "./prog", "-x", NULL };
static const struct options with_command = { .command = command };

static char *ranked_text(const struct made *made, const struct options *options)
{
	char *text = print_report(report_text, &made->results, options);

	fits_words(text, 100);
	if (!options->verbose && !options->top && lines_in(text) > 24)
		fail_msg("%zu lines:\n%s", lines_in(text), text);
	return text;
}

static void begins(const char *text, const char *expected)
{
	if (strncmp(text, expected, strlen(expected)))
		fail_msg("it does not begin with '%s':\n%s", expected, text);
}

static void ranked_layout(void **state)
{
	_cleanup_free_ char *text = NULL;
	struct made made;

	made_ranked(&made);
	text = ranked_text(&made, &with_command);
	begins(text,
	       "For 3.80 s of 12.41 s (31 %) no more than N_min = 8 threads were active (one alone for 2.20 s),\n"
	       "mostly in rehash (hash.c:88), while 14 waited for a lock.\n\n");
	has(text, "Recorded     ./prog -x: 12.410 s, 16 threads, 16 CPUs\n");
	has(text, "Parallelism  11.4 of 16 |#########...| none 6 %, one 18 %, 1-8 31 %, >8 64 %\n");
	has(text,
	    "Why low      30.6 %: lock 14.9, no others 11.3, queue 1.6, join 0.8, cpu-wait 0.8,");
	has(text, "Why none     5.6 %: disk 4.8, unknown 0.8\n");
	has(text, "   1       1.900   15.3  lock               rehash in put  hash.c:88\n");
	has(text, "   2       0.600    4.8  waited: disk       fsync from commit  commit.c:88\n");
	has(text,
	    "   3       0.500    4.0  queue, join        libodd.so.6+0x1234 from work  work.c:41");
	has(text, "1.200 s (9.7 %) in 4 more places\n");
	has(text, "#1  main > work > put > rehash\n");
	has(text, "    1.900 s in 1204 slices, median 2.1 ms, 1.2 running, 15 threads\n");
	has(text, "    lines (79 % sampled) hash.c:88 63 %, hash.c:90 37 % (StackTop)\n");
	has(text, "Imbalance    15 worker-*: 0.50..1.00 s on CPUs, most/average 1.9\n");
	has(text, "Data         75.0 % of paths' time is on whole paths; overhead 0.01 %\n"
		  "             by tables 70.0 %, copies 5.0 %\n");
	has(text, "2.6 % of critical time has no path (cpu-wait 2.6)\n");
	has(text,
	    "Checks       shares + idle = 100.000 %; recount agrees; kernel's own: too short\n");
	has_not(text, "Warning");
	has_not(text, "Verify");
	has_not(text, "Cut paths");
	has_not(text, "\033");
}

static struct frame kernel_path[] = {
	{ .function = "jbd2_log_wait_commit", .module = "[jbd2]", .kernel = true },
	{ .function = "ext4_sync_file", .module = "[ext4]", .kernel = true },
	{ .function = "do_fsync", .module = "[kernel]", .kernel = true },
	{ .function = "fdatasync", .module = "/usr/lib/libc.so.6" },
	{ .function = "commit", .module = "/opt/prog", .file = "src/commit.c", .line = 88 },
	{ .function = "main", .module = "/opt/prog", .file = "src/main.c", .line = 11 },
};

/* Functions of kernel modules are marked; the place is where the program called the kernel. */
static void ranked_kernel_frames(void **state)
{
	const struct options options = { .command = command, .kernel = true };
	_cleanup_free_ char *text = NULL, *alone = NULL;
	struct made made;

	made_ranked(&made);
	made.rows[0].frames = kernel_path;
	made.rows[0].frame_count = ARRAY_SIZE(kernel_path);
	made.rows[0].line_count = 0;
	made.results.no_kernel = "nobody knows";
	text = ranked_text(&made, &options);
	has(text, "Warning: no kernel frames: nobody knows\n");
	has(text, "  jbd2_log_wait_commit [jbd2] from commit  commit.c:88\n");
	has(text, "jbd2_log_wait_commit [jbd2] from commit (commit.c:88), while");
	has(text, "#1  main > commit > fdatasync > do_fsync > ext4_sync_file [ext4] > ");
	has(text, " > jbd2_log_wait_commit [jbd2]\n");

	made.rows[0].frame_count = 3;
	made.results.no_kernel = NULL;
	alone = ranked_text(&made, &options);
	has(alone, "  jbd2_log_wait_commit [jbd2]\n");
	has_not(alone, "Warning: no kernel frames");
}

static void ranked_kernel_time(void **state)
{
	static struct kernel_time times[] = {
		{ .in = SYS_openat, .ns = 760e6 },     { .in = SYS_read, .ns = 400e6 },
		{ .in = GAPP_IN_FAULT, .ns = 57e6 },   { .in = GAPP_IN_INTERRUPT, .ns = 19e6 },
		{ .in = GAPP_IN_UNKNOWN, .ns = 12e6 }, { .in = 999999, .ns = 1e6 },
	};
	_cleanup_free_ char *text = NULL, *less = NULL;
	struct made made;

	made_ranked(&made);
	made.rows[0].kernel = times;
	made.rows[0].kernel_count = ARRAY_SIZE(times);
	made.rows[0].kernel_known_ns = 1e9;
	for (size_t i = 0; i < ARRAY_SIZE(times); i++)
		made.rows[0].kernel_ns += times[i].ns;
	text = ranked_text(&made, &with_command);
	has(text, "    kernel 66 %: openat 40 %, read 21 %, page faults 3 %, interrupts 1 %\n");

	/* what would be 0 % is not said */
	made.rows[0].kernel = times + 5;
	made.rows[0].kernel_count = 1;
	made.rows[0].kernel_ns = times[5].ns;
	less = ranked_text(&made, &with_command);
	has_not(less, "kernel ");
}

static void sentence_with(const struct made *made, const struct options *options,
			  const char *expected)
{
	_cleanup_free_ char *text = ranked_text(made, options);
	char *line = text;

	/* as if the terminal were wide enough */
	for (char *c = strchr(line, '\n'); c && c[1] && c[1] != '\n'; c = strchr(c + 1, '\n'))
		*c = ' ';
	begins(line, expected);
}

static void ranked_sentence(const struct made *made, const char *expected)
{
	sentence_with(made, &with_command, expected);
}

/* N_min held so for 12.41 s, of which @most_ns at its highest. */
static void n_min_was(struct made *made, u32 least, u32 most, u64 most_ns)
{
	struct gapp_status *status = &made->results.model.status;

	status->n_min = least;
	status->n_min_least = least;
	status->n_min_most = most;
	status->n_min_most_ns = most_ns;
}

/* As when threads come and go: the sentence and the parallelism are of the highest value. */
static void n_min_that_changed_is_explained(void **state)
{
	_cleanup_free_ char *text = NULL;
	struct made made;

	made_ranked(&made);
	made.rows[0].running = 4;
	n_min_was(&made, 1, 2, MS(6000));
	ranked_sentence(
		&made,
		"For 3.80 s of 12.41 s (31 %) no more than N_min = 2 threads (1 while fewer than 4 lived) were active, mostly in");
	text = ranked_text(&made, &with_command);
	has(text, "none 6 %, one 18 %, 1-2 ");
	has(text, ", >2 ");
	n_min_was(&made, 1, 8, MS(6000));
	ranked_sentence(
		&made,
		"For 3.80 s of 12.41 s (31 %) no more than N_min = 8 threads (down to 1 while fewer than 16 lived) were active,");
	n_min_was(&made, 7, 8, MS(6000));
	ranked_sentence(
		&made,
		"For 3.80 s of 12.41 s (31 %) no more than N_min = 8 threads (7 while fewer than 16 lived) were active,");
	/* 2.9 % of the run are not worth words */
	n_min_was(&made, 1, 8, MS(12050));
	ranked_sentence(
		&made,
		"For 3.80 s of 12.41 s (31 %) no more than N_min = 8 threads were active, mostly");

	made.results.places.count = 0;
	made.results.counters = (struct gapp_counters){ 0 };
	made.results.model.status.idle_ns = 0;
	n_min_was(&made, 1, 2, MS(6000));
	ranked_sentence(
		&made,
		"No bottleneck: parallelism never fell to N_min = 2 (1 while fewer than 4 threads lived):");
}

/* Even all that there can be. */
static void ranked_warnings_keep_to_their_lines(void **state)
{
	struct options verify = { .command = command, .verify = true };
	_cleanup_free_ char *text = NULL;
	struct made made;

	made_ranked(&made);
	for (int i = 0; i < RANKED_ROWS; i++)
		made.rows[i].critical_ns += SECONDS(1);
	made.results.model.status.not_followed = 12;
	made.results.model.status.unexpected = 3;
	made.results.model.status.flags = GAPP_STATUS_RECOUNTED;
	made.results.counters.lost[GAPP_LOST_RING] = 7;
	made.results.counters.lost[GAPP_LOST_PATHS] = 1;
	made.results.counters.lost_critical_share = SHARE(MS(330));
	made.results.counters.post_waits = 1;
	made.copies.verify.verdicts[VERIFY_GAVE_UP] = 100000;
	made.copies.verify.verdicts[VERIFY_UNCHECKED] = 100000;
	text = ranked_text(&made, &verify);
	begins(text, "Warning: 12 threads not followed: use --max-threads\nFor 3.80 s");
	made.results.model.status.not_followed_denied = 1;
	made.results.model.status.not_followed_late = 9;
	made.results.places.rows++;
	free(text);
	text = ranked_text(&made, &verify);
	begins(text,
	       "Warning: 1 thread with other rights (set-id) not followed: use sudo\n"
	       "Warning: 2 threads not followed: use --max-threads\n"
	       "Warning: 9 threads not followed for lack of memory: free some, or use --delay\n");
	/* whoever is not followed may have run */
	has(text, "none of the followed threads ran");
	has_not(text, "nobody ran");
	made.results.model.status.not_followed_denied = 0;
	made.results.model.status.not_followed_late = 0;
	made.results.places.rows--;
	free(text);
	text = ranked_text(&made, &verify);
	has(text,
	    "lock.\nWarning: 7 records lost, with 8.7 % of the critical time: use -m\n"
	    "Warning: 1 event found no room while another CPU stood still: gapp delayed threads\n"
	    "Warning: no room for 1 call path: use --max-stack or --min-critical\n"
	    "Warning: checks fail: 3 impossible state changes (missed events), recount; -v says more\n");
	has(text, "(cpu-wait 2.6, lost 8.7)");
	has(text, "12 beyond the copy, 100000 without a rule, 100000 unchecked\n");
}

/* The report on a terminal so wide. */
static void show_with(const struct made *made, const struct options *options,
		      unsigned short columns, char *text, size_t size)
{
	struct winsize window = { .ws_col = columns, .ws_row = 24 };
	struct termios raw = { 0 };
	size_t len = 0;
	ssize_t more;
	int master, slave;
	FILE *out;

	cfmakeraw(&raw);
	assert_int_equal(openpty(&master, &slave, NULL, &raw, &window), 0);
	out = fdopen(slave, "w");
	assert_non_null(out);
	report_text(out, &made->results, options);
	fclose(out);
	/* what was written comes in parts, then an error: the other end is closed */
	while ((more = read(master, text + len, size - 1 - len)) > 0)
		len += more;
	assert_in_range(len, 1, size - 2);
	text[len] = '\0';
	close(master);
}

static void show(const struct made *made, unsigned short columns, char *text, size_t size)
{
	show_with(made, &with_command, columns, text, size);
}

/* Puts the lines of each warning together. */
static void unwrap_warnings(char *text)
{
	static const char wrapped[] = "\n         ";
	char *end;

	while ((end = strstr(text, wrapped))) {
		*end = ' ';
		memmove(end + 1, end + strlen(wrapped), strlen(end + strlen(wrapped)) + 1);
	}
}

/* What is not followed and what was lost stays, however little room there is. */
static void says_all(const char *text)
{
	has(text, "use sudo\n");
	has(text, "use --max-threads\n");
	has(text, "or use --delay\n");
	has(text, "Warning: no kernel frames: nobody knows\n");
	has(text, "Warning: 9 records lost, with ");
	has(text, ": use -m; for 2 raise max_switch_us\n");
	has(text,
	    "no time for 5 call paths: raise max_switch_us, max_cpu_percent; 6 events held up\n");
	has(text, "no room for 1 call path:");
	has(text, "checks fail: 3 impossible state changes (missed events), recount; -v says");
	has(text, "\n   1       1.900 ");
	has(text, "\nMore         gapp-read -v says what found no room here\n");
	has_not(text, "#1");
}

/* A report with every warning, long names, and advice about them. */
static void whatever_there_is_to_say_fits(void **state)
{
	struct options verify = { .command = command, .verify = true, .color = COLOR_NEVER };
	static const unsigned short columns[] = { 80, 100, 160 };
	static char name[250], text[20000];
	struct frame frames[] = { { .function = name, .module = "/opt/prog" },
				  { .function = "main", .module = "/opt/prog" } };
	struct made made;

	memset(name, 'n', sizeof(name) - 1);
	made_ranked(&made);
	made.rows[0].frames = frames;
	made.rows[0].frame_count = 2;
	made.rows[0].line_count = 0;
	made.results.no_kernel = "nobody knows";
	made.results.model.status.not_followed = 12;
	made.results.model.status.not_followed_denied = 1;
	made.results.model.status.not_followed_late = 9;
	made.results.model.status.unexpected = 3;
	made.results.model.status.flags = GAPP_STATUS_RECOUNTED;
	made.results.counters.lost[GAPP_LOST_RING] = 7;
	made.results.counters.lost[GAPP_LOST_RECORDS_OVER_BUDGET] = 2;
	made.results.counters.lost[GAPP_LOST_PATHS_OVER_BUDGET] = 5;
	made.results.counters.lost[GAPP_LOST_PATHS] = 1;
	made.results.counters.post_waits = 6;
	for (size_t i = 0; i < ADVICE_MAX; i++)
		made.results.advice[i] = name;
	made.results.advice_count = ADVICE_MAX;
	made.copies.verify.verdicts[VERIFY_GAVE_UP] = 100000;
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
		show_with(&made, &verify, columns[i], text, sizeof(text));
		fits(text, columns[i]);
		if (lines_in(text) > 24)
			fail_msg("%zu lines of %u columns:\n%s", lines_in(text), columns[i], text);
		unwrap_warnings(text);
		says_all(text);
	}
}

/* First what the first place did is left out, then how paths were found. */
static void less_is_said_where_there_is_no_room(void **state)
{
	_cleanup_free_ char *all = NULL, *some = NULL, *less = NULL;
	struct made made;

	made_ranked(&made);
	made.rows[0].gain_ns = MS(2500);
	all = ranked_text(&made, &with_command);
	has(all, "    lines (79 % sampled)");
	has(all, "by tables 70.0 %");
	has_not(all, "More  ");
	/* how paths were found is the first to go */
	for (size_t i = 0; i < ADVICE_MAX; i++)
		made.results.advice[i] = (char *)"a line of advice";
	made.results.advice_count = ADVICE_MAX;
	made.results.model.status.not_followed = 3;
	made.results.counters.lost[GAPP_LOST_RING] = 7;
	made.results.counters.lost[GAPP_LOST_PATHS] = 1;
	made.results.model.status.unexpected = 3;
	some = ranked_text(&made, &with_command);
	has(some, "    lines (79 % sampled)");
	has(some, "a line of advice");
	has_not(some, "by tables 70.0 %");
	made_crowded(&made);
	less = ranked_text(&made, &with_command);
	has(less, "#1  main > work > put > rehash\n");
	/* what mending it saves stays as long as the place does */
	has(less, "    mending it saves at most 2.500 s of 12.410");
	has_not(less, "    lines (79 % sampled)");
	has(less, "Imbalance    15 worker-*");
	has_not(less, "by tables 70.0 %");
	has_not(less, "a line of advice");
	has(less, "\nMore  ");
}

/* Slices may have had more threads beside them for a part, which is not critical if N_min is 1. */
static void few_threads_are_one_if_n_min_is(void **state)
{
	_cleanup_free_ char *several = NULL, *one = NULL;
	struct made made;

	made_ranked(&made);
	made.rows[0].running = 1.6;
	several = ranked_text(&made, &with_command);
	has(several, " no more than N_min = 8 threads were active, mostly in rehash");
	made.results.model.status.n_min = 1;
	one = ranked_text(&made, &with_command);
	has(one, " one thread ran alone, ");
}

/* What the sentence and the table name is what most of the place's time was waited for. */
static void waits_that_are_little_are_not_named(void **state)
{
	_cleanup_free_ char *text = NULL;
	struct ranked *row;
	struct made made;

	made_ranked(&made);
	row = &made.rows[0];
	memset(row->waiting_ns, 0, sizeof(row->waiting_ns));
	row->waiting_ns[GAPP_WAIT_FAULT] = MS(800);
	ranked_sentence(
		&made,
		"For 3.80 s of 12.41 s (31 %) no more than N_min = 8 threads were active (one alone for 2.20 s), mostly in rehash (hash.c:88), and for most of it no other thread was there to wait.");
	text = ranked_text(&made, &with_command);
	has(text, "   15.3  no others, fault   rehash");
	row->waiting_ns[GAPP_WAIT_FAULT] = MS(300);
	free(text);
	text = ranked_text(&made, &with_command);
	has(text, "   15.3  no others          rehash");
	row->waiting_ns[GAPP_WAIT_FAULT] = MS(100);
	ranked_sentence(
		&made,
		"For 3.80 s of 12.41 s (31 %) no more than N_min = 8 threads were active (one alone for 2.20 s), mostly in rehash (hash.c:88); while that ran, no other thread was there to wait.");
	row->waiting_ns[GAPP_WAIT_FAULT] = MS(500);
	row->waiting_ns[GAPP_WAIT_QUEUE] = MS(600);
	row->waiting_ns[GAPP_WAIT_JOIN] = MS(550);
	ranked_sentence(
		&made,
		"For 3.80 s of 12.41 s (31 %) no more than N_min = 8 threads were active (one alone for 2.20 s), mostly in rehash (hash.c:88), while others waited for a queue or condition, or for a thread or process to end.");
	row->waiting_ns[GAPP_WAIT_JOIN] = MS(650);
	row->waiting_ns[GAPP_WAIT_FAULT] = MS(100);
	ranked_sentence(
		&made,
		"For 3.80 s of 12.41 s (31 %) no more than N_min = 8 threads were active (one alone for 2.20 s), mostly in rehash (hash.c:88); while that ran, others waited for a queue or condition, or for a thread or process to end.");
	row->waiting_ns[GAPP_WAIT_FAULT] = MS(500);
	row->waiting_ns[GAPP_WAIT_LOCK] = MS(560);
	row->waiting_ns[GAPP_WAIT_PIPE] = MS(570);
	row->waiting_ns[GAPP_WAIT_DISK] = MS(580);
	ranked_sentence(
		&made,
		"For 3.80 s of 12.41 s (31 %) no more than N_min = 8 threads were active (one alone for 2.20 s), mostly in rehash (hash.c:88), while the others waited for various reasons.");
}

/* By its command line: which file a compiler compiled. */
static void processes_have_their_command_lines(void **state)
{
	const struct options by_process = { .command = command, .by = BY_PROCESS };
	struct command_lines *commands = command_lines_new();
	struct ranked rows[] = {
		{ .critical_ns = MS(2000), .tgid = getpid(), .comm = "cc1", .slices = 1 },
		{ .critical_ns = MS(900), .tgid = 4712, .comm = "make", .slices = 1 },
	};
	_cleanup_free_ char *text = NULL, *table = NULL, *spread = NULL;
	char sentence[64], first[128];
	struct made made;

	assert_non_null(commands);
	command_lines_note(commands, getpid(), 1);
	assert_non_null(command_lines_find(commands, getpid()));
	made_ranked(&made);
	made.results.by_process = (struct ranking){ rows, 2 };
	made.results.by = made.results.by_process;
	text = ranked_text(&made, &with_command);
	has(text, "; 53 % of that time is in process cc1\n(");
	made.results.commands = commands;
	snprintf(sentence, sizeof(sentence), "%d: test_ranked", getpid());
	snprintf(first, sizeof(first), "  no others          %s\n", sentence);
	table = ranked_text(&made, &by_process);
	has(table, sentence);
	has(table, first);
	has(table, "  no others          make (4712)\n");
	rows[0].critical_ns = MS(1800);
	made.results.places.rows += 3;
	made.results.places.count = 1;
	made.results.places.rows->critical_ns = MS(300);
	made.results.functions.count = 0;
	made.results.by_thread.count = 0;
	spread = ranked_text(&made, &with_command);
	has(spread, " (one alone for 2.20 s);\nprocess ");
	has(spread, " has 47");
	has(spread, sentence);
	command_lines_free(commands);
}

static void threads_of_the_kernel_are_no_processes(void **state)
{
	struct kernel_time kernel = { GAPP_IN_KTHREAD, MS(2000) };
	struct ranked rows[] = {
		{ .critical_ns = MS(2000), .tgid = 35, .comm = "kworker/1:0" },
		{ .critical_ns = MS(900), .tgid = 36, .comm = "kworker/0:1" },
	};
	_cleanup_free_ char *text = NULL, *alone = NULL, *alone_of_two = NULL;
	_cleanup_free_ char *spread = NULL, *user = NULL;
	struct made made;

	(void)state;
	rows[0].kernel = &kernel;
	rows[0].kernel_count = 1;
	made_ranked(&made);
	made.results.by_process = (struct ranking){ rows, 2 };
	text = ranked_text(&made, &with_command);
	has(text, "; 53 % of that time is in kernel thread\nkworker/1:0 (35)");
	made.results.by_process.count = 1;
	alone = ranked_text(&made, &with_command);
	has_not(alone, "of that time is in");
	made.threads[1].tgid = 36;
	alone_of_two = ranked_text(&made, &with_command);
	has(alone_of_two, "; 53 % of that time is in kernel thread\nkworker/1:0 (35)");
	made.results.places.count = 0;
	made.results.functions.count = 0;
	rows[0].tid = 35;
	made.results.by_thread = made.results.by_process;
	spread = ranked_text(&made, &with_command);
	has(spread, ";\nkernel thread kworker/1:0 (35)");
	kernel.in = GAPP_IN_FAULT;
	user = ranked_text(&made, &with_command);
	has(user, ";\nthread kworker/1:0 (35)");
}

/* Of a user's session: RESTRICTED says nothing of the recount. */
static void a_recount_that_was_not_made(void **state)
{
	const struct options verbose = { .command = command, .verbose = true };
	_cleanup_free_ char *text = NULL, *more = NULL;
	struct made made;

	made_ranked(&made);
	made.results.model.status.flags = GAPP_STATUS_RESTRICTED;
	text = ranked_text(&made, &with_command);
	has(text, "; recount not made; ");
	more = ranked_text(&made, &verbose);
	has(more, "recount at stop: not made, so missed events would not be seen\n");
}

static void hostile_names_are_tamed(void **state)
{
	static char name[5000];
	struct frame frames[100];
	_cleanup_free_ char *text = NULL, *verbose = NULL;
	struct made made;

	made_ranked(&made);
	memset(name, 'n', sizeof(name) - 1);
	memcpy(name, "\033[2J\n\233", 6);
	for (int i = 0; i < 100; i++)
		frames[i] = (struct frame){ .function = name, .module = name, .file = name };
	frames[1].function = NULL;
	made.rows[0].frames = frames;
	made.rows[0].frame_count = 100;
	made.rows[0].complete = false;
	made.rows[0].line_count = 0;
	made.rows[2].frames = &frames[1];
	strcpy((char *)made.results.model.threads[3].comm, "\033]0;w\007");
	text = ranked_text(&made, &with_command);
	has_not(text, "\033");
	has_not(text, "\233");
	has(text, "\\x1b[2J");
	verbose = ranked_text(&made, &(struct options){ .command = command, .verbose = true });
	has(verbose, "#1  ? >\n");
	has_not(verbose, "\033");
	has(verbose, "module:  prog\\x1b[2J+0x102 (1 frames, whole)\n");
}

static void top_and_by_change_the_table(void **state)
{
	struct options options = { .command = command, .top = 1, .by = BY_THREAD };
	struct ranked thread = { .critical_ns = MS(300), .tid = 7, .comm = "io\033", .slices = 1 };
	_cleanup_free_ char *text = NULL, *paths = NULL;
	struct made made;

	made_ranked(&made);
	made.results.by = (struct ranking){ &thread, 1 };
	text = ranked_text(&made, &options);
	has(text, "while others wait  thread\n");
	has(text, "   1       0.300    2.4  no others          io\\x1b (7)\n");
	begins(text,
	       "For 3.80 s of 12.41 s (31 %) no more than N_min = 8 threads were active (one alone for 2.20 s),\n"
	       "mostly in rehash");
	options.by = BY_PATH;
	paths = ranked_text(&made, &options);
	has(paths, "in 6 more paths\n");
}

/* Of a run with few such times a place may have most, and still little of the run. */
static void what_has_a_tenth_of_little_has_a_row(void **state)
{
	char *text;
	struct made made;

	(void)state;
	made_ranked(&made);
	made.results.model.status.idle_ns = 0;
	made.results.counters.critical_run = SHARE(MS(800));
	made.results.counters.critical_runq = 0;
	made.results.places.count = 1;
	made.rows[0].critical_ns = MS(90);
	text = ranked_text(&made, &with_command);
	has(text, "   1       0.090    0.7  lock ");
	free(text);
	made.rows[0].critical_ns = MS(70);
	text = ranked_text(&made, &with_command);
	has(text, "\n\n     0.070 s (0.6 %) in 1 place\n\nImbalance");
	free(text);
	/* so little that nobody need look */
	made.results.counters.critical_run = SHARE(MS(200));
	text = ranked_text(&made, &with_command);
	has(text, "0.070 s (0.6 %) in 1 place\n");
	free(text);
}

static void verbose_shows_ten_rows(void **state)
{
	const struct options verbose = { .command = command, .verbose = true };
	_cleanup_free_ char *text = NULL;
	struct ranked rows[12];
	struct made made;

	made_ranked(&made);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		rows[i] = made.rows[0];
	made.results.places = (struct ranking){ rows, ARRAY_SIZE(rows) };
	text = ranked_text(&made, &verbose);
	has(text, "\n  10       1.900 ");
	has(text, " in 2 more places\n");
	has(text, "\n#10 ");
}

/* Without the threads of rows 3 to 7. */
static void rows_left_out_are_not_unknown(void **state)
{
	struct options options = { .command = command };
	_cleanup_free_ char *text = NULL;
	struct made made;

	made_ranked(&made);
	made.results.paths.count = 3;
	made.results.sums.waited_ns = MS(680);
	memset(made.results.sums.complete_by_ns, 0, sizeof(made.results.sums.complete_by_ns));
	made.rows[1].critical_ns = MS(500);
	text = ranked_text(&made, &options);
	has(text, "Why low      30.6 %: lock 14.9, not shown 9.7, ");
	has(text, "Why none     5.6 %: disk 4.0, not shown 1.5, unknown 0.2\n");
	has_not(text, "             by ");
}

static void unknown_modules_have_brackets_once(void **state)
{
	struct frame frame = { .module = "[unknown]", .offset = 0x1000 };
	_cleanup_free_ char *text = NULL, *json = NULL;
	struct made made;

	made_ranked(&made);
	made.rows[2].frames = &frame;
	made.rows[2].frame_count = 1;
	text = ranked_text(&made, &with_command);
	has(text, " unknown+0x1000\n");
	json = print_report(report_json, &made.results, &with_command);
	has(json, "\"function\": \"[unknown+0x1000]\", \"module\": \"[unknown]\"");
}

static void no_process_of_the_program(void **state)
{
	struct options exe = { .exe = "./script\033" };
	struct made made;

	made_ranked(&made);
	made.results.model.status.threads = 0;
	sentence_with(
		&made, &exe,
		"Nothing was recorded: no process executed ./script\\x1b while it was recorded: is it a script? Then give its interpreter.");
}

/* What is of all of them together makes no sense. */
static void targets_apart_have_no_sums(void **state)
{
	struct gapp_target_figures groups[] = { { .tgid = 100, .comm = "web" },
						{ .id = 1, .tgid = 9 } };
	struct options all = { .all = true, .verbose = true };
	_cleanup_free_ char *text = NULL, *json = NULL;
	struct made made;

	made_ranked(&made);
	made.results.targets = groups;
	made.results.target_count = 2;
	text = ranked_text(&made, &all);
	has_not(text, "threads active on average");
	has_not(text, " 1-8 31 %");
	all.verbose = false;
	free(text);
	text = ranked_text(&made, &all);
	has(text, "     1.200 s in 4 more places\n");
	json = print_report(report_json, &made.results, &all);
	has(json, "\"active_s\": null");
	has(json, "\"idle_s\": null");
	has(json, "\"parallelism_average\": null");
	has(json, "\"parallelism\": null");
	has(json, "\"samples\": 100, \"tgid\": 100}");
}

static void targets_apart(void **state)
{
	struct gapp_target_figures groups[] = {
		{ .tgid = 9, .comm = "idle" },
		{ .id = 1, .tgid = 100, .comm = "web", .c = SHARE(MS(1900)), .wall_ns = MS(12410) },
	};
	struct options all = { .all = true };
	_cleanup_free_ char *text = NULL;
	struct made made;

	made_ranked(&made);
	made.results.targets = groups;
	made.results.target_count = 2;
	made.rows[1].wait = GAPP_WAIT_EVENT;
	text = ranked_text(&made, &all);
	begins(text,
	       "Of 2 processes web (100) was held up most: for 1.90 s of 12.41 s (15 %) rehash (hash.c:88) ran while\n"
	       "its other threads waited.\n");
	has(text, "Targets      2; most critical: web (100) 3.100 s, idle (9) 0.000 s\n");
	has(text, "web (100): rehash");
	has_not(text, "fsync");
}

static void terminals_are_respected(void **state)
{
	char text[4000];
	struct made made;

	made_ranked(&made);
	setenv("TERM", "xterm", 1);
	setenv("NO_COLOR", "1", 1);
	show(&made, 40, text, sizeof(text));
	fits(text, 40);
	has(text, "   1       1.900   15.3  hash.c:88\n        rehash in put\n");
	has_not(text, "\033");
	show(&made, 120, text, sizeof(text));
	has(text,
	    "   3       0.500    4.0  queue, join        libodd.so.6+0x1234 from work  work.c:41\n");
	unsetenv("NO_COLOR");
	show(&made, 80, text, sizeof(text));
	has(text,
	    "\033[1m   1       1.900   15.3  lock               rehash in put  hash.c:88\033[0m\n");
	has(text, "\033[1m#1  main > work > put > rehash\033[0m\n");
	setenv("TERM", "dumb", 1);
	show(&made, 80, text, sizeof(text));
	has_not(text, "\033");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranked_layout),
		cmocka_unit_test(ranked_kernel_frames),
		cmocka_unit_test(ranked_kernel_time),
		cmocka_unit_test(n_min_that_changed_is_explained),
		cmocka_unit_test(ranked_warnings_keep_to_their_lines),
		cmocka_unit_test(whatever_there_is_to_say_fits),
		cmocka_unit_test(less_is_said_where_there_is_no_room),
		cmocka_unit_test(few_threads_are_one_if_n_min_is),
		cmocka_unit_test(waits_that_are_little_are_not_named),
		cmocka_unit_test(processes_have_their_command_lines),
		cmocka_unit_test(threads_of_the_kernel_are_no_processes),
		cmocka_unit_test(a_recount_that_was_not_made),
		cmocka_unit_test(hostile_names_are_tamed),
		cmocka_unit_test(top_and_by_change_the_table),
		cmocka_unit_test(what_has_a_tenth_of_little_has_a_row),
		cmocka_unit_test(verbose_shows_ten_rows),
		cmocka_unit_test(rows_left_out_are_not_unknown),
		cmocka_unit_test(unknown_modules_have_brackets_once),
		cmocka_unit_test(no_process_of_the_program),
		cmocka_unit_test(targets_apart_have_no_sums),
		cmocka_unit_test(targets_apart),
		cmocka_unit_test(terminals_are_respected),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("ranked", tests, NULL, NULL);
}
