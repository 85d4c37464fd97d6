#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The program and the storm on other kernels, in emulated machines. Prints TAP.
#
#   tests/vm/run.sh [SERIES...]      default: $VM_KERNELS, or 6.1 6.12 6.18
#
# O is the build directory; the static programs are built in $O/static. Where the distribution's
# libraries cannot be linked statically (Debian 13's libelf), those of $O go in, with libraries.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
O=${O:-build}
read -ra series <<<"${*:-${VM_KERNELS:-6.1 6.12 6.18}}"
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
number=0

ok() { # NAME
	number=$((number + 1))
	echo "ok $number - $1"
}
not_ok() { # NAME
	number=$((number + 1))
	echo "not ok $number - $1"
}
skip() { # NAME REASON
	number=$((number + 1))
	echo "ok $number - $1 # SKIP $2"
}

can_link_static() {
	echo 'int elf_version(int); int main(void) { return elf_version(0); }' |
		gcc -x c - -static -lbpf -lelf -lz -lzstd -o "$out/probe" 2>/dev/null
}

# Sets $programs. With the settings that this make was called with left aside.
build_programs() {
	local settings=(STATIC=0)
	programs=$O
	if can_link_static; then
		programs=$O/static settings=(STATIC=1)
	fi
	env -u MAKEFLAGS -u MFLAGS -u MAKEOVERRIDES make --no-print-directory O="$programs" \
		"${settings[@]}" SAN= "$programs/taskatlas" "$programs/tests/live/storm" >"$out/make" 2>&1
}

boot() { # SERIES
	local kernel status line
	kernel=$(scripts/vmtest.sh get "$1" 2>"$out/why")
	status=$?
	if [ $status -eq 3 ]; then
		skip "$1" "$(tail -n 1 "$out/why")"
		return
	fi
	if [ $status -ne 0 ]; then
		sed 's/^/# /' "$out/why"
		not_ok "$1: get the kernel"
		return
	fi
	rm -rf "$out/guest"
	scripts/vmtest.sh "$kernel" -f "$programs/taskatlas" -f "$programs/tests/live/storm" \
		-f tests/live/storm.sh -f tests/vm/guest.sh -o "$out/guest" -t 600 -- sh guest.sh \
		>"$out/console" 2>&1
	status=$?
	while read -r line; do
		case $line in
		"ok "*) ok "$1: ${line#ok }" ;;
		*) not_ok "$1: ${line#not ok }" ;;
		esac
	done < <(cat "$out/guest/results" 2>/dev/null)
	if [ $status -ne 0 ] || [ ! -s "$out/guest/results" ]; then
		not_ok "$1: the guest came to its end (status $status)"
	elif ! grep -q '^not ok' "$out/guest/results"; then
		return
	fi
	sed 's/^/# /' "$out/console"
}

if ! build_programs; then
	sed 's/^/# /' "$out/make"
	not_ok "build the programs"
else
	for one in "${series[@]}"; do
		boot "$one"
	done
fi
echo "1..$number"
