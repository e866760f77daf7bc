// SPDX-License-Identifier: GPL-2.0
#include "table_unwinder.h"

#include "machine.h"
#include "util/hash_index.h"

/* As in unwinder.c: where the stack goes on behind the copy, and what lies below. */
#define BEYOND_MAX (64ULL << 20)
#define BELOW_MAX 128

/**
 * struct copy_window - the stack copy as gapp_unwind() reads it
 * @unwinding: the copy
 * @filler: each byte behind the end of the copy
 * @filled: gapp_unwind() got bytes from behind the end
 * @beyond: gapp_unwind() tried to read what only the whole stack has
 */
struct copy_window {
	const struct unwinding *unwinding;
	u8 filler;
	bool filled;
	bool beyond;
};

/* The window may be larger than the rest of the copy, and then ends with filler. */
static bool copy_window(void *context, void *to, u64 address, u32 bytes)
{
	struct copy_window *window = context;
	const struct unwinding *unwinding = window->unwinding;
	u64 offset = address - unwinding->stack_at, left = unwinding->stack_bytes - offset;

	if (address < unwinding->stack_at) {
		window->beyond = unwinding->stack_at - address <= BELOW_MAX;
		return false;
	}
	if (offset >= unwinding->stack_bytes) {
		window->beyond = offset - unwinding->stack_bytes < BEYOND_MAX;
		return false;
	}
	if (left < bytes) {
		window->filled = true;
		memset((u8 *)to + left, window->filler, bytes - left);
	} else {
		left = bytes;
	}
	memcpy(to, (const u8 *)unwinding->stack + offset, left);
	return true;
}

void table_unwinder_free(struct table_unwinder *unwinder)
{
	free(unwinder->mappings);
	*unwinder = (struct table_unwinder){ 0 };
}

/*
 * Sets @found to the mapping for gapp_unwind(). False: the object has no table here, and libdwfl
 * must look at it. The module follows frame pointers through memory that is no file.
 */
static bool convert(const struct table_unwinder *unwinder, const struct mapping *mapping,
		    struct gapp_unwind_mapping *found)
{
	const struct unwind_table *table = object_tables_find(unwinder->tables, mapping->object);

	*found = (struct gapp_unwind_mapping){ .begin = mapping->start, .end = mapping->end };
	if (mapping->object->kind == OBJECT_ANONYMOUS)
		return true;
	if (!table || !unwind_table_bias(table, mapping->start, mapping->offset, &found->bias))
		return false;
	found->table = &table->parts;
	return true;
}

/* Sets @count to the number of mappings. Returns 0, or -1 without memory. */
static int convert_all(struct table_unwinder *unwinder, const struct mappings *mappings, u32 *count)
{
	const struct mapping *list = mappings_list(mappings);

	*count = 0;
	for (size_t i = 0; i < mappings_count(mappings); i++) {
		if (array_grow(&unwinder->mappings, &unwinder->room, *count,
			       sizeof(*unwinder->mappings)))
			return -1;
		*count += convert(unwinder, &list[i], &unwinder->mappings[*count]);
	}
	return 0;
}

static void set_registers(struct gapp_regs *regs, const struct unwinding *unwinding)
{
	regs->valid = unwinding->valid;
	memcpy(regs->value, unwinding->registers, sizeof(regs->value));
	/* gapp_unwind() looks up the rule at exactly that address */
	regs->value[MACHINE_IP] -= unwinding->is_return;
}

/* How unwinding ended, for the unwinding's caller. */
static enum unwind_end end_of(const struct gapp_unwind *unwind, enum gapp_unwind_end end,
			      const struct copy_window *window, struct unwinding *unwinding)
{
	/* libdwfl knows better whether code keeps a frame pointer */
	if (unwind->by_fp)
		return UNWIND_NO_RULE;
	switch (end) {
	case GAPP_UNWIND_COMPLETE:
		return UNWIND_OUTERMOST;
	case GAPP_UNWIND_FULL:
		return unwinding->count == unwinding->room ? UNWIND_FULL : UNWIND_NO_RULE;
	case GAPP_UNWIND_UNREADABLE:
		return window->beyond ? UNWIND_BEYOND : UNWIND_NO_RULE;
	case GAPP_UNWIND_UNMAPPED:
		unwinding->unmapped = unwind->unmapped + 1;
		/* a mapping without a table was left out */
		return mappings_find(unwinding->mappings, unwind->unmapped) ? UNWIND_NO_RULE :
									      UNWIND_UNMAPPED;
	default:
		return UNWIND_NO_RULE;
	}
}

static enum unwind_end unwind_once(struct table_unwinder *unwinder, struct unwinding *unwinding,
				   u32 mapping_count, struct copy_window *window)
{
	struct gapp_unwind unwind = {
		.window = { .copy = copy_window, .context = window, .limit = MACHINE_LIMIT },
		.arch = MACHINE_ARCH,
		.mappings = unwinder->mappings,
		.mapping_count = mapping_count,
	};
	enum gapp_unwind_end end;

	set_registers(&unwind.regs, unwinding);
	unwinding->count = gapp_unwind(&unwind, unwinding->frames, unwinding->room, &end);
	return end_of(&unwind, end, window, unwinding);
}

enum unwind_end table_unwinder_unwind(struct table_unwinder *unwinder, struct unwinding *unwinding)
{
	struct copy_window window = { .unwinding = unwinding };
	enum unwind_end end, other;
	u32 mapping_count;
	u16 count;

	unwinding->count = 0;
	if (!unwinding->room || !(unwinding->valid >> MACHINE_IP & 1) ||
	    convert_all(unwinder, unwinding->mappings, &mapping_count))
		return UNWIND_NO_RULE;
	end = unwind_once(unwinder, unwinding, mapping_count, &window);
	if (window.filled) {
		/* what depends on the bytes behind the end of the copy is not found in the copy */
		count = unwinding->count;
		window = (struct copy_window){ .unwinding = unwinding, .filler = 0xff };
		other = unwind_once(unwinder, unwinding, mapping_count, &window);
		if (other != end || unwinding->count != count)
			end = UNWIND_BEYOND;
		if (unwinding->count > count)
			unwinding->count = count;
	}
	unwinding->frames[0] = unwinding->registers[MACHINE_IP];
	return end;
}

bool table_unwinder_ends_signal(const struct table_unwinder *unwinder,
				const struct mappings *mappings, u64 address, bool *ends)
{
	const struct mapping *mapping = mappings_find(mappings, address);
	struct gapp_unwind_mapping found;

	*ends = false;
	if (!mapping)
		return true;
	if (!convert(unwinder, mapping, &found))
		return false;
	if (found.table)
		*ends = gapp_table_find(found.table, address - found.bias)->cfa == GAPP_CFA_SIGNAL;
	return true;
}
