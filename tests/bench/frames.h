/* SPDX-License-Identifier: GPL-2.0 */
/* Calls something from the end of a call path of a chosen length. */
#ifndef GAPP_BENCH_FRAMES_H
#define GAPP_BENCH_FRAMES_H

/* The innermost function and the outermost one are among them. */
#define LEAST_FRAMES 2
#define MOST_FRAMES 64

typedef void innermost_fn(void *argument);

/**
 * from_frames() - calls @innermost
 * @frames: how many there are then, LEAST_FRAMES to MOST_FRAMES; a walk, by frame pointers or by
 *	    tables, finds just these and comes to the path's end
 * @innermost: calls no function while it is measured
 * @argument: for it
 */
void from_frames(unsigned int frames, innermost_fn *innermost, void *argument);

#endif /* GAPP_BENCH_FRAMES_H */
