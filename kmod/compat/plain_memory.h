/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whether memory of a process is plain: cached, and not a device's. To read a device's memory takes
 * long, and may change what the device does.
 */
#ifndef GAPP_COMPAT_PLAIN_MEMORY_H
#define GAPP_COMPAT_PLAIN_MEMORY_H

#include <linux/mm.h>
#include <linux/pgtable.h>

#ifdef CONFIG_X86_64

/* @pat: the entry's bit that with two others says how the CPU caches the memory. */
static inline bool gapp_is_plain_entry(unsigned long flags, unsigned long pat)
{
	return flags & _PAGE_PRESENT && flags & _PAGE_USER &&
	       !(flags & (_PAGE_PWT | _PAGE_PCD | pat));
}

/* The table of pages to which an entry of a table above points. */
static inline void *gapp_page_table(unsigned long entry)
{
	return __va(entry & PTE_PFN_MASK);
}

/*
 * Whether the page with @address is in memory, and plain. It may change right after. Interrupts are
 * off: the tables of pages stay. The kernel's own functions check more of each entry, which costs
 * each remembered call path twice as much.
 */
static inline bool gapp_is_plain_memory(struct mm_struct *mm, unsigned long address)
{
	unsigned long entry = pgd_val(READ_ONCE(*pgd_offset(mm, address)));
	pte_t pte;

	if (pgtable_l5_enabled()) {
		if (!(entry & _PAGE_PRESENT))
			return false;
		entry = p4d_val(READ_ONCE(((p4d_t *)gapp_page_table(entry))[p4d_index(address)]));
	}
	if (!(entry & _PAGE_PRESENT))
		return false;
	entry = pud_val(READ_ONCE(((pud_t *)gapp_page_table(entry))[pud_index(address)]));
	if (!(entry & _PAGE_PRESENT))
		return false;
	if (entry & _PAGE_PSE)
		return gapp_is_plain_entry(entry, _PAGE_PAT_LARGE);
	entry = pmd_val(READ_ONCE(((pmd_t *)gapp_page_table(entry))[pmd_index(address)]));
	if (!(entry & _PAGE_PRESENT))
		return false;
	if (entry & _PAGE_PSE)
		return gapp_is_plain_entry(entry, _PAGE_PAT_LARGE);
	pte = READ_ONCE(((pte_t *)gapp_page_table(entry))[pte_index(address)]);
	/* the page that is shared by all memory never written to is special too */
	return gapp_is_plain_entry(pte_flags(pte), _PAGE_PAT) &&
	       (!pte_special(pte) || is_zero_pfn(pte_pfn(pte)));
}

#else

static inline bool gapp_is_plain_memory(struct mm_struct *mm, unsigned long address)
{
	return true;
}

#endif

#endif /* GAPP_COMPAT_PLAIN_MEMORY_H */
