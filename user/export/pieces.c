// SPDX-License-Identifier: GPL-2.0
#include "pieces.h"

#include "util/names.h"

u64 rounding_next(struct rounding *rounding, double fraction)
{
	u64 whole, given = rounding->given;

	rounding->sum += fraction > 0 ? fraction : 0;
	whole = rounding->sum + 0.5;
	rounding->given = whole;
	return whole - given;
}

char *frame_text(const struct frame *frame)
{
	_cleanup_free_ char *place = NULL;

	if (frame->function)
		return name_text(frame->function, strlen(frame->function));
	if (asprintf(&place, "[%.*s+0x%llx]", (int)module_len(frame->module),
		     module_begin(frame->module), frame->offset) < 0) {
		place = NULL;
		return NULL;
	}
	return name_text(place, strlen(place));
}

static double others_waited(const struct ranked *row)
{
	double ns = 0;

	for (size_t i = 0; i < GAPP_WAIT_REASONS; i++)
		ns += row->waiting_ns[i];
	return ns < row->critical_ns ? ns : row->critical_ns;
}

/* Sets the figures of a piece to a part of its call path. */
static void take_part(struct piece *piece, double part)
{
	const struct ranked *row = piece->row;
	bool waited = row->kind == PATH_WAITED;

	piece->critical_ns = waited ? 0 : part * row->critical_ns;
	piece->waited_ns = waited ? part * row->critical_ns : 0;
	piece->others_ns = waited ? 0 : part * others_waited(row);
	piece->slices = part * row->slices;
	piece->samples = part * row->samples;
}

size_t exported_threads(const struct results *results,
			const struct ranked *threads[EXPORT_THREADS_MAX])
{
	size_t count = 0;

	for (size_t i = 0; i < results->by_thread.count && count < EXPORT_THREADS_MAX; i++) {
		const struct ranked *row = &results->by_thread.rows[i];

		if (row->kind == PATH_RAN && row->tid > 0)
			threads[count++] = row;
	}
	return count;
}

/**
 * struct splitting - what splits call paths
 * @threads: threads that have pieces of their own
 * @members: room for the threads of a call path, sorted by name
 */
struct splitting {
	enum pieces_by by;
	const struct ranked *threads[EXPORT_THREADS_MAX];
	size_t thread_count;
	struct member *members;
	u32 room;
	piece_fn take;
	void *context;
};

static bool has_own(const struct splitting *splitting, const struct member *member)
{
	for (size_t i = 0; i < splitting->thread_count; i++)
		if (splitting->threads[i]->tid == member->tid &&
		    splitting->threads[i]->tgid == member->tgid)
			return true;
	return false;
}

static int split_by_thread(const struct splitting *splitting, const struct ranked *row,
			   double whole)
{
	struct piece others = { .row = row };
	double rest = 0;

	for (size_t i = 0; i < row->member_count; i++) {
		const struct member *member = &row->members[i];
		struct piece piece = {
			.row = row, .comm = member->comm, .tid = member->tid, .tgid = member->tgid
		};

		if (!has_own(splitting, member)) {
			rest += member->critical_ns;
			continue;
		}
		take_part(&piece, member->critical_ns / whole);
		if (splitting->take(splitting->context, &piece))
			return -1;
	}
	if (rest <= 0)
		return 0;
	take_part(&others, rest / whole);
	return splitting->take(splitting->context, &others);
}

static int name_compare(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	return strcmp(x->comm, y->comm) ?:
		       compare_by(three_way(x->tgid, y->tgid), three_way(x->tid, y->tid));
}

/* Sorts the threads of a call path by name. Returns 0, or -1 without memory. */
static int sort_by_name(struct splitting *splitting, const struct ranked *row)
{
	u32 count = row->member_count;

	if (array_grow(&splitting->members, &splitting->room, count, sizeof(struct member)))
		return -1;
	memcpy(splitting->members, row->members, count * sizeof(struct member));
	qsort(splitting->members, count, sizeof(struct member), name_compare);
	return 0;
}

static int split_by_name(struct splitting *splitting, const struct ranked *row, double whole)
{
	size_t next;

	if (sort_by_name(splitting, row))
		return -1;
	for (size_t i = 0; i < row->member_count; i = next) {
		struct piece piece = { .row = row, .comm = splitting->members[i].comm };
		double sum = 0;

		for (next = i;
		     next < row->member_count && !strcmp(splitting->members[next].comm, piece.comm);
		     next++)
			sum += splitting->members[next].critical_ns;
		take_part(&piece, sum / whole);
		if (splitting->take(splitting->context, &piece))
			return -1;
	}
	return 0;
}

static int split(struct splitting *splitting, const struct ranked *row)
{
	struct piece piece = { .row = row };
	double whole = 0;

	for (size_t i = 0; i < row->member_count; i++)
		whole += row->members[i].critical_ns;
	if (splitting->by == PIECES_WHOLE || whole <= 0) {
		take_part(&piece, 1);
		return splitting->take(splitting->context, &piece);
	}
	return splitting->by == PIECES_BY_NAME ? split_by_name(splitting, row, whole) :
						 split_by_thread(splitting, row, whole);
}

int pieces_without_path(const struct results *results, const struct ranking *ranking, piece_fn take,
			void *context)
{
	struct piece pieces[] = {
		{ .why = "run queue", .critical_ns = share_to_ns(results->counters.critical_runq) },
		{ .why = "lost records",
		  .critical_ns = share_to_ns(results->counters.lost_critical_share),
		  .waited_ns = results->sums.waited_lost_ns },
		{ .why = "full tables", .critical_ns = results->sums.table_full_ns },
		{ .why = "no path", .critical_ns = results->sums.no_path_ns },
		{ .why = "not ranked" },
	};
	struct piece *rest = &pieces[ARRAY_SIZE(pieces) - 1];
	double left = results_critical_ns(results);

	for (size_t i = 0; i < ranking->count; i++)
		left -= ranking->rows[i].kind == PATH_RAN ? ranking->rows[i].critical_ns : 0;
	for (struct piece *piece = pieces; piece < rest; piece++)
		left -= piece->critical_ns;
	/* less than a nanosecond comes from adding up */
	rest->critical_ns = left >= 1 ? left : 0;
	for (size_t i = 0; i < ARRAY_SIZE(pieces); i++)
		if ((pieces[i].critical_ns > 0 || pieces[i].waited_ns > 0) &&
		    take(context, &pieces[i]))
			return -1;
	return 0;
}

int pieces_each(const struct results *results, enum pieces_by by, piece_fn take, void *context)
{
	struct splitting splitting = { .by = by, .take = take, .context = context };
	int result = 0;

	splitting.thread_count = exported_threads(results, splitting.threads);
	for (size_t i = 0; i < results->exported.count && !result; i++)
		result = split(&splitting, &results->exported.rows[i]);
	free(splitting.members);
	return result ?: pieces_without_path(results, &results->exported, take, context);
}
