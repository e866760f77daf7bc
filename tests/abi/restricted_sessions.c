// SPDX-License-Identifier: GPL-2.0
/* How many sessions users without privilege may open, alone and together. Run as root in a guest.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "restricted_sessions.h"

#define ALL_SESSIONS 64
#define USER_SESSIONS 8
#define PRIVILEGED_SESSIONS USER_SESSIONS
#define FIRST_USER 2000
/* One more than there is room for. */
#define USERS ((ALL_SESSIONS - PRIVILEGED_SESSIONS) / USER_SESSIONS + 1)
/* Of @FIRST_USER, in a user namespace. */
#define SUBORDINATE_USER 100001

struct opener {
	uid_t uid;
	bool inside; /* as a subordinate user, in a namespace of the user */
	bool no_namespace;
	int opened;
	int error;
};

static void become_subordinate(struct t_child *parent, struct opener *opener)
{
	prctl(PR_SET_DUMPABLE, 1);
	opener->no_namespace = unshare(CLONE_NEWUSER);
	t_tell(parent);
	t_hear(parent);
	if (!opener->no_namespace && setresuid(0, 0, 0))
		t_die("setresuid");
}

/* Opens sessions until that fails, at most one too many for a user; 0 or errno. */
static int open_many(int *fds, int *count)
{
	for (*count = 0; *count <= USER_SESSIONS; (*count)++) {
		fds[*count] = open(GAPP_NODE, O_RDWR | O_CLOEXEC);
		if (fds[*count] < 0)
			return errno;
	}
	return 0;
}

/* Opens as many sessions as it can, and keeps them. */
static void opens(struct t_child *parent, void *arg)
{
	struct opener *opener = arg;
	int fds[USER_SESSIONS + 1];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (setgroups(0, NULL) || setresuid(opener->uid, opener->uid, opener->uid))
		t_die("setresuid");
	if (opener->inside)
		become_subordinate(parent, opener);
	opener->error = open_many(fds, &opener->opened);
	t_tell(parent);
	pause();
}

static void map_users(pid_t pid)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/uid_map", pid);
	file = fopen(path, "w");
	if (!file || fprintf(file, "0 %d 1\n", SUBORDINATE_USER) < 0 || fclose(file))
		t_die(path);
}

static void users_subordinates(struct opener *inside)
{
	struct t_child child;

	*inside = (struct opener){ .uid = FIRST_USER, .inside = true };
	child = t_fork(opens, inside);
	t_hear(&child);
	if (!inside->no_namespace)
		map_users(child.pid);
	t_tell(&child);
	t_hear(&child);
	t_kill(&child);
	if (inside->no_namespace)
		t_skip("a user's subordinate ids share its sessions", "no user namespaces");
	else
		t_check(!inside->opened && inside->error == EUSERS,
			"a user's subordinate ids share its sessions", "%d more, errno %d",
			inside->opened, inside->error);
}

void restricted_sessions(void)
{
	struct opener *openers = mmap(NULL, (USERS + 1) * sizeof(*openers), PROT_READ | PROT_WRITE,
				      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct t_child children[USERS];
	int fds[USER_SESSIONS + 1], opened = 0, error;

	for (int i = 0; i < USERS; i++) {
		openers[i].uid = FIRST_USER + i;
		children[i] = t_fork(opens, &openers[i]);
		t_hear(&children[i]);
		opened += openers[i].opened;
		if (!i)
			users_subordinates(&openers[USERS]);
	}
	t_check(opened == ALL_SESSIONS - PRIVILEGED_SESSIONS && openers[USERS - 1].error == EUSERS,
		"many users leave sessions to the privileged", "%d opened, errno %d", opened,
		openers[USERS - 1].error);
	error = open_many(fds, &opened);
	t_check(opened == PRIVILEGED_SESSIONS && error == EUSERS, "root opens those",
		"%d opened, errno %d", opened, error);
	for (int i = 0; i < opened; i++)
		close(fds[i]);
	for (int i = 0; i < USERS; i++)
		t_kill(&children[i]);
	munmap(openers, (USERS + 1) * sizeof(*openers));
}
