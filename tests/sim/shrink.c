// SPDX-License-Identifier: GPL-2.0-only
/*
 * Making a failing schedule short: leave out runs of entries, long ones first, as long as what is
 * left still fails (Zeller, Hildebrandt: "Simplifying and Isolating Failure-Inducing Input", 2002).
 * It must be the same failure, but for the numbers in it.
 */
#include "tests/sim/schedule.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool is_number(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || c == 'x' || c == '-';
}

static bool same_but_for_numbers(const char *a, const char *b)
{
	for (;;) {
		while (is_number(*a))
			a++;
		while (is_number(*b))
			b++;
		if (*a != *b)
			return false;
		if (!*a)
			return true;
		a++;
		b++;
	}
}

/* Does it fail in the same way? Cut behind the entry at which it does. */
static int try_schedule(struct world *w, const struct config *config, struct schedule *trial,
			const char *why, bool *ret_fails)
{
	size_t i;

	world_done(w);
	if (world_init(w, config))
		return -ENOMEM;
	for (i = 0; i < trial->nr && !w->failed; i++)
		schedule_apply(w, &trial->entry[i]);
	*ret_fails = w->failed && same_but_for_numbers(w->why, why);
	trial->nr = i;
	return 0;
}

static void copy_without(struct schedule *to, const struct schedule *from, size_t start, size_t nr)
{
	memcpy(to->entry, from->entry, start * sizeof(*to->entry));
	memcpy(to->entry + start, from->entry + start + nr,
	       (from->nr - start - nr) * sizeof(*to->entry));
	to->nr = from->nr - nr;
}

static void swap(struct schedule *a, struct schedule *b)
{
	const struct schedule old = *a;

	*a = *b;
	*b = old;
}

/* All runs of this length, from the end to the start. *ret_shorter: one could go. */
static int drop_runs(struct world *w, const struct config *config, struct schedule *schedule,
		     struct schedule *trial, size_t run, const char *why, bool *ret_shorter)
{
	size_t start = schedule->nr;
	bool fails;

	while (start >= run) {
		int error;

		start -= run;
		copy_without(trial, schedule, start, run);
		error = try_schedule(w, config, trial, why, &fails);
		if (error)
			return error;
		if (!fails)
			continue;
		swap(schedule, trial);
		*ret_shorter = true;
		if (start > schedule->nr)
			start = schedule->nr;
	}
	return 0;
}

int schedule_shrink(struct world *w, const struct config *config, struct schedule *schedule)
{
	struct schedule trial = {.capacity = schedule->nr};
	char why[sizeof(w->why)];
	bool fails = true, shorter;
	int error = 0;

	memcpy(why, w->why, sizeof(why));
	trial.entry = malloc(schedule->nr * sizeof(*trial.entry));
	if (!trial.entry)
		return -ENOMEM;
	do {
		shorter = false;
		for (size_t run = schedule->nr / 2; run && !error; run /= 2) {
			if (run > schedule->nr)
				continue;
			error = drop_runs(w, config, schedule, &trial, run, why, &shorter);
		}
	} while (shorter && !error);
	if (!error)
		error = try_schedule(w, config, schedule, why, &fails);
	schedule_done(&trial);
	return error;
}
