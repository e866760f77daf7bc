// SPDX-License-Identifier: GPL-2.0
/*
 * Code that was generated into anonymous memory and keeps a frame pointer, as
 * JIT compilers can do: three such functions, one calling the other, and then
 * one of the program, which has none.
 *
 * A path: compute() or libc, callback(), three frames without a name,
 * run_generated(), main().
 *
 * With "map" it writes a perf map when it ends, as a runtime's agent does; then
 * the three are called inner, middle and outer, wherever they were put.
 *
 * With "dump" it writes a JIT dump from the begin, as a runtime does. Its three
 * functions are called likewise, and each calls in line 11 of generated.src.
 *
 * Usage: jit [rounds=200] [units=1000] [map|dump]
 */
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>

#include "calls.h"

#define LEVELS 3

static unsigned long units;
static FILE *map; /* in memory; NULL: none is written */
static FILE *dump; /* NULL: none is written */

static const char *const names[LEVELS] = { "inner", "middle", "outer" };
/* Where a function sets its frame up, and where the address for its call begins. */
static const size_t line_begins[] = { 0, 8 };

static in_frame void compute(void)
{
	burn(units);
	STAY();
}

static in_frame void callback(void)
{
	compute();
	sleep_us(200);
	STAY();
}

#ifdef __aarch64__
#define MACHINE EM_AARCH64
#else
#define MACHINE EM_X86_64
#endif

/* A function that keeps a frame pointer, and calls @callee. Returns its size. */
static size_t generate(unsigned char *to, void (*callee)(void))
{
#ifdef __aarch64__
	/*
	 * stp x29,x30,[sp,#-48]!; mov x29,sp; ldr x16,callee; blr x16; ldp x29,x30,[sp],#48; ret;
	 * callee:
	 */
	static const unsigned int begin[] = { 0xa9bd7bfd, 0x910003fd, 0x58000090,
					      0xd63f0200, 0xa8c37bfd, 0xd65f03c0 };
	static const unsigned char end[8];
#else
	/* push %rbp; mov %rsp,%rbp; sub $0x20,%rsp; movabs $callee,%rax */
	static const unsigned char begin[] = { 0x55, 0x48, 0x89, 0xe5, 0x48,
					       0x83, 0xec, 0x20, 0x48, 0xb8 };
	/* call *%rax; leave; ret */
	static const unsigned char end[] = { 0xff, 0xd0, 0xc9, 0xc3 };
#endif
	size_t at = 0;

	memcpy(to, begin, sizeof(begin));
	at += sizeof(begin);
	memcpy(to + at, &callee, sizeof(callee));
	at += sizeof(callee);
	memcpy(to + at, end, sizeof(end));
	__builtin___clear_cache((char *)to, (char *)to + at + sizeof(end));
	return at + sizeof(end);
}

static void put(const void *bytes, size_t size)
{
	if (fwrite(bytes, 1, size, dump) != size)
		die("fwrite");
}

static void put_words(const unsigned int *words, size_t count)
{
	put(words, count * sizeof(*words));
}

static void put_numbers(const unsigned long *numbers, size_t count)
{
	put(numbers, count * sizeof(*numbers));
}

/* A JIT dump, which others know of by its mapping. */
static void begin_dump(void)
{
	const unsigned int words[] = { 0x4a695444, 1, 40, MACHINE, 0, getpid() };
	const unsigned long numbers[] = { 0, 0 };
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/tmp/jit-%d.dump", getpid());
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
	dump = fd < 0 ? NULL : fdopen(fd, "w");
	if (!dump || mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED)
		die(path);
	put_words(words, 6);
	put_numbers(numbers, 2);
}

/* The function's lines, and then the function. */
static void note_in_dump(const unsigned char *begin, size_t size, int level)
{
	static const char file[] = "/src/generated.src";
	const unsigned int lines_head[] = { 2, 16 + 16 + 2 * (16 + sizeof(file)) };
	const unsigned int head[] = { 0, 16 + 40 + strlen(names[level]) + 1 + size };
	const unsigned int ids[] = { getpid(), getpid() };
	const unsigned long at = (unsigned long)begin, lines[] = { 0, at, 2 };
	const unsigned long numbers[] = { at, at, size, level };

	put_words(lines_head, 2);
	put_numbers(lines, 3);
	for (unsigned int i = 0; i < 2; i++) {
		const unsigned long address = at + line_begins[i];
		const unsigned int line[] = { 10 + i, 0 };

		put_numbers(&address, 1);
		put_words(line, 2);
		put(file, sizeof(file));
	}
	put_words(head, 2);
	put_numbers(lines, 1);
	put_words(ids, 2);
	put_numbers(numbers, 4);
	put(names[level], strlen(names[level]) + 1);
	put(begin, size);
}

static void note(const unsigned char *begin, size_t size, int level)
{
	if (dump)
		note_in_dump(begin, size, level);
	if (map)
		fprintf(map, "%s%lx %zx %s\n", level % 2 ? "0x" : "", (unsigned long)begin, size,
			names[level]);
}

static void write_map(const char *text, size_t size)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	file = fopen(path, "w");
	if (!file || fwrite(text, 1, size, file) != size || fclose(file))
		die(path);
}

/* In a new place each time, so that what was told of the one before does not help. */
static in_frame void run_generated(void)
{
	unsigned char *code =
		mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void (*callee)(void) = callback;
	unsigned char *at = code;

	if (code == MAP_FAILED)
		die("mmap");
	for (int i = 0; i < LEVELS; i++) {
		unsigned char *begin = at;

		at += generate(at, callee);
		note(begin, at - begin, i);
		callee = (void (*)(void))begin;
	}
	if (mprotect(code, PAGE, PROT_READ | PROT_EXEC))
		die("mprotect");
	for (int i = 0; i < 10; i++)
		callee();
	if (munmap(code, PAGE))
		die("munmap");
}

int main(int argc, char **argv)
{
	unsigned long rounds = arg_or(argc, argv, 1, 200);
	char *text;
	size_t size;

	if (argc > 3 && !strcmp(argv[3], "dump"))
		begin_dump();
	else if (argc > 3)
		map = open_memstream(&text, &size);
	units = arg_or(argc, argv, 2, 1000);
	for (unsigned long i = 0; i < rounds; i += 10)
		run_generated();
	STAY();
	if (dump)
		fclose(dump);
	if (map) {
		fclose(map);
		write_map(text, size);
	}
	return 0;
}
