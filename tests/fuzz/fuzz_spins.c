// SPDX-License-Identifier: GPL-2.0
/*
 * Any bytes as code, as changes of an ELF file, or as its frame descriptions: what waits in it is
 * looked for. The first byte says which; the second how much of the code is the first function.
 */
#include <unistd.h>

#include "made_code.h"
#include "report/spins_report.h"
#include "spin/code_file.h"

/* Bytes of a change: two of the location in the file, one of the new value. */
#define CHANGE 3
/* All of the code is one function. */
#define WHOLE 0xff

static void expect(bool holds)
{
	if (!holds)
		abort();
}

static bool is_in(const struct spin *spin, u64 address)
{
	for (u32 i = 0; i < spin->range_count; i++)
		if (address >= spin->ranges[i].begin && address < spin->ranges[i].end)
			return true;
	return false;
}

static void check_value(const struct spins *spins, const struct spin_value *value)
{
	char words[SPIN_WORDS];

	expect(value->address.count <= SPIN_TERMS_MAX);
	spin_value_words(words, spins, value);
	expect(strnlen(words, sizeof(words)) < sizeof(words));
}

static void check_spin(const struct spins *spins, const struct spin *spin)
{
	expect(spin->range_count && spin->wait_count && spin->wait_count <= SPIN_WAITS_MAX);
	expect(is_in(spin, spin->header));
	for (u32 i = 0; i < spin->range_count; i++) {
		expect(spin->ranges[i].begin < spin->ranges[i].end);
		expect(!i || spin->ranges[i].begin > spin->ranges[i - 1].end);
	}
	for (u8 i = 0; i < spin->wait_count; i++) {
		const struct spin_wait *wait = &spin->waits[i];

		expect(is_in(spin, wait->branch));
		expect(wait->location.kind != SPIN_VALUE_MEMORY || is_in(spin, wait->location.at));
		check_value(spins, &wait->location);
		check_value(spins, &wait->value);
	}
}

static void look(int fd)
{
	struct spins spins;

	if (!spins_find(&spins, fd)) {
		expect(spins.pauses_inside <= spins.pauses);
		for (u32 i = 0; i < spins.count; i++)
			check_spin(&spins, &spins.spins[i]);
		spins_free(&spins);
	}
	close(fd);
}

static void look_at_code(const u8 *data, size_t size)
{
	size_t first = data[0] < WHOLE ? 1 + data[0] % size : size;
	struct made_function functions[] = {
		{ "first", (const char *)data + 1, first - 1 },
		{ "second", (const char *)data + first, size - first },
	};

	look(made_code(functions, ARRAY_SIZE(functions)));
}

static void look_at_changed(const u8 *data, size_t size)
{
	/* again: cmpl $0,(%rdi); je again; ret */
	static const struct made_function function = { "f", "\x83\x3f\x00\x74\xfb\xc3", 6 };
	size_t bytes;
	u8 *file = made_code_bytes(&function, 1, &bytes);

	for (; size >= CHANGE; data += CHANGE, size -= CHANGE)
		file[(data[0] | data[1] << 8) % bytes] = data[2];
	look(made_file(file, bytes));
	free(file);
}

static void look_at_frames(const u8 *data, size_t size)
{
	u8 bytes[256] = { 0 };
	struct code_bytes segment = { .address = MADE_ADDRESS, .size = 256, .bytes = bytes };
	struct code_file code = { .code = &segment, .code_count = 1 };

	expect(!frame_ranges_add(&code, data, size, MADE_ADDRESS + sizeof(bytes)));
	for (u32 i = 0; i < code.range_count; i++)
		expect(code.ranges[i].begin - MADE_ADDRESS < sizeof(bytes) &&
		       code.ranges[i].end > code.ranges[i].begin);
	free(code.ranges);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	if (size < 2)
		return 0;
	switch (data[0] % 3) {
	case 0:
		look_at_code(data + 1, size - 1);
		break;
	case 1:
		look_at_changed(data + 1, size - 1);
		break;
	default:
		look_at_frames(data + 1, size - 1);
		break;
	}
	return 0;
}
