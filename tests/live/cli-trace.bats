#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# `trace`: every event of a command, once; filters; beginning and end.

setup() {
	load common
	# shellcheck source=tests/live/cli.bash
	source "$BATS_TEST_DIRNAME/cli.bash"
	need_root
	hold_input
	TRACE=$BATS_TEST_TMPDIR/trace
}

teardown() {
	[ "$(type -t end_started)" != function ] || end_started
}

# How many events of a kind there are in $TRACE.
count() { # TYPE
	jq -s "map(select(.type == \"$1\")) | length" "$TRACE"
}

# Trace in the background into $TRACE until it is told to end: its pid in $tracer. Comes back when
# the seed is complete.
start_trace() { # ARG...
	mkfifo "$BATS_TEST_TMPDIR/events"
	env --default-signal=INT "$TASKATLAS" trace "$@" >"$BATS_TEST_TMPDIR/events" \
		2>"$BATS_TEST_TMPDIR/errors" 3>&- &
	tracer=$!
	all_started+=("$tracer")
	exec {events}<"$BATS_TEST_TMPDIR/events"
	until_event seed-end
}

# Read events into $TRACE up to one of this type.
until_event() { # TYPE
	local line
	while IFS= read -r line <&"$events"; do
		printf '%s\n' "$line" >>"$TRACE"
		[[ $line != *"\"type\":\"$1\""* && $line != *" $1 "* ]] || return 0
	done
	return 1
}

# End it and read what comes still. Its exit status is ours.
end_trace() { # SIGNAL
	kill "-$1" "$tracer"
	cat <&"$events" >>"$TRACE"
	exec {events}<&-
	wait "$tracer"
}

@test "a command: exactly its forks, execs and exits" {
	good "$TASKATLAS" trace --json -- sh -c '/bin/true; (exit 7); /bin/false; exit 3'
	echo "$output" >"$TRACE"
	assert_valid trace "$TRACE"
	assert_equal "$stderr" "taskatlas: sh ended: code 3"
	assert_equal "$(count fork)" 3
	assert_equal "$(count exec)" 3 # sh, true, false
	assert_equal "$(count exit)" 4
	assert_equal "$(count seed)" 0
	assert_equal "$(jq -c 'select(.type == "exit") | .exit_code' "$TRACE" | tr '\n' ' ')" "0 7 1 3 "
	assert_equal "$(jq -c 'select(.type == "exec") | .filename' "$TRACE" | tail -n 2 | tr '\n' ' ')" \
		'"/bin/true" "/bin/false" '
	# Header first, end last, and the end counts what was told.
	assert_equal "$(jq -s -r '[first.type, last.type] | join(" ")' "$TRACE")" "header end"
	jq -s -e 'last.coverage.complete and last.told.fork == 3' "$TRACE"
	# Each fork is by the command, in the order of its children.
	sh=$(jq -s 'map(select(.type == "exec")) | first.pid' "$TRACE")
	jq -s -e "map(select(.type == \"fork\") | .forker.pid == $sh) | all" "$TRACE"
}

@test "a command: text is the same, one line an event" {
	good "$TASKATLAS" trace --relative -- sh -c '/bin/true; exit 3'
	assert_equal "$(grep -c ' fork ' <<<"$output")" 1
	assert_equal "$(grep -c ' exec ' <<<"$output")" 2
	assert_equal "$(grep -c ' exit ' <<<"$output")" 2
	assert_line --regexp '^ +[0-9]+\.[0-9]{6} exit +[0-9]+ +sh +code 3 after [0-9.]+m?s$'
}

@test "a command that is killed, one that cannot be run" {
	good "$TASKATLAS" trace -- sh -c 'kill -9 $$'
	assert_equal "$stderr" "taskatlas: sh ended: signal 9 (KILL)"
	assert_line --partial 'signal 9 (KILL)'
	run --separate-stderr -1 "$TASKATLAS" trace -- /nonexistent/program
	assert_equal "$stderr" "taskatlas: /nonexistent/program: cannot run it: No such file or directory"
	run --separate-stderr -1 "$TASKATLAS" trace -- "$BATS_TEST_TMPDIR"
	assert_equal "$stderr" "taskatlas: $BATS_TEST_TMPDIR: cannot run it: Permission denied"
}

@test "a command has stdin, stdout and its signals as they are" {
	good "$TASKATLAS" trace --kinds loss -- sh -c 'cat; trap' <<<"through"
	assert_output "through"
	good "$TASKATLAS" trace --kinds loss -- grep -E '^Sig(Ign|Blk|Cgt)' /proc/self/status
	assert_output "$(grep -E '^Sig(Ign|Blk|Cgt)' /proc/self/status)"
	# Descriptors of ours are not its.
	good "$TASKATLAS" trace --kinds loss -- sh -c 'ls /proc/self/fd | wc -l' 3>&-
	assert_output "$(sh -c 'ls /proc/self/fd | wc -l' 3>&-)"
}

@test "threads are told apart from processes" {
	"$TASKATLAS" trace --json -- /usr/bin/python3 -c '
import threading
t = threading.Thread(target=lambda: None); t.start(); t.join()' >"$TRACE" 2>/dev/null
	assert_valid trace "$TRACE"
	assert_equal "$(count thread)" 1
	assert_equal "$(count thread-exit)" 1
	assert_equal "$(count fork)" 0
	assert_equal "$(count exit)" 1
}

@test "arguments only with --args, cut at the limit and marked" {
	"$TASKATLAS" trace --json -- true secret >"$TRACE" 2>/dev/null
	run ! grep -q secret "$TRACE"
	"$TASKATLAS" trace --json --args -- true $'sec\xffret' "" b >"$TRACE" 2>/dev/null
	assert_valid trace "$TRACE"
	assert_equal "$(jq -c 'select(.type == "exec") | [.args, .args_bytes, .args_cut]' "$TRACE")" \
		'[["true","sec\\xffret","","b"],["74727565","736563ff726574","","62"],false]'
	"$TASKATLAS" trace --json --args --args-limit 8 -- true 123456789 >"$TRACE" 2>/dev/null
	assert_valid trace "$TRACE"
	assert_equal "$(jq -c 'select(.type == "exec") | [.args, .args_cut]' "$TRACE")" \
		'[["true","123"],true]'
}

@test "mappings with --maps: what a command has at its end" {
	"$TASKATLAS" trace --json --maps -- cat /proc/self/maps >"$TRACE.all" 2>/dev/null
	grep '^{' "$TRACE.all" >"$TRACE"
	assert_valid trace "$TRACE"
	# Replay: pieces of pages that are mapped when the exit comes, less those that exec replaced.
	# shellcheck disable=SC2016
	/usr/bin/python3 -c '
import json, sys
pages = {}
for line in open(sys.argv[1]):
    e = json.loads(line)
    if e["type"] == "exec":
        pages = {}
    if e["type"] in ("map", "unmap", "change"):
        m = e["after"] or e["before"]
        for page in range(int(m["start"], 16), int(m["end"], 16), 4096):
            if e["after"]:
                pages[page] = m["prot"] + ("s" if m["shared"] else "p")
            else:
                del pages[page]
proc = {}
for line in open(sys.argv[2]):
    part = line.split()
    if line[0] != "{" and part[-1] != "[vsyscall]":
        start, end = (int(x, 16) for x in part[0].split("-"))
        proc.update((page, part[1]) for page in range(start, end, 4096))
# Between the reading of maps and the exit cat frees its buffers: what is left must be equal.
gone = set(proc) - set(pages)
assert not set(pages) - set(proc), sorted(map(hex, set(pages) - set(proc)))[:5]
assert all(proc[page] == pages[page] for page in pages)
assert pages and len(gone) < 256, len(gone)
' "$TRACE" "$TRACE.all"
}

@test "hostile names: bytes come back exactly, lines stay lines" {
	name=$'a\nb\e[2J\xff'
	cp "$(type -P true)" "$BATS_TEST_TMPDIR/$name"
	"$TASKATLAS" trace --json --args -- "$BATS_TEST_TMPDIR/$name" >"$TRACE" 2>/dev/null
	assert_valid trace "$TRACE"
	hex=$(printf '%s' "$BATS_TEST_TMPDIR/$name" | od -An -v -tx1 | tr -d ' \n')
	assert_equal "$(jq -r 'select(.type == "exec") | .filename_bytes' "$TRACE")" "$hex"
	assert_equal "$(jq -r 'select(.type == "exec") | .exe.path_bytes' "$TRACE")" "$hex"
	assert_equal "$(jq -r 'select(.type == "exec") | .comm_bytes' "$TRACE")" 610a621b5b324aff
	good "$TASKATLAS" trace --kinds exec -- "$BATS_TEST_TMPDIR/$name"
	assert_equal "${#lines[@]}" 1
	assert_output --partial '/a\nb\x1b[2J\xff'
}

@test "a script: its own path, and the interpreter as executable" {
	printf '#!/bin/sh\nexit 0\n' >"$BATS_TEST_TMPDIR/script"
	chmod +x "$BATS_TEST_TMPDIR/script"
	"$TASKATLAS" trace --json -- "$BATS_TEST_TMPDIR/script" >"$TRACE" 2>/dev/null
	assert_equal "$(jq -c 'select(.type == "exec") | [.comm, .filename, .script, .exe.path]' "$TRACE")" \
		"[\"script\",\"$BATS_TEST_TMPDIR/script\",true,\"$(realpath /bin/sh)\"]"
}

@test "the seed: each process once, before the end of the seed; none with --no-seed" {
	start cat
	"$TASKATLAS" trace --json --for 0 >"$TRACE"
	assert_valid trace "$TRACE"
	assert_equal "$(jq "select(.type == \"seed\" and .pid == $started)" "$TRACE" | jq -s length)" 1
	assert_equal "$(jq "select(.type == \"seed\" and .pid == $started) | .process.parent.pid" "$TRACE")" $$
	jq -s -e '(map(.type) | rindex("seed")) < (map(.type) | index("seed-end"))' "$TRACE"
	jq -s -e '(map(select(.type == "seed")) | length) == (.[] | select(.type == "seed-end") | .processes)' \
		"$TRACE"
	"$TASKATLAS" trace --json --for 0 --no-seed >"$TRACE"
	assert_equal "$(count seed)" 0
	assert_equal "$(count seed-end)" 1
}

@test "filters on the seed: pid, name, user, and all of them together" {
	start cat
	"$TASKATLAS" trace --json --for 0 --pid "$started" >"$TRACE"
	assert_equal "$(jq 'select(.type == "seed") | .pid' "$TRACE")" "$started"
	"$TASKATLAS" trace --json --for 0 --comm 'c[a]?' --user root --pid "$started" >"$TRACE"
	assert_equal "$(jq 'select(.type == "seed") | .pid' "$TRACE")" "$started"
	"$TASKATLAS" trace --json --for 0 --comm 'dog' --pid "$started" >"$TRACE"
	assert_equal "$(count seed)" 0
	"$TASKATLAS" trace --json --for 0 --user 12345 --pid "$started" >"$TRACE"
	assert_equal "$(count seed)" 0
	cgroup=$("$TASKATLAS" tree --json "$started" | jq -r '.processes[0].cgroup.path')
	"$TASKATLAS" trace --json --for 0 --cgroup "$cgroup" --pid "$started" >"$TRACE"
	assert_equal "$(count seed)" 1
	"$TASKATLAS" trace --json --for 0 --cgroup "/no/such/group" --pid "$started" >"$TRACE"
	assert_equal "$(count seed)" 0
}

@test "events of one process, as they come" {
	start bash -c 'read -r _; /bin/true; echo done'
	shell=$started
	start_trace --json --no-seed --pid "$shell" --kinds fork,exit,seed-end
	echo >&"$held" # go
	until_event exit
	assert_equal "$(jq -s -c 'map(select(.type == "fork") | .forker.pid)' "$TRACE")" "[$shell]"
	assert_equal "$(jq -s -c 'map(select(.type == "exit") | .pid)' "$TRACE")" "[$shell]"
	end_trace TERM
}

@test "SIGINT, SIGTERM, SIGHUP: a clean end, nothing missing" {
	for signal in INT TERM HUP; do
		rm -f "$TRACE" "$BATS_TEST_TMPDIR/events"
		start_trace --json --no-seed --kinds exec,seed-end
		/bin/true
		end_trace $signal
		assert_valid trace "$TRACE"
		assert_equal "$(jq -s -r 'last.type' "$TRACE")" end
		jq -s -e 'map(select(.type == "exec" and .filename == "/bin/true")) | length >= 1' "$TRACE"
	done
}

@test "the end by a signal leaves the command alone, and says so" {
	# Not with our pipe as its stdout, or that would not end.
	start_trace --json -- sh -c 'exec >/dev/null; exec cat "$0"' "$(waiting_input)"
	until_event exec # sh
	until_event exec # cat
	child=$(jq -s 'map(select(.type == "exec")) | first.pid' "$TRACE")
	all_started+=("$child")
	end_trace TERM
	kill -0 "$child"
	assert_equal "$(cat "$BATS_TEST_TMPDIR/errors")" "taskatlas: sh still runs, as process $child"
}

@test "--kinds shows these and no others" {
	"$TASKATLAS" trace --json --kinds exec,exit -- sh -c '/bin/true; exit 0' >"$TRACE" 2>/dev/null
	assert_equal "$(jq -r .type "$TRACE" | sort -u | tr '\n' ' ')" "end exec exit header "
}
