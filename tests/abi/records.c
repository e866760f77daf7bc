// SPDX-License-Identifier: GPL-2.0
#include "records.h"

#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* Clocks of CPUs may differ by so much; beyond it a figure is wrong. */
#define SLACK_NS 2000
#define SLACK_SHARE (SLACK_NS << GAPP_SHARE_SHIFT)
/* No machine has a system call with a higher number. */
#define MOST_SYSCALLS 1023

/* @list: "present" or "possible". */
bool r_cpu_is(const char *list, unsigned int cpu)
{
	char path[64];
	unsigned int from, to;
	bool found = false;
	FILE *file;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/%s", list);
	file = fopen(path, "r");
	if (!file)
		t_die(path);
	while (!found && fscanf(file, "%u", &from) == 1) {
		to = from;
		if (fscanf(file, "-%u", &to) < 0)
			to = from;
		found = cpu >= from && cpu <= to;
		fscanf(file, ",");
	}
	fclose(file);
	return found;
}

int r_layout(int fd, struct gapp_layout *layout)
{
	memset(layout, 0xAA, sizeof(*layout));
	return t_ioctl(fd, GAPP_IOC_LAYOUT, layout);
}

static void *map(int fd, u64 bytes, int protection, u64 offset)
{
	void *memory = mmap(NULL, bytes, protection, MAP_SHARED, fd, offset);

	if (memory == MAP_FAILED)
		t_die("mmap");
	return memory;
}

static void open_ring(struct r_reader *reader, unsigned int cpu)
{
	const struct gapp_layout *layout = &reader->layout;
	struct r_ring *ring = &reader->rings[cpu];
	u8 *memory;

	ring->tail = (u64 *)(reader->tails + (size_t)cpu * layout->position_stride);
	if (!r_cpu_is("present", cpu))
		return;
	memory = map(reader->fd, layout->ring_map_bytes, PROT_READ, GAPP_MAP_RING(cpu));
	ring->shared = (struct gapp_ring *)memory;
	ring->data = memory + layout->ring_data;
	ring->position = *ring->tail;
}

/* After CONFIGURE; the descriptor stays the caller's. */
void r_open(struct r_reader *reader, int fd)
{
	memset(reader, 0, sizeof(*reader));
	reader->fd = fd;
	errno = -r_layout(fd, &reader->layout);
	if (errno)
		t_die("LAYOUT");
	reader->tails = map(fd, reader->layout.positions_map_bytes, PROT_READ | PROT_WRITE,
			    GAPP_MAP_READ_POSITIONS);
	reader->paths = map(fd, reader->layout.paths_map_bytes, PROT_READ, GAPP_MAP_PATHS);
	reader->rings = calloc(reader->layout.cpus, sizeof(*reader->rings));
	if (!reader->rings)
		t_die("memory");
	for (unsigned int cpu = 0; cpu < reader->layout.cpus; cpu++)
		open_ring(reader, cpu);
}

void r_close(struct r_reader *reader)
{
	for (unsigned int cpu = 0; cpu < reader->layout.cpus; cpu++)
		if (reader->rings[cpu].shared)
			munmap((void *)reader->rings[cpu].shared, reader->layout.ring_map_bytes);
	free(reader->rings);
	munmap(reader->tails, reader->layout.positions_map_bytes);
	munmap((void *)reader->paths, reader->layout.paths_map_bytes);
	r_forget_tails(reader);
}

void r_bad(struct r_reader *reader, const char *format, ...)
{
	va_list args;

	if (reader->tally.bad++)
		return;
	va_start(args, format);
	vsnprintf(reader->tally.why, sizeof(reader->tally.why), format, args);
	va_end(args);
}

static const struct gapp_path *slot(const struct r_reader *reader, u32 number)
{
	return (const struct gapp_path *)(reader->paths + reader->layout.path_slots_at) + number;
}

/* Its frames; NULL: it has none. */
const u64 *r_frames(const struct r_reader *reader, u32 number, const struct gapp_path **path)
{
	const u64 *words = (const u64 *)(reader->paths + reader->layout.path_words_at);

	if (number >= reader->layout.path_slots)
		return NULL;
	*path = slot(reader, number);
	if (!__atomic_load_n(&(*path)->word, __ATOMIC_ACQUIRE))
		return NULL;
	return words + (*path)->word;
}

#define KERNEL_FLAGS (GAPP_PATH_KERNEL | GAPP_PATH_END_MASK)
#define USER_FLAGS (GAPP_PATH_BY_TABLE | GAPP_PATH_BY_FP | GAPP_PATH_END_MASK)

/* A path's number is in a record only when its frames are there. */
void r_check_path(struct r_reader *reader, u32 number, bool kernel)
{
	const struct gapp_path *path;
	u32 word;

	if (number == GAPP_PATH_NONE || number == GAPP_PATH_LOST)
		return;
	if (number & GAPP_PATH_COPY && !kernel) {
		r_use_tail(reader, number & ~GAPP_PATH_COPY);
		return;
	}
	if (number >= reader->layout.path_slots) {
		r_bad(reader, "path %u of %u", number, reader->layout.path_slots);
		return;
	}
	path = slot(reader, number);
	word = __atomic_load_n(&path->word, __ATOMIC_ACQUIRE);
	if (!path->hash || !word || !path->words || path->words > GAPP_MAX_STACK ||
	    word + path->words > reader->layout.path_words)
		r_bad(reader, "path %u: hash %llx, %u words at %u", number, path->hash, path->words,
		      word);
	if (!(path->flags & GAPP_PATH_KERNEL) == kernel ||
	    (path->flags & GAPP_PATH_END_MASK) >= GAPP_UNWIND_ENDS ||
	    path->flags & ~(kernel ? KERNEL_FLAGS : USER_FLAGS))
		r_bad(reader, "path %u: flags %#x", number, path->flags);
}

/* Bytes of the numbers behind the samples, in whole words. */
static size_t in_bytes(const struct gapp_record_slice *slice)
{
	return (slice->sample_count + 1) / 2 * sizeof(u64);
}

static size_t waker_path_bytes(u32 flags)
{
	return flags & GAPP_SLICE_WAKER_PATH ? sizeof(struct gapp_waker_path) : 0;
}

static size_t file_bytes(u32 flags)
{
	return flags & GAPP_SLICE_FILE ? sizeof(struct gapp_wait_file) : 0;
}

static size_t lock_bytes(u32 flags)
{
	return flags & GAPP_SLICE_KERNEL_LOCK ? sizeof(struct gapp_wait_lock) : 0;
}

const struct gapp_slice_tallies *r_tallies(const struct gapp_record_slice *slice)
{
	const u8 *behind = (const u8 *)(slice + 1) +
			   slice->sample_count * sizeof(struct gapp_sample) + in_bytes(slice);

	return slice->flags & GAPP_SLICE_TALLIES ?
		       (const void *)(behind + file_bytes(slice->flags) +
				      lock_bytes(slice->flags)) :
		       NULL;
}

static size_t tally_bytes(const struct gapp_record_slice *slice)
{
	const struct gapp_slice_tallies *tallies = r_tallies(slice);

	return tallies ? sizeof(*tallies) + tallies->count * sizeof(u64) : 0;
}

static size_t wanted_size(const struct gapp_record *record)
{
	const struct gapp_record_slice *slice = (const struct gapp_record_slice *)record;

	switch (record->type) {
	case GAPP_RECORD_SLICE:
		return sizeof(*slice) + slice->sample_count * sizeof(struct gapp_sample) +
		       in_bytes(slice) + file_bytes(slice->flags) + lock_bytes(slice->flags) +
		       tally_bytes(slice);
	case GAPP_RECORD_WAIT:
		return sizeof(struct gapp_record_wait) +
		       waker_path_bytes(((const struct gapp_record_wait *)record)->flags) +
		       file_bytes(((const struct gapp_record_wait *)record)->flags) +
		       lock_bytes(((const struct gapp_record_wait *)record)->flags);
	case GAPP_RECORD_LOST:
		return sizeof(struct gapp_record_lost);
	case GAPP_RECORD_WAKE:
		return sizeof(struct gapp_record_wake) +
		       waker_path_bytes(((const struct gapp_record_wake *)record)->flags);
	case GAPP_RECORD_STACK_COPY:
		return sizeof(struct gapp_record_stack_copy) +
		       ((const struct gapp_record_stack_copy *)record)->stack_bytes;
	case GAPP_RECORD_NEED_MAPPING:
		return sizeof(struct gapp_record_need_mapping);
	case GAPP_RECORD_STORE:
		return sizeof(struct gapp_record_store);
	case GAPP_RECORD_MARK:
		return sizeof(struct gapp_record_mark) +
		       (((const struct gapp_record_mark *)record)->bytes / 8 + 1) * 8;
	default:
		return 0;
	}
}

static void check_in(struct r_reader *reader, const struct gapp_record_slice *slice)
{
	const s32 *in = r_samples_in(slice);

	for (unsigned int i = 0; i < slice->sample_count; i++)
		if (in[i] < GAPP_IN_KTHREAD || in[i] > MOST_SYSCALLS)
			r_bad(reader, "sample %u is in %d", i, in[i]);
	if (slice->sample_count % 2 && in[slice->sample_count])
		r_bad(reader, "%d behind the samples", in[slice->sample_count]);
}

static void check_samples(struct r_reader *reader, const struct gapp_record_slice *slice)
{
	const struct gapp_sample *sample = (const struct gapp_sample *)(slice + 1);
	u64 share = 0;

	for (unsigned int i = 0; i < slice->sample_count; i++) {
		r_check_path(reader, sample[i].path, false);
		r_check_path(reader, sample[i].kernel_path, true);
		share += sample[i].critical_share;
	}
	/* With the criterion by average all is counted, whatever becomes of the slice. */
	if (share > slice->own_critical_share + SLACK_SHARE && share > slice->cmetric + SLACK_SHARE)
		r_bad(reader, "samples have %llu of %llu", share, slice->own_critical_share);
	if (slice->head.size == wanted_size(&slice->head))
		check_in(reader, slice);
	reader->tally.samples += slice->sample_count;
}

/* Flags of a record that may say what a wait was for. */
static u32 wait_flags(const struct gapp_record *record)
{
	if (record->type == GAPP_RECORD_SLICE)
		return ((const struct gapp_record_slice *)record)->flags;
	return record->type == GAPP_RECORD_WAIT ? ((const struct gapp_record_wait *)record)->flags :
						  0;
}

/* Where the part of a record ends that says what a wait was for. */
static const u8 *wait_end(const struct gapp_record *record)
{
	const u8 *end = (const u8 *)record + record->size;

	return record->type == GAPP_RECORD_SLICE ?
		       end - tally_bytes((const struct gapp_record_slice *)record) :
		       end;
}

/* What a record says of a file; NULL: nothing. */
const struct gapp_wait_file *r_file(const struct gapp_record *record)
{
	u32 flags = wait_flags(record);

	return flags & GAPP_SLICE_FILE ? (const void *)(wait_end(record) - lock_bytes(flags) -
							sizeof(struct gapp_wait_file)) :
					 NULL;
}

/* What a record says of a lock; NULL: nothing. */
const struct gapp_wait_lock *r_lock(const struct gapp_record *record)
{
	return wait_flags(record) & GAPP_SLICE_KERNEL_LOCK ?
		       (const void *)(wait_end(record) - sizeof(struct gapp_wait_lock)) :
		       NULL;
}

static void check_lock(struct r_reader *reader, const struct gapp_record *record, u32 wait)
{
	const struct gapp_wait_lock *lock = r_lock(record);

	if (lock && (lock->reserved || lock->kind > GAPP_LOCK_RT || wait != GAPP_WAIT_KERNEL_LOCK))
		r_bad(reader, "a lock of kind %u, reserved %u, of wait %u", lock->kind,
		      lock->reserved, wait);
}

static bool all_zero(const void *bytes, size_t size)
{
	static const u8 zeros[64];

	return !memcmp(bytes, zeros, size);
}

static void check_file(struct r_reader *reader, const struct gapp_record *record)
{
	const struct gapp_wait_file *file = r_file(record);

	if (!file)
		return;
	if (file->reserved || file->reserved2 || (!file->inode && !all_zero(file, sizeof(*file))) ||
	    file->kind > 15 || (file->family && file->kind != S_IFSOCK >> 12))
		r_bad(reader, "a file: inode %llu, kind %u, family %u", file->inode, file->kind,
		      file->family);
	if (file->family != AF_INET && file->family != AF_INET6 &&
	    (file->protocol || file->local_port || file->peer_port ||
	     !all_zero(file->peer, sizeof(file->peer))))
		r_bad(reader, "a file of family %u with protocol %u, ports %u and %u", file->family,
		      file->protocol, file->local_port, file->peer_port);
}

static void check_comm(struct r_reader *reader, const u8 *comm)
{
	size_t length = strnlen((const char *)comm, GAPP_COMM_LEN);

	for (size_t i = length; i < GAPP_COMM_LEN; i++)
		if (comm[i])
			length = GAPP_COMM_LEN;
	if (length == GAPP_COMM_LEN)
		r_bad(reader, "a name without an end, or with something behind it");
}

static void check_slice(struct r_reader *reader, const struct gapp_record_slice *slice)
{
	u64 length = slice->head.time_ns - slice->begin_ns;

	if (slice->then > GAPP_THEN_STOPPED || slice->wait >= GAPP_WAIT_REASONS ||
	    (slice->then != GAPP_THEN_WAIT && slice->wait))
		r_bad(reader, "then %u, wait %u", slice->then, slice->wait);
	if (slice->begin_ns > slice->head.time_ns + SLACK_NS ||
	    slice->own_critical_share > slice->critical_share ||
	    slice->own_critical_share > slice->cmetric + SLACK_SHARE ||
	    slice->cmetric > (length + SLACK_NS) << GAPP_SHARE_SHIFT ||
	    (!(slice->flags & GAPP_SLICE_REST) && slice->thread_ns + SLACK_NS < length))
		r_bad(reader, "length %lld, share %llu, own %llu, cmetric %llu, thread_ns %llu",
		      length, slice->critical_share, slice->own_critical_share, slice->cmetric,
		      slice->thread_ns);
	if (slice->flags & GAPP_SLICE_REST && (slice->own_critical_share || slice->sample_count))
		r_bad(reader, "a rest with a share or samples of its own");
	/* A part has those that were carried over to it, mostly none. */
	if (!slice->slices && slice->then != GAPP_THEN_ON)
		r_bad(reader, "%u slices, then %u", slice->slices, slice->then);
	if (slice->flags & GAPP_SLICE_FILE && (slice->then != GAPP_THEN_WAIT || slice->syscall < 0))
		r_bad(reader, "a file with then %u in system call %d", slice->then, slice->syscall);
	check_file(reader, &slice->head);
	check_lock(reader, &slice->head, slice->wait);
	if (slice->tid <= 0 || slice->tgid <= 0 || !slice->image)
		r_bad(reader, "tid %d, tgid %d, image %u", slice->tid, slice->tgid, slice->image);
	check_comm(reader, slice->comm);
	r_check_path(reader, slice->path, false);
	r_check_path(reader, slice->kernel_path, true);
	check_samples(reader, slice);
	reader->tally.slices++;
	reader->tally.ends += slice->then != GAPP_THEN_ON && !(slice->flags & GAPP_SLICE_REST);
	reader->tally.stands_for += slice->slices;
	reader->tally.critical_share += slice->critical_share;
}

#define IRQ_FLAGS (GAPP_SLICE_IRQ_NETWORK | GAPP_SLICE_IRQ_DISK | GAPP_SLICE_IRQ_TIMER)

/* An interrupt is of one kind and has no path; a path is of a thread that is named. */
static void check_waker(struct r_reader *reader, u32 flags, const struct gapp_waker_path *path)
{
	u32 kinds = flags & IRQ_FLAGS;

	if (kinds & (kinds - 1) || (kinds && !(flags & GAPP_SLICE_WOKEN_BY_IRQ)) ||
	    (flags & GAPP_SLICE_WAKER_PATH && !(flags & GAPP_SLICE_WAKER)))
		r_bad(reader, "a waker with flags %#x", flags);
	if (!(flags & GAPP_SLICE_WAKER_PATH))
		return;
	if (!path->image)
		r_bad(reader, "a waker's path %u without an address space", path->path);
	r_check_path(reader, path->path, false);
}

static void check_wait(struct r_reader *reader, const struct gapp_record_wait *wait)
{
	if (!wait->wait_ns || !wait->stretches || wait->wait >= GAPP_WAIT_REASONS ||
	    wait->reserved || wait->begin_ns > wait->head.time_ns)
		r_bad(reader, "a wait of %llu ns in %u stretches, class %u, reserved %u",
		      wait->wait_ns, wait->stretches, wait->wait, wait->reserved);
	check_comm(reader, wait->comm);
	check_file(reader, &wait->head);
	check_lock(reader, &wait->head, wait->wait);
	check_waker(reader, wait->flags, (const struct gapp_waker_path *)(wait + 1));
	r_check_path(reader, wait->path, false);
	r_check_path(reader, wait->kernel_path, true);
	reader->tally.waits++;
	reader->tally.wait_ns += wait->wait_ns;
}

static void check_wake(struct r_reader *reader, const struct gapp_record_wake *wake)
{
	if (!wake->n || wake->tid <= 0 ||
	    wake->flags & ~(GAPP_SLICE_WOKEN_BY_IRQ | GAPP_SLICE_WAKER | IRQ_FLAGS |
			    GAPP_SLICE_WAKER_PATH))
		r_bad(reader, "a wake of %d, n %u, flags %#x", wake->tid, wake->n, wake->flags);
	check_waker(reader, wake->flags, (const struct gapp_waker_path *)(wake + 1));
	reader->tally.wakes++;
}

static void check_lost(struct r_reader *reader, const struct gapp_record_lost *lost)
{
	if (!lost->records || lost->since_ns > lost->head.time_ns)
		r_bad(reader, "%llu lost since %llu, at %llu", lost->records, lost->since_ns,
		      lost->head.time_ns);
	reader->tally.lost_told++;
	reader->tally.lost_records += lost->records;
	reader->tally.lost_critical_share += lost->critical_share;
	reader->tally.lost_wait_ns += lost->wait_ns;
}

static void check_record(struct r_reader *reader, struct r_ring *ring,
			 const struct gapp_record *record)
{
	if (record->size != wanted_size(record))
		r_bad(reader, "type %u of %u bytes, not %zu", record->type, record->size,
		      wanted_size(record));
	if (record->time_ns < ring->last_ns || record->time_ns > t_now() + SLACK_NS)
		r_bad(reader, "time %llu after %llu", record->time_ns, ring->last_ns);
	ring->last_ns = record->time_ns;
	reader->tally.records += record->type != GAPP_RECORD_LOST;
	switch (record->type) {
	case GAPP_RECORD_SLICE:
		check_slice(reader, (const struct gapp_record_slice *)record);
		break;
	case GAPP_RECORD_WAIT:
		check_wait(reader, (const struct gapp_record_wait *)record);
		break;
	case GAPP_RECORD_LOST:
		check_lost(reader, (const struct gapp_record_lost *)record);
		break;
	case GAPP_RECORD_WAKE:
		check_wake(reader, (const struct gapp_record_wake *)record);
		break;
	case GAPP_RECORD_STACK_COPY:
		r_check_tail(reader, (const struct gapp_record_stack_copy *)record);
		break;
	case GAPP_RECORD_NEED_MAPPING:
		r_check_needmap(reader, (const struct gapp_record_need_mapping *)record);
		break;
	case GAPP_RECORD_STORE:
		r_check_store(reader, (const struct gapp_record_store *)record);
		break;
	case GAPP_RECORD_MARK:
		check_comm(reader, ((const struct gapp_record_mark *)record)->comm);
		r_check_mark(reader, (const struct gapp_record_mark *)record);
		break;
	default:
		r_bad(reader, "type %u", record->type);
	}
	if (reader->see)
		reader->see(record, reader->arg);
}

/* Returns its size; 0 if the rest of the ring cannot be read. */
static u32 read_one(struct r_reader *reader, unsigned int cpu, u64 head)
{
	struct r_ring *ring = &reader->rings[cpu];
	u32 bytes = reader->layout.ring_bytes, at = ring->position & (bytes - 1);
	const struct gapp_record *record = (const struct gapp_record *)(ring->data + at);
	u32 least = record->type == GAPP_RECORD_PAD ? 8 : sizeof(*record);

	if (record->size < least || record->size % 8 || record->size > bytes - at ||
	    record->size > head - ring->position || record->cpu != cpu) {
		r_bad(reader, "ring %u at %u, %llu before its head: type %u of %u bytes, cpu %u",
		      cpu, at, head - ring->position, record->type, record->size, record->cpu);
		return 0;
	}
	if (record->type == GAPP_RECORD_PAD) {
		reader->tally.pads++;
		reader->tally.short_pads += record->size == 8;
		if (record->size != bytes - at)
			r_bad(reader, "a PAD that does not end the ring");
	} else {
		check_record(reader, ring, record);
	}
	return record->size;
}

static void drain(struct r_reader *reader, unsigned int cpu)
{
	struct r_ring *ring = &reader->rings[cpu];
	u64 head = __atomic_load_n(&ring->shared->write_position, __ATOMIC_ACQUIRE);
	u32 size;

	if (head - ring->position > reader->layout.ring_bytes) {
		r_bad(reader, "ring %u: head %llu, read up to %llu", cpu, head, ring->position);
		ring->position = head;
	}
	while (ring->position != head) {
		size = read_one(reader, cpu, head);
		ring->position = size ? ring->position + size : head;
	}
	__atomic_store_n(ring->tail, ring->position, __ATOMIC_RELEASE);
}

u64 r_drain(struct r_reader *reader)
{
	u64 before = reader->tally.records;

	for (unsigned int cpu = 0; cpu < reader->layout.cpus; cpu++)
		if (reader->rings[cpu].shared)
			drain(reader, cpu);
	return reader->tally.records - before;
}

void r_follow(struct r_reader *reader, struct t_child *child)
{
	struct pollfd polled[] = {
		{ .fd = child->from, .events = POLLIN },
		{ .fd = reader->fd, .events = POLLIN },
	};

	do {
		if (poll(polled, ARRAY_SIZE(polled), 20) < 0 && errno != EINTR)
			t_die("poll");
		r_drain(reader);
	} while (!(polled[0].revents & (POLLIN | POLLHUP)));
	t_hear(child);
}

u32 r_path_count(const struct r_reader *reader)
{
	u32 count = 0;

	for (u32 i = 0; i < reader->layout.path_slots; i++)
		count += slot(reader, i)->hash != 0;
	return count;
}
