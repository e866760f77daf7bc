// SPDX-License-Identifier: GPL-2.0
#include "bus_guard.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>

#include "util.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned int users;
static struct sigaction former;
static unsigned long page_size;

/* A signal handler: system calls only. */
static void put_zeros(int number, siginfo_t *info, void *context)
{
	void *page = (void *)((uintptr_t)info->si_addr & ~(page_size - 1));

	(void)context;
	if (info->si_code == BUS_ADRERR &&
	    mmap(page, page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
		 -1, 0) != MAP_FAILED)
		return;
	/* no mapped file: the access is repeated after the return, and the second SIGBUS kills */
	signal(number, SIG_DFL);
}

void bus_guard_begin(void)
{
	struct sigaction action = { .sa_sigaction = put_zeros, .sa_flags = SA_SIGINFO };

	pthread_mutex_lock(&lock);
	if (!users++) {
		page_size = sysconf(_SC_PAGESIZE);
		sigaction(SIGBUS, &action, &former);
	}
	pthread_mutex_unlock(&lock);
}

void bus_guard_end(void)
{
	pthread_mutex_lock(&lock);
	if (!--users)
		sigaction(SIGBUS, &former, NULL);
	pthread_mutex_unlock(&lock);
}
