/* SPDX-License-Identifier: GPL-2.0 */
/* A reader of a session's mappings that owes nothing to gapp-read: checks all that it reads. */
#ifndef GAPP_TESTS_ABI_RECORDS_H
#define GAPP_TESTS_ABI_RECORDS_H

#include <gapp_record.h>

#include "t.h"

typedef __u16 u16;

/* What was read; shares, times and counts are sums over the records. */
struct r_tally {
	u64 records; /* all that is neither PAD nor LOST */
	u64 slices; /* records of type SLICE */
	u64 ends; /* of them those with which a slice ended on its own or at STOP */
	u64 stands_for; /* slices that they say they stand for */
	u64 critical_share;
	u64 samples;
	u64 waits;
	u64 wait_ns;
	u64 wakes;
	u64 tails;
	u64 needmaps;
	u64 stores;
	u64 marks;
	u64 marks_left_out; /* as the marks tell */
	u64 lost_told;
	u64 lost_records;
	u64 lost_critical_share;
	u64 lost_wait_ns;
	u64 pads;
	u64 short_pads;
	u64 bad;
	char why[200]; /* of the first bad one */
};

struct r_ring {
	const struct gapp_ring *shared;
	const u8 *data;
	u64 *tail;
	u64 position;
	u64 last_ns;
};

/* Numbers of tails: they are many, so a bit each, in parts made when needed. */
#define R_TAIL_PARTS 32768
#define R_TAIL_PART 65536
#define R_TAILS_OPEN 4096

struct r_tails {
	u8 *parts[R_TAIL_PARTS];
	u32 open[R_TAILS_OPEN]; /* used before they were read: they are in another ring */
	unsigned int open_count;
};

struct r_reader {
	int fd;
	struct gapp_layout layout;
	struct r_ring *rings; /* one for each possible CPU; without data if there is none */
	u8 *tails;
	const u8 *paths;
	struct r_tails tails_read;
	struct r_tally tally;
	/* If set, called with each record but PAD. */
	void (*see)(const struct gapp_record *record, void *arg);
	void *arg;
};

/* CPUs that are present, or possible. */
bool r_cpu_is(const char *list, unsigned int cpu);

int r_layout(int fd, struct gapp_layout *layout);
void r_open(struct r_reader *reader, int fd);
void r_close(struct r_reader *reader);
/* Reads all there is; returns how many records. */
u64 r_drain(struct r_reader *reader);
/* Reads as records come, until @child says something. */
void r_follow(struct r_reader *reader, struct t_child *child);
/* Whether each tail that a path is to be finished with has come; all rings have been read. */
bool r_tails_came(struct r_reader *reader);
/* The words of a user path, and its slot; NULL: this number has none. */
const u64 *r_frames(const struct r_reader *reader, u32 number, const struct gapp_path **path);
/* Words of user paths that are no user's addresses: that must never be. */
u32 r_kernel_words(const struct r_reader *reader);
/* Where each sample of a slice hit the thread, behind the samples. */
static inline const s32 *r_samples_in(const struct gapp_record_slice *slice)
{
	return (const s32 *)((const struct gapp_sample *)(slice + 1) + slice->sample_count);
}

/* The file of a wait; NULL: the record has none. */
const struct gapp_wait_file *r_file(const struct gapp_record *record);

/* The lock in the kernel of a wait, which is last; NULL: the record has none. */
const struct gapp_wait_lock *r_lock(const struct gapp_record *record);

/* What a slice's record says of what was counted; NULL: nothing. */
const struct gapp_slice_tallies *r_tallies(const struct gapp_record_slice *slice);

/* The text of a mark, which a zero ends. */
static inline const char *r_text(const struct gapp_record_mark *mark)
{
	return (const char *)(mark + 1);
}

/* Slots of the table of paths that are in use. */
u32 r_path_count(const struct r_reader *reader);

/* Between records.c and records_tail.c. */
void r_bad(struct r_reader *reader, const char *format, ...) __attribute__((format(printf, 2, 3)));
void r_check_path(struct r_reader *reader, u32 number, bool kernel);
void r_use_tail(struct r_reader *reader, u32 tail);
void r_check_tail(struct r_reader *reader, const struct gapp_record_stack_copy *tail);
void r_check_needmap(struct r_reader *reader, const struct gapp_record_need_mapping *need);
void r_check_store(struct r_reader *reader, const struct gapp_record_store *store);
void r_check_mark(struct r_reader *reader, const struct gapp_record_mark *mark);
void r_forget_tails(struct r_reader *reader);

#endif /* GAPP_TESTS_ABI_RECORDS_H */
