// SPDX-License-Identifier: GPL-2.0
/* Busy-wait loops in words. */
#include "spins_report.h"

#include <stdarg.h>

const struct spin_word spin_words[] = {
	{ SPIN_PAUSES, "pauses", "pauses" },
	{ SPIN_YIELDS, "yields", "yields the CPU" },
	{ SPIN_SLEEPS, "sleeps", "sleeps between looks" },
	{ SPIN_READS_CLOCK, "reads_clock", "reads a clock" },
	{ SPIN_BOUNDED, "bounded", "gives up after a while" },
	{ SPIN_TAKES, "takes", "takes what it waits for" },
	{ SPIN_CALLS, "calls", "calls a function that may do anything" },
	{ SPIN_BLOCKS, "blocks", "makes a system call that may wait" },
	{ SPIN_STORES, "stores", "changes memory" },
	{ SPIN_HELPER, "helper", "looks in a function that it calls" },
	{ SPIN_PROGRESS, "progress", "calls a progress engine" },
	{ SPIN_PART, "part", "also works, in code that is left out" },
	{ 0 },
};

const char *spin_comparison(u8 condition)
{
	switch (condition) {
	case CONDITION_EQUAL:
		return "==";
	case CONDITION_NOT_EQUAL:
		return "!=";
	case CONDITION_BELOW:
	case CONDITION_LESS:
		return "<";
	case CONDITION_NOT_BELOW:
	case CONDITION_NOT_LESS:
		return ">=";
	case CONDITION_NOT_ABOVE:
	case CONDITION_NOT_GREATER:
		return "<=";
	case CONDITION_ABOVE:
	case CONDITION_GREATER:
		return ">";
	default:
		return NULL;
	}
}

bool spin_is_unsigned(u8 condition)
{
	return condition >= CONDITION_BELOW && condition <= CONDITION_ABOVE;
}

_attribute_(format(printf, 2, 3)) static void add(char *words, const char *format, ...)
{
	size_t length = strlen(words);
	va_list values;

	va_start(values, format);
	vsnprintf(words + length, SPIN_WORDS - length, format, values);
	va_end(values);
}

static void add_offset(char *words, s64 offset, bool alone)
{
	unsigned long long size = offset < 0 ? -(u64)offset : (u64)offset;

	if (alone)
		add(words, "0x%llx", (unsigned long long)offset);
	else if (offset)
		add(words, "%c0x%llx", offset < 0 ? '-' : '+', size);
}

/* "[[rdi+0x8]+rcx*4]" */
static void add_address(char *words, const struct spins *spins, const struct spin_address *address)
{
	for (u8 i = 0; i < address->count; i++)
		add(words, "[");
	for (u8 i = 0; i < address->count; i++) {
		const struct spin_term *term = &address->terms[i];
		bool alone = !i;

		if (term->base != REGISTER_NONE) {
			add(words, "%s", spins->register_names[term->base]);
			alone = false;
		}
		if (term->index != REGISTER_NONE) {
			add(words, "%s%s*%u", alone ? "" : "+", spins->register_names[term->index],
			    term->scale);
			alone = false;
		}
		add_offset(words, term->offset, alone);
		add(words, "]");
	}
}

bool spin_value_words(char *words, const struct spins *spins, const struct spin_value *value)
{
	words[0] = '\0';
	switch (value->kind) {
	case SPIN_VALUE_NUMBER:
		add(words, "%lld", (long long)value->number);
		return true;
	case SPIN_VALUE_REGISTER:
		add(words, "%s", spins->register_names[value->reg]);
		return true;
	case SPIN_VALUE_MEMORY:
		add_address(words, spins, &value->address);
		return true;
	case SPIN_VALUE_CALLEE:
		add(words, "the call at 0x%llx", (unsigned long long)value->at);
		return true;
	default:
		return false;
	}
}

/* Frames of one address are innermost first: the outermost is the function itself. */
static int name_one(const struct spins *spins, const struct spin *spin, struct symbols *symbols,
		    struct object *object, struct spin_name *name)
{
	struct code_address address = { .object = object };
	const struct frame *frames;
	size_t count;

	if (!spins_offset(spins, spin->header, &address.offset))
		return 0;
	count = symbols_frames(symbols, address, false, &frames);
	if (!count)
		return -1;
	name->function = frames[count - 1].function;
	name->file = frames[0].file;
	name->line = frames[0].line;
	return 0;
}

int spins_name(struct spins_file *file, struct symbols *symbols, struct object *object)
{
	const struct spins *spins = &file->spins;

	file->names = calloc(spins->count + 1, sizeof(*file->names));
	if (!file->names)
		return -1;
	for (u32 i = 0; i < spins->count; i++)
		if (name_one(spins, &spins->spins[i], symbols, object, &file->names[i]))
			return -1;
	return 0;
}
