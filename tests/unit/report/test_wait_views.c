// SPDX-License-Identifier: GPL-2.0
/* The critical path of made-up records, by wait reason and wait object. */
#include "fake_code.h"

#include <string.h>
#include <sys/syscall.h>

#include "profile/waits.h"
#include "report/text_private.h"
#include "report/wait_views.h"

#define LOCKS 3
#define ROUNDS 300
#define TICK_NS 1000ULL

/* Instead of text_teams.c, which would need names of real code. */
int text_team_compare(const u8 *x, const u8 *y)
{
	return memcmp(x, y, GAPP_COMM_LEN);
}

bool text_same_name(const u8 *x, const u8 *y)
{
	return !memcmp(x, y, GAPP_COMM_LEN);
}

void text_team(char *cell, const u8 *comm, bool numbered, unsigned int columns)
{
	snprintf(cell, TEXT_CELL_SIZE, "%.*s", GAPP_COMM_LEN, (const char *)comm);
}

static struct wait_store store;
static u64 seed;
static u32 now;

static u32 draw(u32 below)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (seed >> 33) % below;
}

static void look(pid_t pid, u32 fd, struct wait_file *file)
{
	*file = (struct wait_file){ .kind = WAIT_FILE_PATH, .dev = 8, .inode = fd };
	snprintf(file->name, sizeof(file->name), "/file/%u", fd);
}

static bool thread_name(pid_t tid, char *name)
{
	return false;
}

/* A slice of a thread that waits for a lock, or for a file; some have a sample elsewhere. */
static void wait_on(s32 tid, u32 begin, bool lock, u32 which)
{
	u32 path = lock ? path_of("pthread_mutex_lock:1 append:2 main:3") :
			  path_of("lib_read:1 load:2 main:3");
	struct made made = made_slice(tid, 1, path, SHARE(US(10)));
	u32 site, id, sampled;

	if (draw(2))
		made_sample(&made, path_of("work:1 main:3"), SHARE(US(10)));
	made.slice.head.time_ns = now * TICK_NS;
	made.slice.begin_ns = begin * TICK_NS;
	made.slice.image = 7;
	made.slice.then = GAPP_THEN_WAIT;
	made.slice.syscall = lock ? SYS_futex : SYS_read;
	made.slice.wait = lock ? GAPP_WAIT_LOCK : GAPP_WAIT_DISK;
	made.slice.args[0] = lock ? 0x1000 * (which + 1) : which;
	assert_int_equal(profile_wait_begins(profile, &made.slice, &site), 0);
	assert_true(site != HASH_NONE);
	fold(profile, &made);
	assert_int_equal(profile_path_id(profile, path, GAPP_PATH_NONE, &made.slice, &id), 0);
	assert_int_equal(profile_path_id(profile, path_of("work:1 main:3"), GAPP_PATH_NONE,
					 &made.slice, &sampled),
			 0);
	assert_int_equal(wait_store_slice(&store, &made.slice, id, site, &sampled), 0);
}

static void wake(s32 tid, s32 waker)
{
	const struct gapp_record_wake wake = {
		.head = { .type = GAPP_RECORD_WAKE, .time_ns = now * TICK_NS },
		.tid = tid,
		.tgid = 1,
		.n = 1,
		.flags = waker ? GAPP_SLICE_WAKER : GAPP_SLICE_WOKEN_BY_IRQ,
		.waker_tid = waker,
		.waker_tgid = 1,
	};

	assert_int_equal(profile_wait_ends(profile, &wake), 0);
	assert_int_equal(wait_store_wake(&store, &wake), 0);
}

/* Thread 1 waits for locks that thread 2 gives, and for files; thread 2 for files alone. */
static void make_records(void)
{
	u32 begin[3] = { 0 };

	for (u32 i = 0; i < ROUNDS; i++) {
		bool lock = draw(3);

		now += 5 + draw(20);
		wait_on(1, begin[1], lock, draw(LOCKS));
		now += 5 + draw(20);
		wait_on(2, begin[2], false, draw(LOCKS));
		now += 5 + draw(20);
		wake(2, 0);
		begin[2] = now += 2;
		now += 5 + draw(20);
		wake(1, lock ? 2 : 0);
		begin[1] = now += 2;
	}
	/* so the path begins at its end */
	now += 10;
	wait_on(1, begin[1], false, 0);
}

static struct wait_views *make_views(void)
{
	struct path_names *names = path_names_new(profile, NULL, NULL);
	struct profile_options options = { .by = BY_PATH };
	struct ranked_waits waits;
	struct wait_views *views;
	struct ranking paths;

	assert_non_null(names);
	assert_int_equal(profile_rank(profile, NULL, &options, &paths), 0);
	assert_int_equal(profile_rank_waits(profile, NULL, &options, &paths, &waits), 0);
	views = wait_views_make(&store, now * TICK_NS, names, &waits);
	assert_non_null(views);
	ranking_free(&paths);
	ranked_waits_free(&waits);
	path_names_free(names);
	return views;
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* Of each reason the objects add up to its row, to the nanosecond, and each has its name. */
static void objects_add_up_to_their_reasons(void **state)
{
	static const struct wait_sources sources = { .look = look, .thread_name = thread_name };
	u32 locks = 0, files = 0;
	struct wait_views *views;

	seed = 5;
	assert_int_equal(profile_collect_waits(profile, &sources, true), 0);
	profile_waits_drain(profile, 1);
	wait_store_init(&store, 0, STORE_SLICES_MAX);
	make_records();
	views = make_views();
	/* also behind a sample elsewhere a wait is for what its own path says */
	assert_int_equal(views->reason_count, 2);
	for (u32 i = 0; i < views->reason_count; i++) {
		const struct critical_reason *reason = &views->reasons[i];
		u64 through = 0, waited[WAIT_ENDERS] = { 0 };

		for (u32 j = 0; j < views->object_count; j++) {
			const struct critical_reason *row = &views->objects[j].wait;

			if (row->reason != reason->reason || !same_text(row->name, reason->name))
				continue;
			through += row->through_ns;
			for (u32 k = 0; k < WAIT_ENDERS; k++)
				waited[k] += row->waited_ns[k];
		}
		assert_int_equal(through, reason->through_ns);
		for (u32 k = 0; k < WAIT_ENDERS; k++)
			assert_int_equal(waited[k], reason->waited_ns[k]);
	}
	for (u32 i = 0; i < views->object_count; i++) {
		const struct critical_object *row = &views->objects[i];

		assert_non_null(row->name);
		locks += row->wait.reason == GAPP_WAIT_LOCK && row->wait.through_ns;
		files += !strncmp(row->name, "/file/", 6) && critical_reason_waited(&row->wait);
	}
	assert_int_equal(locks, LOCKS);
	assert_int_equal(files, LOCKS);
	wait_views_free(views);
	wait_store_free(&store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(objects_add_up_to_their_reasons),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("wait_views", tests, NULL, NULL);
}
