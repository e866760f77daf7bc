// SPDX-License-Identifier: GPL-2.0
#include "module.h"

#include <dirent.h>
#include <stdio.h>

#include "key_pair.h"
#include "packages.h"

#define DKMS "/var/lib/dkms/gapp"
/* Of the package gapp-dkms. */
#define PACKAGED "/usr/lib/gapp-dkms/modules"
#define RELOAD "sudo rmmod gapp && "
#define LOAD_AGAIN RELOAD "sudo modprobe gapp"
/* By version and kernel. */
#define INSTALL "sudo dkms install --force gapp/%s -k %s"
/* By version and kernel, twice. An install builds nothing again, with --force either. */
#define REBUILD "sudo dkms build --force gapp/%s -k %s && " INSTALL
/* Of a path, quoted for a shell. */
#define WORD_SIZE SHELL_WORD_SIZE(PATH_MAX)

bool modules_have_gapp(const char *modules)
{
	while (modules && *modules) {
		if (!strncmp(modules, "gapp ", strlen("gapp ")))
			return true;
		modules += strcspn(modules, "\n");
		modules += *modules == '\n';
	}
	return false;
}

static void read_loaded(struct module_state *state, const struct system *system)
{
	_cleanup_free_ char *modules = system_read_all(system, "/proc/modules");

	state->loaded_known = modules;
	state->loaded = modules_have_gapp(modules) || system_has(system, "/sys/module/gapp");
	state->loaded_known |= state->loaded;
	system_read(system, "/sys/module/gapp/srcversion", state->loaded_source,
		    sizeof(state->loaded_source));
}

#define PARAMETERS "/sys/module/module/parameters/"

/*
 * Whether the kernel knows no signatures (CONFIG_MODULE_SIG). Its loader then has the other
 * parameter, if it is newer than 5.15, but not this one. The lockdown module selects signatures, so
 * it is not there either.
 */
static bool knows_no_signatures(const struct system *system)
{
	return system_has(system, PARAMETERS "async_probe") &&
	       system_lacks(system, PARAMETERS "sig_enforce");
}

static void read_lockdown(struct module_state *state, const struct system *system)
{
	char text[128];

	if (system_read(system, "/sys/kernel/security/lockdown", text, sizeof(text)) &&
	    chosen_word(text))
		snprintf(state->lockdown, sizeof(state->lockdown), "%.31s", text);
	else if (knows_no_signatures(system))
		strcpy(state->lockdown, "none");
	if (state->lockdown[0] && strcmp(state->lockdown, "none"))
		state->enforced = ENFORCED_BY_LOCKDOWN;
	else if (knows_no_signatures(system))
		state->enforced = ENFORCED_NOT;
	else if (system_read(system, PARAMETERS "sig_enforce", text, sizeof(text)))
		state->enforced = *text == 'Y' ? ENFORCED_BY_SETTING : ENFORCED_NOT;
}

/* The kernel does not say it: a module of its own does. */
static void read_kernel_magic(struct module_state *state, const struct system *system)
{
	char path[PATH_MAX], name[PATH_MAX], *whole = NULL;
	_cleanup_free_ char *index = NULL;
	struct module_info info;

	snprintf(path, sizeof(path), "/lib/modules/%s/modules.dep", system->release);
	index = system_read_all(system, path);
	if (!module_index_own(index, name))
		return;
	if (asprintf(&whole, "%s/lib/modules/%s/%s", system->root, system->release, name) >= 0 &&
	    module_info_read(&info, whole))
		memcpy(state->kernel_magic, info.vermagic, sizeof(info.vermagic));
	free(whole);
}

/* DKMS has a folder for each version. */
static void read_dkms(struct module_state *state, const struct system *system)
{
	char path[PATH_MAX];
	struct dirent *entry;
	DIR *folder;

	snprintf(path, sizeof(path), "%s" DKMS, system->root);
	folder = opendir(path);
	while (folder && (entry = readdir(folder)))
		if (*entry->d_name >= '0' && *entry->d_name <= '9' &&
		    strcmp(state->dkms_version, GAPP_VERSION))
			snprintf(state->dkms_version, sizeof(state->dkms_version), "%.63s",
				 entry->d_name);
	if (folder)
		closedir(folder);
}

/* Elsewhere than Debian, DKMS puts modules beside those of `make install`. */
static void find_dkms(struct module_state *state, const struct system *system)
{
	char path[PATH_MAX];

	read_dkms(state, system);
	snprintf(path, sizeof(path), DKMS "/%s/%s", state->dkms_version, system->release);
	if (state->file.path[0] && state->dkms_version[0] && system_has(system, path))
		state->file.dkms = true;
}

void module_state_read(struct module_state *state, const struct system *system,
		       const char *const *folders)
{
	_cleanup_free_ char *whole = NULL;

	*state = (struct module_state){ 0 };
	module_file_find(&state->file, system, folders);
	if (state->file.path[0]) {
		if (asprintf(&whole, "%s%s", system->root, state->file.path) < 0)
			whole = NULL;
	} else if (state->file.local[0]) {
		whole = strdup(state->file.local);
	}
	state->info_read = whole && module_info_read(&state->info, whole);
	read_kernel_magic(state, system);
	read_loaded(state, system);
	read_lockdown(state, system);
	find_dkms(state, system);
}

/* What keeps the module from being loaded is no problem while it is loaded. */
static enum finding_level when_loaded(const struct module_state *state)
{
	return state->loaded ? FINDING_WARNING : FINDING_PROBLEM;
}

/* The command that installs the running kernel's headers, and " && "; "" if they are there. */
static void headers_before(char before[PACKAGE_BEFORE], const struct system *system)
{
	char makefile[PATH_MAX];

	snprintf(makefile, sizeof(makefile), "/lib/modules/%s/build/Makefile", system->release);
	package_before(system, makefile, PACKAGE_HEADERS, before);
}

/* Most often it was not built because the kernel's headers were not there. */
static void mend_by_dkms(struct findings *findings, const struct system *system,
			 const struct module_state *state)
{
	char before[PACKAGE_BEFORE];

	headers_before(before, system);
	mend(findings, "%s" INSTALL, before, state->dkms_version, system->release);
}

/* Where there is no module, or none for this kernel, and DKMS has no sources. */
static void mend_by_making(struct findings *findings, const struct system *system)
{
	char before[PACKAGE_BEFORE], command[PACKAGE_COMMAND];

	if (!reader_is_packaged(system)) {
		package_command(system, PACKAGE_HEADERS, command);
		mend(findings, "%s%smake && sudo make install", command, *command ? " && " : "");
		return;
	}
	/* the package builds it for kernels whose headers are there */
	headers_before(before, system);
	if (package_command(system, PACKAGE_MODULE, command))
		mend(findings, "%s%s", before, command);
}

/* What builds it, to be said behind that there is none. */
static const char *who_builds(const struct system *system, const struct module_state *state)
{
	if (state->dkms_version[0])
		return ", and DKMS has its sources";
	if (reader_is_packaged(system))
		return ": gapp-dkms builds it: install it in the folder of both packages";
	return ": build it in the folder of gapp's sources";
}

static void check_installed(struct findings *findings, const struct system *system,
			    const struct module_state *state)
{
	const struct module_file *file = &state->file;
	const char *release = system->release;

	if (file->indexed) {
		found(findings, "installed", FINDING_OK, "%s is installed for this kernel%s",
		      file->path, file->dkms ? " by DKMS" : "");
	} else if (file->path[0]) {
		found(findings, "installed", when_loaded(state),
		      "%s is there, but modprobe does not know it", file->path);
		mend(findings, "sudo depmod -a %s", release);
	} else if (file->local[0] && !state->dkms_version[0]) {
		found(findings, "installed", FINDING_WARNING,
		      "%s was built, and no module is installed for kernel %s", file->local,
		      release);
		mend(findings, "sudo make install");
	} else {
		found(findings, "installed", when_loaded(state),
		      "no gapp.ko is below /lib/modules/%s%s", release, who_builds(system, state));
		if (state->dkms_version[0])
			mend_by_dkms(findings, system, state);
		else
			mend_by_making(findings, system);
	}
}

/* Whether a vermagic begins with the kernel's release. */
static bool is_for(const char *vermagic, const char *release)
{
	size_t length = strlen(release);

	return !strncmp(vermagic, release, length) &&
	       (vermagic[length] == ' ' || !vermagic[length]);
}

static void mend_by_building(struct findings *findings, const struct system *system,
			     const struct module_state *state)
{
	if (state->dkms_version[0])
		mend(findings, REBUILD, state->dkms_version, system->release, state->dkms_version,
		     system->release);
	else if (reader_is_packaged(system))
		mend_by_making(findings, system);
	else
		mend(findings, "make clean && make && sudo make install");
}

static void check_built_for(struct findings *findings, const struct system *system,
			    const struct module_state *state)
{
	const char *path = state->file.path[0] ? state->file.path : state->file.local;
	const char *magic = state->info.vermagic;

	if (!*path)
		return;
	if (!state->info_read || !*magic) {
		found(findings, "built for", FINDING_UNKNOWN, "%s: %s", path,
		      state->info_read ? "it does not say for which kernel it was built" :
					 "it cannot be read as a module");
		return;
	}
	if (!is_for(magic, system->release)) {
		found(findings, "built for", when_loaded(state),
		      "%s was built for kernel %.*s, and this one is %s", path,
		      (int)strcspn(magic, " "), magic, system->release);
	} else if (state->kernel_magic[0] && strcmp(magic, state->kernel_magic)) {
		found(findings, "built for", when_loaded(state),
		      "%s was built as '%s', and this kernel's modules as '%s'", path, magic,
		      state->kernel_magic);
	} else {
		found(findings, "built for", FINDING_OK, "the module was built for this kernel, %s",
		      system->release);
		return;
	}
	mend_by_building(findings, system, state);
}

/* The folder of an absolute path. */
static void folder_word(char word[WORD_SIZE], const char *path)
{
	char folder[PATH_MAX];

	snprintf(folder, sizeof(folder), "%.*s", (int)(strrchr(path, '/') - path), path);
	shell_word(word, *folder ? folder : "/");
}

/*
 * The commands that make a key as DKMS would if it had built a module here, and " && "; "" if a key
 * is there, or could be, since another one would replace it. To be freed; NULL: no memory.
 */
static char *make_key(const struct system *system, const struct key_pair *pair)
{
	char key[WORD_SIZE], certificate[WORD_SIZE], folders[2][WORD_SIZE];
	char before[PACKAGE_BEFORE];
	char *commands;
	bool one;

	if (*pair->key != '/' || *pair->certificate != '/' || !system_lacks(system, pair->key) ||
	    !system_lacks(system, pair->certificate))
		return strdup("");
	package_before(system, "/usr/bin/openssl", PACKAGE_OPENSSL, before);
	shell_word(key, pair->key);
	shell_word(certificate, pair->certificate);
	folder_word(folders[0], pair->key);
	folder_word(folders[1], pair->certificate);
	one = !strcmp(folders[0], folders[1]);
	if (asprintf(
		    &commands,
		    "%ssudo mkdir -p %s%s%s && sudo openssl req -new -x509 -nodes -days 36500 -subj \"/CN=DKMS module signing key\" -newkey rsa:2048 -outform DER -keyout %s -out %s && sudo chmod 600 %s && ",
		    before, folders[0], one ? "" : " ", one ? "" : folders[1], key, certificate,
		    key) < 0)
		return NULL;
	return commands;
}

/*
 * The program that puts a module in the place of its compressed file; NULL: it is not compressed.
 * Sets @length to that of the module's path.
 */
static const char *unpacker(const char *path, size_t *length)
{
	static const struct {
		const char *suffix;
		const char *program;
	} kinds[] = { { ".xz", "unxz" }, { ".gz", "gunzip" }, { ".zst", "unzstd --rm" } };
	const char *suffix = strrchr(path, '.');

	*length = strlen(path);
	for (size_t i = 0; suffix && i < ARRAY_SIZE(kinds); i++) {
		if (strcmp(suffix, kinds[i].suffix))
			continue;
		*length = suffix - path;
		return kinds[i].program;
	}
	return NULL;
}

static void mend_signature(struct findings *findings, const struct system *system,
			   const struct module_state *state, const char *path)
{
	const char *version = state->dkms_version[0] ? state->dkms_version : GAPP_VERSION;
	char word[WORD_SIZE], key[WORD_SIZE], certificate[WORD_SIZE];
	char openssl[PACKAGE_BEFORE], mokutil[PACKAGE_BEFORE];
	_cleanup_free_ char *make = NULL, *before = NULL, *after = NULL;
	char file[PATH_MAX];
	struct key_pair pair;
	const char *unpack;
	size_t length;

	key_pair_read(&pair, system);
	shell_word(key, pair.key);
	shell_word(certificate, pair.certificate);
	package_before(system, "/usr/bin/mokutil", PACKAGE_MOKUTIL, mokutil);
	if (state->file.dkms) {
		/* without it DKMS makes no key, and does not sign */
		package_before(system, "/usr/bin/openssl", PACKAGE_OPENSSL, openssl);
		mend(findings, "%s" REBUILD " && %ssudo mokutil --import %s && sudo reboot",
		     openssl, version, system->release, version, system->release, mokutil,
		     certificate);
		return;
	}
	make = make_key(system, &pair);
	/* behind the end of a compressed one a signature would be of no use */
	shell_word(word, path);
	unpack = unpacker(path, &length);
	if (unpack && asprintf(&before, "sudo %s %s && ", unpack, word) < 0)
		before = NULL;
	if (unpack && asprintf(&after, "sudo depmod -a %s && ", system->release) < 0)
		after = NULL;
	snprintf(file, sizeof(file), "%.*s", (int)length, path);
	shell_word(word, file);
	mend(findings,
	     "%s%ssudo /lib/modules/%s/build/scripts/sign-file sha256 %s %s %s && %s%ssudo mokutil --import %s && sudo reboot",
	     make ?: "", before ?: "", system->release, key, certificate, word, after ?: "",
	     mokutil, certificate);
}

static void check_signature(struct findings *findings, const struct system *system,
			    const struct module_state *state)
{
	const char *path = state->file.path[0] ? state->file.path : state->file.local;
	const char *why = state->enforced == ENFORCED_BY_LOCKDOWN ? "lockdown" :
								    "module.sig_enforce";

	switch (state->enforced) {
	case ENFORCED_UNKNOWN:
		found(findings, "signature", FINDING_UNKNOWN,
		      "whether this kernel takes only signed modules is not known");
		return;
	case ENFORCED_NOT:
		found(findings, "signature", FINDING_OK,
		      "this kernel takes modules without a signature");
		return;
	default:
		break;
	}
	if (!state->info_read) {
		found(findings, "signature", FINDING_UNKNOWN,
		      "this kernel takes only signed modules (%s), and none was found to look at",
		      why);
	} else if (state->info.is_signed) {
		found(findings, "signature", state->loaded ? FINDING_OK : FINDING_UNKNOWN,
		      state->loaded ?
			      "this kernel takes only signed modules (%s), and gapp is one" :
			      "this kernel takes only signed modules (%s), and gapp is one; whether it trusts the key is seen when the module is loaded: if not, docs/secure-boot.md (a package has it in /usr/share/doc/gapp/) has the steps",
		      why);
	} else {
		found(findings, "signature", when_loaded(state),
		      "this kernel takes only signed modules (%s), and %s has no signature: docs/secure-boot.md (a package has it in /usr/share/doc/gapp/) has the steps",
		      why, path);
		mend_signature(findings, system, state, path);
	}
}

static void check_lockdown(struct findings *findings, const struct module_state *state)
{
	if (!state->lockdown[0])
		found(findings, "lockdown", FINDING_UNKNOWN,
		      "the kernel's lockdown is not known: /sys/kernel/security/lockdown cannot be read");
	else if (!strcmp(state->lockdown, "none"))
		found(findings, "lockdown", FINDING_OK, "the kernel is not locked down");
	else
		found(findings, "lockdown", FINDING_WARNING,
		      "the kernel is locked down (%s)%s; only its boot changes that",
		      state->lockdown,
		      strcmp(state->lockdown, "confidentiality") ?
			      ": it takes signed modules only" :
			      ": it takes signed modules only, and shows no addresses, so there is no -k");
}

/* The command that loads the module that was found. @after: what follows it. */
static void mend_by_loading(struct findings *findings, const struct module_state *state,
			    const char *before, const char *after)
{
	char word[WORD_SIZE];

	if (state->file.indexed || (!state->file.path[0] && !state->file.local[0])) {
		mend(findings, "%ssudo modprobe gapp%s", before, after);
		return;
	}
	shell_word(word, state->file.path[0] ? state->file.path : state->file.local);
	mend(findings, "%ssudo insmod %s%s", before, word, after);
}

static bool is_enforced(const struct module_state *state)
{
	return state->enforced == ENFORCED_BY_SETTING || state->enforced == ENFORCED_BY_LOCKDOWN;
}

/* Whether the kernel trusts the key of a signed module, only loading it tells. */
static void mend_by_loading_signed(struct findings *findings, const struct system *system,
				   const struct module_state *state)
{
	char certificate[WORD_SIZE], mokutil[PACKAGE_BEFORE];
	char import[WORD_SIZE + PACKAGE_BEFORE + 64];
	struct key_pair pair;

	key_pair_read(&pair, system);
	if (!state->file.dkms && !system_has(system, pair.certificate)) {
		mend_by_loading(findings, state, "", "");
		return;
	}
	package_before(system, "/usr/bin/mokutil", PACKAGE_MOKUTIL, mokutil);
	shell_word(certificate, pair.certificate);
	snprintf(import, sizeof(import),
		 *mokutil ? " || { %ssudo mokutil --import %s; }" :
			    " || %ssudo mokutil --import %s",
		 mokutil, certificate);
	mend_by_loading(findings, state, "", import);
}

bool module_differs(const struct module_state *state)
{
	const char *source = state->info.source;

	return state->loaded && *source && state->loaded_source[0] &&
	       strcmp(source, state->loaded_source);
}

void module_renew(char command[MODULE_RENEW], const struct system *system,
		  const struct module_state *state)
{
	const char *release = system->release, *version = state->dkms_version;
	char headers[PACKAGE_BEFORE], package[PACKAGE_COMMAND];

	headers_before(headers, system);
	if (state->file.indexed && module_differs(state)) {
		/* after an upgrade the loaded module is the one from before */
		snprintf(command, MODULE_RENEW, LOAD_AGAIN);
	} else if (!system_has(system, PACKAGED) && !reader_is_packaged(system)) {
		/* modprobe prefers DKMS's module to that of `make install` */
		if (*version)
			snprintf(command, MODULE_RENEW,
				 "%ssudo make dkms-install && " INSTALL " && " LOAD_AGAIN, headers,
				 GAPP_VERSION, release);
		else
			snprintf(command, MODULE_RENEW, "make && sudo make install && " LOAD_AGAIN);
	} else if (!strcmp(version, GAPP_VERSION)) {
		snprintf(command, MODULE_RENEW, "%s" REBUILD " && " LOAD_AGAIN, headers, version,
			 release, version, release);
	} else {
		/* of another version it would be no use */
		package_command(system, PACKAGE_MODULE, package);
		snprintf(command, MODULE_RENEW, "%s%s%s" LOAD_AGAIN, headers, package,
			 *package ? " && " : "");
	}
}

static void check_loaded(struct findings *findings, const struct system *system,
			 const struct module_state *state)
{
	if (!state->loaded_known) {
		found(findings, "loaded", FINDING_UNKNOWN,
		      "whether the module is loaded is not known: /proc/modules cannot be read");
	} else if (!state->loaded && is_enforced(state) && state->info.is_signed) {
		found(findings, "loaded", FINDING_PROBLEM,
		      "the module is not loaded; if its key is rejected, mokutil asks for a password by which the next boot enrolls the key");
		mend_by_loading_signed(findings, system, state);
	} else if (!state->loaded) {
		found(findings, "loaded", FINDING_PROBLEM, "the module is not loaded");
		mend_by_loading(findings, state, "", "");
	} else if (module_differs(state)) {
		found(findings, "loaded", FINDING_WARNING,
		      "the module is loaded, and %s was made of other sources",
		      state->file.path[0] ? state->file.path : state->file.local);
		mend_by_loading(findings, state, RELOAD, "");
	} else {
		found(findings, "loaded", FINDING_OK, "the module is loaded");
	}
}

void module_findings(struct findings *findings, const struct system *system,
		     const struct module_state *state)
{
	check_installed(findings, system, state);
	check_built_for(findings, system, state);
	check_lockdown(findings, state);
	check_signature(findings, system, state);
	check_loaded(findings, system, state);
}
