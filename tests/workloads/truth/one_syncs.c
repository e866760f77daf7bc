// SPDX-License-Identifier: GPL-2.0
/*
 * truth: part=waits first=sync_journal kind=waited wait=disk waits=queue cpu=below
 * truth: disk=yes libc=yes
 * truth: object=durable waits_at=commit own_object=/disk/journal
 *
 * A journal that one thread writes and syncs for all others, who wait until it is
 * on the disk: mostly nobody runs.
 */
#include <fcntl.h>

#include "truth.h"

#define PATH "/disk/journal"
#define COMMITS 25 /* of each thread */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wanted = PTHREAD_COND_INITIALIZER;
static pthread_cond_t durable = PTHREAD_COND_INITIALIZER;
static struct pieces warming = { 400 };
static long appended, synced;
static int left = WORKERS - 1;
static int journal;

static noinline void sync_journal(void)
{
	BURN(10);
	if (fsync(journal)) /* TRUTH: first */
		die("fsync");
}

static noinline void execute_query(void)
{
	BURN(1500);
}

static noinline void commit(void)
{
	long mine;

	pthread_mutex_lock(&lock);
	mine = ++appended;
	pthread_cond_signal(&wanted);
	while (synced < mine)
		pthread_cond_wait(&durable, &lock);
	pthread_mutex_unlock(&lock);
}

static void keep_journal(void)
{
	char line[512] = { 'x' };
	long last;

	pthread_mutex_lock(&lock);
	while (left) {
		if (appended == synced) {
			pthread_cond_wait(&wanted, &lock);
			continue;
		}
		last = appended;
		pthread_mutex_unlock(&lock);
		if (write(journal, line, sizeof(line)) != sizeof(line))
			die(PATH);
		sync_journal();
		pthread_mutex_lock(&lock);
		synced = last;
		pthread_cond_broadcast(&durable);
	}
	pthread_mutex_unlock(&lock);
}

static void *worker(void *arg)
{
	parallel_work(&warming);
	if (!arg) {
		keep_journal();
		return NULL;
	}
	for (int i = 0; i < COMMITS; i++) {
		execute_query();
		commit();
	}
	pthread_mutex_lock(&lock);
	left--;
	pthread_cond_signal(&wanted);
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	truth_begin();
	journal = open(PATH, O_CREAT | O_TRUNC | O_WRONLY, 0600);
	if (journal < 0)
		die(PATH);
	read_input();
	on_threads(WORKERS, worker);
	write_output();
	close(journal);
	unlink(PATH);
	truth_end();
	return 0;
}
