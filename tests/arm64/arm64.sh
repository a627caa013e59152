#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# elfault for arm64, built here and run by qemu-user: it answers as elfault of this machine does, byte for byte, and
# that one reads files of arm64 as other tools do.
#   arm64.sh ELFAULT ELFDUMP SOURCE BUILD
# The tree is kept in BUILD. With ELFAULT_ALL the unit tests run there as well.
set -uo pipefail
native=$(realpath "$1") elfdump=$(realpath "$2") source=$3 build=$4
fixtures=$source/fixtures elf=$build/tests/fixtures
tree=$build/tests/arm64/tree crossed=$build/tests/arm64/elfault

skip_all() {
	echo "1..0 # SKIP $1"
	exit 0
}
for command in aarch64-linux-gnu-gcc qemu-aarch64; do
	# Debian 12 has gcc-multilib, which 32-bit programs need, or a cross compiler, not both.
	command -v "$command" >/dev/null || skip_all "$command is not installed (apt install gcc-aarch64-linux-gnu qemu-user, which removes gcc-multilib)"
done
root=$("$source/tests/arm64/sysroot.sh") || skip_all "${root##*$'\n'}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

n=0 failed=0
is() { # SENTENCE OFFENDERS
	n=$((n + 1))
	if [ -z "$2" ]; then
		echo "ok $n - $1"
	else
		echo "not ok $n - $1"
		head -n 40 <<<"$2" | sed 's/^/# /'
		failed=1
	fi
}
finish() {
	echo "1..$n"
	exit $failed
}

# ---- The build ---------------------------------------------------------------------------------

mkdir -p "$build/tests/arm64"
cat >"$work/cross.ini" <<-END
	[binaries]
	c = [$(command -v ccache >/dev/null && echo "'ccache', ")'aarch64-linux-gnu-gcc', '--sysroot=$root']
	ar = 'aarch64-linux-gnu-gcc-ar'
	strip = 'aarch64-linux-gnu-strip'
	pkgconfig = 'pkg-config'
	exe_wrapper = ['qemu-aarch64', '-L', '$root']
	[properties]
	sys_root = '$root'
	pkg_config_libdir = ['$root/usr/lib/aarch64-linux-gnu/pkgconfig', '$root/usr/share/pkgconfig']
	[host_machine]
	system = 'linux'
	cpu_family = 'aarch64'
	cpu = 'aarch64'
	endian = 'little'
END
cmp -s "$work/cross.ini" "$tree.ini" || rm -rf "$tree"
cp "$work/cross.ini" "$tree.ini"
all=${ELFAULT_ALL:+true}
# Not optimized it compiles in a quarter of the time, of which the few answers here lose a part.
built=$({
	[ -f "$tree/build.ninja" ] || meson setup "$tree" "$source" --cross-file "$tree.ini" -Dtests="${all:-false}" \
		-Doptimization=0 -Ddebug=false -Dgraphviz=disabled -Dman=disabled
} 2>&1 && {
	[ -z "$all" ] || meson configure "$tree" -Dtests=true
} 2>&1 && ninja -C "$tree" cli/elfault 2>&1) || {
	is "elfault builds for arm64" "$(tail -n 40 <<<"$built")"
	finish
}
printf '#!/bin/sh\nexec qemu-aarch64 -L "%s" "%s" "$@"\n' "$root" "$tree/cli/elfault" >"$crossed"
chmod +x "$crossed"
machine=$("$native" map --format json "$tree/cli/elfault" | jq -r .machine)
is "elfault builds for arm64, without a warning" \
	"$(grep 'warning:' <<<"$built"; [ "$machine" = aarch64 ] || echo "it is of $machine")"

# ---- Answers -----------------------------------------------------------------------------------

cd "$work" || exit 1
refuses() { # MESSAGE ARGUMENT...
	local message=$1 said status
	shift
	said=$("$crossed" "$@" 2>&1 >/dev/null)
	status=$?
	[ $status = 125 ] || echo "exit status $status"
	[ "$said" = "$message" ] || echo "$said"
	compgen -G 'trace*'
}
yet="is not supported on this processor yet, only on x86-64"
is "record says that it cannot, and leaves nothing" \
	"$(refuses "elfault: recording $yet; traces from there can be analyzed here" record -o trace -- true)"
is "order --exact says that it cannot" \
	"$(refuses "elfault: --exact $yet; make the order from a trace" order --exact -o trace -- true)"

golden=$(HAS_GRAPHVIZ=0 "$source/tests/golden/run.sh" "$crossed" "$source/tests/golden" "$fixtures/traces" "$elf")
is "it prints what the golden files have: $(grep -c '^ok' <<<"$golden") of them" "$(grep -v -e '^ok' -e '^1\.\.' <<<"$golden")"

same() { # ARGUMENT...: what differs between the two
	local file
	rm -f native.* crossed.*
	"$native" "${@//OUT/native}" >native.out 2>native.err
	echo "exit status $?" >>native.out
	"$crossed" "${@//OUT/crossed}" >crossed.out 2>crossed.err
	echo "exit status $?" >>crossed.out
	sed -i 's/crossed\./native./' crossed.out crossed.err
	for file in *.html; do
		[ ! -f "$file" ] || { "$source/tests/arm64/page.py" "$file" >"$file.unpacked" && rm "$file"; }
	done
	for file in native.*; do
		cmp "$file" "${file/native/crossed}" 2>&1 | sed "s|^|$*: |"
	done
}
arm64_files=("$root"/lib/aarch64-linux-gnu/{libc.so.6,ld-linux-aarch64.so.1} "$root"/usr/bin/python3.*
	"$root"/usr/lib/aarch64-linux-gnu/lib{stdc++.so.6,dw.so.1,sqlite3.so.0})
for file in "$native" /lib/x86_64-linux-gnu/libc.so.6 /bin/bash "$tree/cli/elfault" "${arm64_files[@]}"; do
	is "the same of $(basename "$file") ($("$native" map --format json "$file" | jq -r .machine))" \
		"$(same map --format json --symbols all --page-size 65536 "$file")"
done
offenders=
for trace in "$fixtures"/traces/*.txt; do
	sed "s|path=\"/elf/|path=\"$elf/|" "$trace" >"trace-$(basename "$trace")"
	trace=trace-$(basename "$trace")
	offenders+=$(same analyze --format json --faults "$trace"; same report "$trace" -o OUT.html
		same report "$trace" -o OUT.svg; same export --to pprof "$trace" -o OUT.pb.gz)
done
is "the same answers, pages, pictures and profiles of $(find . -name 'trace-*' | wc -l) traces" "$offenders"
is "the same comparison, as JSON and as a page" \
	"$(same diff --format json trace-start.txt trace-restart.txt; same diff trace-start.txt trace-restart.txt -o OUT.html)"

# ---- Files of arm64, read here -----------------------------------------------------------------

compared=$(python3 "$source/tests/objects/compare.py" --foreign aarch64-linux-gnu-objdump "$native" "$elfdump" \
	"$build/docs/schema/map.schema.json" "$tree/cli/elfault" "${arm64_files[@]}")
is "arm64 files read as binutils and LLVM read them: $(grep -c '^ok' <<<"$compared") comparisons" \
	"$(grep -v -e '^ok' -e '^1\.\.' <<<"$compared"; [[ $compared == *$'\n1..'* ]] || echo "it did not come to its end")"

# ---- Its unit tests ----------------------------------------------------------------------------

# cmocka's own TAP has `not ok` for a skipped case. In qemu-user these cannot pass: it has no openat2(), which --sysroot
# needs, puts the heap right behind .bss, and is /proc/self/exe.
beyond_qemu=' aspace depot identity libelfmap '
if [ -n "$all" ]; then
	offenders=$(ninja -C "$tree" 2>&1 | grep -e '^FAILED' -e 'error:')
	count=0
	for program in "$tree"/tests/unit/test_*; do
		name=${program##*/test_}
		if [ ! -f "$program" ] || [[ $beyond_qemu == *" $name "* ]]; then
			continue
		fi
		count=$((count + 1))
		said=$(ELF_FIXTURES=$elf timeout 600 qemu-aarch64 -L "$root" "$program" 2>&1)
		status=$?
		problem=$(grep '^not ok' <<<"$said" | grep -v '# SKIP')
		[ -z "$problem" ] && [ $status -lt 124 ] || offenders+=$'\n'"$name, status $status: $problem"
	done
	[ $count -gt 100 ] || offenders+=$'\n'"only $count programs were built"
	is "its unit tests pass: $count programs" "$offenders"
else
	n=$((n + 1))
	echo "ok $n - its unit tests pass # SKIP only script/test --all builds and runs them"
fi
finish
