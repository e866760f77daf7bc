// SPDX-License-Identifier: GPL-2.0
/* Children by vfork(), whose parent's stack they run on. */
#include <sys/wait.h>
#include <unistd.h>

static __attribute__((noinline)) int child_of(int i)
{
	pid_t pid = vfork();

	if (!pid) {
		if (i % 4)
			_exit(i & 1);
		execl("/bin/true", "true", NULL);
		_exit(127);
	}
	return pid;
}

int main(void)
{
	int status, i;

	for (i = 0;; i++) {
		child_of(i);
		while (wait(&status) > 0)
			;
	}
}
