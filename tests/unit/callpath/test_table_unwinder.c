// SPDX-License-Identifier: GPL-2.0
/* Stack copies unwound by tables have the frames and ends that libdwfl finds. */
#include "call_paths_rig.h"

#include "copied.h"
#include "made_tables.h"
#include "callpath/table_unwinder.h"
#include "core/mix.h"

struct both {
	struct unwinding by_tables, by_libdwfl;
	enum unwind_end tables_end, libdwfl_end;
	u64 table_frames[GAPP_MAX_STACK], libdwfl_frames[GAPP_MAX_STACK];
};

static struct copied *thread;
static struct table_unwinder by_tables;
static struct unwinder *libdwfl;
static struct made_tables made;
static const struct mappings *mappings;

static void begin(void **state, const char *name, const char *how)
{
	struct rig *rig = *state;

	thread = copied_start(name, how, NULL);
	maps_read(rig->maps, thread->pid);
	mappings = maps_list(rig->maps, thread->pid);
	made_tables_begin(&made, rig->objects, mappings);
	by_tables = (struct table_unwinder){ .tables = &made.tables };
	libdwfl = unwinder_new(rig->objects);
	assert_non_null(libdwfl);
}

static void end(void)
{
	unwinder_free(libdwfl);
	table_unwinder_free(&by_tables);
	made_tables_end(&made);
	copied_end(thread);
}

static struct both unwind(u32 stack_bytes, u16 room)
{
	struct both both = {
		.by_tables = {
			.mappings = mappings,
			.registers = thread->record.registers,
			.valid = thread->record.valid,
			/* so that no byte behind the end is read */
			.stack = memcpy(malloc(stack_bytes + 1), thread->stack, stack_bytes),
			.stack_at = thread->record.stack_at,
			.stack_bytes = stack_bytes,
			.room = room,
		},
	};

	both.by_libdwfl = both.by_tables;
	both.by_tables.frames = both.table_frames;
	both.by_libdwfl.frames = both.libdwfl_frames;
	both.tables_end = table_unwinder_unwind(&by_tables, &both.by_tables);
	both.libdwfl_end = unwinder_unwind(libdwfl, &both.by_libdwfl);
	free((void *)both.by_tables.stack);
	return both;
}

static void is_same(const struct both *both, u32 bytes)
{
	if (both->tables_end != both->libdwfl_end ||
	    both->by_tables.count != both->by_libdwfl.count ||
	    memcmp(both->table_frames, both->libdwfl_frames, both->by_tables.count * sizeof(u64)) !=
		    0)
		fail_msg("%u bytes: %u frames and end %d by tables, %u and %d by libdwfl", bytes,
			 both->by_tables.count, both->tables_end, both->by_libdwfl.count,
			 both->libdwfl_end);
}

static void each_cut(void **state, const char *name, const char *how, u32 step, u16 least)
{
	u32 whole = 0, left_over = 0;
	struct both both;

	begin(state, name, how);
	both = unwind(thread->record.stack_bytes, GAPP_MAX_STACK);
	is_same(&both, thread->record.stack_bytes);
	assert_int_equal(both.tables_end, UNWIND_OUTERMOST);
	assert_true(both.by_tables.count >= least);
	for (u32 bytes = 0; bytes < thread->record.stack_bytes && whole < 64; bytes += step) {
		both = unwind(bytes, GAPP_MAX_STACK);
		/* left to libdwfl: a cut through the registers that a signal saved */
		if (both.tables_end == UNWIND_NO_RULE && !strcmp(how, "signal"))
			left_over++;
		else
			is_same(&both, bytes);
		/* nothing changes behind the last frame */
		whole += both.tables_end == UNWIND_OUTERMOST;
	}
	assert_true(whole > 8);
	assert_true(left_over <= 32);
	end();
}

static void deep_calls(void **state)
{
	each_cut(state, "dynamic", "deep", 40, 41);
}

static void a_callback_of_the_library(void **state)
{
	each_cut(state, "dynamic", "sort", 8, 6);
}

static void a_handler_of_a_signal(void **state)
{
	each_cut(state, "dynamic", "signal", 8, 7);
}

static void a_thread(void **state)
{
	each_cut(state, "dynamic", "thread", 8, 5);
}

static void a_program_without_libraries(void **state)
{
	each_cut(state, "static", "sort", 8, 6);
}

static void room_ends(void **state)
{
	begin(state, "dynamic", "deep");
	for (u16 room = 1; room < 50; room++) {
		struct both both = unwind(thread->record.stack_bytes, room);

		is_same(&both, room);
		assert_int_equal(both.tables_end == UNWIND_FULL,
				 both.by_tables.count == room && both.libdwfl_end == UNWIND_FULL);
	}
	end();
}

/* The rule of a return address is that of the call before it. */
static void from_a_return_address(void **state)
{
	struct both both;
	u32 at = 0;
	u64 word;

	begin(state, "tight", "last");
	both = unwind(thread->record.stack_bytes, GAPP_MAX_STACK);
	/* pause, wait_here, wait_and_exit, end_with_a_call */
	do {
		memcpy(&word, thread->stack + at, 8);
		at += 8;
	} while (word != both.table_frames[3]);
	thread->record.registers[16] = word;
	thread->record.registers[7] += at;
	thread->record.valid = 1U << 16 | 1U << 7;
	for (int is_return = 0; is_return < 2; is_return++) {
		u64 frames[GAPP_MAX_STACK];
		struct unwinding unwinding = both.by_tables;

		unwinding.registers = thread->record.registers;
		unwinding.valid = thread->record.valid;
		unwinding.is_return = is_return;
		unwinding.stack = thread->stack;
		unwinding.frames = frames;
		assert_int_equal(table_unwinder_unwind(&by_tables, &unwinding) ==
						 UNWIND_OUTERMOST &&
					 unwinding.count == both.by_tables.count - 3,
				 is_return);
		assert_true(frames[0] == word);
	}
	end();
}

static void ends_of_signals(void **state)
{
	struct both both;
	u32 signals = 0;
	bool ends;

	begin(state, "dynamic", "signal");
	both = unwind(thread->record.stack_bytes, GAPP_MAX_STACK);
	for (u16 i = 0; i < both.by_tables.count; i++) {
		u64 address = both.table_frames[i];

		assert_true(table_unwinder_ends_signal(&by_tables, mappings, address, &ends));
		assert_int_equal(ends, unwinder_ends_signal(libdwfl, mappings, address));
		signals += ends;
	}
	assert_int_equal(signals, 1);
	assert_true(table_unwinder_ends_signal(&by_tables, mappings, 1, &ends) && !ends);
	made_tables_drop(&made, "dynamic");
	assert_false(table_unwinder_ends_signal(&by_tables, mappings, both.table_frames[1], &ends));
	end();
}

static void files_without_a_table(void **state)
{
	struct both both;

	begin(state, "dynamic", "sort");
	made_tables_drop(&made, "dynamic");
	both = unwind(thread->record.stack_bytes, GAPP_MAX_STACK);
	assert_int_equal(both.tables_end, UNWIND_NO_RULE);
	/* up to the first one of the program */
	assert_int_equal(both.by_tables.count, 1);
	assert_true(both.table_frames[0] == both.libdwfl_frames[0]);
	end();
}

/* Words that look like addresses of code or of the stack, at any place and in any register. */
static void nonsense_ends_too(void **state)
{
	u64 frames[GAPP_MAX_STACK], words[64], registers[GAPP_REGISTERS], random = 1;
	struct unwinding unwinding = { .registers = registers, .frames = frames };
	const struct mapping *list;

	begin(state, "dynamic", "deep");
	list = mappings_list(mappings);
	unwinding.mappings = mappings;
	for (int i = 0; i < 20000; i++) {
		for (size_t j = 0; j < ARRAY_SIZE(words) + GAPP_REGISTERS; j++) {
			u64 *word = j < ARRAY_SIZE(words) ? &words[j] :
							    &registers[j - ARRAY_SIZE(words)];
			const struct mapping *mapping;

			random = gapp_hash_add(random, j);
			mapping = &list[random % mappings_count(mappings)];
			*word = random >> 16 & 1 ? mapping->start + (random >> 20) % 0x1000 :
						   0x10000 + (random >> 20) % (2 * sizeof(words));
			if (!(random >> 8 & 31))
				*word = random;
		}
		unwinding.valid = random >> 3;
		unwinding.is_return = random & 1;
		unwinding.stack_bytes = random % sizeof(words);
		unwinding.stack = (u8 *)words + sizeof(words) - unwinding.stack_bytes;
		unwinding.stack_at = 0x10000 + (random >> 40) % 64;
		unwinding.room = random >> 50 & 127;
		table_unwinder_unwind(&by_tables, &unwinding);
		assert_true(unwinding.count <= unwinding.room);
	}
	end();
}

/* Its frame pointers lead through it, but libdwfl is to say how far they can be trusted. */
static void code_without_information(void **state)
{
	struct both both;

	begin(state, "plain", "deep");
	both = unwind(thread->record.stack_bytes, GAPP_MAX_STACK);
	assert_int_equal(both.libdwfl_end, UNWIND_OUTERMOST);
	assert_true(both.by_tables.count > 41);
	assert_int_equal(both.tables_end, UNWIND_NO_RULE);
	end();
}

static void what_is_not_mapped(void **state)
{
	struct unwinding unwinding;
	u64 frames[GAPP_MAX_STACK];

	begin(state, "dynamic", "sort");
	unwinding = (struct unwinding){
		.registers = thread->record.registers,
		.valid = thread->record.valid,
		.frames = frames,
		.room = GAPP_MAX_STACK,
	};
	assert_int_equal(table_unwinder_unwind(&by_tables, &unwinding), UNWIND_UNMAPPED);
	assert_true(unwinding.count == 1 && frames[0] == thread->record.registers[16]);
	assert_true(unwinding.unmapped == frames[0] + 1);
	unwinding.valid = 0;
	assert_int_equal(table_unwinder_unwind(&by_tables, &unwinding), UNWIND_NO_RULE);
	assert_int_equal(unwinding.count, 0);
	end();
}

static int compile(void **state)
{
	if (subject_begin(state))
		return -1;
	copied_compile("dynamic", "");
	copied_compile("static", "-static");
	copied_compile("tight", "-falign-functions=1");
	copied_compile("plain", "-fno-omit-frame-pointer -fno-asynchronous-unwind-tables");
	return 0;
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(deep_calls),
		TEST(a_callback_of_the_library),
		TEST(a_handler_of_a_signal),
		TEST(a_thread),
		TEST(a_program_without_libraries),
		TEST(room_ends),
		TEST(from_a_return_address),
		TEST(ends_of_signals),
		TEST(files_without_a_table),
		TEST(code_without_information),
		TEST(nonsense_ends_too),
		TEST(what_is_not_mapped),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("table_unwinder", tests, compile, subject_end);
}
