/* SPDX-License-Identifier: GPL-2.0 */
/* What is wrong with how threads spin for a wait object, in a sentence each. */
#ifndef GAPP_READ_SPIN_DIAGNOSES_H
#define GAPP_READ_SPIN_DIAGNOSES_H

#include "report.h"

enum spin_diagnosis {
	SPIN_BUDGET, /* the time to spin runs out, and the thread sleeps after all */
	SPIN_STARVED, /* the thread that ends the spinning has no CPU meanwhile */
	SPIN_FAR, /* threads on other NUMA nodes go on late */
	SPIN_DIAGNOSES,
};

/*
 * Makes the sentence in @words, SPIN_WORDS_SIZE bytes. False: it does not hold, or does not matter.
 */
#define SPIN_WORDS_SIZE 384
bool spin_diagnose(const struct results *results, const struct ranked_object *object,
		   enum spin_diagnosis diagnosis, char *words);

#endif /* GAPP_READ_SPIN_DIAGNOSES_H */
