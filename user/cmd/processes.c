// SPDX-License-Identifier: GPL-2.0
#include "processes.h"

#include <errno.h>
#include <time.h>

#include "util/each_process.h"

#define NSEC_PER_MSEC (NSEC_PER_SEC / 1000)
/* Wakeups that follow each other faster are handled together. */
#define WAKEUP_PAUSE_NS (2 * NSEC_PER_MSEC)
/* Longest wait for tables before START; the first paths lack a table that takes longer. */
#define SETTLE_NS (3 * NSEC_PER_SEC)

static void sync_event(void *context, const struct sideband_event *event)
{
	const struct processes *processes = context;

	table_sync_event(processes->table_sync, event);
	if (processes->commands && event->kind == SIDEBAND_EXEC &&
	    table_sync_knows(processes->table_sync, event->pid))
		command_lines_executed(processes->commands, event->pid);
}

static int start_table_sync(struct processes *processes, struct device *dev)
{
	const struct options *options = processes->options;

	processes->outdated = outdated_new();
	if (!processes->outdated)
		return out_of_memory();
	processes->table_sync = table_sync_new(dev, processes->objects, processes->outdated,
					       options->exe || options->comm || options->cgroup,
					       options->verbose);
	if (!processes->table_sync)
		return out_of_memory();
	if (wakeup_open(&processes->wakeup) ||
	    wakeup_add(&processes->wakeup, table_sync_fd(processes->table_sync))) {
		complain("cannot wait for unwind tables: %s", strerror(errno));
		return -1;
	}
	return 0;
}

/*
 * With -a events are too many to wake the reader, so the reader sends only mappings that the module
 * asks for.
 */
static void open_sideband(struct processes *processes)
{
	bool wakes = processes->table_sync && !processes->options->all;
	const char *reason;

	processes->sideband = sideband_new(wakes ? &processes->wakeup : NULL, &reason);
	if (!processes->sideband && processes->options->verbose)
		complain("mappings are read from /proc alone: %s", reason);
	if (processes->sideband && processes->table_sync)
		sideband_watch(processes->sideband, sync_event, processes);
}

int processes_init(struct processes *processes, struct device *dev, const struct options *options)
{
	*processes = (struct processes){ .options = options, .wakeup = WAKEUP_NONE };
	processes->objects = objects_new();
	processes->maps = processes->objects ? maps_new(processes->objects) : NULL;
	if (!processes->maps)
		return out_of_memory();
	if (device_unwinds_by_tables(dev) && start_table_sync(processes, dev))
		return -1;
	open_sideband(processes);
	return 0;
}

void processes_free(struct processes *processes)
{
	sideband_free(processes->sideband);
	table_sync_free(processes->table_sync);
	outdated_free(processes->outdated);
	wakeup_close(&processes->wakeup);
	maps_free(processes->maps);
	objects_free(processes->objects);
}

static int read_maps(void *maps, pid_t pid)
{
	maps_read(maps, pid);
	return 0;
}

void processes_attach(struct processes *processes, pid_t pid)
{
	if (pid >= 0) {
		maps_read(processes->maps, pid);
		if (processes->table_sync)
			table_sync_attach(processes->table_sync, pid,
					  !processes->options->no_inherit);
		return;
	}
	each_process(read_maps, processes->maps);
}

void processes_expect(struct processes *processes, pid_t pid, char *const *command)
{
	maps_read(processes->maps, pid);
	if (processes->table_sync)
		table_sync_expect(processes->table_sync, pid, command);
}

static void set_alarm(struct processes *processes)
{
	wakeup_at(&processes->wakeup, table_sync_due(processes->table_sync));
}

void processes_executed(struct processes *processes, pid_t pid)
{
	if (!processes->table_sync)
		return;
	table_sync_executed(processes->table_sync, pid);
	set_alarm(processes);
}

int processes_read(struct processes *processes)
{
	processes->due_ns = 0;
	return processes->sideband ? sideband_read(processes->sideband) : 0;
}

static void asked(void *context, const struct gapp_record *record)
{
	table_sync_asked(context, (const struct gapp_record_need_mapping *)record);
}

void processes_sync(struct processes *processes, struct rings *rings)
{
	if (!processes->table_sync)
		return;
	/* requests do not wait for their turn in the order of time: until then paths are cut */
	rings_scan(rings, GAPP_RECORD_NEED_MAPPING, asked, processes->table_sync);
	table_sync_run(processes->table_sync);
	set_alarm(processes);
}

int processes_woken(struct processes *processes, struct rings *rings)
{
	u64 since = clock_ns() - processes->woken_ns;

	if (!processes->table_sync)
		return 0;
	if (since < WAKEUP_PAUSE_NS)
		nanosleep(&(struct timespec){ .tv_nsec = WAKEUP_PAUSE_NS - since }, NULL);
	processes->woken_ns = clock_ns();
	/* before reading, so that an event that comes meanwhile wakes the reader again */
	wakeup_clear(&processes->wakeup);
	if (processes_read(processes))
		return -1;
	processes_sync(processes, rings);
	/* no record is of a time before START, so all events until now may be applied */
	if (!processes->started)
		processes_passed(processes, clock_ns());
	return 0;
}

void processes_settle(struct processes *processes, bool with_spins)
{
	if (!processes->table_sync)
		return;
	table_sync_settle(processes->table_sync, clock_ns() + SETTLE_NS, with_spins);
	set_alarm(processes);
}

void processes_bring_up(struct processes *processes, u64 time_ns, pid_t pid, u32 image)
{
	if (processes->sideband) {
		processes->due_ns = sideband_apply(processes->sideband, processes->maps, time_ns);
		return;
	}
	maps_advance(processes->maps, time_ns);
	if (pid)
		maps_image(processes->maps, pid, image);
}

void processes_passed(struct processes *processes, u64 time_ns)
{
	if (processes->sideband)
		sideband_apply(processes->sideband, processes->maps, time_ns);
}
