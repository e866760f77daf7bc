// SPDX-License-Identifier: GPL-2.0
#include "symbols.h"

#include <search.h>

#include "util/bus_guard.h"
#include "demangle.h"
#include "eh_range.h"
#include "frame_rule.h"
#include "inlines.h"
#include "kallsyms.h"
#include "start_code.h"
#include "util/texts.h"

/* Files open, and their symbols in memory, at one time. */
#define LOADED_MAX 64

/**
 * struct known - a function that places were found in
 * @object: key: in what
 * @begin: key: its address there
 * @frame: as it is shown
 */
struct known {
	const struct object *object;
	u64 begin;
	struct frame frame;
};

/**
 * struct answer - all that was found out of a place
 * @object: key
 * @offset: key
 * @is_return: key
 * @function: of the symbol table: of a struct known, or @unknown
 * @unknown: the frame, where there is no function
 * @frames: with lines; NULL: nobody asked yet
 * @own_frames: storage of @frames, if it is not @function
 * @frame_count: how many
 * @rule: for the frame pointer
 * @rule_known: @rule is set
 */
struct answer {
	struct object *object;
	u64 offset;
	bool is_return;
	const struct frame *function;
	struct frame unknown;
	const struct frame *frames;
	struct frame *own_frames;
	size_t frame_count;
	enum frame_rule rule;
	bool rule_known;
};

/**
 * struct symbols - what was looked up so far
 * @cancel: see symbols_new()
 * @files: of all objects
 * @loaded: how many of them are
 * @unwind_by: for which was used last
 * @kallsyms: the kernel's functions; NULL: not yet needed
 * @answers: struct answer, a tree of tsearch()
 * @known: struct known, likewise
 * @texts: all texts in frames
 */
struct symbols {
	const volatile bool *cancel;
	struct symbol_file *files;
	unsigned int loaded;
	u64 calls;
	struct kallsyms *kallsyms;
	void *answers;
	void *known;
	struct texts texts;
};

struct symbols *symbols_new(const volatile bool *cancel)
{
	struct symbols *symbols = calloc(1, sizeof(*symbols));

	if (symbols)
		symbols->cancel = cancel;
	return symbols;
}

static void free_answer(void *pointer)
{
	struct answer *answer = pointer;

	free(answer->own_frames);
	free(answer);
}

void symbols_free(struct symbols *symbols)
{
	if (!symbols)
		return;
	bus_guard_begin();
	while (symbols->files) {
		struct symbol_file *file = symbols->files;

		symbols->files = file->next;
		file->object->symbols = NULL;
		symbol_file_free(file);
	}
	bus_guard_end();
	kallsyms_free(symbols->kallsyms);
	tdestroy(symbols->answers, free_answer);
	tdestroy(symbols->known, free);
	texts_free(&symbols->texts);
	free(symbols);
}

static int compare_numbers(u64 a, u64 b)
{
	return a < b ? -1 : a > b;
}

static int compare_answers(const void *a, const void *b)
{
	const struct answer *x = a, *y = b;
	int order = compare_numbers((uintptr_t)x->object, (uintptr_t)y->object);

	if (!order)
		order = compare_numbers(x->offset, y->offset);
	return order ? order : x->is_return - y->is_return;
}

static int compare_known(const void *a, const void *b)
{
	const struct known *x = a, *y = b;
	int order = compare_numbers((uintptr_t)x->object, (uintptr_t)y->object);

	return order ? order : compare_numbers(x->begin, y->begin);
}

static bool cancelled(const struct symbols *symbols)
{
	return symbols->cancel && *symbols->cancel;
}

static const char *shown_name(struct symbols *symbols, const char *symbol)
{
	_cleanup_free_ char *name = malloc(DEMANGLE_SIZE);

	if (!name)
		return NULL;
	demangle(name, symbol);
	return texts_add(&symbols->texts, name);
}

/* What a frame of the object says it is in. */
static const char *module_of(struct symbols *symbols, const struct object *object)
{
	const char *name = object->kind == OBJECT_KERNEL ? "[kernel]" : object->name;

	return texts_add(&symbols->texts, name && *name ? name : "[unknown]");
}

static void make_room(struct symbols *symbols)
{
	struct symbol_file *oldest = NULL;

	if (symbols->loaded < LOADED_MAX)
		return;
	for (struct symbol_file *file = symbols->files; file; file = file->next) {
		if (file->state == SYMBOL_FILE_LOADED && (!oldest || file->used < oldest->used))
			oldest = file;
	}
	if (oldest) {
		symbol_file_unload(oldest);
		symbols->loaded--;
	}
}

/* The object's file with its symbols, or NULL. */
static struct symbol_file *file_of(struct symbols *symbols, struct object *object)
{
	struct symbol_file *file = object->symbols;

	if ((object->kind != OBJECT_FILE && object->kind != OBJECT_VDSO) || cancelled(symbols))
		return NULL;
	if (!file) {
		file = symbol_file_new(object, symbols->cancel);
		if (!file)
			return NULL;
		file->next = symbols->files;
		symbols->files = file;
		object->symbols = file;
	}
	file->used = ++symbols->calls;
	if (file->state == SYMBOL_FILE_LOADED)
		return file;
	if (file->state == SYMBOL_FILE_FAILED)
		return NULL;
	make_room(symbols);
	if (symbol_file_load(file))
		return NULL;
	symbols->loaded++;
	return file;
}

/* Where to look a place up: in the call, if it is a return address. False: it is in no segment. */
static bool address_of(const struct symbol_file *file, const struct answer *answer, u64 *address)
{
	return symbol_file_address(file, answer->offset - answer->is_return, address);
}

/*
 * The one frame of the function that begins at @begin; @symbol or NULL; @file: of @object, NULL for
 * the kernel. NULL: no memory.
 */
static const struct frame *known_function(struct symbols *symbols, const struct object *object,
					  const struct symbol_file *file, u64 begin,
					  const char *symbol, const char *module)
{
	struct known key = { .object = object, .begin = begin };
	struct known **found = tfind(&key, &symbols->known, compare_known);
	struct known *known;

	if (found)
		return &(*found)->frame;
	known = malloc(sizeof(*known));
	if (!known)
		return NULL;
	*known = key;
	known->frame = (struct frame){ .module = module, .offset = begin };
	if (symbol) {
		known->frame.function = shown_name(symbols, symbol);
		known->frame.outermost = file && start_code_is_name(file, symbol);
	}
	if ((symbol && !known->frame.function) || !tsearch(known, &symbols->known, compare_known)) {
		free(known);
		return NULL;
	}
	return &known->frame;
}

/* Sets the function where there is one. Returns 0, or -1 without memory. */
static int look_up_kernel(struct symbols *symbols, struct answer *answer)
{
	struct kernel_function found;
	const char *module;

	if (!symbols->kallsyms)
		symbols->kallsyms = kallsyms_read(KALLSYMS_PATH);
	if (!symbols->kallsyms)
		return -1;
	if (!kallsyms_find(symbols->kallsyms, answer->offset - answer->is_return, &found))
		return 0;
	module = texts_add(&symbols->texts, found.module);
	if (!module)
		return -1;
	answer->function =
		known_function(symbols, answer->object, NULL, found.start, found.name, module);
	return answer->function ? 0 : -1;
}

static int look_up_file(struct symbols *symbols, struct answer *answer)
{
	struct symbol_file *file = file_of(symbols, answer->object);
	const struct function *function;
	struct eh_range range;
	u64 address;

	if (!file || !address_of(file, answer, &address))
		return 0;
	function = symtab_find(&file->symtab, address);
	answer->unknown.offset = address + answer->is_return;
	answer->unknown.outermost = !function && start_code_is_at(file, address);
	if (function)
		answer->function = known_function(symbols, answer->object, file, function->begin,
						  function->name, answer->unknown.module);
	else if (!answer->unknown.outermost && eh_range_find(file, address, &range))
		answer->function = known_function(symbols, answer->object, file, range.begin, NULL,
						  answer->unknown.module);
	else
		return 0;
	return answer->function ? 0 : -1;
}

static int look_up(struct symbols *symbols, struct answer *answer)
{
	int error = 0;

	answer->unknown.module = module_of(symbols, answer->object);
	answer->unknown.offset = answer->offset;
	if (!answer->unknown.module)
		return -1;
	if (answer->object->kind == OBJECT_KERNEL)
		error = cancelled(symbols) ? 0 : look_up_kernel(symbols, answer);
	else
		error = look_up_file(symbols, answer);
	if (!answer->function)
		answer->function = &answer->unknown;
	return error;
}

/* All that is known of a place, its function at least. NULL: no memory. */
static struct answer *answer_of(struct symbols *symbols, struct place place, bool is_return)
{
	struct answer key = { .object = place.object,
			      .offset = place.offset,
			      .is_return = is_return && place.offset };
	struct answer **found = tfind(&key, &symbols->answers, compare_answers);
	struct answer *answer;

	if (found)
		return *found;
	answer = malloc(sizeof(*answer));
	if (!answer)
		return NULL;
	*answer = key;
	if (look_up(symbols, answer) || !tsearch(answer, &symbols->answers, compare_answers)) {
		free(answer);
		return NULL;
	}
	return answer;
}

const struct frame *symbols_function(struct symbols *symbols, struct place place, bool is_return)
{
	struct answer *answer;

	bus_guard_begin();
	answer = answer_of(symbols, place, is_return);
	bus_guard_end();
	return answer ? answer->function : NULL;
}

/* Makes a frame of what the debug information says. Returns 0, or -1 without memory. */
static int set_frame(struct symbols *symbols, struct frame *frame, const struct source *source,
		     u64 address)
{
	if (source->symbol)
		frame->function = shown_name(symbols, source->symbol);
	if (source->file)
		frame->file = texts_add(&symbols->texts, source->file);
	if ((source->symbol && !frame->function) || (source->file && !frame->file))
		return -1;
	frame->line = source->line;
	if (!frame->function)
		frame->offset = address;
	return 0;
}

/* The frames of a place with lines. Returns 0, or -1 without memory. */
static int read_frames(struct symbols *symbols, struct answer *answer)
{
	struct symbol_file *file = file_of(symbols, answer->object);
	struct source sources[INLINES_MAX];
	size_t count = 0;
	u64 address;

	answer->frames = answer->function;
	answer->frame_count = 1;
	if (file && address_of(file, answer, &address))
		count = inlines_find(file, address, sources);
	if (!count)
		return 0;
	answer->own_frames = calloc(count, sizeof(*answer->own_frames));
	if (!answer->own_frames)
		return -1;
	for (size_t i = 0; i < count; i++) {
		struct frame *frame = &answer->own_frames[i];

		*frame = (struct frame){ .module = answer->function->module, .inlined = true };
		if (i == count - 1)
			*frame = *answer->function;
		if (set_frame(symbols, frame, &sources[i], address + answer->is_return))
			return -1;
	}
	answer->frames = answer->own_frames;
	answer->frame_count = count;
	return 0;
}

size_t symbols_frames(struct symbols *symbols, struct place place, bool is_return,
		      const struct frame **frames)
{
	struct answer *answer;
	int error = 0;

	bus_guard_begin();
	answer = answer_of(symbols, place, is_return);
	if (answer && !answer->frames)
		error = read_frames(symbols, answer);
	bus_guard_end();
	if (!answer || error)
		return 0;
	*frames = answer->frames;
	return answer->frame_count;
}

enum frame_rule symbols_frame_rule(struct symbols *symbols, struct place place, bool is_return)
{
	struct symbol_file *file;
	struct answer *answer;
	u64 address;

	bus_guard_begin();
	answer = answer_of(symbols, place, is_return);
	if (answer && !answer->rule_known) {
		file = file_of(symbols, answer->object);
		if (file && address_of(file, answer, &address))
			answer->rule = frame_rule_find(file, address);
		answer->rule_known = true;
	}
	bus_guard_end();
	return answer ? answer->rule : FRAME_UNKNOWN;
}

bool symbols_is_outermost(const struct frame *function)
{
	return function->outermost;
}
