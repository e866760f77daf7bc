// SPDX-License-Identifier: GPL-2.0
/* Finds functions by the frame descriptions of an ELF file (.eh_frame), which strip(1) keeps. */
#include <dwarf.h>

#include "code_file.h"

/* Bytes of an entry's length and of what says where its CIE is. */
#define LENGTH_BYTES 4
/* Functions have at most this many bytes: a longer range is damaged. */
#define FUNCTION_BYTES_MAX 0x40000000ULL

/**
 * struct common - a CIE
 * @offset: offset in the frames
 * @encoding: DW_EH_PE_* of addresses in its descriptions
 */
struct common {
	u64 offset;
	u8 encoding;
};

/**
 * struct entries - what is read
 * @bytes: the frames
 * @size: bytes
 * @address: address that the ELF file gives them
 * @common: the CIE that was used last: compilers write a description behind its CIE
 */
struct entries {
	const u8 *bytes;
	size_t size;
	u64 address;
	struct common common;
};

static u32 read_u32(const u8 *at)
{
	u32 value;

	memcpy(&value, at, sizeof(value));
	return value;
}

/* Skips a LEB128 number at *@at. False: it does not end before @end. */
static bool skip_leb128(const u8 **at, const u8 *end)
{
	while (*at < end)
		if (!(*(*at)++ & 0x80))
			return true;
	return false;
}

static size_t encoded_bytes(u8 encoding)
{
	switch (encoding & 0x07) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
		return 8;
	case DW_EH_PE_udata4:
		return 4;
	default:
		return 0;
	}
}

static u64 read_encoded(const u8 *at, size_t bytes, bool is_signed)
{
	u64 value = 0;
	u32 word;

	if (bytes == sizeof(value)) {
		memcpy(&value, at, sizeof(value));
		return value;
	}
	word = read_u32(at);
	return is_signed ? (u64)(s64)(s32)word : word;
}

/* Finds the encoding of addresses in a CIE's augmentation. False: it is damaged, or not known. */
static bool read_encoding(const u8 *at, const u8 *end, u8 *encoding)
{
	const char *letter;
	size_t length;

	*encoding = DW_EH_PE_absptr;
	if (at >= end)
		return false;
	at++; /* version */
	letter = (const char *)at;
	length = strnlen(letter, end - at);
	if (length == (size_t)(end - at))
		return false;
	at += length + 1;
	if (*letter != 'z')
		return !*letter;
	/* factors of code and data, and the return address's register */
	for (unsigned int i = 0; i < 3; i++)
		if (!skip_leb128(&at, end))
			return false;
	if (!skip_leb128(&at, end))
		return false;
	while (*++letter) {
		if (at >= end)
			return *letter == 'S' || *letter == 'B';
		if (*letter == 'R') {
			*encoding = *at;
			return true;
		}
		if (*letter == 'L')
			at++;
		else if (*letter == 'P')
			at += 1 + encoded_bytes(*at);
		else if (*letter != 'S' && *letter != 'B')
			return false;
	}
	return true;
}

/* The entry at @offset without its length. NULL: it is cut off, or the last. */
static const u8 *entry_at(const struct entries *entries, u64 offset, const u8 **end)
{
	u32 length;

	if (entries->size < 2 * LENGTH_BYTES || offset > entries->size - 2 * LENGTH_BYTES)
		return NULL;
	length = read_u32(entries->bytes + offset);
	if (length < LENGTH_BYTES || length > entries->size - offset - LENGTH_BYTES)
		return NULL;
	*end = entries->bytes + offset + LENGTH_BYTES + length;
	return entries->bytes + offset + LENGTH_BYTES;
}

static bool find_common(struct entries *entries, u64 offset)
{
	const u8 *at, *end;

	if (entries->common.offset == offset)
		return true;
	at = entry_at(entries, offset, &end);
	if (!at || read_u32(at) ||
	    !read_encoding(at + LENGTH_BYTES, end, &entries->common.encoding))
		return false;
	entries->common.offset = offset;
	return true;
}

/* Sets the range of the description at @at. False: it is damaged. */
static bool read_range(struct entries *entries, const u8 *at, const u8 *end, u64 *begin, u64 *size)
{
	u64 back = read_u32(at), place = at - entries->bytes;
	size_t bytes;
	u8 encoding;

	if (back > place || !find_common(entries, place - back))
		return false;
	encoding = entries->common.encoding;
	bytes = encoded_bytes(encoding);
	at += LENGTH_BYTES;
	if (!bytes || (size_t)(end - at) < 2 * bytes)
		return false;
	*begin = read_encoded(at, bytes, encoding & DW_EH_PE_signed);
	if ((encoding & 0x70) == DW_EH_PE_pcrel)
		*begin += entries->address + (at - entries->bytes);
	else if ((encoding & 0x70) != DW_EH_PE_absptr)
		return false;
	*size = read_encoded(at + bytes, bytes, false);
	return *size && *size <= FUNCTION_BYTES_MAX;
}

int frame_ranges_add(struct code_file *code, const u8 *frames, size_t size, u64 address)
{
	struct entries entries = {
		.bytes = frames, .size = size, .address = address, .common.offset = UINT64_MAX
	};
	const u8 *at, *end;
	u64 begin, bytes;

	for (u64 offset = 0; (at = entry_at(&entries, offset, &end)); offset = end - frames) {
		if (!read_u32(at) || !read_range(&entries, at, end, &begin, &bytes))
			continue;
		if (code_file_add_range(code, begin, begin + bytes))
			return -1;
	}
	return 0;
}
