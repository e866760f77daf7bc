/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A program's threads are stopped at random moments, and the call path of each
 * is found twice: by the tables and the walk that the module has, and by libdwfl.
 */
#ifndef GAPP_LIVE_H
#define GAPP_LIVE_H

#include <sys/types.h>
#include <sys/user.h>

#include "core/unwind.h"
#include "util/util.h"

/* As the module has it at most. */
#define LIVE_FRAMES 127
/* Addresses from here on are the kernel's. */
#define LIVE_LIMIT 0x7ffffffff000ULL

/**
 * struct path - a call path
 * @frames: innermost first: the instruction pointer, then return addresses
 * @count: how many
 * @whole: it ends at an outermost frame, or is cut by depth
 * @end: how a walk by tables ended
 * @by_fp: a step of it was made by the frame pointer
 * @why: how another walk ended, if it says
 */
struct path {
	u64 frames[LIVE_FRAMES];
	u32 count;
	bool whole;
	bool by_fp;
	enum gapp_unwind_end end;
	char why[80];
};

/**
 * struct thread - one that is stopped
 * @tid: thread
 * @tgid: its process
 * @regs: its registers
 */
struct thread {
	pid_t tid;
	pid_t tgid;
	struct user_regs_struct regs;
};

bool same_path(const struct path *a, const struct path *b);
bool begins_path(const struct path *part, const struct path *path);

/* Copies memory of a process that is stopped; false: not all of it could be read. */
bool read_memory(pid_t pid, void *to, u64 address, size_t bytes);

#endif /* GAPP_LIVE_H */
