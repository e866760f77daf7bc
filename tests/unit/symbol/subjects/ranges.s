# SPDX-License-Identifier: GPL-2.0
# UNITS units, and FUNCTIONS functions in one more, that all share one list of EMPTY empty ranges.
	.globl covered
	.type covered, @function
covered:
	nop
	ret
	.size covered, . - covered

	.section .debug_abbrev, "", @progbits
	.macro abbrev number, tag, children, form1, at1, form2, at2
	.uleb128 \number
	.uleb128 \tag
	.byte \children
	.uleb128 \at1, \form1
	.uleb128 \at2, \form2
	.byte 0, 0
	.endm
	# units: DW_AT_ranges and low_pc; the last: low_pc and high_pc; functions: ranges, low_pc
	abbrev 1, 0x11, 0, 0x17, 0x55, 0x01, 0x11
	abbrev 2, 0x11, 1, 0x01, 0x11, 0x07, 0x12
	abbrev 3, 0x2e, 0, 0x17, 0x55, 0x01, 0x11
	.byte 0

	.section .debug_info, "", @progbits
	.rept UNITS
	.long 2f - 1f
1:	.short 4
	.long 0
	.byte 8
	.uleb128 1
	.long 0
	.quad 0
2:
	.endr
	.long 2f - 1f
1:	.short 4
	.long 0
	.byte 8
	.uleb128 2
	.quad covered
	.quad 2
	.rept FUNCTIONS
	.uleb128 3
	.long 0
	.quad 0
	.endr
	.byte 0
2:
	.section .debug_ranges, "", @progbits
	.rept EMPTY
	.quad 0x1000, 0x1000
	.endr
	.quad 0, 0
	.section .note.GNU-stack, "", @progbits
