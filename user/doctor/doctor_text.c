// SPDX-License-Identifier: GPL-2.0
/* Findings as text: a line for each. */
#include "doctor.h"
#include "util/names.h"

/* Bytes of a text that are shown. */
#define TEXT_BYTES 4096
#define CHECK_COLUMNS 17

static const char *const level_words[] = {
	[FINDING_OK] = "ok",
	[FINDING_UNKNOWN] = "not known",
	[FINDING_WARNING] = "warning",
	[FINDING_PROBLEM] = "problem",
};

static void put(FILE *out, const char *text)
{
	char safe[NAME_SAFE_SIZE(TEXT_BYTES)];

	name_safe(safe, text, strnlen(text, TEXT_BYTES), NAME_WHOLE);
	fputs(safe, out);
}

static void put_finding(FILE *out, const struct finding *finding)
{
	fprintf(out, "%-9s  %-*s  ", level_words[finding->level], CHECK_COLUMNS, finding->check);
	if (finding->subject) {
		put(out, finding->subject);
		fputs(": ", out);
	}
	put(out, finding->text);
	if (finding->command) {
		fputs("; run: ", out);
		put(out, finding->command);
	}
	putc('\n', out);
}

static void put_count(FILE *out, const char *before, u32 count, const char *what)
{
	if (count)
		fprintf(out, "%s%u %s%s", before, count, what, count == 1 ? "" : "s");
}

/* What to do first; a problem without a command has its cure in its words. */
static void put_verdict(FILE *out, const struct findings *findings)
{
	const u32 problems = findings_count(findings, FINDING_PROBLEM);
	const u32 warnings = findings_count(findings, FINDING_WARNING);

	if (problems)
		put_count(out, "\ngapp does not work here: ", problems, "problem");
	else
		fputs("\ngapp works here", out);
	put_count(out, problems ? ", " : ": ", warnings, "warning");
	fputs(problems ? "; mend the first one, then look again\n" : "\n", out);
}

void doctor_text(FILE *out, const struct doctor *doctor)
{
	const struct findings *findings = &doctor->findings;

	for (u32 i = 0; i < findings->count && !ferror(out); i++)
		put_finding(out, &findings->list[i]);
	put_verdict(out, findings);
}
