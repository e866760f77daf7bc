// SPDX-License-Identifier: GPL-2.0
/* Records as text, and the names of waits. */
#include "fake_code.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "profile/profile_private.h"
#include "report/script.h"

static char *text;

static int end(void **state)
{
	(void)state;
	free(text);
	text = NULL;
	fake_code_reset();
	return 0;
}

static struct script script = { .start_ns = MS(500) };

static void begin_text(size_t *size)
{
	free(text);
	script.out = open_memstream(&text, size);
	assert_non_null(script.out);
}

/* What @call, which prints to @script, prints. */
#define PRINT(call)                                      \
	do {                                             \
		size_t size;                             \
		begin_text(&size);                       \
		call;                                    \
		assert_int_equal(fclose(script.out), 0); \
	} while (0)

static void print_slice(const struct gapp_record_slice *slice)
{
	PRINT(assert_int_equal(script_slice(&script, slice), 0));
}

static void print_wait(const struct gapp_record_wait *wait)
{
	PRINT(assert_int_equal(script_wait(&script, wait), 0));
}

static void print_copy(const struct gapp_record_stack_copy *copy)
{
	PRINT(assert_int_equal(script_stack_copy(&script, copy), 0));
}

/* The text is these parts and nothing else. */
static void is_text(const char *const *parts, size_t count)
{
	const char *rest = text;

	for (size_t i = 0; i < count; i++) {
		if (strncmp(rest, parts[i], strlen(parts[i])))
			fail_msg("\"%s\" is not \"%s\"", rest, parts[i]);
		rest += strlen(parts[i]);
	}
	assert_string_equal(rest, "");
}

static void a_slice_with_samples(void **state)
{
	static const char *const expected[] = {
		"0.500000000 [000] worker 11/10 slice image=0 target=0 begin=0.499000000",
		" share=3000000.000244140625 own=3000000.000244140625",
		" cmetric=3000000.000244140625 thread_ns=2000000 slices=1 n=2",
		" flags=leader,waker then=wait wait=lock syscall=202(0x7f00,0,0)",
		" waker=12/10 waker_cpu=3 waiting=lock:2,disk:65535 samples=2 path=whole by=frame_pointer\n",
		"\tschedule (program)\n",
		"\twait (program)\n",
		"\t[program+0x3e8]\n",
		"\tmain (program)\n",
		"\tsample share=1000000 in=read waiting=- path=cut by=frame_pointer end=no_frame\n",
		"\t\thash (program)\n",
		"\tsample share=0 in=user waiting=- path=lost\n",
	};
	struct made made = made_slice(11, 10, path_of("wait:1 ?:7 main:2"), SHARE(MS(3)) + 1);

	(void)state;
	made.slice.waiting[GAPP_WAIT_LOCK] = 2;
	made.slice.waiting[GAPP_WAIT_DISK] = 65535;
	made.slice.kernel_path = path_of("schedule:1");
	made.slice.flags = GAPP_SLICE_LEADER | GAPP_SLICE_WAKER;
	made.slice.waker_tid = 12;
	made.slice.waker_tgid = 10;
	made.slice.waker_cpu = 3;
	made.slice.syscall = 202;
	made.slice.args[0] = 0x7f00;
	made_sample(&made, cut_path_of("hash:1"), SHARE(MS(1)));
	made_sample(&made, GAPP_PATH_LOST, 0);
	made_in(&made, (const s32[]){ SYS_read, GAPP_IN_USER });
	print_slice(&made.slice);
	is_text(expected, ARRAY_SIZE(expected));
}

static void a_slice_with_a_file(void **state)
{
	struct gapp_wait_file file = {
		.inode = 77,
		.device = 8,
		.kind = 12,
		.family = AF_INET,
		.protocol = IPPROTO_TCP,
		.peer_port = 80,
		.peer = { 10, 0, 2, 2 },
	};
	struct made made = made_slice(11, 10, GAPP_PATH_LOST, SHARE(MS(3)));

	(void)state;
	made.slice.flags = GAPP_SLICE_FILE;
	made.slice.syscall = SYS_recvfrom;
	made.slice.head.size += sizeof(file);
	memcpy(&made.slice + 1, &file, sizeof(file));
	print_slice(&made.slice);
	assert_non_null(strstr(text, "(0,0,0) file=0:8/77 peer=10.0.2.2/80 waiting=-"));
	made.slice.flags = 0;
	print_slice(&made.slice);
	assert_null(strstr(text, "file="));
}

static void locks_of_the_kernel_are_told(void **state)
{
	struct gapp_wait_lock lock = { .address = 0xffff888000001000, .kind = GAPP_LOCK_WRITE };
	struct made made = made_slice(11, 10, GAPP_PATH_LOST, SHARE(MS(3)));

	(void)state;
	made.slice.flags = GAPP_SLICE_KERNEL_LOCK;
	made.slice.syscall = SYS_unlink;
	made.slice.head.size += sizeof(lock);
	memcpy(&made.slice + 1, &lock, sizeof(lock));
	print_slice(&made.slice);
	assert_non_null(strstr(text, "(0,0,0) kernel-lock=write@0xffff888000001000 waiting=-"));
	lock.kind = 77;
	lock.address = 0;
	memcpy(&made.slice + 1, &lock, sizeof(lock));
	print_slice(&made.slice);
	assert_non_null(strstr(text, " kernel-lock=other@0 waiting=-"));
}

static void a_spin_says_for_which_word(void **state)
{
	struct made made = made_slice(11, 10, GAPP_PATH_LOST, SHARE(MS(3)));

	(void)state;
	made.slice.syscall = -1;
	made.slice.wait = GAPP_WAIT_SPIN;
	made.slice.args[0] = 0x7f00;
	print_slice(&made.slice);
	assert_non_null(strstr(text, "then=wait wait=spin location=0x7f00 waiting="));
	made.slice.args[0] = 0;
	print_slice(&made.slice);
	assert_null(strstr(text, "location="));
}

static void names_are_never_raw(void **state)
{
	struct made made = made_slice(11, 10, path_of("f\033[31m:1"), SHARE(MS(3)));

	(void)state;
	memcpy(made.slice.comm, "a\033]0;b\a\n\r0123456789", GAPP_COMM_LEN);
	print_slice(&made.slice);
	assert_non_null(strstr(text, "a\\x1b]0;b\\x07\\x0a\\x0d0123456 11/10 slice"));
	assert_non_null(strstr(text, "\tf\\x1b[31m (program)\n"));
	assert_null(strchr(text, '\033'));
}

static void other_records(void **state)
{
	static const char *const expected[] = {
		"0.500000000 [000] sleeper 11/10 wait image=0 target=0",
		" begin=0.500000000 wait_ns=7000000 stretches=1 flags=- wait=disk",
		" waiting=- path=whole by=frame_pointer\n",
		"\tcommit (program)\n",
		"\tmain (program)\n",
	};
	struct gapp_record_wait wait =
		made_wait(11, 10, path_of("commit:1 main:2"), MS(7), GAPP_WAIT_DISK);
	struct gapp_record_lost lost = { .head = { GAPP_RECORD_LOST, sizeof(lost), 2, 0 },
					 .records = 3,
					 .critical_share = SHARE(5),
					 .wait_ns = 6,
					 .since_ns = SECONDS(1) };
	struct gapp_record_wake wake = { .head = { GAPP_RECORD_WAKE, sizeof(wake), 2, SECONDS(1) },
					 .tid = 11,
					 .tgid = 10,
					 .n = 4,
					 .flags = GAPP_SLICE_WOKEN_BY_IRQ };

	(void)state;
	wait.begin_ns = SECONDS(1);
	print_wait(&wait);
	is_text(expected, ARRAY_SIZE(expected));
	lost.head.time_ns = 0;
	PRINT(script_lost(&script, &lost));
	/* before the start of the session */
	assert_non_null(strstr(text, "-0.500000000 [002] - 0/0 lost records=3 share=5 wait_ns=6"));
	assert_non_null(strstr(text, " since=0.500000000\n"));
	PRINT(script_wake(&script, &wake));
	assert_string_equal(text, "0.500000000 [002] - 11/10 wake target=0 n=4 flags=irq\n");
}

static void copies_of_stacks(void **state)
{
	struct gapp_record_stack_copy tail = {
		.head = { GAPP_RECORD_STACK_COPY, sizeof(tail), 2, SECONDS(1) },
		.tid = 11,
		.tgid = 10,
		.image = 3,
		.copy = path_by(PATH_BY_COPY, "wait:1 main:2", PATH_END_COPY),
		.path = GAPP_PATH_NONE,
		.stack_at = 0x7f10,
	};
	struct gapp_record_need_mapping needmap = {
		.head = { GAPP_RECORD_NEED_MAPPING, sizeof(needmap), 1, SECONDS(2) },
		.tgid = 10,
		.image = 3,
		.address = 0x5510,
	};
	struct made made = made_slice(11, 10, GAPP_PATH_COPY | tail.copy, SHARE(MS(3)));

	(void)state;
	print_copy(&tail);
	assert_string_equal(
		text,
		"0.500000000 [002] - 11/10 stack_copy image=3 copy=0 at=0x7f10 bytes=0 path=cut by=copy end=copy_ended\n"
		"\twait (program)\n\tmain (program)\n");
	/* the slice has the path that the copy came to */
	print_slice(&made.slice);
	assert_non_null(strstr(text, " path=cut by=copy end=copy_ended\n\twait (program)\n"));
	tail.flags = GAPP_STACK_COPY_VERIFY;
	tail.path = path_by(PATH_BY_TABLE, "wait:1 main:2", GAPP_UNWIND_COMPLETE);
	print_copy(&tail);
	assert_non_null(strstr(text, " bytes=0 verify=beyond_copy path=whole by=table\n\twait"));
	PRINT(script_need_mapping(&script, &needmap));
	assert_string_equal(text, "1.500000000 [001] - 0/10 need_mapping image=3 address=0x5510\n");
}

/* A mark with its text, as records have it. */
struct made_mark {
	struct gapp_record_mark mark;
	char text[GAPP_MARK_TEXT + 1];
};

static void marks(void **state)
{
	struct made_mark made = {
		.mark = { .head = { GAPP_RECORD_MARK, sizeof(made), 1, SECONDS(2) },
			  .tid = 11,
			  .tgid = 10,
			  .image = 3,
			  .target = 2,
			  .comm = "solver",
			  .thread_ns = 12345,
			  .n = 4,
			  .flags = GAPP_MARK_INTEGRALS,
			  .kind = GAPP_MARK_BEGIN,
			  .bytes = 9 },
		.text = "two words",
	};

	(void)state;
	PRINT(script_mark(&script, &made.mark));
	assert_string_equal(
		text,
		"1.500000000 [001] solver 11/10 mark image=3 target=2 thread_ns=12345 n=4 kind=begin text=two words\n");
	made.mark.flags = 0;
	made.mark.kind = GAPP_MARK_END;
	made.mark.bytes = 0;
	made.mark.left_out = 7;
	PRINT(script_mark(&script, &made.mark));
	assert_non_null(strstr(text, " mark image=3 target=2 left_out=7 kind=end text=\n"));
	/* made up: a kind that is none, a text that is too long, and what a terminal would obey */
	made.mark.kind = 999;
	made.mark.bytes = UINT16_MAX;
	memset(made.text, 'x', sizeof(made.text));
	made.text[0] = '\n';
	made.text[1] = '\033';
	PRINT(script_mark(&script, &made.mark));
	assert_non_null(strstr(text, " kind=unknown text=\\x0a\\x1bxxx"));
	assert_int_equal(strlen(strstr(text, "text=")), strlen("text=\\x0a\\x1b\n") + 61);
}

static void broken_records(void **state)
{
	struct made made = made_slice(11, 10, GAPP_PATH_NONE, 0);
	struct gapp_record_wait wait = made_wait(11, 10, 4000, 5, 0);

	(void)state;
	made.slice.then = 99;
	made.slice.wait = 255;
	print_slice(&made.slice);
	assert_non_null(strstr(text, "then=unknown"));
	assert_non_null(strstr(text, "path=none\n"));
	wait.wait = UINT32_MAX;
	print_wait(&wait);
	assert_non_null(strstr(text, "wait=other"));
	assert_non_null(strstr(text, "path=unknown\n"));
}

static void every_wait_has_a_name(void **state)
{
	(void)state;
	assert_string_equal(wait_name(GAPP_WAIT_OTHER), "other");
	assert_string_equal(wait_name(GAPP_WAIT_FUTEX), "futex");
	assert_string_equal(wait_name(GAPP_WAIT_REASONS), "other");
	assert_string_equal(wait_name(-1), "other");
	assert_string_equal(then_name(GAPP_WAIT_PIPE), "pipe");
	assert_string_equal(then_name(THEN_PREEMPTED), "preempted");
	assert_string_equal(then_name(THEN_ON), "on");
	for (u32 then = 0; then < THEN_COUNT + 9; then++)
		assert_non_null(then_name(then));
	for (u32 end = 0; end < PATH_ENDS + 9; end++)
		assert_non_null(end_name(end));
	for (u32 method = 0; method < PATH_METHODS + 9; method++)
		assert_non_null(method_name(method));
}

#define SCRIPT_TEST(function) cmocka_unit_test_teardown(function, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCRIPT_TEST(a_slice_with_samples),
		SCRIPT_TEST(a_slice_with_a_file),
		SCRIPT_TEST(locks_of_the_kernel_are_told),
		SCRIPT_TEST(a_spin_says_for_which_word),
		SCRIPT_TEST(names_are_never_raw),
		SCRIPT_TEST(other_records),
		SCRIPT_TEST(copies_of_stacks),
		SCRIPT_TEST(marks),
		SCRIPT_TEST(broken_records),
		SCRIPT_TEST(every_wait_has_a_name),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("script", tests, NULL, NULL);
}
