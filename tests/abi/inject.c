// SPDX-License-Identifier: GPL-2.0
#include "inject.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FAULTS "/sys/kernel/debug/"

static int nth_fd = -1;

static void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		t_die(path);
	close(fd);
}

/* A trace for each fault would look like a complaint of the kernel. */
static void set_up(bool on)
{
	static const char *const quiet[] = { FAULTS "failslab/verbose",
					     FAULTS "fail_page_alloc/verbose",
					     FAULTS "fail_usercopy/verbose" };
	static const char *const ignored[] = { FAULTS "failslab/ignore-gfp-wait",
					       FAULTS "fail_page_alloc/ignore-gfp-wait",
					       FAULTS "fail_page_alloc/ignore-gfp-highmem" };

	for (size_t i = 0; i < ARRAY_SIZE(quiet); i++)
		put(quiet[i], "0");
	for (size_t i = 0; i < ARRAY_SIZE(ignored); i++)
		put(ignored[i], on ? "N" : "Y");
	put(FAULTS "fail_page_alloc/min-order", on ? "0" : "1");
}

bool i_nth_begin(void)
{
	nth_fd = open("/proc/self/fail-nth", O_RDWR | O_CLOEXEC);
	if (nth_fd < 0)
		return false;
	set_up(true);
	return true;
}

void i_nth_end(void)
{
	set_up(false);
	close(nth_fd);
}

void i_arm(u32 nth)
{
	char text[16];
	int length = snprintf(text, sizeof(text), "%u", nth);

	if (pwrite(nth_fd, text, length, 0) != length)
		t_die("fail-nth");
}

/* These two calls copy too, so what is left may hit them: then the call before had no fault. */
bool i_disarm(void)
{
	char text[16] = "";
	bool failed = pread(nth_fd, text, sizeof(text) - 1, 0) > 0 && !atoi(text);

	if (pwrite(nth_fd, "0", 1, 0) != 1 && pwrite(nth_fd, "0", 1, 0) != 1)
		t_die("fail-nth");
	return failed;
}

/* Begin and end of the module's code. */
static bool find_text(u64 *begin, u64 *end)
{
	FILE *file = fopen("/proc/modules", "r");
	unsigned long long address, bytes;
	char line[256];
	bool found = false;

	while (file && fgets(line, sizeof(line), file)) {
		const char *at = strstr(line, " 0x");

		if (strncmp(line, "gapp ", 5) || !at || sscanf(line, "gapp %llu", &bytes) != 1)
			continue;
		address = strtoull(at, NULL, 16);
		*begin = address;
		*end = address + bytes;
		found = true;
	}
	if (file)
		fclose(file);
	return found;
}

static void set(const char *kind, const char *name, const char *value)
{
	char path[64];

	snprintf(path, sizeof(path), FAULTS "%s/%s", kind, name);
	put(path, value);
}

/* Of the allocations of @kind below code between @begin and @end so many percent fail. */
static void fail_below(const char *kind, u64 begin, u64 end, const char *percent)
{
	char text[32];

	/* Until the range is set every allocation of the machine would. */
	set(kind, "probability", "0");
	snprintf(text, sizeof(text), "%#llx", begin);
	set(kind, "require-start", text);
	snprintf(text, sizeof(text), "%#llx", end);
	set(kind, "require-end", text);
	set(kind, "task-filter", "N");
	set(kind, "times", "-1");
	set(kind, "probability", percent);
}

bool i_module_begin(void)
{
	u64 begin = 0, end = 0;

	if (access(FAULTS "failslab/require-start", W_OK))
		return false;
	if (!find_text(&begin, &end))
		t_die("/proc/modules");
	set_up(true);
	fail_below("failslab", begin, end, "100");
	fail_below("fail_page_alloc", begin, end, "100");
	return true;
}

void i_module_end(void)
{
	fail_below("failslab", 0, ~0ULL, "0");
	fail_below("fail_page_alloc", 0, ~0ULL, "0");
	set_up(false);
}
