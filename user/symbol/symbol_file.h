/* SPDX-License-Identifier: GPL-2.0 */
/* What the reader knows of one object's ELF file, and of the kernel's functions. */
#ifndef GAPP_READ_SYMBOL_FILE_H
#define GAPP_READ_SYMBOL_FILE_H

#include <elfutils/libdwfl.h>

#include "debuginfod.h"
#include "symbols.h"
#include "util/hash_index.h"

/**
 * struct function - a symbol of the symbol table that is code
 * @begin: first address
 * @end: address behind the last
 * @reach: the highest @end in the table so far
 * @name: mangled name; belongs to libelf
 * @sized: the symbol gives @end; if false, @end is where the next function begins
 * @weight: of several symbols of one address the symbol with the least weight is kept
 */
struct function {
	u64 begin;
	u64 end;
	u64 reach;
	const char *name;
	bool sized;
	u8 weight;
};

/**
 * struct symtab - functions by address, one for each address
 * @functions: sorted by @begin
 */
struct symtab {
	struct function *functions;
	size_t count;
};

/*
 * Reads .symtab, of the separate debug file if there is one, else .dynsym. Returns 0, or -1 without
 * memory.
 */
int symtab_read(struct symtab *symtab, Dwfl_Module *module);
void symtab_free(struct symtab *symtab);

/*
 * The function that has @address, or NULL. A function's cold part counts as the function, if its
 * name says whose part it is.
 */
const struct function *symtab_find(const struct symtab *symtab, u64 address);

/* A function by its mangled name, or NULL. Compares with every function's name. */
const struct function *symtab_named(const struct symtab *symtab, const char *name);

/**
 * struct variable - a symbol of the symbol table that is data
 * @begin: first address
 * @end: address behind the last
 * @name: mangled name; belongs to libelf
 */
struct variable {
	u64 begin;
	u64 end;
	const char *name;
};

/* Enough for a demangled name; a longer one stays mangled. */
#define DEMANGLE_SIZE 16384

/*
 * Writes the name of @symbol as its programmer wrote it to @name, which has DEMANGLE_SIZE bytes:
 * C++ and Rust demangled, without parameters and without the marks of a compiler's copies (".cold",
 * ".constprop.0", "@@VERSION"). The marks of openmp.h stay, and what is no mangled name.
 */
void demangle(char *name, const char *symbol);

/* Bytes of @symbol before the marks of a compiler's copies. */
size_t demangle_base_length(const char *symbol);

/* Whether @symbol names the part of a function that the compiler moved as rarely run. */
bool demangle_is_cold(const char *symbol);

/**
 * struct kernel_symbol - a symbol of the kernel
 * @address: first address
 * @name: name; NULL: data, which only ends the function before it
 * @module: "[kernel]", or "[NAME]" for a module's symbol
 */
struct kernel_symbol {
	u64 address;
	const char *name;
	const char *module;
};

struct kallsyms;

/*
 * Reads a file in the format of /proc/kallsyms. Nothing will be found if it hides addresses or
 * cannot be read. NULL: no memory.
 */
struct kallsyms *kallsyms_read(const char *path);
void kallsyms_free(struct kallsyms *kallsyms);
/* The function at an address, or NULL. */
const struct kernel_symbol *kallsyms_find(const struct kallsyms *kallsyms, u64 address);
/* A function of the kernel by its name, or NULL. Compares with every symbol's name. */
const struct kernel_symbol *kallsyms_named(const struct kallsyms *kallsyms, const char *name);
/* Whether the function that begins at an address is the scheduler's: see struct frame. */
bool kallsyms_is_scheduler(const struct kallsyms *kallsyms, u64 address);

/*
 * The path of the running kernel's vmlinux, to be freed: of the files in the usual places the first
 * one with the build id that the kernel has. NULL: there is none, or no memory.
 */
char *kernel_file_path(const struct kernel_files *files);

/*
 * Sets how much higher the kernel's code lies than its file says. False: functions of both do not
 * lie at one distance, so the file is of no use.
 */
bool kernel_file_shift(const struct symtab *symtab, const struct kallsyms *kallsyms, u64 *shift);

/**
 * struct segment - a loaded segment of the file
 * @offset: offset in the file
 * @size: bytes in the file
 * @address: address that the ELF file gives it
 * @executable: it holds code
 */
struct segment {
	u64 offset;
	u64 size;
	u64 address;
	bool executable;
};

/**
 * struct unit_range - code of a compilation unit
 * @begin: first address, as the debug information has it
 * @end: address behind the last
 * @unit: offset of the unit's DIE
 */
struct unit_range {
	u64 begin;
	u64 end;
	u64 unit;
};

/* Bytes of a build-id; those of linkers have 20 at most. A longer one is cut. */
#define BUILD_ID_MAX 64

/**
 * struct symbol_file - an object's file; members from @dwfl on are set only while it is loaded
 * @object: the object; of other kinds than OBJECT_FILE and OBJECT_VDSO nothing is loaded
 * @answers: struct answer by offset: of code, and of code at a return address
 * @functions: struct frame of each function, by the function's first address
 * @used: number of the call that used it last
 * @cancel: as for symbols_new()
 * @sources: as for symbols_set_sources(); NULL: none were set
 * @debuginfod: what servers have sent
 * @link_failed: its debug link leads to no right file
 * @build_id: the build-id in hexadecimal; of a file that could not be loaded, that of the file
 *	that was mapped; "": none is known
 * @state: whether it is loaded
 *
 * @dwfl: has @module only
 * @module: the file, at the addresses that it gives itself
 * @frames_dwfl: has @frames only
 * @frames: its checked call frame information; NULL: not asked for yet, or it cannot be read
 * @frames_read: @frames was asked for
 * @x86_64: its code is for x86-64
 * @linked_statically: a program that contains its C library
 * @segments: its segments
 * @symtab: its functions
 * @units: code of its compilation units by address
 * @units_read: @units were read
 * @split: what is elsewhere of units; NULL: not asked for yet
 * @asking: debug information is being looked for
 * @start_code: addresses of functions without a name that begin a program or thread
 * @start_code_read: @start_code was read
 * @entry: where the program begins
 * @musl: first addresses of functions of musl's that may begin a program or thread
 * @musl_clone: where the call of musl's clone() returns in a new thread; 0: it has none
 * @musl_read: @musl was read
 * @variables: its static variables by address
 * @variables_read: @variables were read
 */
struct symbol_file {
	struct object *object;
	struct key_map answers[2];
	struct key_map functions;
	u64 used;
	const volatile bool *cancel;
	const struct symbol_sources *sources;
	const struct debuginfod *debuginfod;
	bool link_failed;
	char build_id[2 * BUILD_ID_MAX + 1];
	enum symbol_file_state {
		SYMBOL_FILE_UNLOADED,
		SYMBOL_FILE_LOADED,
		SYMBOL_FILE_FAILED, /* it cannot be read */
	} state;

	Dwfl *dwfl;
	Dwfl_Module *module;
	Dwfl *frames_dwfl;
	Dwfl_Module *frames;
	bool frames_read;
	bool x86_64;
	bool linked_statically;
	struct segment *segments;
	size_t segment_count;
	struct symtab symtab;
	struct unit_range *units;
	u32 unit_count;
	bool units_read;
	struct split_units *split;
	bool asking;
	u64 *start_code;
	size_t start_code_count;
	bool start_code_read;
	u64 entry;
	u64 *musl;
	size_t musl_count;
	u64 musl_clone;
	bool musl_read;
	struct variable *variables;
	size_t variable_count;
	bool variables_read;
};

static inline bool symbol_file_cancelled(const struct symbol_file *file)
{
	return file->cancel && *file->cancel;
}

/* Reads its symbols. Returns 0, or -1 and sets its state if it cannot be read. */
int symbol_file_load(struct symbol_file *file);
/* Frees everything that loading it has read; it may be loaded again. */
void symbol_file_unload(struct symbol_file *file);

/* Folders that files are looked up below. */
#define ROOTS_MAX 5
#define ROOT_SIZE 1024

/* Writes them, the best first; "" is our own root. Returns how many there are. */
size_t debug_file_roots(const struct symbol_file *file, char roots[][ROOT_SIZE]);

/* A callback of libdwfl: opens the separate debug file; -1: there is none. */
int debug_file_find(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
		    const char *file_name, const char *link, GElf_Word crc, char **found_name);

/*
 * Asks servers for the debug information of a loaded file that has none, and for what it shares
 * with other files. Returns whether they sent any.
 */
bool debug_file_ask(struct symbol_file *file, struct debuginfod *debuginfod);

/* Whether libelf may read the file @fd. If not, prints why; @lost: what is not read then. */
bool debug_file_is_bounded(int fd, const char *path, const char *lost);

/* Whether a file of any kind of ELF has the build-id. */
bool debug_file_has_id(int fd, const void *id, size_t size);

/* A callback of libdwfl that finds nothing: libdwfl's own would ask servers. */
int symbol_file_no_elf(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
		       char **file_name, Elf **elf);

/*
 * Adds a module for the object to @dwfl, at its own addresses plus @bias. @context: the module's
 * userdata. @fd is closed, at the latest with the module. NULL: it failed, or @dwfl is NULL.
 */
Dwfl_Module *symbol_file_report(Dwfl *dwfl, const struct object *object, int fd, u64 bias,
				void *context);

/* Sets @address to that of an offset in the file. False: no segment has it. */
bool symbol_file_address(const struct symbol_file *file, u64 offset, u64 *address);

/* @size bytes of the file at an address, or NULL. They belong to libelf. */
const u8 *symbol_file_bytes(const struct symbol_file *file, u64 address, u64 size);

/*
 * Why libelf and libdwfl may not read the file @fd: they inflate everything that is compressed in
 * it, whatever size that comes to. "": it is no ELF file. NULL: they may.
 */
const char *inflated_refused(int fd);

/* Bytes that the first xz stream of @data inflates to; UINT64_MAX: it is damaged, or no stream. */
u64 inflated_xz_size(const u8 *data, size_t size);

/* Source lines that are found for one address; if there are more, the innermost are left out. */
#define INLINES_MAX 64

/**
 * struct source - a function, inlined or not, at an address
 * @symbol: name, mangled or not; NULL: not known, or the symbol table has it
 * @folder: what @file counts from; NULL: @file is a whole path, or no folder is known
 * @file: source file, or NULL
 * @line: line; 0: not known
 *
 * Texts belong to libdw.
 */
struct source {
	const char *symbol;
	const char *folder;
	const char *file;
	u32 line;
};

/*
 * Sets the functions that @address is in, innermost first; the last is not inlined. Returns how
 * many, at most INLINES_MAX; 0: there is no debug information for the address.
 */
size_t inlines_find(struct symbol_file *file, u64 address, struct source *sources);

/* The static variable of a loaded file that has @address, or NULL. */
const struct variable *variable_find(struct symbol_file *file, u64 address);

/* The rule for the frame pointer at an address. */
enum frame_rule frame_rule_find(struct symbol_file *file, u64 address);

/**
 * struct eh_range - addresses of a function
 * @begin: first
 * @end: where the next function begins; for the last function, address behind its code
 */
struct eh_range {
	u64 begin;
	u64 end;
};

/* The function at @address by the frame descriptions, which strip(1) keeps. False: none has it. */
bool eh_range_find(const struct symbol_file *file, u64 address, struct eh_range *range);

/*
 * Whether the function named @symbol (mangled) begins a program or thread, so that it has no
 * caller. Most names count only in the C library, because programs may use them for other
 * functions.
 */
bool start_code_is_name(const struct symbol_file *file, const char *symbol);

/*
 * Whether the function at @address begins a program or thread. Distributions strip the names of
 * those functions, but they keep those of __libc_start_main() and pthread_create(), which call or
 * start them.
 */
bool start_code_is_at(struct symbol_file *file, u64 address);

/* Whether the object is a C library, by its name. */
bool start_code_is_c_library(const struct object *object);

/*
 * Whether the function named @symbol is one of Go's runtime that calls its argument on another
 * stack: a path may end there.
 */
bool start_code_switches(const char *symbol);

/* Instructions that refer to a function. */
enum reference {
	REFERENCE_NONE,
	REFERENCE_CALL, /* call TARGET */
	REFERENCE_JUMP, /* jmp TARGET */
	REFERENCE_ADDRESS, /* lea TARGET(%rip), REGISTER */
};

/* Bytes of the longest of these instructions. */
#define REFERENCE_BYTES_MAX 7

/*
 * The reference in the REFERENCE_BYTES_MAX bytes at @code, and its @target. Every byte may be
 * tried, not only the first one of an instruction: other bytes hardly ever look like a reference to
 * the begin of a function.
 */
enum reference reference_find(const u8 *code, u64 address, u64 *target);

/* Functions of musl's that are noted in one file. */
#define MUSL_MAX 256

/* start_code_is_at() for code without frame descriptions, as musl has it. */
bool musl_start_is_at(struct symbol_file *file, u64 address);

/* Whether a function is the one of musl's that begins a thread; others may be called "start". */
bool musl_start_is_named(struct symbol_file *file, const char *symbol, u64 begin);

#endif /* GAPP_READ_SYMBOL_FILE_H */
