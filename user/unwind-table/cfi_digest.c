// SPDX-License-Identifier: GPL-2.0
#include "cfi_digest.h"

#define ROUNDS 12
#define SCHEDULES 10

/* Fractional parts of the square roots of the first eight primes. */
static const u64 initial[8] = {
	0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
	0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
};

/* Which words of a block each step of a round takes. */
static const u8 schedule[SCHEDULES][16] = {
	{ 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 },
	{ 14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3 },
	{ 11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4 },
	{ 7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8 },
	{ 9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13 },
	{ 2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9 },
	{ 12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11 },
	{ 13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10 },
	{ 6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5 },
	{ 10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0 },
};

static inline u64 rotate(u64 word, unsigned int right)
{
	return word >> right | word << (64 - right);
}

static inline void mix(u64 *a, u64 *b, u64 *c, u64 *d, u64 x, u64 y)
{
	*a += *b + x;
	*d = rotate(*d ^ *a, 32);
	*c += *d;
	*b = rotate(*b ^ *c, 24);
	*a += *b + y;
	*d = rotate(*d ^ *a, 16);
	*c += *d;
	*b = rotate(*b ^ *c, 63);
}

/* Each lane is written down, so that the compiler knows where in @v it is. */
static inline void mix_all(u64 *v, const u64 *words, const u8 *order)
{
	/* columns */
	mix(&v[0], &v[4], &v[8], &v[12], words[order[0]], words[order[1]]);
	mix(&v[1], &v[5], &v[9], &v[13], words[order[2]], words[order[3]]);
	mix(&v[2], &v[6], &v[10], &v[14], words[order[4]], words[order[5]]);
	mix(&v[3], &v[7], &v[11], &v[15], words[order[6]], words[order[7]]);
	/* diagonals */
	mix(&v[0], &v[5], &v[10], &v[15], words[order[8]], words[order[9]]);
	mix(&v[1], &v[6], &v[11], &v[12], words[order[10]], words[order[11]]);
	mix(&v[2], &v[7], &v[8], &v[13], words[order[12]], words[order[13]]);
	mix(&v[3], &v[4], &v[9], &v[14], words[order[14]], words[order[15]]);
}

/* Takes one block, of which @bytes count. */
static void take(struct cfi_digest *digest, const u8 *block, size_t bytes, bool last)
{
	u64 v[16], words[16];

	digest->bytes += bytes;
	memcpy(words, block, sizeof(words));
	memcpy(v, digest->state, sizeof(digest->state));
	memcpy(v + 8, initial, sizeof(initial));
	v[12] ^= digest->bytes;
	if (last)
		v[14] = ~v[14];
	for (unsigned int round = 0; round < ROUNDS; round++)
		mix_all(v, words, schedule[round % SCHEDULES]);
	for (unsigned int i = 0; i < 8; i++)
		digest->state[i] ^= v[i] ^ v[i + 8];
}

void cfi_digest_begin(struct cfi_digest *digest)
{
	*digest = (struct cfi_digest){ 0 };
	memcpy(digest->state, initial, sizeof(initial));
	/* no key, one thread, so many bytes of result */
	digest->state[0] ^= 0x01010000 ^ CFI_DIGEST_BYTES;
}

/* The last block is kept, for it is taken otherwise. */
void cfi_digest_add(struct cfi_digest *digest, const void *data, size_t size)
{
	const u8 *at = data;

	while (size) {
		size_t part = sizeof(digest->block) - digest->used;

		if (!part) {
			take(digest, digest->block, sizeof(digest->block), false);
			digest->used = 0;
			continue;
		}
		if (part > size)
			part = size;
		memcpy(digest->block + digest->used, at, part);
		digest->used += part;
		at += part;
		size -= part;
	}
}

void cfi_digest_end(struct cfi_digest *digest, u8 result[CFI_DIGEST_BYTES])
{
	memset(digest->block + digest->used, 0, sizeof(digest->block) - digest->used);
	take(digest, digest->block, digest->used, true);
	memcpy(result, digest->state, CFI_DIGEST_BYTES);
}
