/* SPDX-License-Identifier: GPL-2.0 */
/* A folder that stands in for a machine's root, and what was found there. */
#ifndef FAKE_SYSTEM_H
#define FAKE_SYSTEM_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "doctor/findings.h"
#include "doctor/system.h"

#define RELEASE "6.12.63-test"

static char fake_root[64];
static _attribute_(unused) struct system fake = { .root = fake_root,
						  .release = RELEASE,
						  .build = "#1 SMP PREEMPT_DYNAMIC",
						  .machine = "x86_64" };
static struct findings answers;

static inline void run(const char *format, ...)
{
	char command[4096];
	va_list values;

	va_start(values, format);
	vsnprintf(command, sizeof(command), format, values);
	va_end(values);
	if (system(command))
		fail_msg("failed: %s", command);
}

static inline void put(const char *path, const char *text)
{
	char whole[512];
	FILE *file;

	snprintf(whole, sizeof(whole), "%s%s", fake_root, path);
	run("mkdir -p $(dirname %s)", whole);
	file = fopen(whole, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

/* A machine with nothing but a package manager, and what keys are made and enrolled by. */
static inline int fake_new(void **state)
{
	strcpy(fake_root, "/tmp/gapp-doctor-XXXXXX");
	if (!mkdtemp(fake_root))
		return -1;
	put("/usr/bin/apt-get", "");
	put("/usr/bin/openssl", "");
	put("/usr/bin/mokutil", "");
	return 0;
}

static inline int fake_end(void **state)
{
	run("rm -r %s", fake_root);
	findings_free(&answers);
	return 0;
}

static inline const struct finding *answer(const char *check)
{
	for (u32 i = 0; i < answers.count; i++)
		if (!strcmp(answers.list[i].check, check))
			return &answers.list[i];
	fail_msg("nothing was found about '%s'", check);
	return NULL;
}

/* Has the answer of a check that level, a text with @text, and that command? NULL: none. */
static inline void is(const char *check, enum finding_level level, const char *text,
		      const char *command)
{
	const struct finding *finding = answer(check);

	assert_int_equal(finding->level, level);
	if (!strstr(finding->text, text))
		fail_msg("'%s' is not in '%s'", text, finding->text);
	if (!command)
		assert_null(finding->command);
	else if (!finding->command)
		fail_msg("no command for: %s", finding->text);
	else
		assert_string_equal(finding->command, command);
}

#define machine_test(name) cmocka_unit_test_setup_teardown(name, fake_new, fake_end)

#endif /* FAKE_SYSTEM_H */
