#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The file taken for the mapped one: never another of its path, whatever became of the file since.
load common

# program FILE NAME [OPTION...]: writes 16 pages of NAME_area, in touch_NAME, and waits for the file that its
# argument names, if there is one. No build-id, always one size.
program() {
	cat >program.c <<-END
		#include <string.h>
		#include <unistd.h>
		char $2_area[65536];
		const char name[] = "$2"; // which a build-id covers, unlike names of symbols
		__attribute__((noinline)) void touch_$2(void)
		{
			memset($2_area, name[0], sizeof $2_area);
		}
		int main(int argc, char **argv)
		{
			touch_$2();
			while (argc > 1 && access(argv[1], F_OK))
				usleep(1000);
			return 0;
		}
	END
	need gcc
	gcc -O1 -fno-builtin -Wl,--build-id=none "${@:3}" program.c -o "$1"
}

# has_mapped WHAT [COUNT]: the trace has so many mappings of it, or one.
has_mapped() {
	[ "$("$ELFAULT" dump trace 2>/dev/null | grep -c "^map.*$1")" -ge "${2:-1}" ]
}

# watch PATH OPTION... -- COMMAND...: record it; returns once the trace has code of PATH mapped.
watch() {
	rm -f trace
	"$ELFAULT" record -o trace "${@:2}" 2>messages 3>&- &
	is_recording
	await has_mapped "prot=r-xp path=\"$1\""
}

# What was watched may end now, by the file go.
let_end() {
	touch "${1:-go}"
	ended
}

# touched TRACE NAME: faults on symbols of this name.
touched() {
	"$ELFAULT" analyze --format json "$1" >"$1.json" 2>messages || fail "$(cat messages)"
	jq "[.objects[].by_symbol[] | select(.symbol == \"$2\") | .faults] | add // 0" "$1.json"
}

# noted TRACE WORDS: of its answer.
noted() {
	jq -r '.notes[]' "$1.json" | grep -qF -- "$2" || fail "no note '$2' in: $(jq '.notes' "$1.json")"
}

@test "a program without a build-id that was rebuilt is not taken for the recorded one" {
	need_bpf
	local backend
	for backend in bpf perf; do
		program prog first
		elfault record --backend "$backend" -o trace -- ./prog
		[ "$(touched trace first_area)" -ge 15 ]
		# Of one size, and in the same inode: only the time tells.
		program other other
		[ "$(stat -c %s prog)" = "$(stat -c %s other)" ]
		cat other >prog
		[ "$(touched trace other_area)" = 0 ]
		noted trace "prog: changed since recording (recorded modification time"
		elfault analyze ./prog trace
		[ "$code" = 1 ]
		says "./prog: modification time is" "--force to continue anyway"
		"$ELFAULT" analyze --force ./prog trace >out
		grep -q "using ./prog in place of $T/prog (--force)" out
	done
}

@test "a copy with the same time is taken for the recorded file, with a note" {
	need_bpf
	program prog first
	elfault record -o trace -- ./prog
	cp -p prog copy
	mv copy prog
	[ "$(touched trace first_area)" -ge 15 ]
	noted trace "prog: without a build-id, taken for the recorded file"
}

@test "another program of the same path in a chroot is not taken for the recorded one" {
	need_bpf
	local backend
	mkdir -p "root$T"
	program prog other -static
	program "root$T/prog" first -static
	for backend in bpf perf; do
		elfault record --backend "$backend" -o trace -- chroot root "$T/prog"
		[ "$code" = 0 ]
		[ "$(touched trace other_area)" = 0 ]
		[ "$("$ELFAULT" analyze --format ndjson trace | grep -c 'other_area\|touch_other')" = 0 ]
	done
}

@test "on overlayfs, where stat() gives another device than the kernel's records, a file is at its path" {
	need_bpf
	mkdir lower upper work merged
	mount -t tmpfs none lower || skip "cannot mount a tmpfs"
	program lower/prog first
	# The layers are on two devices, so that each has one of its own.
	mount -t overlay overlay -o lowerdir=lower,upperdir=upper,workdir=work,xino=off merged ||
		{ umount lower && skip "cannot mount an overlay"; }
	elfault record -o trace -- merged/prog
	"$ELFAULT" dump trace >dump
	touched trace first_area >faults || true
	umount merged lower
	[ "$(cat faults)" -ge 15 ]
	! grep -q elsewhere dump || fail "$(grep elsewhere dump)"
}

# kept NAME: its faults have names and a cause, though the file is nowhere to be found.
kept() {
	[ "$(touched trace "$1_area")" -ge 15 ] || fail "$(jq .notes trace.json)"
	"$ELFAULT" analyze --format ndjson trace | jq -c "select(.at.symbol == \"$1_area\")" >faults
	[ "$(jq -r .initiator faults | sort -u)" = program ]
	[ "$(jq -r '.stack[].function' faults | grep -cx "touch_$1")" -ge 15 ]
	[ "$(jq '[.notes[] | select(test("unavailable|not used"))] | length' trace.json)" = 0 ] ||
		fail "$(jq .notes trace.json)"
}

@test "a program in a chroot has names when the chroot is gone, also where another stands at its path" {
	need_bpf
	local case
	for case in "bpf none" "perf sha1"; do
		mkdir -p "root$T"
		program prog other -static -Wl,--build-id="${case#* }"
		program "root$T/prog" first -static -Wl,--build-id="${case#* }"
		watch "$T/prog" --backend "${case% *}" -- chroot root "$T/prog" /go
		let_end root/go
		rm -rf root
		kept first
		[ "$(touched trace other_area)" = 0 ]
	done
}

@test "a copy in a chroot of what stands at its path is not kept" {
	need_bpf
	mkdir -p "root$T"
	program prog first -static -Wl,--build-id=sha1
	cp prog "root$T/prog"
	watch "$T/prog" -- chroot root "$T/prog" /go
	let_end root/go
	rm -rf root
	kept first
	[ "$("$ELFAULT" dump trace | grep -c ^content)" = 0 ]
}

@test "a program in another mount namespace has names" {
	need_bpf
	need unshare
	local backend
	program prog first
	mkdir inside
	for backend in bpf perf; do
		watch "$T/inside/prog" --backend "$backend" -- unshare -m sh -c \
			"mount -t tmpfs none inside && cp prog inside && exec '$T/inside/prog' '$T/go'"
		let_end
		[ ! -e inside/prog ]
		kept first
		rm go
	done
}

# AppImages work so. What is held there would keep the command from taking the mount away.
@test "a program on a mount that the command makes and takes away has names, and the mount goes" {
	need_bpf
	local backend
	program prog first
	mkdir inside
	mount -t tmpfs none inside && umount inside || skip "cannot mount a tmpfs"
	for backend in bpf perf; do
		watch "$T/inside/prog" --backend "$backend" -- sh -c \
			"mount -t tmpfs none inside && cp prog inside && inside/prog '$T/go'; umount inside"
		let_end
		[ ! -e inside/prog ]
		kept first
		"$ELFAULT" analyze --format ndjson trace >faults
		jq -es 'map(select(.at.symbol == "first_area")) | length == 16 and all(any(.stack[]; .function == "main"))' faults
		rm go
	done
}

@test "a program that was deleted, renamed or replaced while it ran has names" {
	need_bpf
	local case
	for case in "bpf rm prog" "perf mv prog moved" "bpf mv other prog"; do
		program prog first
		program other other
		watch "$T/prog" --backend "${case%% *}" -- ./prog go
		${case#* }
		let_end
		kept first
		rm go
	done
}

@test "a library that was deleted once loaded, or is in a memfd, has names" {
	need_bpf
	local backend name
	program ignored first
	cat >lib.c <<-END
		#include <string.h>
		char lib_area[65536];
		void touch_lib(void) { memset(lib_area, 1, sizeof lib_area); }
	END
	cat >load.c <<-END
		#define _GNU_SOURCE
		#include <dlfcn.h>
		#include <fcntl.h>
		#include <stdio.h>
		#include <string.h>
		#include <sys/mman.h>
		#include <sys/sendfile.h>
		#include <unistd.h>
		int main(int argc, char **argv)
		{
			char path[64] = "./loaded.so";
			int from = open("lib.so", O_RDONLY);
			int memory = memfd_create("loaded", 0);
			int to = argv[1][0] == 'm' ? memory : open(path, O_RDWR | O_CREAT, 0755);
			while (sendfile(to, from, NULL, 1 << 20) > 0)
				;
			if (argv[1][0] == 'm')
				sprintf(path, "/proc/self/fd/%d", memory);
			void *lib = dlopen(path, RTLD_NOW);
			if (argv[1][0] != 'm')
				unlink(path);
			((void (*)(void))dlsym(lib, "touch_lib"))();
			while (access("go", F_OK))
				usleep(1000);
			return argc != 2;
		}
	END
	gcc -O1 -fno-builtin -shared -fPIC -Wl,--build-id=none lib.c -o lib.so
	gcc -O1 load.c -o load
	for backend in bpf perf; do
		for name in "memfd:loaded (deleted)" "$T/loaded.so"; do
			watch "/${name#/}" --backend "$backend" -- ./load "${name:0:1}"
			let_end
			kept lib
			rm go
		done
	done
}

# Nobody waits for the recorder: on a busy machine it may come too late.
@test "a library in a memfd has names where the program ends at once" {
	need_bpf
	need gcc
	cat >lib.c <<-END
		char lib_page[8192];
		void touch_lib(void) { lib_page[4096] = 1; }
	END
	cat >load.c <<-END
		#define _GNU_SOURCE
		#include <dlfcn.h>
		#include <fcntl.h>
		#include <stdio.h>
		#include <sys/mman.h>
		#include <sys/sendfile.h>
		int main(void)
		{
			char path[64];
			int memory = memfd_create("loaded", 0), from = open("lib.so", O_RDONLY);
			while (sendfile(memory, from, NULL, 1 << 20) > 0)
				;
			sprintf(path, "/proc/self/fd/%d", memory);
			((void (*)(void))dlsym(dlopen(path, RTLD_NOW), "touch_lib"))();
			return 0;
		}
	END
	gcc -O1 -shared -fPIC lib.c -o lib.so
	gcc -O1 load.c -o load
	for ((i = 0; i < 40; i++)); do
		elfault record --backend bpf -o trace -- ./load
		"$ELFAULT" analyze --format ndjson trace >faults
		if jq -es 'any(.at.symbol == "lib_page" and .by.function == "touch_lib" and .initiator == "program")' faults; then
			return
		fi
	done
	fail "none of 40 recordings has names"
}

# A ring of a task that exits hangs up: until it has ended, the recorder must not ask again and again.
@test "the recorder leaves the processor to a command that takes long to end" {
	need_bpf
	need strace
	printf '#include <stdlib.h>\nint main(void) { char *p = malloc(400UL << 20); for (long i = 0; i < 400L << 20; i += 4096) p[i] = 1; return 0; }' >big.c
	gcc -O0 big.c -o big
	strace -e trace=epoll_wait,epoll_pwait -o calls "$ELFAULT" record --quiet --backend bpf --no-stacks -o trace -- ./big
	[ "$(grep -c '^epoll_' calls)" -lt 400 ] || fail "it looked $(grep -c '^epoll_' calls) times"
}

@test "a program that is a memfd has names" {
	need_bpf
	local backend
	program prog first
	cat >run.c <<-END
		#define _GNU_SOURCE
		#include <fcntl.h>
		#include <sys/mman.h>
		#include <sys/sendfile.h>
		#include <unistd.h>
		int main(int argc, char **argv)
		{
			int from = open("prog", O_RDONLY), to = memfd_create("run", MFD_CLOEXEC);
			while (sendfile(to, from, NULL, 1 << 20) > 0)
				;
			fexecve(to, argv, environ);
			return argc;
		}
	END
	gcc -O1 run.c -o run
	for backend in bpf perf; do
		watch "/memfd:run (deleted)" --backend "$backend" -- ./run go
		let_end
		kept first
		rm go
	done
}

@test "what is elsewhere is found when a process is attached to" {
	need_bpf
	mkdir root
	program root/prog first -static
	chroot root /prog /go 3>&- &
	local pid=$!
	until [ "$(readlink "/proc/$pid/exe")" = "$T/root/prog" ]; do
		kill -0 "$pid"
		sleep 0.02
	done
	watch "$T/root/prog" -p "$pid"
	rm root/prog
	let_end root/go
	"$ELFAULT" dump trace >dump
	grep -q '^file .*place=elsewhere' dump
	grep -q '^content ' dump
}

@test "--no-embed keeps nothing, and the answer says so" {
	need_bpf
	program prog first
	watch "$T/prog" --no-embed -- ./prog go
	rm prog
	let_end
	[ "$(touched trace first_area)" = 0 ]
	noted trace "is not in the trace (see record --no-embed)"
	[ "$("$ELFAULT" dump trace | grep -c ^content)" = 0 ]
}

@test "what the caller may not read is not in the trace" {
	need_bpf
	local -x SUDO_UID=65534 SUDO_GID=65534
	program secret first -static
	chmod 0700 secret
	# As root's process, and in a folder that the caller may not enter.
	chmod 1777 .
	watch "$T/secret" --root -- ./secret go
	rm secret
	let_end
	[ "$("$ELFAULT" dump trace | grep -c ^content)" = 0 ]
	[ "$(touched trace first_area)" = 0 ]
	noted trace "may not be read by who recorded it"
	rm go
	# The same, readable: it is the caller's process.
	program public first -static
	watch "$T/public" -- ./public go
	rm public
	let_end
	kept first
}

# unnamed COMMAND...: how often the recorder, COMMAND, reads a list of all mappings while a program maps 300 files
# that have no path. The program ends when all have been seen.
unnamed() {
	cat >unnamed.c <<-END
		#define _GNU_SOURCE
		#include <sys/mman.h>
		#include <unistd.h>
		int main(void)
		{
			for (int i = 0; i < 300; i++) {
				int fd = memfd_create("unnamed", 0);
				if (ftruncate(fd, 1))
					return 1;
				*(char *)mmap(0, 1, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) = 1;
				close(fd);
			}
			while (access("go", F_OK))
				usleep(1000);
			return 0;
		}
	END
	gcc -O1 unnamed.c -o unnamed
	rm -f go trace
	strace -qq -y -e trace=read -o reads "$@" record -o trace -- ./unnamed 2>messages 3>&- &
	is_recording
	await has_mapped /memfd:unnamed 300
	let_end
	grep -c '</proc/[0-9]*/maps>' reads || true
}

@test "files without a path are found without reading all mappings of their process" {
	need_bpf
	need gcc strace
	# Files of overlayfs, the program's libraries perhaps, may need one each: their mappings have other inodes.
	local count
	count=$(unnamed "$ELFAULT")
	[ "$count" -lt 100 ] || fail "$count reads"
}

@test "who may not open mapped files does not look for them" {
	[ "$(id -u)" = 0 ] || skip "needs root"
	need gcc strace
	cp "$ELFAULT" elfault.copy
	local count
	count=$(unnamed setpriv --reuid 65534 --regid 65534 --clear-groups ./elfault.copy)
	[ "$count" = 0 ] || fail "$count reads"
}
