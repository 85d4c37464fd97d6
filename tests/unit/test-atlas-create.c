// SPDX-License-Identifier: GPL-2.0-only
/* CREATE, and what a task is: rules 1 and 6 of the model, and the changes to an identity. */
#include "records.h"

static void test_fields(void **state)
{
	struct feed *feed = feed_new();
	const struct process *process, *of_task;
	const struct task *task;

	(void)state;
	feed_walk_begin(feed);
	feed_file(feed, (struct rec_file){.file = 5, .inode = 77}, "/bin/cat");
	feed_cgroup(feed, (struct rec_cgroup){.id = 9}, "/user.slice");
	feed_task(feed, REC_CREATE,
		  (struct rec_task){WHO(10, 10, 500), .space = 0x10, .exe = 5, .cgroup_id = 9,
				    .parent_tgid = 4, .parent_start_ns = 40, .ns_tid = 2,
				    .ns_tgid = 2, .uid = 1000, .gid = 100, .pid_ns = 31,
				    .mnt_ns = 32, .comm = "cat"});
	process = must_process(feed, 10);
	assert_int_equal(process->tgid, 10);
	assert_int_equal(process->ns_tgid, 2);
	assert_int_equal(process->start_ns, 500);
	assert_int_equal(process->state, PROCESS_RUNNING);
	assert_int_equal(process->flags, 0);
	assert_int_equal(process->uid, 1000);
	assert_int_equal(process->gid, 100);
	assert_int_equal(process->pid_ns, 31);
	assert_int_equal(process->mnt_ns, 32);
	assert_int_equal(process->nr_threads, 1);
	assert_int_equal(process->parent_tgid, 4);
	assert_int_equal(process->parent_start_ns, 40);
	assert_string_equal(process->comm, "cat");
	assert_string_equal(process->exec_filename, "");
	assert_string_equal(atlas_file(feed->atlas, process->exe)->name, "/bin/cat");
	assert_string_equal(process->cgroup->path, "/user.slice");
	assert_non_null(process->space);
	assert_int_equal(process->space->state, SPACE_SEEDED);

	task = atlas_task(feed->atlas, 10, &of_task);
	assert_ptr_equal(of_task, process);
	assert_int_equal(task->tid, 10);
	assert_int_equal(task->ns_tid, 2);
	assert_int_equal(task->start_ns, 500);
	assert_int_equal(task->uid, 1000);
	assert_string_equal(task->comm, "cat");
	assert_false(task->leader_exited);
	assert_null(atlas_task(feed->atlas, 11, &of_task));
	assert_null(atlas_process(feed->atlas, 11));
	assert_ptr_equal(atlas_process_at(feed->atlas, 10, 500), process);
	assert_null(atlas_process_at(feed->atlas, 10, 501));
	feed_free(feed);
}

/* S3: live FORK and EXEC, then the walk's CREATE: one task, refreshed, nothing lost. */
static void test_create_after_fork_and_exec(void **state)
{
	struct feed *feed = feed_new();
	const struct process *process;
	const struct space *space;

	(void)state;
	feed_task(feed, REC_CREATE, (struct rec_task){WHO(1, 1, 10), .space = 0x1});
	feed_task(feed, REC_FORK,
		  (struct rec_task){WHO(20, 20, 200), .space = 0x20, .forker_tgid = 1,
				    .forker_tid = 1, .forker_start_ns = 10, .parent_tgid = 1,
				    .parent_start_ns = 10});
	feed_exec(feed, (struct rec_exec){.task = {WHO(20, 20, 200), .space = 0x21}}, "/bin/true",
		  "true\0-x", 8);
	feed_whole(feed, 0x21, RECLIST({.start = 0x1000, .end = 0x2000}));
	process = must_process(feed, 20);
	space = process->space;

	feed_walk_begin(feed);
	feed_task(feed, REC_CREATE,
		  (struct rec_task){WHO(20, 20, 200), .space = 0x21, .uid = 7, .parent_tgid = 1,
				    .parent_start_ns = 10, .comm = "true"});
	assert_ptr_equal(must_process(feed, 20), process);
	assert_int_equal(process->nr_threads, 1);
	assert_int_equal(process->uid, 7);
	assert_string_equal(process->comm, "true");
	assert_int_equal(process->flags,
			 PROCESS_SEEN_FROM_BIRTH | PROCESS_FORKER_KNOWN | PROCESS_EXECED);
	assert_int_equal(process->forker_tgid, 1);
	assert_int_equal(process->forker_tid, 1);
	assert_int_equal(process->forker_start_ns, 10);
	assert_int_equal(process->nr_execs, 1);
	assert_memory_equal(process->args, "true\0-x", 8);
	assert_string_equal(process->exec_filename, "/bin/true");
	assert_ptr_equal(process->space, space);
	assert_mappings(space, LIST({.start = 0x1000, .end = 0x2000}));
	assert_true(space->state & SPACE_COMPLETE);
	feed_free(feed);
}

/* Rule 1: 0 in a field that a dying task has lost already takes nothing away. */
static void test_create_clears_nothing(void **state)
{
	struct feed *feed = feed_new();
	const struct process *process;

	(void)state;
	feed_task(feed, REC_CREATE,
		  (struct rec_task){WHO(10, 10, 500), .space = 0x10, .exe = 5, .cgroup_id = 9,
				    .ns_tgid = 2, .ns_tid = 2, .pid_ns = 3, .mnt_ns = 4});
	atlas_tag(feed->atlas, must_process(feed, 10), 3);
	feed_task(feed, REC_CREATE, (struct rec_task){WHO(10, 10, 500)});
	process = must_process(feed, 10);
	assert_non_null(process->space);
	assert_non_null(process->cgroup);
	assert_int_not_equal(process->exe, 0);
	assert_int_equal(process->ns_tgid, 2);
	assert_int_equal(process->pid_ns, 3);
	assert_int_equal(process->mnt_ns, 4);
	assert_int_equal(process->tag, 3);
	assert_int_equal(atlas_task(feed->atlas, 10, NULL)->ns_tid, 2);
	feed_free(feed);
}

/* A thread can be met first; what the leader alone decides follows when it is met. */
static void test_thread_before_leader(void **state)
{
	struct feed *feed = feed_new();
	const struct process *process;
	struct task_iter it;

	(void)state;
	feed_task(feed, REC_CREATE,
		  (struct rec_task){WHO(12, 10, 500), .space = 0x10, .comm = "worker"});
	process = must_process(feed, 10);
	assert_int_equal(process->start_ns, 500);
	assert_string_equal(process->comm, "worker");
	feed_task(feed, REC_CREATE,
		  (struct rec_task){WHO(10, 10, 500), .space = 0x10, .comm = "main", .uid = 1});
	feed_task(feed, REC_CREATE,
		  (struct rec_task){WHO(12, 10, 500), .space = 0x10, .comm = "worker"});
	assert_string_equal(process->comm, "main");
	assert_int_equal(process->uid, 1);
	assert_int_equal(process->nr_threads, 2);
	assert_int_equal(process->space->nr_processes, 1);
	it = atlas_threads(process);
	assert_int_equal(task_next(&it)->tid, 12);
	assert_int_equal(task_next(&it)->tid, 10);
	assert_null(task_next(&it));
	feed_free(feed);
}

/* S5: many threads, one set of mappings. */
static void test_threads_share(void **state)
{
	struct feed *feed = feed_new();

	(void)state;
	feed_walk_begin(feed);
	for (uint32_t tid = 10; tid < 60; tid++)
		feed_task(feed, REC_CREATE, (struct rec_task){WHO(tid, 10, 500), .space = 0x10});
	feed_whole(feed, 0x10, RECLIST({.start = 0x1000, .end = 0x2000}));
	feed_walk_end(feed, 0);
	assert_int_equal(counts_of(feed).tasks, 50);
	assert_int_equal(counts_of(feed).processes, 1);
	assert_int_equal(counts_of(feed).spaces, 1);
	assert_int_equal(counts_of(feed).mappings, 1);
	feed_free(feed);
}

/* After the seed nobody is new but by FORK; a FORK that comes after all takes it back. */
static void test_birth_missed(void **state)
{
	struct feed *feed = feed_new();

	(void)state;
	feed_seed(feed);
	feed_task(feed, REC_CREATE, (struct rec_task){WHO(10, 10, 500), .space = 0x10});
	assert_int_equal(must_process(feed, 10)->flags, PROCESS_BIRTH_MISSED);
	assert_int_equal(must_process(feed, 10)->space->state, 0);
	assert_int_equal(counts_of(feed).births_missed, 1);
	feed_task(feed, REC_CREATE, (struct rec_task){WHO(11, 10, 500), .space = 0x10});
	assert_int_equal(counts_of(feed).births_missed, 2);
	feed_task(feed, REC_FORK, (struct rec_task){WHO(11, 10, 500), .space = 0x10});
	assert_int_equal(counts_of(feed).births_missed, 1);
	feed_task(feed, REC_FORK, (struct rec_task){WHO(10, 10, 500), .space = 0x10});
	assert_int_equal(must_process(feed, 10)->flags, PROCESS_SEEN_FROM_BIRTH);
	assert_int_equal(counts_of(feed).births_missed, 0);
	feed_free(feed);
}

/* E2: another start time is another process, and the one before must be gone. */
static void test_tgid_reused(void **state)
{
	struct feed *feed = feed_new();
	const struct process *before;

	(void)state;
	feed_task(feed, REC_CREATE,
		  (struct rec_task){WHO(10, 10, 500), .space = 0x10, .comm = "old"});
	feed_task(feed, REC_CREATE, (struct rec_task){WHO(11, 10, 500), .space = 0x10});
	feed_whole(feed, 0x10, RECLIST({.start = 0x1000, .end = 0x2000}));
	feed_task(feed, REC_CREATE,
		  (struct rec_task){WHO(10, 10, 900), .space = 0x11, .comm = "new"});
	assert_string_equal(must_process(feed, 10)->comm, "new");
	assert_int_equal(must_process(feed, 10)->nr_threads, 1);
	assert_null(atlas_task(feed->atlas, 11, NULL));

	before = atlas_process_at(feed->atlas, 10, 500);
	assert_int_equal(before->state, PROCESS_GONE);
	assert_int_equal(before->flags, PROCESS_EXIT_MISSED);
	assert_int_equal(before->nr_threads, 0);
	assert_mappings(before->space, LIST({.start = 0x1000, .end = 0x2000}));
	assert_int_equal(counts_of(feed).exits_missed, 2);
	feed_free(feed);
}

/* A number is free for a thread only when the process that had it as its tgid is reaped. */
static void test_tid_reused(void **state)
{
	struct feed *feed = feed_new();

	(void)state;
	feed_task(feed, REC_CREATE, (struct rec_task){WHO(10, 10, 500), .space = 0x10});
	feed_task(feed, REC_CREATE, (struct rec_task){WHO(20, 20, 500), .space = 0x20});
	feed_task(feed, REC_CREATE, (struct rec_task){WHO(21, 20, 500), .space = 0x20});
	feed_task(feed, REC_FORK, (struct rec_task){WHO(10, 20, 500), .space = 0x20});
	assert_int_equal(must_process(feed, 10)->state, PROCESS_GONE);
	assert_int_equal(must_process(feed, 20)->nr_threads, 3);
	/* And a process only when the thread is gone. */
	feed_task(feed, REC_FORK, (struct rec_task){WHO(21, 21, 900), .space = 0x21});
	assert_int_equal(must_process(feed, 20)->nr_threads, 2);
	assert_int_equal(must_process(feed, 20)->state, PROCESS_RUNNING);
	assert_int_equal(must_process(feed, 21)->nr_threads, 1);
	feed_free(feed);
}

/* Another key: the process is in another space, which is known or not. */
static void test_rebinding(void **state)
{
	struct feed *feed = feed_new();

	(void)state;
	feed_task(feed, REC_CREATE, (struct rec_task){WHO(10, 10, 500), .space = 0x10});
	feed_task(feed, REC_CREATE, (struct rec_task){WHO(20, 20, 500), .space = 0x20});
	feed_whole(feed, 0x20, RECLIST({.start = 0x1000, .end = 0x2000}));
	feed_task(feed, REC_CREATE, (struct rec_task){WHO(10, 10, 500), .space = 0x20});
	assert_ptr_equal(must_process(feed, 10)->space, must_process(feed, 20)->space);
	assert_int_equal(must_process(feed, 20)->space->nr_processes, 2);
	feed_task(feed, REC_CREATE, (struct rec_task){WHO(20, 20, 500), .space = 0x30});
	assert_int_equal(must_process(feed, 20)->space->nr_mappings, 0);
	assert_int_equal(must_process(feed, 20)->space->state & SPACE_COMPLETE, 0);
	assert_int_equal(must_process(feed, 10)->space->nr_processes, 1);
	assert_int_equal(counts_of(feed).spaces, 2);
	feed_free(feed);
}

static void test_kernel_thread(void **state)
{
	struct feed *feed = feed_new();

	(void)state;
	feed_task(feed, REC_CREATE,
		  (struct rec_task){WHO(2, 2, 5), .task_flags = REC_TASK_KTHREAD});
	assert_int_equal(must_process(feed, 2)->flags, PROCESS_KTHREAD);
	assert_null(must_process(feed, 2)->space);
	/* A helper that the kernel starts becomes a program. */
	feed_exec(feed, (struct rec_exec){.task = {WHO(2, 2, 5), .space = 0x2}}, "/sbin/h", "", 0);
	assert_int_equal(must_process(feed, 2)->flags, PROCESS_EXECED);
	assert_non_null(must_process(feed, 2)->space);
	feed_free(feed);
}

/* E1 at the seed: a dead leader, and a worker that runs on. */
static void test_dead_leader(void **state)
{
	struct feed *feed = feed_new();

	(void)state;
	feed_walk_begin(feed);
	feed_task(feed, REC_CREATE,
		  (struct rec_task){WHO(10, 10, 500), .task_flags = REC_TASK_ZOMBIE,
				    .nr_threads = 1, .comm = "main"});
	assert_int_equal(must_process(feed, 10)->state, PROCESS_RUNNING);
	assert_int_equal(must_process(feed, 10)->nr_threads, 0);
	assert_null(must_process(feed, 10)->space);
	feed_task(feed, REC_CREATE, (struct rec_task){WHO(11, 10, 500), .space = 0x10});
	feed_walk_end(feed, 0);
	assert_int_equal(must_process(feed, 10)->state, PROCESS_RUNNING);
	assert_int_equal(must_process(feed, 10)->nr_threads, 1);
	assert_non_null(must_process(feed, 10)->space);
	assert_true(atlas_task(feed->atlas, 10, NULL)->leader_exited);
	assert_string_equal(must_process(feed, 10)->comm, "main");
	assert_int_equal(counts_of(feed).exits_missed, 0);
	feed_free(feed);
}

static void test_zombie(void **state)
{
	struct feed *feed = feed_new();

	(void)state;
	feed_walk_begin(feed);
	feed_task(
	    feed, REC_CREATE,
	    (struct rec_task){WHO(10, 10, 500), .task_flags = REC_TASK_ZOMBIE, .comm = "dead"});
	feed_walk_end(feed, 0);
	assert_int_equal(must_process(feed, 10)->state, PROCESS_ZOMBIE);
	assert_int_equal(must_process(feed, 10)->exit_ns, 0);
	assert_string_equal(must_process(feed, 10)->comm, "dead");
	assert_null(atlas_task(feed->atlas, 10, NULL));
	assert_int_equal(counts_of(feed).zombies, 1);
	assert_int_equal(counts_of(feed).exits_missed, 0);

	/* One that we thought was running has ended unseen. */
	feed_task(feed, REC_FORK, (struct rec_task){WHO(20, 20, 900), .space = 0x20});
	feed_walk_begin(feed);
	feed_task(feed, REC_CREATE,
		  (struct rec_task){WHO(20, 20, 900), .task_flags = REC_TASK_ZOMBIE});
	assert_int_equal(must_process(feed, 20)->state, PROCESS_ZOMBIE);
	assert_true(must_process(feed, 20)->flags & PROCESS_EXIT_MISSED);
	assert_int_equal(counts_of(feed).exits_missed, 1);
	/* The other zombie is not met: it was reaped. */
	feed_walk_end(feed, 0);
	assert_int_equal(must_process(feed, 10)->state, PROCESS_GONE);
	assert_int_equal(must_process(feed, 20)->state, PROCESS_ZOMBIE);
	assert_int_equal(counts_of(feed).exits_missed, 1);
	feed_free(feed);
}

static struct rec_rename renamed(uint32_t tid, uint32_t tgid, uint64_t start_ns)
{
	return (struct rec_rename){
	    .hdr.tid = tid,
	    .hdr.tgid = tgid,
	    .start_ns = start_ns,
	    .comm = "renamed",
	};
}

/* E6: the right thread; the process is called as its leader. */
static void test_rename(void **state)
{
	struct feed *feed = feed_new();
	struct rec_rename rec = renamed(11, 10, THREAD_START(11, 10, 500));

	(void)state;
	feed_apply(feed, REC_RENAME, &rec, sizeof(rec)); /* nobody knows it */
	feed_task(feed, REC_CREATE, (struct rec_task){WHO(10, 10, 500), .comm = "main"});
	feed_task(feed, REC_CREATE, (struct rec_task){WHO(11, 10, 500), .comm = "worker"});
	feed_apply(feed, REC_RENAME, &rec, sizeof(rec));
	assert_string_equal(atlas_task(feed->atlas, 11, NULL)->comm, "renamed");
	assert_string_equal(must_process(feed, 10)->comm, "main");
	rec = renamed(10, 10, 500);
	feed_apply(feed, REC_RENAME, &rec, sizeof(rec));
	assert_string_equal(must_process(feed, 10)->comm, "renamed");
	/* E3: late, of an earlier holder of the tid. */
	feed_task(feed, REC_FORK, (struct rec_task){WHO(10, 10, 900), .comm = "newer"});
	feed_apply(feed, REC_RENAME, &rec, sizeof(rec));
	assert_string_equal(must_process(feed, 10)->comm, "newer");
	assert_string_equal(atlas_task(feed->atlas, 10, NULL)->comm, "newer");
	feed_free(feed);
}

/* N8: moved to its container's cgroup later. */
static void test_move(void **state)
{
	struct feed *feed = feed_new();
	struct rec_move rec = {
	    .hdr.tid = 11, .hdr.tgid = 10, .cgroup_id = 8, .start_ns = THREAD_START(11, 10, 500)};

	(void)state;
	feed_apply(feed, REC_MOVE, &rec, sizeof(rec));
	feed_task(feed, REC_CREATE, (struct rec_task){WHO(10, 10, 500), .cgroup_id = 7});
	feed_task(feed, REC_CREATE, (struct rec_task){WHO(11, 10, 500), .cgroup_id = 7});
	feed_task(feed, REC_CREATE, (struct rec_task){WHO(12, 10, 500), .cgroup_id = 7});
	feed_apply(feed, REC_MOVE, &rec, sizeof(rec));
	assert_int_equal(atlas_task(feed->atlas, 11, NULL)->cgroup->id, 8);
	assert_int_equal(atlas_task(feed->atlas, 12, NULL)->cgroup->id, 7);
	assert_int_equal(must_process(feed, 10)->cgroup->id, 7);
	rec.move_flags = REC_MOVE_GROUP;
	rec.cgroup_hierarchy = 1; /* the same id elsewhere is another cgroup */
	feed_apply(feed, REC_MOVE, &rec, sizeof(rec));
	assert_int_equal(must_process(feed, 10)->cgroup->id, 8);
	assert_int_equal(must_process(feed, 10)->cgroup->hierarchy, 1);
	assert_ptr_equal(atlas_task(feed->atlas, 12, NULL)->cgroup, must_process(feed, 10)->cgroup);
	assert_int_equal(counts_of(feed).cgroups, 3);
	feed_free(feed);
}

/* The whole group moves, and its leader, whom the record names, is not known yet. */
static void test_move_without_leader(void **state)
{
	struct feed *feed = feed_new();
	struct rec_move rec = {.hdr.tid = 10,
			       .hdr.tgid = 10,
			       .start_ns = 500,
			       .cgroup_id = 8,
			       .move_flags = REC_MOVE_GROUP};

	(void)state;
	feed_task(feed, REC_CREATE, (struct rec_task){WHO(11, 10, 500), .cgroup_id = 7});
	rec.start_ns = 499; /* of an earlier holder */
	feed_apply(feed, REC_MOVE, &rec, sizeof(rec));
	assert_int_equal(must_process(feed, 10)->cgroup->id, 7);
	rec.start_ns = 500;
	feed_apply(feed, REC_MOVE, &rec, sizeof(rec));
	assert_int_equal(must_process(feed, 10)->cgroup->id, 8);
	assert_int_equal(atlas_task(feed->atlas, 11, NULL)->cgroup->id, 8);
	feed_free(feed);
}

/* Once the leader was told, no other thread speaks for the process, even if it is alone. */
static void test_leader_speaks(void **state)
{
	struct feed *feed = feed_new();

	(void)state;
	feed_task(feed, REC_CREATE,
		  (struct rec_task){WHO(10, 10, 500), .task_flags = REC_TASK_ZOMBIE, .uid = 1,
				    .mnt_ns = 2, .comm = "main"});
	feed_task(feed, REC_CREATE,
		  (struct rec_task){WHO(11, 10, 500), .uid = 5, .mnt_ns = 6, .comm = "worker"});
	assert_int_equal(must_process(feed, 10)->state, PROCESS_RUNNING);
	assert_int_equal(must_process(feed, 10)->uid, 1);
	assert_int_equal(must_process(feed, 10)->mnt_ns, 2);
	assert_string_equal(must_process(feed, 10)->comm, "main");
	feed_free(feed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_fields),
	    cmocka_unit_test(test_create_after_fork_and_exec),
	    cmocka_unit_test(test_create_clears_nothing),
	    cmocka_unit_test(test_thread_before_leader),
	    cmocka_unit_test(test_threads_share),
	    cmocka_unit_test(test_birth_missed),
	    cmocka_unit_test(test_tgid_reused),
	    cmocka_unit_test(test_tid_reused),
	    cmocka_unit_test(test_rebinding),
	    cmocka_unit_test(test_kernel_thread),
	    cmocka_unit_test(test_dead_leader),
	    cmocka_unit_test(test_zombie),
	    cmocka_unit_test(test_rename),
	    cmocka_unit_test(test_move),
	    cmocka_unit_test(test_move_without_leader),
	    cmocka_unit_test(test_leader_speaks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
