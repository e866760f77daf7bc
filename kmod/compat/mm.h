/* SPDX-License-Identifier: GPL-2.0 */
/* Flags of mappings. */
#ifndef GAPP_COMPAT_MM_H
#define GAPP_COMPAT_MM_H

#include <linux/mm.h>

#include "compat.h"

/* v6.3, bc292ab00f6c, and by backport: vm_flags must not be written to directly */
static inline void gapp_vm_flags(struct vm_area_struct *vma, unsigned long set, unsigned long clear)
{
#ifdef GAPP_HAVE_VM_FLAGS_MOD
	vm_flags_mod(vma, set, clear);
#else
	vma->vm_flags |= set;
	vma->vm_flags &= ~clear;
#endif
}

#endif /* GAPP_COMPAT_MM_H */
