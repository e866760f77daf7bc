/* SPDX-License-Identifier: GPL-2.0 */
/* The records of a recording's file, one after the other. */
#ifndef GAPP_READ_RECORDED_H
#define GAPP_READ_RECORDED_H

#include <gapp_record.h>

#include "callpath/saved_paths.h"
#include "data/blocks.h"
#include "input/cpu_nodes.h"
#include "symbol/symbols.h"

/**
 * struct recorded - a file that may have records
 * @blocks: the file
 * @paths: call paths of records, by their ids
 * @symbols: names of their frames
 * @start_ns: CLOCK_MONOTONIC at which the recording began
 * @stop_ns: CLOCK_MONOTONIC at which it ended
 * @nodes: NUMA nodes of its CPUs; none: not known
 * @kept: it was made to have records
 * @kernel: release of the kernel, or NULL
 * @machine: the kernel's word for the kind of processor, or NULL
 * @every_slice: it was made with every slice and wake-up (GAPP_LEVEL_TRACE)
 */
struct recorded {
	struct blocks *blocks;
	const struct saved_paths *paths;
	struct symbols *symbols;
	u64 start_ns;
	u64 stop_ns;
	const char *kernel;
	const char *machine;
	const struct cpu_nodes *nodes;
	bool kept;
	bool every_slice;
};

/**
 * struct recorded_count - how many records a file has
 * @kept: it was made to have records
 * @recorded: records that there were
 * @taken: those that the file has
 */
struct recorded_count {
	bool kept;
	u64 recorded;
	u64 taken;
};

/*
 * Takes a record, which is whole, with ids of the file's call paths; @verdict: of a stack copy,
 * enum verify_verdict. Returns 0, or -1 to end the loop.
 */
typedef int (*recorded_fn)(void *context, const struct gapp_record *record, u32 verdict);

/**
 * struct records_cursor - a place among the records of a file, to read them one by one
 * @record: the record there, which is whole
 * @verdict: of a stack copy, enum verify_verdict
 * @blocks: the file
 * @at: as blocks_next() has it
 * @unpack: what follows in the block
 * @buffer: the record, aligned
 */
struct records_cursor {
	const struct gapp_record *record;
	u32 verdict;
	struct blocks *blocks;
	u32 at;
	struct unpack unpack;
	union {
		struct gapp_record head;
		struct gapp_record_stack_copy copy;
		u8 bytes[UINT16_MAX + 1];
	} buffer;
};

/* Begins before the first record. */
void records_begin(struct records_cursor *cursor, struct blocks *blocks);
/*
 * Goes on to the next record. No other block of the file may be read between two calls. False:
 * there is none.
 */
bool records_next(struct records_cursor *cursor);

/* Finds out whether a file was made to have records. Returns 0, or -1 without memory. */
int recorded_kept(struct blocks *blocks, struct recorded_count *count);

/*
 * Calls @take for each record, in the order of time. May be called repeatedly. Returns 0, or -1
 * without memory or if @take did.
 */
int recorded_each(struct blocks *blocks, recorded_fn take, void *context,
		  struct recorded_count *count);

#endif /* GAPP_READ_RECORDED_H */
