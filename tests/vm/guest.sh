#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Runs in a guest, under busybox: the static program and the static storm beside it in /payload.
# One line a test goes to /out/results: "ok NAME" or "not ok NAME"; what was said goes to the console.

TASKATLAS=/payload/taskatlas
STORM=/payload/storm
DIR=/tmp/vm
mkdir -p $DIR /out
# shellcheck source=tests/live/storm.sh
. /payload/storm.sh

# Emulation is some thirty times slower than the machine.
size="--processes 2 --threads 8 --changes 60000 --forks 300 --execs 80 --births 100"

result() { # STATUS NAME
	if [ "$1" -eq 0 ]; then
		echo "ok $2" >>/out/results
	else
		echo "not ok $2" >>/out/results
	fi
	echo "== $2: $1"
	sed 's/^/   /' $DIR/report 2>/dev/null
	rm -f $DIR/report
	storm_clean
}

$TASKATLAS check
result $? "check"

verify_now
result $? "verify, at rest"

# shellcheck disable=SC2086
verify_before_storm $size
result $? "verify, started before the storm"

# shellcheck disable=SC2086
verify_amid_storm $size
result $? "verify, started in the middle of the storm"

# shellcheck disable=SC2086
verify_after_storm $size
result $? "verify, started after the storm"

$TASKATLAS trace --json --no-seed -- $STORM --processes 2 --threads 4 --changes 4000 --forks 100 \
	--execs 30 --births 20 --seed 5 >$DIR/events
forks=$(sed -n 's/^{"seed".*"forks":\([0-9]*\).*/\1/p' $DIR/events)
told=$(grep -c '"type": *"fork"' $DIR/events)
echo "forks: $forks, told: $told"
[ -n "$forks" ] && [ "$forks" -eq "$told" ]
result $? "trace tells every fork"
# What failed is in the results.
exit 0
