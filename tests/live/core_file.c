// SPDX-License-Identifier: GPL-2.0
#include "core_file.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/procfs.h>

#define MAX_RANGES 4096
#define MAX_NOTES 1048576U
#define MAX_COPY (512ULL << 20)
#define PAGE 4096ULL

/**
 * struct range - mapped memory
 * @start: address
 * @end: behind it
 * @offset: in its file
 * @flags: PF_*
 * @copied: its bytes go into the core file
 * @name: its file's; empty: it has none
 */
struct range {
	u64 start, end, offset;
	u32 flags;
	bool copied;
	char name[256];
};

/**
 * struct core - what is being written
 * @ranges: memory
 * @count: how many
 * @notes: the notes
 * @note_bytes: how much of them there is
 */
struct core {
	struct range ranges[MAX_RANGES];
	u32 count;
	u8 notes[MAX_NOTES];
	u32 note_bytes;
};

/* A line of smaps that begins a range; false: it says something of the one before. */
static bool begin_range(struct range *range, const char *line)
{
	struct range next = { 0 };
	char access[5], *end;
	int name_at = 0;

	if (sscanf(line, "%llx-%llx %4s %llx %*x:%*x %*u %n", &next.start, &next.end, access,
		   &next.offset, &name_at) < 4)
		return false;
	if (line[name_at] == '/')
		snprintf(next.name, sizeof(next.name), "%.255s", line + name_at);
	end = strchr(next.name, '\n');
	if (end)
		*end = '\0';
	next.flags |= access[0] == 'r' ? PF_R : 0;
	next.flags |= access[1] == 'w' ? PF_W : 0;
	next.flags |= access[2] == 'x' ? PF_X : 0;
	next.copied = access[1] == 'w' || !next.name[0];
	*range = next;
	return true;
}

static void add_range(struct core *core, const struct range *range)
{
	if (core->count < MAX_RANGES && range->end <= LIVE_LIMIT && range->flags & PF_R)
		core->ranges[core->count++] = *range;
}

/* What is still as its file has it, the debugger reads there. */
static int read_ranges(struct core *core, pid_t pid)
{
	struct range range = { 0 };
	char path[64], line[1024];
	u64 anonymous;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/smaps", pid);
	maps = fopen(path, "re");
	if (!maps)
		return -1;
	while (fgets(line, sizeof(line), maps)) {
		struct range next;

		if (begin_range(&next, line)) {
			add_range(core, &range);
			range = next;
		} else if (sscanf(line, "Anonymous: %llu", &anonymous) == 1 && anonymous) {
			range.copied = true;
		}
	}
	add_range(core, &range);
	fclose(maps);
	return 0;
}

static void *add_note(struct core *core, u32 type, u32 bytes)
{
	Elf64_Nhdr head = { .n_namesz = 5, .n_descsz = bytes, .n_type = type };
	u32 room = sizeof(head) + 8 + (bytes + 3) / 4 * 4;
	u8 *at = core->notes + core->note_bytes;

	if (room > MAX_NOTES - core->note_bytes)
		return NULL;
	memset(at, 0, room);
	memcpy(at, &head, sizeof(head));
	memcpy(at + sizeof(head), "CORE", 5);
	core->note_bytes += room;
	return at + sizeof(head) + 8;
}

static int note_registers(struct core *core, const struct thread *thread)
{
	struct elf_prstatus *status = add_note(core, NT_PRSTATUS, sizeof(*status));

	if (!status)
		return -1;
	status->pr_pid = thread->tid;
	memcpy(&status->pr_reg, &thread->regs, sizeof(thread->regs));
	return 0;
}

static int note_auxv(struct core *core, pid_t pid)
{
	_cleanup_close_ int fd = -1;
	char path[64];
	u8 auxv[1024];
	ssize_t bytes;
	void *to;

	snprintf(path, sizeof(path), "/proc/%d/auxv", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	bytes = fd < 0 ? -1 : read(fd, auxv, sizeof(auxv));
	if (bytes <= 0)
		return -1;
	to = add_note(core, NT_AUXV, bytes);
	if (!to)
		return -1;
	memcpy(to, auxv, bytes);
	return 0;
}

/* Count, page size; of each its start, end and page in the file; then the names. */
static int note_files(struct core *core)
{
	u32 i, files = 0, bytes = 0;
	char *name;
	u64 *to;

	for (i = 0; i < core->count; i++) {
		if (!core->ranges[i].name[0])
			continue;
		files++;
		bytes += strlen(core->ranges[i].name) + 1;
	}
	to = add_note(core, NT_FILE, (2 + 3 * files) * sizeof(*to) + bytes);
	if (!to)
		return -1;
	name = (char *)(to + 2 + 3 * files);
	*to++ = files;
	*to++ = PAGE;
	for (i = 0; i < core->count; i++) {
		const struct range *range = &core->ranges[i];

		if (!range->name[0])
			continue;
		*to++ = range->start;
		*to++ = range->end;
		*to++ = range->offset / PAGE;
		name = stpcpy(name, range->name) + 1;
	}
	return 0;
}

/* Pages that cannot be read, or are zero, become holes. */
static int copy_range(int fd, pid_t pid, const struct range *range, u64 offset)
{
	static const u8 zero[PAGE];
	u8 page[PAGE];
	u64 at;

	for (at = range->start; at < range->end; at += PAGE) {
		if (!read_memory(pid, page, at, PAGE) || !memcmp(page, zero, PAGE))
			continue;
		if (pwrite(fd, page, PAGE, offset + at - range->start) != PAGE)
			return -1;
	}
	return 0;
}

static int write_core(int fd, struct core *core, pid_t pid)
{
	Elf64_Ehdr head = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			     EV_CURRENT },
		.e_type = ET_CORE,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(head),
		.e_ehsize = sizeof(head),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = core->count + 1,
	};
	u64 offset = sizeof(head) + head.e_phnum * sizeof(Elf64_Phdr), copied = 0;
	Elf64_Phdr part = { .p_type = PT_NOTE, .p_offset = offset, .p_filesz = core->note_bytes };
	u32 i;

	if (pwrite(fd, &head, sizeof(head), 0) != sizeof(head) ||
	    pwrite(fd, &part, sizeof(part), head.e_phoff) != sizeof(part) ||
	    pwrite(fd, core->notes, core->note_bytes, offset) != (ssize_t)core->note_bytes)
		return -1;
	offset = (offset + core->note_bytes + PAGE - 1) / PAGE * PAGE;
	for (i = 0; i < core->count; i++) {
		const struct range *range = &core->ranges[i];
		u64 bytes = range->end - range->start;

		if (range->copied)
			copied += bytes;
		part = (Elf64_Phdr){
			.p_type = PT_LOAD,
			.p_flags = range->flags,
			.p_offset = offset,
			.p_vaddr = range->start,
			.p_filesz = range->copied && copied <= MAX_COPY ? bytes : 0,
			.p_memsz = bytes,
			.p_align = PAGE,
		};
		if (pwrite(fd, &part, sizeof(part), head.e_phoff + (i + 1) * sizeof(part)) !=
		    sizeof(part))
			return -1;
		if (part.p_filesz && copy_range(fd, pid, range, offset))
			return -1;
		offset += part.p_filesz;
	}
	return ftruncate(fd, offset);
}

int core_file_write(int fd, const struct thread *thread)
{
	_cleanup_free_ struct core *core = calloc(1, sizeof(*core));

	if (!core)
		return -1;
	if (read_ranges(core, thread->tgid) || note_registers(core, thread) ||
	    note_auxv(core, thread->tgid) || note_files(core))
		return -1;
	return write_core(fd, core, thread->tgid);
}
