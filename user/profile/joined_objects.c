// SPDX-License-Identifier: GPL-2.0
/*
 * Makes one row of wait objects that are one thing to a reader: the connections to one peer, each
 * from another port; what processes of one name have each of their own; and the conditions and
 * semaphores that are waited for in one function, as those that each thread of a pool has, or the
 * two addresses at which a condition of the C library is waited for.
 */
#include "profile_private.h"
#include "ranked_waits.h"

/* A name of what user/input/wait_sockets.c makes: protocol, address and port of both ends. */
#define ADDRESS_SIZE 64

/**
 * struct joiner - objects that are being joined
 * @peers: those that are connected, each with its protocol
 * @connections: by number in @peers: connections to it
 * @labels: what rows are told apart by
 * @first: by number in @labels: the object that has the row; HASH_NONE: none has yet
 * @label: of each object; HASH_NONE: it has a row of its own
 */
struct joiner {
	struct texts peers;
	u32 *connections;
	struct texts labels;
	u32 *first;
	u32 *label;
};

static void free_joiner(struct joiner *joiner)
{
	texts_free(&joiner->peers);
	texts_free(&joiner->labels);
	free(joiner->connections);
	free(joiner->first);
	free(joiner->label);
}

/*
 * Sets "tcp to PEER" of "tcp LOCAL to PEER", and of itself, as connections are called that were
 * closed before they were looked up. False: the name is not of a connection.
 */
static bool peer_of(const char *name, char peer[2 * ADDRESS_SIZE])
{
	char protocol[8], there[ADDRESS_SIZE];
	int length = 0;

	if ((sscanf(name, "%7[a-z] to %63[^ ]%n", protocol, there, &length) != 2 || name[length]) &&
	    (sscanf(name, "%7[a-z] %*63[^ ] to %63[^ ]%n", protocol, there, &length) != 2 ||
	     name[length]))
		return false;
	snprintf(peer, 2 * ADDRESS_SIZE, "%s to %s", protocol, there);
	return true;
}

static bool has_waits(const struct ranked_object *object)
{
	return object->waits || object->idle_ns > 0;
}

static bool is_connection(const struct ranked_object *ranked, const struct wait_object *object,
			  char *peer)
{
	return object->key.kind == WAIT_ON_FILE && ranked->name && has_waits(ranked) &&
	       peer_of(ranked->name, peer);
}

/* Whether each process has one of its own, so that its name is all that a reader knows. */
static bool is_of_process(const struct wait_object *object)
{
	return object->key.kind >= WAIT_ON_DESCRIPTOR && object->name != HASH_NONE;
}

/* Whether the function that waits for it is all that is known, and it is no lock. */
static bool is_known_by_site(const struct ranked_object *ranked, const struct wait_object *object)
{
	return object->key.kind == WAIT_ON_FUTEX && object->name == HASH_NONE && ranked->name &&
	       !ranked_object_is_lock(ranked, object);
}

/* Counts the connections to each peer. Returns 0, or -1 without memory. */
static int count_peers(struct joiner *joiner, const struct ranked_waits *out,
		       const struct wait_object *objects)
{
	char peer[2 * ADDRESS_SIZE];

	for (u32 i = 0; i < out->object_count; i++) {
		u32 number;

		if (!is_connection(&out->objects[i], &objects[i], peer))
			continue;
		number = texts_number(&joiner->peers, peer);
		if (number == HASH_NONE)
			return -1;
		joiner->connections[number]++;
	}
	return 0;
}

/*
 * What a connection is called that is one of several to a peer. NULL: no other one is. Those at one
 * local address stay apart: one of many clients may be the slow one.
 */
static const char *shared_peer(struct joiner *joiner, const char *peer)
{
	return joiner->connections[texts_number(&joiner->peers, peer)] > 1 ? peer : NULL;
}

/* Sets what tells the object's row from others. Returns 0, or -1 without memory. */
static int label_object(struct joiner *joiner, const struct ranked_object *ranked,
			const struct wait_object *object, u32 *label)
{
	_cleanup_free_ char *words = NULL;
	_cleanup_free_ char *by_site = NULL;
	char peer[2 * ADDRESS_SIZE];
	struct ranked_object first = *ranked;
	const char *name = NULL;

	*label = HASH_NONE;
	if (is_connection(ranked, object, peer))
		name = shared_peer(joiner, peer);
	else if (is_of_process(object) && has_waits(ranked))
		name = ranked->name;
	if (is_known_by_site(ranked, object) && has_waits(ranked)) {
		first.site_count = 1;
		by_site = ranked_object_name_by_sites(&first);
		name = by_site;
	}
	if (!name)
		return 0;
	/* programs may have functions of one name, and what they wait for there is not the same */
	if (asprintf(&words, "%u %u %u %s", object->key.kind, ranked->reason,
		     by_site ? ranked->target : HASH_NONE, name) < 0)
		return -1;
	*label = texts_number(&joiner->labels, words);
	return *label == HASH_NONE ? -1 : 0;
}

static int compare_joined_sites(const void *a, const void *b)
{
	const struct ranked_site *x = a, *y = b;

	return compare_by(three_way(y->waits, x->waits), three_way(y->waited_ns, x->waited_ns));
}

static int compare_joined_enders(const void *a, const void *b)
{
	const struct ranked_ender *x = a, *y = b;

	return compare_by(three_way(y->waited_ns, x->waited_ns), three_way(y->waits, x->waits));
}

static void join(struct ranked_object *row, struct ranked_object *other)
{
	row->critical_ns += other->critical_ns;
	row->inferred |= other->inferred;
	row->idle_ns += other->idle_ns;
	row->waited_ns += other->waited_ns;
	row->waits += other->waits;
	row->joined += 1;
	spin_sums_add(&row->spins, &other->spins);
	for (size_t i = 0; i < other->site_count; i++)
		ranked_object_add_site(row, &other->sites[i]);
	for (size_t i = 0; i < other->ender_count; i++)
		ranked_object_add_ender(row, &other->enders[i]);
	qsort(row->sites, row->site_count, sizeof(*row->sites), compare_joined_sites);
	qsort(row->enders, row->ender_count, sizeof(*row->enders), compare_joined_enders);
	other->critical_ns = 0;
	other->idle_ns = 0;
	other->waited_ns = 0;
	other->waits = 0;
	other->spins = (struct spin_sums){ 0 };
}

/* Names a row of several objects by what they have in common. Returns 0, or -1 without memory. */
static int rename_row(struct joiner *joiner, struct ranked_object *row,
		      const struct wait_object *object)
{
	char peer[2 * ADDRESS_SIZE], *name;

	if (!row->joined)
		return 0;
	if (is_known_by_site(row, object))
		name = ranked_object_name_by_sites(row);
	else if (peer_of(row->name, peer))
		name = strdup(shared_peer(joiner, peer));
	else
		return 0;
	if (!name)
		return -1;
	free(row->name);
	row->name = name;
	return 0;
}

int ranked_objects_join(struct ranked_waits *out, const struct all_waits *waits, u32 *row_of)
{
	_cleanup_(free_joiner) struct joiner joiner = {
		.connections = calloc(out->object_count + 1, sizeof(*joiner.connections)),
		.first = calloc(out->object_count + 1, sizeof(*joiner.first)),
		.label = calloc(out->object_count + 1, sizeof(*joiner.label)),
	};
	const struct wait_object *objects = waits->objects.rows;

	if (!joiner.connections || !joiner.first || !joiner.label ||
	    count_peers(&joiner, out, objects))
		return -1;
	memset(joiner.first, 0xff, (out->object_count + 1) * sizeof(*joiner.first));
	for (u32 i = 0; i < out->object_count; i++)
		if (label_object(&joiner, &out->objects[i], &objects[i], &joiner.label[i]))
			return -1;
	for (u32 i = 0; i < out->object_count; i++) {
		u32 *first = joiner.label[i] == HASH_NONE ? NULL : &joiner.first[joiner.label[i]];

		row_of[i] = first && *first != HASH_NONE ? *first : i;
		if (row_of[i] != i)
			join(&out->objects[row_of[i]], &out->objects[i]);
		else if (first)
			*first = i;
	}
	for (u32 i = 0; i < out->object_count; i++)
		if (row_of[i] == i && rename_row(&joiner, &out->objects[i], &objects[i]))
			return -1;
	return 0;
}
