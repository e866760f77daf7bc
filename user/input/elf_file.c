// SPDX-License-Identifier: GPL-2.0
#include "object.h"

#include <elf.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>

#include "proc_maps.h"

/* Bytes of the largest file that is opened; libelf maps files, and does not read them whole. */
#define FILE_BYTES_MAX (16LL << 30)
#define PROC_PATH_SIZE 96

/**
 * struct search - looks for a mapping of a file
 * @object: the file
 * @address: an address that the mapping holds; 0: any
 * @start: set to the mapping's first address
 * @end: set to the address behind the mapping; 0: none was found
 */
struct search {
	const struct object *object;
	u64 address;
	u64 start;
	u64 end;
};

static int look(void *context, const struct proc_mapping *mapping)
{
	struct search *search = context;

	if (mapping->dev != search->object->dev || mapping->inode != search->object->inode ||
	    (search->address &&
	     (search->address < mapping->start || search->address >= mapping->end)))
		return 0;
	search->start = mapping->start;
	search->end = mapping->end;
	return -1;
}

int elf_file_reopen(int found)
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

	return elf_file_reopen(found);
}

/* @resolve: RESOLVE_* besides */
static int open_in(int folder, const char *path, u64 resolve)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC,
				.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS | resolve };
	_cleanup_close_ int found = -1;

	if (folder < 0 || path[0] != '/')
		return -1;
	found = syscall(SYS_openat2, folder, path, &how, sizeof(how));
	return elf_file_reopen(found);
}

int elf_file_open_below(const char *root, const char *path)
{
	_cleanup_close_ int folder = -1;

	if (path[0] != '/')
		return -1;
	if (!*root)
		return open_path(path);
	folder = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return open_in(folder, path, 0);
}

int elf_file_open_path(pid_t pid, const char *path)
{
	char root[PROC_PATH_SIZE] = "";

	if (pid)
		snprintf(root, sizeof(root), "/proc/%d/root", pid);
	return elf_file_open_below(root, path);
}

/*
 * There events may have the device of the file system below, and /proc/PID/maps that of the
 * overlay: so it is from Linux 6.8 to 6.17 (perf: fa4f4bae893f).
 */
static bool is_on_overlay(int fd)
{
	struct statfs fs;

	return !fstatfs(fd, &fs) && fs.f_type == OVERLAYFS_SUPER_MAGIC;
}

/*
 * Whether @fd is the object's file. On overlayfs and btrfs fstat() and /proc/PID/maps give one file
 * different device and inode numbers. So the reader maps @fd too, and compares the numbers that
 * /proc/self/maps gives.
 */
static bool is_object(int fd, const struct object *object)
{
	struct search search = { .object = object };
	struct stat stat;
	void *address;

	if (!object->inode)
		return true;
	if (fstat(fd, &stat))
		return false;
	if (stat.st_dev == object->dev && stat.st_ino == object->inode)
		return true;
	if (stat.st_ino == object->inode && is_on_overlay(fd))
		return true;
	address = mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fd, 0);
	if (address == MAP_FAILED)
		return false;
	search.address = (uintptr_t)address;
	proc_maps_read_file("/proc/self/maps", true, look, &search);
	munmap(address, 1);
	return search.end;
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
static int open_mapped(const struct object *object, pid_t pid)
{
	struct search search = { .object = object };
	char path[PROC_PATH_SIZE];
	int fd;

	if (!object->inode || pid <= 0)
		return -1;
	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	fd = only_object(open_path(path), object);
	if (fd >= 0)
		return fd;
	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	proc_maps_read_file(path, true, look, &search);
	snprintf(path, sizeof(path), "/proc/%d/map_files/%llx-%llx", pid, search.start, search.end);
	return only_object(open_path(path), object);
}

/* Opens the file below the root of a process that may have ended. @resolve: RESOLVE_* besides */
static int open_kept(const struct object *object, u64 resolve)
{
	const struct kept_root *root = object->root;
	_cleanup_close_ int folder = root ? kept_root_open(root) : -1;

	return root ? open_in(folder, kept_root_below(root, object->path), resolve) : -1;
}

int elf_file_open(const struct object *object)
{
	const pid_t pids[] = { object->pid, object->first_pid, 0 };
	int fd = -1;

	if (object->kind == OBJECT_VDSO)
		return vdso_open();
	for (size_t i = 0; fd < 0 && i < ARRAY_SIZE(pids); i++)
		fd = only_object(elf_file_open_path(pids[i], object->path), object);
	if (fd < 0)
		fd = only_object(open_kept(object, 0), object);
	for (size_t i = 0; fd < 0 && i < ARRAY_SIZE(pids); i++)
		fd = open_mapped(object, pids[i]);
	return fd;
}

bool elf_file_is_there(const struct object *object)
{
	const pid_t pids[] = { object->pid, object->first_pid, 0 };
	_cleanup_close_ int kept = -1;

	for (size_t i = 0; i < ARRAY_SIZE(pids); i++) {
		_cleanup_close_ int fd = elf_file_open_path(pids[i], object->path);

		if (fd >= 0)
			return true;
	}
	kept = open_kept(object, 0);
	return kept >= 0;
}

bool elf_file_is_ours(const struct object *object)
{
	_cleanup_close_ int fd = only_object(elf_file_open_path(0, object->path), object);

	return fd >= 0;
}

bool elf_file_outlives(const struct object *object)
{
	_cleanup_close_ int kept = -1;

	if (object->kind != OBJECT_FILE || elf_file_is_ours(object))
		return true;
	/* what is mounted there goes with the container */
	kept = only_object(open_kept(object, RESOLVE_NO_XDEV), object);
	return kept >= 0;
}

_Static_assert(sizeof(void *) == 8, "the kernel maps the image for this width");

/* Bytes of the vDSO. The kernel wrote its header, so the header is not checked. */
static size_t image_size(const Elf64_Ehdr *header)
{
	const Elf64_Phdr *segments = (const void *)((const char *)header + header->e_phoff);
	size_t size = header->e_shoff + (size_t)header->e_shnum * header->e_shentsize;

	for (unsigned int i = 0; i < header->e_phnum; i++) {
		size_t end = segments[i].p_offset + segments[i].p_filesz;

		if (segments[i].p_type == PT_LOAD && end > size)
			size = end;
	}
	return size;
}

int vdso_open(void)
{
	const Elf64_Ehdr *header = (const void *)getauxval(AT_SYSINFO_EHDR);
	size_t size;
	int fd;

	if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG))
		return -1;
	size = image_size(header);
	fd = memfd_create("vdso", MFD_CLOEXEC);
	if (fd >= 0 && write(fd, header, size) == (ssize_t)size)
		return fd;
	cleanup_close(&fd);
	return -1;
}
