// SPDX-License-Identifier: GPL-2.0
#include "glob.h"

/*
 * Whether @c is in the set that begins behind a '['. Returns the character behind the set's ']', or
 * NULL: there is none, and the '[' stands for itself.
 */
static const char *match_set(const char *glob, unsigned char c, bool *matches)
{
	const bool inverted = *glob == '!' || *glob == '^';
	bool found = false;
	const char *first;

	glob += inverted;
	first = glob;
	while (*glob && (*glob != ']' || glob == first)) {
		unsigned char low, high;

		if (*glob == '\\' && glob[1])
			glob++;
		low = *glob++;
		high = low;
		if (*glob == '-' && glob[1] && glob[1] != ']') {
			glob++;
			if (*glob == '\\' && glob[1])
				glob++;
			high = *glob++;
		}
		found |= low <= c && c <= high;
	}
	*matches = found != inverted;
	return *glob ? glob + 1 : NULL;
}

/* Whether @c matches what stands at @glob, which is no '*'; sets what stands behind it. */
static bool match_one(const char *glob, char c, const char **behind)
{
	bool matches;

	*behind = glob + 1;
	switch (*glob) {
	case '\0':
		return false;
	case '?':
		return true;
	case '[':
		glob = match_set(glob + 1, c, &matches);
		if (!glob)
			return c == '[';
		*behind = glob;
		return matches;
	case '\\':
		*behind = glob + 2;
		return glob[1] && glob[1] == c;
	default:
		return *glob == c;
	}
}

/**
 * gapp_glob_matches() - whether a text is one of those that a pattern stands for
 * @glob: '*' stands for any characters, '?' for one, "[a-f_]" for one of these, "[!a-f_]" for
 *	another one; a backslash takes the meaning from the character behind it
 * @text: the text
 *
 * Each character of the text is tried at most once for each one before it, and each time what
 * stands at @glob is read at most to its end: 7,000 steps for a name of a process.
 *
 * Return: whether it is.
 */
bool gapp_glob_matches(const char *glob, const char *text)
{
	const char *star = NULL, *resume = NULL;

	while (*text) {
		const char *behind;

		if (*glob == '*') {
			star = ++glob;
			resume = text;
		} else if (match_one(glob, *text, &behind)) {
			glob = behind;
			text++;
		} else if (star) {
			/* the last '*' stands for one character more */
			glob = star;
			text = ++resume;
		} else {
			return false;
		}
	}
	while (*glob == '*')
		glob++;
	return !*glob;
}
