#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# libelfmap as it is installed: what it exports and may call, its header alone, and a program that is
# built with pkg-config only, whose answers are those of readelf, nm and addr2line.
#   test_libelfmap.sh CC BUILD ROOT FILE…     FILEs to name bytes of
set -uo pipefail
cc=$1 build=$2 root=$3
shift 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

n=0 failed=0
result() { # sentence, status
	n=$((n + 1))
	if [ "$2" = 0 ]; then
		echo "ok $n - $1"
	else
		echo "not ok $n - $1"
		sed 's/^/# /' "$work/err"
		failed=1
	fi
	: >"$work/err"
}
: >"$work/err"

echo 1..9
meson install -C "$build" --no-rebuild --quiet --tags runtime,devel --destdir "$work/root" \
	>"$work/err" 2>&1
result "it is installed below DESTDIR" $?

pc=$(find "$work/root" -name libelfmap.pc)
export PKG_CONFIG_PATH=${pc%/*} PKG_CONFIG_SYSROOT_DIR=$work/root
libdir=$(dirname "${pc%/*}")
library=$libdir/libelfmap.so

# The header is compiled as a program meets it, without any other; pedantry is the compiler's own.
header() { # compiler, standard, language
	printf '#include <elfmap.h>\nenum elfmap_status use(void);\n' >"$work/header.$3"
	printf 'enum elfmap_status use(void) { return elfmap_file_open("", 0, 0, 0); }\n' >>"$work/header.$3"
	# shellcheck disable=SC2046 # words of a command line
	"$1" "-std=$2" -Wall -Wextra -Wpedantic -Wconversion -Werror -fsyntax-only \
		$(pkg-config --cflags libelfmap) "$work/header.$3" 2>>"$work/err"
}
status=0
for compiler in "$cc" gcc clang-14; do
	command -v "$compiler" >/dev/null || continue
	for standard in c99 c11 c17; do
		header "$compiler" "$standard" c || status=1
	done
done
for compiler in g++ clang++-14; do
	command -v "$compiler" >/dev/null || continue
	for standard in c++98 c++11 c++20; do
		header "$compiler" "$standard" cc || status=1
	done
done
result "its header alone compiles as C and C++" $status

# Each name with the version that brought it, and no other.
sed -nE 's/^\t(elfmap_file_\w+);$/\1@@LIBELFMAP_0.1/p' "$root/libelfmap/libelfmap.map" | sort >"$work/expected"
nm -D --defined-only "$library" | awk '$2 == "T" { print $3 } $2 !~ /[TA]/' | sort |
	diff "$work/expected" - >"$work/err" && [ -s "$work/expected" ] &&
	readelf -d "$library" | grep -q 'soname: \[libelfmap.so.0\]'
result "it exports what its header declares, each with its version, and has a soname" $?

nm -g --defined-only "$libdir/libelfmap.a" | awk 'NF == 3 { print $3 }' | sort |
	diff <(sed 's/@.*//' "$work/expected") - >"$work/err"
result "the archive has no other names either" $?

diff <(sed -nE 's/^(const char \*|void |enum elfmap_status )(elfmap_file_\w+)\(.*/\2/p' \
	"$root/libelfmap/elfmap.h" | sort) <(sed 's/@.*//' "$work/expected") >"$work/err"
result "header and version script name the same functions" $?

# What it does not refer to it cannot do: end the process, print, change signals or the environment.
nm -D --undefined-only "$library" | awk '{ sub(/@.*/, "", $2); print $2 }' |
	grep -xE '_*(exit|_exit|_Exit|quick_exit|abort|__assert.*|raise|kill|error|errx?|warnx?|verrx?|vwarnx?|perror|psignal|(__)?v?f?printf(_chk)?|(__)?v?dprintf(_chk)?|f?puts|f?putc|putchar|fwrite|write|std(out|err)|syslog|signal|sigaction|setenv|putenv|setlocale|chdir|umask|system|popen|fork|execv.*)' \
		>"$work/err"
[ ! -s "$work/err" ]
result "it calls nothing that ends the process or prints" $?

# shellcheck disable=SC2046
"$cc" -std=c11 -Wall -Wextra -Wpedantic -Werror "$root/docs/examples/atoffset.c" -o "$work/shared" \
	$(pkg-config --cflags --libs libelfmap) "-Wl,-rpath,$libdir" 2>"$work/err" &&
	readelf -d "$work/shared" | grep -q 'Shared library: \[libelfmap.so.0\]'
result "a program is built with pkg-config" $?

# shellcheck disable=SC2046
"$cc" "$root/docs/examples/atoffset.c" -o "$work/static" $(pkg-config --cflags libelfmap) \
	"$libdir/libelfmap.a" $(PKG_CONFIG_SYSROOT_DIR='' pkg-config --libs liblzma zlib libzstd) 2>"$work/err" &&
	"$work/static" "$work/shared" 0 64 >"$work/by-static" 2>"$work/err" &&
	"$work/shared" "$work/shared" 0 64 | cmp - "$work/by-static" >"$work/err" &&
	[ "$(head -n 1 "$work/by-static")" = "0 [elf-header] elf-header+0" ]
result "a program with the archive in it answers the same" $?

python3 "$root/tests/support/bytenames.py" "$work/shared" "$@" >"$work/err" 2>&1
status=$?
[ $status = 0 ] && sed 's/^/# /' "$work/err"
result "sections and names are those of readelf, nm and addr2line" $status
exit $failed
