#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Everything once more with clang, and the kernel side with the newest clang that is known to do.
# O is the build directory.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
O=${O:-build}
number=0

build() { # WHAT SETTING...
	local what=$1 output
	shift
	number=$((number + 1))
	if output=$(env -u MAKEFLAGS -u MFLAGS -u MAKEOVERRIDES make --no-print-directory "$@" 2>&1); then
		echo "ok $number - $what"
	else
		echo "not ok $number - $what"
		printf '# %s\n' "${output//$'\n'/$'\n'# }"
	fi
}

build_with() { # COMPILER
	if command -v "$1" >/dev/null; then
		build "user space and kernel side with $1" O="$O/$1" CC="$1" CLANG="$1" WERROR=1 test-programs
	else
		number=$((number + 1))
		echo "ok $number - with $1 # SKIP not installed"
	fi
}

echo 1..2
build_with clang
build_with clang-19
