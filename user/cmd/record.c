// SPDX-License-Identifier: GPL-2.0
/* A session from its set-up to its report. */
#include <errno.h>
#include <sys/ioctl.h>

#include "counters.h"
#include "record_private.h"
#include "report/report.h"

#define LINE_COLUMNS 70
/* Buffers smaller than that would lose much: the limit of locked memory is to be raised. */
#define SMALL_RING (GAPP_DEFAULT_RING / 8)
#define SMALL_PATHS (GAPP_DEFAULT_PATHS / 8)

static void recording_free(struct recording *recording)
{
	top_free(recording->top);
	keep_free(recording->keep);
	ctl_server_free(recording->server);
	launch_cancel(&recording->launch);
	follow_free(&recording->follow);
	capture_free(recording->capture);
	counter_watch_free(&recording->counters);
	device_close(&recording->device);
	cpu_nodes_free(&recording->nodes);
	free(recording->dumped);
	saving_free(&recording->saving);
	outputs_free(&recording->outputs);
}

/* Columns of the progress line. The last one stays free, so that the terminal does not wrap. */
static int columns_of(int fd)
{
	struct winsize size;

	if (ioctl(fd, TIOCGWINSZ, &size) || !size.ws_col || size.ws_col > LINE_COLUMNS)
		return LINE_COLUMNS;
	return size.ws_col - 1;
}

/* Each process is a target of its own. */
static bool targets_apart(const struct options *options)
{
	return options->all && !options->as_one;
}

/* Shows on the terminal that a recording is going on. */
static void show_progress(void *context)
{
	struct recording *recording = context;
	bool ranked = recording->options->level != GAPP_LEVEL_STATS;
	char line[3 * LINE_COLUMNS], active[16] = "", records[LINE_COLUMNS] = "";
	int columns = columns_of(STDERR_FILENO);
	struct gapp_counters counters;
	struct gapp_status status;

	if (recording->figures_failed)
		return;
	if (device_status(&recording->device, &status) ||
	    (ranked && device_counters(&recording->device, &counters))) {
		recording->figures_failed = true;
		return;
	}
	if (!targets_apart(recording->options))
		snprintf(active, sizeof(active), "%u of ", status.n);
	if (ranked)
		snprintf(records, sizeof(records), ", %llu critical slices, %llu lost",
			 counters.critical_slices,
			 counters.lost[GAPP_LOST_RING] + counters.lost[GAPP_LOST_THREADS] +
				 counters.lost[GAPP_LOST_RECORDS_OVER_BUDGET]);
	snprintf(line, sizeof(line), "%.0f s: %s%u threads%s%s; Ctrl-C ends it",
		 (double)status.wall_ns / NSEC_PER_SEC, active, status.live,
		 *active ? " active" : "", records);
	fprintf(stderr, "\r%-*.*s", columns, columns, line);
	recording->progress_columns = columns;
}

static void erase_progress(const struct recording *recording)
{
	if (recording->progress_columns)
		fprintf(stderr, "\r%*s\r", recording->progress_columns, "");
}

/* False if the command, or the listing, may write to the same terminal. */
static bool wants_progress(const struct options *options)
{
	return !options->quiet && isatty(STDERR_FILENO) && options->action != ACTION_TOP &&
	       !((options->command || options->action == ACTION_SCRIPT) && isatty(STDOUT_FILENO));
}

static int take_wakeup(void *context)
{
	struct recording *recording = context;

	return capture_woken(recording->capture);
}

/* Sets the argument of CONFIGURE. */
static void make_config(const struct options *options, struct gapp_config *config)
{
	*config = (struct gapp_config){
		.abi_major = GAPP_ABI_MAJOR,
		.n_min_mode = options->n_min_mode,
		.n_min = options->n_min,
		.max_threads = options->max_threads,
		.max_exited = GAPP_EXITED_DEFAULT,
		.level = options->level,
	};
	if (options->all)
		config->flags |= GAPP_CONFIG_ALL;
	if (targets_apart(options))
		config->flags |= GAPP_CONFIG_PER_PROCESS;
	if (options->level == GAPP_LEVEL_STATS)
		return;
	/* only the listing, views and chains of waits, and some timelines have wakers, which cost a
	 * probe at every wake-up
	 */
	if (options->action == ACTION_SCRIPT || options_ask_for_waits(options) ||
	    outputs_need_waits(options) || outputs_show_wakers(options))
		config->flags |= GAPP_CONFIG_WAKERS;
	if (options->kernel)
		config->flags |= GAPP_CONFIG_KERNEL_PATHS;
	config->min_critical_ns = options->min_critical_ns;
	config->rate_hz = options->rate_hz;
	config->ring_bytes = options->ring_bytes;
	config->max_stack = options->max_stack;
	config->criterion = options->criterion;
	config->unwind_by = options->unwind_by;
	config->stack_copy_bytes = options->stack_copy_bytes;
	if (options->verify)
		config->flags |= GAPP_CONFIG_VERIFY;
}

/* Halves the buffers, but not rings of a size that was asked for. False: they are small already. */
static bool make_smaller(struct gapp_config *config, bool ring_may_shrink)
{
	const u32 paths = config->paths ?: GAPP_DEFAULT_PATHS;
	const bool rings = ring_may_shrink && config->ring_bytes > SMALL_RING;

	if (rings)
		config->ring_bytes /= 2;
	if (paths > SMALL_PATHS)
		config->paths = paths / 2;
	return rings || paths > SMALL_PATHS;
}

/* What records of waits are to have of what the module knows. */
static u32 waits_flags(const struct recording *recording)
{
	const struct options *options = recording->options;
	const bool objects = options_ask_for_waits(options) || outputs_need_waits(options);
	u32 flags = 0;

	if (options->level == GAPP_LEVEL_STATS)
		return 0;
	if (options_ask_for_waits(options) && device_knows_waker_paths(&recording->device))
		flags |= GAPP_CONFIG_WAKER_PATHS;
	if (objects && device_knows_wait_files(&recording->device))
		flags |= GAPP_CONFIG_WAIT_FILES;
	if ((objects || options->waits || options->kernel) &&
	    device_knows_kernel_locks(&recording->device))
		flags |= GAPP_CONFIG_KERNEL_LOCKS;
	return flags;
}

/* Busy-wait loops are known by mappings, and found by samples. */
static u32 spins_flag(const struct recording *recording)
{
	const struct options *options = recording->options;
	const bool by_tables = options->unwind_by == GAPP_UNWIND_BY_AUTO ||
			       options->unwind_by == GAPP_UNWIND_BY_TABLE;

	if (options->level == GAPP_LEVEL_STATS || options->spin == SPINS_OFF || !options->rate_hz ||
	    !by_tables || !device_knows_spins(&recording->device))
		return 0;
	return GAPP_CONFIG_SPINS;
}

static u32 marks_flag(const struct recording *recording)
{
	if (recording->options->level == GAPP_LEVEL_STATS ||
	    !device_knows_marks(&recording->device))
		return 0;
	return GAPP_CONFIG_MARKS;
}

/* Takes out of @config what the session can do without and does not get. False: nothing. */
static bool ask_for_less(struct recording *recording, struct gapp_config *config)
{
	if (errno == ENOBUFS || errno == ENOMEM) {
		recording->lacked = errno;
		return make_smaller(config, recording->options->ring_may_shrink);
	}
	if (errno != EOPNOTSUPP || !(config->flags & GAPP_CONFIG_KERNEL_LOCKS))
		return false;
	config->flags &= ~GAPP_CONFIG_KERNEL_LOCKS;
	complain(
		"this kernel does not say which of its locks a thread waits for: such waits have the reason of their system call");
	return true;
}

/* Configures the session, with smaller buffers where the limit of locked memory is low. */
static int configure(struct recording *recording)
{
	const struct options *options = recording->options;
	struct gapp_config config;

	make_config(options, &config);
	config.flags |= waits_flags(recording) | spins_flag(recording) | marks_flag(recording);
	if (device_knows_waits(&recording->device)) {
		config.flags |= wants_waits(options) ? GAPP_CONFIG_WAITS : 0;
	} else if (options->waits) {
		complain("--waits: the loaded module is too old: load that of this gapp-read");
		return -1;
	}
	if (options->spin == SPINS_EXACT && !device_knows_spins(&recording->device)) {
		complain("--spin exact: the loaded module is too old: load that of this gapp-read");
		return -1;
	}
	if (options->spin == SPINS_EXACT && !spins_flag(recording)) {
		complain(
			"--spin exact: loops are found by samples (-F above 0), of records (--level critical or trace), with unwind tables (--call-graph auto or table)");
		return -1;
	}
	if (options->view == VIEW_HANDOVER && !device_knows_handovers(&recording->device)) {
		complain(
			"--view handover: the loaded module is too old: load that of this gapp-read");
		return -1;
	}
	if (options->view == VIEW_HANDOVER)
		config.flags |= GAPP_CONFIG_WAITS | GAPP_CONFIG_HANDOVERS;
	if (options->counters.count && !device_knows_tallies(&recording->device)) {
		complain("--counters: the loaded module is too old: load that of this gapp-read");
		return -1;
	}
	if (options->counters.count)
		config.flags |= GAPP_CONFIG_TALLIES;
	if (options->counters.count && config.level != GAPP_LEVEL_STATS &&
	    device_knows_slice_tallies(&recording->device))
		config.flags |= GAPP_CONFIG_SLICE_TALLIES;
	while (device_configure(&recording->device, &config))
		if (!ask_for_less(recording, &config))
			return device_refused_config();
	if (config.paths)
		complain("%s allows buffers of %u KiB for each CPU and %u call paths only",
			 recording->lacked == ENOMEM ?
				 "the memory of this machine, or of your memory cgroup," :
				 "your limit of locked memory (`ulimit -l`)",
			 config.ring_bytes >> 10, config.paths);
	return 0;
}

/* Adds one process, whose end is waited for. Returns 0, or -1 with a complaint made. */
static int add_process(struct recording *recording, pid_t pid, u32 flags)
{
	/* first the pidfd: if the pid is reused in between, the pidfd ends the recording at once */
	if (follow_add(&recording->follow, pid))
		return -1;
	if (device_add_process(&recording->device, pid, flags))
		return device_refused_process(pid);
	return 0;
}

/* Whether root has ended the session. Where there are records, poll() of the session says so. */
static bool was_ended(struct recording *recording)
{
	struct gapp_status status;

	if (recording->options->level != GAPP_LEVEL_STATS || recording->figures_failed)
		return false;
	if (device_status(&recording->device, &status)) {
		recording->figures_failed = true;
		return false;
	}
	return status.state == GAPP_SESSION_STOPPED;
}

/* Comes once a second, or with top as often as that looks. Above 0: the session has ended. */
static int each_tick(void *context)
{
	struct recording *recording = context;

	if (was_ended(recording))
		return 1;

	if (recording->kthreads.glob)
		kthreads_add_later(&recording->kthreads);
	if (wants_progress(recording->options))
		show_progress(recording);
	if (capture_look_handovers(recording->capture))
		return -1;
	return recording->top ? top_look(recording->top) : 0;
}

/* Comes as often as counters are looked at. */
static int each_counter_tick(void *context)
{
	struct recording *recording = context;

	if (counter_watch_look(&recording->counters))
		return -1;
	if (clock_ns() < recording->shown_ns + NSEC_PER_SEC)
		return 0;
	recording->shown_ns = clock_ns();
	return each_tick(context);
}

/* Comes as often as --keep needs it. */
static int each_keep_tick(void *context)
{
	struct recording *recording = context;
	int due = keep_tick(recording->keep);

	if (due > 0) {
		erase_progress(recording);
		due = record_dump(recording);
	}
	if (due || clock_ns() < recording->shown_ns + NSEC_PER_SEC)
		return due;
	recording->shown_ns = clock_ns();
	return each_tick(context);
}

static int ask_for_dump(void *context)
{
	struct recording *recording = context;

	/* before the recording has begun, and after its end, nothing is kept */
	if (!recording->keep || !recording->started_ns)
		return 0;
	return keep_ask(recording->keep, "SIGUSR2");
}

static int take_terminal(void *context)
{
	struct recording *recording = context;

	return top_terminal(recording->top);
}

/* Adds the running processes that the options name. */
static int add_running(struct recording *recording)
{
	const struct options *options = recording->options;

	for (size_t i = 0; i < options->pid_count; i++) {
		if (add_process(recording, options->pids[i], record_add_flags(recording)))
			return -1;
		capture_attach(recording->capture, options->pids[i]);
	}
	if (options->all)
		capture_attach(recording->capture, -1);
	if (options->exe &&
	    (device_add_executable(&recording->device, options->exe, record_add_flags(recording)) ||
	     record_add_executing(recording)))
		return -1;
	if ((options->comm || options->cgroup) && record_add_selection(recording))
		return -1;
	recording->follow.endless = options->all || options->exe || !options->pid_count;
	return 0;
}

/* The command runs before the recording begins. */
static bool begins_later(const struct options *options)
{
	return options->delay_ns || options->wait_for_ctl;
}

/* With a delay the command executes before START, otherwise session time begins at its exec. */
static u32 command_flags(const struct recording *recording)
{
	return record_add_flags(recording) |
	       (begins_later(recording->options) ? 0 : GAPP_ADD_AT_EXEC);
}

/* What is written while the recording runs. Without a file it is not, and the report is worth
 * having all the same.
 */
static int begin_streams(struct recording *recording)
{
	const struct options *options = recording->options;
	struct saving *saving = &recording->saving;
	const bool counts = options->action == ACTION_RECORD &&
			    tallies_any_counted(&recording->tallies);

	if (options->records || (counts && !options->no_save))
		save_begin(saving, options);
	if (counts)
		counter_watch_begin(&recording->counters, &recording->device, &recording->tallies,
				    &recording->nodes,
				    saving->fd < 0 || saving->failed ? NULL : &saving->writer);
	if (!options->records || saving->failed)
		return 0;
	return capture_keep_records(recording->capture, &saving->writer);
}

static int ask_for_counters(struct recording *recording)
{
	recording->tallies = recording->options->counters;
	counters_ask(&recording->device, &recording->tallies);
	if (recording->tallies.count && cpu_nodes_read(&recording->nodes, CPU_NODES_FOLDER))
		return out_of_memory();
	return 0;
}

/* Adds the command, which waits for its exec. */
static int add_command(struct recording *recording)
{
	const struct options *options = recording->options;

	recording->launch.no_terminal = top_has_screen(options);
	if (launch_prepare(&recording->launch, options->command, &recording->signals,
			   &recording->files) ||
	    add_process(recording, recording->launch.pid, command_flags(recording)))
		return -1;
	capture_expect(recording->capture, recording->launch.pid);
	return 0;
}

/* After the processes: threads of the kernel may be left out where the session has no more room. */
static int add_kthreads(struct recording *recording)
{
	recording->kthreads.dev = &recording->device;
	recording->kthreads.glob = recording->options->kthreads;
	return recording->kthreads.glob ? kthreads_add(&recording->kthreads) : 0;
}

static int begin_keep(struct recording *recording, int signal_fd)
{
	recording->keep = keep_new(recording->options, &recording->device, recording->capture);
	if (!recording->keep || signals_take_also(signal_fd, SIGUSR2))
		return -1;
	recording->follow.asked = ask_for_dump;
	return 0;
}

static int set_up(struct recording *recording)
{
	const struct options *options = recording->options;
	int signal_fd;

	file_limit_raise(&recording->files);
	signal_fd = signals_take(&recording->signals);
	if (signal_fd < 0 || follow_init(&recording->follow, signal_fd))
		return -1;
	if (device_open(&recording->device) || configure(recording))
		return -1;
	if (ask_for_counters(recording))
		return -1;
	recording->capture = capture_new(&recording->device, options);
	if (!recording->capture)
		return -1;
	if (begin_streams(recording))
		return -1;
	recording->follow.context = recording;
	recording->follow.wakeup = take_wakeup;
	recording->follow.told = record_told;
	if (options->keep_ns && begin_keep(recording, signal_fd))
		return -1;
	if (record_listen(recording))
		return -1;
	follow_watch(&recording->follow, WATCH_WAKEUP, capture_wakeup_fd(recording->capture));

	if (options->command ? add_command(recording) : add_running(recording))
		return -1;
	return add_kthreads(recording);
}

/* Does nothing without a command, or once it has been executed. Returns an exit status or 0. */
static int launch(struct recording *recording)
{
	int status;

	if (!recording->options->command || recording->launched)
		return 0;
	status = launch_go(&recording->launch, recording->options->command[0]);
	recording->launched = !status;
	if (recording->launched)
		capture_executed(recording->capture, recording->launch.pid);
	return status;
}

static int nothing_recorded(struct recording *recording, enum follow_end end)
{
	if (end == FOLLOW_FAILED)
		return STATUS_FAILED;
	if (end == FOLLOW_SIGNAL) {
		complain("ended before the recording began: nothing was recorded");
		return recording->launched ? 0 : STATUS_SIGNAL + recording->follow.signal;
	}
	complain("%s ended before the recording began: nothing was recorded",
		 recording->options->command ? "the command" : "the target");
	return recording->launched ? 0 : STATUS_FAILED;
}

/* Waits for `gapp-read ctl start`, and for --delay. FOLLOW_TIME: now the recording begins. */
static enum follow_end wait_for_begin(struct recording *recording)
{
	const struct options *options = recording->options;
	enum follow_end end = FOLLOW_ENOUGH;

	if (options->wait_for_ctl)
		end = follow_until(&recording->follow, 0);
	if (end != FOLLOW_ENOUGH)
		return end;
	return options->delay_ns ?
		       follow_until(&recording->follow, clock_ns() + options->delay_ns) :
		       FOLLOW_TIME;
}

/* Returns 0 when recording has begun and the command, if any, runs; else @status is set. */
static int begin(struct recording *recording, int *status)
{
	const struct options *options = recording->options;
	enum follow_end end;
	int result;

	if (begins_later(options)) {
		*status = launch(recording);
		if (*status)
			return -1;
		end = wait_for_begin(recording);
		if (end != FOLLOW_TIME) {
			*status = nothing_recorded(recording, end);
			return -1;
		}
	}

	capture_ready(recording->capture);
	result = device_start(&recording->device);
	if (result == DEVICE_GONE)
		*status = nothing_recorded(recording, FOLLOW_EXITED);
	else if (result)
		*status = STATUS_FAILED;
	if (result)
		return -1;
	capture_started(recording->capture);
	record_started(recording);
	*status = launch(recording);
	return *status ? -1 : 0;
}

static int take_data(void *context)
{
	struct recording *recording = context;

	return capture_drain(recording->capture, false);
}

static int begin_top(struct recording *recording)
{
	recording->follow.terminal = take_terminal;
	recording->top = top_new(recording->options, &recording->device, recording->capture,
				 &recording->tallies, &recording->nodes, &recording->follow);
	return recording->top ? 0 : -1;
}

/* Records until processes, time or a signal end it. CAPTURE_FAILED: there is nothing to report. */
static enum capture_state run(struct recording *recording)
{
	const struct options *options = recording->options;
	struct follow *follow = &recording->follow;
	enum follow_end end;
	u64 deadline = 0;

	if (options->duration_ns)
		deadline = clock_ns() + options->duration_ns;
	if (options->action == ACTION_TOP && begin_top(recording))
		return CAPTURE_FAILED;
	if (wants_progress(options) || options->kthreads || recording->top ||
	    recording->device.handovers || options->level == GAPP_LEVEL_STATS)
		follow->tick = each_tick;
	if (counter_watch_is_on(&recording->counters)) {
		follow->tick = each_counter_tick;
		follow->tick_ns = COUNTER_WATCH_NS;
	}
	if (recording->keep) {
		follow->tick = each_keep_tick;
		follow->tick_ns = keep_tick_ns(recording->keep);
	}
	if (options->level != GAPP_LEVEL_STATS) {
		follow->data = take_data;
		follow_watch(follow, WATCH_DATA, recording->device.fd);
	}
	if (options->action != ACTION_RECORD)
		follow_watch(follow, WATCH_OUTPUT, STDOUT_FILENO);
	end = follow_until(follow, deadline);
	follow_watch(follow, WATCH_DATA, -1);
	follow_watch(follow, WATCH_OUTPUT, -1);
	follow_watch(follow, WATCH_WAKEUP, -1);
	follow_watch(follow, WATCH_CTL, -1);
	follow->tick = NULL;
	erase_progress(recording);

	if (end == FOLLOW_FAILED || device_stop(&recording->device))
		return CAPTURE_FAILED;
	return capture_drain(recording->capture, true);
}

/* Complains if -x, --comm or --cgroup found nothing. Returns 0, or -1 with a complaint made. */
static int note_that_none_came(struct recording *recording)
{
	const struct options *options = recording->options;
	struct gapp_status status;

	if (!options->exe && !options->comm && !options->cgroup)
		return 0;
	if (device_status(&recording->device, &status))
		return -1;
	if (status.threads)
		return 0;
	if (options->exe)
		complain(NO_PROCESS_EXECUTED, options->exe);
	else
		complain("%s", NO_PROCESS_SELECTED);
	return 0;
}

/* The exit status; what has been recorded is reported even if it is not all. */
static int record_and_report(struct recording *recording)
{
	const struct options *options = recording->options;
	enum capture_state state;
	int status;

	if (begin(recording, &status))
		return status;
	state = run(recording);
	if (state == CAPTURE_FAILED)
		return STATUS_FAILED;
	if ((options->action != ACTION_RECORD || options->format != FORMAT_TEXT) &&
	    note_that_none_came(recording))
		return STATUS_FAILED;
	if (recording->top ?
		    top_end(recording->top) :
		    options->action != ACTION_SCRIPT && record_report(recording, clock_ns()))
		return STATUS_FAILED;
	return state == CAPTURE_FULL ? STATUS_FAILED : 0;
}

/* The command's exit status; a signal ends the waiting, not the command. */
static int wait_for_command(struct recording *recording)
{
	switch (follow_until(&recording->follow, 0)) {
	case FOLLOW_EXITED:
		return launch_wait(&recording->launch);
	case FOLLOW_SIGNAL:
		return STATUS_SIGNAL + recording->follow.signal;
	default:
		return STATUS_FAILED;
	}
}

/**
 * record() - records and reports
 * @options: what was asked for
 *
 * Return: exit status.
 */
int record(const struct options *options)
{
	_cleanup_(recording_free) struct recording recording = {
		.options = options,
		.device = { .fd = -1 },
		.launch = LAUNCH_NONE,
		.saving = SAVING_NONE,
	};
	int status, command_status;

	/* first: it may wait for the reader of a named pipe, and signals still end gapp-read */
	if (outputs_open(&recording.outputs, options) || set_up(&recording))
		return STATUS_FAILED;
	status = record_and_report(&recording);
	top_free(recording.top);
	recording.top = NULL;
	keep_free(recording.keep);
	recording.keep = NULL;
	ctl_server_free(recording.server);
	recording.server = NULL;
	follow_watch(&recording.follow, WATCH_WAKEUP, -1);
	capture_free(recording.capture);
	recording.capture = NULL;
	device_close(&recording.device);
	if (!recording.launched)
		return status;
	signals_hold();
	command_status = wait_for_command(&recording);
	return status ? status : command_status;
}
