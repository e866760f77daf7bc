// SPDX-License-Identifier: GPL-2.0
/* The processes that the module is told of, by process id: so many, those that were told of last.
 */
#include "sync_int.h"

#include <errno.h>
#include <signal.h>

#include "core/mix.h"

/* How often it is looked who has exited, where there is no room. */
#define SWEEP_FULL_NS NSEC_PER_SEC

static struct pupil **pupil_bucket(struct teach *teach, pid_t pid)
{
	return &teach->buckets[gapp_mix(pid) % PUPIL_BUCKETS];
}

void pupil_drop(struct teach *teach, struct pupil **link)
{
	struct pupil *pupil = *link;

	*link = pupil->next;
	teach->dirty -= pupil->dirty;
	teach->count--;
	told_free(&pupil->before);
	code_uses_free(&pupil->uses, teach->codes);
	free(pupil);
}

struct pupil *pupil_find(struct teach *teach, pid_t pid)
{
	struct pupil *pupil = *pupil_bucket(teach, pid);

	while (pupil && pupil->pid != pid)
		pupil = pupil->next;
	return pupil;
}

void pupil_forget(struct teach *teach, pid_t pid)
{
	struct pupil **link = pupil_bucket(teach, pid);

	while (*link && (*link)->pid != pid)
		link = &(*link)->next;
	if (*link)
		pupil_drop(teach, link);
}

void pupils_sweep(struct teach *teach, u64 now)
{
	teach->swept_ns = now;
	for (size_t i = 0; i < PUPIL_BUCKETS; i++) {
		struct pupil **link = &teach->buckets[i];

		while (*link) {
			if (!kill((*link)->pid, 0) || errno != ESRCH) {
				link = &(*link)->next;
				continue;
			}
			stale_told(teach->stale, (*link)->pid, now, now);
			pupil_drop(teach, link);
		}
	}
}

/* The module asks for it again, should it still be there. */
static void forget_oldest(struct teach *teach)
{
	struct pupil *oldest = NULL;

	for (size_t i = 0; i < PUPIL_BUCKETS; i++)
		for (struct pupil *pupil = teach->buckets[i]; pupil; pupil = pupil->next)
			if (!oldest || pupil->taught_ns < oldest->taught_ns)
				oldest = pupil;
	if (oldest)
		pupil_forget(teach, oldest->pid);
}

static void make_room(struct teach *teach, u64 now)
{
	if (teach->count < PUPILS_MAX)
		return;
	if (now - teach->swept_ns >= SWEEP_FULL_NS)
		pupils_sweep(teach, now);
	if (teach->count >= PUPILS_MAX)
		forget_oldest(teach);
}

struct pupil *pupil_get(struct teach *teach, pid_t pid)
{
	struct pupil *pupil = pupil_find(teach, pid), **bucket = pupil_bucket(teach, pid);

	if (pupil || pid <= 0)
		return pupil;
	make_room(teach, clock_ns());
	pupil = calloc(1, sizeof(*pupil));
	if (!pupil)
		return NULL;
	pupil->pid = pid;
	pupil->next = *bucket;
	*bucket = pupil;
	teach->count++;
	teach->figures.processes++;
	return pupil;
}
