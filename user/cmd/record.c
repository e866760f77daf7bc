// SPDX-License-Identifier: GPL-2.0
/* The command `record`: a session from its set-up to its report. */
#include "record.h"

#include <errno.h>
#include <sys/resource.h>

#include "capture.h"
#include "fetch.h"
#include "follow.h"
#include "launch.h"
#include "progress.h"
#include "report/report.h"
#include "targets.h"

/**
 * struct recording - what a recording holds
 * @options: what was asked for
 * @device: its session
 * @capture: its records
 * @progress: what is on the terminal
 * @follow: processes whose end ends it, and signals
 * @launch: the command, before and after its exec
 * @launched: the command has been executed
 * @signals: what the command gets back
 * @files: likewise
 */
struct recording {
	const struct options *options;
	struct device device;
	struct capture *capture;
	struct progress progress;
	struct follow follow;
	struct launch launch;
	bool launched;
	struct signals signals;
	struct rlimit files;
};

static void recording_free(struct recording *recording)
{
	launch_cancel(&recording->launch);
	follow_free(&recording->follow);
	capture_free(recording->capture);
	device_close(&recording->device);
}

static int take_news(void *context)
{
	struct recording *recording = context;

	return capture_news(recording->capture);
}

static int set_up(struct recording *recording)
{
	const struct options *options = recording->options;
	struct gapp_config config;
	int signal_fd;

	targets_config(options, &config);
	file_limit_raise(&recording->files);
	signal_fd = signals_take(&recording->signals);
	if (signal_fd < 0 || follow_init(&recording->follow, signal_fd))
		return -1;
	if (device_open(&recording->device) || device_configure(&recording->device, &config))
		return -1;
	recording->capture = capture_new(&recording->device, options);
	if (!recording->capture)
		return -1;
	recording->follow.context = recording;
	recording->follow.news = take_news;
	follow_news(&recording->follow, capture_news_fd(recording->capture));

	if (!options->command)
		return targets_add_all(options, &recording->device, &recording->follow,
				       recording->capture);
	if (launch_prepare(&recording->launch, options->command, &recording->signals,
			   &recording->files))
		return -1;
	if (!options->delay_ns)
		capture_launched(recording->capture, recording->launch.pid);
	return targets_add(options, &recording->device, &recording->follow, recording->capture,
			   recording->launch.pid);
}

/* Does nothing without a command, or once it has been executed. Returns an exit status or 0. */
static int launch(struct recording *recording)
{
	int status;

	if (!recording->options->command || recording->launched)
		return 0;
	status = launch_go(&recording->launch, recording->options->command[0]);
	recording->launched = !status;
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

/* Returns 0 when recording has begun and the command, if any, runs; else @status is set. */
static int begin(struct recording *recording, int *status)
{
	const struct options *options = recording->options;
	enum follow_end end;
	int result;

	if (options->delay_ns) {
		*status = launch(recording);
		if (*status)
			return -1;
		end = follow_until(&recording->follow, clock_ns() + options->delay_ns);
		if (end != FOLLOW_TIME) {
			*status = nothing_recorded(recording, end);
			return -1;
		}
	}

	capture_ready(recording->capture);
	result = device_start(&recording->device);
	if (result == DEVICE_GONE)
		*status = nothing_recorded(recording, FOLLOW_EXITED);
	else if (result || capture_started(recording->capture))
		*status = STATUS_FAILED;
	else
		*status = launch(recording);
	return result || *status ? -1 : 0;
}

static int flush_output(void)
{
	if (!fflush(stdout) && !ferror(stdout))
		return 0;
	if (errno == EPIPE)
		return 0;
	complain("cannot write the report: %s", strerror(errno));
	return -1;
}

static int print_report(const struct results *results, const struct options *options)
{
	errno = 0;
	if (options->format == FORMAT_JSON)
		report_json(stdout, results, options);
	else
		report_text(stdout, results, options);
	return flush_output();
}

/* A command that writes to the same terminal has it to itself. */
static bool wants_progress(const struct options *options)
{
	return !options->quiet && isatty(STDERR_FILENO) &&
	       !((options->command || options->script) && isatty(STDOUT_FILENO));
}

static int take_data(void *context)
{
	struct recording *recording = context;

	return capture_drain(recording->capture, false);
}

static void tick(void *context)
{
	struct recording *recording = context;

	progress_show(&recording->progress);
}

/* Until the end, whatever it is. -1 with a complaint made: there is nothing to report. */
static enum capture_state run(struct recording *recording)
{
	const struct options *options = recording->options;
	struct follow *follow = &recording->follow;
	enum follow_end end;
	u64 deadline = 0;

	if (options->duration_ns)
		deadline = clock_ns() + options->duration_ns;
	recording->progress.dev = &recording->device;
	recording->progress.records = options->level != GAPP_LEVEL_STATS;
	recording->progress.apart = options->all && !options->as_one;
	if (wants_progress(options))
		follow->tick = tick;
	if (options->level != GAPP_LEVEL_STATS) {
		follow->data = take_data;
		follow_data(follow, recording->device.fd);
	}
	if (options->script)
		follow_output(follow, STDOUT_FILENO);
	end = follow_until(follow, deadline);
	follow_data(follow, -1);
	follow_output(follow, -1);
	follow_news(follow, -1);
	follow->tick = NULL;
	progress_erase(&recording->progress);

	if (end == FOLLOW_FAILED || device_stop(&recording->device))
		return CAPTURE_FAILED;
	return capture_drain(recording->capture, true);
}

/* What the text report says in its first sentence. */
static int note_that_none_came(struct recording *recording)
{
	struct gapp_status status;

	if (!recording->options->exe)
		return 0;
	if (device_status(&recording->device, &status))
		return -1;
	if (!status.threads)
		complain(NO_PROCESS_EXECUTED, recording->options->exe);
	return 0;
}

/* What gapp-read itself has taken so far. */
static void take_own(struct own *own, u64 ended_ns)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	own->cpu_s = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec +
		     (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
	own->rss_kib = usage.ru_maxrss;
	own->report_s = (double)(clock_ns() - ended_ns) / NSEC_PER_SEC;
}

static int report(struct recording *recording, u64 ended_ns)
{
	_cleanup_results_ struct results results = { 0 };
	const volatile bool *cancelled;

	signals_cancel(&cancelled);
	if (fetch_results(&recording->device, &results) ||
	    capture_rank(recording->capture, cancelled, &results))
		return -1;
	take_own(&results.own, ended_ns);
	/* Names are found: a signal is about the command again, which may run still. */
	if (recording->launched)
		signals_hold();
	return print_report(&results, recording->options);
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
	if ((options->script || options->format != FORMAT_TEXT) && note_that_none_came(recording))
		return STATUS_FAILED;
	if (!options->script && report(recording, clock_ns()))
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
		.device = DEVICE_CLOSED,
		.launch = LAUNCH_NONE,
	};
	int status, command_status;

	if (set_up(&recording))
		return STATUS_FAILED;
	status = record_and_report(&recording);
	follow_news(&recording.follow, -1);
	capture_free(recording.capture);
	recording.capture = NULL;
	device_close(&recording.device);
	if (!recording.launched)
		return status;
	signals_hold();
	command_status = wait_for_command(&recording);
	return status ? status : command_status;
}
