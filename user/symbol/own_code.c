// SPDX-License-Identifier: GPL-2.0
#include "own_code.h"

#include <ctype.h>
#include <dlfcn.h>

static bool begins_with(const char *text, const char *begin)
{
	return !strncmp(text, begin, strlen(begin));
}

static bool begins_with_any(const char *text, const char *const *begins, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (begins_with(text, begins[i]))
			return true;
	}
	return false;
}

/*
 * Whether a file is a shared library by its name: "libm.so.6", "libfoo-1.2.so". A program may lie
 * among the libraries, as those of PostgreSQL and Java do.
 */
static bool is_shared_library(const char *name)
{
	const char *so = strstr(name, ".so");

	return so && (!so[3] || so[3] == '.');
}

/*
 * /usr/local/lib is not among these: what is built on the machine itself is installed there, and a
 * person may well change it.
 */
static const char *const library_folders[] = {
	"/lib/",       "/lib32/",     "/lib64/",      "/libx32/",    "/usr/lib/",
	"/usr/lib32/", "/usr/lib64/", "/usr/libx32/", "/nix/store/", "/gnu/store/",
};

/* Runtimes of languages, wherever they lie. */
static const char *const runtime_libraries[] = {
	"ld-linux",
	"ld-musl",
	"ld.so",
	"libasan.so",
	"libc++.so",
	"libc++abi.so",
	"libc.musl",
	"libc.so",
	"libgcc_s.so",
	"libgo.so",
	"libgomp.so",
	"libiomp5.so",
	"libjvm.so",
	"libm.so",
	"libnode.so",
	"libomp.so",
	"libpthread.so",
	"libpython",
	"libstd-",
	"libstdc++.so",
	"libtbb.so",
	"libtsan.so",
	"libubsan.so",
	/* as Python's wheels bring them, with a hash in their names */
	"libgcc_s-",
	"libgomp-",
	"libiomp5-",
	"libomp-",
	"libstdc++-",
};

bool object_is_library(const struct object *object)
{
	switch (object->kind) {
	case OBJECT_FILE:
		return is_shared_library(object->name) &&
		       (begins_with_any(object->path, library_folders,
					ARRAY_SIZE(library_folders)) ||
			begins_with_any(object->name, runtime_libraries,
					ARRAY_SIZE(runtime_libraries)));
	case OBJECT_ANONYMOUS:
		return !strcmp(object->name, "[vsyscall]");
	default:
		return true;
	}
}

bool symbol_is_of_c_library(const char *symbol)
{
	static const char *const begins[] = { "__", "_IO_", "_dl_", "_nl_" };
	void *libc;
	bool found;

	if (begins_with_any(symbol, begins, ARRAY_SIZE(begins)))
		return true;
	libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
	if (!libc)
		return false;
	found = dlsym(libc, symbol);
	dlclose(libc);
	return found;
}

bool source_is_library(const char *file)
{
	static const char *const begins[] = {
		"/usr/include/",
		"/usr/lib/",
		"/usr/lib32/",
		"/usr/lib64/",
		"/usr/local/include/",
		"/usr/local/go/src/",
		"/rustc/",
		/* of Debian's packages of crates, and of its rustc */
		"/usr/share/cargo/registry/",
		"/usr/src/rustc-",
		"/build/glibc",
		"/build/gcc-",
		"/nix/store/",
		"/gnu/store/",
		/* of runtimes that generate code */
		"node:",
		"<frozen ",
		"<built-in",
	};
	/* where Cargo, rustup and Go put what they fetch, and Go's own, wherever it lies */
	static const char *const parts[] = {
		"/.cargo/registry/", "/.cargo/git/",  "/.rustup/toolchains/", "/pkg/mod/",
		"/go/src/runtime/",  "/go/src/sync/", "/go/src/internal/",
	};

	if (begins_with_any(file, begins, ARRAY_SIZE(begins)))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		if (strstr(file, parts[i]))
			return true;
	}
	return false;
}

/* Whether @name is something within @root: "std::sort" is within "std". */
static bool is_within(const char *name, const char *root)
{
	size_t length = strlen(root);

	return !strncmp(name, root, length) && !strncmp(name + length, "::", 2);
}

static bool is_within_any(const char *name, const char *const *roots, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (is_within(name, roots[i]))
			return true;
	}
	return false;
}

/* By their modules, because programs in C++ have namespaces called core and alloc, too. */
static bool is_within_rust_library(const char *name)
{
	static const char *const core[] = {
		"alloc",      "any",	   "arch",	"array",     "ascii", "async_iter",
		"bool",	      "borrow",	   "cell",	"char",	     "clone", "cmp",
		"convert",    "core_arch", "core_simd", "default",   "error", "f32",
		"f64",	      "ffi",	   "fmt",	"future",    "hash",  "hint",
		"intrinsics", "iter",	   "marker",	"mem",	     "net",   "num",
		"ops",	      "option",	   "panic",	"panicking", "pin",   "ptr",
		"result",     "slice",	   "str",	"sync",	     "task",  "time",
		"tuple",      "ub_checks", "unicode",
	};
	static const char *const alloc[] = {
		"alloc", "borrow", "boxed",  "collections", "ffi",  "fmt",  "raw_vec",
		"rc",	 "slice",  "string", "str",	    "sync", "task", "vec",
	};

	if (is_within(name, "core"))
		return is_within_any(name + strlen("core::"), core, ARRAY_SIZE(core));
	return is_within(name, "alloc") &&
	       is_within_any(name + strlen("alloc::"), alloc, ARRAY_SIZE(alloc));
}

/* Namespaces of C++, crates of Rust, packages of Java. */
static bool is_within_library(const char *name)
{
	static const char *const roots[] = {
		"std",	     "__gnu_cxx",	  "__gnu_parallel", "__cxxabiv1", "tbb::detail",
		"hashbrown", "compiler_builtins", "panic_unwind",   "std_detect",
	};
	static const char *const begins[] = {
		"java.",  "javax.",  "jdk.",  "sun.",  "com.sun.",  "operator new",
		"Ljava/", "Ljavax/", "Ljdk/", "Lsun/", "Lcom/sun/", "operator delete",
	};

	return is_within_any(name, roots, ARRAY_SIZE(roots)) || is_within_rust_library(name) ||
	       begins_with_any(name, begins, ARRAY_SIZE(begins));
}

/* Behind "&", "*const ", "mut ", "dyn " and the like, which a type of Rust may begin with. */
static const char *skip_qualifiers(const char *type)
{
	static const char *const qualifiers[] = { "&", "(", "*const ", "*mut ", "mut ", "dyn " };
	size_t i = 0;

	while (i < ARRAY_SIZE(qualifiers)) {
		i++;
		if (begins_with(type, qualifiers[i - 1])) {
			type += strlen(qualifiers[i - 1]);
			i = 0;
		}
	}
	return type;
}

/*
 * Whether the type of Rust in @length bytes is one of its libraries': also a primitive one, an
 * array, or a parameter.
 */
static bool is_library_type(const char *type, size_t length)
{
	const char *root = skip_qualifiers(type);
	size_t skipped = root - type, word;

	if (skipped >= length || *root == '[')
		return true;
	if (is_within_library(root))
		return true;
	/* a primitive type or a parameter */
	word = strspn(root, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
	return strncmp(root + word, "::", 2) || skipped + word >= length;
}

/*
 * Bytes of @text before the first @end that is not within brackets; all, if there is none. The ">"
 * of "->" is no bracket.
 */
static size_t length_before(const char *text, const char *end)
{
	int depth = 0;
	size_t i;

	for (i = 0; text[i]; i++) {
		if (i && text[i] == '>' && text[i - 1] == '-')
			continue;
		if (!depth && begins_with(text + i, end))
			break;
		if (strchr("<([", text[i]))
			depth++;
		else if (strchr(">)]", text[i]))
			depth--;
	}
	return i;
}

/*
 * "<TYPE as TRAIT>::function" or "<TYPE>::function" of Rust: it was written for the type or for the
 * trait, so it is library code only if both are.
 */
static bool is_library_method(const char *name)
{
	const char *type = name + 1;
	size_t length = length_before(type, " as "), all = length_before(type, ">");

	/* what runtimes call "<module>" and "<lambda>" is no method */
	if (!begins_with(type + all, ">::"))
		return false;
	if (length >= all)
		return is_library_type(type, all);
	return is_library_type(type, length) && is_within_library(type + length + strlen(" as "));
}

/*
 * A function of Go is PACKAGE.FUNCTION, where the last / of the package's path comes before the
 * dot. What others write has a dot in the path's first part, or is "main".
 */
static bool is_library_of_go(const char *name)
{
	static const char *const packages[] = {
		"archive",  "bufio",	"bytes",   "cmp",     "compress", "container", "context",
		"crypto",   "database", "debug",   "embed",   "encoding", "errors",    "expvar",
		"flag",	    "fmt",	"go",	   "hash",    "html",	  "image",     "index",
		"internal", "io",	"iter",	   "log",     "maps",	  "math",      "mime",
		"net",	    "os",	"path",	   "plugin",  "reflect",  "regexp",    "runtime",
		"slices",   "sort",	"strconv", "strings", "sync",	  "syscall",   "testing",
		"text",	    "time",	"unicode", "unique",  "vendor",	  "weak",
	};
	size_t first = strcspn(name, "./:");

	/* "type:.eq.T" compares values */
	if (begins_with(name, "type:."))
		return true;
	/* a dot and digits are the mark of a copy of a function of C */
	if (!name[first] || name[first] == ':' || isdigit((unsigned char)name[first + 1]) ||
	    strstr(name, "::"))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(packages); i++) {
		if (strlen(packages[i]) == first && !strncmp(name, packages[i], first))
			return true;
	}
	return false;
}

static bool is_go_source(const char *file)
{
	size_t length = strlen(file), end = strlen(".go");

	return length > end && !strcmp(file + length - end, ".go");
}

static bool name_is_library(const char *name, const char *file)
{
	static const char *const thunks[] = { "non-virtual thunk to ", "virtual thunk to " };

	for (size_t i = 0; i < ARRAY_SIZE(thunks); i++) {
		if (begins_with(name, thunks[i]))
			return name_is_library(name + strlen(thunks[i]), file);
	}
	if (*name == '<')
		return is_library_method(name);
	return is_within_library(name) || ((!file || is_go_source(file)) && is_library_of_go(name));
}

bool function_is_library(const struct frame *frame)
{
	return frame->library || (frame->file && source_is_library(frame->file)) ||
	       (frame->function && name_is_library(frame->function, frame->file));
}

bool function_runs_others(const struct frame *frame)
{
	static const char *const begins[] = { "StubRoutines", "I2C/C2I adapters", "Builtin:" };

	return !frame->object && frame->function &&
	       (!strcmp(frame->function, "Interpreter") ||
		strstr(frame->function, " Runtime1 stub") ||
		begins_with_any(frame->function, begins, ARRAY_SIZE(begins)));
}

const struct frame *own_line(const struct frame *frames, size_t count)
{
	const struct frame *own = NULL;

	for (size_t i = 0; i < count; i++) {
		if (function_is_library(&frames[i]))
			continue;
		if (frames[i].file)
			return &frames[i];
		if (!own)
			own = &frames[i];
	}
	return own || !count ? own : frames;
}
