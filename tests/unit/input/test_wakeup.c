// SPDX-License-Identifier: GPL-2.0
/* What wakes the reader beside records. */
#include "made_up.h"

#include <poll.h>
#include <unistd.h>

#include "input/wakeup.h"

static void news_at_its_time(void **state)
{
	struct wakeup alone;
	struct pollfd fd = { .events = POLLIN };
	u64 begin = clock_ns();

	(void)state;
	assert_int_equal(wakeup_open(&alone), 0);
	fd.fd = alone.fd;
	assert_int_equal(poll(&fd, 1, 0), 0);
	wakeup_at(&alone, begin + MS(20));
	assert_int_equal(poll(&fd, 1, 10000), 1);
	assert_true(clock_ns() - begin >= MS(20));
	wakeup_clear(&alone);
	assert_int_equal(poll(&fd, 1, 0), 0);
	/* past already; never */
	wakeup_at(&alone, 1);
	assert_int_equal(poll(&fd, 1, 10000), 1);
	wakeup_at(&alone, 0);
	assert_int_equal(poll(&fd, 1, 20), 0);
	wakeup_close(&alone);
}

static void news_of_what_is_broken(void **state)
{
	struct wakeup alone;
	struct pollfd fd = { .events = POLLIN };
	int ends[2];

	(void)state;
	assert_int_equal(wakeup_open(&alone), 0);
	fd.fd = alone.fd;
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(wakeup_add(&alone, ends[0]), 0);
	close(ends[1]);
	assert_int_equal(poll(&fd, 1, 0), 1);
	wakeup_clear(&alone);
	assert_int_equal(poll(&fd, 1, 0), 0);
	close(ends[0]);
	wakeup_close(&alone);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(news_at_its_time),
		cmocka_unit_test(news_of_what_is_broken),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("news", tests, NULL, NULL);
}
