/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A schedule: what is done to a world, entry by entry. An entry means something in any world, or
 * nothing, so that entries can be left out and the rest still runs: that is how a failing schedule
 * is made short.
 */
#ifndef TASKATLAS_SIM_SCHEDULE_H
#define TASKATLAS_SIM_SCHEDULE_H

#include <stddef.h>
#include <stdint.h>

#include "tests/sim/random.h"
#include "tests/sim/world.h"

enum action {
	DO_NOTHING = 0,
	DO_START,   /* operation `op` on cpu `cpu` */
	DO_STEP,    /* one step of cpu `cpu`, if it is busy */
	DO_CONSUME, /* user space reads arg[0] records */
	DO_POLL,    /* user space looks at the loss counters */
	DO_ATTACH,  /* hook arg[0] */
	DO_SETTLE,  /* a quiet point: compare what the atlas claims */
	DO_HEAL,    /* a quiet point: heal, then compare everything */
};

struct entry {
	uint8_t action; /* enum action */
	uint8_t cpu;
	uint8_t op; /* enum operation */
	uint32_t arg[3];
};

struct schedule {
	struct entry *entry;
	size_t nr, capacity;
};

/* What kind of world a random schedule makes: weights, not laws. */
struct mix {
	const char *name;
	uint8_t weight[OP_NR]; /* of the operations that a cpu starts */
	uint8_t consume;       /* of 64 entries that many let user space read */
	uint32_t walk_once_in; /* entries, about; a full walk or a repair */
	bool slow_walker;      /* the walk is cut for long */
	uint32_t ring_limit;
	uint32_t skip_once_in, fail_once_in;
};

extern const struct mix mixes[];
/* NULL = there is none of this name. */
const struct mix *mix_find(const char *name);
/* By number, going round; those that lose records only `with_loss`. */
const struct mix *mix_at(uint64_t number, bool with_loss);

/* The configuration of a mix, without mutations. */
struct config mix_config(const struct mix *mix);

/* Do one entry. */
void schedule_apply(struct world *w, const struct entry *entry);
/* Make up entries and do them until the world has failed or taken so many steps; the last is
 * DO_HEAL. 0, -ENOMEM. */
int schedule_random(struct world *w, struct schedule *schedule, const struct mix *mix,
		    struct random *random, uint64_t steps);
/* Do all entries until the world fails. */
void schedule_replay(struct world *w, const struct schedule *schedule);
/* Frees the entries. */
void schedule_done(struct schedule *schedule);
/* One line for an entry, unless it is one whose doing says enough in a trace. */
void schedule_print(FILE *out, const struct entry *entry);

/*
 * Leave out whatever is not needed for the failure: the schedule stays one that fails. `w` is used
 * for the trials and holds the last failing one at the end. 0, -ENOMEM.
 */
int schedule_shrink(struct world *w, const struct config *config, struct schedule *schedule);

#endif
