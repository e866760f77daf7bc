// SPDX-License-Identifier: GPL-2.0
/* Whose generated code is at an address. */
#include "maps_rig.h"

static struct object *object_at(struct maps *maps, pid_t pid, u64 address)
{
	struct code_address place = maps_find(maps, pid, address);

	assert_int_equal(place.object->kind, OBJECT_ANONYMOUS);
	assert_true(place.offset == address);
	return place.object;
}

static void each_process_has_its_own(void **state)
{
	struct maps *maps = maps_of(state);
	struct object *object, *other;

	map(maps, PID, 0x1000, 0x1000, 0, "/usr/bin/node");
	map(maps, PID, 0x2000, 0x1000, 0, "/usr/lib/libc.so.6");
	map(maps, PID, 0x40000, 0x1000, 0, "//anon");
	map(maps, OTHER, 0x40000, 0x1000, 0, "//anon");
	object = object_at(maps, PID, 0x40010);
	other = object_at(maps, OTHER, 0x40010);
	assert_ptr_not_equal(object, other);
	assert_int_equal(object->generator->pid, PID);
	assert_string_equal(object->generator->name, "node");
	assert_int_equal(other->generator->pid, OTHER);
	assert_string_equal(other->generator->name, "");
	/* it has ended: whose it was is not known */
	assert_int_equal(object->generator->uid, GENERATOR_NO_USER);
	/* the kernel's is everybody's */
	map(maps, PID, 0x90000, 0x1000, 0, "[vsyscall]");
	map(maps, OTHER, 0x90000, 0x1000, 0, "[vsyscall]");
	assert_ptr_equal(object_at(maps, PID, 0x90000), object_at(maps, OTHER, 0x90000));
	assert_null(object_at(maps, PID, 0x90000)->generator);
}

/* A program maps its code piece by piece, and changes the rights of pieces. */
static void pieces_are_one_mapping(void **state)
{
	struct maps *maps = maps_of(state);
	const u64 *changes = maps_changes(maps);
	struct object *object;
	u64 before;

	map(maps, PID, 0x40000, 0x2000, 0, "//anon");
	object = object_at(maps, PID, 0x40000);
	before = *changes;
	map(maps, PID, 0x42000, 0x1000, 0, "//anon");
	map(maps, PID, 0x43000, 0x1000, 0, "");
	map(maps, PID, 0x41000, 0x1000, 0, "//anon");
	map(maps, PID, 0x40000, 0x4000, 0, "//anon");
	for (u64 at = 0x40000; at < 0x44000; at += 0x1000)
		assert_ptr_equal(object_at(maps, PID, at), object);
	assert_true(*changes == before);
	assert_true(object->inode == 0x40000);
	/* apart, or of another kind */
	map(maps, PID, 0x45000, 0x1000, 0, "//anon");
	map(maps, PID, 0x44000, 0x1000, 0, "/memfd:jit (deleted)");
	assert_ptr_not_equal(object_at(maps, PID, 0x45000), object);
	assert_ptr_not_equal(object_at(maps, PID, 0x44000), object);
	assert_ptr_equal(object_at(maps, PID, 0x45000)->generator, object->generator);
}

/* Before the code or after it; a child has its parent's dump mapped, which is not its own. */
static void a_dump_that_is_mapped(void **state)
{
	struct maps *maps = maps_of(state);
	char dump[64];

	snprintf(dump, sizeof(dump), "/srv/jit-%d.dump", PID);
	map(maps, PID, 0x1000, 0x1000, 0, "/usr/bin/node");
	map(maps, PID, 0x2000, 0x1000, 0, dump);
	map(maps, PID, 0x40000, 0x1000, 0, "//anon");
	assert_string_equal(object_at(maps, PID, 0x40000)->generator->dump, dump);
	assert_string_equal(object_at(maps, PID, 0x40000)->generator->name, "node");
	maps_fork(maps, OTHER, PID);
	map(maps, OTHER, 0x2000, 0x1000, 0, dump);
	map(maps, OTHER, 0x41000, 0x1000, 0, "//anon");
	assert_null(object_at(maps, OTHER, 0x41000)->generator->dump);
	snprintf(dump, sizeof(dump), "/srv/jit-%d.dump", OTHER);
	map(maps, OTHER, 0x2000, 0x1000, 0, dump);
	assert_string_equal(object_at(maps, OTHER, 0x41000)->generator->dump, dump);
	maps_exec(maps, PID);
	map(maps, PID, 0x40000, 0x1000, 0, "//anon");
	assert_null(object_at(maps, PID, 0x40000)->generator->dump);
}

static void an_exec_and_a_fork_are_others(void **state)
{
	struct maps *maps = maps_of(state);
	struct object *object, *child;

	map(maps, PID, 0x40000, 0x1000, 0, "//anon");
	object = object_at(maps, PID, 0x40000);
	/* a child runs what its parent generated, until it generates its own */
	maps_fork(maps, OTHER, PID);
	assert_ptr_equal(object_at(maps, OTHER, 0x40000), object);
	map(maps, OTHER, 0x41000, 0x1000, 0, "//anon");
	child = object_at(maps, OTHER, 0x41000);
	assert_ptr_not_equal(child, object);
	assert_int_equal(child->generator->pid, OTHER);
	assert_ptr_equal(object_at(maps, OTHER, 0x40000), object);

	maps_exec(maps, PID);
	map(maps, PID, 0x40000, 0x1000, 0, "//anon");
	assert_ptr_not_equal(object_at(maps, PID, 0x40000), object);
	assert_ptr_not_equal(object_at(maps, PID, 0x40000)->generator, object->generator);
	assert_ptr_equal(object_at(maps, OTHER, 0x40000), object);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_process_has_its_own),
		TEST(pieces_are_one_mapping),
		TEST(a_dump_that_is_mapped),
		TEST(an_exec_and_a_fork_are_others),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("maps of generated code", tests, NULL, NULL);
}
