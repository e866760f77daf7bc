// SPDX-License-Identifier: GPL-2.0
/*
 * Page faults that wait for a disk: threads read a file through a mapping,
 * whose pages the kernel has been told to forget.
 *
 * Bottleneck by construction: the disk.
 *
 * Usage: faults FILE [threads=3] [pages a thread=12]
 */
#include <fcntl.h>
#include <sys/mman.h>

#include "work.h"

#define PAGE 4096UL
/* Pages so far apart that the kernel reads none of them ahead. */
#define STRIDE (64 * PAGE)

static const char *mapping;
static unsigned long pages;

static void *reader(void *arg)
{
	unsigned long first = (unsigned long)arg * pages;

	name_thread("reader", (unsigned long)arg);
	for (unsigned long i = first; i < first + pages; i++) {
		if (((volatile const char *)mapping)[i * STRIDE] != 'x')
			die("file");
		burn(200);
	}
	return NULL;
}

static int make_file(const char *path, unsigned long count)
{
	int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);

	if (file < 0)
		die(path);
	for (unsigned long i = 0; i < count; i++)
		if (pwrite(file, "x", 1, i * STRIDE) != 1)
			die(path);
	if (fsync(file) || posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED))
		die(path);
	return file;
}

int main(int argc, char **argv)
{
	unsigned int count = threads_arg(argc, argv, 2, 3);
	pthread_t threads[WORK_MAX_THREADS];
	unsigned long size;
	int file;

	if (argc < 2)
		die("a file is needed");
	pages = arg_or(argc, argv, 3, 12);
	size = count * pages * STRIDE;
	file = make_file(argv[1], count * pages);
	mapping = mmap(NULL, size, PROT_READ, MAP_SHARED, file, 0);
	if (mapping == MAP_FAILED || madvise((void *)mapping, size, MADV_RANDOM))
		die("mmap");
	start_threads(threads, count, reader);
	join_threads(threads, count);
	unlink(argv[1]);
	return 0;
}
