// SPDX-License-Identifier: GPL-2.0
#include "findings.h"

#include <stdarg.h>
#include <stdio.h>

#include "util/hash_index.h"

/* Letters that mean nothing to a shell. */
#define PLAIN "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+:@%=,-"

static char *print(struct findings *findings, const char *format, va_list values)
{
	char *text;

	if (vasprintf(&text, format, values) >= 0)
		return text;
	findings->failed = true;
	return NULL;
}

void found(struct findings *findings, const char *check, enum finding_level level,
	   const char *format, ...)
{
	struct finding finding = { .check = check, .level = level };
	va_list values;

	if (array_grow(&findings->list, &findings->room, findings->count, sizeof(finding))) {
		findings->failed = true;
		return;
	}
	va_start(values, format);
	finding.text = print(findings, format, values);
	va_end(values);
	if (findings->subject) {
		finding.subject = strdup(findings->subject);
		findings->failed |= !finding.subject;
	}
	findings->list[findings->count++] = finding;
}

void mend(struct findings *findings, const char *format, ...)
{
	va_list values;

	if (findings->failed)
		return;
	va_start(values, format);
	findings->list[findings->count - 1].command = print(findings, format, values);
	va_end(values);
}

u32 findings_count(const struct findings *findings, enum finding_level level)
{
	u32 count = 0;

	for (u32 i = 0; i < findings->count; i++)
		count += findings->list[i].level == level;
	return count;
}

void findings_free(struct findings *findings)
{
	for (u32 i = 0; i < findings->count; i++) {
		free(findings->list[i].subject);
		free(findings->list[i].text);
		free(findings->list[i].command);
	}
	free(findings->list);
	*findings = (struct findings){ 0 };
}

void shell_word(char *word, const char *path)
{
	char *to = word;

	if (*path && *path != '-' && !path[strspn(path, PLAIN)]) {
		strcpy(word, path);
		return;
	}
	*to++ = '\'';
	for (; *path; path++) {
		if (*path == '\'') {
			memcpy(to, "'\\''", 4);
			to += 4;
		} else {
			*to++ = *path;
		}
	}
	strcpy(to, "'");
}
