// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "tests/unit/view-fixture.h"

#include "view/tree.h"

struct expected {
	uint32_t tgid, depth, parent; /* tgid of the node above; 0 = none */
	bool last;
};

static void check_tree(const struct fixture *f, struct tree_options options,
		       const struct expected *expected, size_t nr)
{
	struct tree tree;

	assert_int_equal(tree_build(&tree, f->atlas, &options), 0);
	assert_int_equal(tree.nr, nr);
	for (size_t i = 0; i < nr; i++) {
		const struct tree_node *node = &tree.nodes[i];
		uint32_t parent =
		    node->parent == TREE_NO_PARENT ? 0 : tree.nodes[node->parent].process->tgid;

		assert_int_equal(node->process->tgid, expected[i].tgid);
		assert_int_equal(node->depth, expected[i].depth);
		assert_int_equal(parent, expected[i].parent);
		assert_int_equal(node->last, expected[i].last);
	}
	tree_done(&tree);
}

#define CHECK(f, options, ...)                                                                     \
	do {                                                                                       \
		static const struct expected list[] = {__VA_ARGS__};                               \
		check_tree(f, options, list, sizeof(list) / sizeof(list[0]));                      \
	} while (0)

static void test_small_host(void **state)
{
	struct fixture *f = *state;
	struct tree_options all = {.kernel = true}, user = {0};

	fx_small_host(f);
	CHECK(f, user, {1, 0, 0, true}, {100, 1, 1, true}, {101, 2, 100, true});
	CHECK(f, all, {1, 0, 0, false}, {100, 1, 1, true}, {101, 2, 100, true}, {2, 0, 0, true},
	      {3, 1, 2, true});
}

static void test_subtree(void **state)
{
	struct fixture *f = *state;
	struct tree_options shell = {.root_tgid = 100}, kernel = {.root_tgid = 2},
			    nobody = {.root_tgid = 4242};
	struct tree tree = {.nr = 77};

	fx_small_host(f);
	CHECK(f, shell, {100, 0, 0, true}, {101, 1, 100, true});
	CHECK(f, kernel, {2, 0, 0, true}, {3, 1, 2, true}); /* asked for, so shown */
	assert_int_equal(tree_build(&tree, f->atlas, &nobody), -ENOENT);
	assert_int_equal(tree.nr, 77);
}

/* Whatever order they were told in: siblings by age, each whole subtree before the next. */
static void test_siblings(void **state)
{
	struct fixture *f = *state;
	struct tree_options all = {0};

	fx_seed_begin(f);
	fx_create(f, .tgid = 30, .start = 30, .parent = 10, .parent_start = 10, .comm = "c");
	fx_create(f, .tgid = 25, .start = 25, .parent = 20, .parent_start = 20, .comm = "b1");
	fx_create(f, .tgid = 20, .start = 20, .parent = 10, .parent_start = 10, .comm = "b");
	fx_create(f, .tgid = 10, .start = 10, .parent = 1, .parent_start = 1, .comm = "a");
	fx_create(f, .tgid = 26, .start = 26, .parent = 20, .parent_start = 20, .comm = "b2");
	fx_create(f, .tgid = 5, .start = 40, .parent = 10, .parent_start = 10, .comm = "d");
	fx_seed_end(f);
	CHECK(f, all, {10, 0, 0, true}, {20, 1, 10, false}, {25, 2, 20, false}, {26, 2, 20, true},
	      {30, 1, 10, false}, {5, 1, 10, true});
}

/* A parent that has another identity under the same number is not the parent. */
static void test_parent_is_an_identity(void **state)
{
	struct fixture *f = *state;
	struct tree_options all = {0};

	fx_seed_begin(f);
	fx_create(f, .tgid = 10, .start = 50, .comm = "new holder");
	fx_create(f, .tgid = 60, .start = 60, .parent = 10, .parent_start = 10, .comm = "child");
	fx_seed_end(f);
	CHECK(f, all, {10, 0, 0, false}, {60, 0, 0, true});
}

/* A stream that lies: parents in a ring, and one that is its own. All are shown, once. */
static void test_rings_end(void **state)
{
	struct fixture *f = *state;
	struct tree_options all = {0};

	fx_seed_begin(f);
	fx_create(f, .tgid = 10, .start = 10, .parent = 12, .parent_start = 12, .comm = "a");
	fx_create(f, .tgid = 11, .start = 11, .parent = 10, .parent_start = 10, .comm = "b");
	fx_create(f, .tgid = 12, .start = 12, .parent = 11, .parent_start = 11, .comm = "c");
	fx_create(f, .tgid = 13, .start = 13, .parent = 13, .parent_start = 13, .comm = "d");
	fx_seed_end(f);
	CHECK(f, all, {10, 0, 0, false}, {11, 1, 10, true}, {12, 2, 11, true}, {13, 0, 0, true});
}

static void test_deep(void **state)
{
	struct fixture *f = *state;
	struct tree_options all = {0};
	struct tree tree;

	fx_seed_begin(f);
	for (uint32_t i = 1; i <= 20000; i++)
		fx_create(f, .tgid = i, .start = i, .parent = i - 1, .parent_start = i - 1,
			  .comm = "deep");
	fx_seed_end(f);
	assert_int_equal(tree_build(&tree, f->atlas, &all), 0);
	assert_int_equal(tree.nr, 20000);
	for (uint32_t i = 0; i < 20000; i++)
		assert_int_equal(tree.nodes[i].depth, i);
	tree_done(&tree);
	tree_done(NULL);
}

static void test_zombies_stay_and_gone_go(void **state)
{
	struct fixture *f = *state;
	struct tree_options all = {0};

	fx_small_host(f);
	fx_exit(f, 101, 101, 990, 990, 0, REC_EXIT_LAST);
	CHECK(f, all, {1, 0, 0, true}, {100, 1, 1, true}, {101, 2, 100, true});
	fx_free(f, 101, 990);
	CHECK(f, all, {1, 0, 0, true}, {100, 1, 1, true});
}

static void test_empty(void **state)
{
	struct fixture *f = *state;
	struct tree_options all = {.kernel = true};
	struct tree tree;

	assert_int_equal(tree_build(&tree, f->atlas, &all), 0);
	assert_int_equal(tree.nr, 0);
	tree_done(&tree);
}

#define with_host(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    with_host(test_small_host),
	    with_host(test_subtree),
	    with_host(test_siblings),
	    with_host(test_parent_is_an_identity),
	    with_host(test_rings_end),
	    with_host(test_deep),
	    with_host(test_zombies_stay_and_gone_go),
	    with_host(test_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
