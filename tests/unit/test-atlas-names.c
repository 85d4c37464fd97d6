// SPDX-License-Identifier: GPL-2.0-only
/* Files and cgroups: interned, named when their record comes, collected when nothing needs them. */
#include "records.h"

static void map_file(struct feed *feed, uint64_t space, uint64_t key)
{
	feed_maps(feed, (struct rec_maps){.space = space, .hi = 0x9000},
		  RECLIST({.start = 0x1000, .end = 0x2000, .file = key}));
}

static const struct file *mapped_file(const struct feed *feed, uint32_t tgid)
{
	struct mapping found;

	assert_true(atlas_find(must_process(feed, tgid)->space, 0x1000, &found));
	return atlas_file(feed->atlas, found.file);
}

static void test_name_comes_later(void **state)
{
	struct feed *feed = feed_new();
	const struct file *file;

	(void)state;
	assert_null(atlas_file(feed->atlas, 0));
	assert_null(atlas_file(feed->atlas, 1));
	assert_null(atlas_file(feed->atlas, UINT32_MAX));
	feed_task(feed, REC_CREATE, (struct rec_task){WHO(10, 10, 500), .space = 1, .exe = 7});
	map_file(feed, 1, 7);
	file = mapped_file(feed, 10);
	assert_int_equal(file->kind, REC_FILE_NONE);
	assert_string_equal(file->name, "");
	assert_int_equal(counts_of(feed).files, 1);
	assert_ptr_equal(atlas_file(feed->atlas, must_process(feed, 10)->exe), file);
	feed_file(feed,
		  (struct rec_file){.file = 7,
				    .inode = 33,
				    .dev = 8 << 20 | 1,
				    .generation = 5,
				    .file_flags = REC_FILE_CUT},
		  "/lib/x.so");
	assert_ptr_equal(mapped_file(feed, 10), file);
	assert_int_equal(file->inode, 33);
	assert_int_equal(file->dev, 8 << 20 | 1);
	assert_int_equal(file->generation, 5);
	assert_int_equal(file->kind, REC_FILE_PATH);
	assert_int_equal(file->flags, REC_FILE_CUT);
	assert_int_equal(file->name_len, 9);
	assert_string_equal(file->name, "/lib/x.so");
	assert_int_equal(file->named_ns, feed->now_ns);
	/* N4: told anew, since it was deleted. */
	feed_file(feed,
		  (struct rec_file){.file = 7,
				    .inode = 33,
				    .dev = 8 << 20 | 1,
				    .generation = 5,
				    .file_flags = REC_FILE_DELETED},
		  "/lib/y.so");
	assert_ptr_equal(mapped_file(feed, 10), file);
	assert_int_equal(file->flags, REC_FILE_DELETED);
	assert_string_equal(file->name, "/lib/y.so");
	assert_int_equal(counts_of(feed).files, 1);
	feed_free(feed);
}

/* N2, N3, N5, N7: another key is another file, whatever they have in common. */
static void test_keys_tell_apart(void **state)
{
	struct feed *feed = feed_new();

	(void)state;
	feed_file(feed, (struct rec_file){.file = 7, .inode = 33}, "/same");
	feed_file(feed, (struct rec_file){.file = 8, .inode = 33}, "/same");
	feed_task(feed, REC_CREATE, (struct rec_task){WHO(10, 10, 500), .space = 1});
	feed_task(feed, REC_CREATE, (struct rec_task){WHO(11, 11, 500), .space = 2});
	map_file(feed, 1, 7);
	map_file(feed, 2, 8);
	assert_ptr_not_equal(mapped_file(feed, 10), mapped_file(feed, 11));
	assert_int_equal(counts_of(feed).files, 2);
	feed_free(feed);
}

/* Names are bytes. */
static void test_bytes(void **state)
{
	struct feed *feed = feed_new();
	union {
		struct rec_file rec;
		char bytes[sizeof(struct rec_file) + 16];
	} file = {.rec = {.file = 7, .file_kind = REC_FILE_PATH, .name_len = 5}};

	(void)state;
	memcpy(file.bytes + sizeof(file.rec), "a\0\xff\nb", 5);
	feed_apply(feed, REC_FILE, &file, sizeof(file));
	feed_task(feed, REC_CREATE, (struct rec_task){WHO(10, 10, 500), .space = 1});
	map_file(feed, 1, 7);
	assert_int_equal(mapped_file(feed, 10)->name_len, 5);
	assert_memory_equal(mapped_file(feed, 10)->name, "a\0\xff\nb", 6);
	feed_free(feed);
}

static void test_cgroup(void **state)
{
	struct feed *feed = feed_new();
	const struct cgroup *cgroup;

	(void)state;
	feed_task(feed, REC_CREATE,
		  (struct rec_task){WHO(10, 10, 500), .cgroup_id = 3, .cgroup_hierarchy = 2});
	cgroup = must_process(feed, 10)->cgroup;
	assert_int_equal(cgroup->id, 3);
	assert_int_equal(cgroup->hierarchy, 2);
	assert_false(cgroup->known);
	assert_string_equal(cgroup->path, "");
	feed_cgroup(feed, (struct rec_cgroup){.id = 3, .hierarchy = 1}, "/other");
	feed_cgroup(feed,
		    (struct rec_cgroup){.id = 3, .hierarchy = 2, .cgroup_flags = REC_CGROUP_CUT},
		    "/docker/x");
	assert_true(cgroup->known);
	assert_true(cgroup->cut);
	assert_string_equal(cgroup->path, "/docker/x");
	feed_cgroup(feed, (struct rec_cgroup){.id = 3, .hierarchy = 2}, "/docker/y");
	assert_false(cgroup->cut);
	assert_string_equal(cgroup->path, "/docker/y");
	assert_int_equal(counts_of(feed).cgroups, 2);
	feed_cgroup(feed, (struct rec_cgroup){.hierarchy = 2}, "/nobody");
	assert_int_equal(counts_of(feed).cgroups, 2);
	feed_free(feed);
}

/* L3: what nothing refers to goes, when there is too much of it. */
static void test_collect(void **state)
{
	struct atlas_limits limits = {.retain_ns = 1000, .retain_processes = 10, .max_files = 4};
	struct feed *feed = feed_new_with(&limits);
	const struct file *kept;

	(void)state;
	feed_task(feed, REC_CREATE,
		  (struct rec_task){WHO(10, 10, 500), .space = 1, .exe = 2, .cgroup_id = 1});
	map_file(feed, 1, 1);
	for (uint64_t key = 1; key <= 4; key++)
		feed_file(feed, (struct rec_file){.file = key}, key == 1 ? "kept" : "x");
	assert_int_equal(atlas_collect(feed->atlas, feed->now_ns), 0); /* four are not too many */
	kept = mapped_file(feed, 10);

	/* A space that floats, and one of a process that is gone, count too. */
	map_file(feed, 99, 5);
	feed_task(feed, REC_FORK,
		  (struct rec_task){WHO(11, 11, 600), .space = 2, .forker_tgid = 10,
				    .forker_tid = 10, .forker_start_ns = 500});
	map_file(feed, 2, 6);
	feed_exit(feed, (struct rec_exit){WHO(11, 11, 600), .exit_flags = REC_EXIT_LAST});
	feed_reap(feed, 11, 600);
	assert_int_equal(atlas_collect(feed->atlas, feed->now_ns), 2); /* keys 3 and 4 */
	feed_check(feed);
	assert_int_equal(counts_of(feed).files, 4);
	assert_ptr_equal(mapped_file(feed, 10), kept);
	assert_string_equal(kept->name, "kept");
	assert_int_equal(atlas_file(feed->atlas, must_process(feed, 10)->exe)->kind, REC_FILE_PATH);

	/* Numbers are given again. */
	feed_file(feed, (struct rec_file){.file = 7}, "seven");
	map_file(feed, 1, 7);
	assert_string_equal(mapped_file(feed, 10)->name, "seven");
	assert_int_equal(atlas_collect(feed->atlas, feed->now_ns + 5000), 2); /* of keys 1 and 6 */
	feed_check(feed);
	assert_int_equal(counts_of(feed).files, 3);
	feed_free(feed);
}

/* As many in use as the limit says, or more: looking again finds nothing, and is not tried. */
static void test_collect_in_use(void **state)
{
	struct atlas_limits limits = {.retain_ns = 1000, .retain_processes = 10, .max_files = 4};
	struct feed *feed = feed_new_with(&limits);
	struct rec_mapping list[40];

	(void)state;
	for (uint64_t i = 0; i < 40; i++)
		list[i] =
		    (struct rec_mapping){.start = i << 12, .end = (i + 1) << 12, .file = i + 1};
	feed_task(feed, REC_CREATE, (struct rec_task){WHO(10, 10, 500), .space = 1});
	feed_maps(feed, (struct rec_maps){.space = 1, .hi = SPACE_END}, 40, list);
	assert_int_equal(atlas_collect(feed->atlas, feed->now_ns), 0);
	/* An eighth more must come before it is looked again. */
	feed_maps(feed, (struct rec_maps){.space = 1, .hi = SPACE_END}, 20, list);
	assert_int_equal(atlas_collect(feed->atlas, feed->now_ns), 0);
	for (uint64_t key = 100; key < 106; key++)
		feed_file(feed, (struct rec_file){.file = key}, "x");
	assert_int_equal(atlas_collect(feed->atlas, feed->now_ns), 26);
	assert_int_equal(counts_of(feed).files, 20);
	feed_free(feed);
}

static void test_collect_cgroups(void **state)
{
	struct atlas_limits limits = {.retain_ns = 1000, .retain_processes = 10, .max_files = 4};
	struct feed *feed = feed_new_with(&limits);

	(void)state;
	feed_task(feed, REC_CREATE, (struct rec_task){WHO(10, 10, 500), .cgroup_id = 1});
	feed_task(feed, REC_CREATE, (struct rec_task){WHO(11, 10, 500), .cgroup_id = 2});
	for (uint64_t id = 1; id <= 6; id++)
		feed_cgroup(feed, (struct rec_cgroup){.id = id}, "/x");
	assert_int_equal(atlas_collect(feed->atlas, feed->now_ns), 4);
	feed_check(feed);
	assert_int_equal(counts_of(feed).cgroups, 2);
	assert_string_equal(must_process(feed, 10)->cgroup->path, "/x");
	assert_string_equal(atlas_task(feed->atlas, 11, NULL)->cgroup->path, "/x");
	feed_free(feed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_name_comes_later),
	    cmocka_unit_test(test_keys_tell_apart),
	    cmocka_unit_test(test_bytes),
	    cmocka_unit_test(test_cgroup),
	    cmocka_unit_test(test_collect),
	    cmocka_unit_test(test_collect_in_use),
	    cmocka_unit_test(test_collect_cgroups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
