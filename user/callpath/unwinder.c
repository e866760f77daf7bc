// SPDX-License-Identifier: GPL-2.0
#include "unwinder.h"

#include <dwarf.h>

#include "util/bus_guard.h"
#include "unwind_space.h"

/* x86-64, as DWARF numbers them. */
#define REGISTERS 17
#define REGISTER_FP 6
#define REGISTER_IP 16

/* What would have been behind the end of the copy is not farther away than a stack is large. */
#define BEYOND_MAX (64ULL << 20)
/* Functions keep something there too, and some call frame information reads it. */
#define BELOW_MAX 128

/*
 * glibc's clone3() has no call frame information for the few bytes around its system call: what
 * holds before them holds there. Longer gaps are code of their own.
 */
#define HOLE_BYTES 16
/* What is run first is not longer. */
#define ENTRY_BYTES 64

/**
 * struct unwinder - the walk that is being done
 * @spaces: what is known of files
 * @space: of the walk
 * @walk: what was asked for
 * @end: how it has ended, where this file decides that
 * @beyond: the last step looked behind the end of the copy
 * @bottom: the last frame is where its file begins to run, and nothing tells of a caller
 */
struct unwinder {
	struct unwind_spaces *spaces;
	struct unwind_space *space;
	struct unwinding *walk;
	enum unwind_end end;
	bool beyond;
	bool bottom;
};

struct unwinder *unwinder_new(struct objects *objects)
{
	struct unwinder *unwinder = calloc(1, sizeof(*unwinder));

	if (!unwinder)
		return NULL;
	unwinder->spaces = unwind_spaces_new(objects);
	if (!unwinder->spaces) {
		free(unwinder);
		return NULL;
	}
	return unwinder;
}

void unwinder_free(struct unwinder *unwinder)
{
	if (!unwinder)
		return;
	bus_guard_begin();
	unwind_spaces_free(unwinder->spaces);
	bus_guard_end();
	free(unwinder);
}

static bool is_known(const struct unwinding *walk, unsigned int number)
{
	return walk->valid >> number & 1;
}

static bool has_rule(struct unwind_space *space, u64 address)
{
	Dwarf_Frame *frame = unwind_space_frame(space, address);

	free(frame);
	return frame;
}

/* The address whose rule holds at @address, which has none itself. */
static u64 before_hole(struct unwind_space *space, u64 address)
{
	u64 back, on;

	if (has_rule(space, address))
		return address;
	for (back = 1; back < HOLE_BYTES && !has_rule(space, address - back);)
		back++;
	for (on = 1; on + back <= HOLE_BYTES && !has_rule(space, address + on);)
		on++;
	return on + back <= HOLE_BYTES ? address - back : address;
}

/* libdwfl looks up the first frame's address as it is. */
static u64 look_up_at(const struct unwinder *unwinder)
{
	const struct unwinding *walk = unwinder->walk;
	u64 address = walk->registers[REGISTER_IP];

	return walk->is_return ? address - 1 : before_hole(unwinder->space, address);
}

static bool set_registers(Dwfl_Thread *thread, void *context)
{
	const struct unwinder *unwinder = context;
	const struct unwinding *walk = unwinder->walk;

	for (unsigned int i = 0; i < REGISTER_IP; i++) {
		Dwarf_Word word = walk->registers[i];

		if (is_known(walk, i) && !dwfl_thread_state_registers(thread, i, 1, &word))
			return false;
	}
	return dwfl_thread_state_registers(thread, REGISTER_IP, 1,
					   &(Dwarf_Word){ look_up_at(unwinder) });
}

static bool read_memory(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *word, void *context)
{
	struct unwinder *unwinder = context;
	const struct unwinding *walk = unwinder->walk;
	u64 offset = address - walk->stack_at;

	(void)dwfl;
	if (walk->stack_bytes >= sizeof(*word) && offset <= walk->stack_bytes - sizeof(*word)) {
		memcpy(word, (const u8 *)walk->stack + offset, sizeof(*word));
		return true;
	}
	if (offset + sizeof(*word) > walk->stack_bytes && offset < walk->stack_bytes + BEYOND_MAX)
		unwinder->beyond = true;
	if (address < walk->stack_at && walk->stack_at - address <= BELOW_MAX)
		unwinder->beyond = true;
	return false;
}

static bool get_thread(Dwfl *dwfl, pid_t tid, void *context, void **thread)
{
	(void)dwfl;
	(void)tid;
	*thread = context;
	return true;
}

static pid_t next_thread(Dwfl *dwfl, void *context, void **thread)
{
	(void)dwfl;
	if (*thread)
		return 0;
	*thread = context;
	return 1;
}

static const Dwfl_Thread_Callbacks callbacks = {
	.next_thread = next_thread,
	.get_thread = get_thread,
	.memory_read = read_memory,
	.set_initial_registers = set_registers,
};

static int end(struct unwinder *unwinder, enum unwind_end how)
{
	unwinder->end = how;
	return DWARF_CB_ABORT;
}

/* Where a frame is looked up: in the call, which may be the last of what is mapped. */
static const struct mapping *mapping_of(const struct unwinding *walk, u64 *ip)
{
	const struct mapping *mapping = NULL;

	if (walk->count || walk->is_return)
		mapping = mappings_find(walk->mappings, *ip - 1);
	if (mapping)
		--*ip;
	else
		mapping = mappings_find(walk->mappings, *ip);
	return mapping;
}

/* The loader's and some C libraries' first instructions have no call frame information. */
static bool is_bottom(const struct unwinder *unwinder, Dwfl_Frame *state, u64 address)
{
	Dwfl_Module *module = unwind_space_module(unwinder->space, address);
	Dwarf_Word fp;
	GElf_Addr bias;
	GElf_Ehdr head;
	u64 entry;

	if (dwfl_frame_reg(state, REGISTER_FP, &fp) || fp || !module ||
	    !gelf_getehdr(dwfl_module_getelf(module, &bias), &head))
		return false;
	entry = head.e_entry + bias;
	return head.e_entry && address >= entry && address - entry < ENTRY_BYTES &&
	       !has_rule(unwinder->space, address) && !has_rule(unwinder->space, entry);
}

/*
 * Where no file tells, libdwfl follows the frame pointer, wherever that leads: so what it finds
 * must be code. It is not asked whether an address is exact, for it would go on before the file is
 * there.
 */
static int take_frame(Dwfl_Frame *state, void *context)
{
	struct unwinder *unwinder = context;
	struct unwinding *walk = unwinder->walk;
	const struct mapping *mapping;
	Dwarf_Addr ip;
	u64 at;

	if (walk->count == walk->room)
		return end(unwinder, UNWIND_FULL);
	if (!dwfl_frame_pc(state, &ip, NULL))
		return end(unwinder, UNWIND_NO_RULE);
	if (!walk->count)
		ip = walk->registers[REGISTER_IP];
	at = ip;
	mapping = mapping_of(walk, &at);
	if (!mapping)
		walk->unmapped = ip;
	if (mapping || !walk->count)
		walk->frames[walk->count++] = ip;
	if (!mapping)
		return end(unwinder, UNWIND_UNMAPPED);
	if (mapping->object->kind != OBJECT_ANONYMOUS && !unwind_space_module(unwinder->space, at))
		return end(unwinder, UNWIND_NO_RULE);
	unwinder->beyond = false;
	unwinder->bottom = is_bottom(unwinder, state, at);
	return unwinder->bottom ? DWARF_CB_ABORT : DWARF_CB_OK;
}

static enum unwind_end walk_frames(struct unwinder *unwinder)
{
	Dwfl *dwfl = unwind_space_attach(unwinder->space, &callbacks, unwinder);

	if (!dwfl)
		return UNWIND_NO_RULE;
	unwinder->end = UNWIND_NO_RULE;
	unwinder->beyond = false;
	unwinder->bottom = false;
	switch (dwfl_getthread_frames(dwfl, 1, take_frame, unwinder)) {
	case DWARF_CB_ABORT:
		return unwinder->bottom ? UNWIND_OUTERMOST : unwinder->end;
	case DWARF_CB_OK:
		/* a return address that cannot be read ends the walk, to libdwfl */
		return unwinder->beyond ? UNWIND_BEYOND : UNWIND_OUTERMOST;
	default:
		return unwinder->beyond ? UNWIND_BEYOND : UNWIND_NO_RULE;
	}
}

enum unwind_end unwinder_walk(struct unwinder *unwinder, struct unwinding *walk)
{
	enum unwind_end how = UNWIND_NO_RULE;

	walk->count = 0;
	if (!walk->room || !is_known(walk, REGISTER_IP))
		return UNWIND_NO_RULE;
	bus_guard_begin();
	unwinder->walk = walk;
	unwinder->space = unwind_space_get(unwinder->spaces, walk->mappings);
	if (unwinder->space)
		how = walk_frames(unwinder);
	bus_guard_end();
	return how;
}

bool unwinder_ends_signal(struct unwinder *unwinder, const struct mappings *mappings, u64 address)
{
	Dwarf_Frame *frame = NULL;
	bool signal = false;

	bus_guard_begin();
	unwinder->space = unwind_space_get(unwinder->spaces, mappings);
	if (unwinder->space)
		frame = unwind_space_frame(unwinder->space, address);
	if (frame && dwarf_frame_info(frame, NULL, NULL, &signal) < 0)
		signal = false;
	free(frame);
	bus_guard_end();
	return signal;
}
