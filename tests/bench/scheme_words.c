// SPDX-License-Identifier: GPL-2.0
/* Without a lock: all of the state in words that are exchanged whole. */
#include "schemes.h"

#define TIME_BITS 48
#define TIME_MASK ((1ULL << TIME_BITS) - 1)

/* Time of the last change, and n in the upper bits. */
static inline u64 pack(u64 t, u32 n)
{
	return t | (u64)n << TIME_BITS;
}

static struct {
	u64 g;
	u64 packed;
} __attribute__((aligned(16))) wide ____cacheline_aligned;

static struct {
	u64 packed;
	u64 g;
} apart ____cacheline_aligned;

static u64 began_ns;

static void wide_begin(u32 workers, u32 n, u32 n_min, u64 start_ns)
{
	(void)workers;
	(void)n_min;
	began_ns = start_ns;
	wide.g = 0;
	wide.packed = pack(0, n);
}

#ifdef __x86_64__
static inline bool exchange_both(u64 g, u64 packed, u64 new_g, u64 new_packed)
{
	bool done;

	__asm__ __volatile__("lock cmpxchg16b %1"
			     : "=@cce"(done), "+m"(wide), "+a"(g), "+d"(packed)
			     : "b"(new_g), "c"(new_packed)
			     : "memory");
	return done;
}
#else
#error "there is no exchange of 16 bytes for this machine here"
#endif

static inline void wide_change(struct worker *worker, int dn, struct gapp_at *at)
{
	u64 g, packed, t, now;
	u32 n;

	(void)worker;
	do {
		/* They may not belong together: the exchange fails then. */
		g = READ_ONCE(wide.g);
		packed = READ_ONCE(wide.packed);
		t = packed & TIME_MASK;
		n = packed >> TIME_BITS;
		now = time_since(began_ns);
		if (now < t)
			now = t;
		at->t = now;
		at->g = g + share_of(now - t, n);
		at->n = n + dn;
	} while (!exchange_both(g, packed, at->g, pack(now, at->n)));
}

/* An exchange for the same: without one nothing says that both words are of one moment. */
static inline void wide_read(struct worker *worker, struct gapp_at *at)
{
	wide_change(worker, 0, at);
}

static void wide_finish(u64 now, struct gapp_at *at)
{
	u64 t = wide.packed & TIME_MASK;

	at->t = now;
	at->n = wide.packed >> TIME_BITS;
	at->g = wide.g + share_of(now - t, at->n);
}

#define SCHEME wide
#include "scheme_loops.h"

const struct scheme scheme_wide = {
	.name = "wide",
	.title = "B: G, time and n exchanged as 16 bytes",
	.read_ends = true,
	.at_once = HAS_N | HAS_G,
	.at_end = HAS_N | HAS_G,
	.ops = &wide_ops,
};

static void packed_begin(u32 workers, u32 n, u32 n_min, u64 start_ns)
{
	(void)workers;
	(void)n_min;
	began_ns = start_ns;
	apart.g = 0;
	apart.packed = pack(0, n);
}

static inline void packed_change(struct worker *worker, int dn, struct gapp_at *at)
{
	u64 packed = READ_ONCE(apart.packed), t, now;
	u32 n;

	(void)worker;
	do {
		t = packed & TIME_MASK;
		n = packed >> TIME_BITS;
		now = time_since(began_ns);
		if (now < t)
			now = t;
	} while (!__atomic_compare_exchange_n(&apart.packed, &packed, pack(now, n + dn), false,
					      __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
	/* Whoever made the change before may not have added its share yet. */
	at->t = now;
	at->g = gapp_fetch_add_u64(&apart.g, share_of(now - t, n)) + share_of(now - t, n);
	at->n = n + dn;
}

static inline void packed_read(struct worker *worker, struct gapp_at *at)
{
	/* Before the clock is read. */
	u64 packed = smp_load_acquire(&apart.packed), t = packed & TIME_MASK;
	u64 now = time_since(began_ns);

	(void)worker;
	at->n = packed >> TIME_BITS;
	at->t = now > t ? now : t;
	at->g = READ_ONCE(apart.g) + share_of(at->t - t, at->n);
}

static void packed_finish(u64 now, struct gapp_at *at)
{
	u64 t = apart.packed & TIME_MASK;

	at->t = now;
	at->n = apart.packed >> TIME_BITS;
	at->g = apart.g + share_of(now - t, at->n);
}

#define SCHEME packed
#include "scheme_loops.h"

const struct scheme scheme_packed = {
	.name = "packed",
	.title = "C: time and n exchanged as 8 bytes, G added to afterwards",
	.at_once = HAS_N | HAS_G,
	.at_end = HAS_N | HAS_G,
	.wrong_sums = true,
	.ops = &packed_ops,
};
