// SPDX-License-Identifier: GPL-2.0
#include "rings.h"

#include <errno.h>
#include <sys/mman.h>

#define DO_NOT_FIT "the loaded module and this gapp-read do not fit"
#define USE_ITS_OWN "run the gapp-read that was built together with the module"
/* Record types that this reader knows. Records of later types are skipped. */
#define KNOWN_TYPES (GAPP_RECORD_MARK + 1)
/* The types that rings_drain() gives, one bit each, unless rings_skip() is called. */
#define ALL_TYPES (~(1U << GAPP_RECORD_PAD | 1U << KNOWN_TYPES))

/**
 * struct ring - the records of one CPU
 * @shared: the ring's memory, of which the records are a part
 * @data: the records
 * @read_position: in shared memory: bytes that the module may write over, ever
 * @position: bytes that the reader has read, ever
 * @scanned: bytes that rings_scan() has looked at, ever
 * @published: the reader's copy of *@read_position
 * @head: the write position when the drain began
 * @next: the record at @position
 * @room: bytes from @position to @head, or to the end of @data if that comes first
 * @cpu: the CPU's number
 */
struct ring {
	const struct gapp_ring *shared;
	const u8 *data;
	u64 *read_position;
	u64 position;
	u64 scanned;
	u64 published;
	u64 head;
	const struct gapp_record *next;
	u64 room;
	u32 cpu;
};

/**
 * struct rings - the memory that the reader maps of a session
 * @layout: sizes of that memory, and what is where; all zero: the session has no records
 * @given: one bit for each record type that rings_drain() gives
 * @read_positions: memory of the read positions of all rings; NULL: not mapped
 * @paths: memory of the path table; NULL: not mapped
 * @heap: during a drain: rings that have a record to give, the earliest record first
 * @waiting: rings in @heap
 * @count: rings
 * @rings: in the order of their CPUs
 */
struct rings {
	struct gapp_layout layout;
	u32 given;
	u8 *read_positions;
	u8 *paths;
	struct ring **heap;
	u32 waiting;
	u32 count;
	struct ring rings[];
};

/* More than any kernel is built for. */
#define CPUS_MAX 65536

static int cannot_map(const char *what)
{
	complain("cannot map %s: %s%s", what, strerror(errno),
		 errno == ENOMEM || errno == EAGAIN ? ": give a smaller -m" : "");
	return -1;
}

/* NULL with errno set: it cannot be mapped. */
static void *map(int fd, u64 length, u64 offset, int protection)
{
	void *bytes = mmap(NULL, length, protection, MAP_SHARED, fd, offset);

	return bytes == MAP_FAILED ? NULL : bytes;
}

static void unmap(const void *bytes, u64 length)
{
	if (bytes)
		munmap((void *)bytes, length);
}

/* Whether @count elements of @size bytes from @at on, aligned, end within @length bytes. */
static bool fits(u64 length, u64 at, u64 count, u64 size)
{
	u64 bytes, end;

	return !(at % sizeof(u64)) && !__builtin_mul_overflow(count, size, &bytes) &&
	       !__builtin_add_overflow(at, bytes, &end) && end <= length;
}

static bool is_sound(const struct gapp_layout *layout)
{
	u32 bytes = layout->ring_bytes;

	if (layout->cpus > CPUS_MAX || layout->position_stride < sizeof(u64) ||
	    layout->position_stride % sizeof(u64))
		return false;
	if (bytes < GAPP_MIN_RING || bytes > GAPP_MAX_RING || (bytes & (bytes - 1)))
		return false;
	return layout->ring_data >= sizeof(struct gapp_ring) &&
	       fits(layout->ring_map_bytes, layout->ring_data, 1, bytes) &&
	       fits(layout->positions_map_bytes, 0, layout->cpus, layout->position_stride) &&
	       layout->path_slots <= GAPP_MAX_PATHS &&
	       fits(layout->paths_map_bytes, layout->path_slots_at, layout->path_slots,
		    sizeof(struct gapp_path)) &&
	       fits(layout->paths_map_bytes, layout->path_words_at, layout->path_words,
		    sizeof(u64));
}

/* A CPU that was not present at CONFIGURE has no ring, and gets none later. */
static int map_ring(struct rings *rings, int fd, u32 cpu)
{
	const struct gapp_layout *layout = &rings->layout;
	struct ring *ring = &rings->rings[rings->count];

	ring->shared = map(fd, layout->ring_map_bytes, GAPP_MAP_RING(cpu), PROT_READ);
	if (!ring->shared)
		return errno == ENXIO ? 0 : cannot_map("the records of a CPU");
	rings->count++;
	ring->cpu = cpu;
	ring->data = (const u8 *)ring->shared + layout->ring_data;
	ring->read_position = (u64 *)(rings->read_positions + (u64)cpu * layout->position_stride);
	ring->position = *ring->read_position;
	ring->published = ring->position;
	return 0;
}

static int map_all(struct rings *rings, int fd)
{
	const struct gapp_layout *layout = &rings->layout;

	rings->read_positions = map(fd, layout->positions_map_bytes, GAPP_MAP_READ_POSITIONS,
				    PROT_READ | PROT_WRITE);
	if (!rings->read_positions)
		return cannot_map("the rings' read positions");
	for (u32 cpu = 0; cpu < layout->cpus; cpu++)
		if (map_ring(rings, fd, cpu))
			return -1;
	if (!rings->count) {
		complain(DO_NOT_FIT ": no CPU has a ring: " USE_ITS_OWN);
		return -1;
	}
	rings->paths = map(fd, layout->paths_map_bytes, GAPP_MAP_PATHS, PROT_READ);
	return rings->paths ? 0 : cannot_map("the table of paths");
}

struct rings *rings_new(int fd, const struct gapp_layout *layout)
{
	struct rings *rings;

	if (layout->cpus && !is_sound(layout)) {
		complain(DO_NOT_FIT ": sizes of its rings make no sense: " USE_ITS_OWN);
		return NULL;
	}
	rings = calloc(1, sizeof(*rings) + layout->cpus * sizeof(rings->rings[0]));
	if (!rings) {
		out_of_memory();
		return NULL;
	}
	/* a session without records (GAPP_LEVEL_STATS) */
	if (!layout->cpus)
		return rings;
	rings->layout = *layout;
	rings->given = ALL_TYPES;
	rings->heap = calloc(layout->cpus, sizeof(*rings->heap));
	if (rings->heap ? map_all(rings, fd) : out_of_memory()) {
		rings_free(rings);
		return NULL;
	}
	return rings;
}

void rings_free(struct rings *rings)
{
	if (!rings)
		return;
	for (u32 i = 0; i < rings->count; i++)
		unmap(rings->rings[i].shared, rings->layout.ring_map_bytes);
	unmap(rings->read_positions, rings->layout.positions_map_bytes);
	unmap(rings->paths, rings->layout.paths_map_bytes);
	free(rings->heap);
	free(rings);
}

const u64 *rings_path(const struct rings *rings, u32 path, u16 *count, u16 *flags)
{
	const struct gapp_layout *layout = &rings->layout;
	const struct gapp_path *slot;
	u32 word;

	if (path >= layout->path_slots)
		return NULL;
	slot = (const struct gapp_path *)(rings->paths + layout->path_slots_at) + path;
	word = __atomic_load_n(&slot->word, __ATOMIC_ACQUIRE);
	if (!word || word > layout->path_words || slot->words > layout->path_words - word ||
	    slot->words > GAPP_MAX_STACK)
		return NULL;
	*count = slot->words;
	*flags = slot->flags;
	return (const u64 *)(rings->paths + layout->path_words_at) + word;
}

unsigned int rings_fill(const struct rings *rings)
{
	u64 fullest = 0;

	for (u32 i = 0; i < rings->count; i++) {
		const struct ring *ring = &rings->rings[i];
		u64 used = __atomic_load_n(&ring->shared->write_position, __ATOMIC_RELAXED) -
			   ring->published;

		if (used > fullest)
			fullest = used;
	}
	if (!fullest)
		return 0;
	return fullest < rings->layout.ring_bytes ? fullest * 100 / rings->layout.ring_bytes : 100;
}

void rings_skip(struct rings *rings, u16 type)
{
	rings->given &= ~(1U << type);
}

/* Lets the kernel write over what has been read. */
static void publish(struct ring *ring)
{
	if (ring->published == ring->position)
		return;
	__atomic_store_n(ring->read_position, ring->position, __ATOMIC_RELEASE);
	ring->published = ring->position;
}

/* Least size of a record by type, bytes; the last is for types that this reader does not know. */
static const u16 least_sizes[KNOWN_TYPES + 1] = {
	[GAPP_RECORD_PAD] = sizeof(u64),
	[GAPP_RECORD_SLICE] = sizeof(struct gapp_record_slice),
	[GAPP_RECORD_WAIT] = sizeof(struct gapp_record_wait),
	[GAPP_RECORD_LOST] = sizeof(struct gapp_record_lost),
	[GAPP_RECORD_WAKE] = sizeof(struct gapp_record_wake),
	[GAPP_RECORD_STACK_COPY] = sizeof(struct gapp_record_stack_copy),
	[GAPP_RECORD_NEED_MAPPING] = sizeof(struct gapp_record_need_mapping),
	[GAPP_RECORD_STORE] = sizeof(struct gapp_record_store),
	[GAPP_RECORD_MARK] = sizeof(struct gapp_record_mark),
	[KNOWN_TYPES] = sizeof(struct gapp_record),
};

static inline u32 type_of(const struct gapp_record *record)
{
	return record->type < KNOWN_TYPES ? record->type : KNOWN_TYPES;
}

static inline u64 waker_path_bytes(u32 flags)
{
	return flags & GAPP_SLICE_WAKER_PATH ? sizeof(struct gapp_waker_path) : 0;
}

/* Bytes of what a wait is for. */
static inline u64 wait_bytes(u32 flags)
{
	return (flags & GAPP_SLICE_FILE ? sizeof(struct gapp_wait_file) : 0) +
	       (flags & GAPP_SLICE_KERNEL_LOCK ? sizeof(struct gapp_wait_lock) : 0);
}

static inline u64 wait_more_size(const struct gapp_record_wait *wait)
{
	return waker_path_bytes(wait->flags) + wait_bytes(wait->flags);
}

static inline u64 slice_more_size(const struct gapp_record_slice *slice)
{
	if (slice->flags & GAPP_SLICE_TALLIES)
		return slice_tallies_at(slice) + sizeof(struct gapp_slice_tallies);
	if (slice->flags & (GAPP_SLICE_FILE | GAPP_SLICE_KERNEL_LOCK))
		return slice_file_at(slice) + wait_bytes(slice->flags);
	return slice->sample_count * sizeof(struct gapp_sample);
}

/* Bytes that follow a record's structure, according to the structure. */
static inline u64 more_size(const struct gapp_record *record)
{
	if (record->type == GAPP_RECORD_SLICE)
		return slice_more_size((const struct gapp_record_slice *)record);
	if (record->type == GAPP_RECORD_STACK_COPY)
		return ((const struct gapp_record_stack_copy *)record)->stack_bytes;
	if (record->type == GAPP_RECORD_WAKE)
		return waker_path_bytes(((const struct gapp_record_wake *)record)->flags);
	if (record->type == GAPP_RECORD_WAIT)
		return wait_more_size((const struct gapp_record_wait *)record);
	if (record->type == GAPP_RECORD_MARK)
		return ((const struct gapp_record_mark *)record)->bytes + 1;
	return 0;
}

/* Whether @record is whole. @type: type_of(@record). @room: bytes from its begin on, at least 8. */
static inline bool is_whole(const struct gapp_record *record, u32 type, u64 room)
{
	u64 size = record->size, least = least_sizes[type];

	return size >= least && size <= room && !(size % sizeof(u64)) &&
	       size - least >= more_size(record);
}

bool record_is_whole(const struct gapp_record *record, u64 room)
{
	return is_whole(record, type_of(record), room);
}

static int complain_of(const struct ring *ring, const struct gapp_record *record)
{
	complain(DO_NOT_FIT ": a record of CPU %u, type %u with %u bytes, makes no sense: %s",
		 ring->cpu, record->type, record->size, USE_ITS_OWN);
	return -1;
}

/* The record at @position; sets @room to the bytes up to @head, or to the end of @ring's data. */
static const struct gapp_record *record_at(const struct rings *rings, const struct ring *ring,
					   u64 position, u64 head, u64 *room)
{
	u32 bytes = rings->layout.ring_bytes, at = position & (bytes - 1);

	*room = head - position < bytes - at ? head - position : bytes - at;
	return (const struct gapp_record *)(ring->data + at);
}

/* Sets @next and @room for the current @position. */
static void look_at(const struct rings *rings, struct ring *ring)
{
	ring->next = record_at(rings, ring, ring->position, ring->head, &ring->room);
}

static inline void step(const struct rings *rings, struct ring *ring)
{
	u64 size = ring->next->size;

	ring->position += size;
	ring->room -= size;
	ring->next = (const struct gapp_record *)((const u8 *)ring->next + size);
	if (!ring->room)
		look_at(rings, ring);
}

/* Skips records whose type is not @given. Sets @ring->room to 0 if no other record follows. */
static inline int look_ahead(const struct rings *rings, struct ring *ring)
{
	for (; ring->room; step(rings, ring)) {
		u32 type = type_of(ring->next);

		if (!is_whole(ring->next, type, ring->room))
			return complain_of(ring, ring->next);
		if (rings->given >> type & 1)
			return 0;
	}
	return 0;
}

static bool is_earlier(const struct ring *a, const struct ring *b)
{
	if (a->next->time_ns != b->next->time_ns)
		return a->next->time_ns < b->next->time_ns;
	return a->cpu < b->cpu;
}

static void sink(struct rings *rings, u32 i)
{
	struct ring **heap = rings->heap, *ring = heap[i];

	for (u32 child; (child = 2 * i + 1) < rings->waiting; i = child) {
		if (child + 1 < rings->waiting && is_earlier(heap[child + 1], heap[child]))
			child++;
		if (!is_earlier(heap[child], ring))
			break;
		heap[i] = heap[child];
	}
	heap[i] = ring;
}

/* Whether the module may have written from @position up to @head. */
static bool is_possible(const struct rings *rings, u64 position, u64 head)
{
	return head - position <= rings->layout.ring_bytes && !(head % sizeof(u64)) &&
	       !(position % sizeof(u64));
}

/* Puts every ring that has a record into the heap. */
static int gather(struct rings *rings)
{
	rings->waiting = 0;
	/* first, because records written from now on are later than all that this drain gives */
	for (u32 i = 0; i < rings->count; i++)
		rings->rings[i].head =
			__atomic_load_n(&rings->rings[i].shared->write_position, __ATOMIC_ACQUIRE);

	for (u32 i = 0; i < rings->count; i++) {
		struct ring *ring = &rings->rings[i];

		if (!is_possible(rings, ring->position, ring->head)) {
			complain(DO_NOT_FIT ": the head of CPU %u's ring makes no sense: %s",
				 ring->cpu, USE_ITS_OWN);
			return -1;
		}
		look_at(rings, ring);
		if (look_ahead(rings, ring))
			return -1;
		if (ring->room)
			rings->heap[rings->waiting++] = ring;
	}
	for (u32 i = rings->waiting / 2; i--;)
		sink(rings, i);
	return 0;
}

/* Time up to which the heap's first ring has the earliest records of all rings. */
static u64 first_ends(const struct rings *rings)
{
	struct ring **heap = rings->heap;
	const struct ring *second;

	if (rings->waiting < 2)
		return UINT64_MAX;
	second = rings->waiting > 2 && is_earlier(heap[2], heap[1]) ? heap[2] : heap[1];
	return second->next->time_ns + (heap[0]->cpu < second->cpu);
}

/* How a record begins that has nothing behind its structure: its type and size in one word. */
static inline u32 head_of(u16 type, u16 size)
{
	return type | (u32)size << 16;
}

/* The same of nearly all records that are given, and that are skipped. */
#define SLICE_HEAD head_of(GAPP_RECORD_SLICE, sizeof(struct gapp_record_slice))
#define WAKE_HEAD head_of(GAPP_RECORD_WAKE, sizeof(struct gapp_record_wake))

/* The reader has come to @next: publishes that now and then, for it costs the kernel a cache miss.
 */
static void go_to(const struct rings *rings, struct ring *ring, const struct gapp_record *next)
{
	u64 bytes = (const u8 *)next - (const u8 *)ring->next;

	ring->position += bytes;
	ring->room -= bytes;
	ring->next = next;
	if (!ring->room)
		look_at(rings, ring);
	if (ring->position - ring->published >= rings->layout.ring_bytes / 4)
		publish(ring);
}

/*
 * Up to here a slice without samples has room for certain, and nothing need be published. NULL:
 * each record needs a look.
 */
static const u8 *plain_end(const struct rings *rings, const struct ring *ring)
{
	u64 quarter = rings->layout.ring_bytes / 4, room = ring->room;

	if (room < sizeof(struct gapp_record_slice) || !(rings->given >> GAPP_RECORD_SLICE & 1))
		return NULL;
	room -= sizeof(struct gapp_record_slice) - 1;
	return (const u8 *)ring->next + (room < quarter ? room : quarter);
}

/*
 * The first record from @next on that may be something else than a skipped wake-up, all of which
 * begin with @skipped.
 */
static inline const struct gapp_record *skip_wakes(const struct gapp_record *next, const u8 *end,
						   u32 skipped)
{
	while ((const u8 *)next < end && head_of(next->type, next->size) == skipped)
		next = (const struct gapp_record *)((const struct gapp_record_wake *)next + 1);
	return next;
}

/* Whether @next is a slice without samples. */
static inline bool is_plain_slice(const struct gapp_record *next, const u8 *end)
{
	return (const u8 *)next < end && head_of(next->type, next->size) == SLICE_HEAD &&
	       !((const struct gapp_record_slice *)next)->sample_count;
}

/*
 * Gives the earliest record, and further ones of its ring as long as they are the earliest. Nearly
 * all are slices without samples, with skipped wake-ups between: these need no look_ahead().
 */
static s64 give_first(struct rings *rings, u64 until_ns,
		      int (*each)(void *context, const struct gapp_record *record), void *context)
{
	/* no record begins with 0 */
	const u32 skipped = rings->given >> GAPP_RECORD_WAKE & 1 ? 0 : WAKE_HEAD;
	struct ring *ring = rings->heap[0];
	const struct gapp_record *next = ring->next;
	const u8 *end = plain_end(rings, ring);
	u64 ends = first_ends(rings);
	s64 given = 0;

	if (ends > until_ns)
		ends = until_ns;
	do {
		int result = each(context, next);

		given++;
		next = (const struct gapp_record *)((const u8 *)next + next->size);
		next = skip_wakes(next, end, skipped);
		if (!result && is_plain_slice(next, end))
			continue;
		go_to(rings, ring, next);
		if (result)
			return RINGS_ENDED;
		if (look_ahead(rings, ring))
			return -1;
		next = ring->next;
		end = plain_end(rings, ring);
		if (!ring->room)
			break;
	} while (next->time_ns < ends);
	go_to(rings, ring, next);
	if (!ring->room)
		rings->heap[0] = rings->heap[--rings->waiting];
	if (rings->waiting)
		sink(rings, 0);
	return given;
}

s64 rings_drain(struct rings *rings, u64 until_ns,
		int (*each)(void *context, const struct gapp_record *record), void *context)
{
	s64 result = gather(rings), given = 0;

	while (result >= 0 && rings->waiting && rings->heap[0]->next->time_ns < until_ns) {
		result = give_first(rings, until_ns, each, context);
		given += result;
	}
	for (u32 i = 0; i < rings->count; i++)
		publish(&rings->rings[i]);
	return result < 0 ? result : given;
}

static void scan(const struct rings *rings, struct ring *ring, u16 type,
		 void (*each)(void *context, const struct gapp_record *record), void *context)
{
	u64 head = __atomic_load_n(&ring->shared->write_position, __ATOMIC_ACQUIRE);

	if (ring->scanned < ring->position)
		ring->scanned = ring->position;
	/* rings_drain() complains about such positions */
	if (!is_possible(rings, ring->scanned, head))
		return;
	for (u64 room, size; ring->scanned != head; ring->scanned += size) {
		const struct gapp_record *record =
			record_at(rings, ring, ring->scanned, head, &room);

		size = record->size;
		if (size < sizeof(u64) || size % sizeof(u64) || size > room)
			return;
		if (record->type != type)
			continue;
		if (!is_whole(record, type_of(record), room))
			return;
		each(context, record);
	}
}

void rings_scan(struct rings *rings, u16 type,
		void (*each)(void *context, const struct gapp_record *record), void *context)
{
	for (u32 i = 0; i < rings->count; i++)
		scan(rings, &rings->rings[i], type, each, context);
}
