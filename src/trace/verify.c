// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rounds: each compares what did not agree before, after the ring was drained. A difference counts
 * when it was found again, unchanged, often enough; what changes from round to round is still
 * moving. Names are refreshed once for a process whose only differences are names: files are
 * renamed and deleted without a record.
 */
#include "trace/verify.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "trace/proc_identity.h"
#include "trace/verify_process.h"

#define MS 1000000ull
#define ROUNDS 60
#define ROUNDS_UNCHANGED 6
#define ROUND_NS (10 * MS)
#define SETTLE_NS (2000 * MS)

struct candidate {
	uint32_t tgid;
	uint32_t unchanged;
	uint64_t print;
	bool renamed; /* names were asked for anew */
};

struct verifying {
	struct live *live;
	struct candidate *candidates;
	size_t nr, room;
	struct findings findings;
	verify_fn on_difference;
	verify_skip_fn on_skip;
	void *ctx;
	struct verify_report report;
};

static int candidate_add(void *ctx, uint32_t tgid)
{
	struct verifying *v = ctx;
	int err = array_reserve(&v->candidates, &v->room, v->nr + 1, sizeof(*v->candidates));

	if (!err)
		v->candidates[v->nr++] = (struct candidate){.tgid = tgid};
	return err;
}

static int by_tgid(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	return x->tgid < y->tgid ? -1 : x->tgid > y->tgid;
}

/* Every process that either side knows, once. */
static int candidates_fill(struct verifying *v)
{
	struct process_iter it = atlas_processes(live_atlas(v->live), false);
	const struct process *process;
	size_t to = 0;
	int err = proc_numbers("/proc", candidate_add, v);

	while (!err && (process = process_next(&it)))
		err = candidate_add(v, process->tgid);
	if (err)
		return err;
	qsort(v->candidates, v->nr, sizeof(*v->candidates), by_tgid);
	for (size_t i = 0; i < v->nr; i++)
		if (!to || v->candidates[to - 1].tgid != v->candidates[i].tgid)
			v->candidates[to++] = v->candidates[i];
	v->nr = to;
	return 0;
}

static void skip(struct verifying *v, uint32_t tgid, int err)
{
	const struct process *process = atlas_process(live_atlas(v->live), tgid);
	char comm[REC_COMM_BYTES + 1] = "";

	if (process)
		memcpy(comm, process->comm, REC_COMM_BYTES);
	else
		proc_comm_read(tgid, tgid, comm);
	v->report.not_comparable++;
	if (v->on_skip)
		v->on_skip(v->ctx, tgid, comm, err);
}

static void agreed(struct verifying *v)
{
	if (v->findings.vanished) {
		v->report.vanished++;
		return;
	}
	v->report.processes++;
	v->report.threads += v->findings.threads;
	v->report.mappings += v->findings.mappings;
}

static void differs(struct verifying *v, uint32_t tgid)
{
	const struct findings *f = &v->findings;

	v->report.threads += f->threads;
	v->report.mappings += f->mappings;
	for (size_t i = 0; i < f->nr; i++) {
		const struct difference *d = &f->differences[i];

		v->report.differences[d->kind]++;
		if (v->on_difference)
			v->on_difference(v->ctx, d->kind, tgid, f->texts.data + d->atlas,
					 f->texts.data + d->proc);
	}
}

static bool only_names(const struct findings *f)
{
	for (size_t i = 0; i < f->nr; i++)
		if (f->differences[i].kind != VERIFY_NAME)
			return false;
	return f->nr;
}

/* Compare one. 1: it is done, one way or the other; 0: to be looked at again; or an error. */
static int candidate_compare(struct verifying *v, struct candidate *c, struct message *why)
{
	uint64_t print;
	int err = verify_process(live_atlas(v->live), live_host(v->live), c->tgid, &v->findings);

	if (err == -EACCES || err == -EPERM) {
		skip(v, c->tgid, err);
		return 1;
	}
	if (err)
		return message_set(why, err, "cannot compare process %u: %s", c->tgid,
				   strerror(-err));
	print = findings_print(&v->findings);
	if (!print) {
		agreed(v);
		return 1;
	}
	c->unchanged = print == c->print ? c->unchanged + 1 : 0;
	c->print = print;
	if (c->unchanged >= 1 && !c->renamed && only_names(&v->findings)) {
		c->renamed = true;
		c->unchanged = 0;
		return live_look_again(v->live, c->tgid, why);
	}
	if (c->unchanged < ROUNDS_UNCHANGED)
		return 0;
	differs(v, c->tgid);
	return 1;
}

static int round_compare(struct verifying *v, struct message *why)
{
	size_t left = 0;

	for (size_t i = 0; i < v->nr; i++) {
		struct candidate c = v->candidates[i];
		int done = candidate_compare(v, &c, why);

		if (done < 0)
			return done;
		if (!done)
			v->candidates[left++] = c;
	}
	v->nr = left;
	return 0;
}

static int rounds(struct verifying *v, struct message *why)
{
	int err = live_settle(v->live, SETTLE_NS, why);

	if (err && err != -ETIME)
		return err;
	err = candidates_fill(v);
	if (err)
		return message_set(why, err, "cannot list processes: %s", strerror(-err));
	for (int i = 0; i < ROUNDS && v->nr; i++) {
		err = live_wait(v->live, live_now_ns() + (i ? ROUND_NS * (uint64_t)i / 4 : 1), why);
		if (!err)
			err = live_refresh(v->live, why);
		if (!err)
			err = round_compare(v, why);
		if (err)
			return err;
	}
	v->report.unsettled = v->nr;
	return 0;
}

int verify(struct live *live, verify_fn on_difference, verify_skip_fn on_skip, void *ctx,
	   struct verify_report *ret, struct message *why)
{
	struct verifying v = {
	    .live = live, .on_difference = on_difference, .on_skip = on_skip, .ctx = ctx};
	int err = rounds(&v, why);

	findings_done(&v.findings);
	free(v.candidates);
	if (!err)
		*ret = v.report;
	return err;
}

const char *verify_kind_name(enum verify_kind kind)
{
	static const char *const names[] = {
	    [VERIFY_NONE] = "none",
	    [VERIFY_PROCESS_MISSING] = "process-missing",
	    [VERIFY_PROCESS_EXTRA] = "process-extra",
	    [VERIFY_THREAD_MISSING] = "thread-missing",
	    [VERIFY_THREAD_EXTRA] = "thread-extra",
	    [VERIFY_IDENTITY] = "identity",
	    [VERIFY_MAPPING_MISSING] = "mapping-missing",
	    [VERIFY_MAPPING_EXTRA] = "mapping-extra",
	    [VERIFY_MAPPING_DIFFERS] = "mapping-differs",
	    [VERIFY_NAME] = "name",
	};
	_Static_assert(sizeof(names) / sizeof(names[0]) == VERIFY_KIND_NR, "a name for each kind");

	return kind < VERIFY_KIND_NR ? names[kind] : "unknown";
}
