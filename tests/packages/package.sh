#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The Debian packages, from this build to a machine that has nothing else, and back. With ELFAULT_ALL they are built from
# source, elsewhere and with Debian's flags, and must have the code of this build; and a second build elsewhere must give
# the same bytes.
#   package.sh BUILD ROOT
set -uo pipefail
# What is mounted here ends with it.
if [ -z "${ELFAULT_UNSHARED:-}" ] && [ "$(id -u)" = 0 ] && unshare --mount true 2>/dev/null; then
	ELFAULT_UNSHARED=1 exec unshare --mount "$0" "$@"
fi
build=$1 root=$2
here=$root/tests/packages
work=$(mktemp -d "${TMPDIR:-/tmp}/elfault-package.XXXXXX")
bare=$work/bare
finish() {
	umount -Rl "$bare/proc" "$bare/sys" 2>/dev/null
	rm -rf --one-file-system "$work"
}
trap finish EXIT

n=0 failed=0
result() { # SENTENCE STATUS [FILE]
	n=$((n + 1))
	if [ "$2" = 0 ]; then
		echo "ok $n - $1"
	else
		echo "not ok $n - $1"
		tail -n 40 "${3:-$work/log}" | sed 's/^/# /'
		failed=1
	fi
}
skip() { # REASON SENTENCE...
	local reason=$1 sentence
	shift
	for sentence; do
		n=$((n + 1))
		echo "ok $n - $sentence # SKIP $reason"
	done
	echo "tests/packages/package.sh: NOT TESTED in a bare Debian: $reason" >&2
}
missing() { # COMMAND...: those that are not installed
	local command
	for command; do
		command -v "$command" >/dev/null || printf '%s ' "$command"
	done
}
lacks=$(missing git dpkg-buildpackage dh lintian scdoc)
if [ -n "$lacks" ] || [ ! -e "$root/.git" ]; then
	echo "1..0 # SKIP not a git checkout, or not installed: $lacks"
	exit 0
fi
echo 1..10

# A minute where it is not kept yet, in which the packages are built.
tarball=$("$here/bare.sh" path)
[ "$(id -u)" != 0 ] || "$here/bare.sh" fetch >"$work/fetched" 2>&1 &
fetching=$!

# The files of this tree, as it is now, somewhere else.
copy() { # FOLDER
	mkdir -p "$1"
	(
		cd "$root" || exit
		git ls-files -co --exclude-standard -z |
			while IFS= read -rd '' file; do [ ! -e "$file" ] || printf '%s\0' "$file"; done |
			tar -c --null -T -
	) | tar -C "$1" -x
	"$build/cli/elfault" --version | sed -n '1s/^elfault //p' >"$1/.version"
}

# Twice the same. The first build is that of these tests; the second compiles all it has, in a folder of another
# name, further down, with the build beside the source.
read -ra options < <(meson introspect "$build" --buildoptions | python3 -c '
import json, sys
names = ("buildtype", "prefix", "bpf", "graphviz", "man", "recorder", "werror", "b_lto", "b_sanitize", "b_pie")
found = {option["name"]: option["value"] for option in json.load(sys.stdin)}
print(*(f"-D{name}={str(found[name]).lower() if isinstance(found[name], bool) else found[name]}" for name in names))')
sentences=(
	"it builds in a folder with another name"
	"what both builds install is the same, byte for byte"
)
if [ -z "${ELFAULT_ALL:-}" ]; then
	for sentence in "${sentences[@]}"; do
		n=$((n + 1))
		echo "ok $n - $sentence # SKIP script/test --all"
	done
else
	copy "$work/somewhere else/elfault-source"
	{
		meson install -C "$build" --no-rebuild --quiet --destdir "$work/trees/first" &&
			CCACHE_DISABLE=1 meson setup "$work/second" "$work/somewhere else/elfault-source" "${options[@]}" -Dtests=false &&
			CCACHE_DISABLE=1 ninja -C "$work/second" &&
			meson install -C "$work/second" --no-rebuild --quiet --destdir "$work/trees/second"
	} >"$work/log" 2>&1
	result "${sentences[0]}" $?
	diff -r "$work/trees/first" "$work/trees/second" >"$work/log" 2>&1 &&
		diff <(cd "$work/trees/first" && find . -printf '%p %m %l\n' | sort) \
			<(cd "$work/trees/second" && find . -printf '%p %m %l\n' | sort) >"$work/log"
	result "${sentences[1]}" $?
	rm -rf "$work/trees" "$work/second" "$work/somewhere else"
fi

# Debian's tools make the packages of what this build installs, unless ELFAULT_ALL is set: to compile all once more takes
# 130 s of processor time.
install_this_build() { # FOLDER
	local prefix
	prefix=$(meson introspect "$build" --buildoptions | jq -r '.[] | select(.name == "prefix").value')
	sed -i 's/^\tdh_auto_configure .*/\ttrue/' "$1/debian/rules"
	{
		printf 'override_dh_auto_build:\noverride_dh_auto_install:\n'
		printf "\tmeson install -C '%s' --no-rebuild --quiet --destdir '\$(CURDIR)/debian/all'\n" "$build"
		printf "\tmkdir -p debian/tmp && mv 'debian/all%s' debian/tmp/usr\n" "$prefix"
		printf "\tsed -i 's|^prefix=.*|prefix=/usr|' debian/tmp/usr/lib/*/pkgconfig/*.pc\n"
	} >>"$1/debian/rules"
}
from_source=${ELFAULT_ALL:-}
[[ " ${options[*]} " = *" -Drecorder=true "* ]] || from_source=1 # this build lacks a program
copy "$work/elfault"
[ -n "$from_source" ] || install_this_build "$work/elfault"
# debhelper gives the build a home of its own.
command -v ccache >/dev/null && CCACHE_DIR=${CCACHE_DIR:-$(ccache --get-config cache_dir)} && export CCACHE_DIR
(cd "$work/elfault" && dpkg-buildpackage --no-sign --source-option=-Zgzip >"$work/log" 2>&1)
made=$?
sentence="the packages are built"
[ -n "$from_source" ] || sentence+=" of what this build installs"
result "$sentence" $made
(cd "$work" && lintian --fail-on error,warning,info --allow-root elfault_*.changes >"$work/lintian" 2>&1) && [ ! -s "$work/lintian" ]
result "lintian finds nothing" $? "$work/lintian"
# All that is loaded; what a linker makes of debug information is its own.
code() { # FILE
	objcopy -O binary -R .note.gnu.build-id "$1" "$work/code" && sha256sum <"$work/code"
}
sentence="built elsewhere and with Debian's flags, they have the code of this build"
why=
[[ " ${options[*]} " = *" -Dbuildtype=debugoptimized "*" -Db_lto=false -Db_sanitize=none -Db_pie=true "* ]] ||
	why="this build has options of its own"
[ -n "$from_source" ] || why="script/test --all"
if [ -n "$why" ]; then
	n=$((n + 1))
	echo "ok $n - $sentence # SKIP $why"
else
	for program in cli/elfault prefetch/elfault-prefetch; do
		[ ! -e "$build/$program" ] || [ "$(code "$build/$program")" = "$(code "$work/elfault/debian/elfault/usr/bin/${program##*/}")" ] ||
			echo "$program"
	done >"$work/log" 2>&1
	[ ! -s "$work/log" ]
	result "$sentence" $?
fi

sentences=(
	"elfault-recorder records in a bare Debian"
	"it leaves nothing when it is removed"
	"elfault records and analyzes in a bare Debian"
	"man elfault-record and completion work there"
	"it leaves nothing when it is removed"
)
wait "$fetching"
why=
if [ "$(id -u)" != 0 ] || [ -z "${ELFAULT_UNSHARED:-}" ]; then
	why="needs root"
elif [ ! -f "$tarball" ]; then
	why="$tarball cannot be made: $(tail -n 1 "$work/fetched")"
fi
if [ -n "$why" ]; then
	skip "$why" "${sentences[@]}"
	exit $failed
fi

mkdir "$bare"
tar -C "$bare" -xf "$tarball"
mount -t proc elfault-bare "$bare/proc" && mount --rbind /sys "$bare/sys" && mount --make-rslave "$bare/sys"
# It is thrown away: waiting for the disk after each file protects nothing.
echo force-unsafe-io >"$bare/etc/dpkg/dpkg.cfg.d/unsafe-io"
mkdir "$bare/tmp/debs"
cp -r "$work/elfault/debian/tests" "$bare/tmp/"
cp "$work"/elfault*.deb "$bare/tmp/debs/"
within() {
	env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
		AUTOPKGTEST_TMP=/tmp/work chroot "$bare" "$@"
}
# All files; without what dpkg, apt and man-db keep of any package.
snapshot() {
	(cd "$bare" && find . -xdev \( -path ./proc -o -path ./sys -o -path ./tmp -o -path ./var/lib/dpkg -o -path ./var/cache \
		-o -path ./var/log -o -path ./var/lib/apt \) -prune -o -printf '%p %y %m %s %l\n' | sort)
}
# install PACKAGE WITH...: what it depends on first, so that the difference is the package's own.
install() {
	local deb
	deb=$(cd "$bare" && echo "tmp/debs/$1"_*_amd64.deb)
	within apt-get satisfy -y --no-download --no-install-recommends \
		"$(dpkg-deb -f "$bare/$deb" Depends | tr -d '\n'), ${*:2}" &&
		snapshot >"$work/before" && within dpkg -i "/$deb"
}
# remove PACKAGE
remove() {
	within dpkg --purge "$1" && snapshot | diff "$work/before" - &&
		! find "$bare/var/lib/dpkg/info" "$bare/usr" "$bare/etc" "$bare/var" "$bare/root" "$bare/run" -name '*elfault*' | grep .
}
try() { # TEST...
	local test
	for test; do
		rm -rf "$bare/tmp/work"
		mkdir "$bare/tmp/work"
		within "/tmp/tests/$test" || return
	done
}
records() { # SENTENCE
	try record >"$work/log" 2>&1
	local status=$?
	if [ $status = 77 ]; then
		skip "the machine lets nobody record" "$1"
	else
		result "$1" $status
	fi
}

install elfault-recorder base-files >"$work/log" 2>&1 || result "elfault-recorder is installed" 1
records "${sentences[0]}"
remove elfault-recorder >"$work/log" 2>&1
result "${sentences[1]}" $?

install elfault man-db, bash-completion >"$work/log" 2>&1 || result "elfault is installed" 1
records "${sentences[2]}"
within man -P cat elfault-record >"$work/log" 2>&1 && grep -q 'elfault-record - run a command' "$work/log" &&
	try manual completion >"$work/log" 2>&1
result "${sentences[3]}" $?
remove elfault >"$work/log" 2>&1
result "${sentences[4]}" $?
exit $failed
