// SPDX-License-Identifier: GPL-2.0
/*
 * What the module counted in critical slices (GAPP_CONFIG_SLICE_TALLIES), by cell and by thread: so
 * each place has how much of it there is in a second. Slices that were not critical do not count.
 */
#include "input/rings.h"
#include "profile_private.h"
#include "slice_record.h"

/* What a tally of TALLY_COUNTED sums up: by number of the module's tally, or the slices' lengths.
 */
#define OF_TALLY(n) (n)
#define MISSING(n) (0x100U | (n)) /* slices in which something of it is missing */
#define LENGTHS 0x200U

/* A slice may count for several cells by parts: sums have so many parts of one. */
#define PARTS 1024
#define SUM_MAX 0x8000000000000000ULL

bool profile_counted_is_valid(u32 value)
{
	return value == LENGTHS || (value & ~MISSING(0)) < GAPP_TALLIES;
}

static int add(struct profile *profile, u32 owner, u32 value, u64 count, double part)
{
	const double parts = (double)count * part * PARTS + 0.5;
	/* a damaged recording may say anything */
	const u64 sum = parts < SUM_MAX ? parts : SUM_MAX;

	return sum ? profile_tally(profile, owner, TALLY_COUNTED | value, sum) : 0;
}

/* Adds a part of what was counted to an owner. */
static int add_to(struct profile *profile, u32 owner, const struct gapp_record_slice *slice,
		  const struct gapp_slice_tallies *tallies, double part)
{
	const u64 *counts = (const u64 *)(tallies + 1);

	if (add(profile, owner, LENGTHS, slice->head.time_ns - slice->begin_ns, part))
		return -1;
	for (u32 i = 0; i < tallies->count && i < GAPP_TALLIES; i++)
		if (add(profile, owner, OF_TALLY(i), counts[i], part) ||
		    add(profile, owner, MISSING(i), tallies->uncounted >> i & 1, part))
			return -1;
	return 0;
}

int profile_count(struct profile *profile, const struct gapp_record_slice *slice, u32 cell,
		  u32 entry)
{
	const struct gapp_slice_tallies *tallies = slice_tallies(slice);
	u64 share = 0;

	if (!tallies || !own_share(slice) || slice->head.time_ns <= slice->begin_ns)
		return 0;
	if (add_to(profile, TALLY_ENTRY | entry, slice, tallies, 1))
		return -1;
	if (!slice->sample_count)
		return cell == HASH_NONE ? 0 : add_to(profile, cell, slice, tallies, 1);
	for (u32 i = 0; i < profile->hit_count; i++)
		share += profile->hits[i].critical_share;
	for (u32 i = 0; share && i < profile->hit_count; i++)
		if (add_to(profile, profile->hits[i].cell, slice, tallies,
			   (double)profile->hits[i].critical_share / share))
			return -1;
	return 0;
}

void rank_counted(struct ranked *ranked, const struct part *parts, size_t count)
{
	struct counted_there *counted = &ranked->counted;

	for (size_t i = 0; i < count; i++) {
		const u32 value = parts[i].what & ~TALLY_WHAT, tally = value & ~MISSING(0);

		if (value == LENGTHS)
			counted->ns += parts[i].sum / PARTS;
		else if (value & MISSING(0))
			counted->missing |= 1U << tally;
		else
			counted->counts[tally] += parts[i].sum / PARTS;
	}
}
