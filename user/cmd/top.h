/* SPDX-License-Identifier: GPL-2.0 */
/* gapp-read top: shows again and again what a recording has come to so far. */
#ifndef GAPP_READ_TOP_H
#define GAPP_READ_TOP_H

#include "capture.h"
#include "follow.h"

struct top;

/*
 * Begins to show what @device and @capture record. The caller sets the tick and terminal of @follow
 * to functions that call top_look() and top_terminal(). @asked is what --counters asks for, or
 * nothing, and @nodes are the NUMA nodes of CPUs. Returns NULL with a complaint made.
 */
struct top *top_new(const struct options *options, struct device *device, struct capture *capture,
		    const struct tallies *asked, const struct cpu_nodes *nodes,
		    struct follow *follow);
/* Gives the terminal back, too. To be called before @capture is freed. */
void top_free(struct top *top);

/* Looks at the recording, and shows it. Returns 0, or -1 with a complaint made. */
int top_look(struct top *top);
/* Takes keys and what happens to the screen. Returns 0, above 0 to end, or -1. */
int top_terminal(struct top *top);
/* After the recording: leaves the screen, and shows the rest as plain text. Returns 0, or -1. */
int top_end(struct top *top);

/* Whether a command would write on the screen that is drawn. */
bool top_has_screen(const struct options *options);

#endif /* GAPP_READ_TOP_H */
