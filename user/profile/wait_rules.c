// SPDX-License-Identifier: GPL-2.0
/*
 * Finds the rule that says what a thread waits for, and reads the rules of a user's file. The
 * functions on the path are asked from the innermost one outwards. The first one that a rule names
 * tells what the thread waits for; its callers may say more, as long as they are library code: a
 * condition variable within take_gil() is Python's lock. The program's own code waits for whatever
 * it called, and so the search ends there.
 */
#include "wait_rules.h"

#include <stdio.h>
#include <string.h>

#include "profile.h"
#include "symbol/own_code.h"

/* Innermost frames that are looked at. */
#define LOOK_AT_FRAMES 16
/* A file of rules is written by a person. */
#define FILE_BYTES_MAX 0x100000U

bool wait_pattern_fits(const char *pattern, const char *text)
{
	const char *star = NULL, *from = NULL;

	while (*text) {
		if (*pattern == '*') {
			star = pattern++;
			from = text;
		} else if (*pattern == '?' || *pattern == *text) {
			pattern++;
			text++;
		} else if (star) {
			pattern = star + 1;
			text = ++from;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

/* What compilers, linkers and libcs add behind a name: a version, a copy's mark, arguments, "64".
 */
static size_t suffix_begin(const char *name)
{
	size_t length = strlen(name), at;

	/* "sync.(*Mutex).Lock": arguments do not stand at the begin of a method's name */
	for (at = 1; at < length; at++)
		if (name[at] == '@' || name[at] == '<' || (name[at] == '(' && name[at - 1] != '.'))
			break;
	if (at > length)
		at = length;
	return at;
}

/* Removes prefixes: libc also names a function "__GI___pthread_mutex_lock". */
static const char *without_prefix(const char *name)
{
	static const char *const prefixes[] = { "_", "GI_", "libc_" };
	size_t i = 0;

	while (i < ARRAY_SIZE(prefixes)) {
		size_t length = strlen(prefixes[i]);

		i++;
		if (strncmp(name, prefixes[i - 1], length))
			continue;
		name += length;
		i = 0;
	}
	return name;
}

#define NAME_BYTES 256

/* Whether the name fits as it is, or without what was added to it. */
static bool name_fits(const char *pattern, const char *name)
{
	static const char *const marks[] = { "64",    ".part", ".isra",	   ".constprop",
					     ".cold", ".llvm", ".lto_priv" };
	char plain[NAME_BYTES];
	size_t length;

	/* nearly all names differ at once from nearly all patterns */
	if (*pattern != '*' && *pattern != '?' && *pattern != *name)
		return false;
	if (wait_pattern_fits(pattern, name))
		return true;
	length = suffix_begin(name);
	if (length >= sizeof(plain))
		return false;
	memcpy(plain, name, length);
	plain[length] = '\0';
	for (size_t i = 1; i < ARRAY_SIZE(marks); i++) {
		char *mark = strstr(plain, marks[i]);

		if (mark)
			*mark = '\0';
	}
	if (wait_pattern_fits(pattern, plain))
		return true;
	length = strlen(plain);
	if (length <= 2 || strcmp(plain + length - 2, marks[0]))
		return false;
	plain[length - 2] = '\0';
	return wait_pattern_fits(pattern, plain);
}

static bool function_fits(const char *pattern, const char *name)
{
	const char *plain;

	if (!name)
		return !strcmp(pattern, "-");
	plain = without_prefix(name);
	return name_fits(pattern, name) || (plain != name && name_fits(pattern, plain));
}

static bool object_fits(const char *pattern, const struct frame *frame)
{
	const char *slash;

	if (!strcmp(pattern, "*"))
		return true;
	slash = strrchr(frame->module, '/');
	return wait_pattern_fits(pattern, slash ? slash + 1 : frame->module);
}

bool wait_rule_fits(const struct wait_rule *rule, const struct frame *frame)
{
	return function_fits(rule->function, frame->function) && object_fits(rule->object, frame);
}

/* Whether a rule may follow on what is known of the functions inside. */
static bool may_follow(const struct wait_rule *rule, const struct wait_rule *known)
{
	if (!rule->after)
		return !known;
	return known && known->kind.name && wait_pattern_fits(rule->after, known->kind.name);
}

static const struct wait_rule *look_up(const struct wait_rule *rules, size_t count,
				       const struct frame *frame, const struct wait_rule *known,
				       u32 by_call)
{
	for (size_t i = 0; i < count; i++)
		if (may_follow(&rules[i], known) &&
		    (!rules[i].by_call || rules[i].by_call == by_call) &&
		    wait_rule_fits(&rules[i], frame))
			return &rules[i];
	return NULL;
}

/* Crates of Rust that have a place in the table: they are compiled into the program. */
bool wait_is_library(const struct frame *frame)
{
	static const char *const crates[] = { "rayon_core::", "rayon::", "tokio::", "parking_lot",
					      "crossbeam" };
	const char *name = frame->function;

	if (function_is_library(frame))
		return true;
	if (!name)
		return false;
	name += *name == '<';
	for (size_t i = 0; i < ARRAY_SIZE(crates); i++)
		if (!strncmp(name, crates[i], strlen(crates[i])))
			return true;
	return false;
}

/* The user's rules may name any function: the innermost one decides. */
static const struct wait_rule *look_up_users(const struct wait_rules *rules,
					     const struct frame *const *functions, size_t count)
{
	for (size_t i = 0; rules && i < count; i++) {
		const struct wait_rule *rule =
			look_up(rules->rules, rules->count, functions[i], NULL, 0);

		if (rule)
			return rule;
	}
	return NULL;
}

const struct wait_rule *wait_rules_find(const struct wait_rules *rules,
					const struct frame *const *functions, size_t count,
					u32 by_call)
{
	const struct wait_rule *known, *next;

	if (count > LOOK_AT_FRAMES)
		count = LOOK_AT_FRAMES;
	known = look_up_users(rules, functions, count);
	if (known)
		return known;
	for (size_t i = 0; i < count; i++) {
		next = look_up(wait_table, wait_table_count, functions[i], known, by_call);
		if (next)
			known = next;
		else if (!wait_is_library(functions[i]))
			break;
	}
	return known;
}

/* The next word of a line, which ends there; NULL: there is none. */
static char *take_word(char **line)
{
	char *word = *line + strspn(*line, " \t\r");
	size_t length = strcspn(word, " \t\r");

	if (!length)
		return NULL;
	*line = word + length;
	if (**line)
		*(*line)++ = '\0';
	return word;
}

static bool take_reason(const char *word, u32 *reason)
{
	for (u32 i = 0; i < GAPP_WAIT_REASONS; i++) {
		if (strcmp(word, wait_name(i)) || (i && !strcmp(word, "other")))
			continue;
		*reason = i;
		return true;
	}
	return false;
}

static char *trimmed(char *text)
{
	size_t length;

	text += strspn(text, " \t\r");
	for (length = strlen(text); length && strchr(" \t\r", text[length - 1]);)
		text[--length] = '\0';
	return text;
}

/* Reads "FUNCTION FILE REASON [NAME]". Returns what is wrong with it, or NULL. */
static const char *read_rule(char *line, struct wait_rule *rule)
{
	char *function = take_word(&line), *object = take_word(&line), *reason = take_word(&line);
	char *name = trimmed(line);

	if (!reason)
		return "a rule is FUNCTION FILE REASON [NAME]";
	if (!take_reason(reason, &rule->kind.reason))
		return "there is no such wait reason";
	if (!strcmp(function, "*") && !strcmp(object, "*"))
		return "it would name every wait";
	rule->function = function;
	rule->object = object;
	rule->kind.name = *name ? name : NULL;
	return NULL;
}

/* Reads all lines of @rules->text. Returns 0, or -1 with a complaint made. */
static int read_rules(struct wait_rules *rules, const char *path)
{
	char *line = rules->text, *next;
	size_t lines = 1, number = 1;
	const char *wrong;

	for (const char *at = line; *at; at++)
		lines += *at == '\n';
	rules->rules = calloc(lines, sizeof(*rules->rules));
	if (!rules->rules)
		return out_of_memory();
	for (; line; line = next, number++) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		line = trimmed(line);
		if (!*line || *line == '#')
			continue;
		wrong = read_rule(line, &rules->rules[rules->count]);
		if (wrong) {
			complain("%s:%zu: %s", path, number, wrong);
			return -1;
		}
		rules->count++;
	}
	return 0;
}

/* The text of a file, to be freed; NULL with a complaint made. */
static char *read_text(const char *path)
{
	FILE *file = fopen(path, "re");
	char *text;
	size_t size;

	if (!file) {
		complain("cannot read %s: %s", path, strerror(errno));
		return NULL;
	}
	text = malloc(FILE_BYTES_MAX + 1);
	size = text ? fread(text, 1, FILE_BYTES_MAX + 1, file) : 0;
	if (!text) {
		out_of_memory();
	} else if (ferror(file) || size > FILE_BYTES_MAX || memchr(text, '\0', size)) {
		complain("%s is no file of rules", path);
		free(text);
		text = NULL;
	} else {
		text[size] = '\0';
	}
	fclose(file);
	return text;
}

struct wait_rules *wait_rules_read(const char *path)
{
	struct wait_rules *rules = calloc(1, sizeof(*rules));

	if (!rules) {
		out_of_memory();
		return NULL;
	}
	rules->text = read_text(path);
	if (rules->text && !read_rules(rules, path))
		return rules;
	wait_rules_free(rules);
	return NULL;
}

void wait_rules_free(struct wait_rules *rules)
{
	if (!rules)
		return;
	free(rules->rules);
	free(rules->text);
	free(rules);
}
