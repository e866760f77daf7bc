// SPDX-License-Identifier: GPL-2.0
/*
 * Reports of a result in which no two figures are alike: made-report
 * json|targets|merged|text|short|stats|full|none. What they must say is in test_values.py.
 */
#include <sys/syscall.h>

#include "report/report.h"
#include "report/exact_loops.h"
#include "report/handovers.h"
#include "report/section_views.h"
#include "report/wait_views.h"
#include "report/merged.h"

#define MS(n) (1000000ULL * (n))
#define SHARE(ms) (MS(ms) << GAPP_SHARE_SHIFT)

static char *const command[] = { "./prog", "-x", NULL };

/* clang-format off */

/* 100 seconds: so many per cent as seconds. */
static u64 parallelism[] = { MS(7125), MS(30375), MS(22500), MS(40000) };

/* The kernel has 7 of its 50 seconds elsewhere, but the sum differs by 1 only. */
static struct gapp_thread_figures threads[] = {
	{ .tid = 51, .tgid = 52, .comm = "work-1", .flags = GAPP_FIGURES_KERNEL_SEEN,
	  .cm_run = SHARE(40500), .critical_run = SHARE(12250), .cm_runq = SHARE(3750),
	  .run_ns = MS(43250), .runq_ns = MS(5500), .blocked_ns = MS(17375),
	  .slices = 53, .wakeups = 54, .blocks = 55,
	  .kernel_run_ns = MS(40000), .kernel_runq_ns = MS(10000),
	  .kernel_seen_run_ns = MS(36000), .kernel_seen_runq_ns = MS(13000),
	  .joined_ns = MS(1125), .left_ns = MS(88875) },
	{ .tid = 56, .tgid = 57, .comm = "work-2", .cm_run = SHARE(1000),
	  .critical_run = SHARE(125),
	  .cm_runq = SHARE(250), .run_ns = MS(1750), .runq_ns = MS(625), .blocked_ns = MS(750),
	  .slices = 58, .wakeups = 59, .blocks = 60, .joined_ns = MS(2250) },
};

static struct gapp_thread_figures exited = {
	.tgid = 61, .comm = "beta", .threads = 62, .flags = GAPP_FIGURES_KERNEL_SEEN,
	.cm_run = SHARE(30125), .critical_run = SHARE(2625), .cm_runq = SHARE(8625),
	.run_ns = MS(33000), .runq_ns = MS(9500), .blocked_ns = MS(14000),
	.slices = 63, .wakeups = 64, .blocks = 65,
	.kernel_run_ns = MS(34500), .kernel_runq_ns = MS(10750),
};

static u32 merged_targets[] = { 141, 142 };

static struct merged_part merged_parts[] = {
	{ .file = "a.data", .start_ns = 143, .stop_ns = 144, .records = true,
	  .targets = merged_targets, .target_count = 2 },
	{ .file = "b.data", .start_ns = 145, .stop_ns = 146 },
};

static const struct merged merged = { .parts = merged_parts, .count = 2 };

static struct gapp_target_figures group = {
	.id = 131, .tgid = 132, .comm = "gamma", .wall_ns = MS(94500), .c = SHARE(14500),
	.idle_ns = MS(15500), .n_min = 133, .spun_ns = MS(8420),
};

/* All processes together. */
static struct gapp_target_figures whole = { .spun_ns = MS(84300) };

static struct frame frames[] = {
	{ .function = "hash", .module = "/m/1", .file = "f/1.c", .line = 501, .inlined = true },
	{ .module = "/m/2", .offset = 0x502 },
	{ .function = "sync", .module = "/m/3", .file = "f/3.c", .line = 503 },
	{ .function = "put", .module = "/m/4", .file = "f/4.c", .line = 504 },
	{ .function = "get", .module = "/m/5", .file = "f/5.c", .line = 505 },
	{ .function = "end", .module = "/m/6", .file = "f/6.c", .line = 506 },
};

static struct line_count lines[] = {
	{ .file = "f/1.c", .line = 501, .samples = 511, .critical_ns = MS(4160) },
	{ .file = "f/2.c", .line = 521, .samples = 522, .critical_ns = MS(650), .stack_top = true },
	{ .file = "f/6.c", .line = 531, .samples = 532, .critical_ns = MS(2950) },
};

static struct kernel_time kernel[] = {
	{ .in = SYS_openat, .ns = MS(1300) }, { .in = GAPP_IN_FAULT, .ns = MS(650) },
	{ .in = SYS_fdatasync, .ns = MS(5200) },
};

/* In half a second: faults, of which some are missing, and loads, 600 of them from the own node. */
#define COUNTED { .ns = MS(500), .counts = { 1000, 800, 200 }, .missing = 1 }

static struct ranked rows[] = {
	{ .kind = PATH_RAN, .critical_ns = MS(6500), .inferred_ns = MS(1625), .slices = 201,
	  .samples = 202, .wait = GAPP_WAIT_LOCK, .frames = frames, .frame_count = 2,
	  .complete = true, .lines = lines, .line_count = 2, .tid = 203, .tgid = 204, .comm = "r1",
	  .threads = 205, .running = 1.625, .median_ns = MS(17), .kernel_known_ns = MS(4875),
	  .counted = COUNTED,
	  .kernel_ns = MS(1950), .kernel = kernel, .kernel_count = 2 },
	{ .kind = PATH_WAITED, .critical_ns = MS(5200), .inferred_ns = MS(300), .slices = 211,
	  .samples = 212, .wait = GAPP_WAIT_DISK, .frames = frames + 2, .frame_count = 1,
	  .tid = 213, .tgid = 214, .comm = "r2", .threads = 215, .running = 2.5,
	  .median_ns = MS(18), .waiting_ns = { [GAPP_WAIT_PIPE] = MS(700) },
	  .then = { [THEN_ON] = 351 }, .kernel_known_ns = MS(5200), .kernel_ns = MS(5200),
	  .kernel = kernel + 2, .kernel_count = 1 },
	{ .critical_ns = MS(4100), .inferred_ns = MS(400), .slices = 221, .samples = 222,
	  .frames = frames + 5, .frame_count = 1, .lines = lines + 2, .line_count = 1,
	  .tid = 223, .tgid = 224, .comm = "r3", .threads = 225,
	  .counted = COUNTED },
	{ .critical_ns = MS(3600), .samples = 231, .frames = frames + 3, .frame_count = 1,
	  .tgid = 233 },
	{ .critical_ns = MS(3700), .samples = 232, .frames = frames + 4, .frame_count = 1,
	  .tgid = 234 },
};

static struct frame place_frames[] = {
	{ .function = "fill", .module = "/m/7", .file = "f/7.c", .line = 507 },
	{ .function = "main", .module = "/m/8", .file = "f/8.c", .line = 508 },
	{ .function = "take", .module = "/m/9", .file = "f/9.c", .line = 509 },
	{ .function = "read", .module = "/m/10.so.1" },
	{ .module = "/m/11.so.1", .offset = 0x510, .library = true },
};

static struct line_count place_line = {
	.file = "f/7.c", .line = 541, .samples = 542, .critical_ns = MS(4260),
};

static struct doing doing[] = {
	{ .frame = place_frames + 3, .critical_ns = MS(3100) },
	{ .critical_ns = MS(2150) },
	{ .frame = place_frames + 4, .critical_ns = MS(1350) },
};

static struct member members[] = {
	{ .tid = 242, .tgid = 243, .comm = "m1", .critical_ns = MS(3300) },
	{ .tid = 244, .tgid = 245, .comm = "m2", .critical_ns = MS(2100) },
};

static struct ranked place_rows[] = {
	{ .kind = PATH_RAN, .critical_ns = MS(6600), .inferred_ns = MS(1650), .slices = 246,
	  .samples = 247, .wait = GAPP_WAIT_LOCK, .frames = place_frames, .frame_count = 2,
	  .complete = true, .lines = &place_line, .line_count = 1, .tgid = 248, .comm = "r6",
	  .threads = 249, .running = 1.75, .median_ns = MS(19), .gain_ns = MS(7700),
	  .doing = doing, .doing_count = 3,
	  .counted = COUNTED,
	  .kernel_known_ns = MS(4950), .kernel_ns = MS(1980), .kernel = kernel, .kernel_count = 2,
	  .members = members, .member_count = 2 },
	{ .kind = PATH_WAITED, .critical_ns = MS(5300), .slices = 251, .wait = GAPP_WAIT_DISK,
	  .frames = place_frames + 2, .frame_count = 1, .tgid = 252, .comm = "r7",
	  .threads = 253, .then = { [THEN_ON] = 352 },
	  .called = { GAPP_WAIT_DISK, "log file", false } },
};

static struct object objects[] = { { .name = "one.so" }, { .name = "two.so" } };

static struct verify_case verified = {
	.verdict = VERIFY_SHORTER, .tgid = 121, .times = 122, .equal = 1,
	.end = GAPP_UNWIND_NO_RULE, .libdwfl_end = UNWIND_UNMAPPED, .count = 2, .libdwfl_count = 3,
	.addresses = { { objects, 601 }, { objects + 1, 602 } },
	.libdwfl_addresses = { { objects, 601 }, { objects, 603 }, { objects + 1, 604 } },
};

static const struct call_paths_figures copies = {
	.copies = 82, .longer = 83, .whole = 84, .unknown = 85,
	.verify = { .verdicts = { [VERIFY_EQUAL] = 111, [VERIFY_DIFFERS] = 112,
				  [VERIFY_SHORTER] = 113, [VERIFY_BEYOND] = 114,
				  [VERIFY_GAVE_UP] = 115, [VERIFY_UNCHECKED] = 116 },
		    .cases = &verified, .case_count = 1 },
};

/* A call of the probe takes 5 us: 0.45 of the 500 seconds that five CPUs have. */
/* Of the first thread. Two preempters are known, of 602 of its 605 preemptions. */
static struct gapp_thread_waits thread_waits = {
	.tid = 51, .tgid = 52, .joined_ns = MS(1125), .life_ns = MS(66250), .unknown_ns = MS(125),
	.run_ns = MS(43250), .runq_ns = MS(5500),
	.blocked_ns = { [GAPP_WAIT_LOCK] = MS(16000), [GAPP_WAIT_DISK] = MS(1375) },
	.runq_stays = 1100, .runq_max_ns = MS(606), .runq_max_at_ns = MS(607),
	.preempted = 605, .preempted_runq_ns = MS(2600),
	.by = { { .tid = 608, .times = 401, .runq_ns = MS(1609), .comm = "rival" },
		{ .tid = 610, .times = 201, .runq_ns = MS(611), .comm = "other" } },
};

static struct ranked_holder holders[] = {
	{ .frame = &frames[3], .critical = true, .holds = 801, .hold_ns = MS(8020),
	  .few_ns = MS(803), .waits = 804, .waited_ns = MS(8050), .critical_ns = MS(806) },
	{ .holds = 807, .hold_ns = MS(8080), .waits = 809, .waited_ns = MS(8100),
	  .critical_ns = MS(811) },
};

static struct ranked_object wait_objects[] = {
	{ .name = (char *)"table_lock", .reason = GAPP_WAIT_LOCK, .called = "mutex",
	  .critical_ns = MS(6100), .idle_ns = MS(621), .waited_ns = MS(7220), .waits = 623,
	  .tgid = 624, .inferred = true,
	  .sites = { { .frame = &frames[0], .waits = 625, .waited_ns = MS(6260) } },
	  .site_count = 1,
	  .enders = { { .name = "giver", .frame = &frames[4], .waits = 627,
			.waited_ns = MS(6280) } },
	  .ender_count = 1, .holders = holders, .holder_count = 2,
	  .spins = { .spins = 849, .spun_ns = MS(8480), .vain = 843, .vain_ns = MS(8440),
		     .slept_ns = MS(8450), .seen_ns = MS(8470), .starved_ns = MS(8460),
		     .near = { 91, MS(92), 93 }, .far = { 94, MS(950), 95 } } },
};

static struct ranked_pair wakers[] = {
	{ .waker = { .interrupt = true, .kind = "disk", .waits = 631, .waited_ns = MS(6320) },
	  .waiter = "taker", .frame = &frames[2], .kind.reason = GAPP_WAIT_LOCK,
	  .median_ns = MS(633) },
	{ .waker = { .name = "giver", .frame = &frames[4], .waits = 638, .waited_ns = MS(5390) },
	  .waiter = "taker", .frame = &frames[2], .kind.reason = GAPP_WAIT_LOCK,
	  .median_ns = MS(639) },
};

static struct critical_function path_functions[] = {
	{ .function = (char *)"put", .module = (char *)"/m/4", .ns = 6.41e9,
	  .inferred_ns = 0.642e9 },
	{ .module = (char *)"/m/2", .offset = 643, .ns = 0.644e9 },
};

static struct critical_reason path_reasons[] = {
	{ .reason = GAPP_WAIT_LOCK, .name = (char *)"mutex", .through_ns = MS(6510),
	  .waited_ns = { MS(652), MS(653), MS(654), MS(656) } },
};

static struct critical_object path_objects[] = {
	{ .wait = { .reason = GAPP_WAIT_LOCK, .name = (char *)"mutex", .through_ns = MS(8130),
		    .waited_ns = { MS(814), MS(815), MS(817), MS(820) } },
	  .name = (char *)"table_lock", .tgid = 812 },
};

static struct critical_thread path_threads[] = {
	{ .tid = 661, .tgid = 662, .comm = "walker",
	  .ns = { [PIECE_RAN] = MS(6630), [PIECE_READY] = MS(664), [PIECE_WAITED] = MS(666) } },
};

static struct graph_node graph_nodes[] = {
	{ .comm = "team", .threads = 671, .knot = STORE_NONE },
	{ .other = NODE_DISK, .knot = 0 },
};

static struct graph_edge graph_edges[] = {
	{ .key = { .from = 0, .to = 1 }, .waits = 672, .own_ns = MS(673), .ns = MS(6740) },
};

static const struct wait_views wait_views = {
	.run_ns = MS(98000), .ns = { MS(68100), MS(6820), MS(6830), MS(6840) }, .many_ns = MS(6850),
	.unknown_ns = MS(9410), .dropped_ns = MS(687), .dropped = 688, .hops = 689,
	.graph_unknown_ns = MS(691), .cut = 692,
	.functions = path_functions, .function_count = 2,
	.reasons = path_reasons, .reason_count = 1,
	.objects = path_objects, .object_count = 1,
	.threads = path_threads, .thread_count = 1,
	.nodes = graph_nodes, .node_count = 2, .edges = graph_edges, .edge_count = 1,
};

static struct handover handover_rows[] = {
	{ .from = { .tid = 821, .tgid = 822, .comm = "asker",
		    .entry = { .function = (char *)"syscall", .module = (char *)"/m/libc",
			       .file = (char *)"f/s.c", .line = 823 },
		    .own = { .function = (char *)"ask", .module = (char *)"/m/1",
			     .file = (char *)"f/a.c", .line = 824 } },
	  .to = { .tid = 825, .tgid = 826, .comm = "answerer",
		  .entry = { .function = (char *)"answer", .module = (char *)"/m/2",
			     .file = (char *)"f/b.c", .line = 827 },
		  .own = { .module = (char *)"/m/4", .offset = 836 } },
	  .count = 828, .last_ns = MS(8290) },
	{ .from = { .tid = 831, .tgid = 832,
		    .entry = { .module = (char *)"/m/2", .offset = 838 },
		    .own = { .module = (char *)"/m/5", .offset = 839 } },
	  .to = { .tid = 833, .tgid = 834, .comm = "other",
		  .entry = { .module = (char *)"/m/3", .offset = 835 } },
	  .count = 36, .last_ns = MS(837) },
};

static const struct handovers handovers = {
	.rows = handover_rows, .row_count = 2, .count = 900, .lost = 36,
};

static struct section_row section_rows[] = {
	{ .name = (char *)"solve \"it\"", .begins = 841, .ns = MS(8420), .active_known = true,
	  .active = 1.25, .critical_ns = MS(7440), .divided_ns = MS(845),
	  .functions = { { .function = (char *)"solve", .module = (char *)"/m/1",
			   .critical_ns = MS(6860) },
			 { .module = (char *)"/m/2", .offset = 847, .critical_ns = MS(480) },
			 { .critical_ns = MS(100) } },
	  .function_count = 3 },
	{ .name = (char *)"wait", .begins = 851, .ns = MS(8520) },
};

static const struct section_views sections = {
	.rows = section_rows, .count = 2, .outside_known = true, .outside_ns = MS(86100),
	.outside_active_known = true, .outside_active = 2.5, .outside_critical_ns = MS(8620),
	.unpaired = 863, .without_room = 864, .ended_unseen = 865,
};

static const struct frame region_frames[] = {
	{ .function = (char *)"relax._omp_fn.0", .module = (char *)"/m/1" },
	{ .module = (char *)"/m/2", .offset = 861 },
	{ .function = (char *)"burn", .module = (char *)"/m/3" },
	{ .module = (char *)"/m/4", .offset = 862 },
};

static struct region_row region_rows[] = {
	{ .outlined = &region_frames[0], .function = (char *)"relax", .file = (char *)"f/8.c",
	  .line = 863, .critical_ns = MS(8640), .running = 1.75, .idle_ns = MS(866),
	  .functions = { { &region_frames[2], MS(8070) }, { &region_frames[3], MS(570) } },
	  .function_count = 2 },
	{ .outlined = &region_frames[1], .idle_ns = MS(867) },
};

static struct exact_loop exact_rows[] = {
	{ .place = { .function = (char *)"await", .module = (char *)"/m/7", .file = (char *)"f/7.c",
		     .line = 851 },
	  .tgid = 852, .timed_ns = MS(85300) },
	{ .place = { .module = (char *)"/m/8", .offset = 0x854 }, .tgid = 855, .timed_ns = MS(8560),
	  .given_up = true },
	{ .place = { .function = (char *)"stand", .module = (char *)"/m/9" }, .tgid = 857,
	  .timed_ns = MS(858) },
};

static const struct exact_loops exact_loops = {
	.rows = exact_rows, .row_count = 3, .count = 859, .passes_per_s = 860,
};

/* Of the module: faults, loads from memory, those of another node. */
static struct gapp_thread_tallies thread_tallies[] = {
	{ .tid = 51, .tgid = 52, .uncounted = 1, .counts = { 2500, 3000, 1500 } },
};

static struct gapp_cpu_tallies cpu_tallies[] = {
	{ .cpu = 0, .counts = { 2000, 5000, 1000 } },
	{ .cpu = 1, .counts = { 1246, 1492, 623 } },
};

static struct cpu_range node_ranges[] = { { 0, 1, 881 }, { 1, 1, 882 } };
static const struct cpu_nodes cpu_nodes = { .ranges = node_ranges, .count = 2 };

/* Up to 40 s and 100 s; from then on something is missing of the faults of node 882. */
static struct node_tallies early_sums[] = {
	{ .node = 881, .counts = { 500, 1000, 200 } },
	{ .node = 882, .counts = { 246, 492, 123 } },
};

static struct node_tallies late_sums[] = {
	{ .node = 881, .counts = { 2000, 5000, 1000 } },
	{ .node = 882, .uncounted = 1, .counts = { 1246, 1492, 623 } },
};

static struct counter_point points[] = {
	{ .time_ns = MS(40000) + 42, .rows = early_sums, .count = 2, .room = 2 },
	{ .time_ns = MS(100000) + 42, .rows = late_sums, .count = 2, .room = 2 },
};

static struct results results = {
	.model = {
		.status = { .wall_ns = MS(100000), .idle_ns = MS(7125), .start_ns = 42, .id = 43,
			    .cpus = 5, .n_min = 2, .n_min_most = 3, .n_min_least = 1,
			    .n_min_most_ns = MS(60125), .threads = 23, .peak = 19,
			    .not_followed = 31, .not_followed_denied = 8, .not_followed_late = 9,
			    .unexpected = 32, .tick_ns = MS(4), .flags = GAPP_STATUS_RECOUNTED,
			    .recount_n = 33, .recount_tracked_n = 34, .recount_threads = 35,
			    .recount_tracked = 36, .recount_differ = 37 },
		.threads = threads, .thread_count = 2, .processes = &exited, .process_count = 1,
		.parallelism = parallelism, .parallelism_count = ARRAY_SIZE(parallelism),
	},
	.kthreads_without_room = 41,
	.ranked = true,
	.counters = { .flags = GAPP_COUNTERS_32_BIT,
		      .slices = 800, .critical_slices = 200, .unsampled_slices = 6,
		      .switches = 1601, .samples = 444, .records = 555, .stack_copies = 81,
		      .lost = { [GAPP_LOST_RING] = 71, [GAPP_LOST_PATHS] = 72,
				[GAPP_LOST_UNREADABLE] = 73, [GAPP_LOST_SAMPLES] = 74,
				[GAPP_LOST_THREADS] = 75, [GAPP_LOST_STACK_COPIES] = 76,
				[GAPP_LOST_PATHS_OVER_BUDGET] = 77,
				[GAPP_LOST_RECORDS_OVER_BUDGET] = 78 },
		      .critical_run = SHARE(21000), .critical_runq = SHARE(4000),
		      .lost_critical_share = SHARE(2000), .probe_calls = 90000, .probe_timed = 9,
		      .probe_ns = 45000, .longest_ns = 38400, .posts = 79,
		      .post_waits = 80 },
	.places = { place_rows, 2 }, .paths = { rows, 2 }, .by = { rows + 2, 1 },
	.functions = { rows + 3, 1 },
	.lines = { rows + 4, 1 },
	.sums = { .attributed_ns = 20e9, .waited_ns = 5.9e9, .no_path_ns = 0.75e9,
		  .table_full_ns = 1.5e9, .lost_ns = 1.9e9, .waited_lost_ns = 0.3e9,
		  .slices = 801, .records = 556, .unsampled = 8, .stacks = 666,
		  .complete_ns = 9e9,
		  .complete_by_ns = { [PATH_BY_FP] = 1.4e9, [PATH_BY_TABLE] = 4e9,
				      [PATH_BY_COPY] = 3.6e9 },
		  .cut_ns = { [GAPP_UNWIND_FULL] = 2e9, [GAPP_UNWIND_NO_FRAME] = 0.6e9,
			      [GAPP_UNWIND_UNREADABLE] = 2.2e9, [GAPP_UNWIND_NO_RULE] = 0.8e9,
			      [GAPP_UNWIND_LOOP] = 2.4e9, [GAPP_UNWIND_UNMAPPED] = 0.4e9,
			      [GAPP_UNWIND_LATE] = 0.3e9, [PATH_END_COPY] = 1e9,
			      [PATH_END_NO_FP] = 1.3e9 },
		  .copies = &copies },
	.table_sync = { .on = true,
		   .objects = { .tables = 91, .table_bytes = 1572864, .without = 93, .refused = 94,
			     .compile_ns = MS(95), .load_ns = MS(12) },
		   .processes = 97, .sends = 98, .outdated = 99, .mapping_requests = 101,
		   .send_ns = MS(13) },
	.own = { .cpu_s = 1.5, .rss_kib = 2560, .report_s = 0.75 },
};

/* clang-format on */

static void add_counters(void)
{
	struct counted *counted = &results.counted;

	tallies_parse(&counted->asked, "faults,cycles,local-memory,remote-memory");
	counted->asked.asked[1].refused = EBUSY;
	counted->threads = thread_tallies;
	counted->thread_count = ARRAY_SIZE(thread_tallies);
	counted->cpus = cpu_tallies;
	counted->cpu_count = ARRAY_SIZE(cpu_tallies);
	counted->nodes = &cpu_nodes;
	counted->series.points = points;
	counted->series.count = ARRAY_SIZE(points);
}

static void add_waits(void)
{
	results.model.waits = &thread_waits;
	results.model.wait_count = 1;
	results.waits = (struct ranked_waits){
		.collected = true,
		.all = true,
		.objects = wait_objects,
		.object_count = 1,
		.pairs = wakers,
		.pair_count = 2,
		.without_room = 634,
		.not_looked_up = 635,
		.cut = 636,
		.left_out = 637,
	};
	results.wait_views = &wait_views;
	results.handovers = &handovers;
	results.sections = &sections;
	results.exact_loops = &exact_loops;
	/* of 25 seconds, of which 4 were in run queues, so that 1.29 are left */
	results.regions =
		(struct regions){ .rows = region_rows,
				  .count = 2,
				  .outside = {
					  [OUTSIDE_SEQUENTIAL] = { .critical_ns = MS(8680),
								   .running = 1.25,
								   .idle_ns = MS(869),
								   .function_count = 2,
								   .functions = { { &region_frames
											    [2],
										    MS(8180) },
										  { &region_frames
											    [3],
										    MS(500) } } },
					  [OUTSIDE_RUNTIME] = { .critical_ns = MS(871),
								.idle_ns = MS(872),
								.function_count = 2,
								.functions = { { &region_frames[2],
										 MS(821) },
									       { &region_frames[3],
										 MS(50) } } },
					  [OUTSIDE_OTHERS] = { .critical_ns = MS(1519),
							       .idle_ns = MS(874),
							       .function_count = 2,
							       .functions = { { &region_frames[2],
										MS(1419) },
									      { &region_frames[3],
										MS(100) } } },
					  [OUTSIDE_UNKNOWN] = { .critical_ns = MS(1),
								.idle_ns = MS(875) },
				  } };
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	struct options options = {
		.command = command, .level = GAPP_LEVEL_TRACE, .rate_hz = 333, .verify = true
	};

	for (unsigned int i = 0; i <= GAPP_WAIT_KERNEL_LOCK; i++) {
		rows[0].waiting_ns[i] = MS(11 * (i + 1));
		rows[0].then[i] = 301 + i;
		place_rows[0].waiting_ns[i] = MS(12 * (i + 1));
		place_rows[0].then[i] = 321 + i;
		place_rows[0].waiting_called[i].reason = i;
	}
	place_rows[0].waiting_called[GAPP_WAIT_LOCK].name = "interpreter lock";
	results.targets = &whole;
	results.target_count = 1;
	for (unsigned int i = THEN_PREEMPTED; i < THEN_COUNT; i++)
		rows[0].then[i] = 401 + i - THEN_PREEMPTED;
	if (!strcmp(what, "json")) {
		options.by = BY_SLICE_END;
		options.kernel = true;
		add_waits();
		add_counters();
	} else if (!strcmp(what, "targets") || !strcmp(what, "merged")) {
		options = (struct options){ .all = true };
		results.targets = &group;
		results.merged = *what == 'm' ? &merged : NULL;
		if (*what == 't')
			results.window = (struct window){
				.begin_ns = MS(134000),
				.end_ns = MS(234000),
				.number = 135,
				.cause = "wish",
			};
	} else {
		options.verbose = strcmp(what, "short");
		results.exact_loops = &exact_loops;
		results.ranked = strcmp(what, "stats");
		if (!strcmp(what, "full") || !strcmp(what, "none")) {
			results.counters.critical_runq = 0;
			results.counters.lost_critical_share = 0;
			*(*what == 'f' ? &results.sums.no_path_ns : &results.sums.table_full_ns) =
				0;
			results.counters.probe_timed = 0;
		}
		report_text(stdout, &results, &options);
		return 0;
	}
	report_json(stdout, &results, &options);
	return 0;
}
