// SPDX-License-Identifier: GPL-2.0-only
#include "format/coverage.h"
#include "format/process_json.h"
#include "format/summary.h"

static void now_json(struct json *json, const struct summary *summary)
{
	struct json_object *now = json_add_object(json, json->root, "now");

	json_add_number(json, now, "tasks", summary->tasks);
	json_add_number(json, now, "processes", summary->processes);
	json_add_number(json, now, "zombies", summary->zombies);
	json_add_number(json, now, "spaces", summary->spaces);
	json_add_number(json, now, "mappings", summary->mappings);
	json_add_number(json, now, "mapped_files", summary->mapped_files);
}

static void busiest_json(struct json *json, struct json_object *at, const struct summary *summary,
			 const struct atlas *atlas)
{
	struct json_object *array = json_add_array(json, at, "busiest_processes");

	for (size_t i = 0; i < summary->nr_busiest; i++) {
		const struct process *process = summary->busiest[i];
		struct json_object *object = json_add_object(json, array, NULL);

		process_json(json, object, atlas, process);
		json_add_number(json, object, "mapping_changes", process->nr_map_changes);
		json_add_number(json, object, "forks", process->nr_forks);
		json_add_number(json, object, "execs", process->nr_execs);
	}
	json_add_number(json, at, "ended_processes_dropped", summary->retained_dropped);
}

static void cgroups_json(struct json *json, struct json_object *at, const struct summary *summary)
{
	struct json_object *array = json_add_array(json, at, "busiest_cgroups");

	for (size_t i = 0; i < summary->nr_cgroups; i++) {
		struct json_object *object = json_add_object(json, array, NULL);

		cgroup_json(json, object, summary->cgroups[i].cgroup);
		json_add_number(json, object, "mapping_changes", summary->cgroups[i].changes);
		json_add_number(json, object, "forks", summary->cgroups[i].forks);
		json_add_number(json, object, "execs", summary->cgroups[i].execs);
	}
	json_add_number(json, at, "active_cgroups", summary->all_cgroups);
}

static void exes_json(struct json *json, struct json_object *at, const struct summary *summary)
{
	struct json_object *array = json_add_array(json, at, "executables");

	for (size_t i = 0; i < summary->nr_exes; i++) {
		const struct activity_exe *exe = &summary->exes[i];
		struct json_object *object = json_add_object(json, array, NULL);

		json_add_name(json, object, "path", exe->name, exe->name_len);
		json_add_number(json, object, "execs", exe->execs);
		json_add_number(json, object, "running", exe->running);
	}
	json_add_number(json, at, "all_executables", summary->all_exes);
	json_add_number(json, at, "execs_unnamed", summary->execs_unnamed);
}

static void during_json(struct json *json, const struct summary *summary, const struct atlas *atlas)
{
	struct json_object *during, *totals;

	if (!summary->span_ns) {
		json_add_null(json, json->root, "during");
		return;
	}
	during = json_add_object(json, json->root, "during");
	json_add_number(json, during, "span_ns", summary->span_ns);
	totals = json_add_object(json, during, "totals");
	for (unsigned int i = 0; i < SUMMARY_RATE_NR; i++)
		json_add_number(json, totals, summary_rate_name(i), summary->rates[i]);
	busiest_json(json, during, summary, atlas);
	cgroups_json(json, during, summary);
	exes_json(json, during, summary);
}

static void verdict_json(struct json *json, const struct summary_verdict *verdict)
{
	struct json_object *object;

	if (!verdict) {
		json_add_null(json, json->root, "verified");
		return;
	}
	object = json_add_object(json, json->root, "verified");
	json_add_number(json, object, "processes", verdict->processes);
	json_add_number(json, object, "threads", verdict->threads);
	json_add_number(json, object, "mappings", verdict->mappings);
	json_add_number(json, object, "differences", verdict->differences);
	json_add_number(json, object, "not_comparable", verdict->not_comparable);
	json_add_number(json, object, "unsettled", verdict->unsettled);
}

int summary_json(struct buffer *out, const struct summary *summary,
		 const struct summary_format *format)
{
	struct json json;
	int error;

	json_init(&json);
	json_begin(&json, "summary", format->coverage);
	now_json(&json, summary);
	during_json(&json, summary, format->atlas);
	verdict_json(&json, format->verdict);
	error = json_print(&json, out);
	buffer_add_text(out, "\n");
	json_done(&json);
	return error ? error : buffer_error(out);
}
