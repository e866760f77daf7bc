// SPDX-License-Identifier: GPL-2.0
/*
 * What the feeder writes: paths whose frames are functions of the libraries that it has loaded, and
 * records of slices that ended on them, one ring after the other.
 */
#include "reader.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define FUNCTIONS 1500
#define SLICE_NS 20000ULL
#define WAIT_EVERY 20
#define SAMPLED_BEFORE 4
/* Of waits: so many go on at a time, for so many locks; a thread runs between two of its own. */
#define WAITING 24
#define LOCKS 16

static u64 draw(struct feed *feed)
{
	feed->random ^= feed->random << 13;
	feed->random ^= feed->random >> 7;
	feed->random ^= feed->random << 17;
	return feed->random;
}

static int inherited(const char *name)
{
	const char *text = getenv(name);

	if (!text) {
		fprintf(stderr, "reader: no %s: start it by gapp-read-fed\n", name);
		exit(2);
	}
	return atoi(text);
}

static void *map(const struct feed *feed, u64 bytes, u64 offset)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, feed->memory, offset);

	if (at == MAP_FAILED)
		feed_die("mmap");
	return at;
}

void feed_map(struct feed *feed)
{
	feed->memory = inherited(FED_MEMORY);
	feed->wake = inherited(FED_WAKE);
	for (u32 cpu = 0; cpu < FED_CPUS; cpu++) {
		feed->rings[cpu] = map(feed, FED_PAGE + FED_RING, GAPP_MAP_RING(cpu));
		feed->data[cpu] = (unsigned char *)feed->rings[cpu] + FED_PAGE;
	}
	feed->tails = map(feed, FED_PAGE, GAPP_MAP_READ_POSITIONS);
	feed->slots = map(feed, FED_PATHS_BYTES, GAPP_MAP_PATHS);
	feed->words = (u64 *)((unsigned char *)feed->slots + FED_WORDS_AT);
}

void feed_load(struct feed *feed, const char *folder)
{
	char path[4096], name[32];
	void *object;

	for (u32 i = 0; i < FEED_OBJECTS; i++) {
		snprintf(path, sizeof(path), "%s/object%u.so", folder, i);
		snprintf(name, sizeof(name), "functions_%u", i);
		object = dlopen(path, RTLD_NOW);
		feed->functions[i] = object ? dlsym(object, name) : NULL;
		if (!feed->functions[i]) {
			fprintf(stderr, "reader: %s: %s\n", path, dlerror());
			exit(1);
		}
	}
}

/*
 * The frame of a path, counted from the outermost. Paths of a program are a tree: its outer quarter
 * is that of all, the next one that of 64 in turn, the next one that of 8.
 */
static u64 frame_of(const struct feed *feed, u32 path, u32 frame)
{
	static const u32 shared_by[] = { 1U << 20, 64, 8, 1 };
	u64 mix = (u64)(path / shared_by[frame * 4 / feed->frames]) * 128 + frame + 1;

	mix *= 0x9e3779b97f4a7c15ULL;
	mix ^= mix >> 32;
	mix *= 0xd6e8feb86659fd93ULL;
	mix ^= mix >> 32;
	return (u64)feed->functions[mix % FEED_OBJECTS][mix / FEED_OBJECTS % FUNCTIONS] + 8;
}

void feed_make_paths(struct feed *feed)
{
	u32 word = 1;

	for (u32 path = 0; path < feed->paths; path++) {
		for (u32 i = 0; i < feed->frames; i++)
			feed->words[word + i] = frame_of(feed, path, feed->frames - 1 - i);
		feed->slots[path] = (struct gapp_path){
			.hash = path + 1,
			.word = word,
			.words = feed->frames,
			.flags = GAPP_UNWIND_COMPLETE | GAPP_PATH_BY_TABLE,
		};
		word += feed->frames;
	}
}

u64 feed_used(const struct feed *feed, u32 cpu)
{
	return feed->rings[cpu]->write_position -
	       __atomic_load_n(&feed->tails[cpu * FED_TAIL_STRIDE / sizeof(u64)], __ATOMIC_ACQUIRE);
}

void feed_wake(struct feed *feed)
{
	u64 one = 1;

	feed->ticked_ns = feed_now();
	if (write(feed->wake, &one, sizeof(one)) < 0 && errno != EAGAIN)
		feed_die("eventfd");
}

/* Room for a record that does not wrap, after a PAD where one is needed. NULL: there is none. */
static void *reserve(struct feed *feed, u32 cpu, u32 size, u64 *head)
{
	u64 at = feed->rings[cpu]->write_position % FED_RING, rest = FED_RING - at;
	u32 pad = rest < size ? rest : 0;
	struct gapp_record *record = (struct gapp_record *)(feed->data[cpu] + at);

	if (feed_used(feed, cpu) + pad + size > FED_RING)
		return NULL;
	if (pad) {
		record->type = GAPP_RECORD_PAD;
		record->size = pad;
		record->cpu = cpu;
		record = (struct gapp_record *)feed->data[cpu];
	}
	*head = feed->rings[cpu]->write_position + pad + size;
	memset(record, 0, size);
	return record;
}

static void commit(struct feed *feed, u32 cpu, u64 head)
{
	bool was_half = feed_used(feed, cpu) >= FED_RING / 2;

	__atomic_store_n(&feed->rings[cpu]->write_position, head, __ATOMIC_RELEASE);
	if (!was_half && feed_used(feed, cpu) >= FED_RING / 2)
		feed_wake(feed);
}

/* Few paths have most of it. */
static u32 choose_path(struct feed *feed)
{
	u32 a = draw(feed) % feed->paths;

	return draw(feed) % (a + 1);
}

/* What runs before a slice ends is one of few. */
static u32 choose_sampled(struct feed *feed, u32 end)
{
	return (end + 1 + draw(feed) % SAMPLED_BEFORE) % feed->paths;
}

static u64 next_time(struct feed *feed)
{
	u64 time = feed_now();

	feed->last_ns = time > feed->last_ns ? time : feed->last_ns + 1;
	return feed->last_ns;
}

static bool put_wait(struct feed *feed, u32 cpu)
{
	struct gapp_record_wait *wait;
	u64 head;

	wait = reserve(feed, cpu, sizeof(*wait), &head);
	if (!wait)
		return false;
	wait->head = (struct gapp_record){ GAPP_RECORD_WAIT, sizeof(*wait), cpu, next_time(feed) };
	wait->tgid = getpid();
	wait->tid = wait->tgid + draw(feed) % feed->threads;
	wait->image = 1;
	memcpy(wait->comm, "fed", 4);
	wait->begin_ns = wait->head.time_ns - SLICE_NS;
	wait->wait_ns = SLICE_NS;
	wait->stretches = 1;
	wait->wait = GAPP_WAIT_LOCK;
	wait->path = choose_path(feed);
	wait->kernel_path = GAPP_PATH_NONE;
	wait->syscall = 202;
	wait->waiting[GAPP_WAIT_LOCK] = feed->threads;
	commit(feed, cpu, head);
	return true;
}

/* @thread: number of the thread that ends it */
static bool put_slice(struct feed *feed, u32 cpu, u32 thread)
{
	bool sampled = draw(feed) % 100 < feed->sampled;
	u32 size = sizeof(struct gapp_record_slice) +
		   sampled * (sizeof(struct gapp_sample) + sizeof(u64));
	struct gapp_record_slice *slice;
	struct gapp_sample *sample;
	u64 head;

	slice = reserve(feed, cpu, size, &head);
	if (!slice)
		return false;
	slice->head = (struct gapp_record){ GAPP_RECORD_SLICE, size, cpu, next_time(feed) };
	slice->tgid = getpid();
	slice->tid = slice->tgid + thread;
	slice->image = 1;
	memcpy(slice->comm, "fed", 4);
	slice->args[0] = 0x1000 + 64 * (thread % LOCKS);
	slice->begin_ns = slice->head.time_ns - SLICE_NS;
	slice->critical_share = SLICE_NS << GAPP_SHARE_SHIFT;
	slice->own_critical_share = slice->critical_share;
	slice->cmetric = slice->critical_share;
	slice->thread_ns = SLICE_NS;
	slice->slices = 1;
	slice->n = 1;
	slice->then = GAPP_THEN_WAIT;
	slice->wait = GAPP_WAIT_LOCK;
	slice->sample_count = sampled;
	slice->path = choose_path(feed);
	slice->kernel_path = GAPP_PATH_NONE;
	slice->syscall = 202;
	slice->waiting[GAPP_WAIT_LOCK] = feed->threads;
	if (sampled) {
		sample = (struct gapp_sample *)(slice + 1);
		sample->path = choose_sampled(feed, slice->path);
		sample->kernel_path = GAPP_PATH_NONE;
		sample->critical_share = slice->critical_share / 2;
		sample->waiting[GAPP_WAIT_LOCK] = feed->threads;
		*(__s32 *)(sample + 1) = draw(feed) % 2 ? GAPP_IN_USER : (__s32)(draw(feed) % 4);
	}
	commit(feed, cpu, head);
	return true;
}

/* The thread that the next one wakes. */
static bool put_wake(struct feed *feed, u32 cpu, u32 thread)
{
	struct gapp_record_wake *wake;
	u64 head;

	wake = reserve(feed, cpu, sizeof(*wake), &head);
	if (!wake)
		return false;
	wake->head = (struct gapp_record){ GAPP_RECORD_WAKE, sizeof(*wake), cpu, next_time(feed) };
	wake->tgid = getpid();
	wake->tid = wake->tgid + thread;
	wake->n = 2;
	wake->flags = GAPP_SLICE_WAKER;
	wake->waker_tgid = wake->tgid;
	wake->waker_tid = wake->tgid + (thread + WAITING + 1) % feed->threads;
	commit(feed, cpu, head);
	return true;
}

/* A slice for the begin of a wait, or a wake-up for the end of the one that began before others. */
static bool put_of_wait(struct feed *feed, u32 cpu, u64 number)
{
	u64 wait = number / 2;

	if (number % 2 && wait >= WAITING)
		return put_wake(feed, cpu, (wait - WAITING) % feed->threads);
	return number % 2 || put_slice(feed, cpu, wait % feed->threads);
}

bool feed_put(struct feed *feed, u64 number)
{
	u32 cpu = number % FED_CPUS;

	if (feed->waits)
		return put_of_wait(feed, number / 2 % FED_CPUS, number);
	return number % WAIT_EVERY ? put_slice(feed, cpu, draw(feed) % feed->threads) :
				     put_wait(feed, cpu);
}
