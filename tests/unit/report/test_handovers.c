// SPDX-License-Identifier: GPL-2.0
/* Handovers that the module gave, as rows with names: user/report/handovers.c, entry_places.c. */
#include "fake_code.h"

#include <string.h>

#include "report/handovers.h"

#define PROCESS 70
#define IMAGE 5

/* What the process has mapped at an address; NULL: nothing. Changed by an exec. */
static const char *mapped[8];
static struct object nothing = { .kind = OBJECT_UNKNOWN, .name = "unknown" };
static u32 looks;

static struct code_address address_of(const char *frame)
{
	return call_paths_get(NULL, path_of(frame), 0, 0, 0)->addresses[0];
}

static struct code_address look(void *context, s32 pid, u32 image, u64 address)
{
	looks++;
	assert_int_equal(pid, PROCESS);
	if (address < ARRAY_SIZE(mapped) && mapped[address])
		return address_of(mapped[address]);
	return (struct code_address){ &nothing, address };
}

static struct gapp_handover handover(s32 from, s32 to, u64 from_ip, u64 to_ip, u64 count)
{
	return (struct gapp_handover){
		.from_tid = from,
		.from_tgid = PROCESS,
		.to_tid = to,
		.to_tgid = PROCESS,
		.from_image = IMAGE,
		.to_image = IMAGE,
		.from_ip = from_ip,
		.to_ip = to_ip,
		.count = count,
		.last_ns = 100 * count,
	};
}

static struct entry_codes codes;
static struct thread_paths thread_paths;

static struct handovers *make(const struct gapp_handover *rows, size_t count)
{
	struct gapp_thread_figures threads[] = {
		{ .tid = 1, .tgid = PROCESS, .comm = "old", .joined_ns = 1 },
		{ .tid = 1, .tgid = PROCESS, .comm = "asker", .joined_ns = 9 },
		{ .tid = 2, .tgid = PROCESS, .comm = "answerer" },
		{ .tid = 3, .tgid = PROCESS + 1, .comm = "another" },
	};
	struct model model = { .threads = threads, .thread_count = ARRAY_SIZE(threads) };
	struct ranking ranking = ranking_by(profile, BY_PATH);
	struct path_names *names = path_names_new(profile, NULL, NULL);
	struct entry_places *places = entry_places_new(names, &thread_paths);
	const struct handover_names of = { .codes = &codes, .places = places, .model = &model };
	struct handovers *handovers;

	ranking_free(&ranking);
	assert_non_null(places);
	assert_int_equal(entry_codes_look(&codes, look, NULL, rows, count), 0);
	handovers = handovers_make(rows, count, &of);
	assert_non_null(handovers);
	entry_places_free(places);
	path_names_free(names);
	return handovers;
}

static void end(struct handovers *handovers)
{
	handovers_free(handovers);
	entry_codes_free(&codes);
	memset(&codes, 0, sizeof(codes));
	memset(mapped, 0, sizeof(mapped));
	thread_paths_free(&thread_paths);
	memset(&thread_paths, 0, sizeof(thread_paths));
}

/* A thread, whose slices end on a path, so many. */
static void ends_on(s32 tid, const char *path, u32 slices)
{
	const struct made made = made_slice(tid, PROCESS, path_of(path), SHARE(US(10)));
	struct thread_path_key key = { .tid = tid, .tgid = PROCESS };

	fold(profile, &made);
	assert_int_equal(profile_path_id(profile, made.slice.path, GAPP_PATH_NONE, &made.slice,
					 &key.path),
			 0);
	assert_int_equal(thread_paths_add(&thread_paths, &key, slices), 0);
}

/* Rows of CPUs, and of addresses in one line, are one; what is lost is in the sum alone. */
static void rows_are_added_up(void **state)
{
	struct gapp_handover rows[] = {
		handover(1, 2, 1, 2, 5),
		handover(1, 2, 1, 2, 7),
		handover(2, 1, 2, 1, 40),
		handover(1, 2, 1, 3, 1),
		{ .count = 9, .flags = GAPP_HANDOVER_LOST },
	};
	struct handovers *handovers;

	rows[1].cpu = 1;
	mapped[1] = "ask:3";
	mapped[2] = "answer:4";
	mapped[3] = "answer:5";
	handovers = make(rows, ARRAY_SIZE(rows));
	assert_int_equal(handovers->count, 62);
	assert_int_equal(handovers->lost, 9);
	assert_int_equal(handovers->row_count, 3);
	assert_int_equal(handovers->rows[0].count, 40);
	assert_int_equal(handovers->rows[1].count, 12);
	assert_int_equal(handovers->rows[1].last_ns, 700);
	assert_int_equal(handovers->rows[2].count, 1);
	assert_string_equal((char *)handovers->rows[1].from.comm, "asker");
	assert_string_equal((char *)handovers->rows[1].to.comm, "answerer");
	assert_string_equal(handovers->rows[1].from.entry.function, "ask");
	assert_string_equal(handovers->rows[1].from.entry.file, "code.c");
	assert_string_equal(handovers->rows[1].to.entry.function, "answer");
	assert_int_not_equal(handovers->rows[1].to.entry.line, handovers->rows[2].to.entry.line);
	end(handovers);
}

/* Own code behind an address of a library is that of nearly all paths of the thread from there. */
static void own_code_is_that_of_nearly_all_paths(void **state)
{
	const struct gapp_handover rows[] = { handover(1, 2, 1, 2, 3), handover(1, 2, 3, 4, 2),
					      handover(2, 1, 1, 1, 1) };
	struct handovers *handovers;

	mapped[1] = "lib_poll:1";
	mapped[2] = "lib_read:1";
	mapped[3] = "ask:3";
	mapped[4] = "lib_write:1";
	ends_on(1, "lib_poll:1 lib_wait:2 receive:7 main:1", 50);
	ends_on(1, "lib_poll:1 other:2 main:1", 9);
	ends_on(1, "lib_poll:1 receive:7 main:1", 41);
	ends_on(2, "lib_poll:1 send:7 main:1", 1000);
	ends_on(2, "lib_read:1 take:7 main:1", 50);
	ends_on(2, "lib_read:1 give:7 main:1", 50);
	ends_on(1, "ask:3 main:1", 10);
	handovers = make(rows, ARRAY_SIZE(rows));
	assert_int_equal(handovers->row_count, 3);
	assert_string_equal(handovers->rows[2].from.own.function, "send");
	assert_string_equal(handovers->rows[2].to.own.function, "receive");
	assert_string_equal(handovers->rows[0].from.entry.function, "lib_poll");
	assert_string_equal(handovers->rows[0].from.own.function, "receive");
	assert_string_equal(handovers->rows[0].from.own.file, "code.c");
	assert_string_equal(handovers->rows[0].to.entry.function, "lib_read");
	/* two that are equal, own code itself, and no path */
	assert_null(handovers->rows[0].to.own.module);
	assert_null(handovers->rows[1].from.own.module);
	assert_null(handovers->rows[1].to.own.module);
	assert_string_equal(handovers->rows[1].to.entry.function, "lib_write");
	end(handovers);
}

/* An address is looked up while the process has that address space, and only once. */
static void addresses_are_those_of_their_time(void **state)
{
	struct gapp_handover rows[] = { handover(1, 2, 1, 2, 5), handover(1, 2, 1, 2, 3),
					handover(1, 2, 3, 2, 1) };
	struct handovers *handovers;
	u32 before;

	mapped[1] = "ask:3";
	mapped[2] = "answer:4";
	assert_int_equal(entry_codes_look(&codes, look, NULL, rows, 1), 0);
	before = looks;
	assert_int_equal(entry_codes_look(&codes, look, NULL, rows, 1), 0);
	assert_int_equal(looks, before);
	/* the process executes another program: the third row is of the former one, seen too late
	 */
	mapped[1] = "later:1";
	mapped[3] = "later:2";
	rows[1].from_image = IMAGE + 1;
	rows[1].to_image = IMAGE + 1;
	handovers = make(rows, ARRAY_SIZE(rows));
	assert_int_equal(handovers->row_count, 3);
	assert_string_equal(handovers->rows[0].from.entry.function, "ask");
	assert_string_equal(handovers->rows[1].from.entry.function, "later");
	assert_null(handovers->rows[2].from.entry.module);
	assert_string_equal(handovers->rows[2].to.entry.function, "answer");
	end(handovers);
}

/* What is not mapped yet is looked up again; without an address nothing is. */
static void what_is_unknown_is_looked_up_again(void **state)
{
	const struct gapp_handover rows[] = { handover(1, 3, 1, 0, 5) };
	struct handovers *handovers;

	assert_int_equal(entry_codes_look(&codes, look, NULL, rows, 1), 0);
	mapped[1] = "ask:3";
	handovers = make(rows, 1);
	assert_string_equal(handovers->rows[0].from.entry.function, "ask");
	assert_null(handovers->rows[0].to.entry.module);
	/* that id is of another process's thread */
	assert_int_equal(*handovers->rows[0].to.comm, '\0');
	end(handovers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(rows_are_added_up),
		TEST(own_code_is_that_of_nearly_all_paths),
		TEST(addresses_are_those_of_their_time),
		TEST(what_is_unknown_is_looked_up_again),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
