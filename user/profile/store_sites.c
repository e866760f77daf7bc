// SPDX-License-Identifier: GPL-2.0
#include "store_sites.h"

/* Programs have some; of more nothing is known. */
#define SITES_MAX 1024

void store_sites_free(struct store_sites *sites)
{
	keyed_free(&sites->all);
}

u32 store_sites_note(struct store_sites *sites, u32 image, u64 address, s32 tgid)
{
	const struct store_site_key key = { image, address };
	u32 id = keyed_find(&sites->all, &key);

	if (id == HASH_NONE && sites->all.index.count < SITES_MAX) {
		id = keyed_add(&sites->all, &key);
		if (id != HASH_NONE)
			sites->all.rows[id].tgid = tgid;
	}
	return id;
}

u64 store_site_value(const struct store_site *site, u64 seen)
{
	const struct gapp_store_point *point = &site->point;
	u64 stored;

	if (point->how != GAPP_STORE_SETS || point->with)
		return seen;
	/* the word may have more bytes */
	stored = point->bytes == 8 ? UINT64_MAX : (1ULL << point->bytes * 8) - 1;
	return (seen & ~stored) | ((u64)point->number & stored);
}

void store_site_told(struct store_site *site, u64 from_ns)
{
	site->state = STORE_SITE_TOLD;
	site->from_ns = from_ns;
	site->to_ns = UINT64_MAX;
}

void store_site_ended(struct store_site *site, enum store_site_state state, u64 to_ns)
{
	site->state = state;
	if (to_ns < site->to_ns)
		site->to_ns = to_ns;
}

void store_sites_ended(struct store_sites *sites, u64 to_ns)
{
	for (u32 i = 0; i < sites->all.index.count; i++) {
		struct store_site *site = &sites->all.rows[i];

		site->ends = 0;
		if (site->state == STORE_SITE_TOLD)
			store_site_ended(site, STORE_SITE_KNOWN, to_ns);
	}
	sites->ends = 0;
}

u32 store_sites_told_at(const struct store_sites *sites, u32 image, u64 begin)
{
	for (u32 i = 0; i < sites->all.index.count; i++) {
		const struct store_site *site = &sites->all.rows[i];

		if (site->state == STORE_SITE_TOLD && site->key.image == image &&
		    site->point.address == begin)
			return i;
	}
	return HASH_NONE;
}

void store_sites_given_up(struct store_sites *sites, u32 image, u64 begin, u64 to_ns)
{
	/* its record is read late: the module may have been asked, or all may have ended, since */
	for (u32 i = 0; i < sites->all.index.count; i++) {
		struct store_site *site = &sites->all.rows[i];

		if (site->key.image == image && site->point.address == begin &&
		    site->from_ns <= to_ns && site->to_ns >= to_ns)
			store_site_ended(site, STORE_SITE_REFUSED, to_ns);
	}
}

u64 store_site_told_from(const struct store_site *site, u64 end_ns)
{
	return site->to_ns && site->from_ns <= end_ns && site->to_ns >= end_ns ? site->from_ns :
										 UINT64_MAX;
}
