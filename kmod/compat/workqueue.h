/* SPDX-License-Identifier: GPL-2.0 */
/* Queues of work. */
#ifndef GAPP_COMPAT_WORKQUEUE_H
#define GAPP_COMPAT_WORKQUEUE_H

#include <linux/workqueue.h>

/* Any CPU may do the work. v6.17, 128ea9f6ccfb: system_unbound_wq became system_dfl_wq. */
#ifdef GAPP_HAVE_DFL_WQ
#define gapp_any_cpu_wq system_dfl_wq
#else
#define gapp_any_cpu_wq system_unbound_wq
#endif

#endif /* GAPP_COMPAT_WORKQUEUE_H */
