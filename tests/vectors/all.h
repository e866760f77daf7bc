/* SPDX-License-Identifier: GPL-2.0 */
/* The vectors by the file of core/ that they are about. */
#ifndef GAPP_VEC_ALL_H
#define GAPP_VEC_ALL_H

#include "asleep.h"
#include "clock.h"
#include "crowds.h"
#include "figures.h"
#include "lives.h"
#include "lost.h"
#include "paper.h"
#include "run.h"
#include "spins.h"
#include "sums.h"
#include "transitions.h"
#include "traps.h"
#include "vec.h"

/* clang-format off */

static const struct vec *const vec_cmetric[] = {
	&vec_figure_1,
	&vec_figure_1_two_cpus,
	&vec_figure_1_open,
	&vec_wake_closes,
	&vec_all_asleep,
	&vec_nobody,
	&vec_n_min_changes,
	&vec_n_min_open,
	&vec_mixed_slice,
	&vec_critical_queue,
	&vec_rounding,
	&vec_no_rounding,
	&vec_n_bounds,
	&vec_one_instant,
	&vec_backwards_change,
	&vec_40_days,
	&vec_time_max,
	&vec_time_beyond,
	&vec_4096_threads,
	&vec_s_wraps,
	&vec_never_started,
};

static const struct vec *const vec_taskstate[] = {
	&vec_unseen_in,
	&vec_preempted,
	&vec_stale_prev_state,
	&vec_wake_current,
	&vec_double_wake,
	&vec_double_out,
	&vec_unseen_in_runnable,
	&vec_unseen_wake,
	&vec_double_in,
	&vec_gone,
	&vec_seeds_lose,
	&vec_late_seed,
	&vec_before_start,
	&vec_after_stop,
	&vec_backwards_thread,
	&vec_backwards_cancels,
	&vec_backwards_read,
	&vec_backwards_g,
	&vec_spins,
	&vec_spins_open,
	&vec_spins_to_its_end,
};

#endif /* GAPP_VEC_ALL_H */
