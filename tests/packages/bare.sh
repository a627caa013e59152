#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A Debian 12 that has nothing but what is essential, and beside it, not installed, the packages that
# those of elfault depend on: kept in ~/.cache/elfault/bare (or $ELFAULT_BARE), for tests without network.
#   bare.sh path     where it is, whether or not it is there
#   bare.sh fetch    make it, if it is not there: as root, from the package source of this machine
set -euo pipefail
cd "$(dirname "$0")/../.."
release=bookworm

say() { echo "tests/packages/bare.sh: $*" >&2; }

# What the libraries that elfault is built with need when it runs; and what shows manuals and completes.
wanted() {
	sed -n 's/^ \(lib[^ ,]*-dev\).*/\1/p' debian/control | xargs apt-cache depends --no-recommends \
		--no-suggests --no-conflicts --no-breaks --no-replaces --no-enhances |
		sed -n 's/^  Depends: \(lib[^<>]*\)$/\1/p' | grep -v -e '-dev$' -e plugins | sort -u
	echo man-db bash-completion
}
cache=${ELFAULT_BARE:-$HOME/.cache/elfault/bare}
read -rd "" -a packages < <(wanted) || true
tarball=$cache/$release-$(sha256sum <<<"${packages[*]}" | cut -c1-12).tar

case "${1:-}" in
path)
	echo "$tarball"
	exit
	;;
fetch) ;;
*)
	say "usage: bare.sh path|fetch"
	exit 2
	;;
esac

[ ! -f "$tarball" ] || exit 0
# shellcheck disable=SC1091
[ "$(. /etc/os-release && echo "${VERSION_CODENAME:-}")" = "$release" ] || {
	say "this is not Debian $release: packages built here are not for it"
	exit 1
}
[ "$(id -u)" = 0 ] || {
	say "debootstrap needs root"
	exit 1
}
# shellcheck disable=SC2016 # apt's
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' "Codename: $release" 'Component: main' | head -n 1)
root=$(mktemp -d "${TMPDIR:-/tmp}/elfault-bare.XXXXXX")
trap 'rm -rf "$root"' EXIT
{
	debootstrap --variant=minbase "$release" "$root" "$mirror" &&
		cp -L /etc/resolv.conf "$root/etc/" &&
		chroot "$root" apt-get update &&
		chroot "$root" apt-get install -y --download-only --no-install-recommends "${packages[@]}"
} >"$root.log" 2>&1 || {
	tail -n 5 "$root.log" >&2
	rm -f "$root.log"
	exit 1
}
rm -f "$root.log" "$root/etc/resolv.conf"
mkdir -p "$cache"
rm -f "$cache/$release"-*.tar
tar -C "$root" --one-file-system -cf "$tarball.part" .
mv "$tarball.part" "$tarball"
