// SPDX-License-Identifier: GPL-2.0
#include "chains.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>

#include "unwind-table/unwind_table.h"
#include "plan.h"

#define OBJECTS 4
#define FUNCTIONS 1500

struct stack *stacks;
struct gapp_unwind_mapping *code;
u32 code_count;

static struct gapp_unwind_mapping all_code[OBJECTS + 1];
static struct gapp_table tables[OBJECTS + 1];
static struct stack *filling;
static u8 *stack_top;

/* The innermost function. */
static __attribute__((noinline)) long take_stack(const struct step *next, long a, long b)
{
	u64 ip, sp, fp;

	(void)next;
	__asm__ volatile("lea 0(%%rip), %0\n\tmov %%rsp, %1\n\tmov %%rbp, %2"
			 : "=r"(ip), "=r"(sp), "=r"(fp));
	filling->ip = ip;
	filling->sp = sp;
	filling->fp = fp;
	filling->bytes = stack_top - (u8 *)sp;
	if (filling->bytes > STACK_BYTES)
		filling->bytes = STACK_BYTES;
	memcpy(filling->data, (void *)sp, filling->bytes);
	return a + b;
}

static int add_code(const struct dl_phdr_info *info, const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct gapp_table *table = &tables[code_count];
	struct unwind_table compiled;
	int i;

	if (fd < 0 || unwind_table_compile(&compiled, fd, NULL) || !compiled.data ||
	    !gapp_table_open(table, compiled.data, compiled.bytes))
		return -1;
	for (i = 0; i < info->dlpi_phnum; i++) {
		const Elf64_Phdr *part = &info->dlpi_phdr[i];

		if (part->p_type != PT_LOAD || !(part->p_flags & PF_X))
			continue;
		all_code[code_count++] = (struct gapp_unwind_mapping){
			.begin = info->dlpi_addr + part->p_vaddr,
			.end = info->dlpi_addr + part->p_vaddr + part->p_memsz,
			.bias = info->dlpi_addr,
			.table = table,
		};
		return 0;
	}
	return -1;
}

static int see_object(struct dl_phdr_info *info, size_t size, void *unused)
{
	const char *path = info->dlpi_name[0] ? info->dlpi_name : "/proc/self/exe";

	(void)size;
	(void)unused;
	if (code_count > OBJECTS || (info->dlpi_name[0] && !strstr(path, "/object")))
		return 0;
	return add_code(info, path);
}

static int by_address(const void *a, const void *b)
{
	const struct gapp_unwind_mapping *x = a, *y = b;

	return x->begin < y->begin ? -1 : x->begin > y->begin;
}

static plan_call *const *load(const char *folder, int number)
{
	char path[4096], name[32];
	void *object;

	snprintf(path, sizeof(path), "%s/object%d.so", folder, number);
	snprintf(name, sizeof(name), "functions_%d", number);
	object = dlopen(path, RTLD_NOW);
	return object ? dlsym(object, name) : NULL;
}

/*
 * The function of a frame, counted from the outermost. Paths of a program are a tree: the outer
 * quarter is that of all stacks, the next one that of 64 in turn, the next one that of 8.
 */
static plan_call *choose(plan_call *const *functions[OBJECTS], u32 stack, u32 frame)
{
	static const u32 shared_by[] = { STACKS, 64, 8, 1, 1 };
	u64 mix = stack / shared_by[frame / (MOST_FRAMES / 4)] * 64 + frame + 1;

	mix *= 0x9e3779b97f4a7c15ULL;
	mix ^= mix >> 32;
	mix *= 0xd6e8feb86659fd93ULL;
	mix ^= mix >> 32;
	return functions[mix % OBJECTS][mix / OBJECTS % FUNCTIONS];
}

__attribute__((noinline)) int chains_make(const char *folder)
{
	plan_call *const *functions[OBJECTS];
	struct step plan[MOST_FRAMES + 2];
	u8 top[STACK_BYTES / 2];
	u32 i, k;

	for (i = 0; i < OBJECTS; i++) {
		functions[i] = load(folder, i);
		if (!functions[i])
			return -1;
	}
	stacks = calloc(STACKS, sizeof(*stacks));
	if (!stacks)
		return -1;
	memset(top, 0, sizeof(top));
	stack_top = top + sizeof(top) / 2;
	for (i = 0; i < STACKS; i++) {
		for (k = 0; k < MOST_FRAMES + 1; k++)
			plan[k].call = choose(functions, i, k);
		plan[k].call = take_stack;
		filling = &stacks[i];
		plan[0].call(plan + 1, i, k);
	}
	if (dl_iterate_phdr(see_object, NULL) || code_count != OBJECTS + 1)
		return -1;
	code = all_code;
	qsort(code, code_count, sizeof(code[0]), by_address);
	return 0;
}
