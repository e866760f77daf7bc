// SPDX-License-Identifier: GPL-2.0
/*
 * Who ran where: a row for each stay on a CPU. Stays of one thread that follow at once on the same
 * CPU are one row, as the parts of a long slice are. Times are nanoseconds since the recording
 * began.
 */
#include "csv_cell.h"
#include "exports.h"
#include "program_name.h"
#include "report/recorded.h"
#include "spans.h"
#include "timeline/stays.h"
#include "util/names.h"

/* Rows that are not written yet, for another may continue them: one for each CPU. */
struct open_row {
	bool used;
	struct stay stay;
};

/**
 * struct cores - the table that is being written
 * @out: the stream
 * @recorded: the recording
 * @commands: command lines of processes, or NULL
 * @stays: makes stays of records
 * @open: the last row of each CPU
 * @open_room: elements of @open
 */
struct cores {
	FILE *out;
	const struct recorded *recorded;
	const struct command_lines *commands;
	struct stays stays;
	struct open_row *open;
	u32 open_room;
};

static int put_text(FILE *out, char *text)
{
	if (!text)
		return -1;
	csv_put_cell(out, text);
	free(text);
	return 0;
}

static int put_row(struct cores *cores, const struct stay *stay)
{
	const struct stays_thread *thread = &cores->stays.threads.rows[stay->thread];
	u64 start = cores->recorded->start_ns;
	u32 node = cpu_nodes_of(cores->recorded->nodes, stay->cpu);
	FILE *out = cores->out;

	fprintf(out, "%u,%llu,%llu,", stay->cpu, (unsigned long long)(stay->begin - start),
		(unsigned long long)(stay->end - start));
	if (put_text(out, program_name(cores->commands, &cores->stays, stay->thread)))
		return -1;
	fprintf(out, ",%d,%d,", thread->key.tid, thread->key.tgid);
	if (put_text(out, name_text(thread->comm, comm_len(thread->comm))))
		return -1;
	fputs(stay->kind == STAY_SPUN ? ",spun," : ",ran,", out);
	if (node != CPU_NODE_UNKNOWN)
		fprintf(out, "%u", node);
	putc('\n', out);
	return ferror(out) ? -1 : 0;
}

static int take(void *context, const struct stay *stay)
{
	struct cores *cores = context;
	struct open_row *open;

	if (stay->kind != STAY_RAN && stay->kind != STAY_SPUN)
		return 0;
	if (array_grow_zeroed(&cores->open, &cores->open_room, stay->cpu, sizeof(*cores->open)))
		return -1;
	open = &cores->open[stay->cpu];
	if (open->used && open->stay.thread == stay->thread && open->stay.kind == stay->kind &&
	    open->stay.end == stay->begin) {
		open->stay.end = stay->end;
		return 0;
	}
	if (open->used && put_row(cores, &open->stay))
		return -1;
	*open = (struct open_row){ true, *stay };
	return 0;
}

static int take_record(void *context, const struct gapp_record *record, _unused_ u32 verdict)
{
	struct cores *cores = context;

	return stays_record(&cores->stays, record);
}

int export_cores(FILE *out, const struct results *results, _unused_ const struct options *options)
{
	struct cores cores = {
		.out = out,
		.recorded = results->recorded,
		.commands = results->commands,
	};
	struct recorded_count count;
	int error;

	stays_init(&cores.stays, cores.recorded->start_ns, cores.recorded->every_slice, take,
		   &cores);
	fputs("cpu,start_ns,stop_ns,program,tid,tgid,comm,state,node\n", out);
	error = export_spans(&cores.stays, results);
	if (!error)
		error = recorded_each(cores.recorded->blocks, take_record, &cores, &count);
	if (!error)
		error = stays_end(&cores.stays, cores.recorded->stop_ns);
	for (u32 i = 0; i < cores.open_room && !error; i++)
		if (cores.open[i].used)
			error = put_row(&cores, &cores.open[i].stay);
	free(cores.open);
	stays_free(&cores.stays);
	/* who cannot be written to is found by the caller */
	return error && !ferror(out) ? -1 : 0;
}
