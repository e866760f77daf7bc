// SPDX-License-Identifier: GPL-2.0
#include "save.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include "profile/saved_profile.h"
#include "report/kept_records.h"
#include "report/saved_results.h"
#include "saved.h"
#include "saved_facts.h"
#include "sudo_user.h"

/* What is dropped of counters over time on a full disk: more than the rest of most recordings
 * takes.
 */
#define ROOM_BYTES 0x400000U

static const char *name_of(const struct saving *saving)
{
	return saving->name ?: saving->options->save ?: SAVED_FILE;
}

/* @error: errno. */
static void cannot_write(struct saving *saving, int error)
{
	saving->failed = true;
	complain("cannot write the recording to %s: %s%s", name_of(saving), strerror(error),
		 saving->options->save ? "" : "; give -o FILE.data, or --no-save");
}

/* Opens a file beside the one that it will replace, for its owner alone. */
static int open_beside(char **temporary, const char *name)
{
	if (asprintf(temporary, "%s.XXXXXX", name) < 0) {
		*temporary = NULL;
		errno = ENOMEM;
		return -1;
	}
	return mkostemp(*temporary, O_CLOEXEC);
}

/* The file belongs to who called sudo, unless its file system refuses that. Returns -errno, or 0.
 */
static int give_away(int fd)
{
	struct sudo_user user = { 0 };

	if (sudo_user_find(&user))
		return -EPERM;
	return user.other && fchown(fd, user.uid, user.gid) && errno != EPERM ? -errno : 0;
}

/* Renames a former recording, which is kept, and gives the new one its name. Returns errno, or 0.
 */
static int replace(const char *temporary, const char *name)
{
	_cleanup_free_ char *old = NULL;
	struct stat status;

	if (asprintf(&old, "%s.old", name) < 0) {
		old = NULL;
		return -ENOMEM;
	}
	if (!lstat(name, &status) && S_ISREG(status.st_mode) && rename(name, old))
		return -errno;
	return rename(temporary, name) ? -errno : 0;
}

static bool profile_has_path(const void *profile, u32 path)
{
	return profile_has(profile, path);
}

/*
 * Names that were not looked up yet are looked up first. Objects come before all that refers to
 * them: the end of a file is what a full disk has no room for. Returns 0, or -1 without memory.
 */
static int save_names(const struct captured *captured, struct object_numbers *numbers,
		      struct blocks_writer *writer)
{
	const struct kept_records *kept = captured->kept;

	if (profile_name_all(captured->profile, captured->symbols) ||
	    (kept && kept_records_name_all(kept, captured->symbols)) ||
	    profile_number(captured->profile, numbers))
		return -1;
	objects_save(numbers, writer);
	if (profile_save(captured->profile, numbers, writer))
		return -1;
	if (kept &&
	    kept_records_save_paths(kept, profile_has_path, captured->profile, numbers, writer))
		return -1;
	return symbols_save(captured->symbols, numbers, writer);
}

/* Returns 0, or -1 without memory. */
static int write_captured(const struct captured *captured, const struct options *options,
			  const struct results *results, struct blocks_writer *writer)
{
	struct object_numbers numbers = { 0 };
	struct cpu_nodes nodes;
	int error;

	if (captured->kept)
		kept_records_end(captured->kept);
	else if (writer->error)
		blocks_make_room(writer, ROOM_BYTES);
	error = cpu_nodes_read(&nodes, CPU_NODES_FOLDER);
	save_facts(options, captured->program, &nodes, writer);
	cpu_nodes_free(&nodes);
	if (error)
		return -1;
	results_save(results, &numbers, writer);
	error = captured->profile ? save_names(captured, &numbers, writer) : 0;
	/* those that are in no path of the profile */
	objects_save(&numbers, writer);
	object_numbers_free(&numbers);
	return error;
}

void save_begin(struct saving *saving, const struct options *options)
{
	int error;

	saving->options = options;
	saving->fd = open_beside(&saving->temporary, name_of(saving));
	if (saving->fd < 0) {
		free(saving->temporary);
		saving->temporary = NULL;
		cannot_write(saving, errno);
		return;
	}
	error = give_away(saving->fd);
	if (!error && blocks_begin(&saving->writer, saving->fd))
		error = -saving->writer.error;
	if (error)
		cannot_write(saving, -error);
}

/* Ends the file, and gives it its name. @error: errno of what was written so far, or 0. */
static void end(struct saving *saving, int error)
{
	int kept;

	if (blocks_end(&saving->writer))
		error = saving->writer.error;
	/* what is whole of a file on a full disk is worth keeping */
	kept = error && !blocks_full(error) ? error : -replace(saving->temporary, name_of(saving));
	if (!kept) {
		free(saving->temporary);
		saving->temporary = NULL;
	}
	if (error || kept)
		cannot_write(saving, error ?: kept);
}

/* Writes the recording to its open file. */
static void save(struct saving *saving, const struct options *options, struct capture *capture,
		 const struct results *results)
{
	struct captured captured;

	capture_get(capture, &captured);
	end(saving, write_captured(&captured, options, results, &saving->writer) ? ENOMEM : 0);
}

int save_whole(struct saving *saving, save_fn write, void *context)
{
	if (!saving->failed)
		end(saving, write(context, &saving->writer) ? ENOMEM : 0);
	return saving->failed ? -1 : 0;
}

int save_recording(struct saving *saving, const struct options *options, struct capture *capture,
		   const struct results *results)
{
	if (options->no_save)
		return 0;
	if (saving->fd < 0 && !saving->failed)
		save_begin(saving, options);
	if (!saving->failed)
		save(saving, options, capture, results);
	return saving->failed && options->save ? -1 : 0;
}

void saving_free(struct saving *saving)
{
	blocks_free(&saving->writer);
	cleanup_close(&saving->fd);
	if (saving->temporary)
		unlink(saving->temporary);
	free(saving->temporary);
}
