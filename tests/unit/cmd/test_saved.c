// SPDX-License-Identifier: GPL-2.0
/* Recordings' files that no gapp-read has written, or not to their end. */
#include "made_recording.h"

#define SECOND_NS 1000000000ULL
/* In place of a path's id: it found no room in a table. */
#define LOST_PATH 0xfffffffeU

/* What is always written: an object, a path of one function, and critical time on it. */
static struct recording usual(void)
{
	struct recording recording = recording_begin(SECOND_NS);

	recording_block(&recording, BLOCK_OBJECTS, 0);
	put_object(&recording, "/bin/a", 1);
	recording_block(&recording, BLOCK_SUMS, 0);
	put_sums(&recording, SHARE(SECOND_NS));
	recording_block(&recording, BLOCK_CELLS, 0);
	put_cell(&recording, 0, SHARE(SECOND_NS), SHARE(SECOND_NS));
	recording_block(&recording, BLOCK_PATHS, 0);
	put_path(&recording, 0, 0, 0x1139);
	return recording;
}

/* Ends the file. Whether a report of any kind says that it is damaged in one place. */
static bool is_damaged(struct recording *recording)
{
	bool damaged = true;

	recording_end(recording);
	for (enum by by = BY_PLACE; by <= BY_PROCESS; by++) {
		char *text = reported(recording, by);

		assert_non_null(text);
		free(text);
		damaged &= !!strstr(complaints, "is damaged in 1 place:");
		assert_int_equal(damaged, !!*complaints);
	}
	recording_free(recording);
	return damaged;
}

static void the_usual_is_whole(void **state)
{
	struct recording recording = usual();

	(void)state;
	assert_false(is_damaged(&recording));
}

/* A block of SETS with one set. */
static bool set_is_damaged(u64 end, u64 then, u64 stacks, u64 stack)
{
	struct recording recording = usual();

	recording_block(&recording, BLOCK_SETS, 0);
	put(&recording, 0, end, then, 0, 5, stacks);
	for (u64 i = 0; i < stacks; i++)
		put(&recording, stack, SHARE(SECOND_NS));
	end_item(&recording);
	return is_damaged(&recording);
}

static void sets_end_on_a_path_or_on_none(void **state)
{
	(void)state;
	assert_false(set_is_damaged(0, 1, 1, 0));
	assert_false(set_is_damaged(NO_PATH, 1, 1, 0));
	assert_true(set_is_damaged(LOST_PATH, 1, 1, 0));
	/* samples hit paths */
	assert_true(set_is_damaged(0, 1, 1, LOST_PATH));
	assert_true(set_is_damaged(0, 1, 1, NO_PATH));
	assert_true(set_is_damaged(0, 1, 0, 0));
}

/* A block of TALLIES with one tally; set 0, cell 0 and entry 0 are there. */
static bool tally_is_damaged(u64 owner, u64 what)
{
	struct recording recording = usual();

	recording_block(&recording, BLOCK_ENTRIES, 0);
	put(&recording, 2, 2, 0, 0, 0, 0, 0, 0, 0, 0);
	pack_double(blocks_item(&recording.writer), 0);
	put(&recording, 0);
	end_item(&recording);
	recording_block(&recording, BLOCK_SETS, 0);
	put(&recording, 0, 0, 1, 0, 5, 1, 0, 0);
	end_item(&recording);
	recording_block(&recording, BLOCK_TALLIES, 0);
	put(&recording, owner, what, 1);
	end_item(&recording);
	return is_damaged(&recording);
}

#define OF_CELL 0
#define OF_ENTRY 0x80000000U
#define OF_SET 0x40000000U
#define SHARES 0
#define LENGTHS 0x40000000U
#define THENS 0x80000000U
#define INS 0xc0000000U

static void tallies_count_what_their_owner_has(void **state)
{
	static const u64 right[][2] = { { OF_CELL, SHARES },	    { OF_CELL, LENGTHS | 400 },
					{ OF_CELL, THENS },	    { OF_CELL, INS | 7 },
					{ OF_ENTRY, LENGTHS | 9 },  { OF_ENTRY, THENS | 1 },
					{ OF_ENTRY, INS | 0xffff }, { OF_SET, LENGTHS | 8 } };
	static const u64 wrong[][2] = {
		{ OF_ENTRY, SHARES },	    { OF_SET, SHARES },
		{ OF_SET, THENS },	    { OF_SET, INS },
		{ OF_CELL, THENS | 1000 },  { OF_CELL, LENGTHS | 600 },
		{ OF_CELL, INS | 0x10000 }, { OF_ENTRY | OF_SET, LENGTHS }
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(right); i++)
		assert_false(tally_is_damaged(right[i][0], right[i][1]));
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		assert_true(tally_is_damaged(wrong[i][0], wrong[i][1]));
}

/* Two files with a function each, at the same offset of the file. */
static struct recording of_two_objects(bool named)
{
	struct recording recording = recording_begin(SECOND_NS);
	const u64 share = SHARE(SECOND_NS) / 2;

	recording_block(&recording, BLOCK_SUMS, 0);
	put_sums(&recording, 2 * share);
	recording_block(&recording, BLOCK_CELLS, 0);
	put_cell(&recording, 0, share, share);
	put_cell(&recording, 1, share, share);
	recording_block(&recording, BLOCK_PATHS, 0);
	put_path(&recording, 0, 0, 0x1139);
	put_path(&recording, 1, 1, 0x1139);
	if (!named)
		return recording;
	recording_block(&recording, BLOCK_FRAMES, 0);
	put_frame(&recording, "alpha", 1);
	put_frame(&recording, "beta", 2);
	recording_block(&recording, BLOCK_ANSWERS, 0);
	put_answer(&recording, 0, 0x1139, 1);
	put_answer(&recording, 1, 0x1139, 2);
	return recording;
}

static u32 times(const char *text, const char *part)
{
	u32 count = 0;

	for (text = strstr(text, part); text; text = strstr(text + 1, part))
		count++;
	return count;
}

/* Whose files are not known stays apart: the disk was full before they were written. */
static void files_that_are_missing_are_not_one(void **state)
{
	struct recording named = of_two_objects(true), nameless = of_two_objects(false);
	char *text;

	(void)state;
	recording_cut(&named);
	text = reported(&named, BY_FUNCTION);
	assert_non_null(text);
	assert_non_null(strstr(complaints, "was cut"));
	assert_true(times(text, "alpha") && times(text, "beta"));
	assert_int_equal(times(text, "50.0  no others"), 2);
	free(text);
	recording_free(&named);

	recording_cut(&nameless);
	text = reported(&nameless, BY_FUNCTION);
	assert_non_null(text);
	assert_int_equal(times(text, "50.0  no others"), 2);
	free(text);
	recording_free(&nameless);
}

/* Ends the file. Whether it is refused, or said to be damaged; it must not take all memory. */
static bool is_too_much(struct recording *recording)
{
	char *text;

	recording_end(recording);
	text = reported(recording, BY_FUNCTION);
	free(text);
	recording_free(recording);
	assert_true(!!text == !strstr(complaints, "out of memory"));
	return !!*complaints;
}

/* Objects of paths so long that a block has two of them. */
static bool long_names_are_too_many(u64 count)
{
	struct recording recording = usual();
	static char name[65000];

	memset(name, 'a', sizeof(name) - 1);
	recording_block(&recording, BLOCK_OBJECTS, 1);
	for (u64 i = 0; i < count; i++)
		put_object(&recording, name, i);
	return is_too_much(&recording);
}

static bool a_frame_is_too_far(u64 number)
{
	struct recording recording = usual();

	recording_block(&recording, BLOCK_FRAMES, number);
	put_frame(&recording, "f", 1);
	return is_too_much(&recording);
}

/* Answers, for addresses that differ, or frames: some bytes each as they are stored. */
static bool are_too_many(enum block_type type, u64 count)
{
	struct recording recording = usual();

	recording_block(&recording, type, 0);
	for (u64 i = 0; i < count; i++)
		if (type == BLOCK_ANSWERS)
			put_answer(&recording, 0, i, 0);
		else
			put_frame(&recording, NULL, 0);
	return is_too_much(&recording);
}

/* What nobody keeps counts as well: it takes time. */
static bool facts_are_too_many(u64 count)
{
	struct recording recording = usual();
	static char word[900000];

	memset(word, 'a', sizeof(word) - 1);
	for (u64 i = 0; i < count; i++) {
		recording_block(&recording, BLOCK_FACTS, 0);
		pack_raw(blocks_item(&recording.writer), word, sizeof(word));
		end_item(&recording);
	}
	return is_too_much(&recording);
}

static void small_files_do_not_take_all_memory(void **state)
{
	(void)state;
	assert_false(long_names_are_too_many(100));
	assert_true(long_names_are_too_many(5000));
	assert_false(a_frame_is_too_far(100000));
	assert_true(a_frame_is_too_far(0x7fffff));
	assert_false(are_too_many(BLOCK_ANSWERS, 200000));
	assert_true(are_too_many(BLOCK_ANSWERS, 2000000));
	assert_false(are_too_many(BLOCK_FRAMES, 500000));
	assert_true(are_too_many(BLOCK_FRAMES, 4000000));
	assert_false(facts_are_too_many(100));
	assert_true(facts_are_too_many(400));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_usual_is_whole),
		cmocka_unit_test(sets_end_on_a_path_or_on_none),
		cmocka_unit_test(tallies_count_what_their_owner_has),
		cmocka_unit_test(files_that_are_missing_are_not_one),
		cmocka_unit_test(small_files_do_not_take_all_memory),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
