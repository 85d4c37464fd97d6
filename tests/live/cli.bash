# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# For the cli-*.bats: processes that are there and hold still, terminals, JSON.

# Run what must succeed; when it does not, say why.
good() { # COMMAND...
	run --separate-stderr "$@"
	# shellcheck disable=SC2154 # set by run
	[ "$status" -eq 0 ] || { echo "exit $status: $stderr" && return 1; }
}

# A process id that nobody has: ids stay below pid_max.
nobody() {
	cat /proc/sys/kernel/pid_max
}

# Start a program that waits for its end; its pid in $started. It is ended by end_started().
start() { # COMMAND...
	local out=$BATS_TEST_TMPDIR/out.${#all_started[@]}
	: >"$out"
	"$@" >"$out" 3>&- <"$(waiting_input)" &
	started=$!
	all_started+=("$started")
}
all_started=()

# Something to read from that never says anything: a pipe that we keep open.
waiting_input() {
	local fifo=$BATS_TEST_TMPDIR/waiting
	[ -p "$fifo" ] || mkfifo "$fifo"
	echo "$fifo"
}

# Wait until a process has executed this file.
until_executed() { # PID NAME
	until [[ $(readlink "/proc/$1/exe") == *"$2" ]]; do kill -0 "$1"; done
}

# A process with a child: $started and $child.
start_family() {
	start bash -c 'sleep infinity & echo $!; read -r _'
	until read -r child <"$BATS_TEST_TMPDIR/out.0"; do kill -0 "$started"; done
	all_started+=("$child")
	until_executed "$child" /sleep
}

# Open the pipe for writing, so that readers wait and do not fail.
hold_input() {
	mkfifo "$BATS_TEST_TMPDIR/waiting"
	exec {held}<>"$BATS_TEST_TMPDIR/waiting"
}

end_started() {
	local pid
	for pid in "${all_started[@]}"; do
		kill -KILL "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	done
	all_started=()
	[ -z "${held-}" ] || exec {held}>&-
}

# Start the program that maps one thing of each kind, and wait until it has; its pid in $mapper.
start_mapper() {
	local ready=$BATS_TEST_TMPDIR/ready
	mkfifo "$ready"
	start /usr/bin/python3 "$BATS_TEST_DIRNAME/cli-mapper.py" "$BATS_TEST_TMPDIR" "$ready"
	mapper=$started
	read -r _ <"$ready"
}

# Run on a terminal of so many columns; what it printed, without carriage returns, on stdout. The
# exit status is the command's.
on_terminal() { # COLUMNS COMMAND...
	local columns=$1 line
	shift
	printf -v line '%q ' "$@"
	TERM=xterm script -qec "stty cols $columns; $line" /dev/null </dev/null | tr -d '\r'
	return "${PIPESTATUS[0]}"
}

# Each line of a file is valid JSON by a schema, and has no field that the schema does not name.
assert_valid() { # SCHEMA FILE
	/usr/bin/python3 "$BATS_TEST_DIRNAME/cli-validate.py" "$BATS_TEST_DIRNAME/../../docs/schema" "$1" "$2"
}
