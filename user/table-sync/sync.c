// SPDX-License-Identifier: GPL-2.0
#include "sync_int.h"

#include <errno.h>
#include <poll.h>
#include <time.h>

#include "input/proc_maps.h"

#define NSEC_PER_MSEC (NSEC_PER_SEC / 1000)
/*
 * Between two lessons of a process: this, or, after many without a long pause between them, what
 * keeps them below some per cent of a CPU.
 */
#define PAUSE_NS (5 * NSEC_PER_MSEC)
#define PAUSE_PER_COST 32
#define MANY 50
#define LONG_PAUSE_NS NSEC_PER_SEC
/* Likewise where the module asks, for what it misses may be what there is no telling. */
#define ASKED_PAUSE_NS (100 * NSEC_PER_MSEC)
/* Records must be taken in too. */
#define RUN_NS (20 * NSEC_PER_MSEC)
/* Programs that execute others faster than this are told of later. */
#define TRIES 3
/* How often it is looked who has exited. */
#define SWEEP_NS (10 * NSEC_PER_SEC)

struct teach *teach_new(struct device *dev, struct objects *objects, struct stale *stale,
			bool every_exec, bool verbose)
{
	struct teach *teach = calloc(1, sizeof(*teach));

	if (!teach)
		return NULL;
	teach->dev = dev;
	teach->stale = stale;
	teach->every_exec = every_exec;
	teach->verbose = verbose;
	teach->codes = codes_new(dev, objects, verbose);
	if (!teach->codes) {
		free(teach);
		return NULL;
	}
	teach->lesson.objects = objects;
	teach->lesson.codes = teach->codes;
	return teach;
}

void teach_free(struct teach *teach)
{
	if (!teach)
		return;
	for (size_t i = 0; i < PUPIL_BUCKETS; i++)
		while (teach->buckets[i])
			pupil_drop(teach, &teach->buckets[i]);
	lesson_free(&teach->lesson);
	codes_free(teach->codes);
	free(teach);
}

/* It is to be told of, not before @due_ns. */
static void mark(struct teach *teach, struct pupil *pupil, u64 due_ns)
{
	u64 due = due_ns > pupil->rests_ns ? due_ns : pupil->rests_ns;

	if (pupil->dirty && pupil->due_ns <= due)
		return;
	teach->dirty += !pupil->dirty;
	pupil->dirty = true;
	pupil->due_ns = due;
	if (!teach->due_ns || due < teach->due_ns)
		teach->due_ns = due;
}

static void mark_now(struct teach *teach, struct pupil *pupil)
{
	if (pupil)
		mark(teach, pupil, clock_ns());
}

static void attach_child(void *context, pid_t pid)
{
	struct teach *teach = context;

	/* one that is known has been seen, and its children too */
	if (teach->count < PUPILS_MAX && !pupil_find(teach, pid))
		teach_attach(teach, pid, true);
}

void teach_attach(struct teach *teach, pid_t pid, bool children)
{
	pid_t process = proc_process_of(pid);

	mark_now(teach, pupil_get(teach, process));
	if (children)
		proc_children(process, attach_child, teach);
}

/* The module gives it its parent's mappings. */
static void fork_pupil(struct teach *teach, pid_t pid, pid_t parent, u64 time_ns)
{
	struct pupil *child, *from;
	bool dirty;

	if (!pupil_find(teach, parent) || pid == parent)
		return;
	pupil_forget(teach, pid);
	child = pupil_get(teach, pid);
	from = pupil_find(teach, parent);
	if (!child || !from)
		return;
	dirty = code_uses_copy(&child->uses, &from->uses, teach->codes) || from->dirty;
	child->begin_ns = time_ns;
	child->end_ns = time_ns;
	if (time_ns < from->end_ns) {
		/* so late is this heard that the parent has been told of again */
		told_free(&child->uses.told);
		told_copy(&child->uses.told, &from->before);
		child->uses.told.anything |= time_ns < from->before_ns;
		dirty = true;
	}
	dirty |= stale_fork(teach->stale, pid, parent, time_ns);
	if (dirty)
		mark_now(teach, child);
}

/* Of what was there before, the module does not know that it has gone until it is told of this. */
static void map_pupil(struct teach *teach, struct pupil *pupil, const struct sideband_event *event)
{
	if (!pupil)
		return;
	if (event->time_ns < pupil->end_ns &&
	    (event->time_ns < pupil->before_ns || told_otherwise(&pupil->before, event)))
		stale_add(teach->stale, pupil->pid, event->start, event->length, event->time_ns,
			  pupil->end_ns);
	if (event->time_ns >= pupil->begin_ns && told_otherwise(&pupil->uses.told, event))
		stale_add(teach->stale, pupil->pid, event->start, event->length, event->time_ns,
			  STALE_OPEN);
	mark_now(teach, pupil);
}

/* The module drops what it was told of the program before. */
static void exec_pupil(struct teach *teach, const struct sideband_event *event)
{
	struct pupil *pupil = teach->every_exec ? pupil_get(teach, event->pid) :
						  pupil_find(teach, event->pid);

	stale_told(teach->stale, event->pid, event->time_ns, event->time_ns);
	if (pupil && event->time_ns >= pupil->end_ns)
		told_free(&pupil->uses.told);
	mark_now(teach, pupil);
}

/* Where only the first thread has exited, the others go on with what the module was told. */
static void exit_pupil(struct teach *teach, const struct sideband_event *event)
{
	struct pupil *pupil = pupil_find(teach, event->pid);

	if (pupil && proc_other_thread(event->pid)) {
		mark_now(teach, pupil);
		return;
	}
	stale_told(teach->stale, event->pid, event->time_ns, event->time_ns);
	pupil_forget(teach, event->pid);
}

void teach_event(struct teach *teach, const struct sideband_event *event)
{
	switch (event->kind) {
	case SIDEBAND_MMAP:
		map_pupil(teach, pupil_find(teach, event->pid), event);
		break;
	case SIDEBAND_EXEC:
		exec_pupil(teach, event);
		break;
	case SIDEBAND_FORK:
		fork_pupil(teach, event->pid, event->parent, event->time_ns);
		break;
	case SIDEBAND_EXIT:
		exit_pupil(teach, event);
		break;
	case SIDEBAND_LOST:
		teach_missed(teach);
		break;
	}
}

void teach_missed(struct teach *teach)
{
	u64 now = clock_ns();

	for (size_t i = 0; i < PUPIL_BUCKETS; i++)
		for (struct pupil *pupil = teach->buckets[i]; pupil; pupil = pupil->next)
			mark(teach, pupil, now);
}

void teach_needmap(struct teach *teach, const struct gapp_record_need_mapping *record)
{
	struct pupil *pupil = pupil_get(teach, record->tgid);
	u64 now = clock_ns();

	teach->figures.needmaps++;
	if (pupil)
		mark(teach, pupil, pupil->asked_ns > now ? pupil->asked_ns : now);
}

/* Returns 0 or an error number. */
static int tell(struct teach *teach, struct pupil *pupil)
{
	struct lesson *lesson = &teach->lesson;
	u64 begin_ns = clock_ns();
	u32 image;

	if (device_image(teach->dev, pupil->pid, &image) || lesson_read(lesson, pupil->pid) ||
	    device_set_maps(teach->dev, pupil->pid, image, lesson->maps, lesson->count))
		return errno;
	teach->figures.pushes++;
	pupil->before_ns = pupil->begin_ns;
	pupil->begin_ns = begin_ns;
	pupil->end_ns = clock_ns();
	stale_told(teach->stale, pupil->pid, begin_ns, pupil->end_ns);
	told_free(&pupil->before);
	pupil->before = pupil->uses.told;
	pupil->uses.told = (struct told){ 0 };
	code_uses_free(&pupil->uses, teach->codes);
	pupil->uses = lesson->uses;
	lesson->uses = (struct code_uses){ 0 };
	return 0;
}

static void complain_once(struct teach *teach, const struct pupil *pupil, int error)
{
	if (teach->verbose && !teach->complained)
		complain("the module cannot be told what process %d maps: %s", pupil->pid,
			 strerror(error));
	teach->complained = true;
}

static void rest(struct pupil *pupil, u64 begin, u64 end)
{
	u64 pause = PAUSE_NS;

	pupil->lessons = begin - pupil->taught_ns < LONG_PAUSE_NS ? pupil->lessons + 1 : 0;
	if (pupil->lessons > MANY && PAUSE_PER_COST * (end - begin) > pause)
		pause = PAUSE_PER_COST * (end - begin);
	pupil->taught_ns = end;
	pupil->rests_ns = end + pause;
	pupil->asked_ns = end + ASKED_PAUSE_NS;
}

/* May forget it. */
static void teach_pupil(struct teach *teach, struct pupil *pupil)
{
	u64 begin = clock_ns(), end;
	int error = ESTALE;

	pupil->dirty = false;
	teach->dirty--;
	for (unsigned int i = 0; i < TRIES && error == ESTALE; i++) {
		error = tell(teach, pupil);
		teach->figures.stale += error == ESTALE;
	}
	end = clock_ns();
	rest(pupil, begin, end);
	teach->figures.push_ns += end - begin;

	switch (error) {
	case 0:
		break;
	case ESTALE:
		mark_now(teach, pupil);
		break;
	case ESRCH:
		stale_told(teach->stale, pupil->pid, end, end);
		pupil_forget(teach, pupil->pid);
		break;
	case ENOTTY:
		complain("the loaded module takes no unwind tables: many paths will be cut");
		teach->off = true;
		break;
	default:
		/* the module asks when it misses something */
		complain_once(teach, pupil, error);
	}
}

/* Whoever maps what has a table now, or turned out to have none. */
static void mark_users(struct teach *teach, u64 now)
{
	for (size_t i = 0; i < PUPIL_BUCKETS; i++) {
		for (struct pupil *pupil = teach->buckets[i]; pupil; pupil = pupil->next) {
			u32 at = 0;

			while (at < pupil->uses.count && !pupil->uses.codes[at]->fresh)
				at++;
			if (at < pupil->uses.count)
				mark(teach, pupil, now);
		}
	}
	codes_taken(teach->codes);
}

/* True when it took too long to see to all. */
static bool teach_bucket(struct teach *teach, size_t bucket, u64 begin)
{
	struct pupil *pupil = teach->buckets[bucket], *next;

	for (; pupil && teach->dirty && !teach->off; pupil = next) {
		next = pupil->next;
		if (pupil->dirty && pupil->due_ns <= begin)
			teach_pupil(teach, pupil);
		if (clock_ns() - begin > RUN_NS)
			return true;
	}
	return false;
}

static void find_due(struct teach *teach)
{
	teach->due_ns = 0;
	for (size_t i = 0; i < PUPIL_BUCKETS && teach->dirty && !teach->off; i++)
		for (struct pupil *pupil = teach->buckets[i]; pupil; pupil = pupil->next)
			if (pupil->dirty && (!teach->due_ns || pupil->due_ns < teach->due_ns))
				teach->due_ns = pupil->due_ns;
}

static void teach_all_due(struct teach *teach, u64 now)
{
	if (!teach->dirty || teach->due_ns > now)
		return;
	for (size_t i = 0; i < PUPIL_BUCKETS; i++) {
		teach->hand = (teach->hand + 1) % PUPIL_BUCKETS;
		if (teach_bucket(teach, teach->hand, now))
			break;
	}
	find_due(teach);
}

void teach_run(struct teach *teach)
{
	u64 now = clock_ns();

	if (now - teach->swept_ns >= SWEEP_NS)
		pupils_sweep(teach, now);
	if (codes_take(teach->codes))
		mark_users(teach, now);
	if (teach->off)
		return;
	teach_all_due(teach, now);
	/* afterwards, for files are opened */
	if (codes_feed(teach->codes))
		mark_users(teach, now);
}

void teach_settle(struct teach *teach, u64 deadline_ns)
{
	struct pollfd ready = { .fd = codes_fd(teach->codes), .events = POLLIN };

	for (;;) {
		u64 now, until = deadline_ns, left;
		struct timespec time;

		teach_run(teach);
		now = clock_ns();
		if (teach->off || now >= deadline_ns ||
		    (!teach->dirty && !codes_busy(teach->codes)))
			return;
		if (teach->due_ns && teach->due_ns < until)
			until = teach->due_ns;
		left = until > now ? until - now : 0;
		time = (struct timespec){ left / NSEC_PER_SEC, left % NSEC_PER_SEC };
		ppoll(&ready, 1, &time, NULL);
	}
}

u64 teach_due(const struct teach *teach)
{
	return teach->off || !teach->dirty ? 0 : teach->due_ns;
}

int teach_fd(const struct teach *teach)
{
	return codes_fd(teach->codes);
}

void teach_get_figures(const struct teach *teach, struct teach_figures *figures)
{
	*figures = teach->figures;
	figures->on = !teach->off && teach->figures.pushes;
	figures->code = *codes_figures(teach->codes);
}
