// SPDX-License-Identifier: GPL-2.0
#include "subject.h"

#include <sys/stat.h>

#define TEXT_MAX 4096

static char folder[64];

int subject_begin(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/gapp-symbols-XXXXXX");
	if (!mkdtemp(folder) || chdir(folder))
		return -1;
	run("cp %s/* .", SUBJECTS);
	return 0;
}

int subject_end(void **state)
{
	(void)state;
	if (chdir("/"))
		return -1;
	run("rm -rf %s", folder);
	return 0;
}

bool runs(const char *command)
{
	return !system(command);
}

void run(const char *format, ...)
{
	char command[TEXT_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	if (!runs(command))
		fail_msg("failed: %s", command);
}

char *line_of(const char *format, ...)
{
	char command[TEXT_MAX], *line = NULL;
	size_t size = 0;
	va_list args;
	FILE *pipe;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	pipe = popen(command, "r");
	assert_non_null(pipe);
	if (getline(&line, &size, pipe) < 0)
		fail_msg("prints nothing: %s", command);
	pclose(pipe);
	line[strcspn(line, "\n")] = '\0';
	return line;
}

struct object *object_of(const char *name)
{
	struct object *object = calloc(1, sizeof(*object));
	struct stat stat;

	assert_non_null(object);
	assert_int_equal(lstat(name, &stat), 0);
	assert_true(asprintf(&object->path, "%s/%s", folder, name) > 0);
	object->name = strrchr(object->path, '/') + 1;
	object->dev = stat.st_dev;
	object->inode = stat.st_ino;
	return object;
}

void object_drop(struct object *object)
{
	free(object->path);
	free(object);
}

u64 symbol_address(const char *file, const char *symbol)
{
	_cleanup_free_ char *text =
		line_of("nm %s | awk '$3 == \"%s\" { print $1 }'", file, symbol);

	return strtoull(text, NULL, 16);
}

u64 symbol_size(const char *file, const char *symbol)
{
	_cleanup_free_ char *text =
		line_of("nm -S %s | awk '$4 == \"%s\" { print $2 }'", file, symbol);

	return strtoull(text, NULL, 16);
}

u64 offset_of(const char *file, u64 address)
{
	unsigned long long offset, begin, size;
	char *line = NULL, command[TEXT_MAX];
	u64 found = UINT64_MAX;
	size_t room = 0;
	FILE *pipe;

	snprintf(command, sizeof(command), "readelf -lW %s", file);
	pipe = popen(command, "r");
	assert_non_null(pipe);
	while (getline(&line, &room, pipe) > 0) {
		if (sscanf(line, " LOAD %llx %llx %*x %llx", &offset, &begin, &size) == 3 &&
		    address >= begin && address - begin < size)
			found = offset + (address - begin);
	}
	pclose(pipe);
	free(line);
	assert_true(found != UINT64_MAX);
	return found;
}

static void add_judged(struct judged *judged, const char *name, const char *place)
{
	const char *colon = strrchr(place, ':');
	size_t i = judged->count++;

	assert_true(i < JUDGED_FRAMES);
	assert_non_null(colon);
	judged->names[i] = strdup(name);
	judged->files[i] = strndup(place, colon - place);
	judged->lines[i] = strtoul(colon + 1, NULL, 10);
}

/* With -a a line with the address comes before each one's names and places. */
struct judged *judge(const char *file, u64 address, u64 size)
{
	struct judged *judged = calloc(size, sizeof(*judged));
	char *name = NULL, *place = NULL, command[TEXT_MAX];
	size_t name_size = 0, place_size = 0;
	s64 i = -1;
	FILE *pipe;

	assert_non_null(judged);
	snprintf(command, sizeof(command),
		 "seq %llu %llu | xargs printf '%%x\\n' | addr2line -a -f -i -e %s", address,
		 address + size - 1, file);
	pipe = popen(command, "r");
	assert_non_null(pipe);
	while (getline(&name, &name_size, pipe) > 0) {
		name[strcspn(name, "\n")] = '\0';
		if (!strncmp(name, "0x", 2)) {
			i++;
			continue;
		}
		assert_true(i >= 0 && (u64)i < size);
		assert_true(getline(&place, &place_size, pipe) > 0);
		place[strcspn(place, "\n")] = '\0';
		add_judged(&judged[i], name, place);
	}
	pclose(pipe);
	free(name);
	free(place);
	assert_int_equal(i, size - 1);
	return judged;
}

void judged_drop(struct judged *judged, u64 size)
{
	for (u64 i = 0; i < size; i++) {
		for (size_t k = 0; k < judged[i].count; k++) {
			free(judged[i].names[k]);
			free(judged[i].files[k]);
		}
	}
	free(judged);
}
