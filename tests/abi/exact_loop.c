// SPDX-License-Identifier: GPL-2.0
#include "exact_loop.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

__attribute__((noinline, noclone)) void x_look_until(const int *flag)
{
	asm volatile(".globl t_exact_begin, t_exact_exit, t_exact_end\n"
		     "t_exact_begin:\n"
		     "1:	pause\n"
		     "	cmpl $0, (%%rbx)\n"
		     "t_exact_exit:\n"
		     "	je 1b\n"
		     "t_exact_end:\n"
		     :
		     : "b"(flag)
		     : "memory", "cc");
}

struct x_table x_table(void)
{
	return (struct x_table){
		.head = { .magic = GAPP_SPIN_MAGIC,
			  .version = GAPP_SPIN_VERSION,
			  .arch = GAPP_ARCH_X86_64,
			  .ranges = 1,
			  .exits = 1 },
		.range = { .begin = (uintptr_t)t_exact_begin,
			   .bytes = t_exact_end - t_exact_begin },
		.exit = { .address = (uintptr_t)t_exact_exit,
			  .condition = X_JUMP_IF_EQUAL & 0xf,
			  .stays = GAPP_SPIN_STAYS_JUMPING },
	};
}

void x_map_all(int fd, pid_t pid)
{
	const struct gapp_mapping mapping = {
		.begin = (uintptr_t)t_exact_begin & ~0xfffffULL,
		.end = ((uintptr_t)t_exact_begin | 0xfffffULL) + 1,
		.spins = x_load(fd),
	};

	x_map(fd, pid, &mapping, 1);
}

struct gapp_config x_config(void)
{
	struct gapp_config config = t_config(GAPP_LEVEL_TRACE);

	config.flags = GAPP_CONFIG_SPINS | GAPP_CONFIG_WAITS;
	config.unwind_by = GAPP_UNWIND_BY_TABLE;
	config.rate_hz = 1;
	config.ring_bytes = GAPP_DEFAULT_RING;
	return config;
}

u32 x_load(int fd)
{
	const struct x_table table = x_table();
	struct gapp_table_load load = { .data = (uintptr_t)&table, .bytes = sizeof(table) };

	errno = -t_ioctl(fd, GAPP_IOC_LOAD_TABLE, &load);
	if (errno)
		t_die("a spin table with exits");
	return load.table;
}

void x_map(int fd, pid_t pid, const struct gapp_mapping *mappings, u32 count)
{
	struct gapp_mappings maps = { .pid = pid };

	errno = -t_ioctl(fd, GAPP_IOC_SET_MAPPINGS, &maps);
	if (errno)
		t_die("SET_MAPPINGS, first");
	maps.maps = (uintptr_t)mappings;
	maps.count = count;
	errno = -t_ioctl(fd, GAPP_IOC_SET_MAPPINGS, &maps);
	if (errno)
		t_die("SET_MAPPINGS");
}

bool x_opcode(pid_t pid, uintptr_t address, u8 *byte)
{
	char path[40];
	bool is_read;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	is_read = pread(fd, byte, 1, address) == 1;
	close(fd);
	return is_read;
}

int x_exact(int fd, const struct gapp_exact *exact)
{
	return t_ioctl(fd, GAPP_IOC_EXACT, (void *)exact);
}

bool x_skips(const char *name)
{
	FILE *symbols = fopen("/proc/kallsyms", "re");
	char line[512];
	bool there = false;

	while (symbols && !there && fgets(line, sizeof(line), symbols))
		there = strstr(line, " uprobe_register\n");
	if (symbols)
		fclose(symbols);
	if (!there)
		t_skip(name, "this kernel has no uprobes");
	return !there;
}
