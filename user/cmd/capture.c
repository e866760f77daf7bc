// SPDX-License-Identifier: GPL-2.0
#include "capture_private.h"

#include <errno.h>
#include <poll.h>
#include <sys/stat.h>
#include <time.h>

#include "outputs.h"
#include "report/advice.h"
#include "symbol/debuginfod.h"

/*
 * A CPU takes the time of a record, or of an event of the side-band, before it writes it to its own
 * ring. So a record is taken only when it is so old that every CPU has written what came before:
 * then all records come in the order of time, and each finds the mappings as they were. No CPU is
 * behind for so long.
 */
#define SETTLE_NS (100 * NSEC_PER_MSEC)
/*
 * A ring that may fill up within SETTLE_NS cannot wait. Nothing interrupts a CPU between the time
 * and the record, so this is still ample, unless a virtual CPU loses its real one just then. In
 * that case records of that CPU come late, and are looked up in the mappings of some milliseconds
 * later: that is better than to lose records.
 */
#define HURRIED_SETTLE_NS (2 * NSEC_PER_MSEC)
/* When a ring is so full, percent, poll() of the session returns at once. */
#define HURRY_PERCENT 50
/* How long to sleep then if no record was old enough. */
#define NAP_NS (3 * NSEC_PER_MSEC)

/* Called before recording, because the file may be replaced or removed before the end. */
static void find_program(struct capture *capture)
{
	const char *exe = capture->options->exe;
	struct stat status;

	if (!exe)
		return;
	capture->program_path = realpath(exe, NULL);
	capture->program.path = capture->program_path ?: exe;
	if (stat(exe, &status))
		return;
	capture->program.dev = status.st_dev;
	capture->program.inode = status.st_ino;
}

/* Whether records have the begin and the end of every wait, and all of them are wanted. */
static bool every_wait(const struct capture *capture)
{
	return capture->all_waits && capture->options->level == GAPP_LEVEL_TRACE;
}

int capture_make_symbols(struct capture *capture, const volatile bool *cancel)
{
	const struct options *options = capture->options;
	const struct symbol_sources sources = {
		.symfs = options->symfs,
		.debuginfod = debuginfod_may_ask(options->debuginfod, options->no_debuginfod),
		.quiet = options->quiet,
	};

	capture->symbols = symbols_new(cancel);
	if (!capture->symbols)
		return -1;
	symbols_set_sources(capture->symbols, &sources);
	return 0;
}

/*
 * Waits are collected of each record where they are asked for; else of the records that go to
 * take_record() anyway, which the usual slice does not. top shows none.
 */
static int collect_waits(struct capture *capture)
{
	const struct wait_sources sources = { .maps = capture->processes.maps,
					      .nodes = &capture->nodes };

	if (capture->options->action == ACTION_TOP)
		return 0;
	capture->keeps_waits = outputs_need_waits(capture->options);
	capture->all_waits = capture->keeps_waits || options_ask_for_waits(capture->options);
	if (capture->all_waits && !capture->spin_watch.on) {
		spin_watch_begin(&capture->spin_watch, capture->dev);
		store_points_begin(&capture->store_points, capture->dev);
	}
	if (capture->all_waits && !capture->nodes.count &&
	    cpu_nodes_read(&capture->nodes, CPU_NODES_FOLDER))
		return -1;
	if (profile_collect_waits(capture->profile, &sources, every_wait(capture)))
		return -1;
	if (options_ask_for_waits(capture->options) && device_knows_waker_paths(capture->dev))
		profile_waits_have_ends(capture->profile);
	return 0;
}

int capture_make_profile(struct capture *capture)
{
	profile_free(capture->profile);
	capture->profile = profile_new(capture->stacks);
	if (!capture->profile)
		return -1;
	if (capture->options->kernel)
		profile_show_kernel(capture->profile);
	if (collect_waits(capture))
		return -1;
	wait_store_free(&capture->waits);
	wait_store_init(&capture->waits, 0, STORE_SLICES_MAX);
	call_paths_may_keep_copies(capture->stacks);
	return 0;
}

static int build(struct capture *capture)
{
	struct processes *processes = &capture->processes;
	struct gapp_layout layout;

	if (device_layout(capture->dev, &layout))
		return -1;
	capture->rings = rings_new(capture->dev->fd, &layout);
	if (!capture->rings)
		return -1;
	if (processes_init(processes, capture->dev, capture->options))
		return -1;
	capture->stacks = call_paths_new(processes->objects, processes->maps, capture->rings);
	if (!capture->stacks)
		return out_of_memory();
	if (processes->table_sync) {
		call_paths_set_outdated(capture->stacks, processes->outdated);
		call_paths_set_tables(capture->stacks, table_sync_tables(processes->table_sync));
	}
	capture->commands = command_lines_new();
	if (!capture->commands)
		return out_of_memory();
	if (capture->options->action == ACTION_SCRIPT) {
		if (output_open(&capture->output, STDOUT_FILENO) ||
		    capture_make_symbols(capture, NULL))
			return out_of_memory();
	} else {
		if (capture_make_profile(capture))
			return out_of_memory();
		if (!capture->options->records && !capture->all_waits)
			rings_skip(capture->rings, GAPP_RECORD_WAKE);
	}
	if (capture->options->keep_ns && capture_make_window(capture))
		return out_of_memory();
	capture->script = (struct script){
		.out = capture->output.stream,
		.stacks = capture->stacks,
		.symbols = capture->symbols,
	};
	find_program(capture);
	capture->spin_exact.on = capture->options->spin == SPINS_EXACT &&
				 device_times_exactly(capture->dev);
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
	capture->processes.wakeup = (struct wakeup)WAKEUP_NONE;
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
	free(capture->program_path);
	symbols_free(capture->symbols);
	kept_records_free(capture->kept);
	capture_window_free(capture);
	wait_views_free(capture->wait_views);
	handover_watch_free(&capture->handovers);
	section_views_free(capture->section_views);
	sections_free(&capture->sections);
	cpu_nodes_free(&capture->nodes);
	spin_watch_free(&capture->spin_watch);
	spin_exact_free(&capture->spin_exact);
	wait_store_free(&capture->waits);
	free(capture->sample_paths);
	profile_free(capture->profile);
	call_paths_free(capture->stacks);
	command_lines_free(capture->commands);
	processes_free(&capture->processes);
	rings_free(capture->rings);
	free(capture);
}

void capture_attach(struct capture *capture, pid_t pid)
{
	if (capture->rings)
		processes_attach(&capture->processes, pid);
}

void capture_expect(struct capture *capture, pid_t pid)
{
	if (capture->rings)
		processes_expect(&capture->processes, pid, capture->options->command);
}

void capture_executed(struct capture *capture, pid_t pid)
{
	processes_executed(&capture->processes, pid);
}

void capture_ready(struct capture *capture)
{
	if (capture_woken(capture) == CAPTURE_ON)
		/* what runs already does not wait */
		processes_settle(&capture->processes, capture->options->command &&
							      !capture->options->delay_ns &&
							      !capture->options->wait_for_ctl);
}

int capture_keep_records(struct capture *capture, struct blocks_writer *writer)
{
	/* timelines show each process, however little of its time is critical */
	capture->processes.commands = capture->commands;
	capture->kept = kept_records_new(capture->stacks, writer);
	return capture->kept ? 0 : out_of_memory();
}

void capture_started(struct capture *capture)
{
	capture->processes.started = true;
}

/* Before the first record: with a command session time begins some time after START. */
static int find_start(struct capture *capture)
{
	struct gapp_status status;

	if ((capture->profile && !capture->keeps_waits) || capture->script.start_ns)
		return 0;
	if (device_status(capture->dev, &status))
		return -1;
	capture->script.start_ns = status.start_ns;
	capture->waits.begin_ns = status.start_ns;
	return 0;
}

/* After the mappings of its time are known. */
static int keep(struct capture *capture, const struct gapp_record *record)
{
	return capture->kept ? kept_records_add(capture->kept, record) : 0;
}

/* The profile has been given the slice. Returns 0, or -1 without memory. */
static int keep_slice(struct capture *capture, const struct gapp_record_slice *slice, u32 site)
{
	const struct gapp_sample *samples = (const struct gapp_sample *)(slice + 1);
	u32 path;

	if (!capture->keeps_waits && !sections_any(&capture->sections))
		return 0;
	if (array_grow(&capture->sample_paths, &capture->sample_room, slice->sample_count,
		       sizeof(*capture->sample_paths)) ||
	    profile_path_id(capture->profile, slice->path, slice->kernel_path, slice, &path))
		return -1;
	for (u32 i = 0; i < slice->sample_count; i++)
		if (profile_path_id(capture->profile, samples[i].path, samples[i].kernel_path,
				    slice, &capture->sample_paths[i]))
			return -1;
	if (sections_any(&capture->sections) &&
	    sections_slice(&capture->sections, slice, path, capture->sample_paths))
		return -1;
	return capture->keeps_waits ?
		       wait_store_slice(&capture->waits, slice, path, site, capture->sample_paths) :
		       0;
}

int capture_add_slice(struct capture *capture, const struct gapp_record_slice *slice)
{
	u32 site = STORE_NONE;

	if ((capture->all_waits || slice->critical_share >= NOTED_SHARE) &&
	    profile_wait_begins(capture->profile, slice, &site))
		return -1;
	if (profile_add_slice(capture->profile, slice) || keep_slice(capture, slice, site))
		return -1;
	return capture->dev->handovers ?
		       handover_watch_slice(&capture->handovers, capture->profile, slice) :
		       0;
}

static int take_slice(struct capture *capture, const struct gapp_record_slice *slice)
{
	processes_advance(&capture->processes, slice->head.time_ns, slice->tgid, slice->image);
	if (keep(capture, &slice->head) ||
	    (capture->spin_watch.on && spun_words_slice(&capture->spin_watch.words, slice)) ||
	    (capture->spin_exact.on &&
	     spin_exact_slice(&capture->spin_exact, slice, capture->rings)))
		return -1;
	if (!capture->profile)
		return script_slice(&capture->script, slice);
	if (capture->kept || slice->critical_share >= NOTED_SHARE)
		command_lines_note(capture->commands, slice->tgid, slice->image);
	return capture->window ? capture_window_add(capture, &slice->head) :
				 capture_add_slice(capture, slice);
}

int capture_add_wait(struct capture *capture, const struct gapp_record_wait *wait)
{
	if (profile_wait_alone(capture->profile, wait))
		return -1;
	return profile_add_wait(capture->profile, wait);
}

static int take_wait(struct capture *capture, const struct gapp_record_wait *wait)
{
	struct told_wait told;

	processes_advance(&capture->processes, wait->head.time_ns, wait->tgid, wait->image);
	if (capture->spin_watch.on && spun_words_wait(&capture->spin_watch.words, &wait, &told))
		return -1;
	if (keep(capture, &wait->head))
		return -1;
	if (!capture->profile)
		return script_wait(&capture->script, wait);
	return capture->window ? capture_window_add(capture, &wait->head) :
				 capture_add_wait(capture, wait);
}

static int take_stack_copy(struct capture *capture, const struct gapp_record_stack_copy *copy)
{
	processes_advance(&capture->processes, copy->head.time_ns, copy->tgid, copy->image);
	if (call_paths_add_copy(capture->stacks, copy) || keep(capture, &copy->head))
		return -1;
	return capture->profile ? 0 : script_stack_copy(&capture->script, copy);
}

/* Keeps wake-ups and losses for the waits. Returns 0, or -1 without memory. */
static int keep_other(struct capture *capture, const struct gapp_record *record)
{
	if (!capture->keeps_waits)
		return 0;
	if (record->type == GAPP_RECORD_WAKE)
		return wait_store_wake(&capture->waits, (const struct gapp_record_wake *)record);
	if (record->type == GAPP_RECORD_LOST)
		return wait_store_lost(&capture->waits, (const struct gapp_record_lost *)record);
	return 0;
}

int capture_add_other(struct capture *capture, const struct gapp_record *record)
{
	if (keep_other(capture, record))
		return -1;
	if (record->type == GAPP_RECORD_LOST)
		profile_add_lost(capture->profile, (const struct gapp_record_lost *)record);
	if (record->type == GAPP_RECORD_WAKE)
		return profile_wait_ends(capture->profile, (const struct gapp_record_wake *)record);
	if (record->type == GAPP_RECORD_MARK && capture->options->action != ACTION_TOP)
		return sections_mark(&capture->sections, (const struct gapp_record_mark *)record);
	return 0;
}

/* Records without call paths. */
static int take_other(struct capture *capture, const struct gapp_record *record)
{
	if (capture->profile && record->type == GAPP_RECORD_LOST)
		spun_words_lost(&capture->spin_watch.words);
	if (capture->profile)
		return capture->window ? capture_window_add(capture, record) :
					 capture_add_other(capture, record);
	switch (record->type) {
	case GAPP_RECORD_LOST:
		script_lost(&capture->script, (const struct gapp_record_lost *)record);
		break;
	case GAPP_RECORD_WAKE:
		script_wake(&capture->script, (const struct gapp_record_wake *)record);
		break;
	case GAPP_RECORD_NEED_MAPPING:
		script_need_mapping(&capture->script,
				    (const struct gapp_record_need_mapping *)record);
		break;
	case GAPP_RECORD_MARK:
		script_mark(&capture->script, (const struct gapp_record_mark *)record);
		break;
	}
	return 0;
}

/*
 * The mappings of the waker's process must be known before the record's path is looked at. Returns
 * the record, or what it would be if the module knew who ended a wait in a busy-wait loop.
 */
static const struct gapp_record *
complete_wake(struct capture *capture, const struct gapp_record_wake *wake, struct told_wake *told)
{
	const struct gapp_waker_path *from;

	wake = spun_words_wake(&capture->spin_watch.words, wake, told);
	if (capture->profile)
		profile_wait_stored(capture->profile, told->stored_ns);
	from = wake_waker_path(wake);
	if (from)
		processes_advance(&capture->processes, wake->head.time_ns, wake->waker_tgid,
				  from->image);
	return &wake->head;
}

/* It is not kept: the record of the wake-up says what it comes to. */
static int take_store(struct capture *capture, const struct gapp_record_store *store)
{
	const u64 *frames;
	u16 count, flags;

	processes_advance(&capture->processes, store->head.time_ns, store->tgid,
			  store->flags & GAPP_STORE_UNTOLD ? 0 : store->image);
	frames = rings_path(capture->rings, store->path, &count, &flags);
	spun_words_store(&capture->spin_watch.words, store, frames && count ? frames[0] : 0);
	return 0;
}

/*
 * The place that tells records by their types, but for usual slices: see fold_record(). Their sizes
 * fit their types: rings_drain() has checked that.
 */
static int take(struct capture *capture, const struct gapp_record *record)
{
	struct told_wake told;

	switch (record->type) {
	case GAPP_RECORD_SLICE:
		return take_slice(capture, (const struct gapp_record_slice *)record);
	case GAPP_RECORD_WAIT:
		return take_wait(capture, (const struct gapp_record_wait *)record);
	case GAPP_RECORD_STACK_COPY:
		return take_stack_copy(capture, (const struct gapp_record_stack_copy *)record);
	}
	if (record->type == GAPP_RECORD_STORE)
		return take_store(capture, (const struct gapp_record_store *)record);
	if (record->type == GAPP_RECORD_WAKE)
		record = complete_wake(capture, (const struct gapp_record_wake *)record, &told);
	if (keep(capture, record) || take_other(capture, record))
		return -1;
	processes_advance(&capture->processes, record->time_ns, 0, 0);
	return 0;
}

/* Ends the capture if what has been printed could not be written. */
static enum capture_state check_output(struct capture *capture)
{
	int error = capture->output.error;

	if (!error || capture->state != CAPTURE_ON)
		return capture->state;
	if (error != EPIPE)
		complain("cannot write the records: %s", strerror(error));
	capture->state = error == EPIPE ? CAPTURE_UNREAD : CAPTURE_FAILED;
	return capture->state;
}

static int take_record(void *context, const struct gapp_record *record)
{
	struct capture *capture = context;

	if (take(capture, record))
		return -1;
	return capture->profile || check_output(capture) == CAPTURE_ON ? 0 : -1;
}

/* Sets whether someone other than the profile has a use for usual slices. */
static void note_users(struct capture *capture)
{
	capture->only_added = !capture->kept && !capture->window && !capture->spin_exact.on &&
			      !sections_any(&capture->sections);
}

static _attribute_(noinline) int take_unusual(struct capture *capture,
					      const struct gapp_record *record)
{
	int result = take_record(capture, record);

	note_users(capture);
	return result;
}

/*
 * take_record() for a profile. Nearly all records are slices without much critical time, and the
 * mappings have not changed: there is nothing to do but to add them.
 */
static int fold_record(void *context, const struct gapp_record *record)
{
	const struct gapp_record_slice *slice = (const struct gapp_record_slice *)record;
	struct capture *capture = context;

	if (record->type != GAPP_RECORD_SLICE || slice->critical_share >= NOTED_SHARE ||
	    !capture->only_added || record->time_ns >= capture->processes.due_ns)
		return take_unusual(capture, record);
	return profile_add_slice(capture->profile, slice);
}

/* Tells the waits how few threads few are. Returns 0, or -1 with a complaint made. */
static int begin_drain(struct capture *capture)
{
	struct gapp_status status = { 0 };

	if (!capture->profile)
		return 0;
	if (every_wait(capture) && device_status(capture->dev, &status))
		return -1;
	profile_waits_drain(capture->profile, status.n_min_most ?: status.n_min);
	return 0;
}

/* rings_drain() has returned @result, below 0, and what has been printed could be written. */
static enum capture_state why_ended(s64 result)
{
	/* the rings make no sense, of which they have complained */
	if (result != RINGS_ENDED)
		return CAPTURE_FAILED;
	out_of_memory();
	return CAPTURE_FULL;
}

int capture_wakeup_fd(const struct capture *capture)
{
	return capture->processes.wakeup.fd;
}

enum capture_state capture_woken(struct capture *capture)
{
	if (capture->state == CAPTURE_ON && processes_woken(&capture->processes, capture->rings))
		capture->state = CAPTURE_FULL;
	return capture->state;
}

/* poll() would return at once, but no record is old enough: sleeps for NAP_NS, or until a wakeup.
 */
static enum capture_state nap(struct capture *capture)
{
	struct pollfd fd = { .fd = capture_wakeup_fd(capture), .events = POLLIN };
	struct timespec time = { .tv_nsec = NAP_NS };

	return ppoll(&fd, 1, &time, NULL) > 0 ? capture_woken(capture) : CAPTURE_ON;
}

static bool must_hurry(const struct capture *capture)
{
	return rings_fill(capture->rings) >= HURRY_PERCENT;
}

/* Time, CLOCK_MONOTONIC: older records are taken. */
static u64 settled(const struct capture *capture)
{
	return clock_ns() - (must_hurry(capture) ? HURRIED_SETTLE_NS : SETTLE_NS);
}

enum capture_state capture_drain(struct capture *capture, bool all)
{
	u64 until;
	s64 taken;

	if (!capture->rings || capture->state != CAPTURE_ON)
		return capture->state;
	until = all ? UINT64_MAX : settled(capture);
	if (find_start(capture) || begin_drain(capture)) {
		capture->state = CAPTURE_FAILED;
		return capture->state;
	}
	if (processes_read(&capture->processes)) {
		capture->state = CAPTURE_FULL;
		return capture->state;
	}
	if (!all)
		processes_sync(&capture->processes, capture->rings);
	note_users(capture);
	taken = rings_drain(capture->rings, until,
			    capture->profile && !capture->all_waits && !capture->dev->handovers ?
				    fold_record :
				    take_record,
			    capture);
	if (taken < 0 && capture->state == CAPTURE_ON)
		capture->state = why_ended(taken);
	if (capture->output.stream) {
		fflush(capture->output.stream);
		check_output(capture);
	}
	if (capture->state != CAPTURE_ON)
		return capture->state;
	processes_passed(&capture->processes, until);
	if (!all &&
	    !store_points_next(&capture->store_points, &capture->spin_watch.words.sites,
			       capture->dev, capture->processes.maps, capture->spin_watch.until_ns))
		spin_watch_next(&capture->spin_watch, capture->dev, until);
	if (all)
		spin_exact_end(&capture->spin_exact);
	else
		spin_exact_next(&capture->spin_exact, capture->dev, capture->processes.maps);
	if (all && !capture->options->quiet && capture->options->action != ACTION_RECORD)
		spin_exact_tell(&capture->spin_exact);
	return taken || all || !must_hurry(capture) ? CAPTURE_ON : nap(capture);
}

/* Returns 0, or -1 without memory. */
static int rank(struct capture *capture, struct results *results)
{
	return rankings_make(capture->profile, capture->symbols, capture->options,
			     &capture->program, results);
}

/* Returns 0, or -1 without memory. */
static int view_waits(struct capture *capture, struct results *results)
{
	const struct gapp_status *status = &results->model.status;
	struct path_names *names =
		path_names_new(capture->profile, capture->symbols, capture->options->rules);

	if (!names)
		return -1;
	capture->wait_views = wait_views_make(&capture->waits, status->start_ns + status->wall_ns,
					      names, &results->waits);
	path_names_free(names);
	results->wait_views = capture->wait_views;
	return capture->wait_views ? 0 : -1;
}

int capture_look_handovers(struct capture *capture)
{
	return handover_watch_look(&capture->handovers, capture->dev, capture->processes.maps);
}

/* Returns 0, or -1 without memory. */
static int make_handovers(struct capture *capture, struct results *results)
{
	if (!capture->dev->handovers)
		return 0;
	if (handover_watch_make(&capture->handovers, capture->profile, capture->symbols,
				capture->options, &results->model))
		return -1;
	results->handovers = capture->handovers.handovers;
	return 0;
}

/* Returns 0, or -1 without memory. */
static int view_sections(struct capture *capture, struct results *results)
{
	struct path_names *names;

	if (!sections_any(&capture->sections))
		return 0;
	names = path_names_new(capture->profile, capture->symbols, capture->options->rules);
	if (!names)
		return -1;
	section_views_free(capture->section_views);
	capture->section_views = section_views_make(&capture->sections, names, results);
	path_names_free(names);
	results->sections = capture->section_views;
	return capture->section_views ? 0 : -1;
}

int capture_rank(struct capture *capture, const volatile bool *cancel, struct results *results)
{
	if (!capture->profile)
		return 0;
	if (capture->processes.table_sync && !capture->window)
		table_sync_get_figures(capture->processes.table_sync, &results->table_sync);
	if (capture_look_handovers(capture))
		return -1;
	/* a recording that goes on is ranked again, with the names that were looked up */
	if ((capture->symbols ? symbols_name_generated(capture->symbols) :
				capture_make_symbols(capture, cancel)) ||
	    call_paths_finish_copies(capture->stacks) || rank(capture, results))
		return out_of_memory();
	if (results_ask_servers(results, capture->symbols)) {
		results_drop_rankings(results);
		symbols_forget(capture->symbols);
		if (rank(capture, results))
			return out_of_memory();
	}
	/* what became of stack copies is known of the whole recording */
	if (capture->window)
		results->sums.copies = NULL;
	if ((capture->keeps_waits && view_waits(capture, results)) ||
	    view_sections(capture, results) || make_handovers(capture, results))
		return out_of_memory();
	/* and how long loops were timed exactly */
	if (!capture->window && spin_exact_make(&capture->spin_exact, capture->symbols))
		return out_of_memory();
	results->exact_loops = capture->spin_exact.exact_loops;
	results->commands = capture->commands;
	if (capture->window)
		call_paths_may_keep_copies(capture->stacks);
	return results_advise(results) ? out_of_memory() : 0;
}

void capture_get(const struct capture *capture, struct captured *captured)
{
	*captured = (struct captured){
		.profile = capture->profile,
		.symbols = capture->symbols,
		.kept = capture->kept,
		.program = &capture->program,
	};
}

int capture_look(struct capture *capture, struct results *results)
{
	if (!capture->profile)
		return 0;
	if ((!capture->symbols && capture_make_symbols(capture, NULL)) ||
	    symbols_name_generated(capture->symbols) || call_paths_finish_copies(capture->stacks))
		return out_of_memory();
	call_paths_may_keep_copies(capture->stacks);
	if (rankings_make_few(capture->profile, capture->symbols, capture->options,
			      &capture->program, results))
		return out_of_memory();
	results->commands = capture->commands;
	return 0;
}
