#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Starts in turn, unrecorded: their order, counts and statuses. No time is judged: of a busy machine none is known.
load common

# bench WORDS...: with JSON in out.
bench() {
	code=0
	"$ELFAULT" bench --format json "$@" >out 2>messages || code=$?
}

status_is() {
	[ "$code" = "$1" ] || fail "status $code and not $1: $(cat messages)"
}

@test "two commands start in counterbalanced order, after their warm-up" {
	bench --warmup 2 --runs 4 -- sh -c 'echo A >>order' -- sh -c 'echo B >>order'
	status_is 0
	[ "$(tr -d '\n' <order)" = "ABBA""ABBAABBA" ] || fail "$(tr -d '\n' <order)"
	jq -e '.schema == "elfault.bench/1" and .warmups == 2 and
		[.commands[].runs[].seq] == [0, 3, 4, 7, 1, 2, 5, 6] and
		[.commands[] | .starts, .failed] == [4, 0, 4, 0] and
		.difference.verdict == "too-few" and .difference.pairs == 4 and .difference.low == null' out ||
		fail "$(cat out)"
}

@test "one command has no verdict" {
	bench --runs 3 -- true
	status_is 0
	jq -e '(.commands | length) == 1 and .commands[0].command == ["true"] and .difference == null' out || fail "$(cat out)"
	"$ELFAULT" bench --runs 3 true >text
	grep -qx 'A  true' text && ! grep -q 'B ' text || fail "$(cat text)"
}

@test "faults are those that the kernel counts of the command" {
	bench --runs 5 -- "$PROGRAMS/touch-bfd-pie"
	status_is 0
	command -v perf >/dev/null || skip "perf is not installed"
	perf stat -x, -e page-faults -o counted "$PROGRAMS/touch-bfd-pie"
	local counted
	counted=$(awk -F, '/page-faults/ { print $1 }' counted)
	# What perf's child does before its exec is counted as well, as is the argument page that exec fills.
	jq -e --argjson counted "$counted" '.commands[0].minor.median - $counted | fabs <= 15' out ||
		fail "$(jq .commands[0].minor out), perf $counted"
}

@test "a failing command ends it with its status, unless that is to be ignored" {
	bench --runs 6 -- true -- sh -c 'exit 3'
	status_is 3
	[ ! -s out ]
	grep -qx 'elfault: sh: exit status 3; --ignore-failure .*' messages || fail "$(cat messages)"
	bench --runs 6 -- sh -c 'kill -9 $$'
	status_is 137
	bench --ignore-failure --runs 6 -- true -- sh -c 'kill -9 $$'
	status_is 0
	jq -e '[.commands[].failed] == [0, 6] and ([.commands[1].runs[].exit_status] | unique) == [137]' out || fail "$(cat out)"
	bench --ignore-failure -- ./nosuch
	status_is 127
	touch file
	bench -- true -- ./file
	status_is 126
	bench -- true -- true -- true
	status_is 2
	bench -- true --
	status_is 2
}

@test "the commands' streams are thrown away, or left as they are" {
	bench --runs 2 -- sh -c 'echo out; echo err >&2; cat' <<<"in"
	status_is 0
	! grep -q out out && [ ! -s messages ] || fail "$(cat out messages)"
	"$ELFAULT" bench --show-output --warmup 0 --runs 2 -- sh -c 'echo shown; read -r line; echo "read $line"' <<<"in" >text 2>&1
	[ "$(grep -cx shown text)" = 2 ] && grep -qx 'read in' text || fail "$(cat text)"
}

@test "arguments are not written to a file unless asked for" {
	bench --runs 1 -- sh -c true secret
	jq -e '.commands[0].command | join(" ") | contains("secret") | not' out || fail "$(cat out)"
	bench --runs 1 --arguments -- sh -c true secret
	jq -e '.commands[0].command == ["sh", "-c", "true", "secret"]' out || fail "$(cat out)"
}
