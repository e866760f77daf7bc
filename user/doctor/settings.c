// SPDX-License-Identifier: GPL-2.0
#include "settings.h"

#include <stdio.h>

static const char *const kernel_variables[] = { "$kernelver", "${kernelver}" };

/* Length of a variable that stands for the kernel's release; 0: there is none. */
static size_t kernel_variable(const char *text)
{
	for (size_t i = 0; i < ARRAY_SIZE(kernel_variables); i++) {
		size_t length = strlen(kernel_variables[i]);

		if (!strncmp(text, kernel_variables[i], length))
			return length;
	}
	return 0;
}

/* Takes a word of the shell, such as "/etc/keys/$kernelver.key", without what quotes it. */
static void take_word(char word[PATH_MAX], const char *text, const char *release)
{
	size_t length, used = 0;
	char quote = '\0';

	while (*text && *text != '\n' && (quote || !strchr(" \t;#", *text)) &&
	       used < PATH_MAX - 1) {
		length = quote == '\'' ? 0 : kernel_variable(text);
		if (length) {
			used += snprintf(word + used, PATH_MAX - used, "%s", release);
			text += length;
		} else if (quote ? *text == quote : *text == '"' || *text == '\'') {
			quote = quote ? '\0' : *text;
			text++;
		} else {
			word[used++] = *text++;
		}
	}
	word[used < PATH_MAX ? used : PATH_MAX - 1] = '\0';
}

void settings_take(char value[PATH_MAX], const char *text, const char *name, const char *release)
{
	const size_t length = strlen(name);

	for (; text && *text; text += *text == '\n') {
		text += strspn(text, " \t");
		if (!strncmp(text, name, length) && text[length] == '=')
			take_word(value, text + length + 1, release);
		text += strcspn(text, "\n");
	}
}

void distribution_take(char value[PATH_MAX], const struct system *system, const char *name)
{
	_cleanup_free_ char *text = system_read_all(system, "/etc/os-release");

	if (!text)
		text = system_read_all(system, "/usr/lib/os-release");
	*value = '\0';
	settings_take(value, text, name, "");
}

bool system_is_ubuntu(const struct system *system)
{
	char id[PATH_MAX], like[PATH_MAX];

	distribution_take(id, system, "ID");
	distribution_take(like, system, "ID_LIKE");
	return !strcmp(id, "ubuntu") || !strncmp(*like ? like : id, "ubuntu", strlen("ubuntu"));
}
