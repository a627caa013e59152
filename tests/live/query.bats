#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# --where and --by on recorded faults: what they choose and count is what all faults together say.
load common

query() {
	need_bpf
	record trace "$@" >output
	python3 "$tests/support/query.py" "$ELFAULT" trace
}

@test "choices and counts of ld.lld --version are those of its faults" { need ld.lld; query ld.lld --version; }
@test "choices and counts of processes are those of their faults" { query sh -c 'seq 2000 | sort -n | tail -n 1'; }
