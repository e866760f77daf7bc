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
#include "tables.h"
#include "threads/track.h"

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

void gapp_tables_init(struct gapp_track *track)
{
	xa_init_flags(&track->tables, XA_FLAGS_ALLOC1);
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
static struct gapp_loaded_table *find_equal(const struct gapp_loaded_table *loaded)
{
	struct gapp_loaded_table *other;

	hash_for_each_possible(all_tables, other, node, loaded->hash)
		if (other->hash == loaded->hash && other->bytes == loaded->bytes &&
		    uid_eq(other->owner, loaded->owner) &&
		    !memcmp(other->data, loaded->data, loaded->bytes))
			return other;
	return NULL;
}

/* What a table counts in the bound over all sessions. */
static u64 cost_of(const struct gapp_loaded_table *loaded)
{
	return loaded->bytes + sizeof(*loaded);
}

static void destroy(struct gapp_loaded_table *loaded)
{
	kvfree(loaded->data);
	kfree(loaded);
}

/**
 * gapp_tables_put() - lets a table go
 * @loaded: the table, a reference to which is given up
 */
void gapp_tables_put(struct gapp_loaded_table *loaded)
{
	if (!refcount_dec_and_mutex_lock(&loaded->refs, &all_lock))
		return;
	hash_del(&loaded->node);
	all_bytes -= cost_of(loaded);
	mutex_unlock(&all_lock);
	destroy(loaded);
}

/* Returns the one that is there already, or this one; NULL if there is no room for it. */
static struct gapp_loaded_table *share(const struct gapp_track *track,
				       struct gapp_loaded_table *loaded)
{
	/* Users without privilege leave the others half. */
	u64 limit = track->restricted ? gapp_tables_limit() / 2 : gapp_tables_limit();
	u64 cost = cost_of(loaded);
	struct gapp_loaded_table *equal;

	mutex_lock(&all_lock);
	equal = find_equal(loaded);
	if (equal) {
		refcount_inc(&equal->refs);
	} else if (cost <= limit && all_bytes <= limit - cost) {
		all_bytes += cost;
		hash_add(all_tables, &loaded->node, loaded->hash);
		equal = loaded;
	}
	mutex_unlock(&all_lock);
	if (equal != loaded)
		destroy(loaded);
	return equal;
}

/* What is checked is a copy, which nobody can change any more. */
static struct gapp_loaded_table *copy_in(const struct gapp_track *track, const void __user *data,
					 u64 bytes)
{
	struct gapp_loaded_table *loaded = kzalloc(sizeof(*loaded), GFP_KERNEL_ACCOUNT);
	int ret = -ENOMEM;

	if (!loaded)
		return ERR_PTR(-ENOMEM);
	loaded->data = kvmalloc(bytes, GFP_KERNEL_ACCOUNT);
	if (!loaded->data)
		goto failed;
	ret = -EFAULT;
	if (copy_from_user(loaded->data, data, bytes))
		goto failed;
	ret = -EINVAL;
	if (!gapp_table_open(&loaded->table, loaded->data, bytes))
		goto failed;
	loaded->bytes = bytes;
	loaded->owner = track->restricted ? track->opener->uid : INVALID_UID;
	loaded->hash = hash_of(loaded->data, bytes, loaded->owner);
	refcount_set(&loaded->refs, 1);
	return loaded;

failed:
	destroy(loaded);
	return ERR_PTR(ret);
}

static u64 session_limit(const struct gapp_track *track)
{
	return track->restricted ? GAPP_MAX_TABLE_BYTES_RESTRICTED : GAPP_MAX_TABLE_BYTES;
}

/* Nothing is allocated for a size that the head does not bear out. */
static int check_size(const struct gapp_track *track, const void __user *data, u64 bytes)
{
	struct gapp_table_head head;

	if (bytes < sizeof(head))
		return -EINVAL;
	if (copy_from_user(&head, data, sizeof(head)))
		return -EFAULT;
	if (gapp_table_bytes(&head) != bytes)
		return -EINVAL;
	return bytes > session_limit(track) - track->table_bytes ? -ENOSPC : 0;
}

/**
 * gapp_tables_load() - gives a table a number in a session
 * @track: the session's; its session is locked
 * @load: from the reader; the number is filled in
 *
 * Return: 0 or a negative errno.
 */
int gapp_tables_load(struct gapp_track *track, struct gapp_table_load *load)
{
	const void __user *data = u64_to_user_ptr(load->data);
	struct gapp_loaded_table *loaded;
	int ret;

	if (load->table || load->flags || load->reserved)
		return -EINVAL;
	ret = check_size(track, data, load->bytes);
	if (ret)
		return ret;
	loaded = copy_in(track, data, load->bytes);
	if (IS_ERR(loaded))
		return PTR_ERR(loaded);
	loaded = share(track, loaded);
	if (!loaded)
		return -ENOSPC;
	ret = xa_alloc(&track->tables, &load->table, loaded, XA_LIMIT(1, GAPP_MAX_TABLES),
		       GFP_KERNEL_ACCOUNT);
	if (ret) {
		gapp_tables_put(loaded);
		return ret == -EBUSY ? -ENOSPC : ret;
	}
	track->table_bytes += loaded->bytes;
	track->table_count++;
	return 0;
}

/**
 * gapp_tables_drop() - takes a number back
 * @track: the session's; its session is locked
 * @drop: from the reader
 *
 * Return: 0 or a negative errno.
 */
int gapp_tables_drop(struct gapp_track *track, const struct gapp_table_drop *drop)
{
	struct gapp_loaded_table *loaded;

	if (drop->reserved)
		return -EINVAL;
	loaded = xa_erase(&track->tables, drop->table);
	if (!loaded)
		return -ENOENT;
	track->table_bytes -= loaded->bytes;
	track->table_count--;
	gapp_tables_put(loaded);
	return 0;
}

/* A table by its number, a reference more; NULL: there is none. The session is locked. */
struct gapp_loaded_table *gapp_tables_hold(struct gapp_track *track, u32 number)
{
	struct gapp_loaded_table *loaded = xa_load(&track->tables, number);

	if (loaded)
		refcount_inc(&loaded->refs);
	return loaded;
}

void gapp_tables_destroy(struct gapp_track *track)
{
	struct gapp_loaded_table *loaded;
	unsigned long number;

	xa_for_each(&track->tables, number, loaded)
		gapp_tables_put(loaded);
	xa_destroy(&track->tables);
}

void gapp_tables_for_each(void (*show)(const struct gapp_loaded_table *loaded, void *data),
			  void *data)
{
	struct gapp_loaded_table *loaded;
	unsigned int bucket;

	mutex_lock(&all_lock);
	hash_for_each(all_tables, bucket, loaded, node)
		show(loaded, data);
	mutex_unlock(&all_lock);
}
