// SPDX-License-Identifier: GPL-2.0
#include "symbols.h"

#include "symbol_file.h"
#include "util/signals.h"
#include "util/hash_index.h"

/* Files that are open, with their symbols in memory, at one time. */
#define LOADED_MAX 64

/**
 * struct key - what a struct known or a struct answer is about; both begin with it
 * @object: object
 * @where: address of a function in it, or offset of a code address
 * @is_return: a return address
 */
struct key {
	struct object *object;
	u64 where;
	bool is_return;
};

/**
 * struct known - a function in which a code address was looked up
 * @key: its object and first address
 * @frame: as it is shown
 */
struct known {
	struct key key;
	struct frame frame;
};

/**
 * struct answer - all that was found out about a code address
 * @key: the code address
 * @function: frame of a struct known, or @unknown
 * @unknown: the frame, if there is no function
 * @frames: with lines; NULL: nobody asked yet
 * @own_frames: memory of @frames, if that is not @function
 * @rule: rule for the frame pointer
 * @rule_known: @rule is set
 */
struct answer {
	struct key key;
	const struct frame *function;
	struct frame unknown;
	const struct frame *frames;
	struct frame *own_frames;
	size_t frame_count;
	enum frame_rule rule;
	bool rule_known;
};

/* Pointers to structures that begin with a struct key. */
struct table {
	void **list;
	u32 count;
	u32 room;
	struct hash_index index;
};

/**
 * struct symbols - what was looked up so far
 * @cancel: as for symbols_new()
 * @files: files of all objects
 * @loaded: files that are loaded
 * @calls: calls of file_of() so far
 * @kallsyms: the kernel's functions; NULL: not needed yet
 * @answers: struct answer
 * @known: struct known
 * @texts: all texts in frames
 */
struct symbols {
	const volatile bool *cancel;
	struct symbol_file **files;
	u32 file_count;
	u32 file_room;
	unsigned int loaded;
	u64 calls;
	struct kallsyms *kallsyms;
	struct table answers;
	struct table known;
	struct texts texts;
};

static u64 hash_of(const struct key *key)
{
	u64 hash = gapp_hash_add(key->is_return, (uintptr_t)key->object);

	return gapp_hash_add(hash, key->where);
}

static bool has_key(const void *list, u32 id, const void *wanted)
{
	const struct key *key = ((void *const *)list)[id], *other = wanted;

	return key->object == other->object && key->where == other->where &&
	       key->is_return == other->is_return;
}

static void *find(const struct table *table, const struct key *key)
{
	u32 id = hash_index_find(&table->index, hash_of(key), has_key, table->list, key);

	return id == HASH_NONE ? NULL : table->list[id];
}

/* Returns 0, or -1 without memory. */
static int add(struct table *table, struct key *key)
{
	if (array_grow(&table->list, &table->room, table->count, sizeof(*table->list)) ||
	    hash_index_add(&table->index, hash_of(key), table->count))
		return -1;
	table->list[table->count++] = key;
	return 0;
}

static void free_table(struct table *table)
{
	for (u32 i = 0; i < table->count; i++)
		free(table->list[i]);
	free(table->list);
	hash_index_free(&table->index);
}

struct symbols *symbols_new(const volatile bool *cancel)
{
	struct symbols *symbols = calloc(1, sizeof(*symbols));

	if (symbols)
		symbols->cancel = cancel;
	return symbols;
}

void symbols_free(struct symbols *symbols)
{
	if (!symbols)
		return;
	bus_guard_begin();
	for (u32 i = 0; i < symbols->file_count; i++) {
		symbols->files[i]->object->symbols = NULL;
		symbol_file_unload(symbols->files[i]);
		free(symbols->files[i]);
	}
	bus_guard_end();
	free(symbols->files);
	kallsyms_free(symbols->kallsyms);
	for (u32 i = 0; i < symbols->answers.count; i++)
		free(((struct answer *)symbols->answers.list[i])->own_frames);
	free_table(&symbols->answers);
	free_table(&symbols->known);
	texts_free(&symbols->texts);
	free(symbols);
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

/* The object's name, as frames have it. NULL: no memory. */
static const char *module_of(struct symbols *symbols, const struct object *object)
{
	const char *name = object->kind == OBJECT_KERNEL ? "[kernel]" : object->name;

	return texts_add(&symbols->texts, name && *name ? name : "[unknown]");
}

/* Unloads the file that was not used for longest, if too many are loaded. */
static void make_room(struct symbols *symbols)
{
	struct symbol_file *oldest = NULL;

	if (symbols->loaded < LOADED_MAX)
		return;
	for (u32 i = 0; i < symbols->file_count; i++) {
		struct symbol_file *file = symbols->files[i];

		if (file->state == SYMBOL_FILE_LOADED && (!oldest || file->used < oldest->used))
			oldest = file;
	}
	if (oldest) {
		symbol_file_unload(oldest);
		symbols->loaded--;
	}
}

/* NULL: no memory. */
static struct symbol_file *add_file(struct symbols *symbols, struct object *object)
{
	struct symbol_file *file;

	if (array_grow(&symbols->files, &symbols->file_room, symbols->file_count,
		       sizeof(*symbols->files)))
		return NULL;
	file = calloc(1, sizeof(*file));
	if (!file)
		return NULL;
	file->object = object;
	file->cancel = symbols->cancel;
	symbols->files[symbols->file_count++] = file;
	object->symbols = file;
	return file;
}

/* The object's file, loaded, or NULL. */
static struct symbol_file *file_of(struct symbols *symbols, struct object *object)
{
	struct symbol_file *file = object->symbols;

	if ((object->kind != OBJECT_FILE && object->kind != OBJECT_VDSO) || cancelled(symbols))
		return NULL;
	if (!file)
		file = add_file(symbols, object);
	if (!file)
		return NULL;
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

/* Sets the address to look up: of a return address, the byte before. False: it is in no segment. */
static bool address_of(const struct symbol_file *file, const struct key *key, u64 *address)
{
	return symbol_file_address(file, key->where - key->is_return, address);
}

/*
 * The one frame of the function that begins at @begin. @symbol: its mangled name, or NULL; @file:
 * file of @object, NULL for the kernel. NULL: no memory.
 */
static const struct frame *known_function(struct symbols *symbols, struct object *object,
					  const struct symbol_file *file, u64 begin,
					  const char *symbol, const char *module)
{
	struct key key = { .object = object, .where = begin };
	struct known *known = find(&symbols->known, &key);

	if (known)
		return &known->frame;
	known = malloc(sizeof(*known));
	if (!known)
		return NULL;
	known->key = key;
	known->frame = (struct frame){ .module = module, .offset = begin };
	if (symbol) {
		known->frame.function = shown_name(symbols, symbol);
		known->frame.outermost = file && start_code_is_name(file, symbol);
	}
	if ((symbol && !known->frame.function) || add(&symbols->known, &known->key)) {
		free(known);
		return NULL;
	}
	return &known->frame;
}

/* Sets the function if the kernel has one there. Returns 0, or -1 without memory. */
static int look_up_kernel(struct symbols *symbols, struct answer *answer)
{
	const struct key *key = &answer->key;
	const struct kernel_symbol *found;
	const char *module;

	if (!symbols->kallsyms)
		symbols->kallsyms = kallsyms_read(KALLSYMS_PATH);
	if (!symbols->kallsyms)
		return -1;
	found = kallsyms_find(symbols->kallsyms, key->where - key->is_return);
	if (!found)
		return 0;
	module = texts_add(&symbols->texts, found->module);
	if (!module)
		return -1;
	answer->function =
		known_function(symbols, key->object, NULL, found->address, found->name, module);
	return answer->function ? 0 : -1;
}

/* Sets the function if the file has one there. Returns 0, or -1 without memory. */
static int look_up_file(struct symbols *symbols, struct answer *answer)
{
	struct object *object = answer->key.object;
	struct symbol_file *file = file_of(symbols, object);
	const struct function *function;
	struct eh_range range;
	u64 address;

	if (!file || !address_of(file, &answer->key, &address))
		return 0;
	function = symtab_find(&file->symtab, address);
	answer->unknown.offset = address + answer->key.is_return;
	answer->unknown.outermost = !function && start_code_is_at(file, address);
	if (function)
		answer->function = known_function(symbols, object, file, function->begin,
						  function->name, answer->unknown.module);
	else if (!answer->unknown.outermost && eh_range_find(file, address, &range))
		answer->function = known_function(symbols, object, file, range.begin, NULL,
						  answer->unknown.module);
	else
		return 0;
	return answer->function ? 0 : -1;
}

static int look_up(struct symbols *symbols, struct answer *answer)
{
	const struct object *object = answer->key.object;
	int error = 0;

	answer->unknown.module = module_of(symbols, object);
	answer->unknown.offset = answer->key.where;
	if (!answer->unknown.module)
		return -1;
	if (object->kind != OBJECT_KERNEL)
		error = look_up_file(symbols, answer);
	else if (!cancelled(symbols))
		error = look_up_kernel(symbols, answer);
	if (!answer->function)
		answer->function = &answer->unknown;
	return error;
}

/* Finds or makes the answer for a code address; it has a function at least. NULL: no memory. */
static struct answer *answer_of(struct symbols *symbols, struct code_address address,
				bool is_return)
{
	struct key key = { .object = address.object,
			   .where = address.offset,
			   .is_return = is_return && address.offset };
	struct answer *answer = find(&symbols->answers, &key);

	if (answer)
		return answer;
	answer = calloc(1, sizeof(*answer));
	if (!answer)
		return NULL;
	answer->key = key;
	if (look_up(symbols, answer) || add(&symbols->answers, &answer->key)) {
		free(answer);
		return NULL;
	}
	return answer;
}

const struct frame *symbols_function(struct symbols *symbols, struct code_address address,
				     bool is_return)
{
	struct answer *answer;

	bus_guard_begin();
	answer = answer_of(symbols, address, is_return);
	bus_guard_end();
	return answer ? answer->function : NULL;
}

/* Adds what the debug information says to a frame. Returns 0, or -1 without memory. */
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

/* Sets the frames with lines. Returns 0, or -1 without memory. */
static int read_frames(struct symbols *symbols, struct answer *answer)
{
	struct symbol_file *file = file_of(symbols, answer->key.object);
	struct source sources[INLINES_MAX];
	size_t count = 0;
	u64 address;

	answer->frames = answer->function;
	answer->frame_count = 1;
	if (file && address_of(file, &answer->key, &address))
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
		if (set_frame(symbols, frame, &sources[i], address + answer->key.is_return))
			return -1;
	}
	answer->frames = answer->own_frames;
	answer->frame_count = count;
	return 0;
}

size_t symbols_frames(struct symbols *symbols, struct code_address address, bool is_return,
		      const struct frame **frames)
{
	struct answer *answer;
	int error = 0;

	bus_guard_begin();
	answer = answer_of(symbols, address, is_return);
	if (answer && !answer->frames)
		error = read_frames(symbols, answer);
	bus_guard_end();
	if (!answer || error)
		return 0;
	*frames = answer->frames;
	return answer->frame_count;
}

enum frame_rule symbols_frame_rule(struct symbols *symbols, struct code_address code,
				   bool is_return)
{
	struct symbol_file *file;
	struct answer *answer;
	u64 address;

	bus_guard_begin();
	answer = answer_of(symbols, code, is_return);
	if (answer && !answer->rule_known) {
		file = file_of(symbols, answer->key.object);
		if (file && address_of(file, &answer->key, &address))
			answer->rule = frame_rule_find(file, address);
		answer->rule_known = true;
	}
	bus_guard_end();
	return answer ? answer->rule : FRAME_UNKNOWN;
}
