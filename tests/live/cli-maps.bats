#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# `maps` says what /proc/PID/maps says, byte for byte.

setup() {
	load common
	# shellcheck source=tests/live/cli.bash
	source "$BATS_TEST_DIRNAME/cli.bash"
	need_root
	hold_input
}

teardown() {
	[ "$(type -t end_started)" != function ] || end_started
}

# The atlas says what /proc says, of a process that held still meanwhile.
same_as_proc() { # PID
	local before=$BATS_TEST_TMPDIR/before after=$BATS_TEST_TMPDIR/after
	until
		cat "/proc/$1/maps" >"$before"
		"$TASKATLAS" maps "$1" >"$BATS_TEST_TMPDIR/atlas"
		cat "/proc/$1/maps" >"$after"
		cmp -s "$before" "$after"
	do :; done
	cmp "$BATS_TEST_TMPDIR/atlas" "$before"
}

@test "one mapping of each kind, with hostile names" {
	start_mapper
	same_as_proc "$mapper"
	# That the test tests something: names as the kernel prints them.
	grep -qF 'new\012line \ '$'\e[2J \xff' "$BATS_TEST_TMPDIR/atlas"
	grep -qF '/deleted (deleted)' "$BATS_TEST_TMPDIR/atlas"
	grep -qF '/memfd:mem\012fd (deleted)' "$BATS_TEST_TMPDIR/atlas"
	grep -qF '/SYSV00000000 (deleted)' "$BATS_TEST_TMPDIR/atlas"
	grep -qF '/dev/zero' "$BATS_TEST_TMPDIR/atlas"
	grep -qF '[heap]' "$BATS_TEST_TMPDIR/atlas"
	grep -qF '[stack]' "$BATS_TEST_TMPDIR/atlas"
}

@test "shells, sleepers, and the test's own processes" {
	start sleep infinity
	same_as_proc "$started"
	start bash -c 'read -r _'
	same_as_proc "$started"
	start cat
	same_as_proc "$started"
	same_as_proc "$PPID"
	same_as_proc $$
}

@test "several processes: each begins with a line, unless not wanted" {
	start cat
	first=$started
	start sleep infinity
	second=$started
	same_as_proc "$first"
	same_as_proc "$second"
	"$TASKATLAS" maps --no-headers "$first" "$second" >"$BATS_TEST_TMPDIR/plain"
	cat "/proc/$first/maps" "/proc/$second/maps" | cmp - "$BATS_TEST_TMPDIR/plain"
	"$TASKATLAS" maps "$first" "$second" >"$BATS_TEST_TMPDIR/headed"
	{
		echo "==> $first cat <=="
		cat "/proc/$first/maps"
		echo
		echo "==> $second sleep <=="
		cat "/proc/$second/maps"
	} | cmp - "$BATS_TEST_TMPDIR/headed"
}

@test "the id of a thread stands for its process" {
	start_mapper
	for thread in "/proc/$mapper/task/"*; do
		thread=${thread##*/}
		[ "$thread" -eq "$mapper" ] || break
	done
	[ "$thread" -ne "$mapper" ]
	"$TASKATLAS" maps "$thread" | cmp - "/proc/$mapper/maps"
}

@test "unknown processes: one sentence each, the others are printed, exit 1" {
	start cat
	same_as_proc "$started"
	run --separate-stderr -1 "$TASKATLAS" maps --no-headers "$(nobody)" "$started"
	assert_equal "$stderr" "taskatlas: there is no process $(nobody)"
	assert_equal "$output" "$(cat "/proc/$started/maps")"
}

@test "kernel threads and zombies have no mappings" {
	good "$TASKATLAS" maps 2
	assert_equal "$output" ""
	# A parent that never asks for its dead child.
	start /usr/bin/python3 -c 'import os, sys
child = os.fork() or os._exit(0)
os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
print(child, flush=True)
sys.stdin.read()'
	until read -r zombie <"$BATS_TEST_TMPDIR/out.0"; do kill -0 "$started"; done
	good "$TASKATLAS" maps "$zombie"
	assert_equal "$output" ""
}

@test "on a terminal no name can drive it" {
	start_mapper
	run -0 on_terminal 200 "$TASKATLAS" maps "$mapper"
	assert_output --partial 'new\012line \ \033[2J \377\342\200\256'
	refute_output --partial $'\e'
	refute_output --partial $'\xff'
}

@test "JSON says the same, and has names back from their bytes" {
	start_mapper
	"$TASKATLAS" maps --json "$mapper" >"$BATS_TEST_TMPDIR/json"
	assert_valid maps "$BATS_TEST_TMPDIR/json"
	# shellcheck disable=SC2016
	/usr/bin/python3 -c '
import json, sys
out = sys.stdout.buffer
for m in json.load(open(sys.argv[1]))["mappings"]:
    line = b"%08x-%08x " % (int(m["start"], 16), int(m["end"], 16))
    line += (m["prot"] + ("s" if m["shared"] else "p")).encode()
    line += b" %08x %s %d " % (m["offset"], m["dev"].encode(), m["inode"])
    if m["path"] is not None:
        name = bytes.fromhex(m["path_bytes"]) if "path_bytes" in m else m["path"].encode()
        line = line.ljust(72) + b" " + name.replace(b"\n", rb"\012")
        line += b" (deleted)" if m["deleted"] else b""
    out.write(line + b"\n")
' "$BATS_TEST_TMPDIR/json" | cmp - "/proc/$mapper/maps"
	jq -e '.complete and .coverage.complete' "$BATS_TEST_TMPDIR/json"
}
