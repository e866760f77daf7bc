// SPDX-License-Identifier: GPL-2.0
#include "screen.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <termios.h>

#include "util/util.h"

/* The second screen, so that what the first one shows stays; no cursor; lines are cut. */
#define ENTER "\033[?1049h\033[?25l\033[?7l"
#define LEAVE "\033[?7h\033[?25h\033[?1049l"
#define CLEAR_LINE "\033[K"
#define CLEAR_BELOW "\033[J"
#define HOME "\033[H"
#define REVERSE "\033[7m"
#define PLAIN "\033[0m"

/* Of a terminal that does not say its size. */
#define COLUMNS 80
#define LINES 24

/* There is one terminal, and signal handlers have no arguments. */
static struct termios former;
static sigset_t blocked;
static bool has_keys;
static volatile bool taken;
/* What is complained of meanwhile is kept in a file in memory, and standard error here. */
static int complaints_fd = -1, stderr_fd = -1;

static const int deadly[] = { SIGSEGV, SIGABRT, SIGFPE, SIGILL };

static void put_to(int fd, const char *text, size_t len)
{
	while (len) {
		ssize_t written = write(fd, text, len);

		if (written < 0 && errno != EINTR && errno != EAGAIN)
			return;
		if (written > 0) {
			text += written;
			len -= written;
		}
	}
}

static void put(const char *text, size_t len)
{
	put_to(STDOUT_FILENO, text, len);
}

/* What is written on the screen that is drawn would be lost. */
static void keep_complaints(void)
{
	if (complaints_fd < 0 && isatty(STDERR_FILENO)) {
		complaints_fd = memfd_create("complaints", MFD_CLOEXEC);
		stderr_fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	}
	if (complaints_fd >= 0 && stderr_fd >= 0)
		dup2(complaints_fd, STDERR_FILENO);
}

static void tell_complaints(void)
{
	char text[512];
	ssize_t got;

	if (complaints_fd < 0 || stderr_fd < 0)
		return;
	dup2(stderr_fd, STDERR_FILENO);
	lseek(complaints_fd, 0, SEEK_SET);
	while ((got = read(complaints_fd, text, sizeof(text))) > 0)
		put_to(STDERR_FILENO, text, got);
	if (!ftruncate(complaints_fd, 0))
		lseek(complaints_fd, 0, SEEK_SET);
}

bool screen_possible(void)
{
	const char *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && term && *term && strcmp(term, "dumb");
}

bool screen_has_keys(void)
{
	return has_keys;
}

static void enter(void)
{
	struct termios keys = former;

	taken = true;
	keys.c_lflag &= ~(ICANON | ECHO);
	keys.c_cc[VMIN] = 1;
	keys.c_cc[VTIME] = 0;
	if (has_keys)
		tcsetattr(STDIN_FILENO, TCSANOW, &keys);
	put(ENTER, strlen(ENTER));
	keep_complaints();
}

/* Also called by a signal handler: system calls only. */
void screen_leave(void)
{
	if (!taken)
		return;
	taken = false;
	put(LEAVE, strlen(LEAVE));
	if (has_keys)
		tcsetattr(STDIN_FILENO, TCSANOW, &former);
	tell_complaints();
}

static void die(int number)
{
	screen_leave();
	raise(number);
}

/* Blocks signals that are read from a file descriptor, and notes which were not. */
static void block(const sigset_t *set)
{
	sigset_t before;

	sigprocmask(SIG_BLOCK, set, &before);
	blocked = *set;
	for (int number = 1; number < NSIG; number++)
		if (sigismember(&before, number) > 0)
			sigdelset(&blocked, number);
}

void screen_end(void)
{
	screen_leave();
	sigprocmask(SIG_UNBLOCK, &blocked, NULL);
}

int screen_take(void)
{
	struct sigaction action = { .sa_handler = die, .sa_flags = SA_RESETHAND };
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGWINCH);
	sigaddset(&set, SIGTSTP);
	sigaddset(&set, SIGCONT);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGQUIT);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0) {
		complain("signalfd: %s", strerror(errno));
		return -1;
	}
	block(&set);
	for (size_t i = 0; i < ARRAY_SIZE(deadly); i++)
		sigaction(deadly[i], &action, NULL);
	has_keys = !tcgetattr(STDIN_FILENO, &former);
	atexit(screen_leave);
	enter();
	return fd;
}

static enum screen_event take(int number)
{
	switch (number) {
	case SIGTSTP:
		screen_leave();
		/* here it stops, until SIGCONT, which is read next */
		raise(SIGSTOP);
		return SCREEN_NOTHING;
	case SIGCONT:
		/* whoever stopped it with SIGSTOP may have used the terminal */
		enter();
		return SCREEN_DRAW;
	case SIGWINCH:
		return SCREEN_DRAW;
	default:
		return SCREEN_GONE;
	}
}

enum screen_event screen_event(int fd)
{
	enum screen_event all = SCREEN_NOTHING;
	struct signalfd_siginfo info;

	while (read(fd, &info, sizeof(info)) == sizeof(info)) {
		enum screen_event one = take(info.ssi_signo);

		if (one > all)
			all = one;
	}
	return all;
}

void screen_size(unsigned int *columns, unsigned int *lines)
{
	struct winsize size;

	*columns = COLUMNS;
	*lines = LINES;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
		return;
	if (size.ws_col)
		*columns = size.ws_col;
	if (size.ws_row)
		*lines = size.ws_row;
}

void screen_draw(const char *text, size_t len, unsigned int lines, const char *last)
{
	_cleanup_free_ char *drawn = NULL;
	const char *end = text + len;
	size_t size;
	FILE *out = open_memstream(&drawn, &size);

	if (!out)
		return;
	fputs(HOME, out);
	for (unsigned int line = 0; line < lines; line++) {
		const char *next = text < end ? memchr(text, '\n', end - text) : NULL;

		fprintf(out, "%.*s" CLEAR_LINE "\n", (int)((next ? next : end) - text), text);
		text = next ? next + 1 : end;
	}
	fprintf(out, REVERSE "%s" PLAIN CLEAR_BELOW, last);
	if (!fclose(out))
		put(drawn, size);
}
