// SPDX-License-Identifier: GPL-2.0
/* Lines that programs write to tell of marks: each kind, and whatever else may be written. */
#include "rig.h"

#include "mark_text.h"
#include "random.h"

#define RUNS 200000

static bool parse(const char *line, struct gapp_mark_text *mark)
{
	return gapp_mark_parse(line, strlen(line), mark);
}

static void is(const char *line, u32 kind, const char *text)
{
	struct gapp_mark_text mark;

	assert_true(parse(line, &mark));
	assert_int_equal(mark.kind, kind);
	assert_int_equal(mark.bytes, strlen(text));
	assert_string_equal(mark.text, text);
}

static void is_none(const char *line)
{
	struct gapp_mark_text mark;

	assert_false(parse(line, &mark));
}

#define TEXT_63 "123456789.123456789.123456789.123456789.123456789.123456789.123"

static void test_lines(void **state)
{
	(void)state;
	is("mark x", GAPP_MARK_POINT, "x");
	is("mark two words", GAPP_MARK_POINT, "two words");
	is("mark  x ", GAPP_MARK_POINT, " x ");
	is("mark \xc3\xa4", GAPP_MARK_POINT, "\xc3\xa4");
	is("begin end", GAPP_MARK_BEGIN, "end");
	is("end", GAPP_MARK_END, "");
	is("end x", GAPP_MARK_END, "x");
	is("begin " TEXT_63, GAPP_MARK_BEGIN, TEXT_63);
	is("end " TEXT_63, GAPP_MARK_END, TEXT_63);
}

static void test_others(void **state)
{
	(void)state;
	is_none("");
	is_none(" ");
	is_none("mark");
	is_none("mark ");
	is_none("begin");
	is_none("begin ");
	is_none("end ");
	is_none("en");
	is_none("ends");
	is_none("Mark x");
	is_none(" mark x");
	is_none("mark\tx");
	is_none("mark a\nb");
	is_none("mark a\x7f");
	is_none("mark \x1f");
	is_none("mark " TEXT_63 "4");
}

/* The bytes alone count: what is behind them is not looked at. */
static void test_length(void **state)
{
	struct gapp_mark_text mark;

	(void)state;
	assert_true(gapp_mark_parse("endless", 3, &mark));
	assert_int_equal(mark.kind, GAPP_MARK_END);
	assert_true(gapp_mark_parse("mark abc", 6, &mark));
	assert_string_equal(mark.text, "a");
	assert_false(gapp_mark_parse("mark a\0b", 8, &mark));
}

static void test_valid(void **state)
{
	struct gapp_mark_text mark = { .kind = GAPP_MARK_POINT, .bytes = 1, .text = "x" };

	(void)state;
	assert_true(gapp_mark_is_valid(&mark));
	mark.bytes = 0;
	assert_false(gapp_mark_is_valid(&mark));
	mark.kind = GAPP_MARK_END;
	assert_true(gapp_mark_is_valid(&mark));
	mark.kind = GAPP_MARK_BEGIN;
	assert_false(gapp_mark_is_valid(&mark));
	mark.bytes = GAPP_MARK_TEXT + 1;
	memset(mark.text, 'x', sizeof(mark.text));
	assert_false(gapp_mark_is_valid(&mark));
	mark.bytes = ~0U;
	assert_false(gapp_mark_is_valid(&mark));
	mark.bytes = GAPP_MARK_TEXT;
	assert_true(gapp_mark_is_valid(&mark));
	mark.kind = GAPP_MARK_KINDS;
	assert_false(gapp_mark_is_valid(&mark));
}

/* What is taken for a mark is one, and its line is what was written. */
static void test_random(void **state)
{
	static const char *const begins[] = { "mark ", "begin ", "end ", "end", "", "mark" };
	u64 seed = 1;
	u32 taken = 0;

	(void)state;
	for (u32 i = 0; i < RUNS; i++) {
		char line[GAPP_MARK_LINE + 8], *copy, again[2 * GAPP_MARK_LINE];
		static const char *const words[] = { "mark", "begin", "end" };
		struct gapp_mark_text mark;
		u32 bytes = snprintf(line, sizeof(line), "%s", begins[random_below(&seed, 6)]);
		const u32 whole = random_below(&seed, sizeof(line) + 1);

		while (bytes < whole)
			line[bytes++] = random_below(&seed, 50) ? 'a' + random_below(&seed, 26) :
								  random_below(&seed, 256);
		/* of its own size, so that a byte too far is seen */
		copy = malloc(bytes ?: 1);
		memcpy(copy, line, bytes);
		if (gapp_mark_parse(copy, bytes, &mark)) {
			taken++;
			assert_true(gapp_mark_is_valid(&mark));
			snprintf(again, sizeof(again), mark.bytes ? "%s %s" : "%s",
				 words[mark.kind], mark.text);
			assert_int_equal(strlen(again), bytes);
			assert_memory_equal(again, line, bytes);
		}
		free(copy);
	}
	assert_true(taken > RUNS / 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),  cmocka_unit_test(test_others),
		cmocka_unit_test(test_length), cmocka_unit_test(test_valid),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
