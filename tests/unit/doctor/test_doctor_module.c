// SPDX-License-Identifier: GPL-2.0
/* What is said of the module, on machines that are made up. */
#include "fake_system.h"

#include "doctor/module.h"

#define FOLDER "/lib/modules/" RELEASE
#define MAGIC " SMP preempt mod_unload modversions "
#define BUILD "sudo apt-get install -y linux-headers-" RELEASE " && make && sudo make install"
#define BUILD_AGAIN "make clean && make && sudo make install"

static const char *const nowhere[] = { NULL };

/* A module's file with that vermagic; @more: what stands behind its end. */
static void put_module(const char *path, const char *release, const char *more)
{
	run("mkdir -p $(dirname %s%s)", fake_root, path);
	run("cd %s && printf 'version=0.1.0\\0srcversion=ABC\\0vermagic=%s%s\\0' >info", fake_root,
	    release, MAGIC);
	run("cd %s && echo 'int gapp;' | gcc -x c -c -o m.o -", fake_root);
	run("cd %s && objcopy --add-section .modinfo=info m.o m.ko && rm info m.o", fake_root);
	run("cd %s && printf '%s' >>m.ko && mv m.ko %s%s", fake_root, more, fake_root, path);
}

static void look(const char *const *folders)
{
	struct module_state state;

	findings_free(&answers);
	module_state_read(&state, &fake, folders);
	module_findings(&answers, &fake, &state);
}

static void nothing_is_there(void **state)
{
	look(nowhere);
	is("installed", FINDING_PROBLEM, "no gapp.ko is below " FOLDER, BUILD);
	is("loaded", FINDING_UNKNOWN, "/proc/modules cannot be read", NULL);
	is("lockdown", FINDING_UNKNOWN, "not known", NULL);
	is("signature", FINDING_UNKNOWN, "not known", NULL);
	put("/proc/modules", "ext4 1 0 - Live 0x0\n");
	look(nowhere);
	is("loaded", FINDING_PROBLEM, "the module is not loaded", "sudo modprobe gapp");
}

static void all_is_well(void **state)
{
	put_module(FOLDER "/updates/dkms/gapp.ko", RELEASE, "");
	put(FOLDER "/modules.dep", "kernel/fs/ext4.ko: a.ko\nupdates/dkms/gapp.ko:\n");
	put_module(FOLDER "/kernel/fs/ext4.ko", RELEASE, "");
	put("/proc/modules", "ext4 1 0 - Live 0x0\ngapp 2 0 - Live 0x0 (OE)\n");
	put("/sys/module/gapp/srcversion", "ABC\n");
	put("/sys/kernel/security/lockdown", "[none] integrity confidentiality\n");
	put("/sys/module/module/parameters/sig_enforce", "N\n");
	look(nowhere);
	is("installed", FINDING_OK,
	   FOLDER "/updates/dkms/gapp.ko is installed for this kernel by DKMS", NULL);
	is("built for", FINDING_OK, RELEASE, NULL);
	is("lockdown", FINDING_OK, "not locked down", NULL);
	is("signature", FINDING_OK, "without a signature", NULL);
	is("loaded", FINDING_OK, "the module is loaded", NULL);
	put("/sys/module/gapp/srcversion", "ABD\n");
	look(nowhere);
	is("loaded", FINDING_WARNING, "was made of other sources",
	   "sudo rmmod gapp && sudo modprobe gapp");
}

static void compressed_modules_are_read(void **state)
{
	put_module(FOLDER "/extra/gapp.ko", RELEASE, "");
	run("gzip %s" FOLDER "/extra/gapp.ko", fake_root);
	put(FOLDER "/modules.dep", "extra/gapp.ko.gz:\n");
	look(nowhere);
	is("installed", FINDING_OK, FOLDER "/extra/gapp.ko.gz is installed for this kernel", NULL);
	is("built for", FINDING_OK, RELEASE, NULL);
}

static void modprobe_must_know_it(void **state)
{
	put_module(FOLDER "/extra/gapp.ko", RELEASE, "");
	put(FOLDER "/kernel/not-gapp.ko", "");
	put(FOLDER "/kernel/gapp.kox", "");
	put(FOLDER "/modules.dep", "kernel/not-gapp.ko:\nkernel/gapp.kox:\n");
	put("/proc/modules", "");
	look(nowhere);
	is("installed", FINDING_PROBLEM, "but modprobe does not know it",
	   "sudo depmod -a " RELEASE);
	is("loaded", FINDING_PROBLEM, "not loaded", "sudo insmod " FOLDER "/extra/gapp.ko");
}

static void what_is_for_another_kernel_is_told(void **state)
{
	/* its release is the begin of this one */
	put_module(FOLDER "/extra/gapp.ko", "6.12.6", "");
	put(FOLDER "/modules.dep", "extra/gapp.ko:\n");
	put("/proc/modules", "");
	look(nowhere);
	is("built for", FINDING_PROBLEM, "was built for kernel 6.12.6, and this one is " RELEASE,
	   BUILD_AGAIN);
	put_module(FOLDER "/extra/gapp.ko", RELEASE "2", "");
	put("/var/lib/dkms/gapp/0.1.0/source", "");
	look(nowhere);
	is("built for", FINDING_PROBLEM, "was built for kernel " RELEASE "2",
	   "sudo dkms build --force gapp/0.1.0 -k " RELEASE
	   " && sudo dkms install --force gapp/0.1.0 -k " RELEASE);
	put("/proc/modules", "gapp 2 0 - Live 0x0 (OE)\n");
	look(nowhere);
	is("built for", FINDING_WARNING, "was built for kernel",
	   "sudo dkms build --force gapp/0.1.0 -k " RELEASE
	   " && sudo dkms install --force gapp/0.1.0 -k " RELEASE);
}

/* With the same release, but other settings. */
static void what_is_built_otherwise_is_told(void **state)
{
	put_module(FOLDER "/extra/gapp.ko", RELEASE, "");
	put_module(FOLDER "/kernel/own.ko", RELEASE " SMP preempt_rt", "");
	put(FOLDER "/modules.dep", "extra/gapp.ko:\nkernel/own.ko:\n");
	look(nowhere);
	is("built for", FINDING_PROBLEM, "and this kernel's modules as '" RELEASE " SMP preempt_rt",
	   BUILD_AGAIN);
}

static void signatures_count_where_they_are_enforced(void **state)
{
	put_module(FOLDER "/extra/gapp.ko", RELEASE, "");
	put(FOLDER "/modules.dep", "extra/gapp.ko:\n");
	put("/proc/modules", "");
	put("/sys/module/module/parameters/sig_enforce", "Y\n");
	put("/var/lib/dkms/mok.pub", "");
	look(nowhere);
	is("signature", FINDING_PROBLEM,
	   "takes only signed modules (module.sig_enforce), and " FOLDER
	   "/extra/gapp.ko has no signature: docs/secure-boot.md",
	   "sudo /lib/modules/" RELEASE
	   "/build/scripts/sign-file sha256 /var/lib/dkms/mok.key /var/lib/dkms/mok.pub " FOLDER
	   "/extra/gapp.ko && sudo mokutil --import /var/lib/dkms/mok.pub && sudo reboot");
	put_module(FOLDER "/extra/gapp.ko", RELEASE, "~Module signature appended~\\n");
	look(nowhere);
	is("signature", FINDING_UNKNOWN, "if not, docs/secure-boot.md", NULL);
	is("loaded", FINDING_PROBLEM, "if its key is rejected",
	   "sudo modprobe gapp || sudo mokutil --import /var/lib/dkms/mok.pub");
	put("/proc/modules", "gapp 2 0 - Live 0x0\n");
	look(nowhere);
	is("signature", FINDING_OK, "and gapp is one", NULL);
}

/* Is the module signed by that command with that key? @before, @after: what is done around it. */
static void is_signed_around(const char *before, const char *key, const char *certificate,
			     const char *after)
{
	char command[2048];

	snprintf(command, sizeof(command),
		 "%ssudo /lib/modules/" RELEASE "/build/scripts/sign-file sha256 %s %s " FOLDER
		 "/extra/gapp.ko && %ssudo mokutil --import %s && sudo reboot",
		 before, key, certificate, after, certificate);
	look(nowhere);
	is("signature", FINDING_PROBLEM, "has no signature", command);
}

static void is_signed_by(const char *before, const char *key, const char *certificate)
{
	is_signed_around(before, key, certificate, "");
}

static void put_unsigned(void)
{
	put_module(FOLDER "/extra/gapp.ko", RELEASE, "");
	put(FOLDER "/modules.dep", "extra/gapp.ko:\n");
	put("/sys/module/module/parameters/sig_enforce", "Y\n");
}

#define DKMS_KEY "/var/lib/dkms/mok.key", "/var/lib/dkms/mok.pub"
#define UBUNTU_KEY "/var/lib/shim-signed/mok/MOK.priv", "/var/lib/shim-signed/mok/MOK.der"

/* On Ubuntu, and what is like it, DKMS has no key of its own. */
static void the_key_is_that_of_the_machine(void **state)
{
	put_unsigned();
	put("/var/lib/dkms/mok.pub", "");
	/* from a package of Debian's that DKMS does not ask there */
	put("/var/lib/shim-signed/mok/MOK.der", "");
	is_signed_by("", DKMS_KEY);
	put("/etc/os-release", "NAME=\"Debian\"\nVERSION_ID=ubuntu\nID=debian\n");
	is_signed_by("", DKMS_KEY);
	put("/usr/lib/os-release", "ID=ubuntu\n");
	is_signed_by("", DKMS_KEY);
	run("rm %s/etc/os-release", fake_root);
	is_signed_by("", UBUNTU_KEY);
	put("/etc/os-release", "ID_LIKE=debian\nID='ubuntu'\n");
	is_signed_by("", UBUNTU_KEY);
	put("/etc/os-release", "ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n");
	is_signed_by("", UBUNTU_KEY);
}

static void the_key_is_that_of_the_settings(void **state)
{
	put_unsigned();
	put("/var/lib/dkms/mok.pub", "");
	put("/var/lib/shim-signed/mok/MOK.der", "");
	put("/etc/os-release", "ID=ubuntu\n");
	put("/etc/dkms/framework.conf",
	    "# mok_signing_key=/a\nmok_signing_keys=/b\nmok_certificate=/c\n");
	/* the certificate alone is none there */
	is_signed_by("", UBUNTU_KEY);
	put("/etc/dkms/framework.conf",
	    "mok_signing_key=/d # ours\n  mok_signing_key=\"/etc/my keys/$kernelver.key\"");
	is_signed_by("", "'/etc/my keys/" RELEASE ".key'", "/var/lib/dkms/mok.pub");
	put("/etc/dkms/framework.conf.d/2.conf", "mok_certificate='/etc/$kernelver.der'\n");
	put("/etc/dkms/framework.conf.d/1.conf", "mok_signing_key=pkcs11:id\nmok_certificate=/e\n");
	put("/etc/dkms/framework.conf.d/3.conf.old", "mok_signing_key=/f\nmok_certificate=/f\n");
	is_signed_by("", "pkcs11:id", "'/etc/$kernelver.der'");
	put("/etc/dkms/framework.conf.d/3.conf", "mok_certificate=/k/${kernelver}\n");
	is_signed_by("", "pkcs11:id", "/k/" RELEASE);
}

#define REQUEST \
	"sudo openssl req -new -x509 -nodes -days 36500 -subj \"/CN=DKMS module signing key\""
#define NEW_KEY(folders, key, certificate)                                                    \
	"sudo mkdir -p " folders " && " REQUEST " -newkey rsa:2048 -outform DER -keyout " key \
	" -out " certificate " && sudo chmod 600 " key " && "

/* Where DKMS was never used. */
static void a_key_that_is_not_there_is_made(void **state)
{
	put_unsigned();
	is_signed_by(NEW_KEY("/var/lib/dkms", "/var/lib/dkms/mok.key", "/var/lib/dkms/mok.pub"),
		     DKMS_KEY);
	run("rm %s/usr/bin/openssl", fake_root);
	is_signed_by("sudo apt-get install -y openssl && " NEW_KEY(
			     "/var/lib/dkms", "/var/lib/dkms/mok.key", "/var/lib/dkms/mok.pub"),
		     DKMS_KEY);
	/* none replaces half of another */
	put("/var/lib/dkms/mok.key", "");
	is_signed_by("", DKMS_KEY);
	put("/etc/dkms/framework.conf", "mok_signing_key='/a b/key'\nmok_certificate=/cert\n");
	put("/usr/bin/openssl", "");
	is_signed_by(NEW_KEY("'/a b' /", "'/a b/key'", "/cert"), "'/a b/key'", "/cert");
	/* what may not be searched may have one */
	if (getuid()) {
		run("mkdir -m 0 '%s/a b'", fake_root);
		is_signed_by("", "'/a b/key'", "/cert");
		run("rmdir '%s/a b'", fake_root);
	}
}

static void programs_of_signing_are_installed(void **state)
{
	put_unsigned();
	put("/var/lib/dkms/mok.pub", "");
	run("rm %s/usr/bin/mokutil %s/usr/bin/openssl", fake_root, fake_root);
	look(nowhere);
	is("signature", FINDING_PROBLEM, "has no signature",
	   "sudo /lib/modules/" RELEASE
	   "/build/scripts/sign-file sha256 /var/lib/dkms/mok.key /var/lib/dkms/mok.pub " FOLDER
	   "/extra/gapp.ko && sudo apt-get install -y mokutil && sudo mokutil --import /var/lib/dkms/mok.pub && sudo reboot");
	/* DKMS makes its key itself, by openssl */
	run("mv %s/usr/bin/apt-get %s/usr/bin/dnf", fake_root, fake_root);
	put("/var/lib/dkms/gapp/0.1.0/" RELEASE "/x86_64/module/gapp.ko", "");
	look(nowhere);
	is("signature", FINDING_PROBLEM, "has no signature",
	   "sudo dnf install -y openssl && sudo dkms build --force gapp/0.1.0 -k " RELEASE
	   " && sudo dkms install --force gapp/0.1.0 -k " RELEASE
	   " && sudo dnf install -y mokutil && sudo mokutil --import /var/lib/dkms/mok.pub && sudo reboot");
}

/* modprobe fails then: "Key was rejected by service". */
static void a_key_that_may_be_unknown_is_enrolled(void **state)
{
	put_module(FOLDER "/updates/dkms/gapp.ko", RELEASE, "~Module signature appended~\\n");
	put(FOLDER "/modules.dep", "updates/dkms/gapp.ko:\n");
	put("/proc/modules", "");
	put("/sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
	put("/etc/os-release", "ID=ubuntu\n");
	look(nowhere);
	is("loaded", FINDING_PROBLEM, "the next boot enrolls the key",
	   "sudo modprobe gapp || sudo mokutil --import /var/lib/shim-signed/mok/MOK.der");
	run("rm %s/usr/bin/mokutil %s/etc/os-release", fake_root, fake_root);
	look(nowhere);
	is("loaded", FINDING_PROBLEM, "the next boot enrolls the key",
	   "sudo modprobe gapp || { sudo apt-get install -y mokutil && sudo mokutil --import /var/lib/dkms/mok.pub; }");
	/* by whom it is signed, nobody knows */
	put_module(FOLDER "/extra/gapp.ko", RELEASE, "~Module signature appended~\\n");
	put(FOLDER "/modules.dep", "extra/gapp.ko:\n");
	look(nowhere);
	is("loaded", FINDING_PROBLEM, "the module is not loaded", "sudo modprobe gapp");
	put("/sys/kernel/security/lockdown", "[none] integrity confidentiality\n");
	put("/sys/module/module/parameters/sig_enforce", "N\n");
	put("/var/lib/dkms/mok.pub", "");
	look(nowhere);
	is("loaded", FINDING_PROBLEM, "the module is not loaded", "sudo modprobe gapp");
}

/* As on Fedora. A compressed file with a signature behind its end would be no module any more. */
static void dkms_installs_beside_others(void **state)
{
	put_module(FOLDER "/extra/gapp.ko", RELEASE, "");
	run("xz %s" FOLDER "/extra/gapp.ko", fake_root);
	put(FOLDER "/modules.dep", "extra/gapp.ko.xz:\n");
	put("/sys/module/module/parameters/sig_enforce", "Y\n");
	look(nowhere);
	is("installed", FINDING_OK, "gapp.ko.xz is installed for this kernel", NULL);
	assert_null(strstr(answer("installed")->text, "DKMS"));
	/* DKMS's command is none here, as DKMS did not build it */
	put("/var/lib/dkms/mok.pub", "");
	is_signed_around("sudo unxz " FOLDER "/extra/gapp.ko.xz && ", DKMS_KEY,
			 "sudo depmod -a " RELEASE " && ");
	put("/var/lib/dkms/gapp/0.1.0/" RELEASE "/x86_64/module/gapp.ko.xz", "");
	look(nowhere);
	is("installed", FINDING_OK, "is installed for this kernel by DKMS", NULL);
	is("signature", FINDING_PROBLEM, "has no signature",
	   "sudo dkms build --force gapp/0.1.0 -k " RELEASE
	   " && sudo dkms install --force gapp/0.1.0 -k " RELEASE
	   " && sudo mokutil --import /var/lib/dkms/mok.pub && sudo reboot");
}

static void packages_have_the_names_of_the_distribution(void **state)
{
	run("rm %s/usr/bin/apt-get", fake_root);
	look(nowhere);
	is("installed", FINDING_PROBLEM, "no gapp.ko is below", "make && sudo make install");
	put("/usr/bin/dnf", "");
	look(nowhere);
	is("installed", FINDING_PROBLEM, "no gapp.ko is below",
	   "sudo dnf install -y kernel-devel-" RELEASE " && make && sudo make install");
}

static void lockdown_wants_signatures(void **state)
{
	put_module(FOLDER "/extra/gapp.ko", RELEASE, "");
	put("/sys/module/module/parameters/sig_enforce", "N\n");
	put("/sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
	look(nowhere);
	is("lockdown", FINDING_WARNING, "locked down (integrity): it takes signed modules only",
	   NULL);
	assert_int_equal(answer("signature")->level, FINDING_PROBLEM);
	put("/sys/kernel/security/lockdown", "none integrity [confidentiality]\n");
	look(nowhere);
	is("lockdown", FINDING_WARNING, "so there is no -k", NULL);
}

/* Without CONFIG_MODULE_SIG, and so without the lockdown module, which selects it. */
static void a_kernel_may_know_no_signatures(void **state)
{
	put("/sys/module/module/parameters/async_probe", "N\n");
	look(nowhere);
	is("lockdown", FINDING_OK, "not locked down", NULL);
	is("signature", FINDING_OK, "takes modules without a signature", NULL);
	put("/sys/module/module/parameters/sig_enforce", "Y\n");
	look(nowhere);
	is("lockdown", FINDING_UNKNOWN, "not known", NULL);
	is("signature", FINDING_UNKNOWN, "takes only signed modules", NULL);
	run("rm %s/sys/module/module/parameters/sig_enforce", fake_root);
	put("/sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
	look(nowhere);
	is("lockdown", FINDING_WARNING, "locked down (integrity)", NULL);
	is("signature", FINDING_UNKNOWN, "takes only signed modules (lockdown)", NULL);
}

static void a_built_module_is_offered(void **state)
{
	char folder[128];
	const char *const folders[] = { "/no/such/folder", folder, NULL };
	char command[160];

	/* a name that a shell would take apart */
	snprintf(folder, sizeof(folder), "%s/my gapp", fake_root);
	put_module("/gapp.ko", RELEASE, "");
	run("cd %s && mkdir 'my gapp' && mv gapp.ko 'my gapp'", fake_root);
	put("/proc/modules", "");
	look(folders);
	is("installed", FINDING_WARNING, "was built, and no module is installed",
	   "sudo make install");
	is("built for", FINDING_OK, RELEASE, NULL);
	snprintf(command, sizeof(command), "sudo insmod '%s/gapp.ko'", folder);
	is("loaded", FINDING_PROBLEM, "not loaded", command);
	/* where DKMS has the sources, what somebody left there is of no use */
	put("/var/lib/dkms/gapp/0.1.0/source", "");
	put(FOLDER "/build/Makefile", "");
	look(folders);
	is("installed", FINDING_PROBLEM, "DKMS has its sources",
	   "sudo dkms install --force gapp/0.1.0 -k " RELEASE);
}

static void a_module_of_somebody_else_is_none(void **state)
{
	const char *const folders[] = { fake_root, NULL };

	if (getuid()) {
		printf("skipped: only root can give a file to somebody else\n");
		skip();
		return;
	}
	put_module("/gapp.ko", RELEASE, "");
	put("/proc/modules", "");
	run("chown 12345 %s/gapp.ko", fake_root);
	look(folders);
	is("installed", FINDING_PROBLEM, "no gapp.ko is below",
	   "sudo apt-get install -y linux-headers-" RELEASE " && make && sudo make install");
	setenv("SUDO_UID", "12345", 1);
	look(folders);
	unsetenv("SUDO_UID");
	is("installed", FINDING_WARNING, "was built, and no module is installed",
	   "sudo make install");
}

static void dkms_builds_what_it_has(void **state)
{
	put("/var/lib/dkms/gapp/0.1.0/source", "");
	look(nowhere);
	is("installed", FINDING_PROBLEM, "DKMS has its sources",
	   "sudo apt-get install -y linux-headers-" RELEASE
	   " && sudo dkms install --force gapp/0.1.0 -k " RELEASE);
	put(FOLDER "/build/Makefile", "");
	look(nowhere);
	is("installed", FINDING_PROBLEM, "DKMS has its sources",
	   "sudo dkms install --force gapp/0.1.0 -k " RELEASE);
}

static void is_renewed_by(const char *expected)
{
	char command[MODULE_RENEW];
	struct module_state state;

	module_state_read(&state, &fake, nowhere);
	module_renew(command, &fake, &state);
	assert_string_equal(command, expected);
}

#define HEADERS "sudo apt-get install -y linux-headers-" RELEASE " && "
#define AGAIN "sudo rmmod gapp && sudo modprobe gapp"
#define MODULE_PACKAGE "sudo apt-get install -y ./gapp-dkms_" GAPP_VERSION "-*_all.deb"
#define MODULE_RPM "sudo dnf install -y ./gapp-dkms-" GAPP_VERSION "-*.noarch.rpm"
#define WHERE_PACKAGES_ARE "gapp-dkms builds it: install it in the folder of both packages"

/* Where it is, there is no Makefile. */
static void the_package_of_the_reader_alone_is_installed(void **state)
{
	const struct system before = fake;

	put("/var/lib/dpkg/info/gapp.list", "/.\n/usr\n/usr/bin\n/usr/bin/gapp-read\n/usr/share\n");
	fake.reader = "/home/user/gapp/gapp-read";
	look(nowhere);
	is("installed", FINDING_PROBLEM, "build it in the folder of gapp's sources", BUILD);
	fake.reader = "/usr/bin/gapp-read";
	look(nowhere);
	is("installed", FINDING_PROBLEM, WHERE_PACKAGES_ARE, HEADERS MODULE_PACKAGE);
	is_renewed_by(HEADERS MODULE_PACKAGE " && " AGAIN);
	put(FOLDER "/build/Makefile", "");
	look(nowhere);
	is("installed", FINDING_PROBLEM, WHERE_PACKAGES_ARE, MODULE_PACKAGE);
	put_module(FOLDER "/extra/gapp.ko", RELEASE "2", "");
	put(FOLDER "/modules.dep", "extra/gapp.ko:\n");
	look(nowhere);
	is("built for", FINDING_PROBLEM, "was built for kernel " RELEASE "2", MODULE_PACKAGE);
	run("rm -r %s" FOLDER "/extra %s/usr/bin/apt-get", fake_root, fake_root);
	look(nowhere);
	is("installed", FINDING_PROBLEM, WHERE_PACKAGES_ARE, NULL);
	fake = before;
}

/* Not every reader in /usr/bin is the package's. */
static void a_reader_of_make_install_is_no_package(void **state)
{
	const struct system before = fake;

	fake.reader = "/usr/bin/gapp-read";
	look(nowhere);
	is("installed", FINDING_PROBLEM, "build it in the folder of gapp's sources", BUILD);
	/* what is left of it when it is removed */
	put("/var/lib/dpkg/info/gapp.list", "/etc/gapp\n/usr/bin/gapp-readme\n");
	look(nowhere);
	is("installed", FINDING_PROBLEM, "build it in the folder of gapp's sources", BUILD);
	put("/usr/share/licenses/gapp/LICENSE", "");
	run("mv %s/usr/bin/apt-get %s/usr/bin/dnf", fake_root, fake_root);
	look(nowhere);
	is("installed", FINDING_PROBLEM, WHERE_PACKAGES_ARE,
	   "sudo dnf install -y kernel-devel-" RELEASE " && " MODULE_RPM);
	fake = before;
}

/* What is loaded does not fit the reader. */
static void a_module_that_does_not_fit_is_renewed(void **state)
{
	is_renewed_by("make && sudo make install && " AGAIN);
	put("/var/lib/dkms/gapp/0.0.1/source", "");
	is_renewed_by(HEADERS
		      "sudo make dkms-install && sudo dkms install --force gapp/" GAPP_VERSION
		      " -k " RELEASE " && " AGAIN);
	/* the package gapp was upgraded alone */
	put("/usr/lib/gapp-dkms/modules", "");
	put_module(FOLDER "/updates/dkms/gapp.ko", RELEASE, "");
	put(FOLDER "/modules.dep", "updates/dkms/gapp.ko:\n");
	put("/proc/modules", "gapp 2 0 - Live 0x0 (OE)\n");
	put("/sys/module/gapp/srcversion", "ABC\n");
	is_renewed_by(HEADERS MODULE_PACKAGE " && " AGAIN);
	/* both were, and no module could be built; what is left of another version does not matter
	 */
	run("rm %s" FOLDER "/modules.dep %s" FOLDER "/updates/dkms/gapp.ko", fake_root, fake_root);
	put("/var/lib/dkms/gapp/" GAPP_VERSION "/source", "");
	put("/var/lib/dkms/gapp/9.9.9/source", "");
	is_renewed_by(HEADERS "sudo dkms build --force gapp/" GAPP_VERSION " -k " RELEASE
			      " && sudo dkms install --force gapp/" GAPP_VERSION " -k " RELEASE
			      " && " AGAIN);
	put(FOLDER "/build/Makefile", "");
	is_renewed_by("sudo dkms build --force gapp/" GAPP_VERSION " -k " RELEASE
		      " && sudo dkms install --force gapp/" GAPP_VERSION " -k " RELEASE
		      " && " AGAIN);
	/* both were, and the old one is still loaded */
	put_module(FOLDER "/updates/dkms/gapp.ko", RELEASE, "");
	put(FOLDER "/modules.dep", "updates/dkms/gapp.ko:\n");
	put("/sys/module/gapp/srcversion", "ABD\n");
	is_renewed_by(AGAIN);
	put("/sys/module/gapp/srcversion", "ABC\n");
	run("rm -r %s/var/lib/dkms/gapp", fake_root);
	run("mv %s/usr/bin/apt-get %s/usr/bin/dnf", fake_root, fake_root);
	is_renewed_by(MODULE_RPM " && " AGAIN);
	run("rm %s/usr/bin/dnf", fake_root);
	is_renewed_by(AGAIN);
}

static void a_file_that_is_no_module_is_not_known(void **state)
{
	put(FOLDER "/extra/gapp.ko", "no module");
	look(nowhere);
	is("built for", FINDING_UNKNOWN, "cannot be read as a module", NULL);
}

static void values_of_a_module_are_whole(void **state)
{
	static const char section[] = "vermagicx=1\0\0\0vermagic=a b\0version=2\0srcversion=C";
	struct module_info info = { 0 };

	module_info_parse(&info, section, sizeof(section));
	assert_string_equal(info.vermagic, "a b");
	assert_string_equal(info.version, "2");
	assert_string_equal(info.source, "C");
}

static void only_gapp_is_gapp(void **state)
{
	assert_true(modules_have_gapp("gapp 1 0 - Live 0x0\n"));
	assert_true(modules_have_gapp("a 1\ngapp 1 0 - Live 0x0\n"));
	assert_false(modules_have_gapp("gapp_work 1 0 - Live 0x0\nx gapp 1\n"));
	assert_false(modules_have_gapp(""));
	assert_false(modules_have_gapp(NULL));
}

static void words_of_a_shell_are_whole(void **state)
{
	char word[SHELL_WORD_SIZE(16)];

	shell_word(word, "/a/b-c.ko");
	assert_string_equal(word, "/a/b-c.ko");
	shell_word(word, "-r");
	assert_string_equal(word, "'-r'");
	shell_word(word, "it's $x");
	assert_string_equal(word, "'it'\\''s $x'");
	shell_word(word, "");
	assert_string_equal(word, "''");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(nothing_is_there),
		machine_test(all_is_well),
		machine_test(compressed_modules_are_read),
		machine_test(modprobe_must_know_it),
		machine_test(what_is_for_another_kernel_is_told),
		machine_test(what_is_built_otherwise_is_told),
		machine_test(signatures_count_where_they_are_enforced),
		machine_test(the_key_is_that_of_the_machine),
		machine_test(the_key_is_that_of_the_settings),
		machine_test(a_key_that_is_not_there_is_made),
		machine_test(programs_of_signing_are_installed),
		machine_test(a_key_that_may_be_unknown_is_enrolled),
		machine_test(dkms_installs_beside_others),
		machine_test(packages_have_the_names_of_the_distribution),
		machine_test(lockdown_wants_signatures),
		machine_test(a_kernel_may_know_no_signatures),
		machine_test(a_built_module_is_offered),
		machine_test(a_module_of_somebody_else_is_none),
		machine_test(dkms_builds_what_it_has),
		machine_test(the_package_of_the_reader_alone_is_installed),
		machine_test(a_reader_of_make_install_is_no_package),
		machine_test(a_module_that_does_not_fit_is_renewed),
		machine_test(a_file_that_is_no_module_is_not_known),
		cmocka_unit_test(values_of_a_module_are_whole),
		cmocka_unit_test(only_gapp_is_gapp),
		cmocka_unit_test(words_of_a_shell_are_whole),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
