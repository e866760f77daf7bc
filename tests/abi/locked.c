// SPDX-License-Identifier: GPL-2.0
/*
 * The limit of locked memory: what a session of a user without privilege holds counts against it,
 * beyond what the user has free by the module's parameter mlock_kib. Root, in a guest.
 */
#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "frameless.h"
#include "groups.h"
#include "t.h"

#define USER 1000
#define OTHER 1001
#define PAGE 4096
#define TABLE_PAGES 4

/*
 * An opener, in memory that it shares with the test. It holds its session between the test's
 * t_hear() and t_tell().
 */
struct opener {
	uid_t uid;
	u64 limit;
	bool may_lock;
	bool passes_on; /* to a child, and ends */
	struct gapp_config config;
	int error;
	u64 pinned; /* bytes by VmPin, while the session is open */
	u64 left; /* the same, after it */
};

static u64 pinned(void)
{
	FILE *file = fopen("/proc/self/status", "re");
	unsigned long long kib = ~0ULL;
	char line[128];

	while (file && fgets(line, sizeof(line), file) && sscanf(line, "VmPin: %llu", &kib) != 1)
		;
	if (!file || kib == ~0ULL)
		t_die("VmPin");
	fclose(file);
	return kib << 10;
}

static void may_lock(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = {
		{ .effective = 1 << CAP_IPC_LOCK, .permitted = 1 << CAP_IPC_LOCK }
	};

	if (syscall(SYS_capset, &head, sets))
		t_die("capset");
}

static void become(const struct opener *opener)
{
	const struct rlimit limit = { opener->limit, opener->limit };

	prctl(PR_SET_KEEPCAPS, opener->may_lock);
	if (setrlimit(RLIMIT_MEMLOCK, &limit) || setgroups(0, NULL) ||
	    setresuid(opener->uid, opener->uid, opener->uid))
		t_die("setresuid");
	if (opener->may_lock)
		may_lock();
	prctl(PR_SET_DUMPABLE, 1);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
}

/* A child that has the session, and whose parent ends at once. */
static void pass_on(struct t_child *parent)
{
	const pid_t child = fork();

	if (child < 0)
		t_die("fork");
	if (child)
		_exit(0);
	t_tell(parent);
	t_hear(parent);
	_exit(0);
}

static void opens(struct t_child *parent, void *arg)
{
	struct opener *opener = arg;
	int fd;

	become(opener);
	fd = t_open();
	opener->error = t_ioctl(fd, GAPP_IOC_CONFIGURE, &opener->config);
	opener->pinned = pinned();
	if (opener->passes_on)
		pass_on(parent);
	t_tell(parent);
	t_hear(parent);
	close(fd);
	opener->left = pinned();
	t_tell(parent);
	pause();
}

static struct gapp_config small(void)
{
	struct gapp_config config = t_config(GAPP_LEVEL_CRITICAL);

	config.ring_bytes = 4 * GAPP_MIN_RING;
	config.paths = GAPP_DEFAULT_PATHS / 8;
	return config;
}

/* Bytes that the session shares with its reader. */
static u64 shared_bytes(void)
{
	const struct gapp_config config = small();
	struct gapp_layout layout;
	int fd = t_session(&config);

	if (t_ioctl(fd, GAPP_IOC_LAYOUT, &layout))
		t_die("LAYOUT");
	close(fd);
	return layout.paths_map_bytes + layout.positions_map_bytes +
	       get_nprocs_conf() * layout.ring_map_bytes;
}

static struct opener *make_opener(uid_t uid, u64 limit)
{
	struct opener *opener = mmap(NULL, sizeof(*opener), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (opener == MAP_FAILED)
		t_die("mmap");
	*opener = (struct opener){ .uid = uid, .limit = limit, .config = small() };
	return opener;
}

/* Opens a session and closes it. @pays: bytes that count against the limit; negative: an error. */
static void check_one(const struct opener *like, s64 pays, const char *name)
{
	struct opener *opener = make_opener(like->uid, like->limit);
	struct t_child child;

	opener->may_lock = like->may_lock;
	child = t_fork(opens, opener);
	t_hear(&child);
	t_tell(&child);
	t_hear(&child);
	t_expect(opener->error, pays < 0 ? pays : 0, "%s", name);
	t_check(opener->pinned == (u64)(pays < 0 ? 0 : pays), "VmPin has what counts",
		"%llu bytes, not %lld", opener->pinned, pays);
	t_check(!opener->left, "and nothing afterwards", "%llu bytes", opener->left);
	t_kill(&child);
	munmap(opener, sizeof(*opener));
}

static void check_user(uid_t uid, u64 limit, s64 pays, const char *name)
{
	const struct opener like = { .uid = uid, .limit = limit };

	check_one(&like, pays, name);
}

/* What counts against the limit of a process that has ended, while another one has its session. */
static void check_passed_on(u64 bytes)
{
	struct opener *opener = make_opener(USER, bytes);
	struct t_child child;

	opener->passes_on = true;
	child = t_fork(opens, opener);
	t_hear(&child);
	t_check(opener->pinned == bytes, "a session that outlives its opener", "%llu bytes",
		opener->pinned);
	t_tell(&child);
	t_kill(&child);
	munmap(opener, sizeof(*opener));
}

static void check_limit(u64 bytes)
{
	const struct opener may_lock_any = { .uid = USER, .may_lock = true };

	t_set_parameter("mlock_kib", "0");
	check_user(USER, bytes - PAGE, -ENOBUFS, "buffers of a page more than the limit");
	check_user(USER, bytes, bytes, "buffers as large as the limit");
	check_user(USER, RLIM_INFINITY, bytes, "buffers without a limit");
	check_one(&may_lock_any, 0, "with CAP_IPC_LOCK there is no limit");
	check_user(0, 0, 0, "nor for root");
	check_passed_on(bytes);
}

/* Sets how much a user has free: @bytes, or some pages more. Returns how much it is. */
static u64 set_free(u64 bytes)
{
	const unsigned long long kib = bytes / 1024 / get_nprocs() + 1;
	char text[24];

	snprintf(text, sizeof(text), "%llu", kib);
	t_set_parameter("mlock_kib", text);
	return kib * 1024 * get_nprocs() / PAGE * PAGE;
}

/* While @holder has its session, the user has nothing free; then it has all again. */
static void check_shared(struct opener *holder, const char *name)
{
	struct t_child child = t_fork(opens, holder);

	t_hear(&child);
	t_expect(holder->error, T_OK, "%s", name);
	t_check(!holder->pinned, "what is free does not count", "%llu bytes", holder->pinned);
	check_user(USER, 0, -ENOBUFS, "the user has it free once");
	check_user(OTHER, 0, 0, "another user has the same for themselves");
	t_tell(&child);
	if (!holder->passes_on)
		t_hear(&child);
	t_kill(&child);
}

/* The user has @bytes free, soon. */
static void check_free_again(const char *name)
{
	struct opener *opener = make_opener(USER, 0);

	for (int tries = 0; tries < 1000; tries++) {
		struct t_child child = t_fork(opens, opener);

		t_hear(&child);
		t_kill(&child);
		if (!opener->error)
			break;
		t_sleep(10 * NSEC_PER_MSEC);
	}
	t_expect(opener->error, T_OK, "%s", name);
	munmap(opener, sizeof(*opener));
}

static void check_free(u64 bytes)
{
	struct opener *holder = make_opener(USER, 0);
	u64 rest;

	set_free(bytes);
	check_shared(holder, "a session that fits into what is free");
	check_free_again("it is free again when the session is closed");
	holder->passes_on = true;
	check_shared(holder, "a session that another process gets");
	check_free_again("it is free again when that process has ended");
	munmap(holder, sizeof(*holder));
	rest = bytes - set_free(bytes / 2);
	check_user(USER, rest - PAGE, -ENOBUFS,
		   "half is free, the rest a page more than the limit");
	check_user(USER, rest, rest, "half is free, the rest as large as the limit");
}

/* A user's tables: each has its price until its memory is freed. */
static void loads(struct t_child *parent, void *arg)
{
	struct opener *opener = arg;
	struct gapp_table_head *head;
	struct t_child target;
	struct f_scene scene;
	u32 image;
	u64 bytes, before;
	int fd, table;

	t_failures = 0;
	f_make(&scene);
	become(opener);
	fd = f_ready();
	before = pinned();
	head = f_large(TABLE_PAGES, 1, &bytes);
	table = f_load_marked(fd, head, bytes, 1);
	t_check(table > 0, "a table within the limit", "is %d", table);
	t_check(pinned() - before >= bytes, "a table counts", "%llu of %llu bytes",
		pinned() - before, bytes);
	t_check(f_load_marked(fd, head, bytes, 1) > 0 && pinned() - before < 2 * bytes,
		"the same again costs nothing", "%llu bytes", pinned() - before);
	t_check(f_load_marked(fd, head, bytes, 2) > 0 && pinned() - before >= 2 * bytes,
		"a second one counts", "%llu bytes", pinned() - before);
	t_expect(f_load_marked(fd, head, bytes, 3), -ENOBUFS, "another one beyond the limit");
	t_expect(f_drop(fd, table + 2), T_OK, "the second one is dropped");
	t_check(pinned() - before < 2 * bytes, "then it does not count", "%llu bytes",
		pinned() - before);

	target = t_fork(f_sits, &scene);
	t_hear(&target);
	t_add(fd, target.pid, 0);
	t_expect(f_set(fd, target.pid, &image, NULL, 0), T_OK, "an address space");
	t_expect(f_tell(fd, target.pid, &scene, table), T_OK, "a mapping with the table");
	f_drop(fd, table);
	f_drop(fd, table + 1);
	t_check(pinned() - before >= bytes, "a table that a mapping has counts", "%llu bytes",
		pinned() - before);
	t_kill(&target);
	close(fd);
	t_check(!pinned(), "nothing counts when the session is closed", "%llu bytes", pinned());
	opener->left = t_failures;
	t_tell(parent);
	pause();
}

static void check_tables(void)
{
	/* more than the session's buffers and two tables, less than three tables */
	struct opener *opener =
		make_opener(USER, TABLE_PAGES * GAPP_TABLE_PAGE * sizeof(struct gapp_row) * 5 / 2);
	struct t_child child;

	t_set_parameter("mlock_kib", "0");
	child = t_fork(loads, opener);
	t_hear(&child);
	t_failures += opener->left;
	t_kill(&child);
	munmap(opener, sizeof(*opener));
}

void locked_memory(void)
{
	const u64 bytes = shared_bytes();
	struct stat node;

	if (stat(GAPP_NODE, &node) || chmod(GAPP_NODE, 0666))
		t_die("chmod " GAPP_NODE);
	check_limit(bytes);
	check_free(bytes);
	check_tables();
	t_set_parameter("mlock_kib", T_MLOCK_KIB);
	chmod(GAPP_NODE, node.st_mode & 07777);
}
