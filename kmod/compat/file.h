/* SPDX-License-Identifier: GPL-2.0 */
/* The kind of file behind a descriptor of a task. */
#ifndef GAPP_COMPAT_FILE_H
#define GAPP_COMPAT_FILE_H

#include <linux/fdtable.h>
#include <linux/fs.h>
#include <linux/nospec.h>
#include <linux/rcupdate.h>

#include "compat.h"

/*
 * Returns the mode of the file's inode; 0: the task has no such descriptor. The caller is an RCU
 * reader of any kind, and @task runs no user code meanwhile. Another thread may close the
 * descriptor: RCU frees files and inodes, so the read is safe, but the mode may be that of another
 * file.
 */
static inline umode_t gapp_fd_mode(struct task_struct *task, unsigned int fd)
{
	struct files_struct *files = READ_ONCE(task->files);
	struct fdtable *table;
	struct inode *inode;
	struct file *file;

	if (!files)
		return 0;
	table = rcu_dereference_check(files->fdt, rcu_read_lock_any_held());
	if (fd >= table->max_fds)
		return 0;
	fd = array_index_nospec(fd, table->max_fds);
	file = rcu_dereference_check(table->fd[fd], rcu_read_lock_any_held());
	if (!file)
		return 0;
	inode = READ_ONCE(file->f_inode);
	return inode ? READ_ONCE(inode->i_mode) : 0;
}

#endif /* GAPP_COMPAT_FILE_H */
