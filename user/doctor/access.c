// SPDX-License-Identifier: GPL-2.0
#include "access.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>

#include "input/device.h"

/* Of older headers. */
#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif

/* What `gapp-read record` asks for; and no less than that when memory is short. */
#define RATE_HZ 333
#define SMALLEST_RING (GAPP_DEFAULT_RING / 8)

static bool has(const struct rights *rights, unsigned int capability)
{
	return rights->capabilities >> capability & 1;
}

/* The number behind a line's name; false: there is no such line. */
static bool line_number(const char *text, const char *name, int base, u64 *number)
{
	size_t length = strlen(name);

	for (; text && *text; text += *text == '\n') {
		if (!strncmp(text, name, length)) {
			*number = strtoull(text + length, NULL, base);
			return true;
		}
		text += strcspn(text, "\n");
	}
	return false;
}

void rights_parse(struct rights *rights, const char *status, const char *uid_map)
{
	unsigned long long first, outside, count;
	u64 user;

	*rights = (struct rights){ .user = ~0U };
	if (line_number(status, "Uid:", 10, &user))
		rights->user = user;
	if (!line_number(status, "CapEff:", 16, &rights->capabilities))
		return;
	/* only who is in the initial user namespace has its capabilities there */
	if (!uid_map || sscanf(uid_map, "%llu %llu %llu", &first, &outside, &count) != 3)
		return;
	rights->known = true;
	if (first || outside || count != 4294967295ULL)
		rights->capabilities = 0;
}

void rights_read(struct rights *rights, const struct system *system)
{
	_cleanup_free_ char *status = system_read_all(system, "/proc/self/status");
	char uid_map[128];
	bool mapped = system_read(system, "/proc/self/uid_map", uid_map, sizeof(uid_map));

	rights_parse(rights, status, mapped ? uid_map : NULL);
}

bool rights_may_profile(const struct rights *rights)
{
	return has(rights, CAP_PERFMON) || has(rights, CAP_SYS_ADMIN);
}

/* The device's number, by which a node can be made. */
static u32 read_minor(const struct system *system)
{
	_cleanup_free_ char *misc = system_read_all(system, "/proc/misc");
	char name[64];
	unsigned int minor;

	for (const char *line = misc; line && *line; line += *line == '\n') {
		if (sscanf(line, "%u %63s", &minor, name) == 2 && !strcmp(name, "gapp"))
			return minor;
		line += strcspn(line, "\n");
	}
	return 0;
}

static int configure(struct device *dev, const struct gapp_config *config)
{
	return device_configure(dev, config) ? errno : 0;
}

static void try_session(struct access *access, struct device *dev)
{
	struct gapp_config config = { .abi_major = GAPP_ABI_MAJOR,
				      .level = GAPP_LEVEL_CRITICAL,
				      .max_exited = GAPP_EXITED_DEFAULT,
				      .rate_hz = RATE_HZ,
				      .ring_bytes = GAPP_DEFAULT_RING,
				      .unwind_by = GAPP_UNWIND_BY_AUTO };

	if (device_knows_kernel_locks(dev))
		config.flags |= GAPP_CONFIG_KERNEL_LOCKS;
	if (device_knows_spins(dev))
		config.flags |= GAPP_CONFIG_SPINS;
	access->configure = configure(dev, &config);
	if (access->configure == EOPNOTSUPP && config.flags & GAPP_CONFIG_KERNEL_LOCKS) {
		access->no_kernel_locks = true;
		config.flags &= ~GAPP_CONFIG_KERNEL_LOCKS;
		access->configure = configure(dev, &config);
	}
	config.paths = GAPP_DEFAULT_PATHS;
	while ((access->configure == ENOBUFS || access->configure == ENOMEM) &&
	       config.ring_bytes > SMALLEST_RING) {
		access->lacked = access->configure;
		config.ring_bytes /= 2;
		config.paths /= 2;
		access->configure = configure(dev, &config);
	}
	access->ring_kib = config.ring_bytes >> 10;
}

void access_try(struct access *access, const struct system *system)
{
	_cleanup_(device_close) struct device dev = { .fd = -1 };

	access->minor = read_minor(system);
	access->get_abi = NOT_TRIED;
	access->configure = NOT_TRIED;
	access->open = device_probe(&dev) ? errno : 0;
	if (access->open)
		return;
	access->get_abi = device_ask_abi(&dev) ? errno : 0;
	access->abi = dev.abi;
	if (!access->get_abi && dev.abi.major == GAPP_ABI_MAJOR)
		try_session(access, &dev);
}

bool access_works(const struct access *access)
{
	return !access->configure;
}

/* Podman leaves a file; other containers are started by commands like Docker's. */
static void mend_by_starting(struct findings *findings, const struct system *system)
{
	mend(findings, "%s run --device " GAPP_NODE " --cap-add PERFMON IMAGE",
	     system_has(system, "/run/.containerenv") ? "podman" : "docker");
}

static void check_device(struct findings *findings, const struct system *system,
			 const struct access *access, const struct rights *rights)
{
	switch (access->open) {
	case 0:
		found(findings, "device", FINDING_OK, "you may open " GAPP_NODE);
		break;
	case ENOENT:
	case ENXIO:
	case ENODEV:
		if (!access->loaded) {
			found(findings, "device",
			      access->loaded_known ? FINDING_UNKNOWN : FINDING_PROBLEM,
			      "there is no " GAPP_NODE " until the module is loaded");
			if (!access->loaded_known)
				mend(findings, "sudo modprobe gapp");
			break;
		}
		found(findings, "device", FINDING_PROBLEM,
		      "the module is loaded, but " GAPP_NODE " is missing here, as in a container");
		if (access->minor)
			mend(findings,
			     "sudo rm -f " GAPP_NODE " && sudo mknod -m 600 " GAPP_NODE " c 10 %u",
			     access->minor);
		else
			mend(findings, "sudo rmmod gapp && sudo modprobe gapp");
		break;
	case EACCES:
	case EPERM:
		if (!rights->user) {
			found(findings, "device", FINDING_PROBLEM,
			      "root may not open " GAPP_NODE
			      " here: a container is given the device when it is started, by a command on the host such as this one");
			mend_by_starting(findings, system);
			break;
		}
		found(findings, "device", FINDING_PROBLEM,
		      "you (user %u) may not open " GAPP_NODE
		      ": use sudo, or be given a group that may",
		      rights->user);
		mend(findings, "sudo gapp-read doctor");
		break;
	case EUSERS:
		found(findings, "device", FINDING_PROBLEM,
		      "as many sessions are open as the module allows, or allows you: end one of them");
		mend(findings, "sudo cat /proc/gapp/sessions");
		break;
	default:
		found(findings, "device", FINDING_PROBLEM,
		      GAPP_NODE " cannot be opened: %s; the kernel's log may say why",
		      strerror(access->open));
		mend(findings, KERNEL_LOG);
	}
}

static void check_abi(struct findings *findings, const struct access *access)
{
	const struct gapp_abi *abi = &access->abi;

	if (access->get_abi == NOT_TRIED) {
		found(findings, "abi", FINDING_UNKNOWN,
		      "whether the loaded module fits this gapp-read (ABI %u.%u) cannot be asked",
		      GAPP_ABI_MAJOR, GAPP_ABI_MINOR);
	} else if (access->get_abi) {
		found(findings, "abi", FINDING_PROBLEM,
		      GAPP_NODE " does not belong to gapp's module");
		mend(findings,
		     "sudo rm " GAPP_NODE " && sudo modprobe -r gapp && sudo modprobe gapp");
	} else if (abi->major != GAPP_ABI_MAJOR) {
		found(findings, "abi", FINDING_PROBLEM,
		      "the module %s has ABI %u.%u, and this gapp-read %s ABI %u.%u", abi->version,
		      abi->major, abi->minor, GAPP_VERSION, GAPP_ABI_MAJOR, GAPP_ABI_MINOR);
		mend(findings, "%s", access->renew);
	} else if (abi->minor < GAPP_ABI_MINOR) {
		found(findings, "abi", FINDING_WARNING,
		      "the module %s has ABI %u.%u, and this gapp-read knows more (ABI %u.%u)",
		      abi->version, abi->major, abi->minor, GAPP_ABI_MAJOR, GAPP_ABI_MINOR);
		mend(findings, "%s", access->renew);
	} else {
		found(findings, "abi", FINDING_OK,
		      "the module %s (ABI %u.%u) fits this gapp-read %s", abi->version, abi->major,
		      abi->minor, GAPP_VERSION);
	}
}

static void check_rights(struct findings *findings, const struct rights *rights)
{
	if (!rights->known) {
		found(findings, "rights", FINDING_UNKNOWN,
		      "your capabilities are not known: /proc/self cannot be read");
	} else if (rights_may_profile(rights)) {
		found(findings, "rights", FINDING_OK, "you may follow every process (%s)",
		      has(rights, CAP_PERFMON) ? "CAP_PERFMON" : "CAP_SYS_ADMIN");
	} else {
		found(findings, "rights", FINDING_WARNING,
		      "without CAP_PERFMON a session is restricted: your own processes only; no -a, -x, --comm, --cgroup, -k, --kthreads; who ends spins and who wakes from outside is not seen");
		mend(findings, "sudo gapp-read doctor");
	}
}

static void check_session(struct findings *findings, const struct access *access)
{
	const bool is_short = access->ring_kib << 10 < GAPP_DEFAULT_RING;

	if (access->configure == NOT_TRIED)
		return;
	if (!access->configure && !is_short) {
		found(findings, "session", FINDING_OK,
		      "a recording with the default buffers can be set up");
		return;
	}
	switch (access->configure) {
	case 0:
		if (access->lacked == ENOMEM) {
			found(findings, "session", FINDING_WARNING,
			      "the memory of this machine, or of your memory cgroup, allows buffers of %u KiB for each CPU only, and more records may be lost",
			      access->ring_kib);
			break;
		}
		found(findings, "session", FINDING_WARNING,
		      "your limit of locked memory allows buffers of %u KiB for each CPU only, and more records may be lost",
		      access->ring_kib);
		mend(findings, "echo 16384 | sudo tee /sys/module/gapp/parameters/mlock_kib");
		break;
	case ENOBUFS:
		found(findings, "session", FINDING_PROBLEM,
		      "your limit of locked memory is too low for a recording");
		mend(findings, "echo 16384 | sudo tee /sys/module/gapp/parameters/mlock_kib");
		break;
	case EINVAL:
	case EPROTONOSUPPORT:
		found(findings, "session", FINDING_PROBLEM,
		      "the loaded module does not know what this gapp-read asks for");
		mend(findings, "%s", access->renew);
		break;
	default:
		found(findings, "session", FINDING_PROBLEM,
		      "no recording can be set up: %s; the kernel's log may say why",
		      strerror(access->configure));
		mend(findings, KERNEL_LOG);
	}
}

void access_findings(struct findings *findings, const struct system *system,
		     const struct access *access, const struct rights *rights)
{
	check_device(findings, system, access, rights);
	check_abi(findings, access);
	check_rights(findings, rights);
	check_session(findings, access);
}

static void check_locks(struct findings *findings, const struct access *access, bool shown)
{
	if (!access_works(access))
		found(findings, "kernel locks", FINDING_UNKNOWN,
		      "whether waits for the kernel's locks are seen cannot be asked");
	else if (access->no_kernel_locks)
		found(findings, "kernel locks", FINDING_WARNING,
		      "this kernel does not say which of its locks a thread waits for: such waits have the reason of their system call");
	else
		found(findings, "kernel locks", FINDING_OK,
		      shown ? "waits for the kernel's locks are seen, and the locks have names" :
			      "waits for the kernel's locks are seen, but the locks have no names");
}

void kernel_findings(struct findings *findings, const struct system *system,
		     const struct rights *rights, const struct access *access)
{
	char hidden[16], lockdown[128];
	bool shown = false;

	system_read(system, "/sys/kernel/security/lockdown", lockdown, sizeof(lockdown));
	if (!system_read(system, "/proc/sys/kernel/kptr_restrict", hidden, sizeof(hidden))) {
		found(findings, "kernel paths", FINDING_UNKNOWN,
		      "whether the kernel shows addresses is not known: /proc/sys/kernel/kptr_restrict cannot be read");
	} else if (*hidden == '2') {
		found(findings, "kernel paths", FINDING_WARNING,
		      "the kernel hides its addresses (kernel.kptr_restrict=2), so there is no -k, and its locks have no names");
		mend(findings, "sudo sysctl kernel.kptr_restrict=1");
	} else if (strstr(lockdown, "[confidentiality]")) {
		found(findings, "kernel paths", FINDING_WARNING,
		      "the kernel was booted with lockdown=confidentiality, so there is no -k, and its locks have no names");
	} else if (!rights->known) {
		found(findings, "kernel paths", FINDING_UNKNOWN,
		      "whether you may see the kernel's addresses is not known");
	} else if (!rights_may_profile(rights) || !has(rights, CAP_SYSLOG)) {
		found(findings, "kernel paths", FINDING_WARNING,
		      "without CAP_PERFMON and CAP_SYSLOG there is no -k, and the kernel's locks have no names");
		mend(findings, "sudo gapp-read doctor");
	} else {
		found(findings, "kernel paths", FINDING_OK,
		      "call paths can go on in the kernel (-k)");
		shown = true;
	}
	check_locks(findings, access, shown);
}

void memory_findings(struct findings *findings, const struct memory_limit *memory,
		     const struct rights *rights)
{
	const u64 free_bytes = memory->free_kib * memory->cpus << 10;

	if (rights->known && (rights_may_profile(rights) || has(rights, CAP_IPC_LOCK))) {
		found(findings, "locked memory", FINDING_OK, "no limit of locked memory is yours");
	} else if (memory->limit == UINT64_MAX) {
		found(findings, "locked memory", FINDING_OK,
		      "you have no limit of locked memory (ulimit -l)");
	} else if (!memory->known) {
		found(findings, "locked memory", FINDING_UNKNOWN,
		      "your limit of locked memory is %llu KiB; what is free beside it is known when the module is loaded",
		      (unsigned long long)memory->limit >> 10);
	} else {
		found(findings, "locked memory", FINDING_OK,
		      "recordings may hold %llu KiB for %u CPUs (mlock_kib), and %llu KiB of your limit (ulimit -l)",
		      (unsigned long long)free_bytes >> 10, memory->cpus,
		      (unsigned long long)memory->limit >> 10);
	}
}
