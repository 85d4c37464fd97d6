/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For tests of views and formats: a host that is told record by record. Every function applies one
 * record and fails the test if the atlas refuses it. Times are seconds of CLOCK_BOOTTIME; a
 * record's time is fixture.now.
 */
#ifndef TASKATLAS_TESTS_VIEW_FIXTURE_H
#define TASKATLAS_TESTS_VIEW_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "atlas/atlas.h"
#include "atlas/host.h"

#define SECOND UINT64_C(1000000000)
#define PAGE UINT64_C(4096)

struct fixture {
	struct atlas *atlas;
	struct host host;
	uint64_t now; /* seconds */

	/* The last record applied, for what is called with records. */
	_Alignas(8) char record[8192];
	size_t size;
};

static inline int fixture_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	assert_int_equal(atlas_new(&f->atlas, &ATLAS_LIMITS_DEFAULT), 0);
	/* 2026-01-31 12:00:00 UTC when the host was up for 1000 s. */
	f->host = (struct host){
	    .hostname = "box",
	    .kernel = "6.1.0",
	    .boot_id = "00000000-0000-0000-0000-000000000000",
	    .realtime_offset_ns = (INT64_C(1769860800) - 1000) * (int64_t)SECOND,
	    .max_map_count = 65530,
	    .has_gate = true,
	    .gate = {.start = UINT64_C(0xffffffffff600000),
		     .end = UINT64_C(0xffffffffff601000),
		     .flags = REC_MAP_EXEC},
	};
	f->now = 1000;
	*state = f;
	return 0;
}

static inline int fixture_teardown(void **state)
{
	struct fixture *f = *state;

	atlas_free(f->atlas);
	free(f);
	return 0;
}

__attribute__((noinline, unused)) static struct rec_hdr *
fx_begin(struct fixture *f, enum rec_kind kind, uint32_t tgid, uint32_t tid, size_t size)
{
	struct rec_hdr *hdr = (void *)f->record;

	size = (size + 7) & ~(size_t)7;
	assert_true(size <= sizeof(f->record));
	memset(f->record, 0, size);
	*hdr = (struct rec_hdr){
	    .kind = (uint16_t)kind,
	    .size = (uint32_t)size,
	    .time_ns = f->now * SECOND,
	    .tid = tid,
	    .tgid = tgid,
	};
	f->size = size;
	return hdr;
}

static inline void fx_apply(struct fixture *f)
{
	assert_int_equal(atlas_apply(f->atlas, f->record, f->size), 0);
}

static inline void fx_comm(char *to, const char *comm)
{
	memset(to, 0, REC_COMM_BYTES);
	memcpy(to, comm, strnlen(comm, REC_COMM_BYTES));
}

/* What tests say about a task; the rest is as it usually is. */
struct fx_task {
	uint32_t tgid;
	uint32_t tid;           /* 0 = tgid */
	uint64_t start;         /* seconds */
	uint64_t process_start; /* seconds; 0 = start */
	uint32_t parent;
	uint64_t parent_start;
	uint64_t space, exe, cgroup;
	uint32_t uid;
	uint32_t flags; /* REC_TASK_* */
	const char *comm;
	uint32_t forker_tgid; /* FORK; forker_tid 0 = the same */
	uint32_t forker_tid;
	uint64_t forker_start;
};

static inline void fx_fill_task(struct rec_task *rec, const struct fx_task *task)
{
	uint64_t process_start = task->process_start ? task->process_start : task->start;

	rec->start_ns = task->start * SECOND;
	rec->process_start_ns = process_start * SECOND;
	rec->space = task->space;
	rec->exe = task->exe;
	rec->cgroup_id = task->cgroup;
	rec->parent_tgid = task->parent;
	rec->parent_start_ns = task->parent_start * SECOND;
	rec->forker_tgid = task->forker_tgid;
	rec->forker_tid = task->forker_tid ? task->forker_tid : task->forker_tgid;
	rec->forker_start_ns = task->forker_start * SECOND;
	rec->ns_tid = rec->hdr.tid;
	rec->ns_tgid = rec->hdr.tgid;
	rec->uid = task->uid;
	rec->gid = task->uid;
	rec->pid_ns = 4026531836u;
	rec->mnt_ns = 4026531841u;
	rec->task_flags = task->flags;
	rec->nr_threads = 1;
	fx_comm(rec->comm, task->comm);
}

static inline void fx_task(struct fixture *f, enum rec_kind kind, struct fx_task task)
{
	struct rec_hdr *hdr =
	    fx_begin(f, kind, task.tgid, task.tid ? task.tid : task.tgid, sizeof(struct rec_task));

	hdr->flags = kind == REC_CREATE ? REC_F_WALK : 0;
	fx_fill_task((void *)hdr, &task);
	fx_apply(f);
}

#define fx_create(f, ...) fx_task(f, REC_CREATE, (struct fx_task){__VA_ARGS__})
#define fx_fork(f, ...) fx_task(f, REC_FORK, (struct fx_task){__VA_ARGS__})

/* `args` are args_len bytes. */
static inline void fx_exec(struct fixture *f, struct fx_task task, const char *filename,
			   const char *args, size_t args_len, uint32_t exec_flags)
{
	size_t len = strlen(filename);
	struct rec_exec *exec =
	    (void *)fx_begin(f, REC_EXEC, task.tgid, task.tgid, sizeof(*exec) + len + args_len);

	fx_fill_task(&exec->task, &task);
	exec->old_tid = task.tid ? task.tid : task.tgid;
	exec->exec_flags = exec_flags;
	exec->filename_len = (uint32_t)len;
	exec->args_len = (uint32_t)args_len;
	memcpy(exec->text, filename, len);
	if (args_len)
		memcpy(exec->text + len, args, args_len);
	fx_apply(f);
}

static inline void fx_exit(struct fixture *f, uint32_t tgid, uint32_t tid, uint64_t start,
			   uint64_t process_start, uint32_t wait_status, uint32_t flags)
{
	struct rec_exit *rec = (void *)fx_begin(f, REC_EXIT, tgid, tid, sizeof(*rec));

	rec->start_ns = start * SECOND;
	rec->process_start_ns = process_start * SECOND;
	rec->exit_code = wait_status;
	rec->group_exit_code = wait_status;
	rec->exit_flags = flags;
	fx_apply(f);
}

static inline void fx_free(struct fixture *f, uint32_t tgid, uint64_t start)
{
	struct rec_free *rec = (void *)fx_begin(f, REC_FREE, tgid, tgid, sizeof(*rec));

	rec->start_ns = start * SECOND;
	fx_apply(f);
}

static inline void fx_file(struct fixture *f, uint64_t key, enum rec_file_kind kind, uint32_t flags,
			   uint32_t major, uint32_t minor, uint64_t inode, const char *name)
{
	size_t len = strlen(name);
	struct rec_file *rec = (void *)fx_begin(f, REC_FILE, 0, 0, sizeof(*rec) + len);

	rec->file = key;
	rec->inode = inode;
	rec->dev = major << 20 | minor;
	rec->file_kind = (uint16_t)kind;
	rec->file_flags = (uint16_t)flags;
	rec->name_len = (uint32_t)len;
	memcpy(rec->name, name, len);
	fx_apply(f);
}

static inline void fx_cgroup(struct fixture *f, uint64_t id, const char *path)
{
	size_t len = strlen(path);
	struct rec_cgroup *rec = (void *)fx_begin(f, REC_CGROUP, 0, 0, sizeof(*rec) + len);

	rec->id = id;
	rec->path_len = (uint16_t)len;
	memcpy(rec->path, path, len);
	fx_apply(f);
}

/* Whole space if lo is 0 and hi is UINT64_MAX rounded to pages. */
#define FX_HI (UINT64_MAX & ~(PAGE - 1))
static inline void fx_maps(struct fixture *f, uint32_t tgid, uint64_t space, uint64_t lo,
			   uint64_t hi, enum rec_cause cause, const struct rec_mapping *mappings,
			   uint32_t nr)
{
	struct rec_maps *rec =
	    (void *)fx_begin(f, REC_MAPS, tgid, tgid, sizeof(*rec) + nr * sizeof(*mappings));

	if (cause == REC_CAUSE_WALK)
		rec->hdr.flags = REC_F_WALK;
	rec->space = space;
	rec->lo = lo;
	rec->hi = hi;
	rec->start_brk = 0x10000;
	rec->brk = 0x12000;
	rec->start_stack = 0x7ffff800;
	rec->nr = nr;
	rec->cause = (uint16_t)cause;
	rec->maps_flags = lo == 0 && hi == FX_HI ? REC_MAPS_FIRST | REC_MAPS_LAST : 0;
	if (nr)
		memcpy(rec->mapping, mappings, nr * sizeof(*mappings));
	fx_apply(f);
}

static inline void fx_walk(struct fixture *f, enum rec_kind kind, uint32_t flags)
{
	struct rec_walk *rec = (void *)fx_begin(f, kind, 0, 0, sizeof(*rec));

	rec->walk = 1 + (flags == REC_WALK_FULL);
	rec->walk_flags = flags;
	fx_apply(f);
}

static inline void fx_seed_begin(struct fixture *f)
{
	fx_walk(f, REC_WALK_BEGIN, REC_WALK_FULL | REC_WALK_SEED);
}

static inline void fx_seed_end(struct fixture *f)
{
	fx_walk(f, REC_WALK_END, REC_WALK_FULL | REC_WALK_SEED);
}

static inline void fx_loss(struct fixture *f, enum rec_kind kind, enum rec_loss_cause cause,
			   uint64_t count)
{
	struct rec_loss *rec = (void *)fx_begin(f, REC_LOSS, 0, 0, sizeof(*rec));

	rec->lost_kind = kind;
	rec->cause = cause;
	rec->count = count;
	fx_apply(f);
}

/* The usual small host: init (1), a shell (100) below it, sleep (101) below the shell, an orphan
 * kernel thread tree (2, 3), spaces 11, 12, 13 and cgroup 7. */
static inline void fx_small_host(struct fixture *f)
{
	static const struct rec_mapping shell[] = {
	    {.start = 0x4000, .end = 0x6000, .file = 21, .map_flags = REC_MAP_READ | REC_MAP_EXEC},
	    {.start = 0x10000, .end = 0x12000, .map_flags = REC_MAP_READ | REC_MAP_WRITE},
	    {.start = 0x7fff0000,
	     .end = 0x80000000,
	     .map_flags = REC_MAP_READ | REC_MAP_WRITE | REC_MAP_GROWSDOWN},
	};

	fx_seed_begin(f);
	fx_cgroup(f, 7,
		  "/user.slice/docker-"
		  "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef.scope");
	fx_file(f, 21, REC_FILE_PATH, 0, 8, 1, 77, "/bin/sh");
	fx_create(f, .tgid = 1, .start = 1, .space = 11, .comm = "init");
	fx_create(f, .tgid = 2, .start = 1, .flags = REC_TASK_KTHREAD, .comm = "kthreadd");
	fx_create(f, .tgid = 3, .start = 2, .parent = 2, .parent_start = 1,
		  .flags = REC_TASK_KTHREAD, .comm = "kworker/0:0");
	fx_create(f, .tgid = 100, .start = 500, .parent = 1, .parent_start = 1, .space = 12,
		  .exe = 21, .cgroup = 7, .uid = 1000, .comm = "sh");
	fx_create(f, .tgid = 101, .start = 990, .parent = 100, .parent_start = 500, .space = 13,
		  .uid = 1000, .comm = "sleep");
	fx_maps(f, 100, 12, 0, FX_HI, REC_CAUSE_WALK, shell, 3);
	fx_maps(f, 1, 11, 0, FX_HI, REC_CAUSE_WALK, NULL, 0);
	fx_maps(f, 101, 13, 0, FX_HI, REC_CAUSE_WALK, NULL, 0);
	fx_seed_end(f);
}

#endif
