// SPDX-License-Identifier: GPL-2.0
#include "advice.h"

#include "util/ask.h"
#include "util/hash_index.h"

/* A package manager that takes longer does not help. */
#define ANSWER_NS (3 * NSEC_PER_SEC)
#define ANSWER_SIZE 512
/* With fewer active threads on average hardly one that spins is among them. */
#define SEVERAL_ACTIVE 1.5
/* Characters of a path that dpkg-query would take for a pattern. */
#define PATTERN "*?[\\"

/* "libc6:amd64: /lib/x86_64-linux-gnu/libc.so.6": writes the package's name. */
static bool take_dpkg(char *package, const char *line)
{
	size_t length = strcspn(line, ":");

	/* "diversion by ..." and several packages of one file */
	if (!length || strcspn(line, " ,") < length || !line[length])
		return false;
	snprintf(package, ANSWER_SIZE, "%.*s", (int)length, line);
	return true;
}

static bool ask_dpkg(char *package, const char *path)
{
	const char *const command[] = { "/usr/bin/dpkg-query", "-S", "--", path, NULL };
	char line[ANSWER_SIZE];

	return !strpbrk(path, PATTERN) && ask(command, ANSWER_NS, line, sizeof(line)) &&
	       take_dpkg(package, line);
}

/* dpkg knows a file by the path in its package, which may be without the /usr that leads to it. */
static bool find_dpkg(char *package, const char *path)
{
	static const char usr[] = "/usr/";

	if (ask_dpkg(package, path))
		return true;
	return !strncmp(path, usr, strlen(usr)) && ask_dpkg(package, path + strlen("/usr"));
}

static bool find_rpm(char *package, const char *path)
{
	const char *const command[] = {
		"/usr/bin/rpm", "-qf", "--qf", "%{NAME}\n", "--", path, NULL
	};

	return ask(command, ANSWER_NS, package, ANSWER_SIZE) && !strchr(package, ' ');
}

/* Writes "install libc6-dbg" or the like. */
static void put_cure(char *cure, size_t size, const struct object *object)
{
	char package[ANSWER_SIZE];
	/* the package manager knows the files that we see, not a container's */
	bool ours = elf_file_is_ours(object);

	if (object->replaced)
		snprintf(
			cure, size,
			"whose file was replaced, or went with its container, record again, or give that file below --symfs DIR");
	else if (ours && find_dpkg(package, object->path))
		snprintf(cure, size, "install %s%s", package,
			 strcmp(package, "libc6") ? "-dbgsym" : "-dbg");
	else if (ours && find_rpm(package, object->path))
		snprintf(cure, size, "run dnf debuginfo-install %s", package);
	else if (geteuid())
		snprintf(cure, size, "set DEBUGINFOD_URLS, or do not strip it");
	else
		snprintf(cure, size, "give --debuginfod, or do not strip it");
}

/**
 * struct cause - critical time in functions without a name, for one cause
 * @object: the file that has them; NULL: @advice says it all
 * @advice: advice that comes with the functions
 * @ns: critical time in them
 * @place_ns: critical time of places that are such functions
 */
struct cause {
	const struct object *object;
	const char *advice;
	double ns;
	double place_ns;
};

/**
 * struct causes - all causes, in the order in which they were found
 */
struct causes {
	struct cause *list;
	u32 count;
	u32 room;
};

static void free_causes(struct causes *causes)
{
	free(causes->list);
}

/* Adds the time of a function, as a leaf or as a place. Returns 0, or -1 without memory. */
static int add(struct causes *causes, const struct frame *frame, double ns, double place_ns)
{
	struct cause cause = { .advice = frame->advice, .ns = ns, .place_ns = place_ns };
	u32 i;

	if (!cause.advice) {
		if (frame->function || !frame->object || frame->object->kind != OBJECT_FILE)
			return 0;
		cause.object = frame->object;
	}
	for (i = 0; i < causes->count; i++) {
		struct cause *known = &causes->list[i];

		if (known->object == cause.object && known->advice == cause.advice) {
			known->ns += ns;
			known->place_ns += place_ns;
			return 0;
		}
	}
	if (array_grow(&causes->list, &causes->room, i, sizeof(cause)))
		return -1;
	causes->list[causes->count++] = cause;
	return 0;
}

static int put(struct results *results, const char *advice)
{
	if (results->advice_count >= ADVICE_MAX)
		return 0;
	results->advice[results->advice_count] = strdup(advice);
	return results->advice[results->advice_count++] ? 0 : -1;
}

/* Puts the advice for the file with most time, and says how many there are. */
static int put_files(struct results *results, const struct causes *causes)
{
	char words[2 * ANSWER_SIZE], cure[ANSWER_SIZE + 32], more[48] = "";
	const struct cause *worst = NULL;
	u32 files = 0;

	for (u32 i = 0; i < causes->count; i++) {
		const struct cause *cause = &causes->list[i];

		if (!cause->object || results_percent_of_all(results, cause->ns) < NOTABLE_PERCENT)
			continue;
		files++;
		if (!worst || cause->ns > worst->ns)
			worst = cause;
	}
	if (!worst)
		return 0;
	put_cure(cure, sizeof(cure), worst->object);
	if (files > 1)
		snprintf(more, sizeof(more), " (and the like for %u more file%s)", files - 1,
			 files == 2 ? "" : "s");
	snprintf(words, sizeof(words), "for names of functions in %s, %s%s", worst->object->name,
		 cure, more);
	return put(results, words);
}

/* Finds the causes of functions without a name where time went, or that are places. */
static int find_causes(struct causes *causes, const struct results *results)
{
	const struct ranking *functions = &results->functions, *places = &results->places;

	for (size_t i = 0; i < functions->count; i++) {
		const struct ranked *row = &functions->rows[i];

		if (row->frame_count && add(causes, &row->frames[0], row->critical_ns, 0))
			return -1;
	}
	for (size_t i = 0; i < places->count; i++) {
		const struct ranked *row = &places->rows[i];

		if (row->frame_count && add(causes, &row->frames[0], 0, row->critical_ns))
			return -1;
	}
	/* a place's time may be that of leaves in it */
	for (u32 i = 0; i < causes->count; i++)
		if (causes->list[i].ns < causes->list[i].place_ns)
			causes->list[i].ns = causes->list[i].place_ns;
	return 0;
}

/* Threads that seem active may spin, and nobody can tell. */
static int put_decoder(struct results *results)
{
	if (!results->table_sync.objects.spin_without ||
	    model_average(&results->model) < SEVERAL_ACTIVE)
		return 0;
	return put(results, ADVICE_DECODER);
}

int results_advise(struct results *results)
{
	_cleanup_(free_causes) struct causes causes = { 0 };

	while (results->advice_count)
		free(results->advice[--results->advice_count]);
	if (find_causes(&causes, results))
		return -1;
	for (u32 i = 0; i < causes.count; i++) {
		const struct cause *cause = &causes.list[i];

		if (cause->advice &&
		    results_percent_of_all(results, cause->ns) >= NOTABLE_PERCENT &&
		    put(results, cause->advice))
			return -1;
	}
	return put_files(results, &causes) || put_decoder(results) ? -1 : 0;
}
