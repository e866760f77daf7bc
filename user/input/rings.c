// SPDX-License-Identifier: GPL-2.0
/* Maps them; what is in the rings is rings_drain.c's. */
#include "rings_int.h"

#include <errno.h>
#include <sys/mman.h>

/* More than any kernel is built for. */
#define CPUS_MAX 65536

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
	ring->tail = (u64 *)(rings->tails.bytes + (u64)cpu * layout->position_stride);
	ring->position = *ring->tail;
	ring->told = ring->position;
	ring->head = ring->position;
	return 0;
}

static int map_all(struct rings *rings, int fd, const struct gapp_layout *layout)
{
	if (map(&rings->tails, fd, layout->positions_map_bytes, GAPP_MAP_READ_POSITIONS,
		PROT_READ | PROT_WRITE, "the rings' tails"))
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
	rings->given = RINGS_ALL_TYPES;
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
		u64 used = __atomic_load_n(&ring->shared->write_position, __ATOMIC_RELAXED) -
			   ring->told;

		if (used > fullest)
			fullest = used;
	}
	if (!fullest)
		return 0;
	return fullest < rings->bytes ? fullest * 100 / rings->bytes : 100;
}
