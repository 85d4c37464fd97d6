#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Boot a Debian kernel package under QEMU's software emulation, with a tiny initramfs, and run one
# command in it. Nothing of the kernel package is installed on this machine.
#
#   vmtest.sh list                     the series of cloud kernels that this machine's mirror has
#   vmtest.sh get SERIES               the newest one of a series (6.1, 6.18, ...): prints its path
#   vmtest.sh KERNEL.deb [MODULES.deb] [OPTION...] [-- COMMAND ARG...]
#     -f FILE    copy FILE into the guest's /payload, with the libraries that it needs; repeatable
#     -d DIR     copy what is in DIR to the guest's /; repeatable
#     -M MODULE  load it, and what it needs, before the command; repeatable
#     -o DIR     afterwards, unpack into DIR what the command left in the guest's /out
#     -s N       virtual CPUs (2)        -m MB    memory (1024)     -t SECONDS  limit (240)
#     -c MODEL   QEMU CPU (max)          -T TYPE  machine (q35)     -a ARGS     kernel arguments
#     -L FILE    keep the console there  -q       do not show it
#
# Exit: the command's own status; 2 usage; 124 out of time; 125 the guest died before the command
# ended. `get`: 3 if the kernel cannot be had, with the reason on standard error.
# Kernels, and a private apt state beside them, are kept in $VMTEST_CACHE (/var/tmp/vmtest).
# One emulation thread: with several, kernel 7.3 died now and then. VMTEST_THREAD=multi sets that.
# Needs: apt, dpkg-deb, qemu-system-x86_64, a static busybox, cpio; for -M depmod and xz.
set -euo pipefail
cache=${VMTEST_CACHE:-/var/tmp/vmtest}

die() { # STATUS WORD...
	local status=$1
	shift
	echo "vmtest: $*" >&2
	exit "$status"
}

# --- kernels from the mirror ------------------------------------------------------------------

# The first URI in the machine's own apt configuration that ends so.
mirror() { # PATTERN
	{
		sed -n 's/^URIs:[[:space:]]*//p' /etc/apt/sources.list.d/*.sources
		grep -hoE '^deb .*' /etc/apt/sources.list /etc/apt/sources.list.d/*.list |
			grep -oE 'https?://[^ ]+'
	} 2>/dev/null | grep -m 1 -E "$1" || true
}

# Writable by nobody else: what lies there is booted.
make_cache() {
	[ -d "$cache" ] || mkdir -m 700 "$cache"
	if [ ! -O "$cache" ] || [ -L "$cache" ]; then
		die 1 "$cache belongs to somebody else"
	fi
	mkdir -p "$cache"/{debs,lists/partial,apt/archives/partial,preferences}
}

write_apt_configuration() { # DEBIAN SECURITY
	local key=/usr/share/keyrings/debian-archive-keyring.gpg suite
	[ -f $key ] || die 3 "no $key"
	: >"$cache/status"
	{
		for suite in bullseye bookworm bookworm-backports trixie trixie-backports; do
			echo "deb [signed-by=$key] $1 $suite main"
		done
		for suite in bullseye bookworm trixie; do
			echo "deb [signed-by=$key] $2 $suite-security main"
		done
	} >"$cache/sources.list"
	cat >"$cache/apt.conf" <<-X
		Dir::State "$cache"; Dir::State::lists "$cache/lists"; Dir::State::status "$cache/status";
		Dir::Cache "$cache/apt"; Dir::Etc::sourcelist "$cache/sources.list"; Dir::Etc::sourceparts "-";
		Dir::Etc::preferencesparts "$cache/preferences"; APT::Architecture "amd64";
		APT::Sandbox::User "root"; APT::Update::Post-Invoke-Success ""; Acquire::Languages "none";
		Acquire::http::Timeout "20"; Acquire::https::Timeout "20"; Acquire::Retries "1";
	X
}

# The package lists, at most half a day old, without a look at the system's own.
update_lists() {
	local debian security
	[ "$(uname -m)" = x86_64 ] || die 3 "kernels for x86-64 only"
	command -v apt-get >/dev/null || die 3 "no apt-get here"
	make_cache
	export APT_CONFIG=$cache/apt.conf
	[ ! -f "$cache/updated" ] || [ -n "$(find "$cache/updated" -mmin +720)" ] || return 0
	debian=$(APT_CONFIG='' mirror '/debian/?$') security=$(APT_CONFIG='' mirror '/debian-security/?$')
	[ -n "$debian" ] || die 3 "no Debian mirror in this machine's apt configuration"
	write_apt_configuration "$debian" "${security:-${debian%/}-security}"
	apt-get -qq update >&2 || die 3 "the package lists could not be fetched"
	touch "$cache/updated"
}

# "SERIES VERSION PACKAGE", one a line. The image is in linux-binary-* since 6.19.
kernels() {
	apt-cache dumpavail | awk '
		/^Package: / { package = $2 }
		/^Version: / { version = $2 }
		/^Size: / { size = $2 }
		/^$/ && package ~ /^linux-(image|binary)-[0-9].*cloud-amd64$/ && size > 1000000 {
			split(version, part, ".")
			print part[1] "." part[2] + 0, version, package
		}' | sort -u -k 1,1V -k 2,2V
}

list_series() {
	update_lists
	kernels | awk '{ last[$1] = $0 } END { for (series in last) print last[series] }' | sort -V
}

# Without the mirror, what was fetched before will do.
get_kernel() { # SERIES
	local link=$cache/debs/$1.deb package file
	if ! (update_lists); then
		[ -f "$link" ] && readlink -f "$link" && return
		exit 3
	fi
	export APT_CONFIG=$cache/apt.conf
	package=$(kernels | awk -v series="$1" '$1 == series { found = $3 "=" $2 } END { print found }')
	[ -n "$package" ] || die 3 "no cloud kernel of series $1 on this machine's mirror"
	file=${package%%=*}_${package##*=}_amd64.deb file=${file//:/%3a}
	if [ ! -f "$cache/debs/$file" ]; then
		(cd "$cache/debs" && apt-get -qq download "$package" >&2) ||
			die 3 "$package could not be fetched"
	fi
	ln -sf "$file" "$link"
	readlink -f "$link"
}

# --- the guest --------------------------------------------------------------------------------

# Unpack what is needed of the packages into $work/kernel. Sets $kernel.
unpack_kernel() {
	local deb
	for deb in "${debs[@]}"; do
		if [ ${#modules[@]} -gt 0 ]; then
			dpkg-deb -x "$deb" "$work/kernel"
		else
			dpkg-deb --fsys-tarfile "$deb" |
				tar -x -C "$work/kernel" --wildcards '*/vmlinuz*' 2>/dev/null || true
		fi
	done
	kernel=$(find "$work/kernel" -name 'vmlinuz*' -type f | head -n 1)
	[ -n "$kernel" ] || die 2 "no vmlinuz in ${debs[*]}"
}

add_file() { # FILE
	local library
	cp -L "$1" "$root/payload/"
	{ ldd "$1" 2>/dev/null | grep -oE '/[^ ]+' || true; } | while read -r library; do
		mkdir -p "$root$(dirname "$library")"
		cp -nL "$library" "$root$library"
	done
}

add_module() { # DIRECTORY MODULE
	local line path target
	line=$(tr - _ <"$1/modules.dep" | grep -nE -m 1 "(^|/)${2//-/_}\.ko(\.xz|\.zst)?:" | cut -d: -f1) ||
		{ echo "vmtest: no module $2 in the package (built in?)" >&2 && return; }
	# What a module needs stands behind it, the last first to be loaded.
	sed -n "${line}s/://p" "$1/modules.dep" | awk '{ for (i = NF; i > 0; i--) print $i }' | while read -r path; do
		target=$(basename "${path%.xz}")
		[ ! -f "$root/lib/modules/$target" ] || continue
		case $path in
		*.xz) xz -dc "$1/$path" >"$root/lib/modules/$target" ;;
		*) cp "$1/$path" "$root/lib/modules/$target" ;;
		esac
		echo "$target" >>"$root/etc/modules-to-load"
	done
}

add_modules() {
	local directory module
	directory=$(find "$work/kernel" -type d -path '*/lib/modules/*' -name '[0-9]*' | head -n 1)
	[ -d "$work/kernel/lib/modules" ] ||
		{ mkdir -p "$work/kernel/lib" && ln -s ../usr/lib/modules "$work/kernel/lib/modules"; }
	touch "$directory"/modules.{order,builtin}
	depmod -b "$work/kernel" "$(basename "$directory")" 2>/dev/null
	for module in "${modules[@]}"; do
		add_module "$directory" "$module"
	done
}

write_init() {
	cat >"$root/init" <<-'X'
		#!/bin/busybox sh
		/bin/busybox --install -s /bin
		export PATH=/payload:/bin:/sbin:/usr/bin:/usr/sbin HOME=/root TERM=dumb
		mount -t proc proc /proc
		mount -t sysfs sysfs /sys
		mount -t devtmpfs dev /dev
		mkdir -p /dev/pts /dev/shm
		mount -t devpts devpts /dev/pts
		mount -t tmpfs shm /dev/shm
		mount -t tmpfs tmp /tmp
		mount -t tracefs tracefs /sys/kernel/tracing
		mount -t debugfs debugfs /sys/kernel/debug
		mount -t bpf bpf /sys/fs/bpf
		mount -t cgroup2 cgroup2 /sys/fs/cgroup
		ip link set lo up 2>/dev/null
		while read module; do
			insmod /lib/modules/$module || echo "insmod $module failed"
		done </etc/modules-to-load
		echo "VMTEST-UP $(cut -d' ' -f1 /proc/uptime) $(uname -r)"
		cd /payload
		sh /etc/command </dev/null
		status=$?
		if grep -q vmtest.out /proc/cmdline; then
			stty -F /dev/ttyS1 raw -echo 2>/dev/null
			tar -cz -C /out . >/dev/ttyS1
		fi
		echo
		echo "VMTEST-EXIT $status"
		sync
		poweroff -f
	X
	chmod +x "$root/init"
}

make_initrd() { # COMMAND ARG...
	local file
	mkdir -p "$root"/{bin,dev,proc,sys,tmp,run,etc,out,payload,root,lib/modules}
	cp "$(command -v busybox)" "$root/bin/busybox"
	: >"$root/etc/modules-to-load"
	for file in ${files[@]+"${files[@]}"}; do
		add_file "$file"
	done
	for file in ${directories[@]+"${directories[@]}"}; do
		cp -a "$file/." "$root/"
	done
	[ ${#modules[@]} -eq 0 ] || add_modules
	printf '%q ' "$@" >"$root/etc/command"
	write_init
	(cd "$root" && find . -print0 | cpio --null -o -H newc --quiet) >"$work/initrd"
}

boot() {
	local serial=() status=0
	if [ -n "$out" ]; then
		serial=(-serial "file:$work/out.tar")
		append+=" vmtest.out"
	fi
	timeout -k 5 "$limit" qemu-system-x86_64 -M "$machine" -accel "tcg,thread=${VMTEST_THREAD:-single}" \
		-cpu "$cpu" -smp "$cpus" -m "$memory" -nodefaults -nographic -no-reboot -serial stdio \
		${serial[@]+"${serial[@]}"} -kernel "$kernel" -initrd "$work/initrd" \
		-append "console=ttyS0 panic=-1 loglevel=4 $append" </dev/null >"$work/console" 2>&1 || status=$?
	tr -d '\r' <"$work/console" | sed 's/\x1b[[(]*[?0-9;]*[a-zA-Z]//g; s/\x1bc//g' >"$log"
	[ -n "$quiet" ] || sed -n '/VMTEST-UP/,$p' "$log" | sed '1s/.*VMTEST-UP/VMTEST-UP/'
	[ $status -ne 124 ] || timed_out=1
}

# What the console says about the command, as this program's exit status.
report() {
	local up ended
	up=$(sed -n 's/.*VMTEST-UP \([0-9.]*\).*/\1/p' "$log")
	ended=$(sed -n 's/^VMTEST-EXIT \([0-9]*\)$/\1/p' "$log")
	if [ -n "$out" ]; then
		mkdir -p "$out"
		tar -xz -C "$out" -f "$work/out.tar" 2>/dev/null || echo "vmtest: /out did not come back" >&2
	fi
	echo "vmtest: $(basename "${debs[0]}" .deb): up after ${up:-never} s, status ${ended:-none}," \
		"$SECONDS s in all" >&2
	[ -z "$ended" ] || exit "$ended"
	[ -n "$up" ] || tail -n 25 "$log" >&2
	[ -z "$timed_out" ] || exit 124
	exit 125
}

check_needs() {
	local command commands=(dpkg-deb qemu-system-x86_64 busybox cpio)
	[ ${#modules[@]} -eq 0 ] || commands+=(depmod xz)
	for command in "${commands[@]}"; do
		command -v "$command" >/dev/null || die 1 "no $command here; see scripts/deps test"
	done
	! ldd "$(command -v busybox)" >/dev/null 2>&1 || die 1 "busybox is not static; see scripts/deps test"
}

usage() { # STATUS
	sed -n '3,/^set/{/^set/!s/^# \{0,1\}//p}' "$0"
	exit "$1"
}

case ${1-} in
list)
	list_series
	exit
	;;
get)
	[ $# -eq 2 ] || usage 2 >&2
	get_kernel "$2"
	exit
	;;
-h | --help) usage 0 ;;
esac

cpus=2 memory=1024 limit=240 append='' cpu=max machine=q35 log='' out='' quiet='' timed_out=''
files=() directories=() modules=() debs=()
while [ $# -gt 0 ]; do
	case $1 in
	--)
		shift
		break
		;;
	-q)
		quiet=1
		shift
		continue
		;;
	*.deb)
		debs+=("$1")
		shift
		continue
		;;
	esac
	[ $# -ge 2 ] || usage 2 >&2
	case $1 in
	-f) files+=("$2") ;;
	-d) directories+=("$2") ;;
	-M) modules+=("$2") ;;
	-o) out=$2 ;;
	-s) cpus=$2 ;;
	-m) memory=$2 ;;
	-t) limit=$2 ;;
	-a) append=$2 ;;
	-c) cpu=$2 ;;
	-T) machine=$2 ;;
	-L) log=$2 ;;
	*) usage 2 >&2 ;;
	esac
	shift 2
done
[ ${#debs[@]} -gt 0 ] || usage 2 >&2
check_needs
work=$(mktemp -d) root=$work/root
trap 'rm -rf "$work"' EXIT
mkdir "$work/kernel"
log=${log:-$work/log}
unpack_kernel
make_initrd "${@:-true}"
boot
report
