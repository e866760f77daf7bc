// SPDX-License-Identifier: GPL-2.0
/* Callbacks from libc: sorting, searching, trees, exit handlers of children. */
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#define COUNT 4000

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int by_number(const void *a, const void *b)
{
	return atoi(a) < atoi(b) ? -1 : atoi(a) > atoi(b);
}

static volatile long nodes;

static void visit(const void *node, VISIT order, int level)
{
	if (order == leaf || order == postorder)
		nodes += level + strlen(*(char *const *)node);
}

static void nothing(void *node)
{
	(void)node;
}

int main(void)
{
	char *texts[COUNT], *pointers[COUNT];
	wchar_t wide[64];
	unsigned int i, round;
	void *root;

	for (i = 0; i < COUNT; i++) {
		texts[i] = malloc(24);
		if (!texts[i])
			return 1;
	}
	for (round = 0;; round++) {
		for (i = 0; i < COUNT; i++) {
			snprintf(texts[i], 24, "%u", (i + round) * 2654435761U);
			swprintf(wide, 64, L"%s %ls %.3f", texts[i], L"wide", i / 7.0);
			pointers[i] = texts[i];
		}
		qsort(pointers, COUNT, sizeof(pointers[0]), by_text);
		root = NULL;
		for (i = 0; i < COUNT; i += 4)
			tsearch(texts[i], &root, by_number);
		twalk(root, visit);
		tdestroy(root, nothing);
	}
}
