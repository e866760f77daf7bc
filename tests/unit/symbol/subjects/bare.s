# SPDX-License-Identifier: GPL-2.0
# Functions without a size, a label in one, two names of one, and a hole behind them.
	.text
	.globl first
	.type first, @function
first:	nop
	nop
	.globl __second
	.type __second, @function
__second:
	.weak second
	.type second, @function
second: nop
label:	nop
	ret
	.size second, . - second
	.size __second, . - __second
	.fill 16, 1, 0x90
	.section .text.last, "ax"
	.globl last
last:	nop
	ret
	.section .note.GNU-stack, ""
