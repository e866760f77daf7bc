// SPDX-License-Identifier: GPL-2.0
/* kmod/core/cmetric.c: the accumulators. */
#include "rig.h"

#include "all.h"

static struct vec_room room;

static void test_vector(void **state)
{
	struct rig rig = { 0 };

	vec_run(&rig, *state, &room);
	rig_done(&rig);
}

/* What gapp_cm_change() reports is the instant of the change, with n as it is afterwards. */
static void test_change_reports(void **state)
{
	struct gapp_at at;
	struct gapp_cm cm;
	u64 hist[8] = { 0 };

	(void)state;
	gapp_cm_init(&cm, hist, 8);
	assert_int_equal(cm.n_min, 1);
	gapp_cm_change(&cm, 77, 1, &at);
	assert_int_equal(at.t, 0);
	assert_int_equal(at.n, 1);
	assert_int_equal(at.phase, GAPP_PHASE_BEFORE);
	gapp_cm_start(&cm, 0);

	gapp_cm_change(&cm, 100, 3, &at);
	assert_int_equal(at.t, 100);
	assert_int_equal(at.g, ALONE(100));
	assert_int_equal(at.c, ALONE(100));
	assert_int_equal(at.s, 100);
	assert_int_equal(at.idle, 0);
	assert_int_equal(at.n, 4);
	assert_int_equal(at.n_min, 1);
	assert_int_equal(at.phase, GAPP_PHASE_RUNNING);

	gapp_cm_change(&cm, 500, -4, &at);
	assert_int_equal(at.t, 500);
	assert_int_equal(at.g, ALONE(200));
	assert_int_equal(at.c, ALONE(100));
	assert_int_equal(at.s, 1700);
	assert_int_equal(at.n, 0);

	/* the final values are as of a running session, for the threads are settled with them */
	gapp_cm_stop(&cm, 600, &at);
	assert_int_equal(at.t, 600);
	assert_int_equal(at.g, ALONE(200));
	assert_int_equal(at.phase, GAPP_PHASE_RUNNING);
	gapp_cm_change(&cm, 700, 2, &at);
	assert_int_equal(at.t, 600);
	assert_int_equal(at.n, 0);
	assert_int_equal(at.phase, GAPP_PHASE_STOPPED);
	assert_int_equal(hist[0], 100);
	assert_int_equal(hist[1], 100);
	assert_int_equal(hist[4], 400);
}

/* A reader changes nothing and may ask as often as it likes: the answers are on one line. */
static void test_read_is_pure(void **state)
{
	struct gapp_cm cm, before;
	struct gapp_at at;
	u64 hist[8] = { 0 };
	s64 t;
	u64 i;

	(void)state;
	gapp_cm_init(&cm, hist, 8);
	gapp_cm_change(&cm, 0, 4, &at);
	gapp_cm_start(&cm, 0);
	gapp_cm_change(&cm, 1000, 1, &at);
	before = cm;
	for (i = 0; i <= 20; i++) {
		/* 1000, 1100, then every second one before the last change, or before START */
		t = i % 2 && i > 1 ? 999 - 100 * (s64)i : 1000 + 100 * (s64)i;
		memset(&at, 0xa5, sizeof(at));
		gapp_cm_read(&cm, t, &at);
		t = t < 1000 ? 1000 : t;
		assert_int_equal(at.t, t);
		assert_int_equal(at.g, ALONE(250) + SHARE(t - 1000, 5));
		assert_int_equal(at.c, 0);
		assert_int_equal(at.s, 4000 + 5 * (t - 1000));
		assert_int_equal(at.n, 5);
		assert_int_equal(at.phase, GAPP_PHASE_RUNNING);
	}
	assert_memory_equal(&cm, &before, sizeof(cm));
	assert_int_equal(hist[5], 0);
}

/* Time with nobody active: what a read has of it, and what the change that ends it. */
static void test_idle(void **state)
{
	struct gapp_at at;
	struct gapp_cm cm;
	u64 hist[4] = { 0 };

	(void)state;
	gapp_cm_init(&cm, hist, 4);
	gapp_cm_read(&cm, 900, &at);
	assert_int_equal(at.idle, 0);
	gapp_cm_start(&cm, 0);
	gapp_cm_read(&cm, 30, &at);
	assert_int_equal(at.idle, 30);
	gapp_cm_change(&cm, 50, 2, &at);
	assert_int_equal(at.idle, 50);
	gapp_cm_read(&cm, 60, &at);
	assert_int_equal(at.idle, 0);
	gapp_cm_change(&cm, 70, -1, &at);
	assert_int_equal(at.idle, 0);
	gapp_cm_change(&cm, 80, -1, &at);
	assert_int_equal(at.idle, 0);

	/* a threshold that changes in between does not end it, nor does a change of n that is none
	 */
	gapp_cm_set_n_min(&cm, 100, 7);
	gapp_cm_read(&cm, 110, &at);
	assert_int_equal(at.idle, 30);
	assert_int_equal(at.n_min, 7);
	gapp_cm_change(&cm, 130, -1, &at);
	assert_int_equal(at.idle, 50);
	/* before the last change */
	gapp_cm_read(&cm, 120, &at);
	assert_int_equal(at.idle, 50);
	gapp_cm_change(&cm, 120, 1, &at);
	assert_int_equal(at.idle, 50);
	gapp_cm_change(&cm, 140, -1, &at);
	gapp_cm_stop(&cm, 145, &at);
	assert_int_equal(at.idle, 5);
	gapp_cm_read(&cm, 500, &at);
	assert_int_equal(at.idle, 5);
	assert_int_equal(hist[0], 50 + 50 + 5);
}

/* A target that comes later: what was before its start is no time of its own. */
static void test_late_start(void **state)
{
	struct gapp_at at;
	struct gapp_cm cm;
	u64 hist[4] = { 0 };

	(void)state;
	gapp_cm_init(&cm, hist, 4);
	gapp_cm_change(&cm, 4000, 2, &at);
	gapp_cm_start(&cm, 5000);
	/* only the first start counts */
	gapp_cm_start(&cm, 7000);
	gapp_cm_read(&cm, 4990, &at);
	assert_int_equal(at.t, 5000);
	assert_int_equal(at.g, 0);
	gapp_cm_change(&cm, 5200, -1, &at);
	assert_int_equal(at.t, 5200);
	assert_int_equal(at.g, ALONE(100));
	assert_int_equal(at.c, 0);
	assert_int_equal(at.s, 400);
	gapp_cm_change(&cm, 5300, -1, &at);
	gapp_cm_change(&cm, 5350, 1, &at);
	assert_int_equal(at.idle, 50);
	assert_int_equal(at.c, ALONE(100));
	assert_int_equal(hist[0], 50);
	assert_int_equal(hist[1], 100);
	assert_int_equal(hist[2], 200);
}

/* Two writers with tables of two elements: what they have not room for is in the common table. */
static void test_own_times(void **state)
{
	u64 hist[8] = { 0 }, a[3] = { 0 }, b[3] = { 0 };
	const struct gapp_times one = { a, 2 }, other = { b, 2 };
	struct gapp_at at;
	struct gapp_cm cm;

	(void)state;
	gapp_cm_init(&cm, hist, 8);
	gapp_cm_start(&cm, 0);
	/* n: 0 to 100, 1 to 120, 2 to 150, 1 to 190, 2 to 240, 3 to 300, 0 to 370 */
	gapp_cm_change_own(&cm, 100, 1, &one, &at);
	assert_int_equal(at.n, 1);
	gapp_cm_change_own(&cm, 120, 1, &other, &at);
	gapp_cm_change_own(&cm, 150, -1, &other, &at);
	gapp_cm_change_own(&cm, 190, 1, &one, &at);
	gapp_cm_change_own(&cm, 240, 1, &one, &at);
	gapp_cm_change_own(&cm, 300, -3, &other, &at);
	gapp_cm_change_own(&cm, 370, 2, &one, &at);
	/* without a table: 2 to 380, to 400, and to the end */
	gapp_cm_change(&cm, 380, 0, &at);
	gapp_cm_set_n_min(&cm, 400, 2);
	gapp_cm_stop(&cm, 405, &at);
	gapp_cm_change_own(&cm, 500, 1, &one, &at);
	assert_int_equal(at.phase, GAPP_PHASE_STOPPED);

	assert_int_equal(hist[0], 100 + 70);
	assert_int_equal(a[0], 40);
	assert_int_equal(b[0], 20);
	assert_int_equal(hist[1], 0);
	assert_int_equal(a[1], 50);
	assert_int_equal(b[1], 30);
	assert_int_equal(hist[2], 10 + 20 + 5);
	assert_int_equal(hist[3], 60);
	assert_int_equal(a[2] + b[2], 0);
	assert_int_equal(at.g, ALONE(60) + ALONE(115) / 2 + ALONE(60) / 3);
}

static void assert_n_min(const struct gapp_cm *cm, u64 t, u32 least, u32 most, u64 most_ns)
{
	assert_int_equal(cm->n_min_least, least);
	assert_int_equal(cm->n_min_most, most);
	assert_int_equal(gapp_cm_n_min_most_ns(cm, t), most_ns);
}

/* Only values of session time count, each for the time that it held. */
static void test_n_min_changes(void **state)
{
	struct gapp_at at;
	struct gapp_cm cm;
	u64 hist[4] = { 0 };

	(void)state;
	gapp_cm_init(&cm, hist, 4);
	gapp_cm_set_n_min(&cm, 10, 9);
	gapp_cm_set_n_min(&cm, 20, 2);
	assert_n_min(&cm, 0, 0, 0, 0);
	gapp_cm_start(&cm, 0);
	assert_n_min(&cm, 0, 2, 2, 0);
	assert_n_min(&cm, 70, 2, 2, 70);
	gapp_cm_set_n_min(&cm, 100, 1);
	assert_n_min(&cm, 150, 1, 2, 100);
	gapp_cm_set_n_min(&cm, 200, 2);
	assert_n_min(&cm, 230, 1, 2, 130);
	/* a new highest value: the time of the former one does not count any more */
	gapp_cm_set_n_min(&cm, 300, 4);
	assert_n_min(&cm, 310, 1, 4, 10);
	gapp_cm_set_n_min(&cm, 350, 4);
	assert_n_min(&cm, 360, 1, 4, 60);
	gapp_cm_set_n_min(&cm, 400, 3);
	gapp_cm_stop(&cm, 500, &at);
	assert_n_min(&cm, at.t, 1, 4, 100);
	gapp_cm_set_n_min(&cm, 600, 8);
	assert_n_min(&cm, at.t, 1, 4, 100);
}

int main(void)
{
	static struct rig_group group;
	size_t i;

	for (i = 0; i < RIG_COUNT(vec_cmetric); i++)
		rig_add(&group, vec_cmetric[i]->name, test_vector, vec_cmetric[i]);
	rig_add(&group, "a change reports its instant", test_change_reports, NULL);
	rig_add(&group, "reading changes nothing", test_read_is_pure, NULL);
	rig_add(&group, "a stretch with nobody active", test_idle, NULL);
	rig_add(&group, "a start that is not at 0", test_late_start, NULL);
	rig_add(&group, "writers with tables of their own", test_own_times, NULL);
	rig_add(&group, "thresholds and how long they held", test_n_min_changes, NULL);
	return rig_run("cmetric", &group);
}
