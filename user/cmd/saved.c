// SPDX-License-Identifier: GPL-2.0
#include "saved.h"

#include "profile/saved_profile.h"
#include "report/advice.h"
#include "report/kept_records.h"
#include "report/merged.h"
#include "report/saved_results.h"
#include "saved_facts.h"
#include "util/output.h"

/**
 * struct saved - a recording's file that was read
 * @blocks: the file
 * @recorded: its records
 * @facts: how it was recorded
 * @objects: objects of its call paths
 * @paths: its call paths
 * @figures: what was counted
 * @symbols: names
 * @profile: sums
 * @named_again: names are not those of the recording
 */
struct saved {
	struct blocks *blocks;
	struct recorded recorded;
	struct facts facts;
	struct saved_objects objects;
	struct saved_paths paths;
	struct saved_figures figures;
	struct symbols *symbols;
	struct profile *profile;
	bool named_again;
};

/* Returns 0, or -1 without memory. */
static int name_again(struct saved *saved, const char *symfs)
{
	const struct symbol_sources sources = { .symfs = symfs };

	return symfs ? symbols_name_again(saved->symbols, &sources, &saved->named_again) : 0;
}

/* Later times are made up: so no sum of two overflows, and no length is more than a double holds.
 */
#define TIME_MAX (INT64_MAX / 4)

static u64 least(u64 a, u64 b)
{
	return a < b ? a : b;
}

/* Returns 0, or -1 without memory. */
static int set_recorded(struct saved *saved, struct blocks *blocks)
{
	const struct gapp_status *status = &saved->figures.results.model.status;
	const struct merged *merged = saved->figures.merged;
	const u64 start_ns = least(status->start_ns, TIME_MAX);
	struct recorded_count count;

	if (recorded_kept(blocks, &count))
		return -1;
	saved->recorded = (struct recorded){
		.blocks = blocks,
		.paths = &saved->paths,
		.symbols = saved->symbols,
		.start_ns = start_ns,
		.stop_ns = start_ns + least(status->wall_ns, TIME_MAX),
		.kernel = saved->facts.kernel,
		.machine = saved->facts.machine,
		.nodes = &saved->facts.nodes,
		.kept = count.kept,
		.every_slice = merged ? merged_every_slice(merged) :
					saved->facts.options.level == GAPP_LEVEL_TRACE,
	};
	return 0;
}

/* Returns 0, or -1 without memory. */
static int read_all(struct saved *saved, struct blocks *blocks, const char *symfs)
{
	if (facts_read(&saved->facts, blocks) || saved_objects_read(&saved->objects, blocks) ||
	    saved_paths_read(&saved->paths, blocks, &saved->objects) ||
	    saved_figures_read(&saved->figures, blocks, &saved->objects))
		return -1;
	saved->symbols = symbols_read(blocks, &saved->objects);
	if (!saved->symbols || name_again(saved, symfs))
		return -1;
	saved->profile = profile_read(blocks, &saved->paths, saved->figures.results.sums.copies);
	return saved->profile ? set_recorded(saved, blocks) : -1;
}

static int nothing_saved(const struct blocks *blocks, const char *path)
{
	complain("%s holds no recording that can be reported: %s", path,
		 blocks_health(blocks)->ended ? "it is damaged" :
						"it was cut, or its disk was full");
	return -1;
}

/* Complains about damage. Returns 0, or -1 if there is nothing to report. */
static int check_health(const struct saved *saved, const struct blocks *blocks, const char *path)
{
	const struct blocks_health *health = blocks_health(blocks);

	if (!saved->facts.complete || !saved->figures.complete)
		return nothing_saved(blocks, path);
	if (!health->ended)
		complain(
			"%s was cut, or its disk was full: what is missing counts as time without a call path",
			path);
	else if (health->damaged)
		complain(
			"%s is damaged in %llu place%s: what is missing counts as time without a call path",
			path, (unsigned long long)health->damaged, health->damaged == 1 ? "" : "s");
	return 0;
}

struct saved *saved_open(const char *path, const char *symfs)
{
	struct blocks *blocks = blocks_open(path);
	struct saved *saved = blocks ? calloc(1, sizeof(*saved)) : NULL;
	int error;

	if (!blocks)
		return NULL;
	error = saved ? read_all(saved, blocks, symfs) : -1;
	if (error)
		out_of_memory();
	else
		error = check_health(saved, blocks, path);
	if (!error) {
		saved->blocks = blocks;
		return saved;
	}
	blocks_close(blocks);
	saved_free(saved);
	return NULL;
}

void saved_free(struct saved *saved)
{
	if (!saved)
		return;
	profile_free(saved->profile);
	symbols_free(saved->symbols);
	saved_figures_free(&saved->figures);
	saved_paths_free(&saved->paths);
	saved_objects_free(&saved->objects);
	facts_free(&saved->facts);
	if (saved->blocks)
		blocks_close(saved->blocks);
	free(saved);
}

void saved_options(const struct saved *saved, const struct options *asked, struct options *options)
{
	*options = saved->facts.options;
	options->given = asked->given;
	options->action = asked->action;
	options->no_libs = asked->no_libs;
	options->threads_only = asked->threads_only;
	options->process_only = asked->process_only;
	options->by = asked->by;
	options->view = asked->view;
	options->rules = asked->rules;
	options->tree = asked->tree;
	options->top = asked->top;
	options->format = asked->format;
	options->color = asked->color;
	options->source_paths = asked->source_paths;
	options->source_path_count = asked->source_path_count;
	options->outputs = asked->outputs;
	options->output_count = asked->output_count;
	options->quiet = asked->quiet;
	options->verbose = asked->verbose;
}

int saved_rank(struct saved *saved, const struct options *options, struct results *results)
{
	if (saved_figures_copy(&saved->figures, results))
		return out_of_memory();
	results->recorded = &saved->recorded;
	results->counted.nodes = &saved->facts.nodes;
	if (!saved->figures.results.ranked)
		return 0;
	if (rankings_make(saved->profile, saved->symbols, options, &saved->facts.program, results))
		return out_of_memory();
	/* advice of the recording is for names that were missing then */
	return saved->named_again && results_advise(results) ? out_of_memory() : 0;
}

/* Complains if records are missing. Returns 0, or -1 if the file was made to have none. */
static int check_records(const struct saved *saved, const struct recorded_count *records,
			 const struct blocks *blocks, const char *path)
{
	const char *no_room =
		saved->figures.merged ?
			"recordings that it was made of had no room, or were damaged" :
			"there was no room for more";

	if (!records->kept && !records->taken) {
		complain("%s has no records: record with --records, too", path);
		return -1;
	}
	if (!records->kept)
		complain("%s is damaged: records may be missing", path);
	else if (records->taken < records->recorded)
		complain("%s has %llu of %llu records: %s", path,
			 (unsigned long long)records->taken, (unsigned long long)records->recorded,
			 blocks_health(blocks)->damaged ? "it is damaged" : no_room);
	return 0;
}

/* Returns 0, or -1 with a complaint made. */
static int print_records(const struct saved *saved, struct blocks *blocks, const char *path,
			 struct output *output)
{
	struct script script = {
		.out = output->stream,
		.saved = &saved->paths,
		.symbols = saved->symbols,
		.start_ns = saved->recorded.start_ns,
	};
	struct recorded_count records;

	if (saved_records_print(blocks, &script, &records) && !output->error)
		return out_of_memory();
	fflush(output->stream);
	if (output->error == EPIPE)
		return 0;
	if (output->error) {
		complain("cannot write the records: %s", strerror(output->error));
		return -1;
	}
	return check_records(saved, &records, blocks, path);
}

int saved_script(const char *path, const char *symfs, int fd)
{
	_cleanup_saved_ struct saved *saved = NULL;
	struct blocks *blocks = blocks_open(path);
	struct output output = { 0 };
	int error = -1;

	if (!blocks)
		return -1;
	saved = calloc(1, sizeof(*saved));
	if (!saved || read_all(saved, blocks, symfs) || output_open(&output, fd))
		out_of_memory();
	else if (!saved->figures.complete)
		nothing_saved(blocks, path);
	else
		error = print_records(saved, blocks, path, &output);
	output_close(&output);
	blocks_close(blocks);
	return error;
}
