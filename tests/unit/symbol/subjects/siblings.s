# SPDX-License-Identifier: GPL-2.0
# A function, and debug information in which each namespace's sibling is its own first child.
	.text
	.globl	evil
	.type	evil, @function
evil:
	.rept 16
	nop
	.endr
	ret
.Lend:
	.size	evil, . - evil

	.section .debug_abbrev, "", @progbits
	# a compilation unit with children: low_pc, high_pc
	.uleb128 1, 0x11
	.byte	1
	.uleb128 0x11, 0x01, 0x12, 0x07, 0, 0
	# a namespace with children: sibling
	.uleb128 2, 0x39
	.byte	1
	.uleb128 0x01, 0x13, 0, 0
	.byte	0

	.section .debug_info, "", @progbits
.Linfo:
	.long	.Linfo_end - .Lversion
.Lversion:
	.short	4
	.long	.debug_abbrev
	.byte	8
	.uleb128 1
	.quad	evil
	.quad	.Lend - evil
	.rept 200
	.uleb128 2
	.long	. + 4 - .Linfo
	.endr
	.rept 201
	.byte	0
	.endr
.Linfo_end:
