// SPDX-License-Identifier: GPL-2.0
#include "decoder.h"

static const struct machine *const machines[] = { &machine_x86_64 };

const struct machine *machine_find(u16 elf)
{
	for (size_t i = 0; i < ARRAY_SIZE(machines); i++)
		if (machines[i]->elf == elf)
			return machines[i];
	return NULL;
}
