// SPDX-License-Identifier: GPL-2.0
#include "top.h"

#include <poll.h>

#include "fetch.h"
#include "outputs.h"
#include "report/live.h"
#include "screen.h"

#define INTERVAL_NS (2 * NSEC_PER_SEC)
#define LINE_BYTES 128

/**
 * struct top - what is shown
 * @options: what was asked for
 * @device: the session
 * @capture: its records
 * @asked: what --counters asks for
 * @nodes: NUMA nodes of CPUs
 * @follow: what is waited for
 * @looks: results of this look and of the one before, in turns
 * @count: looks so far
 * @screen_fd: says what happens to the screen; -1: there is no screen
 * @order: how tables are sorted
 * @paused: the screen stays as it is
 * @help: the keys are shown
 */
struct top {
	const struct options *options;
	struct device *device;
	struct capture *capture;
	const struct tallies *asked;
	const struct cpu_nodes *nodes;
	struct follow *follow;
	struct results looks[2];
	size_t count;
	int screen_fd;
	enum live_order order;
	bool paused;
	bool help;
};

static const char help[] =
	"\n"
	"  q  quit\n"
	"  p  pause: the screen stays as it is, the recording goes on\n"
	"  s  sort: places or threads first, by all of the run or by the last interval\n"
	"  h  this text\n"
	"\n"
	"  now      since the last look: of places about, of threads exactly\n"
	"  so far   since the recording began\n"
	"\n"
	"  Of places it is the part of the run in which they held everyone up; of threads\n"
	"  their CMetric: the part of the run that is theirs.\n";

bool top_has_screen(const struct options *options)
{
	return options->action == ACTION_TOP && screen_possible();
}

/* Takes the terminal, if standard output is one. */
static int take_screen(struct top *top)
{
	if (!screen_possible())
		return 0;
	top->screen_fd = screen_take();
	if (top->screen_fd < 0)
		return -1;
	follow_watch(top->follow, WATCH_SCREEN, top->screen_fd);
	follow_watch(top->follow, WATCH_KEYS, screen_has_keys() ? STDIN_FILENO : -1);
	return 0;
}

static void leave_screen(struct top *top)
{
	screen_end();
	follow_watch(top->follow, WATCH_SCREEN, -1);
	follow_watch(top->follow, WATCH_KEYS, -1);
	cleanup_close(&top->screen_fd);
	top->screen_fd = -1;
}

void top_free(struct top *top)
{
	if (!top)
		return;
	leave_screen(top);
	for (size_t i = 0; i < ARRAY_SIZE(top->looks); i++)
		results_free(&top->looks[i]);
	free(top);
}

static struct results *look_of(struct top *top, size_t number)
{
	return &top->looks[number % ARRAY_SIZE(top->looks)];
}

static int write_live(struct top *top, FILE *out, unsigned int columns, unsigned int lines)
{
	struct live live = {
		.now = look_of(top, top->count - 1),
		.before = top->count > 1 ? look_of(top, top->count) : NULL,
		.options = top->options,
		.order = top->order,
		.terminal = columns,
		.columns = columns,
		.lines = lines,
	};

	return report_live(out, &live) ? out_of_memory() : 0;
}

static int draw(struct top *top)
{
	_cleanup_free_ char *text = NULL;
	unsigned int columns, lines;
	char last[LINE_BYTES];
	int result = 0;
	size_t size;
	FILE *out;

	screen_size(&columns, &lines);
	snprintf(last, sizeof(last), "%sq quit  p pause  h help  s sort: %s",
		 top->paused ? "PAUSED  " : "", live_orders[top->order]);
	out = open_memstream(&text, &size);
	if (!out)
		return out_of_memory();
	if (top->help)
		fputs(help, out);
	else if (!top->count)
		fputs("The first look comes soon.\n", out);
	else
		result = write_live(top, out, columns, lines - 1);
	if (fclose(out))
		return out_of_memory();
	if (!result)
		screen_draw(text, size, lines - 1, last);
	return result;
}

struct top *top_new(const struct options *options, struct device *device, struct capture *capture,
		    const struct tallies *asked, const struct cpu_nodes *nodes,
		    struct follow *follow)
{
	struct top *top = calloc(1, sizeof(*top));

	if (!top) {
		out_of_memory();
		return NULL;
	}
	*top = (struct top){
		.options = options,
		.device = device,
		.capture = capture,
		.asked = asked,
		.nodes = nodes,
		.follow = follow,
		.screen_fd = -1,
	};
	follow->tick_ns = options->interval_ns ? options->interval_ns : INTERVAL_NS;
	if (!take_screen(top) && (top->screen_fd < 0 || !draw(top)))
		return top;
	top_free(top);
	return NULL;
}

static int print(struct top *top)
{
	unsigned int columns = 0, lines;

	if (isatty(STDOUT_FILENO))
		screen_size(&columns, &lines);
	if (write_live(top, stdout, columns, 0))
		return -1;
	putchar('\n');
	return flush_stdout(" what top shows");
}

static int show(struct top *top)
{
	return top->screen_fd < 0 ? print(top) : draw(top);
}

/* Reads what was counted so far; threads have no rows here. */
static int look_at_counters(struct top *top, struct counted *counted)
{
	counted->asked = *top->asked;
	counted->nodes = top->nodes;
	return tallies_any_counted(top->asked) ?
		       fetch_cpu_tallies(top->device, &counted->cpus, &counted->cpu_count) :
		       0;
}

/* Reads the figures so far in place of those of the last look but one. */
static int look(struct top *top)
{
	struct results *results = look_of(top, top->count);
	u64 now = clock_ns();

	results_free(results);
	*results = (struct results){ 0 };
	if (fetch_results(top->device, results) || look_at_counters(top, &results->counted) ||
	    capture_look(top->capture, results))
		return -1;
	take_own(&results->own, now);
	top->count++;
	return 0;
}

int top_look(struct top *top)
{
	if (top->paused)
		return 0;
	return look(top) ? -1 : show(top);
}

/* Returns 0, or above 0 to end. */
static int take_key(struct top *top, char key)
{
	switch (key) {
	case 'q':
		return 1;
	case 'p':
		top->paused = !top->paused;
		break;
	case 's':
		top->order = (top->order + 1) % LIVE_ORDERS;
		break;
	case 'h':
	case '?':
		top->help = !top->help;
		break;
	default:
		top->help = false;
	}
	return 0;
}

static bool is_ready(int fd)
{
	struct pollfd pollfd = { .fd = fd, .events = POLLIN };

	return poll(&pollfd, 1, 0) > 0;
}

/* Takes all keys that were pressed. */
static int take_keys(struct top *top)
{
	char keys[64];
	ssize_t got;

	if (!screen_has_keys() || !is_ready(STDIN_FILENO))
		return 0;
	got = read(STDIN_FILENO, keys, sizeof(keys));
	if (got <= 0)
		follow_watch(top->follow, WATCH_KEYS, -1);
	for (ssize_t i = 0; i < got; i++)
		if (take_key(top, keys[i]))
			return 1;
	return 0;
}

int top_terminal(struct top *top)
{
	enum screen_event event = screen_event(top->screen_fd);

	if (event == SCREEN_GONE || take_keys(top))
		return 1;
	return draw(top);
}

int top_end(struct top *top)
{
	leave_screen(top);
	return look(top) ? -1 : print(top);
}
