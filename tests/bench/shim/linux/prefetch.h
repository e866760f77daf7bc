/* SPDX-License-Identifier: GPL-2.0 */
#ifndef GAPP_BENCH_SHIM_PREFETCH_H
#define GAPP_BENCH_SHIM_PREFETCH_H

/* As the kernel does it; what the compiler has for it depends on its options. */
static inline void prefetchw(const void *address)
{
#ifdef __x86_64__
	__asm__ __volatile__("prefetchw %0" ::"m"(*(const char *)address));
#else
	__builtin_prefetch(address, 1);
#endif
}

#endif /* GAPP_BENCH_SHIM_PREFETCH_H */
