// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Paths of cgroups, from kernfs: root "/", the others "/a/b". */
#include "cgroup.bpf.h"
#include "text.bpf.h"

#define CGROUP_DEPTH 256

static __always_inline struct kernfs_node *parent_of(struct kernfs_node *kn)
{
	struct kernfs_node___rcu_parent *kn_rcu = (void *)kn;
	struct kernfs_node___parent *kn_plain = (void *)kn;

	if (bpf_core_field_exists(kn_rcu->__parent))
		return BPF_CORE_READ(kn_rcu, __parent);
	return BPF_CORE_READ(kn_plain, parent);
}

static int cgroup_component(u32 i, u32 *nr)
{
	struct scratch *s = scratch_get(*nr);
	struct kernfs_node *kn, *parent;
	struct text_chain *c;
	const char *name;
	long len;

	if (!s)
		return 1;
	c = &s->chain;
	kn = (void *)c->at;
	parent = parent_of(kn);
	if (!parent)
		return 1;
	name = BPF_CORE_READ(kn, name);
	len = bpf_probe_read_kernel_str(s->text + 2 * (REC_NAME_MAX + 1), COMPONENT_MAX + 1, name);
	if (len <= 1)
		return 1;
	c->print = mix(mix(c->print, c->at), len);
	c->at = (u64)parent;
	return text_component(s, name, len - 1);
}

__attribute__((noinline)) int cgroup_tell(u64 cgroup, u64 id, u32 hierarchy)
{
	struct cgroup *cgrp = (void *)cgroup;
	u64 key = id ^ ((u64)hierarchy << 56);
	struct told *known = bpf_map_lookup_elem(&cgroups_told, &key);
	struct told told = {.epoch = name_epoch};
	struct rec_cgroup *r;
	struct scratch *s;
	u32 size, len, nr;
	u64 kn;

	if (known && known->epoch == name_epoch)
		return 0;
	nr = scratch_claim(REC_CGROUP);
	s = scratch_get(nr);
	if (!s)
		return -1;
	kn = (u64)BPF_CORE_READ(cgrp, kn);
	text_pass(s, kn, 0, 0, REC_NAME_MAX);
	bpf_loop(CGROUP_DEPTH, cgroup_component, &nr, 0);
	len = s->chain.total & REC_NAME_MAX;
	text_pass(s, kn, 0, 1, len);
	bpf_loop(CGROUP_DEPTH, cgroup_component, &nr, 0);
	if (!len) {
		s->text[0] = '/';
		len = 1;
	}
	r = scratch_record(s, rec_cgroup);
	size = (sizeof(*r) + len + 7) & ~7u;
	header_fill(&r->hdr, REC_CGROUP, 0, size, 0, 0);
	r->id = id;
	r->hierarchy = hierarchy;
	r->cgroup_flags = s->chain.cut ? REC_CGROUP_CUT : 0;
	r->path_len = len;
	if (bpf_ringbuf_output(&ring, r, size, ring_wakeup()))
		count(&counters.ring_full[REC_CGROUP]);
	else
		bpf_map_update_elem(&cgroups_told, &key, &told, BPF_ANY);
	scratch_release(nr);
	return 0;
}
