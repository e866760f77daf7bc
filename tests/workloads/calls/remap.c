// SPDX-License-Identifier: GPL-2.0
/*
 * A thread whose code comes and goes under its feet: at one address there is in
 * turn the program's own file, generated code with a frame pointer, and nothing;
 * others move, protect and unmap executable memory all the time. What is told
 * of a path may be wrong there for a moment; nothing else may be.
 *
 * Usage: remap [rounds=400] [threads=2]
 */
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <sys/mman.h>

#include "calls.h"

#define WINDOW (4 * PAGE)

static atomic_int over;
static int program;
static off_t code_offset;
static unsigned long place_in_code;

static in_frame void compute(void)
{
	burn(200);
	sleep_us(100);
	STAY();
}

/* Copied and mapped elsewhere: it may use nothing but its argument. */
static in_frame __attribute__((section("moving_code"))) void moving(void (*callback)(void))
{
	callback();
	STAY();
}

/* Where in the file the function is that is mapped elsewhere. */
static int find_code(struct dl_phdr_info *info, size_t size, void *arg)
{
	unsigned long address = (unsigned long)moving - info->dlpi_addr;

	(void)size;
	(void)arg;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		__typeof__(info->dlpi_phdr) segment = &info->dlpi_phdr[i];

		if (segment->p_type != PT_LOAD || address < segment->p_vaddr ||
		    address >= segment->p_vaddr + segment->p_filesz)
			continue;
		code_offset = (segment->p_offset + address - segment->p_vaddr) & -PAGE;
		place_in_code = address % PAGE;
		return 1;
	}
	return 0;
}

static void *map_at(void *place, unsigned long bytes, int protection, int flags, int fd)
{
	void *got =
		mmap(place, bytes, protection, MAP_PRIVATE | flags, fd, fd < 0 ? 0 : code_offset);

	if (got == MAP_FAILED)
		die("mmap");
	return got;
}

static in_frame void call_at(const char *code)
{
	void (*there)(void (*)(void)) = (void (*)(void (*)(void)))(code + place_in_code);

	there(compute);
	STAY();
}

/* It keeps a frame pointer, and calls its argument. */
static void generate(char *to)
{
#ifdef __aarch64__
	/* stp x29,x30,[sp,#-16]!; mov x29,sp; blr x0; ldp x29,x30,[sp],#16; ret */
	static const unsigned int code[] = { 0xa9bf7bfd, 0x910003fd, 0xd63f0000, 0xa8c17bfd,
					     0xd65f03c0 };
#else
	/* push %rbp; mov %rsp,%rbp; call *%rdi; pop %rbp; ret */
	static const unsigned char code[] = { 0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3 };
#endif

	memcpy(to, code, sizeof(code));
	__builtin___clear_cache(to, to + sizeof(code));
}

/* In its own window, where others map nothing: file, generated, moved, gone. */
static void *mover(void *arg)
{
	char *window = map_at(NULL, 2 * WINDOW, PROT_NONE, MAP_ANONYMOUS, -1);
	const int moved = MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP;
	const unsigned long bytes = place_in_code + 64 > PAGE ? 2 * PAGE : PAGE;

	while (!over) {
		map_at(window, bytes, PROT_READ | PROT_EXEC, MAP_FIXED, program);
		call_at(window);
		map_at(window, bytes, PROT_READ | PROT_WRITE, MAP_FIXED | MAP_ANONYMOUS, -1);
		generate(window + place_in_code);
		if (mprotect(window, bytes, PROT_READ | PROT_EXEC))
			die("mprotect");
		call_at(window);
		if (mremap(window, bytes, bytes, moved, window + WINDOW) == MAP_FAILED)
			die("mremap");
		call_at(window + WINDOW);
		map_at(window + WINDOW, bytes, PROT_NONE, MAP_FIXED | MAP_ANONYMOUS, -1);
	}
	return arg;
}

/* Executable memory that comes and goes without anybody in it. */
static void stir(unsigned long rounds)
{
	for (unsigned long i = 0; i < rounds; i++) {
		char *some = map_at(NULL, WINDOW, PROT_READ | PROT_EXEC, MAP_ANONYMOUS, -1);
		char *file = map_at(NULL, PAGE, PROT_READ | PROT_EXEC, 0, program);

		if (mprotect(some + PAGE, PAGE, PROT_READ) || munmap(some, WINDOW) ||
		    munmap(file, PAGE))
			die("munmap");
		compute();
	}
}

int main(int argc, char **argv)
{
	unsigned long rounds = arg_or(argc, argv, 1, 400);
	unsigned int count = threads_arg(argc, argv, 2, 2);
	pthread_t threads[WORK_MAX_THREADS];

	program = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	if (program < 0 || dl_iterate_phdr(find_code, NULL) != 1)
		die("the program's own code");
	start_threads(threads, count, mover);
	stir(rounds);
	over = 1;
	join_threads(threads, count);
	close(program);
	return 0;
}
