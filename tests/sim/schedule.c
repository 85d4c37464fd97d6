// SPDX-License-Identifier: GPL-2.0-only
/* Doing entries, and making them up. */
#include "tests/sim/schedule.h"

#include <errno.h>
#include <stdlib.h>

#define TASKS_MANY 24                 /* from here on tasks rather end */
#define BACKLOG (RING_PLACES * 5 / 8) /* from here on the reader is let catch up */

static void hook_attach(struct world *w, uint32_t number)
{
	const uint32_t hook = number % HOOK_NR;

	user_attach(w, 1u << hook);
	if (w->config.trace)
		fprintf(w->config.trace, "#   hook %u is attached\n", hook);
}

void schedule_apply(struct world *w, const struct entry *entry)
{
	struct cpu *c = &w->cpu[entry->cpu % CPUS_ALL];

	switch (entry->action) {
	case DO_START:
		w->steps += operation_start(w, c, entry->op, entry->arg);
		break;
	case DO_STEP:
		if (c->op != OP_NONE)
			cpu_step(w, c);
		break;
	case DO_CONSUME:
		user_consume(w, entry->arg[0]);
		break;
	case DO_POLL:
		user_poll(w);
		break;
	case DO_ATTACH:
		hook_attach(w, entry->arg[0]);
		break;
	case DO_SETTLE:
		world_settle(w);
		compare(w, COMPARE_CLAIMS);
		break;
	case DO_HEAL:
		world_settle(w);
		compare(w, COMPARE_CLAIMS);
		world_heal(w);
		compare(w, COMPARE_ALL);
		break;
	default:
		break;
	}
}

void schedule_replay(struct world *w, const struct schedule *schedule)
{
	for (size_t i = 0; i < schedule->nr && !w->failed; i++) {
		if (w->config.trace)
			schedule_print(w->config.trace, &schedule->entry[i]);
		schedule_apply(w, &schedule->entry[i]);
	}
}

void schedule_done(struct schedule *schedule)
{
	free(schedule->entry);
	*schedule = (struct schedule){};
}

void schedule_print(FILE *out, const struct entry *entry)
{
	switch (entry->action) {
	case DO_START:
		fprintf(out, "# start %s on cpu %u (%#x, %#x, %#x)\n", operation_name(entry->op),
			entry->cpu, entry->arg[0], entry->arg[1], entry->arg[2]);
		break;
	case DO_POLL:
		fprintf(out, "# look at the loss counters\n");
		break;
	case DO_ATTACH:
		fprintf(out, "# attach hook %u\n", entry->arg[0] % HOOK_NR);
		break;
	case DO_SETTLE:
		fprintf(out, "# everybody comes to rest\n");
		break;
	case DO_HEAL:
		fprintf(out, "# everybody comes to rest, and user space heals\n");
		break;
	default:
		break;
	}
}

/* --- making entries up -------------------------------------------------------------------- */

struct generator {
	const struct mix *mix;
	struct random *random;
	uint8_t speed[CPUS_ALL]; /* weights: a slow cpu is cut for a long time */
	uint32_t total_speed, total_weight;
	uint32_t attach_after; /* entries; before that the machine runs unobserved */
	uint32_t until_quiet;
	uint64_t nr;
};

static void generator_init(struct generator *g, const struct mix *mix, struct random *random)
{
	*g = (struct generator){.mix = mix, .random = random};
	for (int i = 0; i < CPUS_ALL; i++) {
		g->speed[i] =
		    (uint8_t)(random_once_in(random, 3) ? 1 : 4 + random_below(random, 12));
		if (i == WALKER && mix->slow_walker)
			g->speed[i] = 1;
		g->total_speed += g->speed[i];
	}
	for (int op = 0; op < OP_NR; op++)
		g->total_weight += mix->weight[op];
	g->attach_after = random_below(random, 600);
	g->until_quiet = g->attach_after + 200 + random_below(random, 400);
}

static uint8_t choose_cpu(const struct generator *g)
{
	uint32_t x = random_below(g->random, g->total_speed);
	uint8_t cpu = 0;

	while (x >= g->speed[cpu])
		x -= g->speed[cpu++];
	return cpu;
}

static uint8_t choose_operation(const struct world *w, const struct generator *g)
{
	static const uint8_t ends[] = {OP_EXIT, OP_EXIT_GROUP, OP_REAP, OP_REAP};
	uint32_t x = random_below(g->random, g->total_weight);
	uint8_t op = 0;

	if (kernel_nr_tasks(&w->kernel) > TASKS_MANY && random_once_in(g->random, 2))
		return ends[random_below(g->random, 4)];
	while (x >= g->mix->weight[op])
		x -= g->mix->weight[op++];
	return op;
}

static struct entry start_entry(const struct world *w, const struct generator *g, uint8_t cpu)
{
	struct entry entry = {.action = DO_START, .cpu = cpu};

	for (int i = 0; i < 3; i++)
		entry.arg[i] = (uint32_t)random_next(g->random);
	if (cpu != WALKER)
		entry.op = choose_operation(w, g);
	else if (random_once_in(g->random, g->mix->walk_once_in))
		entry.op = random_once_in(g->random, 3) ? OP_REPAIR : OP_WALK;
	else
		entry.action = DO_NOTHING;
	/* What was just attached is seeded soon. */
	if (cpu == WALKER && hooks_all_attached(w) && !atlas_state(w->atlas)->seeded) {
		entry.action = DO_START;
		entry.op = OP_WALK;
	}
	return entry;
}

static struct entry quiet_entry(struct generator *g)
{
	g->until_quiet = 60 + random_below(g->random, random_once_in(g->random, 4) ? 2000 : 300);
	return (struct entry){.action = random_once_in(g->random, 3) ? DO_HEAL : DO_SETTLE};
}

static struct entry choose_entry(const struct world *w, struct generator *g)
{
	const bool lags = w->ring.limit == RING_PLACES && ring_used(&w->ring) > BACKLOG;
	const int owner = lags ? ring_blocked_by(&w->ring) : -1;
	uint8_t cpu;

	if (!g->until_quiet--)
		return quiet_entry(g);
	if (owner >= 0)
		return (struct entry){.action = DO_STEP, .cpu = (uint8_t)owner};
	if (g->nr++ > g->attach_after && !hooks_all_attached(w) && random_once_in(g->random, 8))
		return (struct entry){.action = DO_ATTACH,
				      .arg[0] = random_below(g->random, HOOK_NR)};
	if (lags || random_below(g->random, 64) < g->mix->consume)
		return (struct entry){.action = DO_CONSUME,
				      .arg[0] = 1 + random_below(g->random, 8)};
	if (random_once_in(g->random, 40))
		return (struct entry){.action = DO_POLL};
	cpu = choose_cpu(g);
	if (w->cpu[cpu].op != OP_NONE)
		return (struct entry){.action = DO_STEP, .cpu = cpu};
	return start_entry(w, g, cpu);
}

static int schedule_add(struct schedule *schedule, const struct entry *entry)
{
	if (schedule->nr == schedule->capacity) {
		const size_t capacity = schedule->capacity ? 2 * schedule->capacity : 1024;
		struct entry *bigger =
		    realloc(schedule->entry, capacity * sizeof(*schedule->entry));

		if (!bigger)
			return -ENOMEM;
		schedule->entry = bigger;
		schedule->capacity = capacity;
	}
	schedule->entry[schedule->nr++] = *entry;
	return 0;
}

int schedule_random(struct world *w, struct schedule *schedule, const struct mix *mix,
		    struct random *random, uint64_t steps)
{
	struct generator g;
	struct entry entry;

	generator_init(&g, mix, random);
	while (!w->failed) {
		const bool last = w->steps >= steps;

		entry = last ? (struct entry){.action = DO_HEAL} : choose_entry(w, &g);
		if (entry.action == DO_NOTHING)
			continue;
		if (schedule_add(schedule, &entry))
			return -ENOMEM;
		schedule_apply(w, &entry);
		if (last)
			break;
	}
	return 0;
}
