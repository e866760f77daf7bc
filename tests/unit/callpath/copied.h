/* SPDX-License-Identifier: GPL-2.0 */
/* A thread of a program that waits (subjects/blocked.c), with its registers and its stack. */
#ifndef GAPP_TESTS_COPIED_H
#define GAPP_TESTS_COPIED_H

#include <gapp.h>
#include <gapp_record.h>

#include "subject.h"

/**
 * struct copied - the thread
 * @pid: its process
 * @record: a record, as the module makes one...
 * @stack: ...and its stack
 */
struct copied {
	pid_t pid;
	struct gapp_record_stack_copy record;
	u8 stack[GAPP_MAX_STACK_COPY];
};

/* Compiles it, with more options of the compiler. */
void copied_compile(const char *name, const char *options);

/* Starts it, and takes its thread when that waits. @argument: see there; or NULL. */
struct copied *copied_start(const char *name, const char *how, const char *argument);

/* Of the copy only so much is left. */
void copied_cut(struct copied *copied, u32 stack_bytes);

void copied_end(struct copied *copied);

#endif /* GAPP_TESTS_COPIED_H */
