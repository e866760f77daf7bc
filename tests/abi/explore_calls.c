// SPDX-License-Identifier: GPL-2.0
/* The calls: a byte chooses among values that mean something, one is seldom any number. */
#include "explore_calls.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exact_loop.h"
#include "frameless.h"

#define FILES 3
#define MAPPINGS 8
#define TARGETS 3
#define BUFFER_BYTES (256U << 10)

/**
 * struct bytes - what is left of a call's bytes
 * @at: the next one
 * @left: how many; all further ones are 0
 */
struct bytes {
	const u8 *at;
	u32 left;
};

/**
 * struct world - what the calls of a sequence have made
 * @files: open files of the module, or -1
 * @tables: number of the table last loaded, by file
 * @spins: number of the spin table last loaded, by file
 * @images: number of an address space last told, by file
 * @mapped: mappings of rings and the like
 * @mapped_count: of @mapped
 * @started: how often START succeeded
 */
static struct world {
	int files[FILES];
	u32 tables[FILES];
	u32 spins[FILES];
	u32 images[FILES];
	struct {
		void *at;
		size_t bytes;
	} mapped[MAPPINGS];
	u32 mapped_count;
	unsigned long started;
} world;

static struct t_child targets[TARGETS];
static u8 *buffer;
/* The targets store into it. */
static volatile u64 stored;

static u8 next(struct bytes *bytes)
{
	if (!bytes->left)
		return 0;
	bytes->left--;
	return *bytes->at++;
}

/* One of @values by the next byte, or with a large byte a number of any size. */
static u64 choose(struct bytes *bytes, const u64 *values, u32 count)
{
	u8 byte = next(bytes);

	if (byte < 240)
		return values[byte % count];
	return (u64)next(bytes) << (byte - 240) * 4;
}

#define CHOOSE(bytes, ...) \
	choose(bytes, (const u64[]){ __VA_ARGS__ }, ARRAY_SIZE(((const u64[]){ __VA_ARGS__ })))

static void call_open(struct bytes *bytes, u32 file)
{
	if (world.files[file] >= 0)
		return;
	world.files[file] = open(GAPP_NODE, (next(bytes) % 8 ? O_RDWR : O_RDONLY) | O_CLOEXEC);
}

static void call_close(struct bytes *bytes, u32 file)
{
	(void)bytes;
	if (world.files[file] >= 0)
		close(world.files[file]);
	world.files[file] = -1;
}

static void call_configure(struct bytes *bytes, u32 file)
{
	struct gapp_config config = { .abi_major = GAPP_ABI_MAJOR };

	/* one by one: within an initializer the order of calls is not defined */
	config.level = CHOOSE(bytes, GAPP_LEVEL_CRITICAL, GAPP_LEVEL_TRACE, GAPP_LEVEL_STATS, 3);
	config.unwind_by = CHOOSE(bytes, 0, 1, 2, 3, 4, 5);
	config.flags = CHOOSE(bytes, 0, 1, 2, 4, 8, 12, 16, 32, 36, 66, 102, 160, 230, 256, 358,
			      416, 512, 1024, 1056, 1126, 1536, 4096, 5222);
	config.rate_hz = CHOOSE(bytes, 0, 333, 10000, GAPP_MAX_RATE_HZ, GAPP_MAX_RATE_HZ + 1);
	config.min_critical_ns = CHOOSE(bytes, 0, 10000, 1ULL << 40, ~0ULL);
	config.ring_bytes = CHOOSE(bytes, GAPP_MIN_RING, GAPP_MIN_RING << 2, 0, 12345);
	config.paths = CHOOSE(bytes, GAPP_MIN_PATHS, 0, GAPP_MIN_PATHS << 4, 63);
	config.max_threads = CHOOSE(bytes, 0, 1, 2, 64, GAPP_MAX_THREADS, GAPP_MAX_THREADS + 1);
	config.max_exited = CHOOSE(bytes, 0, 1, GAPP_EXITED_DEFAULT, GAPP_MAX_EXITED + 1);
	config.n_min_mode = CHOOSE(bytes, 0, 1, 2, 3);
	config.max_stack = CHOOSE(bytes, 0, 1, 8, GAPP_MAX_STACK, GAPP_MAX_STACK + 1);
	config.stack_copy_bytes = CHOOSE(bytes, 0, 64, 2048, 63, GAPP_MAX_STACK_COPY);
	config.criterion = CHOOSE(bytes, 0, 1, 2);

	if (config.n_min_mode == GAPP_N_MIN_FIXED)
		config.n_min = CHOOSE(bytes, 1, 2, 0, GAPP_MAX_THREADS + 1);
	if (config.level == GAPP_LEVEL_STATS && next(bytes) < 200)
		config = (struct gapp_config){ .abi_major = GAPP_ABI_MAJOR, .flags = config.flags };
	t_ioctl(world.files[file], GAPP_IOC_CONFIGURE, &config);
}

static pid_t some_pid(struct bytes *bytes)
{
	return CHOOSE(bytes, targets[0].pid, targets[1].pid, targets[2].pid, getpid(), 0, -1, 1, 2);
}

static void call_add_process(struct bytes *bytes, u32 file)
{
	struct gapp_add_process process = { .pid = some_pid(bytes) };

	process.flags = CHOOSE(bytes, 0, 1, 2, 3, 4);
	process.reserved[0] = CHOOSE(bytes, 0, 0, 0, 1);
	t_ioctl(world.files[file], GAPP_IOC_ADD_PROCESS, &process);
}

static void call_add_executable(struct bytes *bytes, u32 file)
{
	static const char *const paths[] = { "/proc/self/exe", "/bin/busybox", "/", "/dev/null",
					     GAPP_NODE };
	int fd = open(paths[next(bytes) % ARRAY_SIZE(paths)], O_RDONLY | O_CLOEXEC);
	struct gapp_add_executable exe = { .fd = CHOOSE(bytes, fd, -1, 9999),
					   .flags = CHOOSE(bytes, 0, 1, 2) };

	t_ioctl(world.files[file], GAPP_IOC_ADD_EXECUTABLE, &exe);
	if (fd >= 0)
		close(fd);
}

static void call_add_selection(struct bytes *bytes, u32 file)
{
	static const char *const names[] = { "", "*", "explore", "[a-", "*[!a]*\\" };
	static const char *const paths[] = { "/sys/fs/cgroup", "/", "/dev/null" };
	int fd = open(paths[next(bytes) % ARRAY_SIZE(paths)], O_RDONLY | O_CLOEXEC);
	struct gapp_add_selection selection = { .cgroup_fd = CHOOSE(bytes, fd, -1, -2, 9999),
						.flags = CHOOSE(bytes, 0, 1, 2) };

	strcpy((char *)selection.comm, names[next(bytes) % ARRAY_SIZE(names)]);
	t_ioctl(world.files[file], GAPP_IOC_ADD_SELECTION, &selection);
	if (fd >= 0)
		close(fd);
}

static void call_plain(struct bytes *bytes, u32 file)
{
	static const unsigned long requests[] = { GAPP_IOC_START,  GAPP_IOC_STOP,
						  GAPP_IOC_STATUS, GAPP_IOC_COUNTERS,
						  GAPP_IOC_LAYOUT, GAPP_IOC_GET_ABI };
	unsigned long request = requests[next(bytes) % ARRAY_SIZE(requests)];

	const bool bare = !_IOC_SIZE(request);
	void *argument;

	argument = (void *)(uintptr_t)CHOOSE(bytes, bare ? 0 : (uintptr_t)buffer,
					     bare ? (uintptr_t)buffer : 0, (uintptr_t)buffer, 8,
					     ~0ULL << 40, (uintptr_t)buffer + BUFFER_BYTES - 4);
	if (!t_ioctl(world.files[file], request, argument))
		world.started += request == GAPP_IOC_START;
}

static void call_page(struct bytes *bytes, u32 file)
{
	static const unsigned long requests[] = { GAPP_IOC_THREADS,	   GAPP_IOC_PROCESSES,
						  GAPP_IOC_PARALLELISM,	   GAPP_IOC_TARGETS,
						  GAPP_IOC_THREAD_WAITS,   GAPP_IOC_HANDOVERS,
						  GAPP_IOC_THREAD_TALLIES, GAPP_IOC_CPU_TALLIES };
	unsigned long request = requests[next(bytes) % ARRAY_SIZE(requests)];
	struct gapp_page page = { 0 };

	page.buffer = CHOOSE(bytes, (uintptr_t)buffer, 0, ~0ULL << 40,
			     (uintptr_t)buffer + BUFFER_BYTES - 100);
	page.cursor = CHOOSE(bytes, 0, 1, 64, 1ULL << 32, ~0ULL);
	page.capacity = CHOOSE(bytes, 1, 64, GAPP_PAGE_MAX, GAPP_PAGE_MAX + 1, 0);
	t_ioctl(world.files[file], request, &page);
}

static void call_load(struct bytes *bytes, u32 file)
{
	struct f_table table = f_table();
	u8 *data = (u8 *)&table;
	int number;

	for (u32 i = next(bytes) % 4; i; i--) {
		u32 at = (next(bytes) << 8 | next(bytes)) % sizeof(table);

		data[at] = next(bytes);
	}
	number = f_load(world.files[file], data, CHOOSE(bytes, sizeof(table), 64, 63, 0, 1 << 20));
	if (number >= 0)
		world.tables[file] = number;
}

/* All code is a loop: who is sampled spins, until the mappings are others. */
static void call_load_spins(struct bytes *bytes, u32 file)
{
	struct {
		struct gapp_spin_head head;
		struct gapp_spin_range ranges[2];
		struct gapp_spin_location location;
		struct gapp_spin_exit exit;
	} table = {
		.head = { .magic = GAPP_SPIN_MAGIC,
			  .version = GAPP_SPIN_VERSION,
			  .arch = GAPP_ARCH_X86_64,
			  .ranges = 2,
			  .locations = 1,
			  .exits = 1 },
		.ranges = { { .begin = 4096,
			      .bytes = ~0U,
			      .flags = GAPP_SPIN_CALLS,
			      .location = 1 },
			    { .begin = 1ULL << 40, .bytes = 64 } },
		/* whatever the stack and what it points to may be */
		.location = { .terms = 3,
			      .term = { { .base = 7, .index = 0, .scale = 8 },
					{ .base = GAPP_SPIN_NO_REGISTER,
					  .index = GAPP_SPIN_NO_REGISTER },
					{ .base = 6, .index = GAPP_SPIN_NO_REGISTER } } },
		.exit = { .address = (uintptr_t)t_exact_exit,
			  .condition = X_JUMP_IF_EQUAL & 0xf,
			  .stays = GAPP_SPIN_STAYS_JUMPING },
	};
	u8 *data = (u8 *)&table;
	int number;

	for (u32 i = next(bytes) % 3; i; i--) {
		u32 at = next(bytes) % sizeof(table);

		data[at] = next(bytes);
	}
	number = f_load(world.files[file], data, CHOOSE(bytes, sizeof(table), 96, 80, 64, 95, 0));
	if (number >= 0)
		world.spins[file] = number;
}

static void call_drop(struct bytes *bytes, u32 file)
{
	f_drop(world.files[file], CHOOSE(bytes, world.tables[file], world.spins[file], 0, 1, ~0U));
}

static void call_set(struct bytes *bytes, u32 file)
{
	const u64 code = (uintptr_t)call_load & ~0xffffffffULL;
	u32 table = CHOOSE(bytes, world.tables[file], 0, 1, 7);
	u32 spins = CHOOSE(bytes, 0, world.spins[file], world.tables[file], 1);
	struct gapp_mapping maps[] = {
		{ .begin = CHOOSE(bytes, 4096, 0, 1),
		  .end = CHOOSE(bytes, 1U << 24, 4096, 1U << 31),
		  .table = table,
		  .spins = spins },
		{ .begin = CHOOSE(bytes, 1U << 24, 1U << 30, 1ULL << 46),
		  .end = CHOOSE(bytes, 1ULL << 46, 1ULL << 47, ~0ULL),
		  .table = table,
		  .bias = CHOOSE(bytes, 0, 4096, ~0ULL, code),
		  .spins = spins },
	};
	u32 image = CHOOSE(bytes, 0, world.images[file], GAPP_IMAGE_LATER, 1);

	if (!f_set(world.files[file], some_pid(bytes), &image, image ? maps : NULL,
		   image ? CHOOSE(bytes, 2, 1, 0) : 0))
		world.images[file] = image;
}

static void call_watch(struct bytes *bytes, u32 file)
{
	const uintptr_t at = (uintptr_t)&stored;
	struct gapp_watch watch = { 0 };

	watch.address = CHOOSE(bytes, at, at + 4, at + 1, (uintptr_t)buffer, 0, ~0ULL << 40, ~7ULL);
	watch.pid = some_pid(bytes);
	watch.time_ns =
		CHOOSE(bytes, NSEC_PER_MSEC * 10, GAPP_WATCH_MAX_NS, 1, GAPP_WATCH_MAX_NS + 1, 0);
	watch.stores = CHOOSE(bytes, 10, 1, GAPP_WATCH_MAX_STORES, GAPP_WATCH_MAX_STORES + 1, 0);
	watch.bytes = CHOOSE(bytes, 4, 8, 1, 2, 0, 3);
	watch.goes_on = CHOOSE(bytes, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
	watch.number = watch.goes_on ? CHOOSE(bytes, 0, 1, ~0ULL, 1ULL << 63) : 0;
	watch.reserved = CHOOSE(bytes, 0, 0, 0, 1);
	if (!watch.pid && next(bytes) < 200)
		watch = (struct gapp_watch){ 0 };
	t_ioctl(world.files[file], GAPP_IOC_WATCH, &watch);
}

static void call_exact(struct bytes *bytes, u32 file)
{
	const uintptr_t at = (uintptr_t)t_exact_begin;
	struct gapp_exact exact = { 0 };

	exact.address = CHOOSE(bytes, at, (uintptr_t)t_exact_exit, (uintptr_t)call_exact, 0, ~0ULL);
	exact.pid = some_pid(bytes);
	exact.passes = CHOOSE(bytes, GAPP_EXACT_MAX_PASSES, 3, 1, GAPP_EXACT_MAX_PASSES + 1, 0);
	if (!exact.pid && next(bytes) < 200)
		exact = (struct gapp_exact){ 0 };
	x_exact(world.files[file], &exact);
}

static void call_store_point(struct bytes *bytes, u32 file)
{
	struct gapp_store_point point = { 0 };

	point.address = CHOOSE(bytes, (uintptr_t)t_exact_begin, (uintptr_t)t_exact_exit, 0, ~0ULL);
	point.offset = CHOOSE(bytes, 0, 8, ~0ULL, 1ULL << 63);
	point.pid = some_pid(bytes);
	point.passes = CHOOSE(bytes, GAPP_STORE_POINT_MAX_PASSES, 3, 1,
			      GAPP_STORE_POINT_MAX_PASSES + 1, 0);
	point.base = CHOOSE(bytes, 0, 1, 7, 16, 17, GAPP_SPIN_NO_REGISTER);
	point.index = CHOOSE(bytes, GAPP_SPIN_NO_REGISTER, 0, 3, 200);
	point.scale = CHOOSE(bytes, 0, 1, 8, 3);
	point.bytes = CHOOSE(bytes, 4, 8, 1, 2, 0, 3);
	point.how = CHOOSE(bytes, 1, 2, 3, 4, 5, 6, 7, 0);
	point.with = CHOOSE(bytes, 0, 1, 5, 17, 200);
	point.number = point.with ? 0 : CHOOSE(bytes, 0, 1, ~0ULL);
	if (!point.pid && next(bytes) < 200)
		point = (struct gapp_store_point){ 0 };
	t_ioctl(world.files[file], GAPP_IOC_STORE_POINT, &point);
}

static void call_tally(struct bytes *bytes, u32 file)
{
	struct gapp_add_tally tally = { 0 };

	tally.source = CHOOSE(bytes, GAPP_TALLY_FAULTS, GAPP_TALLY_MIGRATIONS, GAPP_TALLY_PERF, 3);
	if (tally.source == GAPP_TALLY_PERF || next(bytes) > 200) {
		tally.type = CHOOSE(bytes, PERF_TYPE_HARDWARE, PERF_TYPE_HW_CACHE, PERF_TYPE_RAW,
				    PERF_TYPE_SOFTWARE, PERF_TYPE_BREAKPOINT, 100);
		tally.config = CHOOSE(bytes, 0, 1, 3, 0x10006, 1ULL << 40, ~0ULL);
	}
	tally.reserved[0] = CHOOSE(bytes, 0, 0, 0, 1);
	t_ioctl(world.files[file], GAPP_IOC_ADD_TALLY, &tally);
}

static void call_mmap(struct bytes *bytes, u32 file)
{
	u64 offset = CHOOSE(bytes, GAPP_MAP_RING(0), GAPP_MAP_RING(1), GAPP_MAP_READ_POSITIONS,
			    GAPP_MAP_PATHS, GAPP_MAP_RING(4000), 4096, 1ULL << 50);
	struct gapp_layout layout = { 0 };
	u64 length;
	void *at;

	if (world.mapped_count == MAPPINGS)
		return;
	t_ioctl(world.files[file], GAPP_IOC_LAYOUT, &layout);
	length = CHOOSE(bytes, layout.ring_map_bytes, layout.positions_map_bytes,
			layout.paths_map_bytes, 4096, 1ULL << 30, 0);
	at = mmap(NULL, length, CHOOSE(bytes, PROT_READ, PROT_READ | PROT_WRITE, PROT_EXEC),
		  CHOOSE(bytes, MAP_SHARED, MAP_PRIVATE), world.files[file], offset);
	if (at == MAP_FAILED)
		return;
	world.mapped[world.mapped_count].at = at;
	world.mapped[world.mapped_count++].bytes = length;
}

/* Writes somewhere in a mapping by a system call, which fails where it may not be written. */
static void call_scribble(struct bytes *bytes, u32 file)
{
	u64 word = CHOOSE(bytes, 0, 1, 4096, ~0ULL, 1ULL << 32);
	u32 which = next(bytes);
	u64 offset = next(bytes) * 64;
	int memory;

	if (!world.mapped_count)
		return;
	which %= world.mapped_count;
	/* what lies behind the mapping may be this program's own */
	offset %= world.mapped[which].bytes;
	memory = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	if (pwrite(memory, &word, sizeof(word), (uintptr_t)world.mapped[which].at + offset) < 0)
		next(bytes);
	close(memory);
	(void)file;
}

static void call_other(struct bytes *bytes, u32 file)
{
	struct pollfd ready = { .fd = world.files[file], .events = POLLIN };

	switch (next(bytes) % 5) {
	case 0:
		poll(&ready, 1, 0);
		break;
	case 1:
		if (read(world.files[file], buffer, 64) < 0)
			next(bytes);
		break;
	case 2:
		t_ioctl(world.files[file],
			_IOC(next(bytes) % 4, GAPP_IOC_MAGIC, next(bytes), next(bytes)), buffer);
		break;
	case 3:
		t_sleep(next(bytes) * 10000ULL);
		break;
	default:
		fcntl(world.files[file], F_SETFL, O_NONBLOCK);
	}
}

static void call_proc(struct bytes *bytes, u32 file)
{
	static const char *const paths[] = { "/proc/gapp/sessions", "/proc/gapp/tables",
					     "/proc/gapp/version" };
	int fd = open(paths[next(bytes) % ARRAY_SIZE(paths)], O_RDONLY | O_CLOEXEC);

	(void)file;
	while (read(fd, buffer, 1 + next(bytes)) > 0)
		;
	close(fd);
}

static void (*const calls[])(struct bytes *bytes, u32 file) = {
	call_open,  call_configure,	 call_add_process,   call_plain,
	call_page,  call_mmap,		 call_other,	     call_load,
	call_set,   call_drop,		 call_close,	     call_scribble,
	call_proc,  call_add_executable, call_add_selection, call_load_spins,
	call_watch, call_exact,		 call_tally,	     call_store_point,
};

enum {
	OPEN,
	CONFIGURE,
	ADD_PROCESS,
	PLAIN,
	PAGE,
	MMAP,
	OTHER,
	LOAD,
	SET,
	LOAD_SPINS = 15,
	WATCH,
	EXACT,
	TALLY
};

u32 e_usual(struct e_sequence *sequences)
{
	/* level, how paths are unwound; CHOOSE() takes a small byte modulo the number of its values
	 */
	static const u8 kinds[][2] = { { 0, 0 }, { 0, 1 }, { 1, 2 }, { 1, 3 }, { 2, 0 } };

	for (u32 i = 0; i < ARRAY_SIZE(kinds); i++)
		sequences[i] = (struct e_sequence){
			.count = 11,
			.calls = {
				{ OPEN, 0, 1 },
				{ CONFIGURE, 0, kinds[i][0], kinds[i][1], 0, 1 },
				{ ADD_PROCESS, 0, 0 },
				{ LOAD, 0 },
				{ SET, 0 },
				{ MMAP, 0, 0, 0, 0, 0 },
				{ PLAIN, 0, 0 },
				{ OTHER, 0, 3, 200 },
				{ PAGE, 0, 0, 0, 0, 1 },
				{ PLAIN, 0, 3 },
				{ PLAIN, 0, 1 },
			},
		};
	/* all that is sampled spins; the address space is asked for, and then its mappings are set
	 */
	sequences[ARRAY_SIZE(kinds)] = (struct e_sequence){
		.count = 10,
		.calls = {
			{ OPEN, 0, 1 },
			{ CONFIGURE, 0, 1, 1, 17, 2 },
			{ ADD_PROCESS, 0, 0 },
			{ LOAD_SPINS, 0 },
			{ PLAIN, 0, 0 },
			{ SET, 0 },
			{ SET, 0, 1, 1, 0, 0, 0, 0, 3, 1 },
			{ OTHER, 0, 3, 200 },
			{ PLAIN, 0, 3 },
			{ PLAIN, 0, 1 },
		},
	};
	/* when the processes have run: watches a word, another one, nothing, a word until STOP */
	sequences[ARRAY_SIZE(kinds) + 1] = (struct e_sequence){
		.count = 14,
		.calls = {
			{ OPEN, 0, 1 },
			{ CONFIGURE, 0, 1, 1, 17, 2 },
			{ ADD_PROCESS, 0, 0 },
			{ ADD_PROCESS, 0, 1 },
			{ PLAIN, 0, 0 },
			{ OTHER, 0, 3, 200 },
			{ WATCH, 0, 0, 0, 0, 0, 0, 1, 0 },
			{ OTHER, 0, 3, 200 },
			{ WATCH, 0, 1, 1, 1, 2, 0, 0, 0 },
			{ OTHER, 0, 3, 200 },
			{ WATCH, 0, 0, 4 },
			{ WATCH, 0, 0, 0, 1, 2, 1, 0 },
			{ OTHER, 0, 3, 200 },
			{ PLAIN, 0, 1 },
		},
	};
	/* a loop of a process is timed exactly, by its begin and its exit, and then no more */
	sequences[ARRAY_SIZE(kinds) + 2] = (struct e_sequence){
		.count = 13,
		.calls = {
			{ OPEN, 0, 1 },
			{ CONFIGURE, 0, 1, 1, 17, 2 },
			{ ADD_PROCESS, 0, 0 },
			{ LOAD_SPINS, 0 },
			{ PLAIN, 0, 0 },
			{ SET, 0 },
			{ SET, 0, 1, 1, 0, 0, 0, 0, 3, 1 },
			{ EXACT, 0, 0, 0, 0 },
			{ OTHER, 0, 3, 200 },
			{ EXACT, 0, 0, 4, 0 },
			{ EXACT, 0, 1, 0, 1 },
			{ OTHER, 0, 3, 200 },
			{ PLAIN, 0, 1 },
		},
	};
	return ARRAY_SIZE(kinds) + 3;
}

void e_run(const struct e_sequence *sequence)
{
	struct bytes none = { 0 };

	for (u32 i = 0; i < sequence->count; i++) {
		const u8 *call = sequence->calls[i];
		struct bytes bytes = { call + 2, E_CALL_BYTES - 2 };

		calls[call[0] % ARRAY_SIZE(calls)](&bytes, call[1] % FILES);
	}
	while (world.mapped_count) {
		world.mapped_count--;
		munmap(world.mapped[world.mapped_count].at, world.mapped[world.mapped_count].bytes);
	}
	for (u32 i = 0; i < FILES; i++)
		call_close(&none, i);
	memset(world.tables, 0, sizeof(world.tables));
	memset(world.spins, 0, sizeof(world.spins));
	memset(world.images, 0, sizeof(world.images));
}

/* Blocks often, and now and then has a child. */
static void lively(struct t_child *parent, void *unused)
{
	(void)unused;
	t_tell(parent);
	signal(SIGCHLD, SIG_IGN);
	for (u32 i = 0;; i++) {
		t_burn_until(t_now() + 20000);
		stored = i;
		x_look_until(&(const int){ 1 });
		t_sleep(100000);
		if (i % 64 == 0 && !fork())
			_exit(0);
	}
}

unsigned long e_started(void)
{
	return world.started;
}

void e_begin(void)
{
	/* behind it a page of nothing: the module is told of more room than the buffer has */
	buffer = mmap(NULL, BUFFER_BYTES + sysconf(_SC_PAGESIZE), PROT_NONE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (buffer == MAP_FAILED || mprotect(buffer, BUFFER_BYTES, PROT_READ | PROT_WRITE))
		t_die("mmap");
	memset(world.files, -1, sizeof(world.files));
	for (u32 i = 0; i < TARGETS; i++) {
		targets[i] = t_fork(lively, NULL);
		t_hear(&targets[i]);
	}
}

void e_end(void)
{
	for (u32 i = 0; i < TARGETS; i++)
		t_kill(&targets[i]);
}
