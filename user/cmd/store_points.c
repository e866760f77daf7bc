// SPDX-License-Identifier: GPL-2.0
#include "store_points.h"

#include <errno.h>
#include <unistd.h>

#include "spin-table/store_point.h"

/*
 * Each store costs its thread an exception and a single step. An instruction that stores more
 * often than 2,000 times a second is given up: its words are watched now and then.
 */
#define PASSES 200
/* An instruction has ended waits so often before it gets a breakpoint. */
#define WORTH_ENDS 3
/* How long stores are told, and how long words are watched in between. */
#define TOLD_NS 2000000000ULL
#define WATCHED_NS 400000000ULL

void store_points_begin(struct store_points *points, const struct device *dev)
{
	points->on = device_tells_stores(dev);
}

/* The instruction at which nobody has looked yet, and which was seen to store most often. */
static struct store_site *most_seen(const struct store_sites *sites)
{
	struct store_site *best = NULL;

	for (u32 i = 0; i < sites->all.index.count; i++) {
		struct store_site *site = &sites->all.rows[i];

		if (site->state == STORE_SITE_NEW && (!best || site->stores > best->stores))
			best = site;
	}
	return best;
}

/* Finds out what the instruction stores. */
static void look_at(struct store_site *site, struct maps *maps)
{
	const struct code_address code = maps_find(maps, site->tgid, site->key.address);
	struct found_store found;
	int fd = code.object->kind == OBJECT_FILE ? elf_file_open(code.object) : -1;

	site->state = STORE_SITE_REFUSED;
	if (fd < 0)
		return;
	if (!store_point_find(&found, fd, code.offset)) {
		store_point_place(&site->point, &found, site->key.address);
		site->point.pid = site->tgid;
		site->point.passes = PASSES;
		site->state = STORE_SITE_KNOWN;
	}
	close(fd);
}

static bool is_worth(const struct store_site *site)
{
	return site->state == STORE_SITE_KNOWN && site->ends >= WORTH_ENDS;
}

/* Whether those that can be told of have ended most of the waits whose ends were seen. */
static bool are_most(const struct store_sites *sites)
{
	u64 ends = 0;

	for (u32 i = 0; i < sites->all.index.count; i++)
		if (is_worth(&sites->all.rows[i]))
			ends += sites->all.rows[i].ends;
	return ends && 2 * ends >= sites->ends;
}

/* What keeps an instruction from being told of: it may be for now, or for all. */
static void refused(struct store_points *points, struct store_site *site)
{
	switch (errno) {
	/* another session watches a word, or there is no room for more */
	case EBUSY:
	case ENOSPC:
		return;
	/* only who may profile the machine is told; or the session has ended */
	case EPERM:
	case ENOTCONN:
		points->on = false;
		return;
	default:
		store_site_ended(site, STORE_SITE_REFUSED, clock_ns());
	}
}

static void end(struct store_points *points, struct store_sites *sites, struct device *dev)
{
	/* once the module is asked, it may tell of no more stores */
	const u64 end_ns = clock_ns();

	if (device_store_point(dev, &(struct gapp_store_point){ 0 }))
		points->on = false;
	store_sites_ended(sites, end_ns);
	points->told = 0;
	points->until_ns = clock_ns() + WATCHED_NS;
}

static void begin(struct store_points *points, struct store_sites *sites, struct device *dev)
{
	/* its time is over, but the module may not have ended it yet */
	if (device_watch(dev, &(struct gapp_watch){ 0 }))
		return;
	for (u32 i = 0; i < sites->all.index.count && points->told < GAPP_STORE_POINTS; i++) {
		struct store_site *site = &sites->all.rows[i];

		if (!points->on)
			break;
		if (!is_worth(site))
			continue;
		if (device_store_point(dev, &site->point)) {
			refused(points, site);
			continue;
		}
		store_site_told(site, clock_ns());
		points->told++;
	}
	points->until_ns = clock_ns() + (points->told ? TOLD_NS : WATCHED_NS);
	if (!points->on && points->told)
		end(points, sites, dev);
}

/* The module gives up an instruction that stores too often: asks it for one after the other. */
static void check_next(struct store_points *points, struct store_sites *sites, struct device *dev)
{
	const u32 count = sites->all.index.count;

	for (u32 i = 0; i < count; i++) {
		struct store_site *site = &sites->all.rows[++points->checked % count];

		if (site->state != STORE_SITE_TOLD)
			continue;
		if (device_store_point(dev, &site->point) && errno != EEXIST)
			refused(points, site);
		if (!points->on)
			end(points, sites, dev);
		return;
	}
	/* all are given up */
	end(points, sites, dev);
}

bool store_points_next(struct store_points *points, struct store_sites *sites, struct device *dev,
		       struct maps *maps, u64 watched_until_ns)
{
	struct store_site *site;

	if (!points->on)
		return false;
	if (points->told) {
		if (clock_ns() >= points->until_ns)
			end(points, sites, dev);
		else
			check_next(points, sites, dev);
		return points->told;
	}
	site = most_seen(sites);
	if (site)
		look_at(site, maps);
	else if (clock_ns() >= points->until_ns && clock_ns() >= watched_until_ns &&
		 are_most(sites))
		begin(points, sites, dev);
	return points->told;
}
