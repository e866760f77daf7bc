// SPDX-License-Identifier: GPL-2.0
#include "memory.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096ULL
#define PRESENT 0x8000000000000000ULL

bool m_is_present(const u8 *memory)
{
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	u64 entry = 0;

	if (fd < 0 || pread(fd, &entry, 8, (uintptr_t)memory / PAGE * 8) != 8)
		t_die("pagemap");
	close(fd);
	return entry & PRESENT;
}

bool m_is_huge(const u8 *memory)
{
	FILE *file = fopen("/proc/self/smaps", "r");
	unsigned long begin, kib = 0;
	bool here = false;
	char line[256];

	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%lx-", &begin) == 1 && strchr(line, '-'))
			here = begin == (uintptr_t)memory;
		if (here && sscanf(line, "AnonHugePages: %lu", &kib) == 1)
			break;
	}
	if (file)
		fclose(file);
	return here && kib;
}

int m_file(size_t bytes)
{
	int fd = memfd_create("stack", MFD_CLOEXEC);

	if (fd < 0 || ftruncate(fd, bytes))
		t_die("memfd_create");
	return fd;
}
