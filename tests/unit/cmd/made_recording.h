/* SPDX-License-Identifier: GPL-2.0 */
/* A made-up recording's file, item by item, as docs/data-format.md has them. */
#ifndef GAPP_TESTS_MADE_RECORDING_H
#define GAPP_TESTS_MADE_RECORDING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cmd/saved.h"
#include "data/blocks.h"

#define SHARE(ns) ((u64)(ns) << GAPP_SHARE_SHIFT)
#define NO_PATH 0xffffffffU

/**
 * struct recording - a file that is being made
 * @fd: the file, in memory
 * @path: where it can be opened
 */
struct recording {
	int fd;
	char path[32];
	struct blocks_writer writer;
};

/* Begins a file that says how it was recorded, and that threads ran for @wall_ns. */
struct recording recording_begin(u64 wall_ns);
/* One that began at @start_ns of CLOCK_MONOTONIC, with GAPP_LEVEL_@level. */
struct recording recording_begin_at(u64 start_ns, u64 wall_ns, u32 level);
/* The END block. */
void recording_end(struct recording *recording);
/* Without an END block, as on a full disk. */
void recording_cut(struct recording *recording);
void recording_free(struct recording *recording);

/* Each begins a block of its type, whose first item has the number @first. */
void recording_block(struct recording *recording, enum block_type type, u64 first);
void put_numbers(struct recording *recording, const u64 *numbers, size_t count);
#define put(recording, ...)                                  \
	put_numbers(recording, (const u64[]){ __VA_ARGS__ }, \
		    sizeof((const u64[]){ __VA_ARGS__ }) / sizeof(u64))
void put_text(struct recording *recording, const char *text);
void end_item(struct recording *recording);

/* Items. */
void put_object(struct recording *recording, const char *path, u64 inode);
/* A whole path of one frame. */
void put_path(struct recording *recording, u64 id, u64 object, u64 offset);
void put_frame(struct recording *recording, const char *function, u64 object);
void put_answer(struct recording *recording, u64 object, u64 offset, u64 frame);
void put_sums(struct recording *recording, u64 attributed);
/* Share of slices of process 1 without samples that ended on the path @end. */
void put_cell(struct recording *recording, u64 end, u64 share, double n_share);

/* What reported() and its callees complained of last. */
extern char complaints[1024];
/* The report by @by as text, to be freed; NULL: the file cannot be reported. */
char *reported(const struct recording *recording, enum by by);

#endif /* GAPP_TESTS_MADE_RECORDING_H */
