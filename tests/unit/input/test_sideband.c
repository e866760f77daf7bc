// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel's events: made-up records, and live ones of a child that execs this
 * program, loads a library and is gone before anybody looks.
 */
#include "made_up.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "input/sideband.h"
#include "input/sideband.h"

/* Part of libc's package, and not what this program is linked with. */
#define LIBRARY "libresolv.so.2"
#define LIBRARY_FUNCTION "ns_sprintrr"

/* What the child tells of itself. */
struct sent {
	u64 function;
	u64 library_function;
};

static struct wakeup news;
static struct sideband *sideband;
static const char *reason;

union record {
	struct perf_event_header header;
	u64 words[512];
	u8 bytes[4096];
};

static void put_header(union record *record, u32 type, u16 misc, u16 size)
{
	record->header = (struct perf_event_header){ .type = type, .misc = misc, .size = size };
	/* sample_id: the time last */
	if (size >= sizeof(u64) && size <= sizeof(*record))
		record->words[size / sizeof(u64) - 1] = 12345;
}

static enum sideband_result make(union record *record, struct sideband_event **event)
{
	*event = NULL;
	return sideband_event_new(&record->header, event);
}

/* An mmap2 record: header, ids, start, length, offset, device, inode, generation, protection. */
static u16 mmap_record(union record *record, const char *path, size_t room)
{
	u16 size = 72 + room + 16;
	u32 *halves = (u32 *)record->bytes;

	memset(record, 0, sizeof(*record));
	halves[2] = 77;
	halves[3] = 78;
	record->words[2] = 0x1000;
	record->words[3] = 0x2000;
	record->words[4] = 0x3000;
	halves[10] = 8;
	halves[11] = 1;
	record->words[6] = 99;
	halves[16] = PROT_READ | PROT_EXEC;
	memcpy(record->bytes + 72, path, strlen(path));
	put_header(record, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, size);
	return size;
}

static bool no_memory;

/* In place of the sanitizer's, which it calls. */
void *malloc(size_t size)
{
	static void *(*next)(size_t size);

	if (!next)
		next = dlsym(RTLD_NEXT, "malloc");
	return no_memory ? NULL : next(size);
}

static void reads_mmap(void **state)
{
	enum sideband_result starved;
	struct sideband_event *event;
	union record record;

	(void)state;
	mmap_record(&record, "/lib/x", 8);
	assert_int_equal(make(&record, &event), SIDEBAND_EVENT);
	assert_int_equal(event->kind, SIDEBAND_MMAP);
	assert_int_equal(event->time_ns, 12345);
	assert_int_equal(event->pid, 77);
	assert_int_equal(event->start, 0x1000);
	assert_int_equal(event->length, 0x2000);
	assert_int_equal(event->offset, 0x3000);
	assert_true(event->dev == makedev(8, 1));
	assert_int_equal(event->inode, 99);
	assert_string_equal(event->path, "/lib/x");
	free(event);
	no_memory = true;
	starved = make(&record, &event);
	no_memory = false;
	assert_int_equal(starved, SIDEBAND_NO_MEMORY);

	/* not executable */
	((u32 *)record.bytes)[16] = PROT_READ;
	assert_int_equal(make(&record, &event), SIDEBAND_UNUSED);
}

static void refuses_odd_mmaps(void **state)
{
	struct sideband_event *event;
	union record record;

	(void)state;
	/* no end of the path; no path; no room for the fixed part; no room for anything */
	mmap_record(&record, "/lib/xxx", 8);
	assert_int_equal(make(&record, &event), SIDEBAND_MALFORMED);
	mmap_record(&record, "", 0);
	assert_int_equal(make(&record, &event), SIDEBAND_MALFORMED);
	for (u16 size = 8; size < 88; size += 8) {
		put_header(&record, PERF_RECORD_MMAP2, 0, size);
		assert_int_equal(make(&record, &event), SIDEBAND_MALFORMED);
	}
	put_header(&record, PERF_RECORD_MMAP2, 0, 97);
	assert_int_equal(make(&record, &event), SIDEBAND_MALFORMED);
}

static enum sideband_result task(u32 type, u32 pid, u32 parent, u32 tid, u16 size,
				 struct sideband_event **event)
{
	union record record = { 0 };
	u32 *halves = (u32 *)record.bytes;

	halves[2] = pid;
	halves[3] = parent;
	halves[4] = tid;
	put_header(&record, type, 0, size);
	return make(&record, event);
}

static void reads_fork_and_exit(void **state)
{
	struct sideband_event *event;

	(void)state;
	assert_int_equal(task(PERF_RECORD_FORK, 5, 4, 5, 48, &event), SIDEBAND_EVENT);
	assert_int_equal(event->kind, SIDEBAND_FORK);
	assert_int_equal(event->pid, 5);
	assert_int_equal(event->parent, 4);
	free(event);
	assert_int_equal(task(PERF_RECORD_FORK, 5, 5, 6, 48, &event), SIDEBAND_UNUSED);
	assert_int_equal(task(PERF_RECORD_EXIT, 5, 4, 5, 48, &event), SIDEBAND_EVENT);
	assert_int_equal(event->kind, SIDEBAND_EXIT);
	free(event);
	assert_int_equal(task(PERF_RECORD_EXIT, 5, 4, 6, 48, &event), SIDEBAND_UNUSED);
	assert_int_equal(task(PERF_RECORD_FORK, 5, 4, 5, 40, &event), SIDEBAND_MALFORMED);
	assert_int_equal(task(PERF_RECORD_EXIT, 5, 4, 5, 24, &event), SIDEBAND_MALFORMED);
}

static void reads_exec_and_lost(void **state)
{
	struct sideband_event *event;
	union record record = { 0 };

	(void)state;
	((u32 *)record.bytes)[2] = 9;
	put_header(&record, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, 40);
	assert_int_equal(make(&record, &event), SIDEBAND_EVENT);
	assert_int_equal(event->kind, SIDEBAND_EXEC);
	assert_int_equal(event->pid, 9);
	free(event);
	put_header(&record, PERF_RECORD_COMM, 0, 40);
	assert_int_equal(make(&record, &event), SIDEBAND_UNUSED);
	put_header(&record, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, 24);
	assert_int_equal(make(&record, &event), SIDEBAND_MALFORMED);

	memset(&record, 0, sizeof(record));
	record.words[2] = 17;
	put_header(&record, PERF_RECORD_LOST, 0, 40);
	assert_int_equal(make(&record, &event), SIDEBAND_EVENT);
	assert_int_equal(event->kind, SIDEBAND_LOST);
	assert_int_equal(event->lost, 17);
	free(event);
	put_header(&record, PERF_RECORD_LOST, 0, 32);
	assert_int_equal(make(&record, &event), SIDEBAND_MALFORMED);
	put_header(&record, PERF_RECORD_THROTTLE, 0, 48);
	assert_int_equal(make(&record, &event), SIDEBAND_UNUSED);
}

/* The child's part, after its exec. */
static int tell(int fd)
{
	void *library = dlopen(LIBRARY, RTLD_NOW);
	struct sent told = { .function = (uintptr_t)tell };

	if (!library)
		return 1;
	told.library_function = (uintptr_t)dlsym(library, LIBRARY_FUNCTION);
	return write(fd, &told, sizeof(told)) == sizeof(told) ? 0 : 1;
}

static void is_in(struct maps *maps, pid_t pid, u64 address, const char *name)
{
	struct code_address place = maps_find(maps, pid, address);

	assert_int_equal(place.object->kind, OBJECT_FILE);
	assert_string_equal(place.object->name, name);
	assert_true(place.object->inode);
}

static void need_sideband(void)
{
	if (!sideband)
		skip_for("no side-band: %s", reason);
}

/* What happens on several CPUs must be put in order again: the child is on one that is read first.
 */
static void stay_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	/* with fewer CPUs there is nothing to put in order */
	sched_setaffinity(0, sizeof(set), &set);
}

static void a_child_that_execs_is_known_when_it_has_gone(void **state)
{
	struct objects *objects = objects_new();
	struct maps *maps = maps_new(objects);
	struct sent told = { 0 };
	cpu_set_t before;
	char number[16];
	int pipe_fds[2];
	pid_t pid;

	(void)state;
	need_sideband();
	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	assert_int_equal(pipe(pipe_fds), 0);
	stay_on(1);
	pid = fork();
	if (!pid) {
		stay_on(0);
		snprintf(number, sizeof(number), "%d", pipe_fds[1]);
		execl("/proc/self/exe", "test_sideband", "tell", number, NULL);
		_exit(1);
	}
	sched_setaffinity(0, sizeof(before), &before);
	close(pipe_fds[1]);
	assert_int_equal(read(pipe_fds[0], &told, sizeof(told)), sizeof(told));
	close(pipe_fds[0]);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_not_equal(told.library_function, 0);

	assert_int_equal(sideband_read(sideband), 0);
	sideband_apply(sideband, maps, clock_ns());
	is_in(maps, pid, told.function, "test_sideband");
	is_in(maps, pid, told.library_function, LIBRARY);
	/* its exit is known too: nobody looks into /proc, where the id may be another's */
	assert_int_equal(maps_find(maps, pid, 0x10).object->kind, OBJECT_UNKNOWN);
	assert_int_equal(sideband_lost(sideband), 0);
	maps_free(maps);
	objects_free(objects);
}

static void a_child_has_what_its_parent_had(void **state)
{
	struct objects *objects = objects_new();
	struct maps *maps = maps_new(objects);
	pid_t pid;

	(void)state;
	need_sideband();
	pid = fork();
	if (!pid)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(sideband_read(sideband), 0);
	sideband_apply(sideband, maps, UINT64_MAX);
	is_in(maps, pid, (uintptr_t)tell, "test_sideband");
	maps_free(maps);
	objects_free(objects);
}

static void events_wait_for_their_time(void **state)
{
	struct objects *objects = objects_new();
	struct maps *maps = maps_new(objects);
	u64 before = clock_ns();
	void *code, *file_code;
	int fd;

	(void)state;
	need_sideband();
	code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(code != MAP_FAILED);
	fd = memfd_create("code", MFD_CLOEXEC);
	assert_true(fd >= 0 && !ftruncate(fd, 4096));
	file_code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
	assert_true(file_code != MAP_FAILED);
	/* no longer in /proc, only in events */
	munmap(code, 4096);
	munmap(file_code, 4096);
	close(fd);

	assert_int_equal(sideband_read(sideband), 0);
	sideband_apply(sideband, maps, before);
	assert_int_equal(maps_find(maps, getpid(), (uintptr_t)code).object->kind, OBJECT_UNKNOWN);
	sideband_apply(sideband, maps, clock_ns());
	assert_string_equal(maps_find(maps, getpid(), (uintptr_t)code).object->path, "[anon]");
	assert_string_equal(maps_find(maps, getpid(), (uintptr_t)file_code).object->path,
			    "[memfd]");
	maps_free(maps);
	objects_free(objects);
}

/**
 * struct heard - events of one process and its children, as they are told
 * @pid: the process
 * @child: its last one
 * @kinds: what came of either, in that order
 * @count: how many
 */
struct heard {
	pid_t pid;
	pid_t child;
	enum sideband_kind kinds[16];
	size_t count;
};

static void hear(void *context, const struct sideband_event *event)
{
	struct heard *heard = context;

	if (event->kind == SIDEBAND_FORK && event->parent == heard->pid)
		heard->child = event->pid;
	else if (event->pid != heard->child)
		return;
	assert_true(heard->count < ARRAY_SIZE(heard->kinds));
	heard->kinds[heard->count++] = event->kind;
}

static bool has_news(int timeout_ms)
{
	struct pollfd fd = { .fd = news.fd, .events = POLLIN };

	return poll(&fd, 1, timeout_ms) > 0;
}

/* On another CPU than its fork, whose ring is read first; and before anybody asks for maps. */
static void events_are_told_at_once(void **state)
{
	struct heard heard = { .pid = getpid() };
	cpu_set_t before;
	pid_t pid;

	(void)state;
	need_sideband();
	sideband_watch(sideband, hear, &heard);
	/* what comes from other processes meanwhile is news too */
	for (int i = 0; i < 100 && has_news(0); i++) {
		wakeup_clear(&news);
		assert_int_equal(sideband_read(sideband), 0);
	}
	heard.count = 0;
	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	stay_on(1);
	pid = fork();
	if (!pid) {
		stay_on(0);
		execl("/bin/true", "true", NULL);
		_exit(1);
	}
	sched_setaffinity(0, sizeof(before), &before);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_true(has_news(10000));
	wakeup_clear(&news);
	assert_int_equal(sideband_read(sideband), 0);
	assert_int_equal(heard.child, pid);
	assert_true(heard.count >= 4);
	assert_int_equal(heard.kinds[0], SIDEBAND_FORK);
	assert_int_equal(heard.kinds[1], SIDEBAND_EXEC);
	assert_int_equal(heard.kinds[2], SIDEBAND_MMAP);
	assert_int_equal(heard.kinds[heard.count - 1], SIDEBAND_EXIT);

	/* each once */
	heard.count = 0;
	assert_int_equal(sideband_read(sideband), 0);
	assert_int_equal(heard.count, 0);
	sideband_watch(sideband, NULL, NULL);
}

/* Where both sources tell of a file, it is the same object. */
static void proc_and_events_agree(void **state)
{
	struct objects *objects = objects_new();
	struct maps *by_events = maps_new(objects), *by_proc = maps_new(objects);
	u64 address;
	void *library;

	(void)state;
	need_sideband();
	library = dlopen("libcrypt.so.1", RTLD_NOW);
	if (!library)
		library = dlopen(LIBRARY, RTLD_NOW);
	assert_non_null(library);
	address = (uintptr_t)dlsym(library, "crypt");
	if (!address)
		address = (uintptr_t)dlsym(library, LIBRARY_FUNCTION);
	assert_int_equal(sideband_read(sideband), 0);
	sideband_apply(sideband, by_events, clock_ns());
	assert_int_equal(maps_read(by_proc, getpid()), 0);
	assert_ptr_equal(maps_find(by_events, getpid(), address).object,
			 maps_find(by_proc, getpid(), address).object);
	assert_int_equal(maps_find(by_events, getpid(), address).offset,
			 maps_find(by_proc, getpid(), address).offset);
	maps_free(by_events);
	maps_free(by_proc);
	objects_free(objects);
}

/* More than its rings hold, read by nobody: told as lost, and what is needed is read anew. */
static void losses_are_counted(void **state)
{
	struct objects *objects = objects_new();
	struct maps *maps = maps_new(objects);

	(void)state;
	need_sideband();
	for (int i = 0; i < 20000; i++) {
		void *code =
			mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		assert_true(code != MAP_FAILED);
		munmap(code, 4096);
	}
	assert_int_equal(sideband_read(sideband), 0);
	/* the kernel tells of losses with the next event */
	munmap(mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 4096);
	assert_int_equal(sideband_read(sideband), 0);
	assert_true(sideband_lost(sideband) > 0);
	sideband_apply(sideband, maps, clock_ns());
	is_in(maps, getpid(), (uintptr_t)tell, "test_sideband");
	maps_free(maps);
	objects_free(objects);
}

/*
 * Moves the read position of each ring that has events to the last word there, which is a time: as
 * a header it makes no sense.
 */
static unsigned int spoil_rings(void)
{
	FILE *file = fopen("/proc/self/maps", "re");
	unsigned int spoilt = 0;
	char line[512];

	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		struct perf_event_mmap_page *page = (void *)strtoul(line, NULL, 16);

		if (!strstr(line, "[perf_event]") || page->data_head == page->data_tail)
			continue;
		page->data_tail = page->data_head - sizeof(u64);
		spoilt++;
	}
	fclose(file);
	return spoilt;
}

/* What is mapped by now is read anew, because an event may have told of something else. */
static void damaged_events_are_lost(void **state)
{
	struct objects *objects = objects_new();
	struct maps *maps = maps_new(objects);
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	u64 before;
	void *code;

	(void)state;
	need_sideband();
	code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(code != MAP_FAILED && fd >= 0);
	assert_int_equal(sideband_read(sideband), 0);
	sideband_apply(sideband, maps, clock_ns());
	assert_string_equal(maps_find(maps, getpid(), (uintptr_t)code).object->path, "[anon]");
	before = sideband_lost(sideband);

	assert_ptr_equal(mmap(code, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd, 0),
			 code);
	assert_true(spoil_rings() > 0);
	assert_int_equal(sideband_read(sideband), 0);
	assert_true(sideband_lost(sideband) > before);
	sideband_apply(sideband, maps, clock_ns());
	is_in(maps, getpid(), (uintptr_t)code, "test_sideband");
	munmap(code, 4096);
	close(fd);
	maps_free(maps);
	objects_free(objects);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_mmap),
		cmocka_unit_test(refuses_odd_mmaps),
		cmocka_unit_test(reads_fork_and_exit),
		cmocka_unit_test(reads_exec_and_lost),
		cmocka_unit_test(a_child_that_execs_is_known_when_it_has_gone),
		cmocka_unit_test(a_child_has_what_its_parent_had),
		cmocka_unit_test(events_wait_for_their_time),
		cmocka_unit_test(events_are_told_at_once),
		cmocka_unit_test(proc_and_events_agree),
		cmocka_unit_test(losses_are_counted),
		cmocka_unit_test(damaged_events_are_lost),
	};
	int failed;

	if (argc == 3 && !strcmp(argv[1], "tell"))
		_exit(tell(atoi(argv[2])));
	cmocka_set_message_output(CM_OUTPUT_TAP);
	sideband = wakeup_open(&news) ? NULL : sideband_new(&news, &reason);
	failed = cmocka_run_group_tests_name("sideband", tests, NULL, NULL);
	sideband_free(sideband);
	wakeup_close(&news);
	return failed;
}
