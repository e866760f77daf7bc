// SPDX-License-Identifier: GPL-2.0
/*
 * Writes a recording with every slice to standard output: made-timeline few, of each thing that may
 * happen, with hostile names; made-timeline SLICES, so many of 16 threads on 8 CPUs; or
 * made-timeline random SEED, of records that no module writes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>

#include "made_recording.h"

#include "callpath/saved_paths.h"
#include "input/rings.h"

#define START_NS 5000000000ULL
#define FEW_NS 100000000ULL
/* Microseconds since the recording began. */
static u64 us(u64 microseconds)
{
	return START_NS + microseconds * 1000;
}

/* Paths of records: 0 to 2 are the program's, 3 is the kernel's. */
#define PATHS 4
/* A name that a terminal, JSON and protobuf must not take as it is. */
#define HOSTILE "w\xff\x1b]0;x\n\"<b>"
/* A wake-up by nobody that is known. */
#define NOBODY 0

struct made {
	struct recording recording;
	u64 count;
	u32 n;
};

static void put_record(struct made *made, struct gapp_record *record, u32 type, size_t size)
{
	record->type = type;
	record->size = size;
	pack_sized(blocks_item(&made->recording.writer), record, size);
	blocks_item_end(&made->recording.writer);
	made->count++;
}

struct who {
	s32 tid;
	s32 tgid;
	const char *name;
};

static const struct who main_thread = { 10, 10, "prog" };
static const struct who worker = { 11, 10, "worker" };
static const struct who hostile = { 12, 10, HOSTILE };
static const struct who no_id = { 0, 0, "elsewhere" };

static void slice(struct made *made, u32 cpu, const struct who *who, u64 begin, u64 end, u32 then,
		  u32 wait, u32 path)
{
	bool critical = made->n == 1;
	struct gapp_record_slice record = {
		.head = { .cpu = cpu, .time_ns = end },
		.tid = who->tid,
		.tgid = who->tgid,
		.begin_ns = begin,
		.critical_share = critical ? SHARE(end - begin) : 0,
		.own_critical_share = critical ? SHARE(end - begin) : 0,
		.slices = 1,
		.then = then,
		.wait = wait,
		.path = path,
		.kernel_path = path == 1 ? 3 : GAPP_PATH_NONE,
		.syscall = -1,
	};

	if (then == GAPP_THEN_WAIT || then == GAPP_THEN_EXITED)
		made->n -= made->n > 0;
	record.n = made->n;
	memcpy(record.comm, who->name, strnlen(who->name, sizeof(record.comm)));
	put_record(made, &record.head, GAPP_RECORD_SLICE, sizeof(record));
}

static void wake(struct made *made, u32 cpu, const struct who *who, u64 time, u32 flags,
		 s32 waker_tid, s32 waker_tgid, u32 waker_cpu)
{
	struct gapp_record_wake record = {
		.head = { .cpu = cpu, .time_ns = time },
		.tid = who->tid,
		.tgid = who->tgid,
		.n = ++made->n,
		.flags = flags,
		.waker_tid = waker_tid,
		.waker_tgid = waker_tgid,
		.waker_cpu = waker_cpu,
	};

	put_record(made, &record.head, GAPP_RECORD_WAKE, sizeof(record));
}

static void lost(struct made *made, u32 cpu, u64 since, u64 time, u64 records)
{
	struct gapp_record_lost record = {
		.head = { .cpu = cpu, .time_ns = time },
		.records = records,
		.since_ns = since,
	};

	put_record(made, &record.head, GAPP_RECORD_LOST, sizeof(record));
}

static void mark(struct made *made, u32 cpu, const struct who *who, u64 time, u32 kind,
		 const char *name)
{
	struct {
		struct gapp_record_mark mark;
		char text[GAPP_MARK_TEXT + 1];
	} record = {
		.mark = { .head = { .cpu = cpu, .time_ns = time },
			  .tid = who->tid,
			  .tgid = who->tgid,
			  .kind = kind,
			  .bytes = strnlen(name, GAPP_MARK_TEXT) },
	};

	memcpy(record.text, name, record.mark.bytes);
	memcpy(record.mark.comm, who->name, strnlen(who->name, sizeof(record.mark.comm)));
	put_record(made, &record.mark.head, GAPP_RECORD_MARK, sizeof(record));
}

static void put_few(struct made *made)
{
	made->n = 1;
	mark(made, 0, &main_thread, us(2000), GAPP_MARK_BEGIN, "solve \"1\" </b>");
	slice(made, 0, &main_thread, us(0), us(10000), GAPP_THEN_PREEMPTED, 0, 0);
	wake(made, 1, &worker, us(11000), NOBODY, 0, 0, 0);
	slice(made, 0, &hostile, us(10000), us(14000), GAPP_THEN_WAIT, GAPP_WAIT_LOCK, 1);
	wake(made, 2, &hostile, us(15000), GAPP_SLICE_WAKER, 11, 10, 1);
	mark(made, 1, &worker, us(17000), GAPP_MARK_BEGIN, "inner");
	mark(made, 1, &worker, us(18000), GAPP_MARK_POINT, "half \"way\" </script>");
	slice(made, 1, &worker, us(12000), us(20000), GAPP_THEN_ON, 0, 0);
	mark(made, 2, &hostile, us(21000), GAPP_MARK_BEGIN, "until its end");
	slice(made, 2, &hostile, us(16000), us(22000), GAPP_THEN_WAIT, GAPP_WAIT_BARRIER, 2);
	mark(made, 1, &worker, us(24000), GAPP_MARK_END, "inner");
	mark(made, 1, &worker, us(24000), GAPP_MARK_END, "never begun");
	slice(made, 1, &worker, us(20000), us(25000), GAPP_THEN_WAIT, GAPP_WAIT_DISK, 1);
	slice(made, 0, &main_thread, us(15000), us(30000), GAPP_THEN_WAIT, GAPP_WAIT_JOIN, 0);
	wake(made, 1, &worker, us(31000), GAPP_SLICE_WOKEN_BY_IRQ | GAPP_SLICE_IRQ_DISK, 0, 0, 0);
	/* by a thread that is not recorded */
	wake(made, 2, &hostile, us(32000), GAPP_SLICE_WAKER, 99, 98, 3);
	slice(made, 2, &hostile, us(34000), us(36000), GAPP_THEN_EXITED, 0, 2);
	slice(made, 1, &worker, us(33000), us(40000), GAPP_THEN_WAIT, GAPP_WAIT_SPIN, 2);
	slice(made, 3, &no_id, us(30000), us(41000), GAPP_THEN_WAIT, GAPP_WAIT_SLEEP,
	      GAPP_PATH_NONE);
	/* the end of spinning */
	wake(made, 1, &worker, us(50000), GAPP_SLICE_WAKER, 12, 10, 2);
	wake(made, 0, &main_thread, us(52000), GAPP_SLICE_WAKER, 11, 10, 1);
	mark(made, 0, &main_thread, us(54000), GAPP_MARK_BEGIN, "inner");
	slice(made, 1, &worker, us(50000), us(55000), GAPP_THEN_WAIT, GAPP_WAIT_LOCK, 1);
	lost(made, 1, us(60000), us(62000), 3);
	mark(made, 0, &main_thread, us(64000), GAPP_MARK_END, "");
	mark(made, 0, &main_thread, us(65000), GAPP_MARK_END, "solve \"1\" </b>");
	slice(made, 0, &main_thread, us(53000), us(70000), GAPP_THEN_PREEMPTED, 0, 0);
	wake(made, 1, &worker, us(72000), GAPP_SLICE_WAKER, 10, 10, 0);
	mark(made, 0, &main_thread, us(85000), GAPP_MARK_BEGIN, "open");
	slice(made, 2, &worker, us(73000), us(90000), GAPP_THEN_ON, 0, 2);
	slice(made, 0, &main_thread, us(74000), START_NS + FEW_NS, GAPP_THEN_STOPPED, 0, 0);
}

/* A slice of 7 us every 2 us, each behind a wake-up by the thread before. */
static void put_many(struct made *made, u64 slices)
{
	static const u8 waits[] = { GAPP_WAIT_LOCK, GAPP_WAIT_QUEUE, GAPP_WAIT_BARRIER,
				    GAPP_WAIT_DISK };
	const u64 behind = 4;

	for (u64 i = 0; i < slices + behind; i++) {
		u64 time = START_NS + i * 2000, j = i - behind;
		struct who who = { 101 + i % 16, 100, "thread" };

		if (i < slices)
			wake(made, i % 8, &who, time, GAPP_SLICE_WAKER, 101 + (i + 15) % 16, 100,
			     (i + 7) % 8);
		if (i < behind)
			continue;
		who.tid = 101 + j % 16;
		slice(made, j % 8, &who, START_NS + j * 2000 + 2000, time + 1000, GAPP_THEN_WAIT,
		      waits[j % 4], j % 3);
	}
}

static u64 any(u64 below)
{
	return (u64)random() % below;
}

/* Now and then what is out of every range. */
static u32 odd(u32 below)
{
	return any(20) ? any(below) : (u32)random() << 1;
}

static void put_random(struct made *made)
{
	for (u32 i = 0; i < 3000; i++) {
		u64 time = any(50) ? START_NS + i * 30000 : any(2) ? any(UINT32_MAX) : ~any(99);
		struct who who = { odd(9), odd(3), any(2) ? HOSTILE : "thread" };
		u64 since = any(50) ? time - any(90000) : any(UINT32_MAX) << 31;

		made->n = odd(9);
		if (any(30) == 0)
			lost(made, odd(8), since, time, random());
		else if (any(5) == 0)
			mark(made, odd(8), &who, time, odd(GAPP_MARK_KINDS),
			     any(3) ? HOSTILE :
			     any(2) ? "section" :
				      "");
		else if (any(2))
			wake(made, odd(8), &who, time, odd(256) & ~GAPP_SLICE_WAKER_PATH, odd(9),
			     odd(3), odd(8));
		else
			slice(made, odd(8), &who, since, time, odd(5), odd(GAPP_WAIT_REASONS),
			      odd(PATHS + 2));
	}
}

static void put_names(struct recording *recording)
{
	recording_block(recording, BLOCK_OBJECTS, 0);
	put_object(recording, "/bin/pr\xffog", 1);
	put_object(recording, "[kernel]", 2);
	recording_block(recording, BLOCK_PATHS, 0);
	for (u64 i = 0; i < PATHS; i++)
		put_path(recording, i, i == 3, 0x1000 + i);
	recording_block(recording, BLOCK_FRAMES, 0);
	put_frame(recording, "compute", 1);
	put_frame(recording, "f<\"\x1b\xff>", 1);
	put_frame(recording, "wait_for_others", 1);
	put_frame(recording, "schedule", 2);
	recording_block(recording, BLOCK_ANSWERS, 0);
	for (u64 i = 0; i < PATHS; i++)
		put_answer(recording, i == 3, 0x1000 + i, i + 1);
}

#define TENTH (FEW_NS / 10)

/* Faults on two nodes, and loads of which half, and then a quarter, miss the node. */
static void put_counters(struct recording *recording)
{
	recording_block(recording, BLOCK_COUNTERS, 0);
	/* tallies, each a source, type, config and errno; the last one is refused */
	put(recording, 4, 0, 0, 0, 0, 2, 3, 6, 0, 2, 3, 0x10006, 0, 2, 0, 0, 1);
	put(recording, 4);
	put_text(recording, "faults");
	put(recording, 0, 0);
	put_text(recording, "local-memory");
	put(recording, 1, 3);
	put_text(recording, "remote-memory");
	put(recording, 2, 0);
	put_text(recording, "cycles");
	put(recording, 3, 0);
	end_item(recording);
	recording_block(recording, BLOCK_NODE_TALLIES, 0);
	for (u64 i = 1; i <= 10; i++) {
		/* of each node: node and 1, what is missing, faults, loads, those that missed */
		put(recording, START_NS + i * TENTH, 3, 2);
		put(recording, 1, i > 5 ? 1 : 0, i < 6 ? 0 : i * i, 100 * i, 50 * i);
		put(recording, 2, 0, 3 * i, i < 4 ? 0 : 400 * i, i < 4 ? 0 : 100 * i);
		end_item(recording);
	}
}

static int copy_out(const struct recording *recording)
{
	struct stat status;
	off_t at = 0;

	if (fstat(recording->fd, &status))
		return 1;
	while (at < status.st_size)
		if (sendfile(STDOUT_FILENO, recording->fd, &at, status.st_size - at) <= 0)
			return 1;
	return 0;
}

int main(int argc, char **argv)
{
	bool few = argc > 1 && !strcmp(argv[1], "few");
	bool random_ones = argc > 2 && !strcmp(argv[1], "random");
	u64 slices = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
	struct made made = { 0 };

	if (!few && !slices && !random_ones) {
		fputs("made-timeline: few, a number of slices, or random SEED\n", stderr);
		return 2;
	}
	made.recording = recording_begin_at(START_NS, slices ? slices * 2000 + 20000 : FEW_NS,
					    GAPP_LEVEL_TRACE);
	recording_block(&made.recording, BLOCK_RECORDS, 0);
	if (random_ones)
		srandom(strtoul(argv[2], NULL, 10));
	if (few)
		put_few(&made);
	else if (random_ones)
		put_random(&made);
	else
		put_many(&made, slices);
	recording_block(&made.recording, BLOCK_RECORD_COUNT, 0);
	put(&made.recording, made.count);
	end_item(&made.recording);
	put_names(&made.recording);
	if (few)
		put_counters(&made.recording);
	recording_end(&made.recording);
	return copy_out(&made.recording);
}
