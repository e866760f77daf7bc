/* SPDX-License-Identifier: GPL-2.0 */
/* The key that DKMS signs modules with on this machine, and its certificate. */
#ifndef GAPP_READ_DOCTOR_KEY_PAIR_H
#define GAPP_READ_DOCTOR_KEY_PAIR_H

#include <limits.h>

#include "system.h"

/**
 * struct key_pair - a key and its certificate, each by its path
 * @key: the key; or the address of one in a device, "pkcs11:..."
 * @certificate: what the firmware must know
 */
struct key_pair {
	char key[PATH_MAX];
	char certificate[PATH_MAX];
};

/* Chooses as DKMS does; whether the files are there plays no part. */
void key_pair_read(struct key_pair *pair, const struct system *system);

#endif /* GAPP_READ_DOCTOR_KEY_PAIR_H */
