// SPDX-License-Identifier: GPL-2.0
/*
 * truth: part=waits first=insert_row kind=ran waits=lock cpu=below
 * truth: object=memfd:shared_table objects=1 waits_at=worker
 *
 * Two processes of two threads each, and one lock in memory that they share:
 * each has it at an address of its own. Before, they compute together.
 */
#include <sys/mman.h>
#include <sys/wait.h>

#include "truth.h"

#define ROWS 200
#define PROCESSES 2

struct table {
	char head[64];
	pthread_mutex_t lock;
	struct pieces warming;
	struct pieces inserting;
};

static int table_file;

static noinline void insert_row(void)
{
	BURN(3000); /* TRUTH: first */
}

static noinline void next_row(void)
{
	BURN(20);
}

static struct table *map_table(void)
{
	struct table *table =
		mmap(NULL, sizeof(*table), PROT_READ | PROT_WRITE, MAP_SHARED, table_file, 0);

	if (table == MAP_FAILED)
		die("mmap");
	return table;
}

static struct table *table;

static noinline void *worker(void *arg)
{
	(void)arg;
	parallel_work(&table->warming);
	while (take_piece(&table->inserting)) {
		next_row();
		pthread_mutex_lock(&table->lock);
		insert_row();
		pthread_mutex_unlock(&table->lock);
	}
	return NULL;
}

/* What was done until the fork is the parent's. */
static void forget_marks(void)
{
	for (struct mark *mark = __start_truth_marks; mark < __stop_truth_marks; mark++)
		mark->loops = 0;
}

static void make_table(void)
{
	pthread_mutexattr_t shared;

	table_file = memfd_create("shared_table", 0);
	if (table_file < 0 || ftruncate(table_file, sizeof(*table)))
		die("memfd_create");
	table = map_table();
	pthread_mutexattr_init(&shared);
	pthread_mutexattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&table->lock, &shared);
	table->warming.left = 1600;
	table->inserting.left = ROWS;
}

int main(void)
{
	int status;
	pid_t other;

	truth_begin();
	make_table();
	read_input();
	other = fork();
	if (other < 0)
		die("fork");
	if (!other) {
		forget_marks();
		/* at another address than the parent's, which stays mapped */
		table = map_table();
		on_threads(WORKERS / PROCESSES, worker);
		truth_end();
		_exit(0);
	}
	on_threads(WORKERS / PROCESSES, worker);
	if (waitpid(other, &status, 0) != other || status)
		die("the other process");
	write_output();
	truth_end();
	return 0;
}
