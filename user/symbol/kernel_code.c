// SPDX-License-Identifier: GPL-2.0
#include "kernel_code.h"

#include <stdbool.h>
#include <string.h>

#include "util/util.h"

static const char *const entries[] = {
	"asm_exc_", "do_el0_",	      "do_syscall_64", "el0",	       "entry_",
	"exc_",	    "invoke_syscall", "x64_sys_call",  "__arm64_sys_", "__x64_sys_",
};

static const char *const interrupts[] = {
	"asm_common_interrupt", "asm_exc_nmi",	"asm_sysvec_", "common_interrupt", "el0t_64_irq",
	"el1h_64_irq",		"irq_exit_rcu", "sysvec_",     "__irq_exit_rcu",
};

static const char *const libraries[] = {
	/* copies, clears and compares memory, also the user's */
	"clear_page_erms",
	"clear_page_orig",
	"clear_page_rep",
	"clear_user",
	"copy_folio",
	"copy_from_",
	"copy_page_erms",
	"copy_page_from_",
	"copy_page_mc",
	"copy_page_to_",
	"copy_to_",
	"copy_user",
	"csum_",
	"fault_in_",
	"iov_iter_",
	"memchr",
	"memcmp",
	"memcpy",
	"memmove",
	"memset",
	"rep_movs",
	"rep_stos",
	"_copy_",
	"__clear_",
	"__copy_",
	"__memcpy",
	"__memmove",
	"__memset",
	"__pi_mem",
	/* takes and waits for locks */
	"down_",
	"lock_",
	"mutex_",
	"native_queued_",
	"osq_",
	"pv_queued_",
	"queued_",
	"rcu_read_",
	"rwsem_",
	"up_",
	"_raw_",
	"__mutex_",
	"__pv_queued_",
	"__raw_",
	"__rcu_read_",
	/* waits for what others finish */
	"bit_wait",
	"filemap_fdatawait",
	"folio_wait_",
	"out_of_line_wait_",
	"wait_",
	"__filemap_fdatawait",
	"__wait_",
	/* takes and gives back memory */
	"alloc_pages",
	"folio_alloc",
	"free_unref_",
	"get_page_from_freelist",
	"kfree",
	"kmalloc",
	"kmem_cache_",
	"kvmalloc",
	"prep_new_page",
	"vma_alloc_folio",
	"___slab_",
	"__alloc_",
	"__kmalloc",
	"__slab_",
	/* reads a clock */
	"ktime_",
	"kvm_clock_",
	"native_sched_clock",
	"pvclock_",
	"read_hpet",
	"read_tsc",
	"sched_clock",
	"__pfx_",
	/* what compilers and tracers put everywhere */
	"srso_",
	"__cond_resched",
	"__fentry__",
	"__x86_",
};

static bool begins_with_any(const char *function, const char *const *begins, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!strncmp(function, begins[i], strlen(begins[i])))
			return true;
	return false;
}

enum kernel_code kernel_code_of(const char *function)
{
	if (begins_with_any(function, interrupts, ARRAY_SIZE(interrupts)))
		return KERNEL_INTERRUPT;
	if (begins_with_any(function, entries, ARRAY_SIZE(entries)))
		return KERNEL_ENTRY;
	if (begins_with_any(function, libraries, ARRAY_SIZE(libraries)))
		return KERNEL_LIBRARY;
	return KERNEL_WORK;
}
