// SPDX-License-Identifier: GPL-2.0
#include "capture_world.h"

#include <errno.h>
#include <sys/eventfd.h>

#include "callpath/record_paths.h"
#include "cmd/handover_watch.h"
#include "input/rings.h"
#include "report/exact_loops.h"
#include "report/advice.h"
#include "report/section_views.h"
#include "report/wait_views.h"
#include "table-sync/sync.h"

struct world world;

/* What is only handed around. */
static char thing;
#define THING ((void *)&thing)

int device_layout(struct device *dev, struct gapp_layout *layout)
{
	return 0;
}

int device_status(struct device *dev, struct gapp_status *status)
{
	*status = (struct gapp_status){ .start_ns = 1 };
	return 0;
}

bool device_unwinds_by_tables(const struct device *dev)
{
	return world.by_tables;
}

bool device_watches(const struct device *dev)
{
	return true;
}

int device_watch(struct device *dev, const struct gapp_watch *watch)
{
	world.watched = *watch;
	return 0;
}

bool device_tells_stores(const struct device *dev)
{
	return false;
}

int device_store_point(struct device *dev, const struct gapp_store_point *point)
{
	fail_msg("no stores are to be told");
	return -1;
}

bool device_times_exactly(const struct device *dev)
{
	return world.times_exactly;
}

int device_exact(struct device *dev, const struct gapp_exact *exact)
{
	assert_true(world.times_exactly);
	world.exact = *exact;
	world.exact_asked++;
	errno = world.exact_error;
	return errno ? -1 : 0;
}

/* Threads that spin do so at the address of the word that they wait for. */
const u64 *rings_path(const struct rings *rings, u32 path, u16 *count, u16 *flags)
{
	*count = 1;
	*flags = 0;
	return &world.spun_for;
}

struct rings *rings_new(int fd, const struct gapp_layout *layout)
{
	return THING;
}

void rings_free(struct rings *rings)
{
}

unsigned int rings_fill(const struct rings *rings)
{
	return world.fill;
}

void rings_skip(struct rings *rings, u16 type)
{
	assert_int_equal(type, GAPP_RECORD_WAKE);
}

void rings_scan(struct rings *rings, u16 type,
		void (*each)(void *context, const struct gapp_record *record), void *context)
{
	struct gapp_record_need_mapping record = { .head = { .type = type } };

	assert_int_equal(type, GAPP_RECORD_NEED_MAPPING);
	for (; world.needmaps; world.needmaps--)
		each(context, &record.head);
}

/*
 * Before each of the records there are a copy of a stack and a question. A second before the drain
 * the thread was found in a loop that waits for the word at @spun_for, if there is one. Records may
 * be lost behind it.
 */
s64 rings_drain(struct rings *rings, u64 until_ns,
		int (*each)(void *context, const struct gapp_record *record), void *context)
{
	struct gapp_record_slice slice = { .head = { .type = GAPP_RECORD_SLICE } };
	struct gapp_record_stack_copy tail = { .head = { .type = GAPP_RECORD_STACK_COPY } };
	struct gapp_record_need_mapping needmap = { .head = { .type = GAPP_RECORD_NEED_MAPPING } };
	struct gapp_record_lost lost = { .head = { .type = GAPP_RECORD_LOST } };

	world.until = until_ns;
	world.drains++;
	if (world.spun_for) {
		slice.head.time_ns = clock_ns() - NSEC_PER_SEC;
		slice.tgid = 7;
		slice.then = GAPP_THEN_WAIT;
		slice.wait = GAPP_WAIT_SPIN;
		slice.args[0] = world.spun_for;
		/* so much that it is looked at, whatever is asked for */
		slice.critical_share = NSEC_PER_SEC << GAPP_SHARE_SHIFT;
	}
	for (unsigned int i = 0; i < world.records; i++)
		if (each(context, &needmap.head) || each(context, &tail.head) ||
		    each(context, &slice.head))
			return RINGS_ENDED;
	if (world.loses)
		assert_int_equal(each(context, &lost.head), 0);
	return world.bad_rings ? -1 : (s64)world.records;
}

struct objects *objects_new(void)
{
	return THING;
}

void objects_free(struct objects *objects)
{
}

struct maps *maps_new(struct objects *objects)
{
	return (struct maps *)objects;
}

void maps_free(struct maps *maps)
{
}

int maps_read(struct maps *maps, pid_t pid)
{
	return 0;
}

void maps_advance(struct maps *maps, u64 time_ns)
{
}

struct code_address maps_find(struct maps *maps, pid_t pid, u64 address)
{
	return (struct code_address){ THING, address };
}

void object_keep(struct object *object)
{
	assert_ptr_equal(object, THING);
}

struct exact_loops *exact_loops_make(const struct timed_loop *timed, u32 count,
				     struct symbols *symbols)
{
	struct exact_loops *loops = calloc(1, sizeof(*loops));

	assert_non_null(symbols);
	assert_int_equal(count, 1);
	assert_int_equal(timed[0].since_ns, 0);
	assert_true(timed[0].timed_ns);
	return loops;
}

void exact_loops_free(struct exact_loops *loops)
{
	free(loops);
}

void maps_image(struct maps *maps, pid_t pid, u32 image)
{
}

struct call_paths *call_paths_new(struct objects *objects, struct maps *maps,
				  const struct rings *rings)
{
	return (struct call_paths *)objects;
}

void call_paths_free(struct call_paths *stacks)
{
}

void call_paths_set_outdated(struct call_paths *stacks, const struct outdated *stale)
{
	assert_ptr_equal(stale, world.stale);
}

void call_paths_set_tables(struct call_paths *stacks, const struct object_tables *tables)
{
}

void call_paths_may_keep_copies(struct call_paths *stacks)
{
}

int call_paths_finish_copies(struct call_paths *stacks)
{
	world.finished++;
	return 0;
}

int call_paths_add_copy(struct call_paths *stacks, const struct gapp_record_stack_copy *tail)
{
	assert_int_equal(tail->head.type, GAPP_RECORD_STACK_COPY);
	world.copies++;
	return 0;
}

/* Numbers are doubled, so that it can be told which records have ids. */
void call_paths_set_id(struct call_paths *paths, u32 *number, const struct path_moment *moment)
{
	*number *= 2;
}

int call_paths_replay(struct call_paths *paths)
{
	world.replays++;
	return 0;
}

void call_paths_live(struct call_paths *paths)
{
}

int record_paths_each(struct gapp_record *record, record_path_fn each, void *context)
{
	const struct path_moment moment = { 0 };

	if (record->type != GAPP_RECORD_SLICE)
		return 0;
	return each(context, &((struct gapp_record_slice *)record)->path, &moment, false);
}

struct sideband *sideband_new(struct wakeup *news, const char **reason)
{
	world.wakes = news;
	return THING;
}

void sideband_free(struct sideband *sideband)
{
}

void sideband_watch(struct sideband *sideband,
		    void (*each)(void *context, const struct sideband_event *event), void *context)
{
	world.each = each;
	world.context = context;
}

int sideband_read(struct sideband *sideband)
{
	static const struct sideband_event event = { .kind = SIDEBAND_MMAP };

	if (world.each)
		world.each(world.context, &event);
	return world.sideband_fails ? out_of_memory() : 0;
}

u64 sideband_apply(struct sideband *sideband, struct maps *maps, u64 time_ns)
{
	world.applied++;
	return UINT64_MAX;
}

static void note(char what)
{
	size_t len = strlen(world.what);

	if (len < sizeof(world.what) - 1)
		world.what[len] = what;
}

struct table_sync *table_sync_new(struct device *dev, struct objects *objects,
				  struct outdated *stale, bool every_exec, bool verbose)
{
	/* what one writes down the other reads */
	world.stale = stale;
	world.ready_fd = eventfd(0, EFD_CLOEXEC);
	return (struct table_sync *)objects;
}

void table_sync_free(struct table_sync *teach)
{
	if (teach)
		close(world.ready_fd);
}

bool table_sync_knows(const struct table_sync *sync, pid_t pid)
{
	return true;
}

void table_sync_attach(struct table_sync *teach, pid_t pid, bool children)
{
	note('a');
}

const struct object_tables *table_sync_tables(const struct table_sync *sync)
{
	return NULL;
}

void table_sync_expect(struct table_sync *sync, pid_t pid, char *const *command)
{
}

void table_sync_executed(struct table_sync *sync, pid_t pid)
{
}

void table_sync_event(struct table_sync *teach, const struct sideband_event *event)
{
	assert_int_equal(event->kind, SIDEBAND_MMAP);
	note('e');
}

void table_sync_asked(struct table_sync *teach, const struct gapp_record_need_mapping *record)
{
	assert_int_equal(record->head.type, GAPP_RECORD_NEED_MAPPING);
	note('n');
}

void table_sync_run(struct table_sync *teach)
{
	note('r');
}

void table_sync_settle(struct table_sync *teach, u64 deadline_ns, bool with_spins)
{
	assert_true(deadline_ns > clock_ns() && deadline_ns < clock_ns() + 10 * NSEC_PER_SEC);
	note('s');
	world.with_spins = with_spins;
}

u64 table_sync_due(const struct table_sync *teach)
{
	return world.due_ns;
}

int table_sync_fd(const struct table_sync *teach)
{
	return world.ready_fd;
}

void table_sync_get_figures(const struct table_sync *teach, struct table_sync_figures *figures)
{
	*figures = (struct table_sync_figures){ .sends = 3 };
}

struct symbols *symbols_new(const volatile bool *cancel)
{
	return THING;
}

void symbols_free(struct symbols *symbols)
{
}

void symbols_set_sources(struct symbols *symbols, const struct symbol_sources *sources)
{
}

void symbols_forget(struct symbols *symbols)
{
}

int symbols_name_generated(struct symbols *symbols)
{
	world.named_again++;
	return 0;
}

bool results_ask_servers(const struct results *results, struct symbols *symbols)
{
	return false;
}

void results_drop_rankings(struct results *results)
{
}

bool results_apart(const struct results *results)
{
	return results->target_count;
}

unsigned int results_n_min_most(const struct results *results)
{
	return results->model.status.n_min_most;
}

double results_critical_ns(const struct results *results)
{
	return share_to_ns(results->counters.critical_run);
}

unsigned int results_n_min_least(const struct results *results)
{
	return results->model.status.n_min_least;
}

void profile_show_kernel(struct profile *profile)
{
}

struct profile *profile_new(struct call_paths *stacks)
{
	return (struct profile *)stacks;
}

void profile_free(struct profile *profile)
{
}

int profile_add_slice(struct profile *profile, const struct gapp_record_slice *slice)
{
	return world.no_memory_after-- ? 0 : -1;
}

int profile_path_id(struct profile *profile, u32 path, u32 kernel,
		    const struct gapp_record_slice *slice, u32 *id)
{
	return -1;
}

struct path_names *path_names_new(struct profile *profile, struct symbols *symbols,
				  const struct wait_rules *rules)
{
	return NULL;
}

void path_names_free(struct path_names *names)
{
}

struct wait_views *wait_views_make(struct wait_store *store, u64 stop_ns,
				   const struct path_names *names, const struct ranked_waits *waits)
{
	return NULL;
}

void wait_views_free(struct wait_views *views)
{
}

struct section_views *section_views_make(struct sections *sections, const struct path_names *names,
					 const struct results *results)
{
	return NULL;
}

void section_views_free(struct section_views *views)
{
}

int handover_watch_look(struct handover_watch *watch, struct device *dev, struct maps *maps)
{
	return 0;
}

int handover_watch_slice(struct handover_watch *watch, struct profile *profile,
			 const struct gapp_record_slice *slice)
{
	return 0;
}

int handover_watch_make(struct handover_watch *watch, struct profile *profile,
			struct symbols *symbols, const struct options *options,
			const struct model *model)
{
	return 0;
}

void handover_watch_free(struct handover_watch *watch)
{
}

int profile_collect_waits(struct profile *profile, const struct wait_sources *sources, bool all)
{
	return 0;
}

void profile_waits_have_ends(struct profile *profile)
{
}

bool device_knows_waker_paths(const struct device *dev)
{
	return true;
}

void profile_waits_drain(struct profile *profile, u32 n_min)
{
}

int profile_wait_begins(struct profile *profile, const struct gapp_record_slice *slice, u32 *site)
{
	return 0;
}

void profile_wait_stored(struct profile *profile, u64 stored_ns)
{
}

int profile_wait_ends(struct profile *profile, const struct gapp_record_wake *wake)
{
	return 0;
}

int profile_wait_alone(struct profile *profile, const struct gapp_record_wait *wait)
{
	return 0;
}

int profile_rank_waits(struct profile *profile, struct symbols *symbols,
		       const struct profile_options *options, const struct ranking *paths,
		       struct ranked_waits *waits)
{
	*waits = (struct ranked_waits){ 0 };
	return 0;
}

int profile_woken_paths(struct profile *profile, struct symbols *symbols, struct woken_paths *woken)
{
	*woken = (struct woken_paths){ 0 };
	return 0;
}

void woken_paths_free(struct woken_paths *woken)
{
}

int profile_add_wait(struct profile *profile, const struct gapp_record_wait *wait)
{
	return world.no_memory_after-- ? 0 : -1;
}

void profile_add_lost(struct profile *profile, const struct gapp_record_lost *lost)
{
}

int profile_rank(struct profile *profile, struct symbols *symbols,
		 const struct profile_options *options, struct ranking *ranking)
{
	assert_int_equal(world.finished, 1);
	world.ranked = *options;
	/* so that each ranking tells what it was made by */
	ranking->count = 1 + options->by;
	return 0;
}

int profile_tree(struct profile *profile, struct symbols *symbols,
		 const struct profile_options *options, struct call_tree *tree)
{
	assert_int_equal(options->by, BY_PLACE);
	assert_int_equal(options->threads_only, world.ranked.threads_only);
	tree->count = 1;
	return 0;
}

int profile_regions(struct profile *profile, struct symbols *symbols, struct regions *regions)
{
	assert_int_equal(world.finished, 1);
	return 0;
}

void profile_sums(struct profile *profile, struct profile_sums *sums)
{
	sums->records = world.records;
}

static int print_record(const struct script *script)
{
	fputs("a record\n", script->out);
	/* as looking for a symbol's file would */
	errno = ENOENT;
	return 0;
}

int script_slice(struct script *script, const struct gapp_record_slice *slice)
{
	return print_record(script);
}

int script_wait(struct script *script, const struct gapp_record_wait *wait)
{
	return print_record(script);
}

void script_lost(struct script *script, const struct gapp_record_lost *lost)
{
	print_record(script);
}

void script_wake(struct script *script, const struct gapp_record_wake *wake)
{
	print_record(script);
}

int script_stack_copy(struct script *script, const struct gapp_record_stack_copy *copy)
{
	return print_record(script);
}

void script_need_mapping(struct script *script, const struct gapp_record_need_mapping *record)
{
	print_record(script);
}

void script_mark(struct script *script, const struct gapp_record_mark *mark)
{
	print_record(script);
}

struct kept_records *kept_records_new(struct call_paths *paths, struct blocks_writer *writer)
{
	return (struct kept_records *)&world.kept;
}

void kept_records_free(struct kept_records *kept)
{
}

int kept_records_add(struct kept_records *kept, const struct gapp_record *record)
{
	world.kept++;
	return 0;
}

int results_advise(struct results *results)
{
	return 0;
}
