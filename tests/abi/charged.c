// SPDX-License-Identifier: GPL-2.0
/* Whose memory cgroup pays for a session: the opener's, not the target's. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "groups.h"
#include "t.h"

#define ROOT "/tmp/gapp-cgroup"
#define OPENER ROOT "/opener"
#define RING_BYTES (4U << 20)
/* A thread that has exited keeps the 256 bytes that the module has made for it. */
#define THREADS 6000
#define THREADS_BYTES (THREADS * 256ULL)

static bool put(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");
	bool good = file && fputs(text, file) >= 0;

	return file && !fclose(file) && good;
}

/* Bytes charged to the opener's cgroup. */
static u64 charged(void)
{
	FILE *file = fopen(OPENER "/memory.current", "r");
	unsigned long long bytes;

	if (!file || fscanf(file, "%llu", &bytes) != 1)
		t_die(OPENER "/memory.current");
	fclose(file);
	return bytes;
}

static void *nothing(void *unused)
{
	return unused;
}

/* The target: threads that come and go. */
static void many_threads(struct t_child *parent, void *unused)
{
	pthread_t thread;

	(void)unused;
	t_tell(parent);
	t_hear(parent);
	for (int i = 0; i < THREADS; i++) {
		errno = pthread_create(&thread, NULL, nothing, NULL);
		if (errno)
			t_die("pthread_create");
		pthread_join(thread, NULL);
	}
	t_tell(parent);
	pause();
}

/* The opener, in its cgroup. */
static void opens(struct t_child *parent, void *arg)
{
	struct gapp_config config = t_config(GAPP_LEVEL_CRITICAL);
	const pid_t *target = arg;
	int fd;

	if (!put(OPENER "/cgroup.procs", "0"))
		t_die(OPENER "/cgroup.procs");
	t_tell(parent);
	t_hear(parent);
	config.ring_bytes = RING_BYTES;
	fd = t_session(&config);
	t_tell(parent);
	t_hear(parent);
	if (t_add(fd, *target, 0) || t_start(fd))
		t_die("START");
	t_tell(parent);
	t_hear(parent);
	close(fd);
	t_tell(parent);
	pause();
}

static void check_charges(void)
{
	u64 rings = (u64)RING_BYTES * get_nprocs(), before, made, followed, after;
	struct t_child target = t_fork(many_threads, NULL);
	struct t_child opener = t_fork(opens, &target.pid);

	t_hear(&target);
	t_hear(&opener);
	before = charged();
	t_tell(&opener);
	t_hear(&opener);
	made = charged();
	t_check(made >= before + rings, "rings are charged to who opened", "%llu of %llu bytes",
		made - before, rings);
	t_tell(&opener);
	t_hear(&opener);
	t_tell(&target);
	t_hear(&target);
	followed = charged();
	t_check(followed >= made + THREADS_BYTES / 2, "and so is room for the target's threads",
		"%llu of %llu bytes", followed - made, THREADS_BYTES);
	t_tell(&opener);
	t_hear(&opener);
	after = charged();
	t_check(after < before + rings / 4, "a closed session is charged for no more",
		"%llu bytes are left", after - before);
	t_kill(&opener);
	t_kill(&target);
}

void charged_memory(void)
{
	const char *name = "rings are charged to who opened";

	mkdir(ROOT, 0755);
	if (mount("cgroup2", ROOT, "cgroup2", 0, NULL)) {
		t_skip(name, "no cgroup2");
	} else if (!put(ROOT "/cgroup.subtree_control", "+memory") || mkdir(OPENER, 0755)) {
		t_skip(name, "no memory cgroups");
	} else {
		check_charges();
		rmdir(OPENER);
	}
	umount(ROOT);
	rmdir(ROOT);
}
