#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Help, versions, and command lines that make no sense. Nothing here needs root.

setup() {
	load common
	commands=(check summary tree maps trace verify)
}

# Refused: exit 2, nothing on stdout, one line on stderr that says this.
refuse() { # SENTENCE ARG...
	local sentence=$1
	shift
	run --separate-stderr -2 "$TASKATLAS" "$@"
	assert_equal "$output" ""
	[[ $stderr == *"$sentence"* ]] || { echo "$stderr" && false; }
	assert_equal "$(wc -l <<<"$stderr")" 1
}

@test "without arguments: help on stderr, exit 2" {
	run --separate-stderr -2 "$TASKATLAS"
	assert_equal "$output" ""
	[[ $stderr == *"Usage: taskatlas COMMAND"* ]]
}

@test "--help names every command" {
	run --separate-stderr -0 "$TASKATLAS" --help
	assert_equal "$stderr" ""
	for command in "${commands[@]}"; do
		assert_line --regexp "^  $command +[a-z]"
	done
}

@test "--version" {
	run -0 "$TASKATLAS" --version
	assert_output "taskatlas $(cat "$BATS_TEST_DIRNAME/../../VERSION")"
}

@test "each command's --help, long and short" {
	for command in "${commands[@]}"; do
		run --separate-stderr -0 "$TASKATLAS" "$command" --help
		assert_equal "$stderr" ""
		assert_line --index 0 --partial "Usage: taskatlas $command "
		assert_line --regexp '^ +--json '
		run --separate-stderr -0 "$TASKATLAS" "$command" -h
		assert_equal "$stderr" ""
	done
}

@test "unknown commands and options" {
	refuse "there is no command 'tre'" tre
	refuse "there is no option --tree in front of a command" --tree
	for command in "${commands[@]}"; do
		refuse "there is no option --nonsense" "$command" --nonsense
		refuse "there is no option -Z" "$command" -Z
		refuse "(see taskatlas $command --help)" "$command" -Z
	done
}

@test "what was typed cannot drive the terminal" {
	refuse "there is no command 'a\\033[2Jb\\012c'" $'a\e[2Jb\nc'
	refuse "there is no option --\\033[2J" tree $'--\e[2J'
}

@test "operands that are too many, missing, or no process ids" {
	refuse "'x' is one" check x
	refuse "'x' is one" verify x
	refuse "'x' is one" summary x
	refuse "one PID at most" tree 1 2
	refuse "PID is missing" maps
	for pid in 0 -1 +1 1x 0x10 "" " 1" 4194305 99999999999999999999; do
		refuse "'$pid' is no process id" maps -- "$pid"
		refuse "'$pid' is no process id" tree -- "$pid"
		refuse "'$pid' is no process id" trace --pid="$pid"
	done
	refuse "'x' is no process id" maps 1 x
}

@test "times" {
	for command in verify summary trace; do
		for time in "" x -1 1x 1.s " 1" 1h30m; do
			refuse "--for wants a time" "$command" --for="$time"
		done
		refuse "out of range" "$command" --for 999999d
		refuse "--for wants an argument, TIME" "$command" --for
	done
}

@test "ring sizes" {
	for command in tree "maps 1" trace verify summary; do
		for size in 0 1 3K 32K 96K 2G; do
			# shellcheck disable=SC2086
			refuse "--ring wants a power of two from 64K to 1G" $command --ring $size
		done
		# shellcheck disable=SC2086
		refuse "--ring wants a size" $command --ring 4MB
		# shellcheck disable=SC2086
		refuse "out of range" $command --ring 99999999999999999999
	done
}

@test "filters of trace" {
	refuse "there is no kind 'exce'" trace --kinds fork,exce
	refuse "there is no kind ''" trace --kinds fork,
	refuse "there is no user 'no such user'" trace --user 'no such user'
	refuse "is no path" trace --cgroup docker
	refuse "--args-limit 0 is out of range" trace --args --args-limit 0
	refuse "--args-limit 17K is out of range" trace --args --args-limit 17K
}

@test "options that contradict each other" {
	refuse "--args-limit wants --args" trace --args-limit 64
	refuse "--relative is for text" trace --relative --json
	refuse "--no-seed and --kinds seed contradict" trace --no-seed --kinds seed
	refuse "--pid and a COMMAND contradict" trace --pid 1 -- true
}

@test "flags take no argument" {
	refuse "--json takes no argument" tree --json=yes
	refuse "--threads takes no argument" tree --threads=1
}

@test "bash completion completes" {
	"$TASKATLAS" --dump-options bash >"$BATS_TEST_TMPDIR/completion"
	# shellcheck source=/dev/null
	source "$BATS_TEST_TMPDIR/completion"
	complete_line() { # WORD...
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
		_taskatlas
	}
	complete_line taskatlas tr
	assert_equal "${COMPREPLY[*]}" "tree trace"
	complete_line taskatlas trace --ar
	assert_equal "${COMPREPLY[*]}" "--args --args-limit"
	complete_line taskatlas trace --kinds fork,ex
	assert_equal "${COMPREPLY[*]}" "fork,exec fork,exit"
	complete_line taskatlas trace -u roo
	assert_equal "${COMPREPLY[*]}" "root"
	complete_line taskatlas maps $$
	[[ " ${COMPREPLY[*]} " == *" $$ "* ]]
}

@test "completions name every option of every command" {
	bash=$("$TASKATLAS" --dump-options bash)
	zsh=$("$TASKATLAS" --dump-options zsh)
	for command in "${commands[@]}"; do
		options=$("$TASKATLAS" "$command" --help | grep -oE '^ +(-., )?--[a-z-]+' | grep -oE '\-\-[a-z-]+')
		line=$(grep -E "^	$command\) options=" <<<"$bash")
		for option in $options; do
			[[ $line == *"$option"* ]]
			grep -qF -- "$option" <<<"$zsh"
		done
	done
}

@test "the manual page describes every option, and has no errors" {
	command -v scdoc >/dev/null || skip "scdoc is not installed"
	command -v mandoc >/dev/null || skip "mandoc is not installed"
	"$TASKATLAS" --dump-options man >"$BATS_TEST_TMPDIR/commands"
	sed -e "/^@COMMANDS@\$/{r $BATS_TEST_TMPDIR/commands" -e 'd}' \
		"$BATS_TEST_DIRNAME/../../docs/taskatlas.1.scd" | scdoc >"$BATS_TEST_TMPDIR/taskatlas.1"
	# What scdoc itself does: lines as long as in its source, paragraphs behind headings.
	run mandoc -T lint "$BATS_TEST_TMPDIR/taskatlas.1"
	refute_line --regexp '(ERROR|UNSUPP|WARNING: [^s]|WARNING: skipping [^p])'
	page=$(mandoc -T ascii "$BATS_TEST_TMPDIR/taskatlas.1" | sed 's/.\x08//g' | tr -s ' \n' ' ')
	for command in "${commands[@]}"; do
		[[ $page == *"taskatlas $command [OPTIONS]"* ]]
		for option in $("$TASKATLAS" "$command" --help | grep -oE '^ +(-., )?--[a-z-]+' |
			grep -oE '\-\-[a-z-]+'); do
			[[ $page == *" $option"* ]]
		done
	done
}

@test "--dump-options of nothing known" {
	refuse "--dump-options wants man, bash or zsh" --dump-options
	refuse "--dump-options wants man, bash or zsh" --dump-options fish
}
