// SPDX-License-Identifier: GPL-2.0
/* System calls of 32 bits, which code of 64 bits can make, too: their numbers mean other calls. */
#include <signal.h>
#include <unistd.h>

#include <sys/wait.h>

#include "groups.h"
#include "records.h"

#define SLEEPS 5
#define POLL_32 168 /* swapoff(), if it were of 64 bits */
#define SLEEP_MS 20

/* What slices of the process say that ended in a wait. */
struct seen {
	s32 tid;
	u32 waits;
	u32 untold; /* of them without a system call, and for no page fault */
	u32 named_swapoff;
};

static void gone(int signal)
{
	(void)signal;
	_exit(77);
}

static void polls(void)
{
	long left = POLL_32;

	asm volatile("int $0x80"
		     : "+a"(left)
		     : "b"(0), "c"(0), "d"(SLEEP_MS)
		     : "r8", "r9", "r10", "r11", "memory");
}

static void sleeps(struct t_child *parent, void *arg)
{
	(void)arg;
	t_tell(parent);
	t_hear(parent);
	for (int i = 0; i < SLEEPS; i++)
		polls();
	t_tell(parent);
	pause();
}

static void see(const struct gapp_record *record, void *arg)
{
	const struct gapp_record_slice *slice = (const void *)record;
	struct seen *seen = arg;

	if (record->type != GAPP_RECORD_SLICE || slice->tid != seen->tid ||
	    slice->then != GAPP_THEN_WAIT)
		return;
	seen->waits++;
	seen->untold += slice->syscall < 0 && slice->wait == GAPP_WAIT_OTHER;
	seen->named_swapoff += slice->syscall == POLL_32;
}

/* Whether this kernel has such calls. */
static bool has_calls(void)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		signal(SIGSEGV, gone);
		polls();
		_exit(0);
	}
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && !WEXITSTATUS(status);
}

void calls_32_untold(void)
{
	struct gapp_config config = t_config(GAPP_LEVEL_TRACE);
	struct r_reader reader;
	struct t_child child;
	struct seen seen = { 0 };
	int fd;

	if (!has_calls()) {
		t_skip("a system call of 32 bits", "this kernel has none");
		return;
	}
	config.ring_bytes = GAPP_DEFAULT_RING;
	child = t_fork(sleeps, NULL);
	seen.tid = child.pid;
	fd = t_session(&config);
	t_hear(&child);
	r_open(&reader, fd);
	reader.see = see;
	reader.arg = &seen;
	t_add(fd, child.pid, GAPP_ADD_NO_INHERIT);
	t_expect(t_start(fd), T_OK, "START");
	t_tell(&child);
	r_follow(&reader, &child);
	t_expect(t_stop(fd), T_OK, "STOP");
	r_drain(&reader);
	t_check(seen.untold >= SLEEPS && !seen.named_swapoff,
		"a wait in a system call of 32 bits is told as no other call",
		"%u of %u are, %u as swapoff()", seen.untold, seen.waits, seen.named_swapoff);
	r_close(&reader);
	close(fd);
	t_kill(&child);
}
