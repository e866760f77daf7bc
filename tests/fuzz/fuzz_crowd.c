// SPDX-License-Identifier: GPL-2.0
/* Any bytes as threads that join and leave, under any mode: N_min and the counts stay sane. */
#include <stdint.h>
#include <stdlib.h>

#include <gapp.h>

#include "cmetric.h"

static u32 most(u32 a, u32 b)
{
	return a > b ? a : b;
}

/* As the ABI's comment has it, written out once more. */
static u32 expected(const struct gapp_threshold *crowd)
{
	u32 usable = crowd->live;

	if (crowd->mode == GAPP_N_MIN_FIXED)
		return most(1, crowd->fixed);
	if (crowd->mode == GAPP_N_MIN_AUTO && crowd->cpus && crowd->cpus < usable)
		usable = crowd->cpus;
	return most(1, usable / 2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gapp_threshold crowd = { 0 };
	u32 live = 0, peak = 0;
	size_t i;

	if (size < 4)
		return 0;
	crowd.mode = data[0] % 3;
	crowd.fixed = data[1] | data[2] << 8;
	crowd.cpus = data[3];
	for (i = 4; i < size; i++) {
		if (data[i] & 1) {
			gapp_threshold_join(&crowd);
			live++;
		} else {
			gapp_threshold_leave(&crowd);
			live -= live > 0;
		}
		peak = most(peak, live);
		if (data[i] & 2)
			crowd.cpus = data[i] >> 2;
		if (crowd.live != live || crowd.peak != peak)
			abort();
		if (gapp_threshold_n_min(&crowd) != expected(&crowd))
			abort();
	}
	return 0;
}
