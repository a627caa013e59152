#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Exports of real programs in the tools that they are for: pprof, protoc and SQLite read faults, time and bytes that
# are those of `analyze --format json`, by each value of each field.
load common

# read_back TRACE ARGUMENTS...: in each of them.
read_back() {
	local trace=$1
	shift
	"$ELFAULT" analyze --format json --faults "$@" "$trace" >answer.json
	"$ELFAULT" export --to pprof "$@" "$trace" -o start.pb.gz
	env -i PATH="$PATH" HOME="$T" PPROF_TMPDIR="$T" go tool pprof -symbolize=none -raw start.pb.gz >start.raw
	python3 "$tests/support/exported.py" pprof answer.json start.raw
	"$ELFAULT" export --to perfetto "$@" "$trace" -o start.perfetto
	protoc --decode=perfetto.protos.Trace -I"$tests/support" "$tests/support/perfetto.proto" <start.perfetto >start.decoded
	python3 "$tests/support/exported.py" perfetto answer.json start.decoded
	"$ELFAULT" export --to sqlite "$@" "$trace" -o start.db
	python3 "$tests/support/exported.py" sqlite answer.json start.db
}

# own_schema: the last of a test. Perfetto's own schema, out of its trace processor, decodes what read_back() did alike.
own_schema() {
	local folder
	folder=$("$tests/browser/perfetto.sh") || skip "all but Perfetto's own schema, which cannot be downloaded"
	python3 "$tests/support/perfettoschema.py" "$folder/trace_processor.wasm" schema
	protoc --descriptor_set_in=schema --decode=perfetto.protos.Trace <start.perfetto >start.own
	sed 's/BUILTIN_CLOCK_MONOTONIC$/3/' start.own | cmp - start.decoded
}

@test "clang --version in pprof, protoc and sqlite3" {
	need clang-14 go protoc sqlite3 python3 jq
	need_bpf
	record trace clang-14 --version >output
	read_back trace
	# What a person would ask each of them.
	relocation=$(jq '[.faults[] | select(.initiator == "relocation")] | length' answer.json)
	env -i PATH="$PATH" HOME="$T" PPROF_TMPDIR="$T" go tool pprof -symbolize=none -top -tagfocus=initiator=relocation \
		start.pb.gz >top
	grep -q '^File: [^.]*$' top # the program, not a library
	grep -q "of $(jq .counts.recorded answer.json) total" top
	grep -q "elf_machine_rela\|_dl_relocate_object" top
	[ "$(sqlite3 start.db "SELECT faults FROM faults_by_initiator WHERE initiator = 'relocation'")" = "$relocation" ]
	[ "$(sqlite3 start.db "SELECT adds_up, faults_here = recorded FROM does_it_add_up")" = "1|1" ]
	[ "$(sqlite3 start.db "SELECT round(sum(ms), 3) FROM time_by_state WHERE scope = 'main'")" = \
		"$(sqlite3 start.db "SELECT round(wall_ns / 1e6, 3) FROM account")" ]
	[ "$(sqlite3 start.db "SELECT object FROM faults_by_section LIMIT 1")" = \
		"$(jq -r '[.objects[] | {path, most: .by_section[0].faults}] | max_by(.most).path' answer.json)" ]
	# The stack of a fault has its function innermost.
	[ "$(sqlite3 start.db "SELECT count(*) FROM fault AS f JOIN call_path AS c ON c.stack = f.stack AND c.depth = 0
		WHERE c.function IS NOT f.function")" = 0 ]
	own_schema
}

@test "Firefox, narrowed to one file" {
	need firefox-esr go protoc python3
	need_bpf
	mkdir home
	record trace env -i PATH="$PATH" HOME="$T/home" timeout 300 firefox-esr --no-remote --profile "$T/home" --headless \
		--screenshot "$T/page.png" "data:text/html,<h1>elfault</h1>" >output
	read_back trace libxul.so
	own_schema
}
