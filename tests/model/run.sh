#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Check the ordering argument (docs/ordering.md) exhaustively: the design must hold, and the same
# model with one of its rules left out must fail, or the model would prove nothing.
#
# usage: run.sh [DIR]    build and run in DIR, which is made if it is missing and stays. Without it,
#                        in a temporary folder that goes. Prints TAP.
set -eu

[ $# -le 1 ] || { echo "usage: $0 [DIR]" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
cc=${CC:-cc}
test=0
failed=0

# tap OK|NOT-OK DESCRIPTION
tap() {
	test=$((test + 1))
	case $1 in
	OK) echo "ok $test - $2" ;;
	*) echo "not ok $test - $2"; failed=1 ;;
	esac
}

# search OPTIMIZE NAME MODEL SWITCH...: leave pan's report in NAME/report.
search() {
	optimize=$1 name=$2 model=$3
	shift 3
	rm -rf "$name"
	mkdir "$name"
	(
		cd "$name"
		spin "$@" -a "$here/$model" >spin.log 2>&1 &&
			"$cc" -w "$optimize" -DSAFETY -DCOLLAPSE -DMEMLIM=4096 -o pan pan.c >cc.log 2>&1 &&
			./pan -m2000 -w24 >report 2>&1
	) || echo "run.sh: search did not run" >>"$name/report"
	sed -n 's/^ *\([0-9]* states, stored\).*/# '"$name"': \1/p' "$name/report"
}

diagnose() {
	sed 's/^/# /' "$1/report" | tail -n 40
}

# holds NAME DESCRIPTION MODEL SWITCH...: a search that was cut short (depth, memory) does not count
# as one that found nothing.
holds() {
	name=$1 what=$2
	shift 2
	search -O2 "$name" "$@"
	if grep -q 'errors: 0$' "$name/report" && ! grep -qE \
	    'not completed|too small|out of memory|did not run|assertion violated' "$name/report"; then
		tap OK "$what"
	else
		tap NOT-OK "$what"
		diagnose "$name"
	fi
}

# violated NAME DESCRIPTION MODEL SWITCH...: found within a moment, so compiling is what takes time.
violated() {
	name=$1 what=$2
	shift 2
	search -O0 "$name" "$@"
	if grep -q '^pan:1: assertion violated' "$name/report"; then
		tap OK "$what"
	else
		tap NOT-OK "$what"
		diagnose "$name"
	fi
}

for tool in spin "$cc"; do
	if ! command -v "$tool" >/dev/null 2>&1; then
		echo "1..0 # SKIP $tool is not installed"
		exit 0
	fi
done

if [ $# -eq 1 ]; then
	mkdir -p "$1"
	cd "$1"
else
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	trap 'exit 1' INT TERM HUP
	cd "$work"
fi
echo "1..9"
holds pages "pages: reserve before read holds" \
	pages.pml -DRESERVE_FIRST
violated pages-read-first "pages: read before reserve is violated" \
	pages.pml
holds mappings "mappings: reserve first, neighbours, whole mappings: holds" \
	mappings.pml -DRESERVE_FIRST -DNEIGHBOURS -DWHOLE
violated mappings-read-first "mappings: read before reserve is violated" \
	mappings.pml -DNEIGHBOURS -DWHOLE
violated mappings-no-neighbours "mappings: without the neighbours is violated" \
	mappings.pml -DRESERVE_FIRST -DWHOLE
violated mappings-not-whole "mappings: reported in part is violated" \
	mappings.pml -DRESERVE_FIRST -DNEIGHBOURS
holds fork "fork: announced before the reserve, looked at after it: holds" \
	fork.pml -DANNOUNCED -DCHECKED
violated fork-late "fork: a walk announced after its reserve is violated" \
	fork.pml -DCHECKED
violated fork-early "fork: looked at before the reserve is violated" \
	fork.pml -DANNOUNCED
exit "$failed"
