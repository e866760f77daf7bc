// SPDX-License-Identifier: GPL-2.0
#include "mapping_set.h"

#include <errno.h>

#include "util/hash_index.h"
#include "input/proc_maps.h"

void code_uses_free(struct code_uses *uses, struct codes *codes)
{
	for (u32 i = 0; i < uses->count; i++)
		codes_unuse(codes, uses->codes[i]);
	free(uses->codes);
	told_free(&uses->told);
	*uses = (struct code_uses){ 0 };
}

static int add_use(struct code_uses *uses, struct code *code, struct codes *codes)
{
	if (array_grow(&uses->codes, &uses->room, uses->count, sizeof(*uses->codes)))
		return -1;
	uses->codes[uses->count++] = code;
	codes_use(codes, code);
	return 0;
}

int code_uses_copy(struct code_uses *to, const struct code_uses *from, struct codes *codes)
{
	*to = (struct code_uses){ 0 };
	told_copy(&to->told, &from->told);
	for (u32 i = 0; i < from->count; i++) {
		if (add_use(to, from->codes[i], codes)) {
			code_uses_free(to, codes);
			return -1;
		}
	}
	return 0;
}

/* What is known of a mapping's object; NULL: it is none that could have a table. */
static struct code *code_of(struct lesson *lesson, const struct object *object)
{
	if (object->kind != OBJECT_FILE && object->kind != OBJECT_VDSO)
		return NULL;
	return codes_get(lesson->codes, (struct object *)object);
}

static int add_map(struct lesson *lesson, const struct gapp_mapping *map)
{
	struct gapp_mapping *last = lesson->count ? &lesson->maps[lesson->count - 1] : NULL;

	if (last && last->end == map->begin && last->table == map->table &&
	    last->bias == map->bias) {
		last->end = map->end;
		return 0;
	}
	/* more than the module takes: it says when it misses the rest, whose paths are cut */
	if (lesson->count >= GAPP_MAX_MAPPINGS)
		return -1;
	if (array_grow(&lesson->maps, &lesson->room, lesson->count, sizeof(*lesson->maps)))
		return -1;
	lesson->maps[lesson->count++] = *map;
	return 0;
}

static int add_code(struct lesson *lesson, const struct proc_mapping *line, struct code *code)
{
	u64 offset = code->object->kind == OBJECT_FILE ? line->offset : 0;
	struct gapp_mapping map = { .begin = line->start, .end = line->end };

	if (code->lesson != lesson->number) {
		if (add_use(&lesson->uses, code, lesson->codes)) {
			lesson->starved = true;
			return -1;
		}
		code->lesson = lesson->number;
	}
	if (!code_is_settled(code))
		return 0;
	if (code->state == CODE_LOADED &&
	    unwind_table_bias(&code->layout, line->start, offset, &map.bias))
		map.table = code->table;
	else
		map.bias = 0;
	told_add(&lesson->uses.told, line);
	return add_map(lesson, &map);
}

static int take_line(void *context, const struct proc_mapping *line)
{
	struct lesson *lesson = context;
	struct gapp_mapping plain = { .begin = line->start, .end = line->end };
	struct object *object;
	struct code *code;

	/* [vsyscall] is the kernel's; and mappings that change meanwhile may come twice */
	if ((s64)line->end < 0 || line->start < lesson->end)
		return 0;
	lesson->end = line->end;
	object = objects_hold(lesson->objects, line->path, line->dev, line->inode, lesson->pid);
	if (!object) {
		lesson->starved = true;
		return -1;
	}
	code = code_of(lesson, object);
	objects_release(lesson->objects, object);
	if (code)
		return add_code(lesson, line, code);
	told_add(&lesson->uses.told, line);
	return add_map(lesson, &plain);
}

int lesson_read(struct lesson *lesson, pid_t pid)
{
	ssize_t lines;

	code_uses_free(&lesson->uses, lesson->codes);
	lesson->number++;
	lesson->pid = pid;
	lesson->count = 0;
	lesson->end = 0;
	lesson->starved = false;
	lines = proc_maps_read(pid, take_line, lesson);
	if (lines > 0 && !lesson->starved)
		return 0;
	if (lesson->starved)
		errno = ENOMEM;
	else if (!lines || errno == ENOENT)
		errno = ESRCH;
	return -1;
}

void lesson_free(struct lesson *lesson)
{
	code_uses_free(&lesson->uses, lesson->codes);
	free(lesson->maps);
	lesson->maps = NULL;
}
