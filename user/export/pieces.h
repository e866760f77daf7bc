/* SPDX-License-Identifier: GPL-2.0 */
/* What all formats are made of: call paths split by thread, in whole units that add up. */
#ifndef GAPP_READ_PIECES_H
#define GAPP_READ_PIECES_H

#include "report/report.h"

/* Threads that have pieces of their own: those with the most critical time. */
#define EXPORT_THREADS_MAX 64

/**
 * struct piece - the part that a thread, or several, has of a call path
 * @row: the call path, of results->exported; NULL: this is time without a call path
 * @why: with @row NULL, why it has none
 * @comm: name of the thread; NULL: those of all threads, or of the threads that have no own piece
 * @tid: thread id; 0: of several threads
 * @tgid: process id; 0: of several processes, or not known
 * @critical_ns: critical time
 * @waited_ns: time with no thread active
 * @others_ns: the part of @critical_ns in which another thread waited
 * @slices: slices
 * @samples: samples
 */
struct piece {
	const struct ranked *row;
	const char *why;
	const char *comm;
	s32 tid;
	s32 tgid;
	double critical_ns;
	double waited_ns;
	double others_ns;
	double slices;
	double samples;
};

enum pieces_by {
	PIECES_WHOLE, /* a piece for each call path */
	PIECES_BY_NAME, /* threads of one name are one piece */
	PIECES_BY_THREAD, /* as exported_threads() says */
};

/* Takes a piece. Returns 0, or -1 to end the loop. */
typedef int (*piece_fn)(void *context, const struct piece *piece);

/*
 * Calls @take for all pieces, always in the same order: call paths with most time first, then what
 * has no call path. The pieces of a call path add up to it. Returns 0, or -1 without memory or if
 * @take did.
 */
int pieces_each(const struct results *results, enum pieces_by by, piece_fn take, void *context);

/* Calls @take for critical time without a call path. */
int pieces_without_path(const struct results *results, const struct ranking *ranking, piece_fn take,
			void *context);

/* The rows of results->by_thread that have pieces of their own; returns how many. */
size_t exported_threads(const struct results *results,
			const struct ranked *threads[EXPORT_THREADS_MAX]);

/**
 * struct rounding - makes fractions whole numbers with the same sum, rounded
 * @sum: of all fractions so far
 * @given: sum of the whole numbers
 */
struct rounding {
	double sum;
	u64 given;
};

u64 rounding_next(struct rounding *rounding, double fraction);

/* The name of a frame's function, or "[object+0xoffset]", as UTF-8 to be freed. NULL: no memory. */
char *frame_text(const struct frame *frame);

#endif /* GAPP_READ_PIECES_H */
