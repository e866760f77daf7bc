// SPDX-License-Identifier: GPL-2.0
#include "key_pair.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "settings.h"

#define SETTINGS "/etc/dkms/framework.conf"

static void take_settings(struct key_pair *pair, const struct system *system, const char *path)
{
	_cleanup_free_ char *text = system_read_all(system, path);

	settings_take(pair->key, text, "mok_signing_key", system->release);
	settings_take(pair->certificate, text, "mok_certificate", system->release);
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

void key_pair_read(struct key_pair *pair, const struct system *system)
{
	*pair = (struct key_pair){ 0 };
	read_settings(pair, system);
	if (!*pair->key && system_is_ubuntu(system)) {
		strcpy(pair->key, "/var/lib/shim-signed/mok/MOK.priv");
		strcpy(pair->certificate, "/var/lib/shim-signed/mok/MOK.der");
	}
	if (!*pair->key)
		strcpy(pair->key, "/var/lib/dkms/mok.key");
	if (!*pair->certificate)
		strcpy(pair->certificate, "/var/lib/dkms/mok.pub");
}
