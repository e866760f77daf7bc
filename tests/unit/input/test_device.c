// SPDX-License-Identifier: GPL-2.0
/* What of the session's ioctls no whole run of the reader passes yet. */
#include "made_up.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "input/device.h"

static struct {
	unsigned long request;
	int error;
	bool interrupted;
	ino_t inode;
	u32 flags;
	struct gapp_config config;
	struct gapp_table_load load;
	struct gapp_table_drop drop;
	struct gapp_mappings maps;
	struct gapp_add_selection selection;
	struct gapp_watch watch;
} call;

/* What the module would look at, and say. */
static void look_at_tables(unsigned long request, void *argument)
{
	switch (request) {
	case GAPP_IOC_CONFIGURE:
		call.config = *(struct gapp_config *)argument;
		break;
	case GAPP_IOC_ADD_SELECTION:
		call.selection = *(struct gapp_add_selection *)argument;
		break;
	case GAPP_IOC_WATCH:
		call.watch = *(struct gapp_watch *)argument;
		break;
	case GAPP_IOC_LOAD_TABLE:
		call.load = *(struct gapp_table_load *)argument;
		((struct gapp_table_load *)argument)->table = 5;
		break;
	case GAPP_IOC_DROP_TABLE:
		call.drop = *(struct gapp_table_drop *)argument;
		break;
	case GAPP_IOC_SET_MAPPINGS:
		call.maps = *(struct gapp_mappings *)argument;
		((struct gapp_mappings *)argument)->image = 9;
		break;
	}
}

/* In place of libc's. */
int ioctl(int fd, unsigned long request, ...)
{
	struct gapp_add_executable *exe;
	struct stat status;
	va_list args;

	assert_int_equal(fd, 77);
	va_start(args, request);
	call.request = request;
	if (request == GAPP_IOC_ADD_EXECUTABLE) {
		exe = va_arg(args, struct gapp_add_executable *);
		assert_int_equal(fstat(exe->fd, &status), 0);
		assert_int_equal(fcntl(exe->fd, F_GETFL) & O_ACCMODE, O_RDONLY);
		assert_true(fcntl(exe->fd, F_GETFD) & FD_CLOEXEC);
		assert_true(!exe->reserved[0] && !exe->reserved[1]);
		call.inode = status.st_ino;
		call.flags = exe->flags;
	} else {
		look_at_tables(request, va_arg(args, void *));
	}
	va_end(args);
	if (call.interrupted) {
		call.interrupted = false;
		errno = EINTR;
		return -1;
	}
	errno = call.error;
	return call.error ? -1 : 0;
}

static struct device dev = { .fd = 77 };

static void adds_programs(void **state)
{
	struct stat status;

	(void)state;
	memset(&call, 0, sizeof(call));
	call.interrupted = true;
	assert_int_equal(stat("/bin/sh", &status), 0);
	assert_int_equal(device_add_executable(&dev, "/bin/sh", GAPP_ADD_NO_INHERIT), 0);
	assert_true(call.request == GAPP_IOC_ADD_EXECUTABLE);
	assert_true(call.inode == status.st_ino);
	assert_int_equal(call.flags, GAPP_ADD_NO_INHERIT);
	call.error = EEXIST;
	assert_int_equal(device_add_executable(&dev, "/bin/sh", 0), 0);
	call.error = EPERM;
	assert_int_equal(device_add_executable(&dev, "/bin/sh", 0), DEVICE_FAILED);
}

static void adds_selections(void **state)
{
	(void)state;
	memset(&call, 0, sizeof(call));
	assert_int_equal(device_add_selection(&dev, "cc1*", -1, GAPP_ADD_NO_INHERIT), 0);
	assert_true(call.request == GAPP_IOC_ADD_SELECTION);
	assert_string_equal((const char *)call.selection.comm, "cc1*");
	assert_int_equal(call.selection.cgroup_fd, -1);
	assert_int_equal(call.selection.flags, GAPP_ADD_NO_INHERIT);
	assert_int_equal(device_add_selection(&dev, NULL, 5, 0), 0);
	assert_string_equal((const char *)call.selection.comm, "");
	assert_int_equal(call.selection.cgroup_fd, 5);
	call.error = EBADF;
	assert_int_equal(device_add_selection(&dev, "a", 5, 0), DEVICE_FAILED);
	/* with its NUL one byte too long */
	memset(&call, 0, sizeof(call));
	assert_int_equal(device_add_selection(&dev, "01234567890123456789012345678901", -1, 0),
			 DEVICE_FAILED);
	assert_int_equal(call.request, 0);
}

static void refuses_what_is_no_program(void **state)
{
	static const char *const paths[] = { "/nowhere/x", "/", "/dev/null", "/bin/sh/x", "" };

	(void)state;
	memset(&call, 0, sizeof(call));
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
		assert_int_equal(device_add_executable(&dev, paths[i], 0), DEVICE_FAILED);
	assert_int_equal(call.request, 0);
}

static void asks_for_figures_and_layout(void **state)
{
	struct gapp_counters counters;
	struct gapp_layout layout;
	struct gapp_page page = { 0 };

	(void)state;
	memset(&call, 0, sizeof(call));
	assert_int_equal(device_counters(&dev, &counters), 0);
	assert_true(call.request == GAPP_IOC_COUNTERS);
	assert_int_equal(device_layout(&dev, &layout), 0);
	assert_true(call.request == GAPP_IOC_LAYOUT);
	assert_int_equal(device_page(&dev, GAPP_IOC_TARGETS, &page), 0);
	assert_true(call.request == GAPP_IOC_TARGETS);
	call.error = ENOTTY;
	assert_int_equal(device_counters(&dev, &counters), DEVICE_FAILED);
	assert_int_equal(device_layout(&dev, &layout), DEVICE_FAILED);
	assert_int_equal(device_page(&dev, GAPP_IOC_TARGETS, &page), DEVICE_FAILED);
}

static void hands_over_tables_and_mappings(void **state)
{
	static const u8 table[64];
	static const struct gapp_mapping maps[2];
	u32 number = 0, image = 0;

	(void)state;
	memset(&call, 0, sizeof(call));
	assert_int_equal(device_load_table(&dev, table, sizeof(table), &number), 0);
	assert_int_equal(number, 5);
	assert_true(call.load.data == (uintptr_t)table && call.load.bytes == 64);
	assert_true(!call.load.table && !call.load.flags && !call.load.reserved);
	assert_int_equal(device_drop_table(&dev, 5), 0);
	assert_true(call.drop.table == 5 && !call.drop.reserved);
	assert_int_equal(device_image(&dev, 33, &image), 0);
	assert_int_equal(image, 9);
	assert_true(call.maps.pid == 33 && !call.maps.image && !call.maps.maps);
	assert_true(!call.maps.count && !call.maps.flags && !call.maps.reserved);
	assert_int_equal(device_set_mappings(&dev, 33, 9, maps, 2), 0);
	assert_true(call.maps.image == 9 && call.maps.maps == (uintptr_t)maps);
	assert_true(call.maps.count == 2 && !call.maps.flags && !call.maps.reserved);

	call.error = ENOSPC;
	assert_int_equal(device_load_table(&dev, table, sizeof(table), &number), -1);
	assert_int_equal(errno, ENOSPC);
	call.error = ESTALE;
	assert_int_equal(device_set_mappings(&dev, 33, 9, maps, 2), -1);
	assert_int_equal(errno, ESTALE);
	call.error = ESRCH;
	assert_int_equal(device_image(&dev, 33, &image), -1);
	assert_int_equal(errno, ESRCH);
}

static void configure(u8 unwind_by)
{
	struct gapp_config config = { .unwind_by = unwind_by, .stack_copy_bytes = 2048 };

	memset(&call, 0, sizeof(call));
	assert_int_equal(device_configure(&dev, &config), 0);
	assert_int_equal(dev.unwind_by, call.config.unwind_by);
}

static void knows_how_paths_are_taken(void **state)
{
	(void)state;
	configure(GAPP_UNWIND_BY_TABLE);
	assert_true(device_unwinds_by_tables(&dev));
	configure(GAPP_UNWIND_BY_COPY);
	assert_false(device_unwinds_by_tables(&dev));
}

static void knows_whether_loops_are_asked_for(void **state)
{
	struct gapp_config config = { .flags = GAPP_CONFIG_SPINS };

	(void)state;
	memset(&call, 0, sizeof(call));
	assert_int_equal(device_configure(&dev, &config), 0);
	assert_true(dev.spins);
	config.flags = ~GAPP_CONFIG_SPINS;
	assert_int_equal(device_configure(&dev, &config), 0);
	assert_false(dev.spins);
	/* what the module's ABI begins to have with a version */
	dev.abi.minor = 14;
	assert_true(device_knows_kernel_locks(&dev) && !device_knows_spins(&dev));
	dev.abi.minor = 15;
	assert_true(device_knows_spins(&dev));
}

/* It needs a module that can, loops whose words are known, and records of ends that say who. */
static void knows_whether_words_can_be_watched(void **state)
{
	const u32 needed = GAPP_CONFIG_SPINS | GAPP_CONFIG_WAKERS;
	struct gapp_config config = { .flags = needed };

	(void)state;
	memset(&call, 0, sizeof(call));
	dev.abi.minor = 13;
	assert_int_equal(device_configure(&dev, &config), 0);
	assert_true(device_watches(&dev));
	dev.abi.minor = 12;
	assert_false(device_watches(&dev));
	dev.abi.minor = 14;
	assert_true(device_watches(&dev));
	config.flags = ~(u32)GAPP_CONFIG_SPINS;
	assert_int_equal(device_configure(&dev, &config), 0);
	assert_false(device_watches(&dev));
	config.flags = ~(u32)GAPP_CONFIG_WAKERS;
	assert_int_equal(device_configure(&dev, &config), 0);
	assert_false(device_watches(&dev));
}

/* Without a complaint: who asks says what it means. */
static void watches_a_word(void **state)
{
	static const struct gapp_watch watch = { .address = 0x1238,
						 .number = -5,
						 .pid = 33,
						 .time_ns = 7000,
						 .stores = 8,
						 .goes_on = GAPP_SPIN_WHILE_LESS,
						 .bytes = 4 };

	(void)state;
	memset(&call, 0, sizeof(call));
	call.interrupted = true;
	assert_int_equal(device_watch(&dev, &watch), 0);
	assert_true(call.request == GAPP_IOC_WATCH);
	assert_memory_equal(&call.watch, &watch, sizeof(watch));
	call.error = EBUSY;
	assert_int_equal(device_watch(&dev, &watch), -1);
	assert_int_equal(errno, EBUSY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(adds_programs),
		cmocka_unit_test(adds_selections),
		cmocka_unit_test(refuses_what_is_no_program),
		cmocka_unit_test(asks_for_figures_and_layout),
		cmocka_unit_test(hands_over_tables_and_mappings),
		cmocka_unit_test(knows_how_paths_are_taken),
		cmocka_unit_test(knows_whether_loops_are_asked_for),
		cmocka_unit_test(knows_whether_words_can_be_watched),
		cmocka_unit_test(watches_a_word),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("device", tests, NULL, NULL);
}
