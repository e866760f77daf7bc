// SPDX-License-Identifier: GPL-2.0
#include "unwinder.h"

#include <dwarf.h>

#include "machine.h"
#include "util/signals.h"

/* An address less than this behind the end of the copy belongs to the stack. */
#define BEYOND_MAX (64ULL << 20)
/* Bytes below the stack pointer that a function may use, and call frame information may read. */
#define BELOW_MAX 128

/*
 * A gap in call frame information of at most this many bytes has the rule of the code before it, as
 * around the system call of glibc's clone3(). Longer gaps are functions without a description.
 */
#define HOLE_BYTES 16
/* The code at a program's entry is not longer than this. */
#define ENTRY_BYTES 64

/**
 * struct unwinder - unwinds one stack copy at a time
 * @spaces: all address spaces
 * @space: address space of the copy
 * @unwinding: the copy
 * @end: how unwinding ended, if take_frame() ended it
 * @beyond: libdwfl tried to read memory behind the end of the copy, or below its begin
 * @repeated: the last frame that libdwfl has found was that before it, and was left out
 * @bottom: the last frame is at the entry of its program, and has no caller
 */
struct unwinder {
	struct unwind_spaces *spaces;
	struct unwind_space *space;
	struct unwinding *unwinding;
	enum unwind_end end;
	bool beyond;
	bool repeated;
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
	bus_guard_block();

	if (!unwinder)
		return;
	unwind_spaces_free(unwinder->spaces);
	free(unwinder);
}

static bool is_known(const struct unwinding *unwinding, unsigned int number)
{
	return unwinding->valid >> number & 1;
}

static bool has_rule(struct unwind_space *space, u64 address)
{
	Dwarf_Frame *frame = unwind_space_frame(space, address);

	free(frame);
	return frame;
}

/* The address whose rule holds at @address: @address, or the last one before a short gap. */
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

/* The first frame's address for libdwfl, which looks up the rule at exactly that address. */
static u64 look_up_at(const struct unwinder *unwinder)
{
	const struct unwinding *unwinding = unwinder->unwinding;
	u64 address = unwinding->registers[MACHINE_IP];

	return unwinding->is_return ? address - 1 : before_hole(unwinder->space, address);
}

/* Only on x86-64 DWARF numbers it among the registers. */
static bool set_ip(Dwfl_Thread *thread, Dwarf_Word ip)
{
#ifdef __aarch64__
	dwfl_thread_state_register_pc(thread, ip);
	return true;
#else
	return dwfl_thread_state_registers(thread, MACHINE_IP, 1, &ip);
#endif
}

/*
 * A word of the copy for libdwfl, which takes signed return addresses as they are. Words that could
 * be one lose the signature, if they are addresses of code without it.
 */
static Dwarf_Word without_signature(const struct unwinding *unwinding, Dwarf_Word word)
{
	u64 address = word & (MACHINE_LIMIT - 1);

	if (!MACHINE_SIGNS_ADDRESSES || word == address)
		return word;
	return mappings_find(unwinding->mappings, address - 1) ? address : word;
}

static bool set_registers(Dwfl_Thread *thread, void *context)
{
	const struct unwinder *unwinder = context;
	const struct unwinding *unwinding = unwinder->unwinding;

	for (unsigned int i = 0; i < MACHINE_IP; i++) {
		Dwarf_Word word = without_signature(unwinding, unwinding->registers[i]);

		if (is_known(unwinding, i) && !dwfl_thread_state_registers(thread, i, 1, &word))
			return false;
	}
	return set_ip(thread, look_up_at(unwinder));
}

static bool read_memory(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *word, void *context)
{
	struct unwinder *unwinder = context;
	const struct unwinding *unwinding = unwinder->unwinding;
	u64 offset = address - unwinding->stack_at;

	(void)dwfl;
	if (unwinding->stack_bytes >= sizeof(*word) &&
	    offset <= unwinding->stack_bytes - sizeof(*word)) {
		memcpy(word, (const u8 *)unwinding->stack + offset, sizeof(*word));
		*word = without_signature(unwinding, *word);
		return true;
	}
	if (offset + sizeof(*word) > unwinding->stack_bytes &&
	    offset < unwinding->stack_bytes + BEYOND_MAX)
		unwinder->beyond = true;
	if (address < unwinding->stack_at && unwinding->stack_at - address <= BELOW_MAX)
		unwinder->beyond = true;
	return false;
}

static bool get_thread(Dwfl *dwfl, _unused_ pid_t tid, void *context, void **thread)
{
	(void)dwfl;
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

/* Sets *@ip to the address to look up: in the call, because a mapping may end behind the call. */
static const struct mapping *mapping_of(const struct unwinding *unwinding, u64 *ip)
{
	const struct mapping *mapping = NULL;

	if (unwinding->count || unwinding->is_return)
		mapping = mappings_find(unwinding->mappings, *ip - 1);
	if (mapping)
		--*ip;
	else
		mapping = mappings_find(unwinding->mappings, *ip);
	return mapping;
}

/* Whether @address is the entry point of its program, of which there is no call frame information.
 */
static bool is_bottom(const struct unwinder *unwinder, Dwfl_Frame *state, u64 address)
{
	Dwfl_Module *module = unwind_space_module(unwinder->space, address);
	Dwarf_Word fp;
	GElf_Addr bias;
	GElf_Ehdr head;
	u64 entry;

	if (dwfl_frame_reg(state, MACHINE_FP, &fp) || fp || !module ||
	    !gelf_getehdr(dwfl_module_getelf(module, &bias), &head))
		return false;
	entry = head.e_entry + bias;
	return head.e_entry && address >= entry && address - entry < ENTRY_BYTES &&
	       !has_rule(unwinder->space, address) && !has_rule(unwinder->space, entry);
}

static bool is_in_file(const struct unwinding *unwinding, u64 return_ip)
{
	const struct mapping *mapping = mappings_find(unwinding->mappings, return_ip - 1);

	return mapping && mapping->object->kind != OBJECT_ANONYMOUS;
}

/* Whether the frame before, the first one outside files, comes once more. */
static bool is_repeated(const struct unwinding *unwinding, u64 ip)
{
	const u64 *before = unwinding->frames + unwinding->count;

	return MACHINE_REPEATS && unwinding->count > 1 && before[-1] == ip &&
	       !is_in_file(unwinding, ip) && is_in_file(unwinding, before[-2]);
}

/*
 * Takes one frame from libdwfl. Where no file has a rule, libdwfl follows the frame pointer
 * anywhere, so the next frame counts only if it is in code. dwfl_frame_pc() is not asked whether
 * the address is exact: it would unwind further to know that, before the next frame's file is
 * opened.
 */
static int take_frame(Dwfl_Frame *state, void *context)
{
	struct unwinder *unwinder = context;
	struct unwinding *unwinding = unwinder->unwinding;
	const bool repeated = unwinder->repeated;
	const struct mapping *mapping;
	Dwarf_Addr ip;
	u64 at;

	if (unwinding->count == unwinding->room)
		return end(unwinder, UNWIND_FULL);
	if (!dwfl_frame_pc(state, &ip, NULL))
		return end(unwinder, UNWIND_NO_RULE);
	if (!unwinding->count)
		ip = unwinding->registers[MACHINE_IP];
	unwinder->repeated = !repeated && is_repeated(unwinding, ip);
	if (unwinder->repeated)
		return DWARF_CB_OK;
	at = ip;
	mapping = mapping_of(unwinding, &at);
	if (!mapping)
		unwinding->unmapped = ip;
	if (mapping || !unwinding->count)
		unwinding->frames[unwinding->count++] = ip;
	if (!mapping)
		return end(unwinder, UNWIND_UNMAPPED);
	if (mapping->object->kind != OBJECT_ANONYMOUS && !unwind_space_module(unwinder->space, at))
		return end(unwinder, UNWIND_NO_RULE);
	unwinder->beyond = false;
	unwinder->bottom = is_bottom(unwinder, state, at);
	return unwinder->bottom ? DWARF_CB_ABORT : DWARF_CB_OK;
}

static enum unwind_end unwind_frames(struct unwinder *unwinder)
{
	Dwfl *dwfl = unwind_space_attach(unwinder->space, &callbacks, unwinder);

	if (!dwfl)
		return UNWIND_NO_RULE;
	unwinder->end = UNWIND_NO_RULE;
	unwinder->beyond = false;
	unwinder->repeated = false;
	unwinder->bottom = false;
	switch (dwfl_getthread_frames(dwfl, 1, take_frame, unwinder)) {
	case DWARF_CB_ABORT:
		return unwinder->bottom ? UNWIND_OUTERMOST : unwinder->end;
	case DWARF_CB_OK:
		/* libdwfl takes a return address that it cannot read for the end of the path */
		return unwinder->beyond ? UNWIND_BEYOND : UNWIND_OUTERMOST;
	default:
		return unwinder->beyond ? UNWIND_BEYOND : UNWIND_NO_RULE;
	}
}

enum unwind_end unwinder_unwind(struct unwinder *unwinder, struct unwinding *unwinding)
{
	bus_guard_block();

	unwinding->count = 0;
	if (!unwinding->room || !is_known(unwinding, MACHINE_IP))
		return UNWIND_NO_RULE;
	unwinder->unwinding = unwinding;
	unwinder->space = unwind_space_get(unwinder->spaces, unwinding->mappings);
	return unwinder->space ? unwind_frames(unwinder) : UNWIND_NO_RULE;
}

bool unwinder_ends_signal(struct unwinder *unwinder, const struct mappings *mappings, u64 address)
{
	_cleanup_free_ Dwarf_Frame *frame = NULL;
	bool signal = false;

	bus_guard_block();
	unwinder->space = unwind_space_get(unwinder->spaces, mappings);
	if (unwinder->space)
		frame = unwind_space_frame(unwinder->space, address);
	return frame && dwarf_frame_info(frame, NULL, NULL, &signal) >= 0 && signal;
}
