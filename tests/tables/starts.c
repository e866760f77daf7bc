// SPDX-License-Identifier: GPL-2.0
#include "starts.h"

#include <dwarf.h>
#include <elfutils/libdw.h>

#define PCREL_SDATA4 (DW_EH_PE_pcrel | DW_EH_PE_sdata4)

static int compare(const void *a, const void *b)
{
	u64 one = *(const u64 *)a, other = *(const u64 *)b;

	return one < other ? -1 : one > other;
}

static s32 word_at(const u8 *at)
{
	s32 word;

	memcpy(&word, at, sizeof(word));
	return word;
}

/* Version, encodings; where .eh_frame is, how many; begin and description of each function. */
static bool read_hdr(struct starts *starts, Elf *elf, const GElf_Phdr *segment)
{
	static const u8 usual[] = { 1, PCREL_SDATA4, DW_EH_PE_udata4,
				    DW_EH_PE_datarel | DW_EH_PE_sdata4 };
	Elf_Data *data =
		elf_getdata_rawchunk(elf, segment->p_offset, segment->p_filesz, ELF_T_BYTE);
	const u8 *bytes = data ? data->d_buf : NULL;
	u32 count;

	if (!bytes || data->d_size < 12 || memcmp(bytes, usual, sizeof(usual)))
		return false;
	count = word_at(bytes + 8);
	if (count > (data->d_size - 12) / 8)
		return false;
	starts->at = calloc(count + 1, sizeof(u64));
	for (u32 i = 0; starts->at && i < count; i++)
		starts->at[starts->count++] = segment->p_vaddr + word_at(bytes + 12 + 8 * i);
	return starts->at;
}

static bool add(struct starts *starts, u64 at)
{
	u64 *more = reallocarray(starts->at, starts->count + 1, sizeof(*more));

	if (!more)
		return false;
	starts->at = more;
	starts->at[starts->count++] = at;
	return true;
}

/* How the addresses of an entry are encoded, by what it has in common with others. */
static u8 encoding_of(const char *ident, Elf_Data *data, bool is_eh, Dwarf_Off common)
{
	const char *letters;
	Dwarf_CFI_Entry entry;
	Dwarf_Off next;
	const u8 *at;

	if (dwarf_next_cfi((const u8 *)ident, data, is_eh, common, &next, &entry) ||
	    !dwarf_cfi_cie_p(&entry))
		return DW_EH_PE_omit;
	letters = entry.cie.augmentation;
	at = entry.cie.augmentation_data;
	for (; *letters && *letters != 'R'; letters++) {
		if (*letters == 'P')
			at += 1 + ((*at & 7) == DW_EH_PE_udata4 ? 4 : 8);
		else if (*letters == 'L')
			at++;
	}
	return *letters ? *at : DW_EH_PE_absptr;
}

static bool read_begin(const u8 *at, u8 encoding, u64 where, u64 *begin)
{
	switch (encoding & 0x0f) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		memcpy(begin, at, sizeof(*begin));
		break;
	case DW_EH_PE_udata4:
		*begin = (u32)word_at(at);
		break;
	case DW_EH_PE_sdata4:
		*begin = word_at(at);
		break;
	default:
		return false;
	}
	if ((encoding & 0xf0) == DW_EH_PE_pcrel)
		*begin += where;
	return (encoding & 0xf0) == DW_EH_PE_pcrel || (encoding & 0xf0) == DW_EH_PE_absptr;
}

static bool read_section(struct starts *starts, Elf *elf, Elf_Scn *scn, const GElf_Shdr *header,
			 bool is_eh)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	const char *ident = elf_getident(elf, NULL);
	Dwarf_Off offset = 0, next;
	Dwarf_CFI_Entry entry;
	u64 begin;

	for (; data && !dwarf_next_cfi((const u8 *)ident, data, is_eh, offset, &next, &entry);
	     offset = next) {
		const u8 *at = entry.fde.start;

		if (dwarf_cfi_cie_p(&entry))
			continue;
		if (!read_begin(at, encoding_of(ident, data, is_eh, entry.fde.CIE_pointer),
				header->sh_addr + (at - (const u8 *)data->d_buf), &begin) ||
		    !add(starts, begin))
			return false;
	}
	return starts->count;
}

static bool read_named(struct starts *starts, Elf *elf, const char *wanted, bool is_eh)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr header;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return false;
	while ((scn = elf_nextscn(elf, scn))) {
		const char *name;

		if (!gelf_getshdr(scn, &header) || header.sh_type == SHT_NOBITS)
			continue;
		if (header.sh_flags & SHF_COMPRESSED && elf_compress(scn, 0, 0) < 0)
			return false;
		name = elf_strptr(elf, names, header.sh_name);
		if (name && !strcmp(name, wanted))
			return read_section(starts, elf, scn, &header, is_eh);
	}
	return false;
}

bool starts_read(struct starts *starts, Elf *elf)
{
	GElf_Phdr segment;
	bool found = false;
	size_t count;

	*starts = (struct starts){ 0 };
	if (elf_getphdrnum(elf, &count))
		return false;
	for (size_t i = 0; !found && i < count; i++) {
		if (gelf_getphdr(elf, i, &segment) && segment.p_type == PT_GNU_EH_FRAME)
			found = read_hdr(starts, elf, &segment);
	}
	if (!found)
		found = read_named(starts, elf, ".eh_frame", true) ||
			read_named(starts, elf, ".debug_frame", false);
	if (starts->count)
		qsort(starts->at, starts->count, sizeof(*starts->at), compare);
	return found;
}
