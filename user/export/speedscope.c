// SPDX-License-Identifier: GPL-2.0
/*
 * Profiles of speedscope, each a list of call paths with weights: all threads first, then time with
 * no thread active, then each thread. Frames have no lines: speedscope would take each line for a
 * function of its own.
 */
#include <inttypes.h>

#include "exports.h"
#include "pieces.h"
#include "util/names.h"

struct scope_frame {
	struct {
		u32 name;
		u32 file;
	} key;
};

/**
 * struct scope - the file that is being written
 * @out: the stream
 * @results: what is written
 * @texts: names of frames and files
 * @frames: frames that have been written in a call path
 * @thread: the profile is that of a thread; NULL: of all
 * @waited: it is of the time with no thread active
 * @weights: weights are written, not call paths
 * @rounding: makes them whole
 * @any: the list has an element
 */
struct scope {
	FILE *out;
	const struct results *results;
	struct texts texts;

	KEYED(scope_frame) frames;
	const struct ranked *thread;
	bool waited;
	bool weights;
	struct rounding rounding;
	bool any;
};

static int put_number(struct scope *scope, bool *any, u32 number)
{
	if (number == HASH_NONE)
		return -1;
	fprintf(scope->out, "%s%" PRIu32, *any ? "," : "", number);
	*any = true;
	return 0;
}

/* Writes the number of the frame with a name and a file. Returns 0, or -1 without memory. */
static int put_frame(struct scope *scope, bool *any, const char *name, const char *file)
{
	struct scope_frame frame = { .key = { texts_number(&scope->texts, name),
					      texts_number(&scope->texts, file) } };
	u32 number;

	if (frame.key.name == HASH_NONE || frame.key.file == HASH_NONE)
		return -1;
	number = keyed_find(&scope->frames, &frame.key);
	if (number == HASH_NONE)
		number = keyed_add(&scope->frames, &frame.key);
	return put_number(scope, any, number);
}

static int put_path(struct scope *scope, const struct ranked *row)
{
	bool any = false;

	for (size_t i = row->frame_count; i--;) {
		_cleanup_free_ char *name = frame_text(&row->frames[i]);
		const struct frame *frame = &row->frames[i];

		if (!name ||
		    put_frame(scope, &any, name, frame->file ? frame->file : frame->module))
			return -1;
	}
	return 0;
}

static int put_wait(struct scope *scope, const struct ranked *row)
{
	char name[64];
	bool any = row->frame_count;

	snprintf(name, sizeof(name), "[waits: %s]", wait_name(row->wait));
	return put_frame(scope, &any, name, "");
}

static int put_why(struct scope *scope, const char *why)
{
	char name[64];
	bool any = false;

	snprintf(name, sizeof(name), "[%s]", why);
	return put_frame(scope, &any, "[no call path]", "") || put_frame(scope, &any, name, "");
}

/* Writes a call path as a list of frames, outermost first. Returns 0, or -1 without memory. */
static int put_sample(struct scope *scope, const struct piece *piece)
{
	int result;

	putc('[', scope->out);
	if (!piece->row)
		result = put_why(scope, piece->why);
	else
		result = put_path(scope, piece->row) ||
			 (scope->waited && put_wait(scope, piece->row));
	putc(']', scope->out);
	return result ? -1 : 0;
}

static bool belongs(const struct scope *scope, const struct piece *piece)
{
	return !scope->thread ||
	       (piece->tid == scope->thread->tid && piece->tgid == scope->thread->tgid);
}

/* Writes the call path or the weight of a piece, if it belongs to the profile. */
static int put_piece(void *context, const struct piece *piece)
{
	struct scope *scope = context;
	u64 ns;

	if (!belongs(scope, piece) || ferror(scope->out))
		return 0;
	ns = rounding_next(&scope->rounding, scope->waited ? piece->waited_ns : piece->critical_ns);
	if (!ns)
		return 0;
	if (scope->any)
		fputs(scope->weights ? "," : ",\n", scope->out);
	scope->any = true;
	if (!scope->weights)
		return put_sample(scope, piece);
	fprintf(scope->out, "%llu", ns);
	return 0;
}

/* Writes all call paths of the profile, or all weights. Returns 0, or -1 without memory. */
static int put_list(struct scope *scope, bool weights)
{
	scope->weights = weights;
	scope->any = false;
	scope->rounding = (struct rounding){ 0 };
	fprintf(scope->out, "\"%s\":[", weights ? "weights" : "samples");
	if (pieces_each(scope->results, scope->thread ? PIECES_BY_THREAD : PIECES_WHOLE, put_piece,
			scope))
		return -1;
	fputs("],\n", scope->out);
	return 0;
}

static int put_profile(struct scope *scope, const char *name)
{
	fputs("{\"type\":\"sampled\",\"unit\":\"nanoseconds\",\"name\":", scope->out);
	name_json(scope->out, name, strlen(name));
	fputs(",\n", scope->out);
	if (put_list(scope, false) || put_list(scope, true))
		return -1;
	fprintf(scope->out, "\"startValue\":0,\"endValue\":%llu}", scope->rounding.given);
	return 0;
}

static int put_thread(struct scope *scope, const struct ranked *thread)
{
	_cleanup_free_ char *name = NULL;

	scope->thread = thread;
	if (asprintf(&name, "%s (thread %d of process %d): critical time", thread->comm,
		     thread->tid, thread->tgid) < 0) {
		name = NULL;
		return -1;
	}
	fputs(",\n", scope->out);
	return put_profile(scope, name);
}

static int put_profiles(struct scope *scope)
{
	const struct ranked *threads[EXPORT_THREADS_MAX];
	size_t count = exported_threads(scope->results, threads);

	if (put_profile(scope, "all threads: critical time"))
		return -1;
	fputs(",\n", scope->out);
	scope->waited = true;
	if (put_profile(scope, "all threads: time with no thread active"))
		return -1;
	scope->waited = false;
	for (size_t i = 0; i < count && !ferror(scope->out); i++)
		if (put_thread(scope, threads[i]))
			return -1;
	return 0;
}

static void put_frames(struct scope *scope)
{
	for (u32 i = 0; i < scope->frames.index.count && !ferror(scope->out); i++) {
		const struct scope_frame *frame = &scope->frames.rows[i];
		const char *name = scope->texts.texts[frame->key.name];
		const char *file = scope->texts.texts[frame->key.file];

		fputs(i ? ",\n{\"name\":" : "\n{\"name\":", scope->out);
		name_json(scope->out, name, strlen(name));
		if (*file) {
			fputs(",\"file\":", scope->out);
			name_json(scope->out, file, strlen(file));
		}
		putc('}', scope->out);
	}
}

int export_speedscope(FILE *out, const struct results *results,
		      _unused_ const struct options *options)
{
	struct scope scope = { .out = out, .results = results };
	int result;

	fprintf(out,
		"{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n\"exporter\":\"gapp-read %s\",\"name\":\"critical time\",\"activeProfileIndex\":0,\n\"profiles\":[\n",
		GAPP_VERSION);
	result = put_profiles(&scope);
	if (!result) {
		fputs("],\n\"shared\":{\"frames\":[", out);
		put_frames(&scope);
		fputs("]}}\n", out);
	}
	texts_free(&scope.texts);
	keyed_free(&scope.frames);
	return result;
}
