// SPDX-License-Identifier: GPL-2.0
/*
 * truth: first=flush_log kind=waited wait=disk waits=lock cpu=below disk=yes libc=yes sleeps=commit
 * truth: object=log_lock holders=commit,flush_log ended_at=commit
 * variant: direct -DDIRECT_CALLS libc=no
 * variant: mended -DMENDED -DDIRECT_CALLS twin=mended libc=no
 *
 * Transactions that end with their log on the disk, one after the other: while
 * one thread waits for the disk the others wait for it, and nobody runs (the
 * shape of MySQL). Mended, one of twenty flushes for all of them, while the others
 * go on.
 */
#include <fcntl.h>

#include "truth.h"

#ifdef DIRECT_CALLS
#define FSYNC(fd) DIRECT(SYS_fsync, fd, 0, 0, 0)
#else
#define FSYNC(fd) fsync(fd)
#endif

#define TRANSACTIONS 40
#define FLUSH_EVERY 20 /* mended */

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t started;
static struct pieces transactions = { TRANSACTIONS };
static int log_fd;
static long committed;

static noinline void execute_query(void)
{
	BURN(4000);
}

static noinline void append_log(void)
{
	char line[512] = { 'x' };

	if (write(log_fd, line, sizeof(line)) != sizeof(line))
		die("the log");
}

static noinline void flush_log(void)
{
	BURN(10);
	if (FSYNC(log_fd)) /* TRUTH: first */
		die("fsync");
}

static noinline void commit(void)
{
#ifdef MENDED
	int due;

	pthread_mutex_lock(&log_lock);
	append_log();
	due = ++committed % FLUSH_EVERY == FLUSH_EVERY / 2;
	pthread_mutex_unlock(&log_lock);
	if (due)
		flush_log();
#else
	pthread_mutex_lock(&log_lock);
	append_log();
	committed++;
	flush_log();
	pthread_mutex_unlock(&log_lock); /* TRUTH: ended_at */
	/* a call, not a jump: commit() is on the call path of whom it wakes */
	__asm__ volatile("");
#endif
}

static void *session(void *arg)
{
	(void)arg;
	pthread_barrier_wait(&started);
	while (take_piece(&transactions)) {
		execute_query();
		commit();
	}
	return NULL;
}

int main(int argc, char **argv)
{
	const char *path = argc > 1 ? argv[1] : "/disk/log";

	truth_begin();
	pthread_barrier_init(&started, NULL, WORKERS);
	log_fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
	if (log_fd < 0)
		die(path);
	read_input();
	on_threads(WORKERS, session);
	write_output();
	close(log_fd);
	unlink(path);
	truth_end();
	return 0;
}
