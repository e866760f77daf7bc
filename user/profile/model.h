/* SPDX-License-Identifier: GPL-2.0 */
/* A session's figures, and what follows from them. */
#ifndef GAPP_READ_MODEL_H
#define GAPP_READ_MODEL_H

#include <gapp.h>

#include "util/util.h"

/**
 * struct model - what the module gave
 * @status: the session
 * @threads: threads, one by one
 * @thread_count: how many
 * @processes: rows of summed exited threads, one a process
 * @process_count: how many
 * @parallelism: nanoseconds with 0, 1, 2 ... threads active
 * @parallelism_count: how many; the last is not 0, unless it is the only one
 * @targets_wall_ns: with several targets the sum of their run times, else 0
 */
struct model {
	struct gapp_status status;
	struct gapp_thread_figures *threads;
	size_t thread_count;
	struct gapp_thread_figures *processes;
	size_t process_count;
	u64 *parallelism;
	size_t parallelism_count;
	u64 targets_wall_ns;
};

/**
 * struct agreement - gapp's on-CPU and run-queue times against the kernel's own
 * @any: there was enough to compare
 * @percent: 100 if they are the same, at least 0
 * @active_percent: the same of the sum of the two times, which does not tell them apart: a virtual
 *CPU that loses its real one in the middle of a switch only shifts time from one to the other
 * @kernel_ns: the kernel's account
 * @differ_ns: sum of the differences, each without its sign
 * @worst: thread that differs most, or NULL
 * @worst_ns: by how much
 */
struct agreement {
	bool any;
	double percent;
	double active_percent;
	u64 kernel_ns;
	u64 differ_ns;
	const struct gapp_thread_figures *worst;
	u64 worst_ns;
};

void model_free(struct model *model);
#define _cleanup_model_ _cleanup_(model_free)

void model_rank(struct model *model);
double model_percent(const struct model *model, u64 ns);
u64 model_with(const struct model *model, size_t n);
double model_average(const struct model *model);
double model_accounted(const struct model *model);
void model_agreement(const struct model *model, struct agreement *agreement);
bool model_recount_ok(const struct model *model);
bool model_is_empty(const struct model *model);

/* Nanoseconds of a share, rounded. */
static inline u64 share_ns(u64 share)
{
	return (share >> GAPP_SHARE_SHIFT) + (share >> (GAPP_SHARE_SHIFT - 1) & 1);
}

int share_compare(const void *a, const void *b);

#endif /* GAPP_READ_MODEL_H */
