// SPDX-License-Identifier: GPL-2.0
/*
 * Unwind tables and spin tables that readers have loaded; process context only. Only tables with
 * equal bytes share memory, so no user can give another one a false table. A user without privilege
 * shares only among his own sessions, or the room that a table takes would tell him what others
 * profile.
 */
#include <linux/cred.h>
#include <linux/hashtable.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/once.h>
#include <linux/random.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/xarray.h>

#include <gapp.h>

#include "core/mix.h"
#include "address_spaces.h"

#define HASH_BITS_OF_ALL 10
/* Bytes to copy or compare, and words to hash, between two calls of cond_resched(). */
#define BYTES_AT_A_TIME SZ_1M
#define WORDS_AT_A_TIME 65536

static unsigned int table_mib = 256;
module_param(table_mib, uint, 0444);
MODULE_PARM_DESC(table_mib, "memory for the unwind tables of all sessions, MiB (256)");

/*
 * Protects all_bytes and all_tables, which holds only tables with a reference. Every session waits
 * for it that loads or gives up a table, so no data is compared or freed with it held.
 */
static DEFINE_MUTEX(all_lock);
static DEFINE_HASHTABLE(all_tables, HASH_BITS_OF_ALL);
static u64 all_bytes;

/**
 * gapp_tables_limit() - the most that the tables of all sessions may take
 *
 * Return: bytes.
 */
u64 gapp_tables_limit(void)
{
	return (u64)table_mib << 20;
}

/* One multiplication a word: a table is hashed while its program runs. */
static u64 hash_words(u64 hash, u64 secret, const u64 *words, u64 count)
{
	u64 i, mixed;

	for (i = 0; i < count; i++) {
		mixed = hash ^ words[i];
		hash = (mixed * secret) ^ mul_u64_u64_shr(mixed, secret, 64);
	}
	return hash;
}

/* With secrets, so that no user can make tables that all fall into one bucket. */
static u64 hash_of(const void *data, u64 bytes, kuid_t owner)
{
	static u64 secrets[2];
	const u64 *words = data;
	u64 hash, left = bytes / sizeof(*words), part;

	get_random_once(secrets, sizeof(secrets));
	hash = gapp_hash_add(secrets[0] ^ bytes, __kuid_val(owner));
	for (; left; left -= part, words += part) {
		part = min_t(u64, left, WORDS_AT_A_TIME);
		hash = hash_words(hash, secrets[1] | 1, words, part);
		cond_resched();
	}
	/* The size of a table is a multiple of 4. */
	return gapp_hash_add(hash, bytes % sizeof(*words) ? *(const u32 *)words : 0);
}

static bool is_equal(const struct gapp_loaded_table *table, const struct gapp_loaded_table *other)
{
	const void *one = table->data, *two = other->data;
	u64 left, part;

	for (left = table->bytes; left; left -= part, one += part, two += part) {
		part = min_t(u64, left, BYTES_AT_A_TIME);
		if (memcmp(one, two, part))
			return false;
		cond_resched();
	}
	return true;
}

/* Whether @other may be equal. Tables of different owners are never shared. */
static bool is_alike(const struct gapp_loaded_table *table, const struct gapp_loaded_table *other)
{
	return other->hash == table->hash && other->bytes == table->bytes &&
	       uid_eq(other->owner, table->owner);
}

/* Bytes by which a table counts in all_bytes. */
static u64 cost_of(const struct gapp_loaded_table *table)
{
	return table->bytes + sizeof(*table);
}

static void destroy(struct gapp_loaded_table *table)
{
	kvfree(table->data);
	gapp_uncharge(&table->charge);
	kfree(table);
}

/**
 * gapp_tables_put() - give up a reference to a table
 * @table: the table
 */
void gapp_tables_put(struct gapp_loaded_table *table)
{
	if (!refcount_dec_and_mutex_lock(&table->refs, &all_lock))
		return;
	hash_del(&table->node);
	all_bytes -= cost_of(table);
	mutex_unlock(&all_lock);
	destroy(table);
}

/*
 * Takes a reference to a table that may be equal, of those after @before if that is not NULL. Under
 * all_lock; the caller has a reference to @before, which therefore is still in its list.
 */
static struct gapp_loaded_table *hold_next_alike(const struct gapp_loaded_table *table,
						 const struct gapp_loaded_table *before)
{
	const u32 bucket = hash_min(table->hash, HASH_BITS_OF_ALL);
	struct hlist_node *node = before ? before->node.next : all_tables[bucket].first;
	struct gapp_loaded_table *other;

	for (; node; node = node->next) {
		other = hlist_entry(node, struct gapp_loaded_table, node);
		if (is_alike(table, other)) {
			refcount_inc(&other->refs);
			return other;
		}
	}
	return NULL;
}

/* Adds a table that equals no other one. Under all_lock. False: there is no room. */
static bool add(const struct gapp_address_spaces *spaces, struct gapp_loaded_table *table)
{
	/* Users without privilege leave half of the room to others. */
	u64 limit = spaces->settings->restricted ? gapp_tables_limit() / 2 : gapp_tables_limit();
	u64 cost = cost_of(table);

	if (cost > limit || all_bytes > limit - cost)
		return false;
	all_bytes += cost;
	hash_add(all_tables, &table->node, table->hash);
	return true;
}

/*
 * Returns an equal table instead of @table if there is one; NULL if there is no room. Nearly always
 * at most one table has the same hash: of two sessions that load equal tables at a time the second
 * one finds the first one's. Where two tables differ and yet have one hash, both sessions may add
 * their own, because a table that is added meanwhile is not compared.
 */
static struct gapp_loaded_table *share(const struct gapp_address_spaces *spaces,
				       struct gapp_loaded_table *table)
{
	struct gapp_loaded_table *alike = NULL, *before;
	bool equal = false, added = false;

	do {
		before = alike;
		mutex_lock(&all_lock);
		alike = hold_next_alike(table, before);
		if (!alike)
			added = add(spaces, table);
		mutex_unlock(&all_lock);
		if (before)
			gapp_tables_put(before);
		if (alike)
			equal = is_equal(table, alike);
	} while (alike && !equal);
	if (added)
		return table;
	destroy(table);
	return alike;
}

/* Copies the data of a table from the reader: 0 or -EFAULT. */
static int copy_data(void *to, const void __user *from, u64 bytes)
{
	u64 left, part;

	for (left = bytes; left; left -= part, to += part, from += part) {
		part = min_t(u64, left, BYTES_AT_A_TIME);
		if (copy_from_user(to, from, part))
			return -EFAULT;
		cond_resched();
	}
	return 0;
}

/* As gapp_table_open(), for a table of any size. */
static bool check_unwind_table(struct gapp_table *table, const void *data, u64 bytes)
{
	u32 page = 0;

	if (!gapp_table_parts(table, data, bytes))
		return false;
	while (page < table->pages) {
		if (!gapp_table_check(table, data, &page))
			return false;
		cond_resched();
	}
	return true;
}

/* As gapp_spin_table_open(), for a table of any size. */
static bool check_spin_table(struct gapp_spin_table *table, const void *data, u64 bytes)
{
	u32 row = 0;

	if (!gapp_spin_table_parts(table, data, bytes))
		return false;
	while (row < gapp_spin_table_rows(table)) {
		if (!gapp_spin_table_check(table, &row))
			return false;
		cond_resched();
	}
	return true;
}

/* Both kinds of heads begin with their magic number. */
static bool check_data(struct gapp_loaded_table *table)
{
	const u32 *magic = table->data;

	table->kind = *magic == GAPP_SPIN_MAGIC ? GAPP_TABLE_SPIN : GAPP_TABLE_UNWIND;
	if (table->kind == GAPP_TABLE_SPIN) {
		if (!check_spin_table(&table->spins, table->data, table->bytes))
			return false;
		table->deep = gapp_spin_table_is_deep(&table->spins);
		return true;
	}
	return check_unwind_table(&table->table, table->data, table->bytes);
}

/* Copies a table from the reader, and then checks the copy, which the reader cannot change. */
static struct gapp_loaded_table *copy_in(const struct gapp_address_spaces *spaces,
					 const void __user *data, u64 bytes)
{
	struct gapp_loaded_table *table = kzalloc(sizeof(*table), GFP_KERNEL_ACCOUNT);
	int ret;

	if (!table)
		return ERR_PTR(-ENOMEM);
	ret = gapp_charge(spaces->settings->payer, bytes, &table->charge);
	if (ret)
		goto failed;
	ret = -ENOMEM;
	table->data = kvmalloc(bytes, GAPP_GFP);
	if (!table->data)
		goto failed;
	ret = copy_data(table->data, data, bytes);
	if (ret)
		goto failed;
	ret = -EINVAL;
	table->bytes = bytes;
	if (!check_data(table))
		goto failed;
	table->owner = spaces->settings->restricted ? spaces->settings->opener->uid : INVALID_UID;
	table->hash = hash_of(table->data, bytes, table->owner);
	refcount_set(&table->refs, 1);
	return table;

failed:
	destroy(table);
	return ERR_PTR(ret);
}

static u64 session_limit(const struct gapp_address_spaces *spaces)
{
	return spaces->settings->restricted ? GAPP_MAX_TABLE_BYTES_RESTRICTED :
					      GAPP_MAX_TABLE_BYTES;
}

/* Checks the size before any memory is allocated: it must be the one that the head implies. */
static int check_size(const struct gapp_address_spaces *spaces, const void __user *data, u64 bytes)
{
	union {
		struct gapp_table_head unwind;
		struct gapp_spin_head spins;
	} head;
	u64 implied;

	static_assert(sizeof(head.unwind) == sizeof(head.spins));
	if (bytes < sizeof(head))
		return -EINVAL;
	if (copy_from_user(&head, data, sizeof(head)))
		return -EFAULT;
	implied = head.spins.magic == GAPP_SPIN_MAGIC ? gapp_spin_table_bytes(&head.spins) :
							gapp_table_bytes(&head.unwind);
	if (implied != bytes)
		return -EINVAL;
	return bytes > session_limit(spaces) - spaces->table_bytes ? -ENOSPC : 0;
}

/**
 * gapp_tables_load() - LOAD_TABLE: give a session a table
 * @spaces: address spaces of the session, which is locked
 * @load: argument of the reader; gets the number of the table
 *
 * Return: 0 or a negative errno.
 */
int gapp_tables_load(struct gapp_address_spaces *spaces, struct gapp_table_load *load)
{
	const void __user *data = u64_to_user_ptr(load->data);
	struct gapp_loaded_table *table;
	int ret;

	if (load->table || load->flags || load->reserved)
		return -EINVAL;
	ret = check_size(spaces, data, load->bytes);
	if (ret)
		return ret;
	table = copy_in(spaces, data, load->bytes);
	if (IS_ERR(table))
		return PTR_ERR(table);
	table = share(spaces, table);
	if (!table)
		return -ENOSPC;
	ret = xa_alloc(&spaces->tables, &load->table, table, XA_LIMIT(1, GAPP_MAX_TABLES),
		       GFP_KERNEL_ACCOUNT);
	if (ret) {
		gapp_tables_put(table);
		return ret == -EBUSY ? -ENOSPC : ret;
	}
	spaces->table_bytes += table->bytes;
	spaces->table_count++;
	return 0;
}

/**
 * gapp_tables_drop() - DROP_TABLE: take a table from a session
 * @spaces: address spaces of the session, which is locked
 * @drop: argument of the reader
 *
 * Return: 0 or a negative errno.
 */
int gapp_tables_drop(struct gapp_address_spaces *spaces, const struct gapp_table_drop *drop)
{
	struct gapp_loaded_table *table;

	if (drop->reserved)
		return -EINVAL;
	table = xa_erase(&spaces->tables, drop->table);
	if (!table)
		return -ENOENT;
	spaces->table_bytes -= table->bytes;
	spaces->table_count--;
	gapp_tables_put(table);
	return 0;
}

/**
 * gapp_tables_hold() - find a table by its number and take a reference
 * @spaces: address spaces of the session, which is locked
 * @number: number of the table
 * @kind: what the table must be
 *
 * Return: the table, or NULL.
 */
struct gapp_loaded_table *gapp_tables_hold(struct gapp_address_spaces *spaces, u32 number,
					   enum gapp_table_kind kind)
{
	struct gapp_loaded_table *table = xa_load(&spaces->tables, number);

	if (!table || table->kind != kind)
		return NULL;
	refcount_inc(&table->refs);
	return table;
}

/**
 * gapp_tables_destroy() - take all tables from a session that is closed
 * @spaces: address spaces of the session
 */
void gapp_tables_destroy(struct gapp_address_spaces *spaces)
{
	struct gapp_loaded_table *table;
	unsigned long number;

	xa_for_each(&spaces->tables, number, table)
		gapp_tables_put(table);
	xa_destroy(&spaces->tables);
}

/**
 * gapp_tables_for_each() - look at the tables of all sessions
 * @show: called for each table, with a mutex held
 * @data: second argument of @show
 */
void gapp_tables_for_each(void (*show)(const struct gapp_loaded_table *table, void *data),
			  void *data)
{
	struct gapp_loaded_table *table;
	unsigned int bucket;

	mutex_lock(&all_lock);
	hash_for_each(all_tables, bucket, table, node)
		show(table, data);
	mutex_unlock(&all_lock);
}
