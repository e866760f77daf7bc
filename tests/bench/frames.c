// SPDX-License-Identifier: GPL-2.0
#include "frames.h"

#include "ends.h"

struct chain {
	innermost_fn *innermost;
	void *argument;
};

typedef void link_fn(const struct chain *chain);

/*
 * Each frame is of a function of its own, small or large as frames are. What is done after the call
 * keeps it from becoming a jump.
 */
#define LINK(number, below, room_size)                                              \
	__attribute__((noipa)) static void link_##number(const struct chain *chain) \
	{                                                                           \
		volatile char room[room_size];                                      \
		room[0] = 1;                                                        \
		below(chain);                                                       \
		room[sizeof(room) - 1] = room[0];                                   \
	}

static inline void call_innermost(const struct chain *chain)
{
	chain->innermost(chain->argument);
}

LINK(0, call_innermost, 24)
LINK(1, link_0, 40)
LINK(2, link_1, 8)
LINK(3, link_2, 104)
LINK(4, link_3, 24)
LINK(5, link_4, 72)
LINK(6, link_5, 200)
LINK(7, link_6, 40)
LINK(8, link_7, 16)
LINK(9, link_8, 400)
LINK(10, link_9, 24)
LINK(11, link_10, 40)
LINK(12, link_11, 8)
LINK(13, link_12, 104)
LINK(14, link_13, 24)
LINK(15, link_14, 72)
LINK(16, link_15, 200)
LINK(17, link_16, 40)
LINK(18, link_17, 16)
LINK(19, link_18, 400)
LINK(20, link_19, 24)
LINK(21, link_20, 40)
LINK(22, link_21, 8)
LINK(23, link_22, 104)
LINK(24, link_23, 24)
LINK(25, link_24, 72)
LINK(26, link_25, 200)
LINK(27, link_26, 40)
LINK(28, link_27, 16)
LINK(29, link_28, 400)
LINK(30, link_29, 24)
LINK(31, link_30, 40)
LINK(32, link_31, 8)
LINK(33, link_32, 104)
LINK(34, link_33, 24)
LINK(35, link_34, 72)
LINK(36, link_35, 200)
LINK(37, link_36, 40)
LINK(38, link_37, 16)
LINK(39, link_38, 400)
LINK(40, link_39, 24)
LINK(41, link_40, 40)
LINK(42, link_41, 8)
LINK(43, link_42, 104)
LINK(44, link_43, 24)
LINK(45, link_44, 72)
LINK(46, link_45, 200)
LINK(47, link_46, 40)
LINK(48, link_47, 16)
LINK(49, link_48, 400)
LINK(50, link_49, 24)
LINK(51, link_50, 40)
LINK(52, link_51, 8)
LINK(53, link_52, 104)
LINK(54, link_53, 24)
LINK(55, link_54, 72)
LINK(56, link_55, 200)
LINK(57, link_56, 40)
LINK(58, link_57, 16)
LINK(59, link_58, 400)
LINK(60, link_59, 24)
LINK(61, link_60, 40)

static link_fn *const links[] = {
	link_0,	 link_1,  link_2,  link_3,  link_4,  link_5,  link_6,  link_7,	link_8,
	link_9,	 link_10, link_11, link_12, link_13, link_14, link_15, link_16, link_17,
	link_18, link_19, link_20, link_21, link_22, link_23, link_24, link_25, link_26,
	link_27, link_28, link_29, link_30, link_31, link_32, link_33, link_34, link_35,
	link_36, link_37, link_38, link_39, link_40, link_41, link_42, link_43, link_44,
	link_45, link_46, link_47, link_48, link_49, link_50, link_51, link_52, link_53,
	link_54, link_55, link_56, link_57, link_58, link_59, link_60, link_61,
};

_Static_assert(sizeof(links) == (MOST_FRAMES - 2) * sizeof(links[0]), "one for each frame");

void from_frames(unsigned int frames, innermost_fn *innermost, void *argument)
{
	const struct chain chain = { innermost, argument };

	if (frames > LEAST_FRAMES)
		outermost((entry_fn *)links[frames - LEAST_FRAMES - 1], &chain);
	else
		outermost((entry_fn *)innermost, argument);
}
