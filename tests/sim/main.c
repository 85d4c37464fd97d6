// SPDX-License-Identifier: GPL-2.0-only
/*
 * The simulation: random schedules of a small simulated kernel against the real atlas. Prints TAP,
 * and the seed; whatever fails is shrunk to a short schedule and told step by step.
 *
 *	sim [--seed N] [--steps N] [--overflow] [--one MIX] [--verbose]
 *
 * --seed N    of the first world; the next one has N + 1, and so on. Default: from the clock.
 * --steps N   in all, over many worlds. Default: the environment's SIM_STEPS, or 50 million.
 * --overflow  only worlds in which records are lost.
 * --one MIX   only worlds of this mix (mixes.c), and no self-test.
 * --verbose   a line for each world; the self-test shows what it found.
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/sim/schedule.h"

#define STEPS_DEFAULT 50000000ull
#define STEPS_OF_WORLD 6000ull
#define STEPS_OF_MUTATION 40000000ull /* after so many a mutation must have been noticed */

struct options {
	uint64_t seed;
	uint64_t steps;
	const struct mix *one;
	bool overflow;
	bool verbose;
};

/* One world. 0 with its outcome in *w, or -ENOMEM. */
static int world_run(struct world *w, struct schedule *schedule, const struct mix *mix,
		     const struct config *config, uint64_t seed, uint64_t steps)
{
	struct random random = {.state = seed};

	schedule->nr = 0;
	world_done(w);
	if (world_init(w, config))
		return -ENOMEM;
	return schedule_random(w, schedule, mix, &random, steps);
}

static int failure_show(struct world *w, const struct config *config, struct schedule *schedule,
			const struct mix *mix, uint64_t seed)
{
	struct config trial = *config;
	const size_t nr = schedule->nr;

	printf("# world %llu of mix %s: %s\n", (unsigned long long)seed, mix->name, w->why);
	fflush(stdout);
	trial.check_once_in = 1;
	if (schedule_shrink(w, &trial, schedule))
		return -ENOMEM;
	printf("# shrunk from %zu entries to %zu:\n", nr, schedule->nr);
	world_done(w);
	trial.trace = stdout;
	if (world_init(w, &trial))
		return -ENOMEM;
	schedule_replay(w, schedule);
	printf("# %s\n", w->why);
	return 0;
}

/* Worlds of `one` mix, or of all that lose records or lose none. Prints a TAP line. 0, -ENOMEM. */
static int test_worlds(struct world *w, const struct options *options, int test, bool with_loss,
		       uint64_t steps)
{
	const char *const what = options->one ? options->one->name
				 : with_loss  ? "records are lost, and healed"
					      : "nothing is lost";
	struct schedule schedule = {};
	uint64_t done = 0, nr = 0;
	int error = 0;

	while (done < steps && !error && !w->failed) {
		const uint64_t seed = options->seed + nr;
		const struct mix *mix = options->one ? options->one : mix_at(nr, with_loss);
		const struct config config = mix_config(mix);

		nr++;
		error = world_run(w, &schedule, mix, &config, seed, STEPS_OF_WORLD);
		done += w->steps;
		if (options->verbose)
			printf("# world %llu of mix %s: %llu steps, %s\n", (unsigned long long)seed,
			       mix->name, (unsigned long long)w->steps,
			       w->failed ? w->why : "equal");
		if (!error && w->failed)
			error = failure_show(w, &config, &schedule, mix, seed);
	}
	schedule_done(&schedule);
	printf("# %llu steps in %llu worlds\n", (unsigned long long)done, (unsigned long long)nr);
	printf("%sok %d - %s\n", error || w->failed ? "not " : "", test, what);
	return error;
}

struct mutated {
	enum mutation mutation;
	const char *mix;
	const char *what;
};

static const struct mutated mutations[] = {
    {MUTATION_READ_FIRST, "threads", "programs that read before they reserve"},
    {MUTATION_NO_FORK_MAPS, "threads", "children of shared spaces that are not observed"},
    {MUTATION_NO_NEIGHBOURS, "threads", "calls that do not observe their neighbours"},
    {MUTATION_RENAME_ONCE, "walks", "names told only before they are written"},
    {MUTATION_FORK_IN_WALK, "children", "forks in the middle of a walk"},
    {MUTATION_DYING_DISCARDED, "walks", "dying leaders that walks keep silent about"},
};
#define NR_MUTATIONS (sizeof(mutations) / sizeof(mutations[0]))
_Static_assert(NR_MUTATIONS == MUTATION_NR - 1, "each mutation has its test");

/* The simulation must notice when the kernel side is wrong. Prints a TAP line. 0, -ENOMEM. */
static int test_mutation(struct world *w, const struct options *options, int test,
			 const struct mutated *m)
{
	const struct mix *mix = mix_find(m->mix);
	struct config config = mix_config(mix);
	struct schedule schedule = {};
	uint64_t done = 0, seed = options->seed;
	int error = 0;

	config.mutation = m->mutation;
	do {
		error = world_run(w, &schedule, mix, &config, seed++, STEPS_OF_WORLD);
		done += w->steps;
	} while (!error && !w->failed && done < STEPS_OF_MUTATION);
	printf("# after %llu steps: %s\n", (unsigned long long)done,
	       w->failed ? w->why : "nothing");
	printf("%sok %d - %s are noticed\n", w->failed && !error ? "" : "not ", test, m->what);
	if (!error && w->failed && options->verbose)
		error = failure_show(w, &config, &schedule, mix, seed - 1);
	schedule_done(&schedule);
	return error;
}

static int run(const struct options *options)
{
	const bool both = !options->one && !options->overflow;
	struct world *w = calloc(1, sizeof(*w));
	int test = 0, failed = 0, error = 0;

	if (!w)
		return -ENOMEM;
	printf("1..%d\n", options->one ? 1 : (int)NR_MUTATIONS + (both ? 2 : 1));
	printf("# seed %llu\n", (unsigned long long)options->seed);
	fflush(stdout);
	if (!options->overflow) {
		error = test_worlds(w, options, ++test, false,
				    both ? options->steps * 7 / 10 : options->steps);
		failed += w->failed;
	}
	if (!options->one && !error) {
		error = test_worlds(w, options, ++test, true,
				    both ? options->steps * 3 / 10 : options->steps);
		failed += w->failed;
	}
	for (size_t i = 0; i < NR_MUTATIONS && !options->one && !error; i++) {
		error = test_mutation(w, options, ++test, &mutations[i]);
		failed += !w->failed;
	}
	world_done(w);
	free(w);
	return error ? error : failed;
}

static int parse_number(const char *text, uint64_t *ret)
{
	char *end;
	unsigned long long number;

	errno = 0;
	number = strtoull(text, &end, 0);
	if (errno || end == text || *end || *text == '-')
		return -EINVAL;
	*ret = number;
	return 0;
}

static int parse(struct options *options, int argc, char **argv)
{
	static const struct option known[] = {
	    {"seed", required_argument, NULL, 's'}, {"steps", required_argument, NULL, 'n'},
	    {"one", required_argument, NULL, '1'},  {"overflow", no_argument, NULL, 'o'},
	    {"verbose", no_argument, NULL, 'v'},    {},
	};
	int option, error = 0;

	while (!error && (option = getopt_long(argc, argv, "", known, NULL)) != -1) {
		switch (option) {
		case 's':
			error = parse_number(optarg, &options->seed);
			break;
		case 'n':
			error = parse_number(optarg, &options->steps);
			break;
		case '1':
			options->one = mix_find(optarg);
			error = options->one ? 0 : -EINVAL;
			break;
		case 'o':
			options->overflow = true;
			break;
		case 'v':
			options->verbose = true;
			break;
		default:
			error = -EINVAL;
		}
	}
	return error || optind < argc ? -EINVAL : 0;
}

int main(int argc, char **argv)
{
	struct options options = {.seed = (uint64_t)time(NULL), .steps = STEPS_DEFAULT};
	const char *steps = getenv("SIM_STEPS");
	int result;

	if ((steps && parse_number(steps, &options.steps)) || parse(&options, argc, argv)) {
		fprintf(stderr, "usage: sim [--seed N] [--steps N] [--overflow] [--one MIX] "
				"[--verbose]\n");
		return 2;
	}
	result = run(&options);
	if (result < 0)
		printf("Bail out! %s\n", strerror(-result));
	return result != 0;
}
