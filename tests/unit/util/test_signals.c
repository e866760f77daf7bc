// SPDX-License-Identifier: GPL-2.0
/* Signals that end a look-up, and then the wait for a command. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "util/signals.h"

static void a_signal_cancels_and_ends_the_wait(void **state)
{
	struct signals signals;
	const volatile bool *cancelled;
	int fd = signals_take(&signals);

	(void)state;
	assert_true(fd >= 0);
	signals_cancel(&cancelled);
	assert_false(*cancelled);
	raise(SIGTERM);
	assert_true(*cancelled);
	/* the handler is there for one signal, unless it is asked for again */
	signals_cancel(&cancelled);
	signals_hold();
	assert_int_equal(signals_read(fd), 0);

	signals_cancel(&cancelled);
	assert_true(*cancelled);
	raise(SIGINT);
	signals_hold();
	assert_int_equal(signals_read(fd), SIGINT);
	signals_cancel(&cancelled);
	raise(SIGTERM);
	signals_cancel_again(&cancelled);
	signals_hold();
	assert_int_equal(signals_read(fd), SIGTERM);
	/* once */
	signals_hold();
	assert_int_equal(signals_read(fd), 0);
	close(fd);
	signals_give_back(&signals);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_signal_cancels_and_ends_the_wait),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
