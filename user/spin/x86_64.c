// SPDX-License-Identifier: GPL-2.0
/* Decodes x86-64, by Capstone. */
#include <elf.h>

#include "capstone_library.h"
#include "decoder.h"

/* Numbers of registers: first the 16 general ones in the order of their names below. */
enum {
	RAX,
	RBX,
	RCX,
	RDX,
	RSI,
	RDI,
	RBP,
	RSP,
	R8,
	R9,
	R10,
	R11,
	R12,
	R13,
	R14,
	R15,
	FLAGS,
	OTHERS, /* x87, MMX and mask registers */
	VECTOR, /* and 31 more */
};

#define VECTORS 32
#define VECTOR_BITS (((1ULL << VECTORS) - 1) << VECTOR)

/* clang-format off */

static const char *const names[REGISTERS_MAX] = {
	"rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp", "r8",
	"r9", "r10", "r11", "r12", "r13", "r14", "r15", "flags", "another register",
	"xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",
	"xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "xmm16", "xmm17", "xmm18", "xmm19", "xmm20",
	"xmm21", "xmm22", "xmm23", "xmm24", "xmm25", "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31",
};

/* clang-format on */

static const u8 dwarf_numbers[REGISTERS_MAX] = {
	[RAX] = 0,
	[RDX] = 1,
	[RCX] = 2,
	[RBX] = 3,
	[RSI] = 4,
	[RDI] = 5,
	[RBP] = 6,
	[RSP] = 7,
	[R8] = 8,
	[R9] = 9,
	[R10] = 10,
	[R11] = 11,
	[R12] = 12,
	[R13] = 13,
	[R14] = 14,
	[R15] = 15,
	[FLAGS... REGISTERS_MAX - 1] = REGISTER_NONE,
};

static u8 number_of(x86_reg reg)
{
	switch (reg) {
	case X86_REG_AH:
	case X86_REG_AL:
	case X86_REG_AX:
	case X86_REG_EAX:
	case X86_REG_RAX:
		return RAX;
	case X86_REG_BH:
	case X86_REG_BL:
	case X86_REG_BX:
	case X86_REG_EBX:
	case X86_REG_RBX:
		return RBX;
	case X86_REG_CH:
	case X86_REG_CL:
	case X86_REG_CX:
	case X86_REG_ECX:
	case X86_REG_RCX:
		return RCX;
	case X86_REG_DH:
	case X86_REG_DL:
	case X86_REG_DX:
	case X86_REG_EDX:
	case X86_REG_RDX:
		return RDX;
	case X86_REG_SIL:
	case X86_REG_SI:
	case X86_REG_ESI:
	case X86_REG_RSI:
		return RSI;
	case X86_REG_DIL:
	case X86_REG_DI:
	case X86_REG_EDI:
	case X86_REG_RDI:
		return RDI;
	case X86_REG_BPL:
	case X86_REG_BP:
	case X86_REG_EBP:
	case X86_REG_RBP:
		return RBP;
	case X86_REG_SPL:
	case X86_REG_SP:
	case X86_REG_ESP:
	case X86_REG_RSP:
		return RSP;
	case X86_REG_EFLAGS:
		return FLAGS;
	case X86_REG_INVALID:
	case X86_REG_RIP:
	case X86_REG_EIP:
	case X86_REG_RIZ:
	case X86_REG_EIZ:
		return REGISTER_NONE;
	default:
		break;
	}
	if (reg >= X86_REG_R8 && reg <= X86_REG_R15)
		return R8 + (reg - X86_REG_R8);
	if (reg >= X86_REG_R8B && reg <= X86_REG_R15B)
		return R8 + (reg - X86_REG_R8B);
	if (reg >= X86_REG_R8D && reg <= X86_REG_R15D)
		return R8 + (reg - X86_REG_R8D);
	if (reg >= X86_REG_R8W && reg <= X86_REG_R15W)
		return R8 + (reg - X86_REG_R8W);
	if (reg >= X86_REG_XMM0 && reg <= X86_REG_XMM31)
		return VECTOR + (reg - X86_REG_XMM0);
	if (reg >= X86_REG_YMM0 && reg <= X86_REG_YMM31)
		return VECTOR + (reg - X86_REG_YMM0);
	if (reg >= X86_REG_ZMM0 && reg <= X86_REG_ZMM31)
		return VECTOR + (reg - X86_REG_ZMM0);
	return OTHERS;
}

static bool is_second_byte(x86_reg reg)
{
	return reg == X86_REG_AH || reg == X86_REG_BH || reg == X86_REG_CH || reg == X86_REG_DH;
}

static u64 bit_of(x86_reg reg)
{
	u8 number = number_of(reg);

	return number == REGISTER_NONE ? 0 : REGISTER_BIT(number);
}

static s32 read_s32(const u8 *at)
{
	s32 value;

	memcpy(&value, at, sizeof(value));
	return value;
}

/* Sets the target of a direct jump or call. False: it is an indirect one. */
static bool set_target(const u8 *code, size_t size, u64 address, u64 *target)
{
	size_t at = 0;

	/* prefixes of jumps: branch hints, notrack, bnd, and REX */
	while (at < size && (code[at] == 0x2e || code[at] == 0x3e || code[at] == 0xf2 ||
			     code[at] == 0xf3 || code[at] == 0x66 || (code[at] & 0xf0) == 0x40))
		at++;
	if (at + 2 == size && (code[at] == 0xeb || (code[at] & 0xf0) == 0x70 ||
			       (code[at] >= 0xe0 && code[at] <= 0xe3))) {
		*target = address + size + (signed char)code[at + 1];
		return true;
	}
	if ((at + 5 == size && (code[at] == 0xe8 || code[at] == 0xe9)) ||
	    (at + 6 == size && code[at] == 0x0f && (code[at + 1] & 0xf0) == 0x80)) {
		*target = address + size + read_s32(code + size - 4);
		return true;
	}
	return false;
}

static enum insn_flow flow_of(unsigned int id, const u8 *code, size_t size, u64 address,
			      u64 *target)
{
	switch (id) {
	case X86_INS_JMP:
		return set_target(code, size, address, target) ? FLOW_JUMP : FLOW_JUMP_INDIRECT;
	case X86_INS_CALL:
		return set_target(code, size, address, target) ? FLOW_CALL : FLOW_CALL_INDIRECT;
	case X86_INS_LCALL:
		return FLOW_CALL_INDIRECT;
	case X86_INS_LJMP:
		return FLOW_JUMP_INDIRECT;
	case X86_INS_RET:
	case X86_INS_RETF:
	case X86_INS_RETFQ:
	case X86_INS_IRET:
	case X86_INS_IRETD:
	case X86_INS_IRETQ:
	case X86_INS_SYSRET:
	case X86_INS_SYSEXIT:
		return FLOW_RETURN;
	case X86_INS_UD0:
	case X86_INS_UD1:
	case X86_INS_UD2:
	case X86_INS_HLT:
	case X86_INS_INT3:
		return FLOW_STOP;
	case X86_INS_LOOP:
	case X86_INS_LOOPE:
	case X86_INS_LOOPNE:
		return set_target(code, size, address, target) ? FLOW_BRANCH : FLOW_STOP;
	default:
		break;
	}
	if (id >= X86_INS_JAE && id <= X86_INS_JS)
		return set_target(code, size, address, target) ? FLOW_BRANCH : FLOW_STOP;
	return FLOW_NEXT;
}

/* Bytes of tpause, umwait and umonitor, which Capstone 4 does not know; 0: it is none of them. */
static size_t user_wait_bytes(const u8 *code, size_t size)
{
	size_t at = 1;

	if (size < 4 || (code[0] != 0x66 && code[0] != 0xf2 && code[0] != 0xf3))
		return 0;
	if ((code[at] & 0xf0) == 0x40)
		at++;
	if (size < at + 3 || code[at] != 0x0f || code[at + 1] != 0xae || code[at + 2] < 0xf0 ||
	    code[at + 2] > 0xf7)
		return 0;
	return at + 3;
}

static bool step(void *state, const u8 *code, size_t size, u64 address, struct step *step)
{
	struct capstone *capstone = state;
	size_t waits = user_wait_bytes(code, size), left = size;
	const cs_insn *insn = capstone->plain_insn;
	const u8 *at = code;
	uint64_t next = address;

	*step = (struct step){ .address = address };
	if (waits) {
		step->bytes = waits;
		step->pauses = true;
		return true;
	}
	if (!capstone->next(capstone->plain, &at, &left, &next, capstone->plain_insn))
		return false;
	step->bytes = insn->size;
	step->pauses = insn->id == X86_INS_PAUSE;
	step->flow = flow_of(insn->id, code, insn->size, address, &step->target);
	return true;
}

static enum branch_condition condition_of(unsigned int id)
{
	switch (id) {
	case X86_INS_JE:
	case X86_INS_SETE:
		return CONDITION_EQUAL;
	case X86_INS_JNE:
	case X86_INS_SETNE:
		return CONDITION_NOT_EQUAL;
	case X86_INS_JB:
	case X86_INS_SETB:
		return CONDITION_BELOW;
	case X86_INS_JAE:
	case X86_INS_SETAE:
		return CONDITION_NOT_BELOW;
	case X86_INS_JBE:
	case X86_INS_SETBE:
		return CONDITION_NOT_ABOVE;
	case X86_INS_JA:
	case X86_INS_SETA:
		return CONDITION_ABOVE;
	case X86_INS_JL:
	case X86_INS_SETL:
		return CONDITION_LESS;
	case X86_INS_JGE:
	case X86_INS_SETGE:
		return CONDITION_NOT_LESS;
	case X86_INS_JLE:
	case X86_INS_SETLE:
		return CONDITION_NOT_GREATER;
	case X86_INS_JG:
	case X86_INS_SETG:
		return CONDITION_GREATER;
	case X86_INS_JS:
	case X86_INS_SETS:
		return CONDITION_NEGATIVE;
	case X86_INS_JNS:
	case X86_INS_SETNS:
		return CONDITION_NOT_NEGATIVE;
	default:
		return CONDITION_OTHER;
	}
}

static void set_memory(struct insn_memory *memory, const cs_insn *insn, const x86_op_mem *from)
{
	memory->base = number_of(from->base);
	memory->index = number_of(from->index);
	memory->scale = from->scale;
	memory->thread = from->segment == X86_REG_FS || from->segment == X86_REG_GS;
	memory->offset = from->disp;
	memory->relative = from->base == X86_REG_RIP;
	if (memory->relative)
		memory->offset += insn->address + insn->size;
}

static void set_operand(struct operand *operand, const cs_insn *insn, const cs_x86_op *from)
{
	operand->bytes = from->size;
	operand->is_read = from->access & CS_AC_READ;
	operand->is_written = from->access & CS_AC_WRITE;
	switch (from->type) {
	case X86_OP_REG:
		operand->kind = OPERAND_REGISTER;
		operand->reg = number_of(from->reg);
		operand->is_second_byte = is_second_byte(from->reg);
		break;
	case X86_OP_IMM:
		operand->kind = OPERAND_NUMBER;
		operand->number = from->imm;
		break;
	case X86_OP_MEM:
		operand->kind = OPERAND_MEMORY;
		set_memory(&operand->memory, insn, &from->mem);
		break;
	default:
		break;
	}
}

static bool is_memory(const struct insn *insn, unsigned int number)
{
	return number < insn->operand_count && insn->operands[number].kind == OPERAND_MEMORY;
}

static bool is_same_register(const struct insn *insn, unsigned int one, unsigned int other)
{
	return one < insn->operand_count && other < insn->operand_count &&
	       insn->operands[one].kind == OPERAND_REGISTER &&
	       insn->operands[other].kind == OPERAND_REGISTER &&
	       insn->operands[one].reg == insn->operands[other].reg;
}

static bool begins(const cs_insn *insn, const char *text)
{
	return !strncmp(insn->mnemonic, text, strlen(text));
}

/* What Capstone says of the operands of these is wrong, or says nothing. */
static void set_access(struct insn *insn)
{
	bool any = false;

	for (u8 i = 0; i < insn->operand_count; i++)
		any |= insn->operands[i].is_read || insn->operands[i].is_written;
	for (u8 i = 0; i < insn->operand_count; i++) {
		struct operand *operand = &insn->operands[i];

		if (insn->kind == INSN_MOVE || insn->kind == INSN_ADDRESS || !any) {
			operand->is_written = !i;
			operand->is_read = i || (!any && insn->kind == INSN_OTHER);
		} else if (insn->kind == INSN_COMPARE || insn->kind == INSN_TEST ||
			   insn->kind == INSN_TEST_BIT) {
			operand->is_written = false;
			operand->is_read = true;
		}
	}
}

/* Exchanges the operands, so that the one in memory is the first. */
static void put_memory_first(struct insn *insn)
{
	struct operand first = insn->operands[0];

	if (is_memory(insn, 0) || insn->operand_count < 2)
		return;
	insn->operands[0] = insn->operands[1];
	insn->operands[1] = first;
}

static enum insn_kind kind_of_locked(const cs_insn *insn, const struct insn *decoded)
{
	/* "lock or $0, (%rsp)" is how some compilers write a fence */
	if (decoded->operands[0].kind == OPERAND_MEMORY && decoded->operands[0].memory.base == RSP)
		return INSN_NOP;
	switch (insn->id) {
	case X86_INS_CMPXCHG:
		return INSN_COMPARE_SWAP;
	case X86_INS_BTS:
		return INSN_SET_BIT;
	default:
		return INSN_EFFECT;
	}
}

/* Kinds of those that stand behind a move in their names, too: "movsb" copies memory. */
static enum insn_kind kind_of_move(const struct insn *decoded)
{
	if (decoded->operand_count != 2)
		return INSN_OTHER;
	return is_memory(decoded, 0) && is_memory(decoded, 1) ? INSN_EFFECT : INSN_MOVE;
}

static enum insn_kind kind_by_id(const cs_insn *insn, const struct insn *decoded)
{
	switch (insn->id) {
	case X86_INS_NOP:
	case X86_INS_ENDBR64:
	case X86_INS_LFENCE:
	case X86_INS_MFENCE:
	case X86_INS_SFENCE:
	case X86_INS_PREFETCH:
	case X86_INS_PREFETCHW:
	case X86_INS_PREFETCHNTA:
	case X86_INS_PREFETCHT0:
	case X86_INS_PREFETCHT1:
	case X86_INS_PREFETCHT2:
	case X86_INS_PUSH:
		return INSN_NOP;
	case X86_INS_PAUSE:
		return INSN_PAUSE;
	case X86_INS_SYSCALL:
		return INSN_SYSCALL;
	case X86_INS_RDTSC:
	case X86_INS_RDTSCP:
		return INSN_CLOCK;
	case X86_INS_LEA:
		return INSN_ADDRESS;
	case X86_INS_CMP:
	case X86_INS_UCOMISS:
	case X86_INS_UCOMISD:
	case X86_INS_COMISS:
	case X86_INS_COMISD:
	case X86_INS_VUCOMISS:
	case X86_INS_VUCOMISD:
	case X86_INS_VCOMISS:
	case X86_INS_VCOMISD:
		return INSN_COMPARE;
	case X86_INS_TEST:
	case X86_INS_PTEST:
	case X86_INS_VPTEST:
		return INSN_TEST;
	case X86_INS_BT:
		return INSN_TEST_BIT;
	case X86_INS_XCHG:
		return is_memory(decoded, 0) || is_memory(decoded, 1) ? INSN_SWAP : INSN_OTHER;
	case X86_INS_CMPXCHG:
		return is_memory(decoded, 0) ? INSN_COMPARE_SWAP : INSN_OTHER;
	case X86_INS_XOR:
	case X86_INS_SUB:
	case X86_INS_PXOR:
	case X86_INS_XORPS:
	case X86_INS_XORPD:
		return is_same_register(decoded, 0, 1) ? INSN_ZERO : INSN_OTHER;
	case X86_INS_VPXOR:
	case X86_INS_VXORPS:
	case X86_INS_VXORPD:
		return is_same_register(decoded, 1, 2) ? INSN_ZERO : INSN_OTHER;
	case X86_INS_XADD:
		return is_memory(decoded, 0) ? INSN_EFFECT : INSN_OTHER;
	/* it turns the bytes around */
	case X86_INS_MOVBE:
		return INSN_OTHER;
	case X86_INS_CMPXCHG8B:
	case X86_INS_CMPXCHG16B:
	case X86_INS_STOSB:
	case X86_INS_STOSW:
	case X86_INS_STOSD:
	case X86_INS_STOSQ:
	case X86_INS_LODSB:
	case X86_INS_LODSW:
	case X86_INS_LODSD:
	case X86_INS_LODSQ:
	case X86_INS_SCASB:
	case X86_INS_SCASW:
	case X86_INS_SCASD:
	case X86_INS_SCASQ:
	case X86_INS_CMPSB:
	case X86_INS_CMPSW:
	case X86_INS_CMPSQ:
	case X86_INS_IN:
	case X86_INS_OUT:
	case X86_INS_INSB:
	case X86_INS_INSW:
	case X86_INS_INSD:
	case X86_INS_OUTSB:
	case X86_INS_OUTSW:
	case X86_INS_OUTSD:
	case X86_INS_INT:
	case X86_INS_XBEGIN:
	case X86_INS_XEND:
	case X86_INS_XABORT:
		return INSN_EFFECT;
	default:
		break;
	}
	if (begins(insn, "cmov"))
		return INSN_SELECT;
	return begins(insn, "mov") || begins(insn, "vmov") ? kind_of_move(decoded) : INSN_OTHER;
}

static enum insn_kind kind_of(const cs_insn *insn, const struct insn *decoded)
{
	const cs_x86 *x86 = &insn->detail->x86;

	if (decoded->flow == FLOW_BRANCH)
		return INSN_BRANCH;
	if (decoded->flow == FLOW_CALL || decoded->flow == FLOW_CALL_INDIRECT)
		return INSN_CALL;
	if (decoded->flow != FLOW_NEXT)
		return INSN_JUMP;
	/* swaps are atomic without the prefix */
	if (x86->prefix[0] == X86_PREFIX_LOCK && insn->id != X86_INS_XCHG)
		return kind_of_locked(insn, decoded);
	return kind_by_id(insn, decoded);
}

static enum arithmetic arithmetic_of(unsigned int id)
{
	switch (id) {
	case X86_INS_ADD:
		return ARITHMETIC_ADD;
	case X86_INS_SUB:
		return ARITHMETIC_SUBTRACT;
	case X86_INS_AND:
		return ARITHMETIC_AND;
	case X86_INS_XOR:
		return ARITHMETIC_XOR;
	default:
		return ARITHMETIC_OTHER;
	}
}

/* Sets the registers that are read and written, those of operands as @decoded has them. */
static void set_registers(const cs_insn *insn, struct insn *decoded)
{
	const cs_detail *detail = insn->detail;

	for (u8 i = 0; i < detail->regs_read_count; i++)
		decoded->reads |= bit_of(detail->regs_read[i]);
	for (u8 i = 0; i < detail->regs_write_count; i++)
		decoded->writes |= bit_of(detail->regs_write[i]);
	for (u8 i = 0; i < decoded->operand_count; i++) {
		const struct operand *operand = &decoded->operands[i];

		if (operand->kind != OPERAND_REGISTER || operand->reg == REGISTER_NONE)
			continue;
		if (operand->is_read)
			decoded->reads |= REGISTER_BIT(operand->reg);
		if (operand->is_written)
			decoded->writes |= REGISTER_BIT(operand->reg);
	}
	/* Capstone 4 leaves the register out that gets the old value */
	if (decoded->kind == INSN_COMPARE_SWAP) {
		decoded->accumulator = RAX;
		decoded->reads |= REGISTER_BIT(RAX);
		decoded->writes |= REGISTER_BIT(RAX) | REGISTER_BIT(FLAGS);
	}
	if (decoded->kind == INSN_SWAP && decoded->operands[1].kind == OPERAND_REGISTER)
		decoded->writes |= REGISTER_BIT(decoded->operands[1].reg);
	if (decoded->writes & REGISTER_BIT(FLAGS))
		decoded->flags = FLAGS;
}

static bool decode(void *state, const u8 *code, size_t size, u64 address, struct insn *decoded)
{
	struct capstone *capstone = state;
	size_t waits = user_wait_bytes(code, size), left = size;
	const cs_insn *insn = capstone->insn;
	const cs_x86 *x86;
	const u8 *at = code;
	uint64_t next = address;

	*decoded = (struct insn){ .address = address,
				  .flags = REGISTER_NONE,
				  .accumulator = REGISTER_NONE };
	if (waits) {
		decoded->bytes = waits;
		decoded->kind = INSN_PAUSE;
		decoded->writes = REGISTER_BIT(FLAGS);
		return true;
	}
	if (!capstone->next(capstone->detailed, &at, &left, &next, capstone->insn) || !insn->detail)
		return false;
	x86 = &insn->detail->x86;
	decoded->bytes = insn->size;
	decoded->flow = flow_of(insn->id, code, insn->size, address, &decoded->target);
	for (u8 i = 0; i < x86->op_count && i < INSN_OPERANDS; i++)
		set_operand(&decoded->operands[decoded->operand_count++], insn, &x86->operands[i]);
	decoded->kind = kind_of(insn, decoded);
	if (decoded->kind == INSN_BRANCH || begins(insn, "set"))
		decoded->condition = condition_of(insn->id);
	if (decoded->kind == INSN_OTHER)
		decoded->arithmetic = arithmetic_of(insn->id);
	if (decoded->kind == INSN_SWAP)
		put_memory_first(decoded);
	set_access(decoded);
	set_registers(insn, decoded);
	return true;
}

static enum syscall_kind syscall_of(u64 number)
{
	switch (number) {
	case 24: /* sched_yield */
		return SYSCALL_YIELD;
	case 35: /* nanosleep */
	case 230: /* clock_nanosleep */
		return SYSCALL_SLEEP;
	case 96: /* gettimeofday */
	case 201: /* time */
	case 228: /* clock_gettime */
		return SYSCALL_CLOCK;
	default:
		return SYSCALL_OTHER;
	}
}

/* endbr64, bnd and a displacement from the instruction: "jmp *pointer(%rip)" */
static u64 import(const u8 *code, size_t size, u64 address)
{
	static const u8 endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	size_t at = 0;

	if (size >= sizeof(endbr64) && !memcmp(code, endbr64, sizeof(endbr64)))
		at += sizeof(endbr64);
	if (at < size && code[at] == 0xf2)
		at++;
	if (size < at + 6 || code[at] != 0xff || code[at + 1] != 0x25)
		return 0;
	return address + at + 6 + read_s32(code + at + 2);
}

/* The kernel steps over such jumps itself: those with a prefix it does not take for the same. */
static int condition(const u8 *code, size_t size)
{
	if (size == 2 && (code[0] & 0xf0) == 0x70)
		return code[0] & 0xf;
	if (size == 6 && code[0] == 0x0f && (code[1] & 0xf0) == 0x80)
		return code[1] & 0xf;
	return -1;
}

static void *open_decoder(bool complains)
{
	return capstone_open(CS_ARCH_X86, CS_MODE_64, complains);
}

static void close_decoder(void *state)
{
	capstone_close(state);
}

const struct machine machine_x86_64 = {
	.elf = EM_X86_64,
	.stack_pointer = RSP,
	.frame_pointer = RBP,
	.flags = FLAGS,
	.result = RAX,
	.syscall_number = RAX,
	.arguments = REGISTER_BIT(RDI) | REGISTER_BIT(RSI) | REGISTER_BIT(RDX),
	.lost = REGISTER_BIT(RAX) | REGISTER_BIT(RCX) | REGISTER_BIT(RDX) | REGISTER_BIT(RSI) |
		REGISTER_BIT(RDI) | REGISTER_BIT(R8) | REGISTER_BIT(R9) | REGISTER_BIT(R10) |
		REGISTER_BIT(R11) | REGISTER_BIT(FLAGS) | REGISTER_BIT(OTHERS) | VECTOR_BITS,
	.syscall_lost = REGISTER_BIT(RCX) | REGISTER_BIT(R11),
	.register_names = names,
	.dwarf_numbers = dwarf_numbers,
	.open = open_decoder,
	.close = close_decoder,
	.step = step,
	.decode = decode,
	.syscall = syscall_of,
	.condition = condition,
	.import = import,
};
