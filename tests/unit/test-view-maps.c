// SPDX-License-Identifier: GPL-2.0-only
#include "tests/unit/view-fixture.h"

#include "format/maps.h"
#include "atlas/maps.h"

#define RW (REC_MAP_READ | REC_MAP_WRITE)

/* Every kind of name in one space; the text is what a kernel would print. */
static void all_names(struct fixture *f)
{
	static const struct rec_mapping mappings[] = {
	    {.start = 0x4000, .end = 0x6000, .file = 1, .map_flags = REC_MAP_READ | REC_MAP_EXEC},
	    {.start = 0x6000, .end = 0x7000, .offset = 0x2000, .file = 2, .map_flags = RW},
	    {.start = 0x10000, .end = 0x12000, .map_flags = RW},
	    {.start = 0x20000, .end = 0x21000, .map_flags = 0},
	    {.start = 0x30000, .end = 0x31000, .file = 3, .map_flags = RW | REC_MAP_SHARED},
	    {.start = 0x31000, .end = 0x32000, .file = 4, .map_flags = RW},
	    {.start = 0x32000, .end = 0x33000, .file = 5, .map_flags = RW},
	    {.start = 0x40000, .end = 0x41000, .file = 6, .map_flags = REC_MAP_READ},
	    {.start = 0x7fff0000, .end = 0x80000000, .map_flags = RW | REC_MAP_GROWSDOWN},
	    {.start = 0x7f0123456000,
	     .end = 0x7f0123457000,
	     .file = 7,
	     .map_flags = REC_MAP_READ | REC_MAP_EXEC},
	};

	fx_seed_begin(f);
	fx_create(f, .tgid = 50, .start = 10, .space = 9, .comm = "x");
	fx_file(f, 1, REC_FILE_PATH, 0, 254, 0, 247498, "/usr/bin/new\nline\\");
	fx_file(f, 2, REC_FILE_PATH, REC_FILE_DELETED, 8, 0x123, 5, "/lib/gone.so");
	fx_file(f, 3, REC_FILE_PSEUDO, REC_FILE_DELETED, 0, 1, 1057, "/memfd:a\xff\x1b[2J");
	fx_file(f, 4, REC_FILE_ANON, 0, 0, 0, 0, "arena");
	fx_file(f, 5, REC_FILE_ANON, 0, 0, 1, 1058, "shm");
	fx_file(f, 6, REC_FILE_PATH, REC_FILE_CUT, 8, 1, 6, "/tail.so");
	fx_file(f, 7, REC_FILE_SPECIAL, 0, 0, 0, 0, "[vdso]");
	fx_maps(f, 50, 9, 0, FX_HI, REC_CAUSE_WALK, mappings,
		sizeof(mappings) / sizeof(mappings[0]));
	fx_seed_end(f);
}

static void test_text_is_that_of_proc(void **state)
{
	struct fixture *f = *state;
	struct buffer out = BUFFER_EMPTY;
	struct style style = {0};

	all_names(f);
	assert_int_equal(maps_text(&out, &style, f->atlas, &f->host, atlas_process(f->atlas, 50)),
			 0);
	assert_string_equal(
	    buffer_text(&out),
	    "00004000-00006000 r-xp 00000000 fe:00 247498                             "
	    "/usr/bin/new\\012line\\\n"
	    "00006000-00007000 rw-p 00002000 08:123 5                                 "
	    "/lib/gone.so (deleted)\n"
	    "00010000-00012000 rw-p 00000000 00:00 0                                  "
	    "[heap]\n"
	    "00020000-00021000 ---p 00000000 00:00 0 \n"
	    "00030000-00031000 rw-s 00000000 00:01 1057                               "
	    "/memfd:a\xff\x1b[2J (deleted)\n"
	    "00031000-00032000 rw-p 00000000 00:00 0                                  "
	    "[anon:arena]\n"
	    "00032000-00033000 rw-p 00000000 00:01 1058                               "
	    "[anon_shmem:shm]\n"
	    "00040000-00041000 r--p 00000000 08:01 6                                  "
	    ".../tail.so\n"
	    "7fff0000-80000000 rw-p 00000000 00:00 0                                  "
	    "[stack]\n"
	    "7f0123456000-7f0123457000 r-xp 00000000 00:00 0                          "
	    "[vdso]\n"
	    "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  "
	    "[vsyscall]\n");
	buffer_done(&out);
}

static void test_terminal_is_not_driven(void **state)
{
	struct fixture *f = *state;
	struct buffer out = BUFFER_EMPTY;
	struct style style = {.terminal = true};

	all_names(f);
	assert_int_equal(maps_text(&out, &style, f->atlas, &f->host, atlas_process(f->atlas, 50)),
			 0);
	assert_non_null(strstr(buffer_text(&out), "/memfd:a\\377\\033[2J (deleted)\n"));
	assert_null(strchr(buffer_text(&out), '\x1b'));
	assert_null(strchr(buffer_text(&out), '\xff'));
	buffer_done(&out);
}

/* A line whose front is longer than the column of names has two blanks, as the kernel prints it. */
static void test_long_front(void **state)
{
	struct buffer out = BUFFER_EMPTY;
	struct style style = {0};
	struct maps_line line = {
	    .start = UINT64_C(0xfffffffffffff000),
	    .end = UINT64_MAX,
	    .offset = UINT64_C(0xfedcba9876543000),
	    .prot = "rwx",
	    .shared = true,
	    .major = 0xfff,
	    .minor = 0xfffff,
	    .inode = UINT64_MAX,
	    .before = "",
	    .name = "/a",
	    .name_len = 2,
	    .after = "",
	};

	(void)state;
	maps_text_line(&out, &style, &line);
	assert_string_equal(buffer_text(&out),
			    "fffffffffffff000-ffffffffffffffff rwxs fedcba9876543000 fff:fffff "
			    "18446744073709551615  /a\n");
	buffer_done(&out);
}

static uint64_t count_lines(const struct fixture *f, uint32_t tgid)
{
	struct maps_iter it = maps_lines(f->atlas, &f->host, atlas_process(f->atlas, tgid));
	struct maps_line line;
	uint64_t nr = 0;

	while (maps_next(&it, &line))
		nr++;
	return nr;
}

static void test_who_has_mappings(void **state)
{
	struct fixture *f = *state;

	fx_small_host(f);
	assert_int_equal(count_lines(f, 100), 4); /* and the gate */
	assert_int_equal(count_lines(f, 101), 1); /* only the gate */
	assert_int_equal(count_lines(f, 2), 0);   /* kernel threads have no space */
	fx_exit(f, 100, 100, 500, 500, 0, REC_EXIT_LAST);
	assert_int_equal(atlas_process(f->atlas, 100)->state, PROCESS_ZOMBIE);
	assert_int_equal(count_lines(f, 100), 0);
}

static void test_complete(void **state)
{
	struct fixture *f = *state;

	fx_seed_begin(f);
	fx_create(f, .tgid = 60, .start = 1, .space = 5, .comm = "a");
	fx_maps(f, 60, 5, 0, FX_HI, REC_CAUSE_WALK, NULL, 0);
	fx_create(f, .tgid = 61, .start = 1, .space = 6, .comm = "b");
	fx_create(f, .tgid = 62, .start = 1, .flags = REC_TASK_KTHREAD, .comm = "k");
	assert_false(maps_complete(f->atlas, atlas_process(f->atlas, 60))); /* the seed goes on */
	fx_seed_end(f);
	assert_true(maps_complete(f->atlas, atlas_process(f->atlas, 60)));
	assert_false(maps_complete(f->atlas, atlas_process(f->atlas, 61))); /* never observed */
	assert_true(maps_complete(f->atlas, atlas_process(f->atlas, 62)));
}

static void test_json(void **state)
{
	struct fixture *f = *state;
	struct buffer out = BUFFER_EMPTY;
	struct coverage coverage;
	struct json_object *root, *mappings, *mapping, *value;

	all_names(f);
	coverage_fill(&coverage, f->atlas, &f->host, 1001 * SECOND);
	assert_int_equal(maps_json(&out, f->atlas, &coverage, atlas_process(f->atlas, 50)), 0);
	assert_int_equal(out.data[out.len - 1], '\n');
	assert_ptr_equal(strchr(buffer_text(&out), '\n'), out.data + out.len - 1);
	root = json_tokener_parse(buffer_text(&out));
	assert_non_null(root);
	assert_true(json_object_object_get_ex(root, "mappings", &mappings));
	assert_int_equal(json_object_array_length(mappings), 11);

	mapping = json_object_array_get_idx(mappings, 0);
	json_object_object_get_ex(mapping, "path", &value);
	assert_string_equal(json_object_get_string(value), "/usr/bin/new\nline\\");
	assert_false(json_object_object_get_ex(mapping, "path_bytes", &value));
	json_object_object_get_ex(mapping, "start", &value);
	assert_string_equal(json_object_get_string(value), "0x4000");
	json_object_object_get_ex(mapping, "dev", &value);
	assert_string_equal(json_object_get_string(value), "fe:00");

	mapping = json_object_array_get_idx(mappings, 3);
	assert_true(json_object_object_get_ex(mapping, "path", &value));
	assert_null(value);

	mapping = json_object_array_get_idx(mappings, 4); /* not UTF-8 */
	json_object_object_get_ex(mapping, "path", &value);
	assert_string_equal(json_object_get_string(value), "/memfd:a\\xff\\x1b[2J");
	json_object_object_get_ex(mapping, "path_bytes", &value);
	assert_string_equal(json_object_get_string(value), "2f6d656d66643a61ff1b5b324a");
	json_object_object_get_ex(mapping, "deleted", &value);
	assert_true(json_object_get_boolean(value));
	json_object_object_get_ex(mapping, "shared", &value);
	assert_true(json_object_get_boolean(value));
	json_object_put(root);
	buffer_done(&out);
}

#define with_host(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    with_host(test_text_is_that_of_proc),
	    with_host(test_terminal_is_not_driven),
	    cmocka_unit_test(test_long_front),
	    with_host(test_who_has_mappings),
	    with_host(test_complete),
	    with_host(test_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
