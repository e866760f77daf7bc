// SPDX-License-Identifier: GPL-2.0
/* The calls of /dev/gapp. All input is hostile. */
#include <linux/fs.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "callpath/address_spaces.h"
#include "control.h"

/* Rows copied to the reader at a time, so that no lock is held while a copy may fault. */
#define PAGE_ROWS 64

union argument {
	struct gapp_abi abi;
	struct gapp_config config;
	struct gapp_add_process process;
	struct gapp_add_executable exe;
	struct gapp_add_selection selection;
	struct gapp_table_load load;
	struct gapp_table_drop drop;
	struct gapp_mappings maps;
	struct gapp_watch watch;
	struct gapp_exact exact;
	struct gapp_store_point store_point;
	struct gapp_add_tally tally;
	struct gapp_layout layout;
	struct gapp_status status;
	struct gapp_counters counters;
	struct gapp_page page;
};

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
	case GAPP_IOC_THREAD_WAITS:
		return gapp_figures_waits(session, cursor, rows, capacity);
	case GAPP_IOC_HANDOVERS:
		return gapp_figures_handovers(session, cursor, rows, capacity);
	case GAPP_IOC_THREAD_TALLIES:
		return gapp_figures_thread_tallies(session, cursor, rows, capacity);
	case GAPP_IOC_CPU_TALLIES:
		return gapp_figures_cpu_tallies(session, cursor, rows, capacity);
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
	case GAPP_IOC_THREAD_WAITS:
		return sizeof(struct gapp_thread_waits);
	case GAPP_IOC_HANDOVERS:
		return sizeof(struct gapp_handover);
	case GAPP_IOC_THREAD_TALLIES:
		return sizeof(struct gapp_thread_tallies);
	case GAPP_IOC_CPU_TALLIES:
		return sizeof(struct gapp_cpu_tallies);
	default:
		return sizeof(struct gapp_thread_figures);
	}
}

static long read_page(struct gapp_session *session, unsigned int command, struct gapp_page *page)
{
	size_t size = row_size(command);
	u8 __user *to = u64_to_user_ptr(page->buffer);
	void *rows = kvmalloc_array(PAGE_ROWS, size, GFP_KERNEL);
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
	kvfree(rows);
	return ret;
}

static long get_rows(struct gapp_session *session, unsigned int command, struct gapp_page *page)
{
	u32 state;

	if (!page->capacity || page->capacity > GAPP_PAGE_MAX || page->count ||
	    memchr_inv(page->reserved, 0, sizeof(page->reserved)))
		return -EINVAL;

	/* The tables of a page are made by CONFIGURE and stay until the file is closed. */
	mutex_lock(&session->lock);
	state = session->state;
	mutex_unlock(&session->lock);
	if (state != GAPP_SESSION_RUNNING && state != GAPP_SESSION_STOPPED)
		return 0;
	if (command == GAPP_IOC_THREAD_TALLIES || command == GAPP_IOC_CPU_TALLIES)
		gapp_tallies_bring_up(session);
	return read_page(session, command, page);
}

/* With GAPP_LEVEL_STATS there is nothing to map. */
static long get_layout(const struct gapp_session *session, struct gapp_layout *layout)
{
	memset(layout, 0, sizeof(*layout));
	if (session->state == GAPP_SESSION_NEW)
		return -ENOTCONN;
	if (session->buffers)
		*layout = session->buffers->layout;
	return 0;
}

/* Under the session's lock. */
static long control(struct gapp_session *session, unsigned int command, union argument *argument)
{
	switch (command) {
	case GAPP_IOC_CONFIGURE:
		return gapp_session_configure(session, &argument->config);
	case GAPP_IOC_ADD_PROCESS:
		return gapp_session_add_process(session, &argument->process);
	case GAPP_IOC_ADD_EXECUTABLE:
		return gapp_session_add_executable(session, &argument->exe);
	case GAPP_IOC_ADD_SELECTION:
		return gapp_session_add_selection(session, &argument->selection);
	case GAPP_IOC_LOAD_TABLE:
		return gapp_session_load_table(session, &argument->load);
	case GAPP_IOC_DROP_TABLE:
		return gapp_tables_drop(&session->spaces, &argument->drop);
	case GAPP_IOC_SET_MAPPINGS:
		return gapp_session_set_mappings(session, &argument->maps);
	case GAPP_IOC_START:
		return gapp_session_start(session);
	case GAPP_IOC_STOP:
		return gapp_session_stop(session);
	case GAPP_IOC_WATCH:
		return gapp_session_watch(session, &argument->watch);
	case GAPP_IOC_EXACT:
		return gapp_session_exact(session, &argument->exact);
	case GAPP_IOC_STORE_POINT:
		return gapp_session_store_point(session, &argument->store_point);
	case GAPP_IOC_ADD_TALLY:
		return gapp_session_add_tally(session, &argument->tally);
	case GAPP_IOC_LAYOUT:
		return get_layout(session, &argument->layout);
	case GAPP_IOC_STATUS:
		gapp_session_status(session, &argument->status);
		return 0;
	default:
		gapp_session_counters(session, &argument->counters);
		return 0;
	}
}

static long run(struct gapp_session *session, unsigned int command, union argument *argument)
{
	long ret;

	switch (command) {
	case GAPP_IOC_GET_ABI:
		argument->abi =
			(struct gapp_abi){ .major = GAPP_ABI_MAJOR, .minor = GAPP_ABI_MINOR };
		strscpy_pad((char *)argument->abi.version, GAPP_VERSION,
			    sizeof(argument->abi.version));
		return 0;
	case GAPP_IOC_THREADS:
	case GAPP_IOC_PROCESSES:
	case GAPP_IOC_PARALLELISM:
	case GAPP_IOC_TARGETS:
	case GAPP_IOC_THREAD_WAITS:
	case GAPP_IOC_HANDOVERS:
	case GAPP_IOC_THREAD_TALLIES:
	case GAPP_IOC_CPU_TALLIES:
		return get_rows(session, command, &argument->page);
	default:
		mutex_lock(&session->lock);
		ret = control(session, command, argument);
		mutex_unlock(&session->lock);
		return ret;
	}
}

static bool is_known(unsigned int command)
{
	static const unsigned int commands[] = {
		GAPP_IOC_GET_ABI,      GAPP_IOC_CONFIGURE,	GAPP_IOC_ADD_PROCESS,
		GAPP_IOC_START,	       GAPP_IOC_STOP,		GAPP_IOC_STATUS,
		GAPP_IOC_THREADS,      GAPP_IOC_PROCESSES,	GAPP_IOC_PARALLELISM,
		GAPP_IOC_TARGETS,      GAPP_IOC_ADD_EXECUTABLE, GAPP_IOC_COUNTERS,
		GAPP_IOC_LAYOUT,       GAPP_IOC_LOAD_TABLE,	GAPP_IOC_DROP_TABLE,
		GAPP_IOC_SET_MAPPINGS, GAPP_IOC_THREAD_WAITS,	GAPP_IOC_ADD_SELECTION,
		GAPP_IOC_HANDOVERS,    GAPP_IOC_WATCH,		GAPP_IOC_EXACT,
		GAPP_IOC_ADD_TALLY,    GAPP_IOC_THREAD_TALLIES, GAPP_IOC_CPU_TALLIES,
		GAPP_IOC_STORE_POINT,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(commands); i++)
		if (commands[i] == command)
			return true;
	return false;
}

/* Drops a table that was loaded, but whose number could not be copied to the reader. */
static void drop_again(struct gapp_session *session, u32 table)
{
	const struct gapp_table_drop drop = { .table = table };

	mutex_lock(&session->lock);
	gapp_tables_drop(&session->spaces, &drop);
	mutex_unlock(&session->lock);
}

/**
 * gapp_ioctl() - one call of the reader
 * @file: open file of the session
 * @command: its direction and size say how the argument is copied
 * @address: address of the argument; 0 for commands that have none
 *
 * Return: 0 or a negative errno.
 */
long gapp_ioctl(struct file *file, unsigned int command, unsigned long address)
{
	struct gapp_session *session = file->private_data;
	void __user *user = (void __user *)address;
	union argument argument;
	long ret;

	if (!is_known(command))
		return -ENOTTY;
	if (_IOC_DIR(command) == _IOC_NONE && address)
		return -EINVAL;
	if (_IOC_DIR(command) & _IOC_WRITE && copy_from_user(&argument, user, _IOC_SIZE(command)))
		return -EFAULT;
	ret = run(session, command, &argument);
	if (ret || !(_IOC_DIR(command) & _IOC_READ) ||
	    !copy_to_user(user, &argument, _IOC_SIZE(command)))
		return ret;
	if (command == GAPP_IOC_LOAD_TABLE)
		drop_again(session, argument.load.table);
	return -EFAULT;
}
