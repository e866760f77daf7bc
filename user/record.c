// SPDX-License-Identifier: GPL-2.0
/* The command `record`: a session from its set-up to its report. */
#include "record.h"

#include <errno.h>

#include "fetch.h"
#include "follow.h"
#include "launch.h"
#include "progress.h"
#include "report.h"

/**
 * struct recording - what a recording holds
 * @options: what was asked for
 * @device: its session
 * @follow: processes whose end ends it, and signals
 * @launch: the command, before and after its exec
 * @launched: the command has been executed
 * @signals: what the command gets back
 */
struct recording {
	const struct options *options;
	struct device device;
	struct follow follow;
	struct launch launch;
	bool launched;
	struct signals signals;
};

static void recording_free(struct recording *recording)
{
	launch_cancel(&recording->launch);
	follow_free(&recording->follow);
	device_close(&recording->device);
}

static int add_target(struct recording *recording, pid_t pid)
{
	u32 flags = recording->options->no_inherit ? GAPP_TARGET_NO_INHERIT : 0;

	/* In this order a pid that is reused in between ends the recording at once. */
	if (follow_add(&recording->follow, pid))
		return -1;
	return device_add_target(&recording->device, pid, flags);
}

static int set_up(struct recording *recording)
{
	const struct options *options = recording->options;
	struct gapp_config config = {
		.abi_major = GAPP_ABI_MAJOR,
		.n_min_mode = options->n_min_mode,
		.n_min = options->n_min,
		.max_threads = options->max_threads,
		.max_exited = GAPP_EXITED_DEFAULT,
	};
	int signal_fd;

	signal_fd = signals_take(&recording->signals);
	if (signal_fd < 0 || follow_init(&recording->follow, signal_fd))
		return -1;
	if (device_open(&recording->device) || device_configure(&recording->device, &config))
		return -1;

	if (options->command) {
		if (launch_prepare(&recording->launch, options->command, &recording->signals))
			return -1;
		return add_target(recording, recording->launch.pid);
	}
	for (size_t i = 0; i < options->pid_count; i++)
		if (add_target(recording, options->pids[i]))
			return -1;
	return 0;
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

	result = device_start(&recording->device);
	if (result == DEVICE_GONE)
		*status = nothing_recorded(recording, FOLLOW_EXITED);
	else
		*status = result ? STATUS_FAILED : launch(recording);
	return result || *status ? -1 : 0;
}

static int print_report(const struct model *model, const struct options *options)
{
	errno = 0;
	if (options->format == FORMAT_JSON)
		report_json(stdout, model, options);
	else
		report_text(stdout, model, options);
	if (!fflush(stdout) && !ferror(stdout))
		return 0;
	if (errno == EPIPE)
		return 0;
	complain("cannot write the report: %s", strerror(errno));
	return -1;
}

/* A command that writes to the same terminal has it to itself. */
static bool wants_progress(const struct options *options)
{
	return !options->quiet && isatty(STDERR_FILENO) &&
	       !(options->command && isatty(STDOUT_FILENO));
}

static int record_and_report(struct recording *recording)
{
	_cleanup_model_ struct model model = { 0 };
	const struct options *options = recording->options;
	struct progress progress = { .dev = &recording->device };
	enum follow_end end;
	u64 deadline = 0;
	int status;

	if (begin(recording, &status))
		return status;

	if (options->duration_ns)
		deadline = clock_ns() + options->duration_ns;
	if (wants_progress(options)) {
		recording->follow.tick = progress_show;
		recording->follow.context = &progress;
	}
	end = follow_until(&recording->follow, deadline);
	recording->follow.tick = NULL;
	progress_erase(&progress);

	if (end == FOLLOW_FAILED || device_stop(&recording->device) ||
	    fetch_model(&recording->device, &model))
		return STATUS_FAILED;
	return print_report(&model, options) ? STATUS_FAILED : 0;
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
	device_close(&recording.device);
	if (!recording.launched)
		return status;
	command_status = wait_for_command(&recording);
	return status ? status : command_status;
}
