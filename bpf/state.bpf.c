// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "state.bpf.h"

struct ring_map ring SEC(".maps");
struct scratch_map scratches SEC(".maps");
struct told_map files_told SEC(".maps");
struct told_map cgroups_told SEC(".maps");
struct space_map spaces_walked SEC(".maps");
struct space_map spaces_shared SEC(".maps");
struct call_map calls_hooked SEC(".maps");
struct stack_map stacks SEC(".maps");

const volatile __u64 ring_bytes = 4096;
const volatile __u64 wake_bytes = 1024;
const volatile __u32 args_bytes = 0;
const volatile __s32 cgroup_v1_subsys = -1;

__u32 walk_number = 0;
__u32 walk_mode = 0;
__u32 walk_flags = 0;
__u32 walk_tgid = 0;
__u32 walk_ended = 0;
volatile __u32 walk_sees_tgid = 0;
volatile __u64 walk_sees_space = 0;
__u32 name_epoch = 1;
__u64 learn_vdso = 0;
__u64 walk_space = 0, walk_at = 0;
__u64 root_dentry = 0, root_mnt = 0;
__u64 special_ops = 0;
__u32 wake_sent = 0;
struct counters counters = {};

char LICENSE[] SEC("license") = "Dual BSD/GPL";
