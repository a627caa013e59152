#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A program built from source as elfault says: git of Debian's source package, with the default options, then with
# what `elfault whatif` and the findings name. docs/cases/source.md has the answers.
#     tests/bench/cures/source.sh FOLDER [ROUNDS]
# Needs root (a loop device), apt, make, gcc, lld, zlib1g-dev; downloads 7 MB and takes 2 processor minutes.
set -euo pipefail
rounds=${2:-7}
# shellcheck source=tests/bench/cures/common.sh
. "$(dirname "$0")/common.sh"
folder=$(realpath -m "$1")

if ! compgen -G "$folder/git_*.orig.tar.xz" >/dev/null; then
	mkdir -p "$folder/parts" "$folder/lists/partial"
	for list in /etc/apt/sources.list.d/*.sources; do
		sed 's/^Types: .*/Types: deb-src/' "$list" >"$folder/parts/${list##*/}"
	done
	if [ -s /etc/apt/sources.list ]; then
		sed -n 's/^deb /deb-src /p' /etc/apt/sources.list >"$folder/parts/sources.list"
	fi
	lists=(-o Dir::Etc::SourceList=/dev/null -o "Dir::Etc::SourceParts=$folder/parts"
		-o "Dir::State::Lists=$folder/lists")
	apt-get -q "${lists[@]}" update
	(cd "$folder" && apt-get -q "${lists[@]}" source --download-only git)
fi
rm -rf "$folder/git"
mkdir "$folder/git"
tar -xf "$folder"/git_*.orig.tar.xz -C "$folder/git" --strip-components=1
attach "$folder"

# build NAME OPTION...: links with these.
build() {
	rm -f "$folder/git/git"
	make -s -C "$folder/git" -j"$(nproc)" CFLAGS="-O2 -ffunction-sections" LDFLAGS="${*:2}" git \
		NO_{OPENSSL,CURL,EXPAT,GETTEXT,TCLTK,PERL,PYTHON}=1
	mkdir -p "$folder/disk/$1/bin"
	cp "$folder/git/git" "$folder/disk/$1/bin/"
}

order=$folder/git.order
build plain
"$elfault" record -o "$folder/plain.trace" -- "$folder/disk/plain/bin/git" --version
"$elfault" whatif "$folder/plain.trace"
build static -static
"$elfault" order --exact -o "$order" -- "$folder/disk/static/bin/git" --version
build ordered -static -fuse-ld=lld -Wl,--gc-sections "-Wl,--symbol-ordering-file=$order" \
	-Wl,--no-warn-symbol-ordering
"$elfault" order --verify "$order" "$folder/disk/static/bin/git" "$folder/disk/ordered/bin/git"
compare git "$rounds" plain static ordered
