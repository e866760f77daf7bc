// SPDX-License-Identifier: MIT
/*
 * Marks by GAPP_IOC_MARK of /dev/gapp_mark. A call and not a write, because the program may close a
 * descriptor that it does not know: what then has its number refuses the call, where a write would
 * put the text into some file.
 *
 * Nothing here waits for another thread: a signal may interrupt any of it and make a mark, too.
 */
#include "gapp_mark.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <gapp.h>
#include <gapp_record.h>

_Static_assert(GAPP_MARK_TEXT_MAX == GAPP_MARK_TEXT, "bytes of a text");

#define API __attribute__((visibility("default")))
/* So many calls of a thread later it looks again whether there is a node. */
#define TRY_AGAIN 4096
/* Standard input, output and error; a program that has closed them may expect to get them back. */
#define STANDARD_FDS 3

/* In place of the node's page, as long as that is not mapped. */
static const struct gapp_mark_page no_page;

/* The node's page, and its file; -1: not open. Set by compare and exchange, page last. */
static const struct gapp_mark_page *page = &no_page;
static int node = -1;

/* Calls of the thread while there is no page. */
static __thread unsigned int calls __attribute__((tls_model("initial-exec")));

static int open_node(void)
{
	int fd = open(GAPP_MARK_NODE, O_RDWR | O_CLOEXEC), moved;

	if (fd < 0 || fd >= STANDARD_FDS)
		return fd;
	moved = fcntl(fd, F_DUPFD_CLOEXEC, STANDARD_FDS);
	close(fd);
	return moved;
}

/* Opens the node in place of descriptor @former, which is not closed: it may be another file. */
static int replace_node(int former)
{
	int fd = open_node();

	if (fd < 0)
		return -1;
	if (__atomic_compare_exchange_n(&node, &former, fd, false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE))
		return fd;
	/* another thread was first */
	close(fd);
	return former;
}

/* Maps the node's page. Returns whether there is one now. */
static __attribute__((noinline)) bool find_page(void)
{
	const struct gapp_mark_page *none = &no_page;
	const size_t bytes = sysconf(_SC_PAGESIZE);
	int fd = __atomic_load_n(&node, __ATOMIC_ACQUIRE);
	void *memory;

	if (fd < 0)
		fd = replace_node(-1);
	if (fd < 0)
		return false;
	memory = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED)
		return false;
	if (!__atomic_compare_exchange_n(&page, &none, memory, false, __ATOMIC_ACQ_REL,
					 __ATOMIC_ACQUIRE))
		munmap(memory, bytes);
	return true;
}

/* find_page() at some calls, with errno as it was. */
static __attribute__((noinline)) bool look_for_page(void)
{
	const int error = errno;
	bool found;

	if (calls++ % TRY_AGAIN)
		return false;
	found = find_page();
	errno = error;
	return found;
}

static inline bool is_wanted(void)
{
	const struct gapp_mark_page *now = __atomic_load_n(&page, __ATOMIC_ACQUIRE);

	if (__builtin_expect(now == &no_page, 0)) {
		if (!look_for_page())
			return false;
		now = __atomic_load_n(&page, __ATOMIC_ACQUIRE);
	}
	return __builtin_expect(__atomic_load_n(&now->sessions, __ATOMIC_RELAXED), 0);
}

/* Whether a byte is within a character of UTF-8, not its first. */
static bool is_within(char byte)
{
	return (byte & 0xc0) == 0x80;
}

/* Copies what of a text can be recorded. Returns its bytes. */
static uint32_t copy_text(char *to, const char *text)
{
	uint32_t bytes;

	for (bytes = 0; text && text[bytes] && bytes < GAPP_MARK_TEXT; bytes++) {
		const unsigned char byte = text[bytes];

		to[bytes] = byte < 0x20 || byte == 0x7f ? '?' : text[bytes];
	}
	if (bytes < GAPP_MARK_TEXT || !is_within(text[bytes]))
		return bytes;
	/* a character has four bytes at most; what has more is no UTF-8 */
	for (uint32_t cut = bytes; cut > bytes - 4;)
		if (!is_within(text[--cut]))
			return cut;
	return bytes;
}

static void call(const struct gapp_mark *mark)
{
	int fd = __atomic_load_n(&node, __ATOMIC_ACQUIRE);

	/* the node knows no other error than EFAULT for these marks */
	if (!ioctl(fd, GAPP_IOC_MARK, mark) || errno == EFAULT)
		return;
	/* the program has closed it, and may have opened another file since: some say EINVAL */
	fd = replace_node(fd);
	if (fd >= 0)
		ioctl(fd, GAPP_IOC_MARK, mark);
}

static __attribute__((noinline)) void make_mark(uint32_t kind, const char *text)
{
	const int error = errno;
	char copy[GAPP_MARK_TEXT];
	const struct gapp_mark mark = {
		.text = (uintptr_t)copy,
		.bytes = copy_text(copy, text),
		.kind = kind,
	};

	if (mark.bytes || kind == GAPP_MARK_END)
		call(&mark);
	errno = error;
}

API void gapp_mark(const char *text)
{
	if (is_wanted())
		make_mark(GAPP_MARK_POINT, text);
}

API void gapp_section_begin(const char *name)
{
	if (is_wanted())
		make_mark(GAPP_MARK_BEGIN, name);
}

API void gapp_section_end(const char *name)
{
	if (is_wanted())
		make_mark(GAPP_MARK_END, name);
}

API int gapp_marks_wanted(void)
{
	return is_wanted();
}
