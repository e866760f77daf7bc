/* SPDX-License-Identifier: GPL-2.0 */
/* What record.c, record_report.c and record_ctl.c share. */
#ifndef GAPP_READ_RECORD_PRIVATE_H
#define GAPP_READ_RECORD_PRIVATE_H

#include <sys/resource.h>

#include "capture.h"
#include "counter_watch.h"
#include "ctl_server.h"
#include "follow.h"
#include "input/cpu_nodes.h"
#include "keep.h"
#include "kthreads.h"
#include "launch.h"
#include "outputs.h"
#include "save.h"
#include "saved.h"
#include "top.h"

/**
 * struct recording - what a recording holds
 * @options: what was asked for
 * @device: its session
 * @tallies: what --counters asks it to add up
 * @nodes: NUMA nodes of the machine's CPUs, with --counters
 * @counters: takes what it adds up over time
 * @kthreads: threads of the kernel that it follows
 * @capture: its records
 * @progress_columns: width of the progress line on the terminal; 0: there is none
 * @denied: processes of --comm or --cgroup that the user may not follow
 * @no_room: processes of -x, --comm or --cgroup beyond those that can be named
 * @lacked: ENOBUFS or ENOMEM, why buffers are smaller; 0: they are not
 * @figures_failed: the module refused the figures; they are not asked for again
 * @follow: processes whose end ends it, and signals
 * @launch: the command, before and after its exec
 * @launched: the command has been executed
 * @signals: what the command gets back
 * @files: the limit of open files that the command gets back
 * @outputs: files of -o
 * @saving: the file that it is written to
 * @top: shows what is recorded; NULL: not wanted, or not yet
 * @keep: keeps the last seconds; NULL: not wanted
 * @server: listens to `gapp-read ctl`; NULL: not wanted
 * @start_asked: `gapp-read ctl start` has come
 * @started_ns: when the recording began; 0: not yet
 * @shown_ns: when the progress line was shown, with --keep or --counters
 * @dumped: path of the last dump that was written; NULL: none
 * @dumped_ns: when it was
 */
struct recording {
	const struct options *options;
	struct device device;
	struct tallies tallies;
	struct cpu_nodes nodes;
	struct counter_watch counters;
	struct kthreads kthreads;
	struct capture *capture;
	int progress_columns;
	unsigned int denied;
	unsigned int no_room;
	int lacked;
	bool figures_failed;
	struct follow follow;
	struct launch launch;
	bool launched;
	struct signals signals;
	struct rlimit files;
	struct outputs outputs;
	struct saving saving;
	struct top *top;
	struct keep *keep;
	struct ctl_server *server;
	bool start_asked;
	u64 started_ns;
	u64 shown_ns;
	char *dumped;
	u64 dumped_ns;
};

/* Flags with which processes are added. */
u32 record_add_flags(const struct recording *recording);
/*
 * Adds the processes that execute the file of -x now; the module finds later ones. Returns 0, or -1
 * with a complaint made.
 */
int record_add_executing(struct recording *recording);
/* Adds the processes of --comm and --cgroup. Returns like record_add_executing(). */
int record_add_selection(struct recording *recording);

/*
 * After the session has been stopped: prints and saves what was recorded, or the last of it.
 * Returns 0, or -1 with a complaint made.
 */
int record_report(struct recording *recording, u64 ended_ns);
/*
 * The recording goes on: prints and saves what --keep has kept. Returns 0, or -1 with a complaint
 * made: no more can be recorded.
 */
int record_dump(struct recording *recording);

/* Begins to listen to `gapp-read ctl`, if the options ask for it. Returns 0, or -1. */
int record_listen(struct recording *recording);
/* Called when it is readable what record_listen() listens to; returns like @told of struct follow.
 */
int record_told(void *context);
/* The recording has begun: who asked for that is told. */
void record_started(struct recording *recording);
/*
 * A window, or with @ended the recording, was written to @path; NULL: it was not. @failed: nor
 * reported. Who asked for a dump, or for the end, is told.
 */
void record_tell(struct recording *recording, const char *path, bool failed, bool ended);

#endif /* GAPP_READ_RECORD_PRIVATE_H */
