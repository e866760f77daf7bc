/* SPDX-License-Identifier: GPL-2.0 */
/* Writes messages of Protocol Buffers, and compresses them. */
#ifndef GAPP_READ_MESSAGE_H
#define GAPP_READ_MESSAGE_H

#include <stdio.h>

#include <zlib.h>

#include "util/util.h"

/**
 * struct message - a message that is being made; all zero: an empty one
 * @bytes: its fields
 * @size: bytes
 * @room: bytes that @bytes has memory for
 * @failed: there was no memory, and @bytes is not complete
 */
struct message {
	u8 *bytes;
	u32 size;
	u32 room;
	bool failed;
};

static inline void message_free(struct message *message)
{
	free(message->bytes);
}

#define _cleanup_message_ _cleanup_(message_free)

/* Empties a message and keeps its memory. */
static inline void message_clear(struct message *message)
{
	message->size = 0;
}

/* Adds a number without a field, as in a packed list. */
void message_varint(struct message *message, u64 number);
/* Each adds a field; a number that is 0 is left out, as 0 is what readers take for it. */
void message_number(struct message *message, u32 field, u64 number);
/* As message_number(), but writes 0, too, where readers ask whether the field is there. */
void message_given(struct message *message, u32 field, u64 number);
void message_double(struct message *message, u32 field, double number);
void message_bytes(struct message *message, u32 field, const void *bytes, size_t size);
/* Adds @part as the field, and empties it. */
void message_part(struct message *message, u32 field, struct message *part);
/* Adds the fields of @part, and empties it. */
void message_append(struct message *message, struct message *part);

/**
 * struct gzip - a stream that is compressed
 * @out: where to
 * @stream: the state of zlib
 * @buffer: what comes out of it
 */
struct gzip {
	FILE *out;
	z_stream stream;
	u8 buffer[16384];
};

/* Returns 0, or -1 without memory; then gzip_end() need not be called. */
int gzip_begin(struct gzip *gzip, FILE *out);
void gzip_write(struct gzip *gzip, const void *bytes, size_t size);
/* Writes what is left. */
void gzip_end(struct gzip *gzip);

#endif /* GAPP_READ_MESSAGE_H */
