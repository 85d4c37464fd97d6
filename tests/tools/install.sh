#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# make install and uninstall, into a folder of their own. O is the build directory.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
number=0

check() { # WHAT COMMAND...
	local what=$1 output
	shift
	number=$((number + 1))
	if output=$("$@" 2>&1); then
		echo "ok $number - $what"
	else
		echo "not ok $number - $what"
		printf '# %s\n' "${output//$'\n'/$'\n'# }"
	fi
}

run_make() {
	env -u MAKEFLAGS -u MFLAGS -u MAKEOVERRIDES make --no-print-directory O="${O:-build}" prefix=/usr \
		DESTDIR="$work" "$@"
}

installed() {
	diff <(cd "$work" && find . -type f | sort) - <<-'X'
		./usr/bin/taskatlas
		./usr/share/bash-completion/completions/taskatlas
		./usr/share/doc/taskatlas/BSD-2-Clause.txt
		./usr/share/doc/taskatlas/GPL-2.0-only.txt
		./usr/share/doc/taskatlas/LICENSE
		./usr/share/doc/taskatlas/README.md
		./usr/share/man/man1/taskatlas.1
		./usr/share/zsh/site-functions/_taskatlas
	X
}

nothing_left() {
	[ -z "$(find "$work" -type f)" ]
}

# Every option that --help tells is in the page and in the completions.
options_told() {
	local option
	for option in $("$work/usr/bin/taskatlas" trace --help | grep -oE -- '--[a-z]+(-[a-z]+)*' | sort -u); do
		grep -q -- "$option" "$work/usr/share/bash-completion/completions/taskatlas" || return 1
		grep -q -- "$option" <(man_text) || return 1
	done
}

man_text() {
	mandoc -T utf8 "$work/usr/share/man/man1/taskatlas.1" | col -b
}

# scdoc ends each heading with a paragraph of its own, which mandoc skips.
man_lint() {
	! mandoc -T lint -W warning "$work/usr/share/man/man1/taskatlas.1" |
		grep -v 'skipping paragraph macro'
}

echo 1..7
check "make install" run_make install
check "every file, and no other" installed
check "it runs from there" "$work/usr/bin/taskatlas" --version
check "mandoc finds nothing to say about the manual page" man_lint
check "bash takes the completion" bash -n "$work/usr/share/bash-completion/completions/taskatlas"
check "the options are in the manual page and the completion" options_told
run_make uninstall >/dev/null
check "make uninstall leaves nothing" nothing_left
