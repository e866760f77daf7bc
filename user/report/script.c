// SPDX-License-Identifier: GPL-2.0
#include "script.h"

#include <arpa/inet.h>

#include "input/rings.h"
#include "kernel_names.h"
#include "profile/profile.h"
#include "util/names.h"

static void put_time(const struct script *script, const char *before, u64 time_ns)
{
	bool early = time_ns < script->start_ns;
	u64 ns = early ? script->start_ns - time_ns : time_ns - script->start_ns;

	fprintf(script->out, "%s%s%llu.%09llu", before, early ? "-" : "", ns / NSEC_PER_SEC,
		ns % NSEC_PER_SEC);
}

static void put_number(const struct script *script, const char *name, u64 number)
{
	fprintf(script->out, " %s=%llu", name, number);
}

/* A share with its fraction: exact, for 4096ths have twelve decimals. */
static void put_share(const struct script *script, const char *name, u64 share)
{
	u64 fraction = share & ((1 << GAPP_SHARE_SHIFT) - 1);

	put_number(script, name, share >> GAPP_SHARE_SHIFT);
	if (fraction)
		fprintf(script->out, ".%012llu", fraction * 1000000000000ULL >> GAPP_SHARE_SHIFT);
}

/* Seconds, CPU, name, ids and type: @comm NULL: the record has none. */
static void put_head(const struct script *script, const struct gapp_record *head, const u8 *comm,
		     s32 tid, s32 tgid, const char *type)
{
	char name[NAME_SAFE_SIZE(GAPP_COMM_LEN)] = "-";

	if (comm)
		name_safe(name, comm, comm_len(comm), NAME_WHOLE);
	put_time(script, "", head->time_ns);
	fprintf(script->out, " [%03u] %s %d/%d %s", head->cpu, name, tid, tgid, type);
}

static void put_waiting(const struct script *script, const u16 *waiting)
{
	const char *comma = "";

	fputs(" waiting=", script->out);
	for (u32 i = 0; i < GAPP_WAIT_REASONS; i++) {
		if (!waiting[i])
			continue;
		fprintf(script->out, "%s%s:%u", comma, wait_name(i), waiting[i]);
		comma = ",";
	}
	if (!*comma)
		putc('-', script->out);
}

static void put_flags(const struct script *script, u32 flags)
{
	static const struct {
		u32 flag;
		const char *name;
	} names[] = {
		{ GAPP_SLICE_LEADER, "leader" },       { GAPP_SLICE_REST, "rest" },
		{ GAPP_SLICE_WOKEN_BY_IRQ, "irq" },    { GAPP_SLICE_WAKER, "waker" },
		{ GAPP_SLICE_IRQ_NETWORK, "network" }, { GAPP_SLICE_IRQ_DISK, "disk" },
		{ GAPP_SLICE_IRQ_TIMER, "timer" },
	};
	const char *comma = "";

	fputs(" flags=", script->out);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (!(flags & names[i].flag))
			continue;
		fprintf(script->out, "%s%s", comma, names[i].name);
		comma = ",";
	}
	if (!*comma)
		putc('-', script->out);
}

static void put_waker(const struct script *script, u32 flags, u32 cpu, s32 tid, s32 tgid)
{
	if (flags & GAPP_SLICE_WAKER)
		fprintf(script->out, " waker=%d/%d waker_cpu=%u", tid, tgid, cpu);
}

static void put_syscall(const struct script *script, s32 number, const u64 *args)
{
	if (number >= 0)
		fprintf(script->out, " syscall=%d(%#llx,%#llx,%#llx)", number, args[0], args[1],
			args[2]);
}

/* The word that a thread spins for. */
static void put_location(const struct script *script, const struct gapp_record_slice *slice)
{
	if (slice->then == GAPP_THEN_WAIT && slice->wait == GAPP_WAIT_SPIN && slice->args[0])
		fprintf(script->out, " location=%#llx", slice->args[0]);
}

/* Device and inode, and of a socket the other end. */
static void put_file(const struct script *script, const struct gapp_wait_file *file)
{
	char peer[INET6_ADDRSTRLEN];

	if (!file)
		return;
	fprintf(script->out, " file=%u:%u/%llu", file->device >> 20, file->device & 0xfffff,
		file->inode);
	if (file->peer_port && inet_ntop(file->family, file->peer, peer, sizeof(peer)))
		fprintf(script->out, " peer=%s/%u", peer, file->peer_port);
}

static void put_lock(const struct script *script, const struct gapp_wait_lock *lock)
{
	static const char *const kinds[] = {
		[GAPP_LOCK_OTHER] = "other",   [GAPP_LOCK_MUTEX] = "mutex",
		[GAPP_LOCK_READ] = "read",     [GAPP_LOCK_WRITE] = "write",
		[GAPP_LOCK_PERCPU] = "percpu", [GAPP_LOCK_RT] = "rt_mutex",
	};

	if (lock)
		fprintf(script->out, " kernel-lock=%s@%#llx",
			kinds[lock->kind < ARRAY_SIZE(kinds) ? lock->kind : GAPP_LOCK_OTHER],
			(unsigned long long)lock->address);
}

static int put_frame(FILE *out, const struct frame *frame, const char *indent)
{
	_cleanup_free_ char *text = NULL, *safe = NULL;
	int len;

	if (frame->function)
		len = asprintf(&text, "%s (%s)", frame->function, frame->module);
	else
		len = asprintf(&text, "[%.*s+%#llx]", (int)module_len(frame->module),
			       module_begin(frame->module), frame->offset);
	if (len < 0) {
		text = NULL;
		return -1;
	}
	safe = malloc(NAME_SAFE_SIZE(len));
	if (!safe)
		return -1;
	name_safe(safe, text, len, NAME_WHOLE);
	fprintf(out, "%s%s\n", indent, safe);
	return 0;
}

/* Prints whether the path is whole, how it was found, and if it is cut, why. */
static void put_state(const struct script *script, u32 path, const struct believed *believed)
{
	FILE *out = script->out;

	if (!believed->stack) {
		fprintf(out, " path=%s",
			path == GAPP_PATH_NONE ? "none" :
			path == GAPP_PATH_LOST ? "lost" :
						 "unknown");
		return;
	}
	fprintf(out, " path=%s by=%s", believed->complete ? "whole" : "cut",
		method_name(believed->stack->method));
	if (!believed->complete)
		fprintf(out, " end=%s", end_name(believed->end));
}

static int find_believed(const struct script *script, u32 path, struct believed *believed)
{
	const struct call_path *stack;

	if (script->saved)
		stack = saved_path(script->saved, path);
	else
		stack = call_paths_get(script->stacks, path, script->tgid, script->begin_ns,
				       script->time_ns);
	if (!stack || !stack->count)
		return 0;
	return believe(believed, stack, script->symbols);
}

/* The paths of the user and, innermost of all, of the kernel; ends the line that it begins on. */
static int put_paths(const struct script *script, u32 path, u32 kernel_path, const char *indent)
{
	_cleanup_(believed_free) struct believed user = { 0 }, kernel = { 0 };

	if (find_believed(script, path, &user) || find_believed(script, kernel_path, &kernel))
		return -1;
	put_state(script, path, &user);
	putc('\n', script->out);
	for (u32 i = 0; i < kernel.count; i++)
		if (put_frame(script->out, kernel.functions[i], indent))
			return -1;
	for (u32 i = 0; i < user.count; i++)
		if (put_frame(script->out, user.functions[i], indent))
			return -1;
	return 0;
}

static const char *slice_then(u8 then)
{
	static const char *const names[] = {
		[GAPP_THEN_WAIT] = "wait",	 [GAPP_THEN_PREEMPTED] = "preempted",
		[GAPP_THEN_EXITED] = "exited",	 [GAPP_THEN_ON] = "on",
		[GAPP_THEN_STOPPED] = "stopped",
	};

	return then < ARRAY_SIZE(names) && names[then] ? names[then] : "unknown";
}

/* Sets when the paths of a process's record were taken. */
static void begin(struct script *script, s32 tgid, u64 begin_ns, u64 time_ns)
{
	script->tgid = tgid;
	script->begin_ns = begin_ns;
	script->time_ns = time_ns;
}

int script_slice(struct script *script, const struct gapp_record_slice *slice)
{
	const struct gapp_sample *samples = (const struct gapp_sample *)(slice + 1);
	const s32 *in = record_samples_in(slice);
	char buffer[KERNEL_NAME_SIZE];

	begin(script, slice->tgid, slice->head.time_ns, slice->head.time_ns);
	put_head(script, &slice->head, slice->comm, slice->tid, slice->tgid, "slice");
	put_number(script, "image", slice->image);
	put_number(script, "target", slice->target);
	put_time(script, " begin=", slice->begin_ns);
	put_share(script, "share", slice->critical_share);
	put_share(script, "own", slice->own_critical_share);
	put_share(script, "cmetric", slice->cmetric);
	put_number(script, "thread_ns", slice->thread_ns);
	put_number(script, "slices", slice->slices);
	put_number(script, "n", slice->n);
	put_flags(script, slice->flags);
	fprintf(script->out, " then=%s", slice_then(slice->then));
	if (slice->then == GAPP_THEN_WAIT)
		fprintf(script->out, " wait=%s", wait_name(slice->wait));
	put_syscall(script, slice->syscall, slice->args);
	put_location(script, slice);
	put_file(script, slice_wait_file(slice));
	put_lock(script, slice_wait_lock(slice));
	put_waker(script, slice->flags, slice->waker_cpu, slice->waker_tid, slice->waker_tgid);
	put_waiting(script, slice->waiting);
	put_number(script, "samples", slice->sample_count);
	if (put_paths(script, slice->path, slice->kernel_path, "\t"))
		return -1;

	script->begin_ns = slice->begin_ns;
	for (u32 i = 0; i < slice->sample_count; i++) {
		fputs("\tsample", script->out);
		put_share(script, "share", samples[i].critical_share);
		if (in)
			fprintf(script->out, " in=%s", kernel_name(in[i], buffer));
		put_waiting(script, samples[i].waiting);
		if (put_paths(script, samples[i].path, samples[i].kernel_path, "\t\t"))
			return -1;
	}
	return 0;
}

int script_wait(struct script *script, const struct gapp_record_wait *wait)
{
	begin(script, wait->tgid, wait->begin_ns, wait->head.time_ns);
	put_head(script, &wait->head, wait->comm, wait->tid, wait->tgid, "wait");
	put_number(script, "image", wait->image);
	put_number(script, "target", wait->target);
	put_time(script, " begin=", wait->begin_ns);
	put_number(script, "wait_ns", wait->wait_ns);
	put_number(script, "stretches", wait->stretches);
	put_flags(script, wait->flags);
	fprintf(script->out, " wait=%s", wait_name(wait->wait));
	put_syscall(script, wait->syscall, wait->args);
	put_file(script, wait_wait_file(wait));
	put_lock(script, wait_wait_lock(wait));
	put_waker(script, wait->flags, wait->waker_cpu, wait->waker_tid, wait->waker_tgid);
	put_waiting(script, wait->waiting);
	return put_paths(script, wait->path, wait->kernel_path, "\t");
}

void script_lost(struct script *script, const struct gapp_record_lost *lost)
{
	put_head(script, &lost->head, NULL, 0, 0, "lost");
	put_number(script, "records", lost->records);
	put_share(script, "share", lost->critical_share);
	put_number(script, "wait_ns", lost->wait_ns);
	put_time(script, " since=", lost->since_ns);
	putc('\n', script->out);
}

void script_wake(struct script *script, const struct gapp_record_wake *wake)
{
	put_head(script, &wake->head, NULL, wake->tid, wake->tgid, "wake");
	put_number(script, "target", wake->target);
	put_number(script, "n", wake->n);
	put_flags(script, wake->flags);
	put_waker(script, wake->flags, wake->waker_cpu, wake->waker_tid, wake->waker_tgid);
	putc('\n', script->out);
}

int script_unwound_copy(struct script *script, const struct gapp_record_stack_copy *copy, u32 path,
			enum verify_verdict verdict)
{
	begin(script, copy->tgid, copy->head.time_ns, copy->head.time_ns);
	put_head(script, &copy->head, NULL, copy->tid, copy->tgid, "stack_copy");
	put_number(script, "image", copy->image);
	put_number(script, "copy", copy->copy);
	fprintf(script->out, " at=%#llx", copy->stack_at);
	put_number(script, "bytes", copy->stack_bytes);
	if (copy->flags & GAPP_STACK_COPY_VERIFY)
		fprintf(script->out, " verify=%s", verify_name(verdict));
	return put_paths(script, path, GAPP_PATH_NONE, "\t");
}

/*
 * Prints a stack copy's record and the call path that the reader unwound from the copy. If the copy
 * serves to verify a path of the module, prints the verdict and that path instead.
 */
int script_stack_copy(struct script *script, const struct gapp_record_stack_copy *copy)
{
	bool verify = copy->flags & GAPP_STACK_COPY_VERIFY;

	return script_unwound_copy(script, copy, verify ? copy->path : GAPP_PATH_COPY | copy->copy,
				   call_paths_figures(script->stacks)->verdict);
}

void script_need_mapping(struct script *script, const struct gapp_record_need_mapping *record)
{
	put_head(script, &record->head, NULL, 0, record->tgid, "need_mapping");
	put_number(script, "image", record->image);
	fprintf(script->out, " address=%#llx\n", record->address);
}

static const char *mark_kind(u16 kind)
{
	static const char *const names[] = {
		[GAPP_MARK_POINT] = "mark",
		[GAPP_MARK_BEGIN] = "begin",
		[GAPP_MARK_END] = "end",
	};

	return kind < ARRAY_SIZE(names) ? names[kind] : "unknown";
}

/* The text is last, for it may have anything in it. */
void script_mark(struct script *script, const struct gapp_record_mark *mark)
{
	char text[NAME_SAFE_SIZE(GAPP_MARK_TEXT)];

	put_head(script, &mark->head, mark->comm, mark->tid, mark->tgid, "mark");
	put_number(script, "image", mark->image);
	put_number(script, "target", mark->target);
	if (mark->flags & GAPP_MARK_INTEGRALS) {
		put_number(script, "thread_ns", mark->thread_ns);
		put_number(script, "n", mark->n);
	}
	if (mark->left_out)
		put_number(script, "left_out", mark->left_out);
	name_safe(text, mark + 1, mark->bytes < GAPP_MARK_TEXT ? mark->bytes : GAPP_MARK_TEXT,
		  NAME_WHOLE);
	fprintf(script->out, " kind=%s text=%s\n", mark_kind(mark->kind), text);
}
