// SPDX-License-Identifier: GPL-2.0
#include "saved_facts.h"

#include <endian.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>

/* Words of a command that are kept, and their bytes: all facts are one item of a block. */
#define WORDS_MAX 256
#define WORDS_BYTES_MAX (BLOCK_BYTES_MAX / 2)
#define PIDS_MAX 65536
/* Bytes of a boot id, with the end of its line. */
#define BOOT_ID_SIZE 40

/**
 * struct number - a whole number of struct options
 * @offset: where it is
 * @size: its bytes
 */
struct number {
	size_t offset;
	size_t size;
};

#define NUMBER(member)                                                                  \
	{                                                                               \
		offsetof(struct options, member), sizeof(((struct options *)0)->member) \
	}

/* clang-format off */

/* Those that are about recording, in the order of the file. */
static const struct number numbers[] = {
	NUMBER(n_min_mode),
	NUMBER(n_min),
	NUMBER(max_threads),
	NUMBER(level),
	NUMBER(criterion),
	NUMBER(rate_hz),
	NUMBER(max_stack),
	NUMBER(ring_bytes),
	NUMBER(unwind_by),
	NUMBER(stack_copy_bytes),
	NUMBER(all),
	NUMBER(as_one),
	NUMBER(no_inherit),
	NUMBER(ring_may_shrink),
	NUMBER(verify),
	NUMBER(kernel),
	NUMBER(no_kernel),
	NUMBER(duration_ns),
	NUMBER(delay_ns),
	NUMBER(min_critical_ns),
};

/* clang-format on */

static void pack_number(struct pack *pack, const struct options *options,
			const struct number *number)
{
	u64 value = 0;

	memcpy(&value, (const char *)options + number->offset, number->size);
	pack_u64(pack, le64toh(value));
}

static void unpack_number(struct unpack *unpack, struct options *options,
			  const struct number *number)
{
	u64 most = number->size == 1 ? 1 : UINT64_MAX >> (64 - 8 * number->size);
	u64 value = htole64(unpack_most(unpack, most));

	memcpy((char *)options + number->offset, &value, number->size);
}

/* How many words of the command are kept: the first ones. */
static size_t words_kept(char *const *command)
{
	size_t words = 0, bytes = 0;

	while (command && command[words] && words < WORDS_MAX) {
		bytes += strlen(command[words]) + 1;
		if (bytes > WORDS_BYTES_MAX)
			break;
		words++;
	}
	return words;
}

static void pack_options(struct pack *pack, const struct options *options)
{
	const size_t words = words_kept(options->command);

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		pack_number(pack, options, &numbers[i]);
	pack_text(pack, options->exe);
	pack_text(pack, options->kthreads);
	pack_u64(pack, options->pid_count < PIDS_MAX ? options->pid_count : PIDS_MAX);
	for (size_t i = 0; i < options->pid_count && i < PIDS_MAX; i++)
		pack_s64(pack, options->pids[i]);
	pack_u64(pack, words);
	for (size_t i = 0; i < words; i++)
		pack_text(pack, options->command[i]);
	pack_text(pack, options->comm);
	pack_text(pack, options->cgroup);
}

/* The kernel's random name of the time since the machine started; "": it gives none. */
static void read_boot_id(char id[BOOT_ID_SIZE])
{
	_cleanup_close_ int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	ssize_t size = fd < 0 ? -1 : read(fd, id, BOOT_ID_SIZE - 1);

	id[size < 0 ? 0 : size] = '\0';
	id[strcspn(id, "\n")] = '\0';
}

/* The number of the pid namespace in which process ids are; 0: not known. */
static u64 pid_namespace(void)
{
	struct stat status;

	return stat("/proc/self/ns/pid", &status) ? 0 : status.st_ino;
}

static void pack_facts(const struct facts *facts, struct blocks_writer *writer)
{
	struct pack *pack;

	blocks_section(writer, BLOCK_FACTS);
	pack = blocks_item(writer);
	pack_text(pack, facts->version);
	pack_text(pack, facts->kernel);
	pack_text(pack, facts->machine);
	pack_u64(pack, facts->time_s);
	pack_text(pack, facts->program.path);
	pack_u64(pack, facts->program.dev);
	pack_u64(pack, facts->program.inode);
	pack_options(pack, &facts->options);
	pack_text(pack, facts->boot_id);
	pack_u64(pack, facts->pid_namespace);
	cpu_nodes_pack(&facts->nodes, pack);
	blocks_item_end(writer);
}

void save_facts(const struct options *options, const struct program *program,
		const struct cpu_nodes *nodes, struct blocks_writer *writer)
{
	char boot_id[BOOT_ID_SIZE];
	struct utsname system;
	struct facts facts;

	if (uname(&system))
		system = (struct utsname){ 0 };
	read_boot_id(boot_id);
	facts = (struct facts){
		.options = *options,
		.program = *program,
		.version = GAPP_VERSION,
		.kernel = system.release,
		.machine = system.machine,
		.time_s = time(NULL),
		.boot_id = boot_id,
		.pid_namespace = pid_namespace(),
		.nodes = *nodes,
	};
	pack_facts(&facts, writer);
}

void save_merged_facts(const struct facts *facts, enum gapp_level level, u64 time_s,
		       struct blocks_writer *writer)
{
	struct facts merged = *facts;
	struct options *options = &merged.options;

	options->level = level;
	options->all = true;
	options->as_one = false;
	options->exe = NULL;
	options->kthreads = NULL;
	options->comm = NULL;
	options->cgroup = NULL;
	options->command = NULL;
	options->pid_count = 0;
	merged.program = (struct program){ 0 };
	merged.time_s = time_s;
	pack_facts(&merged, writer);
}

static void unpack_options(struct facts *facts, struct unpack *unpack)
{
	struct options *options = &facts->options;
	u64 pids, words;

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		unpack_number(unpack, options, &numbers[i]);
	if (options->level > GAPP_LEVEL_TRACE || options->criterion > GAPP_CRITERION_AVERAGE ||
	    options->unwind_by > GAPP_UNWIND_BY_NONE || options->n_min_mode > GAPP_N_MIN_FIXED)
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
	/* before minor version 4 of the format the options ended here */
	if (!unpack->failed && unpack_more(unpack)) {
		facts->comm = unpack_text(unpack);
		options->comm = facts->comm;
		facts->cgroup = unpack_text(unpack);
		options->cgroup = facts->cgroup;
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
	/* before minor version 9 of the format there was no more */
	if (!unpack->failed && unpack_more(unpack)) {
		facts->boot_id = unpack_text(unpack);
		facts->pid_namespace = unpack_u64(unpack);
	}
	/* the first files of minor version 9 had no nodes */
	if (unpack_more(unpack))
		cpu_nodes_unpack(&facts->nodes, unpack);
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
	free(facts->comm);
	free(facts->cgroup);
	free(facts->boot_id);
	free(facts->path);
	free(facts->version);
	free(facts->kernel);
	free(facts->machine);
	cpu_nodes_free(&facts->nodes);
}
