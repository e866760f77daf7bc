// SPDX-License-Identifier: GPL-2.0
#include "capture_world.h"

#include <errno.h>
#include <sys/eventfd.h>

#include "input/rings.h"
#include "report/script.h"
#include "table-sync/sync.h"

struct world world;

/* What is only handed around. */
static char thing;
#define THING ((void *)&thing)

int device_layout(struct device *dev, struct gapp_layout *layout)
{
	(void)dev;
	(void)layout;
	return 0;
}

int device_status(struct device *dev, struct gapp_status *status)
{
	(void)dev;
	*status = (struct gapp_status){ .start_ns = 1 };
	return 0;
}

bool device_walks_by_tables(const struct device *dev)
{
	(void)dev;
	return world.by_tables;
}

struct rings *rings_new(int fd, const struct gapp_layout *layout)
{
	(void)fd;
	(void)layout;
	return THING;
}

void rings_free(struct rings *rings)
{
	(void)rings;
}

unsigned int rings_fill(const struct rings *rings)
{
	(void)rings;
	return world.fill;
}

void rings_pass(struct rings *rings, u16 type)
{
	(void)rings;
	assert_int_equal(type, GAPP_RECORD_WAKE);
}

void rings_scan(struct rings *rings, u16 type,
		void (*each)(void *context, const struct gapp_record *record), void *context)
{
	struct gapp_record_need_mapping record = { .head = { .type = type } };

	(void)rings;
	assert_int_equal(type, GAPP_RECORD_NEED_MAPPING);
	for (; world.needmaps; world.needmaps--)
		each(context, &record.head);
}

/* Before each of the records there are a copy of a stack and a question. */
s64 rings_drain(struct rings *rings, u64 until_ns,
		int (*each)(void *context, const struct gapp_record *record), void *context)
{
	struct gapp_record record = { .type = GAPP_RECORD_WAKE, .size = sizeof(record) };
	struct gapp_record_stack_copy copy = { .head = { .type = GAPP_RECORD_STACK_COPY } };
	struct gapp_record_need_mapping needmap = { .head = { .type = GAPP_RECORD_NEED_MAPPING } };

	(void)rings;
	world.until = until_ns;
	world.drains++;
	for (unsigned int i = 0; i < world.records; i++)
		if (each(context, &needmap.head) || each(context, &copy.head) ||
		    each(context, &record))
			return -1;
	return world.bad_rings ? -1 : (s64)world.records;
}

struct objects *objects_new(void)
{
	return THING;
}

void objects_free(struct objects *objects)
{
	(void)objects;
}

struct maps *maps_new(struct objects *objects)
{
	return (struct maps *)objects;
}

void maps_free(struct maps *maps)
{
	(void)maps;
}

int maps_read(struct maps *maps, pid_t pid)
{
	(void)maps;
	(void)pid;
	return 0;
}

void maps_advance(struct maps *maps, u64 time_ns)
{
	(void)maps;
	(void)time_ns;
}

void maps_image(struct maps *maps, pid_t pid, u32 image)
{
	(void)maps;
	(void)pid;
	(void)image;
}

struct call_paths *call_paths_new(struct objects *objects, struct maps *maps,
				  const struct rings *rings)
{
	(void)maps;
	(void)rings;
	return (struct call_paths *)objects;
}

void call_paths_free(struct call_paths *paths)
{
	(void)paths;
}

void call_paths_set_outdated(struct call_paths *paths, const struct stale *stale)
{
	(void)paths;
	assert_non_null(stale);
	world.stale = stale;
}

int call_paths_add_copy(struct call_paths *paths, const struct gapp_record_stack_copy *copy)
{
	(void)paths;
	assert_int_equal(copy->head.type, GAPP_RECORD_STACK_COPY);
	world.copies++;
	return 0;
}

struct sideband *sideband_new(struct news *news, const char **reason)
{
	(void)reason;
	world.wakes = news;
	return THING;
}

void sideband_free(struct sideband *sideband)
{
	(void)sideband;
}

void sideband_tell(struct sideband *sideband,
		   void (*each)(void *context, const struct sideband_event *event), void *context)
{
	(void)sideband;
	world.each = each;
	world.context = context;
}

int sideband_read(struct sideband *sideband)
{
	static const struct sideband_event event = { .kind = SIDEBAND_MMAP };

	(void)sideband;
	if (world.each)
		world.each(world.context, &event);
	return world.sideband_fails ? out_of_memory() : 0;
}

u64 sideband_apply(struct sideband *sideband, struct maps *maps, u64 time_ns)
{
	(void)sideband;
	(void)maps;
	(void)time_ns;
	return UINT64_MAX;
}

static void note(char what)
{
	size_t len = strlen(world.what);

	if (len < sizeof(world.what) - 1)
		world.what[len] = what;
}

struct teach *teach_new(struct device *dev, struct objects *objects, struct stale *stale,
			bool every_exec, bool verbose)
{
	(void)dev;
	/* what one writes down the other reads */
	assert_ptr_equal(stale, world.stale);
	(void)every_exec;
	(void)verbose;
	world.ready_fd = eventfd(0, EFD_CLOEXEC);
	return (struct teach *)objects;
}

void teach_free(struct teach *teach)
{
	if (teach)
		close(world.ready_fd);
}

void teach_attach(struct teach *teach, pid_t pid, bool children)
{
	(void)teach;
	(void)pid;
	(void)children;
	note('a');
}

void teach_event(struct teach *teach, const struct sideband_event *event)
{
	(void)teach;
	assert_int_equal(event->kind, SIDEBAND_MMAP);
	note('e');
}

void teach_needmap(struct teach *teach, const struct gapp_record_need_mapping *record)
{
	(void)teach;
	assert_int_equal(record->head.type, GAPP_RECORD_NEED_MAPPING);
	note('n');
}

void teach_run(struct teach *teach)
{
	(void)teach;
	note('r');
}

void teach_settle(struct teach *teach, u64 deadline_ns)
{
	(void)teach;
	assert_true(deadline_ns > clock_ns() && deadline_ns < clock_ns() + 10 * NSEC_PER_SEC);
	note('s');
}

u64 teach_due(const struct teach *teach)
{
	(void)teach;
	return world.due_ns;
}

int teach_fd(const struct teach *teach)
{
	(void)teach;
	return world.ready_fd;
}

void teach_get_figures(const struct teach *teach, struct teach_figures *figures)
{
	(void)teach;
	*figures = (struct teach_figures){ .pushes = 3 };
}

struct symbols *symbols_new(const volatile bool *cancel)
{
	(void)cancel;
	return THING;
}

void symbols_free(struct symbols *symbols)
{
	(void)symbols;
}

struct profile *profile_new(struct call_paths *paths)
{
	return (struct profile *)paths;
}

void profile_free(struct profile *profile)
{
	(void)profile;
}

int profile_add(struct profile *profile, const struct gapp_record *record)
{
	(void)profile;
	(void)record;
	return world.no_memory_after-- ? 0 : -1;
}

int profile_add_slice(struct profile *profile, const struct gapp_record_slice *slice)
{
	return profile_add(profile, &slice->head);
}

int profile_rank(struct profile *profile, struct symbols *symbols,
		 const struct profile_options *options, struct ranking *ranking)
{
	(void)profile;
	(void)symbols;
	(void)options;
	(void)ranking;
	return 0;
}

void profile_sums(struct profile *profile, struct profile_sums *sums)
{
	(void)profile;
	(void)sums;
}

int script_record(FILE *out, const struct gapp_record *record, struct call_paths *paths,
		  struct symbols *symbols, u64 start_ns)
{
	(void)record;
	(void)paths;
	(void)symbols;
	(void)start_ns;
	fputs("a record\n", out);
	/* as looking for a symbol's file would */
	errno = ENOENT;
	return 0;
}
