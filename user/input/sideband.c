// SPDX-License-Identifier: GPL-2.0
#include "sideband.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <time.h>

#include "util/hash_index.h"

#define RING_BYTES (128U << 10)
/* More than any kernel is built for. */
#define CPUS_MAX 65536
/* A record's size is 16 bits wide. */
#define RECORD_MAX 65536
/* Events that wait to be applied; some hundred bytes each. */
#define QUEUE_MAX 262144

static const struct perf_event_attr event_attr = {
	.type = PERF_TYPE_SOFTWARE,
	.size = sizeof(event_attr),
	.config = PERF_COUNT_SW_DUMMY,
	.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
	.sample_id_all = 1,
	.mmap = 1,
	.mmap2 = 1,
	.comm = 1,
	.comm_exec = 1,
	.task = 1,
	.exclude_kernel = 1,
	.exclude_hv = 1,
	.use_clockid = 1,
	.clockid = CLOCK_MONOTONIC,
	/* practically never: sideband_read() is called often enough */
	.watermark = 1,
	.wakeup_watermark = 0x7fffffff,
};

/* The end of every record, as sample_type asks for it. */
struct sample_id {
	u32 pid;
	u32 tid;
	u64 time_ns;
};

struct mmap2_record {
	struct perf_event_header header;
	u32 pid;
	u32 tid;
	u64 start;
	u64 length;
	u64 offset;
	u32 major;
	u32 minor;
	u64 inode;
	u64 generation;
	u32 protection;
	u32 flags;
	char path[];
};

struct comm_record {
	struct perf_event_header header;
	u32 pid;
	u32 tid;
	char comm[];
};

struct task_record {
	struct perf_event_header header;
	u32 pid;
	u32 parent_pid;
	u32 tid;
	u32 parent_tid;
	u64 time_ns;
};

struct lost_record {
	struct perf_event_header header;
	u64 id;
	u64 lost;
};

union record {
	struct perf_event_header header;
	struct mmap2_record mmap;
	struct comm_record comm;
	struct task_record task;
	struct lost_record lost;
};

static enum sideband_result read_mmap(const struct mmap2_record *record, size_t size,
				      struct sideband_event *event, const char **path)
{
	if (size <= sizeof(*record) ||
	    strnlen(record->path, size - sizeof(*record)) == size - sizeof(*record))
		return SIDEBAND_MALFORMED;
	if (!(record->protection & PROT_EXEC))
		return SIDEBAND_UNUSED;
	event->kind = SIDEBAND_MMAP;
	event->pid = record->pid;
	event->start = record->start;
	event->length = record->length;
	event->offset = record->offset;
	/* a build-id, which was not asked for, would be in the same place */
	if (!(record->header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID)) {
		event->dev = makedev(record->major, record->minor);
		event->inode = record->inode;
	}
	*path = record->path;
	return SIDEBAND_EVENT;
}

/* Fills in @event but its time. @size: bytes of the record before its struct sample_id. */
static enum sideband_result read_record(const union record *record, size_t size,
					struct sideband_event *event, const char **path)
{
	switch (record->header.type) {
	case PERF_RECORD_MMAP2:
		return read_mmap(&record->mmap, size, event, path);
	case PERF_RECORD_COMM:
		if (size < sizeof(record->comm))
			return SIDEBAND_MALFORMED;
		if (!(record->header.misc & PERF_RECORD_MISC_COMM_EXEC))
			return SIDEBAND_UNUSED;
		event->kind = SIDEBAND_EXEC;
		event->pid = record->comm.pid;
		return SIDEBAND_EVENT;
	case PERF_RECORD_FORK:
		if (size < sizeof(record->task))
			return SIDEBAND_MALFORMED;
		event->kind = SIDEBAND_FORK;
		event->pid = record->task.pid;
		event->parent = record->task.parent_pid;
		/* not a new thread */
		return event->pid != event->parent ? SIDEBAND_EVENT : SIDEBAND_UNUSED;
	case PERF_RECORD_EXIT:
		if (size < sizeof(record->task))
			return SIDEBAND_MALFORMED;
		event->kind = SIDEBAND_EXIT;
		event->pid = record->task.pid;
		/* the exit of another thread than the first does not end the process */
		return record->task.pid == record->task.tid ? SIDEBAND_EVENT : SIDEBAND_UNUSED;
	case PERF_RECORD_LOST:
		if (size < sizeof(record->lost))
			return SIDEBAND_MALFORMED;
		event->kind = SIDEBAND_LOST;
		event->lost = record->lost.lost;
		return SIDEBAND_EVENT;
	}
	return SIDEBAND_UNUSED;
}

enum sideband_result sideband_event_new(const struct perf_event_header *record,
					struct sideband_event **event)
{
	enum sideband_result result;
	struct sideband_event read = { 0 };
	const struct sample_id *id;
	const char *path = "";
	size_t size;

	if (record->size % sizeof(u64) || record->size < sizeof(*record) + sizeof(*id))
		return SIDEBAND_MALFORMED;
	size = record->size - sizeof(*id);
	id = (const void *)((const char *)record + size);
	result = read_record((const union record *)record, size, &read, &path);
	if (result != SIDEBAND_EVENT)
		return result;
	read.time_ns = id->time_ns;
	*event = malloc(sizeof(read) + strlen(path) + 1);
	if (!*event)
		return SIDEBAND_NO_MEMORY;
	memcpy(*event, &read, sizeof(read));
	strcpy((*event)->path, path);
	return SIDEBAND_EVENT;
}

/**
 * struct cpu_ring - events of one CPU
 * @fd: of its perf event
 * @page: begin of the mapping
 */
struct cpu_ring {
	int fd;
	struct perf_event_mmap_page *page;
};

/**
 * struct sideband - events of all CPUs, and those that are not applied yet
 * @rings: of the CPUs that were online
 * @count: rings
 * @queue: events that have been read
 * @first: element of @queue that is to be applied next
 * @end: behind the last event in @queue
 * @room: elements that @queue has memory for
 * @unsorted: @queue is not in the order of time from @first on
 * @order: events that were read, ever: the number of the next one
 * @lost: events that the kernel or the reader dropped
 * @dropped: the reader dropped events since the last sideband_apply()
 * @each: see sideband_watch(); or NULL
 * @context: first argument of @each
 * @record: copy of the record that is being read
 */
struct sideband {
	struct cpu_ring *rings;
	size_t count;
	struct sideband_event **queue;
	u32 first;
	u32 end;
	u32 room;
	bool unsorted;
	u64 order;
	u64 lost;
	bool dropped;
	void (*each)(void *context, const struct sideband_event *event);
	void *context;
	u64 record[RECORD_MAX / sizeof(u64)];
};

static const char *reason_for(int error)
{
	switch (error) {
	case EACCES:
	case EPERM:
		return "not permitted: it needs CAP_PERFMON, or kernel.perf_event_paranoid below 1";
	case ENOENT:
	case EOPNOTSUPP:
		return "this kernel has no perf events";
	case EMFILE:
		return "too many open files";
	default:
		return strerror(error);
	}
}

static size_t map_bytes(void)
{
	return sysconf(_SC_PAGESIZE) + RING_BYTES;
}

static int open_ring(struct sideband *sideband, struct wakeup *wakeup, u32 cpu)
{
	_cleanup_close_ int fd = -1;
	struct perf_event_attr attr = event_attr;
	struct cpu_ring *rings;
	void *page;

	if (wakeup)
		attr.wakeup_watermark = 1;
	fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return -1;
	rings = reallocarray(sideband->rings, sideband->count + 1, sizeof(*rings));
	if (!rings)
		return -1;
	sideband->rings = rings;
	page = mmap(NULL, map_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED)
		return -1;
	rings += sideband->count++;
	*rings = (struct cpu_ring){ .fd = fd, .page = page };
	fd = -1;
	return wakeup ? wakeup_add(wakeup, rings->fd) : 0;
}

/* Numbers of CPUs online may have gaps. The kernel says EINVAL for a CPU that cannot exist. */
static int open_rings(struct sideband *sideband, struct wakeup *wakeup)
{
	for (u32 cpu = 0; cpu < CPUS_MAX; cpu++) {
		if (!open_ring(sideband, wakeup, cpu) || errno == ENODEV)
			continue;
		if (errno == EINVAL && sideband->count)
			return 0;
		return -1;
	}
	return 0;
}

struct sideband *sideband_new(struct wakeup *wakeup, const char **reason)
{
	struct sideband *sideband = calloc(1, sizeof(*sideband));

	if (!sideband || open_rings(sideband, wakeup)) {
		*reason = reason_for(errno);
		sideband_free(sideband);
		return NULL;
	}
	return sideband;
}

void sideband_free(struct sideband *sideband)
{
	if (!sideband)
		return;
	for (size_t i = 0; i < sideband->count; i++) {
		munmap(sideband->rings[i].page, map_bytes());
		close(sideband->rings[i].fd);
	}
	for (size_t i = sideband->first; i < sideband->end; i++)
		free(sideband->queue[i]);
	free(sideband->queue);
	free(sideband->rings);
	free(sideband);
}

/* Makes room for one more event. Returns 0, or -1 without memory. */
static int grow(struct sideband *sideband)
{
	u32 waiting = sideband->end - sideband->first;

	if (sideband->end == sideband->room && sideband->first && waiting <= sideband->room / 2) {
		memmove(sideband->queue, sideband->queue + sideband->first,
			waiting * sizeof(*sideband->queue));
		sideband->first = 0;
		sideband->end = waiting;
	}
	if (array_grow(&sideband->queue, &sideband->room, sideband->end, sizeof(*sideband->queue)))
		return out_of_memory();
	return 0;
}

static int drop(struct sideband *sideband)
{
	sideband->lost++;
	sideband->dropped = true;
	return 0;
}

static int add_record(struct sideband *sideband, const struct perf_event_header *record)
{
	struct sideband_event *event;

	if (sideband->end - sideband->first >= QUEUE_MAX)
		return drop(sideband);
	if (grow(sideband))
		return -1;
	switch (sideband_event_new(record, &event)) {
	case SIDEBAND_NO_MEMORY:
		return out_of_memory();
	case SIDEBAND_MALFORMED:
		return drop(sideband);
	case SIDEBAND_UNUSED:
		return 0;
	case SIDEBAND_EVENT:
		break;
	}
	sideband->lost += event->lost;
	event->order = sideband->order++;
	if (sideband->end > sideband->first &&
	    sideband->queue[sideband->end - 1]->time_ns > event->time_ns)
		sideband->unsorted = true;
	sideband->queue[sideband->end++] = event;
	return 0;
}

static void copy_out(const struct cpu_ring *ring, u64 position, void *to, size_t size)
{
	size_t at = position & (RING_BYTES - 1), unwrapped = RING_BYTES - at;
	size_t begin = size < unwrapped ? size : unwrapped;
	const u8 *data = (const u8 *)ring->page + ring->page->data_offset;

	memcpy(to, data + at, begin);
	memcpy((u8 *)to + begin, data, size - begin);
}

static int read_ring(struct sideband *sideband, struct cpu_ring *ring)
{
	struct perf_event_header *record = (struct perf_event_header *)sideband->record;
	u64 head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	u64 position = ring->page->data_tail;
	int result = 0;

	while (!result && head - position >= sizeof(*record)) {
		copy_out(ring, position, record, sizeof(*record));
		if (record->size < sizeof(*record) || record->size > head - position) {
			/* where the next one begins cannot be known */
			drop(sideband);
			position = head;
			break;
		}
		copy_out(ring, position, record, record->size);
		position += record->size;
		result = add_record(sideband, record);
	}
	__atomic_store_n(&ring->page->data_tail, position, __ATOMIC_RELEASE);
	return result;
}

static int compare(const void *a, const void *b)
{
	const struct sideband_event *x = *(struct sideband_event *const *)a;
	const struct sideband_event *y = *(struct sideband_event *const *)b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

/* Gives the last @count events, sorted: a process's fork may be in another ring than its mmap. */
static void give(struct sideband *sideband, size_t count)
{
	static const struct sideband_event lost = { .kind = SIDEBAND_LOST };

	if (!sideband->each)
		return;
	if (count)
		qsort(sideband->queue + sideband->end - count, count, sizeof(*sideband->queue),
		      compare);
	for (; count; count--)
		sideband->each(sideband->context, sideband->queue[sideband->end - count]);
	if (sideband->dropped)
		sideband->each(sideband->context, &lost);
}

int sideband_read(struct sideband *sideband)
{
	u64 before = sideband->order;
	int result = 0;

	for (size_t i = 0; i < sideband->count && !result; i++)
		result = read_ring(sideband, &sideband->rings[i]);
	give(sideband, sideband->order - before);
	return result;
}

void sideband_watch(struct sideband *sideband,
		    void (*each)(void *context, const struct sideband_event *event), void *context)
{
	sideband->each = each;
	sideband->context = context;
}

static void apply(const struct sideband_event *event, struct maps *maps)
{
	maps_advance(maps, event->time_ns);
	switch (event->kind) {
	case SIDEBAND_MMAP:
		maps_mmap(maps, event->pid, event->start, event->length, event->offset, event->dev,
			  event->inode, event->path);
		break;
	case SIDEBAND_EXEC:
		maps_exec(maps, event->pid);
		break;
	case SIDEBAND_FORK:
		maps_fork(maps, event->pid, event->parent);
		break;
	case SIDEBAND_EXIT:
		maps_exit(maps, event->pid);
		break;
	case SIDEBAND_LOST:
		maps_missed(maps);
		break;
	}
}

u64 sideband_apply(struct sideband *sideband, struct maps *maps, u64 time_ns)
{
	if (sideband->unsorted) {
		qsort(sideband->queue + sideband->first, sideband->end - sideband->first,
		      sizeof(*sideband->queue), compare);
		sideband->unsorted = false;
	}
	while (sideband->first < sideband->end &&
	       sideband->queue[sideband->first]->time_ns <= time_ns) {
		struct sideband_event *event = sideband->queue[sideband->first++];

		apply(event, maps);
		free(event);
	}
	if (sideband->first == sideband->end) {
		sideband->first = 0;
		sideband->end = 0;
	}
	if (sideband->dropped)
		maps_missed(maps);
	sideband->dropped = false;
	return sideband->end ? sideband->queue[sideband->first]->time_ns : UINT64_MAX;
}

u64 sideband_lost(const struct sideband *sideband)
{
	return sideband->lost;
}
