/* SPDX-License-Identifier: GPL-2.0 */
#ifndef GAPP_BENCH_SHIM_LLIST_H
#define GAPP_BENCH_SHIM_LLIST_H

#include <linux/compiler.h>

struct llist_node {
	struct llist_node *next;
};

struct llist_head {
	struct llist_node *first;
};

#define llist_entry(node, type, member) ((type *)&((char *)(node))[-(long)offsetof(type, member)])

static inline void init_llist_head(struct llist_head *list)
{
	list->first = NULL;
}

static inline bool llist_empty(const struct llist_head *list)
{
	return !READ_ONCE(list->first);
}

static inline void llist_add(struct llist_node *node, struct llist_head *list)
{
	node->next = READ_ONCE(list->first);
	while (!__atomic_compare_exchange_n(&list->first, &node->next, node, false,
					    __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
		;
}

static inline struct llist_node *llist_del_all(struct llist_head *list)
{
	return __atomic_exchange_n(&list->first, NULL, __ATOMIC_SEQ_CST);
}

static inline struct llist_node *llist_reverse_order(struct llist_node *node)
{
	struct llist_node *former = NULL;

	while (node) {
		struct llist_node *next = node->next;

		node->next = former;
		former = node;
		node = next;
	}
	return former;
}

#endif /* GAPP_BENCH_SHIM_LLIST_H */
