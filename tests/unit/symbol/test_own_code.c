// SPDX-License-Identifier: GPL-2.0
/* The program's own code and library code, by names, files and sources. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "symbol/own_code.h"

static const char *const own_names[] = {
	"main",
	"worker",
	"standard",
	"core::Engine::run",
	"alloc::Pool::take",
	"std_like::sort",
	"boost::asio::detail::scheduler::run",
	"(anonymous namespace)::hidden",
	"outside::inside::Box<std::vector<int> >::get",
	"main::{lambda()#1}::operator()",
	"run(std::vector<int>&)::{lambda(int)#2}::operator()",
	"non-virtual thunk to Engine::run()",
	"sort.1234",
	"main._omp_fn.0",
	/* Rust */
	"mycrate::pipeline::compact",
	"mycrate::main::{{closure}}",
	"<mycrate::Shape as core::fmt::Display>::fmt",
	"<&mycrate::Shape as core::fmt::Display>::fmt",
	"<alloc::vec::Vec<T> as mycrate::Compact>::compact",
	"<usize as mycrate::Compact>::compact",
	"<mycrate::Shape>::area",
	"<dyn mycrate::Shape>::area",
	"mycrate::shapes::<impl core::fmt::Display for mycrate::Shape>::fmt",
	"<mycrate::Map<alloc::vec::Vec<u8>, core::option::Option<u8>> as core::ops::index::Index<u8>>::index",
	/* Go */
	"main.main",
	"main.(*Pool).run",
	"github.com/user/runtime/sync.(*Pool).run",
	"example.org/tool/internal/run.Do",
	/* of generated code */
	"com.example.Indexer::add",
	"Lcom/example/Indexer;::add",
	"<module>",
	"<lambda>",
};

static const char *const library_names[] = {
	"std::sort<int*>",
	"std::thread::_State_impl<std::thread::_Invoker<std::tuple<Engine> > >::_M_run",
	"__gnu_cxx::__ops::_Iter_less_iter::operator()",
	"__cxxabiv1::__cxa_throw",
	"operator new",
	"operator delete[]",
	"virtual thunk to std::ostream::~ostream",
	"tbb::detail::d1::start_for<Range, Body>::execute",
	/* Rust */
	"core::ops::function::FnOnce::call_once",
	"core::slice::<impl [T]>::sort_unstable",
	"alloc::vec::Vec<T>::push",
	"std::sys_common::backtrace::__rust_begin_short_backtrace",
	"hashbrown::map::HashMap<K,V,S,A>::insert",
	"<alloc::vec::Vec<T> as core::ops::index::Index<I>>::index",
	"<alloc::boxed::Box<F,A> as core::ops::function::FnOnce<Args>>::call_once",
	"<T as core::convert::Into<U>>::into",
	"<&T as core::fmt::Debug>::fmt",
	"<[T] as core::fmt::Debug>::fmt",
	"<&mut I as core::iter::traits::iterator::Iterator>::next",
	"<alloc::vec::Vec<mycrate::Shape>>::push",
	"<fn() -> mycrate::Shape as core::ops::function::FnOnce<()>>::call_once",
	/* Go */
	"runtime.mcall",
	"sync.(*Mutex).Lock",
	"internal/runtime/atomic.(*Uint32).Load",
	"net/http.(*Server).Serve",
	"type:.eq.main.Shape",
	/* Java */
	"java.util.HashMap::get",
	"Ljava/util/HashMap;::get",
};

static void by_name(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(own_names); i++) {
		struct frame frame = { .function = own_names[i], .module = "app" };

		if (function_is_library(&frame))
			fail_msg("not the program's own: %s", own_names[i]);
		frame.library = true;
		assert_true(function_is_library(&frame));
	}
	for (size_t i = 0; i < ARRAY_SIZE(library_names); i++) {
		struct frame frame = { .function = library_names[i], .module = "app" };

		if (!function_is_library(&frame))
			fail_msg("no library's: %s", library_names[i]);
	}
}

/* No name may be read past its end, however it is cut. */
static void cut_names(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(own_names) + ARRAY_SIZE(library_names); i++) {
		const char *name = i < ARRAY_SIZE(own_names) ?
					   own_names[i] :
					   library_names[i - ARRAY_SIZE(own_names)];

		for (size_t length = strlen(name); length--;) {
			_cleanup_free_ char *cut = strndup(name, length);
			struct frame frame = { .function = cut };

			assert_non_null(cut);
			function_is_library(&frame);
		}
	}
}

static void a_dot_in_a_name_is_gos_only_in_its_sources(void **state)
{
	struct frame frame = { .function = "log.flush", .file = "/srv/app/log.py" };

	(void)state;
	assert_false(function_is_library(&frame));
	frame.file = "/home/user/sdk/src/log/log.go";
	assert_true(function_is_library(&frame));
	frame.file = NULL;
	assert_true(function_is_library(&frame));
}

static void by_source(void **state)
{
	static const char *const own[] = {
		"/home/user/app/src/main.rs", "src/engine.cc",	  "../include/engine.h",
		"/srv/app/usr/include/x.h",   "/usr/src/app/a.c", "engine.js",
	};
	static const char *const libraries[] = {
		"/usr/include/c++/12/bits/stl_algo.h",
		"/usr/lib/gcc/x86_64-linux-gnu/12/include/emmintrin.h",
		"/rustc/9fc6b43126469e3858e2fe86cafb4f0fd5068869/library/core/src/num/mod.rs",
		"/home/user/.cargo/registry/src/index.crates.io-6f17d22bba15001f/rayon-1.8.0/src/lib.rs",
		"/usr/share/cargo/registry/tokio-1.24.2/src/runtime/park.rs",
		"/usr/src/rustc-1.63.0/library/std/src/thread/mod.rs",
		"/usr/local/go/src/runtime/proc.go",
		"/home/user/sdk/go/src/runtime/proc.go",
		"/home/user/go/pkg/mod/golang.org/x/sync@v0.5.0/errgroup/errgroup.go",
		"/build/glibc-6iIyft/glibc-2.28/nptl/pthread_mutex_lock.c",
		"/usr/lib/python3.12/threading.py",
		"node:internal/process/task_queues",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(own); i++)
		assert_false(source_is_library(own[i]));
	for (size_t i = 0; i < ARRAY_SIZE(libraries); i++) {
		struct frame frame = { .function = "run", .file = libraries[i] };

		if (!source_is_library(libraries[i]) || !function_is_library(&frame))
			fail_msg("no library's: %s", libraries[i]);
	}
}

static void by_the_c_librarys_names(void **state)
{
	static const char *const libraries[] = { "memcpy", "pthread_mutex_lock", "__lll_lock_wait",
						 "_IO_getc", "qsort" };
	static const char *const own[] = { "main", "compact", "_start", "worker", "crc32" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(libraries); i++)
		assert_true(symbol_is_of_c_library(libraries[i]));
	for (size_t i = 0; i < ARRAY_SIZE(own); i++)
		assert_false(symbol_is_of_c_library(own[i]));
}

static bool is_library(enum object_kind kind, const char *path)
{
	_cleanup_free_ char *copy = strdup(path);
	const char *slash = strrchr(copy, '/');

	return object_is_library(&(struct object){
		.kind = kind,
		.path = copy,
		.name = slash ? slash + 1 : copy,
	});
}

static void by_file(void **state)
{
	static const char *const own[] = {
		"/home/user/app/build/app",
		"/home/user/app/build/libengine.so",
		"/usr/bin/ffmpeg",
		"/usr/local/lib/libengine.so.2",
		"/usr/lib/postgresql/15/bin/postgres",
		"/usr/lib/gcc/x86_64-linux-gnu/12/cc1",
		"/usr/lib/soap.sorter/app",
	};
	static const char *const libraries[] = {
		"/lib/x86_64-linux-gnu/libc.so.6",
		"/usr/lib/x86_64-linux-gnu/libavcodec.so.59",
		"/lib/ld-musl-x86_64.so.1",
		"/usr/lib64/libssl.so.3",
		"/opt/conda/lib/libstdc++.so.6",
		"/home/user/.pyenv/versions/3.11.4/lib/libpython3.11.so.1.0",
		"/usr/lib/jvm/java-17-openjdk-amd64/lib/server/libjvm.so",
		"/home/user/venv/lib/python3.11/site-packages/torch/lib/libgomp-a34b3233.so.1",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(own); i++) {
		if (is_library(OBJECT_FILE, own[i]))
			fail_msg("not the program's own: %s", own[i]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(libraries); i++) {
		if (!is_library(OBJECT_FILE, libraries[i]))
			fail_msg("no library: %s", libraries[i]);
	}
	assert_false(is_library(OBJECT_ANONYMOUS, "[anon]"));
	assert_true(is_library(OBJECT_ANONYMOUS, "[vsyscall]"));
	assert_true(is_library(OBJECT_VDSO, "[vdso]"));
	assert_true(is_library(OBJECT_KERNEL, "[kernel]"));
	assert_true(is_library(OBJECT_UNKNOWN, "[unknown]"));
}

static void the_innermost_own_line_is_shown(void **state)
{
	static const struct frame inlined[] = {
		{ .function = "std::swap<int>",
		  .file = "/usr/include/c++/12/bits/move.h",
		  .line = 204 },
		{ .function = "fast", .file = "/usr/include/fast.h", .line = 7 },
		{ .function = "compact", .file = "journal.cc", .line = 88 },
		{ .function = "main", .file = "main.cc", .line = 12 },
	};
	static const struct frame named_only[] = {
		{ .function = "core::iter::Iterator::next" },
		{ .function = "app::compact" },
		{ .function = "app::main", .file = "src/main.rs", .line = 3 },
	};
	static const struct frame foreign[] = {
		{ .function = "memcpy", .library = true },
		{ .function = "std::copy", .library = true },
	};

	(void)state;
	assert_ptr_equal(own_line(inlined, 4), &inlined[2]);
	assert_ptr_equal(own_line(inlined + 3, 1), &inlined[3]);
	assert_ptr_equal(own_line(named_only, 3), &named_only[2]);
	assert_ptr_equal(own_line(named_only, 2), &named_only[1]);
	assert_ptr_equal(own_line(foreign, 2), &foreign[0]);
	assert_null(own_line(foreign, 0));
}

static void code_that_runs_other_code(void **state)
{
	static const char *const runs[] = { "Interpreter", "StubRoutines (1)", "I2C/C2I adapters",
					    "Builtin:InterpreterEntryTrampoline",
					    "monitorenter_nofpu Runtime1 stub" };
	static const char *const own[] = { "Interpreter::run", "Journal::compactJournal",
					   "Lorg/python/core/Interpreter;::call" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(runs); i++) {
		struct frame frame = { .function = runs[i], .module = "java" };

		assert_true(function_runs_others(&frame));
		/* a program's own function may be called so */
		frame.object = &(struct object){ .kind = OBJECT_FILE };
		assert_false(function_runs_others(&frame));
	}
	for (size_t i = 0; i < ARRAY_SIZE(own); i++)
		assert_false(function_runs_others(&(struct frame){ .function = own[i] }));
	assert_false(function_runs_others(&(struct frame){ .module = "java" }));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_name),
		cmocka_unit_test(cut_names),
		cmocka_unit_test(a_dot_in_a_name_is_gos_only_in_its_sources),
		cmocka_unit_test(by_source),
		cmocka_unit_test(by_the_c_librarys_names),
		cmocka_unit_test(by_file),
		cmocka_unit_test(the_innermost_own_line_is_shown),
		cmocka_unit_test(code_that_runs_other_code),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("own code", tests, NULL, NULL);
}
