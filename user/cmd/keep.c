// SPDX-License-Identifier: GPL-2.0
#include "keep.h"

#include "fetch.h"
#include "window/window_figures.h"

/* A slice that goes on has a record after that time, if samples are taken: the module's rule. */
#define PART_NS NSEC_PER_SEC
/* Records are read when they are so old, and a little later: see capture.c. */
#define READ_NS (NSEC_PER_SEC / 5)

/* Moments whose figures are there: those of the window, and those that pass until a dump is due. */
#define MOMENTS (KEEP_STEPS + 16)

/**
 * struct moment - the module's figures at one time
 * @time_ns: CLOCK_MONOTONIC; 0: the begin of the session, where all figures are zero
 * @skew_ns: in how much time they were read
 * @figures: figures so far
 */
struct moment {
	u64 time_ns;
	u64 skew_ns;
	struct results figures;
};

/**
 * struct keep - the flight recorder
 * @options: what was asked for
 * @dev: the session
 * @capture: its records
 * @moments: figures, the oldest first
 * @count: elements of @moments that are set
 * @step_ns: from one of them to the next
 * @next_ns: when the next figures are to be read
 * @looks: at the condition
 * @look_ns: when the condition is to be looked at next
 * @triggered_ns: when the condition asked for a dump, which waits until it fails; 0: it did not
 * @last_triggered_ns: when it did so last; 0: never
 * @triggered: dumps that it asked for
 * @asked: a dump was asked for
 * @cause: by whom
 * @end: figures at that time
 * @due_ns: when the dump can be made, because records up to then are read
 * @dumps: dumps that were made
 * @full_told: it has been said that memory is too small
 */
struct keep {
	const struct options *options;
	struct device *dev;
	struct capture *capture;
	struct moment moments[MOMENTS];
	size_t count;
	u64 step_ns;
	u64 next_ns;
	struct trigger_state looks;
	u64 look_ns;
	u64 triggered_ns;
	u64 last_triggered_ns;
	u32 triggered;
	bool asked;
	const char *cause;
	struct moment end;
	u64 due_ns;
	u32 dumps;
	bool full_told;
};

struct keep *keep_new(const struct options *options, struct device *dev, struct capture *capture)
{
	struct keep *keep = calloc(1, sizeof(*keep));

	if (!keep) {
		out_of_memory();
		return NULL;
	}
	*keep = (struct keep){
		.options = options,
		.dev = dev,
		.capture = capture,
		.count = 1,
		.step_ns = options->keep_ns / KEEP_STEPS,
		.looks = { .trigger = &options->trigger },
	};
	if (keep->step_ns < KEEP_STEP_LEAST_NS)
		keep->step_ns = KEEP_STEP_LEAST_NS;
	return keep;
}

void keep_free(struct keep *keep)
{
	if (!keep)
		return;
	for (size_t i = 0; i < keep->count; i++)
		results_free(&keep->moments[i].figures);
	results_free(&keep->end.figures);
	free(keep);
}

u64 keep_tick_ns(const struct keep *keep)
{
	const u64 look_ns = keep->options->trigger.text ? trigger_step_ns(&keep->options->trigger) :
							  UINT64_MAX;

	return look_ns < KEEP_STEP_LEAST_NS ? look_ns : KEEP_STEP_LEAST_NS;
}

/* Reads the figures so far. Returns 0, or -1 with a complaint made. */
static int read_figures(struct keep *keep, struct moment *moment)
{
	const struct gapp_status *status = &moment->figures.model.status;
	struct gapp_status after;

	*moment = (struct moment){ 0 };
	if (fetch_results(keep->dev, &moment->figures) || device_status(keep->dev, &after)) {
		results_free(&moment->figures);
		*moment = (struct moment){ 0 };
		return -1;
	}
	window_complete(&moment->figures);
	moment->time_ns = status->start_ns + status->wall_ns;
	moment->skew_ns = after.wall_ns - status->wall_ns;
	return 0;
}

static void drop_moment(struct keep *keep)
{
	results_free(&keep->moments[0].figures);
	keep->count--;
	memmove(keep->moments, keep->moments + 1, keep->count * sizeof(*keep->moments));
}

/* Forgets every second moment but the first and the last ones: windows begin at the first. */
static void thin_moments(struct keep *keep)
{
	size_t kept = 1;

	for (size_t i = 1; i < keep->count; i++) {
		if (i % 2 && i + 1 < keep->count)
			results_free(&keep->moments[i].figures);
		else
			keep->moments[kept++] = keep->moments[i];
	}
	keep->count = kept;
}

/*
 * Where memory has room for less than --keep asks for, windows are shorter, and begin at moments
 * that are nearer to one another: else none would be young enough to have all its records. Returns
 * up to when records were dropped, CLOCK_MONOTONIC.
 */
static u64 fit_steps(struct keep *keep, u64 now)
{
	const u64 most_ns = keep->options->keep_ns / KEEP_STEPS;
	struct window_memory memory;
	u64 step_ns = most_ns;

	capture_window_memory(keep->capture, &memory);
	if (memory.dropped_ns && memory.dropped_ns < now)
		step_ns = (now - memory.dropped_ns) / KEEP_STEPS;
	if (step_ns > most_ns)
		step_ns = most_ns;
	if (step_ns < KEEP_STEP_LEAST_NS)
		step_ns = KEEP_STEP_LEAST_NS;
	if (keep->next_ns > now + step_ns)
		keep->next_ns = now + step_ns;
	keep->step_ns = step_ns;
	return memory.dropped_ns;
}

/*
 * Reads the figures for windows that will begin now, and forgets what is before every window to
 * come: those before the last moment that is as old as --keep asks for, or before the records.
 */
static int note_moment(struct keep *keep, u64 now, u64 dropped_ns)
{
	struct moment moment;

	keep->next_ns = now + keep->step_ns;
	if (read_figures(keep, &moment))
		return -1;
	/* with a command session time begins later */
	if (!moment.figures.model.status.wall_ns) {
		results_free(&moment.figures);
		return 0;
	}
	/* a dump that was asked for may need the oldest ones */
	while (keep->count > 1 && !keep->asked &&
	       (keep->moments[1].time_ns + keep->options->keep_ns <= moment.time_ns ||
		keep->moments[1].time_ns <= dropped_ns))
		drop_moment(keep);
	if (keep->count == MOMENTS)
		thin_moments(keep);
	keep->moments[keep->count++] = moment;
	return capture_window_drop(keep->capture, keep->moments[0].time_ns);
}

/* When all that happened before @time_ns is in records that were read. */
static u64 records_by(const struct keep *keep, u64 time_ns)
{
	/* samples, of which a slice has a record sooner, end where many threads run */
	return time_ns + (keep->options->rate_hz ? PART_NS : 0) + READ_NS;
}

int keep_ask(struct keep *keep, const char *cause)
{
	if (keep->asked)
		return 0;
	if (read_figures(keep, &keep->end))
		return -1;
	keep->asked = true;
	keep->cause = cause;
	keep->due_ns = records_by(keep, clock_ns());
	return 0;
}

bool keep_is_asked(const struct keep *keep)
{
	return keep->asked;
}

/*
 * The dump that a condition asks for ends when the condition fails again, so that it has the whole
 * of what was wrong, or half of --keep later, so that it has how it began.
 */
static int look_at_condition(struct keep *keep, u64 now)
{
	const u64 keep_ns = keep->options->keep_ns;
	const bool allowed = keep->triggered < KEEP_TRIGGERED_MAX && !keep->asked &&
			     (!keep->last_triggered_ns || now >= keep->last_triggered_ns + keep_ns);
	struct gapp_status status;

	keep->look_ns = now + trigger_step_ns(&keep->options->trigger);
	if (device_status(keep->dev, &status))
		return -1;
	if (trigger_look(&keep->looks, &status, allowed)) {
		keep->triggered_ns = now;
		keep->last_triggered_ns = now;
		keep->triggered++;
	}
	/* a dump that something else asked for comes first */
	if (!keep->triggered_ns || keep->asked ||
	    (trigger_holds(&keep->looks) && now < keep->triggered_ns + keep_ns / 2))
		return 0;
	keep->triggered_ns = 0;
	if (keep->triggered == KEEP_TRIGGERED_MAX)
		complain("--when '%s': %u dumps are enough: it asks for no more",
			 keep->options->trigger.text, KEEP_TRIGGERED_MAX);
	return keep_ask(keep, keep->options->trigger.text);
}

int keep_tick(struct keep *keep)
{
	const u64 now = clock_ns();
	u64 dropped_ns;

	if (keep->options->trigger.text && now >= keep->look_ns && look_at_condition(keep, now))
		return -1;
	dropped_ns = fit_steps(keep, now);
	if (now >= keep->next_ns && note_moment(keep, now, dropped_ns))
		return -1;
	return keep->asked && now >= keep->due_ns;
}

/*
 * The figures at the begin of a window that ends at @end_ns: the last ones that are as old as
 * --keep asks for, or the first ones since which all records are there.
 */
static const struct moment *find_begin(struct keep *keep, u64 end_ns, bool *full)
{
	struct window_memory memory;
	size_t begin = 0;

	capture_window_memory(keep->capture, &memory);
	while (begin + 1 < keep->count &&
	       keep->moments[begin + 1].time_ns + keep->options->keep_ns <= end_ns)
		begin++;
	*full = memory.dropped_ns && memory.dropped_ns >= keep->moments[begin].time_ns;
	while (*full && begin + 1 < keep->count &&
	       keep->moments[begin].time_ns <= memory.dropped_ns &&
	       keep->moments[begin + 1].time_ns < end_ns)
		begin++;
	*full |= memory.dropped_ns && keep->moments[begin].time_ns &&
		 keep->moments[begin].time_ns + keep->options->keep_ns > end_ns;
	return &keep->moments[begin];
}

static void tell_full(struct keep *keep, u64 span_ns)
{
	if (keep->full_told)
		return;
	keep->full_told = true;
	complain(
		"--keep: %llu MiB have room for the records of the last %.1f s only: give more, as in --keep %.0fs,%lluM",
		(unsigned long long)keep->options->keep_bytes >> 20, (double)span_ns / NSEC_PER_SEC,
		(double)keep->options->keep_ns / NSEC_PER_SEC,
		(unsigned long long)keep->options->keep_bytes >> 18);
}

int keep_window(struct keep *keep, bool ended, struct results *results)
{
	const struct moment *begin;
	struct window_span span;
	u64 begin_wall_ns;

	if (ended) {
		results_free(&keep->end.figures);
		if (read_figures(keep, &keep->end))
			return -1;
	}
	*results = keep->end.figures;
	keep->end.figures = (struct results){ 0 };
	begin = find_begin(keep, keep->end.time_ns, &results->window.full);
	begin_wall_ns = begin->figures.model.status.wall_ns;
	results->window.begin_ns = begin_wall_ns;
	results->window.end_ns = results->model.status.wall_ns;
	results->window.skew_ns = begin->skew_ns + keep->end.skew_ns;
	results->window.number = ended ? 0 : ++keep->dumps;
	results->window.cause = ended ? NULL : keep->cause;
	span.begin_ns = begin->time_ns;
	span.end_ns = ended ? UINT64_MAX : keep->end.time_ns;
	keep->asked = false;
	if (results->window.full)
		tell_full(keep, results->window.end_ns - begin_wall_ns);
	if (window_figures(results, &begin->figures))
		return out_of_memory();
	return capture_window(keep->capture, &span);
}

u32 keep_dumps(const struct keep *keep)
{
	return keep->dumps;
}
