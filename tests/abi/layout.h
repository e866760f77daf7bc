/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How layout.c, layout_record.c and layout_table.c print what is in the headers of the ABI: a line
 * each.
 */
#ifndef GAPP_TESTS_ABI_LAYOUT_H
#define GAPP_TESTS_ABI_LAYOUT_H

#include <stddef.h>
#include <stdio.h>

#define STRUCT(type) printf("struct %s: size %zu\n", #type, sizeof(struct type))
#define MEMBER(type, member)                                           \
	printf("struct %s.%s: offset %zu, size %zu\n", #type, #member, \
	       offsetof(struct type, member), sizeof(((struct type *)0)->member))
#define IOCTL(name) printf("%s: %#010x\n", #name, (unsigned int)name)
#define NUMBER(name) printf("%s: %llu\n", #name, (unsigned long long)name)

void layout_records(void);
void layout_tables(void);

#endif /* GAPP_TESTS_ABI_LAYOUT_H */
