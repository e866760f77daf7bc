// SPDX-License-Identifier: GPL-2.0
/*
 * GAPP_CONFIG_KERNEL_LOCKS: two threads read the kernel's log by one descriptor, whose position has
 * a mutex. One of them has it and waits for the next message, so the other one waits for the mutex.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "groups.h"
#include "records.h"

#define MESSAGES 30
#define PAUSE_NS (4 * NSEC_PER_MSEC)
#define ROUNDS 300
#define ROUND_NS (3 * NSEC_PER_MSEC)
#define WRITERS 6
#define PLACES_MAX 64
/* Where the rt_mutex is in the lock. */
#define INSIDE 8
#define KPTR "/proc/sys/kernel/kptr_restrict"

/**
 * struct seen - what records of the two threads say of their read()
 * @waits: slices that ended in a wait
 * @locks: of them, those for a lock in the kernel
 * @unnamed: of @locks, those without a struct gapp_wait_lock
 * @mutexes: of @locks, those for a mutex
 * @others: of @locks, those for another lock than the first one
 * @address: of the first one
 * @files: of @locks, those that say which file read() is on
 * @sleeps: slices that ended in a sleep for a time, after waits for the mutex
 * @wrong_sleeps: of them, those with another reason
 */
struct seen {
	u32 waits, locks, unnamed, mutexes, others, files, sleeps, wrong_sleeps;
	u64 address;
};

static void see(const struct gapp_record *record, void *arg)
{
	const struct gapp_record_slice *slice = (const void *)record;
	const struct gapp_wait_lock *lock = r_lock(record);
	struct seen *seen = arg;

	if (record->type != GAPP_RECORD_SLICE || slice->then != GAPP_THEN_WAIT)
		return;
	if (slice->syscall == SYS_clock_nanosleep) {
		seen->sleeps++;
		seen->wrong_sleeps += slice->wait != GAPP_WAIT_SLEEP;
	}
	if (slice->syscall != SYS_read)
		return;
	seen->waits++;
	if (slice->wait != GAPP_WAIT_KERNEL_LOCK)
		return;
	seen->locks++;
	seen->files += !!r_file(record);
	if (!lock) {
		seen->unnamed++;
		return;
	}
	/* with PREEMPT_RT a mutex is an rt_mutex, and threads wait for other locks besides */
	seen->mutexes += lock->kind == (t_preempt_rt() ? GAPP_LOCK_RT : GAPP_LOCK_MUTEX);
	if (!seen->address)
		seen->address = lock->address;
	seen->others += lock->address != seen->address;
}

static void *reads(void *arg)
{
	char message[1024];

	while (read(*(int *)arg, message, sizeof(message)) > 0)
		t_sleep(PAUSE_NS / 8);
	return NULL;
}

/* Reads what is there, and then, in two threads, what comes. */
static void reads_log(struct t_child *parent, void *unused)
{
	int log = open("/proc/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	pthread_t other;

	(void)unused;
	if (log < 0)
		t_die("/proc/kmsg");
	reads(&log);
	fcntl(log, F_SETFL, 0);
	t_tell(parent);
	t_hear(parent);
	errno = pthread_create(&other, NULL, reads, &log);
	if (errno)
		t_die("pthread_create");
	reads(&log);
}

static void write_messages(void)
{
	static const char message[] = "<7>gapp: a message of a test\n";
	int log = open("/dev/kmsg", O_WRONLY | O_CLOEXEC);

	for (u32 i = 0; i < MESSAGES; i++) {
		if (write(log, message, strlen(message)) < 0)
			t_die("/dev/kmsg");
		t_sleep(PAUSE_NS);
	}
	close(log);
}

/* Nanoseconds that a process's threads waited for locks in the kernel, by THREAD_WAITS. */
static u64 blocked_ns(int fd)
{
	struct gapp_thread_waits rows[8];
	struct gapp_page page = { .buffer = (uintptr_t)rows, .capacity = ARRAY_SIZE(rows) };
	u64 sum = 0;

	if (t_ioctl(fd, GAPP_IOC_THREAD_WAITS, &page) < 0)
		t_die("THREAD_WAITS");
	for (u32 i = 0; i < page.count; i++)
		sum += rows[i].blocked_ns[GAPP_WAIT_KERNEL_LOCK];
	return sum;
}

/* @sum: set to blocked_ns(), or NULL. */
static struct seen follow(enum gapp_level level, enum gapp_unwind_by by, u32 flags, u64 *sum)
{
	struct t_child child = t_fork(reads_log, NULL);
	struct gapp_config config = t_config(level);
	struct r_reader reader;
	struct seen seen = { 0 };
	int fd;

	config.flags = flags;
	config.unwind_by = by;
	config.ring_bytes = GAPP_DEFAULT_RING;
	config.min_critical_ns = level == GAPP_LEVEL_CRITICAL;
	fd = t_session(&config);
	t_hear(&child);
	r_open(&reader, fd);
	reader.see = see;
	reader.arg = &seen;
	t_add(fd, child.pid, GAPP_ADD_NO_INHERIT);
	t_expect(t_start(fd), T_OK, "START");
	t_tell(&child);
	write_messages();
	t_expect(t_stop(fd), T_OK, "STOP");
	r_drain(&reader);
	t_check(!reader.tally.bad, "all records make sense", "%llu do not: %s", reader.tally.bad,
		reader.tally.why);
	if (sum)
		*sum = blocked_ns(fd);
	r_close(&reader);
	close(fd);
	t_kill(&child);
	return seen;
}

static void check_named(const struct seen *seen, const char *how)
{
	char title[80];

	snprintf(title, sizeof(title), "a wait for a mutex in the kernel says so, %s", how);
	t_check(seen->locks && seen->waits > seen->locks && seen->mutexes == seen->locks &&
			!seen->unnamed,
		title, "%u of %u waits, %u for a mutex, %u not named", seen->locks, seen->waits,
		seen->mutexes, seen->unnamed);
	snprintf(title, sizeof(title), "it is one mutex, and where it is, %s", how);
	t_check(seen->address >> 63 && (t_preempt_rt() || !seen->others), title,
		"first %#llx, %u others", seen->address, seen->others);
	snprintf(title, sizeof(title), "and a sleep afterwards is a sleep, %s", how);
	t_check(seen->sleeps && (t_preempt_rt() || !seen->wrong_sleeps), title, "%u of %u are not",
		seen->wrong_sleeps, seen->sleeps);
}

static bool can_be_told(void)
{
	struct gapp_config config = t_config(GAPP_LEVEL_TRACE);
	int fd = t_open(), ret;

	config.flags = GAPP_CONFIG_KERNEL_LOCKS;
	ret = t_ioctl(fd, GAPP_IOC_CONFIGURE, &config);
	close(fd);
	if (ret)
		t_expect(ret, -EOPNOTSUPP, "locks of a kernel that does not tell them");
	return !ret;
}

void kernel_locks_named(void)
{
	const u32 files = GAPP_CONFIG_KERNEL_LOCKS | GAPP_CONFIG_WAIT_FILES;
	struct seen seen;
	u64 sum;

	if (!can_be_told()) {
		t_skip("a wait for a mutex in the kernel says so", "this kernel does not");
		return;
	}
	seen = follow(GAPP_LEVEL_TRACE, GAPP_UNWIND_BY_FP, GAPP_CONFIG_KERNEL_LOCKS, NULL);
	check_named(&seen, "with call paths");
	t_check(!seen.files, "files are not told where they are not asked for", "%u are",
		seen.files);
	seen = follow(GAPP_LEVEL_TRACE, GAPP_UNWIND_BY_NONE, GAPP_CONFIG_KERNEL_LOCKS, NULL);
	check_named(&seen, "without");
	seen = follow(GAPP_LEVEL_TRACE, GAPP_UNWIND_BY_NONE, files | GAPP_CONFIG_WAITS, &sum);
	check_named(&seen, "with files and sums");
	t_check(seen.files == seen.locks, "and which file it is", "%u of %u", seen.files,
		seen.locks);
	t_check(sum > MESSAGES / 2 * PAUSE_NS, "such waits have a sum of their own", "%llu ns",
		sum);
	seen = follow(GAPP_LEVEL_CRITICAL, GAPP_UNWIND_BY_FP, files, NULL);
	t_check(seen.locks && !seen.unnamed, "a critical slice that ends so has the lock, too",
		"%u do, %u have none", seen.locks, seen.unnamed);
	seen = follow(GAPP_LEVEL_TRACE, GAPP_UNWIND_BY_FP, 0, NULL);
	t_check(seen.waits && !seen.locks, "without the flag no wait has that reason",
		"%u of %u have", seen.locks, seen.waits);
}

/* Who may not see kernel addresses learns that it is a mutex, and no more. */
void kernel_locks_hidden(void)
{
	char before[16] = "";
	struct seen seen;
	int fd;

	if (!can_be_told()) {
		t_skip("no address is told", "this kernel does not");
		return;
	}
	fd = open(KPTR, O_RDWR | O_CLOEXEC);
	if (fd < 0 || read(fd, before, sizeof(before) - 1) < 0 || pwrite(fd, "2", 1, 0) != 1)
		t_die(KPTR);
	seen = follow(GAPP_LEVEL_TRACE, GAPP_UNWIND_BY_FP, GAPP_CONFIG_KERNEL_LOCKS, NULL);
	if (pwrite(fd, before, strlen(before), 0) < 0)
		t_die(KPTR);
	close(fd);
	t_check(seen.locks && seen.mutexes == seen.locks && !seen.address && !seen.others,
		"no address is told", "%u locks, %u mutexes, address %#llx, %u others", seen.locks,
		seen.mutexes, seen.address, seen.others);
}

/**
 * struct places - addresses of locks that threads wait for
 * @count: of them, at most all that there is room for
 * @waits: slices that ended in such a wait
 */
struct places {
	u64 address[PLACES_MAX];
	u32 count, waits;
};

static void see_place(const struct gapp_record *record, void *arg)
{
	const struct gapp_record_slice *slice = (const void *)record;
	const struct gapp_wait_lock *lock = r_lock(record);
	struct places *places = arg;
	u32 i = 0;

	if (record->type != GAPP_RECORD_SLICE || slice->then != GAPP_THEN_WAIT || !lock)
		return;
	places->waits++;
	while (i < places->count && places->address[i] != lock->address)
		i++;
	if (i == places->count && i < PLACES_MAX)
		places->address[places->count++] = lock->address;
}

static char folder[32];

static void *changes(void *arg)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "%s/%ld", folder, (long)(intptr_t)arg);
	do {
		fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	} while (fd >= 0 && !close(fd) && !unlink(path));
	t_die(path);
	return NULL;
}

static void *lists(void *arg)
{
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char entries[4096];

	(void)arg;
	while (fd >= 0 && !lseek(fd, 0, SEEK_SET) &&
	       syscall(SYS_getdents64, fd, entries, sizeof(entries)) > 0)
		;
	t_die(folder);
	return NULL;
}

/* Threads that wait for the lock of a folder: some to change it, some to list it. */
static void share_folder(struct t_child *parent, void *unused)
{
	pthread_t thread;

	(void)unused;
	for (intptr_t i = 1; i < WRITERS; i++) {
		errno = pthread_create(&thread, NULL, i % 2 ? lists : changes, (void *)i);
		if (errno)
			t_die("pthread_create");
	}
	t_tell(parent);
	changes(NULL);
}

static void remove_folder(void)
{
	char path[64];

	for (int i = 0; i < WRITERS; i++) {
		snprintf(path, sizeof(path), "%s/%d", folder, i);
		unlink(path);
	}
	rmdir(folder);
}

/* With PREEMPT_RT it has an rt_mutex inside, for which some wait first, and others only. */
void kernel_locks_of_readers(void)
{
	const char *const name = "a lock for readers and a writer is one for all who wait for it";
	struct gapp_config config = t_config(GAPP_LEVEL_TRACE);
	struct places places = { 0 };
	struct r_reader reader;
	struct t_child target;
	u32 twice = 0;
	int fd;

	if (!can_be_told()) {
		t_skip(name, "this kernel does not tell them");
		return;
	}
	snprintf(folder, sizeof(folder), "/tmp/gapp-locks.XXXXXX");
	if (!mkdtemp(folder))
		t_die(folder);
	target = t_fork(share_folder, NULL);
	t_hear(&target);
	config.flags = GAPP_CONFIG_KERNEL_LOCKS;
	config.ring_bytes = GAPP_DEFAULT_RING;
	fd = t_session(&config);
	r_open(&reader, fd);
	reader.see = see_place;
	reader.arg = &places;
	t_add(fd, target.pid, 0);
	t_expect(t_start(fd), T_OK, "START");
	t_sleep(ROUNDS * NSEC_PER_MSEC);
	t_expect(t_stop(fd), T_OK, "STOP");
	r_drain(&reader);
	r_close(&reader);
	close(fd);
	t_kill(&target);
	remove_folder();
	if (!places.waits && !t_preempt_rt()) {
		t_skip(name, "no thread waited for a lock");
		return;
	}
	for (u32 i = 0; i < places.count; i++)
		for (u32 j = 0; j < places.count; j++)
			twice += places.address[i] == places.address[j] + INSIDE;
	t_check(places.waits && places.count < PLACES_MAX && !twice, name,
		"%u waits for %u locks, %u of them inside of another one", places.waits,
		places.count, twice);
}

static void *writes(void *arg)
{
	static const char text[4096];
	const int *ends = arg;
	char buffer[sizeof(text)];

	for (;;)
		if (write(ends[1], text, sizeof(text)) < 0 ||
		    read(ends[0], buffer, sizeof(buffer)) < 0)
			t_die("pipe");
	return NULL;
}

/* Threads that share a pipe, whose mutex they wait for. */
static void share_pipe(struct t_child *parent, void *unused)
{
	pthread_t thread;
	int ends[2];

	(void)unused;
	if (pipe2(ends, O_CLOEXEC))
		t_die("pipe2");
	for (u32 i = 1; i < WRITERS; i++) {
		errno = pthread_create(&thread, NULL, writes, ends);
		if (errno)
			t_die("pthread_create");
	}
	t_tell(parent);
	writes(ends);
}

/* Nanoseconds that the threads waited for locks while a session ran. */
static u64 follow_shortly(const struct t_child *target)
{
	struct gapp_config config = t_config(GAPP_LEVEL_TRACE);
	u64 sum;
	int fd;

	config.flags = GAPP_CONFIG_KERNEL_LOCKS | GAPP_CONFIG_WAITS;
	config.ring_bytes = GAPP_MIN_RING;
	fd = t_session(&config);
	t_add(fd, target->pid, 0);
	if (t_start(fd) < 0)
		t_die("START");
	t_sleep(ROUND_NS);
	if (t_stop(fd) < 0)
		t_die("STOP");
	sum = blocked_ns(fd);
	close(fd);
	return sum;
}

/*
 * Sessions end while their threads wait for locks and get them. Of a probe that uses a session
 * which has ended the kernel complains in its log, or dies.
 */
void kernel_locks_stopped(void)
{
	const char *const name = "sessions end while their threads wait for locks";
	struct t_child target;
	u64 sum = 0;

	if (!can_be_told()) {
		t_skip(name, "this kernel does not tell them");
		return;
	}
	target = t_fork(share_pipe, NULL);
	t_hear(&target);
	for (u32 i = 0; i < ROUNDS; i++)
		sum += follow_shortly(&target);
	t_check(sum > 0, name, "%d sessions saw no wait", ROUNDS);
	t_kill(&target);
}
