// SPDX-License-Identifier: GPL-2.0
/* Where debug information is looked up: --symfs, split DWARF, servers; and which file counts. */
#include "made_up.h"
#include "subject.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "symbol/debuginfod.h"
#include "symbol/saved_names.h"
#include "symbol/split_units.h"
#include "symbol/symbol_file.h"

/* What is found of a function's first address. */
static size_t look(const char *file, const char *named, const char *symbol,
		   const struct symbol_sources *sources, struct build_id *id, u32 *line)
{
	u64 address = symbol_address(named, symbol);
	struct symbols *symbols = symbols_new(NULL);
	struct object *object = object_of(file);
	struct code_address place = { object, offset_of(named, address) };
	const struct frame *frames;
	size_t count;

	if (id)
		object->build_id = *id;
	symbols_set_sources(symbols, sources);
	count = symbols_frames(symbols, place, false, &frames);
	assert_true(count > 0);
	*line = frames[count - 1].line;
	count = frames[count - 1].function ? count : 0;
	if (id && !count)
		assert_true(object->replaced);
	symbols_free(symbols);
	object_drop(object);
	return count;
}

static const struct symbol_sources nothing_else;

static void file_below_symfs_comes_first(void **state)
{
	_cleanup_free_ char *folder = realpath(".", NULL);
	struct symbol_sources sources = { .symfs = "root" };
	u32 line;

	run("gcc -g -O2 -o full subject.c && strip -o bare full");
	assert_int_equal(look("bare", "full", "caller", &nothing_else, NULL, &line), 0);
	run("mkdir -p root%s && cp full root%s/bare", folder, folder);
	assert_int_equal(look("bare", "full", "caller", &sources, NULL, &line), 1);
	assert_true(line > 0);
}

static void another_build_does_not_count(void **state)
{
	_cleanup_free_ char *folder = realpath(".", NULL);
	struct symbol_sources sources = { .symfs = "other" };
	struct build_id id = { .size = 0 };
	u32 line;
	int fd;

	run("gcc -g -O2 -o mapped subject.c");
	fd = open("mapped", O_RDONLY);
	assert_true(build_id_read(fd, &id));
	close(fd);
	assert_int_equal(look("mapped", "mapped", "caller", &nothing_else, &id, &line), 1);
	run("mkdir -p other%s && gcc -g -O1 -o other%s/mapped subject.c", folder, folder);
	assert_int_equal(look("mapped", "mapped", "caller", &sources, &id, &line), 1);
	id.bytes[0] ^= 1;
	assert_int_equal(look("mapped", "mapped", "caller", &sources, &id, &line), 0);
}

/* A process that has another root folder; it ends with the test. 0: that is not allowed here. */
static pid_t lives_below(const char *root)
{
	int ready[2];
	pid_t pid;
	char byte;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (chroot(root) || chdir("/") || write(ready[1], "r", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1) {
		waitpid(pid, NULL, 0);
		pid = 0;
	}
	close(ready[0]);
	return pid;
}

static void ends(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* The most frames of outer(), with a name, in the process's /app/bare; @whole: the same, not bare.
 */
static size_t frames_below(pid_t pid, pid_t first_pid, const char *whole)
{
	u64 begin = offset_of(whole, symbol_address(whole, "outer"));
	struct symbols *symbols = symbols_new(NULL);
	struct object object = { .path = "/app/bare", .name = "bare" };
	const struct frame *frames;
	size_t most = 0, count;
	struct stat stat_of;

	assert_int_equal(stat("container/app/bare", &stat_of), 0);
	object.dev = stat_of.st_dev;
	object.inode = stat_of.st_ino;
	object.pid = pid;
	object.first_pid = first_pid;
	for (u64 i = 0; i < 64; i++) {
		struct code_address here = { &object, begin + i };

		count = symbols_frames(symbols, here, false, &frames);
		assert_true(count > 0);
		if (frames[0].function && count > most)
			most = count;
	}
	symbols_free(symbols);
	return most;
}

/* Makes a root folder, whose debug files have the build-id of a file. */
static void make_container(const char *file)
{
	_cleanup_free_ char *id = line_of("readelf -n %s | sed -n 's/.*Build ID: //p'", file);
	char by_id[256];

	snprintf(by_id, sizeof(by_id), "container/usr/lib/debug/.build-id/%.2s/%s.debug", id,
		 id + 2);
	setenv("BY_ID", by_id, 1);
	setenv("DEBUG", "container/usr/lib/debug", 1);
	setenv("APP", "container/app", 1);
	run("rm -rf container && mkdir -p $APP");
}

/*
 * Debug files are looked up where the process has them: all that is below its root folder, also
 * what links there lead to, and nothing outside.
 */
static void debug_files_of_a_container(void **state)
{
	static const struct {
		const char *make;
		bool found;
	} ways[] = {
		{ "cp full.debug $APP", true },
		{ "install -D full.debug $APP/.debug/full.debug", true },
		{ "install -D full.debug $DEBUG/app/full.debug", true },
		{ "cp bare $APP && install -D full.debug $BY_ID", true },
		{ "cp full.debug container/kept", false },
		{ "cp full.debug container/kept && ln -s /kept $APP/full.debug", true },
		/* there it leads nowhere, below our root to the file */
		{ "ln -s $PWD/full.debug $APP", false },
	};

	run("gcc -g -O2 -Wl,--build-id -o full subject.c && strip -o bare full");
	run("objcopy --only-keep-debug full ./full.debug");
	run("objcopy --add-gnu-debuglink=full.debug bare linked");
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		size_t frames, later;
		pid_t pid;

		make_container("full");
		run("cp linked $APP/bare && %s", ways[i].make);
		pid = lives_below("container");
		if (!pid)
			skip_for("only root can change a root folder");
		frames = frames_below(pid, 0, "full");
		later = frames_below(0, pid, "full");
		ends(pid);
		assert_int_equal(frames > 1, ways[i].found);
		assert_int_equal(later, frames);
	}
}

/* So is what dwz has moved to a file of several programs, by its path and by its build-id. */
static void shared_debug_files_of_a_container(void **state)
{
	static const char *const ways[] = {
		"install -D shared.debug $DEBUG/.dwz/app.debug",
		"install -D shared.debug $BY_ID",
		"true",
	};

	if (!runs("command -v dwz > /dev/null"))
		skip_for("no dwz");
	run("gcc -g -O2 -gdwarf-4 -o one subject.c && cp one full && cp one two");
	run("dwz -m shared.debug -M /usr/lib/debug/.dwz/app.debug one two");
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		size_t frames;
		pid_t pid;

		make_container("shared.debug");
		run("cp one $APP/bare && %s", ways[i]);
		pid = lives_below("container");
		if (!pid)
			skip_for("only root can change a root folder");
		frames = frames_below(pid, 0, "full");
		ends(pid);
		assert_int_equal(frames > 1, i + 1 < ARRAY_SIZE(ways));
	}
}

/* What is looked up below comes in this order: the host's own files last. */
static void folders_of_debug_files_in_order(void **state)
{
	struct symbol_sources sources = { .symfs = "root" };
	struct object object = { .pid = 12, .first_pid = 11 };
	struct symbol_file file = { .object = &object, .sources = &sources };
	char roots[ROOTS_MAX][ROOT_SIZE];

	assert_int_equal(debug_file_roots(&file, roots), 4);
	assert_string_equal(roots[0], "root");
	assert_string_equal(roots[1], "/proc/12/root");
	assert_string_equal(roots[2], "/proc/11/root");
	assert_string_equal(roots[3], "");
	object.first_pid = 12;
	sources.symfs = NULL;
	assert_int_equal(debug_file_roots(&file, roots), 2);
	assert_string_equal(roots[0], "/proc/12/root");
	assert_string_equal(roots[1], "");
}

/* Symbols of a recording, in which one function of a file was looked up. */
struct recording {
	struct blocks *blocks;
	struct saved_objects objects;
	struct symbols *symbols;
	struct code_address place;
	int fd;
};

static void record_object(struct recording *recording, struct object *object, const char *named)
{
	struct symbols *symbols = symbols_new(NULL);
	struct code_address place = { object, offset_of(named, symbol_address(named, "caller")) };
	struct object_numbers numbers = { 0 };
	struct blocks_writer writer;
	const struct frame *frames;
	char path[32];

	assert_true(symbols_frames(symbols, place, false, &frames) > 0);
	*recording = (struct recording){ .fd = memfd_create("recording", 0) };
	assert_int_equal(blocks_begin(&writer, recording->fd), 0);
	assert_int_equal(symbols_save(symbols, &numbers, &writer), 0);
	objects_save(&numbers, &writer);
	assert_int_equal(blocks_end(&writer), 0);
	blocks_free(&writer);
	object_numbers_free(&numbers);
	symbols_free(symbols);
	object_drop(object);

	snprintf(path, sizeof(path), "/proc/self/fd/%d", recording->fd);
	recording->blocks = blocks_open(path);
	assert_non_null(recording->blocks);
	assert_int_equal(saved_objects_read(&recording->objects, recording->blocks), 0);
	recording->symbols = symbols_read(recording->blocks, &recording->objects);
	assert_non_null(recording->symbols);
	recording->place =
		(struct code_address){ saved_object(&recording->objects, 0), place.offset };
}

static void record(struct recording *recording, const char *file, const char *named)
{
	record_object(recording, object_of(file), named);
}

static void recording_free(struct recording *recording)
{
	symbols_free(recording->symbols);
	saved_objects_free(&recording->objects);
	blocks_close(recording->blocks);
	close(recording->fd);
}

/* Looks names up again below a folder: whether that changes any, and what the function is then. */
static bool again(struct recording *recording, const char *symfs, const char **function, u32 *line)
{
	const struct symbol_sources sources = { .symfs = symfs };
	const struct frame *frames;
	bool changed = false;
	size_t count;

	assert_int_equal(symbols_name_again(recording->symbols, &sources, &changed), 0);
	count = symbols_frames(recording->symbols, recording->place, false, &frames);
	assert_true(count > 0);
	*function = frames[count - 1].function;
	*line = frames[count - 1].line;
	return changed;
}

static void a_recording_is_named_again(void **state)
{
	_cleanup_free_ char *folder = realpath(".", NULL);
	struct recording recording;
	const char *function;
	u32 line;

	run("gcc -g -O2 -Wl,--build-id -o there subject.c && cp there named && strip there");
	record(&recording, "there", "named");
	/* another build, and then the same one with all that strip took away */
	run("mkdir -p again%s && gcc -g -O1 -Wl,--build-id -o again%s/there subject.c", folder,
	    folder);
	assert_false(again(&recording, "again", &function, &line));
	assert_null(function);
	run("cp named again%s/there", folder);
	assert_true(again(&recording, "again", &function, &line));
	assert_string_equal(function, "caller");
	assert_true(line > 0);
	/* what names less is not taken */
	run("cp there again%s/there", folder);
	assert_false(again(&recording, "again", &function, &line));
	assert_string_equal(function, "caller");
	assert_false(again(&recording, "nowhere", &function, &line));
	assert_string_equal(function, "caller");
	recording_free(&recording);
}

/* Its names were not known when it was recorded, but which build it was is. */
static void a_replaced_file_is_named_later(void **state)
{
	_cleanup_free_ char *folder = realpath(".", NULL);
	struct recording recording;
	const char *function;
	struct object *object;
	u32 line;
	int fd;

	run("gcc -g -O2 -Wl,--build-id -o replaced subject.c && cp replaced first");
	object = object_of("replaced");
	fd = open("replaced", O_RDONLY);
	assert_true(build_id_read(fd, &object->build_id));
	close(fd);
	run("rm replaced && gcc -g -O1 -Wl,--build-id -o replaced subject.c");
	record_object(&recording, object, "first");
	run("mkdir -p later%s && cp replaced later%s", folder, folder);
	assert_false(again(&recording, "later", &function, &line));
	assert_null(function);
	run("cp first later%s/replaced", folder);
	assert_true(again(&recording, "later", &function, &line));
	assert_string_equal(function, "caller");
	assert_true(line > 0);
	recording_free(&recording);
}

/* Whoever opened it would wait for ever. */
static void split_file_is_a_pipe(void **state)
{
	u32 line;

	run("gcc -g -O2 -gsplit-dwarf -o parted subject.c");
	run("rm parted-subject.dwo && mkfifo parted-subject.dwo");
	assert_int_equal(look("parted", "parted", "caller", &nothing_else, NULL, &line), 1);
	assert_true(line > 0);
}

/* Bytes are changed all over the file: what is found may be wrong, but is found in time. */
static void damaged_split_files(void **state)
{
	struct object *object;
	struct code_address place;
	struct stat stat;
	int fd;

	if (!runs("command -v dwp > /dev/null"))
		skip_for("no dwp");
	run("gcc -gdwarf-4 -O2 -gsplit-dwarf -o split subject.c");
	run("dwp -e split -o split.dwp && rm split-subject.dwo");
	object = object_of("split");
	place = (struct code_address){ object,
				       offset_of("split", symbol_address("split", "outer")) };
	fd = open("split.dwp", O_RDWR);
	assert_int_equal(fstat(fd, &stat), 0);
	for (off_t at = 64; at < stat.st_size; at += 1 + stat.st_size / 200) {
		struct symbols *symbols = symbols_new(NULL);
		const struct frame *frames;
		u8 byte, changed;

		assert_int_equal(pread(fd, &byte, 1, at), 1);
		changed = byte ^ 0xff;
		assert_int_equal(pwrite(fd, &changed, 1, at), 1);
		for (u64 i = 0; i < 40; i += 8) {
			struct code_address here = { object, place.offset + i };

			assert_true(symbols_frames(symbols, here, false, &frames) > 0);
		}
		assert_int_equal(pwrite(fd, &byte, 1, at), 1);
		symbols_free(symbols);
	}
	close(fd);
	object_drop(object);
}

/* Makes a section of a file larger, by a hole. */
static void grow_section(const char *file, const char *section, u64 size)
{
	int fd = open(file, O_RDWR);
	char names[4096], bytes[65536];
	Elf64_Shdr header, strings;
	Elf64_Ehdr elf;
	struct stat stat;
	u32 i;

	assert_int_equal(fstat(fd, &stat), 0);
	assert_int_equal(pread(fd, &elf, sizeof(elf), 0), sizeof(elf));
	assert_int_equal(pread(fd, &strings, sizeof(strings),
			       elf.e_shoff + elf.e_shstrndx * sizeof(strings)),
			 sizeof(strings));
	assert_true(strings.sh_size <= sizeof(names));
	assert_int_equal(pread(fd, names, strings.sh_size, strings.sh_offset), strings.sh_size);
	for (i = 0; i < elf.e_shnum; i++) {
		assert_int_equal(pread(fd, &header, sizeof(header),
				       elf.e_shoff + i * sizeof(header)),
				 sizeof(header));
		if (!strcmp(names + header.sh_name, section))
			break;
	}
	assert_true(i < elf.e_shnum && header.sh_size <= sizeof(bytes));
	assert_int_equal(pread(fd, bytes, header.sh_size, header.sh_offset), header.sh_size);
	assert_int_equal(pwrite(fd, bytes, header.sh_size, stat.st_size), header.sh_size);
	header.sh_offset = stat.st_size;
	header.sh_size = size;
	assert_int_equal(pwrite(fd, &header, sizeof(header), elf.e_shoff + i * sizeof(header)),
			 sizeof(header));
	assert_int_equal(ftruncate(fd, stat.st_size + size), 0);
	close(fd);
}

/* The most frames that an address of outer() has; @kept: bytes of units that are kept then. */
static size_t most_frames(const char *file, u64 *kept)
{
	u64 begin = offset_of(file, symbol_address(file, "outer"));
	struct symbols *symbols = symbols_new(NULL);
	struct object *object = object_of(file);
	const struct frame *frames;
	size_t most = 0, count;

	for (u64 i = 0; i < 64; i++) {
		struct code_address here = { object, begin + i };

		count = symbols_frames(symbols, here, false, &frames);
		most = count > most ? count : most;
	}
	*kept = split_units_kept();
	symbols_free(symbols);
	object_drop(object);
	assert_int_equal(split_units_kept(), 0);
	return most;
}

/* A file that takes no room on its disk is not copied to memory. */
static void split_file_with_a_hole(void **state)
{
	u64 kept;

	run("gcc -g -O2 -gsplit-dwarf -o holed subject.c");
	assert_true(most_frames("holed", &kept) > 1);
	assert_true(kept > 0);
	grow_section("holed-subject.dwo", ".debug_str.dwo", 1 << 20);
	assert_true(most_frames("holed", &kept) > 1);
	assert_true(kept > 1 << 20);
	run("gcc -g -O2 -gsplit-dwarf -o holed subject.c");
	grow_section("holed-subject.dwo", ".debug_str.dwo", 100 << 20);
	assert_int_equal(most_frames("holed", &kept), 1);
	assert_int_equal(kept, 0);
}

static volatile bool cancel;

static void cancel_now(int number)
{
	cancel = true;
}

#define PIECE (256 << 10)
#define PIECES 4

/* Listens on a port of this machine, which becomes the only server. Returns its socket. */
static int listen_here(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET };
	socklen_t size = sizeof(address);
	char url[64];
	int server = socket(AF_INET, SOCK_STREAM, 0);

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(bind(server, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(listen(server, 8), 0);
	assert_int_equal(getsockname(server, (struct sockaddr *)&address, &size), 0);
	snprintf(url, sizeof(url), "http://127.0.0.1:%u", ntohs(address.sin_port));
	setenv("DEBUGINFOD_URLS", url, 1);
	setenv("DEBUGINFOD_CACHE_PATH", "cache", 1);
	assert_true(debuginfod_has_servers());
	return server;
}

/*
 * Sends the same file to whoever asks, in pieces. Ends with the test, also if that fails.
 * @states_size: it says how large the file is.
 */
static void serve(int server, bool states_size)
{
	static char text[PIECE];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		int client = accept(server, NULL, NULL);

		if (client < 0 || read(client, text, sizeof(text)) <= 0)
			_exit(1);
		dprintf(client, "HTTP/1.1 200 OK\r\nConnection: close\r\n");
		if (states_size)
			dprintf(client, "Content-Length: %d\r\n", PIECES * PIECE);
		dprintf(client, "\r\n");
		memset(text, 'x', sizeof(text));
		for (int i = 0; i < PIECES; i++) {
			usleep(200000);
			if (write(client, text, sizeof(text)) < 0)
				_exit(1);
		}
		close(client);
	}
}

/* Asks for a file while standard error is a terminal. Returns what that shows, to be freed. */
static char *ask_on_a_terminal(struct debuginfod *debuginfod, const u8 *id, size_t size)
{
	int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK), usual = dup(STDERR_FILENO),
	    tty;
	struct pollfd pollfd = { .fd = terminal, .events = POLLIN };
	char *shown = calloc(1, PIECE);
	size_t got = 0;

	assert_int_equal(grantpt(terminal) | unlockpt(terminal), 0);
	tty = open(ptsname(terminal), O_RDWR | O_NOCTTY);
	dup2(tty, STDERR_FILENO);
	assert_true(debuginfod_ask(debuginfod, id, size, "a\nname"));
	dup2(usual, STDERR_FILENO);
	/* what was written comes a little later, and in parts */
	while (got < PIECE - 1 && poll(&pollfd, 1, 500) > 0) {
		ssize_t size_read = read(terminal, shown + got, PIECE - 1 - got);

		if (size_read <= 0)
			break;
		got += size_read;
	}
	close(usual);
	close(tty);
	close(terminal);
	return shown;
}

/* Whether it is shown how much of the file has come, and of how much in all. */
static bool has_size(const char *shown)
{
	char size[32];

	snprintf(size, sizeof(size), " of %.1f MiB", (double)PIECES * PIECE / (1 << 20));
	return strstr(shown, size);
}

/* Asks a server for a file, and looks at what is shown meanwhile. */
static void ask_server(const u8 *id, size_t size, bool quiet, bool states_size)
{
	struct debuginfod debuginfod = { .quiet = quiet };
	_cleanup_free_ char *shown = NULL;
	int server = listen_here();
	struct stat stat_of;
	pid_t child = fork();

	if (!child)
		serve(server, states_size);
	shown = ask_on_a_terminal(&debuginfod, id, size);
	assert_int_equal(stat(debuginfod_fetched(&debuginfod, id, size), &stat_of), 0);
	assert_int_equal(stat_of.st_size, PIECES * PIECE);
	if (quiet) {
		assert_string_equal(shown, "");
	} else {
		assert_non_null(strstr(shown, "debuginfod: a\\x0aname"));
		assert_int_equal(has_size(shown), states_size);
		/* and is gone again */
		assert_string_equal(strrchr(shown, '\r'), "\r\033[K");
	}
	debuginfod_free(&debuginfod);
	ends(child);
	close(server);
}

static void what_servers_send_is_shown(void **state)
{
	/* libdebuginfod asks no server twice for one file */
	static const u8 ids[3][20] = { { 1, 2, 3, 4 }, { 1, 2, 3, 5 }, { 1, 2, 3, 6 } };

	if (!dlopen("libdebuginfod.so.1", RTLD_NOW))
		skip_for("no libdebuginfod");
	ask_server(ids[0], sizeof(ids[0]), false, true);
	ask_server(ids[1], sizeof(ids[1]), false, false);
	ask_server(ids[2], sizeof(ids[2]), true, true);
}

/* Whether servers may be asked by a user who is root, or by one who is not. */
static bool may_ask(uid_t user, bool asked, bool forbidden)
{
	uid_t own = geteuid();
	bool may;

	assert_int_equal(seteuid(user), 0);
	may = debuginfod_may_ask(asked, forbidden);
	assert_int_equal(seteuid(own), 0);
	return may;
}

static void root_asks_servers_only_if_told_to(void **state)
{
	if (geteuid())
		skip_for("not root");
	assert_false(may_ask(0, false, false));
	assert_true(may_ask(0, true, false));
	assert_false(may_ask(0, false, true));
	assert_true(may_ask(65534, false, false));
	assert_true(may_ask(65534, true, false));
	assert_false(may_ask(65534, false, true));
}

/* A server that takes the connection, and then says nothing. */
static void servers_are_given_up(void **state)
{
	struct debuginfod debuginfod = { .cancel = &cancel, .quiet = true };
	static const u8 id[20] = { 1, 2, 3 };
	u64 begin = clock_ns();
	int server;

	if (!dlopen("libdebuginfod.so.1", RTLD_NOW))
		skip_for("no libdebuginfod");
	server = listen_here();
	signal(SIGALRM, cancel_now);
	alarm(1);
	assert_false(debuginfod_ask(&debuginfod, id, sizeof(id), "silent"));
	assert_true(cancel);
	assert_true(clock_ns() - begin < 20 * NSEC_PER_SEC);
	assert_null(debuginfod_fetched(&debuginfod, id, sizeof(id)));
	debuginfod_free(&debuginfod);
	close(server);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(file_below_symfs_comes_first),
		cmocka_unit_test(another_build_does_not_count),
		cmocka_unit_test(debug_files_of_a_container),
		cmocka_unit_test(shared_debug_files_of_a_container),
		cmocka_unit_test(folders_of_debug_files_in_order),
		cmocka_unit_test(a_recording_is_named_again),
		cmocka_unit_test(a_replaced_file_is_named_later),
		cmocka_unit_test(split_file_is_a_pipe),
		cmocka_unit_test(damaged_split_files),
		cmocka_unit_test(what_servers_send_is_shown),
		cmocka_unit_test(root_asks_servers_only_if_told_to),
		cmocka_unit_test(split_file_with_a_hole),
		cmocka_unit_test(servers_are_given_up),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("debug files", tests, subject_begin, subject_end);
}
