// SPDX-License-Identifier: GPL-2.0
#include "key_pair.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#define SETTINGS "/etc/dkms/framework.conf"

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

/* The last line NAME=WORD counts, as for a shell that reads them. */
static void take_value(char value[PATH_MAX], const char *text, const char *name,
		       const char *release)
{
	const size_t length = strlen(name);

	for (; text && *text; text += *text == '\n') {
		text += strspn(text, " \t");
		if (!strncmp(text, name, length) && text[length] == '=')
			take_word(value, text + length + 1, release);
		text += strcspn(text, "\n");
	}
}

static void take_settings(struct key_pair *pair, const struct system *system, const char *path)
{
	_cleanup_free_ char *text = system_read_all(system, path);

	take_value(pair->key, text, "mok_signing_key", system->release);
	take_value(pair->certificate, text, "mok_certificate", system->release);
}

static int is_settings(const struct dirent *entry)
{
	const char *suffix = strrchr(entry->d_name, '.');

	return *entry->d_name != '.' && suffix && !strcmp(suffix, ".conf");
}

static void read_settings(struct key_pair *pair, const struct system *system)
{
	struct dirent **entries;
	char path[PATH_MAX];
	int count;

	take_settings(pair, system, SETTINGS);
	snprintf(path, sizeof(path), "%s" SETTINGS ".d", system->root);
	count = scandir(path, &entries, is_settings, alphasort);
	for (int i = 0; i < count; i++) {
		snprintf(path, sizeof(path), SETTINGS ".d/%s", entries[i]->d_name);
		take_settings(pair, system, path);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
}

/* Ubuntu, or a distribution that says it is like it. */
static bool is_ubuntu(const struct system *system)
{
	_cleanup_free_ char *text = system_read_all(system, "/etc/os-release");
	char id[PATH_MAX] = "", like[PATH_MAX] = "";

	if (!text)
		text = system_read_all(system, "/usr/lib/os-release");
	take_value(id, text, "ID", "");
	take_value(like, text, "ID_LIKE", "");
	return !strcmp(id, "ubuntu") || !strncmp(*like ? like : id, "ubuntu", strlen("ubuntu"));
}

void key_pair_read(struct key_pair *pair, const struct system *system)
{
	*pair = (struct key_pair){ 0 };
	read_settings(pair, system);
	if (!*pair->key && is_ubuntu(system)) {
		strcpy(pair->key, "/var/lib/shim-signed/mok/MOK.priv");
		strcpy(pair->certificate, "/var/lib/shim-signed/mok/MOK.der");
	}
	if (!*pair->key)
		strcpy(pair->key, "/var/lib/dkms/mok.key");
	if (!*pair->certificate)
		strcpy(pair->certificate, "/var/lib/dkms/mok.pub");
}
