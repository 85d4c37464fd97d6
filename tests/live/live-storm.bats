#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# The whole program beside the storm: exact in the end, and every event told once.

setup() {
	load common
	# shellcheck source=tests/live/storm.sh
	source "$BATS_TEST_DIRNAME/storm.sh"
	need_root
	DIR=$BATS_TEST_TMPDIR
}

teardown() {
	[ -z "${DIR-}" ] || storm_clean
}

# The sizes that the project promises, for each of the three.
big() {
	echo --processes 4 --threads 8 --changes "$(scaled 1000000)" --forks "$(scaled 5000)" \
		--execs "$(scaled 1000)" --births "$(scaled 1000)"
}

# The report says that there is no difference, and that it has seen the storm's processes.
assert_agreed() {
	grep -q '; 0 differences' "$DIR/report" || { cat "$DIR/report" && false; }
	local agreed
	agreed=$(sed -n 's/^agreed: \([0-9 ,]*\) processes.*/\1/p' "$DIR/report" | tr -cd 0-9)
	[ "$agreed" -ge 16 ]
}

# A number out of the storm's counts.
count() { # NAME
	jq -e ".$1" <<<"$storm_counts"
}

@test "0 differences when the tracer started before the storm" {
	# shellcheck disable=SC2046
	verify_before_storm $(big)
	assert_agreed
	[ "$(count changes)" -ge "$(scaled 1000000)" ]
	[ "$(count forks)" -ge "$(scaled 5000)" ]
	[ "$(count execs)" -ge "$(scaled 1000)" ]
}

@test "0 differences when the tracer started in the middle of the storm" {
	# shellcheck disable=SC2046
	verify_amid_storm $(big)
	assert_agreed
	[ "$(count changes)" -ge "$(scaled 1000000)" ]
}

@test "0 differences when the tracer started after the storm" {
	# shellcheck disable=SC2046
	verify_after_storm $(big)
	assert_agreed
}

@test "0 differences when one process of many threads does nothing but map" {
	verify_before_storm --processes 1 --threads 16 --changes "$(scaled 200000)" --forks 0 --execs 0 \
		--births 0
	grep -q '; 0 differences' "$DIR/report"
}

# --- by count ---------------------------------------------------------------------------------

# Room for all of it: what was lost is healed, but its events are never told.
RING=256M

# Trace a storm that ends; its counts in $storm_counts, the events in $DIR/events.
trace_storm() {
	"$TASKATLAS" trace --json --no-seed --ring $RING -- "$STORM" --changes "$(scaled 100000)" \
		--forks "$(scaled 2000)" --execs "$(scaled 500)" --births "$(scaled 500)" --seed 7 \
		>"$DIR/all"
	grep '"changes":' "$DIR/all" >"$DIR/counts"
	grep '"type":' "$DIR/all" >"$DIR/events"
	storm_counts=$(cat "$DIR/counts")
}

# Events that a jq condition holds for.
events() { # CONDITION
	jq -c "select($1)" "$DIR/events" | wc -l
}

assert_events() { # WANTED CONDITION
	local got
	got=$(events "$2")
	[ "$got" -eq "$1" ] || { echo "$2: $got, wanted $1" && false; }
}

@test "trace tells every fork, thread, exec and exit of the storm, once" {
	trace_storm
	assert_events 0 '.type == "loss"'
	assert_events "$(count forks)" '.type == "fork" and .comm != "taskatlas"'
	assert_events "$(($(count vforks) + $(count shared)))" \
		'.type == "fork" and .comm != "taskatlas" and .shares_space'
	assert_events "$(count threads)" '.type == "thread"'
	# The storm's own first image is one more.
	assert_events "$(($(count execs) + 1))" '.type == "exec"'
	assert_events "$(count thread_execs)" '.type == "exec" and .old_tid != .tid'
	# Every process ends once, the first one too; every other thread as well.
	assert_events "$(($(count forks) + 1))" '.type == "exit"'
	assert_events "$(($(count threads)))" '.type == "thread-exit"'
}

# No line twice. Shows the events of those that are.
told_once() { # FILE
	local pid start
	uniq -d "$1" >"$DIR/twice"
	while read -r pid start; do
		jq -c "select(.pid == $pid and .start_ns == $start) | {type, tid, time_ns, comm, missed}" "$DIR/events"
	done <"$DIR/twice"
	[ ! -s "$DIR/twice" ]
}

@test "no two processes of a trace are the same one, and each ends after it began" {
	trace_storm
	jq -r 'select(.type == "fork") | "\(.pid) \(.start_ns)"' "$DIR/events" | sort >"$DIR/born"
	jq -r 'select(.type == "exit") | "\(.pid) \(.start_ns)"' "$DIR/events" | sort >"$DIR/dead"
	told_once "$DIR/born"
	told_once "$DIR/dead"
	# All but the storm's first process are among the born.
	[ "$(comm -13 "$DIR/born" "$DIR/dead" | wc -l)" -le 1 ]
	[ -z "$(comm -23 "$DIR/born" "$DIR/dead")" ]
}

@test "summary counts what the storm did" {
	mkfifo "$DIR/summary.err"
	"$TASKATLAS" summary --json --for 1h --ring $RING >"$DIR/summary" 2>"$DIR/summary.err" 3>&- &
	verify_pid=$!
	exec 8<"$DIR/summary.err"
	while read -r line <&8 && [[ $line != *following* ]]; do
		echo "$line"
	done
	storm_start --changes "$(scaled 100000)" --forks "$(scaled 2000)" --execs "$(scaled 500)" --seed 3
	storm_wait
	kill -TERM "$verify_pid"
	wait "$verify_pid"
	verify_pid=
	jq -c .coverage "$DIR/summary"
	jq -e '.coverage.complete and .coverage.lost == 0' "$DIR/summary"
	# Others on this machine fork and exec too.
	[ "$(jq .during.totals.forks "$DIR/summary")" -ge "$(count forks)" ]
	[ "$(jq .during.totals.execs "$DIR/summary")" -ge "$(count execs)" ]
	[ "$(jq .during.totals.thread_starts "$DIR/summary")" -ge "$(count threads)" ]
	storm_end
}

@test "tree shows the storm at rest as it is: processes, threads, parents" {
	storm_start --changes 20000 --forks 200 --execs 40
	storm_wait
	"$TASKATLAS" tree --json --threads >"$DIR/tree"
	# Four processes and their survivors; orphans that wait to be reaped are among them.
	ps -e -o pid=,ppid= --forest >"$DIR/ps"
	awk -v root="$storm_pid" '$2 == root || $1 == root { print $1, $2 }' "$DIR/ps" | sort >"$DIR/want"
	jq -r '.processes[] | "\(.pid) \(.parent.pid)"' "$DIR/tree" >"$DIR/have"
	while read -r pid parent; do
		grep -qx "$pid $parent" "$DIR/have" || { echo "no $pid under $parent" && false; }
	done <"$DIR/want"
	storm_end
}

@test "nothing stays attached after the storm" {
	verify_before_storm --changes 10000 --forks 100 --execs 20
	run bpftool prog list
	refute_output --partial taskatlas
	run bpftool link list
	refute_output --partial "pids taskatlas"
}
