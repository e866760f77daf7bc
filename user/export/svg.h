/* SPDX-License-Identifier: GPL-2.0 */
/* What pictures over time have in common: a static SVG with a title, an axis of time and a legend.
 */
#ifndef GAPP_READ_SVG_H
#define GAPP_READ_SVG_H

#include <stdio.h>

#include "core/port.h"
#include "report/report.h"

/* Pixels: the whole picture, what is left and right of the time, and above it. */
#define SVG_WIDTH 1000
#define SVG_LEFT 104
#define SVG_RIGHT 20
#define SVG_TOP 34
/* Of the time. */
#define SVG_ROOM (SVG_WIDTH - SVG_LEFT - SVG_RIGHT)

/* Colours of Okabe and Ito; what has none, and several things that were merged. */
#define SVG_COLOURS 7
extern const char *const svg_colours[SVG_COLOURS];
#define SVG_OTHERS "#8a8f96"
#define SVG_SEVERAL "#c4c8cd"

/* Pixels that the legend takes, of @entries. */
int svg_legend_height(int entries);

/* Begins the picture: its size and its title. Returns 0, or -1 without memory. */
int svg_begin(FILE *out, int height, const struct options *options, const char *what);

/* The axis of time at @y, with lines up to @top. */
void svg_axis(FILE *out, u64 length_ns, int top, int y);

/*
 * Begins entry @number of the legend at @y; @fill, and how much of the swatch's height it has. The
 * caller writes the text, and then calls svg_entry_end().
 */
void svg_entry(FILE *out, int number, int y, const char *fill, int percent);
void svg_entry_end(FILE *out);

/* A small line of text that ends in nothing else. */
void svg_note(FILE *out, int y, const char *text);

void svg_end(FILE *out);

#endif /* GAPP_READ_SVG_H */
