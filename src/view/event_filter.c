// SPDX-License-Identifier: GPL-2.0-only
#include "view/event_filter.h"

#include <errno.h>
#include <fnmatch.h>
#include <string.h>

static bool number_in(const uint32_t *numbers, size_t nr, uint32_t number)
{
	for (size_t i = 0; i < nr; i++) {
		if (numbers[i] == number)
			return true;
	}
	return false;
}

static bool comm_matches(const struct text_list *patterns, const char comm[REC_COMM_BYTES])
{
	char text[REC_COMM_BYTES + 1] = {0};

	memcpy(text, comm, REC_COMM_BYTES);
	for (size_t i = 0; i < patterns->nr; i++) {
		if (!fnmatch(patterns->items[i], text, 0))
			return true;
	}
	return false;
}

bool cgroup_matches(const char *pattern, const char *path)
{
	size_t len = strlen(pattern);

	if (strpbrk(pattern, "*?["))
		return !fnmatch(pattern, path, 0);
	while (len && pattern[len - 1] == '/')
		len--;
	return !strncmp(pattern, path, len) && (path[len] == '\0' || path[len] == '/');
}

static bool cgroup_wanted(const struct text_list *patterns, const struct cgroup *cgroup)
{
	if (!patterns->nr)
		return true;
	if (!cgroup || !cgroup->known)
		return false;
	for (size_t i = 0; i < patterns->nr; i++) {
		if (cgroup_matches(patterns->items[i], cgroup->path))
			return true;
	}
	return false;
}

/* The conditions that only a process, not a thread of it or its forker, can meet. */
static bool owner_wanted(const struct event_filter *filter, const struct process *process)
{
	if (filter->tag && !(process->tag & filter->tag))
		return false;
	if (filter->nr_uids && !number_in(filter->uids, filter->nr_uids, process->uid))
		return false;
	return cgroup_wanted(&filter->cgroups, process->cgroup);
}

bool process_wanted(const struct event_filter *filter, const struct process *process)
{
	if (filter->nr_tgids && !number_in(filter->tgids, filter->nr_tgids, process->tgid))
		return false;
	if (filter->comms.nr && !comm_matches(&filter->comms, process->comm))
		return false;
	return owner_wanted(filter, process);
}

bool event_wanted(const struct event_filter *filter, const struct event *event)
{
	const struct process *process = event->process;

	if (!(filter->kinds & EVENT_BIT(event->kind)))
		return false;
	if (event->kind == EVENT_SEED_END || event->kind == EVENT_LOSS)
		return true;
	if (filter->nr_tgids && !number_in(filter->tgids, filter->nr_tgids, event->tgid) &&
	    !(event->forker_tgid && number_in(filter->tgids, filter->nr_tgids, event->forker_tgid)))
		return false;
	if (filter->comms.nr && !comm_matches(&filter->comms, event->comm) &&
	    !(process && comm_matches(&filter->comms, process->comm)))
		return false;
	if (!process)
		return !filter->tag && !filter->nr_uids && !filter->cgroups.nr;
	return owner_wanted(filter, process);
}

int event_kinds_parse(const char *list, uint32_t *ret_bits, const char **ret_bad,
		      size_t *ret_bad_len)
{
	uint32_t bits = 0;

	for (;;) {
		size_t len = strcspn(list, ",");
		enum event_kind kind = event_kind_by_name(list, len);

		if (kind == EVENT_NONE) {
			*ret_bad = list;
			*ret_bad_len = len;
			return -EINVAL;
		}
		bits |= EVENT_BIT(kind);
		if (!list[len])
			break;
		list += len + 1;
	}
	*ret_bits = bits;
	return 0;
}
