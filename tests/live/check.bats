#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Budgets held by real recordings without privilege, broken by a program that was built anew, and the
# examples of docs/ci.md, run as they stand there.
load common

# A checkout where an ordinary user works, with a program whose initializers are known.
stage() {
	[ "$(id -u)" = 0 ] || skip "needs root, to become somebody else"
	need setpriv g++ make jq
	[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -le 2 ] || skip "kernel.perf_event_paranoid is above 2"
	mkdir -p home/bin checkout
	cp "$ELFAULT" home/bin/elfault
	chmod 755 home/bin/elfault
	ELFAULT=$T/home/bin/elfault
	cd checkout
	cat >app.cc <<-'END'
		#include <cstdio>
		#include "more.h"
		// Each initializer writes a page of its own, and each table is relocated.
		template <int N> struct Page {
			alignas(4096) char bytes[4096];
			Page() { for (char &byte : bytes) byte = N; }
		};
		Page<1> first;
		Page<2> second;
		const char *const words[] = { "a", "b", "c" };
		int main() { std::printf("app %s\n", words[first.bytes[0]]); }
	END
	: >more.h
	printf 'app: app.cc more.h\n\tg++ -O1 -fPIE -pie -Wl,-z,now -o $@ app.cc\n' >Makefile
	chown -R 65534:65534 "$T/home" "$T/checkout"
}

# What breaks the budget: an initializer of five pages more, and pointers.
grow() {
	cat >more.h <<-'END'
		struct Registry {
			alignas(4096) char bytes[20480];
			Registry();
		} registry;
		Registry::Registry() { for (char &byte : bytes) byte = 7; }
		const char *const more_words[] = { "d", "e", "f", "g", "h", "i", "j", "k" };
		const char *const *volatile more_words_at = more_words;
	END
	as_nobody make -s app
}

as_nobody() {
	HOME=$T/home setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set -all --inh-caps -all \
		--no-new-privs -- "$@"
}

# check STATUS ARGUMENT...: elfault check, whose output goes to `out`.
check() {
	local wanted=$1
	shift
	code=0
	as_nobody "$ELFAULT" check "$@" >out 2>messages || code=$?
	[ "$code" = "$wanted" ] || fail "status $code, not $wanted: $(cat out messages)"
}

repeat() {
	rm -rf runs
	hold app
	as_nobody "$ELFAULT" record --backend perf --repeat 5 -o runs -- ./app 2>messages >/dev/null ||
		fail "$(cat messages)"
}

@test "without privilege: a budget is kept, broken by a new build, who broke it is named, --update accepts it" {
	stage
	as_nobody make -s app
	cat >app.budget <<-'END'
		faults{initiator=static-init, object=app, section=.bss} <= baseline + 1
		initializers{object=app} <= baseline
		relocations{object=app} <= baseline + 5
		faults{initiator=static-init, object=app, section=.bss} <= 3   # two pages, and .bss' first
		size{object=app, section=.bss} <= 20 KiB
	END
	repeat
	check 1 --budget app.budget runs
	says "app.budget:1:60: baseline app.budget.baseline does not exist" "elfault check --update --budget app.budget runs"
	check 0 --update --budget app.budget runs
	check 0 --budget app.budget runs

	# The same program built again, elsewhere in time: nothing breaks.
	touch app.cc
	as_nobody make -s app
	repeat
	check 0 --budget app.budget runs

	grow
	repeat
	check 3 --budget app.budget --format json runs
	# As nm and readelf have it, not as we do.
	local relocations
	relocations=$(readelf -rW app | grep -c R_X86_64)
	[ "$(jq '[.limits[].state] | join(" ")' out)" = '"broken kept broken broken broken"' ] ||
		fail "$(jq -c '.limits[] | [.limit, .state, .value, .baseline]' out)"
	[ "$(jq '.limits[2].value' out)" = "$relocations" ] || fail "$(jq '.limits[2]' out), not $relocations"
	[ "$(jq '.limits[4].value' out)" = $((16#$(readelf -SW app | awk '$0 ~ / \.bss / { sub(/.*\.bss/, ""); print $4 }'))) ]
	[ "$(jq -c '.limits[0] | [.value - .baseline, .spread]' out)" = "[5,0]" ] || fail "$(jq -c '.limits[0]' out)"
	check 3 --budget app.budget runs
	# The initializer is merged by the compiler with those before it: the symbol is new.
	grep -qE '^ +\+[0-9]+  .* of app  \([0-9]+ -> [0-9]+\)' out || fail "$(cat out)"
	grep -q "app: .*relocations .* -> $relocations" out || fail "$(cat out)"

	check 0 --update --budget app.budget runs
	grep -q "Refreshed app.budget.baseline: 4 values of 5 runs of ./app" out || fail "$(cat out)"
	check 3 --budget app.budget --format json runs
	[ "$(jq -c '[.limits[].state]' out)" = '["kept","kept","kept","broken","broken"]' ]
}

@test "an initializer that is new is named" {
	stage
	as_nobody make -s app
	printf '%s\n' 'faults{initiator=static-init} <= baseline' 'initializers{object=app} <= baseline' >app.budget
	repeat
	check 0 --update --budget app.budget runs
	sed -i 's/app.cc more.h$/app.cc more.cc/; s/app.cc$/app.cc more.cc/' Makefile
	printf '#include "registry.h"\n' >more.cc
	: >more.h
	cat >registry.h <<-'END'
		struct Registry {
			alignas(4096) char bytes[20480];
			Registry();
		} registry;
		Registry::Registry() { for (char &byte : bytes) byte = 7; }
	END
	as_nobody make -s app
	repeat
	check 3 --budget app.budget runs
	grep -qE '^ +\+[0-9]+  _GLOBAL__sub_I_registry of app  \(new\)' out || fail "$(cat out)"
	grep -qE '^ +\+1  _GLOBAL__sub_I_registry of app  \(new\)' out || fail "$(cat out)"
	local count
	count=$(nm app | grep -c ' t _GLOBAL__sub_I_')
	grep -qE "app: initializers ([0-9]+) -> [0-9]+" out || fail "$(cat out)"
	[ "$count" = 2 ] || fail "$count initializers by nm"
}

# ---- Time and storage ---------------------------------------------------------------------------

# checked STATUS ARGUMENT...: as check, but as root, where BPF is.
checked() {
	local wanted=$1
	shift
	code=0
	"$ELFAULT" check "$@" >out 2>messages || code=$?
	[ "$code" = "$wanted" ] || { echo "status $code, not $wanted: $(cat out messages)"; return 1; }
}

# recording SET: what recording added to the middle run, in ns.
recording() {
	local trace
	for trace in "$1"/*.trace; do
		"$ELFAULT" analyze --format json "$trace" 2>messages | jq .account.all.recording
	done | sort -n | sed -n 2p
}

# slower: a budget on time that a program keeps that computes for 50 ms, and one breaks that computes for 100.
slower() {
	local ms
	for ms in 50 100; do
		elfault record --backend bpf --repeat 3 -o $ms -- "$PROGRAMS/spends" $ms >/dev/null
		[ "$code" = 0 ] || fail "$(cat messages)"
	done
	checked 0 --update --budget time.budget 50 && checked 0 --budget time.budget 50 &&
		checked 3 --budget time.budget --format json 100 || return 1
	# 50 ms more, of which the limit allows 20: within 3 ms. The program looks at its own processor time, in which
	# recording is.
	local added=$(($(recording 100) - $(recording 50)))
	jq -e --argjson added "$added" 'def near(ns): . <= ns + 3000000 and . + $added >= ns - 3000000;
		(.limits | map(.state)) == ["broken", "kept", "kept"] and
		(.limits[0] | (.value - .baseline | near(50000000)) and (.beyond | near(30000000)))' out ||
		{ jq -c --argjson added "$added" '$added, (.limits[] | [.limit, .state, .value, .baseline])' out; return 1; }
	local more
	more=$(jq '.limits[0] | (.value - .baseline) / 1e6' out)
	checked 3 --budget time.budget 100 || return 1
	grep -F "$(printf '  +%.1f ms  program in cpu  ' "$more")" out || { cat out; return 1; }
}

@test "a program that computes 50 ms more breaks its limit by that, and no other" {
	need_bpf
	need jq
	cat >time.budget <<-'END'
		time{state=cpu, initiator=program} <= baseline + 20 ms
		time{state=fault|fault-io} <= baseline + 20 ms
		time{state=cpu, initiator=static-init} <= baseline + 2 ms
	END
	# What a hypervisor takes counts as cpu: of three rounds one is enough.
	slower || slower || slower
}

@test "what a program reads from storage is held by file and initiator; without a record it is an error" {
	need_bpf
	need jq
	head -c 4M /dev/urandom >file
	sync file
	dd if=file iflag=nocache count=0 2>/dev/null
	record trace "$PROGRAMS/reads" "$T/file" read >counted
	[ "$(cat counted)" -ge 4194304 ] || skip "files of $T do not leave the page cache"
	printf '%s\n' "read_bytes{object=file} <= $(cat counted)" "read_bytes{object=file} < $(cat counted)" \
		'read_bytes{object=file, initiator=program} <= 3 MiB' 'read_bytes{initiator=static-init, object=file} == 0' \
		>read.budget
	checked 3 --budget read.budget --format json trace
	[ "$(jq -c '[.limits[].state]' out)" = '["kept","broken","broken","kept"]' ] ||
		fail "$(jq -c '.limits[] | [.limit, .state, .value]' out)"
	elfault record --backend bpf --no-storage --cpu off -o without -- "$PROGRAMS/reads" "$T/file" read >/dev/null
	printf '%s\n' 'read_bytes{object=file} <= 1 GiB' 'time{state=cpu, initiator=program} <= 1 s' 'wall <= 1000 s' >read.budget
	checked 1 --budget read.budget --format json without
	[ "$(jq -c '[.limits[].state]' out)" = '["unmeasured","unmeasured","kept"]' ] || fail "$(cat out)"
	jq -e '.limits | (.[0].reason | contains("--no-storage")) and (.[1].reason | contains("--cpu off"))' out
}

# ---- docs/ci.md ---------------------------------------------------------------------------------

examples() {
	need python3
	python3 -c 'import yaml' || skip "python3-yaml is not installed"
	python3 "$tests/support/cisteps.py" "$tests/../docs/ci.md" "$T/examples"
	cp "$T/examples/budget" app.budget
	chmod -R a+rX "$T/examples"
	# What a CI's machine has: the program under test, as if it had been built there.
	mkdir -p "$T/home/elfault/bin" elfault/bin
	cp "$ELFAULT" "$T/home/elfault/bin"
	cp "$ELFAULT" elfault/bin
	printf '#!/bin/sh\nexit 0\n' >"$T/home/bin/apt-get"
	# In place of sudo: says what it was to do.
	printf '#!/bin/sh\necho "$@" >>%s/sudo.log\n' "$T" >"$T/home/bin/sudo"
	chmod 755 "$T/home/bin/apt-get" "$T/home/bin/sudo"
	# The program as its users build it.
	sed -i 's/words\[first/argc ? words[0] : words[first/; s/main()/main(int argc, char **)/' app.cc
}

# github_job EVENT: the steps as GitHub runs them, with a cache that has elfault; the status of the first that fails.
github_job() {
	local event=$1 step name condition
	: >"$T/path"
	: >"$T/summary"
	chmod 666 "$T/path" "$T/summary"
	for step in "$T"/examples/github/*.sh; do
		name=$(basename "$step" .sh)
		name=${name#*-}
		condition=$(awk -F '\t' -v name="${name//-/ }" '$1 == name { print $2 }' "$T/examples/github/conditions")
		case $condition in
		"") ;;
		"steps.cache.outputs.cache-hit != 'true'") continue ;;
		"github.event_name == 'workflow_dispatch'") [ "$event" = workflow_dispatch ] || continue ;;
		*) fail "what is $condition?" ;;
		esac
		[ ! -e app ] || hold app
		code=0
		GITHUB_PATH=$T/path GITHUB_STEP_SUMMARY=$T/summary PATH=$(paste -sd : "$T/path"):$T/home/bin:$PATH \
			as_nobody bash -e "$step" >out 2>messages || code=$?
		[ "$code" = 0 ] || return 0
	done
}

gitlab_job() {
	rm -rf runs budget.xml
	# There is nothing left for the job to build, which could not be held.
	as_nobody make -s app
	hold app
	code=0
	CI_PROJECT_DIR=$T/checkout PATH=$T/home/bin:$PATH as_nobody bash -eo pipefail "$T/examples/gitlab/$1.sh" \
		>out 2>messages || code=$?
}

@test "the example for GitHub Actions: a baseline by hand, a build that keeps it, one that breaks it" {
	stage
	examples
	github_job push
	[ "$code" = 1 ] || fail "without a baseline: status $code: $(cat out messages)"
	says "baseline app.budget.baseline does not exist"
	rm -rf runs
	github_job workflow_dispatch
	[ "$code" = 0 ] || fail "status $code: $(cat out messages)"
	[ -s app.budget.baseline ]
	rm -rf runs
	github_job push
	[ "$code" = 0 ] || fail "status $code: $(cat out messages)"
	grep -q "^::notice .*all 4 limits are met" out || fail "$(cat out)"
	grep -q "all 4 limits are met" "$T/summary"
	rm -rf runs
	grow
	github_job push
	[ "$code" = 3 ] || fail "status $code: $(cat out messages)"
	grep -q "^::error file=app.budget,line=3,title=Page fault budget broken::faults{initiator=static-init,object=app}: " out ||
		fail "$(cat out)"
	grep -q '| \*\*broken\*\* |' "$T/summary" || fail "$(cat "$T/summary")"
	grep -q "sysctl -q kernel.perf_event_paranoid=1" "$T/sudo.log"
}

@test "the example for GitLab CI: a baseline by hand, a build that keeps it, one that breaks it" {
	stage
	examples
	need xmllint
	gitlab_job page-faults-baseline
	[ "$code" = 0 ] || fail "status $code: $(cat out messages)"
	gitlab_job page-faults
	[ "$code" = 0 ] || fail "status $code: $(cat out messages)"
	[ "$(xmllint --xpath 'count(//testcase[not(failure) and not(error)])' budget.xml)" = 4 ]
	grow
	gitlab_job page-faults
	[ "$code" = 3 ] || fail "status $code: $(cat out messages)"
	[ "$(xmllint --xpath 'count(//testcase/failure[contains(., "grown since the baseline")])' budget.xml)" -ge 2 ] ||
		fail "$(cat budget.xml)"
}

@test "the wall time of what a shell runs is that program's, unless another is asked for" {
	need_bpf
	need jq
	record trace sh -c '"$1" >measured; :' sh "$PROGRAMS/spends"
	echo 'wall <= 1000 s' >wall.budget
	"$ELFAULT" analyze --format json trace >analysis
	"$ELFAULT" check --budget wall.budget trace >text || fail "$(cat text)"
	grep -q "; wall is that of spends; " text || fail "$(cat text)"
	"$ELFAULT" check --budget wall.budget --format json trace >subject
	"$ELFAULT" check --budget wall.budget --program sh --format json trace >shell
	jq -e --slurpfile subject subject --slurpfile shell shell '.account as $account |
		$subject[0].recorded.program == "spends" and $shell[0].recorded.program == "sh" and
		$subject[0].limits[0].value == $account.subject.wall_ns - $account.subject.main.recording and
		$shell[0].limits[0].value == $account.wall_ns - $account.main.recording' analysis >verdict ||
		fail "$(jq -c '.limits[0].value' subject shell; jq -c '.account.subject' analysis)"
}

@test "the examples build elfault as it can be built, with packages that script/setup knows" {
	stage
	examples
	need meson ninja
	local name
	while read -r name; do
		case $name in git | make) continue ;; esac
		grep -qw -- "$name" "$tests/../script/setup" || fail "script/setup does not know $name"
	done <"$T/examples/packages"
	# As far as configuring: the build itself is what this test was built by.
	mkdir "$T/build"
	cd "$T/build"
	ln -s "$(realpath "$tests/..")" elfault-source
	grep -h -A 1 "meson setup" "$T"/examples/github/*build-elfault.sh >configure
	HOME=$T/home bash -e configure >out 2>&1 || fail "$(cat out)"
	grep -A 1 "meson setup" "$T/examples/gitlab/page-faults.sh" | sed 's/elfault-build/elfault-other/' >configure
	CI_PROJECT_DIR=$T/home bash -e configure >out 2>&1 || fail "$(cat out)"
}
