#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `meson install` of this build: what it installs, that nothing of it says where it was built, and that `ninja
# uninstall` leaves nothing.
#   install.sh BUILD ROOT
set -uo pipefail
build=$1 root=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

n=0 failed=0
result() { # SENTENCE STATUS
	n=$((n + 1))
	if [ "$2" = 0 ]; then
		echo "ok $n - $1"
	else
		echo "not ok $n - $1"
		sed 's/^/# /' "$work/log"
		failed=1
	fi
}
prefix=$(meson introspect "$build" --buildoptions | python3 -c '
import json, sys
print(next(option["value"] for option in json.load(sys.stdin) if option["name"] == "prefix"))')
echo 1..6

meson install -C "$build" --no-rebuild --quiet --destdir "$work/tree" >"$work/log" 2>&1
result "it installs into DESTDIR" $?

cd "$work/tree$prefix" && for path in bin/elfault bin/elfault-prefetch share/man/man1/elfault-record.1 \
	share/man/man5/elfault-trace.5 share/bash-completion/completions/elfault share/zsh/site-functions/_elfault \
	share/fish/vendor_completions.d/elfault.fish share/doc/elfault/README.md share/doc/elfault/docs/budget.md; do
	[ -f "$path" ] || echo "$path"
done >"$work/log"
[ ! -s "$work/log" ]
result "programs, manual, completion and documentation are there" $?

# An empty list is one: elfault says it if it has to ask by itself.
if [ -f bin/elfault-prefetch ]; then
	printf 'elfault-prefetch 1\nend 0 0\n' >"$work/list"
	PATH=/usr/bin:/bin bin/elfault prefetch --from "$work/list" -- sh -c 'exit 7' >"$work/log" 2>&1
	[ $? = 7 ] && [ ! -s "$work/log" ]
	result "elfault finds elfault-prefetch beside itself" $?
else
	result "elfault-prefetch beside elfault # SKIP no static libc" 0
fi

# Tests, scripts and static libraries of folders stay.
find . -type f | grep -vE '^\./(bin/elfault(-prefetch|-recorder)?|(lib|include)/.*elfmap.*|share/(man|bash-completion|zsh|fish|doc/elfault)/.*)$' >"$work/log"
[ ! -s "$work/log" ]
result "nothing else is" $?

grep -rlaF -e "$root" -e "$build" . >"$work/log"
[ ! -s "$work/log" ]
result "no file says where it was built" $?

cd / && ninja -C "$build" uninstall >"$work/log" 2>&1 && [ ! -e "$work/tree" ]
result "ninja uninstall takes it away, with the folders that it made" $?
exit $failed
