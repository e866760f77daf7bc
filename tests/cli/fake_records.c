// SPDX-License-Identifier: GPL-2.0
/* Records in the rings of the stand-in for /dev/gapp. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gapp.h>
#include <gapp_record.h>

#include "fake_node.h"

static void put_wakes(int node, __u64 begin)
{
	struct gapp_record_wake wake = {
		.head = { .type = GAPP_RECORD_WAKE, .size = sizeof(wake), .time_ns = begin }
	};
	struct gapp_ring ring = { .write_position = fake_number("records", 0) * sizeof(wake) };

	for (__u64 at = 0; at < ring.write_position; at += sizeof(wake)) {
		/* nobody prints it without its flag, and so records do not compress to nothing */
		wake.waker_tgid = (__u32)at * 2654435761U;
		if (pwrite(node, &wake, sizeof(wake), GAPP_MAP_RING(0) + FAKE_PAGE + at) < 0)
			abort();
	}
	if (ring.write_position && pwrite(node, &ring, sizeof(ring), GAPP_MAP_RING(0)) < 0)
		abort();
}

static void put_needmap(int node, __u64 begin)
{
	struct gapp_record_need_mapping needmap = {
		.head = { .type = GAPP_RECORD_NEED_MAPPING,
			  .size = sizeof(needmap),
			  .time_ns = begin },
		.tgid = fake_number("needmap", 0),
	};
	struct gapp_ring ring = { .write_position = sizeof(needmap) };

	if (needmap.tgid &&
	    (pwrite(node, &needmap, sizeof(needmap), GAPP_MAP_RING(1) + FAKE_PAGE) < 0 ||
	     pwrite(node, &ring, sizeof(ring), GAPP_MAP_RING(1)) < 0))
		abort();
}

/* Behind those that are in the ring of CPU 0. */
static void append(int node, const struct gapp_record *record)
{
	struct gapp_ring ring;

	if (pread(node, &ring, sizeof(ring), GAPP_MAP_RING(0)) < 0 ||
	    pwrite(node, record, record->size, GAPP_MAP_RING(0) + FAKE_PAGE + ring.write_position) <
		    0)
		abort();
	ring.write_position += record->size;
	if (pwrite(node, &ring, sizeof(ring), GAPP_MAP_RING(0)) < 0)
		abort();
}

/* The word at 0x5000, while its four bytes are not zero: the arguments of records. */
static const __u64 spun_for[] = { 0x5000, GAPP_SPIN_COMPARED(GAPP_SPIN_WHILE_NOT_EQUAL, 4), 0 };

/* A slice that ended in a wait, in the call path of the thread. */
static void append_slice(int node, __s32 tid, const char *comm, __u64 time_ns, bool spins)
{
	struct gapp_record_slice slice = {
		.head = { .type = GAPP_RECORD_SLICE, .size = sizeof(slice), .time_ns = time_ns },
		.tid = tid,
		.tgid = FAKE_TGID,
		.image = 1,
		.begin_ns = time_ns - 1000,
		.critical_share = 1000000ULL << GAPP_SHARE_SHIFT,
		.slices = 1,
		.n = 1,
		.then = GAPP_THEN_WAIT,
		.wait = spins ? GAPP_WAIT_SPIN : GAPP_WAIT_SLEEP,
		.path = tid - FAKE_TGID,
		.kernel_path = GAPP_PATH_NONE,
		.syscall = -1,
	};

	strcpy((char *)slice.comm, comm);
	if (spins)
		memcpy(slice.args, spun_for, sizeof(slice.args));
	append(node, &slice.head);
}

/* Without a waker, as the module does not know who ends a busy wait. */
static void append_wake(int node, __s32 tid, __u64 time_ns)
{
	const struct gapp_record_wake wake = {
		.head = { .type = GAPP_RECORD_WAKE, .size = sizeof(wake), .time_ns = time_ns },
		.tid = tid,
		.tgid = FAKE_TGID,
		.n = 1,
	};

	append(node, &wake.head);
}

/* Two milliseconds without any active thread, which a thread ended that spun. */
static void append_wait(int node, __s32 tid, const char *comm, __u64 time_ns)
{
	struct gapp_record_wait wait = {
		.head = { .type = GAPP_RECORD_WAIT, .size = sizeof(wait), .time_ns = time_ns },
		.tid = tid,
		.tgid = FAKE_TGID,
		.image = 1,
		.begin_ns = time_ns - 2000000,
		.wait_ns = 2000000,
		.stretches = 1,
		.wait = GAPP_WAIT_SPIN,
		.path = 1,
		.kernel_path = GAPP_PATH_NONE,
		.syscall = -1,
	};

	strcpy((char *)wait.comm, comm);
	memcpy(wait.args, spun_for, sizeof(wait.args));
	append(node, &wait.head);
}

/* Path N has one frame, at N times 0x1000. */
static void put_paths(int node)
{
	for (__u32 i = 1; i < FAKE_PATHS; i++) {
		const struct gapp_path path = { .hash = i, .word = i, .words = 1 };
		const __u64 frame = 0x1000ULL * i;

		if (pwrite(node, &path, sizeof(path), GAPP_MAP_PATHS + i * sizeof(path)) < 0 ||
		    pwrite(node, &frame, sizeof(frame),
			   GAPP_MAP_PATHS + FAKE_PAGE + i * sizeof(frame)) < 0)
			abort();
	}
}

#define SPINNER (FAKE_TGID + 1)
#define GIVER (FAKE_TGID + 2)
#define ALONE (FAKE_TGID + 3)

/* A thread spins for a word: for a millisecond, when nobody watches, and then until WATCH. */
static void put_spin(int node, __u64 begin)
{
	if (!fake_number("spin", 0))
		return;
	put_paths(node);
	append_slice(node, GIVER, "giver", begin + 1000, false);
	append_slice(node, SPINNER, "spinner", begin + 1000000, true);
	append_wake(node, SPINNER, begin + 2000000);
	append_slice(node, SPINNER, "spinner", begin + 3000000, true);
	for (int i = 0; fake_number("spin", 0) == 3 && i < 4; i++) {
		append_wake(node, SPINNER, begin + 3200000 + i * 200000);
		append_slice(node, SPINNER, "spinner", begin + 3300000 + i * 200000, true);
	}
	/* of nobody; it is so much later that the wait before it is worth a watch */
	append_wake(node, 0, begin + 8000000);
	/* it lets the reader come back several times until it is old enough */
	if (fake_number("spin", 0) == 3)
		append_slice(node, GIVER, "giver", begin + 700000000, false);
}

/* A critical millisecond in path 1, with two tallies, of which the second lacks something. */
static void put_counted(int node, __u64 begin)
{
	struct {
		struct gapp_record_slice slice;
		struct gapp_slice_tallies tallies;
		__u64 counts[2];
	} made = {
		.slice = { .head = { .type = GAPP_RECORD_SLICE,
				     .size = sizeof(made),
				     .time_ns = begin + 2000000 },
			   .tid = FAKE_TGID,
			   .tgid = FAKE_TGID,
			   .image = 1,
			   .comm = "counted",
			   .begin_ns = begin + 1000000,
			   .critical_share = 1000000ULL << GAPP_SHARE_SHIFT,
			   .own_critical_share = 1000000ULL << GAPP_SHARE_SHIFT,
			   .cmetric = 1000000ULL << GAPP_SHARE_SHIFT,
			   .thread_ns = 1000000,
			   .slices = 1,
			   .n = 1,
			   .flags = GAPP_SLICE_TALLIES,
			   .then = GAPP_THEN_WAIT,
			   .wait = GAPP_WAIT_SLEEP,
			   .path = 1,
			   .kernel_path = GAPP_PATH_NONE,
			   .syscall = -1 },
		.tallies = { .uncounted = 2, .count = 2 },
		.counts = { 1203, 17 },
	};

	if (!fake_number("counted", 0))
		return;
	put_paths(node);
	append(node, &made.slice.head);
}

static void append_mark(int node, __u32 kind, const char *name, __u64 time_ns, __u64 thread_ns)
{
	struct {
		struct gapp_record_mark mark;
		char text[GAPP_MARK_TEXT + 1];
	} made = {
		.mark = { .head = { .type = GAPP_RECORD_MARK,
				    .size = sizeof(made),
				    .time_ns = time_ns },
			  .tid = GIVER,
			  .tgid = FAKE_TGID,
			  .image = 1,
			  .comm = "giver",
			  .thread_ns = thread_ns,
			  .n = 1,
			  .flags = GAPP_MARK_INTEGRALS,
			  .kind = kind,
			  .bytes = strlen(name) },
	};

	strcpy(made.text, name);
	append(node, &made.mark.head);
}

/*
 * Sections: of 2 ms with a slice and one and a half active threads, and of 1 ms with nothing; with
 * sections=2 or 3 one that does not end.
 */
static void put_sections(int node, __u64 begin)
{
	if (!fake_number("sections", 0))
		return;
	put_paths(node);
	append_mark(node, GAPP_MARK_BEGIN, "so\033lve", begin + 1000000, 0);
	append_slice(node, GIVER, "giver", begin + 2000000, false);
	append_mark(node, GAPP_MARK_POINT, "a point", begin + 2500000, 0);
	append_mark(node, GAPP_MARK_END, "", begin + 3000000, 3000000);
	append_mark(node, GAPP_MARK_END, "", begin + 3000000, 3000000);
	append_mark(node, GAPP_MARK_BEGIN, "rest", begin + 4000000, 3000000);
	append_mark(node, GAPP_MARK_END, "rest", begin + 5000000, 3000000);
	if (fake_number("sections", 0) >= 2)
		append_mark(node, GAPP_MARK_BEGIN, "main loop", begin + 6000000, 3000000);
}

void fake_put_store(int node, __u64 address, __u64 time_ns)
{
	struct gapp_record_store store = {
		.head = { .type = GAPP_RECORD_STORE, .size = sizeof(store), .time_ns = time_ns },
		.tid = GIVER,
		.tgid = FAKE_TGID,
		.image = 1,
		.address = address,
		.path = GIVER - FAKE_TGID,
	};
	/* it got its CPU 400 ns before it stores, and wanted it for half a millisecond before */
	const bool waits = fake_number("spin", 0) == 2;
	static bool given;

	if (given || address != spun_for[0] || !fake_number("spin", 0))
		return;
	given = true;
	if (waits)
		append_wake(node, GIVER, time_ns - 500000);
	append(node, &store.head);
	if (waits)
		append_slice(node, GIVER, "giver", time_ns + 600, false);
	append_wake(node, SPINNER, time_ns + 1000);
	append_wait(node, ALONE, "alone", time_ns + 2000);
}

void fake_put_records(int node, __u64 begin_ns)
{
	put_wakes(node, begin_ns);
	put_needmap(node, begin_ns);
	put_spin(node, begin_ns);
	put_counted(node, begin_ns);
	put_sections(node, begin_ns);
}

int fake_has_records(int node)
{
	__u64 head = 0, tail = 0;

	for (unsigned int cpu = 0; cpu < FAKE_CPUS && head == tail; cpu++)
		if (pread(node, &head, sizeof(head), GAPP_MAP_RING(cpu)) < 0 ||
		    pread(node, &tail, sizeof(tail), GAPP_MAP_READ_POSITIONS + 64 * cpu) < 0)
			abort();
	return head != tail;
}
