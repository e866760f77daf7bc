/* SPDX-License-Identifier: GPL-2.0 */
/* Which thread gave a CPU to which, and where both were: --view handover. */
#ifndef GAPP_READ_HANDOVERS_H
#define GAPP_READ_HANDOVERS_H

#include "code_place.h"
#include "profile/entry_places.h"
#include "util/hash_index.h"

/* Rows of a recording; more make no sense: the module has 1,024 for a CPU. */
#define SAVED_HANDOVERS_MAX 0x800000U

/**
 * struct entry_key - an address at which a thread entered the kernel
 * @tgid: its process
 * @image: number of the address space
 * @ip: the address, in two words
 */
struct entry_key {
	s32 tgid;
	u32 image;
	u32 ip[2];
};

/**
 * struct entry_code - what is at such an address
 * @address: looked up while the process had that address space
 * @known: something is mapped there; else a later look may know
 */
struct entry_code {
	struct entry_key key;
	struct code_address address;
	bool known;
};

struct process_image {
	struct {
		s32 tgid;
	} key;
	u32 image;
};

/**
 * struct entry_codes - addresses of handovers, looked up while processes have them mapped
 * @codes: the addresses, each once
 * @images: the newest address space that was seen of each process
 */
struct entry_codes {
	KEYED(entry_code) codes;
	KEYED(process_image) images;
};

void entry_codes_free(struct entry_codes *codes);

/* What process @tgid, whose address space has the number @image, has mapped at an address now. */
typedef struct code_address (*find_code_fn)(void *context, s32 tgid, u32 image, u64 ip);

/*
 * Looks up the addresses of handovers that were not looked up before. An address space that another
 * one of its process has replaced by now is too old. Returns 0, or -1 without memory.
 */
int entry_codes_look(struct entry_codes *codes, find_code_fn find, void *context,
		     const struct gapp_handover *handovers, size_t count);

/**
 * struct handover_end - one of the two threads of a handover
 * @tid: thread id; 0: it has none that the user sees
 * @tgid: process id
 * @comm: its name; empty: it is not known any more
 * @entry: where it entered the kernel
 * @own: code of the program that called that; all NULL: @entry is the program's, or it is not known
 */
struct handover_end {
	s32 tid;
	s32 tgid;
	u8 comm[GAPP_COMM_LEN];
	struct code_place entry;
	struct code_place own;
};

/**
 * struct handover - how often
 * @from: who gave a CPU away
 * @to: who got it
 * @count: number of times, on all CPUs
 * @last_ns: when the last one was, in nanoseconds since the recording began
 */
struct handover {
	struct handover_end from;
	struct handover_end to;
	u64 count;
	u64 last_ns;
};

/**
 * struct handovers - all that were counted
 * @rows: the most frequent first
 * @count: all, with those that were lost
 * @lost: those that found no room in the module's tables
 */
struct handovers {
	struct handover *rows;
	u32 row_count;
	u64 count;
	u64 lost;
};

/**
 * struct handover_names - what gives names to handovers
 * @codes: what is at addresses
 * @symbols: names of code
 * @places: own code behind addresses
 * @model: the threads, with their names
 */
struct handover_names {
	const struct entry_codes *codes;
	struct symbols *symbols;
	const struct entry_places *places;
	const struct model *model;
};

/* Adds up what is the same on all CPUs. NULL: no memory. */
struct handovers *handovers_make(const struct gapp_handover *rows, size_t count,
				 const struct handover_names *names);
void handovers_free(struct handovers *handovers);

void handovers_save(const struct handovers *handovers, struct blocks_writer *writer);
/* Sets @handovers; NULL: the recording has none. Returns 0, or -1 without memory. */
int handovers_read(struct blocks *blocks, struct handovers **handovers);

#endif /* GAPP_READ_HANDOVERS_H */
