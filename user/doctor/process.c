// SPDX-License-Identifier: GPL-2.0
/* A process: whether it may be followed, its program, and its libraries in short. */
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include "access.h"
#include "input/device.h"
#include "input/proc_maps.h"
#include "program.h"

/* More files of one process are not looked at. */
#define FILES_MAX 512
/* Shows all of them, and the names of kernel threads in brackets. */
#define PROCESSES "ps -ef"

/**
 * struct look - a process that is being looked at
 * @pid: its id
 * @exe: path of its program as the kernel gives it, with a mark if the file was removed or replaced
 * @program: its program; NULL: it was not found
 * @objects: its files
 * @files: those that it has mapped, each once; @files[0] is the first that was found
 * @count: elements of @files
 */
struct look {
	pid_t pid;
	char exe[PATH_MAX];
	const struct object *program;
	struct objects *objects;
	struct object *files[FILES_MAX];
	u32 count;
};

void library_sums_add(struct library_sums *sums, const char *name, const struct file_state *state)
{
	const bool has_table = !state->unwind_error && state->table_bytes;

	sums->count++;
	sums->of_32_bits += state->kind == FILE_ELF_32;
	if (state->kind != FILE_ELF_32 && !has_table && !sums->without_table++)
		snprintf(sums->worst, sizeof(sums->worst), "%.255s", name);
	sums->without_symtab += !state->names.symtab;
	sums->without_debug += !state->names.debug;
}

void library_findings(struct findings *findings, const struct library_sums *sums)
{
	if (!sums->count)
		return;
	if (sums->of_32_bits)
		found(findings, "libraries", FINDING_WARNING,
		      "%u of its %u libraries have code of 32 bits, of which gapp finds no call paths",
		      sums->of_32_bits, sums->count);
	if (sums->without_table)
		found(findings, "libraries", FINDING_WARNING,
		      "%u of its %u libraries have no unwind table, such as %s: call paths end there, unless they keep frame pointers",
		      sums->without_table, sums->count, sums->worst);
	else if (!sums->of_32_bits)
		found(findings, "libraries", FINDING_OK,
		      "its %u libraries have unwind tables; %u are stripped, %u have no debug information",
		      sums->count, sums->without_symtab, sums->without_debug);
}

/* Whether a session may follow the process, asked of a session that is then closed. */
static int ask_to_follow(pid_t pid)
{
	const struct gapp_config config = { .abi_major = GAPP_ABI_MAJOR,
					    .level = GAPP_LEVEL_STATS };
	_cleanup_(device_close) struct device dev = { .fd = -1 };

	if (device_probe(&dev) || device_configure(&dev, &config))
		return NOT_TRIED;
	return device_add_process(&dev, pid, 0) ? errno : 0;
}

void follow_findings(struct findings *findings, pid_t pid, int may)
{
	switch (may) {
	case 0:
		found(findings, "process", FINDING_OK, "you may follow it");
		break;
	case NOT_TRIED:
		found(findings, "process", FINDING_UNKNOWN,
		      "whether you may follow it is not known until a session can be set up");
		break;
	case EOPNOTSUPP:
		found(findings, "process", FINDING_PROBLEM,
		      "it is a kernel thread, and -p follows only programs: give its name to --kthreads");
		break;
	case ESRCH:
		found(findings, "process", FINDING_PROBLEM,
		      "it has exited: give a process that runs");
		mend(findings, PROCESSES);
		break;
	case EPERM:
	case EACCES:
		found(findings, "process", FINDING_PROBLEM,
		      "you may not follow it: it is not yours, or may not be dumped");
		mend(findings, "sudo gapp-read doctor -p %d", pid);
		break;
	default:
		found(findings, "process", FINDING_PROBLEM,
		      "it cannot be followed: %s; the kernel's log may say why", strerror(may));
		mend(findings, KERNEL_LOG);
	}
}

static int take(void *context, const struct proc_mapping *mapping)
{
	struct look *look = context;
	struct object *object;

	if (!mapping->inode || object_is_generated(mapping->path) || look->count == FILES_MAX)
		return 0;
	object =
		objects_hold(look->objects, mapping->path, mapping->dev, mapping->inode, look->pid);
	if (!object)
		return -1;
	/* the object's path is without the mark */
	if (!strcmp(mapping->path, look->exe))
		look->program = object;
	for (u32 i = 0; i < look->count; i++)
		if (look->files[i] == object)
			return 0;
	look->files[look->count++] = object;
	return 0;
}

static void read_exe(struct look *look)
{
	char link[64];
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/%d/exe", look->pid);
	length = readlink(link, look->exe, sizeof(look->exe) - 1);
	look->exe[length > 0 ? length : 0] = '\0';
}

static void look_at_files(struct findings *findings, struct look *look,
			  const struct symbol_sources *symbols, const struct debug_sources *sources)
{
	struct library_sums sums = { 0 };
	struct file_state state;

	for (u32 i = 0; i < look->count; i++) {
		file_state_read(&state, look->files[i], symbols);
		if (look->files[i] == look->program)
			file_findings(findings, &state, sources);
		else
			library_sums_add(&sums, look->files[i]->name, &state);
	}
	library_findings(findings, &sums);
}

void process_findings(struct findings *findings, pid_t pid, bool asks,
		      const struct symbol_sources *symbols, const struct debug_sources *sources)
{
	struct look look = { .pid = pid, .objects = objects_new() };
	char name[32];
	ssize_t count;

	if (!look.objects) {
		findings->failed = true;
		return;
	}
	snprintf(name, sizeof(name), "process %d", pid);
	findings->subject = name;
	read_exe(&look);
	count = proc_maps_read(pid, take, &look);
	if (count < 0 && (errno == ENOENT || errno == ESRCH)) {
		found(findings, "process", FINDING_PROBLEM,
		      "there is no such process: give one that runs");
		mend(findings, PROCESSES);
	} else {
		follow_findings(findings, pid, asks ? ask_to_follow(pid) : NOT_TRIED);
		if (count < 0) {
			found(findings, "program", FINDING_UNKNOWN,
			      "its mappings cannot be read: %s", strerror(errno));
			mend(findings, "sudo gapp-read doctor -p %d", pid);
		} else if (!count) {
			found(findings, "program", FINDING_PROBLEM,
			      "it is a kernel thread, or has exited: give the name of a kernel thread to --kthreads, or a process that runs");
			mend(findings, PROCESSES);
		} else {
			look_at_files(findings, &look, symbols, sources);
		}
	}
	findings->subject = NULL;
	objects_free(look.objects);
}
