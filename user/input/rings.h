/* SPDX-License-Identifier: GPL-2.0 */
/* The mappings of a session: records of all CPUs, and the table of paths. */
#ifndef GAPP_READ_RINGS_H
#define GAPP_READ_RINGS_H

#include <gapp.h>
#include <gapp_record.h>

#include "util/util.h"

struct rings;

/* Maps all there is. Complains and returns NULL if that fails. */
struct rings *rings_new(int fd, const struct gapp_layout *layout);
void rings_free(struct rings *rings);

/* Records of a type that nobody wants: they are passed and not given. */
void rings_pass(struct rings *rings, u16 type);

/*
 * Gives every record that was written before the call, and ended before @until_ns, in the order of
 * time over all CPUs, each checked for its size; then frees its room. @each returns 0, or -1 to
 * end. Returns records given, or -1.
 */
s64 rings_drain(struct rings *rings, u64 until_ns,
		int (*each)(void *context, const struct gapp_record *record), void *context);

/*
 * Gives the records of a type that have come since it was called last, and leaves them where they
 * are. Of each ring in the order of time.
 */
void rings_scan(struct rings *rings, u16 type,
		void (*each)(void *context, const struct gapp_record *record), void *context);

/*
 * Frames of path number @path, innermost first, which stay where they are; NULL: not there.
 * @count and @flags are set as in struct gapp_path.
 */
const u64 *rings_path(const struct rings *rings, u32 path, u16 *count, u16 *flags);

/* The fullest ring, percent of its size. */
unsigned int rings_fill(const struct rings *rings);

#endif /* GAPP_READ_RINGS_H */
