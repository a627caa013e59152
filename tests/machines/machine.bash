# SPDX-License-Identifier: Apache-2.0
# The program of the guest of machine.bats, and how it is built and booted. Sourced. All is in the folder W; the guest has
# its part `out` as /disk/out.

PATH+=:/usr/sbin:/sbin # of mke2fs and debugfs, for ordinary users

# What a command is run by so that it has no privilege. By its path: busybox has a smaller one.
as_user="$(command -v setpriv) --reuid 65534 --regid 65534 --clear-groups --bounding-set -all --inh-caps -all"

# there NAME COMMAND...: a line for the guest.
there() {
	echo "$*" >>"$W/commands"
}

# needs FILE...: those that exist.
needs() {
	local file
	for file; do
		[ ! -e "$file" ] || echo "$file" >>"$W/files"
	done
}

# truths NAME LINKER MODE...: programs with a table of initiators (fixtures/programs/NAME.truth), as lines of the
# script `truths`, which says the number of each process. stripped-MODE: without .symtab.
truths() {
	local name=$1 linker=$2 mode program tags path argument
	shift 2
	for mode; do
		program=$name-$linker-${mode#stripped-}
		tags=$linker,${mode#stripped-}
		tags=${tags/musl-/musl,}
		path=$PROGRAMS/$program
		[ -e "$path" ] || continue # no such linker, no g++ or no musl-gcc
		if [[ $mode = stripped-* ]]; then
			tags+=,stripped
			strip -o "$W/stripped/$program" "$path"
			path=$W/stripped/$program
		fi
		argument=
		[ "$name" != memory ] || argument=/disk/memory
		needs "$path"
		echo "$name $tags $path $name.$linker.$mode" >>"$W/programs"
		echo "PLUGS=$PROGRAMS PLUGS_SUFFIX=-$linker.so $path $argument & echo \$! $name.$linker.$mode; wait \$!" \
			>>"$W/truths"
	done
}

# list_truths: half of the linkers on each kernel, all with ELFAULT_ALL.
list_truths() {
	local linker linkers=(bfd gold)
	[ "$KERNEL" = 6.1 ] || linkers=(lld mold)
	[ -z "${ELFAULT_ALL:-}" ] || linkers=(bfd gold lld mold)
	[ "${linkers[0]}" != bfd ] || truths starts bfd now relr relr-static-pie musl-pie musl-no-pie musl-static stripped-pie
	truths memory bfd pie
	for linker in "${linkers[@]}"; do
		truths starts "$linker" pie no-pie static static-pie
		truths binds "$linker" pie now
		truths plugs "$linker" pie
		truths jumps "$linker" pie now
		truths throws "$linker" pie static stripped-pie
		truths bare "$linker" pie static
		truths touch "$linker" pie static static-pie
		truths tls "$linker" pie static-pie
	done
}

# Sizes of stacks: what recording costs is measured for each.
sizes=(64 65536 1048576)
[ -z "${ELFAULT_ALL:-}" ] || sizes+=(256 1024 4096)

# list: the commands, and in the file `files` what they need beside their libraries.
list() {
	local size backend record="$ELFAULT record"
	local program=$PROGRAMS/touch-bfd-static
	needs "$(command -v busybox)" "$(command -v setpriv)" "$(command -v git)" /etc/passwd /lib/ld-musl-x86_64.so.1 \
		"$ELFAULT" "$program" "$PROGRAMS"/{swap,lib{left,right}.so,forks,threads,storm32,cold} \
		"$PROGRAMS"/lib*-{bfd,gold,lld,mold}.so
	# What storm32 is loaded with: ldd does not say so where the kernel runs no 32-bit programs.
	needs /lib/ld-linux.so.2 /lib32/libc.so.6
	there doctor "$ELFAULT doctor --format json"
	there auto "$record -o auto.trace -- $program"
	there doctor.user "$as_user $ELFAULT doctor --format json"
	there auto.user "$as_user $record -o auto.user.trace -- $program"
	there paranoid "sysctl -w kernel.perf_event_paranoid=2"
	there doctor.allowed "$as_user $ELFAULT doctor --format json"
	there auto.allowed "$as_user $record -o auto.allowed.trace -- $program"
	for size in "${sizes[@]}"; do
		there size.$size "$record --backend bpf --stack-size $size -o size.$size.trace -- $program"
	done
	there size.none "$record --backend bpf --no-stacks -o size.none.trace -- $program"

	there file "head -c $((8192 * 4096)) /dev/urandom >/disk/file"
	there cold "$record --backend bpf -o cold.trace -- $PROGRAMS/cold /disk/file random 3 700 701 2047 64"
	there ahead "$record --backend bpf -o ahead.trace -- $PROGRAMS/cold /disk/file normal +100 +101 +1000 all"

	printf '%s\n' "set -e" 'echo $$ -' >"$W/truths"
	list_truths
	# Fewer of each than on the host: what counts does not depend on how often, and each is emulated.
	cat >"$W/sums" <<-END
		set -e
		$PROGRAMS/swap $PROGRAMS >swap.said
		$PROGRAMS/forks 100
		$PROGRAMS/threads 10
		[ ! -e $PROGRAMS/storm32 ] || $PROGRAMS/storm32 1
		[ -z "$(command -v git)" ] || git --version
	END
	for backend in bpf perf; do
		there truths.$backend "$record --backend $backend --stack-size 32K -o truths.$backend.trace -- sh /truths"
		there sums.$backend "$record --backend $backend -o sums.$backend.trace -- sh /sums"
	done
}

# place FILE...: into the guest, at the path that each has here, and at what it is a link to.
place() {
	local file folder real
	for file; do
		real=$(realpath "$file")
		folder=$(realpath "$(dirname "$file")")
		mkdir -p "$W/root$folder" "$W/root${real%/*}"
		cp --preserve=timestamps "$real" "$W/root$real"
		[ "$folder/${file##*/}" = "$real" ] || ln -sf "$real" "$W/root$folder/${file##*/}"
	done
}

# build: initrd and what the disk has.
build() {
	local link
	mkdir "$W/root"
	for link in /bin /sbin /lib /lib64; do
		[ ! -L $link ] || ln -s "$(readlink $link)" "$W/root$link"
	done
	cp "$BATS_TEST_DIRNAME/init.sh" "$W/root/init"
	chmod 755 "$W/root/init"
	cp "$W"/{commands,truths,sums} "$W/root"
	mapfile -t files < <(sort -u "$W/files")
	mapfile -t needed < <(libraries "${files[@]}")
	place "${files[@]}" "${needed[@]}"
	(cd "$W/root" && find . | cpio --quiet -o -H newc -R 0:0 >"$W/initrd")
	rm -r "$W/root"
	mkdir -p "$W/disk/out"
	chmod 1777 "$W/disk/out" # of commands that run as others
}

# format: the disk, as it is before the guest starts.
format() {
	rm -f "$W/image"
	truncate -s 512M "$W/image"
	mke2fs -q -F -t ext4 -E root_owner=0:0 -d "$W/disk" "$W/image"
}

# run_guest KERNEL: start the guest and wait for its end. The kernel's checks of timer and progress fail where the guest
# rarely gets a processor: they are off. So is what qemu does byte by byte (rep movsb, which the kernel takes for fast)
# and the fifth level of page tables: 67 s of a processor instead of 95. No time-out of ours: meson has one.
run_guest() {
	format
	qemu-system-x86_64 -accel tcg -cpu max,-erms,-fsrm,-la57 -smp 1 -m "${GUEST_MIB:-1024}" -nodefaults -display none -no-reboot \
		-serial "file:$W/console" -kernel "$1" -initrd "$W/initrd" \
		-append "console=ttyS0 panic=-1 quiet norandmaps no_timer_check nowatchdog" \
		-drive "file=$W/image,format=raw,if=none,id=disk,cache=unsafe" -device nvme,drive=disk,serial=elfault
}

# boot KERNEL: run it all; what the guest leaves is in the folder out. The emulator may lose the processor's flags
# under load (once in 60 runs: a panic in the kernel's allocator with EFLAGS 3d8223a2, which no processor has), so a
# guest that panics starts again, and says so; what elfault does to a kernel it would do again.
boot() {
	local try
	for try in 1 2 3; do
		run_guest "$1"
		grep -q 'Kernel panic' "$W/console" || break
		echo "# the guest panicked ($try): $(grep -m 1 'EFLAGS' "$W/console")" >&3
	done
	debugfs -R "rdump /out $W" "$W/image" 2>"$W/debugfs"
	rm "$W/image" "$W/initrd"
}
