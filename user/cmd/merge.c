// SPDX-License-Identifier: GPL-2.0
/* gapp-read merge: recordings of one machine become one recording, on one time axis. */
#include "opts.h"
#include "profile/saved_profile.h"
#include "report/join_records.h"
#include "report/join_results.h"
#include "save.h"
#include "saved_facts.h"
#include "util/names.h"

/**
 * struct source - a recording that is merged
 * @file: its name
 * @blocks: it
 * @facts: how it was recorded
 * @objects: objects of its call paths
 * @paths: its call paths
 * @figures: what was counted
 * @joined: what is joined with those of others
 * @shift: what its numbers become
 */
struct source {
	const char *file;
	struct blocks *blocks;
	struct facts facts;
	struct saved_objects objects;
	struct saved_paths paths;
	struct saved_figures figures;
	struct joined_recording joined;
	struct profile_shift shift;
};

/**
 * struct merge - all of them
 * @asked: what was asked for
 * @sources: the recordings
 * @count: elements of @sources that are in use
 * @shared: objects that several of them have
 * @symbols: names of all
 * @profile: sums of all
 * @joiner: figures of all
 * @paths: ids that call paths have so far
 * @image: numbers that address spaces have so far
 */
struct merge {
	const struct options *asked;
	struct source sources[FILES_MAX];
	size_t count;
	struct shared_objects shared;
	struct symbols *symbols;
	struct profile *profile;
	struct results_joiner joiner;
	u32 paths;
	u32 image;
};

static void merge_free(struct merge *merge)
{
	profile_free(merge->profile);
	symbols_free(merge->symbols);
	results_joiner_free(&merge->joiner);
	shared_objects_free(&merge->shared);
	for (size_t i = 0; i < merge->count; i++) {
		struct source *source = &merge->sources[i];

		free(source->joined.targets);
		saved_figures_free(&source->figures);
		saved_paths_free(&source->paths);
		saved_objects_free(&source->objects);
		facts_free(&source->facts);
		blocks_close(source->blocks);
	}
}

#define DAMAGE "what is missing counts as time without a call path"

/* Complains about a file that is not whole. Damage is known when all of it has been read. */
static void say_damage(const struct source *source)
{
	const struct blocks_health *health = blocks_health(source->blocks);

	if (!health->ended)
		complain("%s was cut, or its disk was full: " DAMAGE, source->file);
	else if (health->damaged)
		complain("%s is damaged: " DAMAGE, source->file);
}

/* Returns 0, or -1 with a complaint made: the file has too little to be merged. */
static int check_whole(const struct source *source)
{
	const struct blocks_health *health = blocks_health(source->blocks);

	if (source->figures.results.window.end_ns) {
		complain(
			"%s is of some seconds of a recording (--keep), without records: merge takes whole recordings",
			source->file);
		return -1;
	}
	if (source->facts.complete && source->figures.complete)
		return 0;
	complain("%s holds no recording that can be merged: %s", source->file,
		 health->ended ? "it is damaged" : "it was cut, or its disk was full");
	return -1;
}

/* Returns 0, or -1 with a complaint made: all of it would count twice. */
static int check_other(const struct source *a, const struct source *b)
{
	const struct gapp_status *x = &a->figures.results.model.status;
	const struct gapp_status *y = &b->figures.results.model.status;

	if (x->start_ns != y->start_ns || x->wall_ns != y->wall_ns)
		return 0;
	complain(
		"%s and %s began and ended at the same nanosecond, so they are one recording: give it once",
		a->file, b->file);
	return -1;
}

/* Whether two recordings say that they were made in one boot; -1: one of them does not say. */
static int same_boot(const struct facts *a, const struct facts *b)
{
	if (!a->boot_id || !*a->boot_id || !b->boot_id || !*b->boot_id)
		return -1;
	return !strcmp(a->boot_id, b->boot_id);
}

static bool known_to_differ(u64 a, u64 b)
{
	return a && b && a != b;
}

/* Times and process ids of both have to mean the same. Returns 0, or -1 with a complaint made. */
static int check_boot(const struct merge *merge, const struct source *a, const struct source *b)
{
	int same = same_boot(&a->facts, &b->facts);

	if (!same) {
		complain(
			"%s and %s were recorded on different machines, or the machine was started anew between them: they have no clock in common",
			a->file, b->file);
		return -1;
	}
	if (same < 0 && !merge->asked->same_boot) {
		complain(
			"%s does not say when its machine was started, so its clock may not be that of %s: give --same-boot if both were recorded on one machine without a restart between",
			a->facts.boot_id && *a->facts.boot_id ? b->file : a->file,
			a->facts.boot_id && *a->facts.boot_id ? a->file : b->file);
		return -1;
	}
	if (known_to_differ(a->facts.pid_namespace, b->facts.pid_namespace)) {
		complain(
			"%s and %s were recorded in different pid namespaces: a process id means another process in each; record both on the host",
			a->file, b->file);
		return -1;
	}
	return 0;
}

static bool is_ranked(const struct source *source)
{
	return source->figures.results.ranked;
}

/* Returns 0, or -1 with a complaint made: figures of both mean different things. */
static int check_alike(const struct source *a, const struct source *b)
{
	if (is_ranked(a) != is_ranked(b)) {
		complain(
			"%s was recorded with --level stats, without call paths, and %s with them: merge recordings of one kind",
			is_ranked(a) ? b->file : a->file, is_ranked(a) ? a->file : b->file);
		return -1;
	}
	if (a->facts.options.criterion != b->facts.options.criterion) {
		complain(
			"%s and %s were recorded with different --criterion: their critical times cannot be ranked together",
			a->file, b->file);
		return -1;
	}
	return 0;
}

/* Joins the figures. Returns 0, or -1 with a complaint made. */
static int join_figures(struct merge *merge, struct source *source)
{
	const struct options *options = &source->facts.options;
	struct recorded_count records;
	struct twice twice;

	if (recorded_kept(source->blocks, &records))
		return out_of_memory();
	source->joined = (struct joined_recording){
		.file = source->file,
		.blocks = source->blocks,
		.figures = &source->figures,
		.records = records.kept,
		.every_slice = records.kept && options->level == GAPP_LEVEL_TRACE,
	};
	if (results_note_lives(&merge->joiner, &source->joined, &twice))
		return out_of_memory();
	if (twice.file) {
		complain(
			"%s and %s both recorded process %d (%.*s) at one time, which would count twice: merge recordings of different programs, or of different times",
			twice.file, source->file, twice.tgid, (int)comm_len(twice.comm),
			twice.comm);
		return -1;
	}
	if (results_join(&merge->joiner, &source->joined))
		return out_of_memory();
	return 0;
}

/* Sets what numbers become, and joins names and sums. Returns 0, or -1 with a complaint made. */
static int join_sums(struct merge *merge, struct source *source)
{
	u32 image;

	if (records_highest_image(source->blocks, &image))
		return out_of_memory();
	source->shift = (struct profile_shift){
		.targets = source->joined.targets,
		.target_count = source->joined.target_count,
		.image = merge->image,
	};
	if (symbols_read_more(merge->symbols, source->blocks, &source->objects) ||
	    profile_read_more(merge->profile, source->blocks, &source->paths, &source->shift))
		return out_of_memory();
	merge->image += image + 1;
	if (!profile_is_too_large(merge->profile))
		return 0;
	complain(
		"up to %s there are more different call paths, threads or wait objects than one recording can have: merge fewer recordings",
		source->file);
	return -1;
}

/* Returns 0, or -1 with a complaint made: it cannot be merged with those before. */
static int check_former(const struct merge *merge, const struct source *source)
{
	/* one that does not say its boot goes with any: so the first does not speak for all */
	for (const struct source *former = merge->sources; former < source; former++)
		if (check_boot(merge, former, source) || check_other(former, source) ||
		    check_alike(former, source))
			return -1;
	if (results_fit(&merge->joiner, &source->figures))
		return 0;
	complain(
		"up to %s there are more recordings, targets, threads or handovers than one recording can have: merge fewer recordings",
		source->file);
	return -1;
}

/* Reads one more recording. Returns 0, or -1 with a complaint made. */
static int add_source(struct merge *merge, const char *file)
{
	struct source *source = &merge->sources[merge->count];

	source->file = file;
	source->blocks = blocks_open(file);
	if (!source->blocks)
		return -1;
	merge->count++;
	source->paths.shift = merge->paths;
	if (facts_read(&source->facts, source->blocks) ||
	    saved_objects_read(&source->objects, source->blocks) ||
	    saved_objects_share(&source->objects, source->blocks, &merge->shared) ||
	    saved_paths_read(&source->paths, source->blocks, &source->objects) ||
	    saved_figures_read(&source->figures, source->blocks, &source->objects))
		return out_of_memory();
	if (check_whole(source) || check_former(merge, source))
		return -1;
	merge->paths += source->paths.count;
	if (merge->paths > SAVED_PATHS_MAX) {
		complain(
			"up to %s there are more call paths than one recording can have: merge fewer recordings",
			file);
		return -1;
	}
	return join_figures(merge, source) || join_sums(merge, source) ? -1 : 0;
}

static bool has_records(const struct merge *merge)
{
	for (size_t i = 0; i < merge->count; i++)
		if (merge->sources[i].joined.records)
			return true;
	return false;
}

/* Says what the merged recording does not have, though some of the recordings have it. */
static void say_what_is_missing(const struct merge *merge)
{
	for (size_t i = 0; i < merge->count; i++) {
		const struct source *source = &merge->sources[i];

		say_damage(source);
		if (!source->joined.records && has_records(merge))
			complain(
				"%s has no records: what is made of records, such as .cores.csv, shows nothing of it",
				source->file);
		if (source->figures.wait_views)
			complain(
				"%s has a critical path and a wait-for graph, which are of its program alone: the merged recording has none",
				source->file);
		if (source->figures.sections)
			complain(
				"%s has figures by section, which are of its program alone: the merged recording has the marks only, in its records",
				source->file);
		if (source->figures.results.counted.asked.count)
			complain(
				"%s has counters, which are of its run alone: the merged recording has none",
				source->file);
		if (source->figures.exact_loops)
			complain(
				"%s says which loops were timed exactly: the merged recording does not",
				source->file);
	}
}

/* The level at which all were recorded at least. */
static enum gapp_level lowest_level(const struct merge *merge)
{
	enum gapp_level level = GAPP_LEVEL_TRACE;

	for (size_t i = 0; i < merge->count; i++)
		if (merge->sources[i].facts.options.level < level)
			level = merge->sources[i].facts.options.level;
	return level;
}

/* What is known of all. Texts belong to the recordings. */
static struct facts facts_of_all(const struct merge *merge)
{
	struct facts facts = merge->sources[0].facts;

	for (size_t i = 1; i < merge->count; i++) {
		const struct facts *more = &merge->sources[i].facts;

		if (!facts.boot_id || !*facts.boot_id)
			facts.boot_id = more->boot_id;
		if (!facts.pid_namespace)
			facts.pid_namespace = more->pid_namespace;
	}
	return facts;
}

static u64 last_time(const struct merge *merge)
{
	u64 time_s = 0;

	for (size_t i = 0; i < merge->count; i++)
		if (merge->sources[i].facts.time_s > time_s)
			time_s = merge->sources[i].facts.time_s;
	return time_s;
}

/* Call paths that only records have. Returns 0, or -1 without memory. */
static int write_other_paths(const struct merge *merge, struct object_numbers *numbers,
			     struct blocks_writer *writer)
{
	blocks_section(writer, BLOCK_PATHS);
	for (size_t i = 0; i < merge->count; i++) {
		const struct saved_paths *paths = &merge->sources[i].paths;

		for (u32 id = 0; id < paths->count; id++)
			if (paths->paths[id] &&
			    !profile_has(merge->profile, paths->paths[id]->id) &&
			    call_path_save(paths->paths[id], numbers, writer))
				return -1;
	}
	return 0;
}

/* Returns 0, or -1 without memory. */
static int number_other_paths(const struct merge *merge, struct object_numbers *numbers)
{
	for (size_t i = 0; i < merge->count; i++) {
		const struct saved_paths *paths = &merge->sources[i].paths;

		for (u32 id = 0; id < paths->count; id++)
			if (paths->paths[id] && call_path_number(paths->paths[id], numbers))
				return -1;
	}
	return 0;
}

/* Returns 0, or -1 without memory. */
static int write_sums(struct merge *merge, struct object_numbers *numbers,
		      struct blocks_writer *writer)
{
	if (profile_number(merge->profile, numbers) || number_other_paths(merge, numbers))
		return -1;
	objects_save(numbers, writer);
	if (profile_save(merge->profile, numbers, writer) ||
	    write_other_paths(merge, numbers, writer))
		return -1;
	return symbols_save(merge->symbols, numbers, writer);
}

/* Returns 0, or -1 without memory. */
static int write_records(struct merge *merge, struct blocks_writer *writer)
{
	struct records_source sources[FILES_MAX];

	if (!has_records(merge))
		return 0;
	for (size_t i = 0; i < merge->count; i++)
		sources[i] = (struct records_source){ .blocks = merge->sources[i].blocks,
						      .paths = &merge->sources[i].paths,
						      .shift = &merge->sources[i].shift };
	return records_join(sources, merge->count, writer);
}

/* Writes all. Returns 0, or -1 without memory. */
static int write_merged(void *context, struct blocks_writer *writer)
{
	struct merge *merge = context;
	struct object_numbers numbers = { 0 };
	const struct facts facts = facts_of_all(merge);
	int error = write_records(merge, writer);

	save_merged_facts(&facts, lowest_level(merge), last_time(merge), writer);
	results_save(&merge->joiner.results, &numbers, writer);
	if (!error && merge->joiner.results.ranked)
		error = write_sums(merge, &numbers, writer);
	/* those that are in no path of the profile */
	objects_save(&numbers, writer);
	object_numbers_free(&numbers);
	return error;
}

/* Returns 0, or -1 with a complaint made. */
static int read_all(struct merge *merge)
{
	merge->symbols = symbols_for_saved();
	merge->profile = profile_for_saved();
	if (!merge->symbols || !merge->profile)
		return out_of_memory();
	for (size_t i = 0; i < merge->asked->file_count; i++)
		if (add_source(merge, merge->asked->files[i]))
			return -1;
	if (results_join_end(&merge->joiner))
		return out_of_memory();
	return 0;
}

static void free_merge(struct merge **merge)
{
	if (*merge)
		merge_free(*merge);
	free(*merge);
}

int merge(const struct options *asked)
{
	_cleanup_(free_merge) struct merge *merge = calloc(1, sizeof(*merge));
	_cleanup_(saving_free) struct saving saving = SAVING_NONE;

	if (!merge) {
		out_of_memory();
		return STATUS_FAILED;
	}
	merge->asked = asked;
	if (read_all(merge))
		return STATUS_FAILED;
	say_what_is_missing(merge);
	save_begin(&saving, asked);
	return save_whole(&saving, write_merged, merge) ? STATUS_FAILED : 0;
}
