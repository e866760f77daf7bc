/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The loops of the scheme whose functions begin with SCHEME, with its operations inlined as they
 * are in the module. Included once for each scheme, so there is no guard.
 */
#define SCHEME_JOIN_THESE(a, b) a##_##b
#define SCHEME_JOIN(a, b) SCHEME_JOIN_THESE(a, b)
#define OF_SCHEME(name) SCHEME_JOIN(SCHEME, name)

static void OF_SCHEME(changes)(struct worker *worker, u32 count)
{
	struct gapp_at at;

	for (u32 i = 0; i < count; i++) {
		OF_SCHEME(change)(worker, i & 1 ? 1 : -1, &at);
		one_more(worker, &at);
	}
}

static void OF_SCHEME(reads)(struct worker *worker, u32 count)
{
	struct gapp_at at;

	for (u32 i = 0; i < count; i++) {
		OF_SCHEME(read)(worker, &at);
		one_more(worker, &at);
	}
}

static void OF_SCHEME(mixes)(struct worker *worker, u32 count)
{
	struct gapp_at at;

	for (u32 i = 0; i < count; i++) {
		if (i % 3 < 2)
			OF_SCHEME(change)(worker, i % 3 ? 1 : -1, &at);
		else
			OF_SCHEME(read)(worker, &at);
		one_more(worker, &at);
	}
}

static void OF_SCHEME(spaced)(struct worker *worker, u32 count, u32 gap)
{
	struct gapp_at at;
	u64 begin;

	for (u32 i = 0; i < count; i++) {
		other_work(worker, gap);
		begin = shim_counter();
		OF_SCHEME(change)(worker, i & 1 ? 1 : -1, &at);
		is_used(&at);
		worker->op_ticks += shim_counter() - begin;
		one_more(worker, &at);
	}
}

static const struct scheme_ops OF_SCHEME(ops) = {
	.begin = OF_SCHEME(begin),
	.change = OF_SCHEME(change),
	.read = OF_SCHEME(read),
	.finish = OF_SCHEME(finish),
	.changes = OF_SCHEME(changes),
	.reads = OF_SCHEME(reads),
	.mixes = OF_SCHEME(mixes),
	.spaced = OF_SCHEME(spaced),
};

#undef OF_SCHEME
#undef SCHEME_JOIN
#undef SCHEME_JOIN_THESE
#undef SCHEME
