// SPDX-License-Identifier: GPL-2.0
#include "saved_facts.h"

#include <sys/utsname.h>
#include <time.h>

/* Words of a command that are kept. */
#define WORDS_MAX 256
#define PIDS_MAX 65536

/* Whole numbers of struct options that are about recording, in the order of the file. */
#define NUMBERS(each)                                                                             \
	each(n_min_mode) each(n_min) each(max_threads) each(level) each(criterion) each(rate_hz)  \
		each(max_stack) each(ring_bytes) each(unwind_by) each(stack_copy_bytes) each(all) \
			each(as_one) each(no_inherit) each(ring_may_shrink) each(verify)          \
				each(kernel) each(no_kernel) each(duration_ns) each(delay_ns)     \
					each(min_critical_ns)

static void pack_options(struct pack *pack, const struct options *options)
{
	size_t words = 0;

#define PACK(member) pack_u64(pack, options->member);
	NUMBERS(PACK)
#undef PACK
	pack_text(pack, options->exe);
	pack_text(pack, options->kthreads);
	pack_u64(pack, options->pid_count < PIDS_MAX ? options->pid_count : PIDS_MAX);
	for (size_t i = 0; i < options->pid_count && i < PIDS_MAX; i++)
		pack_s64(pack, options->pids[i]);
	while (options->command && options->command[words] && words < WORDS_MAX)
		words++;
	pack_u64(pack, words);
	for (size_t i = 0; i < words; i++)
		pack_text(pack, options->command[i]);
}

void save_facts(const struct options *options, const struct program *program,
		struct blocks_writer *writer)
{
	struct utsname system;
	struct pack *pack;

	if (uname(&system))
		system = (struct utsname){ 0 };
	blocks_section(writer, BLOCK_FACTS);
	pack = blocks_item(writer);
	pack_text(pack, GAPP_VERSION);
	pack_text(pack, system.release);
	pack_text(pack, system.machine);
	pack_u64(pack, time(NULL));
	pack_text(pack, program->path);
	pack_u64(pack, program->dev);
	pack_u64(pack, program->inode);
	pack_options(pack, options);
	blocks_item_end(writer);
}

static void unpack_options(struct facts *facts, struct unpack *unpack)
{
	struct options *options = &facts->options;
	u64 pids, words;

#define UNPACK(member) options->member = unpack_u64(unpack);
	NUMBERS(UNPACK)
#undef UNPACK
	if (options->level > GAPP_LEVEL_TRACE || options->criterion > GAPP_CRITERION_AVERAGE)
		unpack->failed = true;
	facts->exe = unpack_text(unpack);
	options->exe = facts->exe;
	facts->kthreads = unpack_text(unpack);
	options->kthreads = facts->kthreads;
	pids = unpack_most(unpack, PIDS_MAX);
	options->pids = calloc(pids + 1, sizeof(*options->pids));
	for (u64 i = 0; i < pids && options->pids && !unpack->failed; i++)
		options->pids[options->pid_count++] = unpack_s64(unpack);
	words = unpack_most(unpack, WORDS_MAX);
	facts->command = calloc(words + 1, sizeof(*facts->command));
	while (facts->word_count < words && facts->command && !unpack->failed) {
		char *word = unpack_text(unpack);

		unpack->failed |= !word;
		if (word)
			facts->command[facts->word_count++] = word;
	}
	if (words)
		options->command = facts->command;
	if (!options->pids || !facts->command)
		unpack->failed = true;
}

static int take_facts(void *context, _unused_ u64 first, _unused_ u64 count, struct unpack *unpack)
{
	struct facts *facts = context;

	if (facts->complete)
		return 0;
	facts_free(facts);
	*facts = (struct facts){ 0 };
	facts->version = unpack_text(unpack);
	facts->kernel = unpack_text(unpack);
	facts->machine = unpack_text(unpack);
	facts->time_s = unpack_u64(unpack);
	facts->path = unpack_text(unpack);
	facts->program.path = facts->path;
	facts->program.dev = unpack_u64(unpack);
	facts->program.inode = unpack_u64(unpack);
	unpack_options(facts, unpack);
	facts->complete = !unpack->failed;
	return 0;
}

int facts_read(struct facts *facts, struct blocks *blocks)
{
	return blocks_each(blocks, BLOCK_FACTS, take_facts, facts);
}

void facts_free(struct facts *facts)
{
	for (size_t i = 0; i < facts->word_count; i++)
		free(facts->command[i]);
	free(facts->command);
	free(facts->options.pids);
	free(facts->exe);
	free(facts->kthreads);
	free(facts->path);
	free(facts->version);
	free(facts->kernel);
	free(facts->machine);
}
