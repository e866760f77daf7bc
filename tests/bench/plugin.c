// SPDX-License-Identifier: GPL-2.0
/*
 * A plugin for QEMU's TCG: how often each instruction of the guest was executed between markers
 * (marker.h). For one CPU: what it counts with is not atomic.
 *
 * Its one argument is out=FILE, which gets a line for each class and address: CLASS ADDRESS COUNT,
 * the address in hexadecimal.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "marker.h"
#include "qemu_plugin.h"

#define SITES_A_CHUNK 8192
/* 32 million instructions: no guest of ours has as many. */
#define MOST_CHUNKS 4096

/**
 * struct site - an instruction of the guest
 * @address: virtual
 * @count: how often it was executed; QEMU writes it
 * @seen: @count when the class changed last
 */
struct site {
	uint64_t address;
	uint64_t count;
	uint64_t seen;
};

/* What QEMU has got the address of must stay where it is, so they are in chunks. */
static struct site *chunks[MOST_CHUNKS];
static uint32_t site_count;

/* Sites by address: their numbers plus 1, in a table with open addressing. */
static uint32_t *buckets;
static uint32_t bucket_bits = 16;

/* Counts by class and site, of as many sites as there were when the class was last left. */
static struct {
	uint64_t *counts;
	uint32_t length;
} classes[MARKER_CLASSES];
static unsigned int class_now;

static const char *out_path;

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

/* QEMU is of no use then: there is nobody to return an error to. */
static void *must(void *memory)
{
	if (memory)
		return memory;
	fprintf(stderr, "plugin: out of memory\n");
	exit(1);
}

static struct site *site_at(uint32_t number)
{
	return &chunks[number / SITES_A_CHUNK][number % SITES_A_CHUNK];
}

static uint32_t *bucket_of(uint64_t address)
{
	uint32_t i = (address * 0x9e3779b97f4a7c15ULL) >> (64 - bucket_bits);

	while (buckets[i] && site_at(buckets[i] - 1)->address != address)
		i = (i + 1) & ((1U << bucket_bits) - 1);
	return &buckets[i];
}

static void more_buckets(void)
{
	uint32_t i;

	free(buckets);
	bucket_bits++;
	buckets = must(calloc(1UL << bucket_bits, sizeof(*buckets)));
	for (i = 0; i < site_count; i++)
		*bucket_of(site_at(i)->address) = i + 1;
}

static struct site *site_for(uint64_t address)
{
	uint32_t *bucket = bucket_of(address);
	struct site *site;

	if (*bucket)
		return site_at(*bucket - 1);
	if (site_count == MOST_CHUNKS * SITES_A_CHUNK) {
		fprintf(stderr,
			"plugin: the guest has executed more distinct instructions than there is room for\n");
		exit(1);
	}
	if (site_count % SITES_A_CHUNK == 0)
		chunks[site_count / SITES_A_CHUNK] =
			must(calloc(SITES_A_CHUNK, sizeof(struct site)));
	site = site_at(site_count++);
	site->address = address;
	*bucket = site_count;
	if (site_count > 1U << (bucket_bits - 1))
		more_buckets();
	return site;
}

/* What was executed since the class changed last is the class's. */
static void settle(unsigned int number)
{
	uint64_t *counts = classes[number].counts;
	uint32_t i, length = classes[number].length;

	if (number && length < site_count) {
		counts = must(realloc(counts, site_count * sizeof(*counts)));
		memset(counts + length, 0, (site_count - length) * sizeof(*counts));
		classes[number].counts = counts;
		classes[number].length = site_count;
	}
	for (i = 0; i < site_count; i++) {
		struct site *site = site_at(i);

		if (number)
			counts[i] += site->count - site->seen;
		site->seen = site->count;
	}
}

static void marked(unsigned int vcpu, void *context)
{
	(void)vcpu;
	settle(class_now);
	class_now = (uintptr_t)context;
}

static bool is_marker(const struct qemu_plugin_insn *insn, unsigned int *number)
{
	static const uint8_t nopl[] = { 0x0f, 0x1f, 0x80 };
	const uint8_t *bytes = qemu_plugin_insn_data(insn);
	uint32_t displacement;

	if (qemu_plugin_insn_size(insn) != MARKER_BYTES || memcmp(bytes, nopl, sizeof(nopl)))
		return false;
	memcpy(&displacement, bytes + sizeof(nopl), sizeof(displacement));
	*number = displacement & 0xffff;
	return displacement >> 16 == MARKER_TAG && *number < MARKER_CLASSES;
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t i, n = qemu_plugin_tb_n_insns(tb);

	(void)id;
	for (i = 0; i < n; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		struct site *site = site_for(qemu_plugin_insn_vaddr(insn));
		unsigned int number;

		qemu_plugin_register_vcpu_insn_exec_inline(insn, QEMU_PLUGIN_INLINE_ADD_U64,
							   &site->count, 1);
		if (is_marker(insn, &number))
			qemu_plugin_register_vcpu_insn_exec_cb(insn, marked, QEMU_PLUGIN_CB_NO_REGS,
							       (void *)(uintptr_t)number);
	}
}

static void ended(qemu_plugin_id_t id, void *context)
{
	FILE *out = fopen(out_path, "w");
	unsigned int number;
	uint32_t i;

	(void)id;
	(void)context;
	settle(class_now);
	if (!out) {
		fprintf(stderr, "plugin: %s: %m\n", out_path);
		return;
	}
	for (number = 1; number < MARKER_CLASSES; number++)
		for (i = 0; i < classes[number].length; i++)
			if (classes[number].counts[i])
				fprintf(out, "%u %" PRIx64 " %" PRIu64 "\n", number,
					site_at(i)->address, classes[number].counts[i]);
	/* So that a file that was cut is known. */
	fprintf(out, "end\n");
	if (fclose(out))
		fprintf(stderr, "plugin: %s: %m\n", out_path);
}

int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info_t *info, int argc, char **argv)
{
	(void)info;
	if (argc != 1 || strncmp(argv[0], "out=", 4) || !argv[0][4]) {
		fprintf(stderr, "plugin: its one argument is out=FILE\n");
		return -1;
	}
	out_path = argv[0] + 4;
	buckets = must(calloc(1UL << bucket_bits, sizeof(*buckets)));
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	qemu_plugin_register_atexit_cb(id, ended, NULL);
	return 0;
}
