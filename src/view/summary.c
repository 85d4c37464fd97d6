// SPDX-License-Identifier: GPL-2.0-only
#include "view/summary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A set of file numbers, which are small and dense. */
struct number_set {
	uint64_t *bits;
	size_t words;
	uint64_t nr;
};

static int number_set_add(struct number_set *set, uint32_t number)
{
	size_t word = number / 64, words = (word + 1) * 2;
	uint64_t bit = UINT64_C(1) << number % 64;

	if (word >= set->words) {
		uint64_t *bits = reallocarray(set->bits, words, sizeof(*bits));

		if (!bits)
			return -ENOMEM;
		memset(bits + set->words, 0, (words - set->words) * sizeof(*bits));
		set->bits = bits;
		set->words = words;
	}
	set->nr += !(set->bits[word] & bit);
	set->bits[word] |= bit;
	return 0;
}

static int count_files(const struct atlas *atlas, uint64_t *ret)
{
	struct space_iter spaces = atlas_spaces(atlas);
	struct number_set set = {0};
	const struct space *space;
	int error = 0;

	while (!error && (space = space_next(&spaces))) {
		struct mapping_iter it = space_mappings(space, 0, UINT64_MAX);
		const struct mapping *mapping;

		while (!error && (mapping = mapping_next(&it))) {
			const struct file *file = atlas_file(atlas, mapping->file);

			if (file && file->inode)
				error = number_set_add(&set, mapping->file);
		}
	}
	if (!error)
		*ret = set.nr;
	free(set.bits);
	return error;
}

uint64_t process_events(const struct process *process)
{
	return process->nr_map_changes + process->nr_forks + process->nr_execs;
}

/* Keep the SUMMARY_TOP busiest, the busiest first. */
static void busiest_offer(struct summary *summary, const struct process *process)
{
	uint64_t events = process_events(process);
	size_t at = summary->nr_busiest;

	if (!events)
		return;
	while (at && process_events(summary->busiest[at - 1]) < events)
		at--;
	if (at == SUMMARY_TOP)
		return;
	if (summary->nr_busiest < SUMMARY_TOP)
		summary->nr_busiest++;
	memmove(&summary->busiest[at + 1], &summary->busiest[at],
		(summary->nr_busiest - at - 1) * sizeof(summary->busiest[0]));
	summary->busiest[at] = process;
}

static void fill_rates(struct summary *summary, const struct atlas_counts *now,
		       const struct atlas_counts *base)
{
	uint64_t *rates = summary->rates;

	rates[SUMMARY_forks] = now->process_forks - base->process_forks;
	rates[SUMMARY_thread_starts] = now->thread_forks - base->thread_forks;
	rates[SUMMARY_execs] = now->records[REC_EXEC] - base->records[REC_EXEC];
	rates[SUMMARY_exits] = now->process_exits - base->process_exits;
	rates[SUMMARY_thread_exits] = now->thread_exits - base->thread_exits;
	rates[SUMMARY_mappings_added] = now->pieces[MAPPING_ADDED] - base->pieces[MAPPING_ADDED];
	rates[SUMMARY_mappings_removed] =
	    now->pieces[MAPPING_REMOVED] - base->pieces[MAPPING_REMOVED];
	rates[SUMMARY_mappings_changed] =
	    now->pieces[MAPPING_CHANGED] - base->pieces[MAPPING_CHANGED];
	summary->retained_dropped = now->retained_dropped - base->retained_dropped;
}

static size_t at_most(size_t nr, size_t limit)
{
	return nr < limit ? nr : limit;
}

static void fill_activity(struct summary *summary, const struct atlas *atlas,
			  const struct activity *activity)
{
	struct process_iter it = atlas_processes(atlas, true);
	const struct process *process;

	while ((process = process_next(&it)))
		busiest_offer(summary, process);
	summary->all_cgroups = activity_cgroups(activity, summary->cgroups, SUMMARY_TOP);
	summary->nr_cgroups = at_most(summary->all_cgroups, SUMMARY_TOP);
	summary->all_exes = activity_exes(activity, summary->exes, SUMMARY_TOP);
	summary->nr_exes = at_most(summary->all_exes, SUMMARY_TOP);
	summary->execs_unnamed = activity_uncounted(activity);
}

int summary_fill(struct summary *ret, const struct atlas *atlas, const struct activity *activity,
		 uint64_t now_ns)
{
	struct summary summary = {0};
	struct atlas_counts counts;
	int error = count_files(atlas, &summary.mapped_files);

	if (error)
		return error;
	atlas_counts(atlas, &counts);
	summary.tasks = counts.tasks;
	summary.processes = counts.processes;
	summary.zombies = counts.zombies;
	summary.spaces = counts.spaces;
	summary.mappings = counts.mappings;
	if (activity) {
		summary.span_ns = now_ns - activity_begin_ns(activity);
		fill_rates(&summary, &counts, activity_base(activity));
		fill_activity(&summary, atlas, activity);
	}
	*ret = summary;
	return 0;
}

const char *summary_rate_name(enum summary_rate rate)
{
	static const char *const names[] = {
#define X(member, word) [SUMMARY_##member] = word,
	    SUMMARY_RATES(X)
#undef X
	};

	_Static_assert(sizeof(names) / sizeof(names[0]) == SUMMARY_RATE_NR, "a name each");
	return names[rate];
}
