/* SPDX-License-Identifier: GPL-2.0 */
/* Text of files of /proc. */
#ifndef GAPP_COMPAT_SEQ_FILE_H
#define GAPP_COMPAT_SEQ_FILE_H

#include <linux/ctype.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/string_helpers.h>

/*
 * Writes a name with all escaped but printable ASCII, and with the backslash escaped.
 * v5.14, 0362c27fb373: seq_escape_str() with ESCAPE_NAP
 */
static inline void gapp_seq_escape(struct seq_file *seq, const char *name)
{
#ifdef ESCAPE_NAP
	seq_escape_str(seq, name,
		       ESCAPE_SPACE | ESCAPE_SPECIAL | ESCAPE_OCTAL | ESCAPE_NAP | ESCAPE_APPEND,
		       "\\");
#else
	static const char plain[] = "\n\r\t\v\f\a\033\\", letters[] = "nrtvfae\\";

	for (; *name; name++) {
		const char *found = strchr(plain, *name);

		if (found)
			seq_printf(seq, "\\%c", letters[found - plain]);
		else if (isascii(*name) && isprint(*name))
			seq_putc(seq, *name);
		else
			seq_printf(seq, "\\%03o", (unsigned char)*name);
	}
#endif
}

#endif /* GAPP_COMPAT_SEQ_FILE_H */
