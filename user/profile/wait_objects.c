// SPDX-License-Identifier: GPL-2.0
/*
 * What a thread waits for, by its system call, or by what its record says of a lock in the kernel.
 * A descriptor is looked at in /proc when the first record with it comes, and again after a second,
 * because its number may be of another file then. What cannot be known stays what the record says:
 * a descriptor's number, or nothing.
 */
#include <linux/futex.h>
#include <sys/syscall.h>

#include "input/maps.h"
#include "profile_private.h"
#include "symbol/kernel_data.h"

#define LOOK_AGAIN_NS 1000000000ULL

/* What the first argument of a system call is. */
enum argument {
	ARGUMENT_NONE,
	ARGUMENT_DESCRIPTOR,
	ARGUMENT_ADDRESS, /* of a futex */
	ARGUMENT_CHILD,
	ARGUMENT_POLL, /* a list of descriptors; their number is the second argument */
	ARGUMENT_SELECT, /* the highest descriptor, and one more */
	ARGUMENT_TIME,
};

/* clang-format off */

static const struct {
	s32 syscall;
	enum argument first;
} calls[] = {
	{ SYS_read, ARGUMENT_DESCRIPTOR }, { SYS_write, ARGUMENT_DESCRIPTOR },
	{ SYS_readv, ARGUMENT_DESCRIPTOR }, { SYS_writev, ARGUMENT_DESCRIPTOR },
	{ SYS_pread64, ARGUMENT_DESCRIPTOR }, { SYS_pwrite64, ARGUMENT_DESCRIPTOR },
	{ SYS_preadv, ARGUMENT_DESCRIPTOR }, { SYS_pwritev, ARGUMENT_DESCRIPTOR },
	{ SYS_fsync, ARGUMENT_DESCRIPTOR }, { SYS_fdatasync, ARGUMENT_DESCRIPTOR },
	{ SYS_sync_file_range, ARGUMENT_DESCRIPTOR }, { SYS_syncfs, ARGUMENT_DESCRIPTOR },
	{ SYS_ftruncate, ARGUMENT_DESCRIPTOR }, { SYS_fallocate, ARGUMENT_DESCRIPTOR },
	{ SYS_getdents64, ARGUMENT_DESCRIPTOR }, { SYS_ioctl, ARGUMENT_DESCRIPTOR },
	{ SYS_flock, ARGUMENT_DESCRIPTOR }, { SYS_fcntl, ARGUMENT_DESCRIPTOR },
	{ SYS_recvfrom, ARGUMENT_DESCRIPTOR }, { SYS_sendto, ARGUMENT_DESCRIPTOR },
	{ SYS_recvmsg, ARGUMENT_DESCRIPTOR }, { SYS_sendmsg, ARGUMENT_DESCRIPTOR },
	{ SYS_recvmmsg, ARGUMENT_DESCRIPTOR }, { SYS_sendmmsg, ARGUMENT_DESCRIPTOR },
	{ SYS_accept, ARGUMENT_DESCRIPTOR }, { SYS_accept4, ARGUMENT_DESCRIPTOR },
	{ SYS_connect, ARGUMENT_DESCRIPTOR }, { SYS_epoll_pwait, ARGUMENT_DESCRIPTOR },
	{ SYS_splice, ARGUMENT_DESCRIPTOR },
#ifdef SYS_epoll_wait
	{ SYS_epoll_wait, ARGUMENT_DESCRIPTOR },
#endif
#ifdef SYS_epoll_pwait2
	{ SYS_epoll_pwait2, ARGUMENT_DESCRIPTOR },
#endif
#ifdef SYS_io_uring_enter
	{ SYS_io_uring_enter, ARGUMENT_DESCRIPTOR },
#endif
	{ SYS_futex, ARGUMENT_ADDRESS },
#ifdef SYS_futex_wait
	{ SYS_futex_wait, ARGUMENT_ADDRESS },
#endif
	{ SYS_wait4, ARGUMENT_CHILD },
	{ SYS_ppoll, ARGUMENT_POLL }, { SYS_pselect6, ARGUMENT_SELECT },
#ifdef SYS_poll
	{ SYS_poll, ARGUMENT_POLL },
#endif
#ifdef SYS_select
	{ SYS_select, ARGUMENT_SELECT },
#endif
	{ SYS_nanosleep, ARGUMENT_TIME }, { SYS_clock_nanosleep, ARGUMENT_TIME },
};

/* clang-format on */

static enum argument first_argument(s32 syscall)
{
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		if (calls[i].syscall == syscall)
			return calls[i].first;
	return ARGUMENT_NONE;
}

u32 wait_name_number(struct all_waits *waits, const u8 *comm)
{
	char name[GAPP_COMM_LEN + 1];

	snprintf(name, sizeof(name), "%.*s", GAPP_COMM_LEN, (const char *)comm);
	return waits->names.index.count < WAIT_NAMES_MAX ? texts_number(&waits->names, name) :
							   HASH_NONE;
}

/* Names an object that has no name, if there is room for it. */
static void set_name(struct all_waits *waits, struct wait_object *object, const char *name)
{
	if (object->name == HASH_NONE && *name && waits->names.index.count < WAIT_NAMES_MAX)
		object->name = texts_number(&waits->names, name);
}

/* Finds or makes an object. Returns 0, or -1 without memory. */
static int get_object(struct all_waits *waits, const struct wait_object_key *key,
		      const struct wait_call *call, u32 *id)
{
	*id = keyed_find(&waits->objects, key);
	if (*id != HASH_NONE || waits->objects.index.count >= WAIT_OBJECTS_MAX)
		return 0;
	*id = keyed_add(&waits->objects, key);
	if (*id == HASH_NONE)
		return -1;
	waits->objects.rows[*id].name = HASH_NONE;
	waits->objects.rows[*id].usual_name = HASH_NONE;
	waits->objects.rows[*id].tgid = call->tgid;
	return 0;
}

/* Notes the code below a futex: a static variable is known by its distance from that. */
static void find_below(struct all_waits *waits, struct wait_object *object)
{
	const struct mappings *all =
		waits->sources.maps ? maps_list(waits->sources.maps, object->tgid) : NULL;
	const struct mapping *list = mappings_list(all);
	u64 address = object->key.words[0];
	size_t before = count_up_to(list, mappings_count(all), sizeof(*list), address);

	while (before && list[before - 1].object->kind != OBJECT_FILE)
		before--;
	if (!before)
		return;
	object->below = (struct code_address){ list[before - 1].object, list[before - 1].offset };
	object->distance = address - list[before - 1].start;
	object_keep(object->below.object);
}

static bool may_look_up(struct all_waits *waits)
{
	if (!waits->look_ups) {
		waits->not_looked_up++;
		return false;
	}
	waits->look_ups--;
	return true;
}

/* What processes share is one object for all of them. Returns 0, or -1 without memory. */
static int find_place(struct all_waits *waits, const struct wait_call *call,
		      const struct shared_place *place, u32 *id)
{
	const struct wait_memory_key file = { place->dev, place->inode };
	u32 number = keyed_find(&waits->memories, &file), count = waits->objects.index.count;
	struct wait_object_key key = { .kind = WAIT_ON_FUTEX, .words = { place->offset } };
	char name[WAIT_FILE_NAME + 64];

	if (number == HASH_NONE)
		number = keyed_add(&waits->memories, &file);
	if (number == HASH_NONE)
		return -1;
	key.words[1] = number;
	if (get_object(waits, &key, call, id))
		return -1;
	if (waits->objects.index.count == count || !*place->path)
		return 0;
	snprintf(name, sizeof(name), "futex in %s+0x%llx", place->path,
		 (unsigned long long)place->offset);
	set_name(waits, &waits->objects.rows[*id], name);
	return 0;
}

/* A word that is spun for is looked at once: most of them are private, and none says so. */
static bool is_to_be_looked_at(const struct wait_word *row, const struct wait_call *call)
{
	if (!row->looked)
		return true;
	return call->wait != GAPP_WAIT_SPIN && call->time_ns >= row->looked_ns + LOOK_AGAIN_NS;
}

/* Words that are spun for may be many, each on a page of its own: they leave the others theirs. */
static bool may_look_up_word(struct all_waits *waits, const struct wait_call *call)
{
	if (call->wait != GAPP_WAIT_SPIN)
		return may_look_up(waits);
	if (!waits->spin_look_ups)
		return false;
	waits->spin_look_ups--;
	return true;
}

/*
 * A futex that is not said to be private: sets @id to its object if it is in memory that processes
 * share, else to HASH_NONE. Returns 0, or -1 without memory.
 */
static int find_shared(struct all_waits *waits, const struct wait_call *call, u32 *id)
{
	const struct wait_word_key key = { call->image, call->args[0] };
	u32 number = keyed_find(&waits->words, &key);
	struct shared_place place;
	struct wait_word *row;

	*id = HASH_NONE;
	if (number == HASH_NONE && waits->words.index.count >= WAIT_OBJECTS_MAX)
		return 0;
	if (number == HASH_NONE) {
		number = keyed_add(&waits->words, &key);
		if (number == HASH_NONE)
			return -1;
		waits->words.rows[number].object = HASH_NONE;
	}
	row = &waits->words.rows[number];
	if (is_to_be_looked_at(row, call) && may_look_up_word(waits, call)) {
		row->looked = true;
		row->looked_ns = call->time_ns;
		switch (waits->sources.shared(call->tgid, key.address, &place)) {
		case SHARED_FILE:
			if (find_place(waits, call, &place, &row->object))
				return -1;
			break;
		case SHARED_NOT:
			row->object = HASH_NONE;
			break;
		case SHARED_UNKNOWN:
			break;
		}
	}
	*id = row->object;
	return 0;
}

/* Whether the word that a thread sleeps or spins for may be in memory that processes share. */
static bool may_be_shared(const struct wait_call *call)
{
	if (call->wait == GAPP_WAIT_SPIN)
		return true;
	return call->syscall == SYS_futex && !(call->args[1] & FUTEX_PRIVATE_FLAG);
}

/* Threads that sleep for a word and threads that spin for it wait for one object. */
static int find_futex(struct all_waits *waits, const struct wait_call *call, u32 *id)
{
	const struct wait_object_key key = {
		.kind = WAIT_ON_FUTEX,
		.image = call->image,
		.words = { call->args[0] },
	};
	u32 count = waits->objects.index.count;

	if (waits->sources.shared && may_be_shared(call)) {
		if (find_shared(waits, call, id))
			return -1;
		if (*id != HASH_NONE)
			return 0;
	}
	if (get_object(waits, &key, call, id))
		return -1;
	if (waits->objects.index.count > count)
		find_below(waits, &waits->objects.rows[*id]);
	return 0;
}

/* Names an object by the look at its descriptor @fd. */
static void name_file(struct all_waits *waits, const struct wait_call *call, u32 fd,
		      struct wait_object *object, struct wait_file *file)
{
	char name[WAIT_FILE_NAME + GAPP_COMM_LEN + 32];

	if (object->name != HASH_NONE)
		return;
	if (file->kind == WAIT_FILE_SOCKET ||
	    (file->kind == WAIT_FILE_PIPE && waits->pipe_look_ups)) {
		waits->pipe_look_ups -= file->kind == WAIT_FILE_PIPE;
		waits->sources.name(call->tgid, file);
	}
	if (file->kind == WAIT_FILE_ANONYMOUS)
		snprintf(name, sizeof(name), "%s %u of %.*s", file->name, fd, GAPP_COMM_LEN,
			 (const char *)call->comm);
	else if (!*file->name && file->kind == WAIT_FILE_PIPE)
		snprintf(name, sizeof(name), "pipe %llu", (unsigned long long)file->inode);
	else if (!*file->name && object->usual_name == HASH_NONE)
		snprintf(name, sizeof(name), "socket %llu", (unsigned long long)file->inode);
	else
		snprintf(name, sizeof(name), "%s", file->name);
	set_name(waits, object, name);
}

/* Looks at a descriptor. Sets @id to the object that it is. Returns 0, or -1 without memory. */
static int look_at(struct all_waits *waits, const struct wait_call *call, u32 fd, u32 *id)
{
	struct wait_object_key key = {
		.kind = WAIT_ON_DESCRIPTOR,
		.image = call->image,
		.words = { fd },
	};
	struct wait_file file = { 0 };

	if (may_look_up(waits))
		waits->sources.look(call->tgid, fd, &file);
	/* too late: the record says that it had no inode of its own */
	if (call->file && file.kind != WAIT_FILE_ANONYMOUS)
		file.kind = WAIT_FILE_NONE;
	if (file.kind != WAIT_FILE_NONE && file.kind != WAIT_FILE_ANONYMOUS) {
		key.kind = WAIT_ON_FILE;
		key.image = 0;
		key.words[0] = file.dev;
		key.words[1] = file.inode;
	}
	if (get_object(waits, &key, call, id))
		return -1;
	if (*id != HASH_NONE && file.kind != WAIT_FILE_NONE)
		name_file(waits, call, fd, &waits->objects.rows[*id], &file);
	return 0;
}

/* What belongs to a process, and is told apart by @word alone. */
static int find_of_process(struct all_waits *waits, const struct wait_call *call,
			   enum wait_object_kind kind, u64 word, const char *what, u32 *id)
{
	const struct wait_object_key key = { kind, call->image, { word } };
	u32 count = waits->objects.index.count;
	char name[64];

	if (get_object(waits, &key, call, id))
		return -1;
	if (waits->objects.index.count == count || !what)
		return 0;
	snprintf(name, sizeof(name), "%s of %.*s", what, GAPP_COMM_LEN, (const char *)call->comm);
	set_name(waits, &waits->objects.rows[*id], name);
	return 0;
}

/* Whether it is time to look at a descriptor; then notes that it is looked at. */
static bool is_due(struct wait_descriptor *row, u64 time_ns)
{
	if (row->object != HASH_NONE && time_ns < row->looked_ns + LOOK_AGAIN_NS)
		return false;
	row->looked_ns = time_ns;
	return true;
}

/*
 * The record says which file the descriptor was of. The descriptor is looked at for the file's path
 * alone, and may be of another file by now: then the object has its name from the record, until a
 * descriptor of that file is looked at in time. Returns 0, or -1 without memory.
 */
static int find_described(struct all_waits *waits, const struct wait_call *call,
			  struct wait_descriptor *row)
{
	const struct wait_object_key key = {
		.kind = WAIT_ON_FILE,
		.words = { wait_file_device(call->file), call->file->inode },
	};
	struct wait_object *object;
	struct wait_file said, found;
	u32 id;

	if (get_object(waits, &key, call, &id))
		return -1;
	if (row->object != id)
		row->object = HASH_NONE;
	if (id == HASH_NONE)
		return 0;
	object = &waits->objects.rows[id];
	if (object->name != HASH_NONE || !is_due(row, call->time_ns)) {
		row->object = id;
		return 0;
	}
	row->object = id;
	wait_file_of_record(call->file, &said);
	if (object->usual_name == HASH_NONE && waits->names.index.count < WAIT_NAMES_MAX)
		object->usual_name = texts_number(&waits->names, said.name);
	if (!may_look_up(waits))
		return 0;
	found = said;
	waits->sources.look(call->tgid, row->key.fd, &found);
	if (found.kind != WAIT_FILE_NONE && found.dev == said.dev && found.inode == said.inode)
		name_file(waits, call, row->key.fd, object, &found);
	else if (said.kind != WAIT_FILE_PATH)
		/* a socket or a pipe is found by its inode, also after it was closed */
		name_file(waits, call, row->key.fd, object, &said);
	return 0;
}

/* The record says that the descriptor is of no file with an inode, and an earlier one was. */
static bool is_other(const struct all_waits *waits, const struct wait_call *call,
		     struct wait_descriptor *row)
{
	if (!call->file || row->object == HASH_NONE ||
	    waits->objects.rows[row->object].key.kind != WAIT_ON_FILE)
		return false;
	row->object = HASH_NONE;
	row->looked_ns = call->time_ns;
	return true;
}

static int find_descriptor(struct all_waits *waits, const struct wait_call *call, u32 *id)
{
	const struct wait_descriptor_key key = { call->image, call->args[0] };
	u32 number = keyed_find(&waits->descriptors, &key);
	struct wait_descriptor *row;

	if (number == HASH_NONE && waits->descriptors.index.count >= WAIT_OBJECTS_MAX) {
		*id = HASH_NONE;
		return 0;
	}
	if (number == HASH_NONE) {
		number = keyed_add(&waits->descriptors, &key);
		if (number == HASH_NONE)
			return -1;
		waits->descriptors.rows[number].object = HASH_NONE;
	}
	row = &waits->descriptors.rows[number];
	if (call->file && !call->file->inode) {
		/* closed during the wait: the record of its begin has said what it was */
		if (row->object == HASH_NONE)
			return find_of_process(waits, call, WAIT_ON_DESCRIPTOR, key.fd, NULL, id);
	} else if (call->file && call->file->kind) {
		if (find_described(waits, call, row))
			return -1;
	} else if (is_other(waits, call, row) || is_due(row, call->time_ns)) {
		u32 before = row->object;

		if (look_at(waits, call, key.fd, &row->object))
			return -1;
		/* who has ended since has no descriptors: it was what it was */
		if (before != HASH_NONE && row->object != HASH_NONE &&
		    waits->objects.rows[row->object].key.kind == WAIT_ON_DESCRIPTOR)
			row->object = before;
	}
	*id = row->object;
	return 0;
}

static int find_child(struct all_waits *waits, const struct wait_call *call, u32 *id)
{
	s32 pid = call->args[0] > 0 ? (s32)call->args[0] : 0;
	const struct wait_object_key key = {
		.kind = WAIT_ON_CHILD,
		.image = call->image,
		.words = { pid > 0 ? pid : 0 },
	};
	u32 count = waits->objects.index.count;
	char comm[GAPP_COMM_LEN + 1], name[64];

	if (get_object(waits, &key, call, id))
		return -1;
	if (waits->objects.index.count == count)
		return 0;
	if (pid > 0 && may_look_up(waits) && waits->sources.thread_name(pid, comm))
		snprintf(name, sizeof(name), "process %d (%s)", pid, comm);
	else if (pid > 0)
		snprintf(name, sizeof(name), "process %d", pid);
	else
		snprintf(name, sizeof(name), "any child of %.*s", GAPP_COMM_LEN,
			 (const char *)call->comm);
	set_name(waits, &waits->objects.rows[*id], name);
	return 0;
}

/* To read and to write are ways to take one lock. */
static u32 type_of(u32 kind)
{
	return kind == GAPP_LOCK_READ ? GAPP_LOCK_WRITE : kind;
}

/* What a lock in the kernel is. */
static const char *lock_type(u32 kind)
{
	switch (type_of(kind)) {
	case GAPP_LOCK_MUTEX:
		return "mutex";
	case GAPP_LOCK_WRITE:
		return "rw_semaphore";
	case GAPP_LOCK_PERCPU:
		return "percpu_rw_semaphore";
	case GAPP_LOCK_RT:
		return "rt_mutex";
	default:
		return "lock";
	}
}

/* A lock in the kernel has a name if it is a variable, else its address must do. */
static int find_kernel_lock(struct all_waits *waits, const struct wait_call *call, u32 *id)
{
	const u64 address = call->lock ? call->lock->address : 0;
	const u32 kind = call->lock ? call->lock->kind : GAPP_LOCK_OTHER;
	const char *type = lock_type(kind);
	/* without addresses, locks of one type in a process are one object */
	const struct wait_object_key key = {
		.kind = WAIT_ON_KERNEL_LOCK,
		.image = address ? 0 : call->image,
		.words = { address, address ? 0 : type_of(kind) },
	};
	char variable[KERNEL_DATA_NAME], name[KERNEL_DATA_NAME + 32];
	u32 count = waits->objects.index.count;

	if (get_object(waits, &key, call, id))
		return -1;
	if (waits->objects.index.count == count)
		return 0;
	if (!address)
		snprintf(name, sizeof(name), "%s in the kernel of %.*s", type, GAPP_COMM_LEN,
			 (const char *)call->comm);
	else if (kernel_data_may_be(address) && waits->sources.kernel_data && may_look_up(waits) &&
		 waits->sources.kernel_data(address, variable))
		snprintf(name, sizeof(name), "%s", variable);
	else
		snprintf(name, sizeof(name), "%s 0x%llx", type, (unsigned long long)address);
	set_name(waits, &waits->objects.rows[*id], name);
	return 0;
}

static int find_by_reason(struct all_waits *waits, const struct wait_call *call, u32 *id)
{
	switch (call->wait) {
	case GAPP_WAIT_SLEEP:
		return find_of_process(waits, call, WAIT_ON_TIMER, 0, "timer", id);
	case GAPP_WAIT_MEMORY:
		return find_of_process(waits, call, WAIT_ON_MEMORY, 0, "address space", id);
	case GAPP_WAIT_SIGNAL:
		return find_of_process(waits, call, WAIT_ON_SIGNAL, 0, "signals", id);
	case GAPP_WAIT_FAULT:
		return find_of_process(waits, call, WAIT_ON_FAULT, 0, "memory", id);
	case GAPP_WAIT_SPIN:
		return find_of_process(waits, call, WAIT_ON_UNKNOWN, call->wait, "busy-wait loops",
				       id);
	default:
		return find_of_process(waits, call, WAIT_ON_UNKNOWN, call->wait, NULL, id);
	}
}

int wait_object_find(struct all_waits *waits, const struct wait_call *call, u32 *id)
{
	char descriptors[32];
	u64 count;

	if (call->wait == GAPP_WAIT_KERNEL_LOCK)
		return find_kernel_lock(waits, call, id);
	if (call->wait == GAPP_WAIT_SPIN && call->args[0])
		return find_futex(waits, call, id);
	switch (call->wait == GAPP_WAIT_FAULT ? ARGUMENT_NONE : first_argument(call->syscall)) {
	case ARGUMENT_DESCRIPTOR:
		return find_descriptor(waits, call, id);
	case ARGUMENT_ADDRESS:
		return find_futex(waits, call, id);
	case ARGUMENT_CHILD:
		return find_child(waits, call, id);
	case ARGUMENT_POLL:
	case ARGUMENT_SELECT:
		count = first_argument(call->syscall) == ARGUMENT_POLL ? call->args[1] :
									 call->args[0];
		snprintf(descriptors, sizeof(descriptors), "%llu descriptor%s",
			 (unsigned long long)count, count == 1 ? "" : "s");
		return find_of_process(waits, call, count ? WAIT_ON_DESCRIPTORS : WAIT_ON_TIMER,
				       count, count ? descriptors : "timer", id);
	case ARGUMENT_TIME:
		return find_of_process(waits, call, WAIT_ON_TIMER, 0, "timer", id);
	default:
		return find_by_reason(waits, call, id);
	}
}
