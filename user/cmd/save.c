// SPDX-License-Identifier: GPL-2.0
#include "save.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include "profile/saved_profile.h"
#include "report/saved_results.h"
#include "saved.h"
#include "saved_facts.h"
#include "sudo_user.h"

static int cannot_write(const struct options *options, const char *name, int error)
{
	complain("cannot write the recording to %s: %s%s", name, strerror(error),
		 options->save ? "" : "; give -o FILE.data, or --no-save");
	return -1;
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

/* Names that were not looked up yet are looked up first. Returns 0, or -1 without memory. */
static int write_captured(const struct captured *captured, const struct options *options,
			  const struct results *results, struct blocks_writer *writer)
{
	struct object_numbers numbers = { 0 };
	int error = 0;

	save_facts(options, captured->program, writer);
	results_save(results, &numbers, writer);
	if (captured->profile)
		error = profile_name_all(captured->profile, captured->symbols) ||
			profile_save(captured->profile, &numbers, writer) ||
			symbols_save(captured->symbols, &numbers, writer);
	objects_save(&numbers, writer);
	object_numbers_free(&numbers);
	return error ? -1 : 0;
}

/* Returns -errno, or 0. */
static int write_blocks(const struct captured *captured, const struct options *options,
			const struct results *results, int fd)
{
	struct blocks_writer writer;
	int error;

	blocks_begin(&writer, fd);
	error = write_captured(captured, options, results, &writer) ? -ENOMEM : 0;
	if (blocks_end(&writer))
		error = -writer.error;
	blocks_free(&writer);
	return error;
}

int save_recording(struct capture *capture, const struct options *options,
		   const struct results *results)
{
	_cleanup_close_ int fd = -1;
	_cleanup_free_ char *temporary = NULL;
	const char *name = options->save ?: SAVED_FILE;
	struct captured captured;
	int error, kept;

	if (options->no_save)
		return 0;
	capture_get(capture, &captured);
	fd = open_beside(&temporary, name);
	if (fd < 0)
		return cannot_write(options, name, errno);
	error = give_away(fd) ?: write_blocks(&captured, options, results, fd);
	/* what is whole of a file on a full disk is worth keeping */
	kept = error && error != -ENOSPC && error != -EDQUOT && error != -EFBIG ?
		       error :
		       replace(temporary, name);
	if (kept)
		unlink(temporary);
	if (error || kept)
		return cannot_write(options, name, -(error ?: kept));
	return 0;
}
