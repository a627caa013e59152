#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Where the time went: programs that measure it themselves.
load common

# spends: record it and compare.
spends() {
	record trace "$PROGRAMS/spends" >measured
	"$ELFAULT" analyze --format json trace >analysis
	"$ELFAULT" dump trace >events
	python3 "$tests/support/spent.py" measured analysis events
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
