// SPDX-License-Identifier: GPL-2.0
/* Compares a path of the module with libdwfl's path from a copy of the same stack. */
#include "call_paths.h"

/* The verdict if all frames that both paths have are equal. */
static enum verify_verdict verdict_of_equal(const struct verify_case *one)
{
	static const u8 module_has_more[] = {
		[UNWIND_OUTERMOST] = VERIFY_DIFFERS, [UNWIND_FULL] = VERIFY_DIFFERS,
		[UNWIND_BEYOND] = VERIFY_BEYOND,     [UNWIND_UNMAPPED] = VERIFY_GAVE_UP,
		[UNWIND_NO_RULE] = VERIFY_GAVE_UP,
	};

	if (one->count > one->libdwfl_count)
		return module_has_more[one->libdwfl_end];
	if (one->count == one->libdwfl_count)
		return one->libdwfl_end == UNWIND_BEYOND ? VERIFY_BEYOND : VERIFY_EQUAL;
	if (one->end == GAPP_UNWIND_FULL)
		return VERIFY_EQUAL;
	return one->end == GAPP_UNWIND_COMPLETE ? VERIFY_DIFFERS : VERIFY_SHORTER;
}

void verify_compare(struct verify_case *one, const u64 *frames, const u64 *libdwfl_frames)
{
	u16 least = one->count < one->libdwfl_count ? one->count : one->libdwfl_count;

	one->equal = 0;
	while (one->equal < least && frames[one->equal] == libdwfl_frames[one->equal])
		one->equal++;
	if (!least)
		one->verdict = VERIFY_UNCHECKED;
	else
		one->verdict = one->equal < least ? VERIFY_DIFFERS : verdict_of_equal(one);
}

const char *verify_name(enum verify_verdict verdict)
{
	static const char *const names[] = {
		[VERIFY_EQUAL] = "equal",     [VERIFY_DIFFERS] = "differs",
		[VERIFY_SHORTER] = "shorter", [VERIFY_BEYOND] = "beyond_copy",
		[VERIFY_GAVE_UP] = "gave_up", [VERIFY_UNCHECKED] = "unchecked",
	};

	return names[verdict];
}

void verify_free(struct verify *verify)
{
	free(verify->cases);
	*verify = (struct verify){ 0 };
}

/* The last equal frame; if no frame is equal, the first frame. */
static struct code_address parts_at(const struct verify_case *one)
{
	return one->addresses[one->equal ? one->equal - 1 : 0];
}

static bool parts_alike(const struct verify_case *a, const struct verify_case *b)
{
	struct code_address x = parts_at(a), y = parts_at(b);

	return a->verdict == b->verdict && x.object == y.object && x.offset == y.offset;
}

int verify_note(struct verify *verify, const struct verify_case *one)
{
	size_t i = 0;

	verify->verdicts[one->verdict]++;
	if (one->verdict != VERIFY_DIFFERS && one->verdict != VERIFY_SHORTER)
		return 0;
	while (i < verify->case_count && !parts_alike(&verify->cases[i], one))
		i++;
	if (i < verify->case_count) {
		verify->cases[i].times++;
		return 0;
	}
	/* paths that are only shorter may be many: they get half of the room */
	if (i == VERIFY_KEPT || (one->verdict == VERIFY_SHORTER && i >= VERIFY_KEPT / 2))
		return 0;
	if (!verify->cases) {
		verify->cases = calloc(VERIFY_KEPT, sizeof(*verify->cases));
		if (!verify->cases)
			return -1;
	}
	verify->cases[i] = *one;
	verify->cases[i].times = 1;
	verify->case_count++;
	return 0;
}
