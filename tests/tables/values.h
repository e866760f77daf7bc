/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a frame's caller is, worked out twice: by the operations that libdw
 * gives, and by the rule of a table, on the same made-up registers and memory.
 * Two ways to say the same give the same; two that are different do not.
 */
#ifndef GAPP_TESTS_TABLES_VALUES_H
#define GAPP_TESTS_TABLES_VALUES_H

#include <elfutils/libdw.h>
#include <gapp_table.h>

#include "util/util.h"

#define REGISTERS 33

/* How a value stands. */
enum value_kind {
	VALUE_KNOWN,
	VALUE_UNDEFINED,
	VALUE_ERROR, /* libdw says no */
	VALUE_STRANGE, /* no rule could say it */
};

struct value {
	enum value_kind kind;
	u64 value;
	/* it is in memory at the CFA plus this, or this register, or as it was: a rule can say so
	 */
	bool simple;
};

/**
 * struct caller - the frame that called
 * @signal: it is the one that a signal interrupted
 * @cfa: stack pointer
 * @fp: frame pointer
 * @ra: instruction pointer
 */
struct caller {
	bool signal;
	struct value cfa, fp, ra;
};

/* Registers and memory that are made up, but for the instruction pointer. */
struct world {
	enum gapp_arch arch;
	u64 registers[REGISTERS];
};

void world_begin(struct world *world, enum gapp_arch arch, u64 ip);
u64 world_memory(u64 address);

struct caller caller_by_libdw(const struct world *world, Dwarf_Frame *frame);
/* Only of rules that say how. */
struct caller caller_by_rule(const struct world *world, const struct gapp_rule *rule);

int world_fp(const struct world *world);
int world_sp(const struct world *world);
int world_ip(const struct world *world);

#endif /* GAPP_TESTS_TABLES_VALUES_H */
