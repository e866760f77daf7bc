/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Call frame information (CFI) of an ELF file, from the bytes in the file to the rules of an
 * unwind table. Whoever owns the file can write anything into it, so its bytes are copied once to
 * memory of our own, and libdw gets only what was checked there.
 */
#ifndef GAPP_READ_CFI_H
#define GAPP_READ_CFI_H

#include <elf.h>

#include <elfutils/libdw.h>

#include "unwind_table.h"
#include "util/hash_index.h"

/* Most bytes of one section; the largest known program has a tenth of that. */
#define CFI_SECTION_MAX (256U << 20)
#define CFI_BUILD_ID_MAX 64

/**
 * struct cfi_instruction - one instruction of a description
 * @opcode: DW_CFA_*
 * @operands: as the instruction has them; of an expression its size
 */
struct cfi_instruction {
	u8 opcode;
	u64 operands[2];
};

/*
 * Reads the instruction at *@at, which is before @end. False: it is cut off, not known, or beyond
 * the bounds that keep libdw's work small. @address_encoding: DW_EH_PE_*
 */
bool cfi_read_instruction(const u8 **at, const u8 *end, u8 address_encoding,
			  struct cfi_instruction *instruction);

/**
 * struct cfi_usual - a CIE that uses only what compilers use for nearly all code
 * @is_usual: the CIE uses nothing else; if false, the other members are not set
 * @code_unit: factor of the distances by which an instruction advances the address
 * @data_unit: factor of offsets from the CFA
 * @initial: rule after the instructions of the CIE, with which each function begins
 */
struct cfi_usual {
	bool is_usual;
	u32 code_unit;
	s32 data_unit;
	struct gapp_rule initial;
};

/**
 * struct cfi_range - code that has a description (FDE) of its own
 * @begin: first address
 * @end: address behind the last
 * @program: instructions that describe its rules
 * @offset: offset of the description in the frames
 * @usual: of the description's CIE; NULL if @refused or @by_code
 * @refused: the description is damaged, or could make libdw use any amount of memory or time
 * @by_code: the range has no description; its bytes say that it returns from a signal's handler
 */
struct cfi_range {
	u64 begin;
	u64 end;
	const u8 *program;
	u32 program_bytes;
	u32 offset;
	const struct cfi_usual *usual;
	bool refused;
	bool by_code;
};

/**
 * struct cfi_file - what an unwind table is made from
 * @arch: enum gapp_arch
 * @machine: its number in ELF files
 * @entry: address of the program's first instruction
 * @is_eh: @frames is .eh_frame, else .debug_frame
 * @frames: call frame information, or NULL. After cfi_entries_read() it ends with the last entry
 *	that can be read, and refused descriptions are zeros
 * @frames_address: address that the ELF file gives @frames
 * @segments: executable segments
 * @returns: addresses of the instructions that return from a signal's handler, found by their
 *	bytes; the file's own description of such code counts more
 * @return_bytes: bytes of these instructions
 * @build_id: first bytes of the build-id
 * @build_id_size: bytes of @build_id; 0: the file has none
 * @ranges: all descriptions, sorted by address; described ranges may overlap
 * @described: ranges that have a description
 * @commons: the CIEs, by offset
 */
struct cfi_file {
	enum gapp_arch arch;
	u16 machine;
	u64 entry;
	bool is_eh;
	u8 *frames;
	size_t frames_size;
	u64 frames_address;
	struct code_segment *segments;
	size_t segment_count;
	u64 *returns;
	u32 return_count;
	u32 return_bytes;
	u8 build_id[CFI_BUILD_ID_MAX];
	size_t build_id_size;
	struct cfi_range *ranges;
	u32 range_count;
	u32 range_room;
	u32 described;
	struct cfi_common *commons;
	u32 common_count;
	u32 common_room;
};

/*
 * What to read besides the machine and the segments. CFI_DEBUG_FRAME: if no .eh_frame was read.
 * CFI_AARCH64_RETURNS: as CFI_RETURNS, but only of files for aarch64.
 */
enum cfi_parts {
	CFI_EH_FRAME = 1,
	CFI_DEBUG_FRAME = 2,
	CFI_BUILD_ID = 4,
	CFI_RETURNS = 8,
	CFI_ALL = 15,
	CFI_AARCH64_RETURNS = 16,
};

/* Reads @parts (enum cfi_parts) of an open ELF file. Returns as unwind_table_compile(). */
int cfi_file_read(struct cfi_file *file, int fd, unsigned int parts, const volatile bool *cancel);
/* Finds and checks the descriptions in the frames. Returns as unwind_table_compile(). */
int cfi_entries_read(struct cfi_file *file, const volatile bool *cancel);
void cfi_file_free(struct cfi_file *file);
#define _cleanup_cfi_file_ _cleanup_(cfi_file_free)

/* Whether @address is in an executable segment. */
bool cfi_file_is_code(const struct cfi_file *file, u64 address);

/* Reads at most @size bytes. Returns how many the file has there, or -1. */
ssize_t cfi_read(int fd, void *to, size_t size, u64 offset);
/* Writes @size bytes. False: not all were written. */
bool cfi_write(int fd, const void *data, size_t size);

/*
 * Makes an ELF file of the checked frames of @files, which the caller frees. @with_code: also of
 * executable segments and .eh_frame_hdr, which libdwfl needs. NULL: no memory.
 */
u8 *cfi_image_make(const struct cfi_file *files, size_t count, bool with_code, size_t *bytes);

/**
 * struct cfi_rows - an unwind table in the making
 * @rules: the rules, each once
 * @index: finds a rule in @rules
 * @rows: where in the code a rule begins
 * @first: for each page of code its first row
 * @begin: address of the first page
 * @end: address behind the code that was added last
 * @last: number of the rule that holds before @end
 */
struct cfi_rows {
	struct gapp_rule *rules;
	u32 rule_count;
	u32 rule_room;
	struct hash_index index;
	struct gapp_row *rows;
	u32 row_count;
	u32 row_room;
	u32 *first;
	u32 pages;
	u32 page_room;
	u64 begin;
	u64 end;
	u32 last;
};

/*
 * Adds a rule for the addresses from @begin to before @end. Rules are added in the order of their
 * addresses. Code that is too far from the first rule for one table gets no rule. Returns 0, or -1
 * without memory.
 */
int cfi_rows_add(struct cfi_rows *rows, u64 begin, u64 end, const struct gapp_rule *rule);

/* Sets @usual from a CIE of x86-64 that was checked (see struct cfi_range, @refused). */
void cfi_usual_set(struct cfi_usual *usual, u64 code_unit, s64 data_unit, const u8 *program,
		   const u8 *end);

/*
 * Adds the rules of the code from *@begin to @end in one pass over its @program, as long as that is
 * usual: *@begin becomes the first address without a rule, or @end. Returns 0, or -1 without
 * memory.
 */
int cfi_usual_rows(const struct cfi_usual *usual, const u8 *program, const u8 *program_end,
		   u64 *begin, u64 end, struct cfi_rows *rows);

#endif /* GAPP_READ_CFI_H */
