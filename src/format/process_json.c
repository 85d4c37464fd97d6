// SPDX-License-Identifier: GPL-2.0-only
#include "format/process_json.h"

#include <string.h>

#include "view/names.h"

void exe_json(struct json *json, struct json_object *at, const struct atlas *atlas,
	      const struct process *process)
{
	const struct file *file = atlas_file(atlas, process->exe);
	struct json_object *exe;

	if (!file || file->kind == REC_FILE_NONE) {
		json_add_null(json, at, "exe");
		return;
	}
	exe = json_add_object(json, at, "exe");
	json_add_name(json, exe, "path", file->name, file->name_len);
	json_add_flag(json, exe, "deleted", file->flags & REC_FILE_DELETED);
	json_add_flag(json, exe, "cut", file->flags & REC_FILE_CUT);
}

void cgroup_json(struct json *json, struct json_object *at, const struct cgroup *cgroup)
{
	struct json_object *object;

	if (!cgroup || !cgroup->known) {
		json_add_null(json, at, "cgroup");
		return;
	}
	object = json_add_object(json, at, "cgroup");
	json_add_number(json, object, "hierarchy", cgroup->hierarchy);
	json_add_number(json, object, "id", cgroup->id);
	json_add_name(json, object, "path", cgroup->path, strlen(cgroup->path));
	json_add_flag(json, object, "cut", cgroup->cut);
}

void wait_status_json(struct json *json, struct json_object *at, uint32_t wait_status)
{
	if (wait_status & 0x7f) {
		json_add_number(json, at, "signal", wait_status & 0x7f);
		json_add_flag(json, at, "core_dumped", wait_status & 0x80);
	} else {
		json_add_number(json, at, "exit_code", wait_status >> 8 & 0xff);
	}
}

/* Who forked it, which never changes, and the present parent, which may. */
static void parents_json(struct json *json, struct json_object *at, const struct process *process)
{
	struct json_object *object;

	if (process->parent_tgid) {
		object = json_add_object(json, at, "parent");
		json_add_number(json, object, "pid", process->parent_tgid);
		json_add_number(json, object, "start_ns", process->parent_start_ns);
	} else {
		json_add_null(json, at, "parent");
	}
	if (process->flags & PROCESS_FORKER_KNOWN) {
		object = json_add_object(json, at, "forker");
		json_add_number(json, object, "pid", process->forker_tgid);
		json_add_number(json, object, "start_ns", process->forker_start_ns);
		json_add_number(json, object, "tid", process->forker_tid);
	} else {
		json_add_null(json, at, "forker");
	}
}

void process_json(struct json *json, struct json_object *at, const struct atlas *atlas,
		  const struct process *process)
{
	json_add_number(json, at, "pid", process->tgid);
	json_add_number(json, at, "start_ns", process->start_ns);
	parents_json(json, at, process);
	json_add_comm(json, at, process->comm);
	json_add_text(json, at, "state", process_state_name(process->state));
	json_add_flag(json, at, "kernel_thread", process->flags & PROCESS_KTHREAD);
	json_add_flag(json, at, "seen_from_birth", process->flags & PROCESS_SEEN_FROM_BIRTH);
	json_add_flag(json, at, "birth_missed", process->flags & PROCESS_BIRTH_MISSED);
	json_add_number(json, at, "uid", process->uid);
	json_add_number(json, at, "gid", process->gid);
	json_add_number(json, at, "ns_pid", process->ns_tgid);
	json_add_number(json, at, "pid_ns", process->pid_ns);
	json_add_number(json, at, "mnt_ns", process->mnt_ns);
	json_add_number(json, at, "nr_threads", process->nr_threads);
	exe_json(json, at, atlas, process);
	cgroup_json(json, at, process->cgroup);
	if (process->space)
		json_add_number(json, at, "space", process->space->number);
	else
		json_add_null(json, at, "space");
}
