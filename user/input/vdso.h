/* SPDX-License-Identifier: GPL-2.0 */
/* The code that the kernel maps into every process. */
#ifndef GAPP_READ_VDSO_H
#define GAPP_READ_VDSO_H

/*
 * A descriptor of a copy of this process's; the others of the same kernel and width have the same.
 * -1: there is none.
 */
int vdso_open(void);

#endif /* GAPP_READ_VDSO_H */
