// SPDX-License-Identifier: GPL-2.0
/*
 * pprof's profile.proto. A sample is what one thread had on one call path. A location is a code
 * address; the functions inlined there are its lines. Addresses are offsets in the files, so every
 * mapping begins at 0.
 */
#include "exports.h"
#include "message.h"
#include "pieces.h"
#include "util/names.h"

/* Numbers of fields. */
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE,
	PROFILE_MAPPING,
	PROFILE_LOCATION,
	PROFILE_FUNCTION,
	PROFILE_STRING,
	PROFILE_DURATION = 10,
	PROFILE_COMMENT = 13,
	PROFILE_DEFAULT_TYPE
};

enum { TYPE_TYPE = 1, TYPE_UNIT };
enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE, SAMPLE_LABEL };
enum { LABEL_KEY = 1, LABEL_STRING, LABEL_NUMBER };
enum {
	MAPPING_ID = 1,
	MAPPING_LIMIT = 3,
	MAPPING_FILE = 5,
	MAPPING_BUILD_ID,
	MAPPING_HAS_FUNCTIONS,
	MAPPING_HAS_FILES,
	MAPPING_HAS_LINES,
	MAPPING_HAS_INLINES
};

enum { LOCATION_ID = 1, LOCATION_MAPPING, LOCATION_ADDRESS, LOCATION_LINE };
enum { LINE_FUNCTION = 1, LINE_LINE };
enum { FUNCTION_ID = 1, FUNCTION_NAME, FUNCTION_FILE = 4 };

/* What a sample has, in the order of its values. The first is a count, as pprof has it. */
enum value {
	VALUE_SLICES,
	VALUE_SAMPLES,
	VALUE_CRITICAL,
	VALUE_WAITED,
	VALUE_OTHERS,
	VALUES,
};

static const struct {
	const char *type;
	const char *unit;
} types[VALUES] = {
	[VALUE_SLICES] = { "slices", "count" },
	[VALUE_SAMPLES] = { "samples", "count" },
	[VALUE_CRITICAL] = { "critical", "nanoseconds" },
	[VALUE_WAITED] = { "waited", "nanoseconds" },
	[VALUE_OTHERS] = { "others_waited", "nanoseconds" },
};

struct pprof_mapping {
	struct {
		u64 object; /* the pointer to it */
	} key;
	const struct object *object;
	u64 limit;
	bool functions;
	bool files;
	bool lines;
	bool inlines;
};

struct pprof_location {
	struct {
		u64 object;
		u64 address;
		u32 why; /* text of a location without an object */
		u32 zero;
	} key;
};

struct pprof_function {
	struct {
		u32 name;
		u32 file;
	} key;
};

/**
 * struct pprof - the profile that is being written
 * @gzip: where to
 * @results: what is written
 * @texts: the table of strings; the first one is ""
 * @mappings: mappings; their ids are numbers from 1 on, as all ids
 * @locations: locations, which have been written
 * @functions: functions
 * @profile: fields that are to be written
 * @sample: a sample that is being made
 * @part: a part of it
 * @rounding: makes the values whole
 */
struct pprof {
	struct gzip gzip;
	const struct results *results;
	struct texts texts;

	KEYED(pprof_mapping) mappings;
	KEYED(pprof_location) locations;
	KEYED(pprof_function) functions;
	struct message profile;
	struct message sample;
	struct message part;
	struct rounding rounding[VALUES];
};

/* Writes the fields that have been made. Returns 0, or -1 without memory. */
static int flush(struct pprof *pprof)
{
	if (pprof->profile.failed)
		return -1;
	gzip_write(&pprof->gzip, pprof->profile.bytes, pprof->profile.size);
	message_clear(&pprof->profile);
	return 0;
}

/* The number of a string; without memory 0, and the profile has failed. */
static u32 text_number(struct pprof *pprof, const char *text)
{
	u32 number = texts_number(&pprof->texts, text);

	pprof->profile.failed |= number == HASH_NONE;
	return number == HASH_NONE ? 0 : number;
}

/* The number of a string that may be any bytes. */
static u32 name_number(struct pprof *pprof, const char *name)
{
	_cleanup_free_ char *text = name_text(name, strlen(name));

	pprof->profile.failed |= !text;
	return text ? text_number(pprof, text) : 0;
}

static u32 function_id(struct pprof *pprof, u32 name, u32 file)
{
	struct pprof_function function = { .key = { name, file } };
	u32 number = keyed_find(&pprof->functions, &function.key);

	if (number == HASH_NONE)
		number = keyed_add(&pprof->functions, &function.key);
	pprof->profile.failed |= number == HASH_NONE;
	return number + 1;
}

static void put_line(struct message *location, u32 function, u32 line)
{
	_cleanup_message_ struct message message = { 0 };

	message_number(&message, LINE_FUNCTION, function);
	message_number(&message, LINE_LINE, line);
	message_part(location, LOCATION_LINE, &message);
}

static void put_frame(struct pprof *pprof, struct message *location, const struct frame *frame)
{
	_cleanup_free_ char *text = frame_text(frame);
	u32 file = frame->file ? name_number(pprof, frame->file) : 0;

	pprof->profile.failed |= !text;
	if (text)
		put_line(location, function_id(pprof, text_number(pprof, text), file),
			 frame->file ? frame->line : 0);
}

/* The number of the mapping of an object; 0: it has none. */
static u32 mapping_id(struct pprof *pprof, const struct object *object, u64 address)
{
	struct pprof_mapping mapping = { .key = { (uintptr_t)object } };
	u32 number;

	if (!object)
		return 0;
	number = keyed_find(&pprof->mappings, &mapping.key);
	if (number == HASH_NONE)
		number = keyed_add(&pprof->mappings, &mapping.key);
	if (number == HASH_NONE) {
		pprof->profile.failed = true;
		return 0;
	}
	pprof->mappings.rows[number].object = object;
	if (pprof->mappings.rows[number].limit <= address)
		pprof->mappings.rows[number].limit = address + 1 ?: address;
	return number + 1;
}

static void note_known(struct pprof *pprof, u32 mapping, const struct frame *frame)
{
	struct pprof_mapping *known = mapping ? &pprof->mappings.rows[mapping - 1] : NULL;

	if (!known)
		return;
	known->functions |= !!frame->function;
	known->files |= !!frame->file;
	known->lines |= frame->line != 0;
	known->inlines |= frame->inlined;
}

/* Adds a location. Returns its id. */
static u32 add_location(struct pprof *pprof, const struct pprof_location *location, bool *is_new)
{
	u32 number = keyed_find(&pprof->locations, &location->key);

	*is_new = number == HASH_NONE;
	if (*is_new)
		number = keyed_add(&pprof->locations, &location->key);
	pprof->profile.failed |= number == HASH_NONE;
	*is_new &= number != HASH_NONE;
	return number + 1;
}

/* The id of the location of @count frames at one address, innermost first. */
static u32 location_of(struct pprof *pprof, const struct frame *frames, size_t count,
		       struct code_address address)
{
	struct pprof_location location = { .key = { .object = (uintptr_t)address.object,
						    .address = address.offset } };
	_cleanup_message_ struct message message = { 0 };
	bool is_new;
	u32 id = add_location(pprof, &location, &is_new), mapping;

	if (!is_new)
		return id;
	mapping = mapping_id(pprof, address.object, address.offset);
	message_number(&message, LOCATION_ID, id);
	message_number(&message, LOCATION_MAPPING, mapping);
	message_number(&message, LOCATION_ADDRESS, address.offset);
	for (size_t i = 0; i < count; i++) {
		put_frame(pprof, &message, &frames[i]);
		note_known(pprof, mapping, &frames[i]);
	}
	message_part(&pprof->profile, PROFILE_LOCATION, &message);
	return id;
}

/* The id of a location that stands for what has no call path. */
static u32 location_without(struct pprof *pprof, const char *why)
{
	struct pprof_location location = { .key = { .why = text_number(pprof, why) } };
	_cleanup_message_ struct message message = { 0 };
	bool is_new;
	u32 id = add_location(pprof, &location, &is_new);

	if (!is_new)
		return id;
	message_number(&message, LOCATION_ID, id);
	put_line(&message, function_id(pprof, location.key.why, 0), 0);
	message_part(&pprof->profile, PROFILE_LOCATION, &message);
	return id;
}

/* How many frames from number @i on are one code address: functions inlined there, and its own. */
static size_t frames_at(const struct ranked *row, size_t i)
{
	const struct code_address *at = &row->addresses[i];
	size_t count = 1;

	while (row->frames[i + count - 1].inlined && i + count < row->frame_count &&
	       at[count].object == at->object && at[count].offset == at->offset)
		count++;
	return count;
}

static void put_locations(struct pprof *pprof, const struct piece *piece)
{
	const struct ranked *row = piece->row;
	size_t count;
	char why[64];

	if (!row) {
		snprintf(why, sizeof(why), "[%s]", piece->why);
		message_varint(&pprof->part, location_without(pprof, why));
		message_varint(&pprof->part, location_without(pprof, "[no call path]"));
	}
	for (size_t i = 0; row && i < row->frame_count; i += count) {
		count = frames_at(row, i);
		message_varint(&pprof->part,
			       location_of(pprof, &row->frames[i], count, row->addresses[i]));
	}
	message_part(&pprof->sample, SAMPLE_LOCATION, &pprof->part);
}

static void put_label(struct pprof *pprof, const char *key, const char *text)
{
	message_number(&pprof->part, LABEL_KEY, text_number(pprof, key));
	message_number(&pprof->part, LABEL_STRING, name_number(pprof, text));
	message_part(&pprof->sample, SAMPLE_LABEL, &pprof->part);
}

static void put_number_label(struct pprof *pprof, const char *key, u64 number)
{
	message_number(&pprof->part, LABEL_KEY, text_number(pprof, key));
	message_number(&pprof->part, LABEL_NUMBER, number);
	message_part(&pprof->sample, SAMPLE_LABEL, &pprof->part);
}

/* Only threads that have pieces of their own are named, so there are few different labels. */
static void put_labels(struct pprof *pprof, const struct piece *piece)
{
	const char *command =
		piece->tgid > 0 ? command_lines_find(pprof->results->commands, piece->tgid) : NULL;

	if (piece->row && piece->row->kind == PATH_WAITED)
		put_label(pprof, "reason", wait_name(piece->row->wait));
	if (piece->comm && *piece->comm)
		put_label(pprof, "thread", piece->comm);
	if (piece->tid > 0)
		put_number_label(pprof, "tid", piece->tid);
	if (command)
		put_label(pprof, "process", command);
	if (piece->tgid > 0)
		put_number_label(pprof, "pid", piece->tgid);
}

/* Writes a sample, unless all its values are 0. Returns 0, or -1 without memory. */
static int put_piece(void *context, const struct piece *piece)
{
	struct pprof *pprof = context;
	const double fractions[VALUES] = {
		[VALUE_SLICES] = piece->slices,	       [VALUE_SAMPLES] = piece->samples,
		[VALUE_CRITICAL] = piece->critical_ns, [VALUE_WAITED] = piece->waited_ns,
		[VALUE_OTHERS] = piece->others_ns,
	};
	u64 values[VALUES], any = 0;

	if (ferror(pprof->gzip.out))
		return 0;
	for (size_t i = 0; i < VALUES; i++) {
		values[i] = rounding_next(&pprof->rounding[i], fractions[i]);
		any |= values[i];
	}
	if (!any)
		return 0;
	put_locations(pprof, piece);
	for (size_t i = 0; i < VALUES; i++)
		message_varint(&pprof->part, values[i]);
	message_part(&pprof->sample, SAMPLE_VALUE, &pprof->part);
	put_labels(pprof, piece);
	message_part(&pprof->profile, PROFILE_SAMPLE, &pprof->sample);
	return flush(pprof);
}

static void put_types(struct pprof *pprof)
{
	for (size_t i = 0; i < VALUES; i++) {
		message_number(&pprof->part, TYPE_TYPE, text_number(pprof, types[i].type));
		message_number(&pprof->part, TYPE_UNIT, text_number(pprof, types[i].unit));
		message_part(&pprof->profile, PROFILE_SAMPLE_TYPE, &pprof->part);
	}
	message_number(&pprof->profile, PROFILE_DEFAULT_TYPE,
		       text_number(pprof, types[VALUE_CRITICAL].type));
	message_number(&pprof->profile, PROFILE_DURATION, pprof->results->model.status.wall_ns);
	message_number(&pprof->profile, PROFILE_COMMENT,
		       text_number(pprof, "gapp-read " GAPP_VERSION));
}

static void put_mappings(struct pprof *pprof)
{
	for (u32 i = 0; i < pprof->mappings.index.count; i++) {
		const struct pprof_mapping *mapping = &pprof->mappings.rows[i];

		message_number(&pprof->part, MAPPING_ID, i + 1);
		message_number(&pprof->part, MAPPING_LIMIT, mapping->limit);
		message_number(&pprof->part, MAPPING_FILE,
			       name_number(pprof, mapping->object->path));
		message_number(&pprof->part, MAPPING_BUILD_ID,
			       text_number(pprof, object_build_id(mapping->object)));
		message_number(&pprof->part, MAPPING_HAS_FUNCTIONS, mapping->functions);
		message_number(&pprof->part, MAPPING_HAS_FILES, mapping->files);
		message_number(&pprof->part, MAPPING_HAS_LINES, mapping->lines);
		message_number(&pprof->part, MAPPING_HAS_INLINES, mapping->inlines);
		message_part(&pprof->profile, PROFILE_MAPPING, &pprof->part);
	}
}

static void put_functions(struct pprof *pprof)
{
	for (u32 i = 0; i < pprof->functions.index.count; i++) {
		const struct pprof_function *function = &pprof->functions.rows[i];

		message_number(&pprof->part, FUNCTION_ID, i + 1);
		message_number(&pprof->part, FUNCTION_NAME, function->key.name);
		message_number(&pprof->part, FUNCTION_FILE, function->key.file);
		message_part(&pprof->profile, PROFILE_FUNCTION, &pprof->part);
	}
}

/* Comes last: all else adds strings. */
static void put_texts(struct pprof *pprof)
{
	for (u32 i = 0; i < pprof->texts.index.count; i++)
		message_bytes(&pprof->profile, PROFILE_STRING, pprof->texts.texts[i],
			      strlen(pprof->texts.texts[i]));
}

static int put_profile(struct pprof *pprof)
{
	text_number(pprof, "");
	put_types(pprof);
	if (pieces_each(pprof->results, PIECES_BY_THREAD, put_piece, pprof))
		return -1;
	put_mappings(pprof);
	put_functions(pprof);
	put_texts(pprof);
	return flush(pprof);
}

int export_pprof(FILE *out, const struct results *results, _unused_ const struct options *options)
{
	struct pprof pprof = { .results = results };
	int result;

	if (gzip_begin(&pprof.gzip, out))
		return -1;
	result = put_profile(&pprof);
	gzip_end(&pprof.gzip);
	texts_free(&pprof.texts);
	keyed_free(&pprof.mappings);
	keyed_free(&pprof.locations);
	keyed_free(&pprof.functions);
	message_free(&pprof.profile);
	message_free(&pprof.sample);
	message_free(&pprof.part);
	return result;
}
