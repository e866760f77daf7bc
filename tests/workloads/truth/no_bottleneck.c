// SPDX-License-Identifier: GPL-2.0
/*
 * truth: first=none
 *
 * All threads have work all the time: there is nothing to be found, and the
 * report must say so. It is long, because the start and the end of a program
 * have one thread, and must stay a small part of the run on a slow machine, too.
 */
#include "truth.h"

static struct pieces all = { 16000 };

static void *worker(void *arg)
{
	(void)arg;
	parallel_work(&all);
	return NULL;
}

int main(void)
{
	truth_begin();
	on_threads(WORKERS, worker);
	truth_end();
	return 0;
}
