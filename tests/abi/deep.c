// SPDX-License-Identifier: GPL-2.0
#include "deep.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "memory.h"

/* The first frame above the innermost one, in the area. */
#define FIRST_FRAME 1024U
/* The innermost function's stack pointer is so far below. */
#define INNER_BYTES 16
#define MAPPINGS 128U
#define CODE_BYTES (MAPPINGS * GAPP_TABLE_PAGE)
#define WHY_BYTES 4096U

const char *const d_names[D_MEMORIES] = {
	[D_PLAIN] = "plain memory",
	[D_HUGE] = "huge pages",
	[D_AWAY] = "memory that is not in the page table",
	[D_SWAPPED] = "memory that is swapped out",
	[D_DEVICE] = "memory of a device",
};

static bool is_here_in_part(const struct d_stack *stack)
{
	return stack->memory != D_PLAIN && stack->memory != D_HUGE;
}

static u64 *frame(const struct d_stack *stack, u32 number)
{
	return (u64 *)(stack->area + FIRST_FRAME + (size_t)number * D_STRIDE);
}

/* Neighbours in no mapping, nor in a row. */
static u64 return_address(const struct d_stack *stack, u32 number)
{
	return (uintptr_t)stack->code + number * 37 % MAPPINGS * GAPP_TABLE_PAGE +
	       number * 4099 % 65000 + 64;
}

static void fill(const struct d_stack *stack)
{
	for (u32 i = 0; i < D_FRAMES; i++) {
		frame(stack, i)[0] = (uintptr_t)frame(stack, i + 1);
		frame(stack, i)[1] = return_address(stack, i);
	}
	memset(frame(stack, D_FRAMES), 0, 2 * sizeof(u64));
}

static u8 *map(const struct d_stack *stack, u32 at, int flags, int fd, u64 offset)
{
	u8 *memory = mmap(stack->area + at, D_AREA_BYTES - at, PROT_READ | PROT_WRITE,
			  MAP_FIXED | flags, fd, offset);

	return memory == MAP_FAILED ? NULL : memory;
}

static u8 *map_away(const struct d_stack *stack)
{
	return map(stack, D_HERE, MAP_SHARED, m_file(D_AREA_BYTES), 0);
}

static u8 *map_device(const struct d_stack *stack)
{
	int fd = open("/dev/mem", O_RDWR | O_SYNC | O_CLOEXEC);

	return stack->device && fd >= 0 ? map(stack, D_HERE, MAP_SHARED, fd, stack->device) : NULL;
}

/* Moves what is not to be here; false: it stays. */
static bool leave(u8 *memory, bool file)
{
	madvise(memory, D_AREA_BYTES - D_HERE, MADV_PAGEOUT);
	if (file && m_is_present(memory))
		madvise(memory, D_AREA_BYTES - D_HERE, MADV_DONTNEED);
	return !m_is_present(memory);
}

/* Returns why not; NULL: it is made. */
static const char *prepare(const struct d_stack *stack)
{
	u8 *rest = NULL;

	if (!map(stack, 0, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
		t_die("mmap");
	switch (stack->memory) {
	case D_HUGE:
		madvise(stack->area, D_AREA_BYTES, MADV_HUGEPAGE);
		break;
	case D_AWAY:
		rest = map_away(stack);
		break;
	case D_SWAPPED:
		rest = stack->area + D_HERE;
		break;
	case D_DEVICE:
		if (!map_device(stack))
			return "/dev/mem, or memory to be had from it, is missing";
		break;
	default:
		break;
	}
	fill(stack);
	if (stack->memory == D_HUGE && !m_is_huge(stack->area))
		return "no huge pages here";
	if (rest && !leave(rest, stack->memory == D_AWAY))
		return stack->memory == D_SWAPPED ? "no swap here" : "it stays";
	return NULL;
}

static u8 *reserve(size_t bytes)
{
	u8 *memory =
		mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (memory == MAP_FAILED)
		t_die("mmap");
	return memory;
}

void d_make(struct d_stack *stack, enum d_memory memory, u64 device)
{
	*stack = (struct d_stack){ .memory = memory, .device = device };
	f_make(&stack->scene);
	stack->scene.start = f_start_swap;
	/* at a multiple of its size, for a huge page */
	stack->area = reserve(2 * D_AREA_BYTES);
	stack->area += -(uintptr_t)stack->area % D_AREA_BYTES;
	stack->code = reserve(CODE_BYTES);
	stack->why =
		mmap(NULL, WHY_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (stack->why == MAP_FAILED)
		t_die("mmap");
	stack->scene.stage->rsp = (uintptr_t)frame(stack, 0) - INNER_BYTES;
	stack->scene.stage->rbp = (uintptr_t)frame(stack, 0);
}

u32 d_frames(const struct d_stack *stack)
{
	return is_here_in_part(stack) && !stack->why[0] ?
		       1 + (D_HERE - FIRST_FRAME) / D_STRIDE + 1 :
		       1 + D_FRAMES;
}

void d_prepare(struct d_stack *stack)
{
	const char *why = prepare(stack);

	if (why)
		strcpy(stack->why, why);
}

void d_sit(struct d_stack *stack, int fd)
{
	f_sit(&stack->scene, fd);
}

/* As each frame here is: the caller's frame pointer and the return address end it. */
static struct gapp_rule rule(s32 bytes)
{
	return (struct gapp_rule){ .cfa = GAPP_CFA_SP,
				   .cfa_offset = bytes,
				   .ra_offset = -8,
				   .fp = GAPP_FP_CFA,
				   .fp_offset = -16 };
}

static u32 load(int fd, const void *data, u64 bytes)
{
	int number = f_load(fd, data, bytes);

	if (number < 0) {
		errno = -number;
		t_die("LOAD_TABLE");
	}
	return number;
}

void d_load(int fd, struct d_tables *tables)
{
	struct f_table inner = f_table();
	struct gapp_table_head *frames;
	u64 bytes;

	inner.rules[F_RULE_SWAP] = rule(INNER_BYTES + 16);
	tables->inner = load(fd, &inner, sizeof(inner));
	frames = f_large(1, 0, &bytes);
	*(struct gapp_rule *)(frames + 1) = rule(D_STRIDE);
	tables->frames = load(fd, frames, bytes);
	free(frames);
}

static struct gapp_mapping mapping(const u8 *code, u32 bytes, u32 table)
{
	const u64 begin = (uintptr_t)code;

	return (struct gapp_mapping){
		.begin = begin, .end = begin + bytes, .bias = begin, .table = table
	};
}

int d_tell(int fd, pid_t pid, const struct d_stack *stack, const struct d_tables *tables)
{
	const bool above = stack->scene.code > stack->code;
	struct gapp_mapping maps[MAPPINGS + 1];
	struct gapp_mapping *next = maps;
	u32 image;
	int ret;

	if (!above)
		*next++ = mapping(stack->scene.code, F_CODE_BYTES, tables->inner);
	for (u32 i = 0; i < MAPPINGS; i++)
		*next++ = mapping(stack->code + (size_t)i * GAPP_TABLE_PAGE, GAPP_TABLE_PAGE,
				  tables->frames);
	if (above)
		*next++ = mapping(stack->scene.code, F_CODE_BYTES, tables->inner);
	ret = f_set(fd, pid, &image, NULL, 0);
	return ret ? ret : f_set(fd, pid, &image, maps, MAPPINGS + 1);
}
