// SPDX-License-Identifier: GPL-2.0-only
#include "view/event.h"

#include <string.h>

static const struct {
	const char *name;
	bool on;
} kinds[] = {[EVENT_NONE] = {"none", false},
#define X(KIND, kind_name, is_on) [EVENT_##KIND] = {kind_name, is_on},
	     EVENTS(X)
#undef X
};
_Static_assert(EVENT_KIND_NR <= 32, "kinds fit the bits of a mask");

const char *event_kind_name(enum event_kind kind)
{
	return kind < EVENT_KIND_NR ? kinds[kind].name : "unknown";
}

enum event_kind event_kind_by_name(const char *name, size_t len)
{
	for (unsigned int kind = 1; kind < EVENT_KIND_NR; kind++) {
		if (strlen(kinds[kind].name) == len && !memcmp(kinds[kind].name, name, len))
			return kind;
	}
	return EVENT_NONE;
}

uint32_t event_default_kinds(void)
{
	uint32_t bits = 0;

	for (unsigned int kind = 1; kind < EVENT_KIND_NR; kind++)
		bits |= kinds[kind].on ? EVENT_BIT(kind) : 0;
	return bits;
}

/* The thread's own name while it lives, else its process's. */
static void fill_comm(struct event *event, const struct atlas *atlas)
{
	const struct task *task = atlas_task(atlas, event->tid, NULL);

	if (task)
		memcpy(event->comm, task->comm, sizeof(event->comm));
	else if (event->process)
		memcpy(event->comm, event->process->comm, sizeof(event->comm));
}

static void from_task(struct event *event, const struct atlas *atlas, const struct rec_task *task)
{
	event->process = atlas_process_at(atlas, task->hdr.tgid, task->process_start_ns);
	memcpy(event->comm, task->comm, sizeof(event->comm));
	event->forker_tid = task->forker_tid;
	event->forker_tgid = task->forker_tgid;
	event->shares_space = task->task_flags & REC_TASK_SHARES_SPACE;
}

static void from_exec(struct event *event, const struct atlas *atlas, const struct rec_exec *exec,
		      size_t size)
{
	size_t text = size - sizeof(*exec);

	from_task(event, atlas, &exec->task);
	event->old_tid = exec->old_tid;
	event->exec_flags = exec->exec_flags;
	if (exec->filename_len > text || exec->args_len > text - exec->filename_len)
		return;
	event->filename = exec->text;
	event->filename_len = exec->filename_len;
	event->args = exec->text + exec->filename_len;
	event->args_len = exec->args_len;
}

static void from_exit(struct event *event, const struct atlas *atlas, const struct rec_exit *exit)
{
	const struct process *process =
	    atlas_process_at(atlas, exit->hdr.tgid, exit->process_start_ns);
	/* Threads that exit together all call themselves the last: the atlas knows which ended it.
	 */
	bool whole =
	    process ? process->state != PROCESS_RUNNING && process->exit_ns == exit->hdr.time_ns
		    : exit->exit_flags & REC_EXIT_LAST;

	event->kind = whole ? EVENT_EXIT : EVENT_THREAD_EXIT;
	event->process = process;
	event->wait_status =
	    exit->exit_flags & REC_EXIT_GROUP ? exit->group_exit_code : exit->exit_code;
	fill_comm(event, atlas);
}

static bool from_kind(struct event *event, const struct atlas *atlas, const struct rec_hdr *record,
		      size_t size)
{
	const struct rec_move *move = (const void *)record;
	const struct rec_loss *loss = (const void *)record;
	const struct rec_free *freed = (const void *)record;

	switch (record->kind) {
	case REC_CREATE:
		event->kind = record->flags & REC_F_WALK ? EVENT_FOUND : EVENT_IDENTITY;
		from_task(event, atlas, (const void *)record);
		return true;
	case REC_FORK:
		event->kind = record->tid == record->tgid ? EVENT_FORK : EVENT_THREAD;
		from_task(event, atlas, (const void *)record);
		return true;
	case REC_EXEC:
		event->kind = EVENT_EXEC;
		from_exec(event, atlas, (const void *)record, size);
		return true;
	case REC_EXIT:
		from_exit(event, atlas, (const void *)record);
		return true;
	case REC_FREE:
		event->kind = EVENT_REAP;
		event->process = atlas_process_at(atlas, record->tgid, freed->start_ns);
		fill_comm(event, atlas);
		return true;
	case REC_RENAME:
		event->kind = EVENT_RENAME;
		event->process = atlas_process(atlas, record->tgid);
		memcpy(event->comm, ((const struct rec_rename *)record)->comm, sizeof(event->comm));
		return true;
	case REC_MOVE:
		event->kind = EVENT_MOVE;
		event->process = atlas_process(atlas, record->tgid);
		fill_comm(event, atlas);
		event->cgroup = event->process ? event->process->cgroup : NULL;
		if (event->cgroup && event->cgroup->id != move->cgroup_id)
			event->cgroup = NULL;
		return true;
	case REC_LOSS:
		event->kind = EVENT_LOSS;
		event->count = loss->count;
		event->lost_kind = loss->lost_kind;
		event->lost_by = loss->cause;
		return true;
	default:
		return false;
	}
}

bool event_from_record(struct event *ret, const struct atlas *atlas, const struct rec_hdr *record,
		       size_t size)
{
	*ret = (struct event){
	    .time_ns = record->time_ns,
	    .tid = record->tid,
	    .tgid = record->tgid,
	    .filename = "",
	    .args = "",
	};
	return from_kind(ret, atlas, record, size);
}

void event_from_mapping(struct event *ret, const struct atlas *atlas, const struct rec_maps *record,
			const struct space *space, enum mapping_change change,
			const struct mapping *before, const struct mapping *after)
{
	*ret = (struct event){
	    .kind = change == MAPPING_ADDED     ? EVENT_MAP
		    : change == MAPPING_REMOVED ? EVENT_UNMAP
						: EVENT_CHANGE,
	    .time_ns = record->hdr.time_ns,
	    .tid = record->hdr.tid,
	    .tgid = record->hdr.tgid,
	    .process = atlas_process(atlas, record->hdr.tgid),
	    .space = space,
	    .cause = record->cause,
	    .before = before,
	    .after = after,
	};
	fill_comm(ret, atlas);
}

void event_from_process(struct event *ret, enum event_kind kind, const struct process *process,
			uint64_t time_ns)
{
	*ret = (struct event){
	    .kind = kind,
	    .time_ns = time_ns,
	    .tid = process->tgid,
	    .tgid = process->tgid,
	    .process = process,
	    .missed = kind == EVENT_EXIT,
	    .cgroup = process->cgroup,
	};
	memcpy(ret->comm, process->comm, sizeof(ret->comm));
}
