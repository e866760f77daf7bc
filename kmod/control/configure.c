// SPDX-License-Identifier: GPL-2.0
/* CONFIGURE: checks the reader's settings, and makes what the session needs. */
#include <linux/capability.h>
#include <linux/cpumask.h>
#include <linux/log2.h>
#include <linux/random.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "control.h"

#define ALL_FLAGS                                                                             \
	(GAPP_CONFIG_KERNEL_PATHS | GAPP_CONFIG_WAKERS | GAPP_CONFIG_PER_PROCESS |            \
	 GAPP_CONFIG_ALL | GAPP_CONFIG_VERIFY | GAPP_CONFIG_WAITS | GAPP_CONFIG_WAKER_PATHS | \
	 GAPP_CONFIG_HANDOVERS | GAPP_CONFIG_WAIT_FILES | GAPP_CONFIG_KERNEL_LOCKS |          \
	 GAPP_CONFIG_SPINS | GAPP_CONFIG_MARKS | GAPP_CONFIG_TALLIES | GAPP_CONFIG_SLICE_TALLIES)
/* Stack copies a second, of all CPUs together: each takes the reader a tenth of a millisecond. */
#define COPIES_HZ 1000
/* Bounds of a restricted session. */
#define RESTRICTED_RING 0x100000U
#define RESTRICTED_PATHS 0x8000U
/* Each sample interrupts a CPU that others use too. */
#define RESTRICTED_RATE_HZ 1000
#define RESTRICTED_COPY 4096
#define RESTRICTED_STACK GAPP_DEFAULT_STACK

static bool is_size(u32 size, u32 least, u32 most)
{
	return !size || (is_power_of_2(size) && size >= least && size <= most);
}

static int threshold_is_valid(const struct gapp_config *config)
{
	if (config->n_min_mode > GAPP_N_MIN_FIXED)
		return -EINVAL;
	if (config->n_min_mode != GAPP_N_MIN_FIXED)
		return config->n_min ? -EINVAL : 0;
	return config->n_min < 1 || config->n_min > GAPP_MAX_THREADS ? -EINVAL : 0;
}

static bool unwinding_is_valid(const struct gapp_config *config)
{
	u32 ring = config->ring_bytes ?: GAPP_DEFAULT_RING;
	u32 copy = config->stack_copy_bytes ?: GAPP_DEFAULT_STACK_COPY;

	if (config->unwind_by > GAPP_UNWIND_BY_NONE || copy < GAPP_MIN_STACK_COPY ||
	    copy > GAPP_MAX_STACK_COPY || copy % 8 || copy > ring / 8)
		return false;
	return !(config->flags & GAPP_CONFIG_VERIFY) || config->unwind_by == GAPP_UNWIND_BY_TABLE;
}

static int records_are_valid(const struct gapp_config *config)
{
	if (config->level == GAPP_LEVEL_STATS)
		return config->min_critical_ns || config->rate_hz || config->ring_bytes ||
				       config->paths || config->max_stack || config->criterion ||
				       config->stack_copy_bytes || config->unwind_by ||
				       config->flags &
					       (GAPP_CONFIG_KERNEL_PATHS | GAPP_CONFIG_WAKERS |
						GAPP_CONFIG_VERIFY | GAPP_CONFIG_WAITS |
						GAPP_CONFIG_WAKER_PATHS | GAPP_CONFIG_HANDOVERS |
						GAPP_CONFIG_WAIT_FILES | GAPP_CONFIG_KERNEL_LOCKS |
						GAPP_CONFIG_SPINS | GAPP_CONFIG_MARKS |
						GAPP_CONFIG_SLICE_TALLIES) ?
			       -EINVAL :
			       0;
	if (config->flags & GAPP_CONFIG_WAKER_PATHS && !(config->flags & GAPP_CONFIG_WAKERS))
		return -EINVAL;
	if (config->flags & GAPP_CONFIG_HANDOVERS && !(config->flags & GAPP_CONFIG_WAITS))
		return -EINVAL;
	if (config->flags & GAPP_CONFIG_SLICE_TALLIES && !(config->flags & GAPP_CONFIG_TALLIES))
		return -EINVAL;
	if (config->flags & GAPP_CONFIG_SPINS &&
	    (!config->rate_hz || (config->unwind_by != GAPP_UNWIND_BY_AUTO &&
				  config->unwind_by != GAPP_UNWIND_BY_TABLE)))
		return -EINVAL;
	if (config->level > GAPP_LEVEL_TRACE || config->criterion > GAPP_CRITERION_AVERAGE ||
	    config->rate_hz > GAPP_MAX_RATE_HZ || config->max_stack > GAPP_MAX_STACK ||
	    !is_size(config->ring_bytes, max_t(u32, GAPP_MIN_RING, PAGE_SIZE), GAPP_MAX_RING) ||
	    !is_size(config->paths, GAPP_MIN_PATHS, GAPP_MAX_PATHS) || !unwinding_is_valid(config))
		return -EINVAL;
	return 0;
}

static int config_is_valid(const struct gapp_config *config)
{
	int ret;

	if (config->abi_major != GAPP_ABI_MAJOR)
		return -EPROTONOSUPPORT;
	if (config->flags & ~ALL_FLAGS || memchr_inv(config->reserved, 0, sizeof(config->reserved)))
		return -EINVAL;
	if (config->flags & GAPP_CONFIG_KERNEL_LOCKS && !gapp_probes_see_locks())
		return -EOPNOTSUPP;
	ret = threshold_is_valid(config);
	if (ret)
		return ret;
	if (config->max_threads > GAPP_MAX_THREADS)
		return -EINVAL;
	if (config->max_exited > GAPP_MAX_EXITED && config->max_exited != GAPP_EXITED_DEFAULT)
		return -EINVAL;
	return records_are_valid(config);
}

static int is_allowed(const struct gapp_session *session, const struct gapp_config *config)
{
	/* the caller may have got the file from the opener */
	if (!session->settings.restricted)
		return config->flags & GAPP_CONFIG_ALL && !perfmon_capable() ? -EPERM : 0;
	if (config->flags & GAPP_CONFIG_ALL || config->ring_bytes > RESTRICTED_RING ||
	    config->paths > RESTRICTED_PATHS || config->rate_hz > RESTRICTED_RATE_HZ ||
	    config->stack_copy_bytes > RESTRICTED_COPY || config->max_stack > RESTRICTED_STACK)
		return -EPERM;
	return 0;
}

/* Whether /proc/kallsyms shows addresses to the opener: capability, kptr_restrict, lockdown. */
static bool may_see_kernel(const struct gapp_session *session)
{
	char address[32];

	if (session->settings.restricted || !capable(CAP_SYSLOG) ||
	    security_locked_down(LOCKDOWN_PERF))
		return false;
	snprintf(address, sizeof(address), "%pK", session);
	return strspn(address, "0x") != strlen(address);
}

static void take(struct gapp_session *session, const struct gapp_config *config)
{
	/* gapp_acc.waiting counts in 16 bits */
	session->settings.max_threads =
		min_t(u32, config->max_threads ?: GAPP_DEFAULT_THREADS, U16_MAX);
	session->settings.max_exited = config->max_exited == GAPP_EXITED_DEFAULT ?
					       GAPP_DEFAULT_EXITED :
					       config->max_exited;
	session->threads.threshold_rule.mode = config->n_min_mode;
	session->threads.threshold_rule.fixed = config->n_min;
	session->settings.all = config->flags & GAPP_CONFIG_ALL;
	session->settings.per_process = config->flags & GAPP_CONFIG_PER_PROCESS;
	session->settings.level = config->level;
	session->settings.at_wake = config->level == GAPP_LEVEL_TRACE ? GAPP_EXPORT_WAKE : 0;
	session->settings.wakers = config->flags & GAPP_CONFIG_WAKERS;
	session->settings.waits = config->flags & GAPP_CONFIG_WAITS;
	session->settings.handovers = config->flags & GAPP_CONFIG_HANDOVERS;
	session->settings.waker_paths = config->flags & GAPP_CONFIG_WAKER_PATHS;
	session->settings.wait_files = config->flags & GAPP_CONFIG_WAIT_FILES;
	session->settings.kernel_locks = config->flags & GAPP_CONFIG_KERNEL_LOCKS;
	session->settings.lock_addresses = session->settings.kernel_locks &&
					   may_see_kernel(session);
	session->settings.spins = config->flags & GAPP_CONFIG_SPINS;
	session->settings.marks = config->flags & GAPP_CONFIG_MARKS;
	session->settings.tallies = config->flags & GAPP_CONFIG_TALLIES;
	session->settings.slice_tallies = config->flags & GAPP_CONFIG_SLICE_TALLIES;
	session->settings.special_waits = session->settings.restricted ||
					  session->settings.kernel_locks;
	if (session->settings.waker_paths)
		session->settings.at_wake |= GAPP_EXPORT_ENDED;
	session->settings.kernel_paths = config->flags & GAPP_CONFIG_KERNEL_PATHS &&
					 may_see_kernel(session);
	session->settings.max_stack = config->max_stack ?: GAPP_DEFAULT_STACK;
	session->settings.period_ns = config->rate_hz ? NSEC_PER_SEC / config->rate_hz : 0;
	session->settings.unwind_by = config->unwind_by;
	if (config->unwind_by == GAPP_UNWIND_BY_NONE && !session->settings.kernel_paths)
		session->settings.paths_at_first = GAPP_PATHS_KNOWN;
	else
		session->settings.paths_at_first = GAPP_PATHS_NONE;
	session->settings.special_records = session->settings.wait_files ||
					    session->settings.kernel_locks ||
					    session->settings.slice_tallies ||
					    session->settings.paths_at_first == GAPP_PATHS_KNOWN;
	session->settings.verify = config->flags & GAPP_CONFIG_VERIFY;
	session->settings.stack_copy_bytes = config->stack_copy_bytes ?: GAPP_DEFAULT_STACK_COPY;
	/* With GAPP_UNWIND_BY_COPY there is no limit but the rings. */
	if (session->settings.unwind_by == GAPP_UNWIND_BY_AUTO || session->settings.restricted)
		session->settings.copy_pause_ns =
			(u64)num_online_cpus() * (NSEC_PER_SEC / COPIES_HZ);
	gapp_budget_set(&session->settings);
	session->settings.seed = get_random_u64();
	/* A trace has every slice. */
	gapp_due_init(&session->settings.rule,
		      config->level == GAPP_LEVEL_TRACE ? 0 : config->min_critical_ns,
		      config->criterion, get_random_u64());
}

/**
 * gapp_session_unmake() - free what CONFIGURE has made
 * @session: the session; no probe, no worker and no reader uses it
 */
void gapp_session_unmake(struct gapp_session *session)
{
	gapp_address_spaces_destroy(&session->spaces);
	gapp_threads_destroy(&session->threads);
	gapp_buffers_destroy(session->buffers);
	session->buffers = NULL;
	gapp_uncharge(&session->charge);
	gapp_cpus_destroy(session);
	kvfree(session->requests);
	session->requests = NULL;
}

/* CPUs that are present may come online later. Others get no ring, and their records are lost. */
static int make_buffers(struct gapp_session *session, u32 ring_bytes, u32 paths)
{
	struct gapp_buffers *buffers;
	unsigned int i;
	int ret;

	ret = gapp_charge(session->settings.payer, gapp_buffers_bytes(ring_bytes, paths),
			  &session->charge);
	if (ret)
		return ret;
	buffers = gapp_buffers_create(ring_bytes, paths);
	if (!buffers)
		return -ENOMEM;
	session->buffers = buffers;
	for_each_possible_cpu(i)
		session->cpus[i]->writer.buffers = buffers;
	for_each_present_cpu(i) {
		ret = gapp_buffers_add_ring(buffers, i, &session->cpus[i]->writer);
		if (ret)
			break;
		cond_resched();
	}
	return ret;
}

static int make(struct gapp_session *session, const struct gapp_config *config)
{
	int ret;

	session->requests =
		kvcalloc(GAPP_MAX_ADDED_PROCESSES, sizeof(*session->requests), GAPP_GFP);
	if (!session->requests)
		return -ENOMEM;
	ret = gapp_cpus_init(session);
	if (!ret && session->settings.level != GAPP_LEVEL_STATS)
		ret = make_buffers(session, config->ring_bytes ?: GAPP_DEFAULT_RING,
				   config->paths ?: GAPP_DEFAULT_PATHS);
	if (!ret)
		ret = gapp_threads_init(&session->threads);
	if (!ret && gapp_unwinds_by_tables(&session->settings))
		ret = gapp_address_spaces_stock(&session->spaces, GAPP_STOCK_ADDRESS_SPACES);
	return ret;
}

/**
 * gapp_session_configure() - NEW -> READY
 * @session: the session, locked
 * @config: the reader's settings; may have any content
 *
 * Return: 0 or a negative errno; then the session is as before.
 */
int gapp_session_configure(struct gapp_session *session, const struct gapp_config *config)
{
	int ret = config_is_valid(config);

	if (ret)
		return ret;
	ret = session->state == GAPP_SESSION_NEW ? is_allowed(session, config) : -EBUSY;
	if (ret)
		return ret;
	take(session, config);
	ret = make(session, config);
	if (ret)
		gapp_session_unmake(session);
	else /* Pairs with the acquire in main.c. */
		smp_store_release(&session->state, GAPP_SESSION_READY);
	return ret;
}
