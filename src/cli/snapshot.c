// SPDX-License-Identifier: GPL-2.0-only
#include "cli/snapshot.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/number.h"
#include "cli/say.h"
#include "cli/stop.h"
#include "cli/terminal.h"
#include "format/coverage.h"

#define SETTLE_NS 5000000000ull
#define PROGRESS_NS 500000000ull

struct live_options snapshot_options(const struct live_args *args)
{
	struct live_options options = LIVE_OPTIONS_DEFAULT;

	options.ring_bytes = args->ring_bytes == LIVE_RING_DEFAULT ? 0 : args->ring_bytes;
	options.args_bytes = 0;
	options.stop = stop_flag();
	return options;
}

int snapshot_open(struct live **ret, const struct live_options *options)
{
	struct message why = {0};

	return live_open(ret, options, &why) ? fail("%s", why.text) : EXIT_GOOD;
}

/* Overwrite the line of progress. An empty text takes it away. */
static void progress(const struct buffer *text)
{
	ssize_t written = write(STDERR_FILENO, "\r\033[K", 4);

	if (text->len)
		written = write(STDERR_FILENO, buffer_text(text), text->len);
	(void)written;
}

static void progress_text(struct buffer *out, uint64_t passed_ns, uint64_t for_ns,
			  const struct atlas *atlas)
{
	struct atlas_counts counts;

	atlas_counts(atlas, &counts);
	buffer_reset(out);
	buffer_add_text(out, "following: ");
	duration_add(out, passed_ns);
	buffer_add_text(out, " of ");
	duration_add(out, for_ns);
	buffer_add_text(out, ", ");
	number_group(out, counts.tasks);
	buffer_add_text(out, " tasks, ");
	number_group(out, counts.mappings);
	buffer_add_text(out, " mappings");
	buffer_cut(out, terminal_style(STDERR_FILENO).columns - 1);
}

int snapshot_follow(struct live *live, uint64_t for_ns)
{
	bool show = terminal_can_rewrite(STDERR_FILENO);
	uint64_t begin = live_now_ns(), end = begin + for_ns, now = begin;
	struct buffer line = BUFFER_EMPTY;
	struct message why = {0};
	int error = 0;

	/* Whoever waits for the seed to be complete reads this. */
	if (for_ns && !show)
		say("following");
	while (!error && now < end && !*stop_flag()) {
		uint64_t until = show && end - now > PROGRESS_NS ? now + PROGRESS_NS : end;

		error = live_run(live, until, -1, &why);
		now = live_now_ns();
		if (show && !error && now < end) {
			progress_text(&line, now - begin, for_ns, live_atlas(live));
			progress(&line);
		}
	}
	if (line.len) {
		buffer_reset(&line);
		progress(&line);
	}
	buffer_done(&line);
	return error ? fail("%s", why.text) : EXIT_GOOD;
}

int snapshot_finish(struct live *live, struct coverage *ret)
{
	struct message why = {0};
	uint64_t now = live_now_ns();
	int error = live_settle(live, SETTLE_NS, &why);

	/* What stays suspect is told with the answer: snapshot_report(). */
	if (error && error != -ETIME)
		return fail("%s", why.text);
	coverage_fill(ret, live_atlas(live), live_host(live), now);
	return EXIT_GOOD;
}

int snapshot_take(struct live **ret, struct coverage *ret_coverage, const struct live_args *args)
{
	struct live_options options = snapshot_options(args);
	struct live *live = NULL;
	int status;

	options.brief = true;
	status = snapshot_open(&live, &options);
	if (!status)
		status = snapshot_finish(live, ret_coverage);
	if (status)
		live_free(live);
	else
		*ret = live;
	return status;
}

int snapshot_report(const struct coverage *coverage, bool json)
{
	struct style style = terminal_style(STDERR_FILENO);
	struct buffer line = BUFFER_EMPTY;

	if (!json || !coverage->complete)
		coverage_text(&line, &style, coverage);
	if (line.len)
		say("%s", buffer_text(&line));
	buffer_done(&line);
	return coverage->complete ? EXIT_GOOD : EXIT_FAILED;
}
