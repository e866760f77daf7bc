// SPDX-License-Identifier: GPL-2.0
/* Descriptors of this process, and what records of the module say of files and sockets. */
#include "made_up.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "input/wait_files.h"

static const char *name_of(const struct gapp_wait_file *record)
{
	static struct wait_file file;

	wait_file_of_record(record, &file);
	return file.name;
}

static void records_have_names(void **state)
{
	struct gapp_wait_file record = { .inode = 1234,
					 .device = 8 << 20 | 1,
					 .kind = S_IFREG >> 12 };
	struct wait_file file;

	(void)state;
	assert_string_equal(name_of(&record), "file 8:1 inode 1234");
	wait_file_of_record(&record, &file);
	assert_int_equal(file.kind, WAIT_FILE_PATH);
	assert_true(file.dev == makedev(8, 1) && file.inode == 1234);
	record.kind = S_IFDIR >> 12;
	assert_string_equal(name_of(&record), "directory 8:1 inode 1234");
	record.kind = S_IFIFO >> 12;
	assert_string_equal(name_of(&record), "pipe 1234");
	record.kind = 0;
	assert_string_equal(name_of(&record), "");
	record = (struct gapp_wait_file){ 0 };
	wait_file_of_record(&record, &file);
	assert_int_equal(file.kind, WAIT_FILE_NONE);
}

static void sockets_are_named_by_their_peer(void **state)
{
	struct gapp_wait_file record = { .inode = 77, .device = 8, .kind = S_IFSOCK >> 12 };

	(void)state;
	assert_string_equal(name_of(&record), "socket 77");
	record.family = AF_UNIX;
	assert_string_equal(name_of(&record), "unix socket");
	record.family = AF_INET;
	record.protocol = IPPROTO_TCP;
	assert_string_equal(name_of(&record), "socket 77");
	record.local_port = 8080;
	assert_string_equal(name_of(&record), "tcp on port 8080");
	record.peer_port = 80;
	memcpy(record.peer, (u8[]){ 10, 0, 2, 2 }, 4);
	assert_string_equal(name_of(&record), "tcp to 10.0.2.2:80");
	record.protocol = IPPROTO_UDP;
	record.family = AF_INET6;
	memcpy(record.peer, &in6addr_loopback, 16);
	assert_string_equal(name_of(&record), "udp to [::1]:80");
	record.protocol = IPPROTO_SCTP;
	assert_string_equal(name_of(&record), "socket to [::1]:80");
}

/* What a record would say of a descriptor, by the kernel's own account of it. */
static u64 number_in(const char *what, int fd)
{
	char path[64], line[256];
	unsigned long long number = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	file = fopen(path, "re");
	assert_non_null(file);
	while (fgets(line, sizeof(line), file))
		if (!strncmp(line, what, strlen(what)))
			sscanf(line + strlen(what), "%llu", &number);
	fclose(file);
	return number;
}

static u64 device_of(u64 mount)
{
	unsigned int id, major, minor;
	char line[4096];
	u64 device = 0;
	FILE *file = fopen("/proc/self/mountinfo", "re");

	assert_non_null(file);
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "%u %*u %u:%u", &id, &major, &minor) == 3 && id == mount)
			device = makedev(major, minor);
	fclose(file);
	return device;
}

/* As stat() has it, and as the kernel has it: on an overlay these are two. */
static void files_are_found_by_either_number(void **state)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct wait_file file = { 0 };
	struct stat status;
	u64 dev, inode;

	(void)state;
	assert_int_equal(fstat(fd, &status), 0);
	wait_file_look(getpid(), fd, &file);
	assert_int_equal(file.kind, WAIT_FILE_PATH);
	assert_non_null(strstr(file.name, "test_wait_files"));
	assert_true(file.dev == status.st_dev && file.inode == status.st_ino);
	inode = number_in("ino:", fd);
	dev = device_of(number_in("mnt_id:", fd));
	if (inode && dev) {
		file = (struct wait_file){ .dev = dev, .inode = inode };
		wait_file_look(getpid(), fd, &file);
		assert_true(file.dev == dev && file.inode == inode);
	}
	/* it is another one */
	file = (struct wait_file){ .dev = dev, .inode = inode + 1 };
	wait_file_look(getpid(), fd, &file);
	assert_true(file.dev == status.st_dev && file.inode == status.st_ino);
	close(fd);
	file = (struct wait_file){ .dev = dev, .inode = inode };
	wait_file_look(getpid(), fd, &file);
	assert_int_equal(file.kind, WAIT_FILE_NONE);
	assert_int_equal(file.inode, 0);
}

static void kinds_are_told_apart(void **state)
{
	int pipes[2], event = eventfd(0, EFD_CLOEXEC), sockets[2];
	struct wait_file file = { 0 };

	(void)state;
	assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets), 0);
	wait_file_look(getpid(), pipes[0], &file);
	assert_int_equal(file.kind, WAIT_FILE_PIPE);
	/* nobody else has it */
	wait_file_name(getpid(), &file);
	assert_string_equal(file.name, "");
	wait_file_look(getpid(), event, &file);
	assert_int_equal(file.kind, WAIT_FILE_ANONYMOUS);
	assert_string_equal(file.name, "eventfd");
	wait_file_look(getpid(), sockets[0], &file);
	assert_int_equal(file.kind, WAIT_FILE_SOCKET);
	wait_file_name(getpid(), &file);
	assert_string_equal(file.name, "unix socket");
	file.inode = 1;
	wait_file_name(getpid(), &file);
	assert_string_equal(file.name, "");
	close(event);
	close(pipes[0]);
	close(pipes[1]);
	close(sockets[0]);
	close(sockets[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_have_names),
		cmocka_unit_test(sockets_are_named_by_their_peer),
		cmocka_unit_test(files_are_found_by_either_number),
		cmocka_unit_test(kinds_are_told_apart),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("wait_files", tests, NULL, NULL);
}
