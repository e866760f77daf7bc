/* SPDX-License-Identifier: GPL-2.0 */
/* The mappings of a session: records of all CPUs, and the table of paths. */
#ifndef GAPP_READ_RINGS_H
#define GAPP_READ_RINGS_H

#include <gapp.h>
#include <gapp_record.h>

#include "util/util.h"

struct rings;

/* Maps the session's rings and path table. NULL, with a complaint made, if that fails. */
struct rings *rings_new(int fd, const struct gapp_layout *layout);
void rings_free(struct rings *rings);

/* From now on rings_drain() skips the records of @type. */
void rings_skip(struct rings *rings, u16 type);

/* Whether a record of @room bytes, at least 8, has a size that fits its type and what it announces.
 */
bool record_is_whole(const struct gapp_record *record, u64 room);

/* What rings_drain() returns after @each did not return 0. */
#define RINGS_ENDED (-2)

/*
 * Gives every record that was written before the call and has a time before @until_ns, in the order
 * of time over all CPUs, and frees the records' room. The size of each fits its type, with all
 * samples or stack bytes that it announces. @each returns 0, or -1 to end. Returns the number of
 * records given, or -1 with a complaint made, or RINGS_ENDED.
 */
s64 rings_drain(struct rings *rings, u64 until_ns,
		int (*each)(void *context, const struct gapp_record *record), void *context);

/*
 * Gives the records of one type that have come since the last call, and leaves them in the rings.
 * Records of one ring come in the order of time.
 */
void rings_scan(struct rings *rings, u16 type,
		void (*each)(void *context, const struct gapp_record *record), void *context);

/*
 * Where each sample of a record hit the thread, GAPP_IN_* or the number of a system call, in the
 * order of the samples; NULL: the module is of an ABI before 1.4, and does not say.
 */
static inline const s32 *record_samples_in(const struct gapp_record_slice *slice)
{
	const struct gapp_sample *samples = (const struct gapp_sample *)(slice + 1);
	const s32 *in = (const s32 *)(samples + slice->sample_count);

	if ((size_t)((const u8 *)(in + slice->sample_count) - (const u8 *)slice) > slice->head.size)
		return NULL;
	return in;
}

/* Where the waker was; NULL: the record does not say. */
static inline const struct gapp_waker_path *wake_waker_path(const struct gapp_record_wake *wake)
{
	return wake->flags & GAPP_SLICE_WAKER_PATH ? (const struct gapp_waker_path *)(wake + 1) :
						     NULL;
}

static inline const struct gapp_waker_path *wait_waker_path(const struct gapp_record_wait *wait)
{
	return wait->flags & GAPP_SLICE_WAKER_PATH ? (const struct gapp_waker_path *)(wait + 1) :
						     NULL;
}

/* Bytes between the structure of a slice's record and its struct gapp_wait_file. */
static inline size_t slice_file_at(const struct gapp_record_slice *slice)
{
	size_t in = slice->sample_count * sizeof(s32);

	return slice->sample_count * sizeof(struct gapp_sample) + (in + 7) / 8 * 8;
}

/* The file that a slice's wait is for; NULL: the record does not say. */
static inline const struct gapp_wait_file *slice_wait_file(const struct gapp_record_slice *slice)
{
	if (!(slice->flags & GAPP_SLICE_FILE))
		return NULL;
	return (const struct gapp_wait_file *)((const u8 *)(slice + 1) + slice_file_at(slice));
}

static inline const struct gapp_wait_file *wait_wait_file(const struct gapp_record_wait *wait)
{
	const struct gapp_waker_path *path = wait_waker_path(wait);

	if (!(wait->flags & GAPP_SLICE_FILE))
		return NULL;
	return path ? (const struct gapp_wait_file *)(path + 1) :
		      (const struct gapp_wait_file *)(wait + 1);
}

/* The lock in the kernel that a slice's wait is for; NULL: the record does not say. */
static inline const struct gapp_wait_lock *slice_wait_lock(const struct gapp_record_slice *slice)
{
	const u8 *more = (const u8 *)(slice + 1) + slice_file_at(slice);

	if (!(slice->flags & GAPP_SLICE_KERNEL_LOCK))
		return NULL;
	more += slice->flags & GAPP_SLICE_FILE ? sizeof(struct gapp_wait_file) : 0;
	return (const struct gapp_wait_lock *)more;
}

/* Bytes between the structure of a slice's record and its struct gapp_slice_tallies. */
static inline size_t slice_tallies_at(const struct gapp_record_slice *slice)
{
	return slice_file_at(slice) +
	       (slice->flags & GAPP_SLICE_FILE ? sizeof(struct gapp_wait_file) : 0) +
	       (slice->flags & GAPP_SLICE_KERNEL_LOCK ? sizeof(struct gapp_wait_lock) : 0);
}

/* What was counted in a slice; NULL: the record does not say, or says more than it has room for. */
static inline const struct gapp_slice_tallies *slice_tallies(const struct gapp_record_slice *slice)
{
	const size_t at = sizeof(*slice) + slice_tallies_at(slice);
	const struct gapp_slice_tallies *tallies;

	if (!(slice->flags & GAPP_SLICE_TALLIES) || slice->head.size < at + sizeof(*tallies))
		return NULL;
	tallies = (const struct gapp_slice_tallies *)((const u8 *)slice + at);
	return tallies->count <= (slice->head.size - at - sizeof(*tallies)) / sizeof(u64) ?
		       tallies :
		       NULL;
}

static inline const struct gapp_wait_lock *wait_wait_lock(const struct gapp_record_wait *wait)
{
	const u8 *more = (const u8 *)(wait + 1);

	if (!(wait->flags & GAPP_SLICE_KERNEL_LOCK))
		return NULL;
	more += wait->flags & GAPP_SLICE_WAKER_PATH ? sizeof(struct gapp_waker_path) : 0;
	more += wait->flags & GAPP_SLICE_FILE ? sizeof(struct gapp_wait_file) : 0;
	return (const struct gapp_wait_lock *)more;
}

/*
 * Frames of path number @path, innermost first, valid as long as @rings; NULL: there is none.
 * @count and @flags are set as in struct gapp_path.
 */
const u64 *rings_path(const struct rings *rings, u32 path, u16 *count, u16 *flags);

/* How full the fullest ring is, percent. */
unsigned int rings_fill(const struct rings *rings);

#endif /* GAPP_READ_RINGS_H */
