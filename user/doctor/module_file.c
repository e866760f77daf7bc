// SPDX-License-Identifier: GPL-2.0
#include "module_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <elfutils/libdwfl.h>

#define NAME "gapp.ko"
#define SIGNATURE "~Module signature appended~\n"

static const char *const suffixes[] = { "", ".xz", ".zst", ".gz" };
/* Where modules of others are installed, below /lib/modules/RELEASE; DKMS's first. */
static const char *const folders_of_others[] = { "updates/dkms", "updates", "extra", "." };

static void take(char *to, const char *text, size_t size, const char *name)
{
	size_t length = strlen(name);

	if (!strncmp(text, name, length) && text[length] == '=')
		snprintf(to, MODULE_VALUE, "%.*s", (int)(size - length - 1), text + length + 1);
}

void module_info_parse(struct module_info *info, const char *section, size_t size)
{
	while (size) {
		size_t length = strnlen(section, size);

		take(info->vermagic, section, length, "vermagic");
		take(info->version, section, length, "version");
		take(info->source, section, length, "srcversion");
		section += length;
		size -= length;
		/* NULs between, as many as the section is aligned by */
		while (size && !*section) {
			section++;
			size--;
		}
	}
}

static bool read_section(struct module_info *info, Elf *elf)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (!elf || elf_getshdrstrndx(elf, &names))
		return false;
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		const char *name;
		Elf_Data *data;

		if (!gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS)
			continue;
		name = elf_strptr(elf, names, header.sh_name);
		data = name && !strcmp(name, ".modinfo") ? elf_rawdata(section, NULL) : NULL;
		if (!data || !data->d_buf || !data->d_size)
			continue;
		/* so that each text in it ends */
		if (((const char *)data->d_buf)[data->d_size - 1])
			return false;
		module_info_parse(info, data->d_buf, data->d_size);
		return true;
	}
	return false;
}

static bool ends_with_signature(Elf *elf)
{
	const size_t length = strlen(SIGNATURE);
	const char *bytes;
	size_t size;

	bytes = elf_rawfile(elf, &size);
	return bytes && size > length && !memcmp(bytes + size - length, SIGNATURE, length);
}

/* libdwfl's own would ask servers. */
static int no_debug_file(Dwfl_Module *module, _unused_ void **userdata, _unused_ const char *name,
			 _unused_ Dwarf_Addr base, _unused_ const char *file,
			 _unused_ const char *link, _unused_ GElf_Word crc,
			 _unused_ char **found_name)
{
	(void)module;
	return -1;
}

/* libdwfl inflates compressed modules. */
bool module_info_read(struct module_info *info, const char *path)
{
	static const Dwfl_Callbacks callbacks = {
		.section_address = dwfl_offline_section_address,
		.find_debuginfo = no_debug_file,
	};
	Dwfl *dwfl = dwfl_begin(&callbacks);
	Dwfl_Module *module;
	bool result = false;
	GElf_Addr bias;
	Elf *elf;

	*info = (struct module_info){ 0 };
	if (!dwfl)
		return false;
	dwfl_report_begin(dwfl);
	module = dwfl_report_offline(dwfl, NAME, path, -1);
	dwfl_report_end(dwfl, NULL, NULL);
	elf = module ? dwfl_module_getelf(module, &bias) : NULL;
	if (elf && read_section(info, elf)) {
		info->is_signed = ends_with_signature(elf);
		result = true;
	}
	dwfl_end(dwfl);
	return result;
}

static bool is_file_of(const char *path, size_t length, const char *name)
{
	size_t name_length = strlen(name);

	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++) {
		size_t whole = name_length + strlen(suffixes[i]);
		const char *begin = path + length - whole;

		if (length < whole || (length > whole && begin[-1] != '/'))
			continue;
		if (!memcmp(begin, name, name_length) &&
		    !memcmp(begin + name_length, suffixes[i], strlen(suffixes[i])))
			return true;
	}
	return false;
}

/* Calls back for no line: sets @path to the first line's path that is wanted. */
static bool find_line(const char *index, const char *name, const char *folder, char path[PATH_MAX])
{
	while (index && *index) {
		size_t line = strcspn(index, "\n"), length = strcspn(index, ":\n");

		if (length < line && length < PATH_MAX &&
		    (name ? is_file_of(index, length, name) :
			    !strncmp(index, folder, strlen(folder)))) {
			snprintf(path, PATH_MAX, "%.*s", (int)length, index);
			return true;
		}
		index += line + (index[line] == '\n');
	}
	return false;
}

bool module_index_find(const char *index, const char *name, char path[PATH_MAX])
{
	return find_line(index, name, NULL, path);
}

bool module_index_own(const char *index, char path[PATH_MAX])
{
	return find_line(index, NULL, "kernel/", path);
}

/* Looks where modules are installed, if modprobe does not know it. */
static void find_installed(struct module_file *file, const struct system *system)
{
	for (size_t i = 0; i < ARRAY_SIZE(folders_of_others); i++) {
		for (size_t k = 0; k < ARRAY_SIZE(suffixes); k++) {
			snprintf(file->path, sizeof(file->path), "/lib/modules/%s/%s/" NAME "%s",
				 system->release, folders_of_others[i], suffixes[k]);
			if (system_has(system, file->path))
				return;
		}
	}
	file->path[0] = '\0';
}

/* Whether root may be told to load the file: it is there, and nobody else put it there. */
static bool may_be_used(const char *path)
{
	const char *before_sudo = getenv("SUDO_UID");
	struct stat stat;

	if (lstat(path, &stat))
		return false;
	return !stat.st_uid || stat.st_uid == getuid() ||
	       (before_sudo && stat.st_uid == strtoul(before_sudo, NULL, 10));
}

void module_file_find(struct module_file *file, const struct system *system,
		      const char *const *folders)
{
	_cleanup_free_ char *index = NULL;
	char path[PATH_MAX], name[PATH_MAX];

	*file = (struct module_file){ 0 };
	snprintf(path, sizeof(path), "/lib/modules/%s/modules.dep", system->release);
	index = system_read_all(system, path);
	if (module_index_find(index, NAME, name) &&
	    snprintf(file->path, sizeof(file->path), "/lib/modules/%s/%s", system->release, name) <
		    (int)sizeof(file->path))
		file->indexed = system_has(system, file->path);
	if (!file->indexed)
		find_installed(file, system);
	file->dkms = strstr(file->path, "/dkms/");
	for (; *folders && !file->local[0]; folders++) {
		snprintf(file->local, sizeof(file->local), "%s/" NAME, *folders);
		if (!may_be_used(file->local))
			file->local[0] = '\0';
	}
}
