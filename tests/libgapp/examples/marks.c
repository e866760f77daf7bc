// SPDX-License-Identifier: MIT
/* Marks of a program in C: cc marks.c $(pkg-config --cflags --libs libgapp) */
#include <gapp_mark.h>

int main(void)
{
	gapp_section_begin("from C");
	gapp_mark("half way");
	gapp_section_end("from C");
	return 0;
}
