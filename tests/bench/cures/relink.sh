#!/usr/bin/env bash
# The cures for a start that relocation and lookup dominate, on programs that Debian ships: ld.lld or clang 19 linked
# again from its static archives as the findings of `elfault analyze` say, with an order file by `elfault order
# --exact`, and each step compared with Debian's own by `elfault diff`. docs/cases/relink.md has the answers.
#     tests/bench/cures/relink.sh ld.lld|clang FOLDER [ROUNDS]
# Needs root (a loop device with 128 KiB of read-ahead for the cold starts), lld, g++, zlib1g-dev, libzstd-dev,
# libtinfo-dev; downloads 115 MB of packages into FOLDER, which grows to 2 GiB.
set -euo pipefail
program=$1
rounds=${3:-7}
# shellcheck source=tests/bench/cures/common.sh
. "$(dirname "$0")/common.sh"
folder=$(realpath -m "$2")

case $program in
ld.lld) source=lld.cc debian=lld ;;
clang) source=clang.cc debian=clang ;;
*) echo "relink.sh: ld.lld or clang, not $program" >&2 && exit 2 ;;
esac

llvm=$folder/packages/usr/lib/llvm-19
if [ ! -f "$llvm/lib/libclangDriver.a" ] || [ ! -e "$llvm/bin/lld" ]; then
	mkdir -p "$folder/packages"
	(cd "$folder/packages" && apt-get download llvm-19-dev liblld-19 liblld-19-dev libclang-19-dev libpolly-19-dev \
		libllvm19 libclang-cpp19 lld-19 clang-19 libclang-common-19-dev &&
		for package in *.deb; do dpkg -x "$package" .; done)
fi

# What differs between the programs is read from this device.
attach "$folder"

# install NAME FILE: a program with those of its libraries that are not this machine's.
install() {
	local to=$folder/disk/$1
	mkdir -p "$to/bin" "$to/lib"
	cp -L "$2" "$to/bin/$program"
	{ ldd "$2" 2>/dev/null || true; } | awk -v folder="$folder/" 'index($3, folder) { print $3 }' |
		while read -r library; do cp -L "$library" "$to/lib/"; done
}

archives() { # all of LLVM: the linker takes what is needed
	local archive
	echo -Wl,--start-group
	for archive in "$llvm"/lib/*.a; do
		case ${archive##*/} in
		liblldELF.a | liblldCommon.a) [ "$program" = ld.lld ] && echo "$archive" ;;
		liblld*) ;;
		libclang-* | libclangTidy* | libclangDaemon* | libclangd*) ;;
		libclang*) [ "$program" = clang ] && echo "$archive" ;;
		libLLVM-*) ;;
		libLLVM* | libPolly*) echo "$archive" ;;
		esac
	done
	printf '%s\n' -Wl,--end-group -lz -lzstd -ltinfo
}
mapfile -t archives < <(archives)

# link NAME OPTION…: Z3, a solver that the analyzer has behind an option, is left out.
link() {
	g++ -fuse-ld=lld -O2 -o "$folder/$1" "$folder/$program.o" "${@:2}" \
		-Wl,--unresolved-symbols=ignore-all "${archives[@]}"
	install "$1" "$folder/$1"
}

g++ -std=c++17 -O2 -ffunction-sections -fno-rtti -I"$llvm/include" -c "$here/$source" -o "$folder/$program.o"
install debian "$llvm/bin/$debian"
link static -no-pie -Wl,--gc-sections
link static-all -no-pie -Wl,--gc-sections -static-libstdc++ -static-libgcc
ordered=$folder/$program.order
(cd "$folder/disk/static-all" && "$elfault" order --exact -o "$ordered" -- "bin/$program" --version >/dev/null)
link ordered -no-pie -Wl,--gc-sections -static-libstdc++ -static-libgcc "-Wl,--symbol-ordering-file=$ordered" \
	-Wl,--no-warn-symbol-ordering
"$elfault" order --verify "$ordered" "$folder/static-all" "$folder/ordered"

compare "$program" "$rounds" debian static static-all ordered
