/* SPDX-License-Identifier: GPL-2.0 */
/* Compares, and says where and what. The rig defines VEC_FAIL(): see run.h. */
#ifndef GAPP_VEC_SAME_H
#define GAPP_VEC_SAME_H

#include "port.h"

/* Where a comparison stands, for the message. */
struct vec_place {
	void *rig;
	const char *name;
	const char *part;
	u32 index;
};

static inline void vec_same(const struct vec_place *p, const char *what, u64 is, u64 must)
{
	if (is != must)
		VEC_FAIL(p->rig, "%s: %s %u: %s is %llu, must be %llu", p->name, p->part, p->index,
			 what, (unsigned long long)is, (unsigned long long)must);
}

#endif /* GAPP_VEC_SAME_H */
