// SPDX-License-Identifier: GPL-2.0
#include "spin_watch.h"

#include <errno.h>
#include <string.h>

#include "util/util.h"

/*
 * Each store into a word that is watched interrupts its thread for some 15 us. So ten watches a
 * second of fifty stores on each CPU take less than a hundredth of a CPU's time.
 */
#define WATCH_NS GAPP_WATCH_MAX_NS
#define WATCH_STORES 50

void spin_watch_begin(struct spin_watch *watch, const struct device *dev)
{
	watch->on = device_watches(dev);
}

void spin_watch_free(struct spin_watch *watch)
{
	spun_words_free(&watch->words);
}

/* Why a word is not watched: it may be this word, for now, or the session, for all. */
static void refused(struct spin_watch *watch, struct spun_word *word)
{
	switch (errno) {
	case ENOSPC:
		if (!watch->told)
			complain(
				"a debugger uses the processor's breakpoints: who ended some waits in busy-wait loops is not seen");
		watch->told = true;
		return;
	case EBUSY:
	case ENOMEM:
		return;
	case EINVAL:
	case ESRCH:
		word->refused = true;
		return;
	/* only who may profile the machine is told; or the session has been ended */
	case EPERM:
	case ENOTCONN:
		break;
	case EOPNOTSUPP:
		complain(
			"this machine does not tell who stores into a word: who ended waits in busy-wait loops is not known");
		break;
	default:
		complain("who ended waits in busy-wait loops cannot be watched: %s",
			 strerror(errno));
	}
	watch->on = false;
}

void spin_watch_next(struct spin_watch *watch, struct device *dev, u64 settled_ns)
{
	const u64 now_ns = clock_ns();
	struct gapp_watch asked;
	struct spun_word *word;

	if (!watch->on || now_ns < watch->until_ns)
		return;
	word = spun_words_next(&watch->words, settled_ns, &asked);
	if (!word)
		return;
	asked.time_ns = WATCH_NS;
	asked.stores = WATCH_STORES;
	watch->until_ns = now_ns + WATCH_NS;
	if (device_watch(dev, &asked))
		refused(watch, word);
	else
		spun_word_watched(word, clock_ns(), watch->until_ns);
}
