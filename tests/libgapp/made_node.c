// SPDX-License-Identifier: GPL-2.0
#include "made_node.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <gapp.h>

struct made_node made = { .is_there = true, .fd = MADE_FD, .good_fd = MADE_FD, .error = EBADF };

static void be_interrupted(void)
{
	made_fn meanwhile = __atomic_exchange_n(&made.meanwhile, NULL, __ATOMIC_RELAXED);

	if (meanwhile)
		meanwhile();
}

int __wrap_open(const char *path, int flags, ...)
{
	__atomic_fetch_add(&made.opened, 1, __ATOMIC_RELAXED);
	if (strcmp(path, GAPP_MARK_NODE) || !(flags & O_CLOEXEC))
		abort();
	errno = ENOENT;
	return made.is_there ? __atomic_fetch_add(&made.fd, 1, __ATOMIC_RELAXED) : -1;
}

void *__wrap_mmap(void *address, size_t bytes, int protection, int flags, int fd, off_t offset)
{
	if (fd < 0)
		return __real_mmap(address, bytes, protection, flags, fd, offset);
	errno = EINVAL;
	if (made.unmappable || protection != PROT_READ || flags != MAP_SHARED || offset)
		return MAP_FAILED;
	__atomic_fetch_add(&made.mapped, 1, __ATOMIC_RELAXED);
	be_interrupted();
	return made.page;
}

int __wrap_munmap(void *address, size_t bytes)
{
	(void)address;
	(void)bytes;
	__atomic_fetch_sub(&made.mapped, 1, __ATOMIC_RELAXED);
	return 0;
}

int __wrap_ioctl(int fd, unsigned long request, ...)
{
	const struct gapp_mark *mark;
	struct made_mark *seen;
	va_list more;

	va_start(more, request);
	mark = va_arg(more, const struct gapp_mark *);
	va_end(more);
	__atomic_fetch_add(&made.calls, 1, __ATOMIC_RELAXED);
	errno = made.error;
	if (request != GAPP_IOC_MARK || fd != made.good_fd)
		return -1;
	seen = &made.seen[__atomic_fetch_add(&made.count, 1, __ATOMIC_RELAXED) % MADE_SEEN];
	*seen = (struct made_mark){ .fd = fd, .kind = mark->kind };
	memcpy(seen->text, (const void *)(uintptr_t)mark->text, mark->bytes);
	errno = EDOM;
	return 0;
}
