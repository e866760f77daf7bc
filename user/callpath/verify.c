// SPDX-License-Identifier: GPL-2.0
/* Compares a path of the module with libdwfl's path from a copy of the same stack. */
#include "call_paths.h"

/* The verdict if the module's path is libdwfl's path and has more frames behind it. */
static enum verify_verdict module_has_more(enum unwind_end libdwfl_end)
{
	switch (libdwfl_end) {
	case UNWIND_BEYOND:
		return VERIFY_BEYOND;
	case UNWIND_UNMAPPED:
	case UNWIND_NO_RULE:
		return VERIFY_GAVE_UP;
	default:
		return VERIFY_DIFFERS;
	}
}

/* The verdict if libdwfl's path is the module's path and has more frames behind it. */
static enum verify_verdict libdwfl_has_more(enum gapp_unwind_end end)
{
	switch (end) {
	case GAPP_UNWIND_FULL:
		return VERIFY_EQUAL;
	case GAPP_UNWIND_COMPLETE:
		return VERIFY_DIFFERS;
	default:
		return VERIFY_SHORTER;
	}
}

enum verify_verdict verify_compare(struct verify_path module, enum gapp_unwind_end end,
				   struct verify_path libdwfl, enum unwind_end libdwfl_end,
				   u16 *equal)
{
	u16 least = module.count < libdwfl.count ? module.count : libdwfl.count;

	*equal = 0;
	if (!least)
		return VERIFY_UNCHECKED;
	while (*equal < least && module.frames[*equal] == libdwfl.frames[*equal])
		++*equal;
	if (*equal < least)
		return VERIFY_DIFFERS;
	if (module.count > least)
		return module_has_more(libdwfl_end);
	if (libdwfl.count > least)
		return libdwfl_has_more(end);
	return libdwfl_end == UNWIND_BEYOND ? VERIFY_BEYOND : VERIFY_EQUAL;
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
