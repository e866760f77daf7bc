// SPDX-License-Identifier: GPL-2.0
/* Each CPU's part of a session: made before the probes come, freed when they have gone. */
#include <linux/cpumask.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/topology.h>

#include "core/handovers.h"
#include "switch.h"

static ushort timed_calls = 1024;
module_param(timed_calls, ushort, 0644);
MODULE_PARM_DESC(timed_calls, "of so many context switches of a session one is timed (1024)");

/* Makes the caches of paths and rules, without which an unwind takes several times as long. */
static int make_unwinder(struct gapp_unwinder *unwinder, int node)
{
	const struct gapp_settings *settings = unwinder->settings;
	struct gapp_unwind *unwind = &unwinder->unwind;

	unwinder->stack_copy = kmalloc_node(settings->stack_copy_bytes, GAPP_GFP, node);
	unwinder->path_cache = kvzalloc_node(sizeof(*unwinder->path_cache), GAPP_GFP, node);
	if (!unwinder->stack_copy || !unwinder->path_cache)
		return -ENOMEM;
	gapp_path_cache_clear(unwinder->path_cache);
	if (!gapp_unwinds_by_tables(settings))
		return 0;
	unwind->cache = kvzalloc_node(sizeof(*unwind->cache), GAPP_GFP, node);
	return unwind->cache ? 0 : -ENOMEM;
}

/* Makes the CPU's table of times by n; not with many targets: each would need a table. */
static int make_times(struct gapp_cpu *cpu)
{
	struct gapp_times *times = &cpu->times;

	if (cpu->session->settings.per_process)
		return 0;
	times->len = min_t(u32, GAPP_OWN_TIMES, cpu->session->settings.max_threads);
	times->ns =
		kcalloc_node(times->len, sizeof(*times->ns), GAPP_GFP, cpu_to_node(cpu->number));
	return times->ns ? 0 : -ENOMEM;
}

/* Makes the CPU's table of handovers, if the session has any. */
static int make_handovers(struct gapp_cpu *cpu)
{
	if (!cpu->session->settings.handovers)
		return 0;
	cpu->handovers = kvzalloc_node(sizeof(*cpu->handovers), GAPP_GFP, cpu_to_node(cpu->number));
	return cpu->handovers ? 0 : -ENOMEM;
}

static void free_cpu(struct gapp_cpu *cpu)
{
	if (!cpu)
		return;
	kvfree(cpu->unwinder.unwind.cache);
	kvfree(cpu->unwinder.path_cache);
	kfree(cpu->unwinder.stack_copy);
	kvfree(cpu->handovers);
	gapp_tallies_free(cpu);
	kfree(cpu->times.ns);
	kfree(cpu);
}

int gapp_cpus_init(struct gapp_session *session)
{
	struct gapp_cpu *cpu;
	unsigned int i;

	session->cpus = kvcalloc(nr_cpu_ids, sizeof(*session->cpus), GAPP_GFP);
	if (!session->cpus)
		return -ENOMEM;
	session->settings.timed_calls = max_t(u16, READ_ONCE(timed_calls), 1);
	if (gapp_posts_init(&session->threads.posts, gapp_merge_here)) {
		gapp_cpus_destroy(session);
		return -ENOMEM;
	}
	for_each_possible_cpu(i) {
		/* Not by vmalloc(): 6.1 may take a lock to check a copy from user space. */
		cpu = kzalloc_node(sizeof(*cpu), GAPP_GFP, cpu_to_node(i));
		if (!cpu) {
			gapp_cpus_destroy(session);
			return -ENOMEM;
		}
		cpu->session = session;
		cpu->writer.threads = &session->threads;
		cpu->unwinder.settings = &session->settings;
		cpu->unwinder.spaces = &session->spaces;
		cpu->unwinder.writer = &cpu->writer;
		cpu->number = i;
		cpu->untimed = session->settings.timed_calls;
		if (session->settings.rule.criterion == GAPP_CRITERION_AVERAGE)
			cpu->open.marks = GAPP_OPEN_BY_AVERAGE;
		cpu->writer.ring.cpu = i;
		gapp_sampler_init(cpu);
		gapp_between_init(cpu);
		session->cpus[i] = cpu;
		if (make_times(cpu) || make_handovers(cpu) || gapp_tallies_make(cpu) ||
		    (session->settings.level != GAPP_LEVEL_STATS &&
		     make_unwinder(&cpu->unwinder, cpu_to_node(i)))) {
			gapp_cpus_destroy(session);
			return -ENOMEM;
		}
	}
	return 0;
}

void gapp_cpus_destroy(struct gapp_session *session)
{
	unsigned int i;

	if (!session->cpus)
		return;
	for_each_possible_cpu(i)
		free_cpu(session->cpus[i]);
	kvfree(session->cpus);
	session->cpus = NULL;
	gapp_posts_destroy(&session->threads.posts);
}

/* After the probes are gone: no timer and no irq_work of a CPU runs when this returns. */
void gapp_cpus_quiesce(struct gapp_session *session)
{
	unsigned int i;

	for_each_possible_cpu(i) {
		hrtimer_cancel(&session->cpus[i]->timer);
		irq_work_sync(&session->cpus[i]->path_work);
	}
	gapp_posts_quiesce(&session->threads.posts);
}

/* Adds the CPUs that threads run on, or wait for: their slices may begin at any time. */
static void add_cpus_of_threads(struct gapp_session *session, struct cpumask *cpus)
{
	struct gapp_thread *thread;
	unsigned long flags;
	u32 slot;

	mutex_lock(&session->threads.slots_mutex);
	for (slot = 0; slot < gapp_slot_count(&session->threads); slot++) {
		cond_resched();
		thread = gapp_slot(&session->threads, slot);
		if (gapp_thread_use(thread) != GAPP_USE_LIVE)
			continue;
		gapp_lock_irqsave(thread, flags);
		if (gapp_task_is_active(&thread->core))
			cpumask_set_cpu(task_cpu(thread->task), cpus);
		gapp_unlock_irqrestore(thread, flags);
	}
	mutex_unlock(&session->threads.slots_mutex);
}

/**
 * gapp_cpus_call() - call a function on each CPU on which the session's threads are
 * @session: the session, running
 * @function: called with @session, interrupts off
 *
 * Other CPUs are not interrupted: they may be set aside for a program that must not be disturbed.
 */
void gapp_cpus_call(struct gapp_session *session, smp_call_func_t function)
{
	cpumask_var_t cpus;
	unsigned int i;

	if (!zalloc_cpumask_var(&cpus, GFP_KERNEL)) {
		on_each_cpu(function, session, true);
		return;
	}
	add_cpus_of_threads(session, cpus);
	for_each_possible_cpu(i)
		if (READ_ONCE(session->cpus[i]->open_of))
			cpumask_set_cpu(i, cpus);
	on_each_cpu_mask(cpus, function, session, true);
	free_cpumask_var(cpus);
}

/* Nanoseconds with @n threads active, the part that is in gapp_cpu.times. */
u64 gapp_cpus_time(const struct gapp_session *session, u64 n)
{
	const struct gapp_times *times;
	unsigned int i;
	u64 sum = 0;

	for_each_possible_cpu(i) {
		times = &session->cpus[i]->times;
		if (n && n <= times->len)
			sum += READ_ONCE(times->ns[array_index_nospec(n - 1, times->len)]);
	}
	return sum;
}

/* Marks that have no record. */
u64 gapp_cpus_marks_left_out(const struct gapp_session *session)
{
	unsigned int i;
	u64 sum = 0;

	for_each_possible_cpu(i)
		sum += READ_ONCE(session->cpus[i]->marks_left_out);
	return sum;
}

/* Adds up what the CPUs have counted. */
void gapp_cpus_counters(struct gapp_session *session, struct gapp_counters *counters)
{
	const bool sampled = session->settings.level != GAPP_LEVEL_STATS;
	const struct gapp_cpu *cpu;
	unsigned int i;
	const struct gapp_post_pool *pool;
	u64 over_budget;

	for_each_possible_cpu(i) {
		cpu = session->cpus[i];
		counters->slices += READ_ONCE(cpu->slices);
		counters->critical_slices += READ_ONCE(cpu->critical_slices);
		counters->unsampled_slices +=
			READ_ONCE(*(sampled ? &cpu->unsampled_slices : &cpu->critical_slices));
		counters->switches += READ_ONCE(cpu->switches);
		pool = session->threads.posts.pools[i];
		counters->posts += READ_ONCE(pool->used);
		counters->post_waits += READ_ONCE(pool->waits);
		counters->records += READ_ONCE(cpu->writer.ring.records);
		counters->samples += READ_ONCE(cpu->samples);
		counters->critical_run += READ_ONCE(cpu->critical_run);
		/* Pairs with the release in leave_out(): ring.lost has each of them. */
		over_budget = smp_load_acquire(&cpu->unwinder.records_over_budget);
		counters->lost[GAPP_LOST_RECORDS_OVER_BUDGET] += over_budget;
		counters->lost[GAPP_LOST_RING] += READ_ONCE(cpu->writer.ring.lost) - over_budget;
		counters->lost[GAPP_LOST_PATHS_OVER_BUDGET] +=
			READ_ONCE(cpu->unwinder.paths_over_budget);
		counters->longest_ns =
			max(counters->longest_ns, READ_ONCE(cpu->unwinder.longest_ns));
		counters->lost[GAPP_LOST_UNREADABLE] += READ_ONCE(cpu->unwinder.unreadable);
		counters->lost[GAPP_LOST_SAMPLES] += READ_ONCE(cpu->late);
		counters->lost_critical_share += READ_ONCE(cpu->writer.ring.lost_critical_share);
		counters->lost_wait_ns += READ_ONCE(cpu->writer.ring.lost_wait_ns);
		counters->lost[GAPP_LOST_STACK_COPIES] +=
			READ_ONCE(cpu->unwinder.stack_copies_lost);
		counters->stack_copies += READ_ONCE(cpu->unwinder.stack_copies);
		counters->probe_calls += READ_ONCE(cpu->switches);
		counters->probe_timed += READ_ONCE(cpu->probe_timed);
		counters->probe_ns += READ_ONCE(cpu->probe_ns);
		if (READ_ONCE(cpu->unwinder.met_32_bit))
			counters->flags |= GAPP_COUNTERS_32_BIT;
	}
}
