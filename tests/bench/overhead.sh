#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What being observed costs: bench-calls alone and beside a tracer, in turn. The figures are the
# medians over the turns, and the ratio to the same run alone.
# Usage: overhead.sh TASKATLAS BENCH-CALLS [TURNS]
set -euo pipefail
taskatlas=$1 calls=$2 turns=${3:-5}
work=$(mktemp -d)
tracer=
stop() {
	[ -z "$tracer" ] || { kill -TERM "$tracer" 2>/dev/null && wait "$tracer" 2>/dev/null; } || true
	tracer=
}
trap 'stop; rm -rf "$work"' EXIT

# Start a tracer and come back when it has said that it is at work.
start() { # WORD COMMAND...
	local word=$1
	shift
	: >"$work/said"
	"$@" >/dev/null 2>"$work/said" &
	tracer=$!
	until grep -q "$word" "$work/said"; do
		kill -0 "$tracer" || { cat "$work/said" >&2; return 1; }
		sleep 0.05
	done
}

median() {
	sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

for ((turn = 0; turn < turns; turn++)); do
	"$calls" | sed 's/^/alone /' >>"$work/figures"
	start following "$taskatlas" verify --for 1h
	"$calls" | sed 's/^/observed /' >>"$work/figures"
	stop
done

printf '%-14s %12s %12s %8s\n' call 'alone, ns' 'observed, ns' ratio
awk '{ print $2 }' "$work/figures" | sort -u | while read -r call; do
	alone=$(awk -v c="$call" '$1 == "alone" && $2 == c { print $3 }' "$work/figures" | median)
	observed=$(awk -v c="$call" '$1 == "observed" && $2 == c { print $3 }' "$work/figures" | median)
	printf '%-14s %12s %12s %8s\n' "$call" "$alone" "$observed" \
		"$(awk -v a="$alone" -v o="$observed" 'BEGIN { printf "%.2f", o / a }')"
done
