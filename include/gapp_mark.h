/* SPDX-License-Identifier: MIT */
/*
 * libgapp: a program tells gapp what it does, by marks and sections with names. Link with -lgapp.
 *
 * While nobody records the program's marks, a call takes some nanoseconds. Without gapp's module it
 * does nothing at all. No call fails, changes errno, allocates memory or takes a lock: any thread
 * may make them at any time, also in a signal handler and in the child of a fork.
 *
 * The first call opens /dev/gapp_mark and keeps the descriptor and a mapping of one page. While the
 * module is not loaded, each thread tries again at every 4,096th of its calls.
 */
#ifndef GAPP_MARK_H
#define GAPP_MARK_H

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Bytes of a text that are recorded. A longer one is cut, not within a character of UTF-8; control
 * characters become '?'. NULL and "" are no text.
 */
#define GAPP_MARK_TEXT_MAX 63

/* The calling thread has come to a point of the program. */
void gapp_mark(const char *text);

/*
 * A section of the process begins. It lasts until the calling thread ends it; sections may be
 * nested.
 */
void gapp_section_begin(const char *name);

/*
 * Ends the section of that name that the calling thread has begun last, with those nested in it;
 * without a name the one that it has begun last.
 */
void gapp_section_end(const char *name);

/*
 * Whether somebody records marks, of this program or another one. Who has to put a text together
 * first may ask before.
 */
int gapp_marks_wanted(void);

#ifdef __cplusplus
}
#endif

#endif /* GAPP_MARK_H */
