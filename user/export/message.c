// SPDX-License-Identifier: GPL-2.0
#include "message.h"

#include <string.h>

/* How a field is written, in the lowest bits of its key. */
enum wire {
	WIRE_NUMBER = 0,
	WIRE_64_BITS = 1,
	WIRE_BYTES = 2,
};

#define WIRE_BITS 3
#define SIZE_MAX_OF_MESSAGE 0x7fffffffU
#define FIRST_ROOM 256

static void add(struct message *message, const void *bytes, size_t size)
{
	size_t wanted = message->size + size, room = message->room ?: FIRST_ROOM;
	u8 *grown;

	if (message->failed || !size)
		return;
	while (room < wanted)
		room *= 2;
	if (room > message->room) {
		grown = wanted > SIZE_MAX_OF_MESSAGE ? NULL : realloc(message->bytes, room);
		if (!grown) {
			message->failed = true;
			return;
		}
		message->bytes = grown;
		message->room = room;
	}
	memcpy(message->bytes + message->size, bytes, size);
	message->size = wanted;
}

void message_varint(struct message *message, u64 number)
{
	u8 bytes[10];
	size_t size = 0;

	for (; number >= 0x80; number >>= 7)
		bytes[size++] = number | 0x80;
	bytes[size++] = number;
	add(message, bytes, size);
}

static void add_key(struct message *message, u32 field, enum wire wire)
{
	message_varint(message, field << WIRE_BITS | wire);
}

void message_number(struct message *message, u32 field, u64 number)
{
	if (!number)
		return;
	add_key(message, field, WIRE_NUMBER);
	message_varint(message, number);
}

void message_given(struct message *message, u32 field, u64 number)
{
	add_key(message, field, WIRE_NUMBER);
	message_varint(message, number);
}

void message_double(struct message *message, u32 field, double number)
{
	u8 bytes[sizeof(u64)];
	u64 bits;

	memcpy(&bits, &number, sizeof(bits));
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = bits >> (8 * i);
	add_key(message, field, WIRE_64_BITS);
	add(message, bytes, sizeof(bytes));
}

void message_bytes(struct message *message, u32 field, const void *bytes, size_t size)
{
	add_key(message, field, WIRE_BYTES);
	message_varint(message, size);
	add(message, bytes, size);
}

void message_part(struct message *message, u32 field, struct message *part)
{
	message->failed |= part->failed;
	message_bytes(message, field, part->bytes, part->size);
	message_clear(part);
}

void message_append(struct message *message, struct message *part)
{
	message->failed |= part->failed;
	add(message, part->bytes, part->size);
	message_clear(part);
}

/* Bits of the window, and 16 for the head and end of a gzip file. */
#define GZIP_BITS (15 + 16)
#define GZIP_MEMORY 8 /* zlib's default */

int gzip_begin(struct gzip *gzip, FILE *out)
{
	gzip->out = out;
	memset(&gzip->stream, 0, sizeof(gzip->stream));
	return deflateInit2(&gzip->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_BITS,
			    GZIP_MEMORY, Z_DEFAULT_STRATEGY) == Z_OK ?
		       0 :
		       -1;
}

static void run(struct gzip *gzip, int flush)
{
	z_stream *stream = &gzip->stream;
	int result;

	do {
		stream->next_out = gzip->buffer;
		stream->avail_out = sizeof(gzip->buffer);
		result = deflate(stream, flush);
		fwrite(gzip->buffer, 1, sizeof(gzip->buffer) - stream->avail_out, gzip->out);
	} while (result == Z_OK && !stream->avail_out);
}

void gzip_write(struct gzip *gzip, const void *bytes, size_t size)
{
	gzip->stream.next_in = (u8 *)bytes;
	gzip->stream.avail_in = size;
	run(gzip, Z_NO_FLUSH);
}

void gzip_end(struct gzip *gzip)
{
	run(gzip, Z_FINISH);
	deflateEnd(&gzip->stream);
}
