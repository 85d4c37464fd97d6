#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The runner itself: each way in which a program can go wrong must be counted, and shown.
set -uo pipefail
runner=$(cd "$(dirname "$0")/.." && pwd)/run
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
number=0

# A program for the runner to run. Its body comes on standard input.
program() { # NAME
	{ echo '#!/bin/bash' && cat; } >"$work/$1"
	chmod +x "$work/$1"
}

# Run the runner over it; the closing line, the status and the output must be as said.
expect() { # WHAT CLOSING-LINE STATUS PATTERN ARGUMENT...
	local what=$1 closing=$2 status=$3 pattern=$4 output got
	shift 4
	output=$("$runner" "$@" 2>&1)
	got=$?
	number=$((number + 1))
	if [ "$got" -eq "$status" ] && [ "$(tail -n 1 <<<"$output")" = "$closing" ] &&
		grep -qE -- "$pattern" <<<"$output"; then
		echo "ok $number - $what"
	else
		echo "not ok $number - $what"
		echo "# wanted: status $status, '$closing', and /$pattern/; got status $got and:"
		echo "#   ${output//$'\n'/$'\n'#   }"
	fi
}

program good <<<'echo 1..2; echo ok 1 - a; echo "ok 2 - b"'
program bad <<<'echo 1..2; echo ok 1; echo not ok 2 - broken; echo "# the reason"; exit 1'
program skips <<<'echo 1..2; echo "ok 1 - a # SKIP no such thing"; echo "not ok 2 # SKIP named"'
program none <<<'echo "1..0 # SKIP wants a kernel"'
program silent <<<'exit 0'
program short <<<'echo 1..3; echo ok 1'
program long <<<'echo 1..1; echo ok 1; echo ok 2'
program status <<<'echo 1..1; echo ok 1; exit 7'
program killed <<<'echo 1..1; echo ok 1; kill -SEGV $$'
program slow <<<'echo 1..1; echo ok 1; sleep 60'
program leaves <<<'echo 1..1; echo ok 1; sleep 60 >/dev/null 2>&1 &'
# shellcheck disable=SC2016 # for the program to expand
program sees <<<'echo 1..1; [ "$KNOB" = turned ] && [ ! -t 0 ] && ! read -r _ && echo ok 1'
program twice <<<'echo 1..1; echo ok 1 - a; echo 1..1; echo ok 1 - b'
program chatty <<<'echo 1..1; head -c 3000000 /dev/zero | tr "\0" x; echo; echo not ok 1'
cat >"$work/some.bats" <<'X'
@test "right" { true; }
@test "wrong" { false; }
@test "absent" { skip "for a reason"; }
X

echo 1..17
cd "$work" || exit 1
expect "all good" "2 passed, 0 failed, 0 skipped" 0 '^ok +good +2 passed' good
expect "a failure, with its output" "1 passed, 1 failed, 0 skipped" 1 '^# the reason$' bad
expect "a label" "2 passed, 0 failed, 0 skipped" 0 '^ok +san: good ' --label san good
expect "skips keep their reasons" "2 passed, 0 failed, 2 skipped" 0 'skipped: a: no such thing' good skips
expect "a whole program skipped" "2 passed, 0 failed, 1 skipped" 0 'skipped: wants a kernel' good none
expect "nothing ran" "0 passed, 0 failed, 1 skipped" 1 'skipped' none
expect "no plan" "0 passed, 1 failed, 0 skipped" 1 'no plan: ended with status 0' silent
expect "fewer results than planned" "1 passed, 1 failed, 0 skipped" 1 '3 tests planned, 1 results' short
expect "more results than planned" "2 passed, 1 failed, 0 skipped" 1 '1 tests planned, 2 results' long
expect "a bad status without a failure" "1 passed, 1 failed, 0 skipped" 1 'status 7, although' status
expect "death by a signal" "1 passed, 1 failed, 0 skipped" 1 'status 139, although' killed
expect "out of time" "1 passed, 1 failed, 0 skipped" 1 'out of time: ended after 1 s' --limit 1 slow
expect "a process left behind" "1 passed, 1 failed, 0 skipped" 1 'left behind: [0-9]+ sleep 60' leaves
expect "settings, and no input" "1 passed, 0 failed, 0 skipped" 0 '^ok' --env KNOB=turned sees
expect "a plan for each group" "2 passed, 0 failed, 0 skipped" 0 '^ok' twice
expect "bats" "1 passed, 1 failed, 1 skipped" 1 'skipped: absent: for a reason' some.bats
expect "output that ran away" "0 passed, 1 failed, 0 skipped" 1 'bytes left out' chatty
