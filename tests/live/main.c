// SPDX-License-Identifier: GPL-2.0
/*
 * live NAME THREADS SECONDS [--after MS] [--break] -- COMMAND...: stops THREADS threads of a
 * command and its children at random moments and compares the paths that tables give with
 * libdwfl's.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/wait.h>

#include "oracle.h"
#include "tracees.h"
#include "verdict.h"

/* Between two stops a command runs for so long at most. */
#define MAX_RUN_NS 2000000

static void look_at(struct counts *counts, struct space *space, const struct thread *thread)
{
	struct path ours = { 0 }, oracle = { 0 };

	if (space_read(space, thread->tgid) || !space->count)
		return;
	space_walk(space, thread, &ours);
	if (oracle_walk(thread, &oracle)) {
		printf("# libdwfl could not look at thread %d\n", thread->tid);
		return;
	}
	verdict_on(counts, space, thread, &ours, &oracle);
}

static void stop_threads(struct counts *counts, u32 threads, u64 until, u64 after)
{
	struct space space = { 0 };
	struct thread thread;
	int stopped;

	if (tracees_run(after))
		return;
	while (counts->threads < threads && clock_ns() < until) {
		stopped = tracees_stop_one(&thread, random() % MAX_RUN_NS);
		if (!stopped)
			break;
		if (stopped < 0)
			continue;
		look_at(counts, &space, &thread);
		tracees_go_on(&thread);
	}
	space_free(&space);
}

/* The second line is for the script, which adds all workloads up. */
static int tell(const char *name, const struct counts *counts, u32 threads)
{
	u32 unexplained = counts->verdicts[VERDICT_WRONG] + counts->verdicts[VERDICT_UNKNOWN];
	u32 least = threads / 4 ? threads / 4 : 1, files, i;
	int status = tracees_status();
	char others[256] = "";
	u64 bytes;

	for (i = VERDICT_SAME + 1; i < VERDICTS; i++)
		if (counts->verdicts[i])
			snprintf(others + strlen(others), sizeof(others) - strlen(others),
				 "; %s: %u", verdict_names[i], counts->verdicts[i]);
	space_tables(&files, &bytes);
	printf("  | %s: walks ended:", name);
	for (i = 0; i < GAPP_UNWIND_ENDS; i++)
		if (counts->ends[i])
			printf(" %s %u", end_names[i], counts->ends[i]);
	printf("; %u by the frame pointer too; gdb was asked %u times; %u tables, %llu KB\n",
	       counts->by_fp, counts->judged, files, bytes / 1024);
	printf("counts %s %u %u %u", name, counts->threads, counts->frames,
	       counts->ends[GAPP_UNWIND_COMPLETE] + counts->ends[GAPP_UNWIND_FULL]);
	for (i = 0; i < VERDICTS; i++)
		printf(" %u", counts->verdicts[i]);
	printf("\n");
	if (counts->threads < least) {
		printf("not ok - live: %s (%u threads were stopped, and not %u", name,
		       counts->threads, least);
		if (status >= 0 && (!WIFEXITED(status) || WEXITSTATUS(status)))
			printf("; the command ended with status %d", status);
		printf(")\n");
		return 1;
	}
	if (unexplained) {
		printf("not ok - live: %s (%u threads%s)\n", name, counts->threads, others);
		return 1;
	}
	printf("ok - live: %s (%u threads, %u frames, %s%s)\n", name, counts->threads,
	       counts->frames, others[0] ? "the same but" : "all the same",
	       others[0] ? others + 1 : "");
	return 0;
}

int main(int argc, char **argv)
{
	struct counts counts = { 0 };
	u64 after = 50 * 1000000ULL;
	u32 threads, seconds;
	int next = 4, failed;

	if (argc > next + 1 && !strcmp(argv[next], "--after")) {
		after = strtoul(argv[next + 1], NULL, 10) * 1000000ULL;
		next += 2;
	}
	if (argc > next && !strcmp(argv[next], "--break")) {
		space_break_tables();
		next++;
	}
	if (argc <= next + 1 || strcmp(argv[next], "--")) {
		fprintf(stderr,
			"usage: live NAME THREADS SECONDS [--after MS] [--break] -- COMMAND...\n");
		return STATUS_USAGE;
	}
	threads = strtoul(argv[2], NULL, 10);
	seconds = strtoul(argv[3], NULL, 10);
	setvbuf(stdout, NULL, _IOLBF, 0);
	srandom(getpid());
	if (tracees_start(argv + next + 1)) {
		printf("not ok - live: %s (cannot trace: %s)\n", argv[1], strerror(errno));
		return 1;
	}
	stop_threads(&counts, threads, clock_ns() + seconds * NSEC_PER_SEC, after);
	failed = tell(argv[1], &counts, threads);
	tracees_kill();
	space_drop_tables();
	return failed;
}
