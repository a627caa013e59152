#!/usr/bin/env bash
# The cures for a start that relocation and lookup dominate, on programs that Debian ships: ld.lld or clang 19 linked
# again from its static archives as the findings of `elfault analyze` say, with an order file by `elfault order
# --exact`, and each step compared with Debian's own by `elfault diff`. docs/cases/relink.md has the answers.
#     tests/bench/cures/relink.sh ld.lld|clang FOLDER [ROUNDS]
# Needs root (a loop device with 128 KiB of read-ahead for the cold starts), lld, g++, zlib1g-dev, libzstd-dev,
# libtinfo-dev; downloads 115 MB of packages into FOLDER, which grows to 2 GiB.
set -euo pipefail
program=$1
folder=$(realpath -m "$2")
rounds=${3:-7}
here=$(cd "$(dirname "$0")" && pwd)
elfault=$(realpath "$here/../../../${ELFAULT_BUILD:-build}/cli/elfault")
export LC_ALL=C

case $program in
ld.lld) source=lld.cc debian=lld ;;
clang) source=clang.cc debian=clang ;;
*) echo "relink.sh: ld.lld or clang, not $program" >&2 && exit 2 ;;
esac

llvm=$folder/packages/usr/lib/llvm-19
if [ ! -f "$llvm/lib/libclangDriver.a" ] || [ ! -e "$llvm/bin/lld" ]; then
	mkdir -p "$folder/packages"
	(cd "$folder/packages" && apt-get download llvm-19-dev liblld-19-dev libclang-19-dev libpolly-19-dev \
		libllvm19 libclang-cpp19 lld-19 clang-19 libclang-common-19-dev &&
		for package in *.deb; do dpkg -x "$package" .; done)
fi

# What differs between the programs is read from this device.
device=
finish() {
	mountpoint -q "$folder/disk" && umount "$folder/disk"
	[ -z "$device" ] || losetup -d "$device"
}
trap finish EXIT
mkdir -p "$folder/disk"
truncate -s 2G "$folder/image"
mkfs.ext4 -q -F "$folder/image"
device=$(losetup --find --show "$folder/image")
mount "$device" "$folder/disk"
echo 128 >"/sys/block/${device#/dev/}/queue/read_ahead_kb"

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

# In turn, so that what else the machine does falls on all alike.
names=(debian static static-all ordered)
for name in "${names[@]}"; do
	rm -rf "$folder/$name".{warm,cold}
	mkdir "$folder/$name".{warm,cold}
done
for ((round = 1; round <= rounds; round++)); do
	for name in "${names[@]}"; do
		command=("$folder/disk/$name/bin/$program" --version)
		"${command[@]}" >/dev/null
		"$elfault" record -o "$folder/$name.warm/$round.trace" -- "${command[@]}" >/dev/null
		"$elfault" record "--cold=$folder/$name.warm/1.trace" \
			-o "$folder/$name.cold/$round.trace" -- "${command[@]}" >/dev/null
	done
done 2>"$folder/record.log"
for way in warm cold; do
	for name in "${names[@]:1}"; do
		echo "== $program, $way: as Debian links it, and $name"
		"$elfault" diff "$folder/debian.$way" "$folder/$name.$way" | head -60
	done
done
