/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Call paths as object and offset of each frame, so that equal paths in two processes, or in one
 * that has ended, is one path. The reader finishes paths that end in a stack copy.
 */
#ifndef GAPP_READ_CALL_PATHS_H
#define GAPP_READ_CALL_PATHS_H

#include <gapp.h>
#include <gapp_record.h>

#include "input/maps.h"
#include "input/rings.h"
#include "table-sync/object_tables.h"
#include "table-sync/outdated.h"

/* Who found a path. */
enum path_method {
	PATH_BY_FP, /* the module, at least one frame by the frame pointer */
	PATH_BY_TABLE, /* the module, all frames by unwind tables */
	PATH_BY_COPY, /* the reader, at least the outer frames, from a stack copy */
	PATH_METHODS,
};

/* How a path ended: enum gapp_unwind_end, or a value of this enum. */
enum path_end {
	PATH_END_COPY = GAPP_UNWIND_ENDS, /* at the end of the stack copy */
	PATH_END_NO_FP, /* the code of the last frame keeps no frame pointer, which was followed */
	PATH_ENDS,
};

/**
 * struct call_path - a call path; there is one for each distinct list of addresses
 * @id: 0, 1, 2 ... in the order in which the paths were first seen
 * @flags: as in struct gapp_path, with an enum path_end
 * @count: frames
 * @kernel_count: of these, frames of the kernel, which come first
 * @method: enum path_method, of the user's frames
 * @cut: the module found more frames, but by an outdated unwind table or mapping
 * @unfinished: call_paths_finish_copies() will change it
 * @addresses: innermost frame first; all are return addresses but the innermost of the kernel's and
 *	of the user's frames, see call_path_is_return()
 */
struct call_path {
	u32 id;
	u16 flags;
	u16 count;
	u16 kernel_count;
	u8 method;
	bool cut;
	bool unfinished;
	struct code_address addresses[];
};

/* Whether a frame's address is a return address: then its call ends there. */
static inline bool call_path_is_return(const struct call_path *path, u32 frame)
{
	return frame && frame != path->kernel_count;
}

static inline unsigned int call_path_end(const struct call_path *path)
{
	return path->flags & GAPP_PATH_END_MASK;
}

struct call_paths;

/* @rings: where the numbers of paths are looked up. NULL: no memory. */
struct call_paths *call_paths_new(struct objects *objects, struct maps *maps,
				  const struct rings *rings);
void call_paths_free(struct call_paths *paths);

/* From now on, paths end before frames that the module found by an outdated mapping or table. */
void call_paths_set_outdated(struct call_paths *paths, const struct outdated *outdated);

/*
 * The call path with @number in a record of process @tgid; the module took it between @begin_ns
 * and @time_ns, the record's time. Frames are looked up in the process's mappings of that time, so
 * records must come in the order of time. The result is kept, but is looked up again a few times
 * while a frame is in no known mapping, and whenever a mapping may have replaced another one. A
 * path that is cut as outdated is not kept. NULL: no path (GAPP_PATH_NONE, GAPP_PATH_LOST, a stack
 * copy that is not known), or no memory.
 */
const struct call_path *call_paths_get(struct call_paths *paths, u32 number, pid_t tgid,
				       u64 begin_ns, u64 time_ns);

/*
 * For callers who remember results: what call_paths_get() said of @number holds for all records of
 * the process before call_paths_until() (0: not even for the next one), as long as
 * *call_paths_changes() stays as it is, and only for records that begin after
 * *call_paths_outdated_until() (UINT64_MAX: something is outdated now).
 */
u64 call_paths_until(const struct call_paths *paths, u32 number);
const u64 *call_paths_changes(const struct call_paths *paths);
const u64 *call_paths_outdated_until(const struct call_paths *paths);

/*
 * From call_paths_replay() on, until call_paths_live(), the number of a user's path in a record is
 * the id of the path, as call_paths_set_id() has set it, whatever the process and the time. Numbers
 * of the kernel's paths stay the module's. Returns 0, or -1 without memory.
 */
int call_paths_replay(struct call_paths *paths);
void call_paths_live(struct call_paths *paths);

/* Pairs of a path of the kernel and a path of a user that are joined. */
#define JOINED_MAX 32768

/*
 * The path that has the frames of the kernel's path number @kernel in a record, and then those of
 * @user; NULL: the user's frames are not known, or it is a thread of the kernel. The same pair
 * gives the same path. Without a kernel's path, and beyond JOINED_MAX pairs, it is @user. NULL: no
 * path, or no memory. Before call_paths_finish_copies() the caller uses only its id.
 */
const struct call_path *call_paths_join(struct call_paths *paths, u32 kernel,
					const struct call_path *user);

/* Stack copies whose paths are known at one time; records refer to a copy soon after it came. */
#define STACK_COPIES_MAX 65536

/*
 * Unwinds a stack copy by the mappings at its time, so it comes before any later record.
 * call_paths_get() then finds the path by the copy's number, until STACK_COPIES_MAX more have come.
 * A copy for comparison is compared with the module's path instead. Returns 0, or -1 without
 * memory.
 */
int call_paths_add_copy(struct call_paths *paths, const struct gapp_record_stack_copy *copy);

/*
 * From now on stack copies are unwound by these tables, which the module has too, and by libdwfl
 * only if tables do not finish the path.
 */
void call_paths_set_tables(struct call_paths *paths, const struct object_tables *tables);

/*
 * From now on the caller uses only the id of paths that end in a stack copy, and their frames after
 * call_paths_finish_copies() alone: so libdwfl may finish them later. Some MiB of copies wait at
 * most.
 */
void call_paths_may_keep_copies(struct call_paths *paths);
/* Finishes all copies, and the paths joined with them. Returns 0, or -1 without memory. */
int call_paths_finish_copies(struct call_paths *paths);

/* How unwinding a stack copy ended. */
enum unwind_end {
	UNWIND_OUTERMOST, /* at an outermost frame */
	UNWIND_FULL, /* there is no room for more frames */
	UNWIND_BEYOND, /* the next frame is behind the end of the copy */
	UNWIND_UNMAPPED, /* at an address where nothing is known to be mapped */
	UNWIND_NO_RULE, /* no file has a rule for the last frame */
};

/* The module's path, compared with libdwfl's path from a copy of the same stack. */
enum verify_verdict {
	VERIFY_EQUAL, /* all frames are equal */
	VERIFY_DIFFERS, /* a frame differs, or the module goes on where libdwfl's path is whole */
	VERIFY_SHORTER, /* the module's path ends early and says so; its frames are equal */
	VERIFY_BEYOND, /* all frames up to the end of the copy are equal */
	VERIFY_GAVE_UP, /* equal up to where libdwfl finds no rule */
	VERIFY_UNCHECKED, /* the module's path or libdwfl's has no frames */
	VERIFY_VERDICTS,
};

const char *verify_name(enum verify_verdict verdict);

/* Most struct verify_case that are kept; each has another verdict or last equal frame. */
#define VERIFY_KEPT 8

/**
 * struct verify_case - two paths of one stack
 * @verdict: VERIFY_DIFFERS or VERIFY_SHORTER
 * @tgid: process
 * @end: enum gapp_unwind_end
 * @libdwfl_end: enum unwind_end
 * @equal: equal frames
 * @count: frames of the module's path
 * @libdwfl_count: frames of libdwfl's path
 * @times: pairs of paths with the same verdict and the same last equal frame
 * @addresses: the module's path
 * @libdwfl_addresses: libdwfl's path
 */
struct verify_case {
	enum verify_verdict verdict;
	pid_t tgid;
	u8 end;
	u8 libdwfl_end;
	u16 equal;
	u16 count;
	u16 libdwfl_count;
	u64 times;
	struct code_address addresses[GAPP_MAX_STACK];
	struct code_address libdwfl_addresses[GAPP_MAX_STACK];
};

/**
 * struct verify - all comparisons
 * @verdicts: comparisons by enum verify_verdict
 * @cases: pairs that are kept
 */
struct verify {
	u64 verdicts[VERIFY_VERDICTS];
	struct verify_case *cases;
	size_t case_count;
};

/*
 * Compares two paths with their ends, which are in @one: sets @one->verdict and @one->equal. Both
 * lists of addresses have the innermost frame first.
 */
void verify_compare(struct verify_case *one, const u64 *frames, const u64 *libdwfl_frames);

void verify_free(struct verify *verify);

/* Counts a comparison, and keeps a new kind of difference. Returns 0, or -1 without memory. */
int verify_note(struct verify *verify, const struct verify_case *one);

/**
 * struct call_paths_figures - what became of stack copies
 * @copies: copies that came, without those for comparison
 * @longer: copies that made a path longer
 * @whole: copies that made a path whole
 * @unknown: records whose copy had not come, or came too long ago
 * @verdict: verdict of the last comparison
 * @verify: all comparisons
 */
struct call_paths_figures {
	u64 copies;
	u64 longer;
	u64 whole;
	u64 unknown;
	enum verify_verdict verdict;
	struct verify verify;
};

const struct call_paths_figures *call_paths_figures(const struct call_paths *paths);

#endif /* GAPP_READ_CALL_PATHS_H */
