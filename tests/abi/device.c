// SPDX-License-Identifier: GPL-2.0
/*
 * A device's memory where a stack was, with the same words in it: the module remembers the call
 * path, and must not read the device to see whether it still holds.
 */
#include <fcntl.h>
#include <glob.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "groups.h"
#include "seen.h"

#define PAGE 4096ULL
/* A device of QEMU's with nothing but memory. */
#define MEMORY_DEVICES "/sys/bus/pci/devices/*/resource2"
#define MEMORY_DEVICE "0x1af4 0x1110"

struct swap {
	u8 *stack;
	int device;
	int go[2], done[2];
};

static struct swap swap;

static bool is_memory_device(const char *resource)
{
	char path[200], vendor[16] = "", device[16] = "", is[40];
	const char *const names[] = { "vendor", "device" };
	char *const values[] = { vendor, device };
	FILE *file;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(path, sizeof(path), "%.*s%s", (int)(strrchr(resource, '/') + 1 - resource),
			 resource, names[i]);
		file = fopen(path, "re");
		if (!file)
			return false;
		if (fscanf(file, "%15s", values[i]) != 1)
			values[i][0] = '\0';
		fclose(file);
	}
	snprintf(is, sizeof(is), "%s %s", vendor, device);
	return !strcmp(is, MEMORY_DEVICE);
}

/* Below 0: there is none. */
static int open_device(void)
{
	glob_t found;
	int fd = -1;

	if (glob(MEMORY_DEVICES, 0, NULL, &found))
		return -1;
	for (size_t i = 0; i < found.gl_pathc && fd < 0; i++)
		if (is_memory_device(found.gl_pathv[i]))
			fd = open(found.gl_pathv[i], O_RDWR | O_CLOEXEC);
	globfree(&found);
	return fd;
}

/* A thread of the process, which is not the one that is followed to its stack. */
static void *swaps(void *unused)
{
	char word;

	(void)unused;
	if (read(swap.go[0], &word, 1) != 1 ||
	    mmap(swap.stack, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, swap.device,
		 0) == MAP_FAILED ||
	    *(volatile u64 *)swap.stack == 0 || write(swap.done[1], &word, 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

static void prepare(struct f_scene *scene)
{
	pthread_t thread;

	(void)scene;
	if (pthread_create(&thread, NULL, swaps, NULL))
		t_die("pthread_create");
}

static void make_swap(struct f_scene *scene)
{
	u64 word, *memory;

	f_make(scene);
	word = f_at(scene, f_start_swap_back);
	memory = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, swap.device, 0);
	swap.stack = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED || swap.stack == MAP_FAILED || pipe(swap.go) || pipe(swap.done))
		t_die("a device's memory");
	*memory = word;
	memcpy(swap.stack, &word, sizeof(word));
	munmap(memory, PAGE);
	scene->start = f_start_swap;
	scene->prepare = prepare;
	scene->stage->rsp = (uintptr_t)swap.stack;
}

void device_remembered(void)
{
	const char *name = "a device's memory where a remembered stack was is not read";
	struct gapp_config config = s_config(GAPP_UNWIND_BY_TABLE);
	struct f_scene scene;
	struct seen *seen;
	u64 frames[2];
	char word = 0;

	swap.device = open_device();
	if (swap.device < 0) {
		t_skip(name, "no device with memory here");
		return;
	}
	make_swap(&scene);
	frames[0] = f_at(&scene, f_swap_back);
	frames[1] = f_at(&scene, f_start_swap_back);
	seen = s_follow(&config, &scene);
	s_tell(seen, &scene);
	/* found, and then remembered */
	for (int i = 0; i < 3; i++) {
		s_step(seen);
		s_expect(seen, seen->slice.path, frames, 2,
			 GAPP_UNWIND_COMPLETE | GAPP_PATH_BY_TABLE, "a stack in memory");
	}
	if (write(swap.go[1], &word, 1) != 1 || read(swap.done[0], &word, 1) != 1)
		t_die("the device's memory does not come");
	for (int i = 0; i < 2; i++) {
		s_step(seen);
		s_expect(seen, seen->slice.path, frames, 1,
			 GAPP_UNWIND_UNREADABLE | GAPP_PATH_BY_TABLE, name);
	}
	s_done(seen, &scene);
	close(swap.device);
	munmap(swap.stack, PAGE);
}
