/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reports in the formats of other programs. Times add up to the report's critical time: what has no
 * call path stands beside the call paths. Files of one result are equal byte by byte.
 */
#ifndef GAPP_READ_EXPORTS_H
#define GAPP_READ_EXPORTS_H

#include "report/report.h"

/*
 * Each writes one format. Returns 0, or -1 without memory. Callers find write errors with ferror().
 * export_folded(), export_pprof(), export_speedscope() and export_html() need @results->exported.
 */

/*
 * Lines "frame;frame;frame microseconds", outermost frame first, as flamegraph.pl reads them. With
 * VIEW_WAKERS lines "frame;frame;--;frame;frame microseconds" of @results->woken: behind the call
 * path of a wait that on which it was ended, turned round.
 */
int export_folded(FILE *out, const struct results *results, const struct options *options);
/* One table of places, threads, and what has no call path; RFC 4180 with \n as the line's end. */
int export_csv(FILE *out, const struct results *results, const struct options *options);
/* A message Profile of pprof's profile.proto, compressed by gzip. */
int export_pprof(FILE *out, const struct results *results, const struct options *options);
/* A file of speedscope, https://www.speedscope.app/file-format-schema.json. */
int export_speedscope(FILE *out, const struct results *results, const struct options *options);
/*
 * A row for each stretch of time in which a thread ran on a CPU: where and when, and the thread.
 * Those of one CPU are in the order of time; needs @results->recorded.
 */
int export_cores(FILE *out, const struct results *results, const struct options *options);
/*
 * Counters over time, a row for each step and NUMA node; needs @results->recorded. Returns 1 with a
 * complaint made if it has none.
 */
int export_counters(FILE *out, const struct results *results, const struct options *options);
/*
 * Pictures of who ran where, and of active threads over time, as SVG; need @results->recorded.
 * export_parallelism_svg() returns 1 with a complaint made if that is not known.
 */
int export_cores_svg(FILE *out, const struct results *results, const struct options *options);
int export_parallelism_svg(FILE *out, const struct results *results, const struct options *options);
/* A trace of Perfetto, https://perfetto.dev; needs @results->recorded. */
int export_perfetto(FILE *out, const struct results *results, const struct options *options);
/*
 * Chrome's JSON of traces; needs @results->recorded. Returns 1 with a complaint made if it had too
 * many events.
 */
int export_chrome(FILE *out, const struct results *results, const struct options *options);
/*
 * A page that shows the report, and what happened over time if the recording has records: one file
 * that needs no other one; needs @results->recorded.
 */
int export_html(FILE *out, const struct results *results, const struct options *options);
/* The wait-for graph, as `dot` of Graphviz reads it; needs @results->wait_views. */
int export_dot(FILE *out, const struct results *results, const struct options *options);

#endif /* GAPP_READ_EXPORTS_H */
