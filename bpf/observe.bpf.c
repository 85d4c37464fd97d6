// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * observe(): the one mechanism for memory. For each chunk: reserve the record, read the mappings
 * into the scratch list, copy them into the record, submit. The next chunk is reserved before
 * anything beyond this one is read.
 */
#include "observe.bpf.h"
#include "scratch.bpf.h"

#define VM_READ 0x1
#define VM_WRITE 0x2
#define VM_EXEC 0x4
#define VM_MAYSHARE 0x80
#define VM_GROWSDOWN 0x100
#define VM_DONTCOPY 0x20000

#define MAX_CHUNKS (1u << 20)
#define SMALL_CHUNK 4 /* most calls touch one mapping and its two neighbours */
#define APPEND_TRIES 3

static __always_inline u32 map_flags_of(u64 vm_flags)
{
	u32 flags = vm_flags & (VM_READ | VM_WRITE | VM_EXEC); /* REC_MAP_READ, _WRITE, _EXEC */

	if (vm_flags & VM_MAYSHARE)
		flags |= REC_MAP_SHARED;
	if (vm_flags & VM_DONTCOPY)
		flags |= REC_MAP_DONTFORK;
	if (vm_flags & VM_GROWSDOWN)
		flags |= REC_MAP_GROWSDOWN;
	return flags;
}

/* Append s->entry to s->list. 0, or -1 when the VMA is not one of this space any more. */
__attribute__((noinline)) int mapping_append(u32 scratch_nr, u64 mm)
{
	struct scratch *s = scratch_get(scratch_nr);
	struct rec_mapping *m;
	u64 file;

	if (!s || s->nr >= CHUNK_MAPS)
		return -1;
	if (bpf_probe_read_kernel(s->vma, VMA_BYTES, (void *)s->entry) || vma_field(s, vm_mm) != mm)
		return -1;
	m = &s->list[s->nr % CHUNK_MAPS];
	/* Merged with the one before while we read: whoever does that will tell it whole. */
	m->start = s->nr && s->entry_min < s->o.at ? s->o.at : s->entry_min;
	m->end = s->entry_max + 1;
	m->map_flags = map_flags_of(vma_field(s, vm_flags));
	m->reserved = 0;
	m->offset = 0;
	file = vma_field(s, vm_file);
	if (file) /* vm_start may be changing; where the tree says the mapping starts is what counts
		   */
		m->offset = (vma_field(s, vm_pgoff) << 12) + (m->start - vma_field(s, vm_start));
	m->file = special_tell(scratch_nr, file);
	if (file && !m->file) {
		if (file != s->last_file) {
			s->last_file_key = file_tell(scratch_nr, file);
			s->last_file = file;
		}
		m->file = s->last_file_key;
	}
	s->nr++;
	return 0;
}

/* Take the entry at o->at: a mapping or a gap. 1 ends the chunk. */
static int step(u32 i, u32 *nr)
{
	struct scratch *s = scratch_get(*nr);
	struct observing *o;

	if (!s)
		return 1;
	o = &s->o;
	if (o->at >= o->hi || s->nr >= o->limit)
		return 1;
	if (entry_at(*nr, o->mm, o->at, o->how & OBSERVE_WALK)) {
		o->failed++;
		s->leaf_here = 0;
		return o->failed >= APPEND_TRIES;
	}
	if (s->entry) {
		if (mapping_append(*nr, o->mm)) {
			o->failed++;
			s->leaf_here = 0;
			return o->failed >= APPEND_TRIES;
		}
	}
	o->failed = 0;
	o->at = s->entry_max < o->hi ? s->entry_max + 1 : o->hi;
	if ((o->how & OBSERVE_NEXT) && s->entry && s->entry_min > o->lo)
		o->hi = o->at;
	return 0;
}

static __always_inline int space_left(struct observing *o)
{
	struct task_struct *task = (void *)o->task;

	return task && (u64)BPF_CORE_READ(task, mm) != o->mm;
}

static __always_inline void maps_fill(struct rec_maps *r, struct observing *o, u64 lo, u32 nr)
{
	struct mm_struct *mm = (void *)o->mm;

	header_fill(&r->hdr, REC_MAPS, o->how & OBSERVE_WALK ? REC_F_WALK : 0,
		    sizeof(*r) + o->limit * sizeof(struct rec_mapping), o->tid, o->tgid);
	r->space = o->mm;
	r->lo = lo;
	r->hi = o->at;
	/* start_brk, brk, start_stack: side by side on both sides. */
	bpf_probe_read_kernel(&r->start_brk, 3 * sizeof(u64), &mm->start_brk);
	r->nr = nr;
	r->cause = o->how & OBSERVE_CAUSE;
	r->maps_flags = 0;
	if (!lo)
		r->maps_flags |= REC_MAPS_FIRST;
	if (o->failed) {
		r->hi = o->hi;
		r->nr = 0;
		r->maps_flags = REC_MAPS_SUSPECT;
	} else if (o->at >= OBSERVE_END) {
		r->maps_flags |= REC_MAPS_LAST;
	}
}

/* One record. 1 ends the observation. */
static int chunk(u32 i, u32 *scratch_nr)
{
	struct scratch *s = scratch_get(*scratch_nr);
	struct observing *o;
	struct bpf_dynptr record;
	struct rec_maps head;
	u64 lo;
	u32 nr;

	if (!s)
		return 1;
	o = &s->o;
	lo = o->at;
	if ((o->how & OBSERVE_WALK) &&
	    bpf_ringbuf_query(&ring, BPF_RB_AVAIL_DATA) > ring_bytes / 2) {
		o->paused = 1;
		return 1;
	}
	if (bpf_ringbuf_reserve_dynptr(&ring, sizeof(head) + o->limit * sizeof(struct rec_mapping),
				       0, &record)) {
		bpf_ringbuf_discard_dynptr(&record, 0);
		count(&counters.ring_full[REC_MAPS]);
		o->lost = 1;
		return 1;
	}
	s->nr = 0;
	s->leaf_here = 0;
	s->last_file = 0;
	if (o->how & OBSERVE_HAND_OVER)
		o->failed = 1;
	else
		bpf_loop(4 * CHUNK_MAPS, step, scratch_nr, 0);
	if (space_left(o)) {
		o->gone = 1;
		bpf_ringbuf_discard_dynptr(&record, BPF_RB_NO_WAKEUP);
		return 1;
	}
	nr = s->nr;
	if (nr > CHUNK_MAPS)
		nr = CHUNK_MAPS;
	maps_fill(&head, o, lo, nr);
	if (o->failed && !(o->how & OBSERVE_HAND_OVER))
		count(&counters.read_failed[REC_MAPS]);
	bpf_dynptr_write(&record, 0, &head, sizeof(head), 0);
	if (nr)
		bpf_dynptr_write(&record, sizeof(head), s->list, nr * sizeof(struct rec_mapping),
				 0);
	bpf_ringbuf_submit_dynptr(&record, ring_wakeup());
	o->limit = CHUNK_MAPS;
	return o->failed || o->at >= o->hi;
}

/* Mappings for which room is reserved in the first record. */
static __always_inline u32 first_limit(u64 mm, u64 lo, u64 hi)
{
	struct mm_struct *space = (void *)mm;
	u32 nr;

	if (lo || hi < OBSERVE_END)
		return SMALL_CHUNK;
	nr = BPF_CORE_READ(space, map_count) + 1;
	return nr < CHUNK_MAPS ? nr : CHUNK_MAPS;
}

static __always_inline void who_fill(struct observing *o)
{
	struct task_struct *task = (void *)o->task;
	u64 current = bpf_get_current_pid_tgid();

	o->tid = task ? BPF_CORE_READ(task, pid) : (u32)current;
	o->tgid = task ? BPF_CORE_READ(task, tgid) : current >> 32;
}

__attribute__((noinline)) u64 observe(u64 mm, u64 lo, u64 hi, u64 task, u32 how)
{
	struct scratch *s;
	u64 stopped;
	u32 nr;

	if (lo >= hi)
		return hi;
	nr = scratch_claim(REC_MAPS);
	s = scratch_get(nr);
	if (!s)
		return OBSERVE_LOST;
	__builtin_memset(&s->o, 0, sizeof(s->o));
	s->o.mm = mm;
	s->o.task = task;
	s->o.lo = lo;
	s->o.at = lo;
	s->o.hi = hi;
	s->o.how = how;
	s->o.limit = first_limit(mm, lo, hi);
	who_fill(&s->o);
	bpf_loop(MAX_CHUNKS, chunk, &nr, 0);
	stopped = s->o.lost || s->o.failed ? OBSERVE_LOST : s->o.at;
	if (s->o.gone)
		stopped = OBSERVE_GONE;
	scratch_release(nr);
	return stopped;
}
