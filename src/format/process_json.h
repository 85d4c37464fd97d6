/* SPDX-License-Identifier: GPL-2.0-only */
/* The fields by which every JSON output describes a process, a file and a cgroup. */
#ifndef TASKATLAS_FORMAT_PROCESS_JSON_H
#define TASKATLAS_FORMAT_PROCESS_JSON_H

#include "format/json.h"

/* Add a process's fields to an object: identity, parents, user, executable, cgroup, state. */
void process_json(struct json *json, struct json_object *at, const struct atlas *atlas,
		  const struct process *process);

/* Add "exe": path and whether it was deleted; null if there is none or it is not known. */
void exe_json(struct json *json, struct json_object *at, const struct atlas *atlas,
	      const struct process *process);

/* Add "cgroup": hierarchy and path; null if it is not known. */
void cgroup_json(struct json *json, struct json_object *at, const struct cgroup *cgroup);

/* Add how something ended: "exit_code" or "signal" and "core_dumped", from a wait status. */
void wait_status_json(struct json *json, struct json_object *at, uint32_t wait_status);

#endif
