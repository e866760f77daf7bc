/* SPDX-License-Identifier: GPL-2.0 */
/* The figures of a recording in its file: what the module and the reader counted. */
#ifndef GAPP_READ_SAVED_RESULTS_H
#define GAPP_READ_SAVED_RESULTS_H

#include "callpath/saved_paths.h"
#include "report.h"

/* Threads, processes, waits of threads or targets; more make no sense. */
#define SAVED_LIST_MAX 0x100000U
/* CPUs with tallies: no kernel has more. */
#define SAVED_CPUS_MAX 0x2000U

/* Writes all of @results but rankings, sums and the tree. */
void results_save(const struct results *results, struct object_numbers *numbers,
		  struct blocks_writer *writer);

/**
 * struct saved_figures - figures of a recording's file
 * @results: without rankings, sums and tree
 * @no_kernel: what @results has, allocated
 * @window_cause: what @results has, allocated
 * @copies: what became of stack copies
 * @commands: command lines
 * @wait_views: what @results has, allocated
 * @handovers: what @results has, allocated
 * @sections: what @results has, allocated
 * @exact_loops: what @results has, allocated
 * @merged: what @results has, allocated
 * @complete: figures of the session were there
 */
struct saved_figures {
	struct results results;
	char *no_kernel;
	char *window_cause;
	struct call_paths_figures copies;
	struct command_lines *commands;
	struct wait_views *wait_views;
	struct handovers *handovers;
	struct section_views *sections;
	struct exact_loops *exact_loops;
	struct merged *merged;
	bool complete;
};

/* Reads the figures. Returns 0, or -1 without memory. */
int saved_figures_read(struct saved_figures *figures, struct blocks *blocks,
		       struct saved_objects *objects);
void saved_figures_free(struct saved_figures *figures);
/* Copies the figures to @results, which the caller frees. Returns 0, or -1 without memory. */
int saved_figures_copy(const struct saved_figures *figures, struct results *results);

#endif /* GAPP_READ_SAVED_RESULTS_H */
