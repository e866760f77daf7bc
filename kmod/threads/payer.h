/* SPDX-License-Identifier: GPL-2.0 */
/* Who pays for the memory that a session holds, as perf has its users pay for its buffers. */
#ifndef GAPP_PAYER_H
#define GAPP_PAYER_H

#include <linux/types.h>
#include <linux/uidgid.h>

struct cred;
struct gapp_payer;

/**
 * struct gapp_charge - what is paid for a piece of memory; all zero: nothing
 * @payer: who pays, a reference
 * @free_pages: pages that the user has free
 * @pinned_pages: pages in pinned_vm of the opener's mm
 */
struct gapp_charge {
	struct gapp_payer *payer;
	u64 free_pages;
	u64 pinned_pages;
};

/* payer.c: process context */
kuid_t gapp_user_of(const struct cred *cred);
struct gapp_payer *gapp_payer_create(void);
void gapp_payer_put(struct gapp_payer *payer);
int gapp_charge(struct gapp_payer *payer, u64 bytes, struct gapp_charge *charge);
void gapp_uncharge(struct gapp_charge *charge);

#endif /* GAPP_PAYER_H */
