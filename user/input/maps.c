// SPDX-License-Identifier: GPL-2.0
#include "maps.h"

#include <errno.h>
#include <signal.h>

#include "mappings.h"
#include "proc_maps.h"
#include "util/hash_index.h"

#define PROCESSES_MAX 131072
/* Least time between readings of a process's mappings: if events may be missing, and if not. */
#define READ_PAUSE_NS (NSEC_PER_SEC / 10)
#define READ_PAUSE_WHOLE_NS NSEC_PER_SEC
#define SWEEP_NS NSEC_PER_SEC
#define CHECK_NS (10 * NSEC_PER_SEC)
/* Records of an exited process may still be in the rings. */
#define KEEP_EXITED_NS (10 * NSEC_PER_SEC)

/**
 * struct process - what one process has mapped
 * @mappings: the mappings that are known
 * @generator: the process, if it generates code, since its exec or fork; else NULL
 * @pid: process id
 * @image: without a side-band: the image in the process's last record; 0: no record came
 * @epoch: the maps' @epoch when @mappings were right
 * @whole: @mappings has all since the process's exec or fork
 * @exited: the process, or at least its first thread, has exited
 * @exited_ns: when the process exited, or when its other threads were last seen after that
 * @checked_ns: when the process was last seen to exist
 * @read_ns: when /proc was last read, CLOCK_MONOTONIC; 0: never
 * @changed: the maps' @changes when a mapping last replaced another one; 0: none did
 */
struct process {
	struct mappings *mappings;
	struct generator *generator;
	pid_t pid;
	u32 image;
	u32 epoch;
	bool whole;
	bool exited;
	u64 exited_ns;
	u64 checked_ns;
	u64 read_ns;
	u64 changed;
};

/**
 * struct maps - mappings of all processes
 * @objects: the objects of all mappings
 * @unknown: the object of addresses where nothing is known to be mapped
 * @processes: struct process by process id
 * @now_ns: time of the last event or look-up
 * @swept_ns: time of the last sweep
 * @changes: see maps_changes()
 * @epoch: how often events were lost
 * @followed: there is a side-band
 * @starved: a complaint about memory was made
 */
struct maps {
	struct objects *objects;
	struct object *unknown;
	struct key_map processes;
	u64 now_ns;
	u64 swept_ns;
	u64 changes;
	u32 epoch;
	bool followed;
	bool starved;
};

struct maps *maps_new(struct objects *objects)
{
	struct object *unknown = objects_get(objects, OBJECT_UNKNOWN, "[unknown]");
	struct maps *maps = unknown ? calloc(1, sizeof(*maps)) : NULL;

	if (!maps)
		return NULL;
	maps->objects = objects;
	maps->unknown = unknown;
	return maps;
}

static struct process *process_at(const struct maps *maps, u32 entry)
{
	return maps->processes.entries[entry].value;
}

static void drop(struct maps *maps, struct process *process)
{
	key_map_remove(&maps->processes, process->pid);
	mappings_release(process->mappings, maps->objects);
	generator_release(process->generator);
	free(process);
}

void maps_free(struct maps *maps)
{
	if (!maps)
		return;
	while (maps->processes.count)
		drop(maps, process_at(maps, maps->processes.count - 1));
	key_map_free(&maps->processes);
	free(maps);
}

/* Complains once. Returns -1. */
static int starve(struct maps *maps)
{
	if (!maps->starved)
		complain("out of memory: some functions will have no name");
	maps->starved = true;
	return -1;
}

/* Forgets all that is known of the process but its id. */
static void forget(struct maps *maps, struct process *process)
{
	mappings_release(process->mappings, maps->objects);
	generator_release(process->generator);
	process->mappings = NULL;
	process->generator = NULL;
	process->whole = false;
	process->exited = false;
	process->epoch = maps->epoch;
	process->checked_ns = maps->now_ns;
	process->read_ns = 0;
	process->changed = 0;
}

static void mark_exited(struct maps *maps, struct process *process)
{
	process->exited = true;
	process->exited_ns = maps->now_ns;
}

/* Whether the process has ended, all its threads. Without events its id may have a new owner. */
static bool is_over(struct maps *maps, struct process *process)
{
	if (!process->exited || maps->now_ns - process->exited_ns < KEEP_EXITED_NS)
		return false;
	if (!maps->followed || !proc_other_thread(process->pid))
		return true;
	process->exited_ns = maps->now_ns;
	return false;
}

static void check(struct maps *maps, struct process *process)
{
	if (process->exited || maps->now_ns - process->checked_ns < CHECK_NS)
		return;
	process->checked_ns = maps->now_ns;
	if (kill(process->pid, 0) < 0 && errno == ESRCH)
		mark_exited(maps, process);
}

static void sweep(struct maps *maps, bool only_living)
{
	maps->swept_ns = maps->now_ns;
	for (u32 i = maps->processes.count; i--;) {
		struct process *process = process_at(maps, i);

		check(maps, process);
		if (only_living ? process->exited : is_over(maps, process))
			drop(maps, process);
	}
}

void maps_advance(struct maps *maps, u64 time_ns)
{
	if (time_ns <= maps->now_ns)
		return;
	maps->now_ns = time_ns;
	if (time_ns - maps->swept_ns >= SWEEP_NS)
		sweep(maps, false);
}

/* Makes the process if it is not known, and may drop processes that have exited. NULL: no room. */
static struct process *get_process(struct maps *maps, pid_t pid)
{
	struct process *process = key_map_find(&maps->processes, pid);

	/* a process of another PID namespace has no id here */
	if (process || pid <= 0)
		return process;
	if (maps->processes.count >= PROCESSES_MAX)
		sweep(maps, true);
	if (maps->processes.count < PROCESSES_MAX)
		process = calloc(1, sizeof(*process));
	if (!process || key_map_add(&maps->processes, pid, process)) {
		free(process);
		starve(maps);
		return NULL;
	}
	process->pid = pid;
	forget(maps, process);
	return process;
}

/**
 * struct reading - /proc/PID/maps being read
 * @maps: the maps that @process is in
 * @process: the process whose mappings are read
 * @mappings: the result
 * @add: add a line only where @mappings has nothing
 */
struct reading {
	struct maps *maps;
	struct process *process;
	struct mappings *mappings;
	bool add;
};

/*
 * On overlayfs or btrfs a file may have one device and inode in events, and others in /proc. The
 * reader keeps the numbers that it saw first, so that one file does not become two objects.
 */
static bool is_known(const struct mappings *mappings, const struct proc_mapping *line,
		     const struct object *object)
{
	const struct mapping *known = mappings_find(mappings, line->start);

	return known && known->start == line->start && known->end == line->end &&
	       known->offset == line->offset && known->object->kind == object->kind &&
	       !strcmp(known->object->path, object->path);
}

/* Name of the program, which is mapped below its libraries; "": it is not known. */
static const char *program_name(const struct mappings *mappings)
{
	const struct mapping *list = mappings_list(mappings);

	for (size_t i = 0; i < mappings_count(mappings); i++) {
		const struct object *object = list[i].object;

		if (object->kind == OBJECT_FILE && !strstr(object->name, ".so"))
			return object->name;
	}
	return "";
}

/*
 * The object of generated code that @mappings have at an address, if it is the process's own. What
 * a child has of its parent is the parent's.
 */
static struct object *generated_at(const struct process *process, const struct mappings *mappings,
				   u64 address, const char *path)
{
	const struct mapping *mapping = mappings_find(mappings, address);

	if (!mapping || !process->generator || mapping->object->generator != process->generator ||
	    !object_is_generated_as(mapping->object, path))
		return NULL;
	return mapping->object;
}

/*
 * Holds the object of generated code at @start. Mappings that follow each other are one object,
 * because the kernel shows what a program maps piece by piece, sometimes as one mapping. @mappings:
 * those that are known.
 */
static struct object *hold_generated(struct maps *maps, struct process *process,
				     const struct mappings *mappings, u64 start, const char *path)
{
	struct object *object = generated_at(process, mappings, start, path);

	if (!object && start)
		object = generated_at(process, mappings, start - 1, path);
	if (object) {
		object_hold_again(object);
		return object;
	}
	if (!process->generator)
		process->generator = generator_new(process->pid, program_name(mappings));
	if (!process->generator)
		return NULL;
	return objects_hold_generated(maps->objects, path, start, process->generator);
}

/*
 * A process that maps its own JIT dump generates code. @mappings: those that are known. Returns 0,
 * or -1 without memory.
 */
static int note_dump(struct process *process, const struct mappings *mappings, const char *path)
{
	struct generator *generator = process->generator;
	int error;

	if (!generator_is_dump(path))
		return 0;
	if (!generator)
		generator = generator_new(process->pid, program_name(mappings));
	error = generator ? generator_note_dump(generator, path) : -1;
	if (!process->generator && generator && generator->dump)
		process->generator = generator;
	else if (!process->generator)
		generator_release(generator);
	return error;
}

/* The object of a line, held. */
static struct object *hold_line(struct reading *reading, const struct proc_mapping *line)
{
	const struct mapping *known = mappings_find(reading->process->mappings, line->start);
	const struct mappings *mappings = reading->mappings;

	if (!object_is_generated(line->path))
		return objects_hold(reading->maps->objects, line->path, line->dev, line->inode,
				    reading->process->pid);
	/* also what the parent generated */
	if (known && object_is_generated_as(known->object, line->path)) {
		object_hold_again(known->object);
		return known->object;
	}
	return hold_generated(reading->maps, reading->process, mappings, line->start, line->path);
}

static int take_line(void *context, const struct proc_mapping *line)
{
	struct reading *reading = context;
	struct objects *objects = reading->maps->objects;
	struct mapping mapping = { .start = line->start, .end = line->end };

	if (mappings_count(reading->mappings) >= MAPPINGS_MAX)
		return -1;
	mapping.object = hold_line(reading, line);
	if (!mapping.object)
		return starve(reading->maps);
	if (note_dump(reading->process, reading->mappings, line->path))
		starve(reading->maps);
	mapping.offset = mapping.object->kind == OBJECT_FILE ? line->offset : 0;
	if (is_known(reading->process->mappings, line, mapping.object)) {
		objects_release(objects, mapping.object);
		mapping.object = mappings_find(reading->process->mappings, line->start)->object;
		object_hold_again(mapping.object);
	}
	if (reading->add ? mappings_fill(&reading->mappings, objects, &mapping) :
			   mappings_put(&reading->mappings, objects, &mapping))
		return starve(reading->maps);
	return 0;
}

static bool is_replaced(const struct mappings *old, const struct mappings *new)
{
	const struct mapping *list = mappings_list(new);

	for (size_t i = 0; i < mappings_count(new); i++)
		if (mappings_replaces(old, &list[i]))
			return true;
	return false;
}

/*
 * Reads /proc/PID/maps. If events are complete, lines are added only where nothing is known:
 * records to come may still be about a mapping that was replaced, and the event of its replacement
 * is still to be applied. Else the lines replace what was known.
 */
static int read_process(struct maps *maps, struct process *process)
{
	bool add = maps->followed && process->epoch == maps->epoch &&
		   mappings_count(process->mappings) < MAPPINGS_MAX;
	struct reading reading = { .maps = maps, .process = process, .add = add };
	ssize_t count;

	if (add)
		reading.mappings = mappings_share(process->mappings);
	process->read_ns = clock_ns();
	count = proc_maps_read(process->pid, take_line, &reading);
	if (count <= 0) {
		if (count < 0 && (errno == ENOENT || errno == ESRCH))
			mark_exited(maps, process);
		mappings_release(reading.mappings, maps->objects);
		return count;
	}
	if (is_replaced(process->mappings, reading.mappings))
		process->changed = ++maps->changes;
	mappings_release(process->mappings, maps->objects);
	process->mappings = reading.mappings;
	process->epoch = maps->epoch;
	process->whole = true;
	return 0;
}

static bool read_again(struct maps *maps, struct process *process)
{
	bool events_tell = maps->followed && process->whole && process->epoch == maps->epoch;
	u64 pause = events_tell ? READ_PAUSE_WHOLE_NS : READ_PAUSE_NS;

	if (process->exited || (process->read_ns && clock_ns() - process->read_ns < pause))
		return false;
	return !read_process(maps, process);
}

/* Like get_process(), but reads the mappings again if events were lost. */
static struct process *get_current(struct maps *maps, pid_t pid)
{
	struct process *process = get_process(maps, pid);

	if (process && process->epoch != maps->epoch)
		read_again(maps, process);
	return process;
}

int maps_read(struct maps *maps, pid_t pid)
{
	struct process *process = get_process(maps, pid);

	return process ? read_process(maps, process) : -1;
}

void maps_image(struct maps *maps, pid_t pid, u32 image)
{
	struct process *process;

	if (maps->followed)
		return;
	process = get_process(maps, pid);
	if (!process || process->image == image)
		return;
	if (process->image) {
		forget(maps, process);
	} else {
		/* mappings that were read before may be those of an earlier program */
		process->epoch = maps->epoch - 1;
		process->read_ns = 0;
	}
	process->image = image;
}

void maps_mmap(struct maps *maps, pid_t pid, u64 start, u64 length, u64 offset, dev_t dev,
	       u64 inode, const char *path)
{
	struct mapping mapping = { .start = start, .end = start + length };
	struct process *process = get_process(maps, pid);

	maps->followed = true;
	if (!process || mapping.end <= start)
		return;
	if (process->exited)
		process->exited_ns = maps->now_ns;
	/* no event tells of an unmap: with so many mappings, some must be unmapped by now */
	if (mappings_count(process->mappings) >= MAPPINGS_MAX && !read_again(maps, process))
		forget(maps, process);
	if (object_is_generated(path))
		mapping.object = hold_generated(maps, process, process->mappings, start, path);
	else
		mapping.object = objects_hold(maps->objects, path, dev, inode, pid);
	if (!mapping.object) {
		starve(maps);
		return;
	}
	if (note_dump(process, process->mappings, path))
		starve(maps);
	mapping.offset = mapping.object->kind == OBJECT_FILE ? offset : 0;
	if (mappings_replaces(process->mappings, &mapping))
		process->changed = ++maps->changes;
	if (mappings_put(&process->mappings, maps->objects, &mapping))
		starve(maps);
}

void maps_exec(struct maps *maps, pid_t pid)
{
	struct process *process = get_process(maps, pid);

	maps->followed = true;
	if (!process)
		return;
	forget(maps, process);
	process->whole = true;
}

void maps_fork(struct maps *maps, pid_t pid, pid_t parent)
{
	struct process *child = get_process(maps, pid), *from;

	maps->followed = true;
	if (!child)
		return;
	/* first, or get_process(parent) could drop the child as exited */
	forget(maps, child);
	from = get_process(maps, parent);
	if (!from || from == child)
		return;
	if (!from->whole)
		read_again(maps, from);
	child->mappings = mappings_share(from->mappings);
	child->whole = from->whole;
	child->epoch = from->epoch;
}

void maps_exit(struct maps *maps, pid_t pid)
{
	struct process *process = key_map_find(&maps->processes, pid);

	maps->followed = true;
	if (process && !process->exited)
		mark_exited(maps, process);
}

void maps_missed(struct maps *maps)
{
	maps->followed = true;
	maps->epoch++;
	maps->changes++;
	/* a lost event may have been the fork of another process with the same id */
	for (u32 i = 0; i < maps->processes.count; i++) {
		struct process *process = process_at(maps, i);

		process->exited = false;
		process->read_ns = 0;
		process->changed = maps->changes;
	}
}

const u64 *maps_changes(const struct maps *maps)
{
	return &maps->changes;
}

bool maps_changed_since(struct maps *maps, pid_t pid, u64 changes)
{
	const struct process *process = key_map_find(&maps->processes, pid);

	return process && process->changed > changes;
}

const struct mappings *maps_list(struct maps *maps, pid_t pid)
{
	struct process *process = get_current(maps, pid);

	return process ? process->mappings : NULL;
}

struct code_address maps_find(struct maps *maps, pid_t pid, u64 address)
{
	struct process *process = get_current(maps, pid);

	if (process && !mappings_find(process->mappings, address))
		read_again(maps, process);
	return maps_find_in(maps, process ? process->mappings : NULL, address);
}

struct code_address maps_find_in(const struct maps *maps, const struct mappings *mappings,
				 u64 address)
{
	struct code_address place = { .object = maps->unknown, .offset = address };
	const struct mapping *mapping = mappings_find(mappings, address);

	if (!mapping)
		return place;
	object_keep(mapping->object);
	place.object = mapping->object;
	if (place.object->kind == OBJECT_FILE || place.object->kind == OBJECT_VDSO)
		place.offset = address - mapping->start + mapping->offset;
	return place;
}
