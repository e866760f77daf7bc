// SPDX-License-Identifier: GPL-2.0
/* What a session has counted, as the ABI and /proc show it. Process context. */
#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/pid_namespace.h>

#include "control.h"
#include "core/handovers.h"

/* Sums the integrals of all targets; sets n and N_min only if the session has one target. */
static void put_integrals(struct gapp_thread_table *threads, struct gapp_status *status)
{
	u32 targets = gapp_target_count(threads), i;
	struct gapp_target_sums sums;

	for (i = 0; i < targets; i++) {
		cond_resched();
		gapp_target_read(threads, threads->targets[i], &sums);
		status->idle_ns += sums.idle;
		status->g += sums.at.g;
		status->c += sums.at.c;
		status->s += sums.at.s;
		status->wall_ns = max(status->wall_ns, sums.at.t);
		if (!threads->settings->per_process) {
			status->n = sums.at.n;
			status->n_min = sums.at.n_min;
			status->n_min_most = sums.n_min_most;
			status->n_min_least = sums.n_min_least;
			status->n_min_most_ns = sums.n_min_most_ns;
		}
	}
	status->start_ns = READ_ONCE(threads->start_ns);
}

static u32 count_up_to_u32(u64 count)
{
	return min_t(u64, count, U32_MAX);
}

static u64 all_not_followed(const struct gapp_thread_table *threads)
{
	u64 sum = 0;
	u32 cause;

	for (cause = 0; cause < GAPP_NOT_FOLLOWED_CAUSES; cause++)
		sum += READ_ONCE(threads->not_followed[cause]);
	return sum;
}

static void put_table(struct gapp_thread_table *threads, struct gapp_status *status)
{
	unsigned long flags;

	gapp_table_lock(threads, &flags);
	status->live = threads->live;
	status->peak = threads->live_peak;
	status->threads = threads->followed;
	status->not_followed = all_not_followed(threads);
	status->not_followed_denied =
		count_up_to_u32(threads->not_followed[GAPP_NOT_FOLLOWED_DENIED]);
	status->not_followed_late = count_up_to_u32(threads->not_followed[GAPP_NOT_FOLLOWED_LATE]);
	gapp_table_unlock(threads, flags);
}

static void put_threads(struct gapp_thread_table *threads, struct gapp_status *status)
{
	struct gapp_thread *thread;
	u32 slot;

	mutex_lock(&threads->slots_mutex);
	status->processes = threads->process_count;
	status->unexpected = threads->unexpected_reaped;
	for (slot = 0; slot < gapp_slot_count(threads); slot++) {
		cond_resched();
		thread = gapp_slot(threads, slot);
		if (gapp_thread_use(thread) != GAPP_USE_FREE)
			status->unexpected += READ_ONCE(thread->core.unexpected);
	}
	mutex_unlock(&threads->slots_mutex);
}

/* A session's state at one instant. Fills in the whole of @status. */
void gapp_session_status(struct gapp_session *session, struct gapp_status *status)
{
	*status = session->recount;
	status->id = session->id;
	status->state = session->state;
	status->cpus = num_online_cpus();
	status->tick_ns = TICK_NSEC;
	if (session->settings.restricted)
		status->flags |= GAPP_STATUS_RESTRICTED;
	if (session->state != GAPP_SESSION_NEW) {
		put_integrals(&session->threads, status);
		put_table(&session->threads, status);
		put_threads(&session->threads, status);
		status->marks_left_out = gapp_cpus_marks_left_out(session);
	}
}

/* Sums the counters of slices, samples and call paths; all zero before CONFIGURE. */
void gapp_session_counters(struct gapp_session *session, struct gapp_counters *counters)
{
	const struct gapp_buffers *buffers = session->buffers;
	u32 i;

	memset(counters, 0, sizeof(*counters));
	if (session->state != GAPP_SESSION_NEW) {
		gapp_cpus_counters(session, counters);
		counters->lost[GAPP_LOST_THREADS] = all_not_followed(&session->threads);
		for (i = 0; i < gapp_target_count(&session->threads); i++) {
			counters->critical_runq += session->threads.targets[i]->critical_runq;
			cond_resched();
		}
	}
	if (buffers) {
		counters->paths = READ_ONCE(buffers->table.used);
		counters->path_words = READ_ONCE(buffers->table.word_next) - 1;
		counters->lost[GAPP_LOST_PATHS] = READ_ONCE(buffers->table.refused);
	}
	counters->tables = session->spaces.table_count;
	counters->table_bytes = session->spaces.table_bytes;
	counters->spaces = READ_ONCE(session->spaces.count);
	if (session->settings.kernel_paths)
		counters->flags |= GAPP_COUNTERS_KERNEL_PATHS;
}

/* After so many tries figures are shown without events that are posted. */
#define TRIES_WITHOUT_POSTS 100

/*
 * Fills in @figures, or @waits if @figures is NULL. False: the thread's figures at one moment
 * cannot be had, now.
 */
static bool read_thread(struct gapp_thread *thread, bool behind,
			struct gapp_thread_figures *figures, struct gapp_thread_waits *waits,
			struct pid **tid)
{
	unsigned long flags;
	struct gapp_at at;
	bool done;

	gapp_lock_irqsave(thread, flags);
	done = behind ? gapp_acc_read_behind(&thread->target->acc, &at) :
			gapp_acc_read(&thread->target->acc, &at);
	if (done) {
		if (figures)
			gapp_thread_fill_figures(thread, &at, figures);
		else
			gapp_waits_figures(gapp_thread_waits(thread), &thread->core, &at, waits);
		*tid = gapp_thread_tid(thread);
	}
	gapp_unlock_irqrestore(thread, flags);
	return done;
}

/*
 * As read_thread(), at some moment. Under slots_mutex. Returns the thread's id; NULL: no thread has
 * the slot.
 */
static struct pid *read_slot(struct gapp_thread_table *threads, struct gapp_thread *thread,
			     struct gapp_thread_figures *figures, struct gapp_thread_waits *waits)
{
	unsigned int tries = 0;
	struct pid *tid;

	/* A thread in use stays so: only a holder of slots_mutex frees it. */
	if (gapp_thread_use(thread) == GAPP_USE_FREE)
		return NULL;
	while (!read_thread(thread, tries > TRIES_WITHOUT_POSTS, figures, waits, &tid)) {
		gapp_posts_wait(&threads->posts);
		tries++;
	}
	return tid;
}

/* Under slots_mutex. False if no thread has the slot. */
bool gapp_figures_slot(struct gapp_thread_table *threads, u32 slot, struct pid_namespace *ns,
		       struct gapp_thread_figures *figures)
{
	struct gapp_thread *thread = gapp_slot(threads, slot);
	struct pid *tid = read_slot(threads, thread, figures, NULL);

	if (!tid)
		return false;
	figures->tid = pid_nr_ns(tid, ns);
	figures->tgid = pid_nr_ns(thread->tgid, ns);
	return true;
}

/* As gapp_figures_slot(), of a session with GAPP_CONFIG_WAITS. */
static bool waits_slot(struct gapp_thread_table *threads, u32 slot, struct pid_namespace *ns,
		       struct gapp_thread_waits *waits)
{
	struct gapp_thread *thread = gapp_slot(threads, slot);
	struct pid *tid = read_slot(threads, thread, NULL, waits);

	if (!tid)
		return false;
	waits->tid = pid_nr_ns(tid, ns);
	waits->tgid = pid_nr_ns(thread->tgid, ns);
	return true;
}

/**
 * gapp_figures_threads() - the figures of the next threads
 * @session: the session
 * @cursor: where to begin; moved to where the next call begins
 * @rows: filled in, ids as the opener sees them
 * @capacity: elements of @rows
 *
 * Return: elements filled in; 0 at the end.
 */
u32 gapp_figures_threads(struct gapp_session *session, u64 *cursor,
			 struct gapp_thread_figures *rows, u32 capacity)
{
	struct gapp_thread_table *threads = &session->threads;
	u32 count = 0, slot, slots;

	mutex_lock(&threads->slots_mutex);
	slots = gapp_slot_count(threads);
	for (slot = min_t(u64, *cursor, slots); slot < slots && count < capacity; slot++)
		if (gapp_figures_slot(threads, array_index_nospec(slot, slots),
				      session->settings.ns, &rows[count]))
			count++;
	*cursor = slot;
	mutex_unlock(&threads->slots_mutex);
	return count;
}

/* As gapp_figures_threads(), for what threads waited for. */
u32 gapp_figures_waits(struct gapp_session *session, u64 *cursor, struct gapp_thread_waits *rows,
		       u32 capacity)
{
	struct gapp_thread_table *threads = &session->threads;
	u32 count = 0, slot, slots;

	if (!session->settings.waits)
		return 0;
	mutex_lock(&threads->slots_mutex);
	slots = gapp_slot_count(threads);
	for (slot = min_t(u64, *cursor, slots); slot < slots && count < capacity; slot++)
		if (waits_slot(threads, array_index_nospec(slot, slots), session->settings.ns,
			       &rows[count]))
			count++;
	*cursor = slot;
	mutex_unlock(&threads->slots_mutex);
	return count;
}

/* The cursor of the first row of the next CPU that there may be. */
static u64 next_cpu(u64 cursor)
{
	return (div_u64(cursor, GAPP_HANDOVER_ROWS + 1) + 1) * (GAPP_HANDOVER_ROWS + 1);
}

/* As gapp_figures_threads(), for handovers. A cursor is that of a row of all CPUs' tables. */
u32 gapp_figures_handovers(struct gapp_session *session, u64 *cursor, struct gapp_handover *rows,
			   u32 capacity)
{
	const u64 end = (u64)nr_cpu_ids * (GAPP_HANDOVER_ROWS + 1);
	u32 count = 0, cpu, row;
	u64 at = min(*cursor, end);

	if (!session->settings.handovers)
		return 0;
	while (at < end && count < capacity) {
		cpu = array_index_nospec(div_u64_rem(at, GAPP_HANDOVER_ROWS + 1, &row), nr_cpu_ids);
		if (!session->cpus[cpu]) {
			at = next_cpu(at);
			continue;
		}
		if (gapp_handovers_read(session->cpus[cpu]->handovers, row, &rows[count]))
			rows[count++].cpu = cpu;
		at++;
		cond_resched();
	}
	*cursor = at;
	return count;
}

/* As gapp_figures_threads(), for the sums of exited threads. */
u32 gapp_figures_processes(struct gapp_session *session, u64 *cursor,
			   struct gapp_thread_figures *rows, u32 capacity)
{
	struct gapp_thread_table *threads = &session->threads;
	struct gapp_process *process;
	u32 count = 0, index = 0;
	unsigned int bucket;

	mutex_lock(&threads->slots_mutex);
	hash_for_each(threads->processes, bucket, process, node) {
		if (index++ < *cursor || count == capacity)
			continue;
		rows[count] = process->sum;
		rows[count].tgid = pid_nr_ns(process->tgid, session->settings.ns);
		count++;
	}
	*cursor += count;
	mutex_unlock(&threads->slots_mutex);
	return count;
}

/* The caller of a command chose @n: the CPU must not read out of bounds by speculation either. */
static u64 hist_at(const struct gapp_cm *cm, u64 n)
{
	if (n >= cm->hist_len)
		return 0;
	return READ_ONCE(cm->hist[array_index_nospec(n, cm->hist_len)]);
}

/* As gapp_figures_threads(), for the time with 0, 1, 2 ... threads active, in all targets. */
u32 gapp_figures_parallelism(struct gapp_session *session, u64 *cursor, u64 *rows, u32 capacity)
{
	struct gapp_thread_table *threads = &session->threads;
	u32 targets = gapp_target_count(threads), count = 0, i;
	u64 len = READ_ONCE(threads->in_table_peak) + 1;

	for (; *cursor < len && count < capacity; (*cursor)++, count++) {
		rows[count] = gapp_cpus_time(session, *cursor);
		for (i = 0; i < targets; i++)
			rows[count] += hist_at(&threads->targets[i]->acc.cm, *cursor);
		cond_resched();
	}
	return count;
}

static void target_figures(struct gapp_thread_table *threads, struct gapp_target *target,
			   struct pid_namespace *ns, struct gapp_target_figures *row)
{
	struct gapp_target_sums sums;

	memset(row, 0, sizeof(*row));
	gapp_target_read(threads, target, &sums);
	row->id = target->id;
	row->tgid = pid_nr_ns(target->tgid, ns);
	row->idle_ns = sums.idle;
	row->g = sums.at.g;
	row->c = sums.at.c;
	row->s = sums.at.s;
	row->critical_runq = target->critical_runq;
	row->n = sums.at.n;
	row->n_min = sums.at.n_min;
	row->live = READ_ONCE(target->threshold.live);
	memcpy(row->comm, target->comm, sizeof(row->comm));
	row->wall_ns = sums.at.t - target->born;
	row->spun_ns = atomic64_read(&target->spun_ns);
}

/* As gapp_figures_threads(), for targets. */
u32 gapp_figures_targets(struct gapp_session *session, u64 *cursor,
			 struct gapp_target_figures *rows, u32 capacity)
{
	struct gapp_thread_table *threads = &session->threads;
	u32 targets = gapp_target_count(threads), count = 0;

	for (; *cursor < targets && count < capacity; (*cursor)++, count++) {
		target_figures(threads, threads->targets[array_index_nospec(*cursor, targets)],
			       session->settings.ns, &rows[count]);
		cond_resched();
	}
	return count;
}
