# SPDX-License-Identifier: GPL-2.0
# A function of which the debug information tells of PARTS types, and of another one inlined into it.
	.text
	.globl	large
	.type	large, @function
large:
	nop
.Lbegin:
	nop
.Lend:
	ret
.Lend_large:
	.size	large, . - large

	.section .debug_abbrev, "", @progbits
	# a compilation unit with children: low_pc, high_pc
	.uleb128 1, 0x11
	.byte	1
	.uleb128 0x11, 0x01, 0x12, 0x07, 0, 0
	# a function with children, and an inlined one without: name, low_pc, high_pc
	.uleb128 2, 0x2e
	.byte	1
	.uleb128 0x03, 0x08, 0x11, 0x01, 0x12, 0x07, 0, 0
	.uleb128 3, 0x1d
	.byte	0
	.uleb128 0x03, 0x08, 0x11, 0x01, 0x12, 0x07, 0, 0
	# a type that says nothing
	.uleb128 4, 0x24
	.byte	0
	.uleb128 0, 0
	.byte	0

	.section .debug_info, "", @progbits
	.long	.Linfo_end - .Lversion
.Lversion:
	.short	4
	.long	.debug_abbrev
	.byte	8
	.uleb128 1
	.quad	large
	.quad	.Lend_large - large
	.uleb128 2
	.string	"large"
	.quad	large
	.quad	.Lend_large - large
	.rept PARTS
	.uleb128 4
	.endr
	.uleb128 3
	.string	"inlined"
	.quad	.Lbegin
	.quad	.Lend - .Lbegin
	.byte	0, 0
.Linfo_end:
	.section .note.GNU-stack, "", @progbits
