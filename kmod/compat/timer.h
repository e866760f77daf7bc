/* SPDX-License-Identifier: GPL-2.0 */
/* Timers of the wheel. */
#ifndef GAPP_COMPAT_TIMER_H
#define GAPP_COMPAT_TIMER_H

#include <linux/timer.h>

/* v6.2, 9b13df3fb64e, and by backport in 5.10, 5.15 and 6.1: stops a timer, and waits for it. */
static inline void gapp_timer_delete_sync(struct timer_list *timer)
{
#ifdef GAPP_HAVE_TIMER_DELETE_SYNC
	timer_delete_sync(timer);
#else
	del_timer_sync(timer);
#endif
}

#endif /* GAPP_COMPAT_TIMER_H */
