/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a function of the kernel says about where the kernel spends a program's time. Its name
 * decides: nothing else is known of it without debug information.
 */
#ifndef GAPP_READ_KERNEL_CODE_H
#define GAPP_READ_KERNEL_CODE_H

enum kernel_code {
	KERNEL_WORK, /* what the kernel does for the program; all that is none of the others */
	KERNEL_ENTRY, /* what any system call or exception begins with */
	KERNEL_INTERRUPT, /* begins what has nothing to do with the program */
	KERNEL_LIBRARY, /* what any code of the kernel uses: it counts for who called it */
};

enum kernel_code kernel_code_of(const char *function);

#endif /* GAPP_READ_KERNEL_CODE_H */
