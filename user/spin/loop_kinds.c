// SPDX-License-Identifier: GPL-2.0
/*
 * How values depend on the iteration before: a variable that depends on itself by more than being
 * copied is counted, or leads from one location in memory to the next.
 */
#include "loop_values.h"

static void add_node(u64 *nodes, u32 node)
{
	nodes[node / 64] |= 1ULL << (node % 64);
}

static bool has_node(const u64 *nodes, u32 node)
{
	return nodes[node / 64] >> (node % 64) & 1;
}

/* The node that an atom leads to, or NODES. */
static u32 node_of(u32 atom)
{
	if (atom_is_changed(atom))
		return ATOM_SAME + atom - ATOM_CHANGED;
	return atom < NODES ? atom : NODES;
}

static void relate(struct loop_values *values, u32 from, const struct atoms *atoms, bool is_load)
{
	for_each_atom(atom, atoms) {
		u32 to = node_of(atom);

		if (to == NODES)
			continue;
		add_node(values->reach[from], to);
		/* what is loaded from an address is another value than the address */
		if (atom_is_load(to) || (!is_load && atom_is_changed(atom)))
			add_node(values->heavy[from], to);
	}
}

/* Makes @reach transitive, over the nodes that there are. */
static void close_reach(struct loop_values *values)
{
	u32 nodes[NODES], count = 0;

	for (u32 i = 0; i < values->loop->variables; i++)
		nodes[count++] = ATOM_SAME + i;
	for (u32 i = 0; i < values->loop->count; i++)
		if (atoms_next(&values->address[i], 0) < ATOMS)
			nodes[count++] = ATOM_LOAD + i;
	for (u32 k = 0; k < count; k++)
		for (u32 i = 0; i < count; i++) {
			if (!has_node(values->reach[nodes[i]], nodes[k]))
				continue;
			for (u32 word = 0; word < NODE_WORDS; word++)
				values->reach[nodes[i]][word] |= values->reach[nodes[k]][word];
		}
}

/* Whether a variable among @circle sums up what is loaded. */
static bool sums_up(const struct loop_values *values, const u64 *circle)
{
	for (u32 i = 0; i < values->loop->variables; i++) {
		const struct atoms *kept = &values->kept[i];

		if (has_node(circle, ATOM_SAME + i) && atoms_have(kept, ATOM_CHANGED + i) &&
		    atoms_next(kept, ATOM_LOAD) < NODES)
			return true;
	}
	return false;
}

/* How a variable depends on itself: VALUE_COUNTER, VALUE_VARIANT, or 0. */
static u8 recurrence(const struct loop_values *values, u32 variable)
{
	u32 node = ATOM_SAME + variable;
	u64 circle[NODE_WORDS] = { 0 };
	bool heavy = false, load = false;

	if (!has_node(values->reach[node], node))
		return 0;
	for (u32 i = 0; i < NODES; i++)
		if (has_node(values->reach[node], i) && has_node(values->reach[i], node))
			add_node(circle, i);
	for (u32 i = 0; i < NODES; i++) {
		if (!has_node(circle, i))
			continue;
		load |= atom_is_load(i);
		for (u32 word = 0; word < NODE_WORDS; word++)
			heavy |= values->heavy[i][word] & circle[word];
	}
	if (!heavy)
		return 0;
	return load || sums_up(values, circle) ? VALUE_VARIANT : VALUE_COUNTER;
}

void loop_values_relate(struct loop_values *values)
{
	for (u32 i = 0; i < values->loop->variables; i++)
		relate(values, ATOM_SAME + i, &values->kept[i], false);
	for (u32 i = 0; i < values->loop->count; i++)
		relate(values, ATOM_LOAD + i, &values->address[i], true);
	close_reach(values);
	for (u32 i = 0; i < values->loop->variables; i++)
		values->recurrent[i] = recurrence(values, i);
}

/* Whether an iteration leaves a variable as it found it. */
static bool stays(const struct loop_values *values, u32 variable)
{
	const struct atoms *kept = &values->kept[variable];

	return atoms_next(kept, 0) == ATOM_SAME + variable &&
	       atoms_next(kept, ATOM_SAME + variable + 1) == ATOMS;
}

static bool has_result(const struct atoms *atoms)
{
	u32 atom = atoms_next(atoms, ATOM_RESULT);

	return atom < ATOM_CLOCK;
}

/* Whether all of an address stays exactly as it was, as in a loop that is a part of another. */
static bool address_stays(const struct loop_values *values, u32 load)
{
	for_each_atom(atom, &values->address[load - ATOM_LOAD]) {
		u32 node = node_of(atom);

		if (node < ATOM_LOAD && !stays(values, node - ATOM_SAME))
			return false;
	}
	return true;
}

static unsigned int load_kinds(const struct loop_values *values, u32 load)
{
	bool result = false;

	for (u32 i = 0; i < NODES; i++) {
		if (i != load && !has_node(values->reach[load], i))
			continue;
		if (!atom_is_load(i)) {
			if (values->recurrent[i - ATOM_SAME])
				return VALUE_VARIANT;
			continue;
		}
		if (has_node(values->reach[i], i) ||
		    (values->is_partial && !address_stays(values, i)))
			return VALUE_VARIANT;
		result |= has_result(&values->address[i - ATOM_LOAD]);
	}
	return result ? VALUE_RESULT : VALUE_MEMORY;
}

static unsigned int plain_kinds(u32 atom)
{
	if (atom == ATOM_CLOCK)
		return VALUE_CLOCK;
	return atom == ATOM_STACK ? VALUE_STACK : VALUE_RESULT;
}

static unsigned int variable_kinds(const struct loop_values *values, u32 variable)
{
	u32 node = ATOM_SAME + variable;
	unsigned int kinds = 0;

	for (u32 i = 0; i < NODES; i++) {
		if (i != node && !has_node(values->reach[node], i))
			continue;
		if (atom_is_load(i)) {
			kinds |= load_kinds(values, i);
			continue;
		}
		kinds |= values->recurrent[i - ATOM_SAME];
		for (u32 atom = atoms_next(&values->kept[i - ATOM_SAME], ATOM_RESULT); atom < ATOMS;
		     atom = atoms_next(&values->kept[i - ATOM_SAME], atom + 1))
			kinds |= plain_kinds(atom);
	}
	return kinds;
}

unsigned int atom_kinds(const struct loop_values *values, u32 atom)
{
	if (atom_is_load(atom))
		return load_kinds(values, atom);
	if (atom >= ATOM_RESULT)
		return plain_kinds(atom);
	return variable_kinds(values, node_of(atom) - ATOM_SAME);
}

unsigned int atoms_kinds(const struct loop_values *values, const struct atoms *atoms)
{
	unsigned int kinds = 0;

	for_each_atom(atom, atoms)
		kinds |= atom_kinds(values, atom);
	return kinds;
}
