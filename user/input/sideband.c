// SPDX-License-Identifier: GPL-2.0
#include "sideband.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "sideband_event.h"

#define RING_BYTES (128U << 10)
/* More than any kernel is built for. */
#define CPUS_MAX 65536
/* A record's size is 16 bits wide. */
#define RECORD_MAX 65536
/* Events that wait to be applied; some hundred bytes each. */
#define QUEUE_MAX 262144

/**
 * struct cpu_ring - events of one CPU
 * @fd: of its perf event
 * @page: begin of the mapping
 * @data: the records
 */
struct cpu_ring {
	int fd;
	struct perf_event_mmap_page *page;
	const u8 *data;
};

/**
 * struct sideband - events of all CPUs, and those that are not applied yet
 * @rings: one for each CPU that was online
 * @count: how many
 * @map_bytes: length of each one's mapping
 * @queue: events that have been read
 * @first: of them the first that has not been applied
 * @end: behind the last one
 * @room: for so many
 * @sorted: by time, from @first on
 * @order: for events of the same time
 * @lost: events that the kernel dropped, or that were dropped here
 * @dropped: some were dropped here, which the maps have not been told
 * @told: of the events in @queue, those that @each was called for; counted from its begin
 * @each: called for events at once; or NULL
 * @context: its first argument
 * @record: the one that is being looked at
 */
struct sideband {
	struct cpu_ring *rings;
	size_t count;
	size_t map_bytes;
	struct sideband_event **queue;
	size_t first;
	size_t end;
	size_t room;
	bool sorted;
	u64 order;
	u64 lost;
	bool dropped;
	size_t told;
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

/* Closes the descriptor. */
static int failed(int fd)
{
	int error = errno;

	close(fd);
	errno = error;
	return -1;
}

static int open_ring(struct sideband *sideband, struct news *news, u32 cpu)
{
	struct perf_event_attr attr = sideband_attr;
	struct cpu_ring *rings, *ring;
	void *bytes;
	int fd;

	if (news)
		attr.wakeup_watermark = 1;
	fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return -1;
	rings = reallocarray(sideband->rings, sideband->count + 1, sizeof(*rings));
	if (!rings)
		return failed(fd);
	sideband->rings = rings;
	bytes = mmap(NULL, sideband->map_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (bytes == MAP_FAILED)
		return failed(fd);
	ring = &rings[sideband->count++];
	ring->fd = fd;
	ring->page = bytes;
	ring->data = (u8 *)bytes + (sideband->map_bytes - RING_BYTES);
	return news ? news_add(news, fd) : 0;
}

/* There may be gaps between the CPUs online; where the numbers end, the kernel says. */
static int open_rings(struct sideband *sideband, struct news *news)
{
	for (u32 cpu = 0; cpu < CPUS_MAX; cpu++) {
		if (!open_ring(sideband, news, cpu) || errno == ENODEV)
			continue;
		if (errno == EINVAL && sideband->count)
			return 0;
		return -1;
	}
	return 0;
}

struct sideband *sideband_new(struct news *news, const char **reason)
{
	struct sideband *sideband = calloc(1, sizeof(*sideband));

	if (!sideband) {
		*reason = reason_for(ENOMEM);
		return NULL;
	}
	sideband->map_bytes = sysconf(_SC_PAGESIZE) + RING_BYTES;
	sideband->sorted = true;
	if (open_rings(sideband, news)) {
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
		munmap(sideband->rings[i].page, sideband->map_bytes);
		close(sideband->rings[i].fd);
	}
	for (size_t i = sideband->first; i < sideband->end; i++)
		free(sideband->queue[i]);
	free(sideband->queue);
	free(sideband->rings);
	free(sideband);
}

/* Room for one more event. */
static int grow(struct sideband *sideband)
{
	struct sideband_event **queue;
	size_t waiting = sideband->end - sideband->first, room;

	if (sideband->end < sideband->room)
		return 0;
	if (sideband->first && waiting <= sideband->room / 2) {
		memmove(sideband->queue, sideband->queue + sideband->first,
			waiting * sizeof(*queue));
		sideband->told -= sideband->first;
		sideband->first = 0;
		sideband->end = waiting;
		return 0;
	}
	room = sideband->room ? 2 * sideband->room : 256;
	queue = reallocarray(sideband->queue, room, sizeof(*queue));
	if (!queue)
		return out_of_memory();
	sideband->queue = queue;
	sideband->room = room;
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
	struct sideband_event *event, *last;

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
	if (sideband->end > sideband->first) {
		last = sideband->queue[sideband->end - 1];
		if (last->time_ns > event->time_ns)
			sideband->sorted = false;
	}
	sideband->queue[sideband->end++] = event;
	return 0;
}

static void copy_out(const struct cpu_ring *ring, u64 position, void *to, size_t size)
{
	size_t at = position & (RING_BYTES - 1), unwrapped = RING_BYTES - at;
	size_t begin = size < unwrapped ? size : unwrapped;

	memcpy(to, ring->data + at, begin);
	memcpy((u8 *)to + begin, ring->data, size - begin);
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

/* Those that have come since; a process's fork, say, may be in a ring that was read later. */
static void tell(struct sideband *sideband)
{
	static const struct sideband_event lost = { .kind = SIDEBAND_LOST };

	if (!sideband->each) {
		sideband->told = sideband->end;
		return;
	}
	if (sideband->told < sideband->end)
		qsort(sideband->queue + sideband->told, sideband->end - sideband->told,
		      sizeof(*sideband->queue), compare);
	while (sideband->told < sideband->end)
		sideband->each(sideband->context, sideband->queue[sideband->told++]);
	if (sideband->dropped)
		sideband->each(sideband->context, &lost);
}

int sideband_read(struct sideband *sideband)
{
	int result = 0;

	for (size_t i = 0; i < sideband->count && !result; i++)
		result = read_ring(sideband, &sideband->rings[i]);
	tell(sideband);
	return result;
}

void sideband_tell(struct sideband *sideband,
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
	if (!sideband->sorted) {
		qsort(sideband->queue + sideband->first, sideband->end - sideband->first,
		      sizeof(*sideband->queue), compare);
		sideband->sorted = true;
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
		sideband->told = 0;
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
