/* SPDX-License-Identifier: GPL-2.0 */
/* What is told of slices and waits: vectors of steps and records, and their runner. */
#ifndef GAPP_VEC_SLICES_H
#define GAPP_VEC_SLICES_H

#include "same.h"
#include "slicing.h"

/**
 * struct vec_slices - one vector
 * @name: what it shows
 * @min: min_critical_ns
 * @criterion: enum gapp_criterion
 * @steps: the rows; the last but END is a STOP. N_min is 1 unless they say otherwise
 * @told: what must be told, in order
 * @slices: of all threads
 * @critical: of all threads
 * @unsampled: of all threads
 * @untold: slices of threads that have had no share since they were last told
 */
struct vec_slices {
	const char *name;
	u64 min;
	u32 criterion;
	const struct vec_step *steps;
	const struct vec_told *told;
	u64 slices, critical, unsampled, untold;
};

#define US(us) (1000ULL * (us))
#define TOLD (const struct vec_told[])

/* The draws are not to matter: what a vector says holds for all of so many seeds. */
#define VEC_SEEDS 64

static inline void vec_same_told(struct vec_place *p, const struct vec_told *is,
				 const struct vec_told *must)
{
	vec_same(p, "what is told", is->what, must->what);
	vec_same(p, "thread", is->thread, must->thread);
	vec_same(p, "begin", is->begin, must->begin);
	vec_same(p, "length", is->length, must->length);
	vec_same(p, "share", is->critical_share, must->critical_share);
	vec_same(p, "own share", is->own, must->own);
	vec_same(p, "cmetric", is->cmetric, must->cmetric);
	vec_same(p, "thread_ns", is->thread_ns, must->thread_ns);
	vec_same(p, "slices or stretches", is->slices, must->slices);
	vec_same(p, "critical", is->critical, must->critical);
	vec_same(p, "sampled", is->sampled, must->sampled);
}

/* Nothing is lost, whatever was told when. */
static inline void vec_slices_sums(struct vec_place *p, const struct vec_slices *vec,
				   const struct slicing *s)
{
	struct slicing_sums all = { 0 };
	u32 i;

	p->part = "sum of thread";
	for (i = 0; i < SLICING_THREADS; i++) {
		const struct slicing_sums *sums = &s->threads[i].sums;

		p->index = i;
		vec_same(p, "shares told", sums->told, sums->own);
		vec_same(p, "waits told", sums->told_waits, sums->waits);
		vec_same(p, "stretches told", sums->told_stretches, sums->stretches);
		all.slices += sums->slices;
		all.critical += sums->critical;
		all.unsampled += sums->unsampled;
		all.told_slices += sums->told_slices;
		all.waits += sums->waits;
	}
	p->part = "sum";
	p->index = 0;
	vec_same(p, "slices", all.slices, vec->slices);
	vec_same(p, "critical slices", all.critical, vec->critical);
	vec_same(p, "unsampled slices", all.unsampled, vec->unsampled);
	vec_same(p, "slices told", all.told_slices, vec->slices - vec->untold);
	vec_same(p, "waits and the last stretch", all.waits + vec_idle(&s->drive.cm), s->hist[0]);
}

/**
 * vec_slices_run() - runs one vector, with many seeds
 * @rig: for VEC_FAIL()
 * @vec: the vector
 * @s: room, whatever it holds
 */
static inline void vec_slices_run(void *rig, const struct vec_slices *vec, struct slicing *s)
{
	struct vec_place p = { .rig = rig, .name = vec->name };
	const struct vec_step *step;
	u64 seed;
	u32 i;

	for (seed = 0; seed < VEC_SEEDS; seed++) {
		slicing_init(s, vec->min, vec->criterion, seed << 32);
		p.part = "step";
		for (step = vec->steps; step->op != END; step++) {
			slicing_step(s, step);
			p.index = step - vec->steps;
			vec_same(&p, "n", s->drive.cm.n, step->n);
		}
		p.part = "record";
		for (i = 0; vec->told[i].what != TOLD_NOTHING; i++) {
			p.index = i;
			vec_same_told(&p, &s->rows[i], &vec->told[i]);
		}
		p.index = 0;
		vec_same(&p, "number of records", s->told, i);
		vec_slices_sums(&p, vec, s);
	}
}

#endif /* GAPP_VEC_SLICES_H */
