// SPDX-License-Identifier: GPL-2.0
/*
 * truth: first=protect_arena kind=ran waits=fault cpu=below cpu_as=protect_for_a_while
 *
 * Threads that read pages for the first time, while another changes the protection
 * of the whole arena over and over: it holds the lock of the process's memory, and
 * their page faults wait for that. Before, they compute together. All the pages are
 * one page of zeros, so they take no memory but for the tables.
 */
#include <errno.h>
#include <sys/mman.h>

#include "truth.h"

#define PAGE 4096UL
#define PART (128UL << 20)
#define CPU_NS (1200 * NSEC_PER_MSEC)

static char *arena;
static atomic_int over;
static struct pieces warming = { 3600 };

/* The arena is one mapping between two that cannot be joined with it. */
static void make_arena(void)
{
	arena = mmap(NULL, WORKERS * PART + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		     0);
	if (arena == MAP_FAILED)
		die("mmap");
	arena += PAGE;
	if (mprotect(arena, WORKERS * PART, PROT_READ))
		die("mprotect");
	/* EINVAL: the kernel has no huge pages */
	if (madvise(arena, WORKERS * PART, MADV_NOHUGEPAGE) && errno != EINVAL)
		die("madvise");
}

static void read_pages(const char *part)
{
	for (unsigned long at = 0; at < PART; at += PAGE)
		*(const volatile char *)(part + at);
}

static noinline void protect_arena(int flag)
{
	if (DIRECT(SYS_mprotect, arena, WORKERS * PART, PROT_READ | flag, 0)) /* TRUTH: first */
		die("mprotect");
}

static void protect_for_a_while(void)
{
	unsigned long long begin = thread_cpu_ns(), took;
	int flag = 0;

	do {
		flag ^= PROT_EXEC;
		protect_arena(flag);
		took = thread_cpu_ns() - begin;
	} while (took < CPU_NS);
	SPENT(took);
	over = 1;
}

static noinline void read_again(char *part)
{
	/* madvise() waits for the lock, too: few calls, and many faults */
	if (madvise(part, PART, MADV_DONTNEED))
		die("madvise");
	read_pages(part);
}

static void *worker(void *arg)
{
	char *part = arena + (unsigned long)arg * PART;
	unsigned long long begin;

	read_pages(part);
	parallel_work(&warming);
	if (!arg) {
		protect_for_a_while();
		return NULL;
	}
	begin = thread_cpu_ns();
	while (!over)
		read_again(part);
	SPENT(thread_cpu_ns() - begin);
	return NULL;
}

int main(void)
{
	truth_begin();
	make_arena();
	read_input();
	on_threads(WORKERS, worker);
	write_output();
	truth_end();
	return 0;
}
