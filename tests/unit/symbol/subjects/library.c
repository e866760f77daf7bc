// SPDX-License-Identifier: GPL-2.0

#include "shared.h"

__attribute__((noinline)) int exported(int x)
{
	return shared_inline(x) + 1;
}

static __attribute__((noinline)) int internal(int x)
{
	return shared_inline(x * x);
}

int second(int x)
{
	return internal(x) + exported(x);
}
