/* SPDX-License-Identifier: GPL-2.0 */
/*
 * BLAKE2b (RFC 7693), 32 bytes of it, without a key: nobody can make two files
 * that have the same.
 */
#ifndef GAPP_READ_CFI_DIGEST_H
#define GAPP_READ_CFI_DIGEST_H

#include "util/util.h"

#define CFI_DIGEST_BYTES 32
#define CFI_DIGEST_BLOCK 128

/**
 * struct cfi_digest - so far
 * @state: of the blocks before
 * @bytes: taken, without those in @block
 * @block: not yet taken
 * @used: bytes of it
 */
struct cfi_digest {
	u64 state[8];
	u64 bytes;
	u8 block[CFI_DIGEST_BLOCK];
	size_t used;
};

void cfi_digest_begin(struct cfi_digest *digest);
void cfi_digest_add(struct cfi_digest *digest, const void *data, size_t size);
void cfi_digest_end(struct cfi_digest *digest, u8 result[CFI_DIGEST_BYTES]);

#endif /* GAPP_READ_CFI_DIGEST_H */
