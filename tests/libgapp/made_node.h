/* SPDX-License-Identifier: GPL-2.0 */
/* What stands in for /dev/gapp_mark: the library's calls come here by the linker's --wrap. */
#ifndef GAPP_TESTS_LIBGAPP_MADE_NODE_H
#define GAPP_TESTS_LIBGAPP_MADE_NODE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define MADE_FD 77
#define MADE_SEEN 64

/**
 * struct made_mark - a mark that came
 * @fd: by this descriptor
 * @kind: enum gapp_mark_kind
 * @text: NUL terminated
 */
struct made_mark {
	int fd;
	uint32_t kind;
	char text[80];
};

typedef void (*made_fn)(void);

/**
 * struct made_node - the node
 * @is_there: it can be opened
 * @fd: number that the next open() gives; counts up
 * @good_fd: number of the only descriptor that is of the node; others give @error
 * @error: errno of a call by another descriptor
 * @page: what mmap() gives
 * @unmappable: it gives nothing
 * @meanwhile: called once, while mmap() is under way, as another thread or a signal may come then
 * @opened: calls of open()
 * @mapped: mappings that there are
 * @calls: of ioctl()
 * @seen: marks
 * @count: of @seen
 */
struct made_node {
	bool is_there;
	bool unmappable;
	int fd;
	int good_fd;
	int error;
	uint32_t *page;
	made_fn meanwhile;
	uint32_t opened;
	int mapped;
	uint32_t calls;
	struct made_mark seen[MADE_SEEN];
	uint32_t count;
};

extern struct made_node made;

/* Named by the linker. */
void *__real_mmap(void *address, size_t bytes, int protection, int flags, int fd, off_t offset);
int __wrap_open(const char *path, int flags, ...);
void *__wrap_mmap(void *address, size_t bytes, int protection, int flags, int fd, off_t offset);
int __wrap_munmap(void *address, size_t bytes);
int __wrap_ioctl(int fd, unsigned long request, ...);

#endif /* GAPP_TESTS_LIBGAPP_MADE_NODE_H */
