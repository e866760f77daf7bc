/* SPDX-License-Identifier: GPL-2.0 */
/* What runs in process context: the device, its calls, a session's life, /proc/gapp. */
#ifndef GAPP_CONTROL_H
#define GAPP_CONTROL_H

#include "switch/session.h"

struct file;
struct gapp_breakpoints;
struct gapp_uprobe;

/**
 * struct gapp_request - a process that was added
 * @tgid: its id, a reference
 * @inherit: its children are added too
 * @asked_mm: mm of the process when the reader last asked for the address space's number before
 *	START, held by mmgrab(); or NULL
 */
struct gapp_request {
	struct pid *tgid;
	bool inherit;
	struct mm_struct *asked_mm;
};

/* ioctl.c */
long gapp_ioctl(struct file *file, unsigned int command, unsigned long argument);

/* session.c; under the session's lock: add_*, load_table, set_mappings, start, stop, end */
struct gapp_session *gapp_session_create(void);
void gapp_session_destroy(struct gapp_session *session);
int gapp_session_add_process(struct gapp_session *session, const struct gapp_add_process *process);
int gapp_session_add_executable(struct gapp_session *session,
				const struct gapp_add_executable *exe);
int gapp_session_add_selection(struct gapp_session *session,
			       const struct gapp_add_selection *selection);
int gapp_session_load_table(struct gapp_session *session, struct gapp_table_load *load);
int gapp_session_set_mappings(struct gapp_session *session, struct gapp_mappings *maps);
int gapp_session_start(struct gapp_session *session);
int gapp_session_stop(struct gapp_session *session);
int gapp_session_end(struct gapp_session *session);
void gapp_session_for_each(void (*show)(struct gapp_session *session, void *data), void *data);

/* watch.c: process context; watch() under the session's lock */
void gapp_watch_prepare(struct gapp_session *session);
int gapp_session_watch(struct gapp_session *session, const struct gapp_watch *watch);
void gapp_watch_end(struct gapp_session *session);
struct mm_struct *gapp_session_memory(struct gapp_session *session, pid_t nr, u32 *image);
int gapp_may_look_into_code(const struct gapp_session *session);
int gapp_watch_keep_out(void);
void gapp_watch_let_in(void);

/* breakpoints.c: process context */
int gapp_breakpoints_begin(struct gapp_breakpoints *points,
			   bool (*hit)(struct gapp_uprobe *uprobe, struct pt_regs *regs));
void gapp_breakpoints_end(struct gapp_breakpoints *points);

/* store_points.c: process context; under the session's lock */
int gapp_session_store_point(struct gapp_session *session, const struct gapp_store_point *asked);
void gapp_store_points_end(struct gapp_session *session);

/* exact.c: process context; under the session's lock */
int gapp_session_exact(struct gapp_session *session, const struct gapp_exact *exact);
void gapp_exact_end(struct gapp_session *session);

/* marks.c: process context; begin() and end() under the session's lock, or nobody else has it */
int gapp_marks_init(void);
void gapp_marks_exit(void);
int gapp_marks_make(void);
void gapp_marks_open(void);
void gapp_marks_close(void);
void gapp_marks_begin(struct gapp_session *session);
void gapp_marks_end(struct gapp_session *session);

/* configure.c: under the session's lock */
int gapp_session_configure(struct gapp_session *session, const struct gapp_config *config);
void gapp_session_unmake(struct gapp_session *session);

/* attach.c: under the session's lock */
int gapp_attach(struct gapp_session *session, const struct gapp_request *requests, u32 count);

/* figures.c: what a session has counted; status and counters under the session's lock */
void gapp_session_status(struct gapp_session *session, struct gapp_status *status);
void gapp_session_counters(struct gapp_session *session, struct gapp_counters *counters);
bool gapp_figures_slot(struct gapp_thread_table *threads, u32 slot, struct pid_namespace *ns,
		       struct gapp_thread_figures *figures);
u32 gapp_figures_threads(struct gapp_session *session, u64 *cursor,
			 struct gapp_thread_figures *rows, u32 capacity);
u32 gapp_figures_waits(struct gapp_session *session, u64 *cursor, struct gapp_thread_waits *rows,
		       u32 capacity);
u32 gapp_figures_handovers(struct gapp_session *session, u64 *cursor, struct gapp_handover *rows,
			   u32 capacity);
u32 gapp_figures_processes(struct gapp_session *session, u64 *cursor,
			   struct gapp_thread_figures *rows, u32 capacity);
u32 gapp_figures_targets(struct gapp_session *session, u64 *cursor,
			 struct gapp_target_figures *rows, u32 capacity);
u32 gapp_figures_parallelism(struct gapp_session *session, u64 *cursor, u64 *rows, u32 capacity);

/* tallies.c: what is counted of threads; ADD_TALLY under the session's lock */
int gapp_session_add_tally(struct gapp_session *session, const struct gapp_add_tally *tally);
u32 gapp_figures_thread_tallies(struct gapp_session *session, u64 *cursor,
				struct gapp_thread_tallies *rows, u32 capacity);
u32 gapp_figures_cpu_tallies(struct gapp_session *session, u64 *cursor,
			     struct gapp_cpu_tallies *rows, u32 capacity);
void gapp_tallies_bring_up(struct gapp_session *session);

/* procfs.c: /proc/gapp */
int gapp_procfs_init(void);
void gapp_procfs_exit(void);
int gapp_procfs_add(struct gapp_session *session);
void gapp_procfs_remove(struct gapp_session *session);

#endif /* GAPP_CONTROL_H */
