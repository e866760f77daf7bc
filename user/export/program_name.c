// SPDX-License-Identifier: GPL-2.0
#include "program_name.h"

#include "util/names.h"

/* What the process's first thread is called, or this one if that is not recorded. */
static char *leader_name(const struct stays *stays, const struct stays_thread *thread)
{
	const struct stays_thread_key key = { thread->key.tgid, thread->key.tgid };
	u32 leader = keyed_find(&stays->threads, &key);

	if (leader != HASH_NONE && stays->threads.rows[leader].followed)
		thread = &stays->threads.rows[leader];
	return name_text(thread->comm, comm_len(thread->comm));
}

char *program_name(const struct command_lines *commands, const struct stays *stays, u32 number)
{
	const struct stays_thread *thread = &stays->threads.rows[number];
	const char *command = command_lines_find(commands, thread->key.tgid);
	size_t length = command ? strcspn(command, " ") : 0, begin = length;

	if (!length)
		return leader_name(stays, thread);
	while (begin && command[begin - 1] != '/')
		begin--;
	return name_text(command + begin, length - begin);
}
