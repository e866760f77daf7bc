// SPDX-License-Identifier: GPL-2.0
/*
 * Row equality: for each ELF file named on standard input, at every address
 * where libdw has another rule or the table has another row, and beside it,
 * the table says the same. At least so many different objects are wanted as
 * --least N says; --most N: of more of them the rest is left out. --compared
 * FILE: their names go there. --spoil 1: each table gets a row too many first.
 */
#include <fcntl.h>
#include <stdio.h>

#include <elfutils/libdw.h>
#include <gelf.h>

#include "unwind-table/unwind_table.h"
#include "judge.h"
#include "spoil.h"
#include "starts.h"
#include "unwind-table/table_cache.h"
#include "input/object.h"

#define SHOWN_MAX 20
/* Behind the last function it looks this far for what the table makes up. */
#define BEHIND 4096
#define COVERED_PERCENT 99.9

/**
 * struct totals - of all files
 * @verdicts: addresses
 * @keys: names in the cache, by which the same object is known elsewhere
 * @objects: compared
 * @none: without call frame information
 * @failed: that could not be compared
 * @rows: in their tables
 * @bytes: of them
 * @largest: bytes of the largest table
 * @note: of libc and the largest one
 * @compared: names of the files, one a line; NULL: they are not wanted
 * @spoil: tables get a row too many
 */
struct totals {
	struct verdicts verdicts;
	char (*keys)[TABLE_NAME_SIZE];
	size_t objects, none, failed;
	u64 rows, bytes, largest;
	char note[2][512];
	FILE *compared;
	bool spoil;
};

/* What one comparison has at hand. */
struct comparison {
	struct totals *totals;
	struct gapp_table table;
	Dwarf_CFI *cfi;
};

static bool is_known(struct totals *totals, const char *key)
{
	char(*more)[TABLE_NAME_SIZE];

	for (size_t i = 0; i < totals->objects; i++) {
		if (!strcmp(totals->keys[i], key))
			return true;
	}
	more = reallocarray(totals->keys, totals->objects + 1, sizeof(*more));
	if (!more)
		abort();
	totals->keys = more;
	strcpy(more[totals->objects], key);
	return false;
}

static enum verdict frame_at(struct comparison *with, Dwarf_Frame *frame, u64 address)
{
	struct verdicts *verdicts = &with->totals->verdicts;
	enum verdict verdict = judge_frame(verdicts, &with->table, frame, address);

	verdicts->count[verdict]++;
	return verdict;
}

/* Where the first of the table's rows begins that do so behind @address; ~0: there is none. */
static u64 next_row(const struct gapp_table *table, u64 address)
{
	u64 page = (address - table->begin) / GAPP_TABLE_PAGE;
	u32 low = address % GAPP_TABLE_PAGE, from, to, middle;

	if (address < table->begin)
		return table->begin;
	if (page >= table->pages)
		return ~0ULL;
	from = table->first[page];
	to = table->first[page + 1];
	while (from < to) {
		middle = from + (to - from) / 2;
		if (table->rows[middle].low > low)
			to = middle;
		else
			from = middle + 1;
	}
	if (from < table->first[page + 1])
		return table->begin + page * GAPP_TABLE_PAGE + table->rows[from].low;
	return page + 1 < table->pages ? table->begin + (page + 1) * GAPP_TABLE_PAGE : ~0ULL;
}

/* Compares the row of @frame: its ends, and the table's own rows in it. */
static void compare_row(struct comparison *with, Dwarf_Frame *frame, u64 begin, u64 end)
{
	enum verdict verdict = frame_at(with, frame, begin);

	with->totals->verdicts.bytes[verdict] += end - begin;
	if (end - begin > 1)
		frame_at(with, frame, begin + 1);
	if (end - begin > 2)
		frame_at(with, frame, end - 1);
	for (u64 at = next_row(&with->table, begin); at < end; at = next_row(&with->table, at)) {
		frame_at(with, frame, at - 1);
		frame_at(with, frame, at);
	}
}

static void hole_at(struct comparison *with, u64 address, u64 hole, const struct gapp_rule *before)
{
	struct verdicts *verdicts = &with->totals->verdicts;

	verdicts->count[judge_hole(verdicts, &with->table, address, hole, before)]++;
}

static void compare_hole(struct comparison *with, u64 begin, u64 end, bool first)
{
	const struct gapp_rule *before = first ? NULL : gapp_table_find(&with->table, begin - 1);
	const u64 ends[] = { begin, begin + 1, end - 1 };

	for (size_t i = 0; begin < end && i < ARRAY_SIZE(ends); i++) {
		if (ends[i] < end)
			hole_at(with, ends[i], end - begin, before);
	}
	for (u64 at = next_row(&with->table, begin); at < end; at = next_row(&with->table, at))
		hole_at(with, at, end - begin, before);
}

/* Compares row by row from @at on for as long as libdw has one behind the other; the end. */
static u64 compare_rows(struct comparison *with, u64 at)
{
	Dwarf_Addr begin, end;
	Dwarf_Frame *frame;
	bool is_signal;

	while (!dwarf_cfi_addrframe(with->cfi, at, &frame)) {
		if (dwarf_frame_info(frame, &begin, &end, &is_signal) < 0 || begin > at ||
		    end <= at) {
			free(frame);
			break;
		}
		compare_row(with, frame, at, end);
		free(frame);
		at = end;
	}
	return at;
}

static void compare_all(struct comparison *with, const struct starts *starts,
			const struct cfi_file *file)
{
	const struct gapp_table *table = &with->table;
	u64 done = 0, last = table->begin + (u64)table->pages * GAPP_TABLE_PAGE;

	for (size_t i = 0; i < starts->count; i++) {
		u64 begin = starts->at[i], end;

		if (begin < done || !cfi_file_is_code(file, begin))
			continue;
		compare_hole(with, done ? done : table->begin, begin, !done);
		end = compare_rows(with, begin);
		/* libdw cannot carry it out: neither can a table */
		done = end > begin ? end : begin + 1;
		if (end == begin)
			with->totals->verdicts.count[CLASS_OTHER]++;
	}
	if (done)
		compare_hole(with, done, done + BEHIND > last ? done + BEHIND : last, false);
}

/* Code that returns from a signal's handler has its rule, unless it is described. */
static int compare_returns(struct comparison *with, const struct cfi_file *file)
{
	struct verdicts *verdicts = &with->totals->verdicts;
	Dwarf_Frame *frame;

	for (u32 i = 0; i < file->return_count; i++) {
		if (with->cfi && !dwarf_cfi_addrframe(with->cfi, file->returns[i], &frame)) {
			free(frame);
			continue;
		}
		if (gapp_table_find(&with->table, file->returns[i])->cfa != GAPP_CFA_SIGNAL)
			return -1;
		verdicts->count[CLASS_BY_CODE]++;
	}
	return 0;
}

static int compare_file(struct comparison *with, int fd, const struct cfi_file *file)
{
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	Dwarf *dwarf = NULL;
	struct starts starts = { 0 };
	int result = -1;

	if (!file->frames) {
		elf_end(elf);
		return compare_returns(with, file);
	}
	if (!elf)
		return -1;
	with->cfi = file->is_eh ? dwarf_getcfi_elf(elf) : NULL;
	if (!with->cfi && !file->is_eh) {
		dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
		with->cfi = dwarf ? dwarf_getcfi(dwarf) : NULL;
	}
	if (with->cfi && starts_read(&starts, elf)) {
		compare_all(with, &starts, file);
		result = compare_returns(with, file);
	}
	free(starts.at);
	if (dwarf)
		dwarf_end(dwarf);
	else if (with->cfi)
		dwarf_cfi_end(with->cfi);
	elf_end(elf);
	return result;
}

static void note_size(struct totals *totals, const char *name, const struct unwind_table *table,
		      u64 ns)
{
	const char *base = strrchr(name, '/');
	bool largest = table->bytes > totals->largest;
	bool libc = base && !strcmp(base, "/libc.so.6");

	if (largest)
		totals->largest = table->bytes;
	for (int i = 0; i < 2; i++) {
		if (i ? largest : libc)
			snprintf(totals->note[i], sizeof(totals->note[i]),
				 "%s: %.1f ms, %zu bytes, %u rows, %u rules", name, ns / 1e6,
				 table->bytes, table->data->rows, table->data->rules);
	}
	totals->rows += table->data->rows;
	totals->bytes += table->bytes;
}

/* Returns why it failed, or NULL. */
static const char *compare(struct totals *totals, const char *name, int fd,
			   const struct unwind_table *table, const struct cfi_file *file)
{
	struct comparison with = { .totals = totals };
	u64 before = totals->verdicts.count[CLASS_DIFFERENT];

	if (!gapp_table_open(&with.table, table->data, table->bytes))
		return "the table is not valid";
	totals->verdicts.name = name;
	if (compare_file(&with, fd, file))
		return "nothing to compare with, or a return from a signal was not found";
	return totals->verdicts.count[CLASS_DIFFERENT] == before ? NULL : "different";
}

static void note_compared(struct totals *totals, const char *name)
{
	if (totals->compared)
		fprintf(totals->compared, "%s\n", name);
}

static void compare_named(struct totals *totals, const char *name, int fd)
{
	_cleanup_cfi_file_ struct cfi_file file = { 0 };
	struct unwind_table table;
	struct table_key key;
	const char *why;
	u64 begin;

	/* what is not for tables is passed over */
	if (fd < 0 || cfi_file_read(&file, fd, CFI_ALL, NULL))
		return;
	table_key_set(&key, &file);
	if (is_known(totals, key.name)) {
		note_compared(totals, name);
		return;
	}
	begin = clock_ns();
	if (unwind_table_compile(&table, fd, NULL)) {
		printf("# %s: cannot be compiled: %m\n", name);
		totals->failed++;
		return;
	}
	begin = clock_ns() - begin;
	if (!table.data) {
		totals->none++;
		unwind_table_free(&table);
		return;
	}
	totals->objects++;
	note_size(totals, name, &table, begin);
	note_compared(totals, name);
	if (totals->spoil && !spoil_table(&table))
		printf("# %s: its table could not be spoiled\n", name);
	why = compare(totals, name, fd, &table, &file);
	if (why) {
		printf("# %s: %s\n", name, why);
		totals->failed++;
	}
	unwind_table_free(&table);
}

static bool tell(bool good, const char *name, const char *why)
{
	if (good)
		printf("ok - tables: %s\n", name);
	else
		printf("not ok - tables: %s (%s)\n", name, why);
	return good;
}

static void tell_classes(const struct verdicts *verdicts, u64 bytes)
{
	for (int i = 0; i < CLASSES; i++) {
		if (verdicts->count[i])
			printf("# %-42s %11llu addresses %12llu bytes %8.4f %%\n", class_name(i),
			       (unsigned long long)verdicts->count[i],
			       (unsigned long long)verdicts->bytes[i],
			       bytes ? 100.0 * verdicts->bytes[i] / bytes : 0);
	}
}

static int tell_all(const struct totals *totals, size_t least)
{
	const struct verdicts *verdicts = &totals->verdicts;
	u64 bytes = 0, without = 0;
	char name[128], why[128];
	double covered;
	bool good;

	for (int i = 0; i < CLASSES; i++) {
		bytes += verdicts->bytes[i];
		if (i >= CLASS_CFA_EXPRESSION)
			without += verdicts->bytes[i];
	}
	covered = bytes ? 100.0 * (bytes - without) / bytes : 0;
	tell_classes(verdicts, bytes);
	printf("# %zu objects, %llu rows, %llu bytes of tables; %zu objects without call frame information\n",
	       totals->objects, (unsigned long long)totals->rows, (unsigned long long)totals->bytes,
	       totals->none);
	for (int i = 0; i < 2; i++) {
		if (totals->note[i][0])
			printf("# %s\n", totals->note[i]);
	}

	snprintf(why, sizeof(why), "%llu addresses are different; %zu objects failed",
		 (unsigned long long)verdicts->count[CLASS_DIFFERENT], totals->failed);
	good = tell(!totals->failed, "every row of both and its neighbours as libdw has them", why);
	snprintf(why, sizeof(why), "%.4f %%", covered);
	good &= tell(covered >= COVERED_PERCENT, "99.9 % of the code that is described is covered",
		     why);
	snprintf(name, sizeof(name), "at least %zu objects", least);
	snprintf(why, sizeof(why), "%zu", totals->objects);
	good &= tell(totals->objects >= least && totals->objects, name, why);
	return good ? 0 : 1;
}

static void compare_listed(struct totals *totals, FILE *list, size_t most)
{
	_cleanup_free_ char *line = NULL;
	size_t room = 0;

	while (totals->objects < most && getline(&line, &room, list) > 0) {
		_cleanup_close_ int fd = -1;

		line[strcspn(line, "\n")] = 0;
		fd = open(line, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
		compare_named(totals, line, fd);
	}
}

int main(int argc, char **argv)
{
	struct totals totals = { .verdicts = { .shown_max = SHOWN_MAX } };
	_cleanup_close_ int vdso = vdso_open();
	size_t least = 0, most = SIZE_MAX;
	int status;

	for (int i = 1; i + 1 < argc; i += 2) {
		if (!strcmp(argv[i], "--least"))
			least = strtoul(argv[i + 1], NULL, 10);
		else if (!strcmp(argv[i], "--most"))
			most = strtoul(argv[i + 1], NULL, 10);
		else if (!strcmp(argv[i], "--compared"))
			totals.compared = fopen(argv[i + 1], "we");
		else if (!strcmp(argv[i], "--spoil"))
			totals.spoil = true;
	}
	elf_version(EV_CURRENT);
	compare_named(&totals, "vdso", vdso);
	compare_listed(&totals, stdin, most);
	status = tell_all(&totals, least);
	if (totals.compared && fclose(totals.compared))
		status = 1;
	free(totals.keys);
	return status;
}
