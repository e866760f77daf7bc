// SPDX-License-Identifier: GPL-2.0
/*
 * Memory of sessions against the limit of locked memory. As with perf, each user has some pages
 * free, and the rest counts in pinned_vm of the opener's mm, which RLIMIT_MEMLOCK bounds. The free
 * pages are counted here: those of perf and of io_uring stay with them, and a program that is
 * profiled finds its limits as they are.
 */
#include <linux/capability.h>
#include <linux/cpumask.h>
#include <linux/cred.h>
#include <linux/list.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/refcount.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/user_namespace.h>

#include "payer.h"

static unsigned int mlock_kib = 4096;
module_param(mlock_kib, uint, 0644);
MODULE_PARM_DESC(mlock_kib, "KiB for each CPU that do not count as locked memory of a user (4096)");

/**
 * struct pot - the free pages of a user
 * @node: in the list of all pots
 * @user: the user
 * @payers: payers of the user
 * @pages: pages in use
 */
struct pot {
	struct list_head node;
	kuid_t user;
	u32 payers;
	u64 pages;
};

/**
 * struct gapp_payer - who has opened a session
 * @refs: references by the session and by charges
 * @pot: free pages of the opener's user
 * @mm: memory of the opener, held by mmgrab(): it may have ended, or executed another program
 * @limit: RLIMIT_MEMLOCK of the opener when it opened, in pages
 */
struct gapp_payer {
	refcount_t refs;
	struct pot *pot;
	struct mm_struct *mm;
	u64 limit;
};

/* Protects the pots, and that no other charge comes between a look at pinned_vm and its growth. */
static DEFINE_MUTEX(pots_lock);
static LIST_HEAD(pots);

/**
 * gapp_user_of() - the user to whom a session and its memory are counted
 * @cred: credentials of the opener
 *
 * In a user namespace one user can have many ids, so what is opened there counts as opened by the
 * user who made the namespace.
 *
 * Return: the user.
 */
kuid_t gapp_user_of(const struct cred *cred)
{
	const struct user_namespace *ns = cred->user_ns;
	kuid_t user = cred->uid;

	for (; ns != &init_user_ns; ns = ns->parent)
		user = ns->owner;
	return user;
}

/* Under pots_lock. NULL: there is no memory. */
static struct pot *find_pot(kuid_t user)
{
	struct pot *pot;

	list_for_each_entry(pot, &pots, node)
		if (uid_eq(pot->user, user))
			return pot;
	pot = kzalloc(sizeof(*pot), GFP_KERNEL_ACCOUNT);
	if (!pot)
		return NULL;
	pot->user = user;
	list_add(&pot->node, &pots);
	return pot;
}

static struct pot *get_pot(kuid_t user)
{
	struct pot *pot;

	mutex_lock(&pots_lock);
	pot = find_pot(user);
	if (pot)
		pot->payers++;
	mutex_unlock(&pots_lock);
	return pot;
}

static void put_pot(struct pot *pot)
{
	mutex_lock(&pots_lock);
	if (!--pot->payers) {
		list_del(&pot->node);
		kfree(pot);
	}
	mutex_unlock(&pots_lock);
}

/**
 * gapp_payer_create() - have current pay for what a session will hold
 *
 * Return: the payer, for gapp_payer_put(); NULL: there is no memory.
 */
struct gapp_payer *gapp_payer_create(void)
{
	struct gapp_payer *payer = kzalloc(sizeof(*payer), GFP_KERNEL_ACCOUNT);

	if (!payer)
		return NULL;
	payer->pot = get_pot(gapp_user_of(current_cred()));
	if (!payer->pot) {
		kfree(payer);
		return NULL;
	}
	refcount_set(&payer->refs, 1);
	payer->mm = current->mm;
	mmgrab(payer->mm);
	payer->limit = rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT;
	return payer;
}

/* Also NULL. */
void gapp_payer_put(struct gapp_payer *payer)
{
	if (!payer || !refcount_dec_and_test(&payer->refs))
		return;
	put_pot(payer->pot);
	mmdrop(payer->mm);
	kfree(payer);
}

/* Pages that the user has free and does not use yet. Under pots_lock. */
static u64 room_in(const struct pot *pot)
{
	const u64 all = (u64)READ_ONCE(mlock_kib) * num_online_cpus() / (PAGE_SIZE / SZ_1K);

	return all > pot->pages ? all - pot->pages : 0;
}

/**
 * gapp_charge() - charge memory that is about to be allocated
 * @payer: who pays; NULL: nobody does
 * @bytes: how much memory
 * @charge: for gapp_uncharge() when the memory has been freed; set only if there was no error
 *
 * Return: 0, or -ENOBUFS: the opener's limit of locked memory would be exceeded.
 */
int gapp_charge(struct gapp_payer *payer, u64 bytes, struct gapp_charge *charge)
{
	const u64 pages = DIV_ROUND_UP_ULL(bytes, PAGE_SIZE);
	u64 free, pinned;

	if (!payer)
		return 0;
	mutex_lock(&pots_lock);
	free = min(pages, room_in(payer->pot));
	pinned = pages - free;
	if (pinned && atomic64_read(&payer->mm->pinned_vm) + pinned > payer->limit) {
		mutex_unlock(&pots_lock);
		return -ENOBUFS;
	}
	payer->pot->pages += free;
	atomic64_add(pinned, &payer->mm->pinned_vm);
	mutex_unlock(&pots_lock);
	refcount_inc(&payer->refs);
	*charge = (struct gapp_charge){
		.payer = payer,
		.free_pages = free,
		.pinned_pages = pinned,
	};
	return 0;
}

/**
 * gapp_uncharge() - give back what was charged
 * @charge: the charge, nothing afterwards
 */
void gapp_uncharge(struct gapp_charge *charge)
{
	struct gapp_payer *payer = charge->payer;

	if (!payer)
		return;
	mutex_lock(&pots_lock);
	payer->pot->pages -= charge->free_pages;
	mutex_unlock(&pots_lock);
	atomic64_sub(charge->pinned_pages, &payer->mm->pinned_vm);
	*charge = (struct gapp_charge){ 0 };
	gapp_payer_put(payer);
}
