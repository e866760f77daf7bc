// SPDX-License-Identifier: GPL-2.0
/* As a kernel's file: at the kernel's addresses, with functions that every kernel has. */
volatile int sink;

static inline __attribute__((always_inline)) void copy_page(void)
{
	sink++;
	sink--;
}

__attribute__((noinline)) void schedule(void)
{
	sink = 1;
}

__attribute__((noinline, section(".text.far"))) void vfs_read(void)
{
	sink = 2;
	copy_page();
	sink = 3;
}

__attribute__((noinline)) void filemap_read(void)
{
	vfs_read();
	schedule();
	sink = 4;
}
