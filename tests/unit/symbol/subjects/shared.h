/* SPDX-License-Identifier: GPL-2.0 */
extern volatile int sink;

static inline __attribute__((always_inline)) int shared_inline(int x)
{
	sink = x;
	return sink + 7;
}
