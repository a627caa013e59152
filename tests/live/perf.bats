#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Against `perf trace -F all`, in the same run and with address randomisation off: for every fault that
# perf names, the same object, offset and function of the ip. tests/support/perftrace.py explains the
# words that perf puts differently.
load common

same_as_perf() {
	need_bpf
	need perf setarch nm readelf c++filt
	if ! grep -q ' tracefs ' /proc/mounts; then
		mount -t tracefs nodev /sys/kernel/tracing || skip "cannot mount tracefs"
	fi
	perf trace -F all --no-syscalls -o try true 2>messages ||
		skip "perf trace does not work here: $(head -n 1 messages)"
	setarch -R "$ELFAULT" record --backend bpf -o trace -- \
		perf trace -m 16M -F all --no-syscalls --sort-events -o perf.txt -- "$@" \
		>output 2>messages || fail "$(cat messages)"
	"$ELFAULT" analyze --format ndjson trace >faults 2>messages || fail "$(cat messages)"
	python3 "$tests/support/perftrace.py" perf.txt faults
}

@test "git --version as perf trace sees it" { need git; same_as_perf git --version; }
@test "ld.lld --version as perf trace sees it" { need ld.lld; same_as_perf ld.lld --version; }
@test "python3 as perf trace sees it" { same_as_perf /usr/bin/python3 -c 'import json'; }
@test "a static PIE as perf trace sees it" { same_as_perf "$PROGRAMS/touch-bfd-static-pie"; }
@test "64 threads as perf trace sees them" { same_as_perf "$PROGRAMS/threads"; }
