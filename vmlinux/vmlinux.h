/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel's types, as far as bpf/ reads them: just the fields that are used. CO-RE fills in
 * where they are. Fields that only some kernels have stand in a `___flavour` struct, with the
 * commit or version that changed them, and are tested for before they are read.
 * scripts/check-vmlinux compares this file with a running kernel's BTF.
 */
#ifndef __VMLINUX_H__
#define __VMLINUX_H__

typedef signed char __s8;
typedef unsigned char __u8;
typedef short __s16;
typedef unsigned short __u16;
typedef int __s32;
typedef unsigned int __u32;
typedef long long __s64;
typedef unsigned long long __u64;
typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s32 s32;
typedef __s64 s64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;
typedef int bool;
#define true 1
#define false 0
typedef int pid_t;
typedef unsigned int fmode_t;
typedef __u32 dev_t;
typedef struct {
	int counter;
} atomic_t;

/* Only used by libbpf's helper prototypes. */
enum bpf_map_type {
	BPF_MAP_TYPE_HASH = 1,
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_LRU_HASH = 9,
	BPF_MAP_TYPE_RINGBUF = 27,
};
enum {
	BPF_ANY = 0,
	BPF_NOEXIST = 1,
};
enum {
	BPF_RB_NO_WAKEUP = 1,
	BPF_RB_FORCE_WAKEUP = 2,
};
enum {
	BPF_RB_AVAIL_DATA = 0,
	BPF_RB_RING_SIZE = 1,
};
struct bpf_dynptr {
	__u64 opaque[2];
} __attribute__((aligned(8)));

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

/* --- tracing contexts --- */

#if defined(__TARGET_ARCH_x86)
struct pt_regs {
	unsigned long r10, r9, r8, dx, si, di, sp, ip, ax, orig_ax;
};
#elif defined(__TARGET_ARCH_arm64)
struct user_pt_regs {
	__u64 regs[31];
	__u64 sp;
	__u64 pc;
};
struct pt_regs {
	__u64 sp;
	__u64 orig_x0;
	__s32 syscallno;
};
#endif

struct trace_entry {
	unsigned short type;
};
struct trace_event_raw_sys_exit {
	struct trace_entry ent;
	long id;
	long ret;
};
struct seq_file;
struct bpf_iter_meta {
	struct seq_file *seq;
	__u64 session_id;
	__u64 seq_num;
};
struct task_struct;
struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

/* --- files and mounts --- */

struct super_block {
	dev_t s_dev;
	unsigned long s_magic;
};
struct inode {
	struct super_block *i_sb;
	unsigned long i_ino;
	__u32 i_generation;
};
struct qstr {
	union {
		struct {
			__u32 hash;
			__u32 len;
		};
		__u64 hash_len;
	};
	const unsigned char *name;
};
struct dentry;
struct dentry_operations {
	char *(*d_dname)(struct dentry *, char *, int);
};
struct hlist_bl_node {
	struct hlist_bl_node *next, **pprev;
};
struct dentry {
	struct hlist_bl_node d_hash;
	struct dentry *d_parent;
	struct qstr d_name;
	struct inode *d_inode;
	const struct dentry_operations *d_op;
	struct super_block *d_sb;
};
struct vfsmount {
	struct dentry *mnt_root;
	struct super_block *mnt_sb;
};
struct mount {
	struct mount *mnt_parent;
	struct dentry *mnt_mountpoint;
	struct vfsmount mnt;
};
struct path {
	struct vfsmount *mnt;
	struct dentry *dentry;
};
struct file {
	fmode_t f_mode;
	struct inode *f_inode;
	struct path f_path;
};
/* def3ae83da02, Linux 6.7: f_path of a backing file is the real one, user_path is what was opened;
 * /proc/PID/maps prints device and inode of the latter. Before, f_path is what was opened. */
struct backing_file {
	struct file file;
	struct path user_path;
};
struct fs_struct {
	struct path root;
};

/* --- address spaces --- */

struct maple_tree {
	unsigned int ma_flags;
	void *ma_root;
};
struct maple_range_64 {
	void *parent;
	unsigned long pivot[15];
	void *slot[16];
};
struct maple_arange_64 {
	void *parent;
	unsigned long pivot[9];
	void *slot[10];
};
struct maple_node {
	struct maple_range_64 mr64;
};
enum maple_type {
	maple_dense = 0,
	maple_leaf_64 = 1,
	maple_range_64 = 2,
	maple_arange_64 = 3,
};
struct vm_operations_struct;
struct vm_special_mapping {
	const char *name;
};
struct vm_area_struct {
	unsigned long vm_start;
	unsigned long vm_end;
	struct mm_struct *vm_mm;
	unsigned long vm_flags;
	const struct vm_operations_struct *vm_ops;
	unsigned long vm_pgoff;
	struct file *vm_file;
	void *vm_private_data;
	struct {
		unsigned long rb_subtree_last;
	} shared;
};
struct anon_vma_name {
	char name[0];
};
/* 9a10064f5625, Linux 5.17, with CONFIG_ANON_VMA_NAME: anonymous memory with a name. */
struct vm_area_struct___anon_name {
	struct anon_vma_name *anon_name;
};
struct mm_struct {
	struct maple_tree mm_mt;
	int map_count;
	atomic_t mm_users;
	unsigned long stack_vm;
	unsigned long start_brk, brk, start_stack;
	unsigned long arg_start, arg_end;
	struct file *exe_file;
};

/* --- tasks --- */

struct ns_common {
	unsigned int inum;
};
struct pid_namespace {
	struct ns_common ns;
};
struct mnt_namespace {
	struct ns_common ns;
};
struct nsproxy {
	struct mnt_namespace *mnt_ns;
};
struct upid {
	int nr;
	struct pid_namespace *ns;
};
struct pid {
	unsigned int level;
	struct upid numbers[0];
};
typedef struct {
	unsigned int val;
} kuid_t;
typedef struct {
	unsigned int val;
} kgid_t;
struct cred {
	kuid_t uid;
	kgid_t gid;
};
struct kernfs_node {
	const char *name;
	__u64 id;
};
/* 633488947ef6, Linux 6.15: parent became __parent. */
struct kernfs_node___parent {
	struct kernfs_node *parent;
};
struct kernfs_node___rcu_parent {
	struct kernfs_node *__parent;
};
struct cgroup_root {
	int hierarchy_id;
};
struct cgroup {
	int level;
	struct kernfs_node *kn;
	struct cgroup_root *root;
};
struct cgroup_subsys_state {
	struct cgroup *cgroup;
};
struct css_set {
	struct cgroup_subsys_state *subsys[0];
	struct cgroup *dfl_cgrp;
};
struct signal_struct {
	atomic_t live;
	int nr_threads;
	int group_exit_code;
	unsigned int flags;
	unsigned long long sum_sched_runtime;
};
#if defined(__TARGET_ARCH_x86)
struct thread_info {
	u32 status;
};
#else
struct thread_info {
	unsigned long flags;
};
#endif
struct task_struct {
	struct thread_info thread_info;
	unsigned int flags;
	struct mm_struct *mm;
	int exit_state;
	int exit_code;
	pid_t pid;
	pid_t tgid;
	struct task_struct *real_parent;
	struct task_struct *group_leader;
	struct pid *thread_pid;
	__u64 start_boottime;
	const struct cred *real_cred;
	char comm[16];
	struct fs_struct *fs;
	struct nsproxy *nsproxy;
	struct signal_struct *signal;
	struct css_set *cgroups;
};
struct linux_binprm {
	struct file *executable;
	struct file *interpreter;
	const char *filename;
	const char *interp;
};

#pragma clang attribute pop

#endif
