/* SPDX-License-Identifier: GPL-2.0 */
/* On x86 a memory barrier for reads or for writes is one for the compiler only, as in the kernel.
 */
#ifndef GAPP_BENCH_SHIM_SEQLOCK_H
#define GAPP_BENCH_SHIM_SEQLOCK_H

#include <linux/compiler.h>

struct shim_seqcount {
	u32 sequence;
};

#define seqcount_raw_spinlock_t struct shim_seqcount

#define seqcount_raw_spinlock_init(seq, lock) ((void)(lock), (seq)->sequence = 0)

static inline void write_seqcount_begin(seqcount_raw_spinlock_t *seq)
{
	WRITE_ONCE(seq->sequence, seq->sequence + 1);
	__atomic_thread_fence(__ATOMIC_RELEASE);
}

static inline void write_seqcount_end(seqcount_raw_spinlock_t *seq)
{
	__atomic_thread_fence(__ATOMIC_RELEASE);
	WRITE_ONCE(seq->sequence, seq->sequence + 1);
}

/* Unlike read_seqcount_begin() of the kernel, the raw one does not look for deadlocks; both wait.
 */
static inline u32 raw_read_seqcount_begin(const seqcount_raw_spinlock_t *seq)
{
	u32 now;

	/* What it protects is read afterwards. */
	while (unlikely((now = smp_load_acquire(&seq->sequence)) & 1))
		cpu_relax();
	return now;
}

static inline bool read_seqcount_retry(const seqcount_raw_spinlock_t *seq, u32 start)
{
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return unlikely(READ_ONCE(seq->sequence) != start);
}

#endif /* GAPP_BENCH_SHIM_SEQLOCK_H */
