// SPDX-License-Identifier: GPL-2.0
/* gapp-read doctor: whether gapp works here, and what to do if not. */
#include "doctor/doctor.h"
#include "opts.h"
#include "outputs.h"

static int write_findings(FILE *out, enum format format, const void *what,
			  _unused_ const struct options *options)
{
	if (format == FORMAT_JSON)
		doctor_json(out, what);
	else
		doctor_text(out, what);
	return 0;
}

static int write_all(struct outputs *outputs, const struct doctor *doctor,
		     const struct options *options)
{
	int result;

	errno = 0;
	write_findings(stdout, options->format, doctor, options);
	result = flush_stdout(" what was found");
	return result | outputs_write_by(outputs, write_findings, doctor, options);
}

int doctor(const struct options *options)
{
	_cleanup_outputs_ struct outputs outputs = { 0 };
	struct doctor doctor = { .root = "",
				 .programs = options->files,
				 .program_count = options->file_count,
				 .pids = options->pids,
				 .pid_count = options->pid_count,
				 .symfs = options->symfs };
	int status = STATUS_FAILED;

	if (outputs_open(&outputs, options))
		return STATUS_FAILED;
	if (!doctor_look(&doctor) && !write_all(&outputs, &doctor, options))
		status = doctor_is_well(&doctor) ? 0 : STATUS_NOT_WELL;
	findings_free(&doctor.findings);
	return status;
}
