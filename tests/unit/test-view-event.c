// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "tests/unit/view-fixture.h"

#include "view/event_filter.h"
#include "view/names.h"

/* The event of the last record. */
static struct event last_event(struct fixture *f)
{
	struct event event;

	assert_true(event_from_record(&event, f->atlas, (void *)f->record, f->size));
	return event;
}

static void test_kinds(void **state)
{
	uint32_t bits = 0;
	const char *bad = NULL;
	size_t bad_len = 0;

	(void)state;
	for (unsigned int kind = 1; kind < EVENT_KIND_NR; kind++) {
		const char *name = event_kind_name(kind);

		assert_int_equal(event_kind_by_name(name, strlen(name)), kind);
	}
	assert_int_equal(event_kind_by_name("exe", 3), EVENT_NONE);
	assert_int_equal(event_kind_by_name("", 0), EVENT_NONE);
	assert_int_equal(event_kind_by_name("none", 4), EVENT_NONE);
	assert_int_equal(event_kinds_parse("fork,exec", &bits, &bad, &bad_len), 0);
	assert_int_equal(bits, EVENT_BIT(EVENT_FORK) | EVENT_BIT(EVENT_EXEC));
	assert_int_equal(event_kinds_parse("fork,exit,nope,exec", &bits, &bad, &bad_len), -EINVAL);
	assert_memory_equal(bad, "nope", 4);
	assert_int_equal(bad_len, 4);
	assert_int_equal(event_kinds_parse("", &bits, &bad, &bad_len), -EINVAL);
	assert_int_equal(event_kinds_parse("fork,", &bits, &bad, &bad_len), -EINVAL);
	assert_true(event_default_kinds() & EVENT_BIT(EVENT_LOSS));
	assert_false(event_default_kinds() & EVENT_MAPPING_BITS);
	assert_string_equal(event_kind_name(EVENT_KIND_NR), "unknown");
}

static void test_life_of_a_process(void **state)
{
	struct fixture *f = *state;
	struct event event;

	fx_small_host(f);
	fx_fork(f, .tgid = 200, .start = 1000, .parent = 100, .parent_start = 500, .space = 12,
		.comm = "sh", .forker_tgid = 100, .forker_start = 500,
		.flags = REC_TASK_SHARES_SPACE);
	event = last_event(f);
	assert_int_equal(event.kind, EVENT_FORK);
	assert_int_equal(event.tgid, 200);
	assert_int_equal(event.forker_tgid, 100);
	assert_true(event.shares_space);
	assert_int_equal(event.process->tgid, 200);

	fx_exec(f,
		(struct fx_task){.tgid = 200,
				 .start = 1000,
				 .parent = 100,
				 .parent_start = 500,
				 .space = 14,
				 .exe = 21,
				 .comm = "script"},
		"./script", "a\0b c\0", 6, REC_EXEC_SCRIPT);
	event = last_event(f);
	assert_int_equal(event.kind, EVENT_EXEC);
	assert_int_equal(event.old_tid, 200);
	assert_int_equal(event.filename_len, 8);
	assert_memory_equal(event.filename, "./script", 8);
	assert_int_equal(event.args_len, 6);
	assert_memory_equal(event.args, "a\0b c\0", 6);

	fx_fork(f, .tgid = 200, .tid = 201, .start = 1001, .process_start = 1000, .space = 14,
		.comm = "worker", .forker_tgid = 200, .forker_start = 1000,
		.flags = REC_TASK_SHARES_SPACE);
	assert_int_equal(last_event(f).kind, EVENT_THREAD);
	fx_exit(f, 200, 201, 1001, 1000, 0, 0);
	event = last_event(f);
	assert_int_equal(event.kind, EVENT_THREAD_EXIT);
	assert_int_equal(event.tid, 201);
	fx_exit(f, 200, 200, 1000, 1000, 9, REC_EXIT_LAST | REC_EXIT_GROUP);
	event = last_event(f);
	assert_int_equal(event.kind, EVENT_EXIT);
	assert_int_equal(event.wait_status, 9);
	assert_memory_equal(event.comm, "script", 7);
	fx_free(f, 200, 1000);
	assert_int_equal(last_event(f).kind, EVENT_REAP);
}

static void test_walks_and_the_rest(void **state)
{
	struct fixture *f = *state;
	struct event event;

	fx_small_host(f);
	assert_false(
	    event_from_record(&event, f->atlas, (void *)f->record, f->size)); /* WALK_END */
	fx_create(f, .tgid = 300, .start = 999, .comm = "late");
	assert_int_equal(last_event(f).kind, EVENT_FOUND);
	fx_loss(f, REC_MAPS, REC_LOSS_RING_FULL, 12);
	event = last_event(f);
	assert_int_equal(event.kind, EVENT_LOSS);
	assert_int_equal(event.count, 12);
	assert_string_equal(record_kind_name(event.lost_kind), "maps");
	assert_string_equal(loss_cause_name(event.lost_by), "ring_full");
}

static struct event exec_event(struct fixture *f)
{
	fx_exec(
	    f,
	    (struct fx_task){
		.tgid = 100, .start = 500, .space = 15, .cgroup = 7, .uid = 1000, .comm = "vim"},
	    "/usr/bin/vim", NULL, 0, 0);
	return last_event(f);
}

static void test_filter(void **state)
{
	static const uint32_t shell[] = {100}, other[] = {1, 2}, user[] = {1000};
	static const char *good[] = {"nope", "v[iI]?"}, *bad[] = {"vi"};
	static const char *inside[] = {"/user.slice"}, *outside[] = {"/user"};
	struct fixture *f = *state;
	struct event_filter filter = {.kinds = event_default_kinds()};
	struct event event;

	fx_small_host(f);
	event = exec_event(f);
	assert_true(event_wanted(&filter, &event));

	filter.tgids = other;
	filter.nr_tgids = 2;
	assert_false(event_wanted(&filter, &event));
	filter.tgids = shell;
	filter.nr_tgids = 1;
	assert_true(event_wanted(&filter, &event));

	filter.uids = other;
	filter.nr_uids = 2;
	assert_false(event_wanted(&filter, &event));
	filter.uids = user;
	filter.nr_uids = 1;
	assert_true(event_wanted(&filter, &event));

	filter.comms = (struct text_list){bad, 1};
	assert_false(event_wanted(&filter, &event));
	filter.comms = (struct text_list){good, 2};
	assert_true(event_wanted(&filter, &event));

	filter.cgroups = (struct text_list){outside, 1};
	assert_false(event_wanted(&filter, &event));
	filter.cgroups = (struct text_list){inside, 1};
	assert_true(event_wanted(&filter, &event));

	filter.tag = 2;
	assert_false(event_wanted(&filter, &event));
	atlas_tag(f->atlas, event.process, 3);
	assert_true(event_wanted(&filter, &event));

	filter.kinds = EVENT_BIT(EVENT_FORK);
	assert_false(event_wanted(&filter, &event));
}

static void test_fork_by_the_asked_process(void **state)
{
	static const uint32_t shell[] = {100};
	struct fixture *f = *state;
	struct event_filter filter = {
	    .kinds = event_default_kinds(),
	    .tgids = shell,
	    .nr_tgids = 1,
	};
	struct event event;

	fx_small_host(f);
	fx_fork(f, .tgid = 200, .start = 1000, .parent = 100, .parent_start = 500, .space = 16,
		.comm = "sh", .forker_tgid = 100, .forker_start = 500);
	event = last_event(f);
	assert_true(event_wanted(&filter, &event));
	fx_exit(f, 200, 200, 1000, 1000, 0, REC_EXIT_LAST);
	event = last_event(f);
	assert_false(event_wanted(&filter, &event));
	fx_loss(f, REC_EXIT, REC_LOSS_RING_FULL, 1);
	event = last_event(f);
	assert_true(event_wanted(&filter, &event)); /* concerns everybody */
}

static void test_cgroup_patterns(void **state)
{
	(void)state;
	assert_true(cgroup_matches("/", "/"));
	assert_true(cgroup_matches("/", "/a/b"));
	assert_true(cgroup_matches("/a", "/a"));
	assert_true(cgroup_matches("/a/", "/a/b"));
	assert_false(cgroup_matches("/a", "/ab"));
	assert_false(cgroup_matches("/a/b", "/a"));
	assert_true(cgroup_matches("*docker-*", "/system.slice/docker-1.scope"));
	assert_false(cgroup_matches("/x*", "/system.slice"));
}

static void test_mapping_change(void **state)
{
	static const struct mapping before = {
	    .start = 0x4000, .end = 0x5000, .flags = REC_MAP_READ};
	struct fixture *f = *state;
	struct rec_maps record = {.hdr = {.tid = 101, .tgid = 100, .time_ns = 5},
				  .cause = REC_CAUSE_MUNMAP};
	struct event event;

	fx_small_host(f);
	event_from_mapping(&event, f->atlas, &record, atlas_process(f->atlas, 100)->space,
			   MAPPING_REMOVED, &before, NULL);
	assert_int_equal(event.kind, EVENT_UNMAP);
	assert_ptr_equal(event.before, &before);
	assert_null(event.after);
	assert_int_equal(event.process->tgid, 100);
	assert_int_equal(event.cause, REC_CAUSE_MUNMAP);
}

#define with_host(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_kinds),
	    with_host(test_life_of_a_process),
	    with_host(test_walks_and_the_rest),
	    with_host(test_filter),
	    with_host(test_fork_by_the_asked_process),
	    cmocka_unit_test(test_cgroup_patterns),
	    with_host(test_mapping_change),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
