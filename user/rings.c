// SPDX-License-Identifier: GPL-2.0
#include "rings.h"

#include <errno.h>
#include <sys/mman.h>

#define DO_NOT_FIT "the loaded module and this gapp-read do not fit"
#define USE_ITS_OWN "run the gapp-read that was built together with the module"
/* More than any kernel is built for. */
#define CPUS_MAX 65536

/**
 * struct mapped - a mapping
 * @bytes: its begin; NULL: none
 * @length: of it
 */
struct mapped {
	u8 *bytes;
	size_t length;
};

/**
 * struct ring - the records of one CPU
 * @mapped: its mapping
 * @shared: its begin
 * @data: the records
 * @tail: where the kernel looks for @position
 * @position: bytes read, ever
 * @scanned: bytes that rings_scan() has looked at, ever
 * @told: what @tail was last set to
 * @head: bytes written when the drain began
 * @next: the record at @position, while it is in the heap
 * @cpu: its CPU
 */
struct ring {
	struct mapped mapped;
	const struct gapp_ring *shared;
	const u8 *data;
	u64 *tail;
	u64 position;
	u64 scanned;
	u64 told;
	u64 head;
	const struct gapp_record *next;
	u32 cpu;
};

/**
 * struct rings - all mappings of a session
 * @bytes: size of a ring's data, a power of two
 * @tails: the tails of all rings
 * @paths: the table of paths
 * @slots: its slots
 * @slot_count: how many
 * @words: its words
 * @word_count: how many
 * @heap: rings that have a record to give, the earliest first
 * @waiting: how many
 * @count: rings
 * @rings: in the order of their CPUs
 */
struct rings {
	u32 bytes;
	struct mapped tails;
	struct mapped paths;
	const struct gapp_path *slots;
	u32 slot_count;
	const u64 *words;
	u64 word_count;
	struct ring **heap;
	u32 waiting;
	u32 count;
	struct ring rings[];
};

/* Returns 0, or an error number. */
static int try_to_map(struct mapped *mapped, int fd, u64 length, u64 offset, int protection)
{
	void *bytes = mmap(NULL, length, protection, MAP_SHARED, fd, offset);

	if (bytes == MAP_FAILED)
		return errno;
	mapped->bytes = bytes;
	mapped->length = length;
	return 0;
}

static int cannot_map(const char *what, int error)
{
	complain("cannot map %s: %s%s", what, strerror(error),
		 error == ENOMEM || error == EAGAIN ? ": give a smaller -m" : "");
	return -1;
}

static int map(struct mapped *mapped, int fd, u64 length, u64 offset, int protection,
	       const char *what)
{
	int error = try_to_map(mapped, fd, length, offset, protection);

	return error ? cannot_map(what, error) : 0;
}

static void unmap(struct mapped *mapped)
{
	if (mapped->bytes)
		munmap(mapped->bytes, mapped->length);
}

/* @count things of @size bytes, aligned so, lie in @length bytes from @at on. */
static bool fits(u64 length, u64 at, u64 count, u64 size)
{
	u64 bytes, end;

	return !(at % sizeof(u64)) && !__builtin_mul_overflow(count, size, &bytes) &&
	       !__builtin_add_overflow(at, bytes, &end) && end <= length;
}

static bool is_sound(const struct gapp_layout *layout)
{
	u32 bytes = layout->ring_bytes;

	if (layout->cpus > CPUS_MAX || layout->tail_stride < sizeof(u64) ||
	    layout->tail_stride % sizeof(u64))
		return false;
	if (bytes < GAPP_MIN_RING || bytes > GAPP_MAX_RING || (bytes & (bytes - 1)))
		return false;
	return layout->ring_data >= sizeof(struct gapp_ring) &&
	       fits(layout->ring_map_bytes, layout->ring_data, 1, bytes) &&
	       fits(layout->tails_map_bytes, 0, layout->cpus, layout->tail_stride) &&
	       layout->path_slots <= GAPP_MAX_PATHS &&
	       fits(layout->paths_map_bytes, layout->path_slots_at, layout->path_slots,
		    sizeof(struct gapp_path)) &&
	       fits(layout->paths_map_bytes, layout->path_words_at, layout->path_words,
		    sizeof(u64));
}

/* A CPU that is possible but was not present at CONFIGURE has no ring, and none comes later. */
static int map_ring(struct rings *rings, int fd, const struct gapp_layout *layout, u32 cpu)
{
	struct ring *ring = &rings->rings[rings->count];
	int error;

	error = try_to_map(&ring->mapped, fd, layout->ring_map_bytes, GAPP_MAP_RING(cpu),
			   PROT_READ);
	if (error == ENXIO)
		return 0;
	if (error)
		return cannot_map("the records of a CPU", error);
	rings->count++;
	ring->cpu = cpu;
	ring->shared = (const struct gapp_ring *)ring->mapped.bytes;
	ring->data = ring->mapped.bytes + layout->ring_data;
	ring->tail = (u64 *)(rings->tails.bytes + (u64)cpu * layout->tail_stride);
	ring->position = *ring->tail;
	ring->told = ring->position;
	ring->head = ring->position;
	return 0;
}

static int map_all(struct rings *rings, int fd, const struct gapp_layout *layout)
{
	if (map(&rings->tails, fd, layout->tails_map_bytes, GAPP_MAP_TAILS, PROT_READ | PROT_WRITE,
		"the rings' tails"))
		return -1;
	for (u32 cpu = 0; cpu < layout->cpus; cpu++)
		if (map_ring(rings, fd, layout, cpu))
			return -1;
	if (!rings->count) {
		complain(DO_NOT_FIT ": no CPU has a ring: " USE_ITS_OWN);
		return -1;
	}
	if (map(&rings->paths, fd, layout->paths_map_bytes, GAPP_MAP_PATHS, PROT_READ,
		"the table of paths"))
		return -1;
	rings->slots = (const struct gapp_path *)(rings->paths.bytes + layout->path_slots_at);
	rings->slot_count = layout->path_slots;
	rings->words = (const u64 *)(rings->paths.bytes + layout->path_words_at);
	rings->word_count = layout->path_words;
	return 0;
}

struct rings *rings_new(int fd, const struct gapp_layout *layout)
{
	struct rings *rings;

	/* a session of figures only */
	if (!layout->cpus) {
		rings = calloc(1, sizeof(*rings));
		if (!rings)
			out_of_memory();
		return rings;
	}
	if (!is_sound(layout)) {
		complain(DO_NOT_FIT ": sizes of its rings make no sense: " USE_ITS_OWN);
		return NULL;
	}
	rings = calloc(1, sizeof(*rings) + layout->cpus * sizeof(rings->rings[0]));
	if (rings)
		rings->heap = calloc(layout->cpus, sizeof(*rings->heap));
	if (!rings || !rings->heap) {
		free(rings);
		out_of_memory();
		return NULL;
	}
	rings->bytes = layout->ring_bytes;
	if (map_all(rings, fd, layout)) {
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
		unmap(&rings->rings[i].mapped);
	unmap(&rings->tails);
	unmap(&rings->paths);
	free(rings->heap);
	free(rings);
}

/* What has been read may be written over from now on. */
static void publish(struct ring *ring)
{
	if (ring->told == ring->position)
		return;
	__atomic_store_n(ring->tail, ring->position, __ATOMIC_RELEASE);
	ring->told = ring->position;
}

/* The least that a record of a type has; 0: it is of a type that nobody here knows. */
static size_t least_size(u16 type)
{
	switch (type) {
	case GAPP_RECORD_SLICE:
		return sizeof(struct gapp_record_slice);
	case GAPP_RECORD_WAIT:
		return sizeof(struct gapp_record_wait);
	case GAPP_RECORD_LOST:
		return sizeof(struct gapp_record_lost);
	case GAPP_RECORD_WAKE:
		return sizeof(struct gapp_record_wake);
	case GAPP_RECORD_TAIL:
		return sizeof(struct gapp_record_tail);
	case GAPP_RECORD_NEEDMAP:
		return sizeof(struct gapp_record_needmap);
	}
	return 0;
}

/* What follows its structure, bytes; as far as that is said in it. */
static u64 more_size(const struct gapp_record *record)
{
	switch (record->type) {
	case GAPP_RECORD_SLICE:
		return ((const struct gapp_record_slice *)record)->sample_count *
		       sizeof(struct gapp_sample);
	case GAPP_RECORD_TAIL:
		return ((const struct gapp_record_tail *)record)->stack_bytes;
	}
	return 0;
}

/* It is whole: there are @room bytes from its begin on, at least 8. */
static bool is_whole(const struct gapp_record *record, u64 room)
{
	u64 size = record->size;

	if (size < sizeof(u64) || size % sizeof(u64) || size > room)
		return false;
	if (record->type == GAPP_RECORD_PAD)
		return true;
	if (size < sizeof(*record) || size < least_size(record->type))
		return false;
	return size - least_size(record->type) >= more_size(record);
}

/* Finds the next record, past what need not be given; @ring->next is NULL at the end. */
static int look_ahead(const struct rings *rings, struct ring *ring)
{
	ring->next = NULL;
	while (ring->position != ring->head) {
		u64 at = ring->position & (rings->bytes - 1);
		u64 written = ring->head - ring->position, unwrapped = rings->bytes - at;
		const struct gapp_record *record = (const struct gapp_record *)(ring->data + at);

		if (!is_whole(record, written < unwrapped ? written : unwrapped)) {
			complain(DO_NOT_FIT
				 ": a record of CPU %u, type %u with %u bytes, makes no sense: %s",
				 ring->cpu, record->type, record->size, USE_ITS_OWN);
			return -1;
		}
		if (least_size(record->type)) {
			ring->next = record;
			return 0;
		}
		ring->position += record->size;
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

/* Puts every ring that has a record into the heap. */
static int gather(struct rings *rings)
{
	rings->waiting = 0;
	/* all at once, so that little comes to a later one that is after what is in an earlier one
	 */
	for (u32 i = 0; i < rings->count; i++)
		rings->rings[i].head =
			__atomic_load_n(&rings->rings[i].shared->head, __ATOMIC_ACQUIRE);

	for (u32 i = 0; i < rings->count; i++) {
		struct ring *ring = &rings->rings[i];

		if (ring->head - ring->position > rings->bytes || ring->head % sizeof(u64) ||
		    ring->position % sizeof(u64)) {
			complain(DO_NOT_FIT ": the head of CPU %u's ring makes no sense: %s",
				 ring->cpu, USE_ITS_OWN);
			return -1;
		}
		if (look_ahead(rings, ring))
			return -1;
		if (ring->next)
			rings->heap[rings->waiting++] = ring;
	}
	for (u32 i = rings->waiting / 2; i--;)
		sink(rings, i);
	return 0;
}

/* Gives the earliest record. Its room is told of in large parts, for that costs the kernel. */
static int give_first(struct rings *rings,
		      int (*each)(void *context, const struct gapp_record *record), void *context)
{
	struct ring *ring = rings->heap[0];
	u16 size = ring->next->size;
	int result = each(context, ring->next);

	ring->position += size;
	if (ring->position - ring->told >= rings->bytes / 4)
		publish(ring);
	if (result || look_ahead(rings, ring))
		return -1;
	if (!ring->next)
		rings->heap[0] = rings->heap[--rings->waiting];
	if (rings->waiting)
		sink(rings, 0);
	return 0;
}

s64 rings_drain(struct rings *rings, u64 until_ns,
		int (*each)(void *context, const struct gapp_record *record), void *context)
{
	int result = gather(rings);
	s64 given = 0;

	while (!result && rings->waiting && rings->heap[0]->next->time_ns < until_ns) {
		result = give_first(rings, each, context);
		given++;
	}
	for (u32 i = 0; i < rings->count; i++)
		publish(&rings->rings[i]);
	return result ? -1 : given;
}

static void scan(const struct rings *rings, struct ring *ring, u16 type,
		 void (*each)(void *context, const struct gapp_record *record), void *context)
{
	u64 head = __atomic_load_n(&ring->shared->head, __ATOMIC_ACQUIRE);

	if (ring->scanned < ring->position)
		ring->scanned = ring->position;
	/* what makes no sense is complained about when it is read */
	if (head - ring->scanned > rings->bytes || head % sizeof(u64) ||
	    ring->scanned % sizeof(u64))
		return;
	while (ring->scanned != head) {
		u64 at = ring->scanned & (rings->bytes - 1);
		u64 written = head - ring->scanned, unwrapped = rings->bytes - at;
		const struct gapp_record *record = (const struct gapp_record *)(ring->data + at);

		if (!is_whole(record, written < unwrapped ? written : unwrapped))
			return;
		if (record->type == type)
			each(context, record);
		ring->scanned += record->size;
	}
}

void rings_scan(struct rings *rings, u16 type,
		void (*each)(void *context, const struct gapp_record *record), void *context)
{
	for (u32 i = 0; i < rings->count; i++)
		scan(rings, &rings->rings[i], type, each, context);
}

const u64 *rings_path(const struct rings *rings, u32 path, u16 *count, u16 *flags)
{
	const struct gapp_path *slot;
	u32 word;

	if (path >= rings->slot_count)
		return NULL;
	slot = &rings->slots[path];
	word = __atomic_load_n(&slot->word, __ATOMIC_ACQUIRE);
	if (!word || word > rings->word_count || slot->words > rings->word_count - word ||
	    slot->words > GAPP_MAX_STACK)
		return NULL;
	*count = slot->words;
	*flags = slot->flags;
	return &rings->words[word];
}

unsigned int rings_fill(const struct rings *rings)
{
	u64 fullest = 0;

	for (u32 i = 0; i < rings->count; i++) {
		const struct ring *ring = &rings->rings[i];
		u64 used = __atomic_load_n(&ring->shared->head, __ATOMIC_RELAXED) - ring->told;

		if (used > fullest)
			fullest = used;
	}
	if (!fullest)
		return 0;
	return fullest < rings->bytes ? fullest * 100 / rings->bytes : 100;
}
