/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which call paths are one place. The tree of the program's own functions is cut where critical
 * time divides; each call path belongs to one node of what is left, so places do not overlap.
 */
#ifndef GAPP_READ_PLACE_TREE_H
#define GAPP_READ_PLACE_TREE_H

#include "profile_private.h"

/**
 * place_tree_build() - decides the place of every call path of the ranker's flows
 * @ranker: with @believed and @flows; gets a tree
 *
 * Return: 0, or -1 without memory.
 */
int place_tree_build(struct ranker *ranker);
void place_tree_free(struct place_tree *tree);

/* The place of a call path, a number; HASH_NONE: no flow leads to the path. */
u32 place_tree_find(const struct place_tree *tree, const struct row_key *key);

/* Gives the call path number @i, 0, 1, 2 ..., with its time. False: there are no more. */
bool place_tree_path(const struct place_tree *tree, u32 i, struct row_key *key, double *ns);

/**
 * place_tree_frames() - the functions of a place as frames of one of its call paths
 * @ranker: the ranker
 * @place: number of the place
 * @stack: number of a call path of the place
 * @count: set to the number of functions, from the place's own to the outermost; 0: the place is
 * the start of programs, which runs before their own code
 *
 * Return: the numbers of the frames, the place's own function first; valid until the next call.
 */
const u32 *place_tree_frames(const struct ranker *ranker, u32 place, u32 stack, u32 *count);

/* Makes the list of the tree; @ranker has its places. Returns 0, or -1 without memory. */
int call_tree_make(const struct ranker *ranker, struct call_tree *tree);

/* doing.c */

/* Where a call path is in its place's function, with its line. NULL: no memory. */
const struct frame *place_spot(const struct ranker *ranker, const struct row *row, u32 stack);

/* Gives a place its functions, with the lines of call path @stack. Returns 0, or -1 without memory.
 */
int place_make_frames(const struct ranker *ranker, struct row *row, u32 stack, bool thorough);

/* Gives a place what it did. Returns 0, or -1 without memory. */
int place_make_doing(const struct ranker *ranker, struct row *row);

/* Gives a place its threads from tallies of their shares. Returns 0, or -1 without memory. */
int place_make_members(const struct profile *profile, struct ranked *ranked,
		       const struct part *parts, size_t count);

/* Tells the places of an interpreter apart, if it has several. */
void places_of_interpreter(struct ranking *ranking);

#endif /* GAPP_READ_PLACE_TREE_H */
