// SPDX-License-Identifier: GPL-2.0
#include "callees.h"

/* A larger function is not looked at. */
#define HELPER_BYTES_MAX 400
/* Functions that a helper may call inside one another. */
#define DEPTH_MAX 4

static const struct {
	const char *name;
	int does;
} named[] = {
	{ "sched_yield", CALLEE_YIELDS },
	{ "__sched_yield", CALLEE_YIELDS },
	{ "pthread_yield", CALLEE_YIELDS },
	{ "thrd_yield", CALLEE_YIELDS },
	{ "nanosleep", CALLEE_SLEEPS },
	{ "__nanosleep", CALLEE_SLEEPS },
	{ "clock_nanosleep", CALLEE_SLEEPS },
	{ "usleep", CALLEE_SLEEPS },
	{ "sleep", CALLEE_SLEEPS },
	{ "thrd_sleep", CALLEE_SLEEPS },
	{ "clock_gettime", CALLEE_READS_CLOCK },
	{ "__clock_gettime", CALLEE_READS_CLOCK },
	{ "gettimeofday", CALLEE_READS_CLOCK },
	{ "__gettimeofday", CALLEE_READS_CLOCK },
	{ "time", CALLEE_READS_CLOCK },
	{ "_ZNSt6chrono3_V212steady_clock3nowEv", CALLEE_READS_CLOCK },
	{ "_ZNSt6chrono3_V212system_clock3nowEv", CALLEE_READS_CLOCK },
	{ "syscall", CALLEE_BLOCKS },
};

static const char *const iterators[] = {
	"free",
	"malloc",
	"calloc",
	"realloc",
	"readdir",
	"readdir64",
	"strtok",
	"strtok_r",
	"strsep",
	"fgets",
	"fgetc",
	"getc",
	"getchar",
	"getline",
	"getdelim",
	"feof",
	"fread",
	"fwrite",
	"read",
	"write",
	"recv",
	"send",
	"recvfrom",
	"recvmsg",
	"sendmsg",
	"strcmp",
	"strncmp",
	"strcasecmp",
	"memcmp",
	"strlen",
	"strchr",
	"strdup",
	"stat",
	"printf",
	"fprintf",
	"puts",
	"putc",
	"fputc",
	"fputs",
	"__fprintf_chk",
	"__printf_chk",
	"poll",
	"ppoll",
	"select",
	"epoll_wait",
	"waitpid",
	"wait",
	"wait4",
	"waitid",
	"pthread_cond_wait",
	"sem_wait",
	"pause",
	"sigsuspend",
	"sigwait",
	"accept",
	"pthread_mutex_lock",
	"sem_timedwait",
	"kevent",
	"pthread_cond_timedwait",
	"pthread_cond_clockwait",
	"_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE",
};

/*
 * Functions that do nothing but have a library's communication go on, and come back: what a loop
 * calls that waits for a message. Statically they look like any function that works.
 */
static const char *const progress_engines[] = {
	/* Open MPI, UCX, MPICH */
	"opal_progress",
	"ucp_worker_progress",
	"uct_worker_progress",
	"MPIDI_CH3I_Progress",
	"MPID_Progress_wait",
	"MPID_Progress_test",
	/* programs that look themselves whether a message has come */
	"MPI_Test",
	"MPI_Testall",
	"MPI_Testany",
	"MPI_Testsome",
	"MPI_Iprobe",
	"MPI_Improbe",
	"mpi_test_",
	"mpi_testall_",
	"mpi_iprobe_",
};

static bool is_among(const char *const *names, size_t count, const char *name)
{
	for (size_t i = 0; name && i < count; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

static int does_by_name(const char *name)
{
	if (!name)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(named); i++)
		if (!strcmp(named[i].name, name))
			return named[i].does | CALLEE_HARMLESS | CALLEE_NAMED;
	return 0;
}

bool callee_iterates(const char *name)
{
	return is_among(iterators, ARRAY_SIZE(iterators), name);
}

bool callee_progresses(const char *name)
{
	return is_among(progress_engines, ARRAY_SIZE(progress_engines), name);
}

static bool is_on_stack(const struct machine *machine, const struct insn_memory *memory)
{
	return memory->base == machine->stack_pointer || memory->base == machine->frame_pointer;
}

/* What the instruction's operands in memory do; 0: it changes memory. */
static int does_in_memory(const struct machine *machine, const struct insn *insn)
{
	int does = CALLEE_HARMLESS;

	if (insn->kind == INSN_ADDRESS || insn->kind == INSN_NOP)
		return does;
	for (u8 i = 0; i < insn->operand_count; i++) {
		const struct operand *operand = &insn->operands[i];

		if (operand->kind != OPERAND_MEMORY || is_on_stack(machine, &operand->memory))
			continue;
		if (operand->is_written)
			return 0;
		if (operand->is_read && !operand->memory.thread)
			does |= CALLEE_LOADS;
	}
	return does;
}

static int look(struct callees *callees, u64 target, unsigned int depth);

static int does_call(struct callees *callees, const struct insn *insn, unsigned int depth)
{
	int does;

	if (insn->flow == FLOW_CALL_INDIRECT || insn->flow == FLOW_JUMP_INDIRECT)
		return 0;
	does = does_by_name(code_file_callee(callees->code, insn->target, 0));
	return does ? does & ~CALLEE_NAMED : look(callees, insn->target, depth + 1);
}

static int does_syscall(const struct machine *machine, s64 number)
{
	switch (number < 0 ? SYSCALL_OTHER : machine->syscall(number)) {
	case SYSCALL_YIELD:
		return CALLEE_HARMLESS | CALLEE_YIELDS;
	case SYSCALL_SLEEP:
		return CALLEE_HARMLESS | CALLEE_SLEEPS;
	case SYSCALL_CLOCK:
		return CALLEE_HARMLESS | CALLEE_READS_CLOCK;
	default:
		return CALLEE_HARMLESS | CALLEE_BLOCKS;
	}
}

/* What one instruction does; 0: anything. @number: the last number put where system calls find it.
 */
static int does_insn(struct callees *callees, const struct code_range *range,
		     const struct insn *insn, unsigned int depth, s64 *number)
{
	const struct machine *machine = callees->code->machine;
	bool leaves = insn->target < range->begin || insn->target >= range->end;

	switch (insn->kind) {
	case INSN_EFFECT:
	case INSN_SWAP:
	case INSN_COMPARE_SWAP:
	case INSN_SET_BIT:
		return 0;
	case INSN_PAUSE:
		return CALLEE_HARMLESS | CALLEE_PAUSES;
	case INSN_CLOCK:
		return CALLEE_HARMLESS | CALLEE_READS_CLOCK;
	case INSN_SYSCALL:
		return does_syscall(machine, *number);
	case INSN_CALL:
		return does_call(callees, insn, depth);
	case INSN_JUMP:
		if (insn->flow == FLOW_JUMP_INDIRECT || (insn->flow == FLOW_JUMP && leaves))
			return does_call(callees, insn, depth);
		break;
	case INSN_MOVE:
		if (insn->operands[0].kind == OPERAND_REGISTER &&
		    insn->operands[0].reg == machine->syscall_number)
			*number = insn->operands[1].kind == OPERAND_NUMBER ?
					  insn->operands[1].number :
					  -1;
		break;
	default:
		break;
	}
	return does_in_memory(machine, insn);
}

static int does_range(struct callees *callees, const struct code_range *range, unsigned int depth)
{
	const struct code_file *code = callees->code;
	int does = CALLEE_HARMLESS;
	s64 number = -1;
	struct insn insn;
	const u8 *bytes;
	size_t size;

	for (u64 at = range->begin; at < range->end; at += insn.bytes) {
		int one;

		bytes = code_file_bytes(code, at, range->end, &size);
		if (!bytes || !code->machine->decode(callees->decoder, bytes, size, at, &insn))
			return 0;
		one = does_insn(callees, range, &insn, depth, &number);
		if (one <= 0)
			return one;
		does |= one;
	}
	return does;
}

/* As callee_does(), of a function of the file. */
static int look(struct callees *callees, u64 target, unsigned int depth)
{
	u32 number = code_file_find(callees->code, target);
	const struct code_range *range;
	uintptr_t known;
	int does;

	if (number == HASH_NONE || depth > DEPTH_MAX)
		return 0;
	range = &callees->code->ranges[number];
	if (range->begin != target || range->end - range->begin > HELPER_BYTES_MAX)
		return 0;
	known = (uintptr_t)key_map_find(&callees->known, target);
	if (known)
		return known - 1;
	/* until it is known, so that a function that calls itself is not harmless */
	if (key_map_add(&callees->known, target, (void *)(uintptr_t)1))
		return -1;
	does = does_range(callees, range, depth);
	if (does <= 0)
		return does;
	key_map_remove(&callees->known, target);
	return key_map_add(&callees->known, target, (void *)(uintptr_t)(does + 1)) ? -1 : does;
}

int callee_does(struct callees *callees, u64 target, u64 slot)
{
	int does = does_by_name(code_file_callee(callees->code, target, slot));

	return does || !target ? does : look(callees, target, 0);
}

void callees_free(struct callees *callees)
{
	key_map_free(&callees->known);
}
