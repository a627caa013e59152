#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Windows of real recordings: on both sides of any moment there is what the whole has, with both backends; and what is
# made of one is of its time alone.
load common

# start BACKEND: several programs, threads and waits; "middle" is where the second begins.
start() {
	need_bpf
	need clang-14 git python3
	elfault record --backend "$1" --mark middle=exec:git -o trace -- sh -c 'clang-14 --version; git --version
		python3 -c "import json, threading; t = threading.Thread(target=print); t.start(); t.join()"'
	[ "$code" = 0 ] || fail "elfault record ended with $code: $(cat messages)"
}

@test "both sides of a moment add up to the whole, by both backends" {
	local backend side
	for backend in bpf perf; do
		start $backend
		python3 "$tests/support/windows.py" "$ELFAULT" trace middle 2% 15% 40% 60% 97%
		for side in "mark=middle --from" "mark=null --until"; do
			"$ELFAULT" analyze --format ndjson --where "${side% *}" trace | jq .addr >where
			"$ELFAULT" analyze --format ndjson "${side#* }" middle trace | jq .addr >window
			[ -s where ] && diff where window || fail "$backend: $side"
		done
	done
}

# ticks FILE: the times on the axis of a picture, in nanoseconds.
ticks() {
	grep 'class="middle soft"' "$1" | grep -oP '(?<=>)[0-9.,]+ (s|ms|µs|us|ns)(?=<)' | tr -d , | awk '
		BEGIN { factor["s"] = 1e9; factor["ms"] = 1e6; factor["us"] = factor["µs"] = 1e3; factor["ns"] = 1 }
		{ printf "%d\n", $1 * factor[$2] }'
}

@test "a picture's axis is that of the window" {
	start bpf
	need jq
	local from until tick count=0
	# The second quarter of the faults.
	read -r from until < <("$ELFAULT" analyze --format json --faults trace |
		jq -r '[.faults[].time_ns] | "\(.[length / 4 | floor]) \(.[length / 2 | floor])"')
	"$ELFAULT" report --from ${from}ns --until ${until}ns trace -o window.svg 2>messages || fail "$(cat messages)"
	for tick in $(ticks window.svg); do
		count=$((count + 1))
		# Labels have three digits.
		((tick >= from - from / 100 && tick <= until + until / 100)) || fail "$tick is not from $from to $until"
	done
	((count >= 2)) || fail "$count times in $(ticks window.svg)"
}

@test "what is exported of a window is what is analyzed of it" {
	start bpf
	need protoc jq
	"$ELFAULT" analyze --format json --faults --until middle trace >answer.json
	"$ELFAULT" export --to perfetto --until middle trace -o start.perfetto
	protoc --decode=perfetto.protos.Trace -I"$tests/support" "$tests/support/perfetto.proto" <start.perfetto >start.decoded
	python3 "$tests/support/exported.py" perfetto answer.json start.decoded
	"$ELFAULT" export --to firefox --until middle trace >start.json
	# A file that was not in memory is read; what others' processes read is on no track.
	"$ELFAULT" analyze --io --format ndjson --until middle trace | jq -c 'select(.cause != "others")' >operations
	jq -e --slurpfile answer answer.json --slurpfile io operations '([.threads[].markers.data[] | .type] | group_by(.) |
		map({(.[0]): length}) | add) == {fault: ($answer[0].faults | length), mark: 1} +
		if $io == [] then {} else {operation: ($io | length)} end' start.json || fail "other markers"
	jq -e --slurpfile answer answer.json '[.threads[].markers.startTime[]] | max * 1e6 <= $answer[0].trace.window.until_ns + 1' start.json
}

@test "windows of two recordings are compared" {
	start bpf
	need jq
	"$ELFAULT" analyze --format json --from middle trace >answer.json
	"$ELFAULT" diff --from middle --format json trace trace >diff.json
	# What recording added is not compared.
	jq -e --slurpfile answer answer.json '.total.faults.before == $answer[0].counts.recorded and .total.faults.difference == 0 and
		.account.all_ns.before == ($answer[0].account.all | add - .recording)' diff.json || fail "$(jq -c .total.faults diff.json)"
}
