#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Find a folder of arm64 libraries: sysroot.sh prints where those of this release of Debian are. They are the packages
# that elfault is built with here, of the same names and kept by their versions here, outside the tree in
# $ELFAULT_SYSROOTS or the user's cache. Nothing is installed, no root is needed. Where there are none, the status is
# 1 and the last line says why.
set -euo pipefail
cd "$(dirname "$0")/../.."
kept=${ELFAULT_SYSROOTS:-${XDG_CACHE_HOME:-${HOME:-/var/tmp}/.cache}/elfault/sysroots}

for command in apt-get dpkg-deb dpkg-query; do
	command -v "$command" >/dev/null || { echo "$command is not installed" && exit 1; }
done
# What script/setup installs, but what only recording or graphs need.
mapfile -t built_with < <(sed -n '/^build=(/,/^)/p' script/setup | tr -s ' \t' '\n' | grep -e '-dev$' |
	grep -v -e '^libbpf-' -e '^libgraphviz-')
built_with+=(libcmocka-dev)
versions=$(dpkg-query -W -f='${Package} ${Version}\n' "${built_with[@]}" 2>&1) || { echo "$versions" && exit 1; }
root=$kept/arm64-$(sha256sum <<<"$versions" | cut -c1-12)
[ ! -d "$root" ] || { echo "$root" && exit 0; }

# And what the tests only read: C++, and a program of another linker's options.
read_too=(libstdc++6 python3-minimal)
mkdir -p "$kept"
work=$(mktemp -d "$kept/.new.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/state/lists/partial" "$work/cache/archives/partial" "$work/root"
: >"$work/status"
apt() {
	apt-get -q -o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o APT::Sandbox::User="$(id -un)" \
		-o Dir::State="$work/state" -o Dir::State::status="$work/status" -o Dir::Cache="$work/cache" \
		-o Debug::NoLocking=1 "$@" >"$work/log" 2>&1 || { grep '^E:' "$work/log" | tail -n 1 && exit 1; }
}
apt update
apt install --yes --no-install-recommends --download-only "${built_with[@]}" "${read_too[@]}"
for package in "$work"/cache/archives/*.deb; do
	dpkg-deb -x "$package" "$work/root"
done
rm -rf "$work"/root/usr/share/{doc,info,locale,man}
# An absolute link would lead out of the folder.
find "$work/root" -lname '/*' -printf '%p\t%l\n' | while IFS=$'\t' read -r link target; do
	ln -sfnr "$work/root$target" "$link"
done
chmod 755 "$work/root"
mv -T "$work/root" "$root" 2>/dev/null || [ -d "$root" ]
echo "$root"
