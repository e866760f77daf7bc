// SPDX-License-Identifier: GPL-2.0
/*
 * Loads and unloads the module, and opens the node /dev/gapp: an open file is a session, and holds
 * the module.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/stringify.h>

#include "control.h"
#include "switch/switch.h"

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

/* CONFIGURE makes the buffers for as long as the file is open: mmap() and poll() need no lock. */
static bool is_configured(const struct gapp_session *session)
{
	/* Pairs with the release in gapp_session_configure(). */
	return smp_load_acquire(&session->state) != GAPP_SESSION_NEW;
}

static int gapp_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct gapp_session *session = file->private_data;

	return is_configured(session) ? gapp_buffers_mmap(session->buffers, vma) : -ENOTCONN;
}

static __poll_t gapp_poll(struct file *file, struct poll_table_struct *table)
{
	struct gapp_session *session = file->private_data;

	if (!is_configured(session))
		return EPOLLERR;
	return gapp_buffers_poll(session->buffers, file, table);
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

static int __init gapp_init(void)
{
	int ret;

	ret = gapp_probes_find();
	if (ret)
		goto error_probes;
	ret = gapp_clock_init();
	if (ret)
		goto error_clock;
	ret = gapp_procfs_init();
	if (ret)
		goto error_procfs;
	ret = gapp_marks_init();
	if (ret)
		goto error_marks;
	ret = gapp_marks_make();
	if (ret)
		goto error_node;
	/* the last step that may fail: who has opened it keeps a module that is loaded */
	ret = misc_register(&gapp_device);
	if (ret)
		goto error_dev;
	gapp_marks_open();
	pr_info("version %s, ABI %u.%u\n", GAPP_VERSION, GAPP_ABI_MAJOR, GAPP_ABI_MINOR);
	return 0;

error_dev:
	gapp_marks_close();
error_node:
	gapp_marks_exit();
error_marks:
	gapp_procfs_exit();
error_procfs:
	gapp_clock_exit();
error_clock:
error_probes:
	pr_err("version %s not loaded: error %d\n", GAPP_VERSION, ret);
	return ret;
}

static void __exit gapp_exit(void)
{
	gapp_marks_close();
	misc_deregister(&gapp_device);
	gapp_marks_exit();
	gapp_seats_exit();
	gapp_procfs_exit();
	gapp_clock_exit();
	pr_info("unloaded\n");
}

module_init(gapp_init);
module_exit(gapp_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Finds the code that most threads of a parallel program wait for");
MODULE_VERSION(GAPP_VERSION);
MODULE_INFO(gapp_abi, __stringify(GAPP_ABI_MAJOR) "." __stringify(GAPP_ABI_MINOR));
