// SPDX-License-Identifier: GPL-2.0
#include "made_up.h"

/*
 * Ten seconds: none active in 1, one in 4, two in 5. So thread 1 (active with one in 4 s, with two
 * in 5 s) has 6.5 s of CMetric, thread 2 (only in the latter) 2.5 s, half a second of it waiting.
 */
static struct gapp_thread_figures two_threads[] = {
	{ .tid = 11,
	  .tgid = 10,
	  .comm = "second",
	  .cm_run = SHARE(SECONDS(2)),
	  .cm_runq = SHARE(MS(500)),
	  .run_ns = SECONDS(4),
	  .runq_ns = SECONDS(1),
	  .blocked_ns = SECONDS(5),
	  .slices = 7,
	  .threads = 1 },
	{ .tid = 10,
	  .tgid = 10,
	  .comm = "first",
	  .cm_run = SHARE(MS(6500)),
	  .run_ns = SECONDS(9),
	  .blocked_ns = SECONDS(1),
	  .slices = 3,
	  .threads = 1 },
};

static u64 two_parallelism[] = { SECONDS(1), SECONDS(4), SECONDS(5), 0, 0 };

/* A model that must not be freed. */
struct model two_model(void)
{
	struct model model = {
		.status = { .wall_ns = SECONDS(10),
			    .idle_ns = SECONDS(1),
			    .start_ns = 42,
			    .cpus = 4,
			    .n_min = 1,
			    .threads = 2,
			    .peak = 2,
			    .tick_ns = MS(4),
			    .flags = GAPP_STATUS_RECOUNTED | GAPP_STATUS_RECOUNT_OK,
			    .recount_n = 2,
			    .recount_tracked_n = 2,
			    .recount_threads = 2,
			    .recount_tracked = 2 },
		.threads = two_threads,
		.thread_count = 2,
		.parallelism = two_parallelism,
		.parallelism_count = ARRAY_SIZE(two_parallelism),
	};

	model_rank(&model);
	return model;
}

static struct frame hash_path[] = {
	{ .function = "rehash",
	  .module = "/opt/prog",
	  .file = "src/hash.c",
	  .line = 88,
	  .inlined = true },
	{ .function = "put", .module = "/opt/prog", .file = "src/hash.c", .line = 12 },
	{ .function = "work", .module = "/opt/prog", .file = "src/work.c", .line = 40 },
	{ .function = "main", .module = "/opt/prog", .file = "src/main.c", .line = 9 },
};

static struct frame unnamed_path[] = {
	{ .module = "/usr/lib/libodd.so.6", .offset = 0x1234 },
	{ .function = "work", .module = "/opt/prog", .file = "src/work.c", .line = 41 },
};

static struct frame sync_path[] = {
	{ .function = "fsync", .module = "/usr/lib/libc.so.6" },
	{ .function = "commit", .module = "/opt/prog", .file = "src/commit.c", .line = 88 },
	{ .function = "main", .module = "/opt/prog", .file = "src/main.c", .line = 11 },
};

static struct line_count hash_lines[] = {
	{ .file = "src/hash.c", .line = 88, .samples = 70, .critical_ns = MS(1200) },
	{ .file = "src/hash.c",
	  .line = 90,
	  .samples = 30,
	  .critical_ns = MS(700),
	  .stack_top = true },
};

static void make_rows(struct ranked *rows)
{
	rows[0] = (struct ranked){ .kind = PATH_RAN,
				   .critical_ns = MS(1900),
				   .inferred_ns = MS(400),
				   .slices = 1204,
				   .samples = 100,
				   .then = { [GAPP_WAIT_LOCK] = 1000, [THEN_PREEMPTED] = 204 },
				   .frames = hash_path,
				   .frame_count = ARRAY_SIZE(hash_path),
				   .complete = true,
				   .lines = hash_lines,
				   .line_count = ARRAY_SIZE(hash_lines),
				   .tgid = 100,
				   .comm = "worker-1",
				   .threads = 15,
				   .running = 1.2,
				   .median_ns = 2100000 };
	rows[0].waiting_ns[GAPP_WAIT_LOCK] = MS(1850);
	rows[0].waiting_ns[GAPP_WAIT_DISK] = MS(50);
	rows[1] = (struct ranked){ .kind = PATH_WAITED,
				   .critical_ns = MS(600),
				   .slices = 12,
				   .wait = GAPP_WAIT_DISK,
				   .frames = sync_path,
				   .frame_count = ARRAY_SIZE(sync_path),
				   .complete = true,
				   .tgid = 100,
				   .comm = "main",
				   .threads = 1 };
	rows[2] = (struct ranked){ .kind = PATH_RAN,
				   .critical_ns = MS(500),
				   .slices = 1,
				   .frames = unnamed_path,
				   .frame_count = ARRAY_SIZE(unnamed_path) };
	rows[2].waiting_ns[GAPP_WAIT_QUEUE] = MS(200);
	rows[2].waiting_ns[GAPP_WAIT_JOIN] = MS(100);
	for (size_t i = 3; i < RANKED_ROWS; i++) {
		rows[i] = rows[0];
		rows[i].critical_ns = MS(480 - 40 * i);
		memset(rows[i].waiting_ns, 0, sizeof(rows[i].waiting_ns));
	}
}

static void make_copies(struct made *made)
{
	made->object = (struct object){ .name = "prog\033[2J" };
	made->one = (struct verify_case){ .verdict = VERIFY_DIFFERS,
					  .count = 1,
					  .addresses = { { &made->object, 0x102 } } };
	made->copies.verify = (struct verify){
		.verdicts = { [VERIFY_EQUAL] = 1234, [VERIFY_DIFFERS] = 4, [VERIFY_BEYOND] = 12 },
		.cases = &made->one,
		.case_count = 1
	};
}

/* A run in which one thread was alone for 2.2 s, mostly in one path. */
void made_ranked(struct made *made)
{
	struct model *model = &made->results.model;

	memset(made, 0, sizeof(*made));
	make_rows(made->rows);
	made->parallelism[0] = MS(700);
	made->parallelism[1] = MS(2200);
	made->parallelism[8] = MS(1600);
	made->parallelism[16] = MS(7910);
	for (int i = 0; i < 16; i++) {
		made->threads[i] = (struct gapp_thread_figures){ .tid = 100 + i,
								 .tgid = 100,
								 .threads = 1,
								 .run_ns = MS(500 + 500 * (i == 3)),
								 .critical_run = SHARE(MS(100)) };
		snprintf((char *)made->threads[i].comm, GAPP_COMM_LEN, i ? "worker-%d" : "main", i);
	}
	made->threads[0].cm_run = SHARE(MS(12410 - 700));
	*model = two_model();
	model->status.wall_ns = MS(12410);
	model->status.idle_ns = MS(700);
	model->status.cpus = 16;
	model->status.n_min = 8;
	model->status.threads = 16;
	model->status.peak = 16;
	model->threads = made->threads;
	model->thread_count = 16;
	model->parallelism = made->parallelism;
	model->parallelism_count = 17;

	made->results.ranked = true;
	made->results.counters = (struct gapp_counters){ .slices = 12000,
							 .critical_slices = 1300,
							 .unsampled_slices = 13,
							 .switches = 24000,
							 .samples = 110,
							 .critical_run = SHARE(MS(3700)),
							 .critical_runq = SHARE(MS(100)),
							 .probe_calls = 102400,
							 .probe_timed = 100,
							 .probe_ns = 20000 };
	made->results.paths = (struct ranking){ made->rows, RANKED_ROWS };
	made->results.places = made->results.paths;
	made->results.functions = (struct ranking){ made->rows, 1 };
	made->results.lines = (struct ranking){ made->rows, 1 };
	made->results.sums = (struct profile_sums){
		.attributed_ns = 3.6e9,
		.complete_ns = 2.7e9,
		.complete_by_ns = { [PATH_BY_TABLE] = 2.52e9, [PATH_BY_COPY] = 0.18e9 },
		.cut_ns = { [GAPP_UNWIND_FULL] = 0.36e9, [PATH_END_COPY] = 0.54e9 },
		.stacks = 17,
		.copies = &made->copies
	};
	make_copies(made);
	made->results.own = (struct own){ .cpu_s = 0.12, .rss_kib = 8192, .report_s = 0.3 };
}

char *print_report(report_function report, const struct results *results,
		   const struct options *options)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	report(out, results, options);
	fclose(out);
	return text;
}

void skip_for(const char *format, ...)
{
	va_list args;

	printf("skipped: ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	skip();
}

void has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' is not in:\n%s", part, text);
}

void has_not(const char *text, const char *part)
{
	if (strstr(text, part))
		fail_msg("'%s' is in:\n%s", part, text);
}

void fits(const char *text, size_t columns)
{
	while (*text) {
		size_t len = strcspn(text, "\n");

		if (len > columns)
			fail_msg("%zu columns: %.*s", len, (int)len, text);
		text += len + !!text[len];
	}
}

void fits_words(const char *text, size_t columns)
{
	while (*text) {
		size_t len = strcspn(text, "\n"), begin = strspn(text, " ");

		if (len > columns && begin + strcspn(text + begin, "\n ") < len)
			fail_msg("%zu columns: %.*s", len, (int)len, text);
		text += len + !!text[len];
	}
}

size_t lines_in(const char *text)
{
	size_t lines = 0;

	for (; *text; text++)
		lines += *text == '\n';
	return lines;
}

void made_crowded(struct made *made)
{
	for (size_t i = 0; i < ADVICE_MAX; i++)
		made->results.advice[i] = (char *)"a line of advice";
	made->results.advice_count = ADVICE_MAX;
	made->results.counters.lost[GAPP_LOST_RING] = 7;
	made->results.counters.lost[GAPP_LOST_PATHS] = 1;
	made->results.model.status.not_followed = 12;
	made->results.model.status.not_followed_late = 9;
	made->results.model.status.unexpected = 3;
	made->results.kthreads_without_room = 2;
	made->results.no_kernel = (char *)"the module may not show them";
}
