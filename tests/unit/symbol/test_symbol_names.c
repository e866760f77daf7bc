// SPDX-License-Identifier: GPL-2.0
/* Mangled names, and the kernel's functions by a made-up /proc/kallsyms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "symbol/kernel_data.h"
#include "symbol/symbol_file.h"
#include "util/hash_index.h"

/* Calls of reallocarray() until one finds no memory. */
static size_t memory = SIZE_MAX;

/* In place of libc's. */
void *reallocarray(void *old, size_t count, size_t size)
{
	return memory && memory-- ? realloc(old, count * size) : NULL;
}

static const struct {
	const char *symbol;
	const char *name;
} vectors[] = {
	/* C, and what only looks mangled */
	{ "main", "main" },
	{ "_start", "_start" },
	{ "_", "_" },
	{ "", "" },
	{ "_Z", "_Z" },
	{ "_R", "_R" },
	{ "_Zfoo", "_Zfoo" },
	{ "_ZN3foo", "_ZN3foo" },
	{ "rehash.cold", "rehash" },
	{ "rehash.cold.17", "rehash" },
	{ "rehash.part.0.cold", "rehash" },
	{ "rehash.constprop.0.isra.2", "rehash" },
	{ "pthread_create@@GLIBC_2.34", "pthread_create" },
	{ "pthread_create@GLIBC_2.2.5", "pthread_create" },
	{ "main._omp_fn.0", "main._omp_fn.0" },
	{ "helper.1234", "helper.1234" },
	{ "scold", "scold" },
	{ ".cold", ".cold" },
	/* C++ */
	{ "_Z3foov", "foo" },
	{ "_ZN2ns3fooEi", "ns::foo" },
	{ "_ZN2ns3fooEi.cold", "ns::foo" },
	{ "_ZN2ns3fooEi.constprop.1", "ns::foo" },
	{ "_ZNK2ns3BoxIiE3getEi", "ns::Box<int>::get" },
	{ "_ZN2ns3addIiEET_S1_S1_", "ns::add<int>" },
	{ "_ZN2nsplERKNS_1AES2_", "ns::operator+" },
	{ "_ZN2ns1AC1Ev", "ns::A::A" },
	{ "_ZN2ns1AD0Ev", "ns::A::~A" },
	{ "_ZZN2ns3runEiENKUlvE_clEv", "ns::run(int)::{lambda()#1}::operator()" },
	{ "_ZN12_GLOBAL__N_16hiddenEi", "(anonymous namespace)::hidden" },
	{ "_ZThn8_N1B1fEv", "non-virtual thunk to B::f()" },
	/* Rust, both manglings */
	{ "_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write" },
	{ "_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$3bar17h930b740aa94f1d3aE",
	  "<Test + 'static as foo::Bar<Test>>::bar" },
	{ "_ZN5alloc5alloc7dealloc17h0123456789abcdefE.llvm.1234567890", "alloc::alloc::dealloc" },
	{ "_RNvC6_123foo3bar", "123foo::bar" },
	{ "_RNvNtCs1234_7mycrate3foo3bar", "mycrate::foo::bar" },
	{ "_RNCNvC4test4main0B3_", "test::main::{closure#0}" },
};

static void as_their_programmers_wrote_them(void **state)
{
	_cleanup_free_ char *name = malloc(DEMANGLE_SIZE);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		demangle(name, vectors[i].symbol);
		if (strcmp(name, vectors[i].name))
			fail_msg("%s: %s instead of %s", vectors[i].symbol, name, vectors[i].name);
	}
}

/* f<A<int, int>, ...>, each argument a pair of the one before: twice as long with each. */
static void doubling_symbol(char *symbol, int levels)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

	symbol += sprintf(symbol, "_Z1fI1AIiiE");
	for (int i = 1; i <= levels; i++)
		symbol += sprintf(symbol, "S0_IS%c_S%c_E", digits[i], digits[i]);
	sprintf(symbol, "Evv");
}

static void endless_names_stay_mangled(void **state)
{
	_cleanup_free_ char *name = malloc(DEMANGLE_SIZE);
	char symbol[1024];

	(void)state;
	doubling_symbol(symbol, 1);
	demangle(name, symbol);
	assert_string_equal(name, "f<A<int, int>, A<A<int, int>, A<int, int> > >");
	for (int levels = 12; levels < 36; levels++) {
		doubling_symbol(symbol, levels);
		demangle(name, symbol);
		assert_string_equal(name, symbol);
	}
}

static void long_names_are_whole_or_mangled(void **state)
{
	_cleanup_free_ char *name = malloc(DEMANGLE_SIZE);
	_cleanup_free_ char *symbol = malloc(3 * DEMANGLE_SIZE);

	(void)state;
	for (size_t size = 1; size < 3 * DEMANGLE_SIZE; size *= 2) {
		memset(symbol, 'x', size);
		symbol[size] = '\0';
		demangle(name, symbol);
		assert_int_equal(strlen(name), size < DEMANGLE_SIZE ? size : DEMANGLE_SIZE - 1);
	}
}

static bool start_code_is_named(const char *symbol)
{
	struct object library = { .name = "libc.so.6" };

	return start_code_is_name(&(struct symbol_file){ .object = &library }, symbol);
}

static void names_of_start_code(void **state)
{
	(void)state;
	assert_true(start_code_is_named("_start"));
	assert_true(start_code_is_named("__libc_start_main@@GLIBC_2.34"));
	assert_true(start_code_is_named("start_thread"));
	assert_true(start_code_is_named("clone3"));
	assert_true(start_code_is_named("clone"));
	assert_false(start_code_is_named("main"));
	assert_false(start_code_is_named("start_thread_pool"));
	assert_false(start_code_is_named("start"));
}

static void names_of_gos_runtime(void **state)
{
	struct object object = { .name = "server" };
	struct symbol_file file = { .object = &object };

	(void)state;
	assert_true(start_code_is_name(&file, "runtime.goexit"));
	assert_true(start_code_is_name(&file, "runtime.goexit.abi0"));
	assert_true(start_code_is_name(&file, "runtime.mcall"));
	assert_false(start_code_is_name(&file, "runtime.main"));
	assert_false(start_code_is_name(&file, "runtime.goexit1"));
	assert_true(start_code_switches("runtime.systemstack"));
	assert_true(start_code_switches("runtime.systemstack.abi0"));
	assert_true(start_code_switches("runtime.asmcgocall.abi0"));
	assert_false(start_code_switches("runtime.systemstack_switch"));
	assert_false(start_code_switches("runtime.systemstac"));
	assert_false(start_code_switches("runtime.mcall"));
	assert_false(start_code_switches(""));
}

static struct kallsyms *read_made_up(const char *text)
{
	char path[] = "/tmp/gapp-kallsyms-XXXXXX";
	int fd = mkstemp(path);
	struct kallsyms *kallsyms;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	kallsyms = kallsyms_read(path);
	unlink(path);
	return kallsyms;
}

static struct kallsyms *made_up(const char *text)
{
	struct kallsyms *kallsyms = read_made_up(text);

	assert_non_null(kallsyms);
	return kallsyms;
}

static const char kernel_text[] = "0000000000000000 A fixed_percpu_data\n"
				  "ffffffff81000100 t second\n"
				  "ffffffff81000000 T first\n"
				  "ffffffff81000100 T __second\n"
				  "ffffffff81000200 D data\n"
				  "ffffffff81000300 W third\n"
				  "ffffffffc0001000 t in_module\t[nf_tables]\n"
				  "ffffffffc0001040 t bpf_prog_0123\t[bpf]\n"
				  "nonsense\n"
				  "ffffffff8zzz T nonsense\n"
				  "ffffffff82000000 TT nonsense\n"
				  "ffffffff82000000\n"
				  "\n";

static void finds(const struct kallsyms *kallsyms, u64 address, const char *name,
		  const char *module)
{
	const struct kernel_symbol *found = kallsyms_find(kallsyms, address);

	assert_non_null(found);
	assert_string_equal(found->name, name);
	assert_string_equal(found->module, module);
	assert_true(found->address <= address);
}

static void the_schedulers_functions_are_told(void **state)
{
	struct kallsyms *kallsyms = made_up("ffffffff81000000 T _text\n"
					    "ffffffff81000100 T before\n"
					    "ffffffff81000200 T __sched_text_start\n"
					    "ffffffff81000200 T __schedule\n"
					    "ffffffff81000300 t io_schedule\n"
					    "ffffffff81000400 T __sched_text_end\n"
					    "ffffffff81000400 T behind\n"
					    "ffffffff81000500 T __traceiter_sched_switch\n"
					    "ffffffff81000600 T __traceiter_sched_waking\n"
					    "ffffffffc0000200 T __sched_text_start\t[odd]\n");

	(void)state;
	assert_false(kallsyms_is_scheduler(kallsyms, 0xffffffff81000100));
	assert_true(kallsyms_is_scheduler(kallsyms, 0xffffffff81000200));
	assert_true(kallsyms_is_scheduler(kallsyms, 0xffffffff81000300));
	assert_false(kallsyms_is_scheduler(kallsyms, 0xffffffff81000400));
	assert_true(kallsyms_is_scheduler(kallsyms, 0xffffffff81000500));
	assert_false(kallsyms_is_scheduler(kallsyms, 0xffffffff81000600));
	assert_false(kallsyms_is_scheduler(kallsyms, 0xffffffffc0000200));
	assert_true(kallsyms_named(kallsyms, "behind")->address == 0xffffffff81000400);
	assert_null(kallsyms_named(kallsyms, "nobody"));
	kallsyms_free(kallsyms);
}

static void finds_nothing(const struct kallsyms *kallsyms, u64 address)
{
	assert_null(kallsyms_find(kallsyms, address));
}

static void kernel_functions(void **state)
{
	struct kallsyms *kallsyms = made_up(kernel_text);

	(void)state;
	finds(kallsyms, 0xffffffff81000000, "first", "[kernel]");
	finds(kallsyms, 0xffffffff810000ff, "first", "[kernel]");
	finds(kallsyms, 0xffffffff81000100, "second", "[kernel]");
	finds(kallsyms, 0xffffffff810001ff, "second", "[kernel]");
	finds(kallsyms, 0xffffffff81000300, "third", "[kernel]");
	finds(kallsyms, 0xffffffffc000103f, "in_module", "[nf_tables]");
	finds(kallsyms, 0xffffffffc0001041, "bpf_prog_0123", "[bpf]");
	finds_nothing(kallsyms, 0);
	finds_nothing(kallsyms, 0xffffffff80ffffff);
	finds_nothing(kallsyms, 0xffffffff81000200);
	finds_nothing(kallsyms, 0xffffffffc0000fff);
	finds_nothing(kallsyms, 0xffffffffffffffff);
	kallsyms_free(kallsyms);
}

static void hidden_kernel_addresses(void **state)
{
	struct kallsyms *kallsyms =
		made_up("0000000000000000 T first\n0000000000000000 t second\n");

	(void)state;
	finds_nothing(kallsyms, 0);
	finds_nothing(kallsyms, 1);
	finds_nothing(kallsyms, 0xffffffff81000000);
	kallsyms_free(kallsyms);
}

/* A few functions alone would give their names to the code of all others. */
static void no_memory_for_kernel_functions(void **state)
{
	struct kallsyms *kallsyms = NULL;
	size_t requests = 0;

	(void)state;
	while (!kallsyms) {
		assert_true(requests < 10);
		memory = requests++;
		kallsyms = read_made_up(kernel_text);
		memory = SIZE_MAX;
	}
	assert_true(requests > 1);
	finds(kallsyms, 0xffffffff81000000, "first", "[kernel]");
	finds(kallsyms, 0xffffffffc0001041, "bpf_prog_0123", "[bpf]");
	kallsyms_free(kallsyms);
}

static void no_kernel_addresses_at_all(void **state)
{
	struct kallsyms *kallsyms = kallsyms_read("/nonexistent");

	(void)state;
	assert_non_null(kallsyms);
	finds_nothing(kallsyms, 0xffffffff81000000);
	kallsyms_free(kallsyms);
}

/* Variables by the lines of a made-up /proc/kallsyms, in no order. */
static void kernel_variables(void **state)
{
	static const char text[] = "ffffffff81000000 T function\n"
				   "ffffffff82001000 D table\n"
				   "ffffffff82000000 b _other_lock\n"
				   "ffffffff82000000 b some_lock\n"
				   "ffffffff82000000 b __some_lock\n"
				   "ffffffffc0001000 d module_lock\t[nf_tables]\n"
				   "what is this\n"
				   "ffffffff82002000 T behind\n";
	static const struct {
		u64 address;
		const char *name; /* NULL: none */
	} variables[] = {
		{ 0xffffffff82000000, "some_lock" },
		{ 0xffffffff82000fff, "some_lock+0xfff" },
		{ 0xffffffff82001040, "table+0x40" },
		{ 0xffffffffc0001000, "module_lock" },
		{ 0xffffffffc0002000, NULL }, /* too far behind */
		{ 0xffffffff81000010, NULL }, /* a function */
		{ 0xffffffff82002000, NULL },
		{ 0xffffffff80000000, NULL }, /* before all */
		{ 0xffff888000001000, NULL }, /* allocated memory */
		{ 0, NULL },
	};
	char path[] = "/tmp/gapp-kallsyms-XXXXXX", name[KERNEL_DATA_NAME];
	int fd = mkstemp(path);

	(void)state;
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	for (size_t i = 0; i < ARRAY_SIZE(variables); i++) {
		bool found = kernel_data_name(path, variables[i].address, name);

		assert_int_equal(found, !!variables[i].name);
		if (found)
			assert_string_equal(name, variables[i].name);
	}
	unlink(path);
	assert_false(kernel_data_name(path, 0xffffffff82000000, name));
}

static void texts_are_kept_once(void **state)
{
	struct texts texts = { 0 };
	const char *first[1000];
	char text[16];

	(void)state;
	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < ARRAY_SIZE(first); i++) {
			snprintf(text, sizeof(text), "%zu", i);
			if (!round)
				first[i] = texts_add(&texts, text);
			assert_string_equal(first[i], text);
			assert_ptr_equal(texts_add(&texts, text), first[i]);
		}
	}
	texts_free(&texts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_their_programmers_wrote_them),
		cmocka_unit_test(endless_names_stay_mangled),
		cmocka_unit_test(long_names_are_whole_or_mangled),
		cmocka_unit_test(names_of_start_code),
		cmocka_unit_test(names_of_gos_runtime),
		cmocka_unit_test(kernel_functions),
		cmocka_unit_test(hidden_kernel_addresses),
		cmocka_unit_test(no_memory_for_kernel_functions),
		cmocka_unit_test(no_kernel_addresses_at_all),
		cmocka_unit_test(kernel_variables),
		cmocka_unit_test(texts_are_kept_once),
		cmocka_unit_test(the_schedulers_functions_are_told),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("symbol names", tests, NULL, NULL);
}
