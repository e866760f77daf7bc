// SPDX-License-Identifier: GPL-2.0
/*
 * Counts the words of some files with four threads, and prints the most frequent ones. An example
 * of docs/tutorial.md.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 4
#define FILES 8
#define BLOCKS 32
#define BLOCK_BYTES 131072
#define ROWS 4096
#define WORD_BYTES 16
#define PRINTED 3

struct row {
	char word[WORD_BYTES];
	unsigned long count;
};

struct table {
	struct row rows[ROWS];
};

static char *text;
static struct table counts;
static pthread_mutex_t counts_lock = PTHREAD_MUTEX_INITIALIZER;

/* One block of words, again and again; the text stands for all files. */
static void make_text(void)
{
	static const char *const parts[] = { "ka", "lo", "mi", "ne", "su", "ta", "ve", "zo" };
	unsigned int random = 1;
	char *end;

	text = malloc(BLOCKS * BLOCK_BYTES + 1);
	if (!text)
		exit(1);
	for (end = text; end < text + BLOCK_BYTES - WORD_BYTES;) {
		for (int i = 0; i < 3; i++) {
			random = random * 1103515245 + 12345;
			end = stpcpy(end, parts[random >> 16 & 7]);
		}
		*end++ = ' ';
	}
	memset(end, ' ', text + BLOCK_BYTES - end);
	for (int i = 1; i < BLOCKS; i++)
		memcpy(text + i * BLOCK_BYTES, text, BLOCK_BYTES);
	text[BLOCKS * BLOCK_BYTES] = '\0';
}

static unsigned int hash_word(const char *word)
{
	unsigned int hash = 5381;

	while (*word)
		hash = hash * 33 + (unsigned char)*word++;
	return hash;
}

static void count_word(struct table *table, const char *word, unsigned long times)
{
	unsigned int at = hash_word(word) % ROWS;

	while (table->rows[at].word[0] && strcmp(table->rows[at].word, word))
		at = (at + 1) % ROWS;
	strcpy(table->rows[at].word, word);
	table->rows[at].count += times;
}

/* Takes the next word at or behind @from, as long as it begins before @end. */
static const char *take_word(const char *from, const char *end, char word[WORD_BYTES])
{
	size_t length = 0;

	while (*from == ' ')
		from++;
	if (from >= end || !*from)
		return NULL;
	while (*from && *from != ' ' && length < WORD_BYTES - 1)
		word[length++] = *from++;
	word[length] = '\0';
	return from;
}

static void count_block(struct table *table, const char *block)
{
	const char *at = block;
	char word[WORD_BYTES];

	/* a word that began in the block before belongs to that one */
	while (at > text && at[-1] != ' ')
		at++;
	while ((at = take_word(at, block + BLOCK_BYTES, word)))
		count_word(table, word, 1);
}

static void *count_blocks(void *first)
{
	for (unsigned long i = (unsigned long)first; i < FILES * BLOCKS; i += THREADS) {
		pthread_mutex_lock(&counts_lock);
		count_block(&counts, text + i % BLOCKS * BLOCK_BYTES);
		pthread_mutex_unlock(&counts_lock);
	}
	return NULL;
}

static int compare_rows(const void *left, const void *right)
{
	const struct row *a = left, *b = right;

	return a->count < b->count ? 1 : a->count > b->count ? -1 : strcmp(a->word, b->word);
}

int main(void)
{
	pthread_t threads[THREADS];

	make_text();
	for (unsigned long i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, count_blocks, (void *)i))
			return 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	qsort(counts.rows, ROWS, sizeof(counts.rows[0]), compare_rows);
	for (int i = 0; i < PRINTED; i++)
		printf("%s %lu\n", counts.rows[i].word, counts.rows[i].count);
	return 0;
}
