# SPDX-License-Identifier: GPL-2.0
# A function whose call frame information remembers more than anyone can.
	.if DEBUG
	.cfi_sections .debug_frame
	.endif
	.globl remembering
	.type remembering, @function
remembering:
	.cfi_startproc
	nop
	.rept 4000000
	.cfi_remember_state
	.endr
	.cfi_def_cfa_offset 16
	nop
	ret
	.cfi_endproc
	.size remembering, . - remembering
	.section .note.GNU-stack, "", @progbits
