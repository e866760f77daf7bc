/* SPDX-License-Identifier: GPL-2.0 */
/* The file behind a descriptor of a task. */
#ifndef GAPP_COMPAT_FILE_H
#define GAPP_COMPAT_FILE_H

#include <linux/fdtable.h>
#include <linux/fs.h>
#include <linux/kdev_t.h>
#include <linux/magic.h>
#include <linux/nospec.h>
#include <linux/rcupdate.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <net/sock.h>

#include <gapp_record.h>

#include "compat.h"
#include "user_word.h"

static_assert(MINORBITS == 20);

/**
 * struct gapp_fd - a descriptor of a task
 * @files: of the task
 * @table: in which @file was found
 * @number: of the descriptor
 * @file: the file
 */
struct gapp_fd {
	struct files_struct *files;
	struct fdtable *table;
	unsigned int number;
	struct file *file;
};

/*
 * Finds the file; false: the task has no such descriptor. The caller is an RCU reader of any kind,
 * and @task runs no user code meanwhile. Another thread may close the descriptor: RCU frees files
 * and inodes, so reads of both are safe, but what is read may be of another file.
 */
static __always_inline bool gapp_fd_find(struct task_struct *task, unsigned int number,
					 struct gapp_fd *fd)
{
	fd->files = READ_ONCE(task->files);
	if (!fd->files)
		return false;
	fd->table = rcu_dereference_check(fd->files->fdt, rcu_read_lock_any_held());
	if (number >= fd->table->max_fds)
		return false;
	fd->number = array_index_nospec(number, fd->table->max_fds);
	fd->file = rcu_dereference_check(fd->table->fd[fd->number], rcu_read_lock_any_held());
	return fd->file;
}

/*
 * Whether the descriptor is still of the file, so that what was read before was read of that file.
 * v6.7, 0ede61d8589c: the memory of a file that is closed may at once be that of another
 * process's file.
 */
static __always_inline bool gapp_fd_holds(const struct gapp_fd *fd)
{
	/* the reads of the file come before those here */
	smp_rmb();
	return rcu_access_pointer(fd->files->fdt) == fd->table &&
	       rcu_access_pointer(fd->table->fd[fd->number]) == fd->file;
}

/* Returns the mode of the file's inode; 0: no such descriptor. Callers are as of gapp_fd_find(). */
static inline umode_t gapp_fd_mode(struct task_struct *task, unsigned int fd)
{
	struct inode *inode;
	struct gapp_fd found;

	if (!gapp_fd_find(task, fd, &found))
		return 0;
	inode = READ_ONCE(found.file->f_inode);
	return inode ? READ_ONCE(inode->i_mode) : 0;
}

/* What is read of a socket of the internet before it is known to have been open meanwhile. */
struct gapp_peer {
	u16 protocol;
	u16 local_port;
	__be16 peer_port;
	union {
		u64 words[2];
		u32 address;
	};
};

/* Reads so many bytes of the kernel's memory, which need not be there. Page faults are disabled. */
#ifdef __get_kernel_nofault

#define GAPP_READ(name, type)                                                    \
	static __always_inline bool gapp_read_##name(void *to, const void *from) \
	{                                                                        \
		__get_kernel_nofault(to, from, type, failed);                    \
		return true;                                                     \
failed:                                                                          \
		return false;                                                    \
	}

#else

/* arm64 before v5.11, fc703d80130b */
#define GAPP_READ(name, type)                                                    \
	static __always_inline bool gapp_read_##name(void *to, const void *from) \
	{                                                                        \
		return !copy_from_kernel_nofault(to, from, sizeof(type));        \
	}

#endif

GAPP_READ(two, u16)
GAPP_READ(four, u32)
GAPP_READ(eight, u64)

/*
 * Copies from a struct sock, which may be freed meanwhile and not by RCU. Returns false if it was,
 * and its memory with it; otherwise the caller finds out.
 */
static __always_inline bool gapp_read_peer(const struct sock *sk, bool six, struct gapp_peer *peer)
{
	const struct sock_common *common = &sk->__sk_common;
	bool read;

	gapp_pagefault_disable();
	read = gapp_read_two(&peer->protocol, &sk->sk_protocol) &&
	       gapp_read_two(&peer->local_port, &common->skc_num) &&
	       gapp_read_two(&peer->peer_port, &common->skc_dport);
#if IS_ENABLED(CONFIG_IPV6)
	if (six) {
		const u64 *address = (const u64 *)&common->skc_v6_daddr;

		read = read && gapp_read_eight(&peer->words[0], address) &&
		       gapp_read_eight(&peer->words[1], address + 1);
		gapp_pagefault_enable();
		return read;
	}
#endif
	peer->words[0] = 0;
	peer->words[1] = 0;
	read = read && gapp_read_four(&peer->address, &common->skc_daddr);
	gapp_pagefault_enable();
	return read;
}

/*
 * Describes the socket of @inode. The other end of it is believed only if the descriptor was that
 * file's all the while: then the file has kept its struct sock. No other file than @file ever has
 * the inode of a socket, and RCU keeps the inode, so a descriptor that is @file's was not reused.
 */
static noinline void gapp_socket_describe(const struct gapp_fd *fd, struct inode *inode,
					  struct gapp_wait_file *to)
{
	const struct socket *socket = SOCKET_I(inode);
	const struct proto_ops *ops = READ_ONCE(socket->ops);
	const struct sock *sk = READ_ONCE(socket->sk);
	struct gapp_peer peer;

	if (!ops || !sk)
		return;
	to->family = ops->family;
	if (ops->family != AF_INET && ops->family != AF_INET6)
		return;
	if (!gapp_read_peer(sk, ops->family == AF_INET6, &peer))
		return;
	if (!gapp_fd_holds(fd) || READ_ONCE(fd->file->f_inode) != inode ||
	    READ_ONCE(socket->sk) != sk)
		return;
	to->protocol = peer.protocol;
	to->local_port = peer.local_port;
	to->peer_port = be16_to_cpu(peer.peer_port);
	memcpy(to->peer, peer.words, sizeof(to->peer));
}

/* Describes the file; all zero: no such descriptor. Callers are as of gapp_fd_find(). */
static __always_inline void gapp_fd_describe(struct task_struct *task, unsigned int fd,
					     struct gapp_wait_file *to)
{
	struct super_block *super;
	struct inode *inode;
	struct gapp_fd found;

	memset(to, 0, sizeof(*to));
	if (!gapp_fd_find(task, fd, &found))
		return;
	inode = READ_ONCE(found.file->f_inode);
	/* the file was the descriptor's when its inode was read */
	if (!inode || !gapp_fd_holds(&found))
		return;
	super = inode->i_sb;
	to->inode = READ_ONCE(inode->i_ino);
	to->device = super->s_dev;
	/*
	 * v6.16, cfd86ef7e8e7, and by backport: the inode that epoll and its like share looks
	 * like a file's
	 */
	if (super->s_magic != ANON_INODE_FS_MAGIC)
		to->kind = READ_ONCE(inode->i_mode) >> 12;
	if (to->kind == S_IFSOCK >> 12 && super->s_magic == SOCKFS_MAGIC)
		gapp_socket_describe(&found, inode, to);
}

#endif /* GAPP_COMPAT_FILE_H */
