// SPDX-License-Identifier: GPL-2.0
/* What `gapp-read ctl` tells a recording, and what it is answered. */
#include <stdarg.h>
#include <stdio.h>

#include "record_private.h"

#define MIB 0x100000

_attribute_(format(printf, 2, 3)) static void add(char *text, const char *format, ...)
{
	const size_t length = strlen(text);
	va_list args;

	va_start(args, format);
	vsnprintf(text + length, CTL_BYTES - 1 - length, format, args);
	va_end(args);
}

static double seconds_since(u64 time_ns)
{
	return (double)(clock_ns() - time_ns) / NSEC_PER_SEC;
}

static void add_kept(const struct recording *recording, char *text)
{
	const struct options *options = recording->options;
	const u32 dumps = keep_dumps(recording->keep);
	struct window_memory memory;

	capture_window_memory(recording->capture, &memory);
	add(text, "\nkeeps     the last %.1f s: %llu records, %.1f of at most %.1f MiB",
	    (double)options->keep_ns / NSEC_PER_SEC, (unsigned long long)memory.records,
	    (double)memory.bytes / MIB, (double)options->keep_bytes / MIB);
	add(text, "\ndumps     %u", dumps);
	if (recording->dumped)
		add(text, ", the last file %s, %.1f s ago", recording->dumped,
		    seconds_since(recording->dumped_ns));
	if (keep_is_asked(recording->keep))
		add(text, ", and one is being made");
	if (options->trigger.text)
		add(text, "\nwhen      %s", options->trigger.text);
}

/* A line for each thing; the names stand first, so that a script finds them. */
static void status(struct recording *recording, struct ctl_answer *answer)
{
	char text[CTL_BYTES] = "";
	struct gapp_status now;

	add(text, "process   %d", getpid());
	if (!recording->started_ns)
		add(text, "\nstate     waits for `gapp-read ctl start`");
	else
		add(text, "\nstate     records for %.1f s", seconds_since(recording->started_ns));
	if (recording->started_ns && !device_status(&recording->device, &now))
		add(text, "\nthreads   %u live, %u active", now.live, now.n);
	if (recording->keep)
		add_kept(recording, text);
	ctl_done(answer, "%s", text);
}

static int dump(struct recording *recording, struct ctl_answer *answer)
{
	if (!recording->keep) {
		ctl_refused(answer, "it keeps no last seconds: start it with --keep");
		return 0;
	}
	if (!recording->started_ns) {
		ctl_refused(answer, "it does not record yet: run gapp-read ctl start");
		return 0;
	}
	answer->later = true;
	return keep_ask(recording->keep, "gapp-read ctl dump");
}

static int start(struct recording *recording, struct ctl_answer *answer)
{
	if (recording->started_ns) {
		ctl_refused(answer, "it records already");
		return 0;
	}
	if (!recording->options->wait_for_ctl) {
		ctl_refused(answer, "it begins by itself, after --delay");
		return 0;
	}
	answer->later = true;
	/* the first one ends the wait; then --delay may follow */
	if (recording->start_asked)
		return 0;
	recording->start_asked = true;
	return 1;
}

/* A session of the module ends once, so nothing can be started again. */
static int stop(const struct recording *recording, struct ctl_answer *answer)
{
	if (!recording->started_ns) {
		ctl_refused(answer, "it does not record yet");
		return 0;
	}
	answer->later = true;
	return 1;
}

static int take(void *context, enum ctl_request request, struct ctl_answer *answer)
{
	struct recording *recording = context;

	switch (request) {
	case CTL_DUMP:
		return dump(recording, answer);
	case CTL_START:
		return start(recording, answer);
	case CTL_STOP:
		return stop(recording, answer);
	default:
		status(recording, answer);
		return 0;
	}
}

int record_listen(struct recording *recording)
{
	const struct options *options = recording->options;

	if (!options->keep_ns && !options->socket && !options->wait_for_ctl)
		return 0;
	recording->server = ctl_server_new(options->socket, take, recording);
	if (!recording->server)
		return -1;
	follow_watch(&recording->follow, WATCH_CTL, ctl_server_fd(recording->server));
	return 0;
}

void record_started(struct recording *recording)
{
	struct ctl_answer answer = { 0 };

	recording->started_ns = clock_ns();
	if (!recording->server)
		return;
	ctl_done(&answer, "it records");
	ctl_server_answer(recording->server, CTL_START, &answer);
}

void record_tell(struct recording *recording, const char *path, bool failed, bool ended)
{
	struct ctl_answer answer = { 0 };

	if (!recording->server)
		return;
	if (failed)
		ctl_refused(&answer,
			    "the figures could not be had: standard error of gapp-read says why");
	else if (path || recording->options->no_save)
		ctl_done(&answer, "%s", path ?: "");
	else
		ctl_refused(&answer,
			    "the file could not be written: standard error of gapp-read says why");
	ctl_server_answer(recording->server, CTL_DUMP, &answer);
	if (ended)
		ctl_server_answer(recording->server, CTL_STOP, &answer);
}

int record_told(void *context)
{
	struct recording *recording = context;

	return ctl_server_take(recording->server);
}
