// SPDX-License-Identifier: GPL-2.0
#include "made_paths.h"

#include "symbol/symbol_file.h"

#define MS(n) (1000000ULL * (n))
#define SHARE(ms) (MS(ms) << GAPP_SHARE_SHIFT)

#define PROGRAM_PATH "/opt/a \"b\",c;\n\033[31m\xff/prog"
#define LIBRARY_PATH "/usr/lib/libodd.so.6"
#define KERNEL_PATH "[kernel]"
#define GENERATED_PATH "//anon"
static struct symbol_file program_file = { .build_id = "c0ffee0123456789" };

static struct object program = { .path = (char *)PROGRAM_PATH,
				 .name = "prog",
				 .symbols = &program_file };

static struct object library = { .path = (char *)LIBRARY_PATH, .name = "libodd.so.6" };

static struct object kernel = { .kind = OBJECT_KERNEL,
				.path = (char *)KERNEL_PATH,
				.name = KERNEL_PATH };

static struct object generated = {
	.kind = OBJECT_ANONYMOUS,
	.path = (char *)GENERATED_PATH,
	.name = GENERATED_PATH,
};

#define PROG .module = PROGRAM_PATH, .object = &program
#define MAIN                                                              \
	{                                                                 \
		.function = "main", PROG, .file = "src/main.c", .line = 9 \
	}

/* clang-format off */

static struct frame hash_frames[] = {
	{ .function = "rehash", PROG, .file = "src/\"hash\".c", .line = 88, .inlined = true },
	{ .function = "put<a, b>;\n\033]0;x\007\xc3\x28", PROG, .file = "src/hash.c", .line = 12 },
	{ .function = "put<a, b>;\n\033]0;x\007\xc3\x28", PROG, .file = "src/hash.c", .line = 14 },
	MAIN,
};

static struct code_address hash_addresses[] = {
	{ &program, 0x1100 }, { &program, 0x1100 }, { &program, 0x1140 }, { &program, 0x2000 },
};

/* As above but for the innermost line, and a frame less. */
static struct frame other_frames[] = {
	{ .function = "rehash", PROG, .file = "src/\"hash\".c", .line = 90, .inlined = true },
	{ .function = "put<a, b>;\n\033]0;x\007\xc3\x28", PROG, .file = "src/hash.c", .line = 12 },
	MAIN,
};

static struct code_address other_addresses[] = {
	{ &program, 0x1108 }, { &program, 0x1108 }, { &program, 0x2000 },
};

static struct frame kernel_frames[] = {
	{ .function = "copy_page", .module = KERNEL_PATH, .object = &kernel, .kernel = true },
	{ .function = "Function 12", .module = "node" },
	{ .module = LIBRARY_PATH, .object = &library, .offset = 0x1234 },
	MAIN,
};

static struct code_address kernel_addresses[] = {
	{ &kernel, 0xffffffff81000010 }, { &generated, 0x7f0000001000 }, { &library, 0x1230 },
	{ &program, 0x2000 },
};

/* It calls itself. */
static struct frame again_frames[] = {
	{ .function = "again 7", PROG, .file = "src/again.c", .line = 3 },
	{ .function = "again 7", PROG, .file = "src/again.c", .line = 3 },
	MAIN,
};

static struct code_address again_addresses[] = {
	{ &program, 0x3000 }, { &program, 0x3000 }, { &program, 0x2000 },
};

static struct frame sync_frames[] = {
	{ .function = "fsync", .module = "/usr/lib/libc.so.6", .object = &library },
	MAIN,
};

static struct code_address sync_addresses[] = {
	{ &library, 0x4000 }, { &program, 0x2000 },
};

static struct member hash_members[] = {
	{ .tid = 11, .tgid = 10, .comm = "work;er\n\"1\"", .critical_ns = 3 },
	{ .tid = 12, .tgid = 10, .comm = "=1+1,\033[2J\xff", .critical_ns = 2 },
	{ .tid = 13, .tgid = 10, .comm = "work;er\n\"1\"", .critical_ns = 1 },
	{ .tid = 999, .tgid = 10, .comm = "little", .critical_ns = 1 },
};

static struct member other_members[] = {
	{ .tid = 11, .tgid = 10, .comm = "work;er\n\"1\"", .critical_ns = 1 },
};

static struct ranked rows[] = {
	{ .critical_ns = MS(6000) + 0.3, .slices = 101, .samples = 50, .frames = hash_frames,
	  .frame_count = 4, .addresses = hash_addresses, .members = hash_members,
	  .member_count = 4, .comm = "work;er\n\"1\"", .complete = true,
	  .waiting_ns = { [GAPP_WAIT_LOCK] = MS(2000), [GAPP_WAIT_DISK] = MS(1000) + 0.6 } },
	{ .kind = PATH_WAITED, .critical_ns = MS(3000) + 0.4, .slices = 7,
	  .wait = GAPP_WAIT_DISK, .frames = sync_frames, .frame_count = 2,
	  .addresses = sync_addresses, .comm = "main", .complete = true },
	{ .critical_ns = MS(2500) + 0.3, .slices = 20, .samples = 10, .frames = other_frames,
	  .frame_count = 3, .addresses = other_addresses, .members = other_members,
	  .member_count = 1, .comm = "work;er\n\"1\"", .complete = true },
	{ .critical_ns = MS(1500) + 0.2, .slices = 3, .samples = 2, .frames = kernel_frames,
	  .frame_count = 4, .addresses = kernel_addresses, .comm = "" },
	{ .critical_ns = MS(500) + 0.2, .slices = 1, .frames = again_frames, .frame_count = 3,
	  .addresses = again_addresses, .comm = "main", .complete = true,
	  .waiting_ns = { [GAPP_WAIT_LOCK] = MS(600) } },
};

static struct line_count lines[] = {
	{ .file = "src/\"hash\".c", .line = 88, .critical_ns = MS(6000) },
};

static struct ranked places[] = {
	{ .critical_ns = MS(8500) + 0.6, .slices = 121, .frames = hash_frames + 1,
	  .frame_count = 3, .complete = true, .lines = lines, .line_count = 1, .threads = 4,
	  .tgid = 10, .comm = "work;er\n\"1\"", .running = 1.5, .median_ns = 2100000 },
	{ .kind = PATH_WAITED, .critical_ns = MS(3000) + 0.4, .slices = 7,
	  .wait = GAPP_WAIT_DISK, .frames = sync_frames, .frame_count = 2, .complete = true,
	  .tgid = 10, .comm = "main", .threads = 1 },
	{ .critical_ns = MS(2000) + 0.4, .slices = 4, .frames = kernel_frames + 1,
	  .frame_count = 3, .comm = "@x", .threads = 1 },
};

static struct ranked by_thread[] = {
	{ .critical_ns = MS(7000), .tid = 11, .tgid = 10, .comm = "work;er\n\"1\"" },
	{ .kind = PATH_WAITED, .critical_ns = MS(3000), .tid = 10, .tgid = 10, .comm = "main" },
	{ .critical_ns = MS(2000), .tid = 12, .tgid = 10, .comm = "=1+1,\033[2J\xff" },
	{ .critical_ns = MS(1000), .tid = 13, .tgid = 10, .comm = "work;er\n\"1\"" },
};

static struct gapp_thread_figures threads[] = {
	{ .tid = 11, .tgid = 10, .comm = "work;er\n\"1\"", .cm_run = SHARE(8000),
	  .critical_run = SHARE(7000), .cm_runq = SHARE(300), .run_ns = MS(9000),
	  .runq_ns = MS(400), .blocked_ns = MS(2000), .slices = 77, .wakeups = 70, .blocks = 71 },
	{ .tid = 12, .tgid = 10, .comm = "=1+1,\033[2J\xff", .cm_run = SHARE(2500),
	  .critical_run = SHARE(2000), .run_ns = MS(3000), .slices = 5 },
};

static struct gapp_thread_figures exited = {
	.tgid = 20, .comm = "-gone", .threads = 5, .critical_run = SHARE(250), .slices = 9,
};

static struct results results = {
	.model = {
		.status = { .wall_ns = MS(20000), .idle_ns = MS(3500), .cpus = 4, .n_min = 1 },
		.threads = threads, .thread_count = 2, .processes = &exited, .process_count = 1,
	},
	.ranked = true,
	.counters = { .critical_run = SHARE(11700), .critical_runq = SHARE(300),
		      .lost_critical_share = SHARE(700) },
	.places = { places, 3 }, .exported = { rows, 5 }, .by_thread = { by_thread, 4 },
	.sums = { .attributed_ns = 10.5e9, .no_path_ns = 0.2e9, .waited_ns = 3e9,
		  .waited_lost_ns = 0.5e9 },
};

/* clang-format on */

const struct results *made_paths(void)
{
	return &results;
}
