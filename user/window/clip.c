// SPDX-License-Identifier: GPL-2.0
#include "clip.h"

#include <string.h>

#include "input/rings.h"

/* @whole * @part / @of, which is not 0. */
static u64 scaled(u64 whole, u64 part, u64 of)
{
	const __uint128_t product = (__uint128_t)whole * part;

	return product / of;
}

/**
 * struct kept_samples - which samples of a slice stay
 * @first: number of the first one
 * @end: number behind the last one
 */
struct kept_samples {
	u32 first;
	u32 end;
};

/*
 * Takes @early from the share at the begin of a slice, and @late from its end. A sample has the
 * share that the slice collected before it, since the sample before that.
 */
static struct kept_samples cut_samples(struct gapp_record_slice *slice, u64 early, u64 late)
{
	struct gapp_sample *samples = (struct gapp_sample *)(slice + 1);
	struct kept_samples kept = { .end = slice->sample_count };
	u64 sampled = 0, rest;

	for (u32 i = 0; i < slice->sample_count; i++)
		sampled += samples[i].critical_share;
	/* what came after the last sample */
	rest = slice->own_critical_share > sampled ? slice->own_critical_share - sampled : 0;
	late = late > rest ? late - rest : 0;
	while (kept.first < kept.end && early && samples[kept.first].critical_share <= early)
		early -= samples[kept.first++].critical_share;
	if (kept.first < kept.end)
		samples[kept.first].critical_share -= early;
	while (kept.first < kept.end && late && samples[kept.end - 1].critical_share <= late)
		late -= samples[--kept.end].critical_share;
	if (kept.first < kept.end)
		samples[kept.end - 1].critical_share -= late;
	return kept;
}

/* Moves what stays of the samples, and all behind them, together. */
static void remove_samples(struct gapp_record_slice *slice, const struct kept_samples *kept)
{
	u8 *at = (u8 *)(slice + 1), *end = (u8 *)slice + slice->head.size;
	struct gapp_sample *samples = (struct gapp_sample *)at;
	const s32 *in = record_samples_in(slice);
	const u8 *behind = at + slice_file_at(slice);
	const u32 count = kept->end - kept->first;

	if (count == slice->sample_count)
		return;
	memmove(at, samples + kept->first, count * sizeof(*samples));
	at += count * sizeof(*samples);
	if (in) {
		memmove(at, in + kept->first, count * sizeof(*in));
		at += count * sizeof(*in);
		if (count % 2) {
			memset(at, 0, sizeof(*in));
			at += sizeof(*in);
		}
		if (behind < end) {
			memmove(at, behind, end - behind);
			at += end - behind;
		}
	}
	slice->sample_count = count;
	slice->head.size = at - (u8 *)slice;
}

/* What was counted in all of the slice is not what was counted in a part. */
static void drop_tallies(struct gapp_record_slice *slice)
{
	if (!(slice->flags & GAPP_SLICE_TALLIES))
		return;
	slice->head.size = sizeof(*slice) + slice_tallies_at(slice);
	slice->flags &= ~GAPP_SLICE_TALLIES;
}

/* The slice goes on behind the span: how it ended is not the window's. */
static void leave_open(struct gapp_record_slice *slice)
{
	const bool ended = slice->then != GAPP_THEN_ON && !(slice->flags & GAPP_SLICE_REST);

	if (ended && slice->slices)
		slice->slices--;
	if (slice->flags & (GAPP_SLICE_FILE | GAPP_SLICE_KERNEL_LOCK))
		slice->head.size = sizeof(*slice) + slice_file_at(slice);
	slice->flags &= ~(GAPP_SLICE_FILE | GAPP_SLICE_KERNEL_LOCK);
	slice->then = GAPP_THEN_ON;
	slice->syscall = -1;
}

static bool clip_slice(struct gapp_record_slice *slice, const struct window_span *span)
{
	const u64 begin = slice->begin_ns, end = slice->head.time_ns;
	const u64 from = begin > span->begin_ns ? begin : span->begin_ns;
	const u64 until = end < span->end_ns ? end : span->end_ns;
	struct kept_samples kept;
	u64 length, early, late;

	if (end < span->begin_ns || begin > span->end_ns || from > until)
		return false;
	if (slice->flags & GAPP_SLICE_REST)
		return end <= span->end_ns;
	if (from == begin && until == end)
		return true;
	drop_tallies(slice);
	length = end - begin;
	early = scaled(slice->own_critical_share, from - begin, length);
	late = scaled(slice->own_critical_share, end - until, length);
	kept = cut_samples(slice, early, late);
	remove_samples(slice, &kept);
	if (until < end)
		leave_open(slice);
	if (slice->critical_share >= early + late)
		slice->critical_share -= early + late;
	else
		slice->critical_share = 0;
	slice->own_critical_share -= early + late;
	slice->cmetric = scaled(slice->cmetric, until - from, length);
	slice->thread_ns = scaled(slice->thread_ns, until - from, length);
	slice->begin_ns = from;
	slice->head.time_ns = until;
	return true;
}

/* Of several stretches the last one is cut: the others are before it. */
static bool clip_wait(struct gapp_record_wait *wait, const struct window_span *span)
{
	const u64 begin = wait->begin_ns, end = wait->head.time_ns;
	u64 cut = 0;

	if (end < span->begin_ns || begin > span->end_ns || begin > end)
		return false;
	if (begin < span->begin_ns)
		cut += span->begin_ns - begin;
	if (end > span->end_ns)
		cut += end - span->end_ns;
	if (!cut)
		return true;
	if (cut >= wait->wait_ns)
		return false;
	wait->wait_ns -= cut;
	if (begin < span->begin_ns)
		wait->begin_ns = span->begin_ns;
	if (end > span->end_ns)
		wait->head.time_ns = span->end_ns;
	return true;
}

bool clip_record(struct gapp_record *record, const struct window_span *span)
{
	switch (record->type) {
	case GAPP_RECORD_SLICE:
		return clip_slice((struct gapp_record_slice *)record, span);
	case GAPP_RECORD_WAIT:
		return clip_wait((struct gapp_record_wait *)record, span);
	}
	return record->time_ns >= span->begin_ns && record->time_ns <= span->end_ns;
}
