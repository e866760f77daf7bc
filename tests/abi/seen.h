/* SPDX-License-Identifier: GPL-2.0 */
/* A session that follows a process of frameless.h, and what is said of its paths. */
#ifndef GAPP_TESTS_ABI_SEEN_H
#define GAPP_TESTS_ABI_SEEN_H

#include "frameless.h"
#include "records.h"

/* What of a path is compared: how it ended, and how it was made. */
#define S_PATH_FLAGS (GAPP_PATH_END_MASK | GAPP_PATH_BY_TABLE | GAPP_PATH_BY_FP)

/* So many samples at least are to hit a thread in the kernel when its calls are hidden. */
#define S_SETTLED 10

/**
 * struct seen - a session, and the last of each that was seen of one thread
 * @reader: its records
 * @fd: the session
 * @child: the process
 * @tid: whose records count; 0: everybody's
 * @slices: that ended in a wait
 * @tails: of this thread
 * @needmaps: of its process, whose leader it is
 * @in_kernel: samples of this thread that hit the kernel
 * @hidden: of these, samples that do not say where
 * @hidden_ns: when the earliest slice ended that has one of those
 * @in_call: of @in_kernel, samples that name a system call, after one that does not
 * @slice: the last one
 * @tail: likewise
 * @stack: what followed @tail
 * @need: the last NEED_MAPPING
 * @awaited: address of one that is to come, and comes, if only once
 * @awaited_came: it has come
 * @again: how often s_step() has done a step once more
 */
struct seen {
	struct r_reader reader;
	int fd;
	struct t_child child;
	pid_t tid;
	u64 slices;
	u64 tails;
	u64 needmaps;
	u64 in_kernel;
	u64 hidden;
	u64 hidden_ns;
	u64 in_call;
	struct gapp_record_slice slice;
	struct gapp_record_stack_copy tail;
	u8 stack[GAPP_MAX_STACK_COPY];
	struct gapp_record_need_mapping need;
	u64 awaited;
	bool awaited_came;
	u32 again;
};

/* What the process sits in, and the frames that it has there. */
struct s_test {
	struct f_scene scene;
	struct seen *seen;
	u64 frames[F_FRAMES];
};

/* Trace, by @calls, of a process that sits in @scene. */
struct gapp_config s_config(enum gapp_unwind_by calls);
struct seen *s_follow(const struct gapp_config *config, struct f_scene *scene);
/* Another body for the process: see t_fork(). */
struct seen *s_follow_body(const struct gapp_config *config,
			   void (*run)(struct t_child *parent, void *arg), void *arg);
/* A body that executes this program when it is told to, which tells when it waits. */
void s_executes(struct t_child *parent, void *unused);
void s_end(struct seen *seen);
/* All of what was read was good; no process, session or scene is left. */
void s_done(struct seen *seen, struct f_scene *scene);
/* A scene that begins at @start, and is followed; and its end. */
void s_make(struct s_test *test, const struct gapp_config *config, const u8 *start);
void s_unmake(struct s_test *test);

/* That no path or copy is lost each time it is first wanted: at the end, of all sessions. */
void s_check_steps(void);
/* Loads f_table() and tells of it and of nothing else; the table's number. */
u32 s_tell(struct seen *seen, const struct f_scene *scene);
/* Reads all there is now. */
void s_read(struct seen *seen);
/* One word to the process, and its next slice; dies if none comes. */
void s_step_once(struct seen *seen);
/* The same; and once more after a while, if a path or a copy was left out for lack of time. */
void s_step(struct seen *seen);
/* Rests and steps until a tail comes, a few times at most; how many there were before. */
u64 s_step_to_tail(struct seen *seen);
/* Waits for a slice without a word. */
void s_wait(struct seen *seen);

/* The path of the last slice, or of what its tail begins with. */
void s_expect(struct seen *seen, u32 path, const u64 *frames, u16 count, u16 flags,
	      const char *name);
/* The last slice has a path that ends in the last tail. */
void s_expect_tail(struct seen *seen, const char *name);
/* Nothing of what was read was wrong, and each tail has come. */
void s_good(struct seen *seen, const char *name);

#endif /* GAPP_TESTS_ABI_SEEN_H */
