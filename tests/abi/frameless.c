// SPDX-License-Identifier: GPL-2.0
#include "frameless.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define OUTER_FRAME 0x138
#define MIDDLE_FRAME 0x20
#define INNER_FRAME 0x40
#define EXEC_MAPS 64
#define GUARD_BYTES 65536U
#define END_OF_USER 0x800000000000ULL

__asm__(".pushsection .text\n"
	"	.balign 16\n"
	".macro load_all\n"
	"	mov 8(%r15), %rdi\n"
	"	mov 16(%r15), %rsi\n"
	"	mov 24(%r15), %rdx\n"
	"	mov 32(%r15), %r10\n"
	"	mov 40(%r15), %r8\n"
	"	mov 48(%r15), %r9\n"
	"	mov 56(%r15), %rbx\n"
	"	mov 64(%r15), %rbp\n"
	"	mov 72(%r15), %r12\n"
	"	mov 80(%r15), %r13\n"
	"	mov 88(%r15), %r14\n"
	"	mov (%r15), %rax\n"
	".endm\n"
	"	.globl f_begin, f_start, f_start_back, f_outer_back, f_middle_back, f_inner\n"
	"	.globl f_inner_back, f_start_swap, f_start_swap_back, f_swap, f_swap_back\n"
	"	.globl f_leave, f_leave_back, f_left, f_end\n"
	"f_begin:\n"
	"f_start:\n"
	"	call f_outer\n"
	"f_start_back:\n"
	"	ud2\n"
	"f_start_swap:\n"
	"	call f_swap\n"
	"f_start_swap_back:\n"
	"	ud2\n"
	"f_outer:\n"
	"	push %rbp\n"
	"	mov $-3, %rbp\n" /* whoever follows it is lost */
	"	sub $0x128, %rsp\n"
	"	call f_middle\n"
	"f_outer_back:\n"
	"	ud2\n"
	"f_middle:\n"
	"	push %rbx\n"
	"	push %r12\n"
	"	sub $8, %rsp\n"
	"	call f_inner\n"
	"f_middle_back:\n"
	"	ud2\n"
	"f_inner:\n"
	"	sub $0x38, %rsp\n"
	"1:\n"
	"	load_all\n"
	"	syscall\n"
	"f_inner_back:\n"
	"	jmp 1b\n"
	"f_swap:\n"
	"	mov %rsp, 104(%r15)\n"
	"1:\n"
	"	load_all\n"
	"	mov 96(%r15), %rsp\n"
	"	syscall\n"
	"f_swap_back:\n"
	"	mov 104(%r15), %rsp\n"
	"	jmp 1b\n"
	"f_leave:\n"
	"	mov 112(%r15), %rdi\n"
	"	mov 120(%r15), %rsi\n"
	"	mov $11, %eax\n"
	"	syscall\n"
	"f_leave_back:\n"
	"	xor %edi, %edi\n"
	"	mov $60, %eax\n"
	"	syscall\n"
	"f_left:\n"
	"	ud2\n"
	"f_end:\n"
	"	.globl f_jump\n"
	"f_jump:\n"
	"	mov %rdi, %r15\n"
	"	mov %rsi, %rsp\n"
	"	jmp *%rdx\n"
	"	.popsection\n");

void f_jump(struct f_stage *stage, void *stack, u64 start) __attribute__((noreturn));

_Static_assert(offsetof(struct f_stage, rsp) == 96, "f_stage");
_Static_assert(offsetof(struct f_stage, unmap_bytes) == 120, "f_stage");

static void *memory(size_t bytes, int protection, int flags)
{
	void *at = mmap(NULL, bytes, protection, flags | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		t_die("mmap");
	return at;
}

void f_make(struct f_scene *scene)
{
	memset(scene, 0, sizeof(*scene));
	scene->code = memory(F_CODE_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE);
	memcpy(scene->code, f_begin, f_end - f_begin);
	scene->stage = memory(4096, PROT_READ | PROT_WRITE, MAP_SHARED);
	scene->stack = memory(F_STACK_BYTES + GUARD_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE);
	mprotect(scene->stack + F_STACK_BYTES, GUARD_BYTES, PROT_NONE);
	memset(scene->stack, 0, F_STACK_BYTES); /* so that all of it is in memory */
	scene->start = f_start;
	*scene->stage = (struct f_stage){
		.r8 = 0x0808080808080808,
		.r9 = 0x0909090909090909,
		.r10 = 0x1010101010101010,
		.rbx = 0x0b0b0b0b0b0b0b0b,
		.rbp = 0x0505050505050505,
		.r12 = 0x1212121212121212,
		.r13 = 0x1313131313131313,
		.r14 = 0x1414141414141414,
	};
}

void f_unmake(struct f_scene *scene)
{
	munmap(scene->code, F_CODE_BYTES);
	munmap(scene->stage, 4096);
	munmap(scene->stack, F_STACK_BYTES + GUARD_BYTES);
}

u64 f_at(const struct f_scene *scene, const u8 *label)
{
	return (uintptr_t)scene->code + (label - f_begin);
}

void f_frames(const struct f_scene *scene, u64 *frames)
{
	frames[0] = f_at(scene, f_inner_back);
	frames[1] = f_at(scene, f_middle_back);
	frames[2] = f_at(scene, f_outer_back);
	frames[3] = f_at(scene, f_start_back);
}

static struct gapp_row row(const u8 *label, enum f_rule rule)
{
	return (struct gapp_row){ .low = label - f_begin, .rule = rule };
}

static struct gapp_rule above_sp(s32 cfa)
{
	return (struct gapp_rule){ .cfa = GAPP_CFA_SP, .cfa_offset = cfa, .ra_offset = -8 };
}

struct f_table f_table(void)
{
	struct f_table table = {
		.head = { .magic = GAPP_TABLE_MAGIC,
			  .version = GAPP_TABLE_VERSION,
			  .arch = GAPP_ARCH_X86_64,
			  .rules = F_RULES,
			  .pages = 1,
			  .rows = F_ROWS },
		.first = { 0, F_ROWS },
		.rules = {
			[F_RULE_END] = { .cfa = GAPP_CFA_END },
			[F_RULE_OUTER] = above_sp(OUTER_FRAME),
			[F_RULE_MIDDLE] = above_sp(MIDDLE_FRAME),
			[F_RULE_INNER] = above_sp(INNER_FRAME),
			[F_RULE_SWAP] = above_sp(8),
		},
		.rows = {
			row(f_start, F_RULE_END),
			row(f_outer, F_RULE_OUTER),
			row(f_middle, F_RULE_MIDDLE),
			row(f_inner, F_RULE_INNER),
			row(f_swap, F_RULE_SWAP),
			row(f_end, F_RULE_END),
		},
	};

	table.rules[F_RULE_OUTER].fp = GAPP_FP_CFA;
	table.rules[F_RULE_OUTER].fp_offset = -16;
	return table;
}

void f_enter(struct f_stage *stage, void *stack, u64 start)
{
	f_jump(stage, stack, start);
}

void f_sit(struct f_scene *scene, int fd)
{
	scene->stage->number = SYS_read;
	scene->stage->rdi = fd;
	scene->stage->rsi = (uintptr_t)&scene->stage->word;
	scene->stage->rdx = 1;
	f_enter(scene->stage, scene->stack + F_STACK_TOP, f_at(scene, scene->start));
}

void f_sits(struct t_child *parent, void *arg)
{
	struct f_scene *scene = arg;

	if (scene->prepare)
		scene->prepare(scene);
	t_tell(parent);
	f_sit(scene, parent->from);
}

int f_ready(void)
{
	struct gapp_config config = t_config(GAPP_LEVEL_CRITICAL);

	config.unwind_by = GAPP_UNWIND_BY_TABLE;
	config.ring_bytes = GAPP_MIN_RING;
	config.paths = GAPP_MIN_PATHS;
	return t_session(&config);
}

int f_load(int fd, const void *data, u64 bytes)
{
	struct gapp_table_load load = { .data = (uintptr_t)data, .bytes = bytes };
	int ret = t_ioctl(fd, GAPP_IOC_LOAD_TABLE, &load);

	return ret ? ret : (int)load.table;
}

struct gapp_table_head *f_large(u32 pages, s32 mark, u64 *bytes)
{
	struct gapp_table_head *head;
	struct gapp_rule *rule;
	struct gapp_row *row;
	u32 *first;

	*bytes = sizeof(*head) + sizeof(*rule) + (pages + 1) * sizeof(*first) +
		 (u64)pages * GAPP_TABLE_PAGE * sizeof(*row);
	head = calloc(1, *bytes);
	if (!head)
		t_die("memory");
	*head = (struct gapp_table_head){ .magic = GAPP_TABLE_MAGIC,
					  .version = GAPP_TABLE_VERSION,
					  .arch = GAPP_ARCH_X86_64,
					  .rules = 1,
					  .pages = pages,
					  .rows = pages * GAPP_TABLE_PAGE };
	rule = (struct gapp_rule *)(head + 1);
	*rule = (struct gapp_rule){ .cfa = GAPP_CFA_SP, .cfa_offset = mark };
	first = (u32 *)(rule + 1);
	for (u32 i = 0; i <= pages; i++)
		first[i] = i * GAPP_TABLE_PAGE;
	row = (struct gapp_row *)(first + pages + 1);
	for (u32 i = 0; i < head->rows; i++)
		row[i].low = i;
	return head;
}

int f_load_marked(int fd, struct gapp_table_head *head, u64 bytes, s32 mark)
{
	((struct gapp_rule *)(head + 1))->cfa_offset = mark;
	return f_load(fd, head, bytes);
}

int f_drop(int fd, u32 table)
{
	struct gapp_table_drop drop = { .table = table };

	return t_ioctl(fd, GAPP_IOC_DROP_TABLE, &drop);
}

int f_set(int fd, pid_t pid, u32 *image, const struct gapp_mapping *maps, u32 count)
{
	struct gapp_mappings set = {
		.pid = pid,
		.image = maps ? *image : 0,
		.maps = (uintptr_t)maps,
		.count = count,
	};
	int ret = t_ioctl(fd, GAPP_IOC_SET_MAPPINGS, &set);

	if (!ret)
		*image = set.image;
	return ret;
}

static struct gapp_mapping map_of(const struct f_scene *scene, u32 table)
{
	u64 begin = (uintptr_t)scene->code;

	return (struct gapp_mapping){
		.begin = begin,
		.end = begin + F_CODE_BYTES,
		.bias = begin,
		.table = table,
	};
}

int f_tell(int fd, pid_t pid, const struct f_scene *scene, u32 table)
{
	struct gapp_mapping map = map_of(scene, table);
	u32 image;
	int ret = f_set(fd, pid, &image, NULL, 0);

	return ret ? ret : f_set(fd, pid, &image, &map, 1);
}

int f_tell_all(int fd, pid_t pid, const struct f_scene *scene, u32 table)
{
	struct gapp_mapping maps[EXEC_MAPS];
	unsigned long long begin, end;
	char path[32], line[512], rights[8];
	u32 image, count = 0;
	int ret = f_set(fd, pid, &image, NULL, 0);
	FILE *file;

	if (ret)
		return ret;
	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	file = fopen(path, "r");
	if (!file)
		t_die(path);
	while (count < EXEC_MAPS && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%llx-%llx %7s", &begin, &end, rights) != 3 || rights[2] != 'x' ||
		    begin >= END_OF_USER)
			continue;
		if (begin == (uintptr_t)scene->code)
			maps[count++] = map_of(scene, table);
		else
			maps[count++] = (struct gapp_mapping){ .begin = begin, .end = end };
	}
	fclose(file);
	return f_set(fd, pid, &image, maps, count);
}
