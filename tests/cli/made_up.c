// SPDX-License-Identifier: GPL-2.0
#include "made_up.h"

/*
 * Ten seconds: none active in 1, one in 4, two in 5. So thread 1 (active with one in 4 s, with two
 * in 5 s) has 6.5 s of CMetric, thread 2 (only in the latter) 2.5 s, half a second of it waiting.
 */
static struct gapp_thread two_threads[] = {
	{ .tid = 11,
	  .tgid = 10,
	  .comm = "second",
	  .cm_run = SHARE(SECONDS(2)),
	  .cm_runq = SHARE(MS(500)),
	  .run_ns = SECONDS(4),
	  .runq_ns = SECONDS(1),
	  .blocked_ns = SECONDS(5),
	  .slices = 7,
	  .threads = 1 },
	{ .tid = 10,
	  .tgid = 10,
	  .comm = "first",
	  .cm_run = SHARE(MS(6500)),
	  .run_ns = SECONDS(9),
	  .blocked_ns = SECONDS(1),
	  .slices = 3,
	  .threads = 1 },
};

static u64 two_parallelism[] = { SECONDS(1), SECONDS(4), SECONDS(5), 0, 0 };

/* A model that must not be freed. */
struct model two_model(void)
{
	struct model model = {
		.status = { .wall_ns = SECONDS(10),
			    .idle_ns = SECONDS(1),
			    .start_ns = 42,
			    .cpus = 4,
			    .n_min = 1,
			    .threads = 2,
			    .peak = 2,
			    .tick_ns = MS(4),
			    .flags = GAPP_STATUS_RECOUNTED | GAPP_STATUS_RECOUNT_OK,
			    .recount_n = 2,
			    .recount_tracked_n = 2,
			    .recount_threads = 2,
			    .recount_tracked = 2 },
		.threads = two_threads,
		.thread_count = 2,
		.parallelism = two_parallelism,
		.parallelism_count = ARRAY_SIZE(two_parallelism),
	};

	model_rank(&model);
	return model;
}
