// SPDX-License-Identifier: GPL-2.0
#include "ctl_socket.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>

#include "opts.h"

#define ROOT_FOLDER "/run/gapp"
#define BACKLOG 8
/* How often, in a second, a lock is tried. */
#define LOCK_TRIES 50

/* The path of the user's folder, to be freed. NULL: no memory. */
static char *folder_path(void)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR"), *own = getenv("GAPP_CTL_DIR");
	char *path;
	int length;

	if (own && *own)
		return strdup(own);
	if (!geteuid())
		return strdup(ROOT_FOLDER);
	if (runtime && *runtime == '/')
		length = asprintf(&path, "%s/gapp", runtime);
	else
		length = asprintf(&path, "/tmp/gapp-%u", geteuid());
	return length < 0 ? NULL : path;
}

static int complain_of_folder(const char *path, const char *why)
{
	complain("cannot use the folder %s for the socket of gapp-read ctl: %s; give -s SOCKET",
		 path, why);
	return -1;
}

/*
 * So that two that begin at once do not both remove what they take for left behind. Whoever can
 * read the folder of -s can hold its lock, so nobody waits for it for long.
 */
static void lock(int folder)
{
	const struct timespec pause = { .tv_nsec = NSEC_PER_SEC / LOCK_TRIES };

	for (int i = 0; i < LOCK_TRIES && flock(folder, LOCK_EX | LOCK_NB); i++)
		nanosleep(&pause, NULL);
}

/* Opens the user's folder. Returns -1 with errno ENOENT and no complaint if it is not there. */
static int open_folder(const char *path, bool make)
{
	struct stat status;
	int fd;

	if (make && mkdir(path, 0700) && errno != EEXIST)
		return complain_of_folder(path, strerror(errno));
	/* who could make a link there would choose where sockets are made and removed */
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0) {
		int error = errno;

		if (make || error != ENOENT)
			complain_of_folder(path, strerror(error));
		errno = error;
		return -1;
	}
	if (!fstat(fd, &status) && status.st_uid == geteuid() && !(status.st_mode & 077))
		return fd;
	close(fd);
	errno = EACCES;
	return complain_of_folder(path, "it is not yours alone (chmod 700)");
}

/* The socket at @path: its folder may be anyone's, whom its owner trusts. */
static int place_of_path(struct ctl_place *place, const char *path)
{
	_cleanup_free_ char *folder = strdup(path);
	char *slash = folder ? strrchr(folder, '/') : NULL;
	const char *name = strrchr(path, '/');

	place->path = strdup(path);
	place->name = strdup(name ? name + 1 : path);
	if (!folder || !place->path || !place->name)
		return out_of_memory();
	if (slash)
		slash[slash == folder] = '\0';
	place->folder = open(slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (place->folder >= 0 && *place->name)
		return 0;
	complain("-s %s: %s", path, *place->name ? strerror(errno) : "it is a folder");
	return -1;
}

int ctl_place_find(struct ctl_place *place, const char *path, pid_t pid, bool make)
{
	_cleanup_free_ char *folder = NULL;

	*place = (struct ctl_place)CTL_PLACE_NONE;
	if (path)
		return place_of_path(place, path);
	folder = folder_path();
	if (!folder || asprintf(&place->name, "%d", pid) < 0) {
		place->name = NULL;
		return out_of_memory();
	}
	if (asprintf(&place->path, "%s/%d", folder, pid) < 0) {
		place->path = NULL;
		return out_of_memory();
	}
	place->folder = open_folder(folder, make);
	if (place->folder >= 0)
		return 0;
	if (!make && errno == ENOENT)
		complain(
			"no gapp-read %d of yours can be told anything: start it with --keep, or -s",
			pid);
	return -1;
}

void ctl_place_free(struct ctl_place *place)
{
	cleanup_close(&place->folder);
	free(place->name);
	free(place->path);
	*place = (struct ctl_place)CTL_PLACE_NONE;
}

/*
 * The address by the folder's descriptor: the folder that was looked at is the one that is used,
 * and its path may be of any length.
 */
static int set_address(struct sockaddr_un *address, const struct ctl_place *place)
{
	int length;

	*address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	length = snprintf(address->sun_path, sizeof(address->sun_path), "/proc/self/fd/%d/%s",
			  place->folder, place->name);
	if (length < (int)sizeof(address->sun_path))
		return 0;
	errno = ENAMETOOLONG;
	return -1;
}

int ctl_connect(const struct ctl_place *place, bool wait)
{
	struct sockaddr_un address;
	int fd, error;

	if (set_address(&address, place))
		return -1;
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | (wait ? 0 : SOCK_NONBLOCK), 0);
	if (fd < 0)
		return -1;
	if (!connect(fd, (struct sockaddr *)&address, sizeof(address)))
		return fd;
	error = errno;
	close(fd);
	errno = error;
	return -1;
}

/*
 * Removes a socket that nobody listens at; the caller has locked the folder, so that nobody makes
 * one there meanwhile. Returns 0, or -1 with errno: EADDRINUSE if it is in use, or is no socket.
 */
static int remove_stale(const struct ctl_place *place)
{
	struct stat status;
	int fd;

	if (fstatat(place->folder, place->name, &status, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? 0 : -1;
	if (!S_ISSOCK(status.st_mode)) {
		errno = EADDRINUSE;
		return -1;
	}
	fd = ctl_connect(place, false);
	if (fd < 0 && errno == ECONNREFUSED)
		return unlinkat(place->folder, place->name, 0);
	cleanup_close(&fd);
	errno = EADDRINUSE;
	return -1;
}

/* Makes the socket. Returns its file descriptor, or -1 with errno. */
static int make_socket(const struct ctl_place *place)
{
	struct sockaddr_un address;
	int fd, failed, error;
	mode_t mask;

	if (set_address(&address, place) || remove_stale(place))
		return -1;
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -1;
	/* the mode is there from the begin, not after a chmod() */
	mask = umask(0177);
	failed = bind(fd, (struct sockaddr *)&address, sizeof(address));
	error = errno;
	umask(mask);
	if (!failed && !listen(fd, BACKLOG))
		return fd;
	error = failed ? error : errno;
	close(fd);
	errno = error;
	return -1;
}

int ctl_listen(struct ctl_place *place)
{
	struct stat status;
	int fd, error;

	lock(place->folder);
	fd = make_socket(place);
	error = errno;
	if (fd >= 0 && !fstatat(place->folder, place->name, &status, AT_SYMLINK_NOFOLLOW))
		place->inode = status.st_ino;
	flock(place->folder, LOCK_UN);
	if (fd < 0)
		complain("cannot make the socket %s: %s", place->path,
			 error == EADDRINUSE ?
				 "there is such a file, or another gapp-read listens" :
				 strerror(error));
	return fd;
}

void ctl_unlink(const struct ctl_place *place)
{
	struct stat status;

	if (!place->inode)
		return;
	lock(place->folder);
	if (!fstatat(place->folder, place->name, &status, AT_SYMLINK_NOFOLLOW) &&
	    status.st_ino == place->inode)
		unlinkat(place->folder, place->name, 0);
	flock(place->folder, LOCK_UN);
}

bool ctl_is_trusted(int fd)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size))
		return false;
	return peer.uid == geteuid() || !peer.uid;
}

/* Whether a name in the folder is a process id. */
static bool is_pid(const char *name, pid_t *pid)
{
	const char *end;
	u32 number;

	if (parse_count(name, &end, INT32_MAX, &number) || *end || !number)
		return false;
	*pid = number;
	return true;
}

/* Whether the process listens; its socket is removed if it has ended. */
static bool listens(int folder, const char *name)
{
	const struct ctl_place place = { .folder = folder, .name = (char *)name };
	int fd = ctl_connect(&place, false);

	if (fd < 0 && errno == ECONNREFUSED)
		unlinkat(folder, name, 0);
	if (fd < 0)
		return errno == EAGAIN;
	close(fd);
	return true;
}

int ctl_find(pid_t *pids, int room)
{
	_cleanup_free_ char *path = folder_path();
	struct dirent *entry;
	int fd, count = 0;
	DIR *dir;
	pid_t pid;

	if (!path)
		return out_of_memory();
	fd = open_folder(path, false);
	if (fd < 0)
		return errno == ENOENT ? 0 : -1;
	dir = fdopendir(fd);
	if (!dir) {
		close(fd);
		return out_of_memory();
	}
	lock(fd);
	while ((entry = readdir(dir))) {
		if (!is_pid(entry->d_name, &pid) || !listens(fd, entry->d_name))
			continue;
		if (count < room)
			pids[count] = pid;
		count++;
	}
	flock(fd, LOCK_UN);
	closedir(dir);
	return count;
}
