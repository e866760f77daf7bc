// SPDX-License-Identifier: GPL-2.0
/*
 * What indices and headers of xz say of sizes need not be true. But LZMA2 goes
 * in chunks, and each tells its own, at which a decoder stops.
 */
#include "inflated.h"

#include <gelf.h>
#include <sys/stat.h>

/* Symbols of the largest programs have a tenth of it. */
#define XZ_BYTES_MAX (256ULL << 20)
/*
 * Debug information is compressed to a third of its size, some of it to a tenth. To so many times
 * the size of the file, on disk, it may grow; and small files to so much.
 */
#define FACTOR_MAX 16
#define SMALL_BYTES (64ULL << 20)

#define XZ_MAGIC \
	"\xfd"   \
	"7zXZ"
#define XZ_HEAD 12
#define XZ_BLOCK_MIN 8
/* Of a chunk's first byte. */
#define CHUNK_END 0
#define CHUNK_COPY_LAST 2
#define CHUNK_LZMA 0x80
#define CHUNK_PROPERTIES 0xc0

/* Old: "ZLIB", and the size, most significant byte first. */
#define OLD_NAME ".zdebug"
#define OLD_HEAD 12

static u64 big_endian(const u8 *at, size_t size)
{
	u64 value = 0;

	for (size_t i = 0; i < size; i++)
		value = value << 8 | at[i];
	return value;
}

/* Goes behind the chunks of a block. False: they do not end. */
static bool add_chunks(const u8 **at, const u8 *end, u64 *total)
{
	while (*at < end) {
		u8 control = *(*at)++;
		u64 bytes, packed;

		if (control == CHUNK_END)
			return true;
		if (control > CHUNK_COPY_LAST && control < CHUNK_LZMA)
			return false;
		if (end - *at < 5)
			return false;
		bytes = big_endian(*at, 2) + 1;
		packed = bytes;
		*at += 2;
		if (control >= CHUNK_LZMA) {
			bytes += (u64)(control & 0x1f) << 16;
			packed = big_endian(*at, 2) + 1;
			*at += 2 + (control >= CHUNK_PROPERTIES);
		}
		if (packed > (u64)(end - *at))
			return false;
		*total += bytes;
		*at += packed;
	}
	return false;
}

/* What is behind a block's content, by the kind of check that the stream has. */
static size_t check_size(u8 kind)
{
	static const u8 sizes[] = { 0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64 };

	return sizes[kind & 0x0f];
}

u64 inflated_xz_size(const u8 *data, size_t size)
{
	const u8 *at = data + XZ_HEAD, *end = data + size;
	size_t check, after;
	u64 total = 0;

	if (size < XZ_HEAD || memcmp(data, XZ_MAGIC, sizeof(XZ_MAGIC)))
		return UINT64_MAX;
	check = check_size(data[sizeof(XZ_MAGIC) + 1]);
	/* a size of zero: there the index begins */
	while (at < end && *at) {
		size_t head = (*at + 1) * 4;

		/* a filter before LZMA2 leaves the size as it is, and libdwfl needs LZMA2 */
		if (head < XZ_BLOCK_MIN || head > (size_t)(end - at))
			return UINT64_MAX;
		at += head;
		if (!add_chunks(&at, end, &total))
			return UINT64_MAX;
		after = -(size_t)(at - data) % 4 + check;
		if (after > (size_t)(end - at))
			return UINT64_MAX;
		at += after;
	}
	return total;
}

static u64 old_size(Elf_Scn *section)
{
	Elf_Data *data = elf_rawdata(section, NULL);

	if (!data || !data->d_buf || data->d_size < OLD_HEAD || memcmp(data->d_buf, "ZLIB", 4))
		return 0;
	return big_endian((const u8 *)data->d_buf + 4, 8);
}

/* What a section comes to if it is compressed, else 0. */
static u64 section_size(Elf_Scn *section, const GElf_Shdr *header, const char *name)
{
	GElf_Chdr compressed;

	if (header->sh_flags & SHF_COMPRESSED)
		return gelf_getchdr(section, &compressed) ? compressed.ch_size : 0;
	return strncmp(name, OLD_NAME, strlen(OLD_NAME)) ? 0 : old_size(section);
}

static const char *refuse_xz(Elf_Scn *section)
{
	Elf_Data *data = elf_rawdata(section, NULL);
	u64 size = 0;

	if (data && data->d_buf && data->d_size)
		size = inflated_xz_size(data->d_buf, data->d_size);
	if (size == UINT64_MAX)
		return "its .gnu_debugdata is damaged";
	return size > XZ_BYTES_MAX ? "its .gnu_debugdata would be too large in memory" : NULL;
}

static const char *refuse_sections(Elf *elf, u64 most)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((section = elf_nextscn(elf, section))) {
		const char *name, *why;
		GElf_Shdr header;
		u64 size;

		if (!gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS)
			continue;
		name = elf_strptr(elf, names, header.sh_name);
		if (!name)
			name = "";
		why = strcmp(name, ".gnu_debugdata") ? NULL : refuse_xz(section);
		if (why)
			return why;
		size = section_size(section, &header, name);
		if (size > most)
			return "its compressed debug information would be too large in memory";
		most -= size;
	}
	return NULL;
}

/* Holes in a file cost nothing, so they do not count. */
static u64 size_on_disk(const struct stat *stat)
{
	u64 size = stat->st_size, blocks = stat->st_blocks * 512ULL;

	return size < blocks ? size : blocks;
}

const char *inflated_refused(int fd)
{
	const char *why;
	struct stat stat;
	Elf *elf;

	elf_version(EV_CURRENT);
	if (fstat(fd, &stat))
		return NULL;
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	/* libdwfl would inflate all of what is not one: no program is run so */
	if (!elf || elf_kind(elf) != ELF_K_ELF)
		why = "";
	else
		why = refuse_sections(elf, SMALL_BYTES + FACTOR_MAX * size_on_disk(&stat));
	elf_end(elf);
	return why;
}
