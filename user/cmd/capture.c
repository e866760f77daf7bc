// SPDX-License-Identifier: GPL-2.0
#include "capture.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <sys/stat.h>
#include <time.h>

#include "input/maps.h"
#include "input/wakeup.h"
#include "util/output.h"
#include "profile/profile.h"
#include "input/record_view.h"
#include "input/rings.h"
#include "report/script.h"
#include "input/sideband.h"
#include "table-sync/sync.h"

#define NSEC_PER_MSEC (NSEC_PER_SEC / 1000)

/*
 * Records, and events of the side-band, get their time before they are written down, each CPU into
 * a ring of its own. So records are taken in when they are old enough for every CPU to have written
 * down what came before: then all of them come in the order of time, and each finds the mappings as
 * they were. No CPU is behind for so long.
 */
#define SETTLE_NS (100 * NSEC_PER_MSEC)
/*
 * A ring that fills up within that time must not wait. Nothing can interrupt a CPU between the time
 * and the record, so this still is ample, unless a virtual CPU loses its real one just then. Should
 * it, the records of that CPU come late and are looked up among mappings of some milliseconds
 * later; that is less than the loss of records. The side-band is read before the records either
 * way.
 */
#define HURRIED_SETTLE_NS (2 * NSEC_PER_MSEC)
/* From here on the module does not let poll() wait. */
#define HURRY_PERCENT 50
/* There was nothing old enough; nor is there at once. */
#define NAP_NS (3 * NSEC_PER_MSEC)
/* News that come faster are heard together. */
#define NEWS_PAUSE_NS (2 * NSEC_PER_MSEC)
/* Tables that take longer are missed by the first paths. */
#define READY_NS (3 * NSEC_PER_SEC)

/**
 * struct capture - where records come from, what is known of their addresses, where they go
 * @dev: the session
 * @options: what was asked for
 * @rings: records and paths
 * @objects: what code is in
 * @maps: what processes have mapped
 * @sideband: what they map; NULL where it is not to be had
 * @teach: what the module is to know of that; NULL if it walks no stack by tables
 * @stale: when what the module knew was no longer right
 * @news: what wakes for @teach
 * @heard_ns: when there was news last
 * @stacks: paths as places
 * @profile: what records amount to; NULL if they are printed
 * @symbols: names for printing; NULL without
 * @output: where to
 * @program: the file of -x without links, as mappings name it; NULL: not known
 * @program_stat: the same, by device and inode (0: not known)
 * @due_ns: to a record of before then the mappings are as they were, and @held is not to be looked
 *	for; 0 where that is not known
 * @held: process of a command that has not been executed yet; 0: none
 * @start_ns: CLOCK_MONOTONIC at which the session began
 * @state: of taking records in
 */
struct capture {
	struct device *dev;
	const struct options *options;
	struct rings *rings;
	struct objects *objects;
	struct maps *maps;
	struct sideband *sideband;
	struct teach *teach;
	struct stale *stale;
	struct news news;
	u64 heard_ns;
	struct call_paths *stacks;
	struct profile *profile;
	struct symbols *symbols;
	struct output output;
	char *program;
	struct stat program_stat;
	u64 due_ns;
	s32 held;
	u64 start_ns;
	enum capture_state state;
};

/* Now, for it may be replaced or removed before the end. */
static void find_program(struct capture *capture)
{
	const char *exe = capture->options->exe;

	if (!exe)
		return;
	capture->program = realpath(exe, NULL);
	if (stat(exe, &capture->program_stat))
		capture->program_stat = (struct stat){ 0 };
}

static void tell_teach(void *context, const struct sideband_event *event)
{
	teach_event(context, event);
}

/*
 * Where every process of the machine is followed, only what the module asks for is worth telling,
 * and its processes are too many to wake the reader for each.
 */
static int build_teach(struct capture *capture)
{
	const struct options *options = capture->options;

	if (!device_walks_by_tables(capture->dev))
		return 0;
	capture->stale = stale_new();
	if (!capture->stale)
		return out_of_memory();
	call_paths_set_outdated(capture->stacks, capture->stale);
	capture->teach = teach_new(capture->dev, capture->objects, capture->stale, options->exe,
				   options->verbose);
	if (!capture->teach)
		return out_of_memory();
	if (news_open(&capture->news) || news_add(&capture->news, teach_fd(capture->teach))) {
		complain("cannot wait for unwind tables: %s", strerror(errno));
		return -1;
	}
	return 0;
}

static void build_sideband(struct capture *capture)
{
	bool wakes = capture->teach && !capture->options->all;
	const char *reason;

	capture->sideband = sideband_new(wakes ? &capture->news : NULL, &reason);
	if (!capture->sideband && capture->options->verbose)
		complain("mappings are read from /proc alone: %s", reason);
	if (capture->sideband && capture->teach)
		sideband_tell(capture->sideband, tell_teach, capture->teach);
}

static int build(struct capture *capture)
{
	struct gapp_layout layout;

	if (device_layout(capture->dev, &layout))
		return -1;
	capture->rings = rings_new(capture->dev->fd, &layout);
	if (!capture->rings)
		return -1;
	capture->objects = objects_new();
	capture->maps = capture->objects ? maps_new(capture->objects) : NULL;
	if (!capture->maps)
		return out_of_memory();
	capture->stacks = call_paths_new(capture->objects, capture->maps, capture->rings);
	if (!capture->stacks)
		return out_of_memory();
	if (!capture->options->script)
		capture->profile = profile_new(capture->stacks);
	else if (!output_open(&capture->output, STDOUT_FILENO))
		capture->symbols = symbols_new(NULL);
	if (!capture->symbols && !capture->profile)
		return out_of_memory();
	/* only a listing has them */
	if (capture->profile)
		rings_pass(capture->rings, GAPP_RECORD_WAKE);
	find_program(capture);
	if (build_teach(capture))
		return -1;
	build_sideband(capture);
	return 0;
}

struct capture *capture_new(struct device *dev, const struct options *options)
{
	struct capture *capture = calloc(1, sizeof(*capture));

	if (!capture) {
		out_of_memory();
		return NULL;
	}
	capture->dev = dev;
	capture->options = options;
	capture->news = (struct news)NEWS_NONE;
	if (options->level != GAPP_LEVEL_STATS && build(capture)) {
		capture_free(capture);
		return NULL;
	}
	return capture;
}

void capture_free(struct capture *capture)
{
	if (!capture)
		return;
	output_close(&capture->output);
	free(capture->program);
	symbols_free(capture->symbols);
	profile_free(capture->profile);
	call_paths_free(capture->stacks);
	sideband_free(capture->sideband);
	teach_free(capture->teach);
	stale_free(capture->stale);
	news_close(&capture->news);
	maps_free(capture->maps);
	objects_free(capture->objects);
	rings_free(capture->rings);
	free(capture);
}

void capture_attach(struct capture *capture, pid_t pid)
{
	struct dirent *entry;
	DIR *proc;

	if (!capture->maps)
		return;
	if (pid >= 0) {
		maps_read(capture->maps, pid);
		if (capture->teach)
			teach_attach(capture->teach, pid, !capture->options->no_inherit);
		return;
	}
	proc = opendir("/proc");
	if (!proc)
		return;
	while ((entry = readdir(proc)))
		if (isdigit((unsigned char)entry->d_name[0]))
			maps_read(capture->maps, atoi(entry->d_name));
	closedir(proc);
}

void capture_launched(struct capture *capture, pid_t pid)
{
	capture->held = pid;
}

void capture_ready(struct capture *capture)
{
	if (!capture->teach)
		return;
	capture_news(capture);
	teach_settle(capture->teach, clock_ns() + READY_NS);
	news_at(&capture->news, teach_due(capture->teach));
}

int capture_started(struct capture *capture)
{
	struct gapp_status status;

	if (device_status(capture->dev, &status))
		return -1;
	capture->start_ns = status.start_ns;
	return 0;
}

/* Mappings are brought up to the time of each record before its addresses are looked up. */
static void bring_up(struct capture *capture, const struct gapp_record *record)
{
	const struct gapp_record_slice *slice = record_slice(record);
	const struct gapp_record_wait *wait = record_wait(record);
	const struct gapp_record_stack_copy *tail = (const struct gapp_record_stack_copy *)record;
	u64 due_ns;

	if (capture->sideband) {
		due_ns = sideband_apply(capture->sideband, capture->maps, record->time_ns);
		capture->due_ns = capture->held ? 0 : due_ns;
		return;
	}
	maps_advance(capture->maps, record->time_ns);
	if (record->type == GAPP_RECORD_STACK_COPY)
		maps_image(capture->maps, tail->tgid, tail->image);
	else if (slice)
		maps_image(capture->maps, slice->tgid, slice->image);
	else if (wait)
		maps_image(capture->maps, wait->tgid, wait->image);
}

/* Whether what has been printed is written. */
static enum capture_state check_output(struct capture *capture)
{
	int error = capture->output.error;

	if (!error || capture->state != CAPTURE_ON)
		return capture->state;
	capture->state = CAPTURE_UNREAD;
	if (error != EPIPE) {
		complain("cannot write the records: %s", strerror(error));
		capture->state = CAPTURE_FAILED;
	}
	return capture->state;
}

/* The wait of a command for its exec, which is ours: the first that is heard of its process. */
static bool was_held(struct capture *capture, const struct gapp_record *record)
{
	const struct gapp_record_slice *slice = record_slice(record);
	const struct gapp_record_wait *wait = record_wait(record);
	s32 tid = slice ? slice->tid : wait ? wait->tid : 0;

	if (tid != capture->held)
		return false;
	capture->held = 0;
	return wait;
}

static int starve(struct capture *capture)
{
	out_of_memory();
	capture->state = CAPTURE_FULL;
	return CAPTURE_FULL;
}

static int add_tail(struct capture *capture, const struct gapp_record *record)
{
	const struct gapp_record_stack_copy *tail = (const struct gapp_record_stack_copy *)record;

	return record->type == GAPP_RECORD_STACK_COPY ? call_paths_add_copy(capture->stacks, tail) :
							0;
}

/* Its size was found right where it was read. */
static inline int add(struct capture *capture, const struct gapp_record *record)
{
	if (record->type == GAPP_RECORD_SLICE)
		return profile_add_slice(capture->profile,
					 (const struct gapp_record_slice *)record);
	return add_tail(capture, record) || profile_add(capture->profile, record) ? -1 : 0;
}

static int fold(void *context, const struct gapp_record *record)
{
	struct capture *capture = context;

	if (record->time_ns >= capture->due_ns) {
		bring_up(capture, record);
		if (capture->held && was_held(capture, record))
			return 0;
	}
	return add(capture, record) ? starve(capture) : 0;
}

static int list(void *context, const struct gapp_record *record)
{
	struct capture *capture = context;

	bring_up(capture, record);
	if (add_tail(capture, record) ||
	    script_record(capture->output.stream, record, capture->stacks, capture->symbols,
			  capture->start_ns))
		return starve(capture);
	return check_output(capture);
}

static void nap(u64 time_ns)
{
	struct timespec time = { .tv_nsec = time_ns };

	nanosleep(&time, NULL);
}

/* Records that are older are taken in. */
static u64 settled(const struct capture *capture)
{
	bool hurry = rings_fill(capture->rings) >= HURRY_PERCENT;

	return clock_ns() - (hurry ? HURRIED_SETTLE_NS : SETTLE_NS);
}

static void asked(void *context, const struct gapp_record *record)
{
	teach_needmap(context, (const struct gapp_record_need_mapping *)record);
}

/* The events of the side-band have been told, those of the rings have not. */
static void run_teach(struct capture *capture)
{
	if (!capture->teach)
		return;
	/* long before it is settled: every path would be cut meanwhile */
	rings_scan(capture->rings, GAPP_RECORD_NEED_MAPPING, asked, capture->teach);
	teach_run(capture->teach);
	news_at(&capture->news, teach_due(capture->teach));
}

int capture_news_fd(const struct capture *capture)
{
	return capture->news.fd;
}

enum capture_state capture_news(struct capture *capture)
{
	u64 since = clock_ns() - capture->heard_ns;

	if (!capture->teach || capture->state != CAPTURE_ON)
		return capture->state;
	if (since < NEWS_PAUSE_NS)
		nap(NEWS_PAUSE_NS - since);
	capture->heard_ns = clock_ns();
	/* before it is looked what the news is, or what comes meanwhile would not be any */
	news_heard(&capture->news);
	if (capture->sideband && sideband_read(capture->sideband)) {
		/* which has said why */
		capture->state = CAPTURE_FULL;
		return capture->state;
	}
	run_teach(capture);
	/* there is no record yet that could be about the time before */
	if (capture->sideband && !capture->start_ns)
		sideband_apply(capture->sideband, capture->maps, clock_ns());
	return CAPTURE_ON;
}

/*
 * The module says that there is something to take as long as there is, however young. News end it,
 * for who hears of them first can wait for the rest.
 */
static enum capture_state nap_unless_news(struct capture *capture)
{
	struct timespec time = { .tv_nsec = NAP_NS };
	struct pollfd fd = { .fd = capture->news.fd, .events = POLLIN };

	return ppoll(&fd, 1, &time, NULL) > 0 ? capture_news(capture) : CAPTURE_ON;
}

enum capture_state capture_drain(struct capture *capture, bool all)
{
	u64 until;
	s64 taken;

	if (!capture->rings || capture->state != CAPTURE_ON)
		return capture->state;
	until = all ? UINT64_MAX : settled(capture);
	if (capture->sideband && sideband_read(capture->sideband)) {
		/* which has said why */
		capture->state = CAPTURE_FULL;
		return capture->state;
	}
	if (!all)
		run_teach(capture);
	/* more has been read */
	capture->due_ns = 0;
	taken = rings_drain(capture->rings, until, capture->profile ? fold : list, capture);
	if (taken < 0 && capture->state == CAPTURE_ON)
		capture->state = CAPTURE_FAILED;
	if (capture->output.stream) {
		fflush(capture->output.stream);
		check_output(capture);
	}
	if (capture->state != CAPTURE_ON)
		return capture->state;
	if (capture->sideband)
		sideband_apply(capture->sideband, capture->maps, until);
	return taken || all ? CAPTURE_ON : nap_unless_news(capture);
}

int capture_rank(struct capture *capture, const volatile bool *cancel, struct results *results)
{
	const struct options *asked = capture->options;
	struct profile_options options = {
		.by = BY_PATH,
		.no_libs = asked->no_libs,
		.program = capture->program ? capture->program : asked->exe,
		.program_dev = capture->program_stat.st_dev,
		.program_inode = capture->program_stat.st_ino,
		.apart = asked->all && !asked->as_one,
		.threads_only = asked->threads_only,
		.process_only = asked->process_only,
	};
	int failed;

	if (!capture->profile)
		return 0;
	if (capture->teach)
		teach_get_figures(capture->teach, &results->teach);
	capture->symbols = symbols_new(cancel);
	if (!capture->symbols)
		return out_of_memory();
	failed = profile_rank(capture->profile, capture->symbols, &options, &results->paths);
	profile_sums(capture->profile, &results->sums);
	if (!failed && asked->by != BY_PATH) {
		options.by = asked->by;
		failed = profile_rank(capture->profile, capture->symbols, &options, &results->by);
	}
	options.by = BY_FUNCTION;
	failed = failed ||
		 profile_rank(capture->profile, capture->symbols, &options, &results->functions);
	options.by = BY_LINE;
	failed = failed ||
		 profile_rank(capture->profile, capture->symbols, &options, &results->lines);
	results->ranked = !failed;
	return failed ? out_of_memory() : 0;
}
