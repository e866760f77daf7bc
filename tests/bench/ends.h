/* SPDX-License-Identifier: GPL-2.0 */
/* Ends of call paths, in assembly: nobody has called these functions, say their unwind tables. */
#ifndef GAPP_BENCH_ENDS_H
#define GAPP_BENCH_ENDS_H

typedef void entry_fn(const void *argument);

/* Calls @function. For a walk along frame pointers the chain of them ends here too. */
void outermost(entry_fn *function, const void *argument);

/**
 * start_short_thread() - a thread that ends at once
 * @flags: of clone()
 * @stack_top: it may be used again when the thread has ended, which does not come back to it
 * @alive: not 0 while it is; the kernel wakes who waits for that
 *
 * Return: its id, or -errno.
 */
long start_short_thread(long flags, void *stack_top, int *alive);

#endif /* GAPP_BENCH_ENDS_H */
