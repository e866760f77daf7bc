// SPDX-License-Identifier: GPL-2.0
#include "kept_records.h"

/* Returns 0, or -1 without memory, or if it cannot be written. */
static int print(void *context, const struct gapp_record *record, u32 verdict)
{
	struct script *script = context;
	int error = 0;

	switch (record->type) {
	case GAPP_RECORD_SLICE:
		error = script_slice(script, (const struct gapp_record_slice *)record);
		break;
	case GAPP_RECORD_WAIT:
		error = script_wait(script, (const struct gapp_record_wait *)record);
		break;
	case GAPP_RECORD_LOST:
		script_lost(script, (const struct gapp_record_lost *)record);
		break;
	case GAPP_RECORD_WAKE:
		script_wake(script, (const struct gapp_record_wake *)record);
		break;
	case GAPP_RECORD_STACK_COPY: {
		const struct gapp_record_stack_copy *copy = (const void *)record;

		error = script_unwound_copy(script, copy, copy->path, verdict);
		break;
	}
	case GAPP_RECORD_NEED_MAPPING:
		script_need_mapping(script, (const struct gapp_record_need_mapping *)record);
		break;
	case GAPP_RECORD_MARK:
		script_mark(script, (const struct gapp_record_mark *)record);
		break;
	}
	return error || ferror(script->out) ? -1 : 0;
}

int saved_records_print(struct blocks *blocks, struct script *script, struct recorded_count *count)
{
	return recorded_each(blocks, print, script, count);
}
