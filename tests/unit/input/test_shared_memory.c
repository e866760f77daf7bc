// SPDX-License-Identifier: GPL-2.0
/* Addresses of this process: in memory that it shares, in its own, and in none. */
#include "made_up.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "input/shared_memory.h"

#define SIZE 0x4000

static char *mapped(int flags, int fd, off_t offset)
{
	char *memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, flags, fd, offset);

	assert_true(memory != MAP_FAILED);
	return memory;
}

static enum shared_memory find(const void *at, struct shared_place *place)
{
	return shared_memory_find(getpid(), (uintptr_t)at, place);
}

/* Two mappings of one file, of which one begins later in it, are one place. */
static void a_file_has_one_place(void **state)
{
	int fd = memfd_create("locks", MFD_CLOEXEC);
	struct shared_place one, other;
	char *all, *later;
	struct stat status;

	(void)state;
	assert_int_equal(ftruncate(fd, 2 * SIZE), 0);
	assert_int_equal(fstat(fd, &status), 0);
	all = mapped(MAP_SHARED, fd, 0);
	later = mapped(MAP_SHARED, fd, 0x1000);
	assert_int_equal(find(all + 0x1040, &one), SHARED_FILE);
	assert_int_equal(find(later + 0x40, &other), SHARED_FILE);
	assert_true(one.dev == other.dev && one.inode == other.inode);
	assert_int_equal(one.inode, status.st_ino);
	assert_int_equal(one.offset, 0x1040);
	assert_int_equal(other.offset, 0x1040);
	assert_string_equal(one.path, "memfd:locks (deleted)");
	munmap(all, SIZE);
	assert_int_equal(find(all + 0x1040, &one), SHARED_NOT);
	munmap(later, SIZE);
	close(fd);
}

/* Memory without a file has a place that a child shares, and no name. */
static void children_share_memory(void **state)
{
	char *memory = mapped(MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	char *another = mapped(MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct shared_place own, of_child, different;
	pid_t child;

	(void)state;
	child = fork();
	if (!child) {
		pause();
		_exit(0);
	}
	assert_int_equal(find(memory + 8, &own), SHARED_FILE);
	assert_int_equal(shared_memory_find(child, (uintptr_t)memory + 8, &of_child), SHARED_FILE);
	assert_int_equal(find(another + 8, &different), SHARED_FILE);
	assert_true(own.dev == of_child.dev && own.inode == of_child.inode);
	assert_true(own.offset == of_child.offset);
	assert_true(own.inode != different.inode || own.dev != different.dev);
	assert_string_equal(own.path, "");
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	assert_int_equal(shared_memory_find(child, (uintptr_t)memory, &own), SHARED_UNKNOWN);
	munmap(memory, SIZE);
	munmap(another, SIZE);
}

static void own_memory_is_not_shared(void **state)
{
	char *memory = mapped(MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	static int variable;
	struct shared_place place;

	(void)state;
	assert_int_equal(find(memory, &place), SHARED_NOT);
	assert_int_equal(find(&variable, &place), SHARED_NOT);
	assert_int_equal(find(&place, &place), SHARED_NOT);
	assert_int_equal(find(NULL, &place), SHARED_NOT);
	munmap(memory, SIZE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_has_one_place),
		cmocka_unit_test(children_share_memory),
		cmocka_unit_test(own_memory_is_not_shared),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("shared_memory", tests, NULL, NULL);
}
