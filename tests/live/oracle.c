// SPDX-License-Identifier: GPL-2.0
#include "oracle.h"

#include <elfutils/libdwfl.h>
#include <stdio.h>

static void cleanup_dwfl(Dwfl **dwfl)
{
	dwfl_end(*dwfl);
}

static pid_t next_thread(Dwfl *dwfl, void *arg, void **context)
{
	const struct thread *thread = arg;

	(void)dwfl;
	if (*context)
		return 0;
	*context = arg;
	return thread->tid;
}

static bool get_thread(Dwfl *dwfl, pid_t tid, void *arg, void **context)
{
	const struct thread *thread = arg;

	(void)dwfl;
	*context = arg;
	return thread->tid == tid;
}

static bool memory_read(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *word, void *arg)
{
	const struct thread *thread = arg;

	(void)dwfl;
	return read_memory(thread->tgid, word, address, sizeof(*word));
}

static bool set_registers(Dwfl_Thread *to, void *arg)
{
	const struct thread *thread = arg;
	const struct user_regs_struct *from = &thread->regs;
	const Dwarf_Word values[] = { from->rax, from->rdx, from->rcx, from->rbx, from->rsi,
				      from->rdi, from->rbp, from->rsp, from->r8,  from->r9,
				      from->r10, from->r11, from->r12, from->r13, from->r14,
				      from->r15, from->rip };

	return dwfl_thread_state_registers(to, 0, ARRAY_SIZE(values), values);
}

static const Dwfl_Thread_Callbacks thread_callbacks = {
	.next_thread = next_thread,
	.get_thread = get_thread,
	.memory_read = memory_read,
	.set_initial_registers = set_registers,
};

/* Names and lines are not asked for, so no separate file is looked for. */
static int no_debuginfo(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
			const char *file, const char *link, GElf_Word crc, char **found)
{
	(void)module, (void)data, (void)name, (void)base, (void)file, (void)link, (void)crc;
	(void)found;
	return -1;
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_linux_proc_find_elf,
	.find_debuginfo = no_debuginfo,
};

static int add_frame(Dwfl_Frame *frame, void *arg)
{
	struct path *path = arg;
	Dwarf_Addr pc;

	if (!dwfl_frame_pc(frame, &pc, NULL))
		return DWARF_CB_ABORT;
	/* That is how it says "no caller" where CFI does not. */
	if (!pc)
		return DWARF_CB_ABORT;
	if (path->count == LIVE_FRAMES)
		return DWARF_CB_ABORT;
	path->frames[path->count++] = pc;
	return DWARF_CB_OK;
}

int oracle_walk(const struct thread *thread, struct path *path)
{
	_cleanup_(cleanup_dwfl) Dwfl *dwfl = dwfl_begin(&callbacks);
	const char *why;
	int result;

	path->count = 0;
	path->why[0] = '\0';
	if (!dwfl)
		return -1;
	dwfl_report_begin(dwfl);
	if (dwfl_linux_proc_report(dwfl, thread->tgid) || dwfl_report_end(dwfl, NULL, NULL) ||
	    !dwfl_attach_state(dwfl, NULL, thread->tgid, &thread_callbacks, (void *)thread))
		return -1;
	result = dwfl_getthread_frames(dwfl, thread->tid, add_frame, path);
	path->whole = !result || path->count == LIVE_FRAMES;
	why = result < 0 ? dwfl_errmsg(-1) : NULL;
	snprintf(path->why, sizeof(path->why), "%s", why ? why : "");
	return 0;
}
