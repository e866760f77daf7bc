/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A terminal that is drawn again and again. It is as it was before, whatever ends the process but
 * SIGKILL, and while the process is stopped.
 */
#ifndef GAPP_READ_SCREEN_H
#define GAPP_READ_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

/* Whether standard output is a terminal that can be drawn on. */
bool screen_possible(void);

/*
 * Takes the terminal, and from standard input, if that is a terminal, each key as it is pressed.
 * Returns a file descriptor to poll, which says what happens to the screen, or -1 with a complaint
 * made.
 */
int screen_take(void);
/* Whether keys can be read from standard input. */
bool screen_has_keys(void);
/* Gives the terminal back. May be called repeatedly. */
void screen_leave(void);
/* Gives the terminal back for good: signals that screen_take() blocked act as before. */
void screen_end(void);

enum screen_event {
	SCREEN_NOTHING,
	SCREEN_DRAW, /* it has another size, or the process goes on after a stop */
	SCREEN_GONE, /* the terminal is closed, or SIGQUIT came */
};

/* Reads what has happened. A stop is over when it returns. */
enum screen_event screen_event(int fd);

void screen_size(unsigned int *columns, unsigned int *lines);
/* Draws the first @lines lines of @text, and @last below them. */
void screen_draw(const char *text, size_t len, unsigned int lines, const char *last);

#endif /* GAPP_READ_SCREEN_H */
