#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Mistakes of real use: each time a message that says what and where, the right exit status, and
# no file overwritten. Most need no privilege; recording takes whatever backend the machine allows.
load common

# refused STATUS WORDS... : of the last `elfault`, whose standard output must be empty.
refused() {
	local status=$1
	shift
	[ "$code" = "$status" ] || fail "status $code, not $status: $(cat messages)"
	says "$@"
	! grep -q 'ssertion\|Sanitizer\|core dumped' messages
}

need_recording() {
	"$ELFAULT" record -o try.trace -- true 2>messages ||
		skip "nothing can be recorded here: $(head -n 1 messages)"
	rm try.trace
}

# An older trace, which nothing that fails may touch.
older() {
	echo "older" >"$1"
}

# --- elfault map ---------------------------------------------------------------------------------

@test "map: what is not an ELF file is said to be what it is" {
	echo "just some text, long enough for a header, but no magic number in it anywhere" >text
	elfault map text >out
	refused 1 "text" "ELF"
	: >empty
	elfault map empty >out
	refused 1 "empty"
	mkdir folder
	elfault map folder >out
	refused 1 "folder" "directory"
	mkfifo fifo
	elfault map fifo >out </dev/null
	refused 1 "fifo"
	elfault map missing >out
	refused 1 "missing" "No such file"
	[ ! -s out ]
}

@test "map: archives and core files are named as such" {
	need gcc ar
	echo 'int f(void) { return 1; }' >f.c
	gcc -c f.c -o f.o
	ar cr libf.a f.o
	elfault map libf.a >out
	refused 1 "libf.a" "archive"
	elfault map f.o >out
	refused 1 "f.o" "relocatable"
	need yaml2obj-14
	yaml2obj-14 "$(dirname "$tests")/fixtures/elf/core.yaml" -o core.elf
	elfault map core.elf >out
	refused 1 "core.elf" "core"
}

@test "map: a file cut anywhere is refused or read as far as it goes, never a crash" {
	local size cut
	cp "$PROGRAMS/touch-bfd-pie" whole
	size=$(stat -c %s whole)
	for cut in 1 4 16 40 63 64 65 100 500 4096 100000 $((size / 2)) $((size - 1)); do
		head -c "$cut" whole >cut.elf
		elfault map cut.elf >out
		[ "$code" = 0 ] || [ "$code" = 1 ] || fail "$cut bytes: status $code"
		[ "$code" = 0 ] || says "cut.elf"
		# Headers that reach past the end are an error or a note, not silence.
		[ -s messages ] || grep -qi 'note\|past\|end' out || [ "$cut" -gt 100000 ] ||
			fail "$cut bytes: nothing said"
	done
}

# --- elfault analyze, dump -----------------------------------------------------------------------

@test "analyze and dump: what is not a trace is refused" {
	local command file
	cp "$PROGRAMS/touch-bfd-pie" program
	: >empty
	mkdir folder
	mkfifo fifo
	for command in analyze dump; do
		for file in program empty folder fifo missing; do
			elfault $command $file >out </dev/null
			refused 1 "$file"
			[ ! -s out ] || fail "$command $file printed something"
		done
	done
}

@test "analyze: a trace of another version is refused with both versions" {
	need_recording
	"$ELFAULT" record -o trace -- true 2>messages
	# The version follows the magic number: docs/inside/trace-format.md.
	python3 - <<-'END'
		data = bytearray(open("trace", "rb").read())
		data[8:12] = (77).to_bytes(4, "little")
		open("other", "wb").write(data)
	END
	elfault analyze other >out
	refused 1 "other" "version 77" "version 1"
	[ ! -s out ]
}

@test "analyze: a cut trace is read as far as it goes and said to be incomplete" {
	need_recording
	"$ELFAULT" record -o trace -- "$PROGRAMS/touch-bfd-pie" 2>messages
	head -c $(($(stat -c %s trace) - 5)) trace >./cut
	elfault analyze --format json cut >out
	refused 1 "cut" "incomplete" "--allow-truncated"
	python3 -c 'import json; assert json.load(open("out"))["trace"]["complete"] is False'
	elfault analyze --allow-truncated --format json cut >out
	[ "$code" = 0 ]
}

@test "analyze: a trace that needs more memory than allowed is refused before it is read" {
	need_recording
	"$ELFAULT" record -o trace -- true 2>messages
	for command in "analyze trace" "report trace -o page.html" "diff trace trace" "dump trace"; do
		# shellcheck disable=SC2086
		elfault $command --memory 64K >out
		[ ! -s out ] && [ ! -e page.html ]
		refused 1 "trace: " "other records need at least" "more than the 64.0 KiB that --memory allows"
	done
	elfault analyze trace --memory 2G >out
	[ "$code" = 0 ] && [ -s out ]
}

@test "analyze: an object whose build-id differs is refused with both ids, or marked" {
	need_recording
	need gcc
	mkdir new
	cp "$PROGRAMS/touch-bfd-pie" touch
	cp "$PROGRAMS/touch-bfd-now" new/touch
	"$ELFAULT" record -o trace -- ./touch 2>messages
	id() { readelf -n "$1" | sed -n 's/ *Build ID: //p'; }
	elfault analyze --format json new/touch trace >out
	refused 1 "new/touch" "$(id touch)" "$(id new/touch)" "--force"
	[ ! -s out ]
	elfault analyze --force --format json new/touch trace >out
	[ "$code" = 0 ]
	python3 - "$(id touch)" "$(id new/touch)" <<-'END'
		import json, sys
		analysis = json.load(open("out"))
		assert [item["forced"] for item in analysis["objects"]] == [True]
		assert any(all(id in note for id in sys.argv[1:]) for note in analysis["notes"])
	END
	elfault analyze --force new/touch trace >out
	grep -qF "(--force)" out
	# Relinked in its place: nothing is attributed to the wrong file in silence.
	cp new/touch touch
	elfault analyze --format json trace >out
	python3 - <<-'END'
		import json
		analysis = json.load(open("out"))
		assert any("touch" in note and "build-id" in note for note in analysis["notes"]), analysis["notes"]
		for item in analysis["objects"]:
		    if item["path"].endswith("/touch"):
		        assert item["symbols"] == "none" and not item["by_symbol"], item
	END
}

# --- elfault record ------------------------------------------------------------------------------

@test "record: the exit status is the command's" {
	need_recording
	elfault record -o trace -- sh -c 'exit 3'
	[ "$code" = 3 ]
	elfault record -o trace -- sh -c 'kill -TERM $$'
	[ "$code" = 143 ]
	[ -s trace ] && [ -s trace.old ]
}

@test "record: a command that is missing or cannot be run leaves no trace and an older one alone" {
	need_recording
	older trace
	elfault record -o trace -- ./missing
	refused 127 "missing"
	echo "no program" >text
	elfault record -o trace -- ./text
	refused 126 "text"
	mkdir folder
	elfault record -o trace -- ./folder
	refused 126 "folder"
	[ "$(cat trace)" = older ]
	[ "$(ls)" = "$(printf 'folder\nmessages\ntext\ntrace')" ] || fail "left behind: $(ls)"
}

@test "record: an output that cannot be written is refused before the command runs" {
	need_recording
	mkdir folder
	elfault record -o folder -- touch started
	refused 125 "folder" "directory"
	elfault record -o missing/trace -- touch started
	refused 125 "missing"
	ln -s elsewhere link
	elfault record -o link -- touch started
	refused 125 "link"
	[ ! -e started ] && [ ! -e elsewhere ]
	[ "$(id -u)" = 0 ] || return 0
	need setpriv
	mkdir mine
	chmod 755 mine
	cp "$ELFAULT" elfault
	chmod 755 elfault
	code=0
	setpriv --reuid 65534 --regid 65534 --clear-groups ./elfault record --backend perf \
		-o mine/trace -- touch started 2>messages || code=$?
	refused 125 "mine/trace" "Permission denied"
	[ ! -e started ]
}

@test "record: an older trace is kept as .old, and only when the new one is there" {
	need_recording
	older trace
	elfault record -o trace -- true
	[ "$code" = 0 ]
	[ "$(cat trace.old)" = older ]
	[ "$(stat -c %a trace)" = 600 ]
	"$ELFAULT" dump trace >dump
}

@test "record: a full disk is an error that says what was kept; the command ends by itself" {
	need_recording
	[ "$(id -u)" = 0 ] || skip "needs root, to mount a small disk"
	mkdir small
	# Of 300,000 faults the ring alone holds more than fit.
	mount -t tmpfs -o size=64k elfault-live small || skip "cannot mount a tmpfs"
	older small/trace
	elfault record -o small/trace -- sh -c "'$PROGRAMS/storm' 300; touch ended"
	refused 125 "small/trace" "No space left"
	grep -Eq '[0-9]+ faults were kept' messages
	[ -e ended ]
	[ "$(cat small/trace.old)" = older ]
	elfault analyze --format json small/trace >out
	refused 1 "incomplete"
	python3 -c 'import json; assert json.load(open("out"))["counts"]["recorded"] > 1000'
}

@test "record: killed, it leaves the command alone and a trace that says it is incomplete" {
	need_recording
	"$ELFAULT" record -o trace -- sh -c "
		'$PROGRAMS/storm' 200
		until [ -e killed ]; do sleep 0.05; done
		'$PROGRAMS/storm' 1
		touch ended" 2>messages 3>&- &
	local recorder=$!
	# It writes now and then what it has.
	# shellcheck disable=SC2069 # messages to the test, the answer to a file
	until "$ELFAULT" analyze --allow-truncated --format json trace 2>&1 >out &&
		python3 -c 'import json; assert json.load(open("out"))["counts"]["recorded"] > 1000'; do
		kill -0 $recorder || fail "the recorder has ended: $(cat messages)"
		sleep 0.1
	done 2>tries
	kill -KILL $recorder
	wait $recorder || true
	touch killed
	# As long as it takes: the command goes on, or this test ends by its time.
	until [ -e ended ]; do sleep 0.1; done
	local found
	found=$(find . -name '*trace*' -type f)
	[ "$(wc -l <<<"$found")" = 1 ] || fail "files: $(ls -la)"
	elfault analyze --format json "$found" >out
	refused 1 "incomplete"
	elfault analyze --allow-truncated --format json "$found" >out
	[ "$code" = 0 ]
	python3 -c 'import json; a = json.load(open("out"))
assert a["trace"]["complete"] is False and a["counts"]["recorded"] > 1000, a["counts"]'
}

@test "record: a signal that ends others is passed on, or ends the recording, and said" {
	need_recording
	local signal recorder
	for signal in USR1 XFSZ ALRM PIPE USR2 VTALRM; do
		rm -f go trace*
		"$ELFAULT" record -o trace -- sh -c 'echo >go; exec sleep 100' 2>messages 3>&- &
		is_recording
		until [ -s go ]; do sleep 0.02; done
		kill -$signal $recorder
		code=0
		wait $recorder || code=$?
		[ "$code" = $((128 + $(kill -l $signal))) ] || fail "SIG$signal: $code $(cat messages)"
		says "SIG$signal" "passed it on to the command" "trace: "
		"$ELFAULT" analyze --format json trace | python3 -c 'import json, sys
analysis = json.load(sys.stdin)
assert analysis["trace"]["complete"] and "was sent SIG" in str(analysis["notes"]), analysis["notes"]'
	done
	sleep 100 3>&- &
	LOOPS+=($!)
	for signal in USR1 TERM; do
		rm -f trace*
		"$ELFAULT" record -o trace -p "${LOOPS[0]}" 2>messages 3>&- &
		is_recording
		until [ -e trace ]; do sleep 0.02; done
		kill -$signal $recorder
		wait $recorder || fail "$(cat messages)"
		says "SIG$signal" "which ended the recording"
	done
	# And of a set, which it ends.
	"$ELFAULT" record --repeat 1000 -o set -- sh -c 'echo >>runs' 2>messages 3>&- &
	is_recording
	until [ -e runs ]; do sleep 0.02; done
	kill -USR1 $recorder
	code=0
	wait $recorder || code=$?
	[ "$code" = 138 ] || fail "$code: $(cat messages)"
	says "stopped by SIGUSR1 after "
}

# limited OPTION VALUE [WORD...]: record under this limit.
limited() {
	rm -rf trace* .trace*
	code=0
	(
		ulimit -S "$1" "$2" && ulimit -H "$1" "$2"
		exec "$ELFAULT" record -o trace "${@:3}" -- "$PROGRAMS/deep" 2 2
	) 2>messages || code=$?
}

@test "record: a limit that is reached ends in a message, 125 and nothing half made" {
	need_recording
	local limit
	for limit in "-f 0" "-f 1" "-f 8" "-f 32" "-v 24000" "-n 12" "-n 16"; do
		# shellcheck disable=SC2086 # option and value
		limited $limit
		[ "$code" = 125 ] || fail "ulimit $limit: $code $(cat messages)"
		# At -f 0 not even the message can be written to a file.
		[ "$limit" = "-f 0" ] || grep -qE '^elfault: .*(too large|too many|memory)' -i messages ||
			fail "ulimit $limit: $(cat messages)"
		[ ! -e trace ] || "$ELFAULT" analyze --allow-truncated trace >out 2>&1 || fail "ulimit $limit"
		[ -z "$(find . -name '.*' ! -name .)" ] || fail "ulimit $limit: $(ls -A)"
	done
	# Less than what unwinding is allowed: enough all the same. On a busy machine a few stacks may be lost anyway.
	for _ in {1..5}; do
		limited -t 3
		[ "$code" = 0 ] || fail "ulimit -t: $(cat messages)"
		grep -E 'stacks lost|all .* stacks were lost' messages || break
	done
	! grep -E 'stacks lost|all .* stacks were lost' messages || fail "$(cat messages)"
	[ "$(id -u)" = 0 ] || return 0
	# As another user, whom the number of processes binds.
	code=0
	cp "$ELFAULT" other-elfault
	setpriv --reuid 65532 --regid 65532 --clear-groups sh -c '
		exec prlimit --nproc=0:0 ./other-elfault record -o trace -- true' 2>messages || code=$?
	[ "$code" = 125 ] || fail "ulimit -u: $code $(cat messages)"
	says "cannot start a process"
}

@test "record: too few open files are named as the reason, wherever they run out, with the way out" {
	need_recording
	local limit backend
	for limit in 8 10 12 14 16 20 24 28; do
		for backend in auto bpf; do
			limited -n "$limit" --backend "$backend"
			[ "$backend" = auto ] || [ "$code" = 125 ] || fail "ulimit -n $limit: $code"
			says "Too many open files: raise the limit with ulimit -n"
			! grep -E 'BTF\)?: No such|Invalid argument|kernel refuses|\(kernel' messages || fail "ulimit -n $limit: $(cat messages)"
			[ "$backend" = auto ] || [ "$(wc -l <messages)" = 1 ] || fail "ulimit -n $limit: $(cat messages)"
		done
	done
	(ulimit -n 12 && exec "$ELFAULT" doctor) >messages || true
	says "BPF backend" "ulimit -n 1024" "Too many open files: raise the limit with ulimit -n"
	! grep -E 'CONFIG_DEBUG_INFO_BTF|No such file|sudo elfault doctor' messages || fail "$(cat messages)"
	# What may be raised is raised, for the recorder alone.
	(ulimit -Sn 12 && exec "$ELFAULT" record -o trace -- sh -c 'ulimit -Sn >limit') 2>messages
	[ "$(cat limit)" = 12 ] || fail "the command may open $(cat limit) files"
	(ulimit -Sn 12 && exec "$ELFAULT" analyze --full trace) >messages 2>&1
	! grep "Too many" messages || fail "$(cat messages)"
}

@test "record: killed at any moment, it leaves no temporary file" {
	need_recording
	local round
	for round in 02 04 06 08 10 12 14 16 20 30; do
		timeout -s KILL 0.0"$round" "$ELFAULT" record -o trace -- sleep 0.1 2>messages 3>&- || true
		timeout -s KILL 0."$round" "$ELFAULT" record --repeat 3 -o set -- true 2>messages 3>&- || true
	done
	[ -z "$(find . -name '.*' ! -name .)" ] || fail "$(ls -A)"
}

@test "record: --strict makes a loss an error, and every loss is counted" {
	need_bpf
	elfault record --backend bpf --strict --ring-size 4K -o trace -- "$PROGRAMS/storm" 100
	refused 4 "lost"
	analyze trace
	summary trace.json lost
	elfault record --backend bpf --strict -o trace -- "$PROGRAMS/storm" 1
	[ "$code" = 0 ]
}

@test "record: misuse is 2 or 125, never a run command" {
	elfault record --no-such-option -- touch started
	[ "$code" = 125 ] || [ "$code" = 2 ]
	says "no-such-option"
	elfault record
	[ "$code" = 125 ] || [ "$code" = 2 ]
	says "COMMAND"
	[ ! -e started ]
}
