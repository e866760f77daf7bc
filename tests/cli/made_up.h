/* SPDX-License-Identifier: GPL-2.0 */
/* A made-up session, for the unit tests of the reader. */
#ifndef GAPP_TESTS_MADE_UP_H
#define GAPP_TESTS_MADE_UP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "model.h"

#define SECONDS(n) (1000000000ULL * (n))
#define MS(n) (1000000ULL * (n))
#define SHARE(ns) ((u64)(ns) << GAPP_SHARE_SHIFT)

struct model two_model(void);

#endif /* GAPP_TESTS_MADE_UP_H */
