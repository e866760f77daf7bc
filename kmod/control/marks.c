// SPDX-License-Identifier: GPL-2.0
/*
 * The node /dev/gapp_mark, by which any process tells of its marks and sections, and which sessions
 * they go to. An open file of it is no session. All input is hostile.
 */
#include <linux/fs.h>
#include <linux/gfp.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/rculist.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "compat/mm.h"
#include "control.h"
#include "core/mark_text.h"

/* Protects the list of sessions that take marks, which is read under RCU, and their number. */
static DEFINE_MUTEX(marks_lock);
static LIST_HEAD(marked_sessions);
/* One page, which any process may map; holds struct gapp_mark_page. */
static struct page *shared;
/* The module is loaded, so that who opens the node keeps it. */
static bool ready;

/* Under marks_lock. */
static void change_count(int by)
{
	struct gapp_mark_page *page = page_address(shared);

	WRITE_ONCE(page->sessions, page->sessions + by);
}

/* The session takes marks from now on, if it was asked to. */
void gapp_marks_begin(struct gapp_session *session)
{
	if (!session->settings.marks)
		return;
	mutex_lock(&marks_lock);
	list_add_tail_rcu(&session->marked, &marked_sessions);
	change_count(1);
	mutex_unlock(&marks_lock);
}

/*
 * No mark that begins from now on finds the session. gapp_seat_leave(), which follows, waits for
 * those that are under way.
 */
void gapp_marks_end(struct gapp_session *session)
{
	if (!session->settings.marks)
		return;
	mutex_lock(&marks_lock);
	list_del_rcu(&session->marked);
	change_count(-1);
	mutex_unlock(&marks_lock);
}

static void make_mark(const struct gapp_mark_text *mark)
{
	struct gapp_session *session;

	rcu_read_lock();
	list_for_each_entry_rcu(session, &marked_sessions, marked)
		gapp_mark_made(session, mark);
	rcu_read_unlock();
}

/*
 * Copies the line that begins at @from, of at most @bytes bytes, and makes its mark. @is_last: it
 * may end with the bytes instead of a newline. Returns how many bytes it took, 0 if the line is not
 * whole, or a negative errno.
 */
static ssize_t take_line(const char __user *from, size_t bytes, bool is_last)
{
	char line[GAPP_MARK_LINE + 1];
	const size_t have = min(bytes, sizeof(line));
	struct gapp_mark_text mark;
	const char *newline;
	size_t length;

	if (copy_from_user(line, from, have))
		return -EFAULT;
	newline = memchr(line, '\n', have);
	length = newline ? newline - line : have;
	if (!newline && have < sizeof(line) && !is_last)
		return 0;
	if (length > GAPP_MARK_LINE || !gapp_mark_parse(line, length, &mark))
		return -EINVAL;
	make_mark(&mark);
	return newline ? length + 1 : length;
}

/*
 * One page at most, whole lines: who writes more calls again. A line that is no mark is an error
 * if it is the first one; otherwise the write ends in front of it.
 */
static ssize_t marks_write(struct file *file, const char __user *from, size_t bytes,
			   loff_t *position)
{
	const size_t most = min_t(size_t, bytes, PAGE_SIZE);
	ssize_t took = 0;
	size_t done = 0;

	while (done < most) {
		took = take_line(from + done, most - done, most == bytes);
		if (took <= 0)
			break;
		done += took;
		cond_resched();
	}
	return done ? done : took;
}

static long marks_ioctl(struct file *file, unsigned int command, unsigned long address)
{
	struct gapp_mark_text mark = { 0 };
	struct gapp_mark asked;

	if (command != GAPP_IOC_MARK)
		return -ENOTTY;
	if (copy_from_user(&asked, (const void __user *)address, sizeof(asked)))
		return -EFAULT;
	if (asked.bytes > GAPP_MARK_TEXT)
		return -EINVAL;
	mark.kind = asked.kind;
	mark.bytes = asked.bytes;
	if (copy_from_user(mark.text, u64_to_user_ptr(asked.text), asked.bytes))
		return -EFAULT;
	if (!gapp_mark_is_valid(&mark))
		return -EINVAL;
	make_mark(&mark);
	return 0;
}

/*
 * The mapping holds the file, and so the module, as long as there is any. Of a file that is open to
 * read only, a shared mapping has VM_MAYSHARE without VM_SHARED.
 */
static int marks_mmap(struct file *file, struct vm_area_struct *vma)
{
	if (vma->vm_pgoff || vma->vm_end - vma->vm_start != PAGE_SIZE ||
	    !(vma->vm_flags & VM_MAYSHARE) || vma->vm_flags & VM_EXEC)
		return -EINVAL;
	if (vma->vm_flags & VM_WRITE)
		return -EACCES;
	gapp_vm_flags(vma, 0, VM_MAYWRITE | VM_MAYEXEC);
	return vm_insert_page(vma, vma->vm_start, shared);
}

/* Under a lock that misc_deregister() takes, too: no call is under way when the node is gone. */
static int marks_file_open(struct inode *inode, struct file *file)
{
	return READ_ONCE(ready) ? stream_open(inode, file) : -ENODEV;
}

static const struct file_operations marks_fops = {
	.owner = THIS_MODULE,
	.open = marks_file_open,
	.write = marks_write,
	.mmap = marks_mmap,
	.unlocked_ioctl = marks_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

static struct miscdevice marks_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "gapp_mark",
	.mode = 0666,
	.fops = &marks_fops,
};

/* Before any session. */
int gapp_marks_init(void)
{
	shared = alloc_page(GFP_KERNEL | __GFP_ZERO);
	return shared ? 0 : -ENOMEM;
}

/* After any session. */
void gapp_marks_exit(void)
{
	__free_page(shared);
}

/* Makes the node, which nobody can open yet: a module that is not loaded waits for nobody. */
int gapp_marks_make(void)
{
	return misc_register(&marks_device);
}

/* Nothing of loading the module can fail any more. */
void gapp_marks_open(void)
{
	WRITE_ONCE(ready, true);
}

/* No file of the node is open, or mapped. */
void gapp_marks_close(void)
{
	misc_deregister(&marks_device);
}
