// SPDX-License-Identifier: GPL-2.0
#include "rankings.h"

#include "outputs.h"
#include "report/merged.h"

/* Time in which at least one and at most @n threads were active; 0: not known. */
static u64 time_up_to(const struct model *model, u32 n)
{
	u64 ns = 0;

	for (u32 i = 1; i <= n && i < model->parallelism_count; i++)
		ns += model->parallelism[i];
	return ns;
}

/*
 * Whether all critical share of each target is known: none was lost, and what threads collected in
 * the run queue, which only STOP sets, is that of all. With the paper's rule a slice is critical as
 * a whole, so shares say nothing of how long few were active.
 */
static bool knows_targets(const struct results *results)
{
	u64 queued = 0;

	for (size_t i = 0; i < results->target_count; i++)
		queued += results->targets[i].critical_runq;
	return !results->counters.lost_critical_share && queued >= results->counters.critical_runq;
}

/* With the paper's rule a slice is critical as a whole, however many threads were active for a
 * while.
 */
static struct gain_limits limits_of(const struct options *asked, const struct results *results)
{
	const struct model *model = &results->model;
	const double critical_ns = results_critical_ns(results);
	bool average = asked->criterion == GAPP_CRITERION_AVERAGE;
	struct gain_limits limits = {
		.most_ns = model->status.wall_ns,
		.of_targets = !average && knows_targets(results),
	};

	if (results_apart(results))
		return limits;
	limits.n_most = average ? model->status.peak : results_n_min_most(results);
	limits.n_beyond = average ? 0 : results_n_min_least(results) + 1;
	limits.most_ns = time_up_to(model, limits.n_most) ?: limits.most_ns;
	/* N_min may have been less for a while */
	if (!average && critical_ns > 0 && critical_ns < limits.most_ns)
		limits.most_ns = critical_ns;
	return limits;
}

/* Whether a recording has each process as a target (-a), and not only several are one. */
static bool is_of_all(const struct results *results)
{
	return !results->merged || results->target_count > results->merged->count;
}

static struct profile_options options_of(const struct options *asked, const struct program *program,
					 const struct results *results)
{
	return (struct profile_options){
		.no_libs = asked->no_libs,
		.program = program->path,
		.program_dev = program->dev,
		.program_inode = program->inode,
		.apart = asked->all && !asked->as_one,
		.idle = asked->all && !asked->as_one && is_of_all(results),
		.targets = results->targets,
		.target_count = results->target_count,
		.rules = asked->rules,
		.gain = limits_of(asked, results),
		.threads_only = asked->threads_only,
		.process_only = asked->process_only,
	};
}

/* Makes the tree, and call paths by address, if they are wanted. 0, or -1 without memory. */
static int make_wanted(struct profile *profile, struct symbols *symbols,
		       const struct options *asked, struct profile_options *options,
		       struct results *results)
{
	options->by = BY_PLACE;
	if (asked->tree && profile_tree(profile, symbols, options, &results->tree))
		return -1;
	if (!outputs_need_paths(asked))
		return 0;
	options->by = BY_ADDRESSES;
	options->no_libs = false;
	return profile_rank(profile, symbols, options, &results->exported);
}

/* Returns 0, or -1 without memory. */
static int make_waits(struct profile *profile, struct symbols *symbols, const struct options *asked,
		      const struct profile_options *options, struct results *results)
{
	if (profile_rank_waits(profile, symbols, options, &results->paths, &results->waits))
		return -1;
	if (outputs_need_woken(asked) && profile_woken_paths(profile, symbols, &results->woken))
		return -1;
	return asked->by == BY_WAIT_OBJECT ?
		       ranked_waits_as_ranking(&results->waits, &results->by) :
		       0;
}

int rankings_make(struct profile *profile, struct symbols *symbols, const struct options *asked,
		  const struct program *program, struct results *results)
{
	struct profile_options options = options_of(asked, program, results);
	const struct {
		enum by by;
		struct ranking *ranking;
	} rankings[] = {
		{ BY_PLACE, &results->places },	      { BY_PATH, &results->paths },
		{ asked->by, &results->by },	      { BY_FUNCTION, &results->functions },
		{ BY_LINE, &results->lines },	      { BY_THREAD, &results->by_thread },
		{ BY_PROCESS, &results->by_process },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rankings); i++) {
		options.by = rankings[i].by;
		/* the table has a ranking that is there already */
		if (rankings[i].ranking == &results->by &&
		    (options.by <= BY_PATH || options.by == BY_WAIT_OBJECT))
			continue;
		if (profile_rank(profile, symbols, &options, rankings[i].ranking))
			return -1;
	}
	if (profile_regions(profile, symbols, &results->regions) ||
	    make_wanted(profile, symbols, asked, &options, results) ||
	    make_waits(profile, symbols, asked, &options, results))
		return -1;
	profile_sums(profile, &results->sums);
	results->ranked = true;
	return 0;
}

int rankings_make_few(struct profile *profile, struct symbols *symbols, const struct options *asked,
		      const struct program *program, struct results *results)
{
	struct profile_options options = options_of(asked, program, results);
	const struct {
		enum by by;
		struct ranking *ranking;
	} rankings[] = {
		{ BY_PLACE, &results->places },
		{ BY_PATH, &results->paths },
		{ BY_PROCESS, &results->by_process },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rankings); i++) {
		options.by = rankings[i].by;
		/* only of several targets the first sentence is about processes */
		if (options.by == BY_PROCESS && !options.apart)
			continue;
		if (profile_rank(profile, symbols, &options, rankings[i].ranking))
			return -1;
	}
	profile_sums(profile, &results->sums);
	results->ranked = true;
	return 0;
}
