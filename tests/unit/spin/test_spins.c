// SPDX-License-Identifier: GPL-2.0
/* Which loops wait, and for what, in code of some instructions each. */
#include "made_code.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "report/spins_report.h"

/* Of a function with a loop in every six bytes. */
#define MANY_BYTES 120000

#define CODE(text) .code = text, .size = sizeof(text) - 1

/* The steps to the location are for people only. */
#define ROUGH 0x80000000U

/**
 * struct row - a function with a loop, and what is to be said of it
 * @function: the function
 * @location: what the loop waits for; NULL: it does not wait
 * @sign: how that compares while the loop goes on
 * @value: with what
 * @bytes: size of the location
 * @mask: bits that are compared; 0: all
 * @does: enum spin_does, and ROUGH
 */
struct row {
	struct made_function function;
	const char *location;
	const char *sign;
	const char *value;
	u8 bytes;
	u64 mask;
	u32 does;
};

/* clang-format off */

static const struct row rows[] = {
	/* again: mov 0x8(%rdi),%rax; cmpl $0,(%rax); je again; ret */
	{ { "pointer", CODE("\x48\x8b\x47\x08\x83\x38\x00\x74\xf7\xc3") },
	  "[[rdi+0x8]]", "==", "0", 4, 0, 0 },
	/* again: mov 0x8(%rdi),%eax; cmpl $0,(%rax); je again; ret */
	{ { "half a pointer", CODE("\x8b\x47\x08\x83\x38\x00\x74\xf8\xc3") },
	  "[[rdi+0x8]]", "==", "0", 4, 0, ROUGH },
	/* again: mov (%rdi),%rax; mov %eax,%edx; cmpl $0,(%rdx); je again; ret */
	{ { "cut pointer", CODE("\x48\x8b\x07\x89\xc2\x83\x3a\x00\x74\xf6\xc3") },
	  "[[rdi]]", "==", "0", 4, 0, ROUGH },
	/* again: cmpl $0,0x1000(,%rdi,8); je again; ret */
	{ { "absolute", CODE("\x83\x3c\xfd\x00\x10\x00\x00\x00\x74\xf6\xc3") },
	  "[rdi*8+0x1000]", "==", "0", 4, 0, ROUGH },
	/* again: mov (%rdi),%eax; test %eax,%eax; je again; ret */
	{ { "flag", CODE("\x8b\x07\x85\xc0\x74\xfa\xc3") },
	  "[rdi]", "==", "0", 4, 0, 0 },
	/* again: pause; cmp %si,0x2(%rdi); jne again; ret */
	{ { "ticket", CODE("\xf3\x90\x66\x39\x77\x02\x75\xf8\xc3") },
	  "[rdi+0x2]", "!=", "rsi", 2, 0, SPIN_PAUSES },
	/* again: cmp (%rdi),%rax; ja again; ret */
	{ { "mirrored", CODE("\x48\x3b\x07\x77\xfb\xc3") },
	  "[rdi]", "<", "rax", 8, 0, 0 },
	/* again: mov (%rdi),%rdi; test %rdi,%rdi; jne again; ret */
	{ { "list", CODE("\x48\x8b\x3f\x48\x85\xff\x75\xf8\xc3") },
	  .location = NULL },
	/* again: mov $1,%eax; xchg %eax,(%rdi); test %eax,%eax; jne again; ret */
	{ { "test and set", CODE("\xb8\x01\x00\x00\x00\x87\x07\x85\xc0\x75\xf5\xc3") },
	  "[rdi]", "!=", "0", 4, 0, SPIN_TAKES },
	/* again: mov $1,%eax; xacquire lock xchg %eax,(%rdi); test %eax,%eax; jne again; ret */
	{ { "elided", CODE("\xb8\x01\x00\x00\x00\xf2\xf0\x87\x07\x85\xc0\x75\xf3\xc3") },
	  "[rdi]", "!=", "0", 4, 0, SPIN_TAKES },
	/* again: xor %eax,%eax; lock cmpxchg %edx,(%rdi); jne again; ret */
	{ { "lock by cmpxchg", CODE("\x31\xc0\xf0\x0f\xb1\x17\x75\xf8\xc3") },
	  "[rdi]", "!=", "0", 4, 0, SPIN_TAKES },
	/* mov (%rdi),%eax; again: lea 1(%rax),%edx; lock cmpxchg %edx,(%rdi); jne again; ret */
	{ { "add by cmpxchg", CODE("\x8b\x07\x8d\x50\x01\xf0\x0f\xb1\x17\x75\xf7\xc3") },
	  .location = NULL },
	/* again: xor %eax,%eax; lock cmpxchg %edx,(%rdi); je again; ret */
	{ { "repeats what works", CODE("\x31\xc0\xf0\x0f\xb1\x17\x74\xf8\xc3") },
	  .location = NULL },
	/* again: lock btsl $5,(%rdi); jb again; ret */
	{ { "lock of one bit", CODE("\xf0\x0f\xba\x2f\x05\x72\xf9\xc3") },
	  "[rdi]", "!=", "0", 4, 0x20, SPIN_TAKES },
	/* again: inc %eax; mov %eax,(%rsi); cmpl $0,(%rdi); je again; ret */
	{ { "counts in memory", CODE("\xff\xc0\x89\x06\x83\x3f\x00\x74\xf7\xc3") },
	  .location = NULL },
	/* again: movl $1,(%rsi); cmpl $0,(%rdi); je again; ret */
	{ { "stores a number", CODE("\xc7\x06\x01\x00\x00\x00\x83\x3f\x00\x74\xf5\xc3") },
	  "[rdi]", "==", "0", 4, 0, 0 },
	/* again: movl $1,(%rdi); cmpl $0,(%rdi); je again; ret */
	{ { "stores there itself", CODE("\xc7\x07\x01\x00\x00\x00\x83\x3f\x00\x74\xf5\xc3") },
	  .location = NULL },
	/* again: cmp (%rsi),%eax; jge end; inc %eax; jmp again; end: ret */
	{ { "counts to memory", CODE("\x3b\x06\x7d\x04\xff\xc0\xeb\xf8\xc3") },
	  .location = NULL },
	/* mov $100,%ecx; again: cmpl $7,(%rdi); jne end; dec %ecx; jne again; end: ret */
	{ { "budget", CODE("\xb9\x64\x00\x00\x00\x83\x3f\x07\x75\x04\xff\xc9\x75\xf7\xc3") },
	  "[rdi]", "==", "7", 4, 0, SPIN_BOUNDED },
	/* again: cmpl $4,%fs:0; je again; ret */
	{ { "memory of the thread", CODE("\x64\x83\x3c\x25\x00\x00\x00\x00\x04\x74\xf5\xc3") },
	  .location = NULL },
	/* again: cmpl $0,8(%rsp); je again; ret */
	{ { "own stack", CODE("\x83\x7c\x24\x08\x00\x74\xf9\xc3") },
	  .location = NULL },
	/* again: mov (%rdi),%rax; cmpb $0,8(%rax); je again; ret */
	{ { "through a pointer", CODE("\x48\x8b\x07\x80\x78\x08\x00\x74\xf7\xc3") },
	  "[[rdi]+0x8]", "==", "0", 1, 0, 0 },
	/* again: testb $4,3(%rdi); je again; ret */
	{ { "bit", CODE("\xf6\x47\x03\x04\x74\xfa\xc3") }, "[rdi+0x3]", "==", "0", 1, 4, 0 },
	/* again: bt $9,(%rdi); jae again; ret */
	{ { "bit by bt", CODE("\x0f\xba\x27\x09\x73\xfa\xc3") }, "[rdi]", "==", "0", 4, 0x200, 0 },
	/* again: mov (%rdi),%eax; and $3,%eax; cmp $2,%eax; je again; ret */
	{ { "some bits", CODE("\x8b\x07\x83\xe0\x03\x83\xf8\x02\x74\xf6\xc3") },
	  "[rdi]", "==", "2", 4, 3, 0 },
	/* again: cmpl $0,(%rdi); sete %al; xor $1,%al; test %al,%al; je again; ret */
	{ { "answer in a register", CODE("\x83\x3f\x00\x0f\x94\xc0\x34\x01\x84\xc0\x74\xf4\xc3") },
	  "[rdi]", "==", "0", 4, 0, 0 },
	/* again: cmpl $0,0x100(%rip); je again; ret */
	{ { "fixed address", CODE("\x83\x3d\x00\x01\x00\x00\x00\x74\xf7\xc3") },
	  NULL, "==", "0", 4, 0, 0 },
	/* again: cmpl $0,(%rdi); jne end; tpause %ecx; jmp again; end: ret */
	{ { "tpause", CODE("\x83\x3f\x00\x75\x06\x66\x0f\xae\xf1\xeb\xf5\xc3") },
	  "[rdi]", "==", "0", 4, 0, SPIN_PAUSES },
	/* again: mov $202,%eax; syscall; cmpl $0,(%rdi); je again; ret */
	{ { "futex", CODE("\xb8\xca\x00\x00\x00\x0f\x05\x83\x3f\x00\x74\xf4\xc3") },
	  "[rdi]", "==", "0", 4, 0, SPIN_BLOCKS },
	/* again: mov $24,%eax; syscall; cmpl $0,(%rbx); je again; ret */
	{ { "sched_yield", CODE("\xb8\x18\x00\x00\x00\x0f\x05\x83\x3b\x00\x74\xf4\xc3") },
	  "[rbx]", "==", "0", 4, 0, SPIN_YIELDS },
	/* again: mov $1,%eax; lock xadd %eax,(%rdi); cmpl $0,(%rsi); je again; ret */
	{ { "adds", CODE("\xb8\x01\x00\x00\x00\xf0\x0f\xc1\x07\x83\x3e\x00\x74\xf2\xc3") },
	  .location = NULL },
	/* again: lock orl $0,(%rsp); cmpl $0,(%rdi); je again; ret */
	{ { "fence", CODE("\xf0\x83\x0c\x24\x00\x83\x3f\x00\x74\xf6\xc3") },
	  "[rdi]", "==", "0", 4, 0, 0 },
	/* again: rdtsc; cmp %rbx,%rax; ja end; cmpl $0,(%rdi); je again; end: ret */
	{ { "clock", CODE("\x0f\x31\x48\x39\xd8\x77\x05\x83\x3f\x00\x74\xf4\xc3") },
	  "[rdi]", "==", "0", 4, 0, SPIN_READS_CLOCK | SPIN_BOUNDED },
	/* again: rep stosb; cmpl $0,(%rsi); je again; ret */
	{ { "fills memory", CODE("\xf3\xaa\x83\x3e\x00\x74\xf9\xc3") },
	  .location = NULL },
	/* again: lods; test %eax,%eax; jne again; ret */
	{ { "lods", CODE("\xad\x85\xc0\x75\xfb\xc3") },
	  .location = NULL },
};

/* clang-format on */

/* The loops of the function at @address. */
static const struct spin *find(const struct spins *spins, u64 address)
{
	for (u32 i = 0; i < spins->count; i++)
		if (spins->spins[i].function == address)
			return &spins->spins[i];
	return NULL;
}

static bool is_fixed(const struct row *row)
{
	return !strcmp(row->function.name, "fixed address");
}

static void check_row(const struct spins *spins, const struct row *row, u64 address)
{
	const struct spin *spin = find(spins, address);
	char location[SPIN_WORDS], value[SPIN_WORDS], wanted[32];
	const struct spin_wait *wait;

	print_message("# %s\n", row->function.name);
	if (!row->location && !is_fixed(row)) {
		assert_null(spin);
		return;
	}
	assert_non_null(spin);
	assert_int_equal(spin->does, row->does & ~ROUGH);
	assert_int_equal(spin->wait_count, 1);
	wait = &spin->waits[0];
	assert_true(spin_value_words(location, spins, &wait->location));
	assert_true(spin_value_words(value, spins, &wait->value));
	snprintf(wanted, sizeof(wanted), "[0x%llx]", (unsigned long long)address + 7 + 0x100);
	assert_string_equal(location, is_fixed(row) ? wanted : row->location);
	assert_non_null(spin_comparison(wait->while_is));
	assert_string_equal(spin_comparison(wait->while_is), row->sign);
	assert_string_equal(value, row->value);
	assert_int_equal(wait->location.bytes, row->bytes);
	assert_int_equal(wait->location.mask, row->mask);
	assert_int_equal(wait->location.address.rough, !!(row->does & ROUGH));
	assert_int_equal(spin->range_count, 1);
	assert_true(spin->ranges[0].begin >= address);
	assert_true(spin->ranges[0].end <= address + row->function.size);
	assert_true(wait->branch >= spin->ranges[0].begin && wait->branch < spin->ranges[0].end);
}

static void find_in(const struct made_function *functions, size_t count, struct spins *spins)
{
	_cleanup_close_ int fd = made_code(functions, count);

	assert_int_equal(spins_find(spins, fd), 0);
}

static void each_loop_is_what_it_is(void **state)
{
	_cleanup_spins_ struct spins spins;
	struct made_function functions[ARRAY_SIZE(rows)];
	u64 address = MADE_ADDRESS;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		functions[i] = rows[i].function;
	find_in(functions, ARRAY_SIZE(rows), &spins);
	assert_int_equal(spins.functions, ARRAY_SIZE(rows));
	assert_int_equal(spins.given_up, 0);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		check_row(&spins, &rows[i], address);
		address += rows[i].function.size;
	}
	/* of "ticket" and "tpause" */
	assert_int_equal(spins.pauses, 2);
	assert_int_equal(spins.pauses_inside, 2);
}

/* A helper that only pauses is a part of waiting; one that stores is not. */
static void calls_are_followed(void **state)
{
	/* again: call helper; cmpl $0,(%rbx); je again; ret */
	static const char caller[] = "\xe8\x06\x00\x00\x00\x83\x3b\x00\x74\xf6\xc3";
	const struct made_function pauses[] = {
		{ "waits", CODE(caller) },
		/* pause; pause; ret */
		{ "helper", CODE("\xf3\x90\xf3\x90\xc3") },
	};
	const struct made_function stores[] = {
		{ "works", CODE(caller) },
		/* inc (%rcx); ret */
		{ "helper", CODE("\xff\x01\xc3") },
	};
	const struct made_function aborts[] = {
		{ "ends", CODE(caller) },
		/* ud2 */
		{ "helper", CODE("\x0f\x0b") },
	};
	_cleanup_spins_ struct spins good = { 0 }, may = { 0 }, none = { 0 };

	(void)state;
	find_in(pauses, ARRAY_SIZE(pauses), &good);
	assert_int_equal(good.count, 1);
	assert_int_equal(good.spins[0].does, SPIN_PAUSES);
	assert_int_equal(good.spins[0].tier, SPIN_HIGH);
	/* it may be what lets the loop end, so it is not sure that it works */
	find_in(stores, ARRAY_SIZE(stores), &may);
	assert_int_equal(may.count, 1);
	assert_int_equal(may.spins[0].does, SPIN_CALLS);
	assert_int_equal(may.spins[0].tier, SPIN_LOW);
	assert_int_equal(may.spins[0].callee, MADE_ADDRESS);
	/* what never comes back is no way around */
	find_in(aborts, ARRAY_SIZE(aborts), &none);
	assert_int_equal(none.count, 0);
}

/* The same code, by the names of what it calls. */
static void engines_are_known_by_name(void **state)
{
	/* again: call first; call second; cmpl $0,(%rbx); je again; ret */
	static const char twice[] = "\xe8\x0b\x00\x00\x00\xe8\x09\x00\x00\x00"
				    "\x83\x3b\x00\x74\xf1\xc3";
	/* inc (%rcx); ret */
	static const char stores[] = "\xff\x01\xc3";
	static const struct {
		const char *first, *second;
		u32 does; /* 0: it works */
	} cases[] = {
		{ "opal_progress", "ucp_worker_progress", SPIN_PROGRESS },
		{ "MPI_Test", "MPI_Test_", 0 },
		{ "work", "opal_progress", 0 },
		{ "opal_progress", "work", 0 },
		{ "opal_progress", "pthread_mutex_lock", SPIN_PROGRESS },
		{ "pthread_mutex_lock", "opal_progress", SPIN_PROGRESS },
		{ "pthread_mutex_lock", "work", SPIN_CALLS },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct made_function functions[] = {
			{ "waits", CODE(twice) },
			{ cases[i].first, CODE(stores) },
			{ cases[i].second, CODE(stores) },
		};
		_cleanup_spins_ struct spins spins = { 0 };

		find_in(functions, ARRAY_SIZE(functions), &spins);
		assert_int_equal(spins.count, !!cases[i].does);
		if (!spins.count)
			continue;
		assert_int_equal(spins.spins[0].does, cases[i].does);
		assert_int_equal(spins.spins[0].tier == SPIN_HIGH, cases[i].does == SPIN_PROGRESS);
		assert_int_equal(spins.spins[0].callee == MADE_ADDRESS,
				 strncmp(cases[i].first, "pthread", 7) != 0);
	}
}

/* Two parts of one function, the second behind another function. */
static void parts_are_one_function(void **state)
{
	const struct made_function functions[] = {
		/* nop; again: cmpl $0,(%rdi); je cold; ret; nop */
		{ "hot", CODE("\x90\x83\x3f\x00\x74\x05\xc3\x90") },
		{ "other", CODE("\x31\xc0\xc3") },
		/* pause; jmp again */
		{ "hot.cold", CODE("\xf3\x90\xeb\xf2") },
	};
	_cleanup_spins_ struct spins spins = { 0 };

	(void)state;
	find_in(functions, ARRAY_SIZE(functions), &spins);
	assert_int_equal(spins.count, 1);
	assert_int_equal(spins.spins[0].function, MADE_ADDRESS);
	assert_int_equal(spins.spins[0].range_count, 2);
	assert_int_equal(spins.spins[0].ranges[1].begin, MADE_ADDRESS + 11);
	assert_true(spins.spins[0].does & SPIN_PAUSES);
}

/* Whatever is in the file: headers that lie, bytes that are cut off. */
static void damaged_files_are_refused_or_read(void **state)
{
	_cleanup_free_ u8 *bytes = NULL;
	struct made_function function = rows[0].function;
	size_t size;

	(void)state;
	bytes = made_code_bytes(&function, 1, &size);
	for (size_t at = 0; at < 0x200; at++)
		for (unsigned int value = 0; value < 256; value += 51) {
			_cleanup_spins_ struct spins spins = { 0 };
			_cleanup_close_ int fd = -1;
			u8 old = bytes[at];

			bytes[at] = value;
			fd = made_file(bytes, size);
			bytes[at] = old;
			if (spins_find(&spins, fd))
				assert_int_equal(errno, ENOEXEC);
		}
	for (size_t cut = 0; cut < size; cut += size / 64) {
		_cleanup_spins_ struct spins spins = { 0 };
		_cleanup_close_ int fd = made_file(bytes, cut);

		if (spins_find(&spins, fd))
			assert_int_equal(errno, ENOEXEC);
	}
}

/* Code with more loops than anyone writes ends all the same, and is told. */
static void endless_loops_are_given_up(void **state)
{
	_cleanup_spins_ struct spins spins = { 0 };
	_cleanup_free_ char *code = malloc(MANY_BYTES);
	struct made_function function = { "many", code, MANY_BYTES };

	(void)state;
	assert_non_null(code);
	/* each branch leads back to the function's begin, or six bytes back */
	for (int i = 0; i + 6 <= MANY_BYTES; i += 6) {
		s32 back = i % 12 ? -(i + 6) : -6;

		memcpy(code + i, "\x0f\x84", 2);
		memcpy(code + i + 2, &back, sizeof(back));
	}
	find_in(&function, 1, &spins);
	assert_int_equal(spins.given_up, 1);
}

static void a_search_can_be_cancelled(void **state)
{
	struct made_function function = rows[0].function;
	_cleanup_close_ int fd = made_code(&function, 1);
	_cleanup_spins_ struct spins spins = { 0 };
	bool cancel = false;

	(void)state;
	assert_int_equal(spins_find_until(&spins, fd, true, &cancel), 0);
	assert_int_equal(spins.count, 1);
	spins_free(&spins);
	cancel = true;
	assert_int_equal(spins_find_until(&spins, fd, true, &cancel), -1);
	assert_int_equal(errno, ECANCELED);
	assert_int_equal(spins.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_loop_is_what_it_is),
		cmocka_unit_test(calls_are_followed),
		cmocka_unit_test(engines_are_known_by_name),
		cmocka_unit_test(parts_are_one_function),
		cmocka_unit_test(damaged_files_are_refused_or_read),
		cmocka_unit_test(endless_loops_are_given_up),
		cmocka_unit_test(a_search_can_be_cancelled),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("spins", tests, NULL, NULL);
}
