// SPDX-License-Identifier: GPL-2.0
#include "sideband_event.h"

#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <time.h>

const struct perf_event_attr sideband_attr = {
	.type = PERF_TYPE_SOFTWARE,
	.size = sizeof(sideband_attr),
	.config = PERF_COUNT_SW_DUMMY,
	.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
	.sample_id_all = 1,
	.mmap = 1,
	.mmap2 = 1,
	.comm = 1,
	.comm_exec = 1,
	.task = 1,
	.exclude_kernel = 1,
	.exclude_hv = 1,
	.use_clockid = 1,
	.clockid = CLOCK_MONOTONIC,
	/* nobody waits for it */
	.watermark = 1,
	.wakeup_watermark = 0x7fffffff,
};

/* At the end of every record, by sample_type. */
struct sample_id {
	u32 pid;
	u32 tid;
	u64 time_ns;
};

struct mmap2_record {
	struct perf_event_header header;
	u32 pid;
	u32 tid;
	u64 start;
	u64 length;
	u64 offset;
	u32 major;
	u32 minor;
	u64 inode;
	u64 generation;
	u32 protection;
	u32 flags;
	char path[];
};

struct comm_record {
	struct perf_event_header header;
	u32 pid;
	u32 tid;
	char comm[];
};

struct task_record {
	struct perf_event_header header;
	u32 pid;
	u32 parent_pid;
	u32 tid;
	u32 parent_tid;
	u64 time_ns;
};

struct lost_record {
	struct perf_event_header header;
	u64 id;
	u64 lost;
};

static enum sideband_result make(enum sideband_kind kind, u32 pid, const char *path, size_t len,
				 struct sideband_event **made)
{
	struct sideband_event *event = calloc(1, sizeof(*event) + len + 1);

	if (!event)
		return SIDEBAND_NO_MEMORY;
	event->kind = kind;
	event->pid = pid;
	memcpy(event->path, path, len);
	*made = event;
	return SIDEBAND_EVENT;
}

static enum sideband_result make_mmap(const struct mmap2_record *record, size_t body,
				      struct sideband_event **made)
{
	enum sideband_result result;
	size_t room, len;

	if (body < sizeof(*record))
		return SIDEBAND_MALFORMED;
	room = body - sizeof(*record);
	len = strnlen(record->path, room);
	if (len == room)
		return SIDEBAND_MALFORMED;
	if (!(record->protection & PROT_EXEC))
		return SIDEBAND_UNUSED;
	result = make(SIDEBAND_MMAP, record->pid, record->path, len, made);
	if (result != SIDEBAND_EVENT)
		return result;
	(*made)->start = record->start;
	(*made)->length = record->length;
	(*made)->offset = record->offset;
	/* else a build-id is in their place, which was not asked for */
	if (!(record->header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID)) {
		(*made)->dev = makedev(record->major, record->minor);
		(*made)->inode = record->inode;
	}
	return SIDEBAND_EVENT;
}

static enum sideband_result make_exec(const struct comm_record *record, size_t body,
				      struct sideband_event **made)
{
	if (body < sizeof(*record))
		return SIDEBAND_MALFORMED;
	if (!(record->header.misc & PERF_RECORD_MISC_COMM_EXEC))
		return SIDEBAND_UNUSED;
	return make(SIDEBAND_EXEC, record->pid, "", 0, made);
}

static enum sideband_result make_task(const struct task_record *record, size_t body,
				      struct sideband_event **made)
{
	enum sideband_result result;

	if (body < sizeof(*record))
		return SIDEBAND_MALFORMED;
	if (record->header.type == PERF_RECORD_EXIT) {
		/* the process goes on while other threads do */
		if (record->pid != record->tid)
			return SIDEBAND_UNUSED;
		return make(SIDEBAND_EXIT, record->pid, "", 0, made);
	}
	/* a new thread */
	if (record->pid == record->parent_pid)
		return SIDEBAND_UNUSED;
	result = make(SIDEBAND_FORK, record->pid, "", 0, made);
	if (result == SIDEBAND_EVENT)
		(*made)->parent = record->parent_pid;
	return result;
}

static enum sideband_result make_lost(const struct lost_record *record, size_t body,
				      struct sideband_event **made)
{
	enum sideband_result result;

	if (body < sizeof(*record))
		return SIDEBAND_MALFORMED;
	result = make(SIDEBAND_LOST, 0, "", 0, made);
	if (result == SIDEBAND_EVENT)
		(*made)->lost = record->lost;
	return result;
}

enum sideband_result sideband_event_new(const struct perf_event_header *record,
					struct sideband_event **event)
{
	enum sideband_result result = SIDEBAND_UNUSED;
	const struct sample_id *id;
	size_t body;

	if (record->size % sizeof(u64) || record->size < sizeof(*record) + sizeof(*id))
		return SIDEBAND_MALFORMED;
	body = record->size - sizeof(*id);
	id = (const void *)((const char *)record + body);

	switch (record->type) {
	case PERF_RECORD_MMAP2:
		result = make_mmap((const void *)record, body, event);
		break;
	case PERF_RECORD_COMM:
		result = make_exec((const void *)record, body, event);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		result = make_task((const void *)record, body, event);
		break;
	case PERF_RECORD_LOST:
		result = make_lost((const void *)record, body, event);
		break;
	}
	if (result == SIDEBAND_EVENT)
		(*event)->time_ns = id->time_ns;
	return result;
}
