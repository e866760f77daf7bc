// SPDX-License-Identifier: GPL-2.0
#include "spin_exact.h"

#include <errno.h>
#include <string.h>

#include "util/util.h"

/* With more places all are forgotten: of a loop there are few. */
#define PLACES_MAX 4096
/* Threads were found in a loop so often before it gets breakpoints. */
#define WORTH_FOUND 3
/*
 * A pass takes a microsecond or two. A loop that is passed 20,000 times a second would cost up to a
 * 25th of a CPU's time.
 */
#define PASSES 2000
/* Where there is no room for all, loops are chosen again after so long. */
#define CHOSEN_FOR_NS 10000000000ULL

void spin_exact_free(struct spin_exact *exact)
{
	keyed_free(&exact->places);
}

static bool is_found_spinning(const struct gapp_record_slice *slice)
{
	return slice->then == GAPP_THEN_WAIT && slice->wait == GAPP_WAIT_SPIN;
}

int spin_exact_slice(struct spin_exact *exact, const struct gapp_record_slice *slice,
		     const struct rings *rings)
{
	struct spin_place_key key = { .tgid = slice->tgid };
	const u64 *frames;
	u16 count, flags;
	u32 id;

	if (!is_found_spinning(slice))
		return 0;
	frames = rings_path(rings, slice->path, &count, &flags);
	if (!frames || !count)
		return 0;
	key.address = frames[0];
	id = keyed_find(&exact->places, &key);
	if (id == HASH_NONE) {
		if (exact->places.index.count >= PLACES_MAX)
			keyed_free(&exact->places);
		id = keyed_add(&exact->places, &key);
		if (id == HASH_NONE)
			return -1;
		/* a call ends there, so the loop has the byte before */
		exact->places.rows[id].caller = count > 1 ? frames[1] - 1 : 0;
	}
	exact->places.rows[id].found++;
	return 0;
}

static struct spin_place *most_found(const struct spin_exact *exact)
{
	struct spin_place *best = NULL;

	for (u32 i = 0; i < exact->places.index.count; i++) {
		struct spin_place *place = &exact->places.rows[i];

		if (place->state == SPIN_PLACE_SAMPLED && place->found >= WORTH_FOUND &&
		    (!best || place->found > best->found))
			best = place;
	}
	return best;
}

static void give_up(struct spin_exact *exact)
{
	complain("--spin exact: %s: samples find out how long threads wait in busy-wait loops",
		 errno == EPERM	     ? "it takes CAP_PERFMON" :
		 errno == EOPNOTSUPP ? "this kernel cannot put breakpoints into programs" :
				       strerror(errno));
	exact->on = false;
}

/* Says once what keeps a loop from being timed. */
static void refused(struct spin_exact *exact, struct spin_place *place)
{
	switch (errno) {
	case EEXIST:
		place->state = SPIN_PLACE_SAME;
		return;
	case ENOSPC:
		exact->full = true;
		return;
	case EDQUOT:
		exact->too_busy++;
		break;
	case EPERM:
	case EOPNOTSUPP:
		give_up(exact);
		return;
	/* the session has ended */
	case ENOTCONN:
		exact->on = false;
		return;
	/* the process has gone, or there is no loop of which all exits are known */
	case ESRCH:
	case ENOENT:
		break;
	default:
		if (!exact->told)
			complain("--spin exact: a busy-wait loop cannot be timed exactly: %s",
				 strerror(errno));
		exact->told = true;
		break;
	}
	place->state = SPIN_PLACE_REFUSED;
}

/* Asks for the loop of a place; where none is there, for that of its caller. */
static int ask_for(struct device *dev, const struct spin_place *place)
{
	struct gapp_exact asked = {
		.address = place->key.address,
		.pid = place->key.tgid,
		.passes = PASSES,
	};

	if (!device_exact(dev, &asked))
		return 0;
	if (errno != ENOENT || !place->caller)
		return -1;
	asked.address = place->caller;
	return device_exact(dev, &asked);
}

/* Forgets which loops were chosen, and where threads were found. */
static void choose_again(struct spin_exact *exact, struct device *dev)
{
	if (device_exact(dev, &(struct gapp_exact){ 0 }))
		return;
	for (u32 i = 0; i < exact->places.index.count; i++) {
		struct spin_place *place = &exact->places.rows[i];

		place->found = 0;
		if (place->state != SPIN_PLACE_REFUSED)
			place->state = SPIN_PLACE_SAMPLED;
	}
	exact->full = false;
	exact->chosen_ns = 0;
}

/* The module gives up a loop that is passed too often: asks it for one loop after the other. */
static void check_next(struct spin_exact *exact, struct device *dev)
{
	for (u32 i = 0; i < exact->places.index.count; i++) {
		struct spin_place *place =
			&exact->places.rows[++exact->checked % exact->places.index.count];

		if (place->state != SPIN_PLACE_EXACT)
			continue;
		if (ask_for(dev, place) && errno != EEXIST)
			refused(exact, place);
		return;
	}
}

void spin_exact_next(struct spin_exact *exact, struct device *dev)
{
	struct spin_place *place;

	if (!exact->on)
		return;
	if (exact->full && clock_ns() - exact->chosen_ns > CHOSEN_FOR_NS)
		choose_again(exact, dev);
	place = exact->full ? NULL : most_found(exact);
	if (!place) {
		check_next(exact, dev);
		return;
	}
	if (ask_for(dev, place)) {
		refused(exact, place);
		return;
	}
	if (!exact->chosen_ns)
		exact->chosen_ns = clock_ns();
	place->state = SPIN_PLACE_EXACT;
	exact->loops++;
}

void spin_exact_tell(const struct spin_exact *exact)
{
	if (!exact->on && !exact->loops)
		return;
	if (exact->loops)
		complain("--spin exact: %u busy-wait loop%s timed exactly", exact->loops,
			 exact->loops == 1 ? " was" : "s were");
	else
		complain(
			"--spin exact: no busy-wait loop was timed exactly: samples found threads in none often enough, or not all of its exits are known");
	if (exact->too_busy)
		complain(
			"--spin exact: %u of them %s passed too often for that: samples tell how long threads waited there",
			exact->too_busy, exact->too_busy == 1 ? "was" : "were");
}
