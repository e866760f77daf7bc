/* SPDX-License-Identifier: GPL-2.0 */
/* The mappings of a session in a file in memory, with a producer's view of them. */
#ifndef GAPP_TESTS_FAKE_RINGS_H
#define GAPP_TESTS_FAKE_RINGS_H

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "made_up.h"
#include "input/rings.h"

#define FAKE_CPUS 3
#define FAKE_RING GAPP_MIN_RING
#define FAKE_PAGE 4096
#define FAKE_SLOTS 2048
#define FAKE_WORDS 4096
#define FAKE_WORDS_AT (FAKE_SLOTS * sizeof(struct gapp_path))
#define FAKE_PATHS (FAKE_WORDS_AT + FAKE_WORDS * sizeof(u64))

/**
 * struct fake_rings - what a module would have
 * @fd: what the reader maps
 * @layout: where
 * @ring: begins of the rings
 * @data: their records
 * @tails: of the rings
 * @slots: of the table of paths
 * @words: of the table of paths
 * @next_word: first free one
 */
struct fake_rings {
	int fd;
	struct gapp_layout layout;
	struct gapp_ring *ring[FAKE_CPUS];
	u8 *data[FAKE_CPUS];
	u64 *tails;
	struct gapp_path *slots;
	u64 *words;
	u32 next_word;
};

static inline void *fake_map(int fd, u64 length, u64 offset)
{
	void *bytes = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);

	assert_true(bytes != MAP_FAILED);
	return bytes;
}

/* Nothing is ever given back: a test's process is short. */
static inline void fake_rings_make(struct fake_rings *fake)
{
	u8 *paths;

	memset(fake, 0, sizeof(*fake));
	fake->fd = memfd_create("rings", MFD_CLOEXEC);
	assert_true(fake->fd >= 0);
	assert_int_equal(ftruncate(fake->fd, GAPP_MAP_RING(FAKE_CPUS)), 0);
	fake->layout = (struct gapp_layout){
		.cpus = FAKE_CPUS,
		.ring_bytes = FAKE_RING,
		.ring_map_bytes = FAKE_PAGE + FAKE_RING,
		.ring_data = FAKE_PAGE,
		.positions_map_bytes = FAKE_PAGE,
		.position_stride = 64,
		.path_slots = FAKE_SLOTS,
		.paths_map_bytes = FAKE_PATHS,
		.path_slots_at = 0,
		.path_words_at = FAKE_WORDS_AT,
		.path_words = FAKE_WORDS,
	};
	for (u32 cpu = 0; cpu < FAKE_CPUS; cpu++) {
		fake->ring[cpu] = fake_map(fake->fd, FAKE_PAGE + FAKE_RING, GAPP_MAP_RING(cpu));
		fake->data[cpu] = (u8 *)fake->ring[cpu] + FAKE_PAGE;
	}
	fake->tails = fake_map(fake->fd, FAKE_PAGE, GAPP_MAP_READ_POSITIONS);
	paths = fake_map(fake->fd, FAKE_PATHS, GAPP_MAP_PATHS);
	fake->slots = (struct gapp_path *)paths;
	fake->words = (u64 *)(paths + FAKE_WORDS_AT);
	fake->next_word = 1;
}

static inline u64 *fake_tail(struct fake_rings *fake, u32 cpu)
{
	return fake->tails + cpu * 64 / sizeof(u64);
}

/* Room for a record that does not wrap, after a PAD where one is needed; its head is filled in. */
static inline void *fake_put(struct fake_rings *fake, u32 cpu, u16 type, u16 size, u64 time_ns)
{
	u64 at = fake->ring[cpu]->write_position % FAKE_RING, rest = FAKE_RING - at;
	struct gapp_record *record = (struct gapp_record *)(fake->data[cpu] + at);

	if (rest < size) {
		record->type = GAPP_RECORD_PAD;
		record->size = rest;
		fake->ring[cpu]->write_position += rest;
		record = (struct gapp_record *)fake->data[cpu];
	}
	memset(record, 0, size);
	*record =
		(struct gapp_record){ .type = type, .size = size, .cpu = cpu, .time_ns = time_ns };
	fake->ring[cpu]->write_position += size;
	assert_true(fake->ring[cpu]->write_position - *fake_tail(fake, cpu) <= FAKE_RING);
	return record;
}

static inline void fake_path(struct fake_rings *fake, u32 path, u16 flags, const u64 *frames,
			     u16 count)
{
	assert_true(path < FAKE_SLOTS && fake->next_word + count <= FAKE_WORDS);
	memcpy(fake->words + fake->next_word, frames, count * sizeof(*frames));
	fake->slots[path] = (struct gapp_path){
		.hash = path + 1, .word = fake->next_word, .words = count, .flags = flags
	};
	fake->next_word += count;
}

#endif /* GAPP_TESTS_FAKE_RINGS_H */
