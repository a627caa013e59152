#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The version that a build prints: of a tarball, of a checkout, of a tag; and what is said of unknown commands.
#   test_version.sh ELFAULT VERSION.SH
set -uo pipefail
elfault=$(realpath "$1") version=$(realpath "$2")
command -v git >/dev/null || {
	echo "1..0 # SKIP git is not installed"
	exit 0
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a

n=0 failed=0
is() { # SENTENCE PATTERN WORDS
	n=$((n + 1))
	if [[ $3 =~ ^$2$ ]]; then
		echo "ok $n - $1"
	else
		echo "not ok $n - $1"
		echo "# '$3' does not match '$2'"
		failed=1
	fi
}
commit() {
	git -C "$work" commit -q --allow-empty -m "$1"
}

echo 1..17
is "elfault prints it" 'elfault [0-9]+\.[0-9]+\.[0-9]+((-[0-9]+)?-g[0-9a-f]+)?(-dirty)?' "$("$elfault" --version | head -n 1)"
# As pkg-config knows them, where a library tells its version to the last number.
libraries() {
	local library package
	for library in elfutils:libdw json-c:json-c xxhash:libxxhash zstd:libzstd libsmartcols:smartcols zlib:zlib; do
		package=$(pkg-config --modversion "${library#*:}") || continue
		"$elfault" --version | grep -qx "${library%:*} *$package" || echo "$library $package"
	done
}
is "the versions of libraries are theirs" '' "$(libraries)"
is "a command has the same --version" "$("$elfault" --version)" "$("$elfault" analyze --version)"
is "-V is --version" "$("$elfault" --version)" "$("$elfault" -V)"
is "a command mistyped is asked about" ".*unknown command 'anaylze' .did you mean analyze..; .*" "$("$elfault" anaylze 2>&1)"
is "the start of one is" '.*did you mean report\?.*' "$("$elfault" rep 2>&1)"
is "letters dropped and added are" '.*did you mean doctor\?.*' "$("$elfault" docotrs 2>&1)"
is "what is like none is not" "elfault: unknown command 'frobnicate'; .elfault --help. lists all commands" "$("$elfault" frobnicate 2>&1)"
is "however long" "elfault: unknown command 'a+'; .elfault --help. lists all commands" "$("$elfault" "$(printf 'a%.0s' {1..1000})" 2>&1)"
is "without a repository it is the version alone" 1.2.3 "$("$version" "$work" 1.2.3)"
echo 1.2.3-4-gabcdef0 >"$work/.version"
is "a tarball says where it was made" 1.2.3-4-gabcdef0 "$("$version" "$work" 1.2.3)"
git init -q "$work"
commit one
commit two
is "in a checkout without the tag all commits count" '1\.2\.3-2-g[0-9a-f]{7}' "$("$version" "$work" 1.2.3)"
git clone -q --depth 1 "file://$work" "$work/shallow"
is "a shallow clone does not count" '1\.2\.3-g[0-9a-f]{7}' "$("$version" "$work/shallow" 1.2.3)"
git -C "$work" tag v1.2.3
is "at the tag it is the version alone" '1\.2\.3' "$("$version" "$work" 1.2.3)"
commit three
is "past the tag the commits since then count" '1\.2\.3-1-g[0-9a-f]{7}' "$("$version" "$work" 1.2.3)"
touch "$work/file"
git -C "$work" add file
is "changes are said" '1\.2\.3-1-g[0-9a-f]{7}-dirty' "$("$version" "$work" 1.2.3)"
mkdir "$work/unpacked"
is "a tarball unpacked in another repository does not take its commits" 1.2.3 \
	"$("$version" "$work/unpacked" 1.2.3)"
exit $failed
