// SPDX-License-Identifier: GPL-2.0
/* What wakes the reader beside records. */
#include "made_up.h"

#include <poll.h>
#include <unistd.h>

#include "input/wakeup.h"

static void news_at_its_time(void **state)
{
	struct news alone;
	struct pollfd fd = { .events = POLLIN };
	u64 begin = clock_ns();

	(void)state;
	assert_int_equal(news_open(&alone), 0);
	fd.fd = alone.fd;
	assert_int_equal(poll(&fd, 1, 0), 0);
	news_at(&alone, begin + MS(20));
	assert_int_equal(poll(&fd, 1, 10000), 1);
	assert_true(clock_ns() - begin >= MS(20));
	news_heard(&alone);
	assert_int_equal(poll(&fd, 1, 0), 0);
	/* past already; never */
	news_at(&alone, 1);
	assert_int_equal(poll(&fd, 1, 10000), 1);
	news_at(&alone, 0);
	assert_int_equal(poll(&fd, 1, 20), 0);
	news_close(&alone);
}

static void news_of_what_is_broken(void **state)
{
	struct news alone;
	struct pollfd fd = { .events = POLLIN };
	int ends[2];

	(void)state;
	assert_int_equal(news_open(&alone), 0);
	fd.fd = alone.fd;
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(news_add(&alone, ends[0]), 0);
	close(ends[1]);
	assert_int_equal(poll(&fd, 1, 0), 1);
	news_heard(&alone);
	assert_int_equal(poll(&fd, 1, 0), 0);
	close(ends[0]);
	news_close(&alone);
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
