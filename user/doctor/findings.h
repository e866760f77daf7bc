/* SPDX-License-Identifier: GPL-2.0 */
/* What `gapp-read doctor` has found, in the order in which it was looked at. */
#ifndef GAPP_READ_FINDINGS_H
#define GAPP_READ_FINDINGS_H

#include "util/util.h"

enum finding_level {
	FINDING_OK,
	FINDING_UNKNOWN, /* it cannot be told here */
	FINDING_WARNING, /* gapp works, but knows less or costs more */
	FINDING_PROBLEM, /* gapp does not work */
};

/**
 * struct finding - the answer of one check
 * @check: name of the check, a constant
 * @subject: the program or process that was looked at; NULL: the machine
 * @level: enum finding_level
 * @text: a sentence without its period
 * @command: the command that mends it, or shows what the text says; NULL: there is none
 */
struct finding {
	const char *check;
	char *subject;
	enum finding_level level;
	char *text;
	char *command;
};

/**
 * struct findings - all of them
 * @list: in the order of the checks
 * @subject: of those that are added from now on, or NULL
 * @failed: there was no memory for one
 */
struct findings {
	struct finding *list;
	u32 count;
	u32 room;
	const char *subject;
	bool failed;
};

/* Adds the answer of a check, a format as for printf(). */
_attribute_(format(printf, 4, 5)) void found(struct findings *findings, const char *check,
					     enum finding_level level, const char *format, ...);
/*
 * Adds a command to the answer that was added last. If no command mends it, the text says what the
 * user can do, and the command shows what he must know for that, or there is none.
 */
_attribute_(format(printf, 2, 3)) void mend(struct findings *findings, const char *format, ...);

/* What the kernel has said: of an error of which nothing is known but its errno. */
#define KERNEL_LOG "sudo dmesg | tail"

u32 findings_count(const struct findings *findings, enum finding_level level);
void findings_free(struct findings *findings);

/* Bytes of a path as a word of the shell, if each of its bytes had to be quoted. */
#define SHELL_WORD_SIZE(bytes) (4 * (bytes) + 3)
/* Writes a path so that the shell takes it as one word; @word has SHELL_WORD_SIZE() bytes. */
void shell_word(char *word, const char *path);

#endif /* GAPP_READ_FINDINGS_H */
