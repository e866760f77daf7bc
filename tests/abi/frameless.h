/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions made by hand that have no frame pointer and never return, the table that says how to
 * walk them, and a process that sits in them: every word of its stack and every register is known.
 */
#ifndef GAPP_TESTS_ABI_FRAMELESS_H
#define GAPP_TESTS_ABI_FRAMELESS_H

#include <gapp_table.h>

#include "t.h"

/*
 * What the functions load before each system call; r15 points here. Shared with the process, so
 * all can be set while it waits. The assembly knows the offsets.
 */
struct f_stage {
	u64 number; /* of the system call */
	u64 rdi;
	u64 rsi;
	u64 rdx;
	u64 r10;
	u64 r8;
	u64 r9;
	u64 rbx;
	u64 rbp;
	u64 r12;
	u64 r13;
	u64 r14;
	u64 rsp; /* f_swap(): the stack pointer in the system call */
	u64 own_rsp; /* of f_swap() */
	u64 unmap_at; /* f_leave(): what it unmaps before it exits */
	u64 unmap_bytes;
	u64 word; /* room for what is read */
	u64 lacks; /* what the machine does not have, a bit each */
	s32 pid; /* of the process that sits there, if it is not the first one */
};

/* f_start() calls f_outer(), that f_middle(), that f_inner(), which does the system calls. */
extern const u8 f_begin[], f_start[], f_start_back[], f_outer[], f_outer_back[], f_middle[],
	f_middle_back[], f_inner[], f_inner_back[], f_end[];
/* f_start_swap() calls f_swap(), which does them with another stack pointer. */
extern const u8 f_start_swap[], f_start_swap_back[], f_swap[], f_swap_back[];
/* Unmaps its own stack and exits. */
extern const u8 f_leave[], f_leave_back[], f_left[];

/* The frames from f_inner() up. */
#define F_FRAMES 4

enum f_rule {
	F_RULE_END,
	F_RULE_OUTER,
	F_RULE_MIDDLE,
	F_RULE_INNER,
	F_RULE_SWAP,
	F_RULES,
};

#define F_ROWS 6

/* As the module takes it. */
struct f_table {
	struct gapp_table_head head;
	struct gapp_rule rules[F_RULES];
	u32 first[2];
	struct gapp_row rows[F_ROWS];
};

/**
 * struct f_scene - memory of the process to be: made before it is
 * @code: a copy of the functions, in a mapping of its own of F_CODE_BYTES
 * @stage: shared
 * @stack: F_STACK_BYTES; the functions begin at F_STACK_TOP, what is above is as it is made; then
 *	comes memory that cannot be read
 * @start: f_start or f_start_swap
 * @prepare: if set, called in the process before it begins
 */
struct f_scene {
	u8 *code;
	struct f_stage *stage;
	u8 *stack;
	const u8 *start;
	void (*prepare)(struct f_scene *scene);
};

#define F_CODE_BYTES 4096U
#define F_STACK_BYTES 65536U
#define F_STACK_TOP (F_STACK_BYTES - 256)

void f_make(struct f_scene *scene);
void f_unmake(struct f_scene *scene);
/* Where a label is in the copy. */
u64 f_at(const struct f_scene *scene, const u8 *label);
/* The four frames. */
void f_frames(const struct f_scene *scene, u64 *frames);
struct f_table f_table(void);
/* A t_fork() body: reads words from its parent, for ever, in the functions. */
void f_sits(struct t_child *parent, void *scene);
/* The same from here on, the pipe's end being @fd. */
void f_sit(struct f_scene *scene, int fd) __attribute__((noreturn));
/* In any thread, on any stack. */
void f_enter(struct f_stage *stage, void *stack, u64 start) __attribute__((noreturn));

/* A session that takes tables, as small as can be. */
int f_ready(void);
/* The calls; a negative error number, or for a number what it is. */
int f_load(int fd, const void *data, u64 bytes);
/* A table in which each address of @pages pages has a row; it is told from others by a mark. */
struct gapp_table_head *f_large(u32 pages, s32 mark, u64 *bytes);
int f_load_marked(int fd, struct gapp_table_head *head, u64 bytes, s32 mark);
int f_drop(int fd, u32 table);
/* Asks for the image if @maps is NULL. */
int f_set(int fd, pid_t pid, u32 *image, const struct gapp_mapping *maps, u32 count);
/* The functions are walked by @table; nothing else is told of. */
int f_tell(int fd, pid_t pid, const struct f_scene *scene, u32 table);
/* All else that is executable there is told of too, without a table. */
int f_tell_all(int fd, pid_t pid, const struct f_scene *scene, u32 table);

#endif /* GAPP_TESTS_ABI_FRAMELESS_H */
