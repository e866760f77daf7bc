// SPDX-License-Identifier: GPL-2.0
/* The node /dev/gapp: an open file is a session, and holds the module. */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/poll.h>

#include "ring/buffers.h"
#include "dev.h"
#include "ioctl.h"
#include "procfs.h"
#include "session.h"

static int gapp_open(struct inode *inode, struct file *file)
{
	struct gapp_session *session = gapp_session_create();
	int ret;

	if (IS_ERR(session))
		return PTR_ERR(session);
	ret = gapp_procfs_add(session);
	if (ret) {
		gapp_session_destroy(session);
		return ret;
	}
	file->private_data = session;
	return stream_open(inode, file);
}

static int gapp_release(struct inode *inode, struct file *file)
{
	struct gapp_session *session = file->private_data;

	gapp_procfs_remove(session);
	gapp_session_destroy(session);
	return 0;
}

/* What is mapped is made by CONFIGURE and stays until the file is closed: no lock is needed. */
static bool is_configured(const struct gapp_session *session)
{
	/* Pairs with the release in gapp_session_configure(). */
	return smp_load_acquire(&session->state) != GAPP_SESSION_NEW;
}

static int gapp_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct gapp_session *session = file->private_data;

	return is_configured(session) ? gapp_buffers_mmap(session, vma) : -ENOTCONN;
}

static __poll_t gapp_poll(struct file *file, struct poll_table_struct *table)
{
	struct gapp_session *session = file->private_data;

	if (!is_configured(session))
		return EPOLLERR;
	return gapp_buffers_poll(session, file, table);
}

static const struct file_operations gapp_fops = {
	.owner = THIS_MODULE,
	.open = gapp_open,
	.release = gapp_release,
	.mmap = gapp_mmap,
	.poll = gapp_poll,
	.unlocked_ioctl = gapp_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

static struct miscdevice gapp_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "gapp",
	.mode = 0600,
	.fops = &gapp_fops,
};

int gapp_dev_register(void)
{
	return misc_register(&gapp_device);
}

void gapp_dev_unregister(void)
{
	misc_deregister(&gapp_device);
}
