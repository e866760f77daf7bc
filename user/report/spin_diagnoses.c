// SPDX-License-Identifier: GPL-2.0
#include <math.h>

#include "spin_diagnoses.h"

#define TIME_SIZE 40
/* Of the run time: spinning in vain, or while nobody can end it, matters from here on. */
#define MATTERS_PERCENT 1.0
/* Or half of all times that threads spun, where these are not a few. */
#define VAIN_PART 0.5
#define LEAST_SPINS 20
/* Of the spinning whose end was seen. */
#define STARVED_PART 0.05
/* Of so few nothing is said, nanoseconds. */
#define LEAST_SEEN_NS 1000000.0
/* Of each kind; of fewer ends the average says nothing. */
#define LEAST_ENDS 10
/* Standard errors of the difference of two averages: a sample finds an end up to a period late. */
#define SURE_ERRORS 4.0

/* In the unit that suits the run, as in the table. */
static const char *time_words(const struct results *results, char *words, double ns)
{
	if (results->model.status.wall_ns >= NSEC_PER_SEC)
		snprintf(words, TIME_SIZE, "%.2f s", ns / NSEC_PER_SEC);
	else
		snprintf(words, TIME_SIZE, "%.2f ms", ns / 1e6);
	return words;
}

/*
 * Samples meet a wait somewhere in it, so of a short one half is known. Threads that then sleep for
 * longer than they spin would have done so sooner.
 */
static bool sleep_is_long(const struct spin_sums *spins)
{
	return spins->slept_ns > 2 * spins->vain_ns;
}

/* As much of all spinning as of that whose end was seen. */
static double starved_ns(const struct spin_sums *spins)
{
	return (double)spins->starved_ns / spins->seen_ns * spins->spun_ns;
}

static bool is_starved(const struct results *results, const struct spin_sums *spins)
{
	return spins->seen_ns >= LEAST_SEEN_NS &&
	       spins->starved_ns >= STARVED_PART * spins->seen_ns &&
	       results_percent(results, starved_ns(spins)) >= MATTERS_PERCENT;
}

/* Who spins while the thread that can end it has no CPU only keeps it from one for longer. */
static const char *cure_of(const struct results *results, const struct ranked_object *object)
{
	const bool openmp = object->called && strstr(object->called, "OpenMP");

	if (sleep_is_long(&object->spins) || is_starved(results, &object->spins))
		return openmp ?
			       "let them sleep sooner, by a lower GOMP_SPINCOUNT or KMP_BLOCKTIME" :
			       "let them sleep sooner";
	return openmp ? "let them spin longer, by a higher GOMP_SPINCOUNT or KMP_BLOCKTIME" :
			"let them spin longer";
}

static bool budget_runs_out(const struct results *results, const struct spin_sums *spins)
{
	return spins->vain &&
	       (results_percent(results, spins->vain_ns) >= MATTERS_PERCENT ||
		(spins->spins >= LEAST_SPINS && spins->vain >= VAIN_PART * spins->spins));
}

static void say_budget(const struct results *results, const struct ranked_object *object,
		       char *words)
{
	const struct spin_sums *spins = &object->spins;
	char vain[TIME_SIZE], slept[TIME_SIZE];

	snprintf(
		words, SPIN_WORDS_SIZE,
		"%llu of %llu times that threads spun for it, the time to spin ran out: at least %s in vain, and then %s asleep; %s",
		(unsigned long long)spins->vain, (unsigned long long)spins->spins,
		time_words(results, vain, spins->vain_ns),
		time_words(results, slept, spins->slept_ns), cure_of(results, object));
}

static void say_starved(const struct results *results, const struct spin_sums *spins, char *words)
{
	char starved[TIME_SIZE], seen[TIME_SIZE];

	snprintf(
		words, SPIN_WORDS_SIZE,
		"for %s of %s of spinning whose end was seen, the thread that ended it had no CPU: more threads want to run than there are CPUs for them; let them sleep sooner, or run fewer",
		time_words(results, starved, spins->starved_ns),
		time_words(results, seen, spins->seen_ns));
}

static double average_us(const struct spin_delays *delays)
{
	return delays->sum_ns / 1e3 / delays->ends;
}

/* The square of the standard error of the average. */
static double error_us2(const struct spin_delays *delays)
{
	const double average = average_us(delays);
	const double variance = (double)delays->squares_us / delays->ends - average * average;

	/* squares are rounded */
	return variance > 0 ? variance / delays->ends : 0;
}

/* By so much more than on the node of the one that ended the wait it takes to go on elsewhere. */
static bool is_far(const struct results *results, const struct spin_sums *spins)
{
	const struct spin_delays *near = &spins->near, *far = &spins->far;
	double late_us, waits;

	/* who has no CPU goes on late, too */
	if (near->ends < LEAST_ENDS || far->ends < LEAST_ENDS || is_starved(results, spins))
		return false;
	late_us = average_us(far) - average_us(near);
	waits = (double)spins->spins * far->ends / (near->ends + far->ends);
	return late_us >= average_us(near) &&
	       late_us >= SURE_ERRORS * sqrt(error_us2(near) + error_us2(far)) &&
	       results_percent(results, 1e3 * late_us * waits) >= MATTERS_PERCENT;
}

static void say_far(const struct spin_sums *spins, char *words)
{
	snprintf(
		words, SPIN_WORDS_SIZE,
		"threads on another NUMA node than the one that ended the wait went on %.0f us after it on average (%llu times seen), those on its own node %.0f us (%llu times): if they had CPUs, let a thread of each node wait for the store, and the others for a word of their node",
		average_us(&spins->far), (unsigned long long)spins->far.ends,
		average_us(&spins->near), (unsigned long long)spins->near.ends);
}

bool spin_diagnose(const struct results *results, const struct ranked_object *object,
		   enum spin_diagnosis diagnosis, char *words)
{
	if (diagnosis == SPIN_BUDGET && budget_runs_out(results, &object->spins))
		say_budget(results, object, words);
	else if (diagnosis == SPIN_STARVED && is_starved(results, &object->spins))
		say_starved(results, &object->spins, words);
	else if (diagnosis == SPIN_FAR && is_far(results, &object->spins))
		say_far(&object->spins, words);
	else
		return false;
	return true;
}
