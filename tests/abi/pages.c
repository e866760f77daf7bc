// SPDX-License-Identifier: GPL-2.0
/* What the calls give: every byte defined, nothing beyond, and the same whatever the page size. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "groups.h"
#include "t.h"

#define CROWD 20

/* Bytes that two calls with different memory before them left as they were. */
static size_t undefined_bytes(const void *after_aa, const void *after_55, size_t size)
{
	const u8 *a = after_aa, *b = after_55;
	size_t count = 0;

	for (size_t i = 0; i < size; i++)
		count += a[i] == 0xAA && b[i] == 0x55;
	return count;
}

static size_t nonzero_bytes(const void *bytes, size_t size)
{
	const u8 *byte = bytes;
	size_t count = 0;

	for (size_t i = 0; i < size; i++)
		count += byte[i] != 0;
	return count;
}

static void abi_defined(int fd)
{
	struct gapp_abi a, b;
	size_t length;

	memset(&a, 0xAA, sizeof(a));
	memset(&b, 0x55, sizeof(b));
	t_ioctl(fd, GAPP_IOC_GET_ABI, &a);
	t_ioctl(fd, GAPP_IOC_GET_ABI, &b);
	t_check(!memcmp(&a, &b, sizeof(a)), "GET_ABI defines every byte", "it does not");
	t_check(a.major == GAPP_ABI_MAJOR && a.minor == GAPP_ABI_MINOR && !a.features,
		"GET_ABI tells the ABI of this header", "%u.%u, features %llx", a.major, a.minor,
		a.features);
	length = strnlen((char *)a.version, sizeof(a.version));
	t_check(length && length < sizeof(a.version) &&
			!nonzero_bytes(&a.version[length], sizeof(a.version) - length) &&
			!nonzero_bytes(a.reserved, sizeof(a.reserved)),
		"GET_ABI: the version is a string, the rest is zero", "length %zu", length);
}

static void status_defined(int fd, const char *when)
{
	struct gapp_status a, b;
	char name[80];

	memset(&a, 0xAA, sizeof(a));
	memset(&b, 0x55, sizeof(b));
	t_ioctl(fd, GAPP_IOC_STATUS, &a);
	t_ioctl(fd, GAPP_IOC_STATUS, &b);
	snprintf(name, sizeof(name), "STATUS defines every byte, %s", when);
	t_check(!undefined_bytes(&a, &b, sizeof(a)) && !a.reserved0 && !a.marks_left_out, name,
		"%zu are not; reserved0 %u", undefined_bytes(&a, &b, sizeof(a)), a.reserved0);
}

/* One row more than there are: it must stay as it is. */
static void page_defined(int fd, unsigned long request, size_t size, size_t wanted,
			 const char *what)
{
	struct gapp_page page_a = { .capacity = wanted + 1 }, page_b = page_a;
	u8 *a = malloc((wanted + 1) * size), *b = malloc((wanted + 1) * size);
	char name[80];
	size_t bytes;

	memset(a, 0xAA, (wanted + 1) * size);
	memset(b, 0x55, (wanted + 1) * size);
	page_a.buffer = (uintptr_t)a;
	page_b.buffer = (uintptr_t)b;
	t_ioctl(fd, request, &page_a);
	t_ioctl(fd, request, &page_b);
	bytes = page_a.count * size;

	snprintf(name, sizeof(name), "%s: as many as there are", what);
	t_check(page_a.count == wanted && page_b.count == wanted, name, "%u and %u of %zu",
		page_a.count, page_b.count, wanted);
	if (page_a.count == wanted && page_b.count == wanted) {
		snprintf(name, sizeof(name), "%s: every byte is defined, and none beyond", what);
		t_check(!undefined_bytes(a, b, bytes) &&
				undefined_bytes(a + bytes, b + bytes, size) == size &&
				!nonzero_bytes(page_a.reserved, sizeof(page_a.reserved)),
			name, "%zu are not, %zu of %zu beyond are not",
			undefined_bytes(a, b, bytes), undefined_bytes(a + bytes, b + bytes, size),
			size);
		snprintf(name, sizeof(name), "%s: the same twice", what);
		t_check(!memcmp(a, b, bytes), name, "they differ");
	}
	free(a);
	free(b);
}

static void rows_clean(int fd, unsigned long request, const char *name)
{
	struct t_rows rows = t_rows(fd, request, GAPP_PAGE_MAX);
	size_t dirty = 0, wrong = 0, open = 0;
	const char *example = "";

	for (size_t i = 0; i < rows.count; i++) {
		u8 *comm = rows.rows[i].comm;
		size_t length = strnlen((char *)comm, GAPP_COMM_LEN);

		open += length == GAPP_COMM_LEN;
		if (nonzero_bytes(comm + length, GAPP_COMM_LEN - length)) {
			dirty++;
			example = (char *)comm + length + 1;
		}
		wrong += rows.rows[i].critical_run > rows.rows[i].cm_run;
	}
	t_check(!dirty && !wrong && !open, name,
		"%zu names have something behind their end ('%.14s'), %zu no end, %zu critical shares are too large",
		dirty, example, open, wrong);
	free(rows.rows);
}

static void *short_name(void *arg)
{
	(void)arg;
	prctl(PR_SET_NAME, "x");
	t_sleep(NSEC_PER_MSEC);
	return NULL;
}

static void *stays(void *arg)
{
	(void)arg;
	prctl(PR_SET_NAME, "y");
	for (;;)
		pause();
	return NULL;
}

/* Threads with long names that get short ones; some exit, some stay. */
static void crowd(struct t_child *parent, void *unused)
{
	pthread_t threads[CROWD];

	(void)unused;
	prctl(PR_SET_NAME, "a-long-old-name");
	t_tell(parent);
	t_hear(parent);
	for (int i = 0; i < CROWD; i++)
		pthread_create(&threads[i], NULL, i % 2 ? short_name : stays, NULL);
	for (int i = 1; i < CROWD; i += 2)
		pthread_join(threads[i], NULL);
	/* A thread is joined some time before it is switched out for good. */
	t_sleep(30 * NSEC_PER_MSEC);
	t_tell(parent);
	t_hear(parent);
}

static int crowd_session(struct t_child *target, u32 max_exited)
{
	int fd = t_open();

	*target = t_fork(crowd, NULL);
	t_hear(target);
	t_configure(fd, 0, max_exited);
	t_add(fd, target->pid, 0);
	t_expect(t_start(fd), T_OK, "START");
	t_tell(target);
	t_hear(target);
	return fd;
}

void pages_defined(void)
{
	struct t_child target;
	struct gapp_status status;
	int fd = t_open();

	status_defined(fd, "new");
	t_configure(fd, 0, 0);
	status_defined(fd, "configured");
	close(fd);

	fd = crowd_session(&target, 3);
	status_defined(fd, "running");
	abi_defined(fd);
	t_expect(t_stop(fd), T_OK, "STOP");
	status_defined(fd, "stopped");
	t_status(fd, &status);
	page_defined(fd, GAPP_IOC_THREADS, sizeof(struct gapp_thread_figures), CROWD / 2 + 1 + 3,
		     "THREADS");
	page_defined(fd, GAPP_IOC_PROCESSES, sizeof(struct gapp_thread_figures), 1, "PROCESSES");
	page_defined(fd, GAPP_IOC_TARGETS, sizeof(struct gapp_target_figures), 1, "GROUPS");
	rows_clean(fd, GAPP_IOC_THREADS, "THREADS: nothing behind a name, shares are possible");
	rows_clean(fd, GAPP_IOC_PROCESSES, "PROCESSES: nothing behind a name, shares are possible");
	t_check(status.threads == CROWD + 1, "all threads were followed", "%llu of %u",
		status.threads, CROWD + 1);
	t_sums(fd, "sums");
	close(fd);
	t_kill(&target);
}

static int by_tid(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct gapp_thread_figures));
}

void pages_capacity(void)
{
	static const u32 capacities[] = { 1, 2, 7, 64, 65, GAPP_PAGE_MAX };
	struct t_rows wanted = { 0 };
	struct t_child target;
	u64 bins[64], all_bins[64];
	size_t bin_count, all_count;
	int fd = crowd_session(&target, GAPP_EXITED_DEFAULT);

	t_expect(t_stop(fd), T_OK, "STOP");
	for (size_t i = 0; i < ARRAY_SIZE(capacities); i++) {
		struct t_rows rows = t_rows(fd, GAPP_IOC_THREADS, capacities[i]);
		char name[80];

		qsort(rows.rows, rows.count, sizeof(*rows.rows), by_tid);
		snprintf(name, sizeof(name), "%u threads a page give the same threads",
			 capacities[i]);
		if (!i)
			wanted = rows;
		else if (t_check(rows.count == wanted.count &&
					 !memcmp(rows.rows, wanted.rows,
						 rows.count * sizeof(*rows.rows)),
				 name, "%zu rows, not %zu, or others", rows.count, wanted.count))
			free(rows.rows);
	}
	t_check(wanted.count == CROWD + 1, "each thread has a row", "%zu have", wanted.count);
	free(wanted.rows);

	all_count = t_parallelism(fd, all_bins, ARRAY_SIZE(all_bins));
	for (bin_count = 0; bin_count < all_count; bin_count++) {
		struct gapp_page page = { .buffer = (uintptr_t)&bins[bin_count],
					  .cursor = bin_count,
					  .capacity = 1 };

		if (t_ioctl(fd, GAPP_IOC_PARALLELISM, &page) || page.count != 1)
			break;
	}
	t_check(bin_count == all_count && !memcmp(bins, all_bins, all_count * sizeof(*bins)),
		"PARALLELISM one by one gives the same", "%zu of %zu", bin_count, all_count);
	close(fd);
	t_kill(&target);
}
