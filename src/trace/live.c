// SPDX-License-Identifier: GPL-2.0-only
#include "trace/live.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/array.h"
#include "trace/check.h"
#include "trace/heal.h"
#include "trace/host_facts.h"
#include "trace/kernel.h"
#include "trace/selfcheck.h"

#define TICK_MS 10        /* the ring wakes nobody until it fills up: we look */
#define THOROUGH_TICKS 16 /* every so often, ask also for what costs system calls */
#define COLLECT_TICKS 128
#define READER_NICE -20
#define SEED_TRIES_NS 10000000000ull

struct live {
	struct live_options options;
	struct kernel *kernel;
	struct atlas *atlas;
	struct host host;
	struct heal heal;
	uint64_t ticks;
	uint64_t scrub_due_ns;
	uint32_t refused; /* kind of the record that the model did not take */
	bool telling;     /* records go to options.on_record: not during the self-check */
};

uint64_t live_now_ns(void)
{
	return kernel_now_ns();
}

static bool stopped(const struct live *live)
{
	return live->options.stop && *live->options.stop;
}

static int on_record(void *ctx, const void *record, size_t size)
{
	struct live *live = ctx;
	const struct rec_hdr *hdr = record;
	int err = atlas_apply(live->atlas, record, size);

	if (err) {
		live->refused = hdr->kind;
		return err;
	}
	heal_see(&live->heal, hdr, hdr->time_ns);
	if (!live->telling || !live->options.on_record)
		return 0;
	return live->options.on_record(live->options.ctx, hdr, size);
}

static int walk(struct live *live, uint32_t tgid, uint32_t flags, struct message *why)
{
	uint64_t begin = live_now_ns(), end;
	int err = kernel_walk(live->kernel, tgid, flags, why);

	if (err)
		return err;
	end = live_now_ns();
	if (!tgid)
		heal_done(&live->heal, end, end - begin, atlas_state(live->atlas)->suspect);
	return 0;
}

static bool is_suspect(const struct live *live)
{
	const struct atlas_state *state = atlas_state(live->atlas);

	return state->suspect || state->suspect_spaces;
}

/* Carry out what repair asks for now; the ring is drained. */
static int heal(struct live *live, struct message *why)
{
	uint32_t tgid;
	int err = 0;

	/* A copy of a suspect space was made by a fork: nobody told which. */
	if (is_suspect(live) && !heal_pending(&live->heal))
		heal_want_full(&live->heal, live_now_ns());
	while (!err) {
		switch (heal_next(&live->heal, live_now_ns(), &tgid)) {
		case HEAL_FULL:
			err = walk(live, 0, 0, why);
			break;
		case HEAL_PROCESS:
			err = walk(live, tgid, 0, why);
			break;
		default:
			return 0;
		}
	}
	return err;
}

static int scrub(struct live *live, struct message *why)
{
	uint64_t now = live_now_ns();

	if (!live->options.scrub_ns || now < live->scrub_due_ns)
		return 0;
	live->scrub_due_ns = now + live->options.scrub_ns;
	return walk(live, 0, 0, why);
}

static int fail(const struct live *live, int err, struct message *why)
{
	if (err == -EPROTO)
		return message_set(why, err,
				   "the kernel side sent a record of kind %u that makes no sense: "
				   "this is a bug, please report it with kernel %s",
				   live->refused, live->host.kernel);
	return message_set(why, err, "cannot follow the host: %s", strerror(-err));
}

/* Everything that is to be done at this moment. 1: there is more in the ring; 0, or an error. */
static int tick(struct live *live, struct message *why)
{
	int more, err;

	kernel_woken(live->kernel);
	more = kernel_drain(live->kernel);
	if (more < 0)
		return fail(live, more, why);
	err = kernel_losses(live->kernel, live->ticks++ % THOROUGH_TICKS == 0);
	if (err < 0)
		return fail(live, err, why);
	if (live->ticks % COLLECT_TICKS == 0 && atlas_collect(live->atlas, live_now_ns())) {
		/* A record on its way may speak of a file that is forgotten now. */
		kernel_names_again(live->kernel);
		heal_want_full(&live->heal, live_now_ns());
	}
	if (more)
		return 1;
	err = heal(live, why);
	return err ? err : scrub(live, why);
}

/* Sleep until something is to be done. 1 when done_fd is readable. */
static int rest(struct live *live, int done_fd, uint64_t until_ns)
{
	struct pollfd fds[] = {{.fd = kernel_fd(live->kernel), .events = POLLIN},
			       {.fd = done_fd, .events = POLLIN}};
	uint64_t now = live_now_ns();
	int ms = TICK_MS;

	if (until_ns && until_ns < now + TICK_MS * 1000000u)
		ms = until_ns > now ? (int)((until_ns - now) / 1000000u) + 1 : 0;
	if (poll(fds, 2, ms) < 0)
		return errno == EINTR ? 0 : -errno;
	return fds[1].revents != 0;
}

static int follow(struct live *live, uint64_t until_ns, int done_fd, bool stoppable,
		  struct message *why)
{
	int more, done = 0;

	for (;;) {
		more = tick(live, why);
		if (more < 0)
			return more;
		if ((stoppable && stopped(live)) || done || (until_ns && live_now_ns() >= until_ns))
			return 0;
		if (more)
			continue;
		done = rest(live, done_fd, until_ns);
		if (done < 0)
			return message_set(why, done, "cannot wait: %s", strerror(-done));
	}
}

int live_run(struct live *live, uint64_t until_ns, int done_fd, struct message *why)
{
	return follow(live, until_ns, done_fd, true, why);
}

int live_wait(struct live *live, uint64_t until_ns, struct message *why)
{
	return follow(live, until_ns, -1, false, why);
}

int live_settle(struct live *live, uint64_t limit_ns, struct message *why)
{
	uint64_t until = live_now_ns() + limit_ns;
	int err;

	do {
		live->ticks = 0; /* thorough */
		err = tick(live, why);
		if (err < 0)
			return err;
		if (!err && !heal_pending(&live->heal) && !is_suspect(live))
			return 0;
		if (!err)
			rest(live, -1, until);
	} while (live_now_ns() < until);
	return message_set(why, -ETIME, "something is still suspect after %.1f s",
			   (double)limit_ns / 1e9);
}

/* Walk until one walk has ended well: on a host in turmoil the first ones may not. */
static int seed(struct live *live, struct message *why)
{
	uint64_t until = live_now_ns() + SEED_TRIES_NS;
	int err = walk(live, 0, REC_WALK_SEED, why);

	while (!err && !atlas_state(live->atlas)->seeded && !stopped(live)) {
		if (live_now_ns() >= until)
			return message_set(why, -ETIME,
					   "no walk over the tasks came to its end in %llu s",
					   SEED_TRIES_NS / 1000000000ull);
		err = walk(live, 0, REC_WALK_SEED, why);
	}
	live->scrub_due_ns = live_now_ns() + live->options.scrub_ns;
	return err;
}

static int open_kernel(struct live *live, struct message *why)
{
	struct kernel_options options = {
	    .ring_bytes = live->options.ring_bytes,
	    .args_bytes = live->options.args_bytes,
	    .sink = on_record,
	    .ctx = live,
	};
	int err = kernel_new(&live->kernel, &options, why);

	if (!err)
		err = selfcheck(live->kernel, live->atlas, &live->host, why);
	if (err)
		return err;
	atlas_free(live->atlas); /* what the self-check has seen is not to be told as the seed */
	live->atlas = NULL;
	err = atlas_new(&live->atlas, &live->options.limits);
	if (err)
		return message_set(why, err, "out of memory");
	kernel_names_again(live->kernel);
	live->heal = (struct heal){};
	/* On a host whose CPUs are all busy a fair share is too little to keep up with the others.
	 */
	setpriority(PRIO_PROCESS, 0, READER_NICE);
	live->telling = true;
	atlas_on_mapping(live->atlas, live->options.on_mapping, live->options.ctx);
	err = kernel_attach(live->kernel, live->options.brief, why);
	return err ? err : seed(live, why);
}

int live_open(struct live **ret, const struct live_options *options, struct message *why)
{
	struct live *live;
	struct message deeper;
	int err = check_required(false, why);

	if (err)
		return err;
	live = calloc(1, sizeof(*live));
	if (!live || atlas_new(&live->atlas, &options->limits)) {
		free(live);
		return message_set(why, -ENOMEM, "out of memory");
	}
	host_facts(&live->host);
	live->options = *options;
	err = open_kernel(live, why);
	if (err) {
		if (check_required(true, &deeper) && why)
			*why = deeper;
		live_free(live);
		return err;
	}
	*ret = live;
	return 0;
}

int live_look_again(struct live *live, uint32_t tgid, struct message *why)
{
	kernel_names_again(live->kernel);
	return walk(live, tgid, 0, why);
}

/* A parent that is no more, or none that we know: somebody else has the child now. */
static bool parent_is_stale(const struct live *live, const struct process *process)
{
	const struct process *parent;

	if (!process->parent_tgid)
		return false;
	parent = atlas_process_at(live->atlas, process->parent_tgid, process->parent_start_ns);
	return !parent || parent->state != PROCESS_RUNNING;
}

/* A zombie that was reaped is told only after a grace period of RCU: seconds, on a busy host. */
static bool is_stale(const struct live *live, const struct process *process)
{
	return process->state == PROCESS_ZOMBIE || parent_is_stale(live, process);
}

int live_refresh(struct live *live, struct message *why)
{
	struct process_iter it = atlas_processes(live->atlas, false);
	const struct process *process;
	uint32_t *stale = NULL;
	size_t nr = 0, room = 0;
	int err = 0;

	while (!err && (process = process_next(&it))) {
		if (!is_stale(live, process))
			continue;
		err = array_reserve(&stale, &room, nr + 1, sizeof(*stale));
		if (!err)
			stale[nr++] = process->tgid;
	}
	for (size_t i = 0; !err && i < nr; i++)
		err = walk(live, stale[i], 0, why);
	free(stale);
	return err;
}

void live_free(struct live *live)
{
	if (!live)
		return;
	kernel_free(live->kernel);
	atlas_free(live->atlas);
	free(live);
}

struct atlas *live_atlas(const struct live *live)
{
	return live->atlas;
}

const struct host *live_host(const struct live *live)
{
	return &live->host;
}
