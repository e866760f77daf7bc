/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a thread waits for, by the functions on the path with which it waits. A rule gives a
 * function its wait reason and a name; what no rule knows is "other".
 */
#ifndef GAPP_READ_WAIT_RULES_H
#define GAPP_READ_WAIT_RULES_H

#include <stdbool.h>
#include <stddef.h>

#include <gapp_record.h>

#include "symbol/symbols.h"
#include "util/util.h"

/**
 * struct wait_kind - what a thread waits for
 * @reason: enum gapp_wait_reason
 * @name: what it is called, such as "interpreter lock"; NULL: the reason alone is known. Belongs to
 *	the rules
 * @plain: the name says little more than the reason: the text leaves it out
 */
struct wait_kind {
	u32 reason;
	const char *name;
	bool plain;
};

/**
 * struct wait_rule - a function that waits
 * @function: pattern of its name; "-": it has no name
 * @object: pattern of the name of the file that it is in
 * @after: pattern of the name that the functions it called have by their rules; NULL: no rule knows
 *	any of these
 * @kind: what the function waits for
 * @by_call: the module's wait reason, of a library whose futexes the module tells apart by their
 *	values; 0: any
 *
 * In a pattern a * stands for any text, and a ? for any character. Behind what @function matches
 * may stand what compilers and linkers add to names, see wait_rules.c.
 */
struct wait_rule {
	const char *function;
	const char *object;
	const char *after;
	struct wait_kind kind;
	u32 by_call;
};

/* The table of the tree: of C libraries, languages and runtimes. */
extern const struct wait_rule wait_table[];
extern const size_t wait_table_count;

/**
 * struct wait_rules - the rules of a user's file, which are asked before the table
 * @rules: in the order of the file
 * @count: elements of @rules
 * @text: what they point to
 */
struct wait_rules {
	struct wait_rule *rules;
	size_t count;
	char *text;
};

/* Reads a file of rules. NULL, with a complaint made, if one cannot be understood. */
struct wait_rules *wait_rules_read(const char *path);
void wait_rules_free(struct wait_rules *rules);

/**
 * wait_rules_find() - what the functions on a path wait for
 * @rules: of a user's file; NULL: there are none
 * @functions: the path, innermost first
 * @count: functions on it
 * @by_call: the module's wait reason
 *
 * Return: the rule that decides, or NULL.
 */
const struct wait_rule *wait_rules_find(const struct wait_rules *rules,
					const struct frame *const *functions, size_t count,
					u32 by_call);

/* Whether a function is library code, or of a crate of Rust that the table knows. */
bool wait_is_library(const struct frame *frame);

/* Whether the rule is one for that function. */
bool wait_rule_fits(const struct wait_rule *rule, const struct frame *frame);

/* Whether a text matches a pattern of * and ?. */
bool wait_pattern_fits(const char *pattern, const char *text);

#endif /* GAPP_READ_WAIT_RULES_H */
