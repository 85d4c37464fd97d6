// SPDX-License-Identifier: GPL-2.0-only
/*
 * An exec's file may be named only by a later record, and its number is good only while something
 * refers to it. So an exec whose file has no name yet waits in a list, is tried again with each
 * FILE record, and falls back to the name that was given to exec.
 */
#include "view/activity.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/table.h"

struct exe_entry {
	struct activity_exe exe;
	UT_hash_handle hh;
	char name[];
};

struct cgroup_entry {
	struct activity_cgroup counts;
	UT_hash_handle hh;
};

/* An exec whose file has no name yet. */
struct pending {
	uint32_t tgid;
	uint64_t start_ns, exec_ns;
};

struct activity {
	const struct atlas *atlas;
	struct atlas_counts base;
	uint64_t begin_ns;
	uint64_t last_ns; /* of the last record that does not count */
	struct exe_entry *exes;
	struct cgroup_entry *cgroups;
	uint64_t uncounted;
	struct pending *pending;
	size_t nr_pending, pending_capacity;
};

int activity_new(struct activity **ret, const struct atlas *atlas, uint64_t now_ns)
{
	struct activity *activity = calloc(1, sizeof(*activity));

	if (!activity)
		return -ENOMEM;
	activity->atlas = atlas;
	activity->begin_ns = now_ns;
	activity->last_ns = atlas_state(atlas)->last_ns;
	atlas_counts(atlas, &activity->base);
	*ret = activity;
	return 0;
}

void activity_free(struct activity *activity)
{
	struct exe_entry *exe, *next_exe;
	struct cgroup_entry *cgroup, *next_cgroup;

	if (!activity)
		return;
	HASH_ITER(hh, activity->exes, exe, next_exe)
	{
		HASH_DEL(activity->exes, exe);
		free(exe);
	}
	HASH_ITER(hh, activity->cgroups, cgroup, next_cgroup)
	{
		HASH_DEL(activity->cgroups, cgroup);
		free(cgroup);
	}
	free(activity->pending);
	free(activity);
}

/* The entry of an executable, made if it is new. NULL: no memory, or too many. */
static struct exe_entry *exe_entry(struct activity *activity, const char *name, size_t len)
{
	struct exe_entry *entry;

	HASH_FIND(hh, activity->exes, name, len, entry);
	if (entry || HASH_COUNT(activity->exes) >= ACTIVITY_KEYS_MAX)
		return entry;
	entry = calloc(1, sizeof(*entry) + len + 1);
	if (!entry)
		return NULL;
	memcpy(entry->name, name, len);
	entry->exe = (struct activity_exe){.name = entry->name, .name_len = len};
	HASH_ADD_KEYPTR(hh, activity->exes, entry->name, len, entry);
	if (!table_holds(entry)) {
		free(entry);
		return NULL;
	}
	return entry;
}

/* NULL: no memory, or too many. */
static struct cgroup_entry *cgroup_entry(struct activity *activity, uint32_t tgid)
{
	const struct process *process = atlas_process(activity->atlas, tgid);
	const struct cgroup *cgroup = process ? process->cgroup : NULL;
	struct cgroup_entry *entry;

	HASH_FIND_PTR(activity->cgroups, &cgroup, entry);
	if (entry || HASH_COUNT(activity->cgroups) >= ACTIVITY_KEYS_MAX)
		return entry;
	entry = calloc(1, sizeof(*entry));
	if (!entry)
		return NULL;
	entry->counts.cgroup = cgroup;
	HASH_ADD_PTR(activity->cgroups, counts.cgroup, entry);
	if (!table_holds(entry)) {
		free(entry);
		return NULL;
	}
	return entry;
}

static void count_exec(struct activity *activity, const char *name, size_t len)
{
	struct exe_entry *entry = exe_entry(activity, name, len);

	if (entry)
		entry->exe.execs++;
	else
		activity->uncounted++;
}

/* The name of the process's executable; NULL = not known yet. */
static const char *exe_name(const struct activity *activity, const struct process *process,
			    size_t *ret_len)
{
	const struct file *file = atlas_file(activity->atlas, process->exe);

	if (!file || file->kind == REC_FILE_NONE)
		return NULL;
	*ret_len = file->name_len;
	return file->name;
}

static int pending_add(struct activity *activity, const struct process *process)
{
	int error = array_reserve(&activity->pending, &activity->pending_capacity,
				  activity->nr_pending + 1, sizeof(*activity->pending));

	if (error)
		return error;
	activity->pending[activity->nr_pending++] = (struct pending){
	    .tgid = process->tgid,
	    .start_ns = process->start_ns,
	    .exec_ns = process->exec_ns,
	};
	return 0;
}

/* Count one that waits, if it can be named. With `last` it is counted in any case. */
static bool pending_try(struct activity *activity, const struct pending *pending, bool last)
{
	const struct process *process =
	    atlas_process_at(activity->atlas, pending->tgid, pending->start_ns);
	const char *name;
	size_t len;

	if (!process || process->exec_ns != pending->exec_ns) {
		activity->uncounted++;
		return true;
	}
	name = exe_name(activity, process, &len);
	if (!name && last && process->exec_filename) {
		name = process->exec_filename;
		len = strlen(name);
	}
	if (name)
		count_exec(activity, name, len);
	else if (last)
		activity->uncounted++;
	return name || last;
}

static void pending_retry(struct activity *activity, bool last)
{
	size_t kept = 0;

	for (size_t i = 0; i < activity->nr_pending; i++) {
		if (!pending_try(activity, &activity->pending[i], last))
			activity->pending[kept++] = activity->pending[i];
	}
	activity->nr_pending = kept;
}

static int record_exec(struct activity *activity, const struct rec_exec *exec)
{
	const struct process *process =
	    atlas_process_at(activity->atlas, exec->task.hdr.tgid, exec->task.process_start_ns);
	struct cgroup_entry *cgroup = cgroup_entry(activity, exec->task.hdr.tgid);
	const char *name;
	size_t len;

	if (cgroup)
		cgroup->counts.execs++;
	name = process ? exe_name(activity, process, &len) : NULL;
	if (!process)
		activity->uncounted++;
	else if (name)
		count_exec(activity, name, len);
	else
		return pending_add(activity, process);
	return 0;
}

int activity_record(struct activity *activity, const struct rec_hdr *record, size_t size)
{
	struct cgroup_entry *cgroup;

	(void)size;
	switch (record->kind) {
	case REC_EXEC:
		return record_exec(activity, (const void *)record);
	case REC_FORK:
		cgroup = record->tid == record->tgid ? cgroup_entry(activity, record->tgid) : NULL;
		if (cgroup)
			cgroup->counts.forks++;
		return 0;
	case REC_FILE:
		if (activity->nr_pending)
			pending_retry(activity, false);
		return 0;
	default:
		return 0;
	}
}

void activity_mapping(struct activity *activity, const struct rec_maps *record)
{
	struct cgroup_entry *cgroup;

	if (record->hdr.flags & REC_F_WALK)
		return;
	cgroup = cgroup_entry(activity, record->hdr.tgid);
	if (cgroup)
		cgroup->counts.changes++;
}

static int by_execs(const struct exe_entry *a, const struct exe_entry *b)
{
	if (a->exe.execs != b->exe.execs)
		return a->exe.execs < b->exe.execs ? 1 : -1;
	return strcmp(a->name, b->name);
}

static uint64_t cgroup_events(const struct activity_cgroup *counts)
{
	return counts->changes + counts->forks + counts->execs;
}

static int by_events(const struct cgroup_entry *a, const struct cgroup_entry *b)
{
	uint64_t left = cgroup_events(&a->counts), right = cgroup_events(&b->counts);

	return left == right ? 0 : left < right ? 1 : -1;
}

void activity_finish(struct activity *activity)
{
	struct process_iter it = atlas_processes(activity->atlas, false);
	const struct process *process;

	pending_retry(activity, true);
	while ((process = process_next(&it))) {
		struct exe_entry *entry = NULL;
		const char *name;
		size_t len;

		if (process->state != PROCESS_RUNNING || !(process->flags & PROCESS_EXECED) ||
		    process->exec_ns <= activity->last_ns)
			continue;
		name = exe_name(activity, process, &len);
		if (name)
			HASH_FIND(hh, activity->exes, name, len, entry);
		if (entry)
			entry->exe.running++;
	}
	HASH_SORT(activity->exes, by_execs);
	HASH_SORT(activity->cgroups, by_events);
}

size_t activity_exes(const struct activity *activity, struct activity_exe *ret, size_t nr)
{
	const struct exe_entry *entry;
	size_t i = 0;

	for (entry = activity->exes; entry && i < nr; entry = entry->hh.next)
		ret[i++] = entry->exe;
	return HASH_COUNT(activity->exes);
}

size_t activity_cgroups(const struct activity *activity, struct activity_cgroup *ret, size_t nr)
{
	const struct cgroup_entry *entry;
	size_t i = 0;

	for (entry = activity->cgroups; entry && i < nr; entry = entry->hh.next)
		ret[i++] = entry->counts;
	return HASH_COUNT(activity->cgroups);
}

const struct atlas_counts *activity_base(const struct activity *activity)
{
	return &activity->base;
}

uint64_t activity_begin_ns(const struct activity *activity)
{
	return activity->begin_ns;
}

uint64_t activity_uncounted(const struct activity *activity)
{
	return activity->uncounted;
}
