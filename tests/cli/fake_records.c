// SPDX-License-Identifier: GPL-2.0
/* Records in the rings of the stand-in for /dev/gapp. */
#include <stdlib.h>
#include <unistd.h>

#include <gapp.h>
#include <gapp_record.h>

#include "fake_node.h"

static void put_wakes(int node, __u64 begin)
{
	struct gapp_record_wake wake = {
		.head = { .type = GAPP_RECORD_WAKE, .size = sizeof(wake), .time_ns = begin }
	};
	struct gapp_ring ring = { .write_position = fake_number("records", 0) * sizeof(wake) };

	for (__u64 at = 0; at < ring.write_position; at += sizeof(wake)) {
		/* nobody prints it without its flag, and so records do not compress to nothing */
		wake.waker_tgid = (__u32)at * 2654435761U;
		if (pwrite(node, &wake, sizeof(wake), GAPP_MAP_RING(0) + FAKE_PAGE + at) < 0)
			abort();
	}
	if (ring.write_position && pwrite(node, &ring, sizeof(ring), GAPP_MAP_RING(0)) < 0)
		abort();
}

static void put_needmap(int node, __u64 begin)
{
	struct gapp_record_need_mapping needmap = {
		.head = { .type = GAPP_RECORD_NEED_MAPPING,
			  .size = sizeof(needmap),
			  .time_ns = begin },
		.tgid = fake_number("needmap", 0),
	};
	struct gapp_ring ring = { .write_position = sizeof(needmap) };

	if (needmap.tgid &&
	    (pwrite(node, &needmap, sizeof(needmap), GAPP_MAP_RING(1) + FAKE_PAGE) < 0 ||
	     pwrite(node, &ring, sizeof(ring), GAPP_MAP_RING(1)) < 0))
		abort();
}

void fake_put_records(int node, __u64 begin_ns)
{
	put_wakes(node, begin_ns);
	put_needmap(node, begin_ns);
}

int fake_has_records(int node)
{
	__u64 head = 0, tail = 0;

	for (unsigned int cpu = 0; cpu < FAKE_CPUS && head == tail; cpu++)
		if (pread(node, &head, sizeof(head), GAPP_MAP_RING(cpu)) < 0 ||
		    pread(node, &tail, sizeof(tail), GAPP_MAP_READ_POSITIONS + 64 * cpu) < 0)
			abort();
	return head != tail;
}
