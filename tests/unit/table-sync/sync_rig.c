// SPDX-License-Identifier: GPL-2.0
#include "sync_rig.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "spin-table/spin_table.h"
#include "unwind-table/unwind_table.h"

#define PAGE 4096
/* Larger than those whose loops are waited for; nothing is in them. */
#define FILE_BYTES (5 << 20)
#define SMALL_FILE_BYTES (4 * PAGE)
#define PATIENCE_S 60
#define SEEN_MAX 256

struct module module;

struct maker {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool held;
	unsigned int files;
	bool cancelled;
};

#define MAKER                                                                           \
	{                                                                               \
		.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER, \
	}

static struct maker compiler = MAKER;
static struct maker finder = MAKER;

/* Of the finder, under its lock. */
static u64 seen[SEEN_MAX];
static unsigned int complaints;
static bool lacks_decoder;
/* Of the compiler, under its lock. */
static unsigned int recalled;

static char folder[32] = "/tmp/gapp-teach-XXXXXX";

static int refuse(int error)
{
	errno = error;
	return -1;
}

static struct module_space *space_of(pid_t pid, bool make)
{
	for (size_t i = 0; i < MODULE_SPACES; i++) {
		struct module_space *space = &module.spaces[i];

		if (space->pid == pid || (make && !space->pid)) {
			space->pid = pid;
			return space;
		}
	}
	return NULL;
}

static int load_table(struct gapp_table_load *load)
{
	const struct gapp_spin_head *head = (const void *)(uintptr_t)load->data;
	bool is_spin = head->magic == GAPP_SPIN_MAGIC && load->bytes > sizeof(*head);
	u32 number = 1;

	assert_true(is_spin || load->bytes == sizeof(u64) || load->bytes == LARGE_BYTES);
	assert_true(!load->table && !load->flags && !load->reserved);
	if ((module.room && module.tables >= module.room) || (is_spin && module.no_spins))
		return refuse(ENOSPC);
	while (module.inode[number])
		number++;
	assert_true(number < MODULE_TABLES - 1);
	module.is_spin[number] = is_spin;
	module.inode[number] = is_spin ? ((const struct gapp_spin_range *)(head + 1))->begin :
					 *(const u64 *)head;
	module.tables++;
	module.loaded++;
	load->table = number;
	return 0;
}

static int drop_table(const struct gapp_table_drop *drop)
{
	assert_true(drop->table && drop->table < MODULE_TABLES && module.inode[drop->table]);
	assert_int_equal(drop->reserved, 0);
	module.inode[drop->table] = 0;
	module.tables--;
	module.dropped++;
	return 0;
}

/* As the module looks at them. */
static void check_maps(const struct gapp_mapping *maps, u32 count)
{
	assert_true(count <= PLACES);
	for (u32 i = 0; i < count; i++) {
		assert_true(maps[i].begin < maps[i].end && maps[i].end <= 1ULL << 47);
		assert_true(!i || maps[i - 1].end <= maps[i].begin);
		assert_true(maps[i].table < MODULE_TABLES && maps[i].spins < MODULE_TABLES);
		assert_true(!maps[i].table ||
			    (module.inode[maps[i].table] && !module.is_spin[maps[i].table]));
		assert_true(!maps[i].spins ||
			    (module.inode[maps[i].spins] && module.is_spin[maps[i].spins]));
		assert_true(maps[i].table || maps[i].spins || !maps[i].bias);
	}
}

static int set_maps(struct gapp_mappings *maps)
{
	struct module_space *space;
	u32 asked = maps->image;

	assert_true(!maps->flags && !maps->reserved);
	module.asked += !asked;
	if (module.gone || kill(maps->pid, 0))
		return refuse(ESRCH);
	maps->image = module.image;
	if (!asked) {
		assert_int_equal(maps->count, 0);
		if (module.stale) {
			module.stale--;
			module.image++;
		}
		return 0;
	}
	if (asked != module.image)
		return refuse(ESTALE);
	check_maps((const struct gapp_mapping *)(uintptr_t)maps->maps, maps->count);
	space = space_of(maps->pid, true);
	assert_non_null(space);
	space->count = maps->count;
	if (maps->count)
		memcpy(space->maps, (const void *)(uintptr_t)maps->maps,
		       maps->count * sizeof(*space->maps));
	module.set++;
	return 0;
}

/* In place of libc's. */
int ioctl(int fd, unsigned long request, ...)
{
	void *argument;
	va_list args;

	assert_int_equal(fd, MODULE_FD);
	va_start(args, request);
	argument = va_arg(args, void *);
	va_end(args);
	if (module.old)
		return refuse(ENOTTY);
	switch (request) {
	case GAPP_IOC_LOAD_TABLE:
		return load_table(argument);
	case GAPP_IOC_DROP_TABLE:
		return drop_table(argument);
	case GAPP_IOC_SET_MAPPINGS:
		return set_maps(argument);
	}
	return refuse(ENOTTY);
}

const struct gapp_mapping *module_map(pid_t pid, u64 address)
{
	const struct module_space *space = space_of(pid, false);

	for (u32 i = 0; space && i < space->count; i++)
		if (space->maps[i].begin <= address && address < space->maps[i].end)
			return &space->maps[i];
	return NULL;
}

bool module_knows(pid_t pid)
{
	return space_of(pid, false);
}

u64 module_inode(pid_t pid, u64 address)
{
	const struct gapp_mapping *map = module_map(pid, address);

	return map && map->table ? module.inode[map->table] : 0;
}

u64 module_loop(pid_t pid, u64 address)
{
	const struct gapp_mapping *map = module_map(pid, address);

	return map && map->spins ? module.inode[map->spins] : 0;
}

static void hold_maker(struct maker *maker, bool hold)
{
	pthread_mutex_lock(&maker->lock);
	maker->held = hold;
	pthread_cond_broadcast(&maker->changed);
	pthread_mutex_unlock(&maker->lock);
}

static unsigned int read_count(struct maker *maker, const unsigned int *count)
{
	unsigned int read;

	pthread_mutex_lock(&maker->lock);
	read = *count;
	pthread_mutex_unlock(&maker->lock);
	return read;
}

void compiler_hold(bool hold)
{
	hold_maker(&compiler, hold);
}

unsigned int compiler_files(void)
{
	return read_count(&compiler, &compiler.files);
}

bool compiler_cancelled(void)
{
	return compiler.cancelled;
}

void finder_hold(bool hold)
{
	hold_maker(&finder, hold);
}

unsigned int finder_files(void)
{
	return read_count(&finder, &finder.files);
}

bool finder_cancelled(void)
{
	return finder.cancelled;
}

void finder_lacks_decoder(void)
{
	lacks_decoder = true;
}

unsigned int finder_complaints(void)
{
	return read_count(&finder, &complaints);
}

unsigned int finder_saw(u64 inode)
{
	unsigned int count = 0;

	pthread_mutex_lock(&finder.lock);
	for (unsigned int i = 0; i < finder.files && i < SEEN_MAX; i++)
		count += seen[i] == inode;
	pthread_mutex_unlock(&finder.lock);
	return count;
}

unsigned int recalls(void)
{
	return read_count(&compiler, &recalled);
}

/* False: it has been cancelled. */
static bool wait_until_let_go(struct maker *maker, const volatile bool *cancel)
{
	struct timespec soon;
	bool cancelled;

	pthread_mutex_lock(&maker->lock);
	while (maker->held && !__atomic_load_n(cancel, __ATOMIC_RELAXED)) {
		clock_gettime(CLOCK_REALTIME, &soon);
		soon.tv_nsec += 1000000;
		if (soon.tv_nsec >= 1000000000) {
			soon.tv_nsec -= 1000000000;
			soon.tv_sec++;
		}
		pthread_cond_timedwait(&maker->changed, &maker->lock, &soon);
	}
	cancelled = maker->held;
	maker->cancelled |= cancelled;
	pthread_mutex_unlock(&maker->lock);
	return !cancelled;
}

/* The main thread reads the signals, and this one can be sent none. */
static void check_signals(void)
{
	sigset_t blocked;

	pthread_sigmask(SIG_BLOCK, NULL, &blocked);
	assert_true(sigismember(&blocked, SIGINT) && sigismember(&blocked, SIGTERM));
	assert_false(sigismember(&blocked, SIGBUS));
}

/* In place of the real one: the inode for a table, the whole file for code. */
int unwind_table_get(struct unwind_table *table, int fd, const volatile bool *cancel)
{
	struct stat status;
	char letter = 0;

	*table = (struct unwind_table){ 0 };
	check_signals();
	pthread_mutex_lock(&compiler.lock);
	compiler.files++;
	pthread_mutex_unlock(&compiler.lock);
	if (!wait_until_let_go(&compiler, cancel))
		return refuse(ECANCELED);
	if (fstat(fd, &status) || pread(fd, &letter, 1, 0) != 1)
		return -1;
	if (letter == 'x')
		return refuse(ENOEXEC);
	table->segments = calloc(1, sizeof(*table->segments));
	assert_non_null(table->segments);
	table->segments->size = status.st_size;
	table->segment_count = 1;
	if (letter == 'n' || letter == 'N')
		return 0;
	table->bytes = letter == 'L' ? LARGE_BYTES : sizeof(u64);
	table->data = calloc(1, table->bytes);
	assert_non_null(table->data);
	memcpy(table->data, &(u64){ status.st_ino }, sizeof(u64));
	return 0;
}

void unwind_table_free_data(struct unwind_table *table)
{
	free(table->data);
	table->data = NULL;
}

void unwind_table_free(struct unwind_table *table)
{
	unwind_table_free_data(table);
	free(table->segments);
	*table = (struct unwind_table){ 0 };
}

bool unwind_table_bias(const struct unwind_table *table, u64 start, u64 offset, u64 *bias)
{
	if (table->segment_count != 1 || offset >= table->segments->size)
		return false;
	*bias = start - offset;
	return true;
}

static void make_spins(struct spin_table *table, u64 inode, char letter)
{
	struct gapp_spin_range *range;

	table->bytes = sizeof(*table->data) + sizeof(*range);
	table->data = calloc(1, table->bytes);
	assert_non_null(table->data);
	table->data->magic = GAPP_SPIN_MAGIC;
	table->data->ranges = 1;
	range = (struct gapp_spin_range *)(table->data + 1);
	range->begin = loop_of(inode, letter);
}

/* In place of the real one: an 'R' is in the cache. */
bool spin_table_recall(struct spin_table *table, int fd)
{
	struct stat status;
	char letter = 0;

	*table = (struct spin_table){ 0 };
	pthread_mutex_lock(&compiler.lock);
	recalled++;
	pthread_mutex_unlock(&compiler.lock);
	if (fstat(fd, &status) || pread(fd, &letter, 1, 0) != 1 || letter != 'R')
		return false;
	make_spins(table, status.st_ino, letter);
	return true;
}

/* In place of the real one: an 'S', a 'T' and an 'N' have a loop. */
int spin_table_get(struct spin_table *table, int fd, bool complains, const volatile bool *cancel)
{
	struct stat status;
	char letter = 0;
	bool missing;

	*table = (struct spin_table){ 0 };
	check_signals();
	assert_int_equal(getpriority(PRIO_PROCESS, gettid()), 10);
	assert_false(fstat(fd, &status));
	pthread_mutex_lock(&finder.lock);
	if (finder.files < SEEN_MAX)
		seen[finder.files] = status.st_ino;
	finder.files++;
	missing = lacks_decoder;
	complaints += missing && complains;
	pthread_mutex_unlock(&finder.lock);
	if (missing)
		return refuse(ENOTSUP);
	if (pread(fd, &letter, 1, 0) != 1)
		return -1;
	if (letter != 'S' && letter != 'T' && letter != 'N')
		return 0;
	if (!wait_until_let_go(&finder, cancel))
		return refuse(ECANCELED);
	make_spins(table, status.st_ino, letter);
	return 0;
}

void spin_table_free(struct spin_table *table)
{
	free(table->data);
	*table = (struct spin_table){ 0 };
}

const char *file_path(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

dev_t file_dev(void)
{
	struct stat status;

	assert_int_equal(stat(folder, &status), 0);
	return status.st_dev;
}

static u64 make_file_of(const char *name, char letter, u64 bytes)
{
	int fd = open(file_path(name), O_RDWR | O_CREAT | O_CLOEXEC, 0700);
	struct stat before, status;

	assert_true(fd >= 0 && !fstat(fd, &before));
	/* within one tick of the file system's clock a file that is rewritten keeps its ctime */
	do {
		assert_true(pwrite(fd, &letter, 1, 0) == 1 && !ftruncate(fd, bytes));
		assert_int_equal(fstat(fd, &status), 0);
	} while (before.st_size && status.st_ctim.tv_sec == before.st_ctim.tv_sec &&
		 status.st_ctim.tv_nsec == before.st_ctim.tv_nsec);
	close(fd);
	return status.st_ino;
}

u64 make_file(const char *name, char letter)
{
	return make_file_of(name, letter, FILE_BYTES);
}

u64 make_small_file(const char *name, char letter)
{
	return make_file_of(name, letter, SMALL_FILE_BYTES);
}

/* Its second page, so that the offset matters. */
static u64 map_code(const char *path, u64 where)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *at;

	at = mmap((void *)(uintptr_t)where, PAGE, PROT_READ | PROT_EXEC,
		  MAP_PRIVATE | (where ? MAP_FIXED : 0), fd, PAGE);
	close(fd);
	return at == MAP_FAILED ? 0 : (uintptr_t)at;
}

static u64 map_memory(void)
{
	void *at = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return at == MAP_FAILED ? 0 : (uintptr_t)at;
}

static u64 fork_child(void)
{
	pid_t pid = fork();

	if (!pid)
		for (;;)
			pause();
	return pid;
}

static void exec_again(void)
{
	execl("/proc/self/exe", "subject", "subject", NULL);
	_exit(1);
}

struct order {
	enum {
		ORDER_MAP_FILE,
		ORDER_MAP_MEMORY,
		ORDER_FORK,
		ORDER_EXEC,
		ORDER_LEAVE,
	} what;
	u64 where;
	char path[256];
};

static void *serve(void *unused);

/* Another thread goes on. */
static void leave(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, serve, NULL))
		_exit(1);
	pthread_exit(NULL);
}

static void *serve(void *unused)
{
	struct order order;
	u64 answer = 0;

	(void)unused;
	do {
		if (write(STDOUT_FILENO, &answer, sizeof(answer)) != sizeof(answer) ||
		    read(STDIN_FILENO, &order, sizeof(order)) != sizeof(order))
			break;
		answer = 0;
		if (order.what == ORDER_EXEC)
			exec_again();
		else if (order.what == ORDER_LEAVE)
			leave();
		else if (order.what == ORDER_FORK)
			answer = fork_child();
		else
			answer = order.what == ORDER_MAP_FILE ? map_code(order.path, order.where) :
								map_memory();
	} while (true);
	kill(0, SIGKILL);
	return NULL;
}

/* Its standard input and output are the pipes. */
int subject_main(void)
{
	alarm(PATIENCE_S);
	serve(NULL);
	return 0;
}

static u64 hear(struct subject *subject)
{
	u64 answer;

	assert_int_equal(read(subject->answers, &answer, sizeof(answer)), sizeof(answer));
	return answer;
}

static u64 order(struct subject *subject, int what, const char *path, u64 where)
{
	struct order order = { .what = what, .where = where };

	if (path)
		strncpy(order.path, path, sizeof(order.path) - 1);
	assert_int_equal(write(subject->orders, &order, sizeof(order)), sizeof(order));
	return hear(subject);
}

void subject_begin(struct subject *subject)
{
	int orders[2], answers[2];

	assert_true(!pipe2(orders, O_CLOEXEC) && !pipe2(answers, O_CLOEXEC));
	subject->pid = fork();
	if (!subject->pid) {
		setpgid(0, 0);
		dup2(orders[0], STDIN_FILENO);
		dup2(answers[1], STDOUT_FILENO);
		exec_again();
	}
	assert_true(subject->pid > 0);
	close(orders[0]);
	close(answers[1]);
	subject->orders = orders[1];
	subject->answers = answers[0];
	hear(subject);
}

u64 subject_maps(struct subject *subject, const char *path)
{
	u64 at = order(subject, path ? ORDER_MAP_FILE : ORDER_MAP_MEMORY, path, 0);

	assert_true(at);
	return at;
}

void subject_replaces(struct subject *subject, u64 at, const char *path)
{
	assert_true(order(subject, ORDER_MAP_FILE, path, at) == at);
}

pid_t subject_forks(struct subject *subject)
{
	return order(subject, ORDER_FORK, NULL, 0);
}

void subject_execs(struct subject *subject)
{
	order(subject, ORDER_EXEC, NULL, 0);
}

void subject_leader_exits(struct subject *subject)
{
	order(subject, ORDER_LEAVE, NULL, 0);
}

void subject_end(struct subject *subject)
{
	close(subject->orders);
	close(subject->answers);
	waitpid(subject->pid, NULL, 0);
}

int rig_begin(void **state)
{
	(void)state;
	memset(&module, 0, sizeof(module));
	module.image = 1;
	compiler_hold(false);
	finder_hold(false);
	compiler.files = 0;
	finder.files = 0;
	compiler.cancelled = false;
	finder.cancelled = false;
	recalled = 0;
	complaints = 0;
	lacks_decoder = false;
	strcpy(folder + strlen(folder) - 6, "XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

int rig_end(void **state)
{
	char command[300];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	return system(command);
}
