// SPDX-License-Identifier: GPL-2.0
/*
 * Records that go along with paths: copies of stacks, and memory that nobody has told of. And
 * stores into words that are watched.
 */
#include <stdlib.h>
#include <string.h>

#include "records.h"

/* What x86-64 has of the registers; the stack pointer is one of them. */
#define KNOWN_REGISTERS 17
#define STACK_POINTER 7
/* A copy may begin so far below it. */
#define RED_ZONE 128
#define END_OF_USER 0x7ffffffff000ULL

static bool has_come(const struct r_tails *tails, u32 tail)
{
	const u8 *part = tails->parts[tail / R_TAIL_PART];

	return part && part[tail % R_TAIL_PART / 8] & 1 << tail % 8;
}

static void comes(struct r_tails *tails, u32 tail)
{
	u8 **part = &tails->parts[tail / R_TAIL_PART];

	if (!*part)
		*part = calloc(R_TAIL_PART / 8, 1);
	if (!*part)
		t_die("memory");
	(*part)[tail % R_TAIL_PART / 8] |= 1 << tail % 8;
}

bool r_tails_came(struct r_reader *reader)
{
	struct r_tails *tails = &reader->tails_read;
	unsigned int left = 0;

	for (unsigned int i = 0; i < tails->open_count; i++)
		if (!has_come(tails, tails->open[i]))
			tails->open[left++] = tails->open[i];
	tails->open_count = left;
	return !left;
}

/* A path ends in a tail: mostly of the same ring, and then it has come before. */
void r_use_tail(struct r_reader *reader, u32 tail)
{
	struct r_tails *tails = &reader->tails_read;

	if (has_come(tails, tail))
		return;
	if (tails->open_count == R_TAILS_OPEN)
		r_tails_came(reader);
	if (tails->open_count == R_TAILS_OPEN)
		r_bad(reader, "too many tails that have not come");
	else
		tails->open[tails->open_count++] = tail;
}

void r_forget_tails(struct r_reader *reader)
{
	for (unsigned int i = 0; i < R_TAIL_PARTS; i++)
		free(reader->tails_read.parts[i]);
	memset(&reader->tails_read, 0, sizeof(reader->tails_read));
}

/* What the machine has not is not valid, and zero. */
static void check_registers(struct r_reader *reader, const struct gapp_record_stack_copy *tail)
{
	for (unsigned int i = KNOWN_REGISTERS; i < GAPP_REGISTERS; i++)
		if (tail->registers[i])
			r_bad(reader, "tail %u: register %u is %#llx", tail->copy, i,
			      tail->registers[i]);
	if (tail->valid >> KNOWN_REGISTERS)
		r_bad(reader, "tail %u: valid %#llx", tail->copy, tail->valid);
}

void r_check_tail(struct r_reader *reader, const struct gapp_record_stack_copy *tail)
{
	if (tail->copy >= (GAPP_PATH_COPY - 2) || tail->flags & ~GAPP_STACK_COPY_VERIFY ||
	    tail->reserved || tail->stack_bytes % 8 || tail->stack_bytes > GAPP_MAX_STACK_COPY ||
	    tail->tid <= 0 || tail->tgid <= 0 || !tail->image)
		r_bad(reader, "tail %u of %d: flags %#x, %u bytes", tail->copy, tail->tid,
		      tail->flags, tail->stack_bytes);
	if (tail->path & GAPP_PATH_COPY && tail->path < GAPP_PATH_LOST)
		r_bad(reader, "tail %u: its path is another tail", tail->copy);
	if (tail->stack_bytes && tail->registers[STACK_POINTER] - tail->stack_at > RED_ZONE)
		r_bad(reader, "tail %u: of %#llx, the stack pointer is %#llx", tail->copy,
		      tail->stack_at, tail->registers[STACK_POINTER]);
	check_registers(reader, tail);
	r_check_path(reader, tail->path, false);
	comes(&reader->tails_read, tail->copy);
	reader->tally.tails++;
}

void r_check_needmap(struct r_reader *reader, const struct gapp_record_need_mapping *need)
{
	if (need->tgid <= 0 || !need->image)
		r_bad(reader, "address %#llx of %d, image %u", need->address, need->tgid,
		      need->image);
	reader->tally.needmaps++;
}

void r_check_store(struct r_reader *reader, const struct gapp_record_store *store)
{
	const u32 known = GAPP_STORE_IN_KERNEL | GAPP_STORE_LAST | GAPP_STORE_AT_POINT;
	const bool is_untold = store->flags == (GAPP_STORE_LAST | GAPP_STORE_UNTOLD);

	if (is_untold ? store->tid || store->tgid || store->address || store->value :
			store->tid <= 0 || store->tgid <= 0 || store->flags & ~known ||
				store->address >= END_OF_USER || !store->image)
		r_bad(reader, "thread %d of %d, image %u, stored at %#llx, flags %#x", store->tid,
		      store->tgid, store->image, store->address, store->flags);
	r_check_path(reader, store->path, false);
	reader->tally.stores++;
}

/* The text, and what is behind it. */
static bool is_text(const struct gapp_record_mark *mark)
{
	const u8 *text = (const u8 *)r_text(mark);
	u32 i;

	for (i = 0; i < mark->bytes; i++)
		if (text[i] < 0x20 || text[i] == 0x7f)
			return false;
	for (; i < mark->head.size - sizeof(*mark); i++)
		if (text[i])
			return false;
	return true;
}

void r_check_mark(struct r_reader *reader, const struct gapp_record_mark *mark)
{
	if (mark->tid <= 0 || mark->tgid <= 0 || !mark->image ||
	    mark->flags & ~GAPP_MARK_INTEGRALS || mark->kind >= GAPP_MARK_KINDS ||
	    mark->bytes > GAPP_MARK_TEXT || (!mark->bytes && mark->kind != GAPP_MARK_END))
		r_bad(reader, "a mark of thread %d of %d, image %u, flags %#x, kind %u, %u bytes",
		      mark->tid, mark->tgid, mark->image, mark->flags, mark->kind, mark->bytes);
	/* whoever makes a mark is active */
	if (!(mark->flags & GAPP_MARK_INTEGRALS) != !mark->n || (!mark->n && mark->thread_ns) ||
	    !is_text(mark))
		r_bad(reader, "a mark with flags %#x, n %u, thread_ns %llu, text %.*s", mark->flags,
		      mark->n, mark->thread_ns, mark->bytes, r_text(mark));
	reader->tally.marks++;
	reader->tally.marks_left_out += mark->left_out;
}

u32 r_kernel_words(const struct r_reader *reader)
{
	const struct gapp_path *path = NULL;
	u32 wrong = 0;

	for (u32 i = 0; i < reader->layout.path_slots; i++) {
		const u64 *frames = r_frames(reader, i, &path);

		if (!frames || path->flags & GAPP_PATH_KERNEL)
			continue;
		for (u16 j = 0; j < path->words; j++)
			wrong += frames[j] >= END_OF_USER;
	}
	return wrong;
}
