// SPDX-License-Identifier: GPL-2.0
/* Looks for a variable of the kernel line by line: it is asked for seldom, and nothing is kept. */
#include "kernel_data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* No symbol says how large it is: what is farther behind one is not taken for a part of it. */
#define VARIABLE_MAX 4096
#define SYMBOL_NAME 127

bool kernel_data_name(const char *path, u64 address, char *name)
{
	char symbol[SYMBOL_NAME + 1], best[SYMBOL_NAME + 1] = "", type, best_type = 0;
	unsigned long long at;
	char *line = NULL;
	size_t size = 0;
	u64 before = 0;
	FILE *file;

	if (!kernel_data_may_be(address))
		return false;
	file = fopen(path, "re");
	if (!file)
		return false;
	while (getline(&line, &size, file) > 0) {
		if (sscanf(line, "%llx %c %127s", &at, &type, symbol) != 3 || at > address ||
		    at < before)
			continue;
		/* of several symbols of one address one without a leading underscore is better */
		if (at == before && *best != '_')
			continue;
		before = at;
		best_type = type;
		strcpy(best, symbol);
	}
	free(line);
	fclose(file);
	if (!before || !strchr("bBdDrR", best_type) || address - before >= VARIABLE_MAX)
		return false;
	if (address == before)
		snprintf(name, KERNEL_DATA_NAME, "%s", best);
	else
		snprintf(name, KERNEL_DATA_NAME, "%s+0x%llx", best,
			 (unsigned long long)(address - before));
	return true;
}
