// SPDX-License-Identifier: GPL-2.0
/* Busy-wait loops of files, for programs: docs/schema/spins.schema.json. */
#include "json_write.h"
#include "spins_report.h"

#define ROW "\n\t\t\t"

static void put_address(struct json *json, const char *name, u64 address)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%llx", (unsigned long long)address);
	json_string(json, name, text);
}

static void put_build_id(struct json *json, const struct build_id *id)
{
	char text[2 * BUILD_ID_MAX + 1] = "";

	for (u8 i = 0; i < id->size; i++)
		sprintf(text + 2 * i, "%02x", id->bytes[i]);
	json_string(json, "build_id", id->size ? text : NULL);
}

static void put_value(struct json *json, const char *name, const struct spins *spins,
		      const struct spin_value *value)
{
	char words[SPIN_WORDS];

	json_string(json, name, spin_value_words(words, spins, value) ? words : NULL);
}

static void put_wait(struct json *json, const struct spins *spins, const struct spin_wait *wait)
{
	const struct spin_value *location = &wait->location;
	bool memory = location->kind == SPIN_VALUE_MEMORY;

	json_begin_element(json, NULL);
	put_address(json, "branch", wait->branch);
	put_value(json, "location", spins, location);
	memory ? put_address(json, "load", location->at) : json_null(json, "load");
	memory ? json_number(json, "bytes", location->bytes) : json_null(json, "bytes");
	location->mask ? put_address(json, "mask", location->mask) : json_null(json, "mask");
	json_bool(json, "moves", location->address.moves);
	json_string(json, "while", spin_comparison(wait->while_is));
	json_bool(json, "unsigned", spin_is_unsigned(wait->while_is));
	put_value(json, "value", spins, &wait->value);
	json_end(json, '}');
}

static void put_does(struct json *json, const struct spin *spin)
{
	json_begin_member(json, "does", '[');
	for (const struct spin_word *word = spin_words; word->does; word++) {
		if (!(spin->does & word->does))
			continue;
		json_next(json, NULL);
		fprintf(json->out, "\"%s\"", word->name);
	}
	json_end(json, ']');
}

static void put_spin(struct json *json, const struct spins_file *file, u32 number)
{
	const struct spin *spin = &file->spins.spins[number];
	const struct spin_name *name = &file->names[number];
	bool calls = spin->does & (SPIN_CALLS | SPIN_PROGRESS);

	json_begin_element(json, ROW);
	put_address(json, "address", spin->header);
	put_address(json, "function_address", spin->function);
	json_string(json, "function", name->function);
	json_string(json, "file", name->file);
	name->line ? json_number(json, "line", name->line) : json_null(json, "line");
	json_bool(json, "sure", spin->tier == SPIN_HIGH);
	json_number(json, "instructions", spin->insns);
	put_does(json, spin);
	calls ? put_address(json, "call", spin->callee) : json_null(json, "call");
	json_begin_member(json, "ranges", '[');
	for (u32 i = 0; i < spin->range_count; i++) {
		json_begin_element(json, NULL);
		put_address(json, "begin", spin->ranges[i].begin);
		put_address(json, "end", spin->ranges[i].end);
		json_end(json, '}');
	}
	json_end(json, ']');
	json_begin_member(json, "waits", '[');
	for (u8 i = 0; i < spin->wait_count; i++)
		put_wait(json, &file->spins, &spin->waits[i]);
	json_end(json, ']');
	json_end(json, '}');
}

static void put_file(struct json *json, const struct spins_file *file)
{
	const struct spins *spins = &file->spins;

	json_begin_element(json, "\n\t\t");
	json_string(json, "path", file->path);
	put_build_id(json, &file->build_id);
	json_number(json, "code_bytes", spins->code_bytes);
	json_number(json, "instructions", spins->insns);
	json_number(json, "functions", spins->functions);
	json_number(json, "functions_too_large", spins->given_up);
	json_number(json, "loops", spins->loops);
	json_number(json, "pauses", spins->pauses);
	json_number(json, "pauses_inside", spins->pauses_inside);
	json_begin_member(json, "spins", '[');
	for (u32 i = 0; i < spins->count && !ferror(json->out); i++)
		put_spin(json, file, i);
	json_end(json, ']');
	json_end(json, '}');
}

void spins_json(FILE *out, const struct spins_report *report)
{
	struct json json = { .out = out };

	json_begin(&json, '{');
	json_string(&json, "version", GAPP_VERSION);
	json_begin_member(&json, "files", '[');
	for (u32 i = 0; i < report->count && !ferror(out); i++)
		put_file(&json, &report->files[i]);
	json_end(&json, ']');
	fputs("\n}\n", out);
}
