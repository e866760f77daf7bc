// SPDX-License-Identifier: GPL-2.0
/*
 * Runs a program and writes one line of JSON on the time of its run alone, from its exec until it
 * has exited: nanoseconds, which are instructions in a guest under icount; the CPU time of a reader
 * meanwhile, and before; context switches of the machine.
 *
 * The program is a process that span or, with `launched`, gapp-read starts as its user would: span
 * watches from outside, because a wrapper around the program would be another command than the one
 * that gapp-read prepares for. It runs at a real-time priority while it waits, so that it reads the
 * clocks before anybody acts on the exec or the exit.
 */
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CPUS_MAX 64
#define RING_BYTES 65536

/* Who is measured, and whose CPU time is the reader's. */
enum how {
	ALONE, /* the command is the program; there is no reader */
	ATTACHED, /* the command is the program; the reader runs already */
	LAUNCHED, /* the command is the reader, and starts the program */
};

struct reading {
	uint64_t now; /* ns */
	uint64_t reader; /* ns of CPU time, of threads that have ended too */
	uint64_t switches;
	uint64_t idle; /* ns, of all CPUs; in steps of 10 ms */
};

static long page_bytes;

static void fail(const char *what)
{
	fprintf(stderr, "span: %s: %s\n", what, strerror(errno));
	exit(125);
}

static uint64_t clock_ns(clockid_t clock, const char *what)
{
	struct timespec t;

	if (clock_gettime(clock, &t))
		fail(what);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void read_machine(struct reading *reading)
{
	unsigned int found = 0;
	uint64_t ticks;
	char line[256];
	FILE *file = fopen("/proc/stat", "r");

	if (!file)
		fail("/proc/stat");
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "ctxt %" SCNu64, &reading->switches) == 1)
			found++;
		if (!strncmp(line, "cpu ", 4) &&
		    sscanf(line, "cpu %*u %*u %*u %" SCNu64, &ticks) == 1) {
			reading->idle = ticks * (1000000000 / (uint64_t)sysconf(_SC_CLK_TCK));
			found++;
		}
	}
	fclose(file);
	if (found != 2) {
		errno = ENODATA;
		fail("/proc/stat has no line ctxt or cpu");
	}
}

static struct reading read_now(enum how how, clockid_t reader)
{
	struct reading reading = { 0 };

	read_machine(&reading);
	if (how != ALONE)
		reading.reader = clock_ns(reader, "the reader's CPU time (has it ended?)");
	reading.now = clock_ns(CLOCK_MONOTONIC, "CLOCK_MONOTONIC");
	return reading;
}

/**
 * struct ring - what the kernel tells of processes on one CPU
 * @fd: the perf event
 * @page: its memory
 * @at: bytes that were read, ever
 */
struct ring {
	int fd;
	struct perf_event_mmap_page *page;
	uint64_t at;
};

static struct ring open_ring(int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.watermark = 1,
		.wakeup_watermark = 1,
	};
	struct ring ring = { .fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, 0UL) };

	if (ring.fd < 0)
		fail("perf_event_open");
	ring.page =
		mmap(NULL, page_bytes + RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, ring.fd, 0);
	if (ring.page == MAP_FAILED)
		fail("the perf event's memory");
	return ring;
}

static void copy_out(const struct ring *ring, void *to, size_t size)
{
	const char *data = (const char *)ring->page + ring->page->data_offset;

	for (size_t i = 0; i < size; i++)
		((char *)to)[i] = data[(ring->at + i) % RING_BYTES];
}

/* What a record begins with: of COMM the first two words, of FORK all. */
struct record {
	struct perf_event_header header;
	uint32_t pid, second, tid, parent_tid;
};

/**
 * struct hunt - looks for the program's exec
 * @child: the process that span started
 * @launched: the program is a child of @child, else @child itself
 * @program: the program's process; 0: not known yet
 * @executed: it has executed the program
 */
struct hunt {
	pid_t child;
	bool launched;
	pid_t program;
	bool executed;
};

static void take(struct hunt *hunt, const struct record *record)
{
	if (record->header.type == PERF_RECORD_FORK && hunt->launched && !hunt->program &&
	    record->second == (uint32_t)hunt->child && record->pid != record->second)
		hunt->program = (pid_t)record->pid;
	if (record->header.type == PERF_RECORD_COMM &&
	    record->header.misc & PERF_RECORD_MISC_COMM_EXEC && hunt->program &&
	    record->pid == (uint32_t)hunt->program)
		hunt->executed = true;
}

static void read_ring(struct ring *ring, struct hunt *hunt)
{
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);

	while (ring->at < head) {
		struct record record = { 0 };
		uint16_t size;

		copy_out(ring, &record.header, sizeof(record.header));
		size = record.header.size;
		copy_out(ring, &record, size < sizeof(record) ? size : sizeof(record));
		take(hunt, &record);
		ring->at += size;
	}
	__atomic_store_n(&ring->page->data_tail, ring->at, __ATOMIC_RELEASE);
}

static int open_pidfd(pid_t pid)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);

	if (fd < 0)
		fail("pidfd_open");
	return fd;
}

/* Returns when the program has been executed; false: the child ended before. */
static bool wait_for_exec(struct ring *rings, int count, struct hunt *hunt)
{
	struct pollfd fds[CPUS_MAX + 1];

	for (int i = 0; i < count; i++)
		fds[i] = (struct pollfd){ .fd = rings[i].fd, .events = POLLIN };
	fds[count] = (struct pollfd){ .fd = open_pidfd(hunt->child), .events = POLLIN };
	while (!hunt->executed) {
		if (poll(fds, (nfds_t)count + 1, -1) < 0 && errno != EINTR)
			fail("poll");
		/* a process that has moved to another CPU is in two rings, each in its order */
		for (int i = 0; i < 2 * count; i++)
			read_ring(&rings[i % count], hunt);
		if (fds[count].revents && !hunt->executed)
			break;
	}
	close(fds[count].fd);
	return hunt->executed;
}

static void wait_for_exit(pid_t pid)
{
	struct pollfd fd = { .fd = open_pidfd(pid), .events = POLLIN };

	while (poll(&fd, 1, -1) < 0)
		if (errno != EINTR)
			fail("poll");
	close(fd.fd);
}

/* Starts the command, which begins when span gets to wait. */
static pid_t start(char **command)
{
	const struct sched_param usual = { 0 };
	int go[2];
	pid_t pid;
	char byte;

	if (pipe(go))
		fail("pipe");
	pid = fork();
	if (pid < 0)
		fail("fork");
	if (!pid) {
		close(go[1]);
		if (sched_setscheduler(0, SCHED_OTHER, &usual) || read(go[0], &byte, 1))
			fail("the start");
		close(go[0]);
		execvp(command[0], command);
		fail(command[0]);
	}
	close(go[0]);
	if (close(go[1]))
		fail("the start");
	return pid;
}

static int status_of(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			fail("waitpid");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int open_rings(struct ring rings[CPUS_MAX])
{
	long count = sysconf(_SC_NPROCESSORS_ONLN);

	page_bytes = sysconf(_SC_PAGESIZE);
	if (count < 1 || count > CPUS_MAX) {
		errno = ERANGE;
		fail("the number of CPUs");
	}
	for (int i = 0; i < count; i++)
		rings[i] = open_ring(i);
	return (int)count;
}

static void close_rings(struct ring *rings, int count)
{
	for (int i = 0; i < count; i++) {
		munmap(rings[i].page, page_bytes + RING_BYTES);
		close(rings[i].fd);
	}
}

static void write_line(const char *path, const struct reading *begin, const struct reading *end,
		       uint64_t whole_ns, int status)
{
	FILE *file = fopen(path, "w");

	if (!file)
		fail(path);
	fprintf(file,
		"{\"ns\": %" PRIu64 ", \"reader\": %" PRIu64 ", \"reader_before\": %" PRIu64
		", \"switches\": %" PRIu64 ", \"idle\": %" PRIu64 ", \"whole_ns\": %" PRIu64
		", \"status\": %d}\n",
		end->now - begin->now, end->reader - begin->reader, begin->reader,
		end->switches - begin->switches, end->idle - begin->idle, whole_ns, status);
	if (fclose(file))
		fail(path);
}

static void usage(void)
{
	fputs("usage: span OUT alone|launched|PID COMMAND [ARGUMENT]...\n"
	      "       OUT: the file for the line. alone: the command is the program; launched: the\n"
	      "       command is a reader that starts the program; PID: of a reader that runs\n",
	      stderr);
	exit(2);
}

int main(int argc, char **argv)
{
	const struct sched_param first = { .sched_priority = 1 };
	struct ring rings[CPUS_MAX];
	struct reading begin, end;
	struct hunt hunt = { 0 };
	clockid_t clock = 0;
	uint64_t started;
	enum how how;
	int count, status;

	if (argc < 4)
		usage();
	how = !strcmp(argv[2], "alone")	   ? ALONE :
	      !strcmp(argv[2], "launched") ? LAUNCHED :
					     ATTACHED;
	if (how == ATTACHED && atoi(argv[2]) <= 0)
		usage();
	count = open_rings(rings);
	if (sched_setscheduler(0, SCHED_FIFO, &first))
		fail("SCHED_FIFO");
	started = clock_ns(CLOCK_MONOTONIC, "CLOCK_MONOTONIC");
	hunt.child = start(argv + 3);
	hunt.launched = how == LAUNCHED;
	hunt.program = hunt.launched ? 0 : hunt.child;
	if (how != ALONE) {
		errno = clock_getcpuclockid(how == LAUNCHED ? hunt.child : atoi(argv[2]), &clock);
		if (errno)
			fail("the reader's CPU clock");
	}
	if (!wait_for_exec(rings, count, &hunt)) {
		fprintf(stderr, "span: the program was never executed\n");
		return status_of(hunt.child) ?: 125;
	}
	begin = read_now(how, clock);
	close_rings(rings, count);
	wait_for_exit(hunt.program);
	end = read_now(how, clock);
	status = status_of(hunt.child);
	write_line(argv[1], &begin, &end, clock_ns(CLOCK_MONOTONIC, "CLOCK_MONOTONIC") - started,
		   status);
	return status;
}
