// SPDX-License-Identifier: GPL-2.0
/* The options, in the order of the help. */
#include "opts_private.h"

#include <limits.h>

#define OFFSET(name) offsetof(struct options, name)

/* Which actions an option has a meaning for, besides RECORDING. */
#define LIVE ACTION_BIT(ACTION_TOP)
#define JUDGING (ACTION_BIT(ACTION_REPORT) | ACTION_BIT(ACTION_DIFF))
#define REPORTING (ACTION_BIT(ACTION_RECORD) | JUDGING)
#define WHOLE (ACTION_BIT(ACTION_RECORD) | ACTION_BIT(ACTION_REPORT))
#define WRITING (REPORTING | ACTION_BIT(ACTION_EXPORT))
#define LISTING (ACTION_BIT(ACTION_SPINS) | ACTION_BIT(ACTION_DOCTOR))
#define MERGING ACTION_BIT(ACTION_MERGE)
#define NAMING (WRITING | ACTION_BIT(ACTION_SCRIPT) | LIVE)
#define ALWAYS UINT32_MAX

/* clang-format off */

static const char *const level_words[] = {
	[GAPP_LEVEL_STATS] = "stats", [GAPP_LEVEL_CRITICAL] = "critical",
	[GAPP_LEVEL_TRACE] = "trace", NULL,
};

static const char *const criterion_words[] = {
	[GAPP_CRITERION_SHARE] = "share", [GAPP_CRITERION_AVERAGE] = "average", NULL,
};

static const char *const spin_words[] = {
	[SPINS_WAIT] = "sampled", [SPINS_OFF] = "off", [SPINS_EXACT] = "exact", NULL,
};

const char *const format_words[] = {
	[FORMAT_TEXT] = "text", [FORMAT_JSON] = "json", [FORMAT_CSV] = "csv",
	[FORMAT_FOLDED] = "folded", NULL,
};

static const char *const color_words[] = {
	[COLOR_AUTO] = "auto", [COLOR_ALWAYS] = "always", [COLOR_NEVER] = "never", NULL,
};

const struct option option_table[] = {
	{ .heading = "What to follow", .letter = 'p', .name = "pid", .value = "PID[,PID...]",
	  .read = read_pids, .least = 1, .most = INT_MAX,
	  .wanted = "a process id, or several with commas between",
	  .actions = RECORDING | ACTION_BIT(ACTION_DOCTOR),
	  .help = "follow these processes, with all their threads and\n"
		  "their descendants" },
	{ .letter = 'x', .name = "exe", .value = "PATH", .read = read_path, .member = OFFSET(exe),
	  .wanted = "the path of a program's file",
	  .actions = RECORDING,
	  .help = "follow all processes that run this program, now or\n"
		  "later, as one target" },
	{ .name = "comm", .value = "GLOB", .read = read_path, .member = OFFSET(comm),
	  .wanted = "a name of processes, such as 'postgres*'",
	  .actions = RECORDING,
	  .help = "follow all processes of such names, now or later, as\n"
		  "one target; with --cgroup those of both" },
	{ .name = "cgroup", .value = "PATH", .read = read_path, .member = OFFSET(cgroup),
	  .wanted = "the path of a control group",
	  .actions = RECORDING,
	  .help = "follow all processes of this control group, such as a\n"
		  "container's, now or later, as one target" },
	{ .letter = 'a', .name = "all", .member = OFFSET(all),
	  .actions = RECORDING,
	  .help = "follow every process, each as a target of its own" },
	{ .name = "as-one", .member = OFFSET(as_one),
	  .actions = RECORDING,
	  .help = "with -a: all of them as one target" },
	{ .name = "kthreads", .value = "GLOB", .read = read_path, .member = OFFSET(kthreads),
	  .wanted = "a name of kernel threads, such as 'kworker/*'",
	  .actions = RECORDING,
	  .help = "follow kernel threads of such names, alone or with\n"
		  "what the others name (needs root); implies -k" },
	{ .name = "no-inherit", .member = OFFSET(no_inherit), .actions = RECORDING,
	  .help = "do not follow children" },
	{ .name = "max-threads", .value = "N",
	  .read = read_number, .member = OFFSET(max_threads), .least = 1, .most = GAPP_MAX_THREADS,
	  .wanted = "a number of threads from 1 to 65536",
	  .actions = RECORDING,
	  .help = "follow at most so many threads at a time (16384)" },
	{ .letter = 'd', .name = "duration", .value = "SEC",
	  .read = read_seconds, .member = OFFSET(duration_ns), .least = 1,
	  .wanted = "a number of seconds above 0, and at most 52 days",
	  .actions = RECORDING,
	  .help = "record for so long at most" },
	{ .letter = 'i', .name = "interval", .value = "SEC",
	  .read = read_seconds, .member = OFFSET(interval_ns), .least = NSEC_PER_SEC / 10,
	  .wanted = "a number of seconds of at least 0.1, and at most 52 days",
	  .actions = LIVE,
	  .help = "top: look again after so long (2)" },
	{ .name = "keep", .value = "TIME[,SIZE]", .read = read_keep,
	  .wanted = "a time from 1s to 3600s such as 10s, nor with a size from 1M to 64G behind a comma",
	  .actions = ACTION_BIT(ACTION_RECORD),
	  .help = "keep only the last so many seconds, in memory (of 64M\n"
		  "at most); write them to gapp.data.1, gapp.data.2 ...\n"
		  "when SIGUSR2, ctl dump or --when asks for it" },
	{ .name = "when", .value = "CONDITION", .read = read_trigger,
	  .wanted = TRIGGER_WANTED,
	  .actions = ACTION_BIT(ACTION_RECORD),
	  .help = "with --keep: write them when it holds, such as\n"
		  "'parallelism < 2 for 100ms'" },
	{ .letter = 's', .name = "socket", .value = "PATH", .read = read_path,
	  .member = OFFSET(socket), .wanted = "the path of a socket",
	  .actions = ACTION_BIT(ACTION_RECORD) | ACTION_BIT(ACTION_CTL),
	  .help = "listen to gapp-read ctl there, or talk to it there\n"
		  "(a folder of yours; with --keep)" },
	{ .name = "wait-for-ctl", .member = OFFSET(wait_for_ctl),
	  .actions = ACTION_BIT(ACTION_RECORD),
	  .help = "begin to record when gapp-read ctl start says so" },
	{ .name = "delay", .value = "SEC", .read = read_seconds, .member = OFFSET(delay_ns),
	  .wanted = "a number of seconds of at most 52 days",
	  .actions = RECORDING,
	  .help = "begin to record after so long" },

	{ .heading = "What to record", .letter = 'n', .name = "threshold", .value = "K|half",
	  .read = read_threshold, .member = OFFSET(n_min), .least = 1, .most = GAPP_MAX_THREADS,
	  .wanted = "'half' or a number of threads from 1 to 65536",
	  .actions = RECORDING,
	  .help = "N_min, how few active threads are too few: a number,\n"
		  "or half the live threads (default: half the live\n"
		  "threads, or half the CPUs they may use if fewer)" },
	{ .name = "level", .value = "stats|critical|trace",
	  .read = read_word, .member = OFFSET(level), .words = level_words,
	  .wanted = "'stats', 'critical' or 'trace'",
	  .actions = RECORDING,
	  .help = "how much to record: threads' figures; what ran while\n"
		  "few did, too (default); every slice and wake-up" },
	{ .letter = 'F', .name = "rate", .value = "HZ",
	  .read = read_number, .member = OFFSET(rate_hz), .most = GAPP_MAX_RATE_HZ,
	  .wanted = "a number of samples a second from 1 to 20000, or 0 for none",
	  .actions = RECORDING,
	  .help = "samples a second; 0: none (333)" },
	{ .name = "spin", .value = "sampled|exact|off",
	  .read = read_word, .member = OFFSET(spin), .words = spin_words,
	  .wanted = "'sampled', 'exact' or 'off'",
	  .actions = RECORDING,
	  .help = "threads that a sample finds in busy-wait loops: they\n"
		  "wait (default), in loops that matter from the first\n"
		  "moment to the last, or they are active as any other" },
	{ .name = "max-stack", .value = "N",
	  .read = read_number, .member = OFFSET(max_stack), .least = 1, .most = GAPP_MAX_STACK,
	  .wanted = "a number of frames from 1 to 127",
	  .actions = RECORDING,
	  .help = "frames of a call path, at most 127 (64)" },
	{ .name = "call-graph", .value = "auto|fp|table|copy[,BYTES]|none|verify",
	  .read = read_call_graph, .member = OFFSET(stack_copy_bytes),
	  .least = GAPP_MIN_STACK_COPY, .most = GAPP_MAX_STACK_COPY,
	  .wanted = "auto, fp, table, copy, none or verify, nor copy,BYTES with a multiple of 8 from 64 to 32768",
	  .actions = RECORDING,
	  .help = "how paths are taken: by unwind tables, and copies of\n"
		  "stacks where these do not reach (default); by frame\n"
		  "pointers; by tables alone; by copies (of 8192 bytes);\n"
		  "not at all; by tables, and compared with copies" },
	{ .letter = 'k', .name = "kernel", .member = OFFSET(kernel),
	  .actions = RECORDING,
	  .help = "call paths go on in the kernel (needs root)" },
	{ .name = "no-kernel", .member = OFFSET(no_kernel), .actions = RECORDING,
	  .help = "call paths end where they enter the kernel (default)" },
	{ .name = "min-critical", .value = "T",
	  .read = read_time, .member = OFFSET(min_critical_ns), .most = 3600 * NSEC_PER_SEC,
	  .wanted = "a time such as 10us, 1.5ms or 1s, of at most an hour, or 0",
	  .actions = RECORDING,
	  .help = "pass a slice on when its thread has collected about\n"
		  "so much: 5us, 1ms, 1s; 0: pass on each one (10us)" },
	{ .name = "criterion", .value = "share|average",
	  .read = read_word, .member = OFFSET(criterion), .words = criterion_words,
	  .wanted = "'share' or 'average'",
	  .actions = RECORDING,
	  .help = "count the part of a slice in which few threads were\n"
		  "active (default), or all of a slice in which they\n"
		  "were few on average, as the GAPP paper has it" },
	{ .name = "waits", .member = OFFSET(waits), .actions = ACTION_BIT(ACTION_RECORD),
	  .help = "add up what each thread waited for, its run-queue\n"
		  "delays, and who preempted it, for -v and JSON (with\n"
		  "--by thread -v done anyway)" },
	{ .name = "counters", .value = "LIST", .read = read_counters,
	  .wanted = "a list of faults, migrations, instructions, cycles, l2-misses, l3-misses, local-memory, remote-memory and rHEX, or all",
	  .actions = ACTION_BIT(ACTION_RECORD) | LIVE,
	  .help = "count for each thread and NUMA node, with commas\n"
		  "between: faults, migrations, instructions, cycles,\n"
		  "l2-misses, l3-misses, local-memory, remote-memory,\n"
		  "rHEX (an event of the processor); all: these names" },
	{ .letter = 'm', .name = "ring", .value = "SIZE", .read = read_ring, .most = GAPP_MAX_RING,
	  .wanted = "a size of at most 64M, in bytes or with K, M or G",
	  .actions = RECORDING,
	  .help = "buffer of each CPU, at most 64M (1M; 8M where every\n"
		  "path is a copy)" },

	{ .heading = "What to print", .name = "by", .value = "WHAT",
	  .read = read_word, .member = OFFSET(by), .words = by_names,
	  .wanted = "place, path, slice-end, function, line, thread, process or wait-object",
	  .actions = WRITING,
	  .help = "rows of the table: place (default), path, slice-end,\n"
		  "function, line, thread, process or wait-object" },
	{ .name = "view", .value = "NAME",
	  .read = read_word, .member = OFFSET(view), .words = view_names,
	  .wanted = "places, waits, threads, wait-objects, wakers, critical-path, graph, handover, sections or counters",
	  .actions = WHOLE | ACTION_BIT(ACTION_EXPORT),
	  .help = "what the report has behind its head: places (default),\n"
		  "waits, threads, wait-objects, wakers, handover (who\n"
		  "hands the CPU to whom), sections (which the program\n"
		  "has named by marks), counters (of --counters), and\n"
		  "with --level trace critical-path or graph (who waited\n"
		  "for whom)" },
	{ .name = "reasons", .value = "FILE", .read = read_reasons,
	  .wanted = "the path of a file with rules for waits",
	  .actions = WRITING | LIVE,
	  .help = "what functions of your programs wait for, a line\n"
		  "each: FUNCTION FILE REASON [NAME]" },
	{ .name = "tree", .member = OFFSET(tree),
	  .actions = WHOLE | ACTION_BIT(ACTION_EXPORT),
	  .help = "print the tree of call paths, too" },
	{ .name = "top", .value = "N",
	  .read = read_number, .member = OFFSET(top), .least = 1, .most = 1000000,
	  .wanted = "a number of rows from 1 to 1000000",
	  .actions = WRITING | LIVE,
	  .help = "so many rows (those above 3 %, at most 5; -v: 10)" },
	{ .name = "no-libs", .member = OFFSET(no_libs),
	  .actions = WRITING | LIVE,
	  .help = "paths begin at the program itself, not in libraries" },
	{ .name = "threads-only", .member = OFFSET(threads_only),
	  .actions = WRITING | LIVE,
	  .help = "do not rank processes' first threads" },
	{ .name = "process-only", .member = OFFSET(process_only),
	  .actions = WRITING | LIVE,
	  .help = "rank only processes' first threads" },
	{ .name = "symfs", .value = "DIR", .read = read_path, .member = OFFSET(symfs),
	  .wanted = "the path of a folder",
	  .actions = NAMING | LISTING,
	  .help = "look programs, libraries and debug files up below\n"
		  "DIR first" },
	{ .name = "debuginfod", .member = OFFSET(debuginfod), .actions = ACTION_BIT(ACTION_RECORD),
	  .help = "ask the servers of DEBUGINFOD_URLS for debug files,\n"
		  "even as root" },
	{ .name = "no-debuginfod", .member = OFFSET(no_debuginfod),
	  .actions = ACTION_BIT(ACTION_RECORD),
	  .help = "do not ask the servers for debug files" },
	{ .name = "source-path", .value = "DIR", .read = read_source_path,
	  .wanted = "the path of a folder",
	  .actions = REPORTING,
	  .help = "show source text, of files below DIR; may be given\n"
		  "more than once" },
	{ .name = "format", .value = "text|json|csv|folded",
	  .read = read_word, .member = OFFSET(format), .words = format_words,
	  .wanted = "'text', 'json', 'csv' or 'folded'",
	  .actions = REPORTING | LISTING,
	  .help = "format of the report on standard output (text)" },
	{ .letter = 'o', .name = "output", .value = "FILE", .read = read_output,
	  .wanted = "the path of a file",
	  .actions = WRITING | LISTING | MERGING,
	  .help = "write the report to FILE, too, as its suffix says:\n"
		  ".txt, .json, .csv, .folded (flame graphs), .pb.gz\n"
		  "(pprof), .speedscope.json, .counters.csv (--counters\n"
		  "over time), .html (a page, with --level trace over\n"
		  "time); with --level trace .dot (who waited for whom),\n"
		  ".cores.csv (who ran where), .cores.svg (a picture of\n"
		  "that), .parallelism.svg, .pftrace (Perfetto),\n"
		  ".trace.json (Chrome's tracing); .data: the recording;\n"
		  "more than once if wanted" },
	{ .name = "records", .member = OFFSET(records), .actions = ACTION_BIT(ACTION_RECORD),
	  .help = "keep every record in it, too, for script FILE" },
	{ .name = "same-boot", .member = OFFSET(same_boot), .actions = MERGING,
	  .help = "merge: recordings that do not say when their machine\n"
		  "was started are of one machine without a restart" },
	{ .name = "no-save", .member = OFFSET(no_save), .actions = ACTION_BIT(ACTION_RECORD),
	  .help = "do not keep the recording (in gapp.data)" },
	{ .name = "fail-if", .value = "CONDITION", .read = read_condition,
	  .wanted = CONDITION_WANTED,
	  .actions = JUDGING,
	  .help = "exit with status 3 if it holds: 'serial > 30%', or of\n"
		  "diff 'critical +10%'; may be given more than once" },
	{ .name = "color", .value = "auto|always|never",
	  .read = read_word, .member = OFFSET(color), .words = color_words,
	  .wanted = "'auto', 'always' or 'never'",
	  .actions = REPORTING | LIVE,
	  .help = "colours: on a terminal, without NO_COLOR (auto)" },
	{ .letter = 'q', .name = "quiet", .member = OFFSET(quiet), .actions = ALWAYS,
	  .help = "no progress line" },
	{ .letter = 'v', .name = "verbose", .member = OFFSET(verbose),
	  .actions = WRITING | ACTION_BIT(ACTION_SPINS),
	  .help = "every thread, more paths and all checks" },
	{ .letter = 'h', .name = "help", .member = OFFSET(help), .actions = ALWAYS,
	  .help = "this text" },
	{ .letter = 'V', .name = "version", .member = OFFSET(version),
	  .actions = ALWAYS,
	  .help = "versions of gapp-read and of the loaded module" },
};

/* clang-format on */

const size_t option_count = ARRAY_SIZE(option_table);

_Static_assert(ARRAY_SIZE(option_table) <= 64, "bits of struct options.given");
_Static_assert(GAPP_MAX_THREADS == 65536, "messages name it");
_Static_assert(GAPP_MAX_RATE_HZ == 20000, "messages name it");
_Static_assert(GAPP_MAX_STACK == 127, "messages name it");
_Static_assert(GAPP_MAX_RING == 64U << 20, "messages name it");
_Static_assert(GAPP_MIN_STACK_COPY == 64 && GAPP_MAX_STACK_COPY == 32768, "messages name them");
_Static_assert(GAPP_DEFAULT_THREADS == 16384, "the help names it");
_Static_assert(GAPP_DEFAULT_STACK == 64, "the help names it");
_Static_assert(GAPP_DEFAULT_RING == 1 << 20, "the help names it");
