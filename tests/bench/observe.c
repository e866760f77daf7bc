// SPDX-License-Identifier: GPL-2.0
#include "observe.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A guest is calm that long after its start, and when it has found its clock. */
#define CALM_NS (3 * NSEC_PER_SEC)
#define CLOCK_SECONDS 60
/* Processes below processes. */
#define DEEPEST 16

void complain(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	fputs("alternate: ", stderr);
	vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
	va_end(arguments);
}

uint64_t clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NSEC_PER_SEC + now.tv_nsec;
}

void sleep_ns(uint64_t ns)
{
	struct timespec left = { .tv_sec = ns / NSEC_PER_SEC, .tv_nsec = ns % NSEC_PER_SEC };

	while (clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) == EINTR)
		;
}

static bool clock_is_found(void)
{
	char line[64] = "";
	FILE *file =
		fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "re");

	if (!file)
		return true;
	if (!fgets(line, sizeof(line), file))
		line[0] = '\0';
	fclose(file);
	return !strstr(line, "early") && !strstr(line, "jiffies");
}

bool wait_for_calm(void)
{
	uint64_t deadline = clock_ns() + CLOCK_SECONDS * NSEC_PER_SEC;

	if (clock_ns() < CALM_NS)
		sleep_ns(CALM_NS - clock_ns());
	while (!clock_is_found()) {
		if (clock_ns() > deadline) {
			complain("the kernel has no final clock source after %d s", CLOCK_SECONDS);
			return false;
		}
		sleep_ns(100 * NSEC_PER_MSEC);
	}
	return true;
}

/* How a folder of numbers is gone through. Returns what is summed up. */
typedef uint64_t number_fn(const char *folder, long number, const void *context);

static uint64_t sum_of_numbers(const char *folder, number_fn *function, const void *context)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	uint64_t sum = 0;

	/* A process that is gone has nothing. */
	if (!dir)
		return 0;
	while ((entry = readdir(dir)))
		if (isdigit((unsigned char)entry->d_name[0]))
			sum += function(folder, strtol(entry->d_name, NULL, 10), context);
	closedir(dir);
	return sum;
}

/* The first line of PROCESS/NAME, without its end; empty: there is none. */
static void first_line(char *line, size_t size, const char *folder, long number, const char *name)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%ld/%s", folder, number, name);
	line[0] = '\0';
	file = fopen(path, "re");
	if (!file)
		return;
	if (!fgets(line, size, file))
		line[0] = '\0';
	line[strcspn(line, "\n")] = '\0';
	fclose(file);
}

static uint64_t thread_ns(const char *folder, long tid, const void *unused)
{
	char line[128];

	(void)unused;
	first_line(line, sizeof(line), folder, tid, "schedstat");
	return strtoull(line, NULL, 10);
}

static uint64_t process_ns(const char *folder, long pid, const void *unused)
{
	char path[64];

	(void)unused;
	snprintf(path, sizeof(path), "%s/%ld/task", folder, pid);
	return sum_of_numbers(path, thread_ns, NULL);
}

typedef uint64_t process_fn(const char *folder, long pid, const void *context);

/* What @function returns of a process and those below it, summed up. */
static uint64_t of_family(pid_t pid, process_fn *function, const void *context, unsigned int depth);

struct visit {
	process_fn *function;
	const void *context;
	unsigned int depth;
};

static uint64_t visit_children(const char *folder, long tid, const void *context)
{
	const struct visit *visit = context;
	char line[8192], *rest = line, *end;
	uint64_t sum = 0;
	long pid;

	first_line(line, sizeof(line), folder, tid, "children");
	while ((pid = strtol(rest, &end, 10)) > 0) {
		sum += of_family(pid, visit->function, visit->context, visit->depth + 1);
		rest = end;
	}
	return sum;
}

static uint64_t of_family(pid_t pid, process_fn *function, const void *context, unsigned int depth)
{
	const struct visit visit = { function, context, depth };
	uint64_t sum = function("/proc", pid, context);
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	return depth < DEEPEST ? sum + sum_of_numbers(path, visit_children, &visit) : sum;
}

uint64_t cpu_ns_of(pid_t pid)
{
	return of_family(pid, process_ns, NULL, 0);
}

static uint64_t process_ns_if(const char *folder, long pid, const void *name)
{
	char comm[64];

	first_line(comm, sizeof(comm), folder, pid, "comm");
	return strcmp(comm, name) ? 0 : process_ns(folder, pid, NULL);
}

uint64_t cpu_ns_of_name(const char *name)
{
	return sum_of_numbers("/proc", process_ns_if, name);
}

static uint64_t has_session(const char *folder, long pid, const void *unused)
{
	FILE *file = fopen("/proc/gapp/sessions", "re");
	char line[256], state[16];
	long owner;
	bool found = false;

	(void)folder;
	(void)unused;
	if (!file)
		return 0;
	while (!found && fgets(line, sizeof(line), file))
		found = sscanf(line, "%*u %15s %ld", state, &owner) == 2 && owner == pid &&
			!strcmp(state, "running");
	fclose(file);
	return found;
}

bool gapp_is_recording(pid_t pid)
{
	return of_family(pid, has_session, NULL, 0);
}
