// SPDX-License-Identifier: GPL-2.0-only
#include "trace/heal.h"

#define MS 1000000ull
#define PROCESS_PAUSE_NS (1 * MS)
#define PROCESS_TRIES_MAX 16 /* then a full walk takes over */
#define FULL_PAUSE_NS (20 * MS)
#define FULL_PAUSE_MAX_NS (5000 * MS)
#define FULL_PAUSE_WALKS 4

static struct heal_process *find(struct heal *heal, uint32_t tgid)
{
	for (uint32_t i = 0; i < heal->nr; i++)
		if (heal->process[i].tgid == tgid)
			return &heal->process[i];
	return NULL;
}

void heal_want_full(struct heal *heal, uint64_t now_ns)
{
	if (heal->full)
		return;
	heal->full = true;
	if (heal->full_due_ns < now_ns)
		heal->full_due_ns = now_ns;
}

static void want_process(struct heal *heal, uint32_t tgid, uint64_t now_ns)
{
	struct heal_process *p = find(heal, tgid);

	if (!p) {
		if (heal->nr == HEAL_PROCESSES_MAX) {
			heal_want_full(heal, now_ns);
			return;
		}
		p = &heal->process[heal->nr++];
		*p = (struct heal_process){.tgid = tgid};
	}
	if (p->tries >= PROCESS_TRIES_MAX) {
		*p = heal->process[--heal->nr];
		heal_want_full(heal, now_ns);
		return;
	}
	p->due_ns = now_ns + (p->tries ? PROCESS_PAUSE_NS << p->tries : 0);
	p->tries++;
}

/* What is seen whole is healed, whoever looked. */
static void forget_process(struct heal *heal, uint32_t tgid)
{
	struct heal_process *p = find(heal, tgid);

	if (p)
		*p = heal->process[--heal->nr];
}

void heal_see(struct heal *heal, const struct rec_hdr *record, uint64_t now_ns)
{
	const struct rec_maps *maps;

	switch (record->kind) {
	case REC_MAPS:
		maps = (const struct rec_maps *)record;
		if (maps->maps_flags & REC_MAPS_SUSPECT)
			want_process(heal, record->tgid, now_ns);
		else if (maps->maps_flags & REC_MAPS_LAST)
			forget_process(heal, record->tgid);
		break;
	case REC_EXIT:
		if (((const struct rec_exit *)record)->exit_flags & REC_EXIT_LAST)
			forget_process(heal, record->tgid);
		break;
	case REC_LOSS:
		/* Each failed read has said for itself where it was. */
		if (((const struct rec_loss *)record)->cause != REC_LOSS_READ_FAILED)
			heal_want_full(heal, now_ns);
		break;
	default:
		break;
	}
}

enum heal_action heal_next(struct heal *heal, uint64_t now_ns, uint32_t *ret_tgid)
{
	if (heal->full && heal->full_due_ns <= now_ns) {
		heal->full = false;
		return HEAL_FULL;
	}
	for (uint32_t i = 0; i < heal->nr; i++) {
		struct heal_process *p = &heal->process[i];

		if (p->due_ns > now_ns)
			continue;
		p->due_ns = now_ns + (PROCESS_PAUSE_NS << p->tries);
		*ret_tgid = p->tgid;
		return HEAL_PROCESS;
	}
	return HEAL_NONE;
}

void heal_done(struct heal *heal, uint64_t now_ns, uint64_t took_ns, bool suspect)
{
	uint64_t pause;

	if (!suspect) {
		heal->full_pause_ns = FULL_PAUSE_NS;
		heal->full_due_ns = now_ns + FULL_PAUSE_WALKS * took_ns;
		return;
	}
	pause = heal->full_pause_ns ? heal->full_pause_ns : FULL_PAUSE_NS;
	heal->full_pause_ns = pause * 2 > FULL_PAUSE_MAX_NS ? FULL_PAUSE_MAX_NS : pause * 2;
	if (pause < FULL_PAUSE_WALKS * took_ns)
		pause = FULL_PAUSE_WALKS * took_ns;
	heal->full = true;
	heal->full_due_ns = now_ns + pause;
}

bool heal_pending(const struct heal *heal)
{
	return heal->full || heal->nr;
}
