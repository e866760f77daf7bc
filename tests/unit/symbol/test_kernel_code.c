// SPDX-License-Identifier: GPL-2.0
/* What functions of the kernel say, by their names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "symbol/kernel_code.h"

static const struct {
	const char *function;
	enum kernel_code code;
} functions[] = {
	{ "vfs_read", KERNEL_WORK },
	{ "shmem_file_read_iter", KERNEL_WORK },
	{ "ext4_sync_file", KERNEL_WORK },
	{ "handle_mm_fault", KERNEL_WORK },
	{ "do_anonymous_page", KERNEL_WORK },
	{ "copy_page_range", KERNEL_WORK },
	{ "clear_page_dirty_for_io", KERNEL_WORK },
	{ "rcu_gp_kthread", KERNEL_WORK },
	{ "filldir64", KERNEL_WORK },
	{ "futex_wait", KERNEL_WORK },
	{ "exchange", KERNEL_WORK },
	{ "", KERNEL_WORK },
	/* the program's own work, when it sends to itself */
	{ "handle_softirqs", KERNEL_WORK },
	{ "entry_SYSCALL_64_after_hwframe", KERNEL_ENTRY },
	{ "do_syscall_64", KERNEL_ENTRY },
	{ "x64_sys_call", KERNEL_ENTRY },
	{ "__x64_sys_pread64", KERNEL_ENTRY },
	{ "asm_exc_page_fault", KERNEL_ENTRY },
	{ "exc_page_fault", KERNEL_ENTRY },
	{ "asm_exc_nmi", KERNEL_INTERRUPT },
	{ "asm_sysvec_apic_timer_interrupt", KERNEL_INTERRUPT },
	{ "asm_common_interrupt", KERNEL_INTERRUPT },
	{ "sysvec_apic_timer_interrupt", KERNEL_INTERRUPT },
	{ "__irq_exit_rcu", KERNEL_INTERRUPT },
	{ "rep_movs_alternative", KERNEL_LIBRARY },
	{ "_copy_to_iter", KERNEL_LIBRARY },
	{ "copy_page_to_iter", KERNEL_LIBRARY },
	{ "clear_page_erms", KERNEL_LIBRARY },
	{ "vma_alloc_folio_noprof", KERNEL_LIBRARY },
	{ "alloc_pages_mpol_noprof", KERNEL_LIBRARY },
	{ "kmem_cache_alloc_noprof", KERNEL_LIBRARY },
	{ "_raw_spin_unlock", KERNEL_LIBRARY },
	{ "native_queued_spin_lock_slowpath", KERNEL_LIBRARY },
	{ "rwsem_down_read_slowpath", KERNEL_LIBRARY },
	{ "folio_wait_bit_common", KERNEL_LIBRARY },
	{ "ktime_get", KERNEL_LIBRARY },
	{ "read_tsc", KERNEL_LIBRARY },
	{ "__x86_indirect_thunk_array", KERNEL_LIBRARY },
};

static void functions_by_name(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		if (kernel_code_of(functions[i].function) != functions[i].code)
			fail_msg("%s: %d", functions[i].function,
				 kernel_code_of(functions[i].function));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_by_name),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("kernel code", tests, NULL, NULL);
}
