/* SPDX-License-Identifier: GPL-2.0 */
/* Whether the module is there, fits the kernel, may be loaded, and is loaded. */
#ifndef GAPP_READ_DOCTOR_MODULE_H
#define GAPP_READ_DOCTOR_MODULE_H

#include "findings.h"
#include "module_file.h"

/* Whether the kernel takes modules without a signature. */
enum enforced {
	ENFORCED_UNKNOWN,
	ENFORCED_NOT,
	ENFORCED_BY_SETTING, /* module.sig_enforce */
	ENFORCED_BY_LOCKDOWN,
};

/**
 * struct module_state - the module, as far as it can be told
 * @file: where its file is
 * @info: what the file says that would be loaded
 * @info_read: the file could be read
 * @kernel_magic: the running kernel's vermagic; "": not known
 * @loaded: it is loaded
 * @loaded_known: that can be told
 * @loaded_source: digest of the sources of the loaded one; "": not known
 * @enforced: whether the kernel wants signatures
 * @lockdown: the kernel's lockdown: none, integrity, confidentiality; "": not known
 * @dkms_version: version that DKMS has, for any kernel, this reader's if it has that; "": none
 */
struct module_state {
	struct module_file file;
	struct module_info info;
	bool info_read;
	char kernel_magic[MODULE_VALUE];
	bool loaded;
	bool loaded_known;
	char loaded_source[MODULE_VALUE];
	enum enforced enforced;
	char lockdown[32];
	char dkms_version[64];
};

/* @folders: where a module may lie that was built and not installed, NULL terminated. */
void module_state_read(struct module_state *state, const struct system *system,
		       const char *const *folders);
/* Bytes of the command that renews the module. */
#define MODULE_RENEW 1024
/* The command after which a module that fits this reader is loaded in place of one that does not.
 */
void module_renew(char command[MODULE_RENEW], const struct system *system,
		  const struct module_state *state);
/* Whether the module that is loaded was made of other sources than the one that was found. */
bool module_differs(const struct module_state *state);
void module_findings(struct findings *findings, const struct system *system,
		     const struct module_state *state);

/* Whether /proc/modules, or a text like it, has gapp. */
bool modules_have_gapp(const char *modules);

#endif /* GAPP_READ_DOCTOR_MODULE_H */
