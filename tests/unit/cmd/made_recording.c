// SPDX-License-Identifier: GPL-2.0
#include "made_recording.h"

#include <stdio.h>
#include <sys/mman.h>

#include "cmd/saved_facts.h"
#include "report/saved_results.h"

struct recording recording_begin(u64 wall_ns)
{
	return recording_begin_at(0, wall_ns, GAPP_LEVEL_CRITICAL);
}

struct recording recording_begin_at(u64 start_ns, u64 wall_ns, u32 level)
{
	struct recording recording = { .fd = memfd_create("recording", 0) };
	const struct options options = { .level = level };
	const struct program program = { 0 };
	/* CPU 0 and 2 are on node 0, 1 on node 1; of others nothing is known */
	const struct cpu_nodes nodes = {
		.ranges = (struct cpu_range[]){ { 0, 1, 0 }, { 1, 1, 1 }, { 2, 1, 0 } },
		.count = 3,
	};
	struct object_numbers numbers = { 0 };
	/* as of every recording of one program: it is of no process */
	struct gapp_target_figures target = { .wall_ns = wall_ns, .n_min = 1 };
	struct results results = { .ranked = true, .targets = &target, .target_count = 1 };

	assert_true(recording.fd >= 0);
	snprintf(recording.path, sizeof(recording.path), "/proc/self/fd/%d", recording.fd);
	results.model.status = (struct gapp_status){
		.start_ns = start_ns, .wall_ns = wall_ns, .threads = 1, .n_min = 1
	};
	results.counters.critical_run = SHARE(wall_ns);
	assert_int_equal(blocks_begin(&recording.writer, recording.fd), 0);
	save_facts(&options, &program, &nodes, &recording.writer);
	results_save(&results, &numbers, &recording.writer);
	object_numbers_free(&numbers);
	return recording;
}

void recording_end(struct recording *recording)
{
	assert_int_equal(blocks_end(&recording->writer), 0);
	blocks_free(&recording->writer);
}

void recording_cut(struct recording *recording)
{
	/* the last section's items are written when another one begins */
	blocks_section(&recording->writer, BLOCK_END);
	blocks_free(&recording->writer);
}

void recording_free(struct recording *recording)
{
	close(recording->fd);
}

void recording_block(struct recording *recording, enum block_type type, u64 first)
{
	blocks_section(&recording->writer, type);
	recording->writer.first = first;
}

void put_numbers(struct recording *recording, const u64 *numbers, size_t count)
{
	for (size_t i = 0; i < count; i++)
		pack_u64(blocks_item(&recording->writer), numbers[i]);
}

void put_text(struct recording *recording, const char *text)
{
	pack_text(blocks_item(&recording->writer), text);
}

void end_item(struct recording *recording)
{
	blocks_item_end(&recording->writer);
}

void put_object(struct recording *recording, const char *path, u64 inode)
{
	put(recording, OBJECT_FILE);
	put_text(recording, path);
	put(recording, 1, inode);
	end_item(recording);
}

void put_path(struct recording *recording, u64 id, u64 object, u64 offset)
{
	put(recording, id, 0, PATH_BY_TABLE, 0, 0, 1, object, offset);
	end_item(recording);
}

void put_frame(struct recording *recording, const char *function, u64 object)
{
	put_text(recording, function);
	put_text(recording, "module");
	put_text(recording, NULL);
	put(recording, 0, 0, object);
	put_text(recording, NULL);
	put(recording, 0);
	end_item(recording);
}

void put_answer(struct recording *recording, u64 object, u64 offset, u64 frame)
{
	put(recording, object, offset, 0, frame, 0, 0, 0);
	end_item(recording);
}

void put_sums(struct recording *recording, u64 attributed)
{
	put(recording, attributed, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0);
	end_item(recording);
}

void put_cell(struct recording *recording, u64 end, u64 share, double n_share)
{
	/* process 1; kind 1: slices without samples */
	put(recording, 2, 0, end, NO_PATH, 1, 0, 0, 1, share, 10, 1);
	pack_double(blocks_item(&recording->writer), n_share);
	put(recording, 0);
	end_item(recording);
}

char complaints[1024];

static struct saved *open_heard(const char *path)
{
	int heard = memfd_create("stderr", 0), old = dup(STDERR_FILENO);
	struct saved *saved;
	ssize_t size;

	assert_true(heard >= 0 && old >= 0);
	dup2(heard, STDERR_FILENO);
	saved = saved_open(path, NULL);
	dup2(old, STDERR_FILENO);
	close(old);
	size = pread(heard, complaints, sizeof(complaints) - 1, 0);
	assert_true(size >= 0);
	complaints[size] = '\0';
	close(heard);
	return saved;
}

static char *printed(struct saved *saved, enum by by)
{
	_cleanup_results_ struct results results = { 0 };
	const struct options asked = {
		.action = ACTION_REPORT, .by = by, .top = 10, .verbose = true
	};
	struct options options;
	char *text = NULL;
	size_t size;
	FILE *out;

	saved_options(saved, &asked, &options);
	assert_int_equal(saved_rank(saved, &options, &results), 0);
	out = open_memstream(&text, &size);
	assert_non_null(out);
	report_text(out, &results, &options);
	fclose(out);
	return text;
}

char *reported(const struct recording *recording, enum by by)
{
	_cleanup_saved_ struct saved *saved = open_heard(recording->path);

	return saved ? printed(saved, by) : NULL;
}
