/* SPDX-License-Identifier: GPL-2.0 */
/* What kind of file a descriptor of a task is. */
#ifndef GAPP_COMPAT_FILE_H
#define GAPP_COMPAT_FILE_H

#include <linux/fdtable.h>
#include <linux/fs.h>
#include <linux/nospec.h>
#include <linux/rcupdate.h>

#include "compat.h"

/*
 * The mode of the file's inode; 0: no such descriptor. Under RCU of any kind, of a task that does
 * not run user code meanwhile. Another thread may close the descriptor: files and inodes are freed
 * by RCU, so what is read is memory all the same, at worst of another file.
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
