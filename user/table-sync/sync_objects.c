// SPDX-License-Identifier: GPL-2.0
#include "sync_objects.h"

#include <errno.h>

#include "core/mix.h"
#include "input/elf_file.h"
#include "unwind-table/unwind_table.h"
#include "input/vdso.h"

#define BUCKETS 1024
/*
 * Tables that no process maps any more are kept, for the next process may execute the same program.
 * They all go when there are too many objects, when they take more than this, or when the module
 * has no room for another table.
 */
#define CODES_MAX 4096
#define UNUSED_BYTES_MAX (32U << 20)

/**
 * struct codes - all of them
 * @dev: the session
 * @objects: where objects are held
 * @verbose: say why a table was refused
 * @worker: makes the tables
 * @buckets: objects by their address
 * @count: how many
 * @unused_bytes: of tables that no process maps
 * @compiling: files that the worker has
 * @first_wanted: objects whose file is to be opened, the oldest first
 * @end_wanted: where the next one goes
 * @fresh: some are
 * @figures: what became of them
 */
struct codes {
	struct device *dev;
	struct objects *objects;
	bool verbose;
	struct table_worker *worker;
	struct code *buckets[BUCKETS];
	u32 count;
	u64 unused_bytes;
	u32 compiling;
	struct code *first_wanted;
	struct code **end_wanted;
	bool fresh;
	struct code_figures figures;
};

struct codes *codes_new(struct device *dev, struct objects *objects, bool verbose)
{
	struct codes *codes = calloc(1, sizeof(*codes));

	if (!codes)
		return NULL;
	codes->dev = dev;
	codes->objects = objects;
	codes->verbose = verbose;
	codes->end_wanted = &codes->first_wanted;
	codes->worker = table_worker_new();
	if (!codes->worker) {
		free(codes);
		return NULL;
	}
	return codes;
}

/* Takes the object out that @link leads to. */
static void drop(struct codes *codes, struct code **link)
{
	struct code *code = *link;

	*link = code->next;
	codes->count--;
	unwind_table_free(&code->layout);
	objects_release(codes->objects, code->object);
	free(code);
}

void codes_free(struct codes *codes)
{
	if (!codes)
		return;
	table_worker_free(codes->worker);
	for (size_t i = 0; i < BUCKETS; i++)
		while (codes->buckets[i])
			drop(codes, &codes->buckets[i]);
	free(codes);
}

/* The module has no table of it any more, or is not to have one. */
static void unload(struct codes *codes, struct code *code)
{
	if (code->state != CODE_LOADED)
		return;
	device_drop_table(codes->dev, code->table);
	if (!code->users)
		codes->unused_bytes -= code->bytes;
	unwind_table_free(&code->layout);
	code->layout = (struct unwind_table){ 0 };
	code->state = CODE_NEW;
}

static void drop_unused(struct codes *codes)
{
	for (size_t i = 0; i < BUCKETS; i++) {
		struct code **link = &codes->buckets[i];

		while (*link) {
			struct code *code = *link;

			if (code->users || code->state == CODE_WANTED ||
			    code->state == CODE_COMPILING) {
				link = &code->next;
				continue;
			}
			unload(codes, code);
			drop(codes, link);
		}
	}
}

struct code *codes_get(struct codes *codes, struct object *object)
{
	struct code **bucket = &codes->buckets[gapp_mix((uintptr_t)object) % BUCKETS], *code;

	for (code = *bucket; code; code = code->next)
		if (code->object == object)
			return code;
	if (codes->count >= CODES_MAX || codes->unused_bytes > UNUSED_BYTES_MAX)
		drop_unused(codes);
	code = codes->count < 2 * CODES_MAX ? calloc(1, sizeof(*code)) : NULL;
	if (!code)
		return NULL;
	object_hold_again(object);
	code->object = object;
	code->next = *bucket;
	*bucket = code;
	codes->count++;
	return code;
}

static int open_code(const struct code *code)
{
	return code->object->kind == OBJECT_VDSO ? vdso_open() : elf_file_open(code->object);
}

static void settle(struct codes *codes, struct code *code, enum code_state state)
{
	code->state = state;
	code->fresh = true;
	codes->fresh = true;
	if (state == CODE_NONE)
		codes->figures.without++;
	else if (!code->users)
		codes->unused_bytes += code->bytes;
}

bool codes_feed(struct codes *codes)
{
	while (codes->first_wanted && table_worker_room(codes->worker)) {
		struct code *code = codes->first_wanted;
		int fd = open_code(code);

		codes->first_wanted = code->next_wanted;
		if (!codes->first_wanted)
			codes->end_wanted = &codes->first_wanted;
		if (fd >= 0 && fstat(fd, &code->stamp))
			code->stamp = (struct stat){ 0 };
		if (fd < 0 || table_worker_give(codes->worker, fd, code)) {
			settle(codes, code, CODE_NONE);
			continue;
		}
		code->state = CODE_COMPILING;
		codes->compiling++;
	}
	return codes->fresh;
}

static void want(struct codes *codes, struct code *code)
{
	code->state = CODE_WANTED;
	code->next_wanted = NULL;
	*codes->end_wanted = code;
	codes->end_wanted = &code->next_wanted;
}

/*
 * Whether the file is another one by now: its inode may have been used again while no process
 * mapped it.
 */
static bool was_replaced(const struct code *code)
{
	_cleanup_close_ int fd = code->object->kind == OBJECT_FILE ? open_code(code) : -1;
	const struct stat *old = &code->stamp;
	struct stat now;

	return fd >= 0 && !fstat(fd, &now) &&
	       (now.st_size != old->st_size || now.st_ctim.tv_sec != old->st_ctim.tv_sec ||
		now.st_ctim.tv_nsec != old->st_ctim.tv_nsec);
}

void codes_use(struct codes *codes, struct code *code)
{
	if (!code->users && code_is_settled(code) && was_replaced(code)) {
		unload(codes, code);
		code->state = CODE_NEW;
	}
	if (!code->users++ && code->state == CODE_LOADED)
		codes->unused_bytes -= code->bytes;
	if (code->state == CODE_NEW)
		want(codes, code);
}

void codes_unuse(struct codes *codes, struct code *code)
{
	if (!--code->users && code->state == CODE_LOADED)
		codes->unused_bytes += code->bytes;
}

/* Just where its code belongs. 0, or -1 without memory. */
static int keep_layout(struct code *code, const struct unwind_table *table)
{
	size_t bytes = table->segment_count * sizeof(*table->segments);

	code->layout.segments = malloc(bytes ? bytes : 1);
	if (!code->layout.segments)
		return -1;
	memcpy(code->layout.segments, table->segments, bytes);
	code->layout.segment_count = table->segment_count;
	return 0;
}

static int try_to_load(struct codes *codes, struct code *code, const struct unwind_table *table)
{
	u64 begin = clock_ns();
	int result;

	result = device_load_table(codes->dev, table->data, table->bytes, &code->table);
	codes->figures.load_ns += clock_ns() - begin;
	return result;
}

static void note_refusal(struct codes *codes, const struct code *code)
{
	if (codes->verbose && !codes->figures.refused)
		complain(
			"the module does not take the unwind table of %s: %s: its code, and other code like it, is walked by frame pointers",
			code->object->path,
			errno == ENOSPC ? "too many tables, or too large together" :
					  strerror(errno));
	codes->figures.refused++;
}

static enum code_state load(struct codes *codes, struct code *code,
			    const struct unwind_table *table)
{
	int failed;

	if (!table->data)
		return CODE_NONE;
	failed = try_to_load(codes, code, table);
	if (failed && (errno == ENOSPC || errno == ENOMEM)) {
		drop_unused(codes);
		failed = try_to_load(codes, code, table);
	}
	if (failed) {
		note_refusal(codes, code);
		return CODE_NONE;
	}
	if (keep_layout(code, table)) {
		device_drop_table(codes->dev, code->table);
		return CODE_NONE;
	}
	code->bytes = table->bytes;
	codes->figures.tables++;
	codes->figures.table_bytes += table->bytes;
	return CODE_LOADED;
}

bool codes_take(struct codes *codes)
{
	struct table_made made;

	while (table_worker_take(codes->worker, &made)) {
		struct code *code = made.owner;

		codes->compiling--;
		codes->figures.compile_ns += made.took_ns;
		/* it stays CODE_COMPILING meanwhile, so it is not dropped */
		settle(codes, code, load(codes, code, &made.table));
		unwind_table_free(&made.table);
	}
	return codes->fresh;
}

void codes_taken(struct codes *codes)
{
	if (!codes->fresh)
		return;
	codes->fresh = false;
	for (size_t i = 0; i < BUCKETS; i++)
		for (struct code *code = codes->buckets[i]; code; code = code->next)
			code->fresh = false;
}

bool codes_busy(const struct codes *codes)
{
	return codes->compiling || codes->first_wanted;
}

int codes_fd(const struct codes *codes)
{
	return table_worker_fd(codes->worker);
}

const struct code_figures *codes_figures(const struct codes *codes)
{
	return &codes->figures;
}
