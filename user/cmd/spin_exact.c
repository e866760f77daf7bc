// SPDX-License-Identifier: GPL-2.0
#include "spin_exact.h"

#include <errno.h>
#include <string.h>

#include "util/util.h"

/* With more places all are forgotten: of a loop there are few. */
#define PLACES_MAX 4096
/* Of so many loops it is known how long they were timed. */
#define TIMED_MAX 4096
/* Threads were found in a loop so often before it gets breakpoints. */
#define WORTH_FOUND 3
/*
 * A pass takes a microsecond or two. A loop that is passed 20,000 times a second would cost up to a
 * 25th of a CPU's time.
 */
#define PASSES 2000
#define PASSES_PER_S (PASSES * (NSEC_PER_SEC / GAPP_EXACT_PASSES_NS))
/* Where there is no room for all, loops are chosen again after so long. */
#define CHOSEN_FOR_NS 10000000000ULL

void spin_exact_free(struct spin_exact *exact)
{
	keyed_free(&exact->places);
	keyed_free(&exact->timed);
	exact_loops_free(exact->exact_loops);
}

static void forget_places(struct spin_exact *exact)
{
	keyed_free(&exact->places);
	memset(&exact->places, 0, sizeof(exact->places));
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
			forget_places(exact);
		id = keyed_add(&exact->places, &key);
		if (id == HASH_NONE)
			return -1;
		/* a call ends there, so the loop has the byte before */
		exact->places.rows[id].loop = HASH_NONE;
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
static int ask_for(struct device *dev, const struct spin_place *place, struct gapp_exact *asked)
{
	*asked = (struct gapp_exact){
		.address = place->key.address,
		.pid = place->key.tgid,
		.passes = PASSES,
	};
	if (!device_exact(dev, asked))
		return 0;
	if (errno != ENOENT || !place->caller)
		return -1;
	asked->address = place->caller;
	return device_exact(dev, asked);
}

/* A loop is timed exactly from now on. HASH_NONE: there is no room to know for how long. */
static u32 begin_loop(struct spin_exact *exact, struct maps *maps, const struct gapp_exact *asked)
{
	const struct timed_loop_key key = { .address = asked->address, .tgid = asked->pid };
	u32 id = keyed_find(&exact->timed, &key);

	if (id == HASH_NONE) {
		exact->loops++;
		if (exact->timed.index.count < TIMED_MAX)
			id = keyed_add(&exact->timed, &key);
		if (id == HASH_NONE)
			return HASH_NONE;
		exact->timed.rows[id].code = maps_find(maps, asked->pid, asked->address);
		object_keep(exact->timed.rows[id].code.object);
	}
	exact->timed.rows[id].since_ns = clock_ns();
	return id;
}

static void end_loop(struct timed_loop *loop)
{
	if (loop->since_ns)
		loop->timed_ns += clock_ns() - loop->since_ns;
	loop->since_ns = 0;
}

void spin_exact_end(struct spin_exact *exact)
{
	for (u32 i = 0; i < exact->timed.index.count; i++)
		end_loop(&exact->timed.rows[i]);
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
	spin_exact_end(exact);
	exact->full = false;
	exact->chosen_ns = 0;
}

/* A loop is not timed any more, and errno says why. */
static void loop_ended(struct spin_exact *exact, u32 id)
{
	struct spin_place forgotten = { 0 }, *place = &forgotten;
	struct timed_loop *loop = &exact->timed.rows[id];
	const int error = errno;

	for (u32 i = 0; i < exact->places.index.count; i++)
		if (exact->places.rows[i].state == SPIN_PLACE_EXACT &&
		    exact->places.rows[i].loop == id)
			place = &exact->places.rows[i];
	end_loop(loop);
	loop->given_up |= error == EDQUOT;
	errno = error;
	refused(exact, place);
}

/* The module gives up a loop that is passed too often: asks it for one loop after the other. */
static void check_next(struct spin_exact *exact, struct device *dev)
{
	const u32 count = exact->timed.index.count;

	for (u32 i = 0; i < count; i++) {
		const u32 id = ++exact->checked % count;
		const struct timed_loop *loop = &exact->timed.rows[id];
		const struct gapp_exact asked = {
			.address = loop->key.address,
			.pid = loop->key.tgid,
			.passes = PASSES,
		};

		if (!loop->since_ns)
			continue;
		if (device_exact(dev, &asked) && errno != EEXIST)
			loop_ended(exact, id);
		return;
	}
}

void spin_exact_next(struct spin_exact *exact, struct device *dev, struct maps *maps)
{
	struct gapp_exact asked;
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
	if (ask_for(dev, place, &asked)) {
		refused(exact, place);
		return;
	}
	if (!exact->chosen_ns)
		exact->chosen_ns = clock_ns();
	place->state = SPIN_PLACE_EXACT;
	place->loop = begin_loop(exact, maps, &asked);
}

int spin_exact_make(struct spin_exact *exact, struct symbols *symbols)
{
	if (!exact->on && !exact->loops)
		return 0;
	spin_exact_end(exact);
	exact->exact_loops = exact_loops_make(exact->timed.rows, exact->timed.index.count, symbols);
	if (!exact->exact_loops)
		return -1;
	exact->exact_loops->count = exact->loops;
	exact->exact_loops->passes_per_s = PASSES_PER_S;
	return 0;
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
