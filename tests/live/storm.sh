# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
# The storm beside a verify, step by step: for bats (bash) here, and for a guest's busybox shell in
# tests/vm. Wants TASKATLAS, STORM and a directory of its own in DIR. Descriptors 6 to 8 are in use
# while something runs. Every function: 0, or 1 with a word on standard error.

# Start `verify`, and come back when its seed is complete.
verify_start() {
	rm -f "$DIR/verify.err"
	mkfifo "$DIR/verify.err" || return 1
	"$TASKATLAS" verify --for 1h >"$DIR/report" 2>"$DIR/verify.err" 3>&- 6>&- 7>&- &
	verify_pid=$!
	exec 8<"$DIR/verify.err"
	while read -r line <&8; do
		case $line in
		*following*) return 0 ;;
		esac
		echo "verify: $line" >&2
	done
	echo "verify ended before it followed" >&2
	verify_end || true
	return 1
}

# Let it compare, and end. Its status; the report is in $DIR/report.
verify_end() {
	kill -TERM "$verify_pid" 2>/dev/null
	wait "$verify_pid"
	verify_status=$?
	verify_pid=
	while read -r line <&8; do
		echo "verify: $line" >&2
	done
	exec 8<&-
	[ $verify_status -eq 0 ] || cat "$DIR/report" >&2
	return $verify_status
}

# A verify that begins and compares at once.
verify_now() {
	"$TASKATLAS" verify >"$DIR/report" 3>&- 6>&- 7>&- || {
		verify_status=$?
		cat "$DIR/report" >&2
		return $verify_status
	}
}

# Start the storm; at its end it will hold still.
storm_start() { # OPTION...
	rm -f "$DIR/storm.in" "$DIR/storm.out"
	mkfifo "$DIR/storm.in" "$DIR/storm.out" || return 1
	"$STORM" --hold "$@" <"$DIR/storm.in" >"$DIR/storm.out" 3>&- 8>&- &
	storm_pid=$!
	exec 6>"$DIR/storm.in" 7<"$DIR/storm.out"
}

# With --announce: until half of it is done. It goes on until storm_finish.
storm_half() {
	read -r line <&7 && [ "$line" = half ] && return
	echo "the storm did not come to its half: $line" >&2
	return 1
}

storm_finish() {
	echo finish >&6
}

# Until it holds still. What it did is in $storm_counts.
storm_wait() {
	# shellcheck disable=SC2034 # for the caller
	read -r storm_counts <&7 && return
	echo "the storm ended before it held still" >&2
	return 1
}

# Let it go. Its status.
storm_end() {
	exec 6>&-
	wait "$storm_pid"
	storm_status=$?
	storm_pid=
	exec 7<&-
	return $storm_status
}

# For the end of a test, however it went.
storm_clean() {
	[ -z "${verify_pid-}" ] || kill -KILL "$verify_pid" 2>/dev/null
	# Its first process is the subreaper of all of it, and ends them by ending.
	[ -z "${storm_pid-}" ] || kill -KILL "$storm_pid" 2>/dev/null
	verify_pid='' storm_pid=''
	exec 6>&- 7<&- 8<&-
	wait
}

# --- the three of them ------------------------------------------------------------------------

verify_before_storm() { # OPTION...
	verify_start && storm_start "$@" && storm_wait && verify_end && storm_end
}

verify_amid_storm() { # OPTION...
	storm_start --announce "$@" && storm_half && verify_start && storm_finish && storm_wait &&
		verify_end && storm_end
}

verify_after_storm() { # OPTION...
	storm_start "$@" && storm_wait && verify_now && storm_end
}
