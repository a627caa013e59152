#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The account of time, of programs that measure it themselves.
load common

# As an ordinary user, a program that this one can reach.
as_nobody() {
	setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set -all --inh-caps -all \
		--no-new-privs -- "$@"
}

need_nobody() {
	[ "$(id -u)" = 0 ] || skip "needs root, to become somebody else"
	need setpriv
	[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -le 2 ] ||
		skip "kernel.perf_event_paranoid is above 2"
}

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

@test "system calls are as many as strace counts, and take at least as long as is waited in them" {
	need_bpf
	need strace jq
	head -c 1048576 /dev/zero >file
	strace -f -c -U name,calls -o counted "$PROGRAMS/reads" file read >said 2>messages ||
		skip "strace does not work here: $(head -1 messages)"
	record trace "$PROGRAMS/reads" file read >said
	analyze trace
	# strace has none that does not return.
	awk 'NF == 2 && $2 ~ /^[0-9]+$/ && $1 !~ /^(total|exit_group)$/ { print $1, $2 }' counted | sort >expected
	jq -r '.account.calls.all[] | select(.call != "exit_group") | "\(.call) \(.count)"' trace.json | sort | diff expected -
	jq -e '.account.calls | .lost == 0 and .count == ([.all[].count] | add) and
		.duration_ns == ([.by_process[].duration_ns] | add) and
		([.all[] | select(.call == "exit_group") | .count] == [1]) and
		(.all | all(.wait_ns + .file_io_ns + .runnable_ns <= .duration_ns))' trace.json ||
		fail "$(jq -c .account.calls trace.json)"
}

@test "the processor is sampled as often as asked for, with stacks" {
	need_bpf
	local backend
	for backend in perf bpf; do
		elfault record --backend $backend --cpu 1000 -o trace -- "$PROGRAMS/spends"
		"$ELFAULT" dump trace >events
		grep -q '^sample .* period=1000000 .* stack=' events || fail "$(grep ^sample events | head)"
		elfault record --backend $backend --cpu off -o trace -- "$PROGRAMS/spends"
		"$ELFAULT" dump trace >events
		! grep -q '^sample' events || fail "$(grep ^sample events | head)"
	done
	# Where it waits is still known, with BPF.
	grep -q '^pause .* call=61 .* stack=' events || fail "$(grep ^pause events)"
}

@test "a command that waits first is sampled no less often" {
	need_bpf
	local backend
	for backend in perf bpf; do
		elfault record --backend $backend -o trace -- sh -c 'sleep 0.3; exec "$1" 50' sh "$PROGRAMS/spends"
		"$ELFAULT" dump trace >events
		local hz
		hz=$(grep -o -m1 'sample_hz=[0-9]*' events | cut -d= -f2)
		[ "$hz" -ge 2500 ] && [ "$hz" -le 10000 ] || fail "$hz samples a second"
		grep -q "^sample .* period=$((1000000000 / hz)) " events || fail "no sample"
		! grep -q '^sample .* period=1000000 ' events ||
			fail "$backend: $(grep -c '^sample .* period=1000000 ' events) samples of 1 ms"
	done
}

@test "without privilege perf tells computing from waiting" {
	need_nobody
	need jq
	cp "$ELFAULT" elfault
	cp "$PROGRAMS/spends" .
	as_nobody ./elfault record --backend perf -o trace -- ./spends >measured 2>messages ||
		fail "$(cat messages)"
	"$ELFAULT" analyze --format json trace >analysis
	# Faults have no duration there, and it says that cpu has them. What is to be waited for may come nearer while another
	# has the processor.
	jq -e --argjson wall "$(awk '/^main/ { print $2 }' measured)" \
		--argjson cpu "$(awk '/^main/ { print $3 }' measured)" \
		--argjson whole "$(awk '/^whole/ { print $2 }' measured)" \
		'.account as $a | $a.faults_in_cpu and $a.wall_ns >= $wall and
		([$a.main[]] | add) == $a.wall_ns and
		$a.main.cpu > 0.97 * $cpu and $a.main.cpu < $whole + 0.03 * $cpu + 2000000 and
		$a.main.wait + $a.main.runnable >= 200000000' analysis >verdict ||
		fail "$(cat measured; jq .account analysis)"
}

@test "relocation computes between its faults" {
	need_bpf
	need clang jq
	# Where samples are dear the rate is 2500, at which the error exceeds the time once in thirty starts.
	# What the kernel takes down at the end is nobody's: a tenth of it all, a quarter where others use the caches.
	"$ELFAULT" record --backend bpf --cpu=10000 -o trace -- clang --version >version 2>messages ||
		fail "$(cat messages)"
	"$ELFAULT" analyze --format json trace >analysis
	jq -e '.account as $a | $a.main_by_initiator as $by |
		$a.samples >= 50 and $a.sample_hz == 10000 and $a.sample_cost_ns > 1000 and
		$a.main_cpu_error_ns.relocation > 0 and $by.relocation.cpu > $a.main_cpu_error_ns.relocation and
		$by["static-init"].cpu > 0 and ($by.unknown.cpu // 0) < 0.3 * $a.main.cpu and
		([$by[].cpu] | add) == $a.main.cpu' analysis >verdict ||
		fail "$(jq .account analysis)"
}

# held_up: a shell that sleeps 0.2 s, then runs what computes and waits and measures that. What a hypervisor took while it
# computed is in no clock of the processor, but in the time until it was back.
held_up() {
	local round
	for round in 1 2 3; do
		record trace sh -c 'sleep 0.2; "$1" >measured; :' sh "$PROGRAMS/spends"
		"$ELFAULT" analyze --format json trace >analysis
		jq -e --argjson cpu "$(awk '/^main/ { print $3 }' measured)" \
			--argjson taken "$(awk '/^compute/ { print $2 - $3 }' measured)" \
			--argjson whole "$(awk '/^whole/ { print $2 }' measured)" \
			--argjson wall "$(awk '/^main/ { print $2 }' measured)" '
			def error(expected): [0.03 * expected, 1000000] | max;
			def near(expected): (. - expected) | fabs < error(expected);
			.account as $a | $a.critical_path.parts as $parts |
			def total(select_it): [$parts[] | select(select_it)] | map(.duration_ns) | add;
			([$parts[].duration_ns] | add) == $a.wall_ns and
			([$a.critical_path.steps[].duration_ns] | add) == $a.wall_ns and
			([$parts[].times[]] | add) == $a.wall_ns and
			# The child that computes, before main as well, and its own threads and child that it waits for.
			([$parts[] | select(.comm == "spends" and .thread == null) | .times.cpu + .times.fault] |
				max | . > $cpu - error($cpu) and . < $whole + $taken + error($cpu)) and
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
	# The screen has those of most time. Which they are, is the machine's matter: beside others the two wait for a processor.
	"$ELFAULT" analyze trace >screen
	tr -s '\n ' ' ' <screen | grep -Eq 'held up by .* (sleep|spends) .* cause' || fail "$(cat screen)"
	"$ELFAULT" analyze --full trace >full
	sed -n '/^Critical path/,/^$/p' full >path
	# As near 200 ms as held_up has found it, and what it waited for else: its file may have left memory.
	slept=$(jq '[.account.critical_path.parts[] | select(.comm == "sleep").times | .wait + ."file-io"] | add / 1000000' analysis)
	grep -Eq " $(LC_ALL=C printf %.2f "$slept") ms +sleep +sleep [0-9]+$" path && grep -Eq ' spends [0-9]+$' path || fail "$(cat path)"
}

@test "what a timer came upon did not wake who waited for the timer" {
	need_bpf
	need gcc jq taskset
	# A child that computes, or calls the kernel, on the only processor; then one that writes to a pipe
	# and one that writes to a socket.
	cat >upon.c <<-'EOF'
		#define _GNU_SOURCE
		#include <poll.h>
		#include <signal.h>
		#include <sys/socket.h>
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
			for (int is_socket = 0; is_socket < 2; is_socket++) {
				if (is_socket ? socketpair(AF_UNIX, SOCK_STREAM, 0, ends) : pipe(ends))
					return 1;
				child = fork();
				if (child == 0)
					_exit(usleep(20000) || write(ends[1], "", 1) != 1);
				if (read(ends[0], &byte, 1) != 1 || waitpid(child, 0, 0) != child)
					return 1;
			}
			return 0;
		}
	EOF
	gcc -O1 -o upon upon.c
	# Unknown is who woke it where the kernel raised no event, neither then nor when it came back.
	local calls
	for calls in "" calls; do
		# shellcheck disable=SC2086 # none is no word
		record trace taskset -c 0 ./upon $calls
		"$ELFAULT" analyze --format json trace >analysis
		jq -e '.account.waits.by_waker as $rows |
			([$rows[] | select(.wait == "poll").waker] - ["unknown"] | unique) == ["interrupt"] and
			([$rows[] | select(.wait == "poll" and .waker == "interrupt").count] | add) >= 90 and
			([$rows[] | select((.wait | IN("pipe", "socket")) and .state == "wait" and
				.duration_ns > 10000000) | [.wait, .waker, .comm]] | sort) ==
				[["pipe", "thread", "upon"], ["socket", "thread", "upon"]]' analysis >verdict ||
			fail "$(jq -c '.account.waits.by_waker[]' analysis)"
	done
}

@test "waiting for the recorder's turn on the only processor is recording, and not late" {
	need_bpf
	need jq taskset
	# Its stacks fill the ring, for which the recorder takes the processor from it.
	taskset -c 0 "$ELFAULT" record --quiet --backend bpf -o trace -- "$PROGRAMS/deep" 1 4 >output
	"$ELFAULT" dump trace >dump
	sed 's/ recorder=[0-9]*//' dump >without
	"$ELFAULT" analyze --format json dump >analysis
	"$ELFAULT" analyze --format json without >late
	# Of the command since its exec; whoever waits for its child waits for that one's turn as well.
	awk '{ for (i = 2; i <= NF; i++) if (split($i, part, "=") == 2) field[part[1]] = part[2] }
		$1 == "exec" { is_program = 1 }
		$1 == "pause" && is_program { sum += field["recorder"] }
		{ delete field }
		END { print sum + 0 }' dump >held
	echo "# the recorder had its processor for $(cat held) ns" >&3
	jq -e --argjson held "$(cat held)" --slurpfile late late '.account as $now | $late[0].account as $before |
		$held > 0 and
		$now.all.runnable == $before.all.runnable - $held and
		$now.all.recording - $before.all.recording == $held + $before.all.wait - $now.all.wait and
		([$now.main[]] | add) == $now.wall_ns and $now.check == $before.check' analysis >verdict ||
		fail "$(cat held; jq -c '.account | [.main, .all, .check]' analysis late)"
	run python3 "$BATS_TEST_DIRNAME/../support/ownsums.py" "$ELFAULT" trace
	[ "$status" = 0 ] || fail "$output"
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
	local backend
	for backend in bpf perf; do
		elfault record --backend $backend -o trace -- ./init
		"$ELFAULT" analyze --format json trace >analysis
		jq -e '(.objects[].initializers[]? | select(.function == "busy").cpu_ns) as $busy |
			.account.by_initiator["static-init"].cpu as $all |
			$busy > 5000000 and $busy > 0.9 * $all and $busy < 1.1 * $all' analysis >verdict ||
			fail "$(jq -c '.account.by_initiator["static-init"], [.objects[].initializers[]?]' analysis)"
	done
}

# computes BY RECORD...: record it so and compare with what it measured. A sample has an error, and a machine
# others on it: then the reader of an ordinary user has no priority and small rings. What is lost is said, and the run
# is none of those that count.
computes() {
	local round complete=0 by=$1
	shift
	# Where an ordinary user can reach it.
	cp "$PROGRAMS/computes" .
	for round in {1..10}; do
		"$@" -o trace -- ./computes >measured 2>messages || fail "$(cat messages)"
		"$ELFAULT" analyze --format json trace >analysis
		echo "round $round"
		! python3 "$tests/support/computed.py" measured analysis "$fixtures/computes.c" "$by" || return 0
		# Three that lost nothing are enough to fail.
		jq -e '.account.samples_lost > 0' analysis >verdict || complete=$((complete + 1))
		[ "$complete" -lt 3 ] || return 1
	done
	return 1
}

@test "functions compute and wait as long as they measure, at their lines, also in libc and the kernel" {
	need_bpf
	computes bpf "$ELFAULT" record --backend bpf
	"$ELFAULT" analyze --full trace >full
	# The text has the same, with a line where the program's own code is.
	grep -Eq ' computes +computes.c:[0-9]+ +spins$' full && grep -Eq ' libc.so.6 +- +__mem' full &&
		grep -Eq 'nanosleep +computes +computes.c:[0-9]+ +naps$' full ||
		fail "$(sed -n '/^Functions/,/^  faults/p' full)"
}

@test "by perf events functions compute as long as they measure, also in the kernel" {
	need_bpf
	computes perf "$ELFAULT" record --backend perf
}

@test "without privilege functions compute as long as they measure, and the kernel is not theirs" {
	need_nobody
	cp "$ELFAULT" elfault
	computes user as_nobody ./elfault record --backend perf
	grep -q 'without privilege the kernel is not sampled' messages || fail "$(cat messages)"
	"$ELFAULT" analyze --full trace >full
	grep -q ' 100.0% .* (the kernel, not sampled)$' full || fail "$(sed -n '/^Functions/,$p' full)"
}

@test "by perf events samples tell what is in faults from what is computed" {
	need_bpf
	need gcc jq
	cat >touches.c <<-'EOF'
		#define _GNU_SOURCE
		#include <stdio.h>
		#include <sys/mman.h>
		#include <time.h>
		enum { PAGES = 8000 };
		static long long now(void)
		{
			struct timespec time;
			clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
			return time.tv_sec * 1000000000ll + time.tv_nsec;
		}
		int main(void)
		{
			char *pages = mmap(0, PAGES << 12, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			madvise(pages, PAGES << 12, MADV_NOHUGEPAGE);
			long long start = now();
			for (int i = 0; i < PAGES; i++)
				*(volatile char *)(pages + ((long)i << 12)) = 1;
			long long touched = now();
			while (now() < touched + 40000000)
				for (volatile int i = 0; i < 100000; i++)
					;
			printf("%lld %lld\n", touched - start, now() - touched);
			return 0;
		}
	EOF
	gcc -O1 -o touches touches.c
	local round
	# The reference are clocks of the processor, which has to be the kernel's in a fault. BPF sees how long that is.
	elfault record --backend bpf -o trace -- ./touches >measured
	"$ELFAULT" analyze --format json trace >analysis
	jq -e --argjson touched "$(cut -d' ' -f1 measured)" '.account.main.fault > 0.7 * $touched' analysis >verdict ||
		skip "of faults that take $(cut -d' ' -f1 measured) ns the kernel has $(jq .account.main.fault analysis)"
	for round in 1 2 3; do
		elfault record --backend perf -o trace -- ./touches >measured
		"$ELFAULT" analyze --format json trace >analysis
		jq -e --argjson touched "$(cut -d' ' -f1 measured)" --argjson ran "$(cut -d' ' -f2 measured)" '
			def near(expected): (. - expected) | fabs < 0.1 * expected + 1500000;
			.account as $a | ($a.complete | not) and ($a.main.fault | near($touched)) and
			($a.main.cpu | near($ran)) and
			($a.by_initiator.program.fault > 0.9 * $a.main.fault)' analysis >verdict && break
		cat measured
		jq -c .account.main analysis
		[ $round != 3 ]
	done
}

@test "samples that a recorder which cannot run loses are counted, and no fault is lost for them" {
	need_bpf
	need jq
	# Per CPU 64 KiB of samples: about 15.
	elfault record --backend perf --ring-size 256K --stack-size 4K -o trace -- \
		sh -c 'kill -STOP $PPID; "$0" >&2; kill -CONT $PPID' "$PROGRAMS/computes"
	"$ELFAULT" analyze --format json trace >analysis
	jq -e '.counts.lost == 0 and .account.samples > 0 and (.account.all | .cpu + .fault) as $ran |
		(.account | (.samples + .samples_lost) * 1e9 / .sample_hz) | . > 0.7 * $ran and . < 1.1 * $ran' analysis >verdict ||
		fail "$(jq -c '.counts, .account.samples, .account.samples_lost, .account.all' analysis)"
}

# shares BACKEND: beside perf's in the file script.
shares() {
	elfault record --backend "$1" -o trace -- "$PROGRAMS/computes" 3 >measured
	"$ELFAULT" analyze --format json trace >analysis
	python3 "$tests/support/computed.py" --perf script analysis
}

@test "functions have the shares of the processor that perf gives them" {
	need_bpf
	need perf
	perf record -q -B -N -F 10000 -e cpu-clock -o perf.data "$PROGRAMS/computes" 3 >measured 2>messages ||
		skip "perf record does not work here: $(head -1 messages)"
	perf script -i perf.data -F ip,sym >script 2>messages || skip "perf script: $(head -1 messages)"
	local backend
	for backend in bpf perf; do
		thrice shares $backend
	done
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

@test "programs that the command runs have their command lines" {
	need_bpf
	need jq
	record trace sh -c 'ls -d /usr "$1" >/dev/null; env A=secret true --type=one; env true --type=two' sh "$(printf '%0400d' 7)"
	"$ELFAULT" analyze --arguments --format json trace >analysis
	jq -e '[.account.processes[] | select(.command != []) | .command] as $all |
		$all[0][0:2] == ["sh", "-c"] and $all[0][-1] == "…" and
		($all[1] | .[0:3] == ["ls", "-d", "/usr"] and .[3] == "0" * 245 and .[4:] == ["…"]) and
		$all[2:4] == [["env", "A=secret", "true", "--type=one"], ["true", "--type=one"]]' analysis ||
		fail "$(jq -c '.account.processes[].command' analysis)"
	"$ELFAULT" analyze --full --arguments trace >text
	grep -q ' true --type=one$' text || fail "$(cat text)"
	"$ELFAULT" analyze --format json trace >analysis
	! grep -q secret analysis || fail "$(grep secret analysis)"
	"$ELFAULT" redact trace -o given
	"$ELFAULT" dump given >text
	! grep -q secret text || fail "$(grep secret text)"
	grep -q '^argument .* index=0 word="env"$' text || fail "$(cat text)"
}

# A process that measures has the stack of a small program, not the recorder's own, which takes several times as long
# to copy: what samples cost is told by how long the recorder's program takes against that.
@test "what recording costs is measured where stacks are small" {
	need_bpf
	elfault record --backend bpf --recalibrate -o trace -- true
	"$ELFAULT" dump trace >events
	awk '/^meta/ { match($0, / cost_program=[0-9]+/); measured = substr($0, RSTART + 14, RLENGTH - 14) + 0 }
		/^fault/ && match($0, / program=[0-9]+/) { sum += substr($0, RSTART + 9, RLENGTH - 9); count++ }
		END { print measured, sum / count; exit !(measured > 0 && measured < 1.5 * sum / count) }' events
}
