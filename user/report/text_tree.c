// SPDX-License-Identifier: GPL-2.0
/* The tree of call paths, of --tree. */
#include "text_private.h"

#define LEAST_PERCENT 1 /* of the time that a tree is of: functions with less are left out */
#define INDENT 2
#define INDENTS_MAX 20 /* deeper functions stand no farther to the right */

static double whole_of(const struct call_tree *tree, enum path_kind kind)
{
	double whole = 0;

	for (size_t i = 0; i < tree->count; i++)
		if (tree->nodes[i].kind == kind && !tree->nodes[i].depth)
			whole += tree->nodes[i].critical_ns;
	return whole;
}

static void put_node(struct text *text, const struct call_tree_node *node)
{
	unsigned int indents = node->depth < INDENTS_MAX ? node->depth : INDENTS_MAX;
	char name[TEXT_CELL_SIZE];

	text_function(name, node->frame, 1);
	text_add(text, "%11.*f %6.1f %c%*s%s", text->decimals, text_time(text, node->critical_ns),
		 results_percent_of_all(text->results, node->critical_ns), node->place ? '*' : ' ',
		 INDENT * indents, "", name);
	text_wrap(text, 21 + INDENT * indents, TEXT_PLAIN);
}

static void put_tree(struct text *text, enum path_kind kind, const char *title)
{
	const struct call_tree *tree = &text->results->tree;
	double whole = whole_of(tree, kind);

	if (whole <= 0)
		return;
	text_blank(text);
	text_add(text, "%11s %6s  %s", text->unit, "%", title);
	text_end(text);
	for (size_t i = 0; i < tree->count; i++)
		if (tree->nodes[i].kind == kind &&
		    percent_of(tree->nodes[i].critical_ns, whole) >= LEAST_PERCENT)
			put_node(text, &tree->nodes[i]);
}

void text_tree(struct text *text)
{
	if (!text->options->tree)
		return;
	put_tree(text, PATH_RAN, "few threads were active while this ran (* places)");
	put_tree(text, PATH_WAITED, "nobody ran while this waited (* places)");
}
