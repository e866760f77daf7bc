// SPDX-License-Identifier: GPL-2.0
/* Loading unwind tables, sharing them by their content, and letting them go. Process context. */
#include <linux/cred.h>
#include <linux/hashtable.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/once.h>
#include <linux/random.h>
#include <linux/uaccess.h>
#include <linux/xarray.h>

#include <gapp.h>

#include "core/mix.h"
#include "address_spaces.h"
#include "tables.h"

#define HASH_BITS_OF_ALL 10
/* Hashed without a pause. */
#define WORDS_AT_A_TIME 65536

static unsigned int table_mib = 256;
module_param(table_mib, uint, 0444);
MODULE_PARM_DESC(table_mib, "memory for the unwind tables of all sessions, MiB (256)");

/* Protects the hash of all tables and their size; what is in it has not been let go. */
static DEFINE_MUTEX(all_lock);
static DEFINE_HASHTABLE(all_tables, HASH_BITS_OF_ALL);
static u64 all_bytes;

u64 gapp_tables_limit(void)
{
	return (u64)table_mib << 20;
}

/* With a secret, or somebody would make all of them meet in one bucket. */
static u64 hash_of(const void *data, u64 bytes, kuid_t owner)
{
	static u64 seed;
	const u64 *words = data;
	u64 hash, count = bytes / sizeof(*words), i;

	get_random_once(&seed, sizeof(seed));
	hash = gapp_hash_add(seed ^ bytes, __kuid_val(owner));
	for (i = 0; i < count; i++) {
		hash = gapp_hash_add(hash, words[i]);
		if (!(i % WORDS_AT_A_TIME))
			cond_resched();
	}
	/* its size is a multiple of 4 */
	return bytes % sizeof(*words) ? gapp_hash_add(hash, *(const u32 *)&words[count]) : hash;
}

/* Under all_lock. */
static struct gapp_loaded_table *find_equal(const struct gapp_loaded_table *table)
{
	struct gapp_loaded_table *other;

	hash_for_each_possible(all_tables, other, node, table->hash)
		if (other->hash == table->hash && other->bytes == table->bytes &&
		    uid_eq(other->owner, table->owner) &&
		    !memcmp(other->data, table->data, table->bytes))
			return other;
	return NULL;
}

/* What a table counts in the bound over all sessions. */
static u64 cost_of(const struct gapp_loaded_table *table)
{
	return table->bytes + sizeof(*table);
}

static void destroy(struct gapp_loaded_table *table)
{
	kvfree(table->data);
	kfree(table);
}

/**
 * gapp_tables_put() - lets a table go
 * @table: the table, a reference to which is given up
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

/* Returns the one that is there already, or this one; NULL if there is no room for it. */
static struct gapp_loaded_table *share(const struct gapp_address_spaces *spaces,
				       struct gapp_loaded_table *table)
{
	/* Users without privilege leave the others half. */
	u64 limit = spaces->settings->restricted ? gapp_tables_limit() / 2 : gapp_tables_limit();
	u64 cost = cost_of(table);
	struct gapp_loaded_table *equal;

	mutex_lock(&all_lock);
	equal = find_equal(table);
	if (equal) {
		refcount_inc(&equal->refs);
	} else if (cost <= limit && all_bytes <= limit - cost) {
		all_bytes += cost;
		hash_add(all_tables, &table->node, table->hash);
		equal = table;
	}
	mutex_unlock(&all_lock);
	if (equal != table)
		destroy(table);
	return equal;
}

/* What is checked is a copy, which nobody can change any more. */
static struct gapp_loaded_table *copy_in(const struct gapp_address_spaces *spaces,
					 const void __user *data, u64 bytes)
{
	struct gapp_loaded_table *table = kzalloc(sizeof(*table), GFP_KERNEL_ACCOUNT);
	int ret = -ENOMEM;

	if (!table)
		return ERR_PTR(-ENOMEM);
	table->data = kvmalloc(bytes, GFP_KERNEL_ACCOUNT);
	if (!table->data)
		goto failed;
	ret = -EFAULT;
	if (copy_from_user(table->data, data, bytes))
		goto failed;
	ret = -EINVAL;
	if (!gapp_table_open(&table->table, table->data, bytes))
		goto failed;
	table->bytes = bytes;
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

/* Nothing is allocated for a size that the head does not bear out. */
static int check_size(const struct gapp_address_spaces *spaces, const void __user *data, u64 bytes)
{
	struct gapp_table_head head;

	if (bytes < sizeof(head))
		return -EINVAL;
	if (copy_from_user(&head, data, sizeof(head)))
		return -EFAULT;
	if (gapp_table_bytes(&head) != bytes)
		return -EINVAL;
	return bytes > session_limit(spaces) - spaces->table_bytes ? -ENOSPC : 0;
}

/**
 * gapp_tables_load() - gives a table a number in a session
 * @spaces: of the session, which is locked
 * @load: from the reader; the number is filled in
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
 * gapp_tables_drop() - takes a number back
 * @spaces: of the session, which is locked
 * @drop: from the reader
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

/* A table by its number, a reference more; NULL: there is none. The session is locked. */
struct gapp_loaded_table *gapp_tables_hold(struct gapp_address_spaces *spaces, u32 number)
{
	struct gapp_loaded_table *table = xa_load(&spaces->tables, number);

	if (table)
		refcount_inc(&table->refs);
	return table;
}

void gapp_tables_destroy(struct gapp_address_spaces *spaces)
{
	struct gapp_loaded_table *table;
	unsigned long number;

	xa_for_each(&spaces->tables, number, table)
		gapp_tables_put(table);
	xa_destroy(&spaces->tables);
}

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
