// SPDX-License-Identifier: GPL-2.0
#include "device.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "util/names.h"

/* The steps of a session that can fail, one bit each. */
enum step {
	OPEN = 1 << 0,
	GET_ABI = 1 << 1,
	CONFIGURE = 1 << 2,
	ADD_PROCESS = 1 << 3,
	OPEN_PROGRAM = 1 << 4,
	ADD_EXECUTABLE = 1 << 5,
	START = 1 << 6,
	OTHER = 1 << 7,
	ADD_SELECTION = 1 << 8,
};

#define NOT_LOADED "the module is not loaded"
#define LOAD                                                                      \
	"run `sudo modprobe gapp`, or `sudo insmod gapp.ko` where it was built; " \
	"if that fails, `gapp-read doctor` says why"
#define NOT_ALLOWED "you may not open it"
#define BE_ALLOWED "run gapp-read with sudo, or be given a group that may (see the manual)"
#define TOO_NEW "the loaded module does not know what this gapp-read asks for"
#define RELOAD "`sudo rmmod gapp && sudo insmod gapp.ko` with the one built together with it"
#define GIVE_PROGRAM "give the path of a program"
#define USE_SUDO "run gapp-read with sudo"

_Static_assert(GAPP_MAX_ADDED_PROCESSES == 1024 && GAPP_MAX_EXECUTABLES == 16 &&
		       GAPP_SELECTION_COMM == 32,
	       "messages name them");

/**
 * struct meaning - what an errno means at some steps
 * @steps: enum step
 * @error: the errno
 * @cause: the cause of the error
 * @fix: what to do about it, or NULL
 */
static const struct meaning {
	unsigned int steps;
	int error;
	const char *cause;
	const char *fix;
} meanings[] = {
	{ OPEN, ENOENT, NOT_LOADED, LOAD },
	{ OPEN, ENXIO, NOT_LOADED, LOAD },
	{ OPEN, ENODEV, NOT_LOADED, LOAD },
	{ OPEN, EACCES, NOT_ALLOWED, BE_ALLOWED },
	{ OPEN, EPERM, NOT_ALLOWED, BE_ALLOWED },
	{ GET_ABI, ENOTTY, "it does not belong to gapp's module",
	  "remove it, and load the module again" },
	{ CONFIGURE | ADD_PROCESS | ADD_EXECUTABLE, EINVAL, TOO_NEW, RELOAD },
	{ CONFIGURE, EPROTONOSUPPORT, TOO_NEW, RELOAD },
	{ CONFIGURE, EPERM,
	  "without CAP_PERFMON there is no -a and no --call-graph copy, -m is at most 1M, -F 1000, --max-stack 64",
	  USE_SUDO },
	{ CONFIGURE, ENOBUFS, "its buffers exceed your limit of locked memory",
	  "give a smaller -m, raise the limit (`ulimit -l`), or run gapp-read with sudo" },
	{ CONFIGURE | ADD_PROCESS | ADD_EXECUTABLE | START, ENOMEM,
	  "there is too little memory, on this machine or in your memory cgroup",
	  "give a smaller -m or --max-threads" },
	{ ADD_PROCESS, ESRCH, "no such process, or it has exited", NULL },
	{ ADD_PROCESS, EOPNOTSUPP, "it is a kernel thread, and -p follows only programs",
	  "give its name with --kthreads" },
	{ ADD_PROCESS, EPERM, "it is not yours, or may not be dumped", USE_SUDO },
	{ ADD_PROCESS, EACCES, "it is not yours", USE_SUDO },
	{ ADD_PROCESS, ELOOP, "it is gapp-read itself", NULL },
	{ ADD_PROCESS, ENOSPC, "1024 processes at most can be named",
	  "name a parent of them, whose descendants are followed too" },
	{ ADD_PROCESS | START, EAGAIN, "not at this moment", "try again" },
	{ OPEN_PROGRAM, ENOENT, "there is no such file", GIVE_PROGRAM },
	{ OPEN_PROGRAM, ENOTDIR, "there is no such file", GIVE_PROGRAM },
	{ OPEN_PROGRAM | ADD_EXECUTABLE, EACCES, "you may not read it", USE_SUDO },
	{ OPEN_PROGRAM | ADD_EXECUTABLE, ENOEXEC, "it is not a program's file", GIVE_PROGRAM },
	{ ADD_EXECUTABLE, EPERM, "programs can be followed by their file only with CAP_PERFMON",
	  USE_SUDO },
	{ ADD_EXECUTABLE, ENOSPC, "16 programs at most can be named",
	  "follow processes by -p instead" },
	{ START, ENOTSUP, "this kernel lacks a tracepoint that gapp needs",
	  "`sudo dmesg` names it" },
	{ START, EPERM, "a process of the target is not yours", USE_SUDO },
	{ ADD_SELECTION, EPERM,
	  "processes can be followed by name or control group only with CAP_PERFMON", USE_SUDO },
	{ ADD_SELECTION, EBADF, "it is not the folder of a control group of version 2",
	  "`mount -t cgroup2` shows where these are" },
	{ ADD_SELECTION, EOPNOTSUPP, "this kernel has no control groups", NULL },
	{ ADD_SELECTION, EINVAL, "a pattern of names has 31 characters at most", NULL },
	{ ADD_EXECUTABLE | ADD_SELECTION | OTHER, ENOTTY, TOO_NEW, RELOAD },
};

/* Complains that @what failed at @step with errno. */
static int fail(const char *what, enum step step)
{
	const char *cause = strerror(errno), *fix = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(meanings); i++) {
		if (meanings[i].steps & step && meanings[i].error == errno) {
			cause = meanings[i].cause;
			fix = meanings[i].fix;
		}
	}
	complain("%s: %s%s%s", what, cause, fix ? ": " : "", fix ? fix : "");
	return DEVICE_FAILED;
}

/* Returns 0, or -1 with errno set. */
static int control(struct device *dev, unsigned long request, void *argument)
{
	return TEMP_FAILURE_RETRY(ioctl(dev->fd, request, argument)) < 0 ? -1 : 0;
}

static int ask(struct device *dev, unsigned long request, void *argument, const char *what)
{
	return control(dev, request, argument) ? fail(what, OTHER) : 0;
}

int device_ask_abi(struct device *dev)
{
	if (control(dev, GAPP_IOC_GET_ABI, &dev->abi))
		return -1;
	dev->abi.version[sizeof(dev->abi.version) - 1] = '\0';
	return 0;
}

int device_probe(struct device *dev)
{
	dev->fd = open(GAPP_NODE, O_RDWR | O_CLOEXEC);
	return dev->fd < 0 ? -1 : 0;
}

int device_open(struct device *dev)
{
	if (device_probe(dev))
		return fail(GAPP_NODE, OPEN);
	if (device_ask_abi(dev))
		return fail(GAPP_NODE, GET_ABI);
	if (dev->abi.major != GAPP_ABI_MAJOR) {
		complain("the loaded module %s has ABI %u.%u, this gapp-read %s ABI %u.%u: %s",
			 dev->abi.version, dev->abi.major, dev->abi.minor, GAPP_VERSION,
			 GAPP_ABI_MAJOR, GAPP_ABI_MINOR, RELOAD ", or rebuild gapp-read");
		return DEVICE_FAILED;
	}
	return 0;
}

void device_close(struct device *dev)
{
	cleanup_close(&dev->fd);
	dev->fd = -1;
}

/**
 * device_print_version() - versions of this reader and of the loaded module
 * @out: the stream
 */
void device_print_version(FILE *out)
{
	_cleanup_(device_close) struct device dev = { .fd = open(GAPP_NODE, O_RDWR | O_CLOEXEC) };
	char version[NAME_SAFE_SIZE(sizeof(dev.abi.version))];

	fprintf(out, "gapp-read %s (ABI %u.%u)\n", GAPP_VERSION, GAPP_ABI_MAJOR, GAPP_ABI_MINOR);
	if (dev.fd < 0 && errno == ENOENT) {
		fputs("module: not loaded\n", out);
	} else if (dev.fd < 0 || device_ask_abi(&dev)) {
		fprintf(out, "module: %s: %s\n", GAPP_NODE, strerror(errno));
	} else {
		name_safe(version, dev.abi.version, strlen((char *)dev.abi.version), NAME_WHOLE);
		fprintf(out, "module %s (ABI %u.%u)\n", version, dev.abi.major, dev.abi.minor);
	}
}

int device_configure(struct device *dev, const struct gapp_config *asked)
{
	struct gapp_config config = *asked;

	if (control(dev, GAPP_IOC_CONFIGURE, &config))
		return DEVICE_FAILED;
	dev->unwind_by = config.unwind_by;
	dev->waits = config.flags & GAPP_CONFIG_WAITS;
	dev->handovers = config.flags & GAPP_CONFIG_HANDOVERS;
	dev->spins = config.flags & GAPP_CONFIG_SPINS;
	dev->wakers = config.flags & GAPP_CONFIG_WAKERS;
	return 0;
}

void device_add_tallies(struct device *dev, struct tallies *tallies)
{
	for (u32 i = 0; i < tallies->asked_count; i++) {
		struct asked_tally *tally = &tallies->asked[i];
		struct gapp_add_tally add = { .source = tally->source,
					      .type = tally->type,
					      .config = tally->config };

		if (!tally->refused && control(dev, GAPP_IOC_ADD_TALLY, &add))
			tally->refused = errno;
	}
}

int device_refused_config(void)
{
	return fail("cannot set up a session", CONFIGURE);
}

int device_add_process(struct device *dev, pid_t pid, u32 flags)
{
	struct gapp_add_process target = { .pid = pid, .flags = flags };

	return control(dev, GAPP_IOC_ADD_PROCESS, &target) && errno != EEXIST ? DEVICE_FAILED : 0;
}

int device_refused_process(pid_t pid)
{
	char what[64];

	snprintf(what, sizeof(what), "cannot follow process %d", pid);
	return fail(what, ADD_PROCESS);
}

/* Opens a regular file. O_NONBLOCK, because open() of a pipe would wait for a writer. */
static int open_program(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat status;

	if (fd < 0 || (!fstat(fd, &status) && S_ISREG(status.st_mode)))
		return fd;
	close(fd);
	errno = ENOEXEC;
	return -1;
}

int device_add_executable(struct device *dev, const char *path, u32 flags)
{
	_cleanup_close_ int fd = open_program(path);
	struct gapp_add_executable exe = { .fd = fd, .flags = flags };
	char what[512];

	snprintf(what, sizeof(what), "cannot follow %.400s", path);
	if (fd < 0)
		return fail(what, OPEN_PROGRAM);
	if (!control(dev, GAPP_IOC_ADD_EXECUTABLE, &exe) || errno == EEXIST)
		return 0;
	return fail(what, ADD_EXECUTABLE);
}

int device_add_selection(struct device *dev, const char *comm, int cgroup_fd, u32 flags)
{
	struct gapp_add_selection selection = { .cgroup_fd = cgroup_fd, .flags = flags };
	const char *what = "cannot follow processes by name or control group";

	if (comm && strlen(comm) >= sizeof(selection.comm)) {
		errno = EINVAL;
		return fail(what, ADD_SELECTION);
	}
	if (comm)
		memcpy(selection.comm, comm, strlen(comm));
	return control(dev, GAPP_IOC_ADD_SELECTION, &selection) ? fail(what, ADD_SELECTION) : 0;
}

int device_start(struct device *dev)
{
	if (!control(dev, GAPP_IOC_START, NULL))
		return 0;
	return errno == ESRCH ? DEVICE_GONE : fail("cannot start recording", START);
}

int device_stop(struct device *dev)
{
	if (!control(dev, GAPP_IOC_STOP, NULL))
		return 0;
	if (errno != ENOTCONN)
		return fail("cannot stop recording", OTHER);
	complain("root has ended the session: the figures are those until then");
	return 0;
}

int device_status(struct device *dev, struct gapp_status *status)
{
	return ask(dev, GAPP_IOC_STATUS, status, "cannot read the session's figures");
}

int device_counters(struct device *dev, struct gapp_counters *counters)
{
	return ask(dev, GAPP_IOC_COUNTERS, counters, "cannot read the session's figures");
}

int device_layout(struct device *dev, struct gapp_layout *layout)
{
	return ask(dev, GAPP_IOC_LAYOUT, layout, "cannot find the session's records");
}

int device_page(struct device *dev, unsigned long request, struct gapp_page *page)
{
	return ask(dev, request, page, "cannot read the session's figures");
}

bool device_knows_waits(const struct device *dev)
{
	return dev->abi.minor >= 5;
}

bool device_knows_handovers(const struct device *dev)
{
	return dev->abi.minor >= 8;
}

bool device_knows_waker_paths(const struct device *dev)
{
	return dev->abi.minor >= 7;
}

bool device_knows_wait_files(const struct device *dev)
{
	return dev->abi.minor >= 9;
}

bool device_knows_kernel_locks(const struct device *dev)
{
	return dev->abi.minor >= 10;
}

bool device_knows_spins(const struct device *dev)
{
	return dev->abi.minor >= 15;
}

bool device_knows_marks(const struct device *dev)
{
	return dev->abi.minor >= 16;
}

bool device_knows_tallies(const struct device *dev)
{
	return dev->abi.minor >= 17;
}

bool device_knows_slice_tallies(const struct device *dev)
{
	return dev->abi.minor >= 19;
}

bool device_unwinds_by_tables(const struct device *dev)
{
	return dev->unwind_by == GAPP_UNWIND_BY_AUTO || dev->unwind_by == GAPP_UNWIND_BY_TABLE;
}

bool device_watches(const struct device *dev)
{
	return dev->abi.minor >= 13 && dev->spins && dev->wakers;
}

int device_watch(struct device *dev, const struct gapp_watch *watch)
{
	struct gapp_watch copy = *watch;

	return control(dev, GAPP_IOC_WATCH, &copy);
}

bool device_tells_stores(const struct device *dev)
{
	return dev->abi.minor >= 18 && device_watches(dev);
}

int device_store_point(struct device *dev, const struct gapp_store_point *point)
{
	struct gapp_store_point copy = *point;

	return control(dev, GAPP_IOC_STORE_POINT, &copy);
}

bool device_times_exactly(const struct device *dev)
{
	return dev->abi.minor >= 15 && dev->spins;
}

int device_exact(struct device *dev, const struct gapp_exact *exact)
{
	struct gapp_exact copy = *exact;

	return control(dev, GAPP_IOC_EXACT, &copy);
}

int device_load_table(struct device *dev, const void *data, u64 bytes, u32 *number)
{
	struct gapp_table_load load = { .data = (uintptr_t)data, .bytes = bytes };

	if (control(dev, GAPP_IOC_LOAD_TABLE, &load))
		return -1;
	*number = load.table;
	return 0;
}

int device_drop_table(struct device *dev, u32 number)
{
	struct gapp_table_drop drop = { .table = number };

	return control(dev, GAPP_IOC_DROP_TABLE, &drop);
}

int device_image(struct device *dev, pid_t pid, u32 *image)
{
	struct gapp_mappings maps = { .pid = pid };

	if (control(dev, GAPP_IOC_SET_MAPPINGS, &maps))
		return -1;
	*image = maps.image;
	return 0;
}

int device_set_mappings(struct device *dev, pid_t pid, u32 image,
			const struct gapp_mapping *mappings, u32 count)
{
	struct gapp_mappings set = {
		.pid = pid, .image = image, .maps = (uintptr_t)mappings, .count = count
	};

	return control(dev, GAPP_IOC_SET_MAPPINGS, &set);
}
