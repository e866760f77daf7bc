// SPDX-License-Identifier: GPL-2.0
/* LOAD_TABLE and DROP_TABLE: what they refuse, numbers, sharing, limits. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <gapp_record.h>

#include "frameless.h"
#include "groups.h"

#define KERNEL_ADDRESS 0xffff888000000000ULL
#define NOT_CANONICAL 0x0000900000000000ULL
/* Pages of the largest table, which has a row for each address. */
#define LARGEST_PAGES (GAPP_TABLE_MAX_ROWS / GAPP_TABLE_PAGE)
#define MEBIBYTE 0x100000ULL

struct change {
	const char *name;
	size_t at;
	size_t bytes;
	u64 value;
};

#define CHANGE(name, member, value)                                                            \
	{                                                                                      \
		name, offsetof(struct f_table, member), sizeof(((struct f_table *)0)->member), \
			value                                                                  \
	}
#define HEAD(member, value) CHANGE(#member " " #value, head.member, value)
#define RULE(index, member, value) \
	CHANGE("rule " #index ", " #member " " #value, rules[index].member, value)
#define ROW(index, member, value) \
	CHANGE("row " #index ", " #member " " #value, rows[index].member, value)

static const struct change wrong[] = {
	HEAD(magic, 0),
	HEAD(magic, GAPP_TABLE_MAGIC + 1),
	HEAD(magic, 0x47555431),
	HEAD(version, 0),
	HEAD(version, GAPP_TABLE_VERSION + 1),
	HEAD(version, 0xffff),
	HEAD(arch, 0),
	HEAD(arch, 3),
	HEAD(arch, 0xffff),
	HEAD(rules, 0),
	HEAD(rules, 1),
	HEAD(rules, F_RULES - 1),
	HEAD(rules, F_RULES + 1),
	HEAD(rules, GAPP_TABLE_MAX_RULES + 1),
	HEAD(rules, 0x10000005),
	HEAD(rules, ~0U),
	HEAD(pages, 0),
	HEAD(pages, 2),
	HEAD(pages, GAPP_TABLE_MAX_PAGES + 1),
	HEAD(pages, 0x40000001),
	HEAD(pages, ~0U),
	HEAD(rows, 0),
	HEAD(rows, F_ROWS - 1),
	HEAD(rows, F_ROWS + 1),
	HEAD(rows, GAPP_TABLE_MAX_ROWS + 1),
	HEAD(rows, 0x40000000 + F_ROWS),
	HEAD(rows, ~0U),
	HEAD(reserved0, 1),
	HEAD(reserved0, 1U << 31),
	HEAD(begin, 1),
	HEAD(begin, 4096),
	HEAD(begin, 0x18000),
	HEAD(begin, ~0ULL),
	HEAD(begin, ~0xffffULL),
	HEAD(reserved[0], 1),
	HEAD(reserved[1], 1),
	HEAD(reserved[2], 1ULL << 32),
	HEAD(reserved[3], 1ULL << 63),
	CHANGE("first[0] 1", first[0], 1),
	CHANGE("first[0] ~0", first[0], ~0U),
	CHANGE("first[1] 0", first[1], 0),
	CHANGE("first[1] a row less", first[1], F_ROWS - 1),
	CHANGE("first[1] a row more", first[1], F_ROWS + 1),
	CHANGE("first[1] ~0", first[1], ~0U),
	ROW(0, low, 1),
	ROW(1, low, 0),
	ROW(2, low, 1),
	ROW(5, low, 2),
	ROW(0, rule, F_RULES),
	ROW(5, rule, F_RULES),
	ROW(3, rule, 0xffff),
	RULE(3, cfa, GAPP_CFA_KINDS),
	RULE(3, cfa, 255),
	RULE(3, fp, GAPP_FP_KINDS),
	RULE(3, fp, 255),
	RULE(3, ra, GAPP_RA_KINDS),
	RULE(3, ra, 255),
	RULE(3, number, 1),
	RULE(3, number, GAPP_REGISTERS),
	RULE(3, number, 255),
	RULE(0, cfa_offset, 1),
	RULE(0, fp_offset, 1),
	RULE(0, ra_offset, ~0U),
	RULE(0, fp, 1),
	RULE(0, ra, 1),
	RULE(0, number, 1),
};

static const struct change right[] = {
	HEAD(arch, GAPP_ARCH_AARCH64),
	HEAD(begin, 0x10000),
	HEAD(begin, ~0xffffULL - 0x10000),
	ROW(5, low, 0xffff),
	ROW(5, rule, 0),
	RULE(3, cfa, GAPP_CFA_FP),
	RULE(3, cfa, GAPP_CFA_PLT),
	RULE(3, cfa, GAPP_CFA_DEREF_SP),
	RULE(3, cfa, GAPP_CFA_DEREF_FP),
	RULE(3, cfa, GAPP_CFA_REGISTER),
	RULE(3, fp, GAPP_FP_LOST),
	RULE(3, fp, GAPP_FP_DEREF_FP),
	RULE(3, ra, GAPP_RA_REGISTER),
	RULE(3, cfa_offset, 0x80000000),
	RULE(3, ra_offset, 0x7fffffff),
};

static int load_changed(int fd, const struct change *change)
{
	struct f_table table = f_table();
	int ret;

	memcpy((u8 *)&table + change->at, &change->value, change->bytes);
	ret = f_load(fd, &table, sizeof(table));
	return ret > 0 ? 0 : ret;
}

static void sizes(int fd)
{
	static const u64 cases[] = { 0,
				     4,
				     sizeof(struct gapp_table_head) - 4,
				     sizeof(struct gapp_table_head),
				     sizeof(struct f_table) - 4,
				     sizeof(struct f_table) - 1,
				     sizeof(struct f_table) + 1,
				     sizeof(struct f_table) + 4,
				     1ULL << 32 | sizeof(struct f_table),
				     1ULL << 40,
				     1ULL << 63,
				     ~0ULL };
	/* There is more behind it, so that all could be read. */
	u8 *memory = calloc(1, 4096);
	struct f_table table = f_table();

	memcpy(memory, &table, sizeof(table));
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		t_expect(f_load(fd, memory, cases[i]), -EINVAL, "LOAD_TABLE of %llu bytes",
			 cases[i]);
	free(memory);
}

static void addresses(int fd)
{
	size_t page = sysconf(_SC_PAGESIZE);
	u8 *two = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct f_table table = f_table();
	const u64 bad[] = { 0,
			    1,
			    KERNEL_ADDRESS,
			    NOT_CANONICAL,
			    ~0ULL,
			    ~0ULL - sizeof(table),
			    (uintptr_t)two + page,
			    (uintptr_t)two + page - 8,
			    (uintptr_t)two + page - sizeof(table.head),
			    (uintptr_t)two + page - sizeof(table) + 4 };
	struct gapp_table_load *load;
	struct gapp_counters counters;

	if (two == MAP_FAILED || munmap(two + page, page))
		t_die("mmap");
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		if (bad[i] > (uintptr_t)two && bad[i] < (uintptr_t)two + page)
			memcpy((void *)bad[i], &table, (uintptr_t)two + page - bad[i]);
		t_expect(f_load(fd, (void *)bad[i], sizeof(table)), -EFAULT,
			 "LOAD_TABLE, bad address %zu", i);
	}
	memcpy(two + page - sizeof(table), &table, sizeof(table));
	t_check(f_load(fd, two + page - sizeof(table), sizeof(table)) > 0,
		"a table just before memory that is not there", "it is refused");

	load = (struct gapp_table_load *)two;
	*load = (struct gapp_table_load){ .data = (uintptr_t)&table, .bytes = sizeof(table) };
	mprotect(two, page, PROT_READ);
	t_expect(t_ioctl(fd, GAPP_IOC_LOAD_TABLE, load), -EFAULT,
		 "LOAD_TABLE, its number cannot be told");
	t_counters(fd, &counters);
	t_check(counters.tables == 1, "then it is not loaded", "%llu tables", counters.tables);
	munmap(two, page);
}

static void members(int fd)
{
	struct f_table table = f_table();
	const struct gapp_table_load good = { .data = (uintptr_t)&table, .bytes = sizeof(table) };
	struct gapp_table_load load = good;
	struct gapp_table_drop drop = { .table = 1, .reserved = 1 };

	load.table = 1;
	t_expect(t_ioctl(fd, GAPP_IOC_LOAD_TABLE, &load), -EINVAL, "LOAD_TABLE with a number");
	load = good;
	load.flags = 1;
	t_expect(t_ioctl(fd, GAPP_IOC_LOAD_TABLE, &load), -EINVAL, "LOAD_TABLE with flags");
	load = good;
	load.reserved = 1ULL << 63;
	t_expect(t_ioctl(fd, GAPP_IOC_LOAD_TABLE, &load), -EINVAL, "LOAD_TABLE, reserved");
	t_expect(t_ioctl(fd, GAPP_IOC_DROP_TABLE, &drop), -EINVAL, "DROP_TABLE, reserved");
	t_expect(f_drop(fd, 0), -ENOENT, "DROP_TABLE 0");
	t_expect(f_drop(fd, 1), -ENOENT, "DROP_TABLE 1, when there is none");
	t_expect(f_drop(fd, ~0U), -ENOENT, "DROP_TABLE ~0");
}

void tables_fields(void)
{
	struct gapp_counters counters;
	int fd = f_ready();

	members(fd);
	sizes(fd);
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		t_expect(load_changed(fd, &wrong[i]), -EINVAL, "LOAD_TABLE, %s", wrong[i].name);
	t_counters(fd, &counters);
	t_check(!counters.tables && !counters.table_bytes, "what was refused is not there",
		"%llu tables of %llu bytes", counters.tables, counters.table_bytes);
	addresses(fd);
	for (size_t i = 0; i < ARRAY_SIZE(right); i++)
		t_expect(load_changed(fd, &right[i]), T_OK, "LOAD_TABLE, %s", right[i].name);
	t_counters(fd, &counters);
	t_check(counters.tables == ARRAY_SIZE(right) + 1 &&
			counters.table_bytes == counters.tables * sizeof(struct f_table),
		"COUNTERS tell of them", "%llu tables of %llu bytes", counters.tables,
		counters.table_bytes);
	close(fd);
}

void tables_order(void)
{
	struct t_child target = t_fork(t_idle, NULL);
	struct f_table table = f_table();
	struct gapp_config config = t_config(GAPP_LEVEL_TRACE);
	int fd = t_open();
	u32 image;

	t_hear(&target);
	config.unwind_by = GAPP_UNWIND_BY_AUTO;
	t_expect(f_load(fd, &table, sizeof(table)), -ENOTCONN, "LOAD_TABLE before CONFIGURE");
	t_expect(f_drop(fd, 1), -ENOENT, "DROP_TABLE before CONFIGURE");
	t_expect(t_ioctl(fd, GAPP_IOC_CONFIGURE, &config), T_OK, "CONFIGURE");
	t_check(f_load(fd, &table, sizeof(table)) == 1, "the first number is 1", "it is not");
	t_add(fd, target.pid, 0);
	t_expect(t_start(fd), T_OK, "START");
	t_check(f_load(fd, &table, sizeof(table)) == 2, "LOAD_TABLE while running", "no number 2");
	t_expect(t_stop(fd), T_OK, "STOP");
	t_expect(f_load(fd, &table, sizeof(table)), -EBUSY, "LOAD_TABLE after STOP");
	t_expect(f_drop(fd, 2), T_OK, "DROP_TABLE after STOP");
	t_expect(f_drop(fd, 2), -ENOENT, "DROP_TABLE twice");
	close(fd);

	for (int calls = GAPP_UNWIND_BY_FP; calls <= GAPP_UNWIND_BY_NONE; calls++) {
		if (calls == GAPP_UNWIND_BY_AUTO || calls == GAPP_UNWIND_BY_TABLE)
			continue;
		config.unwind_by = calls;
		fd = t_session(&config);
		t_expect(f_load(fd, &table, sizeof(table)), -EOPNOTSUPP, "LOAD_TABLE, calls %d",
			 calls);
		t_expect(f_set(fd, target.pid, &image, NULL, 0), -EOPNOTSUPP, "SET_MAPS, calls %d",
			 calls);
		close(fd);
	}
	fd = t_ready();
	t_expect(f_load(fd, &table, sizeof(table)), -EOPNOTSUPP, "LOAD_TABLE with level stats");
	close(fd);
	t_kill(&target);
}

/* Tables with the same content may have any number of numbers. */
void tables_numbers(void)
{
	struct f_table table = f_table();
	struct gapp_counters counters;
	int fd = f_ready(), loaded = 0, last;
	bool odd = false;

	for (int i = 1; i <= 5; i++)
		t_check(f_load(fd, &table, sizeof(table)) == i, "numbers are given in turn",
			"not %d", i);
	t_expect(f_drop(fd, 3), T_OK, "DROP_TABLE 3");
	last = f_load(fd, &table, sizeof(table));
	t_check(last == 3 || last == 6, "a number that was dropped or never used comes next", "%d",
		last);
	while (last > 0 && loaded <= GAPP_MAX_TABLES) {
		last = f_load(fd, &table, sizeof(table));
		loaded += last > 0;
		odd = odd || last > GAPP_MAX_TABLES;
	}
	t_expect(last, -ENOSPC, "one table too many");
	t_counters(fd, &counters);
	t_check(!odd && counters.tables == GAPP_MAX_TABLES &&
			counters.table_bytes == GAPP_MAX_TABLES * sizeof(table),
		"as many as may be", "%llu tables, %llu bytes", counters.tables,
		counters.table_bytes);
	t_expect(f_drop(fd, GAPP_MAX_TABLES), T_OK, "DROP_TABLE of the last number");
	t_check(f_load(fd, &table, sizeof(table)) == GAPP_MAX_TABLES, "it is given again",
		"it is not");
	close(fd);
}

/* Quarters of all that there is room for; the last is a little too large. */
void tables_limits(void)
{
	int fd = f_ready(), other = f_ready();
	struct gapp_counters counters;
	struct gapp_table_head *head;
	struct f_table table = f_table();
	u64 bytes;

	head = f_large(LARGEST_PAGES, 1, &bytes);
	t_check(bytes > GAPP_MAX_TABLE_BYTES / 4 && bytes < GAPP_MAX_TABLE_BYTES / 3,
		"the largest table", "%llu bytes", bytes);
	for (int i = 1; i <= 3; i++)
		t_check(f_load_marked(fd, head, bytes, i) == i, "it is loaded", "number %d is not",
			i);
	t_expect(f_load_marked(fd, head, bytes, 4), -ENOSPC, "more than a session may have");
	t_check(f_load(fd, &table, sizeof(table)) == 4, "a small one finds room", "it does not");
	t_check(f_load_marked(other, head, bytes, 1) == 1,
		"another session has the same: it is shared", "it finds no room");
	t_expect(f_load_marked(other, head, bytes, 5), -ENOSPC, "more than all may have");
	t_expect(f_drop(fd, 1), T_OK, "the first session drops its own");
	t_expect(f_load_marked(other, head, bytes, 5), -ENOSPC, "the other one has it still");
	close(other);
	t_check(f_load_marked(fd, head, bytes, 5) == 1, "closing a session makes room",
		"there is none");
	t_counters(fd, &counters);
	t_check(counters.tables == 4 && counters.table_bytes == 3 * bytes + sizeof(table),
		"COUNTERS tell of them", "%llu tables of %llu MiB", counters.tables,
		counters.table_bytes / MEBIBYTE);
	close(fd);
	free(head);
}
