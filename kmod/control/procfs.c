// SPDX-License-Identifier: GPL-2.0
/*
 * /proc/gapp, for root only:
 *	version			of the module and its ABI
 *	sessions		a line for each session
 *	tables			a line for each table that is loaded; of a spin table
 *				the rows are ranges
 *	probes			how many sessions have probes, and how many sets of probes are kept
 *	session-N/threads	a line for each thread, the running slice included
 *	session-N/end		whoever writes to it ends the session
 *
 * Times are milliseconds with microseconds, ids those of the reader's pid namespace.
 */
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/pid_namespace.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/string_helpers.h>

#include "callpath/address_spaces.h"
#include "compat/proc_fs.h"
#include "compat/seq_file.h"
#include "control.h"
#include "switch/switch.h"

static struct proc_dir_entry *root;

/* The files are root's, and so is who has its id in a container, without any of its rights. */
static bool may_look(void)
{
	return perfmon_capable();
}

static int show_version(struct seq_file *seq, void *unused)
{
	seq_printf(seq, "version: %s\nabi: %u.%u\n", GAPP_VERSION, GAPP_ABI_MAJOR, GAPP_ABI_MINOR);
	return 0;
}

static const char *const state_names[] = {
	[GAPP_SESSION_NEW] = "new",
	[GAPP_SESSION_READY] = "ready",
	[GAPP_SESSION_RUNNING] = "running",
	[GAPP_SESSION_STOPPED] = "stopped",
};

static void put_ms(struct seq_file *seq, u64 ns)
{
	u32 rest;
	u64 ms = div_u64_rem(ns, NSEC_PER_MSEC, &rest);

	seq_printf(seq, " %9llu.%03u", ms, rest / 1000);
}

static void show_session(struct gapp_session *session, void *data)
{
	pid_t owner = pid_nr_ns(session->settings.self, task_active_pid_ns(current));
	struct gapp_status status;
	struct seq_file *seq = data;

	if (!owner)
		return;
	/* The list of sessions is locked here, and open() of the node must not wait for long. */
	if (!mutex_trylock(&session->lock)) {
		seq_printf(seq, "%7u busy     %7d\n", session->id, owner);
		return;
	}
	gapp_session_status(session, &status);
	mutex_unlock(&session->lock);
	seq_printf(seq, "%7u %-8s %7d %8u %8u %8u %8llu %8llu %8llu", status.id,
		   state_names[status.state], owner, status.n, status.n_min, status.live,
		   status.threads, status.not_followed, status.unexpected);
	put_ms(seq, status.wall_ns);
	put_ms(seq, status.idle_ns);
	seq_putc(seq, '\n');
}

static int show_sessions(struct seq_file *seq, void *unused)
{
	if (!may_look())
		return -EPERM;
	seq_puts(seq, "session state      owner        n    n_min     live  threads");
	seq_puts(seq, "   missed      odd       wall_ms       idle_ms\n");
	gapp_session_for_each(show_session, seq);
	return 0;
}

static int show_probes(struct seq_file *seq, void *unused)
{
	u32 in_use, kept;

	if (!may_look())
		return -EPERM;
	gapp_seats_count(&in_use, &kept);
	seq_printf(seq, "in use: %u\nkept: %u\n", in_use, kept);
	return 0;
}

static void show_table(const struct gapp_loaded_table *table, void *data)
{
	const struct gapp_table_head *head = table->data;

	seq_printf(data, "%016llx %10llu %5u ", table->hash, table->bytes,
		   refcount_read(&table->refs));
	if (table->kind == GAPP_TABLE_SPIN)
		seq_printf(data, "%8u     -        -\n", table->spins.count);
	else
		seq_printf(data, "%8u %5u %8u\n", head->rows, head->rules, head->pages);
}

static int show_tables(struct seq_file *seq, void *unused)
{
	if (!may_look())
		return -EPERM;
	seq_printf(seq, "limit: %llu bytes\n", gapp_tables_limit());
	seq_puts(seq, "hash                  bytes  refs     rows rules    pages\n");
	gapp_tables_for_each(show_table, seq);
	return 0;
}

/* A session that is not set up has no slots: chunk_count is 0. */
static void *threads_next(struct seq_file *seq, void *v, loff_t *pos)
{
	++*pos;
	return *pos <= gapp_slot_count(seq->private) ? pos : NULL;
}

static void *threads_start(struct seq_file *seq, loff_t *pos)
{
	struct gapp_thread_table *threads = gapp_proc_data(file_inode(seq->file));

	seq->private = threads;
	mutex_lock(&threads->slots_mutex);
	if (!*pos)
		return SEQ_START_TOKEN;
	return *pos <= gapp_slot_count(threads) ? pos : NULL;
}

static void threads_stop(struct seq_file *seq, void *v)
{
	struct gapp_thread_table *threads = seq->private;

	mutex_unlock(&threads->slots_mutex);
}

static const char *const thread_states[] = {
	[GAPP_THREAD_UNKNOWN] = "unknown",
	[GAPP_THREAD_BLOCKED] = "blocked",
	[GAPP_THREAD_RUNNABLE] = "ready",
	[GAPP_THREAD_RUNNING] = "running",
	[GAPP_THREAD_GONE] = "gone",
	[GAPP_THREAD_SPINNING] = "spinning",
	[GAPP_THREAD_SPIN_READY] = "spin-ready",
};

static int threads_show(struct seq_file *seq, void *v)
{
	struct gapp_thread_figures row;
	loff_t *pos = v;

	if (!may_look())
		return -EPERM;
	if (v == SEQ_START_TOKEN) {
		seq_puts(seq,
			 "    tid    tgid state         cmetric_ms runq_share_ms        run_ms");
		seq_puts(seq, "       runq_ms    blocked_ms   slices  wakeups   blocks name\n");
		return 0;
	}
	if (!gapp_figures_slot(seq->private, *pos - 1, task_active_pid_ns(current), &row))
		return 0;
	/* The process that reads sees only threads of its own pid namespace. */
	if (!row.tgid)
		return 0;

	seq_printf(seq, "%7d %7d %-10s", row.tid, row.tgid, thread_states[row.state]);
	put_ms(seq, row.cm_run >> GAPP_SHARE_SHIFT);
	put_ms(seq, row.cm_runq >> GAPP_SHARE_SHIFT);
	put_ms(seq, row.run_ns);
	put_ms(seq, row.runq_ns);
	put_ms(seq, row.blocked_ns);
	seq_printf(seq, " %8llu %8llu %8llu ", row.slices, row.wakeups, row.blocks);
	gapp_seq_escape(seq, (char *)row.comm);
	seq_putc(seq, '\n');
	return 0;
}

static const struct seq_operations threads_ops = {
	.start = threads_start,
	.next = threads_next,
	.stop = threads_stop,
	.show = threads_show,
};

/* The reader keeps its open file, and gets the figures up to now. */
static ssize_t end_write(struct file *file, const char __user *text, size_t bytes, loff_t *position)
{
	struct gapp_session *session = gapp_proc_data(file_inode(file));
	int ret;

	if (!may_look())
		return -EPERM;
	/* the reader may hold the lock while its own memory is waited for */
	if (mutex_lock_killable(&session->lock))
		return -EINTR;
	ret = gapp_session_end(session);
	mutex_unlock(&session->lock);
	return ret ?: bytes;
}

static const struct proc_ops end_ops = {
	.proc_write = end_write,
	.proc_lseek = noop_llseek,
};

int gapp_procfs_add(struct gapp_session *session)
{
	char name[24];

	snprintf(name, sizeof(name), "session-%u", session->id);
	session->proc = proc_mkdir_mode(name, 0500, root);
	if (!session->proc)
		return -ENOMEM;
	if (!proc_create_seq_data("threads", 0400, session->proc, &threads_ops,
				  &session->threads) ||
	    !proc_create_data("end", 0200, session->proc, &end_ops, session)) {
		proc_remove(session->proc);
		return -ENOMEM;
	}
	return 0;
}

/* Waits until nobody uses a file of the session's folder. */
void gapp_procfs_remove(struct gapp_session *session)
{
	proc_remove(session->proc);
}

int gapp_procfs_init(void)
{
	root = proc_mkdir_mode("gapp", 0500, NULL);
	if (!root)
		return -ENOMEM;
	if (!proc_create_single("version", 0400, root, show_version) ||
	    !proc_create_single("sessions", 0400, root, show_sessions) ||
	    !proc_create_single("tables", 0400, root, show_tables) ||
	    !proc_create_single("probes", 0400, root, show_probes)) {
		proc_remove(root);
		return -ENOMEM;
	}
	return 0;
}

void gapp_procfs_exit(void)
{
	proc_remove(root);
}
