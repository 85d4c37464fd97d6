#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Outputs that fail, losses, verdicts: what a command says of itself.

setup() {
	load common
	# shellcheck source=tests/live/cli.bash
	source "$BATS_TEST_DIRNAME/cli.bash"
	need_root
	OUT=$BATS_TEST_TMPDIR/out
}

# Each command as it is run here, with what makes it print much.
each_command() { # FUNCTION
	"$1" check
	"$1" tree --kernel --threads
	"$1" tree --kernel --json
	"$1" maps $$
	"$1" maps --json $$
	"$1" trace --for 10s # it would go on, were it not for the output
	"$1" trace --json --for 10s
	"$1" summary --no-verify
	"$1" verify
	"$1" verify --json
}

# Failed: exit 1 and this one sentence.
failed_with() { # SENTENCE
	assert_equal "$status" 1
	assert_equal "$stderr" "taskatlas: cannot write the output: $1"
}

closed() {
	run --separate-stderr bash -c '"$TASKATLAS" "$@" >&-' _ "$@"
	failed_with "Bad file descriptor"
}
@test "stdout closed" {
	each_command closed
}

full() {
	run --separate-stderr bash -c '"$TASKATLAS" "$@" >/dev/full' _ "$@"
	failed_with "No space left on device"
}
@test "no space on the device" {
	each_command full
}

# The reader is gone before anything is written.
gone() {
	run --separate-stderr bash -c '
		mkfifo "$0" && exec 5<>"$0" 6>"$0" 5<&- && rm "$0"
		exec "$TASKATLAS" "$@" >&6' "$BATS_TEST_TMPDIR/gone" "$@"
	failed_with "Broken pipe"
}
@test "the reader is gone" {
	each_command gone
}

@test "head takes one line" {
	run --separate-stderr bash -c '"$TASKATLAS" trace | head -n 1; exit "${PIPESTATUS[0]}"'
	failed_with "Broken pipe"
	assert_equal "${#lines[@]}" 1
}

@test "all three closed: no file of ours takes their place" {
	run -1 bash -c 'exec "$TASKATLAS" tree <&- >&- 2>&-'
	run -1 bash -c 'exec "$TASKATLAS" verify <&- >&- 2>&-'
}

@test "help and version fail likewise" {
	full --help
	full --version
	closed trace --help
}

@test "check: every item with its result, in text and JSON" {
	good "$TASKATLAS" check
	assert_line --index 0 --regexp '^ITEM +RESULT +FOR +FOUND$'
	assert_line --regexp '^CAP_BPF +ok '
	"$TASKATLAS" check --json >"$OUT"
	assert_valid check "$OUT"
	jq -e '.good and (.items | length > 5) and all(.items[]; .result == "ok" or .advice != "")' "$OUT"
}

@test "check: what is missing is named, with what to do, and exit 1" {
	command -v setpriv >/dev/null || skip "setpriv is not installed"
	run --separate-stderr -1 setpriv --bounding-set -bpf,-sys_admin --inh-caps -bpf,-sys_admin \
		"$TASKATLAS" check
	assert_line --regexp '^CAP_BPF +MISSING '
	assert_line --regexp '^CAP_BPF: .+'
	run --separate-stderr -1 setpriv --bounding-set -bpf,-sys_admin --inh-caps -bpf,-sys_admin \
		"$TASKATLAS" tree
	assert_equal "$output" ""
	assert_equal "$(wc -l <<<"$stderr")" 1
	[[ $stderr == *CAP_BPF* ]]
}

@test "check on a terminal of 20 columns" {
	run -0 on_terminal 20 "$TASKATLAS" check
	assert_line --partial 'CAP_BPF'
}

@test "summary: now, during, verified" {
	good "$TASKATLAS" summary
	assert_line --regexp '^processes +[0-9,]+$'
	assert_line --regexp '^verified: [0-9,]+ processes, [0-9,]+ mappings, 0 differences'
	assert_line 'complete: yes'
	refute_line --partial 'during'
	"$TASKATLAS" summary --json --for 100ms --no-verify >"$OUT" 2>/dev/null
	assert_valid summary "$OUT"
	jq -e '.verified == null and .during.span_ns >= 100000000' "$OUT"
	"$TASKATLAS" summary --json >"$OUT"
	assert_valid summary "$OUT"
	jq -e '.during == null and .verified.differences == 0 and .now.mappings > 0' "$OUT"
}

@test "summary: what ran during the time is counted" {
	mkfifo "$BATS_TEST_TMPDIR/errors"
	cp "$(type -P true)" "$BATS_TEST_TMPDIR/ran-here"
	"$TASKATLAS" summary --json --no-verify --for 600s >"$OUT" 2>"$BATS_TEST_TMPDIR/errors" 3>&- &
	summary=$!
	exec {errors}<"$BATS_TEST_TMPDIR/errors"
	read -r line <&"$errors"
	assert_equal "$line" "taskatlas: following"
	for _ in 1 2 3 4 5 6 7 8 9 10; do "$BATS_TEST_TMPDIR/ran-here"; done
	kill -TERM "$summary" # ends the time early
	wait "$summary"
	exec {errors}<&-
	assert_valid summary "$OUT"
	jq -e '.during.totals.forks >= 10 and .during.totals.execs >= 10 and .during.totals.exits >= 10' "$OUT"
	jq -e '.during.all_executables > 5 or any(.during.executables[];
		(.path | endswith("/ran-here")) and .execs == 10 and .running == 0)' "$OUT"
}

@test "verify: agreed, and JSON by its schema" {
	good "$TASKATLAS" verify
	assert_line --regexp '^agreed: [0-9,]+ processes, [0-9,]+ threads, [0-9,]+ mappings; 0 differences'
	"$TASKATLAS" verify --json --for 50ms >"$OUT" 2>/dev/null
	assert_valid verify "$OUT"
	jq -e '.agreed.processes > 0 and .agreed.mappings > 0 and (.differences | length) == 0 and
		(.counts | add) == 0 and .coverage.complete' "$OUT"
}

@test "a line of progress on a terminal, taken away in the end" {
	run -0 on_terminal 60 bash -c '"$TASKATLAS" summary --no-verify --for 1s >/dev/null'
	assert_output --partial 'following: '
	assert_output --regexp $'\e\\[K$'
	run -0 on_terminal 60 env TERM=dumb bash -c '"$TASKATLAS" summary --no-verify --for 1s >/dev/null'
	assert_output 'taskatlas: following'
}
