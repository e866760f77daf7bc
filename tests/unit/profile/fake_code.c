// SPDX-License-Identifier: GPL-2.0
#include "fake_code.h"

#include <math.h>

#define MAX_FUNCTIONS 2048
#define MAX_PATHS 4096
#define MAX_FRAMES 32
#define LINES 1000
/* A bit of the flags that no path has: so that stacks differ by their method. */
#define FAKE_METHOD 12

/* Two file systems number their files alike. */
static struct object program = { .path = (char *)"/opt/program",
				 .name = "program",
				 .dev = 1,
				 .inode = 7 };
static struct object library = { .path = (char *)"/usr/lib/libsome.so",
				 .name = "libsome.so",
				 .dev = 2,
				 .inode = 7 };
static struct object kernel = { .kind = OBJECT_KERNEL,
				.path = (char *)"[kernel]",
				.name = "[kernel]" };
static struct object libgomp = { .path = (char *)"/usr/lib/libgomp.so.1", .name = "libgomp.so.1" };
static struct object libomp = { .path = (char *)"/usr/lib/libomp.so.5", .name = "libomp.so.5" };
static struct object libc = { .path = (char *)"/usr/lib/libc.so.6", .name = "libc.so.6" };

struct function {
	char name[48];
	struct frame frame;
	struct frame lines[LINES][2];
};

static struct function *functions[MAX_FUNCTIONS];
static u32 function_count;
static struct call_path *paths[MAX_PATHS];
static u32 path_count;

void fake_code_reset(void)
{
	while (function_count)
		free(functions[--function_count]);
	while (path_count)
		free(paths[--path_count]);
}

static bool begins(const char *name, const char *with)
{
	return !strncmp(name, with, strlen(with));
}

static struct object *object_of(const char *name)
{
	if (begins(name, "lib_"))
		return &library;
	if (begins(name, "k_"))
		return &kernel;
	if (begins(name, "GOMP_") || begins(name, "omp_") || begins(name, "?gomp"))
		return &libgomp;
	if (begins(name, "__kmp") || begins(name, "?kmp"))
		return &libomp;
	if (begins(name, "_") || begins(name, "pthread_") || begins(name, "futex_") ||
	    begins(name, "sem_") || begins(name, "std::"))
		return &libc;
	return &program;
}

static u32 function_of(const char *name)
{
	u32 i;

	for (i = 0; i < function_count; i++) {
		if (!strcmp(functions[i]->name, name))
			return i;
	}
	assert_true(i < MAX_FUNCTIONS);
	functions[i] = calloc(1, sizeof(*functions[i]));
	assert_non_null(functions[i]);
	snprintf(functions[i]->name, sizeof(functions[i]->name), "%s", name);
	functions[i]->frame.function = *name == '?' ? NULL : functions[i]->name;
	functions[i]->frame.module = object_of(name)->name;
	functions[i]->frame.offset = i * LINES;
	functions[i]->frame.outermost = (*name == '_' && object_of(name) == &libc) ||
					begins(name, "k_start");
	functions[i]->frame.switches = *name == '^';
	functions[i]->frame.library = object_of(name) != &program;
	functions[i]->frame.kernel = begins(name, "k_");
	functions[i]->frame.interpreter = begins(name, "interpret");
	if (!begins(name, "py::"))
		functions[i]->frame.object = object_of(name);
	functions[i]->frame.scheduler = begins(name, "k_sched");
	function_count++;
	return i;
}

/* A stack is only made once. */
static u32 intern(struct call_path *made)
{
	size_t bytes = made->count * sizeof(*made->addresses);

	for (u32 i = 0; i < path_count; i++) {
		if (paths[i]->count == made->count && paths[i]->flags == made->flags &&
		    !memcmp(paths[i]->addresses, made->addresses, bytes)) {
			free(made);
			return i;
		}
	}
	assert_true(path_count < MAX_PATHS);
	made->id = path_count;
	paths[path_count] = made;
	return path_count++;
}

static u32 make_path(const char *frames, u16 flags)
{
	struct call_path *stack =
		calloc(1, sizeof(*stack) + MAX_FRAMES * sizeof(*stack->addresses));
	char copy[512], *save = NULL;

	assert_non_null(stack);
	stack->flags = flags;
	snprintf(copy, sizeof(copy), "%s", frames);
	for (char *one = strtok_r(copy, " ", &save); one; one = strtok_r(NULL, " ", &save)) {
		char *colon = strrchr(one, ':');

		assert_non_null(colon);
		*colon = '\0';
		assert_true(stack->count < MAX_FRAMES);
		stack->addresses[stack->count++] = (struct code_address){
			.object = object_of(one),
			.offset = function_of(one) * LINES + atoi(colon + 1),
		};
	}
	return intern(stack);
}

u32 path_of(const char *frames)
{
	return make_path(frames, GAPP_UNWIND_COMPLETE);
}

u32 cut_path_of(const char *frames)
{
	return make_path(frames, GAPP_UNWIND_NO_FRAME);
}

u32 kernel_path_of(const char *frames)
{
	u32 path = make_path(frames, GAPP_UNWIND_COMPLETE | GAPP_PATH_KERNEL);

	paths[path]->kernel_count = paths[path]->count;
	return path;
}

const struct call_path *call_paths_join(struct call_paths *stacks, u32 number,
					const struct call_path *user)
{
	struct call_path *stack;
	const struct call_path *in_kernel;

	if (number >= path_count)
		return user;
	in_kernel = paths[number];
	stack = calloc(1, sizeof(*stack) + 2 * MAX_FRAMES * sizeof(*stack->addresses));
	assert_non_null(stack);
	*stack = *in_kernel;
	stack->flags = user ? user->flags : GAPP_PATH_KERNEL | GAPP_UNWIND_UNREADABLE;
	memcpy(stack->addresses, in_kernel->addresses,
	       in_kernel->count * sizeof(*stack->addresses));
	for (u32 i = 0; user && i < user->count; i++)
		stack->addresses[stack->count++] = user->addresses[i];
	return paths[intern(stack)];
}

u32 path_by(enum path_method method, const char *frames, unsigned int end)
{
	u32 path = make_path(frames, end | (method == PATH_BY_TABLE ? GAPP_PATH_BY_TABLE : 0) |
					     (u32)method << FAKE_METHOD);

	paths[path]->method = method;
	return path;
}

const struct call_path *call_paths_get(struct call_paths *stacks, u32 path, pid_t tgid,
				       u64 begin_ns, u64 time_ns)
{
	if (path < GAPP_PATH_LOST)
		path &= ~GAPP_PATH_COPY;
	return path < path_count ? paths[path] : NULL;
}

u64 call_paths_until(const struct call_paths *stacks, u32 path)
{
	return path & GAPP_PATH_COPY ? 0 : UINT64_MAX;
}

const u64 *call_paths_changes(const struct call_paths *stacks)
{
	static const u64 none;

	return &none;
}

const u64 *call_paths_outdated_until(const struct call_paths *stacks)
{
	static const u64 never;

	return &never;
}

const struct call_paths_figures *call_paths_figures(const struct call_paths *stacks)
{
	static struct call_paths_figures figures = { .verdict = VERIFY_BEYOND };

	return &figures;
}

const struct frame *symbols_function(struct symbols *symbols, struct code_address place,
				     bool is_return)
{
	return &functions[place.offset / LINES]->frame;
}

size_t symbols_frames(struct symbols *symbols, struct code_address place, bool is_return,
		      const struct frame **frames)
{
	u32 function = place.offset / LINES, line = place.offset % LINES;
	struct frame *pair = functions[function]->lines[line];

	*frames = pair;
	pair[1] = functions[function]->frame;
	if (line) {
		pair[1].file = "code.c";
		pair[1].line = function * LINES + line;
	}
	pair[0] = pair[1];
	if (line < LINES / 2)
		return 1;
	pair[0].function = "inlined";
	pair[0].file = "inline.h";
	pair[0].line = line;
	pair[0].inlined = true;
	return 2;
}

const struct frame *symbols_first_line(struct symbols *symbols, const struct frame *function,
				       u64 inside)
{
	static struct frame first;

	/* the offset of the highest address that was seen */
	assert_int_equal(inside / LINES, function->offset / LINES);

	first = *function;
	first.file = function->function ? "code.c" : NULL;
	first.line = inside;
	return &first;
}

const char *symbols_variable(struct symbols *symbols, struct code_address code, u64 distance)
{
	return NULL;
}

enum frame_rule symbols_frame_rule(struct symbols *symbols, struct code_address place,
				   bool is_return)
{
	const char *name = functions[place.offset / LINES]->name;

	return *name == '!' ? FRAME_OTHER : *name == '$' ? FRAME_OUTERMOST : FRAME_POINTER;
}

struct made made_slice(s32 tid, s32 tgid, u32 end, u64 share)
{
	return (struct made){
		.slice = { .head = { .type = GAPP_RECORD_SLICE,
				     .size = sizeof(struct gapp_record_slice),
				     .time_ns = SECONDS(1) },
			   .tid = tid,
			   .tgid = tgid,
			   .comm = "worker",
			   .begin_ns = SECONDS(1) - MS(1),
			   .critical_share = share,
			   .own_critical_share = share,
			   .cmetric = share,
			   .thread_ns = MS(2),
			   .slices = 1,
			   .n = 2,
			   .then = GAPP_THEN_WAIT,
			   .wait = GAPP_WAIT_LOCK,
			   .path = end,
			   .kernel_path = GAPP_PATH_NONE,
			   .syscall = -1 },
	};
}

void made_sample(struct made *made, u32 path, u64 share)
{
	made->samples[made->slice.sample_count++] = (struct gapp_sample){
		.path = path,
		.kernel_path = GAPP_PATH_NONE,
		.critical_share = share,
	};
	made->slice.head.size += sizeof(struct gapp_sample);
}

void made_in(struct made *made, const s32 *in)
{
	u32 count = made->slice.sample_count;

	memcpy(&made->samples[count], in, count * sizeof(*in));
	made->slice.head.size += (count + 1) / 2 * sizeof(u64);
}

struct gapp_record_wait made_wait(s32 tid, s32 tgid, u32 path, u64 wait_ns,
				  enum gapp_wait_reason wait)
{
	return (struct gapp_record_wait){
		.head = { .type = GAPP_RECORD_WAIT,
			  .size = sizeof(struct gapp_record_wait),
			  .time_ns = SECONDS(1) },
		.tid = tid,
		.tgid = tgid,
		.comm = "sleeper",
		.wait_ns = wait_ns,
		.stretches = 1,
		.wait = wait,
		.path = path,
		.kernel_path = GAPP_PATH_NONE,
		.syscall = -1,
	};
}

void fold(struct profile *profile, const struct made *made)
{
	assert_int_equal(profile_add_slice(profile, &made->slice), 0);
}

void fold_wait(struct profile *profile, const struct gapp_record_wait *wait)
{
	assert_int_equal(profile_add_wait(profile, wait), 0);
}

struct ranking ranking_with(struct profile *profile, const struct profile_options *options)
{
	struct ranking ranking;

	assert_int_equal(profile_rank(profile, NULL, options, &ranking), 0);
	return ranking;
}

struct ranking ranking_by(struct profile *profile, enum by by)
{
	return ranking_with(profile, &(struct profile_options){ .by = by });
}

const struct ranked *row_of(const struct ranking *ranking, enum path_kind kind,
			    const char *function)
{
	for (size_t i = 0; i < ranking->count; i++) {
		const struct ranked *row = &ranking->rows[i];

		if (row->kind == kind && row->frame_count && row->frames->function &&
		    !strcmp(row->frames->function, function))
			return row;
	}
	return NULL;
}

void near(double value, double expected)
{
	double tolerance = fabs(expected) / 1000000000 + 0.000001;

	if (!(fabs(value - expected) <= tolerance))
		fail_msg("%.9f is not %.9f", value, expected);
}

struct profile *profile;

int profile_begin(void **state)
{
	profile = profile_new(NULL);
	return profile ? 0 : -1;
}

int profile_end(void **state)
{
	profile_free(profile);
	fake_code_reset();
	return 0;
}

void is_path(const struct ranked *row, const char *const *names, size_t count)
{
	assert_int_equal(row->frame_count, count);
	for (size_t i = 0; i < count; i++)
		assert_string_equal(row->frames[i].function, names[i]);
}
