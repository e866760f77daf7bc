// SPDX-License-Identifier: GPL-2.0
/* Reads the parts of an ELF file (64 bits, little endian) that make its unwind table. */
#include "cfi.h"

#include <errno.h>
#include <sys/stat.h>

#include <dwarf.h>
#include <zlib.h>

/* Bytes of parts that are read; a larger part counts as missing. */
#define NAMES_MAX 0x100000
#define NOTES_MAX 65536
#define DYNAMIC_MAX 65536
/* Programs have one or two. */
#define SEGMENTS_MAX 64
#define NOTE_ALIGN 4
/* .eh_frame_hdr begins with a version and three encodings; the address of .eh_frame follows. */
#define HDR_BYTES 8
#define HDR_ADDRESS 4

/* Bytes of code that are searched for code that returns from signals, and how many at a time. */
#define SEARCHED_MAX 0x40000000ULL
#define CHUNK 0x100000
#define RETURNS_MAX 64

/* rt_sigreturn: mov $15, %rax; syscall */
static const u8 x86_64_return[] = { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 };
/* mov x8, #139; svc #0 */
static const u8 aarch64_return[] = { 0x68, 0x11, 0x80, 0xd2, 0x01, 0, 0, 0xd4 };

/**
 * struct headers - the file's headers
 * @fd: the file, which stays the caller's
 * @elf: ELF header
 * @segments: program headers
 * @sections: section headers, or NULL
 * @names: names of the sections and a zero behind them, or NULL
 */
struct headers {
	int fd;
	Elf64_Ehdr elf;
	Elf64_Phdr *segments;
	Elf64_Shdr *sections;
	size_t section_count;
	char *names;
	size_t names_size;
};

ssize_t cfi_read(int fd, void *to, size_t size, u64 offset)
{
	size_t done = 0;
	ssize_t bytes;

	while (done < size) {
		if (offset + done > INT64_MAX)
			break;
		bytes = pread(fd, (char *)to + done, size - done, offset + done);
		if (bytes < 0 && errno == EINTR)
			continue;
		if (bytes < 0)
			return -1;
		if (!bytes)
			break;
		done += bytes;
	}
	return done;
}

bool cfi_write(int fd, const void *data, size_t size)
{
	size_t done = 0;
	ssize_t bytes;

	for (; done < size; done += bytes) {
		bytes = write(fd, (const char *)data + done, size - done);
		if (bytes < 0 && errno == EINTR)
			bytes = 0;
		else if (bytes <= 0)
			return false;
	}
	return true;
}

/*
 * Reads @size bytes, or up to the file's end, sets @got to how many, and adds a zero. The caller
 * frees the result. NULL with errno set; ENOEXEC, EFBIG: the part is missing or too large.
 */
static void *read_new(int fd, u64 size, u64 offset, size_t *got)
{
	struct stat stat;
	ssize_t bytes;
	u8 *memory;

	*got = 0;
	if (fstat(fd, &stat))
		return NULL;
	if (stat.st_size < 0 || offset >= (u64)stat.st_size) {
		errno = ENOEXEC;
		return NULL;
	}
	/* not more memory than the file can fill, whatever its headers say */
	if (size > (u64)stat.st_size - offset)
		size = stat.st_size - offset;
	if (size > CFI_SECTION_MAX) {
		errno = EFBIG;
		return NULL;
	}
	memory = malloc(size + 1);
	bytes = memory ? cfi_read(fd, memory, size, offset) : -1;
	if (bytes < 0) {
		free(memory);
		return NULL;
	}
	memory[bytes] = 0;
	*got = bytes;
	return memory;
}

/*
 * Reads a part that need not be there by read_new(), and sets the pointer at @memory to it; NULL:
 * it is missing or too large. Returns 0 or -1.
 */
static int read_part(int fd, void *memory, u64 size, u64 offset, size_t *got)
{
	void *part = read_new(fd, size, offset, got);

	memcpy(memory, &part, sizeof(part));
	return part || errno == ENOEXEC || errno == EFBIG ? 0 : -1;
}

static bool is_ours(const Elf64_Ehdr *elf)
{
	return !memcmp(elf->e_ident, ELFMAG, SELFMAG) && elf->e_ident[EI_CLASS] == ELFCLASS64 &&
	       elf->e_ident[EI_DATA] == ELFDATA2LSB && elf->e_ident[EI_VERSION] == EV_CURRENT &&
	       (elf->e_machine == EM_X86_64 || elf->e_machine == EM_AARCH64) &&
	       (elf->e_type == ET_EXEC || elf->e_type == ET_DYN) &&
	       elf->e_phentsize == sizeof(Elf64_Phdr) && elf->e_phnum && elf->e_phnum != PN_XNUM;
}

/* A program runs without sections, so they may be missing or have no names. */
static int read_sections(struct headers *headers)
{
	const Elf64_Ehdr *elf = &headers->elf;
	const Elf64_Shdr *names;
	size_t got;

	if (!elf->e_shoff || !elf->e_shnum || elf->e_shentsize != sizeof(Elf64_Shdr))
		return 0;
	if (read_part(headers->fd, &headers->sections, elf->e_shnum * sizeof(Elf64_Shdr),
		      elf->e_shoff, &got))
		return -1;
	headers->section_count = got / sizeof(Elf64_Shdr);
	if (elf->e_shstrndx >= headers->section_count)
		return 0;
	names = &headers->sections[elf->e_shstrndx];
	if (names->sh_type != SHT_STRTAB || names->sh_size > NAMES_MAX)
		return 0;
	return read_part(headers->fd, &headers->names, names->sh_size, names->sh_offset,
			 &headers->names_size);
}

static int read_program_headers(struct headers *headers)
{
	Elf64_Ehdr *elf = &headers->elf;
	ssize_t bytes = cfi_read(headers->fd, elf, sizeof(*elf), 0);
	size_t got;

	if (bytes < 0)
		return -1;
	if (bytes == sizeof(*elf) && is_ours(elf)) {
		size_t size = elf->e_phnum * sizeof(Elf64_Phdr);

		headers->segments = read_new(headers->fd, size, elf->e_phoff, &got);
		if (!headers->segments)
			return -1;
		if (got == size)
			return 0;
	}
	errno = ENOEXEC;
	return -1;
}

static void free_headers(struct headers *headers)
{
	free(headers->segments);
	free(headers->sections);
	free(headers->names);
}

/* The first segment of that type, or NULL. */
static const Elf64_Phdr *find_segment(const struct headers *headers, u32 type)
{
	for (size_t i = 0; i < headers->elf.e_phnum; i++) {
		if (headers->segments[i].p_type == type)
			return &headers->segments[i];
	}
	return NULL;
}

/* The section of that name, or NULL if it is missing or empty. */
static const Elf64_Shdr *find_section(const struct headers *headers, const char *name)
{
	for (size_t i = 0; headers->names && i < headers->section_count; i++) {
		const Elf64_Shdr *section = &headers->sections[i];

		if (section->sh_name < headers->names_size && section->sh_type != SHT_NOBITS &&
		    section->sh_size && !strcmp(headers->names + section->sh_name, name))
			return section;
	}
	return NULL;
}

static int read_segments(struct cfi_file *file, const struct headers *headers)
{
	size_t room = headers->elf.e_phnum < SEGMENTS_MAX ? headers->elf.e_phnum : SEGMENTS_MAX;

	file->segments = calloc(room, sizeof(*file->segments));
	if (!file->segments)
		return -1;
	for (size_t i = 0; i < headers->elf.e_phnum && file->segment_count < room; i++) {
		const Elf64_Phdr *segment = &headers->segments[i];

		if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X) ||
		    !segment->p_filesz || segment->p_offset > INT64_MAX ||
		    segment->p_filesz > INT64_MAX - segment->p_offset ||
		    segment->p_filesz > UINT64_MAX - segment->p_vaddr)
			continue;
		file->segments[file->segment_count++] = (struct code_segment){
			.offset = segment->p_offset,
			.size = segment->p_filesz,
			.address = segment->p_vaddr,
		};
	}
	return 0;
}

bool cfi_file_is_code(const struct cfi_file *file, u64 address)
{
	for (size_t i = 0; i < file->segment_count; i++) {
		if (address - file->segments[i].address < file->segments[i].size)
			return true;
	}
	return false;
}

static int read_frames(struct cfi_file *file, int fd, u64 size, u64 offset, u64 address)
{
	file->frames_address = address;
	return read_part(fd, &file->frames, size, offset, &file->frames_size);
}

/* Reads to the segment's end: no header gives the frames' size, an entry of length 0 ends them. */
static int read_frames_at(struct cfi_file *file, const struct headers *headers, u64 address)
{
	for (size_t i = 0; i < headers->elf.e_phnum; i++) {
		const Elf64_Phdr *segment = &headers->segments[i];
		u64 in = address - segment->p_vaddr, in_file;

		if (segment->p_type != PT_LOAD || in >= segment->p_filesz)
			continue;
		in_file = segment->p_filesz - in;
		return read_frames(file, headers->fd,
				   in_file < CFI_SECTION_MAX ? in_file : CFI_SECTION_MAX,
				   segment->p_offset + in, address);
	}
	return 0;
}

/* Finds .eh_frame by the program header that the C++ run time uses, which strip(1) keeps. */
static int read_by_segment(struct cfi_file *file, const struct headers *headers)
{
	const Elf64_Phdr *segment = find_segment(headers, PT_GNU_EH_FRAME);
	u8 begin[HDR_BYTES];
	s32 distance;

	if (!segment ||
	    cfi_read(headers->fd, begin, sizeof(begin), segment->p_offset) != sizeof(begin))
		return 0;
	if (begin[0] != 1 || begin[1] != (DW_EH_PE_pcrel | DW_EH_PE_sdata4))
		return 0;
	memcpy(&distance, begin + HDR_ADDRESS, sizeof(distance));
	return read_frames_at(file, headers, segment->p_vaddr + HDR_ADDRESS + distance);
}

static int inflate_frames(struct cfi_file *file)
{
	_cleanup_free_ u8 *packed = file->frames;
	size_t packed_size = file->frames_size;
	Elf64_Chdr head;
	uLongf size;

	file->frames = NULL;
	file->frames_size = 0;
	if (packed_size < sizeof(head))
		return 0;
	memcpy(&head, packed, sizeof(head));
	if (head.ch_type != ELFCOMPRESS_ZLIB || !head.ch_size || head.ch_size > CFI_SECTION_MAX)
		return 0;
	file->frames = malloc(head.ch_size);
	if (!file->frames)
		return -1;
	size = head.ch_size;
	if (uncompress(file->frames, &size, packed + sizeof(head), packed_size - sizeof(head)) ==
	    Z_OK) {
		file->frames_size = size;
		return 0;
	}
	free(file->frames);
	file->frames = NULL;
	return 0;
}

static int read_by_section(struct cfi_file *file, const struct headers *headers,
			   const Elf64_Shdr *section)
{
	if (read_frames(file, headers->fd, section->sh_size, section->sh_offset, section->sh_addr))
		return -1;
	if (file->frames && section->sh_flags & SHF_COMPRESSED)
		return inflate_frames(file);
	return 0;
}

static int find_frames(struct cfi_file *file, const struct headers *headers, bool is_eh)
{
	const Elf64_Shdr *section = find_section(headers, is_eh ? ".eh_frame" : ".debug_frame");

	file->is_eh = is_eh;
	if (section)
		return read_by_section(file, headers, section);
	return is_eh ? read_by_segment(file, headers) : 0;
}

static size_t note_align(size_t size)
{
	return (size + NOTE_ALIGN - 1) & ~(size_t)(NOTE_ALIGN - 1);
}

/* Takes the build-id from a segment of notes, if one of them is the build-id. */
static void take_build_id(struct cfi_file *file, const u8 *notes, size_t size)
{
	Elf64_Nhdr head;
	size_t name, content;

	while (size >= sizeof(head)) {
		memcpy(&head, notes, sizeof(head));
		notes += sizeof(head);
		size -= sizeof(head);
		if (head.n_namesz > NOTES_MAX || head.n_descsz > NOTES_MAX)
			return;
		name = note_align(head.n_namesz);
		content = note_align(head.n_descsz);
		if (name + head.n_descsz > size)
			return;
		if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == sizeof(ELF_NOTE_GNU) &&
		    !memcmp(notes, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) && head.n_descsz) {
			file->build_id_size = head.n_descsz < CFI_BUILD_ID_MAX ? head.n_descsz :
										 CFI_BUILD_ID_MAX;
			memcpy(file->build_id, notes + name, file->build_id_size);
			return;
		}
		if (name + content > size)
			return;
		notes += name + content;
		size -= name + content;
	}
}

static int read_build_id(struct cfi_file *file, const struct headers *headers)
{
	for (size_t i = 0; !file->build_id_size && i < headers->elf.e_phnum; i++) {
		const Elf64_Phdr *segment = &headers->segments[i];
		_cleanup_free_ u8 *notes = NULL;
		size_t got;

		if (segment->p_type != PT_NOTE || segment->p_filesz > NOTES_MAX)
			continue;
		if (read_part(headers->fd, &notes, segment->p_filesz, segment->p_offset, &got))
			return -1;
		take_build_id(file, notes, got);
	}
	return 0;
}

/*
 * Whether the program needs no other file, so that a C library may be linked into it. Returns 1, 0,
 * or -1 if reading failed.
 */
static int is_self_contained(const struct headers *headers)
{
	_cleanup_free_ Elf64_Dyn *dynamic = NULL;
	const Elf64_Phdr *segment = find_segment(headers, PT_DYNAMIC);
	size_t got;

	if (find_segment(headers, PT_INTERP))
		return 0;
	if (!segment)
		return 1;
	if (segment->p_filesz > DYNAMIC_MAX)
		return 0;
	if (read_part(headers->fd, &dynamic, segment->p_filesz, segment->p_offset, &got))
		return -1;
	for (size_t i = 0; i < got / sizeof(*dynamic) && dynamic[i].d_tag != DT_NULL; i++) {
		if (dynamic[i].d_tag == DT_NEEDED)
			return 0;
	}
	return !!dynamic;
}

static void note_returns(struct cfi_file *file, const u8 *chunk, size_t size, u64 address)
{
	const bool is_x86_64 = file->arch == GAPP_ARCH_X86_64;
	const u8 *code = is_x86_64 ? x86_64_return : aarch64_return, *at = chunk;

	while (file->return_count < RETURNS_MAX &&
	       (at = memmem(at, chunk + size - at, code, file->return_bytes))) {
		file->returns[file->return_count++] = address + (at - chunk);
		at += file->return_bytes;
	}
}

/* Chunks overlap, so that code that begins in one chunk and ends in the next is found. */
static int find_returns_in(struct cfi_file *file, int fd, const struct code_segment *segment,
			   u8 *chunk, u64 *left, const volatile bool *cancel)
{
	const size_t step = CHUNK - file->return_bytes + 1;

	for (u64 at = 0; at < segment->size && *left >= step; at += step, *left -= step) {
		size_t wanted = segment->size - at < CHUNK ? segment->size - at : CHUNK;
		ssize_t bytes = cfi_read(fd, chunk, wanted, segment->offset + at);

		if (is_cancelled(cancel) || bytes < 0)
			return -1;
		note_returns(file, chunk, bytes, segment->address + at);
		if ((size_t)bytes < wanted)
			break;
	}
	return 0;
}

/*
 * musl and Go describe most of their code, but not the code that returns from signals. On aarch64
 * that code is in the vDSO, and kernels since 5.8 do not describe it.
 */
static int find_returns(struct cfi_file *file, const struct headers *headers,
			const volatile bool *cancel)
{
	_cleanup_free_ u8 *chunk = NULL;
	u64 left = SEARCHED_MAX;
	int searched;

	file->return_bytes = file->arch == GAPP_ARCH_X86_64 ? sizeof(x86_64_return) :
							      sizeof(aarch64_return);
	searched = is_self_contained(headers);
	if (searched <= 0)
		return searched;
	file->returns = calloc(RETURNS_MAX, sizeof(*file->returns));
	chunk = malloc(CHUNK);
	if (!file->returns || !chunk)
		return -1;
	for (size_t i = 0; i < file->segment_count; i++) {
		if (find_returns_in(file, headers->fd, &file->segments[i], chunk, &left, cancel))
			return -1;
	}
	return 0;
}

int cfi_file_read(struct cfi_file *file, int fd, unsigned int parts, const volatile bool *cancel)
{
	_cleanup_(free_headers) struct headers headers = { .fd = fd };

	*file = (struct cfi_file){ 0 };
	if (read_program_headers(&headers))
		return -1;
	file->machine = headers.elf.e_machine;
	file->entry = headers.elf.e_entry;
	file->arch = file->machine == EM_X86_64 ? GAPP_ARCH_X86_64 : GAPP_ARCH_AARCH64;
	if (read_segments(file, &headers))
		return -1;
	if (parts & (CFI_EH_FRAME | CFI_DEBUG_FRAME) && read_sections(&headers))
		return -1;
	if (parts & CFI_EH_FRAME && find_frames(file, &headers, true))
		return -1;
	if (parts & CFI_DEBUG_FRAME && !file->frames && find_frames(file, &headers, false))
		return -1;
	if (parts & CFI_BUILD_ID && read_build_id(file, &headers))
		return -1;
	if (file->arch == GAPP_ARCH_AARCH64 && parts & CFI_AARCH64_RETURNS)
		parts |= CFI_RETURNS;
	return parts & CFI_RETURNS ? find_returns(file, &headers, cancel) : 0;
}

void cfi_file_free(struct cfi_file *file)
{
	free(file->frames);
	free(file->segments);
	free(file->returns);
	free(file->ranges);
	free(file->commons);
	*file = (struct cfi_file){ 0 };
}
