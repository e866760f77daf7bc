// SPDX-License-Identifier: GPL-2.0
/* How paths were found, why some are not whole, and whether they are right. */
#include "text.h"

static double percent_of_paths(const struct results *results, double ns)
{
	double all = results->sums.attributed_ns;

	return all > 0 ? 100 * ns / all : 0;
}

/* "NAME N %" for each part that shows, after @line. */
static bool append_parts(const struct results *results, char *line, size_t size,
			 const char *const *names, const double *ns, size_t count)
{
	bool any = false;

	for (size_t i = 0; i < count; i++) {
		double percent = percent_of_paths(results, ns[i]);

		if (!names[i] || percent < 0.05)
			continue;
		text_append(line, size, "%s%s %.1f %%", any ? ", " : "", names[i], percent);
		any = true;
	}
	return any;
}

/**
 * text_methods() - who found the paths that are whole: a line, or none
 * @text: the report
 */
void text_methods(struct text *text)
{
	static const char *const names[PATH_METHODS] = {
		[PATH_BY_TABLE] = "tables",
		[PATH_BY_FP] = "frame pointers",
		[PATH_BY_COPY] = "copies",
	};
	const struct results *results = text->results;
	char line[256];

	snprintf(line, sizeof(line), "%-*sby ", TEXT_INDENT, "");
	if (append_parts(results, line, sizeof(line), names, results->sums.complete_by_ns,
			 PATH_METHODS))
		text_line(text, "%s", line);
}

/**
 * text_verified() - what came of comparing paths with copies: a line, or none
 * @text: the report
 */
void text_verified(struct text *text)
{
	const struct call_paths_figures *copies = text->results->sums.copies;
	const u64 *verdicts;
	char line[256];

	if (!text->options->verify || !copies)
		return;
	verdicts = copies->verify.verdicts;
	snprintf(line, sizeof(line), "%-*s%llu paths equal, %llu differ, %llu beyond the copy",
		 TEXT_INDENT, "Verify", verdicts[VERIFY_EQUAL],
		 verdicts[VERIFY_DIFFERS] + verdicts[VERIFY_SHORTER], verdicts[VERIFY_BEYOND]);
	if (verdicts[VERIFY_GAVE_UP] || verdicts[VERIFY_UNCHECKED])
		text_append(line, sizeof(line), ", %llu without a rule, %llu unchecked",
			    verdicts[VERIFY_GAVE_UP], verdicts[VERIFY_UNCHECKED]);
	text_wrap(text, line, TEXT_INDENT, 2, false);
}

static void put_cut(struct text *text)
{
	static const char *const names[PATH_ENDS] = {
		[GAPP_UNWIND_FULL] = "at --max-stack",
		[GAPP_UNWIND_NO_FRAME] = "frame pointer leads nowhere",
		[GAPP_UNWIND_UNREADABLE] = "stack not in memory",
		[GAPP_UNWIND_NO_RULE] = "no rule",
		[GAPP_UNWIND_LOOP] = "loop",
		[GAPP_UNWIND_UNMAPPED] = "code not known",
		[PATH_END_COPY] = "copy ended",
		[PATH_END_NO_FP] = "code without frame pointer",
	};
	const struct results *results = text->results;
	char line[512];

	snprintf(line, sizeof(line), "%-*s", TEXT_INDENT, "Cut paths");
	if (append_parts(results, line, sizeof(line), names, results->sums.cut_ns, PATH_ENDS))
		text_wrap(text, line, TEXT_INDENT, 4, false);
}

static void put_tables(struct text *text)
{
	const struct table_sync_figures *sync = &text->results->table_sync;
	const struct object_figures *objects = &sync->objects;
	char line[512], made[TEXT_TIME_SIZE], loaded[TEXT_TIME_SIZE], sent[TEXT_TIME_SIZE];

	if (!sync->on)
		return;
	snprintf(line, sizeof(line),
		 "%-*s%llu of %.1f MiB, made in %s, loaded in %s; %llu object%s without",
		 TEXT_INDENT, "Tables", objects->tables, objects->table_bytes / 1048576.0,
		 text_short_time(made, objects->compile_ns),
		 text_short_time(loaded, objects->load_ns), objects->without,
		 text_plural(objects->without));
	if (objects->refused)
		text_append(line, sizeof(line), ", %llu of them refused", objects->refused);
	text_append(line, sizeof(line),
		    "; mappings of %llu process%s sent %llu time%s in %s, %llu asked for",
		    sync->processes, sync->processes == 1 ? "" : "es", sync->sends,
		    text_plural(sync->sends), text_short_time(sent, sync->send_ns),
		    sync->mapping_requests);
	text_wrap(text, line, TEXT_INDENT, 3, false);
}

static void put_copies(struct text *text)
{
	const struct gapp_counters *counters = &text->results->counters;
	const struct call_paths_figures *copies = text->results->sums.copies;
	u64 lost = counters->lost[GAPP_LOST_STACK_COPIES];
	char line[512];

	if (!copies || (!counters->stack_copies && !lost))
		return;
	snprintf(line, sizeof(line), "%-*s%llu of stacks, %llu more were lost", TEXT_INDENT,
		 "Copies", counters->stack_copies, lost);
	if (copies->copies)
		text_append(line, sizeof(line), "; %llu made a path longer, %llu whole",
			    copies->longer, copies->whole);
	if (copies->unknown)
		text_append(line, sizeof(line), "; %llu not known (any more)", copies->unknown);
	text_wrap(text, line, TEXT_INDENT, 3, false);
}

static const char *libdwfl_end_text(unsigned int end)
{
	static const char *const names[] = {
		[UNWIND_OUTERMOST] = "whole",	[UNWIND_FULL] = "full",
		[UNWIND_BEYOND] = "copy ended", [UNWIND_UNMAPPED] = "code not known",
		[UNWIND_NO_RULE] = "no rule",
	};

	return names[end];
}

static void put_side(struct text *text, const char *who, const struct code_address *places,
		     u16 count, u16 from, const char *end)
{
	char line[512];

	snprintf(line, sizeof(line), "%*s%s", TEXT_INDENT + 4, "", who);
	for (u16 i = from; i < count && i < from + 3; i++)
		text_append(line, sizeof(line), " %s+%#llx", places[i].object->name,
			    places[i].offset);
	text_append(line, sizeof(line), "%s (%u frames, %s)", count > from + 3 ? " ..." : "", count,
		    end);
	text_line(text, "%s", line);
}

static void put_case(struct text *text, const struct verify_case *one)
{
	text_line(text, "%*sprocess %d, %llu time%s: after %u equal frame%s", TEXT_INDENT + 2, "",
		  one->tgid, one->times, text_plural(one->times), one->equal,
		  text_plural(one->equal));
	if (one->equal)
		put_side(text, "both:   ", one->addresses + one->equal - 1, 1, 0,
			 "the last of them");
	put_side(text, "module: ", one->addresses, one->count, one->equal, end_name(one->end));
	put_side(text, "libdwfl:", one->libdwfl_addresses, one->libdwfl_count, one->equal,
		 libdwfl_end_text(one->libdwfl_end));
}

/**
 * text_walks() - all of that at length, for -v
 * @text: the report
 */
void text_walks(struct text *text)
{
	const struct call_paths_figures *copies = text->results->sums.copies;

	put_cut(text);
	put_tables(text);
	put_copies(text);
	for (size_t i = 0; copies && i < copies->verify.case_count; i++)
		put_case(text, &copies->verify.cases[i]);
}
