#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# script/release on a repository of these files: what it refuses, and that one commit gives the same bytes twice.
#   release.sh ROOT
set -uo pipefail
root=$1
command -v git >/dev/null && [ -e "$root/.git" ] || {
	echo "1..0 # SKIP not a git checkout"
	exit 0
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a

n=0 failed=0
result() { # SENTENCE STATUS
	n=$((n + 1))
	if [ "$2" = 0 ]; then
		echo "ok $n - $1"
	else
		echo "not ok $n - $1"
		tail -n 20 "$work/log" | sed 's/^/# /'
		failed=1
	fi
}
refuses() { # WORDS
	! script/release "$work/out" >"$work/log" 2>&1 && grep -qF -- "$1" "$work/log" && [ ! -e "$work/out" ] &&
		[ -z "$(git tag)" ]
}
commit() {
	git add -A && git commit -q -m "$1"
}
echo 1..9

# Fixtures and pictures are most of it, and nothing to a release.
mkdir "$work/tree"
(
	cd "$root" || exit
	git ls-files -co --exclude-standard -z ':!fixtures/corpus' ':!docs/pictures' |
		while IFS= read -rd '' file; do [ ! -e "$file" ] || printf '%s\0' "$file"; done | tar -c --null -T -
) | tar -C "$work/tree" -x
cd "$work/tree" || exit 1
git init -q . && commit one
version=$(sed -n "s/^ *version: '\(.*\)',$/\1/p" meson.build | head -n 1)

# As it is between releases, whatever state that is in.
sed -i '/^## \[[0-9]/,$d; s/^## \[Unreleased\].*/## [Unreleased]\n\n- A line./' CHANGELOG.md
refuses "the tree has changes"
result "changes that are not committed are refused" $?
commit two
refuses "CHANGELOG.md has no section '## [$version]"
result "a version that the changelog does not have is refused" $?
printf '\n## [%s] - 2026-11-23\n\n### Added\n\n- Everything.\n' "$version" >>CHANGELOG.md
commit three
refuses "lines under Unreleased"
result "lines that are of no release are refused" $?
sed -i '/^## \[Unreleased\]/,/^## \[[0-9]/ { /^## /!d }' CHANGELOG.md
sed -i "1s/.*/elfault (0.0.9) unstable; urgency=medium/" debian/changelog
commit four
refuses "not with 'elfault ($version)"
result "a package of another version is refused" $?
sed -i "1s/.*/elfault ($version) unstable; urgency=medium/" debian/changelog
commit five

script/release "$work/out" >"$work/log" 2>&1 && (cd "$work/out" && sha256sum --quiet -c "elfault-$version.sha256") >>"$work/log" 2>&1
result "a release has a tarball, its parts and their hashes" $?
git cat-file tag "v$version" >"$work/log" && grep -qxF -- "- Everything." "$work/log"
result "its tag has what the changelog says" $?

git clone -q "$work/tree" "$work/another folder" && (cd "$work/another folder" && script/release "$work/again") >"$work/log" 2>&1 &&
	diff -r "$work/out" "$work/again" >>"$work/log"
result "made elsewhere it is the same, byte for byte" $?

tar -C "$work" -xf "$work/out/elfault-$version.tar.xz" && [ "$(cat "$work/elfault-$version/.version")" = "$version" ] &&
	diff -r --exclude=.git --exclude=.version "$work/tree" "$work/elfault-$version" >"$work/log"
result "the tarball has the tree, and knows its version" $?

python3 - "$work/out/elfault-$version.spdx.json" "$version" >"$work/log" 2>&1 <<'END'
import json, re, sys
document = json.load(open(sys.argv[1]))
names = {package["SPDXID"]: package for package in document["packages"]}
assert document["spdxVersion"] == "SPDX-2.3" and document["SPDXID"] == "SPDXRef-DOCUMENT"
assert names["SPDXRef-elfault"]["versionInfo"] == sys.argv[2]
assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", document["creationInfo"]["created"])
ends = {end for row in document["relationships"] for end in (row["spdxElementId"], row["relatedSpdxElement"])}
assert ends == {"SPDXRef-DOCUMENT", *names}, ends ^ set(names)
for package in names.values():
    assert re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", package["SPDXID"]), package
    assert package["licenseDeclared"] != "NOASSERTION", f"script/sbom.py does not know the license of {package['name']}"
for name in "libdw", "libelf", "libzstd", "capstone":
    assert names[f"SPDXRef-{name}"]["versionInfo"]
END
result "each library has a version and a license" $?
exit $failed
