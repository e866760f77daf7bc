// SPDX-License-Identifier: GPL-2.0
/* What waits of made-up records are for: locks, also shared ones, and descriptors' files. */
#include "made_waits.h"

#include <linux/futex.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>

#include "profile/profile_private.h"

static void two_addresses_are_two_locks(void **state)
{
	struct ranked_waits waits;

	collect(true);
	for (u32 i = 0; i < 10; i++) {
		wait_at(1, 10 + 10 * i, 1, SYS_futex, i % 2 ? JOURNAL : OTHER,
			i % 2 ? lock_path() : path_of("pthread_mutex_lock:1 flush:2 main:3"));
		woken_at(1, 15 + 10 * i, 2, 0, 0);
	}
	waits = ranked(profile);
	assert_int_equal(waits.object_count, 2);
	assert_int_equal(named(&waits, "mutex in append")->waits, 5);
	assert_int_equal(named(&waits, "mutex in flush")->waits, 5);
	/* neither stands for all waits for a lock */
	assert_null(ranked_waits_main(&waits, 0, GAPP_WAIT_LOCK));
	ranked_waits_free(&waits);
}

/* A wait of process @tgid for the word at @address. */
static void wait_as(s32 tgid, u64 ms, enum gapp_wait_reason reason, s32 call, u64 address, u32 op,
		    u32 path)
{
	struct made made = made_slice(tgid, tgid, path, SHARE(MS(1)));
	const struct gapp_record_wake wake = {
		.head = { .type = GAPP_RECORD_WAKE, .size = sizeof(wake), .time_ns = MS(ms + 1) },
		.tid = tgid,
		.tgid = tgid,
		.target = tgid,
		.n = 2,
		.flags = GAPP_SLICE_WAKER,
		.waker_tid = 3 - tgid,
		.waker_tgid = 3 - tgid,
	};
	u32 site;

	made.slice.head.time_ns = MS(ms);
	made.slice.image = 6 + tgid;
	made.slice.target = tgid;
	made.slice.n = 1;
	made.slice.syscall = call;
	made.slice.args[0] = address;
	made.slice.args[1] = op;
	made.slice.wait = reason;
	snprintf((char *)made.slice.comm, sizeof(made.slice.comm), "worker-%d", tgid);
	assert_int_equal(profile_wait_begins(profile, &made.slice, &site), 0);
	assert_int_equal(profile_wait_ends(profile, &wake), 0);
}

/* In the system call futex. */
static void wait_for_word(s32 tgid, u64 ms, u64 address, u32 op)
{
	wait_as(tgid, ms, GAPP_WAIT_LOCK, SYS_futex, address, op, lock_path());
}

/* In a busy-wait loop; @address: 0: what it waits for is not known. */
static void spin_for(s32 tgid, u64 ms, u64 address)
{
	wait_as(tgid, ms, GAPP_WAIT_SPIN, -1, address, 0,
		path_of("pthread_spin_lock:1 flush:2 main:3"));
}

/* Where two processes have it at different addresses, too. */
static void a_shared_futex_is_one_object(void **state)
{
	const struct ranked_object *lock;
	struct ranked_waits waits;

	collect(true);
	for (u32 i = 0; i < 3; i++) {
		wait_for_word(1, 10 + 10 * i, 0x5040, FUTEX_WAIT);
		wait_for_word(2, 15 + 10 * i, 0x6040, FUTEX_WAIT);
	}
	assert_int_equal(places_looked, 2);
	/* another word of that file, and another file */
	wait_for_word(1, 50, 0x5048, FUTEX_WAIT);
	wait_for_word(1, 60, 0x8040, FUTEX_WAIT);
	waits = ranked(profile);
	assert_int_equal(waits.object_count, 3);
	lock = named(&waits, "futex in /dev/shm/queue+0x40");
	assert_int_equal(lock->waits, 6);
	/* times of two targets say nothing of one hold */
	assert_true(lock->holder_count <= 1);
	named(&waits, "futex in /dev/shm/queue+0x48");
	named(&waits, "mutex in append");
	ranked_waits_free(&waits);
}

/* Said to be private, or in memory that is: each process has its own. */
static void a_private_futex_is_of_one_process(void **state)
{
	struct ranked_waits waits;

	collect(true);
	wait_for_word(1, 10, 0x5040, FUTEX_WAIT | FUTEX_PRIVATE_FLAG);
	wait_for_word(2, 20, 0x5040, FUTEX_WAIT | FUTEX_PRIVATE_FLAG);
	assert_int_equal(places_looked, 0);
	wait_for_word(1, 30, JOURNAL, FUTEX_WAIT);
	wait_for_word(2, 40, JOURNAL, FUTEX_WAIT);
	wait_for_word(2, 50, JOURNAL, FUTEX_WAIT);
	assert_int_equal(places_looked, 2);
	waits = ranked(profile);
	assert_int_equal(waits.object_count, 4);
	ranked_waits_free(&waits);
}

/* Threads sleep and spin for one lock: it is one object. */
static void a_word_that_is_spun_for_is_that_word(void **state)
{
	struct ranked_waits waits;

	collect(true);
	wait_for_word(1, 10, JOURNAL, FUTEX_WAIT | FUTEX_PRIVATE_FLAG);
	spin_for(1, 20, JOURNAL);
	waits = ranked(profile);
	assert_int_equal(waits.object_count, 1);
	assert_int_equal(waits.objects[0].waits, 2);
	assert_int_equal(waits.objects[0].site_count, 2);
	ranked_waits_free(&waits);
}

static void a_word_that_is_spun_for_may_be_shared(void **state)
{
	struct ranked_waits waits;

	collect(true);
	spin_for(1, 10, 0x5040);
	spin_for(2, 20, 0x6040);
	wait_for_word(1, 30, 0x5040, FUTEX_WAIT);
	waits = ranked(profile);
	assert_int_equal(waits.object_count, 1);
	assert_int_equal(named(&waits, "futex in /dev/shm/queue+0x40")->waits, 3);
	ranked_waits_free(&waits);
}

static void loops_whose_word_is_not_known_are_one_object(void **state)
{
	struct ranked_waits waits;

	collect(true);
	spin_for(1, 10, 0);
	spin_for(1, 20, 0);
	spin_for(1, 30, JOURNAL);
	waits = ranked(profile);
	assert_int_equal(waits.object_count, 2);
	assert_int_equal(named(&waits, "busy-wait loops of worker-1")->waits, 2);
	ranked_waits_free(&waits);
}

/* The record of a wait that ends with nobody active may not say for which word. */
static void a_spin_that_ends_alone_is_for_the_same_word(void **state)
{
	const u32 path = path_of("pthread_spin_lock:1 flush:2 main:3");
	struct gapp_record_wait alone = made_wait(1, 1, path, MS(5), GAPP_WAIT_SPIN);
	struct ranked_waits waits;

	collect(true);
	snprintf((char *)alone.comm, sizeof(alone.comm), "worker-1");
	alone.image = 7;
	alone.syscall = -1;
	spin_for(1, 10, JOURNAL);
	assert_int_equal(profile_wait_alone(profile, &alone), 0);
	waits = ranked(profile);
	assert_int_equal(waits.object_count, 1);
	near(waits.objects[0].idle_ns, MS(5));
	ranked_waits_free(&waits);
	/* at another place it may have spun for another word since, and without a record */
	alone.path = path_of("wait_here:1 main:2");
	assert_int_equal(profile_wait_alone(profile, &alone), 0);
	waits = ranked(profile);
	assert_int_equal(waits.object_count, 2);
	near(named(&waits, "busy-wait loops of worker-1")->idle_ns, MS(5));
	ranked_waits_free(&waits);
}

/* If it does, that is the word, whatever the thread spun for at the same place before. */
static void a_spin_that_ends_alone_is_for_the_word_of_its_record(void **state)
{
	const u32 path = path_of("pthread_spin_lock:1 flush:2 main:3");
	struct gapp_record_wait alone = made_wait(1, 1, path, MS(5), GAPP_WAIT_SPIN);
	struct ranked_waits waits;

	collect(true);
	alone.image = 7;
	alone.syscall = -1;
	alone.args[0] = 0x5048;
	spin_for(1, 10, 0x5040);
	assert_int_equal(profile_wait_alone(profile, &alone), 0);
	waits = ranked(profile);
	assert_int_equal(waits.object_count, 2);
	assert_int_equal(named(&waits, "futex in /dev/shm/queue+0x40")->waits, 1);
	near(named(&waits, "futex in /dev/shm/queue+0x40")->idle_ns, 0);
	near(named(&waits, "futex in /dev/shm/queue+0x48")->idle_ns, MS(5));
	ranked_waits_free(&waits);
	/* threads spin for it at other times, too */
	spin_for(1, 20, 0x5048);
	waits = ranked(profile);
	assert_int_equal(waits.object_count, 2);
	assert_int_equal(named(&waits, "futex in /dev/shm/queue+0x48")->waits, 1);
	ranked_waits_free(&waits);
}

/* Most are private, and it takes long to see that: once for each word, and few at a time. */
static void words_that_are_spun_for_are_looked_up_seldom(void **state)
{
	collect(true);
	spin_for(1, 10, JOURNAL);
	spin_for(1, 5000, JOURNAL);
	assert_int_equal(places_looked, 1);
	for (u32 i = 0; i < 20; i++)
		spin_for(1, 5010 + i, OTHER + 64 * i);
	assert_int_equal(places_looked, SPIN_LOOK_UPS);
	/* and leave the others' */
	wait_for_word(1, 6000, 0x5040, FUTEX_WAIT);
	assert_int_equal(places_looked, SPIN_LOOK_UPS + 1);
}

/* What was seen once stays when the process has ended; new memory is seen a second later. */
static void shared_futexes_are_looked_at_again(void **state)
{
	struct ranked_waits waits;

	collect(true);
	wait_for_word(1, 10, 0x5040, FUTEX_WAIT);
	place_gone = true;
	wait_for_word(1, 2000, 0x5040, FUTEX_WAIT);
	assert_int_equal(places_looked, 2);
	wait_for_word(2, 2010, 0x5040, FUTEX_WAIT);
	waits = ranked(profile);
	assert_int_equal(waits.object_count, 2);
	assert_int_equal(named(&waits, "futex in /dev/shm/queue+0x40")->waits, 2);
	ranked_waits_free(&waits);
	place_gone = false;
	wait_for_word(2, 4000, 0x5040, FUTEX_WAIT);
	waits = ranked(profile);
	assert_int_equal(named(&waits, "futex in /dev/shm/queue+0x40")->waits, 3);
	ranked_waits_free(&waits);
}

static void descriptors_are_looked_at_once(void **state)
{
	const u32 path = path_of("read:1 load:2 main:3");
	struct ranked_waits waits;

	collect(true);
	for (u64 ms = 10; ms < 900; ms += 10)
		for (u32 fd = 3; fd < 7; fd++) {
			wait_at(1, ms, 1, SYS_read, fd, path);
			woken_at(1, ms + 1, 2, 0, 0);
		}
	assert_int_equal(looked, 4);
	wait_at(1, 900, 1, SYS_read, 9, path);
	woken_at(1, 901, 2, 0, 0);
	waits = ranked(profile);
	assert_int_equal(named(&waits, "/var/log/journal")->waits, 89);
	named(&waits, "tcp 10.0.0.1:4000 to 10.0.0.2:80");
	named(&waits, "pipe to cat (12)");
	named(&waits, "eventfd 5 of worker-1");
	/* it could not be looked at, so its number is all that is known */
	named(&waits, "descriptor 9 of process 1");
	ranked_waits_free(&waits);
}

/* A number that is used again is of another file: looked at again after a second. */
static void a_descriptor_may_be_of_another_file(void **state)
{
	const u32 path = path_of("read:1 load:2 main:3");
	struct ranked_waits waits;

	collect(true);
	wait_at(1, 10, 1, SYS_read, 3, path);
	woken_at(1, 20, 2, 0, 0);
	inode_now = 555;
	wait_at(1, 2010, 1, SYS_read, 3, path);
	woken_at(1, 2020, 2, 0, 0);
	assert_int_equal(looked, 2);
	waits = ranked(profile);
	assert_int_equal(waits.object_count, 2);
	ranked_waits_free(&waits);
}

/* As wait_at(), with what the module says of the descriptor's file. */
static void wait_on(u64 ms, s32 call, u64 fd, u64 inode, u32 kind)
{
	struct made made = made_slice(1, 1, path_of("read:1 load:2 main:3"), SHARE(MS(1)));
	struct gapp_wait_file file = {
		.inode = inode,
		.device = inode ? 8 << 20 | 1 : 0,
		.kind = kind,
	};
	u32 site;

	if (kind == S_IFSOCK >> 12) {
		file.family = AF_INET;
		file.protocol = IPPROTO_TCP;
		file.peer_port = 80;
		memcpy(file.peer, (u8[]){ 10, 0, 2, 2 }, 4);
	}
	made.slice.head.time_ns = MS(ms);
	made.slice.head.size += sizeof(file);
	made.slice.flags = GAPP_SLICE_FILE;
	made.slice.image = 7;
	made.slice.n = 1;
	made.slice.syscall = call;
	made.slice.args[0] = fd;
	made.slice.wait = GAPP_WAIT_PIPE;
	memcpy(&made.slice + 1, &file, sizeof(file));
	strcpy((char *)made.slice.comm, "worker-1");
	assert_int_equal(profile_wait_begins(profile, &made.slice, &site), 0);
	woken_at(1, ms + 1, 2, 0, 0);
}

#define ON_FILE (S_IFREG >> 12)
#define ON_SOCKET (S_IFSOCK >> 12)
#define ON_PIPE (S_IFIFO >> 12)

/* Of /proc the path alone is taken, and only if it is the same file still. */
static void the_record_says_which_file(void **state)
{
	struct ranked_waits waits;

	collect(true);
	device_now = makedev(8, 1);
	wait_on(10, SYS_read, 3, 103, ON_FILE);
	/* the descriptor is of another file by now */
	wait_on(20, SYS_read, 3, 555, ON_FILE);
	wait_on(30, SYS_read, 3, 103, ON_FILE);
	wait_on(40, SYS_read, 3, 555, ON_FILE);
	waits = ranked(profile);
	assert_int_equal(waits.object_count, 2);
	assert_int_equal(named(&waits, "/var/log/journal")->waits, 2);
	assert_int_equal(named(&waits, "file 8:1 inode 555")->waits, 2);
	ranked_waits_free(&waits);
	/* a later descriptor of that file, seen in time, has its path */
	inode_now = 555;
	wait_on(50, SYS_read, 3, 555, ON_FILE);
	waits = ranked(profile);
	assert_int_equal(waits.object_count, 2);
	ranked_waits_free(&waits);
	looked = 0;
	wait_on(60, SYS_read, 8, 555, ON_FILE);
	assert_int_equal(looked, 1);
	wait_on(70, SYS_read, 8, 556, ON_FILE);
	/* another device is another file, and the path is of neither */
	device_now = 9;
	inode_now = 556;
	wait_on(2000, SYS_read, 8, 556, ON_FILE);
	waits = ranked(profile);
	named(&waits, "file 8:1 inode 556");
	assert_int_equal(waits.object_count, 3);
	ranked_waits_free(&waits);
}

static void a_later_descriptor_names_a_file(void **state)
{
	struct ranked_waits waits;

	collect(true);
	device_now = makedev(8, 1);
	wait_on(10, SYS_read, 9, 103, ON_FILE);
	wait_on(20, SYS_read, 3, 103, ON_FILE);
	waits = ranked(profile);
	assert_int_equal(waits.object_count, 1);
	assert_int_equal(named(&waits, "/var/log/journal")->waits, 2);
	ranked_waits_free(&waits);
	looked = 0;
	wait_on(5000, SYS_read, 9, 103, ON_FILE);
	assert_int_equal(looked, 0);
}

/* Closed before the reader came: the peer is in the record. */
static void a_closed_socket_has_its_peer(void **state)
{
	struct ranked_waits waits;

	collect(true);
	no_names = true;
	wait_on(10, SYS_recvfrom, 9, 1000, ON_SOCKET);
	wait_on(20, SYS_recvfrom, 9, 1001, ON_PIPE);
	waits = ranked(profile);
	named(&waits, "tcp to 10.0.2.2:80");
	named(&waits, "pipe 1001");
	ranked_waits_free(&waits);
	/* its table of sockets is still there: both ends are known, and the other end of the pipe
	 */
	no_names = false;
	wait_on(30, SYS_recvfrom, 9, 1002, ON_SOCKET);
	wait_on(40, SYS_recvfrom, 9, 1003, ON_PIPE);
	waits = ranked(profile);
	assert_int_equal(waits.object_count, 4);
	named(&waits, "tcp 10.0.0.1:4000 to 10.0.0.2:80");
	named(&waits, "pipe to cat (12)");
	ranked_waits_free(&waits);
}

/* epoll and its like share one inode: they are told apart by number, as the look-up says. */
static void files_without_an_inode_are_descriptors(void **state)
{
	struct ranked_waits waits;

	collect(true);
	device_now = makedev(8, 1);
	wait_on(10, SYS_read, 5, 12, 0);
	waits = ranked(profile);
	named(&waits, "eventfd 5 of worker-1");
	ranked_waits_free(&waits);
	/* number 3 is of a file by now */
	wait_on(20, SYS_read, 3, 12, 0);
	waits = ranked(profile);
	named(&waits, "descriptor 3 of process 1");
	ranked_waits_free(&waits);
	wait_on(30, SYS_read, 4, 104, ON_SOCKET);
	wait_on(40, SYS_read, 4, 12, 0);
	waits = ranked(profile);
	assert_int_equal(waits.object_count, 4);
	named(&waits, "descriptor 4 of process 1");
	ranked_waits_free(&waits);
}

/* Closed during the wait: what it was is known from before, or not at all. */
static void a_closed_descriptor_is_what_it_was(void **state)
{
	struct ranked_waits waits;

	collect(true);
	device_now = makedev(8, 1);
	wait_on(10, SYS_read, 3, 103, ON_FILE);
	wait_on(2020, SYS_read, 3, 0, 0);
	wait_on(2030, SYS_read, 4, 0, 0);
	assert_int_equal(looked, 1);
	waits = ranked(profile);
	assert_int_equal(waits.object_count, 2);
	assert_int_equal(named(&waits, "/var/log/journal")->waits, 2);
	named(&waits, "descriptor 4 of process 1");
	ranked_waits_free(&waits);
}

/* Waits for a lock in the kernel: in any system call, and to read or to write. */
static void wait_for_kernel_lock(u64 ms, s32 call, u64 address, u32 kind)
{
	struct made made = made_slice(1, 1, path_of("unlink:1 clean:2 main:3"), SHARE(MS(1)));
	const struct gapp_wait_lock lock = { .address = address, .kind = kind };
	u32 site;

	made.slice.head.time_ns = MS(ms);
	made.slice.head.size += sizeof(lock);
	made.slice.flags = GAPP_SLICE_KERNEL_LOCK;
	made.slice.image = 7;
	made.slice.n = 1;
	made.slice.syscall = call;
	made.slice.args[0] = 3;
	made.slice.wait = GAPP_WAIT_KERNEL_LOCK;
	memcpy(&made.slice + 1, &lock, sizeof(lock));
	strcpy((char *)made.slice.comm, "worker-1");
	assert_int_equal(profile_wait_begins(profile, &made.slice, &site), 0);
	woken_at(1, ms + 1, 2, 0, 0);
}

static void a_lock_of_the_kernel_is_one_object(void **state)
{
	struct ranked_waits waits;

	collect(true);
	wait_for_kernel_lock(10, SYS_unlink, 0xffff888000001000, GAPP_LOCK_WRITE);
	wait_for_kernel_lock(20, SYS_read, 0xffff888000001000, GAPP_LOCK_READ);
	wait_for_kernel_lock(30, SYS_read, KERNEL_VARIABLE, GAPP_LOCK_MUTEX);
	wait_for_kernel_lock(40, SYS_write, 0, GAPP_LOCK_MUTEX);
	wait_for_kernel_lock(50, SYS_read, KERNEL_VARIABLE, GAPP_LOCK_MUTEX);
	wait_for_kernel_lock(60, SYS_write, 0, GAPP_LOCK_READ);
	wait_for_kernel_lock(70, SYS_write, 0, GAPP_LOCK_WRITE);
	assert_int_equal(looked, 0);
	waits = ranked(profile);
	assert_int_equal(waits.object_count, 4);
	assert_int_equal(named(&waits, "rw_semaphore 0xffff888000001000")->waits, 2);
	assert_int_equal(named(&waits, "journal_lock")->waits, 2);
	assert_int_equal(named(&waits, "journal_lock")->reason, GAPP_WAIT_KERNEL_LOCK);
	/* an address that is not shown: all such locks of one type are one */
	assert_int_equal(named(&waits, "mutex in the kernel of worker-1")->waits, 1);
	assert_int_equal(named(&waits, "rw_semaphore in the kernel of worker-1")->waits, 2);
	assert_int_equal(waits.not_looked_up, 0);
	ranked_waits_free(&waits);
}

static void look_ups_are_bounded(void **state)
{
	const u32 path = path_of("read:1 load:2 main:3");
	struct ranked_waits waits;

	collect(true);
	for (u32 fd = 100; fd < 200; fd++) {
		wait_at(1, fd, 1, SYS_read, fd, path);
		woken_at(1, fd + 1, 2, 0, 0);
	}
	assert_int_equal(looked, WAIT_LOOK_UPS);
	waits = ranked(profile);
	assert_int_equal(waits.not_looked_up, 100 - WAIT_LOOK_UPS);
	named(&waits, "descriptor 199 of process 1");
	ranked_waits_free(&waits);
	profile_waits_drain(profile, 1);
	wait_at(1, 5000, 1, SYS_read, 3, path);
	assert_int_equal(looked, WAIT_LOOK_UPS + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(two_addresses_are_two_locks),
		TEST(a_shared_futex_is_one_object),
		TEST(a_private_futex_is_of_one_process),
		TEST(a_word_that_is_spun_for_is_that_word),
		TEST(a_word_that_is_spun_for_may_be_shared),
		TEST(loops_whose_word_is_not_known_are_one_object),
		TEST(a_spin_that_ends_alone_is_for_the_same_word),
		TEST(a_spin_that_ends_alone_is_for_the_word_of_its_record),
		TEST(words_that_are_spun_for_are_looked_up_seldom),
		TEST(shared_futexes_are_looked_at_again),
		TEST(descriptors_are_looked_at_once),
		TEST(a_descriptor_may_be_of_another_file),
		TEST(the_record_says_which_file),
		TEST(a_later_descriptor_names_a_file),
		TEST(a_closed_socket_has_its_peer),
		TEST(files_without_an_inode_are_descriptors),
		TEST(a_closed_descriptor_is_what_it_was),
		TEST(a_lock_of_the_kernel_is_one_object),
		TEST(look_ups_are_bounded),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("wait_objects", tests, NULL, NULL);
}
