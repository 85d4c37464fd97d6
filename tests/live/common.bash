# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# For the .bats files here: `load common`. What tests/run sets: TASKATLAS, the program; TEST_BIN, the
# folder of the compiled helpers; STORM_SCALE, percent of the usual size of a storm (100).

bats_require_minimum_version 1.5.0

for _dir in /usr/lib/bats /usr/share/bats /usr/lib /usr/share; do
	if [ -e "$_dir/bats-assert/load.bash" ]; then
		load "$_dir/bats-support/load.bash"
		load "$_dir/bats-assert/load.bash"
		break
	fi
done
unset _dir

: "${TASKATLAS:?set by make check-live}" "${TEST_BIN:?set by make check-live}"
STORM=$TEST_BIN/storm
export TASKATLAS TEST_BIN STORM

# Skip, with the reason, where the live atlas cannot work. For setup_file() or setup().
need_root() {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
}

# N, scaled.
scaled() { # N
	echo $(($1 * ${STORM_SCALE:-100} / 100))
}
