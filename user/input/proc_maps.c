// SPDX-License-Identifier: GPL-2.0
#include "proc_maps.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <sys/sysmacros.h>

/* Reads a number that @end follows, and moves @text behind @end, or to the NUL if that is @end. */
static bool take_number(char **text, int base, char end, u64 *number)
{
	char *behind;

	/* strtoull() would take a sign or a space */
	if (!isxdigit((unsigned char)**text))
		return false;
	errno = 0;
	*number = strtoull(*text, &behind, base);
	if (errno || *behind != end)
		return false;
	*text = behind + (end != '\0');
	return true;
}

/* "r-xp " */
static bool take_permissions(char **text, struct proc_mapping *mapping)
{
	if (strspn(*text, "rwxsp-") != 4 || (*text)[4] != ' ')
		return false;
	mapping->executable = (*text)[2] == 'x';
	mapping->shared = (*text)[3] == 's';
	*text += 5;
	return true;
}

/* The kernel writes a newline in a path as \012, and a backslash as it is. */
static void unescape(char *path)
{
	static const char newline[] = "\\012";
	size_t len = sizeof(newline) - 1;
	char *to = path;

	for (const char *from = path; *from; to++) {
		bool escaped = !strncmp(from, newline, len);

		*to = escaped ? '\n' : *from;
		from += escaped ? len : 1;
	}
	*to = '\0';
}

/* Whether the permissions, behind the first space, have x: most lines need not be read further. */
static bool is_executable(const char *line)
{
	const char *space = strchr(line, ' ');

	return space && strnlen(space, 4) == 4 && space[3] == 'x';
}

bool proc_maps_parse(char *line, struct proc_mapping *mapping)
{
	u64 major, minor;

	*strchrnul(line, '\n') = '\0';
	if (!take_number(&line, 16, '-', &mapping->start) ||
	    !take_number(&line, 16, ' ', &mapping->end) || !take_permissions(&line, mapping) ||
	    !take_number(&line, 16, ' ', &mapping->offset) ||
	    !take_number(&line, 16, ':', &major) || !take_number(&line, 16, ' ', &minor))
		return false;
	mapping->dev = makedev(major, minor);

	/* without a path the line may end behind the inode */
	if (!take_number(&line, 10, strchr(line, ' ') ? ' ' : '\0', &mapping->inode))
		return false;
	line += strspn(line, " ");
	unescape(line);
	mapping->path = line;
	return mapping->start < mapping->end;
}

ssize_t proc_maps_read_file(const char *file_name, bool all, proc_mapping_fn each, void *context)
{
	_cleanup_free_ char *line = NULL;
	struct proc_mapping mapping;
	ssize_t count = 0, length;
	size_t room = 0;
	FILE *file;
	int error;

	file = fopen(file_name, "re");
	if (!file)
		return -1;
	while ((length = getline(&line, &room, file)) > 0) {
		if (!(all || is_executable(line)) || !proc_maps_parse(line, &mapping))
			continue;
		count++;
		if (each(context, &mapping))
			break;
	}
	if (length < 0 && !feof(file))
		count = -1;
	error = errno;
	fclose(file);
	errno = error;
	return count;
}

ssize_t proc_maps_read(pid_t pid, proc_mapping_fn each, void *context)
{
	char file_name[64];
	ssize_t count;
	pid_t other;

	snprintf(file_name, sizeof(file_name), "/proc/%d/maps", pid);
	count = proc_maps_read_file(file_name, false, each, context);
	if (count)
		return count;
	/* the leader may have exited before the others */
	other = proc_other_thread(pid);
	if (!other)
		return 0;
	snprintf(file_name, sizeof(file_name), "/proc/%d/task/%d/maps", pid, other);
	return proc_maps_read_file(file_name, false, each, context);
}

pid_t proc_other_thread(pid_t pid)
{
	char folder_name[64];
	struct dirent *entry;
	pid_t other = 0;
	DIR *folder;

	snprintf(folder_name, sizeof(folder_name), "/proc/%d/task", pid);
	folder = opendir(folder_name);
	if (!folder)
		return 0;
	while (!other && (entry = readdir(folder))) {
		other = atoi(entry->d_name);
		if (other == pid)
			other = 0;
	}
	closedir(folder);
	return other;
}

pid_t proc_process_of(pid_t tid)
{
	char path[32], line[128];
	pid_t pid = tid;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	file = fopen(path, "re");
	if (!file)
		return tid;
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "Tgid: %d", &pid) == 1)
			break;
	fclose(file);
	return pid;
}

void proc_children(pid_t pid, void (*each)(void *context, pid_t child), void *context)
{
	char folder_name[64], path[64];
	struct dirent *entry;
	DIR *folder;
	FILE *file;

	snprintf(folder_name, sizeof(folder_name), "/proc/%d/task", pid);
	folder = opendir(folder_name);
	if (!folder)
		return;
	while ((entry = readdir(folder))) {
		snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pid, atoi(entry->d_name));
		file = fopen(path, "re");
		if (!file)
			continue;
		for (pid_t child; fscanf(file, "%d", &child) == 1;)
			each(context, child);
		fclose(file);
	}
	closedir(folder);
}
