// SPDX-License-Identifier: GPL-2.0
#include "space.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>

#include "unwind-table/unwind_table.h"

#define MAX_FILES 4096
#define MAX_VDSO (256U << 10)

/**
 * struct object - a file that was mapped somewhere
 * @device: where it is
 * @inode: likewise; 0: the vdso
 * @name: its path when it was met first
 * @compiled: its table and segments
 * @table: the same, opened
 * @usable: there is one
 */
struct object {
	dev_t device;
	ino_t inode;
	char *name;
	struct code_table compiled;
	struct gapp_table table;
	bool usable;
};

static struct object objects[MAX_FILES];
static u32 object_count;
static bool broken;

bool read_memory(pid_t pid, void *to, u64 address, size_t bytes)
{
	struct iovec local = { to, bytes }, remote = { (void *)(uintptr_t)address, bytes };

	return process_vm_readv(pid, &local, 1, &remote, 1, 0) == (ssize_t)bytes;
}

void space_break_tables(void)
{
	broken = true;
}

/* A table's rules come right behind its head. */
static void break_table(struct code_table *compiled)
{
	struct gapp_rule *rules = (struct gapp_rule *)(compiled->data + 1);
	u32 i;

	for (i = 0; i < compiled->data->rules; i++)
		if (rules[i].cfa == GAPP_CFA_SP && rules[i].cfa_offset > 24)
			rules[i].cfa_offset += 8;
}

static void compile(struct object *object, int fd)
{
	if (code_table_compile(&object->compiled, fd, NULL))
		return;
	if (!object->compiled.data)
		return;
	if (broken)
		break_table(&object->compiled);
	object->usable =
		gapp_table_open(&object->table, object->compiled.data, object->compiled.bytes);
	if (!object->usable)
		printf("# %s: its table is not valid\n", object->name);
}

/* The vdso is no file, but the memory of one. */
static int copy_vdso(pid_t pid, u64 start, u64 end)
{
	_cleanup_free_ char *image = NULL;
	int fd;

	if (end - start > MAX_VDSO)
		return -1;
	image = malloc(end - start);
	if (!image || !read_memory(pid, image, start, end - start))
		return -1;
	fd = memfd_create("vdso", MFD_CLOEXEC);
	if (fd >= 0 && write(fd, image, end - start) != (ssize_t)(end - start)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* The mapping and not the name, which may be another file's by now; but that takes privilege. */
static int open_mapped(pid_t pid, u64 start, u64 end, dev_t device, ino_t inode, const char *name)
{
	struct stat status;
	char link[64];
	int fd;

	snprintf(link, sizeof(link), "/proc/%d/map_files/%llx-%llx", pid, start, end);
	fd = open(link, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		return fd;
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && (fstat(fd, &status) || status.st_ino != inode || status.st_dev != device)) {
		close(fd);
		return -1;
	}
	return fd;
}

static struct object *object_of(pid_t pid, u64 start, u64 end, dev_t device, ino_t inode,
				const char *name)
{
	_cleanup_close_ int fd = -1;
	struct object *object;
	u32 i;

	for (i = 0; i < object_count; i++)
		if (objects[i].inode == inode && objects[i].device == device)
			return &objects[i];
	if (object_count == MAX_FILES)
		return NULL;
	fd = inode ? open_mapped(pid, start, end, device, inode, name) : copy_vdso(pid, start, end);
	if (fd < 0)
		return NULL;
	object = &objects[object_count];
	object->name = strdup(name);
	if (!object->name)
		return NULL;
	object->device = device;
	object->inode = inode;
	object_count++;
	compile(object, fd);
	return object;
}

static int add_code(struct space *space, const struct gapp_unwind_mapping *code, const char *name)
{
	if (space->count == space->room) {
		u32 room = space->room ? 2 * space->room : 64;
		struct gapp_unwind_mapping *larger = realloc(space->code, room * sizeof(*larger));
		const char **names;

		if (!larger)
			return -1;
		space->code = larger;
		names = realloc(space->names, room * sizeof(*names));
		if (!names)
			return -1;
		space->names = names;
		space->room = room;
	}
	space->names[space->count] = name;
	space->code[space->count++] = *code;
	return 0;
}

static int add_line(struct space *space, pid_t pid, const char *line)
{
	unsigned int major, minor;
	struct object *object = NULL;
	struct gapp_unwind_mapping code = { 0 };
	u64 start, end, offset, inode;
	char access[5], name[1024] = "";
	const char *shown = "generated";
	bool is_vdso;

	if (sscanf(line, "%llx-%llx %4s %llx %x:%x %llu %1023[^\n]", &start, &end, access, &offset,
		   &major, &minor, &inode, name) < 7)
		return 0;
	if (access[2] != 'x' || end > LIVE_LIMIT)
		return 0;
	is_vdso = !strcmp(name, "[vdso]");
	if (inode || is_vdso)
		object = object_of(pid, start, end, makedev(major, minor), inode, name);
	code.begin = start;
	code.end = end;
	if (object) {
		shown = object->name;
		if (object->usable &&
		    code_table_bias(&object->compiled, start, is_vdso ? 0 : offset, &code.bias))
			code.table = &object->table;
	}
	return add_code(space, &code, shown);
}

int space_read(struct space *space, pid_t pid)
{
	_cleanup_free_ char *line = NULL;
	size_t size = 0;
	char path[64];
	FILE *maps;
	int result = 0;

	space->count = 0;
	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	maps = fopen(path, "re");
	if (!maps)
		return -1;
	while (!result && getline(&line, &size, maps) > 0)
		result = add_line(space, pid, line);
	fclose(maps);
	return result;
}

void space_free(struct space *space)
{
	free(space->code);
	free(space->names);
	*space = (struct space){ 0 };
}

int space_find(const struct space *space, u64 address)
{
	u32 i;

	for (i = 0; i < space->count; i++)
		if (address >= space->code[i].begin && address < space->code[i].end)
			return i;
	return -1;
}

const struct gapp_rule *space_rule(const struct space *space, u64 address)
{
	int i = space_find(space, address);

	if (i < 0 || !space->code[i].table)
		return NULL;
	return gapp_table_find(space->code[i].table, address - space->code[i].bias);
}

void space_name(const struct space *space, u64 address, char *to, size_t size)
{
	int i = space_find(space, address);

	if (i < 0)
		snprintf(to, size, "nothing+%#llx", address);
	else
		snprintf(to, size, "%s+%#llx", space->names[i], address - space->code[i].bias);
}

static bool copy(void *context, void *to, u64 address, u32 bytes)
{
	return read_memory(*(const pid_t *)context, to, address, bytes);
}

static void take_registers(struct gapp_regs *to, const struct user_regs_struct *from)
{
	const u64 values[] = { from->rax, from->rdx, from->rcx, from->rbx, from->rsi, from->rdi,
			       from->rbp, from->rsp, from->r8,	from->r9,  from->r10, from->r11,
			       from->r12, from->r13, from->r14, from->r15, from->rip };

	memcpy(to->value, values, sizeof(values));
	to->valid = (1U << ARRAY_SIZE(values)) - 1;
}

void space_walk(const struct space *space, const struct thread *thread, struct path *path)
{
	pid_t pid = thread->tgid;
	struct gapp_unwind walk = {
		.window = { .copy = copy, .context = &pid, .limit = LIVE_LIMIT },
		.arch = GAPP_ARCH_X86_64,
		.mappings = space->code,
		.mapping_count = space->count,
	};

	take_registers(&walk.regs, &thread->regs);
	path->count = gapp_unwind(&walk, path->frames, LIVE_FRAMES, &path->end);
	path->whole = path->end == GAPP_UNWIND_COMPLETE || path->end == GAPP_UNWIND_FULL;
	path->by_fp = walk.by_fp;
}

void space_tables(u32 *files, u64 *bytes)
{
	u32 i;

	*files = 0;
	*bytes = 0;
	for (i = 0; i < object_count; i++) {
		*files += objects[i].usable;
		*bytes += objects[i].usable ? objects[i].compiled.bytes : 0;
	}
}

void space_drop_tables(void)
{
	u32 i;

	for (i = 0; i < object_count; i++) {
		code_table_free(&objects[i].compiled);
		free(objects[i].name);
	}
	object_count = 0;
}
