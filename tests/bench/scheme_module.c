// SPDX-License-Identifier: GPL-2.0
/* The module's own: kmod/acc.h and kmod/core/cmetric.c as they are. And nothing, to compare with.
 */
#include "acc.h"
#include "schemes.h"

static struct gapp_acc acc;
static u64 hist[1025];

static void module_begin(u32 workers, u32 n, u32 n_min, u64 start_ns)
{
	struct gapp_at at;

	(void)workers;
	memset(hist, 0, sizeof(hist));
	gapp_acc_init(&acc, hist, ARRAY_SIZE(hist));
	gapp_acc_change(&acc, n, GAPP_WAIT_NONE, GAPP_WAIT_NONE, &at);
	gapp_acc_set_n_min(&acc, n_min);
	gapp_acc_start(&acc, start_ns, 0);
	acc.waiting[GAPP_WAIT_FUTEX] = 1 << 14;
}

/* A thread blocks on a futex, or is woken from it. */
static inline void module_change(struct worker *worker, int dn, struct gapp_at *at)
{
	(void)worker;
	if (dn < 0)
		gapp_acc_change(&acc, dn, GAPP_WAIT_NONE, GAPP_WAIT_FUTEX, at);
	else
		gapp_acc_change(&acc, dn, GAPP_WAIT_FUTEX, GAPP_WAIT_NONE, at);
}

static inline void module_read(struct worker *worker, struct gapp_at *at)
{
	(void)worker;
	gapp_acc_read(&acc, at);
}

static void module_finish(u64 now, struct gapp_at *at)
{
	gapp_cm_stop(&acc.cm, now, at);
}

#define SCHEME module
#include "scheme_loops.h"

const struct scheme scheme_module = {
	.name = "module",
	.title = "A: lock and sequence count, the module's own code",
	.at_once = HAS_ALL,
	.at_end = HAS_ALL,
	.ops = &module_ops,
};

static void none_begin(u32 workers, u32 n, u32 n_min, u64 start_ns)
{
	(void)workers;
	(void)n;
	(void)n_min;
	(void)start_ns;
}

static inline void none_change(struct worker *worker, int dn, struct gapp_at *at)
{
	(void)worker;
	memset(at, 0, sizeof(*at));
	at->n = dn;
}

static inline void none_read(struct worker *worker, struct gapp_at *at)
{
	none_change(worker, 0, at);
}

static void none_finish(u64 now, struct gapp_at *at)
{
	(void)now;
	memset(at, 0, sizeof(*at));
}

#define SCHEME none
#include "scheme_loops.h"

const struct scheme scheme_none = {
	.name = "none",
	.title = "nothing: the loop itself",
	.ops = &none_ops,
};
