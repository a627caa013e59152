#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Find a kernel of Debian: kernel.sh VERSION, such as 6.1, prints where its newest image is. It is kept outside the
# tree, in $ELFAULT_KERNELS or the user's cache; remove it there to get a newer one. Nothing is installed. Where
# there is none, the status is 1 and the last line says why.
set -euo pipefail

version=$1
kept=${ELFAULT_KERNELS:-${XDG_CACHE_HOME:-${HOME:-/var/tmp}/.cache}/elfault/kernels}

mkdir -p "$kept"

newest() {
	find "$kept" -maxdepth 1 -name "vmlinuz-$version.*" | sort -V | tail -n 1
}

image=$(newest)
if [ -z "$image" ]; then
	for command in apt-cache apt-get dpkg-deb; do
		command -v "$command" >/dev/null || { echo "$command is not installed" && exit 1; }
	done
	package=$(apt-cache pkgnames "linux-image-$version." | grep -- '-cloud-amd64$' | sort -V | tail -n 1 || true)
	[ -n "$package" ] || { echo "the package sources have no linux-image-$version.*-cloud-amd64" && exit 1; }
	work=$(mktemp -d "$kept/.new.XXXXXX")
	trap 'rm -rf "$work"' EXIT
	cd "$work"
	apt-get -q download "$package" >log 2>&1 || { echo "$package: $(grep '^E:' log | tail -n 1)" && exit 1; }
	dpkg-deb --fsys-tarfile ./*.deb | tar -x --wildcards './boot/vmlinuz-*'
	mv boot/vmlinuz-* "$kept"
	image=$(newest)
fi
echo "$image"
