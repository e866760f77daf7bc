/* SPDX-License-Identifier: GPL-2.0 */
/* What the programs in C++ share: work by the amount, in what tests/truth/guest.sh has calibrated. */
#ifndef GAPP_RUNTIMES_BURN_HPP
#define GAPP_RUNTIMES_BURN_HPP

#include <chrono>
#include <cstdio>
#include <cstdlib>

#ifdef __clang__
#define OUT_OF_LINE __attribute__((noinline))
#else
#define OUT_OF_LINE __attribute__((noipa))
#endif

static inline unsigned long loops_per_ms()
{
	static const unsigned long loops = strtoul(getenv("TRUTH_LOOPS_PER_MS"), nullptr, 10);

	return loops;
}

/* Says how long it was there: the start of a program, which takes as long in an emulator, is no part of that. */
class Rounds {
	std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();

public:
	~Rounds()
	{
		const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;

		printf("rounds %.3f s\n", took.count());
	}
};

/* In the code of the function that says it: what is inlined would have lines of its own. */
#define BURN(ms)                                                            \
	do {                                                                \
		unsigned long long x_ = 1;                                  \
		for (unsigned long i_ = loops_per_ms() * (ms); i_; i_--) { \
			x_ = x_ * 6364136223846793005ULL + 1;               \
			__asm__ volatile("" : "+r"(x_));                    \
		}                                                           \
	} while (0)

#endif /* GAPP_RUNTIMES_BURN_HPP */
