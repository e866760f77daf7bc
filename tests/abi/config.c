// SPDX-License-Identifier: GPL-2.0
/* CONFIGURE: what it takes and refuses of what records are asked for. */
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "groups.h"
#include "records.h"
#include "wakers.h"

struct config_case {
	const char *name;
	struct gapp_config config;
};

#define CONFIG(name, of_level, ...)                                                       \
	{                                                                                 \
		name,                                                                     \
		{                                                                         \
			.abi_major = GAPP_ABI_MAJOR, .max_exited = 100, .max_threads = 8, \
			.level = of_level, __VA_ARGS__                                    \
		}                                                                         \
	}
#define STATS(name, ...) CONFIG("stats, " name, GAPP_LEVEL_STATS, __VA_ARGS__)
#define CRITICAL(name, ...) CONFIG(name, GAPP_LEVEL_CRITICAL, __VA_ARGS__)
#define TRACE(name, ...) CONFIG("trace, " name, GAPP_LEVEL_TRACE, __VA_ARGS__)

static const struct config_case refused[] = {
	CONFIG("level 3", 3),
	CONFIG("level 255", 255),
	CRITICAL("criterion 2", .criterion = 2),
	CRITICAL("criterion 255", .criterion = 255),
	CRITICAL("rate too high", .rate_hz = GAPP_MAX_RATE_HZ + 1),
	CRITICAL("rate ~0", .rate_hz = ~0U),
	CRITICAL("max_stack too high", .max_stack = GAPP_MAX_STACK + 1),
	CRITICAL("max_stack 65535", .max_stack = 65535),
	CRITICAL("ring of 1", .ring_bytes = 1),
	CRITICAL("ring too small", .ring_bytes = GAPP_MIN_RING / 2),
	CRITICAL("ring a little too small", .ring_bytes = GAPP_MIN_RING - 1),
	CRITICAL("ring no power of two", .ring_bytes = GAPP_MIN_RING + 4096),
	CRITICAL("ring too large", .ring_bytes = GAPP_MAX_RING * 2),
	CRITICAL("ring 1 << 31", .ring_bytes = 1U << 31),
	CRITICAL("ring ~0", .ring_bytes = ~0U),
	CRITICAL("paths 1", .paths = 1),
	CRITICAL("too few paths", .paths = GAPP_MIN_PATHS / 2),
	CRITICAL("paths no power of two", .paths = GAPP_MIN_PATHS + 1),
	CRITICAL("too many paths", .paths = GAPP_MAX_PATHS * 2),
	CRITICAL("paths 1 << 31", .paths = 1U << 31),
	CRITICAL("paths ~0", .paths = ~0U),
	CRITICAL("flags 1 << 14", .flags = 1U << 14),
	CRITICAL("tallies of slices without tallies", .flags = GAPP_CONFIG_SLICE_TALLIES),
	CRITICAL("paths of wakers without wakers", .flags = GAPP_CONFIG_WAKER_PATHS),
	CRITICAL("handovers without waits", .flags = GAPP_CONFIG_HANDOVERS),
	CRITICAL("flags ~0", .flags = ~0U),
	CRITICAL("reserved", .reserved = { 1 }),
	CRITICAL("reserved, the last", .reserved = { 0, 0, 255 }),
	CRITICAL("calls 5", .unwind_by = 5),
	CRITICAL("calls 255", .unwind_by = 255),
	CRITICAL("tail of 4", .stack_copy_bytes = 4),
	CRITICAL("tail too small", .stack_copy_bytes = GAPP_MIN_STACK_COPY - 8),
	CRITICAL("tail no multiple of 8", .stack_copy_bytes = GAPP_MIN_STACK_COPY + 4),
	CRITICAL("tail too large", .stack_copy_bytes = GAPP_MAX_STACK_COPY + 8),
	CRITICAL("tail ~0", .stack_copy_bytes = ~0U),
	CRITICAL("tail ~7", .stack_copy_bytes = ~7U),
	CRITICAL("tail above an eighth of the ring", .stack_copy_bytes = GAPP_MIN_RING / 8 + 8,
		 .ring_bytes = GAPP_MIN_RING, .unwind_by = GAPP_UNWIND_BY_AUTO),
	CRITICAL("largest tail, small ring", .stack_copy_bytes = GAPP_MAX_STACK_COPY,
		 .ring_bytes = 4 * GAPP_MAX_STACK_COPY, .unwind_by = GAPP_UNWIND_BY_COPY),
	CRITICAL("verify, by frame pointers", .flags = GAPP_CONFIG_VERIFY),
	CRITICAL("verify, auto", .flags = GAPP_CONFIG_VERIFY, .unwind_by = GAPP_UNWIND_BY_AUTO),
	CRITICAL("verify, copy", .flags = GAPP_CONFIG_VERIFY, .unwind_by = GAPP_UNWIND_BY_COPY),
	CRITICAL("verify, none", .flags = GAPP_CONFIG_VERIFY, .unwind_by = GAPP_UNWIND_BY_NONE),
	TRACE("ring no power of two", .ring_bytes = 3U << 14),
	TRACE("criterion 2", .criterion = 2),
	STATS("min_critical_ns", .min_critical_ns = 1),
	STATS("min_critical_ns, high half", .min_critical_ns = 1ULL << 32),
	STATS("rate", .rate_hz = 1),
	STATS("ring", .ring_bytes = GAPP_DEFAULT_RING),
	STATS("paths", .paths = GAPP_DEFAULT_PATHS),
	STATS("max_stack", .max_stack = GAPP_DEFAULT_STACK),
	STATS("criterion", .criterion = GAPP_CRITERION_AVERAGE),
	STATS("kernel paths", .flags = GAPP_CONFIG_KERNEL_PATHS),
	STATS("wakers", .flags = GAPP_CONFIG_WAKERS),
	STATS("waits", .flags = GAPP_CONFIG_WAITS),
	STATS("handovers", .flags = GAPP_CONFIG_WAITS | GAPP_CONFIG_HANDOVERS),
	STATS("paths of wakers", .flags = GAPP_CONFIG_WAKERS | GAPP_CONFIG_WAKER_PATHS),
	STATS("files of waits", .flags = GAPP_CONFIG_WAIT_FILES),
	STATS("kernel locks", .flags = GAPP_CONFIG_KERNEL_LOCKS),
	STATS("tallies of slices", .flags = GAPP_CONFIG_TALLIES | GAPP_CONFIG_SLICE_TALLIES),
	STATS("verify", .flags = GAPP_CONFIG_VERIFY),
	STATS("verify, table", .flags = GAPP_CONFIG_VERIFY, .unwind_by = GAPP_UNWIND_BY_TABLE),
	STATS("calls", .unwind_by = GAPP_UNWIND_BY_AUTO),
	STATS("no calls", .unwind_by = GAPP_UNWIND_BY_NONE),
	STATS("tail", .stack_copy_bytes = GAPP_DEFAULT_STACK_COPY),
};

static const struct config_case taken[] = {
	CRITICAL("all defaults"),
	CRITICAL("min_critical_ns 1", .min_critical_ns = 1),
	CRITICAL("min_critical_ns ~0", .min_critical_ns = ~0ULL),
	CRITICAL("rate 1", .rate_hz = 1),
	CRITICAL("rate as high as may be", .rate_hz = GAPP_MAX_RATE_HZ),
	CRITICAL("max_stack 1", .max_stack = 1, .rate_hz = 999),
	CRITICAL("max_stack as high as may be", .max_stack = GAPP_MAX_STACK, .rate_hz = 999),
	CRITICAL("smallest ring", .ring_bytes = GAPP_MIN_RING),
	CRITICAL("largest ring", .ring_bytes = GAPP_MAX_RING),
	CRITICAL("fewest paths", .paths = GAPP_MIN_PATHS),
	CRITICAL("most paths", .paths = GAPP_MAX_PATHS),
	CRITICAL("average", .criterion = GAPP_CRITERION_AVERAGE, .rate_hz = 333),
	CRITICAL("kernel paths", .flags = GAPP_CONFIG_KERNEL_PATHS, .rate_hz = 333),
	CRITICAL("wakers", .flags = GAPP_CONFIG_WAKERS),
	CRITICAL("waits", .flags = GAPP_CONFIG_WAITS, .rate_hz = 999),
	CRITICAL("handovers", .flags = GAPP_CONFIG_WAITS | GAPP_CONFIG_HANDOVERS, .rate_hz = 999),
	CRITICAL("paths of wakers", .flags = GAPP_CONFIG_WAKERS | GAPP_CONFIG_WAKER_PATHS,
		 .rate_hz = 999),
	CRITICAL("files of waits", .flags = GAPP_CONFIG_WAIT_FILES, .rate_hz = 999),
	CRITICAL("kernel locks", .flags = GAPP_CONFIG_KERNEL_LOCKS, .rate_hz = 999),
	CRITICAL("tallies of slices", .flags = GAPP_CONFIG_TALLIES | GAPP_CONFIG_SLICE_TALLIES),
	CRITICAL("each process", .flags = GAPP_CONFIG_PER_PROCESS),
	CRITICAL("auto", .unwind_by = GAPP_UNWIND_BY_AUTO, .rate_hz = 999),
	CRITICAL("table", .unwind_by = GAPP_UNWIND_BY_TABLE, .rate_hz = 999),
	CRITICAL("copy", .unwind_by = GAPP_UNWIND_BY_COPY, .rate_hz = 999),
	CRITICAL("no calls", .unwind_by = GAPP_UNWIND_BY_NONE, .rate_hz = 999),
	CRITICAL("verify", .unwind_by = GAPP_UNWIND_BY_TABLE, .flags = GAPP_CONFIG_VERIFY,
		 .rate_hz = 999),
	CRITICAL("smallest tail", .unwind_by = GAPP_UNWIND_BY_AUTO,
		 .stack_copy_bytes = GAPP_MIN_STACK_COPY),
	CRITICAL("largest tail", .unwind_by = GAPP_UNWIND_BY_COPY,
		 .stack_copy_bytes = GAPP_MAX_STACK_COPY),
	CRITICAL("largest tail, smallest ring for it", .unwind_by = GAPP_UNWIND_BY_COPY,
		 .stack_copy_bytes = GAPP_MAX_STACK_COPY, .ring_bytes = 8 * GAPP_MAX_STACK_COPY),
	CRITICAL("an eighth of the smallest ring", .unwind_by = GAPP_UNWIND_BY_AUTO,
		 .stack_copy_bytes = GAPP_MIN_RING / 8, .ring_bytes = GAPP_MIN_RING),
	TRACE("defaults"),
	TRACE("all flags but all",
	      .flags = GAPP_CONFIG_KERNEL_PATHS | GAPP_CONFIG_WAKERS | GAPP_CONFIG_PER_PROCESS),
	TRACE("handovers", .flags = GAPP_CONFIG_WAITS | GAPP_CONFIG_HANDOVERS),
	TRACE("files of waits, no calls", .unwind_by = GAPP_UNWIND_BY_NONE,
	      .flags = GAPP_CONFIG_WAIT_FILES | GAPP_CONFIG_WAITS),
	TRACE("verify too", .unwind_by = GAPP_UNWIND_BY_TABLE,
	      .flags = GAPP_CONFIG_KERNEL_PATHS | GAPP_CONFIG_WAKERS | GAPP_CONFIG_PER_PROCESS |
		       GAPP_CONFIG_VERIFY),
	STATS("nothing else"),
	STATS("each process", .flags = GAPP_CONFIG_PER_PROCESS),
};

static int configure(int fd, const struct gapp_config *config)
{
	struct gapp_config copy = *config;

	return t_ioctl(fd, GAPP_IOC_CONFIGURE, &copy);
}

/* Follows @target, or everybody, for a moment. */
static void run(const struct config_case *try, pid_t target)
{
	int fd = t_open();
	int ret = configure(fd, &try->config);

	t_expect(ret, T_OK, "CONFIGURE %s", try->name);
	if (!ret) {
		if (target)
			t_expect(t_add(fd, target, 0), T_OK, "ADD_TARGET with %s", try->name);
		t_expect(t_start(fd), T_OK, "START with %s", try->name);
		t_sleep(5 * NSEC_PER_MSEC);
		t_expect(t_stop(fd), T_OK, "STOP with %s", try->name);
	}
	close(fd);
}

void config_records(void)
{
	const struct config_case all = { "all processes, all flags",
					 { .abi_major = GAPP_ABI_MAJOR,
					   .level = GAPP_LEVEL_TRACE,
					   .flags = GAPP_CONFIG_ALL | GAPP_CONFIG_KERNEL_PATHS |
						    GAPP_CONFIG_WAKERS | GAPP_CONFIG_PER_PROCESS,
					   .rate_hz = 1000 } };
	struct t_child target = t_fork(t_idle, NULL);
	struct gapp_config other = t_config(GAPP_LEVEL_CRITICAL);
	struct gapp_status status;
	int fd = t_open();

	t_hear(&target);
	other.abi_major++;
	other.level = 255;
	t_expect(configure(fd, &other), -EPROTONOSUPPORT, "CONFIGURE another ABI and nonsense");
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++)
		t_expect(configure(fd, &refused[i].config), -EINVAL, "CONFIGURE %s",
			 refused[i].name);
	t_status(fd, &status);
	t_check(status.state == GAPP_SESSION_NEW, "a refused CONFIGURE changes nothing",
		"state is %u", status.state);
	close(fd);
	for (size_t i = 0; i < ARRAY_SIZE(taken); i++)
		run(&taken[i], target.pid);
	run(&all, 0);
	t_kill(&target);
}

static void check_layout(u32 ring_bytes, u32 paths)
{
	struct gapp_config config = t_config(GAPP_LEVEL_CRITICAL);
	struct gapp_layout layout;
	u32 wanted_ring = ring_bytes ? ring_bytes : GAPP_DEFAULT_RING;
	u32 wanted_paths = paths ? paths : GAPP_DEFAULT_PATHS;
	u64 page = sysconf(_SC_PAGESIZE);
	char name[80];
	int fd;

	config.ring_bytes = ring_bytes;
	config.paths = paths;
	fd = t_session(&config);
	r_layout(fd, &layout);
	snprintf(name, sizeof(name), "LAYOUT of rings of %u, %u paths", ring_bytes, paths);
	t_check(layout.ring_bytes == wanted_ring && layout.path_slots == wanted_paths &&
			r_cpu_is("possible", layout.cpus - 1) &&
			!r_cpu_is("possible", layout.cpus) &&
			layout.ring_data >= sizeof(struct gapp_ring) &&
			layout.ring_map_bytes >= layout.ring_data + wanted_ring &&
			layout.position_stride >= sizeof(u64) && layout.position_stride % 8 == 0 &&
			layout.positions_map_bytes >= (u64)layout.cpus * layout.position_stride &&
			layout.path_words >= wanted_paths && layout.path_words_at % 8 == 0 &&
			layout.path_words_at >=
				layout.path_slots_at + wanted_paths * sizeof(struct gapp_path) &&
			layout.paths_map_bytes >= layout.path_words_at + layout.path_words * 8 &&
			layout.ring_map_bytes % page == 0 &&
			layout.positions_map_bytes % page == 0 &&
			layout.paths_map_bytes % page == 0 && !layout.reserved[0] &&
			!layout.reserved[1],
		name, "cpus %u, ring %u in %llu at %llu, paths %u, %llu words in %llu", layout.cpus,
		layout.ring_bytes, layout.ring_map_bytes, layout.ring_data, layout.path_slots,
		layout.path_words, layout.paths_map_bytes);
	close(fd);
}

void config_layout(void)
{
	static const struct gapp_layout nothing;
	struct gapp_layout layout;
	int fd = t_open();

	t_expect(r_layout(fd, &layout), -ENOTCONN, "LAYOUT before CONFIGURE");
	close(fd);
	fd = t_ready();
	t_expect(r_layout(fd, &layout), T_OK, "LAYOUT with level stats");
	t_check(!memcmp(&layout, &nothing, sizeof(layout)), "it is all zero", "cpus %u",
		layout.cpus);
	close(fd);
	check_layout(0, 0);
	check_layout(GAPP_MIN_RING, GAPP_MIN_PATHS);
	check_layout(4 * GAPP_MIN_RING, 8 * GAPP_MIN_PATHS);
}

static bool has_kernel_paths(void)
{
	struct gapp_config config = t_config(GAPP_LEVEL_CRITICAL);
	struct gapp_counters counters;
	int fd;

	config.flags = GAPP_CONFIG_KERNEL_PATHS;
	fd = t_session(&config);
	t_counters(fd, &counters);
	close(fd);
	return counters.flags & GAPP_COUNTERS_KERNEL_PATHS;
}

/* @opens opens a session while kptr_restrict is @restriction. */
static bool restricted_to(const char *restriction, bool (*opens)(void))
{
	int setting = open("/proc/sys/kernel/kptr_restrict", O_RDWR | O_CLOEXEC);
	char before[16] = "";
	bool result;

	if (setting < 0 || read(setting, before, sizeof(before) - 1) < 1 ||
	    pwrite(setting, restriction, 1, 0) != 1)
		t_die("kptr_restrict");
	result = opens();
	if (pwrite(setting, before, 1, 0) != 1)
		t_die("kptr_restrict");
	close(setting);
	return result;
}

/* Kernel addresses are for those who have CAP_SYSLOG, whatever else they may. */
static void give_up_syslog(struct t_child *parent, void *arg)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];

	if (syscall(SYS_capget, &head, sets))
		t_die("capget");
	sets[CAP_TO_INDEX(CAP_SYSLOG)].effective &= ~CAP_TO_MASK(CAP_SYSLOG);
	if (syscall(SYS_capset, &head, sets))
		t_die("capset");
	*(bool *)arg = has_kernel_paths();
	t_tell(parent);
}

static bool has_without_syslog(void)
{
	bool *result = mmap(NULL, sizeof(*result), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct t_child opener = t_fork(give_up_syslog, result);
	bool has;

	t_hear(&opener);
	has = *result;
	t_kill(&opener);
	munmap(result, sizeof(*result));
	return has;
}

/* What root's id does without any right, as in a container. */
static void look_without_rights(struct t_child *parent, void *arg)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { { 0 } };
	const char *const files[] = { "sessions", "tables", "probes" };
	const struct gapp_status *status = arg;
	char path[80], byte;
	int fd;

	if (syscall(SYS_capset, &head, none))
		t_die("capset");
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		snprintf(path, sizeof(path), "/proc/gapp/%s", files[i]);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		t_check(fd >= 0 && read(fd, &byte, 1) < 0 && errno == EPERM,
			"root's id without rights reads nothing", "%s: %s", path, strerror(errno));
		close(fd);
	}
	snprintf(path, sizeof(path), "/proc/gapp/session-%u/threads", status->id);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	t_check(fd >= 0 && read(fd, &byte, 1) < 0 && errno == EPERM, "nor of a session's threads",
		"%s", strerror(errno));
	close(fd);
	snprintf(path, sizeof(path), "/proc/gapp/session-%u/end", status->id);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	t_check(fd >= 0 && write(fd, "1", 1) < 0 && errno == EPERM, "and ends no session", "%s",
		strerror(errno));
	close(fd);
	fflush(stdout);
	t_tell(parent);
}

void config_without_rights(void)
{
	struct t_child target = t_fork(t_idle, NULL), looker;
	struct gapp_config config = t_config(GAPP_LEVEL_STATS);
	struct gapp_status status;
	int fd = t_session(&config);

	t_hear(&target);
	t_add(fd, target.pid, 0);
	t_expect(t_start(fd), T_OK, "START");
	t_status(fd, &status);
	looker = t_fork(look_without_rights, &status);
	t_hear(&looker);
	t_kill(&looker);
	t_expect(t_stop(fd), T_OK, "STOP of a session that nobody has ended");
	close(fd);
	t_kill(&target);
}

void config_kernel_paths(void)
{
	t_check(restricted_to("1", has_kernel_paths), "root may see kernel paths",
		"COUNTERS say no");
	t_check(!restricted_to("2", has_kernel_paths), "not where nobody may", "COUNTERS say yes");
	t_check(!restricted_to("0", has_without_syslog),
		"nor without CAP_SYSLOG, even where /proc hides nothing", "COUNTERS say yes");
}

void wakers_told(void)
{
	wakers_check(true);
}

/* As long as nothing has come all is zero; after STOP nothing changes. */
void config_counters(void)
{
	static const struct gapp_counters nothing;
	struct gapp_config config = t_config(GAPP_LEVEL_CRITICAL);
	struct t_child target = t_fork(t_idle, NULL);
	struct gapp_counters counters, again;
	struct gapp_layout before, after;
	int fd = t_open();

	t_hear(&target);
	t_counters(fd, &counters);
	t_check(!memcmp(&counters, &nothing, sizeof(counters)),
		"COUNTERS before CONFIGURE are all zero", "switches %llu", counters.switches);
	close(fd);

	config.rate_hz = 1000;
	config.flags = GAPP_CONFIG_KERNEL_PATHS;
	fd = t_session(&config);
	t_counters(fd, &counters);
	t_check(!counters.slices && !counters.records && !counters.paths && !counters.probe_calls &&
			!(counters.flags & ~GAPP_COUNTERS_KERNEL_PATHS) && !counters.post_waits &&
			!counters.posts && !counters.longest_ns,
		"COUNTERS before START", "slices %llu, paths %llu, flags %#x", counters.slices,
		counters.paths, counters.flags);
	r_layout(fd, &before);
	t_add(fd, target.pid, 0);
	t_expect(t_start(fd), T_OK, "START");
	r_layout(fd, &after);
	t_check(!memcmp(&before, &after, sizeof(before)), "LAYOUT is the same while running", " ");
	t_counters(fd, &counters);
	/* so that it switches */
	kill(target.pid, SIGSTOP);
	t_sleep(5 * NSEC_PER_MSEC);
	kill(target.pid, SIGCONT);
	t_sleep(5 * NSEC_PER_MSEC);
	t_counters(fd, &again);
	t_check(again.probe_calls > counters.probe_calls && again.switches >= counters.switches,
		"COUNTERS grow while running", "%llu calls after %llu", again.probe_calls,
		counters.probe_calls);
	t_expect(t_stop(fd), T_OK, "STOP");
	r_layout(fd, &after);
	t_check(!memcmp(&before, &after, sizeof(before)), "LAYOUT is the same after STOP", " ");
	t_counters(fd, &counters);
	t_sleep(20 * NSEC_PER_MSEC);
	t_counters(fd, &again);
	t_check(!memcmp(&counters, &again, sizeof(again)) && counters.probe_calls,
		"COUNTERS do not change after STOP", "%llu calls, then %llu", counters.probe_calls,
		again.probe_calls);
	close(fd);
	t_kill(&target);
}
