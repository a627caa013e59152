#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Make libelfmap.a of one object, whose only global names are those of the version script: whoever
# links it meets no name of ours, such as arena_alloc, nor of libiberty.
#   archive.sh OBJCOPY AR MAP OUTPUT LINKER-COMMAND…
set -euo pipefail
objcopy=$1 ar=$2 map=$3 output=$4
shift 4

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sed -nE 's/^\t(elfmap_\w+);$/\1/p' "$map" >"$work/names"
mapfile -t wanted < <(sed 's/^/-Wl,-u,/' "$work/names")
"$@" -r -nostdlib -o "$work/all.o" "${wanted[@]}"
"$objcopy" --keep-global-symbols="$work/names" "$work/all.o" "$work/elfmap.o"
rm -f "$output"
"$ar" rcsD "$output" "$work/elfmap.o"
