// SPDX-License-Identifier: GPL-2.0
/*
 * Who ran where, as a picture: a row for each CPU, coloured by program. A unit of its drawing is a
 * nanosecond, so the times can be read back. Stays of one program that follow at once are one line.
 */
#include <inttypes.h>

#include "exports.h"
#include "markup.h"
#include "program_name.h"
#include "report/recorded.h"
#include "spans.h"
#include "svg.h"
#include "timeline/rows.h"

/* Lines at most: about 20 bytes each. */
#define LINES_MAX 60000U
/* Rows of a CPU: as high as they may be, and the height of all that then becomes less. */
#define ROW_MOST 18
#define ROW_LEAST 3
#define ROWS_HEIGHT 1000
#define LABEL_HEIGHT 12
/* How solid a line is that has gaps. */
#define SHADES 5

struct svg_program_key {
	s32 tgid;
};

/**
 * struct svg_program - a process
 * @thread: one of its threads
 * @rank: its place among the programs, those of most time first
 * @on_ns: time on CPUs
 */
struct svg_program {
	struct svg_program_key key;
	u32 thread;
	u32 rank;
	u64 on_ns;
};

/**
 * struct cores_svg - the picture
 * @out: the stream
 * @results: what it is made of
 * @options: the command
 * @stays: makes stays of records
 * @rows: those on CPUs, of programs in place of threads
 * @programs: processes
 * @length_ns: of the recording
 * @cpus: CPUs that have a row
 * @pitch: height of a row
 * @spun: some program spun
 * @lines: of a row, for the order in which they are written
 */
struct cores_svg {
	FILE *out;
	const struct results *results;
	const struct options *options;
	struct stays stays;
	struct rows rows;
	u64 length_ns;
	u32 cpus;
	u32 pitch;
	bool spun;
	const struct row_stay **lines;
	u32 line_room;

	KEYED(svg_program) programs;
};

static int take(void *context, const struct stay *stay)
{
	struct cores_svg *svg = context;
	const struct svg_program_key key = { svg->stays.threads.rows[stay->thread].key.tgid };
	struct stay own = *stay;

	if (stay->kind != STAY_RAN && stay->kind != STAY_SPUN)
		return 0;
	own.thread = keyed_find(&svg->programs, &key);
	if (own.thread == HASH_NONE) {
		own.thread = keyed_add(&svg->programs, &key);
		if (own.thread == HASH_NONE)
			return -1;
		svg->programs.rows[own.thread].thread = stay->thread;
	}
	svg->programs.rows[own.thread].on_ns += stay->end - stay->begin;
	svg->spun |= stay->kind == STAY_SPUN;
	return rows_add(&svg->rows, &own, ROW_NONE);
}

static int take_record(void *context, const struct gapp_record *record, _unused_ u32 verdict)
{
	struct cores_svg *svg = context;

	/* time behind the end belongs to no row */
	if (record->time_ns > svg->results->recorded->stop_ns)
		return 0;
	return stays_record(&svg->stays, record);
}

static int by_time(const void *a, const void *b, void *context)
{
	const struct svg_program *programs = context;
	const struct svg_program *x = &programs[*(const u32 *)a], *y = &programs[*(const u32 *)b];

	return compare_by(three_way(y->on_ns, x->on_ns), three_way(x->key.tgid, y->key.tgid));
}

/* @order: set to the programs in the order of their ranks. */
static void rank(struct cores_svg *svg, u32 *order)
{
	const u32 count = svg->programs.index.count;

	for (u32 i = 0; i < count; i++)
		order[i] = i;
	qsort_r(order, count, sizeof(*order), by_time, svg->programs.rows);
	for (u32 i = 0; i < count; i++)
		svg->programs.rows[order[i]].rank = i;
}

/* How solid: SHADES, or less of what was merged. */
static u32 shade_of(const struct row_stay *stay)
{
	u64 length = stay->end - stay->begin;

	if (stay->kind < STAY_KINDS || stay->on_ns >= length)
		return SHADES;
	return (u32)((double)stay->on_ns / length * SHADES) + 1;
}

static int by_look(const void *a, const void *b)
{
	const struct row_stay *x = *(const struct row_stay *const *)a;
	const struct row_stay *y = *(const struct row_stay *const *)b;

	return compare_by(three_way(x->who, y->who),
			  three_way(x->kind == STAY_SPUN, y->kind == STAY_SPUN),
			  three_way(shade_of(x), shade_of(y)), three_way(x->begin, y->begin));
}

static bool looks_alike(const struct row_stay *x, const struct row_stay *y)
{
	return x->who == y->who && (x->kind == STAY_SPUN) == (y->kind == STAY_SPUN) &&
	       shade_of(x) == shade_of(y);
}

static int put_program(const struct cores_svg *svg, u32 program)
{
	_cleanup_free_ char *name = program_name(svg->results->commands, &svg->stays,
						 svg->programs.rows[program].thread);

	if (!name)
		return -1;
	markup_put(svg->out, name);
	fprintf(svg->out, " (%d)", svg->programs.rows[program].key.tgid);
	return 0;
}

static const char *colour_of(const struct cores_svg *svg, u32 program)
{
	if (program == ROW_NONE)
		return SVG_SEVERAL;
	if (svg->programs.rows[program].rank >= SVG_COLOURS)
		return SVG_OTHERS;
	return svg_colours[svg->programs.rows[program].rank];
}

static u32 height_of(const struct cores_svg *svg)
{
	return svg->pitch > 4 ? svg->pitch - 3 : svg->pitch - 1;
}

/* Lines that look alike. Returns 0, or -1 without memory. */
static int put_lines(const struct cores_svg *svg, const struct row_stay *const *lines, u32 count)
{
	const struct row_stay *first = lines[0];
	const bool spun = first->kind == STAY_SPUN;
	const double height = height_of(svg) / (spun ? 2.0 : 1);
	const double y = 1 + height_of(svg) - height / 2;
	FILE *out = svg->out;

	fprintf(out, "<path stroke=\"%s\" stroke-width=\"%g\"", colour_of(svg, first->who), height);
	if (shade_of(first) < SHADES)
		fprintf(out, " stroke-opacity=\".%u\"", shade_of(first) * 10 / SHADES);
	fprintf(out, " class=\"%s\"", spun ? "spun" : "ran");
	if (first->who != ROW_NONE)
		fprintf(out, " data-tgid=\"%d\"", svg->programs.rows[first->who].key.tgid);
	fputs(" d=\"", out);
	for (u32 i = 0; i < count; i++)
		fprintf(out, "M%" PRIu64 " %gh%" PRIu64, (uint64_t)lines[i]->begin, y,
			(uint64_t)(lines[i]->end - lines[i]->begin));
	fputs("\"><title>", out);
	if (first->who == ROW_NONE)
		fputs("several programs", out);
	else if (put_program(svg, first->who))
		return -1;
	fputs("</title></path>\n", out);
	return 0;
}

/* Returns 0, or -1 without memory. */
static int put_row(struct cores_svg *svg, const struct row *row)
{
	u32 next;

	if (array_grow(&svg->lines, &svg->line_room, row->count, sizeof(*svg->lines)))
		return -1;
	for (u32 i = 0; i < row->count; i++)
		svg->lines[i] = &row->stays[i];
	qsort(svg->lines, row->count, sizeof(*svg->lines), by_look);
	for (u32 i = 0; i < row->count; i = next) {
		next = i + 1;
		while (next < row->count && looks_alike(svg->lines[i], svg->lines[next]))
			next++;
		if (put_lines(svg, &svg->lines[i], next - i))
			return -1;
	}
	return 0;
}

/* The name of a CPU beside its row, if there is room for it. */
static void put_label(const struct cores_svg *svg, u32 cpu, u32 number, u32 y)
{
	const u32 node = cpu_nodes_of(svg->results->recorded->nodes, cpu);
	const u32 each = (LABEL_HEIGHT + svg->pitch - 1) / svg->pitch;

	if (number % each)
		return;
	fprintf(svg->out, "<text x=\"%d\" y=\"%u\" text-anchor=\"end\">CPU %u", SVG_LEFT - 6,
		y + svg->pitch / 2 + 4, cpu);
	if (node != CPU_NODE_UNKNOWN)
		fprintf(svg->out, ", node %u", node);
	fputs("</text>\n", svg->out);
}

/* Returns 0, or -1 without memory. */
static int put_rows(struct cores_svg *svg)
{
	const double scale = (double)SVG_ROOM / svg->length_ns;
	u32 number = 0;

	for (u32 i = 0; i < svg->rows.cpu_room; i++) {
		const u32 y = SVG_TOP + number * svg->pitch;

		if (!svg->rows.cpus[i].count)
			continue;
		put_label(svg, i, number++, y);
		fprintf(svg->out,
			"<g class=\"cpu\" data-cpu=\"%u\" transform=\"translate(%d %u) scale(%.15g 1)\" fill=\"none\">\n",
			i, SVG_LEFT, y, scale);
		if (put_row(svg, &svg->rows.cpus[i]))
			return -1;
		fputs("</g>\n", svg->out);
	}
	return 0;
}

/* Time of which records are lost, over all rows. */
static void put_lost(const struct cores_svg *svg, u32 bottom)
{
	const struct recorded *recorded = svg->results->recorded;
	const double scale = (double)SVG_ROOM / svg->length_ns;

	for (u32 i = 0; i < svg->stays.hole_count; i++) {
		const struct stays_hole *hole = &svg->stays.holes[i];
		u64 begin = hole->begin > recorded->start_ns ? hole->begin - recorded->start_ns : 0;
		u64 end = hole->end > recorded->start_ns ? hole->end - recorded->start_ns : 0;

		end = end < svg->length_ns ? end : svg->length_ns;
		if (begin < end)
			fprintf(svg->out,
				"<rect class=\"lost\" x=\"%.3f\" y=\"%d\" width=\"%.3f\" height=\"%u\" fill=\"#000\" fill-opacity=\".18\"/>\n",
				SVG_LEFT + begin * scale, SVG_TOP, (end - begin) * scale,
				bottom - SVG_TOP);
	}
}

static bool has_several(const struct cores_svg *svg)
{
	return svg->rows.narrow_ns && svg->programs.index.count > 1;
}

static int entries_of(const struct cores_svg *svg)
{
	const u32 programs = svg->programs.index.count;

	return (programs > SVG_COLOURS ? SVG_COLOURS + 1 : programs) + has_several(svg) +
	       svg->spun + (svg->stays.hole_count > 0);
}

/* What the colours and heights are. Returns 0, or -1 without memory. */
static int put_legend(const struct cores_svg *svg, const u32 *order, int y)
{
	const u32 programs = svg->programs.index.count;
	int number = 0;

	for (u32 i = 0; i < programs && i < SVG_COLOURS; i++) {
		svg_entry(svg->out, number++, y, svg_colours[i], 100);
		if (put_program(svg, order[i]))
			return -1;
		svg_entry_end(svg->out);
	}
	if (programs > SVG_COLOURS) {
		svg_entry(svg->out, number++, y, SVG_OTHERS, 100);
		fprintf(svg->out, "%u others", programs - SVG_COLOURS);
		svg_entry_end(svg->out);
	}
	if (has_several(svg)) {
		svg_entry(svg->out, number++, y, SVG_SEVERAL, 100);
		fputs("several programs", svg->out);
		svg_entry_end(svg->out);
	}
	if (svg->spun) {
		svg_entry(svg->out, number++, y, SVG_OTHERS, 50);
		fputs("half height: spun in a busy-wait loop", svg->out);
		svg_entry_end(svg->out);
	}
	if (svg->stays.hole_count) {
		svg_entry(svg->out, number, y, SVG_SEVERAL, 100);
		fputs("over all rows: records are lost", svg->out);
		svg_entry_end(svg->out);
	}
	return 0;
}

/* What is not as it was. */
static void put_notes(const struct cores_svg *svg, int y)
{
	char text[160];

	if (!svg->results->recorded->every_slice)
		svg_note(
			svg->out, y,
			"Only slices with few threads active are here: the rest was not recorded.");
	if (!svg->rows.narrow_ns)
		return;
	snprintf(text, sizeof(text),
		 "Lines shorter than %" PRIu64
		 " ns were merged with their neighbours: they are paler.",
		 (uint64_t)svg->rows.narrow_ns);
	svg_note(svg->out, y + LABEL_HEIGHT, text);
}

static int put_all(struct cores_svg *svg)
{
	_cleanup_free_ u32 *order = calloc(svg->programs.index.count + 1, sizeof(*order));
	u32 bottom, legend, notes;

	if (!order)
		return -1;
	rank(svg, order);
	for (u32 i = 0; i < svg->rows.cpu_room; i++)
		svg->cpus += svg->rows.cpus[i].count > 0;
	svg->pitch = svg->cpus ? ROWS_HEIGHT / svg->cpus : ROW_MOST;
	svg->pitch = svg->pitch > ROW_MOST  ? ROW_MOST :
		     svg->pitch < ROW_LEAST ? ROW_LEAST :
					      svg->pitch;
	bottom = SVG_TOP + svg->cpus * svg->pitch + 2;
	legend = bottom + 42;
	notes = legend + svg_legend_height(entries_of(svg));
	if (svg_begin(svg->out, notes + 2 * LABEL_HEIGHT + 4, svg->options, "programs on CPUs") ||
	    put_rows(svg))
		return -1;
	put_lost(svg, bottom);
	svg_axis(svg->out, svg->length_ns, SVG_TOP, bottom);
	if (put_legend(svg, order, legend))
		return -1;
	put_notes(svg, notes + LABEL_HEIGHT - 2);
	svg_end(svg->out);
	return 0;
}

int export_cores_svg(FILE *out, const struct results *results, const struct options *options)
{
	const struct recorded *recorded = results->recorded;
	struct cores_svg svg = {
		.out = out,
		.results = results,
		.options = options,
		.length_ns = recorded->stop_ns - recorded->start_ns,
	};
	struct recorded_count count;
	int error;

	svg.length_ns += !svg.length_ns;
	rows_init(&svg.rows, recorded->start_ns, 0, LINES_MAX);
	svg.rows.keeps_who = true;
	stays_init(&svg.stays, recorded->start_ns, recorded->every_slice, take, &svg);
	error = export_spans(&svg.stays, results) ||
		recorded_each(recorded->blocks, take_record, &svg, &count) ||
		stays_end(&svg.stays, recorded->stop_ns) || put_all(&svg);
	rows_free(&svg.rows);
	stays_free(&svg.stays);
	keyed_free(&svg.programs);
	free(svg.lines);
	return error ? -1 : 0;
}
