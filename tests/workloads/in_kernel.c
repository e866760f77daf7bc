// SPDX-License-Identifier: GPL-2.0
/*
 * One thread has the kernel work in a function that is known, and the others wait for it.
 * Usage: in_kernel read|faults|list|flush MILLISECONDS [PATH]
 * list reads the folder PATH, flush writes to the file PATH. in_kernel fill ENTRIES PATH makes a
 * folder with so many entries.
 */
#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "work.h"

#define WAITERS 3
#define BYTES (4U << 20)
#define noinline __attribute__((noipa))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t done = PTHREAD_COND_INITIALIZER;
static int is_done;
static char buffer[BYTES];

static void *wait_for_it(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&lock);
	while (!is_done)
		pthread_cond_wait(&done, &lock);
	pthread_mutex_unlock(&lock);
	return NULL;
}

/* The kernel copies a file in memory. */
static noinline void read_file(int fd)
{
	if (pread(fd, buffer, BYTES, 0) != BYTES)
		die("pread");
}

static int make_file(const char *unused)
{
	int fd = memfd_create("in_kernel", MFD_CLOEXEC);

	(void)unused;
	if (fd < 0 || write(fd, buffer, BYTES) != BYTES)
		die("memfd");
	return fd;
}

/* The kernel makes each page when it is written to. */
static noinline void touch_pages(int unused)
{
	char *pages = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)unused;
	if (pages == MAP_FAILED)
		die("mmap");
	/* a kernel without huge pages refuses that */
	madvise(pages, BYTES, MADV_NOHUGEPAGE);
	for (unsigned int i = 0; i < BYTES; i += 4096)
		pages[i] = 1;
	munmap(pages, BYTES);
}

/* The kernel goes through a large folder. */
static noinline void list_folder(int fd)
{
	if (lseek(fd, 0, SEEK_SET))
		die("lseek");
	while (syscall(SYS_getdents64, fd, buffer, BYTES) > 0)
		;
}

static int open_folder(const char *path)
{
	return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* The kernel waits for the disk. */
static noinline void flush_file(int fd)
{
	if (pwrite(fd, buffer, 4096, 0) != 4096 || fdatasync(fd))
		die("fdatasync");
}

static int create_file(const char *path)
{
	return open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
}

static int no_file(const char *unused)
{
	(void)unused;
	return 0;
}

static const struct {
	const char *name;
	int (*begin)(const char *path);
	void (*work)(int fd);
} works[] = {
	{ "read", make_file, read_file },
	{ "faults", no_file, touch_pages },
	{ "list", open_folder, list_folder },
	{ "flush", create_file, flush_file },
};

static int fill(unsigned long entries, const char *path)
{
	char name[32];
	int folder;

	if (mkdir(path, 0700))
		die(path);
	folder = open_folder(path);
	for (unsigned long i = 0; i < entries; i++) {
		snprintf(name, sizeof(name), "entry-%lu", i);
		if (mknodat(folder, name, S_IFREG | 0600, 0))
			die(name);
	}
	close(folder);
	return 0;
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "", *path = argc > 3 ? argv[3] : "";
	unsigned long amount = arg_or(argc, argv, 2, 1000);
	pthread_t waiters[WAITERS];
	unsigned int i = 0;
	int fd;

	if (!strcmp(name, "fill"))
		return fill(amount, path);
	while (i < sizeof(works) / sizeof(*works) && strcmp(name, works[i].name))
		i++;
	if (i == sizeof(works) / sizeof(*works)) {
		errno = EINVAL;
		die(name);
	}
	fd = works[i].begin(path);
	if (fd < 0)
		die(path);
	for (int j = 0; j < WAITERS; j++)
		if (pthread_create(&waiters[j], NULL, wait_for_it, NULL))
			die("pthread_create");
	for (unsigned long long end = now_ns() + amount * NSEC_PER_MSEC; now_ns() < end;)
		works[i].work(fd);
	pthread_mutex_lock(&lock);
	is_done = 1;
	pthread_cond_broadcast(&done);
	pthread_mutex_unlock(&lock);
	for (int j = 0; j < WAITERS; j++)
		pthread_join(waiters[j], NULL);
	return 0;
}
