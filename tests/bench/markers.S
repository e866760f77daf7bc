/* SPDX-License-Identifier: GPL-2.0 */
/* The class is part of the instruction, so there is a marker for each, and a return: 8 bytes. */
#include "marker.h"

	.text
	.globl markers
	.type markers, @function
markers:
	.set class, 0
	.rept MARKER_CLASSES
	.byte 0x0f, 0x1f, 0x80
	.long MARKER_TAG << 16 | class
	ret
	.set class, class + 1
	.endr
	.size markers, . - markers

	.section .note.GNU-stack, "", @progbits
