// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tree of mappings itself, against a sorted array: splices of all sizes at all places, copies
 * that share chunks, memory. Mappings here are one unit long. ATLAS_SEED repeats a run.
 */
#include "records.h"

#include <stdio.h>
#include <time.h>

#include "atlas/maptree.h"

#define TREES 4
#define UNITS 4000u

struct copy {
	struct maptree tree;
	uint32_t flags[UNITS]; /* of the mapping [i, i + 1) and 1 << 16; 0 = none */
};

static uint64_t seed;

static uint32_t below(uint32_t limit)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)((seed * 0x9e3779b97f4a7c15ull) >> 33) % limit;
}

static void check(const struct copy *copy)
{
	struct mapplace place = maptree_seek(&copy->tree, 0);
	const struct mapping *mapping;
	const char *why = maptree_check(&copy->tree);
	uint64_t nr = 0;

	if (why)
		fail_msg("%s", why);
	for (uint32_t i = 0; i < UNITS; i++) {
		if (!copy->flags[i])
			continue;
		mapping = maptree_at(&copy->tree, place);
		assert_non_null(mapping);
		assert_int_equal(mapping->start, i);
		assert_int_equal(mapping->flags, copy->flags[i] & 0xffff);
		place = maptree_next(&copy->tree, place);
		nr++;
	}
	assert_null(maptree_at(&copy->tree, place));
	assert_int_equal(maptree_nr(&copy->tree), nr);
}

static void splice(struct copy *copy, struct mappool *pool, uint32_t lo, uint32_t hi,
		   uint32_t percent)
{
	static struct mapping list[UNITS];
	uint32_t nr = 0;

	for (uint32_t i = lo; i < hi; i++) {
		copy->flags[i] = 0;
		if (below(100) >= percent)
			continue;
		copy->flags[i] = 1 << 16 | below(4) | (below(64) ? 0 : REC_MAP_DONTFORK);
		list[nr++] = (struct mapping){
		    .start = i,
		    .end = i + 1,
		    .flags = copy->flags[i] & 0xffff,
		};
	}
	assert_int_equal(
	    maptree_splice(&copy->tree, pool, maptree_span(&copy->tree, lo, hi), list, nr), 0);
}

static void copy_from(struct copy *copy, struct mappool *pool, const struct copy *source)
{
	maptree_done(&copy->tree, pool);
	memcpy(copy->flags, source->flags, sizeof(copy->flags));
	maptree_share(&copy->tree, &source->tree);
	if (below(2))
		return;
	assert_int_equal(maptree_drop_dontfork(&copy->tree, pool), 0);
	for (uint32_t i = 0; i < UNITS; i++)
		if (copy->flags[i] & REC_MAP_DONTFORK)
			copy->flags[i] = 0;
}

static void test_against_array(void **state)
{
	static struct copy copies[TREES];
	struct mappool pool = {0};

	(void)state;
	for (int step = 0; step < 12000; step++) {
		struct copy *copy = &copies[below(TREES)];
		const struct copy *other = &copies[below(TREES)];
		uint32_t lo = below(UNITS), len = 1 + below(below(10) ? 8 : UNITS);
		uint32_t hi = lo + len < UNITS ? lo + len : UNITS;

		if (copy != other && !below(200))
			copy_from(copy, &pool, other);
		else
			splice(copy, &pool, lo, hi, below(4) ? 90 : 20);
		if (step % 8 == 0)
			check(copy);
	}
	for (int i = 0; i < TREES; i++) {
		check(&copies[i]);
		maptree_done(&copies[i].tree, &pool);
	}
	assert_int_equal(pool.bytes, 0);
}

static void test_empty(void **state)
{
	struct maptree tree = {0}, copy = {0};
	struct mappool pool = {0};
	const struct mapping one = {.start = 5, .end = 6};

	(void)state;
	assert_null(maptree_at(&tree, maptree_seek(&tree, 0)));
	assert_int_equal(maptree_splice(&tree, &pool, maptree_span(&tree, 0, 10), NULL, 0), 0);
	maptree_share(&copy, &tree);
	assert_int_equal(maptree_drop_dontfork(&copy, &pool), 0);
	assert_int_equal(pool.bytes, 0);
	assert_int_equal(maptree_splice(&tree, &pool, maptree_span(&tree, 0, 10), &one, 1), 0);
	assert_null(maptree_at(&copy, maptree_seek(&copy, 0)));
	assert_null(maptree_at(&tree, maptree_seek(&tree, 6)));
	assert_int_equal(maptree_splice(&tree, &pool, maptree_span(&tree, 5, 6), NULL, 0), 0);
	assert_null(tree.root);
	assert_int_equal(pool.bytes, 0);
}

/* A copy costs nothing, and a change after it copies what it changes, not everything. */
static void test_copy_shares(void **state)
{
	static struct copy copy;
	struct maptree shared = {0};
	struct mappool pool = {0};
	uint64_t bytes;

	(void)state;
	splice(&copy, &pool, 0, UNITS, 100);
	bytes = pool.bytes;
	maptree_share(&shared, &copy.tree);
	assert_int_equal(pool.bytes, bytes);
	assert_ptr_equal(shared.root, copy.tree.root);
	splice(&copy, &pool, 2000, 2001, 100);
	check(&copy);
	assert_true(pool.bytes - bytes < bytes / 8);
	maptree_done(&shared, &pool);
	assert_true(pool.bytes < bytes + bytes / 16);
	maptree_done(&copy.tree, &pool);
	assert_int_equal(pool.bytes, 0);
}

/* At most 64 bytes a mapping, however it came about. */
static void assert_lean(const struct copy *copy, const struct mappool *pool)
{
	check(copy);
	assert_true(pool->bytes <= 64 * maptree_nr(&copy->tree));
}

static void test_memory(void **state)
{
	static struct copy copy;
	struct mappool pool = {0};

	(void)state;
	for (uint32_t i = 0; i < UNITS; i++) /* upwards */
		splice(&copy, &pool, i, i + 1, 100);
	assert_lean(&copy, &pool);
	for (uint32_t i = 0; i < 8 * UNITS; i++) { /* one by one, nine tenths are gone */
		uint32_t at = below(UNITS);

		splice(&copy, &pool, at, at + 1, 10);
	}
	assert_lean(&copy, &pool);
	splice(&copy, &pool, 0, UNITS, 0);
	assert_int_equal(pool.bytes, 0);
	for (uint32_t i = UNITS; i-- > 0;) /* downwards */
		splice(&copy, &pool, i, i + 1, 100);
	assert_lean(&copy, &pool);
	for (uint32_t i = 0; i < UNITS; i++) /* every other one goes, from the start */
		if (i % 2)
			splice(&copy, &pool, i, i + 1, 0);
	assert_lean(&copy, &pool);
	maptree_done(&copy.tree, &pool);
	assert_int_equal(pool.bytes, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_against_array),
	    cmocka_unit_test(test_empty),
	    cmocka_unit_test(test_copy_shares),
	    cmocka_unit_test(test_memory),
	};
	const char *given = getenv("ATLAS_SEED");

	seed = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL) * 2654435761u + 1;
	printf("# ATLAS_SEED=%llu\n", (unsigned long long)seed);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
