// SPDX-License-Identifier: GPL-2.0
#include "elf_file.h"

#include <elf.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "proc_maps.h"

/* Bytes of the largest file that is opened; libelf maps files, and does not read them whole. */
#define FILE_BYTES_MAX (16LL << 30)
#define PROC_PATH_SIZE 96

/*
 * Sets @mapping to the first mapping of process @pid (digits, or "self") that @wanted accepts, but
 * without its path. False: @wanted accepts none.
 */
static bool find_mapping(const char *pid, bool (*wanted)(const struct proc_mapping *, const void *),
			 const void *context, struct proc_mapping *mapping)
{
	_cleanup_free_ char *line = NULL;
	char path[PROC_PATH_SIZE];
	bool found = false;
	size_t size = 0;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%s/maps", pid);
	maps = fopen(path, "re");
	if (!maps)
		return false;
	while (!found && getline(&line, &size, maps) > 0)
		found = proc_maps_parse(line, mapping) && wanted(mapping, context);
	mapping->path = NULL;
	fclose(maps);
	return found;
}

static bool holds_address(const struct proc_mapping *mapping, const void *address)
{
	return mapping->start <= (uintptr_t)address && (uintptr_t)address < mapping->end;
}

static bool is_of_object(const struct proc_mapping *mapping, const void *context)
{
	const struct object *object = context;

	return mapping->dev == object->dev && mapping->inode == object->inode;
}

/* Opens for reading the file of @found, an O_PATH descriptor. -1: not regular, or too large. */
static int reopen_regular(int found)
{
	char path[PROC_PATH_SIZE];
	struct stat stat;

	if (fstat(found, &stat) || !S_ISREG(stat.st_mode) || stat.st_size <= 0 ||
	    stat.st_size > FILE_BYTES_MAX)
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", found);
	return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

static int open_path(const char *path)
{
	_cleanup_close_ int found = open(path, O_PATH | O_CLOEXEC);

	return found < 0 ? -1 : reopen_regular(found);
}

static int open_below_root_of(pid_t pid, const char *path)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC,
				.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
	_cleanup_close_ int root = -1, found = -1;
	char root_path[PROC_PATH_SIZE];

	snprintf(root_path, sizeof(root_path), "/proc/%d/root", pid);
	root = open(root_path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return -1;
	found = syscall(SYS_openat2, root, path, &how, sizeof(how));
	return found < 0 ? -1 : reopen_regular(found);
}

int elf_file_open_path(pid_t pid, const char *path)
{
	if (path[0] != '/')
		return -1;
	return pid ? open_below_root_of(pid, path) : open_path(path);
}

/*
 * Whether @fd is the object's file. On overlayfs and btrfs fstat() and /proc/PID/maps give one file
 * different device and inode numbers. So the reader maps @fd too, and compares the numbers that
 * /proc/self/maps gives.
 */
static bool is_object(int fd, const struct object *object)
{
	struct proc_mapping mapping;
	struct stat stat;
	bool same;
	void *address;

	if (!object->inode)
		return true;
	if (fstat(fd, &stat))
		return false;
	if (stat.st_dev == object->dev && stat.st_ino == object->inode)
		return true;
	address = mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fd, 0);
	if (address == MAP_FAILED)
		return false;
	same = find_mapping("self", holds_address, address, &mapping) &&
	       is_of_object(&mapping, object);
	munmap(address, 1);
	return same;
}

/* Returns @fd if it is the object's file; else closes @fd and returns -1. */
static int only_object(int fd, const struct object *object)
{
	if (fd < 0 || is_object(fd, object))
		return fd;
	close(fd);
	return -1;
}

/* Opens the file by /proc/PID/exe or map_files, which work after the file was deleted. */
static int open_mapped(const struct object *object, pid_t process)
{
	char path[PROC_PATH_SIZE], pid[16];
	struct proc_mapping mapping;
	int fd;

	if (!object->inode || process <= 0)
		return -1;
	snprintf(pid, sizeof(pid), "%d", process);
	snprintf(path, sizeof(path), "/proc/%s/exe", pid);
	fd = only_object(open_path(path), object);
	if (fd >= 0 || !find_mapping(pid, is_of_object, object, &mapping))
		return fd;
	snprintf(path, sizeof(path), "/proc/%s/map_files/%llx-%llx", pid, mapping.start,
		 mapping.end);
	return only_object(open_path(path), object);
}

int elf_file_open(const struct object *object)
{
	int fd = -1;

	if (object->kind == OBJECT_VDSO)
		return vdso_open();
	if (object->pid > 0)
		fd = only_object(elf_file_open_path(object->pid, object->path), object);
	if (fd < 0 && object->first_pid > 0)
		fd = only_object(elf_file_open_path(object->first_pid, object->path), object);
	if (fd < 0)
		fd = only_object(elf_file_open_path(0, object->path), object);
	if (fd < 0)
		fd = open_mapped(object, object->pid);
	if (fd < 0)
		fd = open_mapped(object, object->first_pid);
	return fd;
}

_Static_assert(sizeof(void *) == 8, "the kernel maps the image for this width");

static size_t larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

/* Bytes of the vDSO. The kernel wrote its header, so the header is not checked. */
static size_t image_size(const Elf64_Ehdr *header)
{
	const Elf64_Phdr *segments = (const void *)((const char *)header + header->e_phoff);
	size_t size = header->e_shoff + (size_t)header->e_shnum * header->e_shentsize;

	for (unsigned int i = 0; i < header->e_phnum; i++) {
		if (segments[i].p_type == PT_LOAD)
			size = larger(size, segments[i].p_offset + segments[i].p_filesz);
	}
	return size;
}

int vdso_open(void)
{
	const Elf64_Ehdr *header = (const void *)getauxval(AT_SYSINFO_EHDR);
	size_t size, done = 0;
	ssize_t bytes;
	int fd;

	if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG))
		return -1;
	fd = memfd_create("vdso", MFD_CLOEXEC);
	if (fd < 0)
		return -1;
	for (size = image_size(header); done < size; done += bytes) {
		bytes = write(fd, (const char *)header + done, size - done);
		if (bytes <= 0) {
			close(fd);
			return -1;
		}
	}
	return fd;
}
