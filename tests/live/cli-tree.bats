#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# `tree`: who is whose child, in text and JSON, in any width.

setup() {
	load common
	# shellcheck source=tests/live/cli.bash
	source "$BATS_TEST_DIRNAME/cli.bash"
	need_root
	hold_input
	export LC_ALL=C.UTF-8
}

teardown() {
	[ "$(type -t end_started)" != function ] || end_started
}

@test "a process, its child, and their chain up to the test" {
	start_family
	good "$TASKATLAS" tree $$
	assert_line --regexp "^ *$$ +root "
	assert_line --regexp "^ *$started .* bash  "
	assert_line --regexp "^ *$child .* └─ sleep  "
}

@test "from one process downwards" {
	start_family
	good "$TASKATLAS" tree "$started"
	assert_equal "${#lines[@]}" 3
	assert_line --index 0 --regexp "^ *PID +USER .* COMMAND$"
	assert_line --index 1 --regexp "^ *$started +root .* 1 +[0-9]+ +bash  $(readlink "/proc/$started/exe")$"
	assert_line --index 2 --regexp "^ *$child +root .* └─ sleep  $(readlink "/proc/$child/exe")$"
}

@test "JSON: the flat list gives the tree of /proc" {
	start_family
	"$TASKATLAS" tree --json --threads --kernel >"$BATS_TEST_TMPDIR/json"
	assert_valid tree "$BATS_TEST_TMPDIR/json"
	for pid in $$ "$started" "$child"; do
		assert_equal "$(jq -c ".processes[] | select(.pid == $pid) | [.parent.pid, (.threads | length)]" \
			"$BATS_TEST_TMPDIR/json")" "[$(awk '/^PPid/ { print $2 }' "/proc/$pid/status"),1]"
	done
	# Parents come first, one level above.
	jq -e '[.processes[]] | to_entries as $all
		| [$all[] | select(.value.depth > 0) as $child
			| $all | map(select(.key < $child.key and .value.pid == $child.value.parent.pid and
				.value.depth == $child.value.depth - 1)) | length == 1] | all' \
		"$BATS_TEST_TMPDIR/json"
}

@test "threads and kernel threads only when asked for" {
	start_mapper
	thread=$(ls "/proc/$mapper/task" | sort -n | tail -n 1)
	good "$TASKATLAS" tree
	refute_line --regexp "^ *$thread "
	refute_line --partial '[kthreadd]'
	good "$TASKATLAS" tree --threads "$mapper"
	assert_line --regexp "^ *$thread .* └─ \\{python3\\}$"
	good "$TASKATLAS" tree --kernel
	assert_line --regexp '^ *2 .* \[kthreadd\]$'
}

@test "no such process" {
	run --separate-stderr -1 "$TASKATLAS" tree "$(nobody)"
	assert_equal "$output" ""
	assert_equal "$stderr" "taskatlas: there is no process $(nobody)"
}

@test "on a narrow terminal columns go, lines are cut, and nothing breaks" {
	start_family
	for columns in 1 5 20 40 80; do
		run -0 on_terminal $columns "$TASKATLAS" tree
		for line in "${lines[@]}"; do
			line=$(sed 's/\x1b\[[0-9]*m//g' <<<"$line")
			[ "${#line}" -le $columns ]
		done
	done
	run -0 on_terminal 20 "$TASKATLAS" tree "$started"
	assert_line --regexp "^ *$started  bash"
}

@test "piped it is wide, whatever COLUMNS says" {
	start_family
	COLUMNS=20 good "$TASKATLAS" tree "$started"
	assert_line --index 0 --regexp '^ *PID +USER +CGROUP +AGE +THR +MAPS +COMMAND$'
}

@test "colours: on terminals, unless NO_COLOR" {
	run -0 on_terminal 80 "$TASKATLAS" tree $$
	assert_output --partial $'\e[1mPID\e[0m'
	run -0 on_terminal 80 env NO_COLOR=1 "$TASKATLAS" tree $$
	refute_output --partial $'\e'
	run -0 on_terminal 80 env TERM=dumb "$TASKATLAS" tree $$
	refute_output --partial $'\e'
	run -0 "$TASKATLAS" tree $$
	refute_output --partial $'\e'
}

@test "without UTF-8 lines are ASCII" {
	start_family
	LC_ALL=C good "$TASKATLAS" tree "$started"
	assert_line --index 2 --regexp " \`- sleep "
}

@test "a hostile name is escaped" {
	name=$'\e[2Jq\n\xff'
	cp "$(type -P cat)" "$BATS_TEST_TMPDIR/$name"
	start "$BATS_TEST_TMPDIR/$name"
	until_executed "$started" "$name"
	good "$TASKATLAS" tree "$started"
	assert_equal "${#lines[@]}" 2
	assert_line --index 1 --partial ' \x1b[2Jq\n\xff  '
	assert_line --index 1 --regexp '/\\x1b\[2Jq\\n\\xff$'
	"$TASKATLAS" tree --json "$started" >"$BATS_TEST_TMPDIR/json"
	assert_valid tree "$BATS_TEST_TMPDIR/json"
	assert_equal "$(jq -r '.processes[0].comm_bytes' "$BATS_TEST_TMPDIR/json")" 1b5b324a710aff
}
