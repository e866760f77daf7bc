// SPDX-License-Identifier: GPL-2.0
#include "symbols.h"

#include <stdio.h>

#include "generated.h"
#include "own_code.h"
#include "symbols_private.h"
#include "util/signals.h"
#include "util/hash_index.h"

/* Files that are open, with their symbols in memory, at one time. */
#define LOADED_MAX 64

struct symbols *symbols_new(const volatile bool *cancel)
{
	struct symbols *symbols = calloc(1, sizeof(*symbols));

	if (!symbols)
		return NULL;
	symbols->cancel = cancel;
	symbols->kernel.files = (struct kernel_files){
		.root = "",
		.kallsyms = "/proc/kallsyms",
		.notes = "/sys/kernel/notes",
	};
	return symbols;
}

void symbols_set_kernel_files(struct symbols *symbols, const struct kernel_files *files)
{
	symbols->kernel.files = *files;
}

void symbols_free_answer(struct answer *answer)
{
	if (answer->frames != answer->function)
		free((struct frame *)answer->frames);
	free(answer);
}

void symbols_set_sources(struct symbols *symbols, const struct symbol_sources *sources)
{
	symbols->sources = *sources;
	symbols->debuginfod.cancel = symbols->cancel;
	symbols->debuginfod.quiet = sources->quiet;
}

void symbols_free_names(struct key_map *answers, struct key_map *functions)
{
	for (u32 i = 0; i < 2; i++) {
		for (u32 j = 0; j < answers[i].count; j++)
			symbols_free_answer(answers[i].entries[j].value);
		key_map_free(&answers[i]);
	}
	for (u32 i = 0; i < functions->count; i++)
		free(functions->entries[i].value);
	key_map_free(functions);
}

/* Forgets what was found out about the file. */
static void forget_file(struct symbol_file *file)
{
	symbol_file_unload(file);
	symbols_free_names(file->answers, &file->functions);
}

void symbols_forget(struct symbols *symbols)
{
	bus_guard_block();

	for (u32 i = 0; i < symbols->file_count; i++) {
		forget_file(symbols->files[i]);
		symbols->files[i]->link_failed = false;
	}
	symbols->loaded = 0;
}

void symbols_free(struct symbols *symbols)
{
	bus_guard_block();

	if (!symbols)
		return;
	for (u32 i = 0; i < symbols->file_count; i++) {
		symbols->files[i]->object->symbols = NULL;
		forget_file(symbols->files[i]);
		free(symbols->files[i]);
	}
	free(symbols->files);
	debuginfod_free(&symbols->debuginfod);
	kallsyms_free(symbols->kernel.kallsyms);
	free(symbols->kernel.path);
	generated_free(symbols->generated);
	texts_free(&symbols->texts);
	free(symbols->frames);
	for (u32 i = 0; i < symbols->former_count; i++)
		free(symbols->former[i]);
	free(symbols->former);
	free(symbols);
}

static bool cancelled(const struct symbols *symbols)
{
	return symbols->restored || (symbols->cancel && *symbols->cancel);
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

struct symbol_file *symbols_file(struct symbols *symbols, struct object *object)
{
	struct symbol_file *file;

	if (object->symbols)
		return object->symbols;
	if (array_grow(&symbols->files, &symbols->file_room, symbols->file_count,
		       sizeof(*symbols->files)))
		return NULL;
	file = calloc(1, sizeof(*file));
	if (!file)
		return NULL;
	file->object = object;
	file->cancel = symbols->cancel;
	file->sources = &symbols->sources;
	file->debuginfod = &symbols->debuginfod;
	symbols->files[symbols->file_count++] = file;
	object->symbols = file;
	return file;
}

/* Loads a file if it is not loaded. Returns whether it is. */
static bool load_file(struct symbols *symbols, struct symbol_file *file)
{
	file->used = ++symbols->calls;
	if (file->state == SYMBOL_FILE_UNLOADED) {
		make_room(symbols);
		symbols->loaded += !symbol_file_load(file);
	}
	return file->state == SYMBOL_FILE_LOADED;
}

bool symbols_ask_servers(struct symbols *symbols, const struct object *object)
{
	struct symbol_file *file = object->symbols;

	bus_guard_block();
	if (!symbols->sources.debuginfod || !debuginfod_has_servers() || cancelled(symbols) ||
	    object->kind != OBJECT_FILE || !file || !load_file(symbols, file))
		return false;
	return debug_file_ask(file, &symbols->debuginfod);
}

/* Sets @kernel->file if there is a vmlinux of use. */
static void find_vmlinux(struct symbols *symbols)
{
	struct kernel *kernel = &symbols->kernel;
	struct symbol_file *file;

	if (kernel->sought || !kernel->kallsyms)
		return;
	kernel->sought = true;
	kernel->path = kernel_file_path(&kernel->files);
	if (!kernel->path)
		return;
	kernel->vmlinux = (struct object){
		.kind = OBJECT_FILE,
		.path = kernel->path,
		.name = kernel->path,
	};
	file = symbols_file(symbols, &kernel->vmlinux);
	if (file && load_file(symbols, file) &&
	    kernel_file_shift(&file->symtab, kernel->kallsyms, &kernel->shift))
		kernel->file = file;
}

/* As load(), of an answer in the kernel. */
static struct symbol_file *load_vmlinux(struct symbols *symbols, const struct answer *answer,
					u64 *address)
{
	const struct kernel *kernel = &symbols->kernel;

	find_vmlinux(symbols);
	if (!kernel->file || strcmp(answer->function->module, "[kernel]") ||
	    !load_file(symbols, kernel->file))
		return NULL;
	*address = answer->code.offset - answer->is_return - kernel->shift;
	return kernel->file;
}

/*
 * The file of the answer's object, loaded. Sets @address to the address to look up: of a return
 * address, the byte before. NULL: the file cannot be loaded, or no segment has the address.
 */
static struct symbol_file *load(struct symbols *symbols, const struct answer *answer, u64 *address)
{
	const struct object *object = answer->code.object;
	struct symbol_file *file = object->symbols;

	if (cancelled(symbols))
		return NULL;
	if (object->kind == OBJECT_KERNEL)
		return load_vmlinux(symbols, answer, address);
	if ((object->kind != OBJECT_FILE && object->kind != OBJECT_VDSO) ||
	    !load_file(symbols, file) ||
	    !symbol_file_address(file, answer->code.offset - answer->is_return, address))
		return NULL;
	return file;
}

const char *symbols_variable(struct symbols *symbols, struct code_address code, u64 distance)
{
	const struct variable *variable;
	struct symbol_file *file;
	const char *name;
	u64 address;

	bus_guard_block();
	if (cancelled(symbols) || code.object->kind != OBJECT_FILE)
		return NULL;
	file = symbols_file(symbols, code.object);
	if (!file || !load_file(symbols, file) || !symbol_file_address(file, code.offset, &address))
		return NULL;
	variable = variable_find(file, address + distance);
	name = variable ? shown_name(symbols, variable->name) : NULL;
	if (name && address + distance != variable->begin) {
		char member[1024];

		snprintf(member, sizeof(member), "%s+0x%llx", name,
			 (unsigned long long)(address + distance - variable->begin));
		name = texts_add(&symbols->texts, member);
	}
	return name;
}

/* The functions of generated code. NULL: no memory. */
static struct generated *generated_of(struct symbols *symbols)
{
	if (!symbols->generated)
		symbols->generated = generated_new(&symbols->texts);
	return symbols->generated;
}

/* Whether a function of the kernel begins its threads. */
static bool is_kernel_start(const char *symbol)
{
	return !strcmp(symbol, "ret_from_fork") || !strcmp(symbol, "ret_from_fork_asm");
}

/*
 * Sets the answer's function to the one that begins at @begin, which has one frame. @symbol: its
 * mangled name, or NULL. Returns 0, or -1 without memory.
 */
static int set_function(struct symbols *symbols, struct answer *answer, u64 begin,
			const char *symbol)
{
	struct symbol_file *file = answer->code.object->symbols;
	_cleanup_free_ struct frame *frame = NULL;

	answer->function = key_map_find(&file->functions, begin);
	if (answer->function)
		return 0;
	frame = malloc(sizeof(*frame));
	if (!frame)
		return -1;
	*frame = answer->unknown;
	frame->offset = begin;
	if (symbol) {
		bool loaded = file->state == SYMBOL_FILE_LOADED;

		frame->function = shown_name(symbols, symbol);
		frame->outermost = loaded ? start_code_is_name(file, symbol) ||
						    musl_start_is_named(file, symbol, begin) :
					    frame->kernel && is_kernel_start(symbol);
		frame->switches = start_code_switches(symbol);
		frame->library |= loaded && file->linked_statically &&
				  symbol_is_of_c_library(symbol);
		frame->library = function_is_library(frame);
	}
	if ((symbol && !frame->function) || key_map_add(&file->functions, begin, frame))
		return -1;
	frame->interpreter = symbol && !strcmp(symbol, "_PyEval_EvalFrameDefault");
	if (frame->interpreter && generated_of(symbols))
		generated_add_interpreter(symbols->generated, frame);
	answer->function = frame;
	frame = NULL;
	return 0;
}

/* Sets the function if the kernel has one there. Returns 0, or -1 without memory. */
static int look_up_kernel(struct symbols *symbols, struct answer *answer)
{
	struct kernel *kernel = &symbols->kernel;
	const struct kernel_symbol *found;

	if (!kernel->kallsyms)
		kernel->kallsyms = kallsyms_read(kernel->files.kallsyms);
	if (!kernel->kallsyms)
		return -1;
	found = kallsyms_find(kernel->kallsyms, answer->code.offset - answer->is_return);
	if (!found)
		return 0;
	answer->unknown.scheduler = kallsyms_is_scheduler(kernel->kallsyms, found->address);
	answer->unknown.module = texts_add(&symbols->texts, found->module);
	if (!answer->unknown.module)
		return -1;
	return set_function(symbols, answer, found->address, found->name);
}

/* Sets the function of generated code. Returns 0, or -1 without memory. */
static int look_up_generated(struct symbols *symbols, struct answer *answer)
{
	struct generated *generated = generated_of(symbols);

	if (!generated)
		return -1;
	answer->function = generated_function(generated, answer->code.object,
					      answer->code.offset - answer->is_return);
	return answer->function ? 0 : -1;
}

/* Names what has no name yet. Returns 0, or -1 without memory. */
static int name_generated(struct symbols *symbols, const struct key_map *answers)
{
	for (u32 i = 0; i < answers->count; i++) {
		struct answer *answer = answers->entries[i].value;
		const struct frame *former = answer->function;

		if (!generated_is_nameless(former))
			continue;
		if (look_up_generated(symbols, answer)) {
			answer->function = former;
			return -1;
		}
		/* they were @former: where no name is known, no line is */
		answer->frames = NULL;
	}
	return 0;
}

int symbols_name_generated(struct symbols *symbols)
{
	int read = symbols->generated && !cancelled(symbols) ?
			   generated_read_again(symbols->generated) :
			   0;

	for (u32 i = 0; read > 0 && i < symbols->file_count; i++) {
		struct symbol_file *file = symbols->files[i];

		if (file->object->generator && (name_generated(symbols, &file->answers[0]) ||
						name_generated(symbols, &file->answers[1])))
			return -1;
	}
	return read < 0 ? -1 : 0;
}

/* Sets the function if the file has one there. Returns 0, or -1 without memory. */
static int look_up_file(struct symbols *symbols, struct answer *answer)
{
	const struct function *function;
	struct symbol_file *file;
	struct eh_range range;
	u64 address;

	file = load(symbols, answer, &address);
	if (!file)
		return 0;
	answer->unknown.offset = address + answer->is_return;
	function = symtab_find(&file->symtab, address);
	if (function)
		return set_function(symbols, answer, function->begin, function->name);
	answer->unknown.outermost = start_code_is_at(file, address);
	if (!answer->unknown.outermost && eh_range_find(file, address, &range))
		return set_function(symbols, answer, range.begin, NULL);
	return 0;
}

static int look_up(struct symbols *symbols, struct answer *answer)
{
	const struct object *object = answer->code.object;
	int error = 0;

	bus_guard_block();
	if (object->generator && !cancelled(symbols))
		error = look_up_generated(symbols, answer);
	else if (object->kind != OBJECT_KERNEL)
		error = look_up_file(symbols, answer);
	else if (!cancelled(symbols))
		error = look_up_kernel(symbols, answer);
	return error;
}

struct answer *symbols_new_answer(struct symbols *symbols, struct code_address code, bool is_return)
{
	const struct object *object = code.object;
	struct answer *answer = malloc(sizeof(*answer));

	if (!answer)
		return NULL;
	*answer = (struct answer){
		.code = code,
		.is_return = is_return,
		.function = &answer->unknown,
		.unknown = {
			.module = module_of(symbols, object),
			.offset = code.offset,
			.library = object_is_library(object),
			.object = object,
			.kernel = object->kind == OBJECT_KERNEL,
		},
	};
	if (answer->unknown.module)
		return answer;
	free(answer);
	return NULL;
}

/* Finds or makes the answer for a code address; it has a function at least. NULL: no memory. */
static struct answer *answer_of(struct symbols *symbols, struct code_address code, bool is_return)
{
	struct symbol_file *file = symbols_file(symbols, code.object);
	_cleanup_free_ struct answer *made = NULL;
	struct answer *answer;

	if (!file)
		return NULL;
	is_return = is_return && code.offset;
	answer = key_map_find(&file->answers[is_return], code.offset);
	if (answer)
		return answer;
	made = symbols_new_answer(symbols, code, is_return);
	if (!made)
		return NULL;
	if (look_up(symbols, made) || key_map_add(&file->answers[is_return], code.offset, made))
		return NULL;
	answer = made;
	made = NULL;
	return answer;
}

const struct frame *symbols_function(struct symbols *symbols, struct code_address code,
				     bool is_return)
{
	struct answer *answer = answer_of(symbols, code, is_return);

	return answer ? answer->function : NULL;
}

/* Adds what the debug information says to a frame. Returns 0, or -1 without memory. */
static int set_frame(struct symbols *symbols, struct frame *frame, const struct source *source,
		     u64 address)
{
	_cleanup_free_ char *path = NULL;

	if (source->folder && asprintf(&path, "%s/%s", source->folder, source->file) < 0) {
		path = NULL;
		return -1;
	}
	if (source->symbol)
		frame->function = shown_name(symbols, source->symbol);
	if (source->file)
		frame->file = texts_add(&symbols->texts, path ? path : source->file);
	if ((source->symbol && !frame->function) || (source->file && !frame->file))
		return -1;
	frame->line = source->line;
	if (!frame->function)
		frame->offset = address;
	return 0;
}

/* Sets the frame with its line, if a file of the process has it. Returns 0, or -1 without memory.
 */
static int read_generated_line(struct symbols *symbols, struct answer *answer)
{
	u64 address = answer->code.offset - answer->is_return;
	_cleanup_free_ struct frame *frame = malloc(sizeof(*frame));
	int known;

	if (!frame || !generated_of(symbols))
		return -1;
	known = generated_line(symbols->generated, answer->code.object, address, answer->function,
			       frame);
	if (known <= 0)
		return known;
	answer->frames = frame;
	frame = NULL;
	return 0;
}

/* Sets the frames with lines. Returns 0, or -1 without memory. */
static int read_frames(struct symbols *symbols, struct answer *answer)
{
	_cleanup_free_ struct frame *frames = NULL;
	struct source sources[INLINES_MAX];
	struct symbol_file *file;
	size_t count = 0;
	u64 address;

	bus_guard_block();
	answer->frames = answer->function;
	answer->frame_count = 1;
	if (answer->code.object->generator && !cancelled(symbols))
		return read_generated_line(symbols, answer);
	file = load(symbols, answer, &address);
	if (file)
		count = inlines_find(file, address, sources);
	if (!count)
		return 0;
	frames = calloc(count, sizeof(*frames));
	if (!frames)
		return -1;
	for (size_t i = 0; i < count; i++) {
		frames[i] = (struct frame){ .module = answer->function->module,
					    .library = answer->function->library,
					    .object = answer->code.object,
					    .kernel = answer->function->kernel,
					    .inlined = true };
		if (i == count - 1)
			frames[i] = *answer->function;
		if (set_frame(symbols, &frames[i], &sources[i], address + answer->is_return))
			return -1;
	}
	answer->frames = frames;
	answer->frame_count = count;
	frames = NULL;
	return 0;
}

size_t symbols_frames(struct symbols *symbols, struct code_address code, bool is_return,
		      const struct frame **frames)
{
	struct answer *answer = answer_of(symbols, code, is_return);

	if (!answer || (!answer->frames && read_frames(symbols, answer)))
		return 0;
	*frames = answer->frames;
	return answer->frame_count;
}

/* Bytes of a page, to which segments are mapped. */
#define PAGE 4096
/* Pages of a function in a recording, at most: where one begins that is longer is not known. */
#define FUNCTION_PAGES 1024

/*
 * As begin_of(), of a recording, which has no segments: of the answers in the function's pages the
 * first one at the begin's place in its page. It is there if symbols_first_line() asked for it when
 * the recording was made.
 */
static bool saved_begin_of(const struct symbol_file *file, const struct frame *function, u64 inside,
			   u64 *offset)
{
	u64 begin = inside - (inside - function->offset) % PAGE;
	bool found = false;

	for (u32 i = 0; i < FUNCTION_PAGES && begin <= inside; i++, begin -= PAGE) {
		const struct answer *answer = key_map_find(&file->answers[0], begin);

		if (!answer || answer->function != function)
			continue;
		*offset = begin;
		found = true;
	}
	return found;
}

/* Sets @offset to that of a function's first byte in its file. False: it is not known. */
static bool begin_of(struct symbols *symbols, struct symbol_file *file,
		     const struct frame *function, u64 inside, u64 *offset)
{
	bus_guard_block();
	if (symbols->restored)
		return saved_begin_of(file, function, inside, offset);
	if (cancelled(symbols) || !load_file(symbols, file))
		return false;
	for (size_t i = 0; i < file->segment_count; i++) {
		const struct segment *segment = &file->segments[i];

		if (!segment->executable || function->offset < segment->address ||
		    function->offset - segment->address >= segment->size)
			continue;
		*offset = segment->offset + (function->offset - segment->address);
		return true;
	}
	return false;
}

const struct frame *symbols_first_line(struct symbols *symbols, const struct frame *function,
				       u64 inside)
{
	const struct object *object = function->object;
	struct symbol_file *file = object ? object->symbols : NULL;
	const struct frame *frames;
	struct code_address code;
	size_t count;

	if (!file || object->kind != OBJECT_FILE)
		return NULL;
	code.object = file->object;
	if (!begin_of(symbols, file, function, inside, &code.offset))
		return NULL;
	count = symbols_frames(symbols, code, false, &frames);
	return count ? &frames[count - 1] : NULL;
}

enum frame_rule symbols_frame_rule(struct symbols *symbols, struct code_address code,
				   bool is_return)
{
	struct answer *answer = answer_of(symbols, code, is_return);
	struct symbol_file *file;
	u64 address;

	if (!answer)
		return FRAME_UNKNOWN;
	if (!answer->rule_known) {
		bus_guard_block();
		file = load(symbols, answer, &address);
		if (file)
			answer->rule = frame_rule_find(file, address);
		answer->rule_known = true;
	}
	return answer->rule;
}
