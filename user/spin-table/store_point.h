/* SPDX-License-Identifier: GPL-2.0 */
/* Instructions that store, as the module is told of them (GAPP_IOC_STORE_POINT). */
#ifndef GAPP_READ_STORE_POINT_H
#define GAPP_READ_STORE_POINT_H

#include <gapp.h>

#include "util/util.h"

/**
 * struct found_store - an instruction of a file that stores
 * @point: what it stores, and where, without a process; addresses are those of the file
 * @begin: address of the instruction
 * @looked_at: address that was asked for, which is in the instruction
 * @is_relative: its word lies at an address of the file
 */
struct found_store {
	struct gapp_store_point point;
	u64 begin;
	u64 looked_at;
	bool is_relative;
};

/*
 * Finds the instruction of an open ELF file that has the byte at @offset of the file. Returns 0; or
 * -1 with errno set: ENOEXEC: the file or its machine is not known; ENOENT: there is no instruction
 * of which it is known what it stores; ENOMEM; ENOTSUP: there is no decoder.
 */
int store_point_find(struct found_store *found, int fd, u64 offset);

/* Sets @point to the instruction @found where the byte that was asked for is at @address. */
void store_point_place(struct gapp_store_point *point, const struct found_store *found,
		       u64 address);

#endif /* GAPP_READ_STORE_POINT_H */
