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

/*
 * Whether the page with @address is in memory, and plain. It may change right after. Interrupts are
 * off: the tables of pages stay.
 */
static inline bool gapp_is_plain_memory(struct mm_struct *mm, unsigned long address)
{
	pgd_t pgd = READ_ONCE(*pgd_offset(mm, address));
	p4d_t p4d;
	pud_t pud;
	pmd_t pmd;
	pte_t pte;

	if (pgd_none(pgd) || pgd_bad(pgd))
		return false;
	p4d = READ_ONCE(*p4d_offset(&pgd, address));
	if (p4d_none(p4d) || p4d_bad(p4d))
		return false;
	pud = READ_ONCE(*pud_offset(&p4d, address));
	if (pud_none(pud))
		return false;
	if (pud_flags(pud) & _PAGE_PSE)
		return gapp_is_plain_entry(pud_flags(pud), _PAGE_PAT_LARGE);
	if (pud_bad(pud))
		return false;
	pmd = READ_ONCE(*pmd_offset(&pud, address));
	if (pmd_none(pmd))
		return false;
	if (pmd_flags(pmd) & _PAGE_PSE)
		return gapp_is_plain_entry(pmd_flags(pmd), _PAGE_PAT_LARGE);
	if (pmd_bad(pmd))
		return false;
	pte = READ_ONCE(*pte_offset_kernel(&pmd, address));
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
