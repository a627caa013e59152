#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Where the time went: programs that measure it themselves.
load common

# spends: record it and compare. What a hypervisor takes from the machine is in no count of the kernel's, but in
# the time that passes: of three runs one is enough.
spends() {
	local round
	for round in 1 2 3; do
		record trace "$PROGRAMS/spends" >measured
		"$ELFAULT" analyze --format json trace >analysis
		"$ELFAULT" dump trace >events
		echo "round $round"
		! python3 "$tests/support/spent.py" measured analysis events || return 0
	done
	return 1
}

@test "computing and each way of waiting take as long as the program measures" {
	need_bpf
	spends
}

@test "the same where others want the processors" {
	need_bpf
	busy 4
	spends
}

@test "the processor is sampled as often as asked for, with stacks" {
	need_bpf
	elfault record --backend bpf --cpu 1000 -o trace -- "$PROGRAMS/spends"
	"$ELFAULT" dump trace >events
	grep -q '^sample .* period=1000000 .* stack=' events || fail "$(grep ^sample events | head)"
	elfault record --backend bpf --cpu off -o trace -- "$PROGRAMS/spends"
	"$ELFAULT" dump trace >events
	! grep -q '^sample' events || fail "$(grep ^sample events | head)"
	# Where it waits is still known.
	grep -q '^pause .* call=61 .* stack=' events || fail "$(grep ^pause events)"
}

@test "without privilege perf tells computing from waiting" {
	[ "$(id -u)" = 0 ] || skip "needs root, to become somebody else"
	need setpriv jq
	[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -le 2 ] ||
		skip "kernel.perf_event_paranoid is above 2"
	cp "$ELFAULT" elfault
	cp "$PROGRAMS/spends" .
	setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set -all --inh-caps -all \
		--no-new-privs -- ./elfault record --backend perf -o trace -- ./spends \
		>measured 2>messages || fail "$(cat messages)"
	"$ELFAULT" analyze --format json trace >analysis
	# Faults have no duration there, so it is not complete, and says so.
	jq -e --argjson wall "$(awk '/^main/ { print $2 }' measured)" \
		--argjson cpu "$(awk '/^main/ { print $3 }' measured)" \
		'.account as $a | ($a.complete | not) and $a.wall_ns >= $wall and
		([$a.main[]] | add) == $a.wall_ns and
		$a.main.cpu > 0.97 * $cpu and $a.main.cpu < 1.03 * $cpu + 4000000 and
		$a.main.wait >= 200000000' analysis >verdict ||
		fail "$(cat measured; jq .account analysis)"
}

@test "relocation computes between its faults" {
	need_bpf
	need clang jq
	record trace clang --version >version
	"$ELFAULT" analyze --format json trace >analysis
	jq -e '.account as $a | $a.main_by_initiator as $by |
		$a.samples >= 100 and $by.relocation.cpu > $a.main_cpu_error_ns.relocation and
		$by["static-init"].cpu > 0 and ($by.unknown.cpu // 0) < 0.2 * $a.main.cpu and
		([$by[].cpu] | add) == $a.main.cpu' analysis >verdict ||
		fail "$(jq .account analysis)"
}

# held_up: a shell that sleeps 0.2 s, then runs what computes and waits and measures that.
held_up() {
	local round
	for round in 1 2 3; do
		record trace sh -c 'sleep 0.2; "$1" >measured; :' sh "$PROGRAMS/spends"
		"$ELFAULT" analyze --format json trace >analysis
		jq -e --argjson cpu "$(awk '/^main/ { print $3 }' measured)" \
			--argjson wall "$(awk '/^main/ { print $2 }' measured)" '
			def near(expected): (. - expected) | fabs < ([0.03 * expected, 1000000] | max);
			.account as $a | $a.critical_path.parts as $parts |
			def total(select_it): [$parts[] | select(select_it)] | map(.duration_ns) | add;
			([$parts[].duration_ns] | add) == $a.wall_ns and
			([$a.critical_path.steps[].duration_ns] | add) == $a.wall_ns and
			([$parts[].times[]] | add) == $a.wall_ns and
			# The child that computes, and its own threads and child that it waits for.
			([$parts[] | select(.comm == "spends" and .thread == null) | .times.cpu + .times.fault] |
				max | near($cpu)) and
			total(.comm == "spends") > $wall and
			([$parts[] | select(.comm == "sleep").waits.sleep.wait // 0] | add | near(200000000)) and
			($a.waits.by_waker[0] | .wait == "child" and .comm == "spends")' analysis >verdict &&
			return 0
		cat measured
		jq -c '.account.critical_path.parts[]' analysis
	done
	return 1
}

@test "the critical path of a shell names the child that computes and the one that sleeps" {
	need_bpf
	need jq
	held_up
	"$ELFAULT" analyze trace >screen
	# Most time first: which of the two that is, is the machine's matter.
	tr -s '\n ' ' ' <screen | grep -o 'held up by .* causes' >held
	grep -q ' sleep 200\.[0-9] ms (wait: sleep)' held && grep -q ' spends ' held ||
		fail "$(cat screen)"
}

@test "what a timer came upon did not wake who waited for the timer" {
	need_bpf
	need gcc jq taskset
	# A child that computes, or calls the kernel, on the only processor; then one that writes to a pipe.
	cat >upon.c <<-'EOF'
		#define _GNU_SOURCE
		#include <poll.h>
		#include <signal.h>
		#include <sys/syscall.h>
		#include <sys/wait.h>
		#include <unistd.h>
		int main(int count, char **words)
		{
			int ends[2];
			char byte;
			pid_t child = fork();
			if (child == 0)
				for (volatile long i = 0;; i++)
					if (count > 1)
						syscall(SYS_getppid);
			for (int i = 0; i < 100; i++)
				poll(0, 0, 1);
			kill(child, SIGKILL);
			waitpid(child, 0, 0);
			if (pipe(ends) || (child = fork()) < 0)
				return 1;
			if (child == 0)
				_exit(usleep(20000) || write(ends[1], "", 1) != 1);
			return read(ends[0], &byte, 1) != 1;
		}
	EOF
	gcc -O1 -o upon upon.c
	local calls
	for calls in "" calls; do
		# shellcheck disable=SC2086 # none is no word
		record trace taskset -c 0 ./upon $calls
		"$ELFAULT" analyze --format json trace >analysis
		jq -e '.account.waits.by_waker as $rows |
			([$rows[] | select(.wait == "poll").waker] | unique) == ["interrupt"] and
			([$rows[] | select(.wait == "poll").count] | add) >= 90 and
			([$rows[] | select(.wait == "read" and .state == "wait" and .duration_ns > 10000000) |
				[.waker, .comm]] == [["thread", "upon"]])' analysis >verdict ||
			fail "$(jq -c '.account.waits.by_waker[]' analysis)"
	done
}

@test "an initializer computes as long as all static-init does" {
	need_bpf
	need gcc jq
	cat >init.c <<-'EOF'
		static volatile long sum;
		static void __attribute__((constructor)) busy(void) { for (long i = 0; i < 40000000; i++) sum += i; }
		int main(void) { return 0; }
	EOF
	gcc -O1 -o init init.c
	record trace ./init
	"$ELFAULT" analyze --format json trace >analysis
	jq -e '(.objects[].initializers[]? | select(.function == "busy").cpu_ns) as $busy |
		.account.by_initiator["static-init"].cpu as $all |
		$busy > 5000000 and $busy > 0.9 * $all and $busy < 1.1 * $all' analysis >verdict ||
		fail "$(jq -c '.account.by_initiator["static-init"], [.objects[].initializers[]?]' analysis)"
}

# computes: record it and compare with what it measured. A sample has an error, and a machine others on it.
computes() {
	local round
	for round in 1 2 3; do
		record trace "$PROGRAMS/computes" >measured
		"$ELFAULT" analyze --format json trace >analysis
		echo "round $round"
		! python3 "$tests/support/computed.py" measured analysis "$fixtures/computes.c" || return 0
	done
	return 1
}

@test "functions compute and wait as long as they measure, at their lines, also in libc and the kernel" {
	need_bpf
	computes
	"$ELFAULT" analyze --full trace >full
	# The text has the same, with a line where the program's own code is.
	grep -Eq ' computes +computes.c:[0-9]+ +spins$' full && grep -Eq ' libc.so.6 +- +__mem' full &&
		grep -Eq 'nanosleep +computes +computes.c:[0-9]+ +naps$' full ||
		fail "$(sed -n '/^Functions/,/^  faults/p' full)"
}

@test "functions have the shares of the processor that perf gives them" {
	need_bpf
	need perf
	perf record -q -B -N -F 10000 -e cpu-clock -o perf.data "$PROGRAMS/computes" 3 >measured 2>messages ||
		skip "perf record does not work here: $(head -1 messages)"
	perf script -i perf.data -F ip,sym >script 2>messages || skip "perf script: $(head -1 messages)"
	local round
	for round in 1 2 3; do
		record trace "$PROGRAMS/computes" 3 >measured
		"$ELFAULT" analyze --format json trace >analysis
		echo "round $round"
		! python3 "$tests/support/computed.py" --perf script analysis || return 0
	done
	return 1
}

@test "a process attached to: what waits all along is not computing" {
	need_bpf
	need jq
	python3 -c '
import threading, time
threading.Thread(target=time.sleep, args=(30,), daemon=True).start()
time.sleep(30)' &
	LOOPS+=($!)
	while [ "$(ls "/proc/${LOOPS[0]}/task" | wc -l)" -lt 2 ]; do sleep 0.1; done
	sleep 0.3
	local backend
	for backend in bpf perf; do
		elfault record --backend $backend -p "${LOOPS[0]}" -d 0.5 -o trace
		"$ELFAULT" analyze --format json trace >analysis
		jq -e '.account as $a | $a.wall_ns >= 480000000 and $a.all.wait >= 960000000 and
			$a.main.wait == $a.wall_ns and $a.processes[0].comm == "python3"' \
			analysis >verdict || fail "$backend: $(jq .account analysis)"
	done
}
