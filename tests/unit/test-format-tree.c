// SPDX-License-Identifier: GPL-2.0-only
#include "tests/unit/view-fixture.h"

#include "format/tree.h"

static const char *user_name(void *ctx, uint32_t uid)
{
	(void)ctx;
	return uid == 1000 ? "ann" : NULL;
}

static void check_tree(const struct fixture *f, const struct style *style, bool threads,
		       const char *expected)
{
	struct tree_options options = {.kernel = false};
	struct buffer out = BUFFER_EMPTY;
	struct coverage coverage;
	struct tree_format format = {
	    .atlas = f->atlas, .coverage = &coverage, .threads = threads, .user_name = user_name};
	struct tree tree;

	coverage_fill(&coverage, f->atlas, &f->host, f->now * SECOND);
	assert_int_equal(tree_build(&tree, f->atlas, &options), 0);
	assert_int_equal(tree_text(&out, style, &tree, &format), 0);
	assert_string_equal(buffer_text(&out), expected);
	tree_done(&tree);
	buffer_done(&out);
}

static void test_text(void **state)
{
	struct fixture *f = *state;
	struct style style = {.unicode = true};

	fx_small_host(f);
	check_tree(f, &style, false,
		   "PID  USER  CGROUP                  AGE  THR  MAPS  COMMAND\n"
		   "  1  0     -                    16m39s    1     0  init\n"
		   "100  ann   docker-0123456789ab   8m20s    1     3  \u2514\u2500 sh  /bin/sh\n"
		   "101  ann   -                     10.0s    1     0     \u2514\u2500 sleep\n");
}

static void test_narrow(void **state)
{
	struct fixture *f = *state;
	struct style style = {.terminal = true, .columns = 20};

	fx_small_host(f);
	check_tree(f, &style, false,
		   "PID  COMMAND\n"
		   "  1  init\n"
		   "100  `- sh  /bin/sh\n"
		   "101     `- sleep\n");
}

/* Lines run past the rows between siblings; threads stand between a process and its children. */
static void test_lines(void **state)
{
	struct fixture *f = *state;
	struct style style = {.terminal = true, .columns = 40};

	fx_seed_begin(f);
	fx_create(f, .tgid = 10, .start = 10, .comm = "a");
	fx_create(f, .tgid = 10, .tid = 12, .start = 12, .process_start = 10, .comm = "a-work");
	fx_create(f, .tgid = 10, .tid = 13, .start = 13, .process_start = 10, .comm = "a-io");
	fx_create(f, .tgid = 20, .start = 20, .parent = 10, .parent_start = 10, .comm = "b");
	fx_create(f, .tgid = 20, .tid = 21, .start = 21, .process_start = 20, .parent = 10,
		  .parent_start = 10, .comm = "b-work");
	fx_create(f, .tgid = 22, .start = 22, .parent = 20, .parent_start = 20, .comm = "c");
	fx_create(f, .tgid = 30, .start = 30, .parent = 10, .parent_start = 10, .comm = "\x1b[2J");
	fx_create(f, .tgid = 31, .start = 31, .parent = 30, .parent_start = 30, .comm = "d");
	fx_seed_end(f);
	fx_exit(f, 31, 31, 31, 31, 0, REC_EXIT_LAST);
	check_tree(f, &style, true,
		   "PID  USER     AGE  COMMAND\n"
		   " 10  0     16m30s  a\n"
		   " 12  0     16m28s  |- {a-work}\n"
		   " 13  0     16m27s  |- {a-io}\n"
		   " 20  0     16m20s  |- b\n"
		   " 21  0     16m19s  |  |- {b-work}\n"
		   " 22  0     16m18s  |  `- c\n"
		   " 30  0     16m10s  `- \\x1b[2J\n"
		   " 31  0     16m09s     `- d (zombie)\n");
}

static void test_deep_trees_do_not_grow_without_bound(void **state)
{
	struct fixture *f = *state;
	struct tree_options options = {0};
	struct style style = {0};
	struct buffer out = BUFFER_EMPTY;
	struct coverage coverage;
	struct tree_format format = {.atlas = f->atlas, .coverage = &coverage};
	struct tree tree;

	fx_seed_begin(f);
	for (uint32_t i = 1; i <= 3000; i++)
		fx_create(f, .tgid = i, .start = i, .parent = i - 1, .parent_start = i - 1,
			  .comm = "deep");
	fx_seed_end(f);
	coverage_fill(&coverage, f->atlas, &f->host, f->now * SECOND);
	assert_int_equal(tree_build(&tree, f->atlas, &options), 0);
	assert_int_equal(tree_text(&out, &style, &tree, &format), 0);
	assert_true(out.len < 3001 * 160);
	assert_non_null(strstr(buffer_text(&out), "  (+2975) "));
	tree_done(&tree);
	buffer_done(&out);
}

static void check_cgroup(const char *path, const char *expected)
{
	struct cgroup cgroup = {.known = true, .path = path};
	struct style style = {0};
	struct buffer out = BUFFER_EMPTY;

	cgroup_short(&out, &style, &cgroup);
	assert_string_equal(buffer_text(&out), expected);
	buffer_done(&out);
}

static void test_short_cgroups(void **state)
{
	struct cgroup unknown = {.path = "/x"};
	struct style style = {0};
	struct buffer out = BUFFER_EMPTY;

	(void)state;
	check_cgroup("/", "/");
	check_cgroup("/user.slice", "user.slice");
	check_cgroup("/system.slice/ssh.service", "ssh");
	check_cgroup("/a/.scope", ".scope");
	check_cgroup("/docker/0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
		     "0123456789ab");
	check_cgroup("/k/cri-containerd-0123456789abcdef0123456789abcdef.scope",
		     "cri-containerd-0123456789ab");
	check_cgroup("/k/dead-beef", "dead-beef");
	check_cgroup("/k/a\x1b[2Jb", "a\\x1b[2Jb");
	check_cgroup("/k/\xff", "\\xff");
	cgroup_short(&out, &style, &unknown);
	cgroup_short(&out, &style, NULL);
	assert_string_equal(buffer_text(&out), "--");
	buffer_done(&out);
}

static void test_json(void **state)
{
	struct fixture *f = *state;
	struct tree_options options = {0};
	struct buffer out = BUFFER_EMPTY;
	struct coverage coverage;
	struct tree_format format = {
	    .atlas = f->atlas, .coverage = &coverage, .threads = true, .user_name = user_name};
	struct json_object *root, *list, *shell, *value, *part;
	struct tree tree;

	fx_small_host(f);
	coverage_fill(&coverage, f->atlas, &f->host, f->now * SECOND);
	assert_int_equal(tree_build(&tree, f->atlas, &options), 0);
	assert_int_equal(tree_json(&out, &tree, &format), 0);
	root = json_tokener_parse(buffer_text(&out));
	assert_non_null(root);
	assert_true(json_object_object_get_ex(root, "processes", &list));
	assert_int_equal(json_object_array_length(list), 3);
	shell = json_object_array_get_idx(list, 1);
	json_object_object_get_ex(shell, "pid", &value);
	assert_int_equal(json_object_get_int(value), 100);
	json_object_object_get_ex(shell, "parent", &value);
	json_object_object_get_ex(value, "start_ns", &part);
	assert_true(json_object_get_uint64(part) == SECOND);
	json_object_object_get_ex(shell, "user", &value);
	assert_string_equal(json_object_get_string(value), "ann");
	json_object_object_get_ex(shell, "nr_mappings", &value);
	assert_int_equal(json_object_get_int(value), 3);
	json_object_object_get_ex(shell, "threads", &value);
	assert_int_equal(json_object_array_length(value), 1);
	json_object_put(root);
	tree_done(&tree);
	buffer_done(&out);
}

#define with_host(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    with_host(test_text),
	    with_host(test_narrow),
	    with_host(test_lines),
	    with_host(test_deep_trees_do_not_grow_without_bound),
	    cmocka_unit_test(test_short_cgroups),
	    with_host(test_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
