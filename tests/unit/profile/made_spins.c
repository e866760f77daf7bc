// SPDX-License-Identifier: GPL-2.0
#include "made_spins.h"

#include "input/rings.h"

const struct loop lock = { IMAGE, 0x1000, GAPP_SPIN_WHILE_NOT_EQUAL, 4, 0 };
const struct loop flag = { IMAGE, 0x2008, GAPP_SPIN_WHILE_LESS, 8, -3 };
const struct loop any = { IMAGE, 0x4000, GAPP_SPIN_WHILE_UNKNOWN, 4, 0 };

struct spun_words words;

int begin(void **state)
{
	words = (struct spun_words){ 0 };
	return 0;
}

int end(void **state)
{
	spun_words_free(&words);
	return 0;
}

s32 process_of(s32 tid)
{
	return 10 + tid / 100;
}

struct gapp_record_slice found_in(s32 tid, u64 ns, const struct loop *loop)
{
	return (struct gapp_record_slice){
		.head = { .type = GAPP_RECORD_SLICE,
			  .size = sizeof(struct gapp_record_slice),
			  .time_ns = ns },
		.tid = tid,
		.tgid = process_of(tid),
		.image = loop->image,
		.then = GAPP_THEN_WAIT,
		.wait = GAPP_WAIT_SPIN,
		.syscall = -1,
		.args = { loop->address, GAPP_SPIN_COMPARED(loop->goes_on, loop->bytes),
			  (u64)loop->number },
	};
}

void spins(s32 tid, u64 ns, const struct loop *loop)
{
	const struct gapp_record_slice slice = found_in(tid, ns, loop);

	assert_int_equal(spun_words_slice(&words, &slice), 0);
}

void watched(const struct loop *loop, u64 from_ns, u64 to_ns)
{
	const struct spun_word_key key = { loop->image, loop->address };
	u32 id = keyed_find(&words.words, &key);

	assert_int_not_equal(id, HASH_NONE);
	spun_word_watched(&words.words.rows[id], from_ns, to_ns);
}

struct gapp_record_store store_of(s32 tid, u64 ns, const struct loop *loop, u64 value)
{
	return (struct gapp_record_store){
		.head = { .type = GAPP_RECORD_STORE,
			  .size = sizeof(struct gapp_record_store),
			  .cpu = tid + 20,
			  .time_ns = ns },
		.tid = tid,
		.tgid = process_of(tid),
		.image = loop->image,
		.address = loop->address,
		.value = value,
		.path = tid + 1000,
	};
}

void stores(s32 tid, u64 ns, const struct loop *loop, u64 value)
{
	const struct gapp_record_store store = store_of(tid, ns, loop, value);

	spun_words_store(&words, &store, 0);
}

struct gapp_record_wake wake_of(s32 tid, u64 ns)
{
	return (struct gapp_record_wake){
		.head = { .type = GAPP_RECORD_WAKE,
			  .size = sizeof(struct gapp_record_wake),
			  .cpu = 3,
			  .time_ns = ns },
		.tid = tid,
		.tgid = process_of(tid),
		.target = 5,
		.n = 6,
		.waker_cpu = 9,
	};
}

void path_is_of(const struct gapp_waker_path *path, s32 waker)
{
	assert_non_null(path);
	assert_int_equal(path->path, waker + 1000);
	assert_int_equal(path->image, IMAGE);
}

void ended_by(s32 tid, u64 ns, s32 waker)
{
	const struct gapp_record_wake wake = wake_of(tid, ns);
	struct gapp_record_wake wanted = wake;
	struct told_wake told;
	const struct gapp_record_wake *got = spun_words_wake(&words, &wake, &told);

	assert_ptr_equal(got, &told.wake);
	wanted.head.size = sizeof(struct gapp_record_wake) + sizeof(struct gapp_waker_path);
	wanted.flags = GAPP_SLICE_WAKER | GAPP_SLICE_WAKER_PATH;
	wanted.waker_tid = waker;
	wanted.waker_tgid = process_of(waker);
	wanted.waker_cpu = waker + 20;
	assert_memory_equal(got, &wanted, sizeof(wanted));
	assert_true(record_is_whole(&got->head, sizeof(told)));
	path_is_of(wake_waker_path(got), waker);
}

void ended_by_nobody(s32 tid, u64 ns)
{
	const struct gapp_record_wake wake = wake_of(tid, ns);
	struct told_wake told;

	assert_ptr_equal(spun_words_wake(&words, &wake, &told), &wake);
}

struct gapp_record_wait wait_of(s32 tid, u64 begin_ns, u64 ns, const struct loop *loop)
{
	return (struct gapp_record_wait){
		.head = { .type = GAPP_RECORD_WAIT,
			  .size = sizeof(struct gapp_record_wait),
			  .cpu = 3,
			  .time_ns = ns },
		.tid = tid,
		.tgid = process_of(tid),
		.image = loop->image,
		.target = 5,
		.begin_ns = begin_ns,
		.wait_ns = ns - begin_ns,
		.stretches = 2,
		.wait = GAPP_WAIT_SPIN,
		.path = 44,
		.syscall = -1,
		.waker_cpu = 9,
		.args = { loop->address, GAPP_SPIN_COMPARED(loop->goes_on, loop->bytes),
			  (u64)loop->number },
		.waiting = { [GAPP_WAIT_LOCK] = 3 },
	};
}

void wait_ended_by(const struct gapp_record_wait *wait, s32 waker)
{
	struct gapp_record_wait wanted = *wait;
	const struct gapp_record_wait *got = wait;
	struct told_wait told;

	assert_int_equal(spun_words_wait(&words, &got, &told), 0);
	assert_ptr_equal(got, &told.wait);
	wanted.head.size = sizeof(struct gapp_record_wait) + sizeof(struct gapp_waker_path);
	wanted.flags = GAPP_SLICE_WAKER | GAPP_SLICE_WAKER_PATH;
	wanted.waker_tid = waker;
	wanted.waker_tgid = process_of(waker);
	wanted.waker_cpu = waker + 20;
	assert_memory_equal(got, &wanted, sizeof(wanted));
	assert_true(record_is_whole(&got->head, sizeof(told)));
	path_is_of(wait_waker_path(got), waker);
}

void wait_ended_by_nobody(const struct gapp_record_wait *wait)
{
	const struct gapp_record_wait *got = wait;
	struct told_wait told;

	assert_int_equal(spun_words_wait(&words, &got, &told), 0);
	assert_ptr_equal(got, wait);
}
