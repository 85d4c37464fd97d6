/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names that are built from their last component to their first (paths of files and of cgroups),
 * in a scratch's text[]. Two passes over the same chain: the first measures and takes a print, the
 * second writes from the back to the front and takes the print again. Equal prints: nothing in the
 * chain moved in between, so the name was whole at one moment.
 */
#ifndef TASKATLAS_TEXT_BPF_H
#define TASKATLAS_TEXT_BPF_H

#include "scratch.bpf.h"

#define COMPONENT_MAX 255 /* NAME_MAX */
#define CHAIN_TRIES 3

static __always_inline u64 mix(u64 print, u64 value)
{
	print = (print ^ value) * 0x9e3779b97f4a7c15ull;
	return print ^ (print >> 32);
}

/* Take one component of len bytes. 1 when it does not fit: the chain ends here. */
static __always_inline int text_component(struct scratch *s, const void *name, u32 len)
{
	struct text_chain *c = &s->chain;
	u32 at;

	len &= COMPONENT_MAX;
	if (len + 1 > c->room) {
		c->cut = 1;
		return 1;
	}
	c->room -= len + 1;
	c->total += len + 1;
	if (!c->writing)
		return 0;
	at = c->room & (REC_NAME_MAX);
	s->text[at] = '/';
	bpf_probe_read_kernel(s->text + at + 1, len, name);
	return 0;
}

/* Start a pass at a component: room for that many bytes. */
static __always_inline void text_pass(struct scratch *s, u64 at, u64 mnt, u32 writing, u32 room)
{
	s->chain.at = at;
	s->chain.mnt = mnt;
	s->chain.print = 0;
	s->chain.room = room;
	s->chain.total = 0;
	s->chain.writing = writing;
	s->chain.cut = 0;
}

#endif
