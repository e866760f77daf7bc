// SPDX-License-Identifier: GPL-2.0
#include "handovers.h"

#include <string.h>

void entry_codes_free(struct entry_codes *codes)
{
	keyed_free(&codes->codes);
	keyed_free(&codes->images);
}

static struct entry_key key_of(s32 tgid, u32 image, u64 ip)
{
	return (struct entry_key){ .tgid = tgid, .image = image, .ip = { ip, ip >> 32 } };
}

/* Notes the address space as one of its process. HASH_NONE: no memory. */
static u32 note_image(struct entry_codes *codes, s32 tgid, u32 image)
{
	const struct {
		s32 tgid;
	} key = { tgid };
	u32 id = keyed_find(&codes->images, &key);

	if (id == HASH_NONE)
		id = keyed_add(&codes->images, &key);
	if (id != HASH_NONE && codes->images.rows[id].image < image)
		codes->images.rows[id].image = image;
	return id;
}

/* Returns 0, or -1 without memory. */
static int look(struct entry_codes *codes, find_code_fn find, void *context, s32 tgid, u32 image,
		u64 ip)
{
	const struct entry_key key = key_of(tgid, image, ip);
	u32 process = note_image(codes, tgid, image), id;
	struct entry_code *code;

	if (process == HASH_NONE)
		return -1;
	id = keyed_find(&codes->codes, &key);
	if (!ip || (id != HASH_NONE && codes->codes.rows[id].known) ||
	    codes->images.rows[process].image != image)
		return 0;
	if (id == HASH_NONE)
		id = keyed_add(&codes->codes, &key);
	if (id == HASH_NONE)
		return -1;
	code = &codes->codes.rows[id];
	code->address = find(context, tgid, image, ip);
	code->known = code->address.object->kind != OBJECT_UNKNOWN;
	return 0;
}

int entry_codes_look(struct entry_codes *codes, find_code_fn find, void *context,
		     const struct gapp_handover *handovers, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct gapp_handover *row = &handovers[i];

		if (row->flags & GAPP_HANDOVER_LOST)
			continue;
		if (note_image(codes, row->from_tgid, row->from_image) == HASH_NONE ||
		    note_image(codes, row->to_tgid, row->to_image) == HASH_NONE)
			return -1;
	}
	for (size_t i = 0; i < count; i++) {
		const struct gapp_handover *row = &handovers[i];

		if (row->flags & GAPP_HANDOVER_LOST)
			continue;
		if (look(codes, find, context, row->from_tgid, row->from_image, row->from_ip) ||
		    look(codes, find, context, row->to_tgid, row->to_image, row->to_ip))
			return -1;
	}
	return 0;
}

/**
 * struct position_key - code that is one position in the report
 * @entry: its frame by function, file and line; @entry.object and @entry.offset without a name
 * @own: own code that called it
 */
struct position_key {
	const char *function;
	const char *file;
	const struct object *object;
	u64 offset;
	const char *own_function;
	const char *own_file;
	u32 line;
	u32 own_line;
};

/* A position, with frames that its names are made of; NULL: nothing is known. */
struct position {
	struct position_key key;
	const struct frame *entry;
	const struct frame *own;
};

/* What is the same in a row of the report. */
struct row_key {
	s32 from_tid;
	s32 to_tid;
	s32 from_tgid;
	s32 to_tgid;
	u32 from;
	u32 to;
};

struct row_sum {
	struct row_key key;
	u64 count;
	u64 last_ns;
};

/* What is added up. */
struct sums {
	const struct handover_names *names;

	KEYED(position) positions;
	KEYED(row_sum) rows;
};

/* The frame at an address, with its line; NULL: nothing is known of it. */
static const struct frame *frame_at(const struct sums *sums, const struct entry_key *key,
				    struct code_address *address)
{
	u32 id = keyed_find(&sums->names->codes->codes, key);
	const struct frame *frames;

	if (id == HASH_NONE)
		return NULL;
	*address = sums->names->codes->codes.rows[id].address;
	return symbols_frames(sums->names->symbols, *address, false, &frames) ? frames : NULL;
}

/* Finds or adds the position of a thread at an address. HASH_NONE: no memory. */
static u32 position_of(struct sums *sums, s32 tgid, s32 tid, u32 image, u64 ip)
{
	const struct entry_key entry = key_of(tgid, image, ip);
	const struct frame *frame, *own = NULL;
	struct code_address address;
	struct position_key key;
	u32 id;

	memset(&key, 0, sizeof(key));
	frame = frame_at(sums, &entry, &address);
	if (frame)
		own = entry_places_find(sums->names->places, tgid, tid, address);
	if (frame && frame->function) {
		key.function = frame->function;
		key.file = frame->file;
		key.line = frame->line;
	} else if (frame) {
		key.object = address.object;
		key.offset = frame->offset;
	}
	if (own) {
		key.own_function = own->function;
		key.own_file = own->file;
		key.own_line = own->line;
	}
	id = keyed_find(&sums->positions, &key);
	if (id != HASH_NONE)
		return id;
	id = keyed_add(&sums->positions, &key);
	if (id == HASH_NONE)
		return HASH_NONE;
	sums->positions.rows[id].entry = frame;
	sums->positions.rows[id].own = own;
	return id;
}

static int add(struct sums *sums, const struct gapp_handover *handover)
{
	struct row_key key = {
		.from_tid = handover->from_tid,
		.to_tid = handover->to_tid,
		.from_tgid = handover->from_tgid,
		.to_tgid = handover->to_tgid,
		.from = position_of(sums, handover->from_tgid, handover->from_tid,
				    handover->from_image, handover->from_ip),
		.to = position_of(sums, handover->to_tgid, handover->to_tid, handover->to_image,
				  handover->to_ip),
	};
	struct row_sum *sum;
	u32 id;

	if (key.from == HASH_NONE || key.to == HASH_NONE)
		return -1;
	id = keyed_find(&sums->rows, &key);
	if (id == HASH_NONE)
		id = keyed_add(&sums->rows, &key);
	if (id == HASH_NONE)
		return -1;
	sum = &sums->rows.rows[id];
	sum->count += handover->count;
	if (sum->last_ns < handover->last_ns)
		sum->last_ns = handover->last_ns;
	return 0;
}

/* Of threads that had one id, one after the other, the last one gives the name. */
static void name_thread(struct handover_end *end, const struct model *model)
{
	u64 joined_ns = 0;

	for (size_t i = 0; i < model->thread_count; i++) {
		const struct gapp_thread_figures *thread = &model->threads[i];

		if (end->tid && thread->tid == end->tid && thread->tgid == end->tgid &&
		    thread->joined_ns >= joined_ns) {
			memcpy(end->comm, thread->comm, sizeof(end->comm));
			joined_ns = thread->joined_ns;
		}
	}
}

static int name_end(struct handover_end *end, const struct sums *sums, s32 tid, s32 tgid,
		    u32 position)
{
	const struct position *at = &sums->positions.rows[position];

	end->tid = tid;
	end->tgid = tgid;
	name_thread(end, sums->names->model);
	return code_place_name(&end->entry, at->entry) || code_place_name(&end->own, at->own) ? -1 :
												0;
}

static int by_count(const void *a, const void *b)
{
	const struct handover *x = a, *y = b;

	return compare_by(three_way(y->count, x->count), three_way(y->last_ns, x->last_ns),
			  three_way(x->from.tid, y->from.tid), three_way(x->to.tid, y->to.tid));
}

/* Returns 0, or -1 without memory. */
static int finish(struct handovers *handovers, const struct sums *sums)
{
	u32 count = sums->rows.index.count;

	handovers->rows = calloc(count + 1, sizeof(*handovers->rows));
	if (!handovers->rows)
		return -1;
	for (u32 i = 0; i < count; i++) {
		const struct row_sum *sum = &sums->rows.rows[i];
		struct handover *row = &handovers->rows[handovers->row_count++];

		row->count = sum->count;
		row->last_ns = sum->last_ns;
		if (name_end(&row->from, sums, sum->key.from_tid, sum->key.from_tgid,
			     sum->key.from) ||
		    name_end(&row->to, sums, sum->key.to_tid, sum->key.to_tgid, sum->key.to))
			return -1;
	}
	qsort(handovers->rows, count, sizeof(*handovers->rows), by_count);
	return 0;
}

struct handovers *handovers_make(const struct gapp_handover *rows, size_t count,
				 const struct handover_names *names)
{
	struct handovers *handovers = calloc(1, sizeof(*handovers));
	struct sums sums = { .names = names };
	int failed = handovers ? 0 : -1;

	for (size_t i = 0; i < count && !failed; i++) {
		handovers->count += rows[i].count;
		if (rows[i].flags & GAPP_HANDOVER_LOST)
			handovers->lost += rows[i].count;
		else
			failed = add(&sums, &rows[i]);
	}
	if (!failed)
		failed = finish(handovers, &sums);
	keyed_free(&sums.positions);
	keyed_free(&sums.rows);
	if (!failed)
		return handovers;
	handovers_free(handovers);
	return NULL;
}

void handovers_free(struct handovers *handovers)
{
	if (!handovers)
		return;
	for (u32 i = 0; i < handovers->row_count; i++) {
		struct handover *row = &handovers->rows[i];

		code_place_free(&row->from.entry);
		code_place_free(&row->from.own);
		code_place_free(&row->to.entry);
		code_place_free(&row->to.own);
	}
	free(handovers->rows);
	free(handovers);
}
