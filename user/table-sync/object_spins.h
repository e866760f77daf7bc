/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The spin tables of objects. Mappings do not wait for them: they are sent without, and are sent
 * again when the loops of a file were found.
 */
#ifndef GAPP_READ_OBJECT_SPINS_H
#define GAPP_READ_OBJECT_SPINS_H

#include "spin-table/spin_table.h"
#include "unwind-table/table_worker.h"

struct object_table;
struct object_tables;

/**
 * struct object_spins - the spin table of an object
 * @state: see each value
 * @outdated: SPINS_FINDING: the object was given up meanwhile, or has another file by now
 * @small: SPINS_FINDING: it counts in struct spin_finder
 * @number: SPINS_LOADED: the table's number in the session; else 0
 * @next_wanted: SPINS_WANTED: the next object whose loops are to be found
 */
struct object_spins {
	enum object_spins_state {
		SPINS_NEW,
		SPINS_WANTED, /* the file is still to be opened */
		SPINS_FINDING,
		SPINS_LOADED,
		SPINS_NONE, /* no loop surely waits, or it cannot be known */
	} state;
	bool outdated;
	bool small;
	u32 number;
	struct object_table *next_wanted;
};

/**
 * struct spin_finder - finds the loops of objects, one object after the other
 * @worker: its thread; NULL: the session does not ask for spin tables
 * @complains: for the thread: it is still to complain, should the decoder be missing
 * @blind: for the thread: the decoder is missing
 * @gave_up: the thread has said so: nothing more is asked of it
 * @small: small files that the thread has, see object_spins_soon()
 * @first_wanted: objects whose loops are to be found, the smallest file first
 */
struct spin_finder {
	struct table_worker *worker;
	bool complains;
	bool blind;
	bool gave_up;
	u32 small;
	struct object_table *first_wanted;
};

/* Returns 0, or -1 without memory. */
int object_spins_begin(struct object_tables *tables);
void object_spins_end(struct object_tables *tables);

/* Loads what was recalled of an object, or has its loops found if nothing @is_known of them. */
void object_spins_recalled(struct object_tables *tables, struct object_table *table,
			   const struct spin_table *recalled, bool is_known);
/* Has the loops of an object found, if it is used and this was not yet tried. */
void object_spins_want(struct object_tables *tables, struct object_table *table);

/* Drops the object's spin table; its file may be another one by now. */
void object_spins_drop(struct object_tables *tables, struct object_table *table);
/* Has no loops found of objects that nobody uses, so that they can be forgotten. */
void object_spins_want_used(struct object_tables *tables);

/* Loads tables that are ready into the module. Returns whether any object is @fresh. */
bool object_spins_load(struct object_tables *tables);
/* Opens files, or @only_small ones, and has their loops found. Unwind tables are made first. */
void object_spins_find(struct object_tables *tables, bool only_small);

/* Whether loops of small files are being found, which takes little time. */
bool object_spins_soon(const struct object_tables *tables);

#endif /* GAPP_READ_OBJECT_SPINS_H */
