/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads user memory with page faults disabled, words with one check for errors after all of them:
 * with unsafe_get_user() the compiler checks after each word.
 */
#ifndef GAPP_COMPAT_USER_WORD_H
#define GAPP_COMPAT_USER_WORD_H

#include <linux/uaccess.h>

/* As pagefault_disable(). */
static __always_inline void gapp_pagefault_disable(void)
{
	/* current's own count; an interrupt that changes it, too, leaves it as it has found it */
	(void)data_race((pagefault_disable(), 0));
}

/* As pagefault_enable(). */
static __always_inline void gapp_pagefault_enable(void)
{
	/* see gapp_pagefault_disable() */
	(void)data_race((pagefault_enable(), 0));
}

/*
 * Copies user memory in any context, without sleeping or a page fault. Returns whether all of it
 * could be read. Before v6.4, d319f344561d, copy_from_user_nofault() of x86 asked access_ok() with
 * page faults enabled, which CONFIG_DEBUG_ATOMIC_SLEEP warns of in interrupts.
 */
static __always_inline bool gapp_copy_user(void *to, u64 from, u32 bytes)
{
	bool copied;

	gapp_pagefault_disable();
	copied = !copy_from_user_nofault(to, (const void __user *)(unsigned long)from, bytes);
	gapp_pagefault_enable();
	return copied;
}

#ifdef CONFIG_X86_64
#include <asm/asm.h>
#ifdef GAPP_HAVE_EXTABLE_TYPES
#include <asm/extable_fixup_types.h>
#endif

/*
 * Reads a word; *@error becomes negative if it is not readable, and otherwise keeps its value.
 * Between user_read_access_begin() and user_read_access_end(), after gapp_pagefault_disable().
 */
static __always_inline u64 gapp_user_word(u64 address, int *error)
{
	const u64 __user *at = (const u64 __user *)(unsigned long)address;
	u64 word;

	/* clang-format off */
#ifdef EX_TYPE_EFAULT_REG
	asm volatile("1:	movq %[at], %[word]\n"
		     "2:\n"
		     _ASM_EXTABLE_TYPE_REG(1b, 2b, EX_TYPE_EFAULT_REG, %[error])
		     : [error] "+r"(*error), [word] "=r"(word)
		     : [at] "m"(*(const u64 __force *)at));
#else
	/* before v5.17, 4b5305decc84 */
	asm volatile("1:	movq %[at], %[word]\n"
		     "2:\n"
		     ".section .fixup, \"ax\"\n"
		     "3:	movl %[fault], %[error]\n"
		     "	jmp 2b\n"
		     ".previous\n"
		     _ASM_EXTABLE_UA(1b, 3b)
		     : [error] "+r"(*error), [word] "=r"(word)
		     : [at] "m"(*(const u64 __force *)at), [fault] "i"(-EFAULT));
#endif
	/* clang-format on */
	return word;
}

#else

static __always_inline u64 gapp_user_word(u64 address, int *error)
{
	u64 word = 0;

	unsafe_get_user(word, (const u64 __user *)(unsigned long)address, failed);
	return word;
failed:
	*error = -EFAULT;
	return 0;
}

#endif

#endif /* GAPP_COMPAT_USER_WORD_H */
