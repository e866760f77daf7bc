// SPDX-License-Identifier: GPL-2.0
/* Session time stays at CLOCK_MONOTONIC, whatever becomes of the rate and the source of that. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/timex.h>
#include <unistd.h>

#include "busy.h"
#include "groups.h"
#include "t.h"

#define SOURCES "/sys/devices/system/clocksource/clocksource0/"
/* The module knows of another rate after half a second. */
#define MOST_OFF_NS 800000
#define FASTEST_PPM 500

static bool read_source(const char *name, char *text, size_t size)
{
	char path[100];
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), SOURCES "%s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	got = fd < 0 ? -1 : read(fd, text, size - 1);
	if (fd >= 0)
		close(fd);
	text[got < 0 ? 0 : got] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return got > 0;
}

static bool choose_source(const char *name)
{
	int fd = open(SOURCES "current_clocksource", O_WRONLY | O_CLOEXEC);
	bool good = fd >= 0 && write(fd, name, strlen(name)) > 0;

	if (fd >= 0)
		close(fd);
	return good;
}

static void set_rate(long ppm)
{
	struct timex timex = { .modes = ADJ_FREQUENCY, .freq = ppm * 65536 };

	if (adjtimex(&timex) < 0)
		t_die("adjtimex");
}

/* By how much session time is off at most, in @seconds; it goes on all the time. */
static u64 most_off(int fd, unsigned int seconds, bool *goes_on)
{
	u64 end = t_now() + seconds * NSEC_PER_SEC, before, after, now, last = 0, off, most = 0;
	struct gapp_status status;

	do {
		before = t_now();
		t_status(fd, &status);
		after = t_now();
		now = status.start_ns + status.wall_ns;
		off = now < before ? before - now : now > after ? now - after : 0;
		most = off > most ? off : most;
		*goes_on &= now >= last;
		last = now;
		t_sleep(NSEC_PER_MSEC);
	} while (after < end);
	return most;
}

static void check_time(int fd, unsigned int seconds, const char *name)
{
	bool goes_on = true;
	u64 off = most_off(fd, seconds, &goes_on);

	t_check(goes_on && off < MOST_OFF_NS, name, "off by %llu ns%s", off,
		goes_on ? "" : ", and it went back");
}

/* Whether the kernel has logged @text since @log was opened. */
static bool has_logged(int log, const char *text)
{
	char record[1024];
	ssize_t size;

	while ((size = read(log, record, sizeof(record) - 1)) > 0) {
		record[size] = '\0';
		if (strstr(record, text))
			return true;
	}
	return false;
}

/* What a session adds up that knows no other clock source from its begin on. */
static void check_session_by_other(void)
{
	struct gapp_config config = t_config(GAPP_LEVEL_CRITICAL);
	struct t_child target = t_fork(busy_storm, NULL);
	int fd = t_session(&config);

	t_hear(&target);
	t_add(fd, target.pid, 0);
	t_expect(t_start(fd), T_OK, "START by another clock source");
	check_time(fd, 1, "session time by another clock source from the begin on");
	t_expect(t_stop(fd), T_OK, "STOP");
	t_sums(fd, "no time is missing by another clock source");
	close(fd);
	t_kill(&target);
}

static void check_sources(int fd)
{
	static const char *const others[] = { "hpet", "acpi_pm", "refined-jiffies" };
	const char *name = "it goes on by another clock source";
	char all[200], former[40];
	size_t i = 0;
	int log;

	if (!read_source("available_clocksource", all, sizeof(all)) ||
	    !read_source("current_clocksource", former, sizeof(former)) || strcmp(former, "tsc")) {
		t_skip(name, "the TSC is not the clock source");
		return;
	}
	while (i < ARRAY_SIZE(others) && !strstr(all, others[i]))
		i++;
	log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK);
	lseek(log, 0, SEEK_END);
	if (i == ARRAY_SIZE(others) || !choose_source(others[i])) {
		t_skip(name, "there is no other");
		close(log);
		return;
	}
	check_time(fd, 3, name);
	t_check(has_logged(log, "events read the kernel's clock, in "),
		"the kernel's log warns of it, and says what it costs", "it does not");
	close(log);
	check_session_by_other();
	choose_source(former);
	check_time(fd, 3, "and by the former one");
}

void clock_stays(void)
{
	struct gapp_config config = t_config(GAPP_LEVEL_STATS);
	struct t_child target = t_fork(busy_storm, NULL);
	int fd = t_session(&config);

	t_hear(&target);
	t_add(fd, target.pid, 0);
	t_expect(t_start(fd), T_OK, "START");
	check_time(fd, 3, "session time stays at the kernel's clock");
	set_rate(FASTEST_PPM);
	check_time(fd, 3, "while that is made faster");
	set_rate(0);
	t_sleep(NSEC_PER_SEC / 2);
	set_rate(-FASTEST_PPM);
	check_time(fd, 3, "and slower");
	set_rate(0);
	check_sources(fd);
	t_expect(t_stop(fd), T_OK, "STOP");
	t_sums(fd, "no time is missing");
	close(fd);
	t_kill(&target);
}

/*
 * Whoever opens SNAPSHOT is about to save the memory and to send the machine to sleep: the kernel
 * tells the module so, and when the file is closed it tells the module that the sleep is over.
 */
#define SNAPSHOT "/dev/snapshot"

void clock_sleeps(void)
{
	struct gapp_config config = t_config(GAPP_LEVEL_STATS);
	struct t_child target = t_fork(t_idle, NULL);
	int fd = t_session(&config), snapshot, log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK);

	t_hear(&target);
	t_add(fd, target.pid, 0);
	t_expect(t_start(fd), T_OK, "START");
	lseek(log, 0, SEEK_END);
	snapshot = open(SNAPSHOT, O_RDONLY | O_CLOEXEC);
	if (snapshot < 0) {
		t_skip("session time while the machine is about to sleep", "no " SNAPSHOT);
	} else {
		check_time(fd, 1, "session time while the machine is about to sleep");
		close(snapshot);
		check_time(fd, 1, "and after it has slept");
		t_check(!has_logged(log, "TSC is not used"), "the TSC is used again", "it is not");
	}
	t_expect(t_stop(fd), T_OK, "STOP");
	close(log);
	close(fd);
	t_kill(&target);
}
