// SPDX-License-Identifier: GPL-2.0
/* Sessions as a reader would set them up, without the reader. */
#include "crowd.h"

#include <unistd.h>

#define RATE_HZ 333

/*
 * Of one size: n_min is given, and so what a switch has to do does not depend on how many threads
 * there are.
 */
struct gapp_config sessions_config(const struct crowd *crowd)
{
	struct gapp_config config = t_config(crowd->level);

	config.n_min_mode = GAPP_N_MIN_FIXED;
	config.n_min = 1;
	if (crowd->level == GAPP_LEVEL_STATS)
		return config;
	config.min_critical_ns = crowd->export_all ? 0 : NSEC_PER_SEC;
	config.rate_hz = crowd->export_all ? 0 : RATE_HZ;
	return config;
}

void sessions_open(struct sessions *sessions, const struct crowd *crowd, pid_t target)
{
	struct gapp_config config = sessions_config(crowd);

	sessions->count = crowd->sessions;
	for (u32 i = 0; i < sessions->count; i++) {
		sessions->fds[i] = t_session(&config);
		errno = -t_add(sessions->fds[i], target, 0);
		if (errno)
			t_die("ADD_TARGET");
	}
}

void sessions_start(struct sessions *sessions)
{
	for (u32 i = 0; i < sessions->count; i++) {
		errno = -t_start(sessions->fds[i]);
		if (errno)
			t_die("START");
	}
}

void sessions_stop(struct sessions *sessions)
{
	for (u32 i = 0; i < sessions->count; i++) {
		errno = -t_stop(sessions->fds[i]);
		if (errno)
			t_die("STOP");
	}
}

void sessions_close(struct sessions *sessions)
{
	for (u32 i = 0; i < sessions->count; i++)
		close(sessions->fds[i]);
}
