/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the programs share: the ring, the scratch buffers, the tables of what was told already,
 * the knobs that user space sets before loading, and the counters that it reads afterwards.
 * Defined in state.bpf.c, linked into one object.
 */
#ifndef TASKATLAS_STATE_BPF_H
#define TASKATLAS_STATE_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#include "bpf/record.h"
#include "bpf/shared.h"

#define PAGE_BYTES 4096ull
#define PAGE_DOWN(addr) ((addr) & ~(PAGE_BYTES - 1))
#define PAGE_UP(addr) PAGE_DOWN((addr) + PAGE_BYTES - 1)

/* Mappings in one record at most. */
#define CHUNK_MAPS 64

/* What is copied of a vm_area_struct: its front has all that is needed. */
#define VMA_WORDS 32
#define VMA_BYTES 192
#define vma_field(s, field)                                                                        \
	((s)->vma[(bpf_core_field_offset(struct vm_area_struct, field) / 8) % VMA_WORDS])

/* Longest head of a record that has text behind it, bytes. */
#define TEXT_HEAD sizeof(struct rec_exec)

/*
 * Where loops keep their place. In a scratch, not on the stack: the verifier follows values on the
 * stack from round to round of a bpf_loop(), and would never come to an end.
 */
struct text_chain {  /* a name that is built from its last component to its first; text.bpf.h */
	u64 at;      /* the component: a dentry or a kernfs_node */
	u64 mnt;     /* files: the vfsmount in which it is */
	u64 print;   /* of all components so far */
	u32 room;    /* bytes that are still to be filled, or may still be added */
	u32 total;   /* bytes so far */
	u32 writing; /* second pass */
	u32 cut;     /* did not fit: the front is missing */
};
struct observing { /* observe.bpf.c */
	u64 mm, task;
	u64 lo, at, hi; /* the whole range; how far it is read; its end */
	u32 tid, tgid;
	u32 how;
	u32 limit;  /* mappings in this chunk */
	u32 failed; /* times in a row that a read gave up */
	u32 lost;   /* a reserve failed */
	u32 paused; /* the ring is to be drained first */
	u32 gone;   /* the task left the space while it was read */
};

/*
 * What a program works in while it reads. Not per CPU, since whoever preempts a program on its CPU
 * would share it: claimed and released, see scratch.bpf.h.
 */
struct scratch {
	u32 busy;
	u32 nr; /* mappings in list[] */
	struct observing o;
	struct text_chain chain;
	u64 node[32]; /* copy of the maple tree leaf that covers [leaf_min, leaf_max] */
	u64 leaf_min;
	u64 leaf_max;
	u32 leaf_here; /* 0 = no leaf in node[] */
	u32 reserved;
	u64 entry; /* what entry_at() found at [entry_min, entry_max]; 0 = nothing is mapped */
	u64 entry_min;
	u64 entry_max;
	u64 last_file; /* the last file that was told, and its key */
	u64 last_file_key;
	u64 vma[VMA_WORDS]; /* copy of the front of a vm_area_struct */
	struct rec_mapping list[CHUNK_MAPS];
	/* A record with text: its head ends, and its text starts, at text. Room behind the longest
	 * text for what a bounded write might touch. */
	char head[TEXT_HEAD];
	char text[REC_NAME_MAX + 1 + REC_ARGS_MAX + 4096];
};

/* One for each level of nesting (task, softirq, interrupt), and one for luck. */
#define SCRATCH_PER_CPU 4

struct ring_map {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096); /* set when loading */
};
struct scratch_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, SCRATCH_PER_CPU); /* for each CPU; set when loading */
	__type(key, u32);
	__type(value, struct scratch);
};
/* What was told of a file or cgroup: the epoch in which, and a print of its name. */
struct told {
	u64 print;
	u32 epoch;
	u32 reserved;
};
struct told_map {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 65536);
	__type(key, u64);
	__type(value, struct told);
};
/* Spaces, by address of the mm. */
struct space_map {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, u64);
	__type(value, u32);
};

/* By number: does the call have a hook of its own? Filled by user space before attaching. */
struct call_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, CALL_NUMBERS);
	__type(key, u32);
	__type(value, u8);
};
/* mm->stack_vm when its stack was last looked at, by address of the mm. */
struct stack_map {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, u64);
	__type(value, u64);
};

extern struct ring_map ring SEC(".maps");
extern struct scratch_map scratches SEC(".maps");
extern struct told_map files_told SEC(".maps");
extern struct told_map cgroups_told SEC(".maps");
extern struct space_map spaces_walked SEC(".maps"); /* number of the last walk that was here */
extern struct call_map calls_hooked SEC(".maps");
extern struct stack_map stacks SEC(".maps");
extern struct space_map spaces_shared SEC(".maps"); /* by processes, once at least */

/* Knobs, set before loading. */
extern const volatile __u64 ring_bytes; /* size of the ring */
extern const volatile __u64 wake_bytes; /* fill level past which the reader is woken */
extern const volatile __u32 args_bytes; /* EXEC arguments taken at most; <= REC_ARGS_MAX */
extern const volatile __s32
    cgroup_v1_subsys; /* whose v1 hierarchy tells containers apart; -1 = none */

/* Set by user space before a walk. */
extern __u32 walk_number;
extern __u32 walk_mode;  /* enum walk_mode */
extern __u32 walk_flags; /* REC_WALK_* of its WALK_END */
extern __u32 walk_tgid;  /* the process that it is limited to; 0 = all */
extern __u32 name_epoch; /* grows: every name is told again at its next sight */
extern __u64 learn_vdso; /* WALK_LEARN: an address inside the caller's [vdso] */
/* Kept by the walk while it is paused in the middle of a space. */
extern __u64 walk_space, walk_at;
/* Whom the walk looks at right now: see walk.bpf.c. */
extern volatile __u32 walk_sees_tgid;
extern volatile __u64 walk_sees_space;
extern __u32 walk_ended; /* number of the last walk whose WALK_END is in the ring */

/* Learnt at start. Kernel addresses: they stay here. */
extern __u64 root_dentry, root_mnt; /* our root directory: where printed paths begin */
extern __u64 special_ops;           /* vm_ops of mappings that the kernel named itself */

extern __u32 wake_sent; /* a forced wake-up is on its way; cleared by the reader */
extern struct counters counters;

/* The number of a pointer that the verifier tracks: what global functions take. */
static __always_inline u64 address_of(const void *pointer)
{
	u64 number = 0;

	bpf_probe_read_kernel(&number, sizeof(number), &pointer);
	return number;
}

static __always_inline void count(u64 *counter)
{
	__sync_fetch_and_add(counter, 1);
}

/* Wake-ups are what makes a ring expensive: none, until the fill level asks for one. */
static __always_inline u64 ring_wakeup(void)
{
	if (bpf_ringbuf_query(&ring, BPF_RB_AVAIL_DATA) < wake_bytes)
		return BPF_RB_NO_WAKEUP;
	return __sync_lock_test_and_set(&wake_sent, 1) ? BPF_RB_NO_WAKEUP : BPF_RB_FORCE_WAKEUP;
}

static __always_inline void header_fill(struct rec_hdr *hdr, u32 kind, u32 flags, u32 size, u32 tid,
					u32 tgid)
{
	hdr->kind = kind;
	hdr->flags = flags;
	hdr->size = size;
	hdr->time_ns = bpf_ktime_get_boot_ns();
	hdr->tid = tid;
	hdr->tgid = tgid;
}

/* Reserve a record of a fixed size, its header filled; NULL and counted when the ring is full. */
#define record_reserve(type, kind_, flags_, tid_, tgid_)                                           \
	({                                                                                         \
		struct type *record_ = bpf_ringbuf_reserve(&ring, sizeof(struct type), 0);         \
		if (record_)                                                                       \
			header_fill(&record_->hdr, kind_, flags_, sizeof(struct type), tid_,       \
				    tgid_);                                                        \
		else                                                                               \
			count(&counters.ring_full[kind_]);                                         \
		record_;                                                                           \
	})

static __always_inline void record_submit(void *record)
{
	bpf_ringbuf_submit(record, ring_wakeup());
}

#endif
