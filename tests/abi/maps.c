// SPDX-License-Identifier: GPL-2.0
/* mmap(): what can be mapped, and how; and how long it lasts. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "busy.h"
#include "groups.h"
#include "records.h"

/* Maps and unmaps; 0 or a negative error number. */
static int try(int fd, u64 bytes, int protection, int flags, u64 offset)
{
	void *memory = mmap(NULL, bytes, protection, flags, fd, offset);

	if (memory == MAP_FAILED)
		return -errno;
	munmap(memory, bytes);
	return 0;
}

/* As a debugger would, which reads only what the kernel takes for readable. */
static bool is_readable(void *memory)
{
	u64 word;
	struct iovec to = { &word, sizeof(word) }, from = { memory, sizeof(word) };

	return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == sizeof(word);
}

static void region(int fd, const char *name, u64 bytes, u64 offset, bool writable)
{
	u64 page = sysconf(_SC_PAGESIZE);
	u8 *memory;

	t_expect(try(fd, bytes, PROT_READ, MAP_SHARED, offset), T_OK, "%s", name);
	t_expect(try(fd, bytes - page, PROT_READ, MAP_SHARED, offset), -EINVAL, "%s, a page less",
		 name);
	t_expect(try(fd, bytes + page, PROT_READ, MAP_SHARED, offset), -EINVAL, "%s, a page more",
		 name);
	t_expect(try(fd, bytes, PROT_READ, MAP_PRIVATE, offset), -EINVAL, "%s, private", name);
	t_expect(try(fd, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, offset), -EINVAL,
		 "%s, private and writable", name);
	t_expect(try(fd, bytes, PROT_READ | PROT_EXEC, MAP_SHARED, offset), -EINVAL,
		 "%s, executable", name);
	t_expect(try(fd, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, offset),
		 writable ? T_OK : -EACCES, "%s, writable", name);
	t_expect(try(fd, bytes, PROT_READ, MAP_SHARED, offset + page), -ENXIO, "%s, a page on",
		 name);

	memory = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, offset);
	t_check(is_readable(memory), name, "it cannot be read");
	t_expect(mprotect(memory, bytes, PROT_READ | PROT_WRITE) ? -errno : 0,
		 writable ? T_OK : -EACCES, "%s, made writable later", name);
	t_expect(mprotect(memory, bytes, PROT_READ | PROT_EXEC) ? -errno : 0, -EACCES,
		 "%s, made executable later", name);
	t_check(mremap(memory, bytes, bytes + page, MREMAP_MAYMOVE) == MAP_FAILED, name,
		"it can be made longer");
	munmap(memory, bytes);
}

static void offsets(int fd, const struct gapp_layout *layout)
{
	const u64 unknown[] = {
		4096,
		GAPP_MAP_READ_POSITIONS - 4096,
		GAPP_MAP_RING(0) - 4096,
		GAPP_MAP_RING(layout->cpus),
		GAPP_MAP_RING(layout->cpus + 1),
		GAPP_MAP_RING(65535),
		GAPP_MAP_RING(0xffffff),
		1ULL << 62,
	};

	for (size_t i = 0; i < ARRAY_SIZE(unknown); i++)
		t_expect(try(fd, layout->ring_map_bytes, PROT_READ, MAP_SHARED, unknown[i]), -ENXIO,
			 "offset %#llx", unknown[i]);
	for (unsigned int cpu = 0; cpu < layout->cpus; cpu++)
		t_expect(try(fd, layout->ring_map_bytes, PROT_READ, MAP_SHARED, GAPP_MAP_RING(cpu)),
			 r_cpu_is("present", cpu) ? T_OK : -ENXIO, "the ring of CPU %u", cpu);
}

/* Nothing of a session may be changed by way of another mapping of the same file either. */
static void read_only_file(void)
{
	struct gapp_config config = t_config(GAPP_LEVEL_CRITICAL);
	int fd = open(GAPP_NODE, O_RDONLY | O_CLOEXEC);
	struct gapp_layout layout;

	t_expect(t_ioctl(fd, GAPP_IOC_CONFIGURE, &config), T_OK, "CONFIGURE, opened read-only");
	r_layout(fd, &layout);
	t_expect(try(fd, layout.positions_map_bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
		     GAPP_MAP_READ_POSITIONS),
		 -EACCES, "the tails, writable, opened read-only");
	close(fd);
}

/* As a debugger would, which may write to read-only memory of its own kind. */
static void forced(const u8 *memory, const char *name)
{
	int fd = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	u8 byte = 0xff;

	t_check(pwrite(fd, &byte, 1, (uintptr_t)memory) < 0 && *memory != 0xff, name,
		"it can be written to by force");
	close(fd);
}

void maps_regions(void)
{
	struct gapp_config config = t_config(GAPP_LEVEL_CRITICAL);
	struct gapp_layout layout;
	struct r_reader reader;
	int fd = t_open();

	t_expect(try(fd, 4096, PROT_READ, MAP_SHARED, GAPP_MAP_PATHS), -ENOTCONN,
		 "mmap before CONFIGURE");
	close(fd);
	fd = t_ready();
	t_expect(try(fd, 4096, PROT_READ, MAP_SHARED, GAPP_MAP_PATHS), -ENODATA,
		 "mmap with level stats");
	t_expect(try(fd, 4096, PROT_READ, MAP_SHARED, 12345ULL << 12), -ENODATA,
		 "mmap with level stats, unknown offset");
	close(fd);

	config.ring_bytes = GAPP_MIN_RING;
	config.paths = GAPP_MIN_PATHS;
	fd = t_session(&config);
	r_layout(fd, &layout);
	region(fd, "the paths", layout.paths_map_bytes, GAPP_MAP_PATHS, false);
	region(fd, "the tails", layout.positions_map_bytes, GAPP_MAP_READ_POSITIONS, true);
	region(fd, "a ring", layout.ring_map_bytes, GAPP_MAP_RING(0), false);
	offsets(fd, &layout);
	r_open(&reader, fd);
	forced((u8 *)reader.rings[0].shared, "a ring is not written to by force");
	forced(reader.paths, "nor are the paths");
	t_check(!r_drain(&reader) && !reader.tally.bad && !r_path_count(&reader),
		"there is nothing in them", "%s", reader.tally.why);
	r_close(&reader);
	close(fd);
	read_only_file();
}

static unsigned int sessions(void)
{
	FILE *file = fopen("/proc/gapp/sessions", "r");
	unsigned int lines = 0;
	char line[512];

	if (!file)
		t_die("/proc/gapp/sessions");
	while (fgets(line, sizeof(line), file))
		lines++;
	fclose(file);
	return lines - 1;
}

/* The file is closed, its mappings live on: the session goes on until they have gone. */
void maps_outlive_file(void)
{
	struct gapp_config config = t_config(GAPP_LEVEL_TRACE);
	unsigned int ms = 300, before = sessions(), tries = 0;
	struct t_child target = t_fork(busy_mixed, &ms);
	struct r_reader reader;
	u64 first, second;
	int fd;

	t_hear(&target);
	fd = t_session(&config);
	r_open(&reader, fd);
	t_add(fd, target.pid, 0);
	t_expect(t_start(fd), T_OK, "START");
	t_tell(&target);
	r_follow(&reader, &target);
	first = reader.tally.records;
	close(fd);
	t_check(sessions() == before + 1, "a session lives as long as its mappings", "%u sessions",
		sessions() - before);
	reader.fd = -1;
	t_tell(&target);
	r_follow(&reader, &target);
	second = reader.tally.records - first;
	t_check(first && second, "records still come", "%llu, then %llu", first, second);
	t_check(!reader.tally.bad, "all of them make sense", "%llu do not: %s", reader.tally.bad,
		reader.tally.why);
	r_close(&reader);
	while (sessions() != before && tries++ < 100)
		t_sleep(10 * NSEC_PER_MSEC);
	t_check(sessions() == before, "it ends with the last of them", "%u sessions too many",
		sessions() - before);
	t_kill(&target);
}

void maps_outlive_stop(void)
{
	struct gapp_config config = t_config(GAPP_LEVEL_TRACE);
	unsigned int ms = 200;
	struct t_child target = t_fork(busy_mixed, &ms);
	struct r_reader reader;
	u64 before;
	int fd;

	t_hear(&target);
	fd = t_session(&config);
	t_add(fd, target.pid, 0);
	t_expect(t_start(fd), T_OK, "START");
	t_tell(&target);
	t_hear(&target);
	t_expect(t_stop(fd), T_OK, "STOP");
	r_open(&reader, fd);
	r_drain(&reader);
	before = reader.tally.records;
	t_check(before && !reader.tally.bad, "all can be mapped and read after STOP",
		"%llu records, %llu make no sense: %s", before, reader.tally.bad, reader.tally.why);
	t_tell(&target);
	t_hear(&target);
	t_check(!r_drain(&reader), "no record comes after it", "%llu came",
		reader.tally.records - before);
	r_close(&reader);
	close(fd);
	t_kill(&target);
}

static void touches(struct t_child *parent, void *arg)
{
	(void)parent;
	signal(SIGSEGV, SIG_DFL);
	_exit(*(volatile const u8 *)arg);
}

void maps_fork(void)
{
	struct gapp_config config = t_config(GAPP_LEVEL_CRITICAL);
	int fd = t_session(&config), status;
	struct r_reader reader;
	struct t_child child;

	r_open(&reader, fd);
	const struct {
		const char *name;
		const void *memory;
	} maps[] = {
		{ "a child does not inherit the ring", reader.rings[0].shared },
		{ "nor the tails", reader.tails },
		{ "nor the paths", reader.paths },
	};
	for (size_t i = 0; i < ARRAY_SIZE(maps); i++) {
		child = t_fork(touches, (void *)maps[i].memory);
		waitpid(child.pid, &status, 0);
		t_check(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV, maps[i].name,
			"status %#x", status);
		close(child.to);
		close(child.from);
	}
	r_close(&reader);
	close(fd);
}
