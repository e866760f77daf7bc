/* SPDX-License-Identifier: GPL-2.0 */
/* Who ends waits in busy-wait loops: has the module watch one word after the other. */
#ifndef GAPP_READ_SPIN_WATCH_H
#define GAPP_READ_SPIN_WATCH_H

#include "input/device.h"
#include "profile/spun_words.h"

/**
 * struct spin_watch - what is watched
 * @words: words that threads wait for
 * @on: the session can watch
 * @told: it was told that a debugger is in the way
 * @until_ns: when the present watch ends
 */
struct spin_watch {
	struct spun_words words;
	bool on;
	bool told;
	u64 until_ns;
};

/* After device_configure(): whether anything can be watched. */
void spin_watch_begin(struct spin_watch *watch, const struct device *dev);
void spin_watch_free(struct spin_watch *watch);

/*
 * After the records up to @settled_ns were taken: begins the next watch, if the last one has ended.
 */
void spin_watch_next(struct spin_watch *watch, struct device *dev, u64 settled_ns);

#endif /* GAPP_READ_SPIN_WATCH_H */
