// SPDX-License-Identifier: GPL-2.0
/* Locations of spin tables: the user who loads a table chooses every bit of them. */
#include "spin_location.h"

#include "registers.h"

static bool term_is_valid(const struct gapp_spin_term *term)
{
	const bool has_index = term->index != GAPP_SPIN_NO_REGISTER;

	if (term->reserved || !gapp_register_is_valid(term->base) ||
	    !gapp_register_is_valid(term->index))
		return false;
	if (!has_index)
		return !term->scale;
	return term->scale == 1 || term->scale == 2 || term->scale == 4 || term->scale == 8;
}

static bool term_is_zero(const struct gapp_spin_term *term)
{
	return !term->base && !term->index && !term->scale && !term->reserved && !term->offset;
}

/**
 * gapp_spin_location_is_valid() - check a location of a table
 * @location: the location
 *
 * Return: false if it is not as struct gapp_spin_location has it.
 */
bool gapp_spin_location_is_valid(const struct gapp_spin_location *location)
{
	u32 i;

	if (!location->terms || location->terms > GAPP_SPIN_TERMS ||
	    (location->bytes && !gapp_spin_bytes_are_valid(location->bytes)))
		return false;
	if (location->with > GAPP_REGISTERS || (location->with && location->number))
		return false;
	if (location->goes_on ? location->goes_on >= GAPP_SPIN_WHILES || !location->bytes :
				location->number || location->with)
		return false;
	for (i = 0; i < GAPP_SPIN_TERMS; i++)
		if (i < location->terms ? !term_is_valid(&location->term[i]) :
					  !term_is_zero(&location->term[i]))
			return false;
	return true;
}

/**
 * gapp_spin_locate() - find the word that a loop waits for
 * @location: a valid location
 * @regs: the thread's registers
 * @bias: address in memory minus address in the ELF file
 * @read: reads the thread's memory, at most GAPP_SPIN_TERMS - 1 times
 * @context: for @read
 * @address: where the word is
 *
 * Return: false if a register or a word on the way is not known.
 */
bool gapp_spin_locate(const struct gapp_spin_location *location, const struct gapp_regs *regs,
		      u64 bias, gapp_spin_read *read, void *context, u64 *address)
{
	u64 sum = location->term[0].base == GAPP_SPIN_NO_REGISTER ? bias : 0;
	u32 i;

	for (i = 0; i < location->terms; i++) {
		const struct gapp_spin_term *term = &location->term[i];

		if (i && !read(context, sum, &sum))
			return false;
		sum += (u64)(s64)term->offset;
		if (!gapp_register_add(regs, term->base, 1, &sum) ||
		    !gapp_register_add(regs, term->index, term->scale, &sum))
			return false;
	}
	*address = sum;
	return true;
}

/**
 * gapp_spin_compares_with() - find what a loop compares its word with
 * @location: a valid location
 * @regs: the thread's registers
 * @number: the result; of no use if it is not known
 *
 * Return: false if it is not known.
 */
bool gapp_spin_compares_with(const struct gapp_spin_location *location,
			     const struct gapp_regs *regs, s64 *number)
{
	*number = location->number;
	if (!location->goes_on)
		return false;
	if (!location->with)
		return true;
	if (!(regs->valid & 1ULL << (location->with - 1)))
		return false;
	*number = (s64)regs->value[location->with - 1];
	return true;
}

/* The word's first @bytes bytes, with or without a sign. */
static u64 cut(u64 word, u32 bytes)
{
	return bytes < sizeof(word) ? word & ((1ULL << bytes * 8) - 1) : word;
}

static s64 cut_signed(u64 word, u32 bytes)
{
	const u32 unused = (u32)(sizeof(word) - bytes) * 8;

	return (s64)(word << unused) >> unused;
}

/**
 * gapp_spin_goes_on() - whether a loop goes on while the word that it waits for has a value
 * @how: enum gapp_spin_while
 * @bytes: bytes of the word that are compared: 1, 2, 4 or 8
 * @number: what the word is compared with
 * @word: the value
 *
 * Return: false if the loop ends, or if it is not known how it compares.
 */
bool gapp_spin_goes_on(u32 how, u32 bytes, s64 number, u64 word)
{
	const u64 value = cut(word, bytes), other = cut((u64)number, bytes);
	const s64 value_signed = cut_signed(word, bytes);
	const s64 other_signed = cut_signed((u64)number, bytes);

	switch (how) {
	case GAPP_SPIN_WHILE_EQUAL:
		return value == other;
	case GAPP_SPIN_WHILE_NOT_EQUAL:
		return value != other;
	case GAPP_SPIN_WHILE_BELOW:
		return value < other;
	case GAPP_SPIN_WHILE_NOT_BELOW:
		return value >= other;
	case GAPP_SPIN_WHILE_NOT_ABOVE:
		return value <= other;
	case GAPP_SPIN_WHILE_ABOVE:
		return value > other;
	case GAPP_SPIN_WHILE_LESS:
		return value_signed < other_signed;
	case GAPP_SPIN_WHILE_NOT_LESS:
		return value_signed >= other_signed;
	case GAPP_SPIN_WHILE_NOT_GREATER:
		return value_signed <= other_signed;
	case GAPP_SPIN_WHILE_GREATER:
		return value_signed > other_signed;
	default:
		return false;
	}
}
