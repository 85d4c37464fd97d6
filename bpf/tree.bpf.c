// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reading the mappings of a space without its lock: a descent of the maple tree (mm->mm_mt), as
 * lib/maple_tree.c does it for readers under RCU, by copies of whole nodes.
 *
 * A node is 256 bytes: its parent, then pivots, then slots. Slot i covers the addresses behind
 * pivot i-1 up to and including pivot i; the last one ends where the node ends; a pivot of 0 after
 * the first is not in use. A node whose parent is itself was replaced: start again from the root.
 *
 * What is read may be older than what a writer, at work right now, has done already. That writer's
 * own record comes later and covers what it touched and both neighbours: see docs/design.md.
 */
#include "observe.bpf.h"
#include "scratch.bpf.h"

#define TREE_DEPTH 8 /* the kernel's limit is 31; 10^9 mappings need 8 */
#define TREE_TRIES 3
#define TREE_USES_RCU 0x02 /* MT_FLAGS_USE_RCU, include/linux/maple_tree.h */
#define NODE_MASK 0xffull  /* the low byte of a pointer to a node holds its type */
#define NODE_WORDS 32
#define NODE_SLOTS 16

/* Is the root of a tree a node (and not a single entry)? xa_is_node(), include/linux/xarray.h. */
static __always_inline int root_is_node(u64 root)
{
	return (root & 3) == 2 && root > 4096;
}

#define offset_of(type, field) (bpf_core_field_offset(type, field) / 8)
#define count_of(type, field) (bpf_core_field_size(type, field) / 8)

/*
 * Find addr in node[], which covers [entry_min, entry_max]: these two become what its slot covers,
 * and entry what is in the slot. `layout`: is it a maple_arange_64? 0, or -1 if no slot covers
 * addr: the node is being rewritten.
 *
 * A function of its own, with all it knows in the scratch, so that the verifier looks at it once.
 */
__attribute__((noinline)) int slot_find(u32 scratch_nr, u64 addr, u32 arange)
{
	struct scratch *s = scratch_get(scratch_nr);
	u32 pivots = arange ? offset_of(struct maple_arange_64, pivot)
			    : offset_of(struct maple_range_64, pivot);
	u32 slots = arange ? offset_of(struct maple_arange_64, slot)
			   : offset_of(struct maple_range_64, slot);
	u32 nr_pivots = arange ? count_of(struct maple_arange_64, pivot)
			       : count_of(struct maple_range_64, pivot);
	u64 low, high;
	u32 i;

	if (!s)
		return -1;
	low = s->entry_min;
	high = s->entry_max;
	for (i = 0; i < NODE_SLOTS - 1 && i < nr_pivots; i++) {
		u64 pivot = s->node[(pivots + i) % NODE_WORDS];

		if (addr <= pivot || (!pivot && i))
			break;
	}
	if (i && s->node[(pivots + i - 1) % NODE_WORDS] >= low)
		low = s->node[(pivots + i - 1) % NODE_WORDS] + 1;
	if (i < nr_pivots && s->node[(pivots + i) % NODE_WORDS] &&
	    s->node[(pivots + i) % NODE_WORDS] < high)
		high = s->node[(pivots + i) % NODE_WORDS];
	if (!i && nr_pivots && !s->node[pivots % NODE_WORDS])
		high = 0; /* a first slot that covers just address 0 */
	if (addr < low || addr > high)
		return -1;
	s->entry = s->node[(slots + i) % NODE_WORDS];
	s->entry_min = low;
	s->entry_max = high;
	return 0;
}

/* Descend once. 0: node[] holds the leaf for addr; 1: the tree is empty; -1: try again. */
static __always_inline int descend(struct scratch *s, u32 scratch_nr, u64 addr)
{
	if (!root_is_node(s->entry))
		return -1;
	s->entry_min = 0;
	s->entry_max = ~0ull;
	for (u32 depth = 0; depth < TREE_DEPTH; depth++) {
		u64 node = s->entry & ~NODE_MASK;
		u32 type = (s->entry >> 3) & 0xf;

		if (!node || bpf_probe_read_kernel(s->node, sizeof(s->node), (void *)node))
			return -1;
		if ((s->node[offset_of(struct maple_range_64, parent)] & ~NODE_MASK) == node)
			return -1;
		if (type == maple_leaf_64) {
			s->leaf_min = s->entry_min;
			s->leaf_max = s->entry_max;
			s->leaf_here = 1;
			return 0;
		}
		if (type != maple_range_64 && type != maple_arange_64)
			return -1;
		if (slot_find(scratch_nr, addr, type == maple_arange_64))
			return -1;
	}
	return -1;
}

/* 0, 1 as descend(); -1 when it could not be read. */
__attribute__((noinline)) int leaf_load(u32 scratch_nr, u64 mm, u64 addr, u32 outside)
{
	struct scratch *s = scratch_get(scratch_nr);
	struct mm_struct *space = (void *)mm;
	int got = -1;

	if (!s)
		return -1;
	s->leaf_here = 0;
	for (u32 i = 0; i < TREE_TRIES && got < 0; i++) {
		/* In a tree that is not in RCU mode nodes are reused at once: only safe to read for
		 * those who write it. */
		if (outside && !(BPF_CORE_READ(space, mm_mt.ma_flags) & TREE_USES_RCU))
			return -1;
		s->entry = (u64)BPF_CORE_READ(space, mm_mt.ma_root);
		got = s->entry ? descend(s, scratch_nr, addr) : 1;
	}
	return got;
}

/*
 * What covers addr: s->entry (a vm_area_struct, or 0 where nothing is mapped) from s->entry_min to
 * s->entry_max inclusive. 0, or -1 when it could not be read. The leaf stays for the next address.
 */
__attribute__((noinline)) int entry_at(u32 scratch_nr, u64 mm, u64 addr, u32 outside)
{
	struct scratch *s = scratch_get(scratch_nr);
	if (!s)
		return -1;
	if (!s->leaf_here || addr < s->leaf_min || addr > s->leaf_max) {
		int got = leaf_load(scratch_nr, mm, addr, outside);

		if (got < 0)
			return -1;
		if (got) {
			s->entry = 0;
			s->entry_min = 0;
			s->entry_max = ~0ull;
			return 0;
		}
	}
	s->entry_min = s->leaf_min;
	s->entry_max = s->leaf_max;
	return slot_find(scratch_nr, addr, 0);
}
