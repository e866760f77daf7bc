/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a value in a loop is made of: a set of atoms. A variable is a register or a word of the
 * stack that the loop writes; its value when an iteration begins is an atom.
 */
#ifndef GAPP_READ_ATOMS_H
#define GAPP_READ_ATOMS_H

#include "loops.h"

#define VARIABLES_MAX 128

/*
 * First numbers of the kinds of atoms. ATOM_SAME and ATOM_LOAD are also the nodes of the graph that
 * tells how values of one iteration depend on those of the one before.
 */
#define ATOM_SAME 0 /* and the variable's number: its value, unchanged */
#define ATOM_LOAD VARIABLES_MAX /* and the instruction's number: what it loads from memory */
#define NODES (ATOM_LOAD + LOOP_INSNS_MAX)
#define ATOM_CHANGED 384 /* and the variable's number: what is computed with its value */
#define ATOM_RESULT (ATOM_CHANGED + VARIABLES_MAX) /* and the instruction's number: of its call */
#define ATOM_CLOCK (ATOM_RESULT + LOOP_INSNS_MAX) /* what a clock says */
#define ATOM_STACK (ATOM_CLOCK + 1) /* a word of the stack that the loop does not write */
#define ATOMS (ATOM_STACK + 1)

#define ATOM_WORDS ((ATOMS + 63) / 64)
#define NODE_WORDS (ATOM_CHANGED / 64)

_Static_assert(!(ATOM_CHANGED % 64), "nodes are whole words");
_Static_assert(ATOM_LOAD + LOOP_INSNS_MAX <= (ATOM_CHANGED), "nodes are below");
_Static_assert(VARIABLES_MAX % 64 == 0, "atoms");

struct atoms {
	u64 words[ATOM_WORDS];
};

static inline void atoms_add(struct atoms *atoms, u32 atom)
{
	atoms->words[atom / 64] |= 1ULL << (atom % 64);
}

static inline bool atoms_have(const struct atoms *atoms, u32 atom)
{
	return atoms->words[atom / 64] >> (atom % 64) & 1;
}

/* Adds the atoms of @from. True: @atoms had not all of them. */
static inline bool atoms_unite(struct atoms *atoms, const struct atoms *from)
{
	u64 added = 0;

	for (u32 i = 0; i < ATOM_WORDS; i++) {
		added |= from->words[i] & ~atoms->words[i];
		atoms->words[i] |= from->words[i];
	}
	return added;
}

/* The first atom from @atom on; ATOMS: there is none. */
static inline u32 atoms_next(const struct atoms *atoms, u32 atom)
{
	while (atom < ATOMS) {
		u64 word = atoms->words[atom / 64] >> (atom % 64);

		if (word)
			return atom + __builtin_ctzll(word);
		atom = (atom / 64 + 1) * 64;
	}
	return ATOMS;
}

#define for_each_atom(atom, atoms) \
	for (u32 atom = atoms_next(atoms, 0); atom < ATOMS; atom = atoms_next(atoms, atom + 1))

/* What becomes of a value when something is computed with it. */
static inline struct atoms atoms_changed(const struct atoms *from)
{
	struct atoms atoms = *from;

	for (u32 i = 0; i < VARIABLES_MAX / 64; i++) {
		atoms.words[ATOM_CHANGED / 64 + i] |= atoms.words[ATOM_SAME / 64 + i];
		atoms.words[ATOM_SAME / 64 + i] = 0;
	}
	return atoms;
}

static inline bool atom_is_same(u32 atom)
{
	return atom < ATOM_LOAD;
}

static inline bool atom_is_load(u32 atom)
{
	return atom >= ATOM_LOAD && atom < NODES;
}

static inline bool atom_is_changed(u32 atom)
{
	return atom >= ATOM_CHANGED && atom < ATOM_RESULT;
}

static inline bool atom_is_result(u32 atom)
{
	return atom >= ATOM_RESULT && atom < ATOM_CLOCK;
}

#endif /* GAPP_READ_ATOMS_H */
