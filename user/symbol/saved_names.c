// SPDX-License-Identifier: GPL-2.0
#include "saved_names.h"

#include "symbols_private.h"

/* A recording with more frames makes no sense. */
#define SAVED_FRAMES_MAX 0x800000U
/* Memory of an answer, with its place in a map, which may be twice as large as it has to be. */
#define ANSWER_BYTES \
	(sizeof(struct answer) + 2 * sizeof(struct key_map_entry) + 4 * sizeof(struct hash_slot))

/* Bits of a frame; the numbers are part of the format. */
enum {
	FRAME_IS_INLINED = 1,
	FRAME_IS_OUTERMOST = 2,
	FRAME_SWITCHES = 4,
	FRAME_IS_LIBRARY = 8,
	FRAME_IS_KERNEL = 16,
	FRAME_IS_SCHEDULER = 32,
	FRAME_IS_INTERPRETER = 64,
	FRAME_BITS = 127,
};

/**
 * struct saving - frames that are being written
 * @numbers: numbers of objects
 * @writer: the file
 * @by_frame: number + 1 of a frame by its address
 * @count: frames so far
 */
struct saving {
	struct object_numbers *numbers;
	struct blocks_writer *writer;
	struct key_map by_frame;
	u32 count;
};

static void pack_frame(struct pack *pack, const struct frame *frame, u32 object)
{
	u32 bits = (frame->inlined ? FRAME_IS_INLINED : 0) |
		   (frame->outermost ? FRAME_IS_OUTERMOST : 0) |
		   (frame->switches ? FRAME_SWITCHES : 0) |
		   (frame->library ? FRAME_IS_LIBRARY : 0) | (frame->kernel ? FRAME_IS_KERNEL : 0) |
		   (frame->scheduler ? FRAME_IS_SCHEDULER : 0) |
		   (frame->interpreter ? FRAME_IS_INTERPRETER : 0);

	pack_text(pack, frame->function);
	pack_text(pack, frame->module);
	pack_text(pack, frame->file);
	pack_u64(pack, frame->line);
	pack_u64(pack, bits);
	pack_u64(pack, object);
	pack_text(pack, frame->advice);
	pack_u64(pack, frame->offset);
}

/* Writes a frame, unless it is written. Returns 0, or -1 without memory. */
static int save_frame(struct saving *saving, const struct frame *frame)
{
	u32 object = 0;

	if (key_map_find(&saving->by_frame, (uintptr_t)frame))
		return 0;
	if (frame->object) {
		u32 number = object_number(saving->numbers, frame->object);

		if (number == HASH_NONE)
			return -1;
		object = number + 1;
	}
	pack_frame(blocks_item(saving->writer), frame, object);
	blocks_item_end(saving->writer);
	saving->count++;
	return key_map_add(&saving->by_frame, (uintptr_t)frame, (void *)(uintptr_t)saving->count);
}

static int save_frames(struct saving *saving, const struct answer *answer)
{
	if (save_frame(saving, answer->function))
		return -1;
	if (!answer->frames || answer->frames == answer->function)
		return 0;
	for (size_t i = 0; i < answer->frame_count; i++)
		if (save_frame(saving, &answer->frames[i]))
			return -1;
	return 0;
}

static int save_answer(struct saving *saving, const struct answer *answer)
{
	struct pack *pack = blocks_item(saving->writer);
	u32 object = object_number(saving->numbers, answer->code.object);
	bool inlines = answer->frames && answer->frames != answer->function;
	u64 first = 0;

	if (object == HASH_NONE)
		return -1;
	if (inlines)
		first = (uintptr_t)key_map_find(&saving->by_frame, (uintptr_t)answer->frames);
	pack_u64(pack, object);
	pack_u64(pack, answer->code.offset);
	pack_u64(pack, answer->is_return);
	pack_u64(pack, (uintptr_t)key_map_find(&saving->by_frame, (uintptr_t)answer->function));
	pack_u64(pack, inlines ? answer->frame_count : 0);
	pack_u64(pack, first);
	pack_u64(pack, answer->rule_known ? answer->rule + 1 : 0);
	blocks_item_end(saving->writer);
	return 0;
}

static int each_answer(const struct symbols *symbols, struct saving *saving,
		       int (*save)(struct saving *saving, const struct answer *answer))
{
	for (u32 i = 0; i < symbols->file_count; i++)
		for (u32 j = 0; j < ARRAY_SIZE(symbols->files[i]->answers); j++) {
			const struct key_map *answers = &symbols->files[i]->answers[j];

			for (u32 k = 0; k < answers->count; k++)
				if (save(saving, answers->entries[k].value))
					return -1;
		}
	return 0;
}

static int save_build_ids(const struct symbols *symbols, struct saving *saving)
{
	blocks_section(saving->writer, BLOCK_BUILD_IDS);
	for (u32 i = 0; i < symbols->file_count; i++) {
		const struct symbol_file *file = symbols->files[i];
		struct pack *pack = blocks_item(saving->writer);
		u32 object;

		/* the file of the kernel's own lines is no object of a frame */
		if (!*file->build_id || !(file->answers[0].count || file->answers[1].count))
			continue;
		object = object_number(saving->numbers, file->object);
		if (object == HASH_NONE)
			return -1;
		pack_u64(pack, object);
		pack_text(pack, file->build_id);
		blocks_item_end(saving->writer);
	}
	return 0;
}

int symbols_save(const struct symbols *symbols, struct object_numbers *numbers,
		 struct blocks_writer *writer)
{
	struct saving saving = { .numbers = numbers, .writer = writer };
	int error;

	blocks_section(writer, BLOCK_FRAMES);
	error = each_answer(symbols, &saving, save_frames);
	blocks_section(writer, BLOCK_ANSWERS);
	if (!error)
		error = each_answer(symbols, &saving, save_answer);
	if (!error)
		error = save_build_ids(symbols, &saving);
	key_map_free(&saving.by_frame);
	return error;
}

/**
 * struct reading - frames that are being read
 * @room: elements that @symbols->frames has memory for
 */
struct reading {
	struct symbols *symbols;
	struct saved_objects *objects;
	u32 room;
};

/* The one copy of a text; NULL stays NULL. */
static const char *unpack_once(struct texts *texts, struct unpack *unpack)
{
	_cleanup_free_ char *text = unpack_text(unpack);
	u32 count = texts->index.count;
	const char *once = text ? texts_add(texts, text) : NULL;

	unpack->failed |= text && !once;
	if (texts->index.count != count)
		unpack_keep(unpack, strlen(text));
	return once;
}

static void unpack_frame(struct reading *reading, struct unpack *unpack, struct frame *frame)
{
	struct texts *texts = &reading->symbols->texts;
	u64 bits, object;

	frame->function = unpack_once(texts, unpack);
	frame->module = unpack_once(texts, unpack);
	frame->file = unpack_once(texts, unpack);
	frame->line = unpack_most(unpack, UINT32_MAX);
	bits = unpack_most(unpack, FRAME_BITS);
	object = unpack_u64(unpack);
	frame->advice = unpack_once(texts, unpack);
	frame->offset = unpack_u64(unpack);
	frame->inlined = bits & FRAME_IS_INLINED;
	frame->outermost = bits & FRAME_IS_OUTERMOST;
	frame->switches = bits & FRAME_SWITCHES;
	frame->library = bits & FRAME_IS_LIBRARY;
	frame->kernel = bits & FRAME_IS_KERNEL;
	frame->scheduler = bits & FRAME_IS_SCHEDULER;
	frame->interpreter = bits & FRAME_IS_INTERPRETER;
	if (object)
		frame->object = saved_object(reading->objects, object - 1);
	if (!frame->module)
		unpack->failed = true;
}

/*
 * Makes frame number @number be, unless there is no room for those before it. Returns 0, or -1
 * without memory.
 */
static int make_frame(struct reading *reading, u32 number, struct unpack *unpack)
{
	struct symbols *symbols = reading->symbols;

	if (number < symbols->frame_count)
		return 0;
	/* the array may be twice as long */
	if (!unpack_keep(unpack,
			 2ULL * (number + 1 - symbols->frame_count) * sizeof(*symbols->frames)))
		return 0;
	if (array_grow_zeroed(&symbols->frames, &reading->room, number, sizeof(*symbols->frames)))
		return -1;
	symbols->frame_count = number + 1;
	return 0;
}

static int take_frames(void *context, u64 first, u64 count, struct unpack *unpack)
{
	struct reading *reading = context;

	for (u64 i = 0; i < count && unpack_more(unpack); i++) {
		struct frame frame = { 0 };

		unpack_frame(reading, unpack, &frame);
		if (unpack->failed || first >= SAVED_FRAMES_MAX || first + i >= SAVED_FRAMES_MAX) {
			unpack->failed = true;
			return 0;
		}
		if (make_frame(reading, first + i, unpack))
			return -1;
		if (unpack->failed)
			return 0;
		reading->symbols->frames[first + i] = frame;
	}
	return 0;
}

/* Sets the function, and the frames with lines. Returns 0, or -1 without memory. */
static int set_frames(const struct symbols *symbols, struct answer *answer, u64 function, u64 first,
		      u64 count)
{
	struct frame *frames;

	if (function && function <= symbols->frame_count && symbols->frames[function - 1].module)
		answer->function = &symbols->frames[function - 1];
	answer->frames = answer->function;
	answer->frame_count = 1;
	if (!first || !count || first + count - 1 > symbols->frame_count)
		return 0;
	for (u64 i = 0; i < count; i++)
		if (!symbols->frames[first - 1 + i].module)
			return 0;
	frames = malloc(count * sizeof(*frames));
	if (!frames)
		return -1;
	memcpy(frames, &symbols->frames[first - 1], count * sizeof(*frames));
	answer->frames = frames;
	answer->frame_count = count;
	return 0;
}

/* The file of an object. NULL: no memory, or no room, which @unpack says. */
static struct symbol_file *file_of(struct reading *reading, struct object *object,
				   struct unpack *unpack)
{
	if (!object->symbols && !unpack_keep(unpack, sizeof(struct symbol_file)))
		return NULL;
	return symbols_file(reading->symbols, object);
}

/* Adds an answer. Returns 0, or -1 without memory. */
static int add_answer(struct symbol_file *file, struct answer *answer)
{
	struct key_map *answers = &file->answers[answer->is_return];

	if (!key_map_find(answers, answer->code.offset))
		return key_map_add(answers, answer->code.offset, answer);
	symbols_free_answer(answer);
	return 0;
}

static int take_answer(struct reading *reading, struct unpack *unpack)
{
	struct symbols *symbols = reading->symbols;
	struct code_address code;
	u64 function, count, first, rule;
	struct symbol_file *file;
	struct answer *answer;
	bool is_return;

	code.object = saved_object(reading->objects, unpack_u64(unpack));
	code.offset = unpack_u64(unpack);
	is_return = unpack_most(unpack, 1);
	function = unpack_most(unpack, SAVED_FRAMES_MAX);
	count = unpack_most(unpack, INLINES_MAX);
	first = unpack_most(unpack, SAVED_FRAMES_MAX);
	rule = unpack_most(unpack, FRAME_OUTERMOST + 1);
	if (!unpack_keep(unpack, ANSWER_BYTES + count * sizeof(struct frame)))
		return 0;
	file = file_of(reading, code.object, unpack);
	if (!file)
		return unpack->failed ? 0 : -1;
	answer = symbols_new_answer(symbols, code, is_return);
	if (!answer)
		return -1;
	answer->rule = rule ? rule - 1 : FRAME_UNKNOWN;
	answer->rule_known = rule;
	if (!set_frames(symbols, answer, function, first, count) && !add_answer(file, answer))
		return 0;
	symbols_free_answer(answer);
	return -1;
}

static int take_answers(void *context, _unused_ u64 first, u64 count, struct unpack *unpack)
{
	for (u64 i = 0; i < count && unpack_more(unpack); i++)
		if (take_answer(context, unpack))
			return -1;
	return 0;
}

static int take_build_ids(void *context, _unused_ u64 first, u64 count, struct unpack *unpack)
{
	struct reading *reading = context;

	for (u64 i = 0; i < count && unpack_more(unpack); i++) {
		struct object *object = saved_object(reading->objects, unpack_u64(unpack));
		_cleanup_free_ char *id = unpack_text(unpack);
		struct symbol_file *file;

		if (!id || strlen(id) >= sizeof(file->build_id) ||
		    id[strspn(id, "0123456789abcdef")]) {
			unpack->failed = true;
			return 0;
		}
		file = file_of(reading, object, unpack);
		if (!file)
			return unpack->failed ? 0 : -1;
		memcpy(file->build_id, id, strlen(id) + 1);
	}
	return 0;
}

int symbols_read_more(struct symbols *symbols, struct blocks *blocks, struct saved_objects *objects)
{
	struct reading reading = { .symbols = symbols, .objects = objects };
	struct frame **former;

	if (symbols->frames) {
		/* answers point to them */
		former = reallocarray(symbols->former, symbols->former_count + 1, sizeof(*former));
		if (!former)
			return -1;
		symbols->former = former;
		former[symbols->former_count++] = symbols->frames;
		symbols->frames = NULL;
		symbols->frame_count = 0;
	}
	return blocks_each(blocks, BLOCK_FRAMES, take_frames, &reading) ||
			       blocks_each(blocks, BLOCK_ANSWERS, take_answers, &reading) ||
			       blocks_each(blocks, BLOCK_BUILD_IDS, take_build_ids, &reading) ?
		       -1 :
		       0;
}

struct symbols *symbols_for_saved(void)
{
	struct symbols *symbols = symbols_new(NULL);

	if (symbols)
		symbols->restored = true;
	return symbols;
}

struct symbols *symbols_read(struct blocks *blocks, struct saved_objects *objects)
{
	struct symbols *symbols = symbols_for_saved();

	if (!symbols || !symbols_read_more(symbols, blocks, objects))
		return symbols;
	symbols_free(symbols);
	return NULL;
}
