// SPDX-License-Identifier: GPL-2.0
#include "svg.h"

#include "markup.h"

#define ENTRY_COLUMNS 4
#define ENTRY_HEIGHT 16
#define SWATCH 10
/* Pixels between labels of the axis, about. */
#define TICK_WIDTH 90

const char *const svg_colours[SVG_COLOURS] = { "#D55E00", "#0072B2", "#009E73", "#CC79A7",
					       "#56B4E9", "#E69F00", "#F0E442" };

int svg_legend_height(int entries)
{
	return (entries + ENTRY_COLUMNS - 1) / ENTRY_COLUMNS * ENTRY_HEIGHT;
}

int svg_begin(FILE *out, int height, const struct options *options, const char *what)
{
	fprintf(out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"11\" fill=\"#222\">\n<title>",
		SVG_WIDTH, height, SVG_WIDTH, height);
	if (markup_put_title(out, options))
		return -1;
	fprintf(out,
		": %s</title>\n<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n<text x=\"%d\" y=\"20\" font-size=\"14\">",
		what, SVG_WIDTH, height, SVG_LEFT);
	if (markup_put_title(out, options))
		return -1;
	fprintf(out, ": %s</text>\n", what);
	return 0;
}

struct unit {
	const char *name;
	u64 ns;
};

static struct unit unit_of(u64 length_ns)
{
	static const struct unit units[] = { { "s", 1000000000 },
					     { "ms", 1000000 },
					     { "us", 1000 } };
	size_t i = 0;

	while (i + 1 < ARRAY_SIZE(units) && length_ns < units[i].ns)
		i++;
	return units[i];
}

/* A round length of which as many fit as there is room for labels. */
static u64 tick_of(u64 length_ns)
{
	const u64 least = length_ns / (SVG_ROOM / TICK_WIDTH) + 1;
	u64 power = 1;

	while (power <= least / 10)
		power *= 10;
	if (power >= least)
		return power;
	return 2 * power >= least ? 2 * power : 5 * power >= least ? 5 * power : 10 * power;
}

void svg_axis(FILE *out, u64 length_ns, int top, int y)
{
	const struct unit unit = unit_of(length_ns);
	const u64 tick = tick_of(length_ns);

	fprintf(out, "<g class=\"axis\" text-anchor=\"middle\">\n");
	for (u64 at = 0; at <= length_ns; at += tick) {
		double x = SVG_LEFT + (double)at / length_ns * SVG_ROOM;

		fprintf(out,
			"<path d=\"M%.2f %dV%d\" stroke=\"#222\" stroke-opacity=\".15\"/><text x=\"%.2f\" y=\"%d\">%.10g</text>\n",
			x, top, y + 4, x, y + 16, (double)at / unit.ns);
	}
	fprintf(out,
		"<path d=\"M%d %dH%d\" stroke=\"#222\"/><text x=\"%d\" y=\"%d\">time (%s)</text>\n</g>\n",
		SVG_LEFT, y, SVG_LEFT + SVG_ROOM, SVG_LEFT + SVG_ROOM / 2, y + 30, unit.name);
}

void svg_entry(FILE *out, int number, int y, const char *fill, int percent)
{
	int left = SVG_LEFT + number % ENTRY_COLUMNS * (SVG_ROOM / ENTRY_COLUMNS);
	int top = y + number / ENTRY_COLUMNS * ENTRY_HEIGHT;
	int height = SWATCH * percent / 100;

	fprintf(out,
		"<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"/><text x=\"%d\" y=\"%d\">",
		left, top + SWATCH - height, SWATCH, height, fill, left + SWATCH + 5,
		top + SWATCH - 1);
}

void svg_entry_end(FILE *out)
{
	fputs("</text>\n", out);
}

void svg_note(FILE *out, int y, const char *text)
{
	fprintf(out, "<text class=\"note\" x=\"%d\" y=\"%d\" font-size=\"10\" fill=\"#555\">",
		SVG_LEFT, y);
	markup_put(out, text);
	fputs("</text>\n", out);
}

void svg_end(FILE *out)
{
	fputs("</svg>\n", out);
}
