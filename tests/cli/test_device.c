// SPDX-License-Identifier: GPL-2.0
/* What of the session's ioctls no whole run of the reader passes yet. */
#include "made_up.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device.h"

static struct {
	unsigned long request;
	int error;
	bool interrupted;
	ino_t inode;
	u32 flags;
} call;

/* In place of libc's. */
int ioctl(int fd, unsigned long request, ...)
{
	struct gapp_exe *exe;
	struct stat status;
	va_list args;

	assert_int_equal(fd, 77);
	va_start(args, request);
	call.request = request;
	if (request == GAPP_IOC_ADD_EXE) {
		exe = va_arg(args, struct gapp_exe *);
		assert_int_equal(fstat(exe->fd, &status), 0);
		assert_int_equal(fcntl(exe->fd, F_GETFL) & O_ACCMODE, O_RDONLY);
		assert_true(fcntl(exe->fd, F_GETFD) & FD_CLOEXEC);
		assert_true(!exe->reserved[0] && !exe->reserved[1]);
		call.inode = status.st_ino;
		call.flags = exe->flags;
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
	assert_int_equal(device_add_exe(&dev, "/bin/sh", GAPP_TARGET_NO_INHERIT), 0);
	assert_true(call.request == GAPP_IOC_ADD_EXE);
	assert_true(call.inode == status.st_ino);
	assert_int_equal(call.flags, GAPP_TARGET_NO_INHERIT);
	call.error = EEXIST;
	assert_int_equal(device_add_exe(&dev, "/bin/sh", 0), 0);
	call.error = EPERM;
	assert_int_equal(device_add_exe(&dev, "/bin/sh", 0), DEVICE_FAILED);
}

static void refuses_what_is_no_program(void **state)
{
	static const char *const paths[] = { "/nowhere/x", "/", "/dev/null", "/bin/sh/x", "" };

	(void)state;
	memset(&call, 0, sizeof(call));
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
		assert_int_equal(device_add_exe(&dev, paths[i], 0), DEVICE_FAILED);
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
	assert_int_equal(device_groups(&dev, &page), 0);
	assert_true(call.request == GAPP_IOC_GROUPS);
	call.error = ENOTTY;
	assert_int_equal(device_counters(&dev, &counters), DEVICE_FAILED);
	assert_int_equal(device_layout(&dev, &layout), DEVICE_FAILED);
	assert_int_equal(device_groups(&dev, &page), DEVICE_FAILED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(adds_programs),
		cmocka_unit_test(refuses_what_is_no_program),
		cmocka_unit_test(asks_for_figures_and_layout),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("device", tests, NULL, NULL);
}
