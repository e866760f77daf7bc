// SPDX-License-Identifier: GPL-2.0
/* Findings for programs: docs/schema/doctor.schema.json. */
#include "doctor.h"
#include "report/json_write.h"

static const char *const level_words[] = {
	[FINDING_OK] = "ok",
	[FINDING_UNKNOWN] = "unknown",
	[FINDING_WARNING] = "warning",
	[FINDING_PROBLEM] = "problem",
};

static void put_finding(struct json *json, const struct finding *finding)
{
	json_begin_element(json, "\n\t\t");
	json_string(json, "check", finding->check);
	json_string(json, "subject", finding->subject);
	json_string(json, "level", level_words[finding->level]);
	json_string(json, "text", finding->text);
	json_string(json, "command", finding->command);
	json_end(json, '}');
}

static void put_series(struct json *json, const char *name, const struct pause_series *series,
		       double khz)
{
	json_begin_member(json, name, '{');
	json_number(json, "batches", series->batches);
	json_decimal(json, "ms", series->ticks / khz);
	json_number(json, "interruptions", series->interruptions);
	json_decimal(json, "longest_us", series->longest / khz * 1000);
	json_end(json, '}');
}

static void put_pause(struct json *json, const struct pause_figures *figures)
{
	if (!figures->measured) {
		json_null(json, "pause");
		return;
	}
	json_begin_member(json, "pause", '{');
	json_decimal(json, "cycles", figures->pause_ticks);
	json_decimal(json, "ns", figures->pause_ticks / figures->tsc_khz * 1e6);
	json_decimal(json, "tsc_mhz", figures->tsc_khz / 1000);
	json_decimal_or_null(json, "instructions", figures->counted, figures->instructions);
	json_bool(json, "hypervisor", figures->hypervisor);
	json_string(json, "hypervisor_name",
		    figures->hypervisor_name[0] ? figures->hypervisor_name : NULL);
	put_series(json, "pauses", &figures->pause, figures->tsc_khz);
	put_series(json, "others", &figures->plain, figures->tsc_khz);
	json_string(json, "exits", pause_exits_words[pause_judge(figures)]);
	json_end(json, '}');
}

void doctor_json(FILE *out, const struct doctor *doctor)
{
	const struct findings *findings = &doctor->findings;
	struct json json = { .out = out };

	json_begin(&json, '{');
	json_string(&json, "version", GAPP_VERSION);
	json_bool(&json, "works", doctor_is_well(doctor));
	json_number(&json, "problems", findings_count(findings, FINDING_PROBLEM));
	json_number(&json, "warnings", findings_count(findings, FINDING_WARNING));
	json_begin_member(&json, "checks", '[');
	for (u32 i = 0; i < findings->count && !ferror(out); i++)
		put_finding(&json, &findings->list[i]);
	json_end(&json, ']');
	put_pause(&json, &doctor->pause);
	fputs("\n}\n", out);
}
