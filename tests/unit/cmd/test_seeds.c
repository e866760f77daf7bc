// SPDX-License-Identifier: GPL-2.0
/* The seeds of the fuzzer of recordings: a later format must not make them unreadable. */
#include "made_recording.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>

#include "../../fuzz/data_blocks.h"

/* Types that must be in one seed at least, or in each: those of a report. */
static bool seen[BLOCK_TYPE_MAX + 1];

static int note(void *context, u64 first, u64 count, struct unpack *unpack)
{
	*(bool *)context = true;
	return 0;
}

static void see_types(const struct recording *recording)
{
	struct blocks *blocks = blocks_open(recording->path);

	assert_non_null(blocks);
	for (u32 type = BLOCK_END; type <= BLOCK_TYPE_MAX; type++)
		blocks_each(blocks, type, note, &seen[type]);
	blocks_close(blocks);
}

static void is_read(const char *name)
{
	struct recording recording = { .fd = memfd_create(name, 0) };
	static u8 data[1 << 20];
	char path[512], *text;
	FILE *seed;
	size_t size;
	int null;

	assert_true(recording.fd >= 0);
	snprintf(recording.path, sizeof(recording.path), "/proc/self/fd/%d", recording.fd);
	snprintf(path, sizeof(path), "%s/%s", SEEDS, name);
	seed = fopen(path, "r");
	assert_non_null(seed);
	size = fread(data, 1, sizeof(data), seed);
	assert_true(size && size < sizeof(data));
	fclose(seed);
	write_blocks(recording.fd, data, size);
	see_types(&recording);
	text = reported(&recording, BY_PLACE);
	if (!text)
		fail_msg("%s cannot be reported: %s", name, complaints);
	free(text);
	/* the name says that something in it makes no sense */
	if (!strstr(name, "lost") != !*complaints)
		fail_msg("%s: '%s'", name, complaints);
	null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	saved_script(recording.path, NULL, null);
	close(null);
	recording_free(&recording);
}

static void seeds_are_read(void **state)
{
	struct dirent *entry;
	DIR *folder = opendir(SEEDS);
	u32 count = 0;

	assert_non_null(folder);
	while ((entry = readdir(folder))) {
		if (*entry->d_name == '.')
			continue;
		is_read(entry->d_name);
		count++;
	}
	closedir(folder);
	assert_true(count >= 4);
	for (u32 type = BLOCK_END; type <= BLOCK_TYPE_MAX; type++)
		if (!seen[type])
			fail_msg("no seed has blocks of type %u", type);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(seeds_are_read),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
