// SPDX-License-Identifier: GPL-2.0
#include "spun_words.h"

#include "core/spin_location.h"

/* With more words all are forgotten, and threads for which there is no room are not known. */
#define WORDS_MAX 4096
#define SPINNERS_MAX 65536
/* To be worth an interrupt of the target, threads must have waited for so long, nanoseconds. */
#define WORTH_NS 1000000ULL
/* A thread of which nothing was heard for so long waits for nothing, nanoseconds. */
#define FORGOTTEN_NS 60000000000ULL
/*
 * A time without any active thread may begin after the store that ends it: then samples have not
 * yet met those that left their loops.
 */
#define EARLIER_NS 10000000ULL

static void free_words(struct spun_words *words)
{
	keyed_free(&words->words);
	keyed_free(&words->spinners);
}

void spun_words_free(struct spun_words *words)
{
	free_words(words);
	store_sites_free(&words->sites);
}

static void advance(struct spun_word *word, u64 time_ns)
{
	if (time_ns > word->until_ns) {
		word->waited_ns += (time_ns - word->until_ns) * word->waiting;
		word->until_ns = time_ns;
	}
}

/* How all loops compare it now: if two differ, each store may end a wait. */
static void note_comparison(struct spun_word *word, const u64 *args)
{
	const u8 goes_on = args[1] & 0xff, bytes = args[1] >> 8 & 0xff;
	const s64 number = (s64)args[2];

	if (word->goes_on == goes_on && word->bytes == bytes && word->number == number)
		return;
	/* as of a ticket lock: what this wait goes on with ends the next one */
	word->varies |= word->bytes && word->goes_on == goes_on && word->number != number;
	if (!word->waiting) {
		word->goes_on = goes_on;
		word->bytes = bytes;
		word->number = number;
		return;
	}
	if (bytes > word->bytes)
		word->bytes = bytes;
	word->goes_on = GAPP_SPIN_WHILE_UNKNOWN;
	word->number = 0;
}

static void forget(struct spun_words *words)
{
	free_words(words);
	*words = (struct spun_words){ .sites = words->sites };
}

/* The word of a record's @args. Returns 0, or -1 without memory. */
static int find_word(struct spun_words *words, u32 image, s32 tgid, const u64 *args, u32 *id)
{
	const struct spun_word_key key = { image, args[0] };

	*id = keyed_find(&words->words, &key);
	if (*id == HASH_NONE) {
		if (words->words.index.count >= WORDS_MAX)
			forget(words);
		*id = keyed_add(&words->words, &key);
		if (*id == HASH_NONE)
			return -1;
		words->words.rows[*id].tgid = tgid;
	}
	note_comparison(&words->words.rows[*id], args);
	return 0;
}

static void end_wait(struct spun_words *words, struct spinner *spinner, u64 time_ns)
{
	struct spun_word *word;

	if (spinner->word == HASH_NONE)
		return;
	word = &words->words.rows[spinner->word];
	advance(word, time_ns);
	if (word->waiting)
		word->waiting--;
	spinner->word = HASH_NONE;
}

static bool spins_for_word(const struct gapp_record_slice *slice)
{
	return slice->then == GAPP_THEN_WAIT && slice->wait == GAPP_WAIT_SPIN && slice->args[0];
}

int spun_words_slice(struct spun_words *words, const struct gapp_record_slice *slice)
{
	const struct spinner_key key = { slice->tid, slice->tgid };
	const u64 time_ns = slice->head.time_ns;
	u32 id = keyed_find(&words->spinners, &key), number;
	struct spinner *spinner;
	struct spun_word *word;

	/* it has run, so an earlier wait has ended without a record */
	if (id != HASH_NONE)
		end_wait(words, &words->spinners.rows[id], time_ns);
	if (!spins_for_word(slice))
		return 0;
	if (find_word(words, slice->image, slice->tgid, slice->args, &number))
		return -1;
	/* that may have forgotten all threads */
	id = keyed_find(&words->spinners, &key);
	if (id == HASH_NONE) {
		if (words->spinners.index.count >= SPINNERS_MAX)
			return 0;
		id = keyed_add(&words->spinners, &key);
		if (id == HASH_NONE)
			return -1;
	}
	spinner = &words->spinners.rows[id];
	spinner->word = number;
	spinner->begin_ns = time_ns;
	spinner->compared = slice->args[1];
	spinner->number = (s64)slice->args[2];
	word = &words->words.rows[number];
	advance(word, time_ns);
	word->waiting++;
	word->found_ns = time_ns;
	return 0;
}

/* After the last store that is seen on a CPU others there are not. */
static void end_watch(struct spun_word *word, u64 time_ns)
{
	for (u32 i = 0; i < SPUN_WATCHES; i++) {
		struct spun_watch *watch = &word->watches[i];

		if (watch->from_ns <= time_ns && watch->to_ns > time_ns)
			watch->to_ns = time_ns;
	}
}

/* The same, of whatever word of an address space is watched. */
static void end_watches_of(struct spun_words *words, u32 image, u64 time_ns)
{
	for (u32 i = 0; i < words->words.index.count; i++)
		if (words->words.rows[i].key.image == image)
			end_watch(&words->words.rows[i], time_ns);
}

/* Whether a wait for the word may end with such a value. */
static bool may_end_now(const struct spun_word *word, u64 value)
{
	return !gapp_spin_bytes_are_valid(word->bytes) ||
	       !gapp_spin_goes_on(word->goes_on, word->bytes, word->number, value);
}

/* An instruction has stored what may end a wait; HASH_NONE: it is not known which. */
static void note_end(struct spun_words *words, struct spun_word *word, u32 site)
{
	words->sites.ends++;
	if (site == HASH_NONE) {
		word->untold = true;
		return;
	}
	words->sites.all.rows[site].ends++;
	for (u8 i = 0; i < word->site_count; i++)
		if (word->sites[i] == site)
			return;
	if (word->site_count == SPUN_SITES)
		word->untold = true;
	else
		word->sites[word->site_count++] = site;
}

static void remember(struct spun_word *word, const struct gapp_record_store *store, u64 value)
{
	struct gapp_record_store *kept = &word->stores[word->store_count++ % SPUN_STORES];

	*kept = *store;
	kept->value = value;
}

/*
 * A store that the processor has told of. Its value was read some time later: another thread may
 * have stored by then, which took the lock that was given back. So what the instruction always
 * stores is truer.
 */
static void watched_store(struct spun_words *words, struct spun_word *word,
			  const struct gapp_record_store *store, u64 from)
{
	u64 value = store->value;
	u32 site = HASH_NONE;

	if (!(store->flags & GAPP_STORE_IN_KERNEL) && from)
		site = store_sites_note(&words->sites, store->image, from, store->tgid);
	if (site != HASH_NONE) {
		words->sites.all.rows[site].stores++;
		value = store_site_value(&words->sites.all.rows[site], value);
	}
	if (may_end_now(word, value)) {
		/* a path may be missing because there was no time for it */
		if (from || store->flags & GAPP_STORE_IN_KERNEL)
			note_end(words, word, site);
	} else if (!word->varies) {
		return;
	}
	remember(word, store, value);
}

/* A store that a breakpoint has told of, which may be into a word that was never watched. */
static void told_store(struct spun_words *words, struct spun_word *word,
		       const struct gapp_record_store *store, u64 from)
{
	const u32 site = store_sites_told_at(&words->sites, store->image, from);

	if (site != HASH_NONE && may_end_now(word, store->value))
		note_end(words, word, site);
	remember(word, store, store->value);
}

void spun_words_store(struct spun_words *words, const struct gapp_record_store *store, u64 from)
{
	const struct spun_word_key key = { store->image, store->address };
	const bool is_last = store->flags & GAPP_STORE_LAST;
	struct spun_word *word;
	u32 id;

	if (store->flags & GAPP_STORE_UNTOLD) {
		end_watches_of(words, store->image, store->head.time_ns);
		return;
	}
	if (store->flags & GAPP_STORE_AT_POINT && is_last) {
		store_sites_given_up(&words->sites, store->image, store->address,
				     store->head.time_ns);
		return;
	}
	id = keyed_find(&words->words, &key);
	if (id == HASH_NONE)
		return;
	word = &words->words.rows[id];
	if (store->flags & GAPP_STORE_AT_POINT) {
		told_store(words, word, store, from);
		return;
	}
	watched_store(words, word, store, from);
	if (is_last)
		end_watch(word, store->head.time_ns);
}

void spun_words_lost(struct spun_words *words)
{
	for (u32 i = 0; i < words->spinners.index.count; i++)
		words->spinners.rows[i].word = HASH_NONE;
	for (u32 i = 0; i < words->words.index.count; i++) {
		words->words.rows[i].waiting = 0;
		words->words.rows[i].store_count = 0;
	}
}

static u32 bytes_of(const struct spinner *spinner)
{
	return spinner->compared >> 8 & 0xff;
}

static bool compares(const struct spinner *spinner)
{
	return spinner->compared & 0xff && gapp_spin_bytes_are_valid(bytes_of(spinner));
}

static bool may_end(const struct spinner *spinner, const struct gapp_record_store *store)
{
	return !compares(spinner) || !gapp_spin_goes_on(spinner->compared & 0xff, bytes_of(spinner),
							spinner->number, store->value);
}

/* Up to when back all stores before @end_ns were told that may end waits; UINT64_MAX: not all. */
static u64 told_from(const struct spun_words *words, const struct spun_word *word, u64 end_ns)
{
	u64 from_ns = 0;

	if (word->untold || !word->site_count)
		return UINT64_MAX;
	for (u8 i = 0; i < word->site_count; i++) {
		const struct store_site *site = &words->sites.all.rows[word->sites[i]];
		const u64 site_ns = store_site_told_from(site, end_ns);

		/* a breakpoint tells nothing of the word's other bytes */
		if (site->point.bytes < word->bytes)
			return UINT64_MAX;
		if (site_ns > from_ns)
			from_ns = site_ns;
	}
	return from_ns;
}

/* Up to when back all stores before @end_ns were seen; UINT64_MAX: they were not. */
static u64 seen_from(const struct spun_words *words, const struct spun_word *word, u64 end_ns)
{
	u64 from_ns = told_from(words, word, end_ns);

	for (u32 i = 0; i < SPUN_WATCHES; i++)
		if (word->watches[i].from_ns <= end_ns && word->watches[i].to_ns >= end_ns &&
		    word->watches[i].from_ns < from_ns)
			from_ns = word->watches[i].from_ns;
	return from_ns;
}

/*
 * The last store before the end was found, which is up to a sample later. The thread may have
 * stored meanwhile: it took the lock, and gave it back. So what ended its wait came before that.
 * Where it is not known how its loop compares, stores of several threads leave open which of them
 * it was.
 */
static const struct gapp_record_store *find_store(const struct spun_words *words,
						  const struct spun_word *word,
						  const struct spinner *spinner, u64 end_ns)
{
	const u64 count = word->store_count, seen_ns = seen_from(words, word, end_ns);
	const u64 begin_ns = spinner->begin_ns > seen_ns ? spinner->begin_ns : seen_ns;
	const struct gapp_record_store *found = NULL;

	for (u64 i = 1; i <= count && i <= SPUN_STORES; i++) {
		const struct gapp_record_store *store = &word->stores[(count - i) % SPUN_STORES];

		if (store->head.time_ns < begin_ns)
			break;
		if (store->head.time_ns > end_ns || !may_end(spinner, store))
			continue;
		if (store->tid == spinner->key.tid && store->tgid == spinner->key.tgid)
			found = NULL;
		else if (!found)
			found = store;
		else if (!compares(spinner) && store->tid != found->tid)
			return NULL;
	}
	return found;
}

/* Tells of who stored: what is the same in both kinds of records. */
#define TELL(record, store)                                                  \
	do {                                                                 \
		(record)->head.size += sizeof(struct gapp_waker_path);       \
		(record)->flags |= GAPP_SLICE_WAKER | GAPP_SLICE_WAKER_PATH; \
		(record)->waker_cpu = (store)->head.cpu;                     \
		(record)->waker_tid = (store)->tid;                          \
		(record)->waker_tgid = (store)->tgid;                        \
	} while (0)

const struct gapp_record_wake *spun_words_wake(struct spun_words *words,
					       const struct gapp_record_wake *wake,
					       struct told_wake *told)
{
	const struct spinner_key key = { wake->tid, wake->tgid };
	u32 id = keyed_find(&words->spinners, &key);
	const struct gapp_record_store *store;
	struct spinner *spinner;

	told->stored_ns = 0;
	if (id == HASH_NONE || words->spinners.rows[id].word == HASH_NONE)
		return wake;
	spinner = &words->spinners.rows[id];
	store = find_store(words, &words->words.rows[spinner->word], spinner, wake->head.time_ns);
	end_wait(words, spinner, wake->head.time_ns);
	if (!store || wake->flags & (GAPP_SLICE_WAKER | GAPP_SLICE_WOKEN_BY_IRQ))
		return wake;
	told->wake = *wake;
	TELL(&told->wake, store);
	told->stored_ns = store->head.time_ns;
	told->from = (struct gapp_waker_path){ .path = store->path, .image = store->image };
	return &told->wake;
}

/* The thread of a WAIT record, as far as it is known. */
static struct spinner spinner_of(const struct spun_words *words,
				 const struct gapp_record_wait *wait, u32 word, bool *is_counted)
{
	const struct spinner_key key = { wait->tid, wait->tgid };
	u32 id = keyed_find(&words->spinners, &key);

	*is_counted = id != HASH_NONE && words->spinners.rows[id].word == word;
	if (*is_counted)
		return words->spinners.rows[id];
	return (struct spinner){
		.key = key,
		.begin_ns = wait->begin_ns > EARLIER_NS ? wait->begin_ns - EARLIER_NS : 0,
		.compared = wait->args[1],
		.number = (s64)wait->args[2],
	};
}

int spun_words_wait(struct spun_words *words, const struct gapp_record_wait **of,
		    struct told_wait *told)
{
	const struct gapp_record_wait *wait = *of;
	const struct gapp_record_store *store;
	struct spinner spinner;
	bool is_counted;
	u32 word;

	if (wait->wait != GAPP_WAIT_SPIN || !wait->args[0] || wait->head.size != sizeof(*wait))
		return 0;
	if (find_word(words, wait->image, wait->tgid, wait->args, &word))
		return -1;
	spinner = spinner_of(words, wait, word, &is_counted);
	if (!is_counted)
		words->words.rows[word].waited_ns += wait->wait_ns;
	store = find_store(words, &words->words.rows[word], &spinner, wait->head.time_ns);
	if (!store)
		return 0;
	told->wait = *wait;
	TELL(&told->wait, store);
	told->from = (struct gapp_waker_path){ .path = store->path, .image = store->image };
	*of = &told->wait;
	return 0;
}

struct spun_word *spun_words_next(struct spun_words *words, u64 now_ns, struct gapp_watch *watch)
{
	struct spun_word *best = NULL;

	for (u32 i = 0; i < words->words.index.count; i++) {
		struct spun_word *word = &words->words.rows[i];

		advance(word, now_ns);
		if (word->waiting && now_ns > word->found_ns + FORGOTTEN_NS)
			word->waiting = 0;
		if (!word->refused && word->waited_ns >= WORTH_NS &&
		    (!best || word->waited_ns > best->waited_ns))
			best = word;
	}
	if (!best)
		return NULL;
	*watch = (struct gapp_watch){
		.address = best->key.address,
		.pid = best->tgid,
		.goes_on = GAPP_SPIN_WHILE_UNKNOWN,
		.bytes = gapp_spin_bytes_are_valid(best->bytes) ? best->bytes : 1,
	};
	best->waited_ns = 0;
	return best;
}

void spun_word_watched(struct spun_word *word, u64 from_ns, u64 to_ns)
{
	word->watches[word->watch_count++ % SPUN_WATCHES] = (struct spun_watch){ from_ns, to_ns };
}
