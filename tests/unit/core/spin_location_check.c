// SPDX-License-Identifier: GPL-2.0
#include "spin_location_check.h"

#include "random.h"

static bool is_register(u8 number)
{
	return number < GAPP_REGISTERS || number == 255;
}

static bool term_is_good(const struct gapp_spin_term *term)
{
	if (!is_register(term->base) || !is_register(term->index) || term->reserved)
		return false;
	switch (term->scale) {
	case 0:
		return term->index == 255;
	case 1:
	case 2:
	case 4:
	case 8:
		return term->index != 255;
	default:
		return false;
	}
}

bool spin_location_is_good(const struct gapp_spin_location *location)
{
	/* the number of terms and those terms may have values, all other bytes are zero */
	struct gapp_spin_location must = { .terms = location->terms };
	u32 i;

	if (location->terms < 1 || location->terms > 4)
		return false;
	for (i = 0; i < location->terms; i++) {
		must.term[i] = location->term[i];
		if (!term_is_good(&must.term[i]))
			return false;
	}
	return !memcmp(location, &must, sizeof(must));
}

/**
 * struct thread - a thread that may be in a loop
 * @regs: its registers
 * @bias: bias of the file that has the loop
 * @seed: the words of the thread's memory are made of this number
 * @reads: number of reads so far
 * @at: addresses of the first reads
 */
struct thread {
	struct gapp_regs regs;
	u64 bias;
	u64 seed;
	u32 reads;
	u64 at[GAPP_SPIN_TERMS];
};

static void make_thread(struct thread *thread, u64 seed)
{
	u64 random = seed, value;
	u32 i;

	*thread = (struct thread){ .bias = random_next(&random), .seed = seed };
	for (i = 0; i < GAPP_REGISTERS; i++) {
		/* some values are small, as indexes are */
		value = random_next(&random);
		thread->regs.value[i] = value >> random_below(&random, 64);
		if (random_below(&random, 16))
			thread->regs.valid |= 1ULL << i;
	}
}

/* Makes the word at @address. Returns false if it cannot be read. */
static bool word_at(u64 seed, u64 address, u64 *word)
{
	u64 random = seed ^ address;

	*word = random_next(&random);
	return random_below(&random, 16);
}

/* A gapp_spin_read. */
static bool read_word(void *context, u64 address, u64 *word)
{
	struct thread *thread = context;

	if (thread->reads < GAPP_SPIN_TERMS)
		thread->at[thread->reads] = address;
	thread->reads++;
	return word_at(thread->seed, address, word);
}

/* Adds a register @times times to @sum. Returns false if its value is not known. */
static bool add_slowly(const struct thread *thread, u8 number, u8 times, u64 *sum)
{
	if (number == 255)
		return true;
	for (; times; times--)
		*sum += thread->regs.value[number];
	return thread->regs.valid >> number & 1;
}

/* Sets @address to that after the first @terms terms, 1 or more. Returns false if not known. */
static bool locate_slowly(const struct gapp_spin_location *location, u32 terms,
			  const struct thread *thread, u64 *address)
{
	const struct gapp_spin_term *term = &location->term[terms - 1];
	const s64 offset = term->offset;
	u64 before;

	*address = 0;
	if (terms > 1) {
		if (!locate_slowly(location, terms - 1, thread, &before) ||
		    !word_at(thread->seed, before, address))
			return false;
	} else if (term->base == 255) {
		*address = thread->bias;
	}
	if (offset < 0)
		*address -= -offset;
	else
		*address += offset;
	return add_slowly(thread, term->base, 1, address) &&
	       add_slowly(thread, term->index, term->scale, address);
}

const char *spin_location_check(const struct gapp_spin_location *location, u64 seed)
{
	struct thread thread;
	u64 is = 0, must;
	bool known;
	u32 i;

	make_thread(&thread, seed);
	known = gapp_spin_locate(location, &thread.regs, thread.bias, read_word, &thread, &is);
	if (known != locate_slowly(location, location->terms, &thread, &must))
		return known ? "a location that is not known is found" : "a location is not found";
	if (known && is != must)
		return "a location at another address";
	if (thread.reads > location->terms - 1U || (known && thread.reads != location->terms - 1U))
		return "another number of reads";
	for (i = 0; i < thread.reads; i++)
		if (!locate_slowly(location, i + 1, &thread, &must) || thread.at[i] != must)
			return "a read at another address";
	return NULL;
}

static u8 any_register(u64 *random)
{
	return random_below(random, 3) ? random_below(random, GAPP_REGISTERS) :
					 GAPP_SPIN_NO_REGISTER;
}

void spin_location_make(struct gapp_spin_location *location, u64 *random)
{
	struct gapp_spin_term *term = location->term;
	s32 offset;
	u32 i;

	*location = (struct gapp_spin_location){ .terms = 1 + random_below(random, 4) };
	for (i = 0; i < location->terms; i++, term++) {
		term->base = any_register(random);
		term->index = any_register(random);
		if (term->index != GAPP_SPIN_NO_REGISTER)
			term->scale = 1 << random_below(random, 4);
		offset = (s32)random_next(random);
		term->offset = offset >> random_below(random, 32);
	}
}
