// SPDX-License-Identifier: GPL-2.0
#include "cfi_file.h"

#include <errno.h>

#include <dwarf.h>
#include <zlib.h>

#include "cfi_headers.h"

#define NOTES_MAX 65536
#define DYNAMIC_MAX 65536
#define CHUNK 0x100000
#define RETURNS_MAX 64
/* Programs have one or two. */
#define SEGMENTS_MAX 64
/* Code that is searched. */
#define SEARCHED_MAX 0x40000000ULL
/* .eh_frame_hdr: a version, encodings of three things, the first of which is the address. */
#define HDR_BYTES 8
#define HDR_ADDRESS 4
#define NOTE_ALIGN 4

/* mov $15 (rt_sigreturn), %rax; syscall */
static const u8 x86_64_return[] = { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 };

static int read_segments(struct cfi_file *file, const struct cfi_headers *headers)
{
	file->segments = calloc(SEGMENTS_MAX, sizeof(*file->segments));
	if (!file->segments)
		return -1;
	for (size_t i = 0; i < headers->elf.e_phnum && file->segment_count < SEGMENTS_MAX; i++) {
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
	file->frames = cfi_read_new(fd, size, offset, &file->frames_size);
	file->frames_address = address;
	return file->frames || cfi_is_missing() ? 0 : -1;
}

/* From an address to the end of what the file has there; its own end is told by what is in it. */
static int read_frames_at(struct cfi_file *file, const struct cfi_headers *headers, u64 address)
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

/* By the program header that the run time uses; strip(1) can remove all sections but not this. */
static int read_by_segment(struct cfi_file *file, const struct cfi_headers *headers)
{
	const Elf64_Phdr *segment = cfi_segment(headers, PT_GNU_EH_FRAME);
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
	Elf64_Chdr head;
	uLongf size;

	file->frames = NULL;
	if (file->frames_size < sizeof(head))
		return 0;
	memcpy(&head, packed, sizeof(head));
	if (head.ch_type != ELFCOMPRESS_ZLIB || !head.ch_size || head.ch_size > CFI_SECTION_MAX)
		return 0;
	file->frames = malloc(head.ch_size);
	if (!file->frames)
		return -1;
	size = head.ch_size;
	if (uncompress(file->frames, &size, packed + sizeof(head),
		       file->frames_size - sizeof(head)) != Z_OK) {
		free(file->frames);
		file->frames = NULL;
	}
	file->frames_size = size;
	return 0;
}

static int read_by_section(struct cfi_file *file, const struct cfi_headers *headers,
			   const Elf64_Shdr *section)
{
	if (read_frames(file, headers->fd, section->sh_size, section->sh_offset, section->sh_addr))
		return -1;
	if (file->frames && section->sh_flags & SHF_COMPRESSED)
		return inflate_frames(file);
	return 0;
}

static int find_frames_of(struct cfi_file *file, const struct cfi_headers *headers, bool is_eh)
{
	const Elf64_Shdr *section = cfi_section(headers, is_eh ? ".eh_frame" : ".debug_frame");

	file->is_eh = is_eh;
	if (section)
		return read_by_section(file, headers, section);
	return is_eh ? read_by_segment(file, headers) : 0;
}

static int find_frames(struct cfi_file *file, const struct cfi_headers *headers)
{
	if (find_frames_of(file, headers, true))
		return -1;
	return file->frames ? 0 : find_frames_of(file, headers, false);
}

static size_t note_align(size_t size)
{
	return (size + NOTE_ALIGN - 1) & ~(size_t)(NOTE_ALIGN - 1);
}

/* Takes the build-id from a segment of notes. */
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

static int read_build_id(struct cfi_file *file, const struct cfi_headers *headers)
{
	for (size_t i = 0; !file->build_id_size && i < headers->elf.e_phnum; i++) {
		const Elf64_Phdr *segment = &headers->segments[i];
		_cleanup_free_ u8 *notes = NULL;
		size_t got;

		if (segment->p_type != PT_NOTE || segment->p_filesz > NOTES_MAX)
			continue;
		notes = cfi_read_new(headers->fd, segment->p_filesz, segment->p_offset, &got);
		if (notes)
			take_build_id(file, notes, got);
		else if (!cfi_is_missing())
			return -1;
	}
	return 0;
}

/* Whether it needs nothing of another file: then a C library may be in it. 1, 0, or -1. */
static int is_self_contained(const struct cfi_headers *headers)
{
	_cleanup_free_ Elf64_Dyn *dynamic = NULL;
	const Elf64_Phdr *segment = cfi_segment(headers, PT_DYNAMIC);
	size_t got;

	if (cfi_segment(headers, PT_INTERP))
		return 0;
	if (!segment)
		return 1;
	if (segment->p_filesz > DYNAMIC_MAX)
		return 0;
	dynamic = cfi_read_new(headers->fd, segment->p_filesz, segment->p_offset, &got);
	if (!dynamic)
		return cfi_is_missing() ? 0 : -1;
	for (size_t i = 0; i < got / sizeof(*dynamic) && dynamic[i].d_tag != DT_NULL; i++) {
		if (dynamic[i].d_tag == DT_NEEDED)
			return 0;
	}
	return 1;
}

static int note_returns(struct cfi_file *file, const u8 *chunk, size_t size, u64 address)
{
	const u8 *at = chunk, *found;

	for (;;) {
		found = memmem(at, size - (at - chunk), x86_64_return, sizeof(x86_64_return));
		if (!found || file->return_count == RETURNS_MAX)
			return 0;
		if (!file->returns)
			file->returns = calloc(RETURNS_MAX, sizeof(*file->returns));
		if (!file->returns)
			return -1;
		file->returns[file->return_count++] = address + (found - chunk);
		at = found + sizeof(x86_64_return);
	}
}

/* Chunks have as much in common as what is looked for has bytes, but one. */
static int find_returns_in(struct cfi_file *file, int fd, const struct code_segment *segment,
			   u8 *chunk, u64 *left, const volatile bool *cancel)
{
	const size_t step = CHUNK - sizeof(x86_64_return) + 1;

	for (u64 at = 0; at < segment->size && *left >= step; at += step, *left -= step) {
		size_t wanted = segment->size - at < CHUNK ? segment->size - at : CHUNK;
		ssize_t bytes = cfi_read(fd, chunk, wanted, segment->offset + at);

		if (cfi_cancelled(cancel)) {
			errno = ECANCELED;
			return -1;
		}
		if (bytes < 0 || note_returns(file, chunk, bytes, segment->address + at))
			return -1;
		if ((size_t)bytes < wanted)
			break;
	}
	return 0;
}

/* musl and Go describe most of their code, but not this. */
static int find_returns(struct cfi_file *file, const struct cfi_headers *headers,
			const volatile bool *cancel)
{
	_cleanup_free_ u8 *chunk = NULL;
	u64 left = SEARCHED_MAX;
	int searched;

	if (file->arch != GAPP_ARCH_X86_64)
		return 0;
	searched = is_self_contained(headers);
	if (searched <= 0)
		return searched;
	chunk = malloc(CHUNK);
	if (!chunk)
		return -1;
	for (size_t i = 0; i < file->segment_count; i++) {
		if (find_returns_in(file, headers->fd, &file->segments[i], chunk, &left, cancel))
			return -1;
	}
	return 0;
}

static int take_head(struct cfi_file *file, const struct cfi_headers *headers)
{
	*file = (struct cfi_file){ 0 };
	file->machine = headers->elf.e_machine;
	file->entry = headers->elf.e_entry;
	file->arch = file->machine == EM_X86_64 ? GAPP_ARCH_X86_64 : GAPP_ARCH_AARCH64;
	return read_segments(file, headers);
}

int cfi_file_read_head(struct cfi_file *file, int fd)
{
	_cleanup_cfi_headers_ struct cfi_headers headers;

	*file = (struct cfi_file){ 0 };
	if (cfi_headers_read_segments(&headers, fd) || take_head(file, &headers))
		return -1;
	return read_build_id(file, &headers);
}

int cfi_file_read_frames(struct cfi_file *file, int fd, bool is_eh)
{
	_cleanup_cfi_headers_ struct cfi_headers headers;

	*file = (struct cfi_file){ 0 };
	if (cfi_headers_read(&headers, fd))
		return -1;
	return take_head(file, &headers) || find_frames_of(file, &headers, is_eh) ? -1 : 0;
}

int cfi_file_read(struct cfi_file *file, int fd, const volatile bool *cancel)
{
	_cleanup_cfi_headers_ struct cfi_headers headers;

	*file = (struct cfi_file){ 0 };
	if (cfi_headers_read(&headers, fd))
		return -1;
	if (take_head(file, &headers) || find_frames(file, &headers) ||
	    read_build_id(file, &headers) || find_returns(file, &headers, cancel))
		return -1;
	return 0;
}

void cfi_file_free(struct cfi_file *file)
{
	free(file->frames);
	free(file->segments);
	free(file->returns);
	*file = (struct cfi_file){ 0 };
}
