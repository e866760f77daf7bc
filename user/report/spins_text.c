// SPDX-License-Identifier: GPL-2.0
/* Busy-wait loops of files as text. */
#include "spins_report.h"
#include "util/names.h"

/* Bytes of a name or path that are shown. */
#define NAME_BYTES 512

static void put_name(FILE *out, const char *name)
{
	char safe[NAME_SAFE_SIZE(NAME_BYTES)];

	name_safe(safe, name, strnlen(name, NAME_BYTES), NAME_WHOLE);
	fputs(safe, out);
}

static u32 count_sure(const struct spins *spins)
{
	u32 count = 0;

	for (u32 i = 0; i < spins->count; i++)
		count += spins->spins[i].tier == SPIN_HIGH;
	return count;
}

static void put_wait(FILE *out, const struct spins *spins, const struct spin_wait *wait)
{
	char location[SPIN_WORDS], value[SPIN_WORDS];
	const char *sign = spin_comparison(wait->while_is);

	if (!spin_value_words(location, spins, &wait->location)) {
		fprintf(out, "      until memory changes that the branch at 0x%llx depends on\n",
			(unsigned long long)wait->branch);
		return;
	}
	fputs(sign ? "      while " : "      depends on ", out);
	if (wait->location.mask)
		fprintf(out, "bits 0x%llx of ", (unsigned long long)wait->location.mask);
	if (wait->location.kind == SPIN_VALUE_MEMORY)
		fprintf(out, "%u byte%s at ", wait->location.bytes,
			wait->location.bytes == 1 ? "" : "s");
	fputs(location, out);
	if (sign)
		fprintf(out, " %s %s%s", sign,
			spin_value_words(value, spins, &wait->value) ? value : "a value",
			spin_is_unsigned(wait->while_is) ? ", unsigned" : "");
	putc('\n', out);
}

static void put_spin(FILE *out, const struct spins_file *file, u32 number)
{
	const struct spin *spin = &file->spins.spins[number];
	const struct spin_name *name = &file->names[number];

	fputs("\n  ", out);
	if (name->function) {
		put_name(out, name->function);
		fprintf(out, "+0x%llx", (unsigned long long)(spin->header - spin->function));
	} else {
		fprintf(out, "0x%llx", (unsigned long long)spin->header);
	}
	if (name->file) {
		fputs(" (", out);
		put_name(out, name->file);
		fprintf(out, ":%u)", name->line);
	}
	fprintf(out, "\n      %u instructions at 0x%llx", spin->insns,
		(unsigned long long)spin->header);
	if (spin->tier != SPIN_HIGH)
		fputs(", not sure", out);
	for (const struct spin_word *word = spin_words; word->does; word++)
		if (spin->does & word->does)
			fprintf(out, ", %s", word->text);
	putc('\n', out);
	for (u8 i = 0; i < spin->wait_count; i++)
		put_wait(out, &file->spins, &spin->waits[i]);
}

static void put_file(FILE *out, const struct spins_file *file, bool verbose)
{
	const struct spins *spins = &file->spins;
	u32 sure = count_sure(spins);

	put_name(out, file->path);
	fprintf(out, ": %u busy-wait loop%s in %u functions, %u more may be some%s\n", sure,
		sure == 1 ? "" : "s", spins->functions, spins->count - sure,
		verbose || sure == spins->count ? "" : " (-v shows them)");
	if (verbose)
		fprintf(out,
			"  %llu instructions, %u loops; %llu pauses, %llu of them in the loops found; "
			"%u functions too large\n",
			(unsigned long long)spins->insns, spins->loops,
			(unsigned long long)spins->pauses, (unsigned long long)spins->pauses_inside,
			spins->given_up);
	for (u32 i = 0; i < spins->count && !ferror(out); i++)
		if (verbose || spins->spins[i].tier == SPIN_HIGH)
			put_spin(out, file, i);
}

void spins_text(FILE *out, const struct spins_report *report)
{
	for (u32 i = 0; i < report->count && !ferror(out); i++) {
		if (i)
			putc('\n', out);
		put_file(out, &report->files[i], report->verbose);
	}
}
