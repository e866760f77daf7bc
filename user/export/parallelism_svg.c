// SPDX-License-Identifier: GPL-2.0
/*
 * How many threads were active over time, as a picture: the average of each of at most
 * PARALLELISM_STEPS steps, and the part of it in which few were. A unit of its drawing is a
 * nanosecond by a thread, so the figures can be read back.
 */
#include <inttypes.h>

#include "exports.h"
#include "report/recorded.h"
#include "svg.h"
#include "timeline/parallelism.h"
#include "util/util.h"

/* Heights of both charts, and what is between them. */
#define ACTIVE_HEIGHT 180
#define FEW_HEIGHT 36
#define BETWEEN 14
#define ACTIVE_BOTTOM (SVG_TOP + ACTIVE_HEIGHT)
#define FEW_BOTTOM (ACTIVE_BOTTOM + BETWEEN + FEW_HEIGHT)

static int take_record(void *context, const struct gapp_record *record, _unused_ u32 verdict)
{
	parallelism_record(context, record);
	return 0;
}

/* One area of all steps. @most: the value that is as high as the chart. */
static void put_area(FILE *out, const struct parallelism *steps, const double *values,
		     u64 length_ns, double most, int height, int bottom, const char *colour,
		     const char *name)
{
	u64 at = 0;

	fprintf(out,
		"<g transform=\"translate(%d %d) scale(%.15g %.15g)\"><path class=\"%s\" fill=\"%s\" d=\"M0 0",
		SVG_LEFT, bottom, (double)SVG_ROOM / length_ns, -height / most, name, colour);
	for (u32 i = 0; i < steps->steps; i++) {
		u64 end = at + steps->step_ns < length_ns ? at + steps->step_ns : length_ns;

		fprintf(out, "V%.6gH%" PRIu64, values[i] / (end - at), (uint64_t)end);
		at = end;
	}
	fputs("V0z\"/></g>\n", out);
}

/* Labels of a chart's height. */
static void put_heights(FILE *out, double most, u32 step, int height, int bottom,
			const char *suffix)
{
	for (double value = 0; value <= most; value += step) {
		double y = bottom - value / most * height;

		fprintf(out,
			"<path d=\"M%d %.2fH%d\" stroke=\"#222\" stroke-opacity=\".15\"/><text x=\"%d\" y=\"%.2f\" text-anchor=\"end\">%g%s</text>\n",
			SVG_LEFT, y, SVG_LEFT + SVG_ROOM, SVG_LEFT - 6, y + 4, value, suffix);
	}
}

/* A round number of threads of which few fit into @most. */
static u32 round_step(double most)
{
	u32 power = 1;

	while (most / power > 50)
		power *= 10;
	return most / power > 25 ? 10 * power :
	       most / power > 10 ? 5 * power :
	       most / power > 5	 ? 2 * power :
				   power;
}

static void put_entry(FILE *out, int number, const char *fill, int percent, const char *text)
{
	svg_entry(out, number, FEW_BOTTOM + 42, fill, percent);
	fputs(text, out);
	svg_entry_end(out);
}

static int put_all(FILE *out, const struct parallelism *steps, u64 length_ns,
		   const struct options *options)
{
	double most = steps->n_min + 1;
	char text[64];

	for (u32 i = 0; i < steps->steps; i++)
		if (steps->active[i] / steps->step_ns > most)
			most = steps->active[i] / steps->step_ns;
	most *= 1.05;
	if (svg_begin(out, FEW_BOTTOM + 42 + svg_legend_height(3) + 8, options, "active threads"))
		return -1;
	put_heights(out, most, round_step(most), ACTIVE_HEIGHT, ACTIVE_BOTTOM, "");
	put_heights(out, 100, 100, FEW_HEIGHT, FEW_BOTTOM, " %");
	put_area(out, steps, steps->active, length_ns, most, ACTIVE_HEIGHT, ACTIVE_BOTTOM,
		 svg_colours[1], "active");
	put_area(out, steps, steps->critical, length_ns, 1, FEW_HEIGHT, FEW_BOTTOM, svg_colours[0],
		 "few");
	fprintf(out,
		"<path class=\"n_min\" d=\"M%d %.2fH%d\" stroke=\"%s\" stroke-dasharray=\"6 3\"/>\n",
		SVG_LEFT, ACTIVE_BOTTOM - steps->n_min / most * ACTIVE_HEIGHT, SVG_LEFT + SVG_ROOM,
		svg_colours[0]);
	svg_axis(out, length_ns, SVG_TOP, FEW_BOTTOM);
	put_entry(out, 0, svg_colours[1], 100, "active threads, on average");
	snprintf(text, sizeof(text), "dashed: N_min = %u", steps->n_min);
	put_entry(out, 1, svg_colours[0], 20, text);
	put_entry(out, 2, svg_colours[0], 100, "below: part of the time with at most N_min");
	svg_end(out);
	return 0;
}

int export_parallelism_svg(FILE *out, const struct results *results, const struct options *options)
{
	_cleanup_free_ struct parallelism *steps = calloc(1, sizeof(*steps));
	const struct recorded *recorded = results->recorded;
	u64 length_ns = recorded->stop_ns - recorded->start_ns;
	struct recorded_count count;

	if (!steps)
		return -1;
	parallelism_init(steps, recorded->start_ns, length_ns, results_n_min_most(results));
	if (recorded_each(recorded->blocks, take_record, steps, &count))
		return -1;
	parallelism_end(steps, length_ns);
	if (results->merged) {
		complain(
			"how many threads were active over time is not known of a merged recording: record the programs in one session, with --as-one");
		return 1;
	}
	if (!recorded->every_slice || steps->targets) {
		complain("how many threads were active over time is not known%s",
			 recorded->every_slice ?
				 ": each process had a number of its own; record with --as-one" :
				 ": record with --level trace");
		return 1;
	}
	return put_all(out, steps, length_ns + !length_ns, options);
}
