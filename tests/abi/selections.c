// SPDX-License-Identifier: GPL-2.0
/* ADD_SELECTION: processes of a name or a control group belong to the target from their exec on. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "groups.h"
#include "t.h"

#define COPY "/tmp/gapp-selected"
#define OTHER_COPY "/tmp/gapp-passed"
#define GROUPS "/tmp/gapp-cgroup"
#define GROUP GROUPS "/outer"
#define INNER GROUP "/inner"

static int add(int fd, const char *comm, int cgroup_fd, u32 flags)
{
	struct gapp_add_selection argument = { .cgroup_fd = cgroup_fd, .flags = flags };

	strncpy((char *)argument.comm, comm, sizeof(argument.comm));
	return t_ioctl(fd, GAPP_IOC_ADD_SELECTION, &argument);
}

static void make_copy(const char *path)
{
	char command[128];

	snprintf(command, sizeof(command), "cp /proc/%d/exe %s && chmod 755 %s", getpid(), path,
		 path);
	if (system(command))
		t_die(path);
}

/* Returns descriptors of the outer group and the inner one. */
static void make_groups(int groups[static 2])
{
	mkdir(GROUPS, 0755);
	if (mount("none", GROUPS, "cgroup2", 0, NULL))
		t_die(GROUPS);
	mkdir(GROUP, 0755);
	mkdir(INNER, 0755);
	groups[0] = open(GROUP, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	groups[1] = open(INNER, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (groups[0] < 0 || groups[1] < 0)
		t_die(GROUP);
}

static void remove_groups(int groups[static 2])
{
	close(groups[0]);
	close(groups[1]);
	rmdir(INNER);
	rmdir(GROUP);
	umount(GROUPS);
	rmdir(GROUPS);
}

/* What a child does: it enters the group, if any, and executes the program. */
struct path {
	const char *group;
	const char *program;
};

static void executes(struct t_child *parent, void *arg)
{
	const struct path *path = arg;
	char words[64];
	FILE *file;

	if (path->group) {
		snprintf(words, sizeof(words), "%s/cgroup.procs", path->group);
		file = fopen(words, "we");
		if (!file || fprintf(file, "%d", getpid()) < 0 || fclose(file))
			t_die(words);
	}
	t_tell(parent);
	t_hear(parent);
	fcntl(parent->to, F_SETFD, 0);
	snprintf(words, sizeof(words), "%d", parent->to);
	execl(path->program, "abi_test", "--tell", words, NULL);
	t_die(path->program);
}

static struct t_child run(const char *group, const char *program)
{
	struct path path = { group, program };
	struct t_child child = t_fork(executes, &path);

	t_hear(&child);
	t_tell(&child);
	t_hear(&child);
	return child;
}

static void bad_values(int fd)
{
	static const char longest[] = "0123456789012345678901234567890";
	struct gapp_add_selection argument = { .comm = "a", .cgroup_fd = -1 };
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	int folder = open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	t_expect(add(fd, "", -1, 0), -EINVAL, "neither a name nor a group");
	t_expect(add(fd, "a", -2, 0), -EINVAL, "a group of -2");
	t_expect(add(fd, "a", 0x7fffffff, 0), -EBADF, "a group of nothing");
	t_expect(add(fd, "a", null, 0), -EBADF, "a device as a group");
	t_expect(add(fd, "a", folder, 0), -EBADF, "another folder as a group");
	for (unsigned int bit = 1; bit < 32; bit++)
		if (add(fd, "a", -1, 1U << bit) != -EINVAL)
			t_check(false, "flags of no meaning are EINVAL", "bit %u is not", bit);
	for (int i = 0; i < 2; i++) {
		memset(argument.reserved, 0, sizeof(argument.reserved));
		argument.reserved[i] = 1ULL << (i ? 63 : 0);
		t_expect(t_ioctl(fd, GAPP_IOC_ADD_SELECTION, &argument), -EINVAL, "reserved[%d]",
			 i);
	}
	memset(argument.reserved, 0, sizeof(argument.reserved));
	memset(argument.comm, '*', sizeof(argument.comm));
	t_expect(t_ioctl(fd, GAPP_IOC_ADD_SELECTION, &argument), -EINVAL, "a name without NUL");
	t_expect(add(fd, longest, -1, 0), T_OK, "the longest name");
	close(null);
	close(folder);
}

void selections_errors(void)
{
	int fd = t_open(), groups[2], bad = 0;

	make_groups(groups);
	t_expect(add(fd, "a", -1, 0), -ENOTCONN, "ADD_SELECTION before CONFIGURE");
	t_expect(t_configure(fd, 0, 0), T_OK, "CONFIGURE");
	t_expect(t_start(fd), -ENODATA, "START with nothing");
	bad_values(fd);
	for (int i = 1; i < GAPP_MAX_SELECTIONS - 1; i++)
		bad += add(fd, i % 2 ? "" : "*", groups[i / 2 % 2],
			   i % 2 ? GAPP_ADD_NO_INHERIT : 0) != 0;
	t_check(!bad, "as many selections as may be, but one", "%d were refused", bad);
	t_expect(t_start(fd), T_OK, "START with selections only");
	t_expect(add(fd, "b", -1, 0), T_OK, "ADD_SELECTION while running");
	t_expect(add(fd, "b", -1, 0), -ENOSPC, "one selection too many");
	t_expect(t_stop(fd), T_OK, "STOP");
	t_expect(add(fd, "b", -1, 0), -EBUSY, "ADD_SELECTION after STOP");
	close(fd);

	/* A session that is never started gives its groups back, too. */
	fd = t_ready();
	t_expect(add(fd, "", groups[0], 0), T_OK, "ADD_SELECTION");
	close(fd);
	remove_groups(groups);
}

static u32 live(int fd)
{
	struct gapp_status status;

	t_status(fd, &status);
	return status.live;
}

void selections_names(void)
{
	int fd = t_ready();
	struct t_child before, meant, other;

	make_copy(COPY);
	make_copy(OTHER_COPY);
	before = run(NULL, COPY);
	t_expect(add(fd, "gapp-[r-t]e?ect*", -1, GAPP_ADD_NO_INHERIT), T_OK, "ADD_SELECTION");
	t_expect(t_start(fd), T_OK, "START");
	t_check(!live(fd), "whoever has the name before is not followed", "%u are", live(fd));
	meant = run(NULL, COPY);
	t_check(live(fd) == T_TOLD_THREADS, "whoever executes by that name is followed",
		"%u threads are", live(fd));
	other = run(NULL, OTHER_COPY);
	t_check(live(fd) == T_TOLD_THREADS, "whoever executes by another name is not",
		"%u threads are", live(fd));
	t_expect(t_stop(fd), T_OK, "STOP");
	t_recount(fd);
	close(fd);
	unlink(COPY);
	unlink(OTHER_COPY);
	t_kill(&before);
	t_kill(&meant);
	t_kill(&other);
}

void selections_groups(void)
{
	int both = t_ready(), inner = t_ready(), named = t_ready(), groups[2];
	struct t_child in_outer, in_inner, outside;

	make_copy(COPY);
	make_groups(groups);
	t_expect(add(both, "", groups[0], 0), T_OK, "a group");
	t_expect(add(inner, "", groups[1], 0), T_OK, "a group inside");
	t_expect(add(named, "gapp-passed", groups[0], 0), T_OK, "a group and a name");
	t_expect(t_start(both), T_OK, "START");
	t_expect(t_start(inner), T_OK, "START");
	t_expect(t_start(named), T_OK, "START");
	outside = run(NULL, COPY);
	t_check(!live(both) && !live(inner), "whoever is in no group is not followed",
		"%u and %u threads are", live(both), live(inner));
	in_outer = run(GROUP, COPY);
	t_check(live(both) == T_TOLD_THREADS + 1 && !live(inner),
		"whoever is in the group is followed with its child", "%u and %u threads are",
		live(both), live(inner));
	in_inner = run(INNER, COPY);
	t_check(live(both) == 2 * (T_TOLD_THREADS + 1) && live(inner) == T_TOLD_THREADS + 1,
		"so is whoever is in one below it", "%u and %u threads are", live(both),
		live(inner));
	t_check(!live(named), "both must be so", "%u threads are followed", live(named));
	t_expect(t_stop(both), T_OK, "STOP");
	t_recount(both);
	/* a group may be gone before the session is */
	t_kill(&in_inner);
	t_kill(&in_outer);
	t_kill(&outside);
	remove_groups(groups);
	close(both);
	close(inner);
	close(named);
	unlink(COPY);
}
