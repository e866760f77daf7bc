/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Processes whose stacks take as long to walk as can be, by frame pointers and by tables: each
 * frame is further from the next than one copy reaches, and each return address has a mapping and a
 * row of its own.
 */
#ifndef GAPP_TESTS_ABI_DEEP_H
#define GAPP_TESTS_ABI_DEEP_H

#include "frameless.h"

/* The frames above the innermost one. */
#define D_FRAMES 200U
/* Bytes from one to the next; the module copies 1024 at a time. */
#define D_STRIDE 1040U

enum d_memory {
	D_PLAIN,
	D_HUGE,
	D_AWAY, /* in a file, and not in the page table */
	D_SWAPPED,
	D_DEVICE,
	D_MEMORIES,
};

/**
 * struct d_stack - such a process to be
 * @scene: what it sits in
 * @memory: where its stack lies; the first D_HERE bytes are plain with D_AWAY, D_SWAPPED, D_DEVICE
 * @device: address of memory that is a device's, as /dev/mem knows it; with D_DEVICE
 * @area: the stack; D_AREA_BYTES, reserved before the process is made
 * @code: where its return addresses point: memory that nobody has
 * @why: why it cannot be made; "" if it can; shared with the process
 */
struct d_stack {
	struct f_scene scene;
	enum d_memory memory;
	u64 device;
	u8 *area;
	u8 *code;
	char *why;
};

#define D_HERE 8192U
#define D_AREA_BYTES (2U << 20)

extern const char *const d_names[D_MEMORIES];

void d_make(struct d_stack *stack, enum d_memory memory, u64 device);
/* Frames that are there to be walked, the innermost one included. */
u32 d_frames(const struct d_stack *stack);
/* In the process: makes the stack, or says why it cannot be. */
void d_prepare(struct d_stack *stack);
/* Then: reads words from @fd, for ever, on the stack. */
void d_sit(struct d_stack *stack, int fd) __attribute__((noreturn));
/* The tables of such processes, in a session. */
struct d_tables {
	u32 inner;
	u32 frames;
};

void d_load(int fd, struct d_tables *tables);
/* Tells the session of @pid's mappings; a negative error number, or 0. */
int d_tell(int fd, pid_t pid, const struct d_stack *stack, const struct d_tables *tables);

#endif /* GAPP_TESTS_ABI_DEEP_H */
