// SPDX-License-Identifier: GPL-2.0
/*
 * One small function for each command: copies, checks what the ABI says of
 * reserved members, and calls the session. All input is hostile.
 */
#include <linux/fs.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "control.h"

/* Rows copied to the reader at a time, so that no lock is held while a copy may fault. */
#define PAGE_ROWS 64

static long get_abi(void __user *argument)
{
	struct gapp_abi abi = { .major = GAPP_ABI_MAJOR, .minor = GAPP_ABI_MINOR };

	strscpy_pad((char *)abi.version, GAPP_VERSION, sizeof(abi.version));
	return copy_to_user(argument, &abi, sizeof(abi)) ? -EFAULT : 0;
}

static long configure(struct gapp_session *session, const void __user *argument)
{
	struct gapp_config config;

	if (copy_from_user(&config, argument, sizeof(config)))
		return -EFAULT;
	return gapp_session_configure(session, &config);
}

static long add_process(struct gapp_session *session, const void __user *argument)
{
	struct gapp_add_process process;

	if (copy_from_user(&process, argument, sizeof(process)))
		return -EFAULT;
	return gapp_session_add_process(session, &process);
}

static long add_executable(struct gapp_session *session, const void __user *argument)
{
	struct gapp_add_executable exe;

	if (copy_from_user(&exe, argument, sizeof(exe)))
		return -EFAULT;
	return gapp_session_add_executable(session, &exe);
}

static long load_table(struct gapp_session *session, void __user *argument)
{
	struct gapp_table_load load;
	struct gapp_table_drop drop = { 0 };
	long ret;

	if (copy_from_user(&load, argument, sizeof(load)))
		return -EFAULT;
	ret = gapp_session_load_table(session, &load);
	if (ret || !copy_to_user(argument, &load, sizeof(load)))
		return ret;
	/* the caller does not know its number */
	drop.table = load.table;
	gapp_session_drop_table(session, &drop);
	return -EFAULT;
}

static long drop_table(struct gapp_session *session, const void __user *argument)
{
	struct gapp_table_drop drop;

	if (copy_from_user(&drop, argument, sizeof(drop)))
		return -EFAULT;
	return gapp_session_drop_table(session, &drop);
}

static long set_mappings(struct gapp_session *session, void __user *argument)
{
	struct gapp_mappings maps;
	long ret;

	if (copy_from_user(&maps, argument, sizeof(maps)))
		return -EFAULT;
	ret = gapp_session_set_mappings(session, &maps);
	if (ret)
		return ret;
	return copy_to_user(argument, &maps, sizeof(maps)) ? -EFAULT : 0;
}

static long get_counters(struct gapp_session *session, void __user *argument)
{
	struct gapp_counters counters;

	gapp_session_counters(session, &counters);
	return copy_to_user(argument, &counters, sizeof(counters)) ? -EFAULT : 0;
}

static long get_layout(struct gapp_session *session, void __user *argument)
{
	struct gapp_layout layout;
	int ret = gapp_session_layout(session, &layout);

	if (ret)
		return ret;
	return copy_to_user(argument, &layout, sizeof(layout)) ? -EFAULT : 0;
}

static long get_status(struct gapp_session *session, void __user *argument)
{
	struct gapp_status status;

	gapp_session_status(session, &status, true);
	return copy_to_user(argument, &status, sizeof(status)) ? -EFAULT : 0;
}

static u32 fill_rows(struct gapp_session *session, unsigned int command, u64 *cursor, void *rows,
		     u32 capacity)
{
	switch (command) {
	case GAPP_IOC_THREADS:
		return gapp_figures_threads(session, cursor, rows, capacity);
	case GAPP_IOC_PROCESSES:
		return gapp_figures_processes(session, cursor, rows, capacity);
	case GAPP_IOC_TARGETS:
		return gapp_figures_targets(session, cursor, rows, capacity);
	default:
		return gapp_figures_parallelism(session, cursor, rows, capacity);
	}
}

static size_t row_size(unsigned int command)
{
	switch (command) {
	case GAPP_IOC_PARALLELISM:
		return sizeof(u64);
	case GAPP_IOC_TARGETS:
		return sizeof(struct gapp_target_figures);
	default:
		return sizeof(struct gapp_thread_figures);
	}
}

static long read_page(struct gapp_session *session, unsigned int command, struct gapp_page *page)
{
	size_t size = row_size(command);
	u8 __user *to = u64_to_user_ptr(page->buffer);
	void *rows = kmalloc_array(PAGE_ROWS, size, GFP_KERNEL);
	long ret = 0;
	u32 count;

	if (!rows)
		return -ENOMEM;
	while (page->count < page->capacity) {
		count = fill_rows(session, command, &page->cursor, rows,
				  min_t(u32, PAGE_ROWS, page->capacity - page->count));
		if (!count)
			break;
		if (copy_to_user(to + page->count * size, rows, count * size)) {
			ret = -EFAULT;
			break;
		}
		page->count += count;
	}
	kfree(rows);
	return ret;
}

static long get_rows(struct gapp_session *session, unsigned int command, void __user *argument)
{
	struct gapp_page page;
	u32 state;
	long ret;

	if (copy_from_user(&page, argument, sizeof(page)))
		return -EFAULT;
	if (!page.capacity || page.capacity > GAPP_PAGE_MAX || page.count ||
	    memchr_inv(page.reserved, 0, sizeof(page.reserved)))
		return -EINVAL;

	/* What a page is read from is made by CONFIGURE and stays until the file is closed. */
	mutex_lock(&session->lock);
	state = session->state;
	mutex_unlock(&session->lock);
	if (state == GAPP_SESSION_RUNNING || state == GAPP_SESSION_STOPPED) {
		ret = read_page(session, command, &page);
		if (ret)
			return ret;
	}
	return copy_to_user(argument, &page, sizeof(page)) ? -EFAULT : 0;
}

long gapp_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	struct gapp_session *session = file->private_data;
	void __user *user = (void __user *)argument;

	switch (command) {
	case GAPP_IOC_GET_ABI:
		return get_abi(user);
	case GAPP_IOC_CONFIGURE:
		return configure(session, user);
	case GAPP_IOC_ADD_PROCESS:
		return add_process(session, user);
	case GAPP_IOC_START:
		return argument ? -EINVAL : gapp_session_start(session);
	case GAPP_IOC_STOP:
		return argument ? -EINVAL : gapp_session_stop(session);
	case GAPP_IOC_STATUS:
		return get_status(session, user);
	case GAPP_IOC_THREADS:
	case GAPP_IOC_PROCESSES:
	case GAPP_IOC_PARALLELISM:
	case GAPP_IOC_TARGETS:
		return get_rows(session, command, user);
	case GAPP_IOC_ADD_EXECUTABLE:
		return add_executable(session, user);
	case GAPP_IOC_LOAD_TABLE:
		return load_table(session, user);
	case GAPP_IOC_DROP_TABLE:
		return drop_table(session, user);
	case GAPP_IOC_SET_MAPPINGS:
		return set_mappings(session, user);
	case GAPP_IOC_COUNTERS:
		return get_counters(session, user);
	case GAPP_IOC_LAYOUT:
		return get_layout(session, user);
	default:
		return -ENOTTY;
	}
}
