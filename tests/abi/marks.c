// SPDX-License-Identifier: GPL-2.0
/*
 * Marks: which lines and calls have a record and what it says, which are refused, and of whom there
 * is none. A process makes marks that the test names, in memory that both share.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "groups.h"
#include "records.h"

#define SEEN 16
#define LINE_BYTES 8192
#define MEASURED_NS (20 * NSEC_PER_MSEC)
/* The clocks of the kernel and of the module may differ by so much. */
#define SLACK_NS (NSEC_PER_MSEC / 10)

/**
 * struct scene - what the process does next
 * @act: it; NULL: writes @line
 * @line: of @bytes bytes
 * @result: what the last call returned, or a negative error number
 * @tid: thread that made the mark
 * @begin_ns: before the call
 * @end_ns: behind it
 * @used_ns: nanoseconds on CPUs between two marks
 */
struct scene {
	void (*act)(struct scene *scene);
	char line[LINE_BYTES];
	u32 bytes;
	s64 result;
	pid_t tid;
	u64 begin_ns;
	u64 end_ns;
	u64 used_ns;
};

/* A record with its text. */
struct seen {
	struct gapp_record_mark mark;
	char text[GAPP_MARK_TEXT + 9];
};

struct test {
	struct scene *scene;
	struct t_child child;
	int fd;
	struct r_reader reader;
	struct seen seen[SEEN];
	u32 count;
};

static int open_node(int flags)
{
	int fd = open(GAPP_MARK_NODE, flags | O_CLOEXEC);

	if (fd < 0)
		t_die(GAPP_MARK_NODE);
	return fd;
}

static s64 write_line(const char *line, u32 bytes)
{
	int fd = open_node(O_WRONLY);
	ssize_t result = write(fd, line, bytes);

	result = result < 0 ? -errno : result;
	close(fd);
	return result;
}

static int call(const char *text, u32 bytes, u32 kind)
{
	const struct gapp_mark mark = { .text = (uintptr_t)text, .bytes = bytes, .kind = kind };
	int fd = open_node(O_WRONLY), result = ioctl(fd, GAPP_IOC_MARK, &mark) ? -errno : 0;

	close(fd);
	return result;
}

int marks_tell(const char *text)
{
	return call(text, strlen(text), GAPP_MARK_POINT) ? 1 : 0;
}

static void act(struct scene *scene)
{
	scene->tid = t_gettid();
	scene->begin_ns = t_now();
	if (scene->act)
		scene->act(scene);
	else
		scene->result = write_line(scene->line, scene->bytes);
	scene->end_ns = t_now();
}

static void acts(struct t_child *parent, void *arg)
{
	t_tell(parent);
	for (;;) {
		t_hear(parent);
		act(arg);
		t_tell(parent);
	}
}

static void see(const struct gapp_record *record, void *arg)
{
	struct test *test = arg;
	struct seen *seen = &test->seen[test->count];

	if (record->type != GAPP_RECORD_MARK)
		return;
	if (test->count < SEEN) {
		memcpy(&seen->mark, record, sizeof(seen->mark));
		snprintf(seen->text, sizeof(seen->text), "%s",
			 r_text((const struct gapp_record_mark *)record));
	}
	test->count++;
}

static struct gapp_config marks_config(void)
{
	struct gapp_config config = t_config(GAPP_LEVEL_CRITICAL);

	config.flags = GAPP_CONFIG_MARKS;
	config.unwind_by = GAPP_UNWIND_BY_NONE;
	return config;
}

static void begin(struct test *test, const struct gapp_config *config)
{
	memset(test, 0, sizeof(*test));
	test->scene = mmap(NULL, sizeof(*test->scene), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (test->scene == MAP_FAILED)
		t_die("mmap");
	test->child = t_fork(acts, test->scene);
	t_hear(&test->child);
	test->fd = t_session(config);
	r_open(&test->reader, test->fd);
	test->reader.see = see;
	test->reader.arg = test;
	errno = -t_add(test->fd, test->child.pid, 0);
	if (!errno)
		errno = -t_start(test->fd);
	if (errno)
		t_die("START");
}

static void end(struct test *test)
{
	r_drain(&test->reader);
	t_check(!test->reader.tally.bad, "all records make sense", "%llu do not: %s",
		test->reader.tally.bad, test->reader.tally.why);
	r_close(&test->reader);
	close(test->fd);
	t_kill(&test->child);
	munmap(test->scene, sizeof(*test->scene));
}

static int earlier(const void *a, const void *b)
{
	const struct seen *x = a, *y = b;
	u64 one = x->mark.head.time_ns, other = y->mark.head.time_ns;

	return (one > other) - (one < other);
}

static void have_act(struct test *test)
{
	r_drain(&test->reader);
	test->count = 0;
	t_tell(&test->child);
	t_hear(&test->child);
	r_drain(&test->reader);
	/* rings are read CPU by CPU, and the thread may have changed its own */
	qsort(test->seen, test->count < SEEN ? test->count : SEEN, sizeof(*test->seen), earlier);
}

static void have_write(struct test *test, const char *line)
{
	test->scene->act = NULL;
	test->scene->bytes = strlen(line);
	memcpy(test->scene->line, line, test->scene->bytes);
	have_act(test);
}

static bool is_mark(const struct test *test, u32 i, u32 kind, const char *text)
{
	const struct seen *seen = &test->seen[i];

	return i < test->count && i < SEEN && seen->mark.kind == kind &&
	       !strcmp(seen->text, text) && seen->mark.bytes == strlen(text);
}

#define TEXT_63 "123456789.123456789.123456789.123456789.123456789.123456789.123"

static void lines(struct test *test)
{
	static const struct {
		const char *line;
		u32 kind;
		const char *text;
	} good[] = {
		{ "mark here\n", GAPP_MARK_POINT, "here" },
		{ "mark here", GAPP_MARK_POINT, "here" },
		{ "mark two words\n", GAPP_MARK_POINT, "two words" },
		{ "mark  x ", GAPP_MARK_POINT, " x " },
		{ "mark \xc3\xa4\xff\n", GAPP_MARK_POINT, "\xc3\xa4\xff" },
		{ "begin " TEXT_63 "\n", GAPP_MARK_BEGIN, TEXT_63 },
		{ "begin solve", GAPP_MARK_BEGIN, "solve" },
		{ "end solve\n", GAPP_MARK_END, "solve" },
		{ "end\n", GAPP_MARK_END, "" },
		{ "end", GAPP_MARK_END, "" },
	};
	const struct gapp_record_mark *mark = &test->seen[0].mark;

	for (u32 i = 0; i < ARRAY_SIZE(good); i++) {
		have_write(test, good[i].line);
		t_check(test->scene->result == test->scene->bytes && test->count == 1 &&
				is_mark(test, 0, good[i].kind, good[i].text),
			"a line has a record", "'%s' gave %lld, %u records, kind %u, '%s'",
			good[i].line, test->scene->result, test->count, mark->kind,
			test->seen[0].text);
	}
	t_check(mark->tid == test->scene->tid && mark->tgid == test->child.pid &&
			!strcmp((const char *)mark->comm, "abi_test"),
		"it says who", "thread %d of %d, '%.16s'", mark->tid, mark->tgid, mark->comm);
	t_check(mark->head.time_ns + 2 * NSEC_PER_MSEC > test->scene->begin_ns &&
			mark->head.time_ns < test->scene->end_ns + 2 * NSEC_PER_MSEC,
		"and when", "at %llu, not from %llu to %llu", mark->head.time_ns,
		test->scene->begin_ns, test->scene->end_ns);
}

static void several(struct test *test)
{
	static const char many[] = "begin a\nmark b\nend\n";
	char line[LINE_BYTES];
	u32 bytes = 0;

	have_write(test, many);
	t_check(test->scene->result == sizeof(many) - 1 && test->count == 3 &&
			is_mark(test, 0, GAPP_MARK_BEGIN, "a") &&
			is_mark(test, 1, GAPP_MARK_POINT, "b") &&
			is_mark(test, 2, GAPP_MARK_END, ""),
		"a write may have several lines", "%lld, %u records", test->scene->result,
		test->count);
	have_write(test, "mark a\nmark\nmark b\n");
	t_check(test->scene->result == 7 && test->count == 1,
		"it ends in front of a line that is no mark", "%lld, %u records",
		test->scene->result, test->count);
	while (bytes < LINE_BYTES - 16)
		bytes += snprintf(line + bytes, LINE_BYTES - bytes, "mark %04u\n", bytes / 10);
	have_write(test, line);
	t_check(test->scene->result == 4090 && test->count == 409,
		"of a page and more the whole lines of a page are taken", "%lld, %u records",
		test->scene->result, test->count);
}

static void call_each(struct scene *scene)
{
	scene->result = call("point", 5, GAPP_MARK_POINT)		   ?:
				call("section", 7, GAPP_MARK_BEGIN)	   ?:
				call("section and more", 7, GAPP_MARK_END) ?:
				call(NULL, 0, GAPP_MARK_END);
}

static void calls(struct test *test)
{
	test->scene->act = call_each;
	have_act(test);
	t_check(!test->scene->result && test->count == 4 &&
			is_mark(test, 0, GAPP_MARK_POINT, "point") &&
			is_mark(test, 1, GAPP_MARK_BEGIN, "section") &&
			is_mark(test, 2, GAPP_MARK_END, "section") &&
			is_mark(test, 3, GAPP_MARK_END, ""),
		"a call has a record", "%lld, %u records", test->scene->result, test->count);
}

static void *burn(void *unused)
{
	(void)unused;
	t_burn_until(t_now() + MEASURED_NS);
	return NULL;
}

static u64 used_ns(void)
{
	struct timespec used;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	return used.tv_sec * NSEC_PER_SEC + used.tv_nsec;
}

/* Two threads are active, and then none for about as long. */
static void measure(struct scene *scene)
{
	pthread_t thread;
	u64 begin;

	scene->result = call("two", 3, GAPP_MARK_BEGIN);
	begin = used_ns();
	errno = pthread_create(&thread, NULL, burn, NULL);
	if (errno)
		t_die("pthread_create");
	t_burn_until(t_now() + MEASURED_NS);
	pthread_join(thread, NULL);
	scene->used_ns = used_ns() - begin;
	scene->result = scene->result ?: call("none", 4, GAPP_MARK_BEGIN);
	t_sleep(MEASURED_NS);
	scene->result = scene->result ?: call(NULL, 0, GAPP_MARK_END);
}

/* From a mark to the next one: the time, and that of active threads. */
static u64 length(const struct test *test, u32 i)
{
	return test->seen[i + 1].mark.head.time_ns - test->seen[i].mark.head.time_ns;
}

static u64 active(const struct test *test, u32 i)
{
	return test->seen[i + 1].mark.thread_ns - test->seen[i].mark.thread_ns;
}

static void integrals(struct test *test)
{
	test->scene->act = measure;
	have_act(test);
	if (!t_check(!test->scene->result && test->count == 3, "three marks", "%lld, %u records",
		     test->scene->result, test->count))
		return;
	t_check(active(test, 0) + SLACK_NS >= test->scene->used_ns &&
			active(test, 0) <= 2 * length(test, 0) + SLACK_NS,
		"thread_ns grows while two threads are active", "by %llu in %llu, on CPUs for %llu",
		active(test, 0), length(test, 0), test->scene->used_ns);
	/* it may wait for a CPU before the sleep, and behind it */
	t_check(active(test, 1) < length(test, 1), "and less while none is", "by %llu in %llu",
		active(test, 1), length(test, 1));
	t_check(test->seen[2].mark.n == 1, "n has who makes the mark", "%u", test->seen[2].mark.n);
}

void marks_kinds(void)
{
	struct gapp_config config = marks_config();
	struct test test;

	begin(&test, &config);
	lines(&test);
	several(&test);
	calls(&test);
	integrals(&test);
	end(&test);
}

static void call_badly(struct scene *scene)
{
	const struct gapp_mark mark = { .text = 8, .bytes = 1 };
	void *volatile nowhere = (void *)8;
	char text[64];
	int fd = open_node(O_WRONLY);

	memset(text, 'x', sizeof(text));
	scene->result = 0;
	scene->result |= (call(text, 64, GAPP_MARK_POINT) != -EINVAL) << 0;
	scene->result |= (call(text, ~0U, GAPP_MARK_POINT) != -EINVAL) << 1;
	scene->result |= (call(text, 0, GAPP_MARK_POINT) != -EINVAL) << 2;
	scene->result |= (call(text, 0, GAPP_MARK_BEGIN) != -EINVAL) << 3;
	scene->result |= (call(text, 1, GAPP_MARK_KINDS) != -EINVAL) << 4;
	scene->result |= (call(text, 1, ~0U) != -EINVAL) << 5;
	scene->result |= (call("a\tb", 3, GAPP_MARK_POINT) != -EINVAL) << 6;
	scene->result |= (call("a\0b", 3, GAPP_MARK_END) != -EINVAL) << 7;
	scene->result |= (call("\x7f", 1, GAPP_MARK_END) != -EINVAL) << 8;
	scene->result |= (!ioctl(fd, GAPP_IOC_MARK, &mark) || errno != EFAULT) << 9;
	scene->result |= (!ioctl(fd, GAPP_IOC_MARK, nowhere) || errno != EFAULT) << 10;
	scene->result |= (!ioctl(fd, GAPP_IOC_START, 0) || errno != ENOTTY) << 11;
	scene->result |= (!ioctl(fd, GAPP_IOC_GET_ABI, text) || errno != ENOTTY) << 12;
	scene->result |= (write(fd, nowhere, 8) != -1 || errno != EFAULT) << 13;
	scene->result |= (write(fd, text, 0) != 0) << 14;
	scene->result |= (read(fd, text, 1) != -1) << 15;
	scene->result |= (lseek(fd, 0, SEEK_SET) != -1 || errno != ESPIPE) << 16;
	close(fd);
}

void marks_refused(void)
{
	static const char *const bad[] = {
		"\n",
		"mark\n",
		"mark ",
		"begin\n",
		"begin ",
		"end ",
		"marks x\n",
		"MARK x\n",
		" mark x\n",
		"markx\n",
		"mark a\tb\n",
		"mark \x7f\n",
		"mark a\r\n",
		"mark \x01\n",
		"x",
		"mark " TEXT_63 "4\n",
		"begin " TEXT_63 "4\n",
	};
	const struct gapp_config config = marks_config();
	struct gapp_config stats = t_config(GAPP_LEVEL_STATS);
	struct test test;
	int fd;

	begin(&test, &config);
	for (u32 i = 0; i < ARRAY_SIZE(bad); i++) {
		have_write(&test, bad[i]);
		t_check(test.scene->result == -EINVAL && !test.count, "no mark",
			"line %u gave %lld, %u records", i, test.scene->result, test.count);
	}
	test.scene->act = call_badly;
	have_act(&test);
	t_check(!test.scene->result && !test.count, "calls that are refused",
		"not in the cases %#llx; %u records", test.scene->result, test.count);
	end(&test);
	stats.flags = GAPP_CONFIG_MARKS;
	fd = t_open();
	t_expect(t_ioctl(fd, GAPP_IOC_CONFIGURE, &stats), -EINVAL, "marks without records");
	close(fd);
}

/* The number that the page has now. */
static u32 counted(void)
{
	int fd = open_node(O_RDWR);
	const struct gapp_mark_page *page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	u32 sessions;

	close(fd);
	if (page == MAP_FAILED)
		t_die("mmap of the node");
	sessions = __atomic_load_n(&page->sessions, __ATOMIC_RELAXED);
	munmap((void *)page, 4096);
	return sessions;
}

void marks_others(void)
{
	struct gapp_config config = marks_config(), without = config;
	struct test test, second;
	u64 records;

	without.flags = 0;
	t_check(!counted(), "no session takes marks", "%u do", counted());
	t_expect(call("x", 1, GAPP_MARK_POINT), T_OK, "a mark without any session");
	t_expect(write_line("x", 1), -EINVAL, "a line that is no mark, without any session");
	begin(&test, &without);
	t_check(!counted(), "a session without GAPP_CONFIG_MARKS does not count", "%u", counted());
	have_write(&test, "mark x");
	t_check(!test.count, "and has no records of them", "%u", test.count);
	begin(&second, &config);
	t_check(counted() == 1, "a session that takes marks counts", "%u", counted());
	test.count = 0;
	second.count = 0;
	t_expect(call("x", 1, GAPP_MARK_POINT), T_OK, "a mark of a process that is not followed");
	r_drain(&second.reader);
	t_check(!second.count, "it has no record", "%u", second.count);
	have_write(&test, "mark x");
	r_drain(&second.reader);
	t_check(!second.count, "nor has one of a process that another session follows", "%u",
		second.count);
	end(&test);
	begin(&test, &config);
	errno = -t_add(test.fd, second.child.pid, 0);
	if (errno)
		t_die("ADD_PROCESS");
	t_check(counted() == 2, "two sessions take marks", "%u", counted());
	test.count = 0;
	have_write(&second, "mark x");
	r_drain(&test.reader);
	t_check(test.count == 1 && second.count == 1,
		"a mark has a record in each session that follows the thread", "%u and %u",
		test.count, second.count);
	t_expect(t_stop(second.fd), T_OK, "STOP");
	t_check(counted() == 1, "a session that has stopped does not count", "%u", counted());
	records = second.reader.tally.records;
	have_write(&second, "mark y");
	t_check(second.reader.tally.marks == 1, "and has no record any more", "%llu of %llu",
		second.reader.tally.marks, records);
	end(&second);
	end(&test);
	t_check(!counted(), "nor does one whose file was closed", "%u", counted());
}

static void *marks_once(void *arg)
{
	struct scene *scene = arg;

	scene->tid = t_gettid();
	scene->result = call("thread", 6, GAPP_MARK_POINT);
	return NULL;
}

static void mark_in_thread(struct scene *scene)
{
	pthread_t thread;

	errno = pthread_create(&thread, NULL, marks_once, scene);
	if (errno)
		t_die("pthread_create");
	pthread_join(thread, NULL);
}

static void mark_in_child(struct scene *scene)
{
	pid_t pid = fork();

	if (!pid) {
		scene->result = call("child", 5, GAPP_MARK_POINT);
		_exit(0);
	}
	scene->tid = pid;
	if (pid < 0 || waitpid(pid, NULL, 0) != pid)
		t_die("fork");
}

static void mark_in_program(struct scene *scene)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		execl("/proc/self/exe", "abi_test", "--mark", "program", NULL);
		_exit(2);
	}
	scene->tid = pid;
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		t_die("fork");
	scene->result = status;
}

/* The descriptor of one process, used by its child. */
static void mark_by_descriptor(struct scene *scene)
{
	int fd = open_node(O_WRONLY);
	pid_t pid = fork();

	if (!pid) {
		scene->result = write(fd, "mark inherited", 14) - 14;
		_exit(0);
	}
	scene->tid = pid;
	if (pid < 0 || waitpid(pid, NULL, 0) != pid)
		t_die("fork");
	close(fd);
}

static void one_of(struct test *test, void (*act)(struct scene *scene), const char *text,
		   bool own_process)
{
	const struct gapp_record_mark *mark = &test->seen[0].mark;
	pid_t tgid;

	test->scene->act = act;
	have_act(test);
	tgid = own_process ? test->child.pid : test->scene->tid;
	t_check(!test->scene->result && test->count == 1 &&
			is_mark(test, 0, GAPP_MARK_POINT, text) && mark->tid == test->scene->tid &&
			mark->tgid == tgid,
		"a mark of another thread or process of the target",
		"%s: %lld, %u records, thread %d of %d, not %d of %d", text, test->scene->result,
		test->count, mark->tid, mark->tgid, test->scene->tid, tgid);
}

void marks_lives(void)
{
	const struct gapp_config config = marks_config();
	struct test test;
	u32 image;

	begin(&test, &config);
	have_write(&test, "mark x");
	image = test.seen[0].mark.image;
	one_of(&test, mark_in_thread, "thread", true);
	t_check(test.seen[0].mark.image == image, "a thread has the process's address space",
		"%u, not %u", test.seen[0].mark.image, image);
	one_of(&test, mark_in_child, "child", false);
	t_check(test.seen[0].mark.image != image, "a child has its own", "%u",
		test.seen[0].mark.image);
	one_of(&test, mark_in_program, "program", false);
	one_of(&test, mark_by_descriptor, "inherited", false);
	end(&test);
}

static int map_node(int open_flags, size_t bytes, int protection, int flags, off_t offset)
{
	int fd = open_node(open_flags), result = 0;
	void *memory = mmap(NULL, bytes, protection, flags, fd, offset);

	if (memory == MAP_FAILED)
		result = -errno;
	else
		munmap(memory, bytes);
	close(fd);
	return result;
}

void marks_page(void)
{
	int fd = open_node(O_RDWR), other;
	void *page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	struct gapp_config config = marks_config();
	struct test test;

	close(fd);
	if (page == MAP_FAILED)
		t_die("mmap of the node");
	t_check(mprotect(page, 4096, PROT_READ | PROT_WRITE) && errno == EACCES,
		"the page cannot be made writable", "errno %d", errno);
	t_check(mprotect(page, 4096, PROT_READ | PROT_EXEC) && errno == EACCES, "nor executable",
		"errno %d", errno);
	t_expect(map_node(O_RDWR, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, 0), -EACCES,
		 "the page, to write");
	t_expect(map_node(O_WRONLY, 4096, PROT_READ, MAP_SHARED, 0), -EACCES,
		 "the page, of a file that is open to write");
	t_expect(map_node(O_RDWR, 8192, PROT_READ, MAP_SHARED, 0), -EINVAL, "two pages");
	t_expect(map_node(O_RDWR, 4096, PROT_READ, MAP_SHARED, 4096), -EINVAL, "another page");
	t_expect(map_node(O_RDWR, 4096, PROT_READ, MAP_PRIVATE, 0), -EINVAL, "a private page");
	t_expect(map_node(O_RDONLY, 4096, PROT_READ, MAP_SHARED, 0), T_OK,
		 "the page, of a file that is open to read");
	other = open_node(O_RDONLY);
	t_check(write(other, "mark x", 6) == -1 && errno == EBADF,
		"no mark by a file that is open to read", "errno %d", errno);
	close(other);
	begin(&test, &config);
	t_check(*(volatile u32 *)page == 1, "a mapping sees a session that begins", "%u",
		*(volatile u32 *)page);
	end(&test);
	t_check(!*(volatile u32 *)page, "and that it has ended", "%u", *(volatile u32 *)page);
	munmap(page, 4096);
}
