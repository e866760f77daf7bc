/* SPDX-License-Identifier: GPL-2.0 */
/* A process and what the module is told of it, for each test. */
#ifndef GAPP_TESTS_TEACH_TEST_H
#define GAPP_TESTS_TEACH_TEST_H

#include "sync_rig.h"

#include <unistd.h>

#include "input/proc_maps.h"
#include "table-sync/sync.h"

static struct device device = { .fd = MODULE_FD, .unwind_by = GAPP_UNWIND_BY_AUTO };
static struct objects *objects;
static struct outdated *stale;
static struct table_sync *teach;
static struct subject subject;

static inline void begin_with(bool every_exec)
{
	objects = objects_new();
	stale = outdated_new();
	assert_non_null(stale);
	teach = table_sync_new(&device, objects, stale, every_exec, true);
	assert_non_null(teach);
	subject_begin(&subject);
}

static inline void begin(void)
{
	begin_with(false);
}

static inline void end(void)
{
	subject_end(&subject);
	table_sync_free(teach);
	outdated_free(stale);
	objects_free(objects);
}

static inline void settle(void)
{
	table_sync_settle(teach, clock_ns() + SECONDS(20), true);
}

static inline void attach(void)
{
	table_sync_attach(teach, subject.pid, true);
	settle();
}

static inline void happens(enum sideband_kind kind, pid_t pid, pid_t parent)
{
	struct sideband_event event = {
		.kind = kind,
		.time_ns = clock_ns(),
		.pid = pid,
		.parent = parent,
	};

	table_sync_event(teach, &event);
}

static inline void asks(pid_t pid)
{
	struct gapp_record_need_mapping record = { .tgid = pid };

	table_sync_asked(teach, &record);
}

static inline void sleep_ms(unsigned int ms)
{
	usleep(ms * 1000);
}

static inline struct table_sync_figures figures(void)
{
	struct table_sync_figures figures;

	table_sync_get_figures(teach, &figures);
	return figures;
}

/* Every line is known to the module, a file's with the table of that file. */
static inline int check_line(void *context, const struct proc_mapping *line)
{
	const struct gapp_mapping *map = module_map(subject.pid, line->start);

	(void)context;
	if (!strcmp(line->path, "[vsyscall]"))
		return 0;
	assert_non_null(map);
	assert_true(map->begin <= line->start && map->end >= line->end);
	if (line->inode) {
		assert_true(module_inode(subject.pid, line->start) == line->inode);
		assert_true(map->bias == line->start - line->offset);
	} else if (!strcmp(line->path, "[vdso]")) {
		assert_true(module_inode(subject.pid, line->start));
	}
	return 0;
}

static inline void attaching_tells_all(void **state)
{
	struct table_sync_figures told;

	(void)state;
	make_file("a", 'a');
	begin();
	subject_maps(&subject, file_path("a"));
	attach();
	assert_true(proc_maps_read(subject.pid, check_line, NULL) > 4);
	told = figures();
	assert_true(told.on && told.objects.tables == module.tables && told.processes == 1);
	assert_int_equal(told.objects.table_bytes, 8 * told.objects.tables);
	assert_int_equal(told.sends, module.set);
	assert_int_equal(table_sync_due(teach), 0);
	end();
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, rig_begin, rig_end)

#endif /* GAPP_TESTS_TEACH_TEST_H */
