// SPDX-License-Identifier: GPL-2.0
/* What the calls refuse: values out of range, the wrong order, addresses that are none. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "groups.h"
#include "t.h"

#define MAX_SESSIONS 64
#define KERNEL_ADDRESS ((void *)0xffff888000000000UL)
#define NOT_CANONICAL ((void *)0x0000900000000000UL)

struct config_case {
	const char *name;
	int wanted;
	struct gapp_config config;
};

#define CONFIG(name, wanted, ...)                                                       \
	{                                                                               \
		name, wanted,                                                           \
		{                                                                       \
			.abi_major = GAPP_ABI_MAJOR, .max_exited = GAPP_EXITED_DEFAULT, \
			__VA_ARGS__                                                     \
		}                                                                       \
	}

static const struct config_case config_cases[] = {
	CONFIG("abi_major 0", -EPROTONOSUPPORT, .abi_major = 0),
	CONFIG("abi_major + 1", -EPROTONOSUPPORT, .abi_major = GAPP_ABI_MAJOR + 1),
	CONFIG("abi_major ~0", -EPROTONOSUPPORT, .abi_major = ~0U),
	CONFIG("another abi_major and nonsense", -EPROTONOSUPPORT, .abi_major = 9, .flags = ~0U,
	       .n_min_mode = ~0U),
	CONFIG("n_min_mode 3", -EINVAL, .n_min_mode = 3),
	CONFIG("n_min_mode ~0", -EINVAL, .n_min_mode = ~0U),
	CONFIG("n_min with auto", -EINVAL, .n_min = 1),
	CONFIG("n_min with half", -EINVAL, .n_min_mode = GAPP_N_MIN_HALF, .n_min = 1),
	CONFIG("fixed n_min 0", -EINVAL, .n_min_mode = GAPP_N_MIN_FIXED),
	CONFIG("fixed n_min too large", -EINVAL, .n_min_mode = GAPP_N_MIN_FIXED,
	       .n_min = GAPP_MAX_THREADS + 1),
	CONFIG("fixed n_min ~0", -EINVAL, .n_min_mode = GAPP_N_MIN_FIXED, .n_min = ~0U),
	CONFIG("max_threads too large", -EINVAL, .max_threads = GAPP_MAX_THREADS + 1),
	CONFIG("max_threads ~0", -EINVAL, .max_threads = ~0U),
	CONFIG("max_exited too large", -EINVAL, .max_exited = GAPP_MAX_EXITED + 1),
	CONFIG("max_exited just below the default's mark", -EINVAL,
	       .max_exited = GAPP_EXITED_DEFAULT - 1),
	CONFIG("flags 1 << 11", -EINVAL, .flags = 1U << 11),
	CONFIG("flags 1 << 31", -EINVAL, .flags = 1U << 31),
	CONFIG("reserved[0]", -EINVAL, .reserved = { 1 }),
	CONFIG("reserved[2]", -EINVAL, .reserved = { 0, 0, 128 }),
};

static const struct config_case config_extremes[] = {
	CONFIG("fixed n_min 1", T_OK, .n_min_mode = GAPP_N_MIN_FIXED, .n_min = 1),
	CONFIG("fixed n_min as large as may be", T_OK, .n_min_mode = GAPP_N_MIN_FIXED,
	       .n_min = GAPP_MAX_THREADS),
	CONFIG("half", T_OK, .n_min_mode = GAPP_N_MIN_HALF),
	CONFIG("max_threads 1", T_OK, .max_threads = 1),
	CONFIG("max_threads as large as may be", T_OK, .max_threads = GAPP_MAX_THREADS),
	CONFIG("max_exited 0", T_OK, .max_exited = 0),
	CONFIG("max_exited as large as may be", T_OK, .max_exited = GAPP_MAX_EXITED),
	CONFIG("all bounds as large as may be", T_OK, .max_threads = GAPP_MAX_THREADS,
	       .max_exited = GAPP_MAX_EXITED),
};

static const struct {
	const char *name;
	unsigned long request;
} pages[] = {
	{ "THREADS", GAPP_IOC_THREADS },	   { "PROCESSES", GAPP_IOC_PROCESSES },
	{ "PARALLELISM", GAPP_IOC_PARALLELISM },   { "GROUPS", GAPP_IOC_TARGETS },
	{ "THREAD_WAITS", GAPP_IOC_THREAD_WAITS }, { "HANDOVERS", GAPP_IOC_HANDOVERS },
};

static const struct {
	const char *name;
	struct gapp_page page;
} page_cases[] = {
	{ "capacity 0", { .capacity = 0 } },
	{ "capacity too large", { .capacity = GAPP_PAGE_MAX + 1 } },
	{ "capacity ~0", { .capacity = ~0U } },
	{ "count 1", { .capacity = 1, .count = 1 } },
	{ "reserved[0]", { .capacity = 1, .reserved = { 1 } } },
	{ "reserved[1]", { .capacity = 1, .reserved = { 0, 1ULL << 63 } } },
};

static char page_buffer[sizeof(struct gapp_thread_figures) * 8];

static int config_call(int fd, const struct config_case *config)
{
	struct gapp_config copy = config->config;

	return t_ioctl(fd, GAPP_IOC_CONFIGURE, &copy);
}

static void page_fields(int fd, const char *when)
{
	for (size_t i = 0; i < ARRAY_SIZE(pages); i++) {
		for (size_t j = 0; j < ARRAY_SIZE(page_cases); j++) {
			struct gapp_page page = page_cases[j].page;

			page.buffer = (uintptr_t)page_buffer;
			t_expect(t_ioctl(fd, pages[i].request, &page), -EINVAL, "%s %s, %s",
				 pages[i].name, page_cases[j].name, when);
		}
	}
}

static void page_past_end(int fd, const char *when, u64 cursor)
{
	for (size_t i = 0; i < ARRAY_SIZE(pages); i++) {
		struct gapp_page page = { .buffer = (uintptr_t)page_buffer,
					  .cursor = cursor,
					  .capacity = 8 };
		char name[80];
		int ret = t_ioctl(fd, pages[i].request, &page);

		snprintf(name, sizeof(name), "%s %s gives nothing", pages[i].name, when);
		t_check(!ret && !page.count, name, "error %d, count %u", -ret, page.count);
	}
}

void args_fields(void)
{
	struct t_child target = t_fork(t_idle, NULL);
	struct gapp_status status;
	int fd = t_open();

	t_hear(&target);
	for (size_t i = 0; i < ARRAY_SIZE(config_cases); i++)
		t_expect(config_call(fd, &config_cases[i]), config_cases[i].wanted, "CONFIGURE %s",
			 config_cases[i].name);
	t_status(fd, &status);
	t_check(status.state == GAPP_SESSION_NEW, "a refused CONFIGURE changes nothing",
		"state is %u", status.state);
	page_fields(fd, "not configured");
	close(fd);

	for (size_t i = 0; i < ARRAY_SIZE(config_extremes); i++) {
		fd = t_open();
		t_expect(config_call(fd, &config_extremes[i]), T_OK, "CONFIGURE %s",
			 config_extremes[i].name);
		t_expect(t_add(fd, target.pid, 0), T_OK, "ADD_TARGET with %s",
			 config_extremes[i].name);
		t_expect(t_start(fd), T_OK, "START with %s", config_extremes[i].name);
		close(fd);
	}

	fd = t_ready();
	t_add(fd, target.pid, 0);
	t_expect(t_ioctl(fd, GAPP_IOC_START, (void *)1), -EINVAL, "START with an argument");
	t_expect(t_start(fd), T_OK, "START without one");
	page_fields(fd, "running");
	page_past_end(fd, "past the end", 1ULL << 40);
	page_past_end(fd, "at the last cursor", ~0ULL);
	t_expect(t_ioctl(fd, GAPP_IOC_STOP, (void *)1), -EINVAL, "STOP with an argument");
	t_expect(t_stop(fd), T_OK, "STOP without one");
	close(fd);
	t_kill(&target);
}

void args_order(void)
{
	struct t_child target = t_fork(t_idle, NULL);
	struct t_child other = t_fork(t_idle, NULL);
	int fd = t_open();

	t_hear(&target);
	t_hear(&other);
	t_expect(t_add(fd, target.pid, 0), -ENOTCONN, "ADD_TARGET before CONFIGURE");
	t_expect(t_start(fd), -ENOTCONN, "START before CONFIGURE");
	t_expect(t_stop(fd), -ENOTCONN, "STOP before CONFIGURE");
	page_past_end(fd, "before CONFIGURE", 0);
	t_expect(t_configure(fd, 0, 0), T_OK, "CONFIGURE");
	t_expect(t_configure(fd, 0, 0), -EBUSY, "CONFIGURE twice");
	t_expect(t_start(fd), -ENODATA, "START without a target");
	t_expect(t_stop(fd), -ENOTCONN, "STOP before START");
	t_expect(t_add(fd, target.pid, 0), T_OK, "ADD_TARGET");
	page_past_end(fd, "before START", 0);
	t_expect(t_start(fd), T_OK, "START");
	t_expect(t_start(fd), -EBUSY, "START twice");
	t_expect(t_configure(fd, 0, 0), -EBUSY, "CONFIGURE while running");
	t_expect(t_add(fd, other.pid, 0), T_OK, "ADD_TARGET while running");
	t_expect(t_stop(fd), T_OK, "STOP");
	t_expect(t_stop(fd), -ENOTCONN, "STOP twice");
	t_expect(t_start(fd), -EBUSY, "START after STOP");
	t_expect(t_configure(fd, 0, 0), -EBUSY, "CONFIGURE after STOP");
	t_expect(t_add(fd, target.pid, 0), -EBUSY, "ADD_TARGET after STOP");
	close(fd);

	fd = t_ready();
	t_expect(t_add(fd, target.pid, 0), T_OK, "ADD_TARGET of a process that will exit");
	t_kill(&target);
	t_expect(t_start(fd), -ESRCH, "START when every target is gone");
	t_expect(t_add(fd, other.pid, 0), -EBUSY, "ADD_TARGET after a START that failed");
	t_expect(t_start(fd), -EBUSY, "START after a START that failed");
	t_expect(t_stop(fd), -ENOTCONN, "STOP after a START that failed");
	t_sums(fd, "sums after a START that failed");
	close(fd);
	t_kill(&other);
}

/* Two pages of which the second is not there. */
static char *edge(void)
{
	size_t size = sysconf(_SC_PAGESIZE);
	char *two =
		mmap(NULL, 2 * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (two == MAP_FAILED || munmap(two + size, size))
		t_die("mmap");
	return two + size;
}

static void bad_addresses(int fd, const char *name, unsigned long request, size_t size, char *edge)
{
	const struct {
		const char *name;
		void *address;
	} cases[] = {
		{ "NULL", NULL },
		{ "1", (void *)1 },
		{ "in the kernel", KERNEL_ADDRESS },
		{ "not canonical", NOT_CANONICAL },
		{ "at the end of all", (void *)~0UL },
		{ "not mapped", edge },
		{ "half mapped", edge - size / 2 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		t_expect(t_ioctl(fd, request, cases[i].address), -EFAULT, "%s, address %s", name,
			 cases[i].name);
}

static void bad_buffers(int fd, char *edge)
{
	void *const buffers[] = { NULL,		KERNEL_ADDRESS, NOT_CANONICAL,
				  (void *)~0UL, edge,		edge - sizeof(u64) / 2 };

	for (size_t i = 0; i < ARRAY_SIZE(pages); i++) {
		for (size_t j = 0; j < ARRAY_SIZE(buffers); j++) {
			struct gapp_page page = { .buffer = (uintptr_t)buffers[j], .capacity = 8 };
			struct gapp_page before = page;
			int ret = t_ioctl(fd, pages[i].request, &page);
			char name[80];

			if (pages[i].request == GAPP_IOC_PROCESSES ||
			    pages[i].request == GAPP_IOC_HANDOVERS)
				continue; /* no row here, so nothing is written */
			snprintf(name, sizeof(name),
				 "%s, buffer at %p: EFAULT, and the page as it was", pages[i].name,
				 buffers[j]);
			t_check(ret == -EFAULT && !memcmp(&page, &before, sizeof(page)), name,
				"error %d, count %u", -ret, page.count);
		}
	}
}

void args_pointers(void)
{
	struct t_child target = t_fork(t_idle, NULL);
	struct gapp_config config = t_config(GAPP_LEVEL_CRITICAL);
	char *address = edge(), *read_only;
	int fd;

	config.flags = GAPP_CONFIG_WAITS;
	fd = t_session(&config);
	t_hear(&target);
	t_add(fd, target.pid, 0);
	t_expect(t_start(fd), T_OK, "START");
	bad_addresses(fd, "GET_ABI", GAPP_IOC_GET_ABI, sizeof(struct gapp_abi), address);
	bad_addresses(fd, "CONFIGURE", GAPP_IOC_CONFIGURE, sizeof(struct gapp_config), address);
	bad_addresses(fd, "ADD_TARGET", GAPP_IOC_ADD_PROCESS, sizeof(struct gapp_add_process),
		      address);
	bad_addresses(fd, "ADD_EXE", GAPP_IOC_ADD_EXECUTABLE, sizeof(struct gapp_add_executable),
		      address);
	bad_addresses(fd, "ADD_SELECTION", GAPP_IOC_ADD_SELECTION,
		      sizeof(struct gapp_add_selection), address);
	bad_addresses(fd, "STATUS", GAPP_IOC_STATUS, sizeof(struct gapp_status), address);
	bad_addresses(fd, "COUNTERS", GAPP_IOC_COUNTERS, sizeof(struct gapp_counters), address);
	bad_addresses(fd, "LAYOUT", GAPP_IOC_LAYOUT, sizeof(struct gapp_layout), address);
	bad_addresses(fd, "LOAD_TABLE", GAPP_IOC_LOAD_TABLE, sizeof(struct gapp_table_load),
		      address);
	bad_addresses(fd, "DROP_TABLE", GAPP_IOC_DROP_TABLE, sizeof(struct gapp_table_drop),
		      address);
	bad_addresses(fd, "SET_MAPS", GAPP_IOC_SET_MAPPINGS, sizeof(struct gapp_mappings), address);
	bad_addresses(fd, "WATCH", GAPP_IOC_WATCH, sizeof(struct gapp_watch), address);
	bad_addresses(fd, "EXACT", GAPP_IOC_EXACT, sizeof(struct gapp_exact), address);
	bad_addresses(fd, "STORE_POINT", GAPP_IOC_STORE_POINT, sizeof(struct gapp_store_point),
		      address);
	for (size_t i = 0; i < ARRAY_SIZE(pages); i++)
		bad_addresses(fd, pages[i].name, pages[i].request, sizeof(struct gapp_page),
			      address);
	bad_buffers(fd, address);

	read_only = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	t_expect(t_ioctl(fd, GAPP_IOC_GET_ABI, read_only), -EFAULT, "GET_ABI, read-only memory");
	t_expect(t_ioctl(fd, GAPP_IOC_STATUS, read_only), -EFAULT, "STATUS, read-only memory");
	t_expect(t_ioctl(fd, GAPP_IOC_COUNTERS, read_only), -EFAULT, "COUNTERS, read-only memory");
	t_expect(t_ioctl(fd, GAPP_IOC_LAYOUT, read_only), -EFAULT, "LAYOUT, read-only memory");
	t_expect(t_stop(fd), T_OK, "STOP");
	close(fd);
	t_kill(&target);
}

/* Each open file is a session; their number has a bound. */
void args_sessions(void)
{
	int fds[1000], count;

	for (count = 0; count < (int)ARRAY_SIZE(fds); count++) {
		fds[count] = open(GAPP_NODE, O_RDWR | O_CLOEXEC);
		if (fds[count] < 0)
			break;
	}
	t_check(count == MAX_SESSIONS && errno == EUSERS, "one session too many is EUSERS",
		"%d sessions, then errno %d", count, errno);
	if (count) {
		close(fds[--count]);
		fds[count++] = t_open();
		t_check(true, "one less, and there is room again", " ");
	}
	while (count--)
		close(fds[count]);
}

void args_unknown(void)
{
	char buffer[512] = { 0 };
	int fd = t_ready();

	t_expect(t_ioctl(fd, _IO(GAPP_IOC_MAGIC, 0x16), NULL), -ENOTTY, "the next free number");
	t_expect(t_ioctl(fd, GAPP_IOC_MARK, buffer), -ENOTTY, "the call of the other node");
	t_expect(t_ioctl(fd, _IO(GAPP_IOC_MAGIC, 0xff), NULL), -ENOTTY, "number 0xff");
	t_expect(t_ioctl(fd, 0, buffer), -ENOTTY, "request 0");
	t_expect(t_ioctl(fd, ~0U, buffer), -ENOTTY, "request ~0");
	t_expect(t_ioctl(fd, _IOR('T', 0x00, struct gapp_abi), buffer), -ENOTTY, "another magic");
	t_expect(t_ioctl(fd, _IOR(GAPP_IOC_MAGIC, 0x00, char), buffer), -ENOTTY, "another size");
	t_expect(t_ioctl(fd, _IOW(GAPP_IOC_MAGIC, 0x00, struct gapp_abi), buffer), -ENOTTY,
		 "another direction");
	t_check(read(fd, buffer, 1) == -1 && errno == EINVAL, "read is refused", "errno %d", errno);
	t_check(write(fd, buffer, 1) == -1 && errno == EINVAL, "write is refused", "errno %d",
		errno);
	t_check(lseek(fd, 0, SEEK_SET) == -1 && errno == ESPIPE, "lseek is refused", "errno %d",
		errno);
	close(fd);
}
