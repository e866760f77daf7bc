// SPDX-License-Identifier: GPL-2.0
/*
 * Explores the interface: sequences of calls whose arguments are taken from bytes, and which are
 * changed at random. Where the kernel has KCOV and the module is built for it, a sequence that
 * reaches new code is kept, and further ones are made of those kept. What the calls return is not
 * looked at, but that sessions start: the kernel must not complain, and nothing may be left.
 *
 * Usage: explore SECONDS [seed]
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "explore_calls.h"
#include "t.h"

#define KEPT_MOST 4096
#define SEEN_BITS 20
#define COVER_WORDS (64U << 10)
#define KCOV_INIT_TRACE _IOR('c', 1, unsigned long)
#define KCOV_ENABLE _IO('c', 100)
#define KCOV_DISABLE _IO('c', 101)
#define KCOV_TRACE_PC 0

/**
 * struct cover - what code the kernel has run for this thread
 * @fd: KCOV; -1: this kernel has none
 * @words: number of addresses, and the addresses, shared with the kernel
 * @seen: a bit for each pair of addresses that came one after the other
 * @places: bits that are set in @seen
 */
static struct cover {
	int fd;
	u64 *words;
	u8 seen[1 << (SEEN_BITS - 3)];
	unsigned long places;
} cover = { .fd = -1 };

static struct e_sequence *kept;
static u32 kept_count;
static unsigned long tried;

static void cover_begin(void)
{
	int fd = open("/sys/kernel/debug/kcov", O_RDWR | O_CLOEXEC);
	void *words;

	if (fd < 0)
		return;
	words = ioctl(fd, KCOV_INIT_TRACE, COVER_WORDS) ?
			MAP_FAILED :
			mmap(NULL, COVER_WORDS * sizeof(u64), PROT_READ | PROT_WRITE, MAP_SHARED,
			     fd, 0);
	if (words == MAP_FAILED || ioctl(fd, KCOV_ENABLE, KCOV_TRACE_PC)) {
		close(fd);
		return;
	}
	cover.fd = fd;
	cover.words = words;
}

/* Notes what was run since the last call. Returns how much of it is new. */
static u32 cover_take(void)
{
	u64 count, before = 0;
	u32 found = 0;

	if (cover.fd < 0)
		return 0;
	count = __atomic_load_n(&cover.words[0], __ATOMIC_RELAXED);
	for (u64 i = 1; i <= count && i < COVER_WORDS; i++) {
		u64 at = cover.words[i];
		u32 bit = (at ^ before * 31) * 0x9e3779b97f4a7c15ULL >> (64 - SEEN_BITS);

		before = at;
		if (cover.seen[bit / 8] >> bit % 8 & 1)
			continue;
		cover.seen[bit / 8] |= 1 << bit % 8;
		found++;
	}
	cover.places += found;
	__atomic_store_n(&cover.words[0], 0, __ATOMIC_RELAXED);
	return found;
}

static u32 pick(unsigned int *seed, u32 below)
{
	return rand_r(seed) % below;
}

static void change(struct e_sequence *sequence, unsigned int *seed)
{
	u8 *call = sequence->calls[pick(seed, sequence->count ? sequence->count : 1)];

	switch (pick(seed, 6)) {
	case 0: /* another call at the end */
		if (sequence->count < E_CALLS_MOST) {
			call = sequence->calls[sequence->count++];
			for (u32 i = 0; i < E_CALL_BYTES; i++)
				call[i] = pick(seed, 3) ? 0 : pick(seed, 256);
		}
		break;
	case 1: /* one call less */
		if (sequence->count > 1) {
			memmove(call, call + E_CALL_BYTES,
				(u8 *)sequence->calls[sequence->count] - call - E_CALL_BYTES);
			sequence->count--;
		}
		break;
	case 2: /* another call in its place */
		call[0] = pick(seed, 256);
		break;
	default:
		for (u32 i = 1 + pick(seed, 3); i; i--)
			call[pick(seed, E_CALL_BYTES)] = pick(seed, 256);
	}
}

/* A kept sequence or the usual one, changed; now and then the end of another one behind it. */
static struct e_sequence make(unsigned int *seed)
{
	struct e_sequence made = kept[pick(seed, kept_count)];
	const struct e_sequence *other = &kept[pick(seed, kept_count)];

	if (!pick(seed, 8))
		for (u32 i = pick(seed, E_CALLS_MOST); i < other->count; i++)
			if (made.count < E_CALLS_MOST)
				memcpy(made.calls[made.count++], other->calls[i], E_CALL_BYTES);
	for (u32 i = 1 + pick(seed, 5); i; i--)
		change(&made, seed);
	return made;
}

static void keep(const struct e_sequence *sequence, unsigned int *seed)
{
	u32 place = kept_count < KEPT_MOST ? kept_count++ : pick(seed, KEPT_MOST);

	kept[place] = *sequence;
}

int main(int argc, char **argv)
{
	u64 until = t_now() + (argc > 1 ? strtoull(argv[1], NULL, 0) : 10) * NSEC_PER_SEC;
	unsigned int seed = argc > 2 ? strtoul(argv[2], NULL, 0) : 1;
	u32 usual;

	kept = calloc(KEPT_MOST, sizeof(*kept));
	if (!kept)
		t_die("calloc");
	e_begin();
	usual = e_usual(kept);
	kept_count = usual;
	cover_begin();
	for (u32 i = 0; i < kept_count; i++) {
		e_run(&kept[i]);
		cover_take();
	}
	t_check(e_started() == usual, "explore: each usual sequence starts a session", "%lu of %u",
		e_started(), usual);
	if (cover.fd >= 0)
		t_check(cover.places > 0, "explore: code of the module is seen", "none");
	for (; t_now() < until; tried++) {
		struct e_sequence sequence = make(&seed);

		e_run(&sequence);
		if (cover_take())
			keep(&sequence, &seed);
	}
	if (cover.fd >= 0)
		ioctl(cover.fd, KCOV_DISABLE, 0);
	e_end();
	printf("# explore: %lu sequences, %u kept, %lu places of the module%s\n", tried, kept_count,
	       cover.places, cover.fd < 0 ? " (no KCOV: none is looked for)" : "");
	t_check(e_started() > usual, "explore: others start sessions, too", "%lu", e_started());
	return t_done();
}
