/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Waits, what they were for, and who ended them. A wait is put together of the records of one
 * thread: a slice that ended in it, and the wake-up that ended it (GAPP_LEVEL_TRACE), or the record
 * of a wait that left no thread active. What was waited for is a wait object, as far as the system
 * call and its arguments say. Sums are kept and not waits, so memory does not grow with time.
 */
#ifndef GAPP_READ_WAITS_H
#define GAPP_READ_WAITS_H

#include <gapp.h>
#include <gapp_record.h>

#include "data/blocks.h"
#include "input/shared_memory.h"
#include "input/wait_files.h"
#include "lock_holders.h"
#include "spin_ends.h"
#include "util/hash_index.h"

struct profile;
struct maps;

/* Bounds; what finds no room is counted, see struct all_waits. */
#define WAIT_OBJECTS_MAX 65536
#define WAIT_SITES_MAX 262144
#define WAIT_PAIRS_MAX 65536
#define WAIT_THREADS_MAX 65536
#define WAIT_NAMES_MAX 65536
/* Descriptors and names of threads that are looked up in /proc from one drain to the next. */
#define WAIT_LOOK_UPS 64
/* Words that are spun for, likewise. */
#define SPIN_LOOK_UPS 8
/* Searches for the other end of a pipe, which take long, in a recording. */
#define WAIT_PIPE_LOOK_UPS 16
/* A wait's length is counted in steps of powers of two of a microsecond. */
#define WAIT_STEPS 32

enum wait_object_kind {
	WAIT_ON_UNKNOWN, /* the system call does not say */
	WAIT_ON_FUTEX, /* words: address; in shared memory: offset in a file, number of the file */
	WAIT_ON_FILE, /* words: device, inode; also sockets and pipes */
	WAIT_ON_DESCRIPTOR, /* words: number, of what could not be looked at, or has no own inode */
	WAIT_ON_DESCRIPTORS, /* words: how many poll() waited for */
	WAIT_ON_CHILD, /* words: process id; 0: any */
	WAIT_ON_TIMER,
	WAIT_ON_MEMORY, /* the lock of the address space */
	WAIT_ON_FAULT, /* a page; records do not say which */
	WAIT_ON_SIGNAL,
	WAIT_ON_KERNEL_LOCK, /* words: address; 0 if it is not shown, and then its type */
	WAIT_ON_KINDS,
};

/**
 * struct wait_object_key - what tells objects apart
 * @kind: enum wait_object_kind
 * @image: address space; 0: it does not matter, as of a futex in shared memory
 * @words: see enum wait_object_kind
 */
struct wait_object_key {
	u32 kind;
	u32 image;
	u64 words[2];
};

/**
 * struct wait_sums - sums of waits
 * @critical: with every wait known: time with few threads active while it went on, in equal parts
 *	among the waits that went on, nanoseconds
 * @idle_ns: time with no thread active that the waits ended
 * @waited_ns: how long the waits took, as far as records say
 * @waits: waits that were recorded
 */
struct wait_sums {
	double critical;
	u64 idle_ns;
	u64 waited_ns;
	u64 waits;
};

/**
 * struct wait_object - something that threads wait for
 * @tgid: the process that waited first
 * @name: number of its name in @names of struct all_waits; HASH_NONE: none
 * @usual_name: of a name that stands for it as long as it has none: what its record says
 * @below: with WAIT_ON_FUTEX: the begin of the file's code mapping below the address; its object is
 *	NULL if there is none
 * @distance: from there to the address
 * @spins: with every wait known: those in busy-wait loops, which are in @sums, too
 */
struct wait_object {
	struct wait_object_key key;
	s32 tgid;
	u32 name;
	u32 usual_name;
	struct code_address below;
	u64 distance;
	struct wait_sums sums;
	struct spin_sums spins;
};

struct wait_site_key {
	u32 object;
	u32 stack; /* id of the call path, or STACK_NONE */
	u32 wait; /* the module's wait reason */
};

struct wait_site {
	struct wait_site_key key;
	struct wait_sums sums;
};

/* In place of the number of a waker's name: an interrupt, which has none. */
#define WAKER_TIMER 0xfffffffbU
#define WAKER_DISK 0xfffffffcU
#define WAKER_NETWORK 0xfffffffdU
#define WAKER_INTERRUPT 0xfffffffeU
#define WAKER_UNKNOWN 0xffffffffU

static inline bool waker_is_interrupt(u32 waker)
{
	return waker >= WAKER_TIMER && waker <= WAKER_INTERRUPT;
}

/**
 * struct wait_pair_key - who ended waits on one site
 * @waiter: number of a name in @names of struct all_waits
 * @waker: number of a name, or WAKER_*
 * @from: id of the waker's call path, or STACK_NONE
 */
struct wait_pair_key {
	u32 site;
	u32 waiter;
	u32 waker;
	u32 from;
};

struct wait_pair {
	struct wait_pair_key key;
	u64 waits;
	u64 waited_ns;
	u32 steps[WAIT_STEPS];
};

struct wait_thread_key {
	s32 tid;
	s32 tgid;
};

/**
 * struct wait_thread - a thread, and the wait it is in
 * @name: number of its name
 * @site: of the wait; HASH_NONE: it is in none, or there is no room for the site
 * @begin_ns: when the wait began
 * @area: @area of its target then
 * @losses: @losses of struct all_waits then: after a loss its end may be lost
 * @lock: locks that it holds
 * @spin: what came of its busy-wait loops, and when it waits for a CPU
 * @spun_stack: where it spun last and said for which word; HASH_NONE: nowhere
 * @spun_for: with @spun_stack: the object of that word
 */
struct wait_thread {
	struct wait_thread_key key;
	u32 name;
	u32 site;
	u32 target;
	u64 begin_ns;
	double area;
	u64 losses;
	struct lock_thread lock;
	struct spin_thread spin;
	u32 spun_stack;
	u32 spun_for;
};

struct wait_target_key {
	u32 target;
};

/**
 * struct wait_target - a target while records come in
 * @n: active threads
 * @waiting: waits that go on
 * @until_ns: up to when @area is known
 * @area: integral of 1 / @waiting over the time with few threads active
 * @few_ns: the time with few threads active, or none
 * @doubt: when a lock may have been released last that was not seen
 */
struct wait_target {
	struct wait_target_key key;
	u32 n;
	u32 waiting;
	u64 until_ns;
	double area;
	u64 few_ns;
	struct lock_moment doubt;
	u64 losses;
};

struct wait_descriptor_key {
	u32 image;
	u32 fd;
};

struct wait_descriptor {
	struct wait_descriptor_key key;
	u32 object;
	u64 looked_ns;
};

struct wait_word_key {
	u64 image;
	u64 address;
};

/**
 * struct wait_word - a futex that processes may share, at an address of one of them
 * @object: the futex; HASH_NONE: it is the process's own
 * @looked: it was looked up
 * @looked_ns: when
 */
struct wait_word {
	struct wait_word_key key;
	u32 object;
	bool looked;
	u64 looked_ns;
};

struct cpu_nodes;

struct wait_memory_key {
	u64 dev;
	u64 inode;
};

/* A file that processes have mapped and share. */
struct wait_memory {
	struct wait_memory_key key;
};

/*
 * What waits are looked up in; for tests other functions than those of input/wait_files.h. @nodes:
 * NUMA nodes of CPUs; NULL: not known.
 */
struct wait_sources {
	struct maps *maps;
	const struct cpu_nodes *nodes;
	void (*look)(pid_t pid, u32 fd, struct wait_file *file);
	void (*name)(pid_t pid, struct wait_file *file);
	bool (*thread_name)(pid_t tid, char *name);
	enum shared_memory (*shared)(pid_t pid, u64 address, struct shared_place *place);
	bool (*kernel_data)(u64 address, char *name);
};

/**
 * struct all_waits - sums of all waits
 * @all: every wait is recorded, with its begin and its end
 * @ends: else the end of each wait is recorded whose begin is
 * @n_min: few threads are at most so many
 * @look_ups: how many may be made until the next drain
 * @spin_look_ups: the same, of words that are spun for
 * @without_room: waits whose object, site or pair found no room
 * @not_looked_up: look-ups that were too many
 * @losses: GAPP_RECORD_LOST so far
 * @cut: waits whose begin or end was lost
 * @left_out: wake-ups whose call path the module left out, because there were too many
 * @stored_ns: of the next wake-up: when the store was that ended a wait in a busy-wait loop; 0: it
 *	was not seen
 * @open_spins: waits in busy-wait loops of which it is not yet known whether the ender had a CPU
 */
struct all_waits {
	bool all;
	bool ends;
	u32 n_min;
	struct wait_sources sources;
	u32 look_ups;
	u32 spin_look_ups;
	u32 pipe_look_ups;
	u64 without_room;
	u64 not_looked_up;
	u64 losses;
	u64 cut;
	u64 left_out;
	u64 stored_ns;
	struct open_spins open_spins;
	struct texts names;
	struct lock_holders holders;

	KEYED(wait_object) objects;
	KEYED(wait_site) sites;
	KEYED(wait_pair) pairs;
	KEYED(wait_thread) threads;
	KEYED(wait_target) targets;
	KEYED(wait_descriptor) descriptors;
	KEYED(wait_word) words;
	KEYED(wait_memory) memories;
};

void waits_free(struct all_waits *waits);

/*
 * What a thread waits for in a system call; see wait_object_find(). @file: what the record says of
 * the file of its descriptor; NULL: nothing. @lock: the same of a lock in the kernel.
 */
struct wait_call {
	s32 tgid;
	u32 image;
	u32 wait;
	s32 syscall;
	const u64 *args;
	const struct gapp_wait_file *file;
	const struct gapp_wait_lock *lock;
	const u8 *comm;
	u64 time_ns;
};

/* The number of the name of an object, or of what stands for it; HASH_NONE: there is none. */
static inline u32 wait_object_name(const struct wait_object *object)
{
	return object->name != HASH_NONE ? object->name : object->usual_name;
}

/*
 * What a thread of process @tgid waits for in a system call. Sets @object to its number; HASH_NONE:
 * there is no room. Returns 0, or -1 without memory.
 */
int wait_object_find(struct all_waits *waits, const struct wait_call *call, u32 *object);

/* The text of a name; NULL: there is none. */
static inline const char *wait_name_text(const struct all_waits *waits, u32 name)
{
	return name < waits->names.index.count ? waits->names.texts[name] : NULL;
}

/* "disk", "network" or "timer"; NULL: the waker is no interrupt, or of another kind. */
static inline const char *waker_interrupt_kind(u32 waker)
{
	switch (waker) {
	case WAKER_TIMER:
		return "timer";
	case WAKER_DISK:
		return "disk";
	case WAKER_NETWORK:
		return "network";
	default:
		return NULL;
	}
}

/* The number of a thread's name; HASH_NONE: no memory, or no room. @comm: GAPP_COMM_LEN bytes. */
u32 wait_name_number(struct all_waits *waits, const u8 *comm);

void lock_thread_init(struct lock_thread *thread);

/*
 * What follows is called with each record of a recording that has every wait, when @target knows of
 * its time. Those with a result return 0, or -1 without memory.
 *
 * A slice ended on @stack. To be called before the wait behind it begins.
 */
int lock_slice_ends(struct all_waits *waits, struct lock_thread *thread,
		    const struct gapp_record_slice *slice, u32 stack);
void lock_wait_begins(struct all_waits *waits, struct wait_target *target,
		      struct lock_thread *thread, u32 object);
/* A wait at @site ended. @end: its @was_few, and the sums of @row. */
int lock_wait_ends(struct all_waits *waits, struct wait_target *target, struct wait_thread *woken,
		   u32 site, const struct gapp_record_wake *wake, struct lock_end end);
/* A wait for @object goes on no more, and its end was not seen. */
void lock_wait_dropped(struct all_waits *waits, u32 object);
/* A lock may have been released, and which is not known. */
void lock_doubt(struct wait_target *target);
/* After the last record. */
int lock_holds_finish(struct all_waits *waits);

#endif /* GAPP_READ_WAITS_H */
