// SPDX-License-Identifier: GPL-2.0
#include "sync.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "input/program_files.h"
#include "mapping_set.h"

#define NSEC_PER_MSEC (NSEC_PER_SEC / 1000)
/*
 * A program maps its libraries one after the other, so the reader waits until so long after the
 * last mmap, and for the tables of what is mapped. It sends what it has after HELD_NS.
 */
#define QUIET_NS NSEC_PER_MSEC
#define HELD_NS (40 * NSEC_PER_MSEC)
/*
 * Least time between two sends of one process. After MANY sends without a long pause the time is
 * PAUSE_PER_COST times what the last send took, which bounds the CPU time of sends to some percent.
 */
#define PAUSE_NS (5 * NSEC_PER_MSEC)
#define PAUSE_PER_COST 32
#define MANY 50
#define LONG_PAUSE_NS NSEC_PER_SEC
/* Least time if only the module asks: the reader may have nothing better to send. */
#define ASKED_PAUSE_NS (100 * NSEC_PER_MSEC)
/* Longest table_sync_run(), because the reader must read records in time, too. */
#define RUN_NS (20 * NSEC_PER_MSEC)
#define TABLES_MISSING -1 /* beside error numbers */
/*
 * So long after its exec an expected process may be unknown to the module: the side-band tells of
 * an exec some time before the module's probe meets it.
 */
#define UNKNOWN_NS NSEC_PER_SEC
/* Tries for a process that executes another program before its mappings arrive. */
#define TRIES 3
/* The reader keeps the module's mappings of at most this many processes current. */
#define PROCESSES_MAX 4096
/* Words of a command that may name programs: its own, and that which env or mpirun executes. */
#define WORDS 16
/* How often the reader looks which processes have exited; and how often with PROCESSES_MAX. */
#define SWEEP_NS (10 * NSEC_PER_SEC)
#define SWEEP_FULL_NS NSEC_PER_SEC

/**
 * struct process - a process whose mappings the module has, or is to have
 * @pid: process id
 * @expected: it will execute a command; nothing is sent before
 * @dirty: its mappings may have changed since they were sent
 * @known_ns: until then the module may not know the process yet
 * @due_ns: with @dirty: when to send them
 * @latest_ns: with @dirty: when to send them even if tables are missing
 * @rests_ns: they are not sent before then
 * @asked_ns: they are not sent before then if only the module asks
 * @sent_ns: when they were sent last; 0: never, the module copied those of the parent
 * @sends: sends without a long pause between them
 * @begin_ns: when the reading of @mapped began; after a fork, when the process forked
 * @end_ns: when the module had @mapped
 * @before: what was sent the time before
 * @before_ns: when the reading of @before began
 * @mapped: what was sent last; after a fork, what the parent had
 */
struct process {
	pid_t pid;
	bool expected;
	bool dirty;
	u64 known_ns;
	u64 due_ns;
	u64 latest_ns;
	u64 rests_ns;
	u64 asked_ns;
	u64 sent_ns;
	u32 sends;
	u64 begin_ns;
	u64 end_ns;
	struct sent before;
	u64 before_ns;
	struct mapped mapped;
};

/**
 * struct table_sync - all processes of a session
 * @tables: the objects that processes map
 * @set: mappings of the process that is being sent
 * @outdated: gets the times when mappings of the module were outdated
 * @every_exec: any process that executes a program may belong to the target
 * @off: the module takes no mappings
 * @complained: a complaint was made
 * @processes: struct process by process id
 * @dirty: processes that are @dirty
 * @hand: entry of @processes to begin the next run with, so that each has its turn
 * @due_ns: least @due_ns of the dirty processes; 0: none is dirty
 * @swept_ns: when the reader last looked which processes have exited
 * @figures: all but those of @tables
 */
struct table_sync {
	struct object_tables tables;
	struct mapping_set set;
	struct outdated *outdated;
	bool every_exec;
	bool off;
	bool complained;
	struct key_map processes;
	u32 dirty;
	u32 hand;
	u64 due_ns;
	u64 swept_ns;
	struct table_sync_figures figures;
};

struct table_sync *table_sync_new(struct device *dev, struct objects *objects,
				  struct outdated *outdated, bool every_exec, bool verbose)
{
	struct table_sync *sync = calloc(1, sizeof(*sync));

	if (!sync)
		return NULL;
	sync->outdated = outdated;
	sync->every_exec = every_exec;
	sync->set.tables = &sync->tables;
	sync->tables.dev = dev;
	sync->tables.objects = objects;
	sync->tables.verbose = verbose;
	if (object_tables_begin(&sync->tables)) {
		free(sync);
		return NULL;
	}
	return sync;
}

static struct process *process_at(const struct table_sync *sync, u32 entry)
{
	return sync->processes.entries[entry].value;
}

static struct process *find_process(const struct table_sync *sync, pid_t pid)
{
	return key_map_find(&sync->processes, pid);
}

bool table_sync_knows(const struct table_sync *sync, pid_t pid)
{
	return find_process(sync, pid);
}

static void forget_process(struct table_sync *sync, pid_t pid)
{
	struct process *process = key_map_remove(&sync->processes, pid);

	if (!process)
		return;
	sync->dirty -= process->dirty;
	sent_free(&process->before);
	mapped_free(&process->mapped, &sync->tables);
	free(process);
}

void table_sync_free(struct table_sync *sync)
{
	if (!sync)
		return;
	while (sync->processes.count)
		forget_process(sync, process_at(sync, 0)->pid);
	key_map_free(&sync->processes);
	mapping_set_free(&sync->set);
	object_tables_end(&sync->tables);
	free(sync);
}

static void forget_exited(struct table_sync *sync, u64 now)
{
	sync->swept_ns = now;
	for (u32 i = sync->processes.count; i--;) {
		pid_t pid = process_at(sync, i)->pid;

		if (!kill(pid, 0) || errno != ESRCH)
			continue;
		outdated_sent(sync->outdated, pid, now, now);
		forget_process(sync, pid);
	}
}

/* Forgets the process sent longest ago. If that still runs, the module asks for its mappings. */
static void forget_oldest(struct table_sync *sync)
{
	struct process *oldest = process_at(sync, 0);

	for (u32 i = 1; i < sync->processes.count; i++)
		if (process_at(sync, i)->sent_ns < oldest->sent_ns)
			oldest = process_at(sync, i);
	forget_process(sync, oldest->pid);
}

/* Finds or adds a process; may forget others. NULL: @pid is no process, or no memory. */
static struct process *get_process(struct table_sync *sync, pid_t pid)
{
	struct process *process = find_process(sync, pid);
	u64 now = clock_ns();

	if (process || pid <= 0)
		return process;
	if (sync->processes.count >= PROCESSES_MAX && now - sync->swept_ns >= SWEEP_FULL_NS)
		forget_exited(sync, now);
	if (sync->processes.count >= PROCESSES_MAX)
		forget_oldest(sync);
	process = calloc(1, sizeof(*process));
	if (!process || key_map_add(&sync->processes, pid, process)) {
		free(process);
		return NULL;
	}
	process->pid = pid;
	sync->figures.processes++;
	return process;
}

static void set_due(struct table_sync *sync, struct process *process, u64 due_ns)
{
	process->due_ns = due_ns > process->rests_ns ? due_ns : process->rests_ns;
	if (!sync->due_ns || process->due_ns < sync->due_ns)
		sync->due_ns = process->due_ns;
}

/* Marks the process as dirty, to be sent at @due_ns or, to keep the least pause, later. */
static void mark(struct table_sync *sync, struct process *process, u64 due_ns)
{
	if (process->expected || (process->dirty && process->due_ns <= due_ns))
		return;
	if (!process->dirty)
		process->latest_ns = clock_ns() + HELD_NS;
	sync->dirty += !process->dirty;
	process->dirty = true;
	set_due(sync, process, due_ns);
}

/* The process mapped something at @time_ns, and may go on to map more. */
static void mark_changed(struct table_sync *sync, struct process *process, u64 time_ns)
{
	u64 now = clock_ns();
	u64 quiet_ns = (time_ns < now ? time_ns : now) + QUIET_NS;

	if (!process || process->expected)
		return;
	mark(sync, process, quiet_ns);
	set_due(sync, process, quiet_ns < process->latest_ns ? quiet_ns : process->latest_ns);
}

static void mark_now(struct table_sync *sync, struct process *process)
{
	if (process)
		mark(sync, process, clock_ns());
}

static void attach_child(void *context, pid_t pid)
{
	struct table_sync *sync = context;

	/* a process that is known was attached together with its children */
	if (sync->processes.count < PROCESSES_MAX && !find_process(sync, pid))
		table_sync_attach(sync, pid, true);
}

void table_sync_attach(struct table_sync *sync, pid_t pid, bool children)
{
	pid_t process = proc_process_of(pid);

	mark_now(sync, get_process(sync, process));
	if (children)
		proc_children(process, attach_child, sync);
}

/**
 * struct expectation - a process that will execute a command
 * @sync: where the process is
 * @process: its @mapped gets the objects that the command will map
 */
struct expectation {
	struct table_sync *sync;
	struct process *process;
};

static int expect_file(void *context, const struct proc_mapping *line)
{
	const struct expectation *expectation = context;
	struct object_tables *tables = &expectation->sync->tables;
	struct process *process = expectation->process;
	struct object_table *table;
	struct object *object;

	object = objects_hold(tables->objects, line->path, line->dev, line->inode, process->pid);
	if (!object)
		return -1;
	table = object_tables_get(tables, object);
	objects_release(tables->objects, object);
	return table ? mapped_add(&process->mapped, table, tables) : -1;
}

void table_sync_expect(struct table_sync *sync, pid_t pid, char *const *command)
{
	struct expectation expectation = { .sync = sync, .process = get_process(sync, pid) };

	if (!expectation.process)
		return;
	expectation.process->expected = true;
	program_files(command[0], expect_file, &expectation);
	for (u32 i = 1; i < WORDS && command[i]; i++)
		if (strchr(command[i], '/'))
			program_files(command[i], expect_file, &expectation);
}

static void has_executed(struct table_sync *sync, struct process *process, u64 time_ns)
{
	if (!process)
		return;
	if (process->expected)
		process->known_ns = clock_ns() + UNKNOWN_NS;
	process->expected = false;
	mark_changed(sync, process, time_ns);
}

void table_sync_executed(struct table_sync *sync, pid_t pid)
{
	struct process *process = find_process(sync, pid);

	if (process && process->expected)
		has_executed(sync, process, clock_ns());
}

/* The module copies the parent's mappings to the child. */
static void process_forked(struct table_sync *sync, pid_t pid, pid_t parent, u64 time_ns)
{
	struct process *child, *from;
	bool dirty;

	if (!find_process(sync, parent) || pid == parent)
		return;
	forget_process(sync, pid);
	child = get_process(sync, pid);
	from = find_process(sync, parent);
	if (!child || !from)
		return;
	dirty = mapped_copy(&child->mapped, &from->mapped, &sync->tables) || from->dirty;
	child->begin_ns = time_ns;
	child->end_ns = time_ns;
	if (time_ns < from->end_ns) {
		/* The parent's mappings were sent again since the fork: the child has the former.
		 */
		sent_free(&child->mapped.sent);
		sent_copy(&child->mapped.sent, &from->before);
		child->mapped.sent.anything |= time_ns < from->before_ns;
		dirty = true;
	}
	dirty |= outdated_fork(sync->outdated, pid, parent, time_ns);
	if (dirty)
		mark_changed(sync, child, time_ns);
}

/* The module keeps a mapping that was replaced until it gets the new mapping. */
static void process_mapped(struct table_sync *sync, const struct sideband_event *event)
{
	struct process *process = find_process(sync, event->pid);

	if (!process)
		return;
	if (event->time_ns < process->end_ns &&
	    (event->time_ns < process->before_ns || sent_differs(&process->before, event)))
		outdated_add(sync->outdated, event->pid, event->start, event->length,
			     event->time_ns, process->end_ns);
	if (event->time_ns >= process->begin_ns && sent_differs(&process->mapped.sent, event))
		outdated_add(sync->outdated, event->pid, event->start, event->length,
			     event->time_ns, OUTDATED_OPEN);
	mark_changed(sync, process, event->time_ns);
}

/* The module drops the mappings of the former program. */
static void process_executed(struct table_sync *sync, const struct sideband_event *event)
{
	struct process *process = sync->every_exec ? get_process(sync, event->pid) :
						     find_process(sync, event->pid);

	outdated_sent(sync->outdated, event->pid, event->time_ns, event->time_ns);
	if (process && event->time_ns >= process->end_ns)
		sent_free(&process->mapped.sent);
	has_executed(sync, process, event->time_ns);
}

/* If only the first thread has exited, the others go on with the same mappings. */
static void process_exited(struct table_sync *sync, const struct sideband_event *event)
{
	struct process *process = find_process(sync, event->pid);

	if (process && proc_other_thread(event->pid)) {
		mark_now(sync, process);
		return;
	}
	outdated_sent(sync->outdated, event->pid, event->time_ns, event->time_ns);
	forget_process(sync, event->pid);
}

static void mark_all(struct table_sync *sync)
{
	u64 now = clock_ns();

	for (u32 i = 0; i < sync->processes.count; i++)
		mark(sync, process_at(sync, i), now);
}

void table_sync_event(struct table_sync *sync, const struct sideband_event *event)
{
	switch (event->kind) {
	case SIDEBAND_MMAP:
		process_mapped(sync, event);
		break;
	case SIDEBAND_EXEC:
		process_executed(sync, event);
		break;
	case SIDEBAND_FORK:
		process_forked(sync, event->pid, event->parent, event->time_ns);
		break;
	case SIDEBAND_EXIT:
		process_exited(sync, event);
		break;
	case SIDEBAND_LOST:
		mark_all(sync);
		break;
	}
}

void table_sync_asked(struct table_sync *sync, const struct gapp_record_need_mapping *record)
{
	struct process *process = get_process(sync, record->tgid);
	u64 now = clock_ns();

	sync->figures.mapping_requests++;
	/* a dirty process is sent soon */
	if (process && !process->dirty)
		mark(sync, process, process->asked_ns > now ? process->asked_ns : now);
}

/* Sends what was read from @begin_ns on. Returns 0 or an error number. */
static int send_set(struct table_sync *sync, struct process *process, u32 image, u64 begin_ns)
{
	struct mapping_set *set = &sync->set;

	if (device_set_mappings(sync->tables.dev, process->pid, image, set->mappings, set->count))
		return errno;
	sync->figures.sends++;
	process->before_ns = process->begin_ns;
	process->begin_ns = begin_ns;
	process->end_ns = clock_ns();
	outdated_sent(sync->outdated, process->pid, begin_ns, process->end_ns);
	sent_free(&process->before);
	process->before = process->mapped.sent;
	process->mapped.sent = (struct sent){ 0 };
	mapped_free(&process->mapped, &sync->tables);
	process->mapped = set->mapped;
	set->mapped = (struct mapped){ 0 };
	return 0;
}

/*
 * Reads the process's mappings, and sends them if all their tables are settled or if @partly.
 * Returns 0, an error number or TABLES_MISSING.
 */
static int try_to_send(struct table_sync *sync, struct process *process, bool partly)
{
	u64 begin_ns = clock_ns();
	u32 image;

	if (device_image(sync->tables.dev, process->pid, &image) ||
	    mapping_set_read(&sync->set, process->pid))
		return errno;
	if (partly || mapped_is_settled(&sync->set.mapped))
		return send_set(sync, process, image, begin_ns);
	mapped_take_tables(&process->mapped, &sync->set.mapped, &sync->tables);
	return TABLES_MISSING;
}

static void rest(struct process *process, u64 begin, u64 end)
{
	u64 pause = PAUSE_NS;

	process->sends = begin - process->sent_ns < LONG_PAUSE_NS ? process->sends + 1 : 0;
	if (process->sends > MANY && PAUSE_PER_COST * (end - begin) > pause)
		pause = PAUSE_PER_COST * (end - begin);
	process->sent_ns = end;
	process->rests_ns = end + pause;
	process->asked_ns = end + ASKED_PAUSE_NS;
}

/* Sends the process's mappings. Forgets the process if it has exited. */
static void send_process(struct table_sync *sync, struct process *process)
{
	u64 begin = clock_ns(), end;
	bool partly = begin >= process->latest_ns;
	int error = ESTALE;

	for (unsigned int i = 0; i < TRIES && error == ESTALE; i++) {
		error = try_to_send(sync, process, partly);
		sync->figures.outdated += error == ESTALE;
	}
	end = clock_ns();
	sync->figures.send_ns += end - begin;
	if (error == TABLES_MISSING) {
		/* mark_users() makes it due when the tables are there */
		process->due_ns = process->latest_ns;
		return;
	}
	process->dirty = false;
	sync->dirty--;
	rest(process, begin, end);

	switch (error) {
	case 0:
		break;
	case ESTALE:
		mark_now(sync, process);
		break;
	case ESRCH:
		if (end < process->known_ns && !kill(process->pid, 0)) {
			mark_now(sync, process);
			break;
		}
		outdated_sent(sync->outdated, process->pid, end, end);
		forget_process(sync, process->pid);
		break;
	case ENOTTY:
		complain("the loaded module takes no unwind tables: many paths will be cut");
		sync->off = true;
		break;
	default:
		/* the module asks when it lacks a mapping */
		if (sync->tables.verbose && !sync->complained)
			complain("the module cannot be sent what process %d maps: %s", process->pid,
				 strerror(error));
		sync->complained = true;
	}
}

/*
 * Marks all processes as dirty that map an object whose tables have changed. A process whose other
 * tables are still being made is sent some time later, with what there is by then.
 */
static void mark_users(struct table_sync *sync, u64 now)
{
	for (u32 i = 0; i < sync->processes.count; i++) {
		struct process *process = process_at(sync, i);
		const struct mapped *mapped = &process->mapped;

		if (mapped_has_fresh(mapped))
			mark(sync, process, mapped_is_settled(mapped) ? now : now + HELD_NS);
	}
	object_tables_seen(&sync->tables);
}

static void find_due(struct table_sync *sync)
{
	sync->due_ns = 0;
	for (u32 i = 0; i < sync->processes.count && sync->dirty; i++) {
		const struct process *process = process_at(sync, i);

		if (process->dirty && (!sync->due_ns || process->due_ns < sync->due_ns))
			sync->due_ns = process->due_ns;
	}
}

static void send_all_due(struct table_sync *sync, u64 now)
{
	if (!sync->dirty || sync->due_ns > now)
		return;
	for (u32 left = sync->processes.count; left && sync->dirty && !sync->off; left--) {
		struct process *process;
		u32 count;

		if (sync->hand >= sync->processes.count)
			sync->hand = 0;
		process = process_at(sync, sync->hand);
		count = sync->processes.count;
		if (process->dirty && process->due_ns <= now)
			send_process(sync, process);
		/* if send_process() forgot the process, another process has its index now */
		sync->hand += sync->processes.count == count;
		if (clock_ns() - now > RUN_NS)
			break;
	}
	find_due(sync);
}

/* @only_small: loops are found of small files only. */
static void run(struct table_sync *sync, bool only_small)
{
	u64 now = clock_ns();

	if (now - sync->swept_ns >= SWEEP_NS)
		forget_exited(sync, now);
	if (object_tables_load(&sync->tables))
		mark_users(sync, now);
	if (object_spins_load(&sync->tables))
		mark_users(sync, now);
	if (sync->off)
		return;
	send_all_due(sync, now);
	/* last, for it opens files */
	if (object_tables_make(&sync->tables))
		mark_users(sync, now);
	object_spins_find(&sync->tables, only_small);
}

void table_sync_run(struct table_sync *sync)
{
	run(sync, false);
}

static bool is_settled(const struct table_sync *sync, bool with_spins)
{
	const struct object_tables *tables = &sync->tables;

	return !sync->dirty && !tables->compiling && !tables->first_wanted &&
	       !(with_spins && object_spins_soon(tables));
}

void table_sync_settle(struct table_sync *sync, u64 deadline_ns, bool with_spins)
{
	for (;;) {
		struct pollfd ready = { .fd = sync->tables.ready_fd, .events = POLLIN };
		u64 now, until = deadline_ns, left;
		struct timespec time;

		run(sync, with_spins);
		now = clock_ns();
		if (sync->off || now >= deadline_ns || is_settled(sync, with_spins))
			return;
		if (sync->due_ns && sync->due_ns < until)
			until = sync->due_ns;
		left = until > now ? until - now : 0;
		time = (struct timespec){ left / NSEC_PER_SEC, left % NSEC_PER_SEC };
		/* a signal may ask for the end of it all */
		if (ppoll(&ready, 1, &time, NULL) < 0)
			return;
	}
}

const struct object_tables *table_sync_tables(const struct table_sync *sync)
{
	return &sync->tables;
}

u64 table_sync_due(const struct table_sync *sync)
{
	return sync->off || !sync->dirty ? 0 : sync->due_ns;
}

int table_sync_fd(const struct table_sync *sync)
{
	return sync->tables.ready_fd;
}

void table_sync_get_figures(const struct table_sync *sync, struct table_sync_figures *figures)
{
	*figures = sync->figures;
	figures->on = !sync->off && sync->figures.sends;
	figures->objects = sync->tables.figures;
}
