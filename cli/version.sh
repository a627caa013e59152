#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Print the version: VERSION itself at the commit tagged vVERSION, elsewhere in a checkout VERSION-N-gCOMMIT:
# N commits after that tag, or in all while there is none, and -dirty with changes. A shallow clone cannot
# tell N and leaves it out. In a tarball it is what was printed where it was made, which its file .version
# has; without one VERSION itself.
#   version.sh ROOT VERSION
set -eu
root=$1 version=$2
cd "$root"

if [ -f .version ] && [ ! -e .git ]; then
	cat .version
	exit
fi
# Not of a repository that the tarball was unpacked in.
if [ ! -e .git ] || ! found=$(git describe --tags --always --dirty --abbrev=7 --match "v$version" 2>/dev/null); then
	echo "$version"
	exit
fi
case $found in
v*) echo "${found#v}" ;;
*)
	if [ "$(git rev-parse --is-shallow-repository)" = true ]; then
		echo "$version-g$found"
		exit
	fi
	echo "$version-$(git rev-list --count HEAD)-g$found"
	;;
esac
