/* SPDX-License-Identifier: GPL-2.0 */
/* Files of kernel modules: where gapp.ko is, and what it says of itself. */
#ifndef GAPP_READ_MODULE_FILE_H
#define GAPP_READ_MODULE_FILE_H

#include <limits.h>

#include "system.h"

/* Bytes of a value in a module's information; a longer one is cut. */
#define MODULE_VALUE 256

/**
 * struct module_info - what a module's file says
 * @vermagic: kernel that it was built for, and how
 * @version: version of the module
 * @source: digest of its sources ("srcversion")
 * @is_signed: a signature is behind its end
 *
 * What it does not say is "".
 */
struct module_info {
	char vermagic[MODULE_VALUE];
	char version[MODULE_VALUE];
	char source[MODULE_VALUE];
	bool is_signed;
};

/* Reads a module's file, compressed or not, by its path. False: it is no module's. */
bool module_info_read(struct module_info *info, const char *path);
/* Takes the values of a .modinfo section: texts NAME=VALUE with NULs between. */
void module_info_parse(struct module_info *info, const char *section, size_t size);

/**
 * struct module_file - where gapp.ko is
 * @path: as a user of the machine sees it; "": it is nowhere
 * @indexed: modprobe finds it
 * @dkms: DKMS has built it
 * @local: path of another gapp.ko, which was built but not installed; ""
 */
struct module_file {
	char path[PATH_MAX];
	bool indexed;
	bool dkms;
	char local[PATH_MAX];
};

/* Looks for gapp.ko below /lib/modules, and in the @folders, NULL terminated, for one to insmod. */
void module_file_find(struct module_file *file, const struct system *system,
		      const char *const *folders);

/*
 * Finds the line of modules.dep for a module of that file name, without and with a suffix of
 * compression. Sets @path to what the line begins with. False: there is none.
 */
bool module_index_find(const char *index, const char *name, char path[PATH_MAX]);
/* The first module of the kernel's own in modules.dep. */
bool module_index_own(const char *index, char path[PATH_MAX]);

#endif /* GAPP_READ_MODULE_FILE_H */
