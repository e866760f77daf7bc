// SPDX-License-Identifier: GPL-2.0
#include "kernel_names.h"

#include <stdio.h>

struct entry_name {
	const char *name;
	const char *words;
};

/* The name of GAPP_IN_*; of those that only a newer module knows, that of GAPP_IN_UNKNOWN. */
static const struct entry_name *entry_name(s32 in)
{
	static const struct entry_name names[] = {
		[-GAPP_IN_USER] = { "user", "own code" },
		[-GAPP_IN_FAULT] = { "page_faults", "page faults" },
		[-GAPP_IN_INTERRUPT] = { "interrupts", "interrupts" },
		[-GAPP_IN_UNKNOWN] = { "unknown", "unknown" },
		[-GAPP_IN_KTHREAD] = { "kernel_thread", "kernel thread" },
	};

	return &names[in < GAPP_IN_KTHREAD ? -GAPP_IN_UNKNOWN : -in];
}

static const char *syscall_name(s32 number, char *buffer)
{
	if ((u32)number < syscall_names_count && syscall_names[number])
		return syscall_names[number];
	snprintf(buffer, KERNEL_NAME_SIZE, "syscall_%d", number);
	return buffer;
}

const char *kernel_name(s32 in, char *buffer)
{
	return in < 0 ? entry_name(in)->name : syscall_name(in, buffer);
}

const char *kernel_words(s32 in, char *buffer)
{
	return in < 0 ? entry_name(in)->words : syscall_name(in, buffer);
}
