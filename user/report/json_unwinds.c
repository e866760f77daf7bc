// SPDX-License-Identifier: GPL-2.0
/* How paths were found, why some are not whole, and whether they are right. */
#include "json.h"

static const char *call_graph_name(const struct report_options *options)
{
	static const char *const names[] = {
		[GAPP_UNWIND_BY_FP] = "fp",	  [GAPP_UNWIND_BY_AUTO] = "auto",
		[GAPP_UNWIND_BY_TABLE] = "table", [GAPP_UNWIND_BY_COPY] = "copy",
		[GAPP_UNWIND_BY_NONE] = "none",
	};

	return options->verify ? "verify" : names[options->unwind_by];
}

/* Each part in per cent of what all paths have. */
static void put_parts(FILE *out, const struct results *results, const double *ns, size_t first,
		      size_t count, const char *(*name)(unsigned int))
{
	struct json json = json_begin(out, "", ", ");
	double all = results->sums.attributed_ns;

	for (size_t i = first; i < count; i++)
		json_decimal(&json, name(i), all > 0 ? 100 * ns[i] / all : 0);
	json_end(&json, "");
}

static void put_copies(FILE *out, const struct gapp_counters *counters,
		       const struct call_paths_figures *copies)
{
	struct json json = json_begin(out, "", ", ");

	json_number(&json, "copies", counters->stack_copies);
	json_number(&json, "longer", copies->longer);
	json_number(&json, "whole", copies->whole);
	json_number(&json, "unknown", copies->unknown);
	json_end(&json, "");
}

static void put_tables(FILE *out, const struct table_sync_figures *sync)
{
	struct json json = json_begin(out, "", ", ");

	json_number(&json, "tables", sync->objects.tables);
	json_number(&json, "bytes", sync->objects.table_bytes);
	json_number(&json, "without", sync->objects.without);
	json_number(&json, "refused", sync->objects.refused);
	json_seconds(&json, "compile_s", sync->objects.compile_ns);
	json_seconds(&json, "load_s", sync->objects.load_ns);
	json_number(&json, "processes", sync->processes);
	json_number(&json, "sends", sync->sends);
	json_number(&json, "outdated", sync->outdated);
	json_number(&json, "mapping_requests", sync->mapping_requests);
	json_seconds(&json, "send_s", sync->send_ns);
	json_end(&json, "");
}

static void put_places(FILE *out, const struct code_address *places, u16 count)
{
	putc('[', out);
	for (u16 i = 0; i < count; i++) {
		struct json json;

		fputs(i ? ", " : "", out);
		json = json_begin(out, "", ", ");
		json_string(&json, "module", places[i].object->name);
		json_number(&json, "offset", places[i].offset);
		json_end(&json, "");
	}
	putc(']', out);
}

static void put_case(FILE *out, const struct verify_case *one)
{
	static const char *const ends[] = {
		[UNWIND_OUTERMOST] = "whole",	[UNWIND_FULL] = "max_stack",
		[UNWIND_BEYOND] = "copy_ended", [UNWIND_UNMAPPED] = "unmapped",
		[UNWIND_NO_RULE] = "no_rule",
	};
	struct json json = json_begin(out, "", ", ");

	json_string(&json, "verdict", verify_name(one->verdict));
	json_number(&json, "tgid", one->tgid > 0 ? one->tgid : 0);
	json_number(&json, "times", one->times);
	json_number(&json, "equal", one->equal);
	json_string(&json, "end", end_name(one->end));
	json_string(&json, "libdwfl_end", ends[one->libdwfl_end]);
	put_places(json_member(&json, "frames"), one->addresses, one->count);
	put_places(json_member(&json, "libdwfl_frames"), one->libdwfl_addresses,
		   one->libdwfl_count);
	json_end(&json, "");
}

static void put_verify(FILE *out, const struct verify *verify)
{
	struct json json = json_begin(out, "", ", ");
	const u64 *verdicts = verify->verdicts;

	json_number(&json, "equal", verdicts[VERIFY_EQUAL]);
	json_number(&json, "differ", verdicts[VERIFY_DIFFERS] + verdicts[VERIFY_SHORTER]);
	json_number(&json, "shorter", verdicts[VERIFY_SHORTER]);
	json_number(&json, "beyond_copy", verdicts[VERIFY_BEYOND]);
	json_number(&json, "gave_up", verdicts[VERIFY_GAVE_UP]);
	json_number(&json, "unchecked", verdicts[VERIFY_UNCHECKED]);
	json_member(&json, "cases");
	putc('[', out);
	for (size_t i = 0; i < verify->case_count; i++) {
		fputs(i ? ",\n\t\t" : "\n\t\t", out);
		put_case(out, &verify->cases[i]);
	}
	putc(']', out);
	json_end(&json, "");
}

/**
 * json_walks() - adds what is known of the walks of stacks
 * @json: the report
 * @results: with a ranking
 * @options: what was asked for
 */
void json_walks(struct json *json, const struct results *results,
		const struct report_options *options)
{
	static const struct call_paths_figures none;
	const struct profile_sums *sums = &results->sums;
	const struct call_paths_figures *copies = sums->copies ? sums->copies : &none;

	json_string(json, "call_graph", call_graph_name(options));
	put_parts(json_member(json, "complete_by_percent"), results, sums->complete_by_ns, 0,
		  PATH_METHODS, method_name);
	put_parts(json_member(json, "cut_percent"), results, sums->cut_ns, GAPP_UNWIND_COMPLETE + 1,
		  PATH_ENDS, end_name);
	put_copies(json_member(json, "stack_copies"), &results->counters, copies);
	if (results->table_sync.on)
		put_tables(json_member(json, "tables"), &results->table_sync);
	if (options->verify)
		put_verify(json_member(json, "verify"), &copies->verify);
}
