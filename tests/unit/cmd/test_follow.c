// SPDX-License-Identifier: GPL-2.0
/* What ends the waiting, what does not, and what happens without memory. */
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "made_up.h"

#include "cmd/follow.h"

/* Times that memory can still be had; times that something was ready. */
static size_t memory = SIZE_MAX;
static unsigned int ready;

/* In place of libc's. */
void *reallocarray(void *old, size_t count, size_t size)
{
	return memory && memory-- ? realloc(old, count * size) : NULL;
}

/* In place of libc's, which it calls. */
int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask)
{
	static typeof(ppoll) *next;
	int found;

	if (!next)
		next = dlsym(RTLD_NEXT, "ppoll");
	found = next(fds, count, timeout, mask);
	ready += found > 0;
	return found;
}

static enum follow_end follow_output(int fd, u64 wait_ns)
{
	struct follow follow = { .endless = true };
	enum follow_end end;

	assert_int_equal(follow_init(&follow, -1), 0);
	follow_watch(&follow, WATCH_OUTPUT, fd);
	ready = 0;
	end = follow_until(&follow, clock_ns() + wait_ns);
	follow_free(&follow);
	return end;
}

/* As on a terminal in which somebody types: the reader must not wake for each of them again. */
static void what_can_be_read_from_the_output_wakes_nobody(void **state)
{
	int ends[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
	assert_int_equal(write(ends[1], "typed", 5), 5);
	assert_int_equal(follow_output(ends[0], MS(20)), FOLLOW_TIME);
	assert_int_equal(ready, 0);
	close(ends[0]);
	close(ends[1]);
}

static void an_output_without_a_reader_ends_the_waiting(void **state)
{
	int ends[2];

	(void)state;
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	close(ends[0]);
	assert_int_equal(follow_output(ends[1], SECONDS(60)), FOLLOW_ENOUGH);
	close(ends[1]);
}

static void no_memory(void **state)
{
	(void)state;
	for (size_t some = 0; some <= WATCH_PROCESSES; some++) {
		struct follow follow = { 0 };
		int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

		memory = some;
		if (some < WATCH_PROCESSES) {
			assert_int_equal(follow_init(&follow, fd), -1);
		} else {
			assert_int_equal(follow_init(&follow, fd), 0);
			assert_int_equal(follow_add(&follow, getpid()), -1);
			assert_int_equal(follow.open, 0);
		}
		memory = SIZE_MAX;
		follow_free(&follow);
		assert_int_equal(fcntl(fd, F_GETFD), -1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_can_be_read_from_the_output_wakes_nobody),
		cmocka_unit_test(an_output_without_a_reader_ends_the_waiting),
		cmocka_unit_test(no_memory),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("follow", tests, NULL, NULL);
}
