#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# scripts/check-vmlinux, against a small kernel of our own; then the real header on this kernel.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
number=0

expect() { # WHAT STATUS OUTPUT
	local output status
	number=$((number + 1))
	output=$(scripts/check-vmlinux "$work/header.h" "$work/kernel.o" 2>&1)
	status=$?
	if [ $status -eq "$2" ] && [ "$output" = "$3" ]; then
		echo "ok $number - $1"
	else
		echo "not ok $number - $1"
		printf '# status %d\n# %s\n' $status "${output//$'\n'/$'\n'# }"
	fi
}

# The header that is looked at: these lines, and what each real one has around them.
header() {
	{ echo '#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)' && cat &&
		echo '#pragma clang attribute pop'; } >"$work/header.h"
}

echo 1..8
clang -target bpf -g -O2 -c -x c - -o "$work/kernel.o" <<'X' || exit 1
typedef struct { int counter; } atomic_t;
typedef unsigned int fmode_t;
enum state { RUNNING = 1, DEAD };
enum { LOOSE = 7 };
struct list { struct list *next; };
struct task { int pid; union { int a; struct { int deep; }; }; struct list tasks; enum state state; atomic_t users; fmode_t mode; };
struct task *use_task;
int use_loose = LOOSE;
X

header <<'X'
typedef unsigned int fmode_t;
typedef struct { int counter; } atomic_t;
struct list { struct list *next; };
struct task { int pid; struct list tasks; };
enum state { DEAD = 1 };
X
expect "everything is there" 0 "5 members of 5 types are there; 0 missing"

header <<<'struct task { int pid; int deep; union { int a; }; };'
expect "members of unnamed members, on both sides" 0 "3 members of 1 types are there; 0 missing"

header <<<'struct task { int pid; int tgid; };'
expect "a missing member" 1 $'missing: struct task: tgid\n1 members of 1 types are there; 1 missing'

header <<<'struct cgroup { int id; };'
expect "a missing struct" 1 $'missing: struct cgroup\n0 members of 1 types are there; 1 missing'

header <<<'struct task___old { int state_long; int pid; };'
expect "another kernel's member is no failure" 0 \
	$'absent here: struct task___old: state_long\n1 members of 1 types are there; 0 missing'

header <<<'enum state { DEAD = 2, GONE = 3 };'
expect "a missing value" 1 \
	$'missing: enum state: GONE\n1 members of 1 types are there; 1 missing'

header <<<'typedef int gfp_t;'
expect "a missing typedef" 1 $'missing: typedef gfp_t\n0 members of 1 types are there; 1 missing'

if [ -e /sys/kernel/btf/vmlinux ]; then
	number=$((number + 1))
	if output=$(scripts/check-vmlinux); then
		echo "ok $number - vmlinux/vmlinux.h and this kernel"
	else
		echo "not ok $number - vmlinux/vmlinux.h and this kernel"
	fi
	printf '# %s\n' "${output//$'\n'/$'\n'# }"
else
	echo "ok $((number + 1)) - vmlinux/vmlinux.h and this kernel # SKIP this kernel has no BTF"
fi
