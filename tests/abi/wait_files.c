// SPDX-License-Identifier: GPL-2.0
/* GAPP_CONFIG_WAIT_FILES: which file a wait on a descriptor is for, by the records. */
#include "wait_files.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "groups.h"
#include "records.h"

/* How long a wait takes, so that a thread surely sleeps. */
#define WAIT_NS (5 * NSEC_PER_MSEC)

enum kind {
	FLOCK,
	PIPE,
	TCP4,
	TCP6,
	UDP4,
	UNIX,
	EVENT,
	KINDS,
};

static const char *const names[KINDS] = { "a file",	   "a pipe", "TCP over IPv4",
					  "TCP over IPv6", "UDP",    "a UNIX socket",
					  "an eventfd" };

/**
 * struct waited - a file on which a thread waits
 * @fd: its descriptor; -1: this kernel has no such files
 * @end: a descriptor that ends the wait
 * @must: what the record has to say of it
 */
struct waited {
	int fd;
	int end;
	struct gapp_wait_file must;
};

/**
 * struct scene - a process in which one thread waits for files, and the other one ends its waits
 * @files: it waits for each
 * @waiter: the thread that waits
 * @leader: the process that waits itself; 0: it does not
 * @again: another pipe, which gets the descriptor of the first one while the thread waits
 * @begun: waits that the thread has begun, or is about to
 * @sleeps: how often the thread had gone to sleep before that
 * @hidden: the process is not dumpable meanwhile
 */
struct scene {
	struct waited files[KINDS];
	struct waited again;
	pid_t waiter;
	pid_t leader;
	u32 begun;
	unsigned long sleeps;
	bool hidden;
};

/**
 * struct seen - what records of the waiter say
 * @slices: of slices that ended in a wait, by kind of file: how many, of them with a file that is
 *	right, and with another one
 * @waits: of waits that left no thread active
 * @unknown: files that could not be read
 * @again: slices on the second pipe
 * @files: records with a file, of any thread
 * @of_waiter: slices of the waiter, and of them those with a file; the first of them
 */
struct seen {
	const struct scene *scene;
	struct {
		u32 all, right, wrong;
	} slices[KINDS], waits[KINDS];
	u32 unknown;
	u32 again;
	u32 files;
	struct {
		u32 all, files;
		struct gapp_record_slice first;
	} of_waiter;
};

static void note_file(struct waited *waited)
{
	struct stat status;

	if (fstat(waited->fd, &status))
		t_die("fstat");
	waited->must.inode = status.st_ino;
	waited->must.device = major(status.st_dev) << 20 | minor(status.st_dev);
	waited->must.kind = (status.st_mode & S_IFMT) >> 12;
}

static void make_flock(struct waited *waited)
{
	char path[] = "/tmp/wait-files-XXXXXX";

	waited->end = mkstemp(path);
	waited->fd = open(path, O_RDWR | O_CLOEXEC);
	if (waited->end < 0 || waited->fd < 0 || flock(waited->end, LOCK_EX))
		t_die(path);
	unlink(path);
}

static void make_pipe(struct waited *waited)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		t_die("pipe");
	waited->fd = ends[0];
	waited->end = ends[1];
}

static u16 port_of(const struct sockaddr_storage *address)
{
	return ntohs(address->ss_family == AF_INET6 ?
			     ((const struct sockaddr_in6 *)address)->sin6_port :
			     ((const struct sockaddr_in *)address)->sin_port);
}

/* Both ends are connected; @waited->fd is one. */
static void note_socket(struct waited *waited, u16 protocol)
{
	struct sockaddr_storage own, peer;
	socklen_t size = sizeof(own);

	if (getsockname(waited->fd, (struct sockaddr *)&own, &size))
		t_die("getsockname");
	size = sizeof(peer);
	if (getpeername(waited->fd, (struct sockaddr *)&peer, &size))
		t_die("getpeername");
	waited->must.family = own.ss_family;
	if (own.ss_family == AF_UNIX)
		return;
	waited->must.protocol = protocol;
	waited->must.local_port = port_of(&own);
	waited->must.peer_port = port_of(&peer);
	if (own.ss_family == AF_INET6)
		memcpy(waited->must.peer, &((struct sockaddr_in6 *)&peer)->sin6_addr, 16);
	else
		memcpy(waited->must.peer, &((struct sockaddr_in *)&peer)->sin_addr, 4);
}

/* A socket that is bound to the loopback device; -1: there is no such family. */
static int bound(int family, int type, struct sockaddr_storage *address, socklen_t *size)
{
	struct sockaddr_in6 six = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	struct sockaddr_in four = { .sin_family = AF_INET,
				    .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(family, type | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -1;
	if (bind(fd, family == AF_INET6 ? (void *)&six : (void *)&four,
		 family == AF_INET6 ? sizeof(six) : sizeof(four))) {
		close(fd);
		return -1;
	}
	*size = sizeof(*address);
	if (getsockname(fd, (struct sockaddr *)address, size))
		t_die("getsockname");
	return fd;
}

static void make_tcp(struct waited *waited, int family)
{
	struct sockaddr_storage address;
	socklen_t size;
	int listening = bound(family, SOCK_STREAM, &address, &size);

	waited->fd = -1;
	if (listening < 0)
		return;
	waited->end = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (listen(listening, 1) || connect(waited->end, (struct sockaddr *)&address, size))
		t_die("connect");
	waited->fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
	close(listening);
	if (waited->fd < 0)
		t_die("accept4");
	note_socket(waited, IPPROTO_TCP);
}

static void make_udp(struct waited *waited)
{
	struct sockaddr_storage one, other;
	socklen_t size;

	waited->fd = bound(AF_INET, SOCK_DGRAM, &one, &size);
	waited->end = bound(AF_INET, SOCK_DGRAM, &other, &size);
	if (waited->fd < 0 || waited->end < 0 ||
	    connect(waited->fd, (struct sockaddr *)&other, size) ||
	    connect(waited->end, (struct sockaddr *)&one, size))
		t_die("UDP");
	note_socket(waited, IPPROTO_UDP);
}

static void make_unix(struct waited *waited)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		t_die("socketpair");
	waited->fd = ends[0];
	waited->end = ends[1];
	note_socket(waited, 0);
}

static void make_files(struct scene *scene)
{
	struct waited *files = scene->files;

	make_flock(&files[FLOCK]);
	make_pipe(&files[PIPE]);
	make_tcp(&files[TCP4], AF_INET);
	make_tcp(&files[TCP6], AF_INET6);
	make_udp(&files[UDP4]);
	make_unix(&files[UNIX]);
	files[EVENT].fd = eventfd(0, EFD_CLOEXEC);
	files[EVENT].end = files[EVENT].fd;
	make_pipe(&scene->again);
	for (u32 kind = 0; kind < KINDS; kind++)
		if (files[kind].fd >= 0)
			note_file(&files[kind]);
	note_file(&scene->again);
}

/* Waits until the other thread, or process, ends it. */
static void wait_on(struct scene *scene, const struct waited *waited, enum kind kind)
{
	struct rusage usage;
	u64 word;

	getrusage(RUSAGE_THREAD, &usage);
	scene->sleeps = usage.ru_nvcsw;
	__atomic_store_n(&scene->begun, scene->begun + 1, __ATOMIC_RELEASE);
	if (kind == FLOCK)
		syscall(SYS_flock, waited->fd, LOCK_EX);
	else if (kind == PIPE || kind == EVENT)
		syscall(SYS_read, waited->fd, &word, sizeof(word));
	else
		syscall(SYS_recvfrom, waited->fd, &word, sizeof(word), 0, NULL, NULL);
}

/*
 * Whether the thread sleeps, and has gone to sleep since it began. Its state says so a moment
 * before it does, and what it slept for first may have been a page.
 */
static bool sleeps_now(const struct scene *scene, const char *path)
{
	FILE *file = fopen(path, "re");
	unsigned long sleeps = 0;
	char line[128], state = '\0';

	if (!file)
		t_die(path);
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "State: %c", &state) != 1 &&
		    sscanf(line, "voluntary_ctxt_switches: %lu", &sleeps) != 1)
			continue;
	fclose(file);
	return state == 'S' && sleeps > scene->sleeps && t_switched_out(scene->waiter);
}

/* Until the thread sleeps in its wait number @begun, counted from 1. */
static void until_asleep(struct scene *scene, u32 begun)
{
	char path[64];

	while (__atomic_load_n(&scene->begun, __ATOMIC_ACQUIRE) != begun)
		t_sleep(NSEC_PER_MSEC);
	snprintf(path, sizeof(path), "/proc/self/task/%d/status", scene->waiter);
	while (!sleeps_now(scene, path))
		t_sleep(NSEC_PER_MSEC);
}

static void end_wait(const struct waited *waited, enum kind kind)
{
	const u64 word = 1;

	if (kind == FLOCK)
		flock(waited->end, LOCK_UN);
	else if (write(waited->end, &word, sizeof(word)) != sizeof(word))
		t_die(names[kind]);
}

static void *waits_for_each(void *arg)
{
	struct scene *scene = arg;

	__atomic_store_n(&scene->waiter, t_gettid(), __ATOMIC_RELEASE);
	for (u32 kind = 0; kind < KINDS; kind++)
		if (scene->files[kind].fd >= 0)
			wait_on(scene, &scene->files[kind], kind);
	return NULL;
}

/* The thread begins when the session has begun. */
static pthread_t start(struct t_child *parent, struct scene *scene, void *(*run)(void *arg))
{
	pthread_t waiter;

	make_files(scene);
	t_tell(parent);
	t_hear(parent);
	prctl(PR_SET_DUMPABLE, !scene->hidden);
	errno = pthread_create(&waiter, NULL, run, scene);
	if (errno)
		t_die("pthread_create");
	return waiter;
}

static void ends_each(struct t_child *parent, void *arg)
{
	struct scene *scene = arg;
	pthread_t waiter = start(parent, scene, waits_for_each);
	u32 begun = 0;

	for (u32 kind = 0; kind < KINDS; kind++) {
		if (scene->files[kind].fd < 0)
			continue;
		until_asleep(scene, ++begun);
		end_wait(&scene->files[kind], kind);
	}
	pthread_join(waiter, NULL);
	t_tell(parent);
	pause();
}

static void *waits_twice(void *arg)
{
	struct scene *scene = arg;

	__atomic_store_n(&scene->waiter, t_gettid(), __ATOMIC_RELEASE);
	wait_on(scene, &scene->files[PIPE], PIPE);
	wait_on(scene, &scene->files[PIPE], PIPE);
	return NULL;
}

/* While the thread waits, its descriptor is closed, and then is another pipe's. */
static void closes(struct t_child *parent, void *arg)
{
	struct scene *scene = arg;
	pthread_t waiter = start(parent, scene, waits_twice);

	until_asleep(scene, 1);
	close(scene->files[PIPE].fd);
	if (dup3(scene->again.fd, scene->files[PIPE].fd, O_CLOEXEC) < 0)
		t_die("dup3");
	end_wait(&scene->files[PIPE], PIPE);
	until_asleep(scene, 2);
	end_wait(&scene->again, PIPE);
	pthread_join(waiter, NULL);
	t_tell(parent);
	pause();
}

static void *waits_once(void *arg)
{
	struct scene *scene = arg;

	__atomic_store_n(&scene->waiter, t_gettid(), __ATOMIC_RELEASE);
	wait_on(scene, &scene->files[EVENT], EVENT);
	return NULL;
}

/* Nobody is active, first on a pipe, and then on an eventfd whose descriptor was closed. */
static void waits_alone(struct t_child *parent, void *arg)
{
	struct scene *scene = arg;
	pthread_t waiter;

	scene->leader = getpid();
	make_files(scene);
	scene->files[PIPE].fd = parent->from;
	note_file(&scene->files[PIPE]);
	t_tell(parent);
	t_hear(parent);
	t_hear(parent);
	errno = pthread_create(&waiter, NULL, waits_once, scene);
	if (errno)
		t_die("pthread_create");
	until_asleep(scene, 1);
	scene->files[EVENT].end = dup(scene->files[EVENT].fd);
	close(scene->files[EVENT].fd);
	if (!fork()) {
		/* until the leader waits, too: on a busy machine it may be long without a CPU */
		t_settled(scene->leader);
		t_sleep(2 * WAIT_NS);
		end_wait(&scene->files[EVENT], EVENT);
		_exit(0);
	}
	pthread_join(waiter, NULL);
	t_tell(parent);
	pause();
}

static bool is_right(const struct gapp_wait_file *file, const struct gapp_wait_file *must)
{
	return !memcmp(file, must, sizeof(*file));
}

static void see(const struct gapp_record *record, void *arg)
{
	const struct gapp_record_slice *slice = (const void *)record;
	const struct gapp_record_wait *wait = (const void *)record;
	const struct gapp_wait_file *file = r_file(record);
	bool is_slice = record->type == GAPP_RECORD_SLICE;
	s32 tid = is_slice ? slice->tid : wait->tid;
	struct seen *seen = arg;
	u64 fd;

	seen->files += !!file;
	if (is_slice && tid == seen->scene->waiter) {
		if (!seen->of_waiter.all++)
			seen->of_waiter.first = *slice;
		seen->of_waiter.files += !!file;
	}
	if ((!is_slice && record->type != GAPP_RECORD_WAIT) ||
	    (tid != seen->scene->waiter && tid != seen->scene->leader) ||
	    (is_slice && slice->then != GAPP_THEN_WAIT) ||
	    (is_slice ? slice->syscall : wait->syscall) < 0)
		return;
	fd = is_slice ? slice->args[0] : wait->args[0];
	seen->unknown += file && !file->inode;
	seen->again += file && is_slice && is_right(file, &seen->scene->again.must);
	for (u32 kind = 0; kind < KINDS; kind++) {
		const struct waited *waited = &seen->scene->files[kind];
		u32 right = file && is_right(file, &waited->must), wrong = file && !right;

		if (waited->fd < 0 || fd != (u64)waited->fd)
			continue;
		if (is_slice) {
			seen->slices[kind].all++;
			seen->slices[kind].right += right;
			seen->slices[kind].wrong += wrong;
		} else {
			seen->waits[kind].all++;
			seen->waits[kind].right += right;
			seen->waits[kind].wrong += wrong;
		}
	}
}

static struct scene *make_scene(void)
{
	struct scene *scene = mmap(NULL, sizeof(*scene), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (scene == MAP_FAILED)
		t_die("mmap");
	return scene;
}

/* Follows a process that runs @run. @told: it is told twice to go on. */
static struct seen follow(struct scene *scene, void (*run)(struct t_child *parent, void *arg),
			  const struct gapp_config *config, bool twice)
{
	struct t_child child = t_fork(run, scene);
	struct seen seen = { .scene = scene };
	int fd = t_session(config);
	struct r_reader reader;

	t_hear(&child);
	r_open(&reader, fd);
	reader.see = see;
	reader.arg = &seen;
	t_add(fd, child.pid, GAPP_ADD_NO_INHERIT);
	t_expect(t_start(fd), T_OK, "START");
	t_tell(&child);
	if (twice) {
		t_sleep(WAIT_NS);
		r_drain(&reader);
		t_tell(&child);
	}
	r_follow(&reader, &child);
	t_expect(t_stop(fd), T_OK, "STOP");
	r_drain(&reader);
	t_check(!reader.tally.bad, "all records make sense", "%llu do not: %s", reader.tally.bad,
		reader.tally.why);
	r_close(&reader);
	close(fd);
	t_kill(&child);
	return seen;
}

static struct gapp_config with_files(enum gapp_level level, enum gapp_unwind_by by, u32 flags)
{
	struct gapp_config config = t_config(level);

	config.flags = flags;
	config.unwind_by = by;
	config.ring_bytes = GAPP_DEFAULT_RING;
	return config;
}

static void each_kind(const struct gapp_config *config, const char *how)
{
	struct scene *scene = make_scene();
	struct seen seen = follow(scene, ends_each, config, false);
	char title[80];

	for (u32 kind = 0; kind < KINDS; kind++) {
		snprintf(title, sizeof(title), "a wait on %s says so, %s", names[kind], how);
		if (scene->files[kind].fd < 0)
			t_skip(title, "this kernel has none");
		else
			t_check(seen.slices[kind].right && !seen.slices[kind].wrong &&
					seen.slices[kind].all == seen.slices[kind].right,
				title,
				"%u of %u, %u wrong; %u slices of the thread, the first then %d in call %d (%llx)",
				seen.slices[kind].right, seen.slices[kind].all,
				seen.slices[kind].wrong, seen.of_waiter.all,
				seen.of_waiter.first.then, seen.of_waiter.first.syscall,
				seen.of_waiter.first.args[0]);
	}
	munmap(scene, sizeof(*scene));
}

void wait_files_kinds(void)
{
	struct gapp_config trace =
		with_files(GAPP_LEVEL_TRACE, GAPP_UNWIND_BY_FP, GAPP_CONFIG_WAIT_FILES);
	struct gapp_config pathless = with_files(GAPP_LEVEL_TRACE, GAPP_UNWIND_BY_NONE,
						 GAPP_CONFIG_WAIT_FILES | GAPP_CONFIG_WAITS);
	struct gapp_config sampled =
		with_files(GAPP_LEVEL_TRACE, GAPP_UNWIND_BY_FP,
			   GAPP_CONFIG_WAIT_FILES | GAPP_CONFIG_WAKERS | GAPP_CONFIG_WAKER_PATHS);
	struct gapp_config without = with_files(GAPP_LEVEL_TRACE, GAPP_UNWIND_BY_FP, 0);
	struct scene *scene = make_scene();
	struct seen seen;

	each_kind(&trace, "trace");
	each_kind(&pathless, "no paths");
	sampled.rate_hz = GAPP_MAX_RATE_HZ;
	each_kind(&sampled, "samples and wakers");
	seen = follow(scene, ends_each, &without, false);
	t_check(seen.slices[PIPE].all && !seen.files, "none is told if none is asked for",
		"%u files", seen.files);
	munmap(scene, sizeof(*scene));
}

void wait_files_closed(void)
{
	struct gapp_config config =
		with_files(GAPP_LEVEL_TRACE, GAPP_UNWIND_BY_FP, GAPP_CONFIG_WAIT_FILES);
	struct scene *scene = make_scene();
	struct seen seen = follow(scene, closes, &config, false);

	/* with PREEMPT_RT a wait may be several: for the pipe, and for a lock of who writes */
	t_check(seen.slices[PIPE].right && seen.again &&
			seen.slices[PIPE].all == seen.slices[PIPE].right + seen.again,
		"a descriptor that is closed and used again is two files",
		"%u of the first, %u of the second, of %u", seen.slices[PIPE].right, seen.again,
		seen.slices[PIPE].all);
	munmap(scene, sizeof(*scene));
}

void wait_files_alone(void)
{
	struct gapp_config config =
		with_files(GAPP_LEVEL_CRITICAL, GAPP_UNWIND_BY_FP, GAPP_CONFIG_WAIT_FILES);
	struct scene *scene = make_scene();
	struct seen seen = follow(scene, waits_alone, &config, true);

	t_check(seen.waits[PIPE].right && !seen.waits[PIPE].wrong,
		"a wait that left no thread active says its file", "%u of %u, %u wrong",
		seen.waits[PIPE].right, seen.waits[PIPE].all, seen.waits[PIPE].wrong);
	t_check(seen.waits[EVENT].all && seen.waits[EVENT].wrong == seen.waits[EVENT].all &&
			seen.unknown == seen.waits[EVENT].wrong,
		"or that its descriptor was closed", "%u of %u, %u unknown",
		seen.waits[EVENT].wrong, seen.waits[EVENT].all, seen.unknown);
	munmap(scene, sizeof(*scene));
}

/* Of the storm: how many waits it has, ports of the two kinds of sockets, how long a wait is. */
#define STORM_WAITS 100
#define STORM_PORT 9
#define STORM_WAIT_US 200

/**
 * struct storm - sockets that are closed while a thread waits for them
 * @fd: their descriptor
 * @waiter: the thread that waits
 * @waits: how often it has waited
 * @known: records with a socket's other end, and of these such of no socket that there was
 * @others: records with another file, or without the other end
 */
struct storm {
	int fd;
	pid_t waiter;
	u32 waits;
	struct {
		u32 all, wrong;
	} known;
	u32 others;
};

/* Kind N has the port and the address N of its other end. */
static int storm_socket(int kind)
{
	const struct timeval wait = { .tv_usec = STORM_WAIT_US };
	struct sockaddr_in peer = { .sin_family = AF_INET,
				    .sin_port = htons(STORM_PORT + kind),
				    .sin_addr.s_addr = htonl(INADDR_LOOPBACK + kind) };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait)) ||
	    connect(fd, (struct sockaddr *)&peer, sizeof(peer)))
		t_die("socket");
	return fd;
}

static void *waits_in_storm(void *arg)
{
	struct storm *storm = arg;
	u64 word;

	__atomic_store_n(&storm->waiter, t_gettid(), __ATOMIC_RELEASE);
	for (u32 i = 0; i < STORM_WAITS; i++) {
		syscall(SYS_recvfrom, storm->fd, &word, sizeof(word), 0, NULL, NULL);
		__atomic_store_n(&storm->waits, i + 1, __ATOMIC_RELEASE);
	}
	return NULL;
}

/* Each socket is new, and gone when the next one has its descriptor. */
static void closes_sockets(struct t_child *parent, void *arg)
{
	struct storm *storm = arg;
	pthread_t waiter;

	storm->fd = storm_socket(0);
	t_tell(parent);
	t_hear(parent);
	errno = pthread_create(&waiter, NULL, waits_in_storm, storm);
	if (errno)
		t_die("pthread_create");
	for (int kind = 0; __atomic_load_n(&storm->waits, __ATOMIC_ACQUIRE) < STORM_WAITS;
	     kind = !kind) {
		int fd = storm_socket(kind);

		if (dup3(fd, storm->fd, O_CLOEXEC) < 0)
			t_die("dup3");
		close(fd);
	}
	pthread_join(waiter, NULL);
	t_tell(parent);
	pause();
}

static void see_storm(const struct gapp_record *record, void *arg)
{
	const struct gapp_record_slice *slice = (const void *)record;
	const struct gapp_wait_file *file = r_file(record);
	struct storm *storm = arg;
	struct in_addr peer;
	int kind;

	if (record->type != GAPP_RECORD_SLICE || slice->tid != storm->waiter || !file)
		return;
	if (file->family != AF_INET || !file->peer_port) {
		storm->others++;
		return;
	}
	memcpy(&peer, file->peer, sizeof(peer));
	kind = file->peer_port - STORM_PORT;
	storm->known.all++;
	storm->known.wrong += kind < 0 || kind > 1 || file->protocol != IPPROTO_UDP ||
			      !file->local_port ||
			      ntohl(peer.s_addr) != (u32)(INADDR_LOOPBACK + kind);
}

void wait_files_storm(void)
{
	struct gapp_config config =
		with_files(GAPP_LEVEL_TRACE, GAPP_UNWIND_BY_FP, GAPP_CONFIG_WAIT_FILES);
	struct storm *storm = mmap(NULL, sizeof(*storm), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct t_child child;
	struct r_reader reader;
	int fd;

	if (storm == MAP_FAILED)
		t_die("mmap");
	child = t_fork(closes_sockets, storm);
	fd = t_session(&config);
	t_hear(&child);
	r_open(&reader, fd);
	reader.see = see_storm;
	reader.arg = storm;
	t_add(fd, child.pid, 0);
	t_expect(t_start(fd), T_OK, "START");
	t_tell(&child);
	r_follow(&reader, &child);
	t_expect(t_stop(fd), T_OK, "STOP");
	r_drain(&reader);
	t_check(!reader.tally.bad, "all records make sense", "%llu do not: %s", reader.tally.bad,
		reader.tally.why);
	t_check(storm->known.all && !storm->known.wrong, "no other end is told that no socket had",
		"%u of %u, %u others", storm->known.wrong, storm->known.all, storm->others);
	r_close(&reader);
	close(fd);
	t_kill(&child);
	munmap(storm, sizeof(*storm));
}

void wait_files_check(bool told)
{
	struct gapp_config config =
		with_files(GAPP_LEVEL_TRACE, GAPP_UNWIND_BY_FP, GAPP_CONFIG_WAIT_FILES);
	struct scene *scene = make_scene();
	struct seen seen = follow(scene, ends_each, &config, false);

	t_check(seen.slices[PIPE].right && seen.slices[TCP4].right, "files of waits are told",
		"%u and %u", seen.slices[PIPE].right, seen.slices[TCP4].right);
	munmap(scene, sizeof(*scene));
	scene = make_scene();
	scene->hidden = true;
	seen = follow(scene, ends_each, &config, false);
	if (told)
		t_check(seen.slices[PIPE].right && seen.slices[TCP4].right,
			"so are those of a process that is not dumpable", "%u and %u",
			seen.slices[PIPE].right, seen.slices[TCP4].right);
	else
		t_check(seen.of_waiter.all && !seen.of_waiter.files,
			"those of a process that is not dumpable are not", "%u of %u",
			seen.of_waiter.files, seen.of_waiter.all);
	munmap(scene, sizeof(*scene));
}

void wait_files_hidden(void)
{
	wait_files_check(true);
}
