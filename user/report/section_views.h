/* SPDX-License-Identifier: GPL-2.0 */
/* Figures by section, as a report shows them: --view sections. */
#ifndef GAPP_READ_SECTION_VIEWS_H
#define GAPP_READ_SECTION_VIEWS_H

#include "data/blocks.h"
#include "profile/path_names.h"
#include "profile/sections.h"

struct results;

/* Functions of a section that are kept: those with most of its critical time. */
#define SECTION_FUNCTIONS 8

/**
 * struct section_function - a function in which a section has critical time
 * @function: its name; NULL: it has none, or no path is known
 * @module: name of the file that it is in; NULL: no path is known
 * @offset: where it is in @module, without a name
 * @critical_ns: critical time there, nanoseconds
 */
struct section_function {
	char *function;
	char *module;
	u64 offset;
	double critical_ns;
};

/**
 * struct section_row - a section
 * @name: as the program gave it; any bytes but control characters
 * @begins: how often it began
 * @ns: nanoseconds in which it was the current one of a process
 * @active_known: @active is known
 * @active: average number of active threads of the target meanwhile
 * @critical_ns: critical time of its processes meanwhile
 * @divided_ns: the part of @critical_ns that is divided by time
 * @functions: most critical time first
 */
struct section_row {
	char *name;
	u64 begins;
	u64 ns;
	bool active_known;
	double active;
	double critical_ns;
	double divided_ns;
	struct section_function functions[SECTION_FUNCTIONS];
	u32 function_count;
};

/**
 * struct section_views - all sections
 * @rows: the most critical time first
 * @outside_known: @outside_ns is known: one process made marks
 * @outside_ns: nanoseconds in which its process was in no section
 * @outside_active_known: @outside_active is known
 * @outside_active: average number of active threads of the target in that time
 * @outside_critical_ns: critical time of the run that is in no section
 * @unpaired: marks that end a section which their thread had not begun
 * @without_room: sections that began where there was no room for them
 * @ended_unseen: sections that ended with their thread, as no record says, before their process
 */
struct section_views {
	struct section_row *rows;
	u32 count;
	bool outside_known;
	u64 outside_ns;
	bool outside_active_known;
	double outside_active;
	double outside_critical_ns;
	u64 unpaired;
	u64 without_room;
	u64 ended_unseen;
};

/* Ends the sections that are open. NULL: no memory. */
struct section_views *section_views_make(struct sections *sections, const struct path_names *names,
					 const struct results *results);
void section_views_free(struct section_views *views);

void section_views_save(const struct section_views *views, struct blocks_writer *writer);
/* Sets @views; NULL: the recording has none. Returns 0, or -1 without memory. */
int section_views_read(struct blocks *blocks, struct section_views **views);

#endif /* GAPP_READ_SECTION_VIEWS_H */
