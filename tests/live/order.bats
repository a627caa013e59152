#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Order files: which functions a command enters, against -finstrument-functions of the same build, and what
# linking with them gives. Needs no privilege.
load common

need_x86() {
	[ "$(uname -m)" = x86_64 ] || skip "elfault order --exact knows x86-64 only"
}

as_nobody() {
	setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set -all --inh-caps -all \
		--no-new-privs -- "$@"
}

# build COMPILER [OPTION...]: fixtures/programs/enters.c, both of it. LTO of clang 14 drops an IFUNC, so that the
# library has none.
build() {
	"$@" -finstrument-functions -pthread -rdynamic "$fixtures/enters.c" -o enters -ldl &&
		"$@" -fno-lto -finstrument-functions -shared -fPIC -DLIBRARY "$fixtures/enters.c" -o enters.so
}

# exact COMMAND...: its order in `order`, its output in `output`, what it says of itself in `places`.
exact() {
	code=0
	"$ELFAULT" order --exact -o order -- "$@" 9>places >output 2>messages || code=$?
}

# The functions entered are those that were instrumented, and the program noticed nothing.
agrees() {
	./enters >expected && false
	exact ./enters
	[ "$code" = 42 ] || fail "ended with $code: $(cat messages)"
	diff expected output
	python3 "$tests/support/entered.py" order places enters enters.so
}

@test "every function is seen that threads, children, libraries and handlers enter" {
	need_x86
	need gcc nm python3
	local options
	for options in "-O0" "-O2 -Wl,-z,now" "-O2 -flto -fuse-ld=gold" "-Os -no-pie -fcf-protection=none"; do
		echo "gcc $options"
		# shellcheck disable=SC2086 # separate options
		build gcc $options || skip "gcc $options does not link here"
		agrees
	done
	for options in "-O1 -fuse-ld=lld -ffunction-sections" "-O2 -flto=thin -fuse-ld=lld"; do
		command -v clang >/dev/null && command -v ld.lld >/dev/null || continue
		echo "clang $options"
		# shellcheck disable=SC2086 # separate options
		build clang $options || continue
		agrees
	done
}

@test "a dynamic linker that is told what to run hides none of the program's functions" {
	need_x86
	need gcc nm python3
	build gcc -O1 || skip "gcc -O1 does not link here"
	local linker
	linker=$(readelf -l enters | sed -nE 's/.*interpreter: (.*)\]/\1/p')
	"$linker" --library-path . ./enters >expected && false
	exact "$linker" --library-path . ./enters
	[ "$code" = 42 ] || fail "ended with $code: $(cat messages)"
	diff expected output
	python3 "$tests/support/entered.py" order places enters enters.so
}

@test "an ordinary user sees the same, and the file is the user's" {
	need_x86
	need gcc nm python3 setpriv
	[ "$(id -u)" = 0 ] || skip "needs root, to become somebody else"
	build gcc -O2
	cp "$ELFAULT" elfault
	chmod 755 elfault
	mkdir user
	chmod 777 user
	code=0
	as_nobody ./elfault order --exact -o user/order -- ./enters 9>places >output 2>messages || code=$?
	[ "$code" = 42 ] || fail "ended with $code: $(cat messages)"
	python3 "$tests/support/entered.py" user/order places enters enters.so
	[ "$(stat -c %u user/order)" = 65534 ]
	[ "$(ls user)" = order ]
	# Under sudo all of it belongs to the caller.
	SUDO_UID=65534 SUDO_GID=65534 ./elfault order --exact -o user/id.order -- id -u >output 2>messages
	[ "$(cat output)" = 65534 ]
	[ "$(stat -c %u user/id.order)" = 65534 ]
}

@test "the exit status is the command's, a missing one is said" {
	need_x86
	exact sh -c 'exit 7'
	[ "$code" = 7 ]
	exact sh -c 'kill -TERM $$'
	[ "$code" = 143 ]
	exact sh -c 'kill -KILL $$'
	[ "$code" = 137 ]
	rm -f order
	exact ./missing
	[ "$code" = 127 ]
	says "command not found"
	exact /etc/passwd
	[ "$code" = 126 ]
	[ ! -e order ] || fail "an order file of a command that was not started"
	"$ELFAULT" order --exact -o none/order -- true 2>messages && false
	[ "$(ls)" = "$(printf '%s\n' messages output places)" ] || fail "left behind: $(ls)"
	elfault order --exact -- true
	[ "$code" = 2 ]
	elfault order -o order
	[ "$code" = 2 ]
}

@test "signals to elfault reach the command, and what outlives it goes on untraced" {
	need_x86
	need python3
	# Python enters the handler for the first time after the command has its signal.
	cat >waits.py <<-'END'
		import os, signal, sys, time
		def end(number, frame):
		    print("got", number, flush=True)
		    sys.exit(9)
		signal.signal(signal.SIGTERM, end)
		if os.fork() == 0:
		    # Enters new code, opens libraries and executes programs after the end of the command.
		    os.close(1)
		    while os.getppid() != 1 and not os.path.exists("ended"):
		        time.sleep(0.01)
		    import sqlite3, decimal, subprocess
		    with open("outlived.new", "w") as file:
		        file.write(subprocess.run(["cat", "/proc/%d/status" % os.getpid()],
		                                  capture_output=True, text=True).stdout)
		    os.rename("outlived.new", "outlived")
		    os._exit(0)
		open("ready", "w").close()
		while True:
		    time.sleep(60)
	END
	"$ELFAULT" order --exact -o order -- python3 waits.py >output 2>messages 3>&- &
	local pid=$! code=0
	while [ ! -e ready ]; do
		kill -0 $pid || fail "$(cat messages)"
		sleep 0.05
	done
	kill -TERM $pid
	wait $pid || code=$?
	touch ended
	[ "$code" = 9 ] || fail "ended with $code: $(cat messages)"
	[ "$(cat output)" = "got 15" ]
	says "still ran at its end"
	local round
	for ((round = 0; round < 600; round++)); do
		[ ! -e outlived ] || break
		sleep 0.1
	done
	grep -q '^TracerPid:[[:space:]]*0$' outlived || fail "$(cat outlived)"
	grep -q '^Seccomp:[[:space:]]*0$' outlived
}

@test "who is traced already is told so" {
	need_x86
	need strace
	code=0
	strace -f -o /dev/null "$ELFAULT" order --exact -o order -- true 2>messages || code=$?
	[ "$code" = 125 ] || fail "ended with $code: $(cat messages)"
	says "traced already, by process"
}

@test "an unreadable program runs without breakpoints, a stripped one has few names" {
	need_x86
	need gcc setpriv strip
	build gcc -O2
	strip enters
	exact ./enters
	[ "$code" = 42 ] || fail "ended with $code: $(cat messages)"
	says "have no name in it" "not stripped"
	[ "$(id -u)" = 0 ] || skip "needs root, to become somebody else"
	cp "$ELFAULT" elfault
	chmod 755 elfault
	chmod 711 enters
	code=0
	as_nobody ./elfault order --exact -o order.user -- sh -c ./enters >output 2>messages || code=$?
	[ "$code" = 42 ] || fail "ended with $code: $(cat messages)"
	says "ran without breakpoints"
}

@test "several starts are merged by their weights, and LLVM reads them as a profile" {
	need_x86
	need gcc
	cat >switch.c <<-'END'
		__attribute__((noinline)) int often(int n) { return n + 1; }
		__attribute__((noinline)) int seldom(int n) { return n + 2; }
		int main(int argc, char **argv) { return argc > 1 ? often(argc) == 77 : seldom(argc) == 77; }
	END
	gcc -O0 switch.c -o switch
	"$ELFAULT" order --exact --object switch -o seldom.order -- ./switch 2>messages || fail "$(cat messages)"
	"$ELFAULT" order --exact --object switch -o often.order -- ./switch x 2>messages || fail "$(cat messages)"
	"$ELFAULT" order --weights 1,10 seldom.order often.order -o both.order 2>messages || fail "$(cat messages)"
	[ "$(grep -x 'often\|seldom' both.order | tr '\n' ' ')" = "often seldom " ] || fail "$(cat both.order)"
	"$ELFAULT" order --weights 1 seldom.order often.order -o wrong.order 2>messages && fail "one weight for two"
	grep -q "each of the 2 inputs" messages || fail "$(cat messages)"
	"$ELFAULT" order --weights 1,10 --format profdata seldom.order often.order -o both.profile 2>messages || fail "$(cat messages)"
	local tool
	tool=$(compgen -c llvm-profdata- | sort -V | tail -1)
	[ -n "$tool" ] && "$tool" show --temporal-profile-traces both.profile >shown 2>&1 || skip "no llvm-profdata that knows temporal profiles"
	grep -q 'weight=10' shown || fail "$(cat shown)"
	"$tool" order both.profile | grep -qx often
}

@test "a program with many functions, linked in the order, takes a fraction of the pages" {
	need_x86
	need gcc python3 jq
	# 4,000 functions of 700 bytes in 40 files; three of each file run. One is local, of one name in all files. In
	# assembly, since compiling them takes minutes on a busy machine.
	python3 - <<-'END'
		def function(name, body, scope=".globl"):
		    return (f"\t.section .text.{name},\"ax\",@progbits\n\t{scope} {name}\n\t.type {name}, @function\n"
		            f"{name}:\n{body}\tret\n\t.fill 700, 1, 0xcc\n\t.size {name}, . - {name}\n")
		def calls(names):
		    return "\tpush %rax\n" + "".join(f"\tcall {name}\n" for name in names) + "\tpop %rcx\n\txor %eax, %eax\n"
		note = "\t.section .note.GNU-stack,\"\",@progbits\n"
		for part in range(40):
		    with open(f"part{part}.s", "w") as file:
		        for number in range(100):
		            file.write(function("same", "", ".local") if number == 40 else function(f"f{part}_{number}", ""))
		        file.write(function(f"run{part}", calls(["same", f"f{part}_1", f"f{part}_99"])) + note)
		with open("main.s", "w") as file:
		    file.write(function("main", calls(f"run{part}" for part in range(40))) + note)
	END
	gcc -c ./*.s
	gcc ./*.o -o before
	exact ./before
	[ "$code" = 0 ] || fail "ended with $code: $(cat messages)"
	[ "$(grep -cE '^(run[0-9]+|f[0-9]+_(1|99)|same|main)$' order)" = 122 ] || fail "$(wc -l order)"
	! grep -qxE 'f[0-9]+_(2|98)' order || fail "functions that did not run"
	# What a trace shows is a part of it.
	if [ "$HAS_BPF" = 1 ] && [ "$(id -u)" = 0 ]; then
		"$ELFAULT" record -o trace -- ./before 2>messages
		elfault order --object before -o seen trace
		[ "$code" = 0 ] || fail "$(cat messages)"
		says "begin on the pages of these" "order --exact"
		! grep -qxE 'f[0-9]+_(2|98)' seen || fail "functions that did not run"
	fi
	"$ELFAULT" order order --format gold -o sections 2>messages
	local linker option
	for linker in lld gold; do
		command -v ld.$linker >/dev/null || continue
		case $linker in
		lld) option=--symbol-ordering-file=order,--no-warn-symbol-ordering ;;
		gold) option=--section-ordering-file=sections ;;
		esac
		gcc ./*.o -fuse-ld=$linker -o plain.$linker
		gcc ./*.o -fuse-ld=$linker -Wl,$option -o after.$linker
		./after.$linker
		"$ELFAULT" order --verify order --format json plain.$linker after.$linker >json
		jq -e '.objects[0] as $before | .objects[1] as $after |
			$after.duplicates == 39 and $after.found >= 122 and
			$after.in_order >= 0.95 * $after.functions and $before.in_order < 0.8 * $before.functions and
			$after.pages < $before.pages / 3 and $after.area < $before.area / 3' json || fail "$linker: $(cat json)"
	done
	"$ELFAULT" order --verify order before >text
	grep -qF "ld.bfd has no order file" text
}

@test "Rust's functions are found by the names that its linker knows" {
	need_x86
	need rustc
	cat >tool.rs <<-'END'
		#[inline(never)] fn called(n: usize) -> usize { n + 1 }
		#[inline(never)] fn uncalled(n: usize) -> usize { n * 3 }
		fn main() {
		    let n = std::env::args().count();
		    let thread = std::thread::spawn(move || called(n));
		    println!("{}", if n > 9 { uncalled(n) } else { thread.join().unwrap() });
		}
	END
	rustc -C opt-level=1 tool.rs 2>/dev/null || skip "rustc cannot link here"
	exact ./tool
	[ "$code" = 0 ] || fail "ended with $code: $(cat messages)"
	[ "$(cat output)" = 2 ]
	grep -q '4tool6called17h' order
	! grep -q 'uncalled' order || fail "a function that did not run"
	rustc -C opt-level=1 -C link-arg=-fuse-ld=lld -C link-arg=-Wl,--symbol-ordering-file=order \
		-C link-arg=-Wl,--no-warn-symbol-ordering tool.rs 2>/dev/null || skip "rustc cannot link with lld here"
	"$ELFAULT" order --verify order --format json tool >json
	jq -e '.objects[0] | .in_order >= 0.9 * .functions' json || fail "$(cat json)"
}

@test "Go's linker takes no order: said, and no file is written" {
	need_x86
	need go
	cat >tool.go <<-'END'
		package main
		func main() { println("go") }
	END
	GOCACHE=$T/cache GO111MODULE=off go build -o tool tool.go 2>/dev/null || skip "go cannot build here"
	exact ./tool
	[ "$code" = 125 ] || fail "ended with $code: $(cat messages)"
	says "was linked by Go, whose linker takes no order file"
	[ ! -e order ]
	"$ELFAULT" order --verify "$fixtures/../orders/program.order" tool 2>messages && false
	says "linked by Go"
}
