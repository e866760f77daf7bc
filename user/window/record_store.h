/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The last records of a recording, in the order in which they came. Memory is bounded: where a
 * record finds no room, the oldest go. It is given back when records are dropped.
 */
#ifndef GAPP_READ_RECORD_STORE_H
#define GAPP_READ_RECORD_STORE_H

#include <gapp.h>
#include <gapp_record.h>

#include "util/util.h"

/* Memory is taken in pieces of so many bytes; a store has two at least. */
#define STORE_PIECE_BYTES 0x40000U

struct record_store;

/* Takes a record; 0, or -1 without memory. */
typedef int (*record_store_fn)(void *context, const struct gapp_record *record);

/*
 * @bytes: of memory that the store takes at most; @gone: called for each record that is dropped,
 * or NULL. NULL: no memory.
 */
struct record_store *record_store_new(u64 bytes, record_store_fn gone, void *context);
void record_store_free(struct record_store *store);

/* Adds a copy of a record. Returns 0, or -1 without memory, of its own or of @gone. */
int record_store_add(struct record_store *store, const struct gapp_record *record);

/*
 * Drops records from the oldest on, up to the first whose time is @time_ns or later. Returns 0, or
 * -1 if @gone had no memory for one; it is dropped all the same.
 */
int record_store_drop_before(struct record_store *store, u64 time_ns);

/* Calls @each for each record, the oldest first. Returns 0, or what @each returned to end. */
int record_store_each(const struct record_store *store, record_store_fn each, void *context);

/* Memory that the store takes, and how many records it has. */
u64 record_store_bytes(const struct record_store *store);
u64 record_store_count(const struct record_store *store);

/*
 * Time of the last record that was dropped because there was no room; 0: none was. All later ones
 * are there, but for those of record_store_drop_before().
 */
u64 record_store_dropped_ns(const struct record_store *store);

#endif /* GAPP_READ_RECORD_STORE_H */
