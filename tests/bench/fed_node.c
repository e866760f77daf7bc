// SPDX-License-Identifier: GPL-2.0
/*
 * Stands in for /dev/gapp: linked with all of gapp-read with --wrap, so that what is measured is
 * its own from poll() on. The rings are filled by its command, see reader.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "fed.h"

#define NSEC_PER_SEC 1000000000ULL
/* Of every process; the only one is the command. */
#define IMAGE 1

static int node = -1, wake = -1;
static __u32 state, tables;
static __u64 begin, wall;
static const struct gapp_ring *rings[FED_CPUS];
static const __u64 *tails;

static void die(const char *what)
{
	fprintf(stderr, "fed: %s: %s\n", what, strerror(errno));
	_exit(125);
}

static __u64 now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * NSEC_PER_SEC + time.tv_nsec;
}

static int refuse(int error)
{
	errno = error;
	return -1;
}

static const void *map(__u64 bytes, __u64 offset)
{
	const void *at = mmap(NULL, bytes, PROT_READ, MAP_SHARED, node, offset);

	if (at == MAP_FAILED)
		die("mmap");
	return at;
}

static void tell(const char *name, int fd)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", fd);
	if (setenv(name, text, 1))
		die("setenv");
}

/* Both files are the command's too, so they stay open when it is executed. */
static int open_node(void)
{
	node = memfd_create("gapp", 0);
	wake = eventfd(0, EFD_NONBLOCK);
	if (node < 0 || wake < 0 || ftruncate(node, FED_BYTES))
		die("a file in memory");
	for (unsigned int cpu = 0; cpu < FED_CPUS; cpu++)
		rings[cpu] = map(FED_PAGE, GAPP_MAP_RING(cpu));
	tails = map(FED_PAGE, GAPP_MAP_READ_POSITIONS);
	tell(FED_MEMORY, node);
	tell(FED_WAKE, wake);
	return node;
}

int __wrap_open(const char *path, int flags, ...)
{
	mode_t mode = 0;
	va_list args;

	if (!strcmp(path, GAPP_NODE))
		return open_node();
	va_start(args, flags);
	if (flags & (O_CREAT | __O_TMPFILE))
		mode = va_arg(args, mode_t);
	va_end(args);
	return __real_open(path, flags, mode);
}

static __u64 fullest(void)
{
	__u64 most = 0;

	for (unsigned int cpu = 0; cpu < FED_CPUS; cpu++) {
		__u64 head = __atomic_load_n(&rings[cpu]->write_position, __ATOMIC_RELAXED);
		__u64 used = head - tails[cpu * FED_TAIL_STRIDE / sizeof(__u64)];

		if (used > most)
			most = used;
	}
	return most;
}

/*
 * In place of libc's: a file in memory always has data to read. As the module, the node has when a
 * ring is half full, or when it is told to wake up and there is anything.
 */
int __wrap_ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout,
		 const sigset_t *mask)
{
	struct timespec left = { 0 };
	nfds_t at = count;
	bool full;
	int ready;

	for (nfds_t i = 0; i < count && node >= 0; i++)
		if (fds[i].fd == node)
			at = i;
	full = at < count && fullest() >= FED_RING / 2;
	if (timeout && !full)
		left = *timeout;
	if (at < count)
		fds[at].fd = wake;
	ready = syscall(SYS_ppoll, fds, count, timeout || full ? &left : NULL, mask, _NSIG / 8);
	if (at == count)
		return ready;
	fds[at].fd = node;
	if (fds[at].revents) {
		__u64 times;

		while (read(wake, &times, sizeof(times)) == sizeof(times))
			;
		fds[at].revents = fullest() ? POLLIN : 0;
		ready -= !fds[at].revents;
	} else if (ready >= 0 && full) {
		fds[at].revents = POLLIN;
		ready++;
	}
	return ready;
}

static int get_abi(struct gapp_abi *abi)
{
	memset(abi, 0, sizeof(*abi));
	abi->major = GAPP_ABI_MAJOR;
	abi->minor = GAPP_ABI_MINOR;
	strcpy((char *)abi->version, "fed");
	return 0;
}

static int status(struct gapp_status *status)
{
	memset(status, 0, sizeof(*status));
	status->id = 1;
	status->state = state;
	status->cpus = FED_CPUS;
	status->start_ns = begin;
	status->wall_ns = state == GAPP_SESSION_RUNNING ? now() - begin : wall;
	status->n_min = 1;
	status->threads = 1;
	status->peak = 1;
	status->tick_ns = 4000000;
	if (state == GAPP_SESSION_STOPPED)
		status->flags = GAPP_STATUS_RECOUNTED | GAPP_STATUS_RECOUNT_OK;
	return 0;
}

static int layout(struct gapp_layout *layout)
{
	*layout = (struct gapp_layout){
		.cpus = FED_CPUS,
		.ring_bytes = FED_RING,
		.ring_map_bytes = FED_PAGE + FED_RING,
		.ring_data = FED_PAGE,
		.positions_map_bytes = FED_PAGE,
		.position_stride = FED_TAIL_STRIDE,
		.path_slots = FED_SLOTS,
		.paths_map_bytes = FED_PATHS_BYTES,
		.path_words_at = FED_WORDS_AT,
		.path_words = FED_WORDS,
	};
	return 0;
}

/* A step of the session's life. */
static int advance(__u32 from, __u32 to)
{
	if (state != from)
		return refuse(state == GAPP_SESSION_NEW ? ENOTCONN : EBUSY);
	state = to;
	if (to == GAPP_SESSION_RUNNING)
		begin = now();
	if (to == GAPP_SESSION_STOPPED)
		wall = now() - begin;
	return 0;
}

/* Tables are taken, and not looked at. */
static int set_maps(struct gapp_mappings *maps)
{
	if (!maps->image)
		maps->image = IMAGE;
	return 0;
}

static int group(struct gapp_page *page)
{
	struct gapp_target_figures *group =
		(struct gapp_target_figures *)(unsigned long)page->buffer;

	if (page->cursor)
		return 0;
	memset(group, 0, sizeof(*group));
	group->wall_ns = wall;
	group->n_min = 1;
	page->cursor = 1;
	page->count = 1;
	return 0;
}

static int dispatch(unsigned long request, void *argument)
{
	switch (request) {
	case GAPP_IOC_GET_ABI:
		return get_abi(argument);
	case GAPP_IOC_CONFIGURE:
		return advance(GAPP_SESSION_NEW, GAPP_SESSION_READY);
	case GAPP_IOC_ADD_PROCESS:
	case GAPP_IOC_DROP_TABLE:
	case GAPP_IOC_THREADS:
	case GAPP_IOC_PROCESSES:
	case GAPP_IOC_PARALLELISM:
		return 0;
	case GAPP_IOC_START:
		return advance(GAPP_SESSION_READY, GAPP_SESSION_RUNNING);
	case GAPP_IOC_STOP:
		return advance(GAPP_SESSION_RUNNING, GAPP_SESSION_STOPPED);
	case GAPP_IOC_STATUS:
		return status(argument);
	case GAPP_IOC_TARGETS:
		return group(argument);
	case GAPP_IOC_COUNTERS:
		memset(argument, 0, sizeof(struct gapp_counters));
		return 0;
	case GAPP_IOC_LAYOUT:
		return layout(argument);
	case GAPP_IOC_LOAD_TABLE:
		((struct gapp_table_load *)argument)->table = ++tables;
		return 0;
	case GAPP_IOC_SET_MAPPINGS:
		return set_maps(argument);
	}
	return refuse(ENOTTY);
}

int __wrap_ioctl(int fd, unsigned long request, ...)
{
	void *argument;
	va_list args;

	va_start(args, request);
	argument = va_arg(args, void *);
	va_end(args);
	return node >= 0 && fd == node ? dispatch(request, argument) :
					 __real_ioctl(fd, request, argument);
}
