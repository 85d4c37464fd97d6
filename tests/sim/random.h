/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The simulation's random numbers: SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom
 * number generators", 2014). Everything random in a run comes from one of these, so that a seed
 * names the run.
 */
#ifndef TASKATLAS_SIM_RANDOM_H
#define TASKATLAS_SIM_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

struct random {
	uint64_t state;
};

static inline uint64_t random_next(struct random *random)
{
	uint64_t z = random->state += 0x9e3779b97f4a7c15ull;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

/* 0 .. n - 1; n > 0. */
static inline uint32_t random_below(struct random *random, uint32_t n)
{
	return (uint32_t)(((random_next(random) >> 32) * n) >> 32);
}

/* True once in n times. */
static inline bool random_once_in(struct random *random, uint32_t n)
{
	return random_below(random, n) == 0;
}

#endif
