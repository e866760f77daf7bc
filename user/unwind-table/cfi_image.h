/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An ELF file of our own making, in memory: what libdwfl needs of another to
 * follow call paths through it, all of it looked over. The file itself may make
 * libdw take any amount of memory, and may change at any time.
 */
#ifndef GAPP_READ_CFI_IMAGE_H
#define GAPP_READ_CFI_IMAGE_H

#include "util/util.h"

/* A file with more call frame information counts as one without. */
#define CFI_IMAGE_BYTES_MAX (64U << 20)

/*
 * The image of the file @fd: a descriptor, which is the caller's. Descriptions that are refused
 * (cfi_program.h) are not in it. -1: it is no program, or there is no memory.
 */
int cfi_image_open(int fd);

#endif /* GAPP_READ_CFI_IMAGE_H */
