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
 * Usage: jit [rounds=200] [units=1000] [map]
 */
#include <sys/mman.h>

#include "calls.h"

#define LEVELS 3

static unsigned long units;
static FILE *map; /* in memory; NULL: none is written */

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

/* A function that keeps a frame pointer, and calls @callee. Returns its size. */
static size_t generate(unsigned char *to, void (*callee)(void))
{
	/* push %rbp; mov %rsp,%rbp; sub $0x20,%rsp; movabs $callee,%rax */
	static const unsigned char begin[] = { 0x55, 0x48, 0x89, 0xe5, 0x48,
					       0x83, 0xec, 0x20, 0x48, 0xb8 };
	/* call *%rax; leave; ret */
	static const unsigned char end[] = { 0xff, 0xd0, 0xc9, 0xc3 };
	size_t at = 0;

	memcpy(to, begin, sizeof(begin));
	at += sizeof(begin);
	memcpy(to + at, &callee, sizeof(callee));
	at += sizeof(callee);
	memcpy(to + at, end, sizeof(end));
	return at + sizeof(end);
}

static void note(const unsigned char *begin, size_t size, int level)
{
	static const char *const names[LEVELS] = { "inner", "middle", "outer" };

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

	if (argc > 3)
		map = open_memstream(&text, &size);
	units = arg_or(argc, argv, 2, 1000);
	for (unsigned long i = 0; i < rounds; i += 10)
		run_generated();
	STAY();
	if (map) {
		fclose(map);
		write_map(text, size);
	}
	return 0;
}
