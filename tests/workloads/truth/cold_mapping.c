// SPDX-License-Identifier: GPL-2.0
/*
 * truth: part=waits first=read_page kind=waited wait=fault cpu=below disk=yes
 * truth: own_object=cold_mapping
 *
 * A storm of page faults by one mapping: threads read a file through it that is on
 * the disk only, each page by itself, so that mostly nobody runs.
 */
#include <fcntl.h>
#include <sys/mman.h>

#include "truth.h"

#define PATH "/disk/pages"
#define PAGES 60
#define PAGE 4096L

static const volatile char *mapping;
static struct pieces warming = { 400 }, pages = { PAGES };

static noinline int read_page(long page)
{
	BURN(10);
	return mapping[page * PAGE]; /* TRUTH: first */
}

static noinline void sum_page(void)
{
	BURN(500);
}

static void *worker(void *arg)
{
	long page;

	(void)arg;
	parallel_work(&warming);
	while ((page = atomic_fetch_sub(&pages.left, 1)) > 0) {
		if (read_page(page - 1) != 'x')
			die(PATH);
		sum_page();
	}
	return NULL;
}

static void map_file(void)
{
	int file = open(PATH, O_RDWR | O_CREAT | O_TRUNC, 0600);
	static char content[PAGES * PAGE];
	void *at;

	memset(content, 'x', sizeof(content));
	if (file < 0 || write(file, content, sizeof(content)) != sizeof(content))
		die(PATH);
	if (fsync(file) || posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED))
		die(PATH);
	at = mmap(NULL, PAGES * PAGE, PROT_READ, MAP_SHARED, file, 0);
	if (at == MAP_FAILED || madvise(at, PAGES * PAGE, MADV_RANDOM))
		die("mmap");
	mapping = at;
}

int main(void)
{
	truth_begin();
	map_file();
	read_input();
	on_threads(WORKERS, worker);
	write_output();
	unlink(PATH);
	truth_end();
	return 0;
}
