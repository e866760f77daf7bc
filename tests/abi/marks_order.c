// SPDX-License-Identifier: GPL-2.0
/*
 * Marks of many threads: each thread's are in order, none is missing that was not counted, and
 * sessions may end while they come.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "groups.h"
#include "records.h"

#define THREADS 16
#define MARKS 1000000
#define ROUNDS 50
#define RING_BYTES 0x100000U

/**
 * struct crowd - what the threads do, in memory that both processes share
 * @each: marks of each thread
 * @refused: writes that failed
 */
struct crowd {
	u32 each;
	u32 refused;
};

struct worker {
	pthread_t thread;
	struct crowd *crowd;
	u32 number;
};

/**
 * struct counted - what the records say
 * @seen: number of marks of each thread
 * @others: records of no such text, or of one that has come before
 * @disordered: marks that are before the thread's mark before
 * @marks: of each thread, when they were made; 0: no record
 */
struct counted {
	u64 seen[THREADS];
	u64 others;
	u64 disordered;
	u64 *marks[THREADS];
};

static void *works(void *arg)
{
	struct worker *worker = arg;
	int fd = open(GAPP_MARK_NODE, O_WRONLY | O_CLOEXEC);
	char line[32];
	int bytes;

	for (u32 i = 0; i < worker->crowd->each; i++) {
		bytes = snprintf(line, sizeof(line), "mark %02u %07u\n", worker->number, i);
		if (write(fd, line, bytes) != bytes)
			__atomic_fetch_add(&worker->crowd->refused, 1, __ATOMIC_RELAXED);
	}
	close(fd);
	return NULL;
}

static void work_all(struct crowd *crowd)
{
	struct worker workers[THREADS];

	for (u32 i = 0; i < THREADS; i++) {
		workers[i].crowd = crowd;
		workers[i].number = i;
		errno = pthread_create(&workers[i].thread, NULL, works, &workers[i]);
		if (errno)
			t_die("pthread_create");
	}
	for (u32 i = 0; i < THREADS; i++)
		pthread_join(workers[i].thread, NULL);
}

static void works_once(struct t_child *parent, void *arg)
{
	t_tell(parent);
	t_hear(parent);
	work_all(arg);
	t_tell(parent);
	t_hear(parent);
}

static void works_on(struct t_child *parent, void *arg)
{
	t_tell(parent);
	for (;;)
		work_all(arg);
}

static void see(const struct gapp_record *record, void *arg)
{
	const struct gapp_record_mark *mark = (const struct gapp_record_mark *)record;
	struct counted *counted = arg;
	u32 thread, number;

	if (record->type != GAPP_RECORD_MARK)
		return;
	if (sscanf(r_text(mark), "%2u %7u", &thread, &number) != 2 || thread >= THREADS ||
	    number >= MARKS / THREADS || counted->marks[thread][number]) {
		counted->others++;
		return;
	}
	counted->marks[thread][number] = record->time_ns;
	counted->seen[thread]++;
}

/* The rings are read one after the other, so the order is that of the times. */
static void count_disordered(struct counted *counted)
{
	for (u32 i = 0; i < THREADS; i++) {
		u64 last_ns = 0;

		for (u32 j = 0; j < MARKS / THREADS; j++) {
			const u64 time_ns = counted->marks[i][j];

			counted->disordered += time_ns && time_ns < last_ns;
			last_ns = time_ns ?: last_ns;
		}
	}
}

static struct crowd *make_crowd(u32 each)
{
	struct crowd *crowd = mmap(NULL, sizeof(*crowd), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (crowd == MAP_FAILED)
		t_die("mmap");
	*crowd = (struct crowd){ .each = each };
	return crowd;
}

static struct gapp_config order_config(void)
{
	struct gapp_config config = t_config(GAPP_LEVEL_CRITICAL);

	config.flags = GAPP_CONFIG_MARKS;
	config.unwind_by = GAPP_UNWIND_BY_NONE;
	config.ring_bytes = RING_BYTES;
	return config;
}

static void start(int fd, const struct t_child *child)
{
	errno = -t_add(fd, child->pid, 0);
	if (!errno)
		errno = -t_start(fd);
	if (errno)
		t_die("START");
}

void marks_order(void)
{
	const struct gapp_config config = order_config();
	struct crowd *crowd = make_crowd(MARKS / THREADS);
	struct t_child child = t_fork(works_once, crowd);
	struct counted counted = { 0 };
	struct gapp_status status;
	struct r_reader reader;
	u64 seen = 0;
	int fd;

	for (u32 i = 0; i < THREADS; i++) {
		counted.marks[i] = calloc(MARKS / THREADS, sizeof(*counted.marks[i]));
		if (!counted.marks[i])
			t_die("memory");
	}
	t_hear(&child);
	fd = t_session(&config);
	r_open(&reader, fd);
	reader.see = see;
	reader.arg = &counted;
	start(fd, &child);
	t_tell(&child);
	r_follow(&reader, &child);
	r_drain(&reader);
	t_status(fd, &status);
	count_disordered(&counted);
	for (u32 i = 0; i < THREADS; i++)
		seen += counted.seen[i];
	t_check(!crowd->refused, "no mark of many fails", "%u do", crowd->refused);
	t_check(seen + status.marks_left_out == MARKS,
		"none of many is missing that was not counted",
		"%llu have records, %llu were left out, of %u", seen, status.marks_left_out, MARKS);
	t_check(reader.tally.marks_left_out <= status.marks_left_out,
		"the records tell what was left out before them", "%llu of %llu",
		reader.tally.marks_left_out, status.marks_left_out);
	t_check(seen > MARKS / 100, "many have records", "%llu of %u", seen, MARKS);
	t_check(!counted.others && !counted.disordered, "those of a thread are in its order",
		"%llu are not, %llu make no sense", counted.disordered, counted.others);
	t_check(!reader.tally.bad && !reader.tally.lost_records,
		"all records make sense, and no other one was lost",
		"%llu do not: %s; %llu were lost", reader.tally.bad, reader.tally.why,
		reader.tally.lost_records);
	printf("# of %u marks %llu had no room\n", MARKS, status.marks_left_out);
	r_close(&reader);
	close(fd);
	t_kill(&child);
	for (u32 i = 0; i < THREADS; i++)
		free(counted.marks[i]);
	munmap(crowd, sizeof(*crowd));
}

/* Sessions begin and end, in each way, while threads make marks without end; then these die. */
void marks_ends(void)
{
	const struct gapp_config config = order_config();
	struct crowd *crowd = make_crowd(1000);
	struct t_child child = t_fork(works_on, crowd);
	u64 records = 0, bad = 0;
	char why[200] = "";

	t_hear(&child);
	for (u32 i = 0; i < ROUNDS; i++) {
		int fd = t_session(&config);
		struct r_reader reader;

		r_open(&reader, fd);
		start(fd, &child);
		t_sleep(NSEC_PER_MSEC);
		r_drain(&reader);
		if (i % 3 == 1)
			t_expect(t_stop(fd), T_OK, "STOP while marks come");
		if (i % 3 == 2) {
			kill(child.pid, SIGKILL);
			t_kill(&child);
			child = t_fork(works_on, crowd);
			t_hear(&child);
		}
		r_drain(&reader);
		records += reader.tally.marks;
		if (reader.tally.bad)
			memcpy(why, reader.tally.why, sizeof(why));
		bad += reader.tally.bad;
		r_close(&reader);
		close(fd);
	}
	t_kill(&child);
	t_check(records && !bad, "sessions and processes end while marks come",
		"%llu records, %llu make no sense: %s", records, bad, why);
	munmap(crowd, sizeof(*crowd));
}
