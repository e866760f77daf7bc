/* SPDX-License-Identifier: GPL-2.0 */
/* A process whose stores a session watches, and the breakpoints that the processors have. */
#ifndef GAPP_TESTS_ABI_WATCHED_H
#define GAPP_TESTS_ABI_WATCHED_H

#include <sched.h>

#include "records.h"

/* Stores of one act, and what is seen of them. */
#define W_STORES 64
#define W_SEEN (4 * W_STORES)
/* What an x86 processor has. */
#define W_BREAKPOINTS 4

/**
 * struct w_scene - memory that the process and the test share, at the same address
 * @word: the word to be watched
 * @other: another one
 * @act: what the process does at the next word of the test
 * @cpu: CPU on which it begins
 * @next_cpu: another one, or the same if there is no other
 * @count: number of its stores, at most W_STORES
 * @value: what it stores
 * @begin_ns: by its own clock, before each store
 * @end_ns: and behind it
 * @pause_ns: nanoseconds that it sleeps before each store
 * @tid: thread id of who stored last
 * @from: address to which the function with the store returns
 */
struct w_scene {
	u64 word;
	u64 other;
	void (*act)(struct w_scene *scene);
	u32 cpu;
	u32 next_cpu;
	u32 count;
	u32 value[W_STORES];
	u64 begin_ns[W_STORES];
	u64 end_ns[W_STORES];
	u64 pause_ns;
	pid_t tid;
	u64 from;
};

/**
 * struct w_seen - what a STORE record says, and where its path begins
 * @record: the record
 * @frames: the first two frames of the path; 0: there is none
 * @has_path: it has a path, whole or with a stack copy
 */
struct w_seen {
	struct gapp_record_store record;
	u64 frames[2];
	bool has_path;
};

/**
 * struct w_test - a session that follows such a process, and has been started
 * @scene: of the process
 * @child: the process
 * @fd: the session
 * @reader: its records
 * @copy: the last STACK_COPY record
 * @seen: STORE records
 * @count: of @seen, or more if there were too many
 */
struct w_test {
	struct w_scene *scene;
	struct t_child child;
	int fd;
	struct r_reader reader;
	struct gapp_record_stack_copy copy;
	struct w_seen seen[W_SEEN];
	u32 count;
};

/* The instruction that stores, and all of this program's code, as the linker names it. */
extern const char t_put_begin[], t_put_end[];
extern const char __executable_start[], etext[];
/* Other instructions that store: see store_points.c. */
extern const char t_points_set[], t_points_add[], t_points_swap[], t_points_locked[];
extern const char t_points_row[];
void w_put(struct w_scene *scene, u64 *word, u32 value);

/* Acts. The process goes to both CPUs of the scene; it stores; it stores in another thread. */
void w_visit(struct w_scene *scene);
void w_store(struct w_scene *scene);
void w_store_in_thread(struct w_scene *scene);

/* A session that may watch; it unwinds by @by. */
struct gapp_config w_config(enum gapp_unwind_by by);
/* Code of this program, of which no unwind table is loaded. */
void w_map(int fd, pid_t pid);
void w_begin(struct w_test *test, const struct gapp_config *config, u32 add_flags);
void w_end(struct w_test *test);
void w_stay_on(int cpu);

/* The usual one: every store into @scene's word, 4 bytes. */
struct gapp_watch w_usual(const struct w_test *test);
int w_watch(int fd, const struct gapp_watch *watch);
int w_watch_nothing(int fd);
/* The process acts, and has done so when it returns. What was seen before is forgotten. */
void w_act(struct w_test *test, void (*act)(struct w_scene *scene));
/* Acts while a word is watched, so that no store comes after the watch may have ended. */
void w_act_watched(struct w_test *test, const struct gapp_watch *watch,
		   void (*act)(struct w_scene *scene));
/* Begins a watch and makes a call at once: what it returned before the watch could end. */
int w_call_watched(struct w_test *test, int (*call)(void *arg), void *arg);

/**
 * struct w_held - breakpoints that this process holds
 * @fds: perf events
 * @count: of @fds
 */
struct w_held {
	int fds[W_BREAKPOINTS * CPU_SETSIZE];
	u32 count;
};

/* CPUs that this process may run on. */
u32 w_cpus(int *cpus);
/* Takes at most @most breakpoints of a CPU; returns how many. */
u32 w_hold(struct w_held *held, int cpu, u32 most);
void w_let_go(struct w_held *held);
/* How many breakpoints of a CPU nobody uses. */
u32 w_unused(int cpu);
/* Whether nobody uses any breakpoint of any CPU: now, or soon. */
bool w_all_unused(void);
bool w_soon_unused(void);

/*
 * watch_rounds.c: sessions and processes come and go while words are watched. @debuggers: and
 * debuggers do.
 */
void w_rounds(u32 rounds, bool debuggers);

#endif /* GAPP_TESTS_ABI_WATCHED_H */
