// SPDX-License-Identifier: GPL-2.0
#include "pack.h"

#include <endian.h>

#define TEXT_MAX 65536
/* Above any share times any number of threads. */
#define DOUBLE_MAX 1e30

void pack_free(struct pack *pack)
{
	free(pack->bytes);
	*pack = (struct pack){ 0 };
}

void pack_raw(struct pack *pack, const void *bytes, size_t size)
{
	if (pack->failed || !size)
		return;
	if (size > pack->room - pack->size) {
		size_t room = 2 * (pack->size + size) + 256;
		u8 *more = realloc(pack->bytes, room);

		if (!more) {
			pack->failed = true;
			return;
		}
		pack->bytes = more;
		pack->room = room;
	}
	memcpy(pack->bytes + pack->size, bytes, size);
	pack->size += size;
}

void pack_u64(struct pack *pack, u64 number)
{
	u8 bytes[10];
	size_t size = 0;

	do {
		bytes[size] = number & 0x7f;
		number >>= 7;
		if (number)
			bytes[size] |= 0x80;
		size++;
	} while (number);
	pack_raw(pack, bytes, size);
}

/* Small numbers of either sign become small ones. */
void pack_s64(struct pack *pack, s64 number)
{
	pack_u64(pack, ((u64)number << 1) ^ (u64)(number >> 63));
}

void pack_double(struct pack *pack, double number)
{
	u64 bits;

	memcpy(&bits, &number, sizeof(bits));
	bits = htole64(bits);
	pack_raw(pack, &bits, sizeof(bits));
}

void pack_text(struct pack *pack, const char *text)
{
	size_t size = text ? strnlen(text, TEXT_MAX - 1) : 0;

	pack_u64(pack, text ? size + 1 : 0);
	pack_raw(pack, text, size);
}

void pack_sized(struct pack *pack, const void *bytes, size_t size)
{
	pack_u64(pack, size);
	pack_raw(pack, bytes, size);
}

bool unpack_keep(struct unpack *unpack, u64 size)
{
	/* an allocation has some bytes of its own */
	const u64 whole = size + 32;

	if (unpack->failed || !unpack->budget)
		return !unpack->failed;
	if (whole > *unpack->budget)
		unpack->failed = true;
	else
		*unpack->budget -= whole;
	return !unpack->failed;
}

const u8 *unpack_bytes(struct unpack *unpack, u64 size)
{
	const u8 *at = unpack->at;

	if (unpack->failed || size > (u64)(unpack->end - at)) {
		unpack->failed = true;
		return NULL;
	}
	unpack->at += size;
	return at;
}

u64 unpack_u64(struct unpack *unpack)
{
	u64 number = 0;

	for (unsigned int shift = 0; shift < 64; shift += 7) {
		const u8 *byte = unpack_bytes(unpack, 1);

		if (!byte)
			return 0;
		number |= (u64)(*byte & 0x7f) << shift;
		if (!(*byte & 0x80))
			return number;
	}
	unpack->failed = true;
	return 0;
}

u64 unpack_most(struct unpack *unpack, u64 most)
{
	u64 number = unpack_u64(unpack);

	if (number <= most)
		return number;
	unpack->failed = true;
	return 0;
}

s64 unpack_s64(struct unpack *unpack)
{
	u64 number = unpack_u64(unpack);

	return (s64)(number >> 1) ^ -(s64)(number & 1);
}

double unpack_double(struct unpack *unpack)
{
	const u8 *bytes = unpack_bytes(unpack, sizeof(u64));
	double number;
	u64 bits;

	if (!bytes)
		return 0;
	memcpy(&bits, bytes, sizeof(bits));
	bits = le64toh(bits);
	memcpy(&number, &bits, sizeof(number));
	if (number >= 0 && number <= DOUBLE_MAX)
		return number;
	unpack->failed = true;
	return 0;
}

char *unpack_text(struct unpack *unpack)
{
	u64 size = unpack_most(unpack, TEXT_MAX);
	const u8 *bytes = size ? unpack_bytes(unpack, size - 1) : NULL;
	char *text;

	if (!bytes)
		return NULL;
	text = strndup((const char *)bytes, size - 1);
	unpack->failed |= !text;
	return text;
}

void unpack_sized(struct unpack *unpack, void *bytes, size_t size)
{
	u64 given = unpack_u64(unpack);
	const u8 *from = unpack_bytes(unpack, given);

	memset(bytes, 0, size);
	if (from)
		memcpy(bytes, from, given < size ? given : size);
}
