// SPDX-License-Identifier: GPL-2.0
/*
 * Finds the descriptions (FDE) and what several have in common (CIE) in call frame information. A
 * description is checked before libdw may carry out its instructions, because libdw makes room for
 * any register and for any number of remembered states that they name. A description that fails the
 * check is refused: it is overwritten with zeros.
 */
#include "cfi.h"

#include <dwarf.h>
#include <errno.h>

/*
 * The check refuses a description or CIE that has more than PROGRAM_MAX bytes of instructions,
 * names a register number of REGISTERS_MAX or more, remembers more than REMEMBERED_MAX states at
 * one time, or has an expression of more than EXPRESSION_MAX bytes. Compilers and hand-written
 * assembly stay far below these bounds.
 */
#define PROGRAM_MAX 0x100000
#define REGISTERS_MAX 1024
#define REMEMBERED_MAX 64
#define EXPRESSION_MAX 4096

/* If one of these two bits is set, both are the opcode, and the other six are the operand. */
#define PRIMARY 0xc0

/*
 * The operands that follow each opcode. r: a register's number; n: another number, both LEB128,
 * signed or not; b: an expression; a: an address; 1, 2, 4, 8: so many bytes.
 */
static const char *const operands_of[] = {
	[DW_CFA_nop] = "",
	[DW_CFA_set_loc] = "a",
	[DW_CFA_advance_loc1] = "1",
	[DW_CFA_advance_loc2] = "2",
	[DW_CFA_advance_loc4] = "4",
	[DW_CFA_offset_extended] = "rn",
	[DW_CFA_restore_extended] = "r",
	[DW_CFA_undefined] = "r",
	[DW_CFA_same_value] = "r",
	[DW_CFA_register] = "rr",
	[DW_CFA_remember_state] = "",
	[DW_CFA_restore_state] = "",
	[DW_CFA_def_cfa] = "rn",
	[DW_CFA_def_cfa_register] = "r",
	[DW_CFA_def_cfa_offset] = "n",
	[DW_CFA_def_cfa_expression] = "b",
	[DW_CFA_expression] = "rb",
	[DW_CFA_offset_extended_sf] = "rn",
	[DW_CFA_def_cfa_sf] = "rn",
	[DW_CFA_def_cfa_offset_sf] = "n",
	[DW_CFA_val_offset] = "rn",
	[DW_CFA_val_offset_sf] = "rn",
	[DW_CFA_val_expression] = "rb",
	[DW_CFA_MIPS_advance_loc8] = "8",
	/* on aarch64 DW_CFA_AARCH64_negate_ra_state has this number */
	[DW_CFA_GNU_window_save] = "",
	[DW_CFA_GNU_args_size] = "n",
	[DW_CFA_GNU_negative_offset_extended] = "rn",
};

/* Reads an unsigned LEB128 number at *@at. False: it does not end before @end. */
static bool read_unsigned(const u8 **at, const u8 *end, u64 *value)
{
	unsigned int shift = 0;

	for (*value = 0; *at < end; shift += 7) {
		u8 byte = *(*at)++;

		if (shift < 64)
			*value |= (u64)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return true;
	}
	return false;
}

/* Bytes of an address in an encoding (DW_EH_PE_*); 0: the encoding is not known. */
static size_t encoded_size(u8 encoding)
{
	switch (encoding & 0x07) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
		return 8;
	case DW_EH_PE_udata2:
		return 2;
	case DW_EH_PE_udata4:
		return 4;
	}
	return 0;
}

/* A loop, because a memcpy() of @size bytes would be a call. */
static u64 read_little_endian(const u8 *at, size_t size, bool is_signed)
{
	u64 value = is_signed && at[size - 1] & 0x80 ? ~0ULL : 0;

	while (size--)
		value = value << 8 | at[size];
	return value;
}

static bool skip(const u8 **at, const u8 *end, u64 bytes)
{
	if (bytes > (u64)(end - *at))
		return false;
	*at += bytes;
	return true;
}

static bool read_operand(const u8 **at, const u8 *end, char kind, u8 address_encoding, u64 *operand)
{
	size_t size;

	switch (kind) {
	case 'r':
		return read_unsigned(at, end, operand) && *operand < REGISTERS_MAX;
	case 'n':
		return read_unsigned(at, end, operand);
	case 'b':
		return read_unsigned(at, end, operand) && *operand <= EXPRESSION_MAX &&
		       skip(at, end, *operand);
	default:
		size = kind == 'a' ? encoded_size(address_encoding) : (size_t)(kind - '0');
		if (!size || !skip(at, end, size))
			return false;
		*operand = read_little_endian(*at - size, size, false);
		return true;
	}
}

bool cfi_read_instruction(const u8 **at, const u8 *end, u8 address_encoding,
			  struct cfi_instruction *instruction)
{
	u8 opcode = *(*at)++, primary = opcode & PRIMARY;
	u64 *operands = instruction->operands;

	*instruction = (struct cfi_instruction){ .opcode = primary ? primary : opcode };
	if (primary) {
		operands[0] = opcode & ~PRIMARY;
		return primary != DW_CFA_offset || read_unsigned(at, end, &operands[1]);
	}
	if (opcode >= ARRAY_SIZE(operands_of) || !operands_of[opcode])
		return false;
	for (const char *kind = operands_of[opcode]; *kind; kind++)
		if (!read_operand(at, end, *kind, address_encoding, operands++))
			return false;
	return true;
}

/* Whether libdw carries out the instructions in time and memory in proportion to their size. */
static bool is_harmless(const u8 *begin, const u8 *end, u8 address_encoding)
{
	unsigned int remembered = 0;

	if (end < begin || end - begin > PROGRAM_MAX)
		return false;
	for (const u8 *at = begin; at < end;) {
		struct cfi_instruction next;

		if (!cfi_read_instruction(&at, end, address_encoding, &next))
			return false;
		if (next.opcode == DW_CFA_remember_state && ++remembered > REMEMBERED_MAX)
			return false;
		if (next.opcode == DW_CFA_restore_state && remembered)
			remembered--;
	}
	return true;
}

/* A return address is looked up one byte before itself. */
#define RETURN_BEFORE 1
/*
 * As long as the system call has not returned, the instruction behind it is the next one. On x86-64
 * another function that nobody describes may begin there.
 */
#define RETURN_BEHIND 1
/* Entries between two looks at whether the work is cancelled. */
#define CANCEL_EVERY 1024
/* DWARF's number of the return address on x86-64. */
#define X86_64_RETURN 16

/**
 * struct cfi_common - a CIE
 * @offset: offset in the frames
 * @encoding: of addresses in its descriptions, DW_EH_PE_*
 * @sized: its descriptions have augmentation data, whose size comes first
 * @refused: its descriptions are refused, too
 * @usual: its instructions
 */
struct cfi_common {
	u64 offset;
	u8 encoding;
	bool sized;
	bool refused;
	struct cfi_usual usual;
};

typedef int (*visit_fn)(struct cfi_file *file, u64 offset, const Dwarf_CFI_Entry *entry);

static const unsigned char ident[EI_NIDENT] = {
	[EI_MAG0] = ELFMAG0,	   [EI_MAG1] = ELFMAG1,	    [EI_MAG2] = ELFMAG2,
	[EI_MAG3] = ELFMAG3,	   [EI_CLASS] = ELFCLASS64, [EI_DATA] = ELFDATA2LSB,
	[EI_VERSION] = EV_CURRENT,
};

/* Calls @visit for each entry, and cuts the frames behind the last entry that can be read. */
static int visit_all(struct cfi_file *file, visit_fn visit, const volatile bool *cancel)
{
	Elf_Data data = { .d_buf = file->frames,
			  .d_type = ELF_T_BYTE,
			  .d_version = EV_CURRENT,
			  .d_size = file->frames_size };
	Dwarf_Off offset = 0, next;
	Dwarf_CFI_Entry entry;

	for (u32 i = 1; offset < file->frames_size; i++, offset = next) {
		if (i % CANCEL_EVERY == 0 && is_cancelled(cancel))
			return -1;
		if (dwarf_next_cfi(ident, &data, file->is_eh, offset, &next, &entry) ||
		    next <= offset || next > file->frames_size)
			break;
		if (visit(file, offset, &entry))
			return -1;
	}
	file->frames_size = offset;
	return 0;
}

static void erase(const u8 *begin, const u8 *end)
{
	memset((u8 *)begin, 0, end - begin);
}

/* Sets @common from the augmentation. False: it has a letter that is not known. */
static bool read_augmentation(struct cfi_common *common, const Dwarf_CIE *cie)
{
	const char *letter = cie->augmentation;
	const u8 *at = cie->augmentation_data;
	const u8 *end = cie->initial_instructions_end;

	common->encoding = DW_EH_PE_absptr;
	if (*letter != 'z')
		return !*letter;
	common->sized = true;
	while (*++letter) {
		switch (*letter) {
		case 'R':
			if (!at || at >= end)
				return false;
			common->encoding = *at++;
			break;
		case 'L':
			at++;
			break;
		case 'P':
			if (!at || at >= end || !encoded_size(*at))
				return false;
			at += 1 + encoded_size(*at);
			break;
		case 'S': /* the frame of a signal's handler */
		case 'B': /* aarch64: the key that signs return addresses */
			break;
		default:
			return false;
		}
	}
	return true;
}

/* Whether the CIE is for x86-64 and its augmentation says nothing about frames. */
static bool is_plain(const struct cfi_file *file, const Dwarf_CIE *cie)
{
	return file->arch == GAPP_ARCH_X86_64 && cie->return_address_register == X86_64_RETURN &&
	       strspn(cie->augmentation, "zRLP") == strlen(cie->augmentation);
}

static int note_common(struct cfi_file *file, u64 offset, const Dwarf_CFI_Entry *entry)
{
	const Dwarf_CIE *cie = &entry->cie;
	struct cfi_common common = { .offset = offset };

	if (!dwarf_cfi_cie_p(entry))
		return 0;
	if (array_grow(&file->commons, &file->common_room, file->common_count, sizeof(common)))
		return -1;
	common.refused = !read_augmentation(&common, cie) ||
			 !is_harmless(cie->initial_instructions, cie->initial_instructions_end,
				      common.encoding);
	if (common.refused)
		erase(cie->initial_instructions, cie->initial_instructions_end);
	else if (is_plain(file, cie))
		cfi_usual_set(&common.usual, cie->code_alignment_factor, cie->data_alignment_factor,
			      cie->initial_instructions, cie->initial_instructions_end);
	file->commons[file->common_count++] = common;
	return 0;
}

static const struct cfi_common *find_common(const struct cfi_file *file, u64 offset)
{
	size_t count =
		count_up_to(file->commons, file->common_count, sizeof(*file->commons), offset);
	const struct cfi_common *last = count ? &file->commons[count - 1] : NULL;

	return last && last->offset == offset ? last : NULL;
}

/* Sets the addresses of @range, and *@at to the instructions. False: the entry is damaged. */
static bool read_range(const struct cfi_file *file, const struct cfi_common *common, const u8 **at,
		       const u8 *end, struct cfi_range *range)
{
	size_t size = encoded_size(common->encoding);
	u64 where = file->frames_address + (*at - file->frames), bytes;
	u8 base = common->encoding & 0xf0;
	bool is_signed = common->encoding & DW_EH_PE_signed;

	if (!size || (size_t)(end - *at) < 2 * size ||
	    (base != DW_EH_PE_absptr && base != DW_EH_PE_pcrel))
		return false;
	range->begin = read_little_endian(*at, size, is_signed);
	if (base == DW_EH_PE_pcrel)
		range->begin += where;
	range->end = range->begin + read_little_endian(*at + size, size, is_signed);
	*at += 2 * size;
	return !common->sized || (read_unsigned(at, end, &bytes) && skip(at, end, bytes));
}

static int add_range(struct cfi_file *file, const struct cfi_range *range)
{
	if (array_grow(&file->ranges, &file->range_room, file->range_count, sizeof(*range)))
		return -1;
	file->ranges[file->range_count++] = *range;
	return 0;
}

static int note_range(struct cfi_file *file, u64 offset, const Dwarf_CFI_Entry *entry)
{
	const Dwarf_FDE *fde = &entry->fde;
	struct cfi_range range = { .offset = offset };
	const struct cfi_common *common;
	const u8 *at = fde->start;
	bool readable;

	if (dwarf_cfi_cie_p(entry))
		return 0;
	common = find_common(file, fde->CIE_pointer);
	readable = common && read_range(file, common, &at, fde->end, &range);
	range.refused = !readable || common->refused ||
			!is_harmless(at, fde->end, common->encoding);
	if (range.refused)
		erase(fde->start, fde->end);
	else
		range.program_bytes = fde->end - at;
	range.program = at;
	range.usual = range.refused ? NULL : &common->usual;
	if (!readable || range.end <= range.begin || !cfi_file_is_code(file, range.begin))
		return 0;
	return add_range(file, &range);
}

static int compare_ranges(const void *a, const void *b)
{
	const struct cfi_range *one = a, *other = b;

	if (one->begin != other->begin)
		return one->begin < other->begin ? -1 : 1;
	if (one->end != other->end)
		return one->end < other->end ? -1 : 1;
	return (int)one->refused - (int)other->refused;
}

static bool is_described(const struct cfi_file *file, u64 address)
{
	for (u32 i = 0; i < file->described; i++) {
		const struct cfi_range *range = &file->ranges[i];

		if (address - range->begin < range->end - range->begin)
			return true;
	}
	return false;
}

static int add_returns(struct cfi_file *file)
{
	for (u32 i = 0; i < file->return_count; i++) {
		u64 at = file->returns[i];
		struct cfi_range range = { .begin = at,
					   .end = at + file->return_bytes,
					   .by_code = true };

		if (is_described(file, at))
			continue;
		if (at && !is_described(file, at - RETURN_BEFORE))
			range.begin -= RETURN_BEFORE;
		if (file->arch == GAPP_ARCH_AARCH64 && !is_described(file, range.end))
			range.end += RETURN_BEHIND;
		if (add_range(file, &range))
			return -1;
	}
	return 0;
}

int cfi_entries_read(struct cfi_file *file, const volatile bool *cancel)
{
	/* first all CIEs, because in .debug_frame one may follow its descriptions */
	if (file->frames &&
	    (visit_all(file, note_common, cancel) || visit_all(file, note_range, cancel)))
		return -1;
	file->described = file->range_count;
	if (add_returns(file))
		return -1;
	if (file->range_count)
		qsort(file->ranges, file->range_count, sizeof(*file->ranges), compare_ranges);
	return 0;
}
