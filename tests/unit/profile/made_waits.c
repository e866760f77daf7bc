// SPDX-License-Identifier: GPL-2.0
#include "made_waits.h"

#include <sys/syscall.h>

#include "profile/profile_private.h"

u32 looked;
u32 image_now;
u64 inode_now, device_now;
bool no_names;

static void look(pid_t pid, u32 fd, struct wait_file *file)
{
	static const char *const names[] = { [3] = "/var/log/journal", [5] = "eventfd" };

	*file = (struct wait_file){ 0 };
	looked++;
	if (fd == 9)
		return;
	file->kind = fd == 4 || fd >= TO_PEER ? WAIT_FILE_SOCKET :
		     fd == 5		      ? WAIT_FILE_ANONYMOUS :
		     fd == 6		      ? WAIT_FILE_PIPE :
						WAIT_FILE_PATH;
	file->dev = device_now ?: 8;
	file->inode = inode_now ?: 100 + fd;
	if (fd < ARRAY_SIZE(names) && names[fd])
		snprintf(file->name, sizeof(file->name), "%s", names[fd]);
}

/* A connection of a server or a client with many. */
static void name_one_of_many(struct wait_file *file)
{
	const u32 fd = file->inode - 100;

	if (fd >= OF_CLIENTS)
		snprintf(file->name, sizeof(file->name), "tcp 10.0.0.1:80 to 10.0.0.3:%u", fd);
	else if (fd == TO_PEER)
		/* it was closed before it was looked up */
		snprintf(file->name, sizeof(file->name), "tcp to 10.0.0.2:80");
	else
		snprintf(file->name, sizeof(file->name), "tcp 10.0.0.1:%u to 10.0.0.2:80", fd);
}

static void name_it(pid_t pid, struct wait_file *file)
{
	*file->name = '\0';
	if (no_names)
		return;
	if (file->inode >= 100 + TO_PEER && file->inode < 200) {
		name_one_of_many(file);
		return;
	}
	snprintf(file->name, sizeof(file->name), "%s",
		 file->kind == WAIT_FILE_SOCKET ? "tcp 10.0.0.1:4000 to 10.0.0.2:80" :
						  "pipe to cat (12)");
}

static bool thread_name(pid_t tid, char *name)
{
	strcpy(name, "stranger");
	return tid == 77;
}

u32 places_looked;
bool place_gone;

/* From 0x5000 on a file is mapped that processes share, in each page; and one without a name. */
static enum shared_memory find_shared(pid_t pid, u64 address, struct shared_place *place)
{
	places_looked++;
	if (place_gone)
		return SHARED_UNKNOWN;
	if (address < 0x5000 || address >= 0x9000)
		return SHARED_NOT;
	*place = (struct shared_place){
		.dev = 1,
		.inode = address >= 0x8000 ? 51 : 50,
		.offset = address % 0x1000,
	};
	if (place->inode == 50)
		strcpy(place->path, "/dev/shm/queue");
	return SHARED_FILE;
}

static bool kernel_data(u64 address, char *name)
{
	strcpy(name, "journal_lock");
	return address == KERNEL_VARIABLE;
}

static const struct wait_sources sources = { .look = look,
					     .name = name_it,
					     .thread_name = thread_name,
					     .shared = find_shared,
					     .kernel_data = kernel_data };

void collect(bool all)
{
	looked = 0;
	image_now = 7;
	inode_now = 0;
	device_now = 0;
	no_names = false;
	places_looked = 0;
	place_gone = false;
	assert_int_equal(profile_collect_waits(profile, &sources, all), 0);
	profile_waits_drain(profile, 1);
}

/* A slice that ends at @ms in a wait in @call, with @n threads left. */
void wait_at(s32 tid, u64 ms, u32 n, s32 call, u64 arg, u32 path)
{
	struct made made = made_slice(tid, 1, path, SHARE(MS(1)));
	u32 site;

	made.slice.head.time_ns = MS(ms);
	made.slice.begin_ns = MS(ms) - US(10);
	made.slice.image = image_now;
	made.slice.n = n;
	made.slice.syscall = call;
	made.slice.args[0] = arg;
	made.slice.wait = call == SYS_futex ? GAPP_WAIT_LOCK : GAPP_WAIT_PIPE;
	snprintf((char *)made.slice.comm, sizeof(made.slice.comm), "worker-%d", tid);
	assert_int_equal(profile_wait_begins(profile, &made.slice, &site), 0);
	fold(profile, &made);
}

void woken_at(s32 tid, u64 ms, u32 n, u32 flags, s32 waker)
{
	const struct gapp_record_wake wake = {
		.head = { .type = GAPP_RECORD_WAKE, .size = sizeof(wake), .time_ns = MS(ms) },
		.tid = tid,
		.tgid = 1,
		.n = n,
		.flags = flags,
		.waker_tid = waker,
		.waker_tgid = 1,
	};

	assert_int_equal(profile_wait_ends(profile, &wake), 0);
}

void woken_from(s32 tid, u64 ms, u32 path)
{
	const struct {
		struct gapp_record_wake wake;
		struct gapp_waker_path from;
	} record = {
		.wake = { .head = { .type = GAPP_RECORD_WAKE,
				    .size = sizeof(record),
				    .time_ns = MS(ms) },
			  .tid = tid,
			  .tgid = 1,
			  .n = 2,
			  .flags = GAPP_SLICE_WAKER | GAPP_SLICE_WAKER_PATH,
			  .waker_tid = 3,
			  .waker_tgid = 1 },
		.from = { path, 7 },
	};

	assert_int_equal(profile_wait_ends(profile, &record.wake), 0);
}

struct ranked_waits ranked(struct profile *of)
{
	struct profile_options options = { .by = BY_PATH };
	struct ranked_waits waits;
	struct ranking paths;

	assert_int_equal(profile_rank(of, NULL, &options, &paths), 0);
	assert_int_equal(profile_rank_waits(of, NULL, &options, &paths, &waits), 0);
	ranking_free(&paths);
	return waits;
}

const struct ranked_object *named(const struct ranked_waits *waits, const char *name)
{
	for (size_t i = 0; i < waits->object_count; i++)
		if (waits->objects[i].name && !strcmp(waits->objects[i].name, name))
			return &waits->objects[i];
	for (size_t i = 0; i < waits->object_count; i++)
		print_message("# object: %s\n", waits->objects[i].name);
	fail_msg("no object %s", name);
	return NULL;
}

u32 lock_path(void)
{
	return path_of("pthread_mutex_lock:1 append:2 main:3");
}
