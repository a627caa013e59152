#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Comparisons of real recordings, where what changed is known: how a program was linked, or nothing.
load common

# Two folders: programs of one name are one file to diff.
stage() {
	need_bpf
	need setarch readelf jq
	small 64m
	mkdir small/a small/b
}

# put SIDE PROGRAM NAME: a fixture, in the folder of that side, run once.
put() {
	[ -x "$PROGRAMS/$2" ] || skip "$2 was not built"
	cp "$PROGRAMS/$2" "small/$1/$3"
	hold
	"small/$1/$3" >out || true
}

# run_one SIDE NAME OUT: record it at fixed addresses.
run_one() {
	setarch -R "$ELFAULT" record --backend bpf -o "$3" -- "small/$1/$2" >out 2>messages ||
		fail "$(cat messages)"
}

difference() { # FILTER FILE: its number
	jq -r "$1" "$2"
}

# What every document must hold: in each run, each table adds up to the total.
adds_up() {
	jq -e '. as $d | [keys[] | select(startswith("by_"))] | length == 8 and all(.[];
		. as $table | ["before_runs", "after_runs"] | all(.[]; . as $side |
			($d.total.faults[$side]) ==
			([$d[$table][].faults[$side]] | transpose | map(add))))' "$1" >/dev/null ||
		fail "$1 does not add up"
}

@test "RELR takes away the faults on .rela.dyn, and no others of the program" {
	stage
	put a touch-bfd-pie touch
	put b touch-bfd-relr touch
	run_one a touch a.trace
	run_one b touch b.trace
	"$ELFAULT" diff --format json a.trace b.trace >diff.json
	adds_up diff.json

	# One fault for each 64 KiB of the table that fault-around has not brought before.
	local offset size windows gone
	read -r offset size < <(readelf -SW small/a/touch | awk '$0 ~ / \.rela\.dyn / { sub(/.*\.rela\.dyn/, ""); print $3, $4 }')
	windows=$((((16#$offset + 16#$size - 1) >> 16) - (16#$offset >> 16) + 1))
	gone=$(difference '.by_cause[] | select((.object // "" | endswith("/touch")) and .section == ".rela.dyn" and .initiator == "relocation") | .faults.difference' diff.json)
	[ "$windows" -ge 12 ] || fail "the table spans $windows windows only"
	((-gone == windows || -gone == windows - 1)) || fail "$gone faults for $windows windows"

	# The 64 pages that are relocated are written all the same.
	[ "$(difference '.by_cause[] | select((.object // "" | endswith("/touch")) and .section == ".data.rel.ro") | [.faults.before, .faults.after] | join(" ")' diff.json)" = "64 64" ] ||
		fail "relocated pages: $(jq -c '.by_cause[] | select(.section == ".data.rel.ro")' diff.json)"
	for initiator in program static-init; do
		[ "$(difference "[.by_cause[] | select((.object // \"\" | endswith(\"/touch\")) and .initiator == \"$initiator\") | .faults.difference] | add // 0" diff.json)" = 0 ] ||
			fail "$initiator differs"
	done
	"$ELFAULT" diff a.trace b.trace | grep -A 1 "relocation in .rela.dyn of touch" | grep -q "encoding rela -> mixed" ||
		fail "the layout does not explain it"
}

@test "-z now moves what binding costs from first calls to the load" {
	stage
	cp "$PROGRAMS"/lib{early,late,data}-bfd.so small/a || skip "the libraries were not built"
	cp small/a/*.so small/b
	put a binds-bfd-pie binds
	put b binds-bfd-now binds
	run_one a binds a.trace
	run_one b binds b.trace
	"$ELFAULT" diff --format json a.trace b.trace >diff.json
	adds_up diff.json
	# Names of libearly are looked up by the program alone: at its first call, or all at once.
	[ "$(difference '[.by_cause[] | select((.object // "" | endswith("/libearly-bfd.so")) and .section == ".dynsym" and .faults.difference != 0) | "\(.initiator) \(.faults.before) \(.faults.after)"] | sort | join(", ")' diff.json)" = "lazy-binding 1 0, symbol-lookup 0 1" ] ||
		fail "libearly: $(jq -c '.by_cause[] | select(.section == ".dynsym") | [.object, .initiator, .faults]' diff.json)"
	# liblate's own calls are bound at the first in both.
	[ "$(difference '.by_initiator[] | select(.initiator == "lazy-binding") | .faults.before > .faults.after and .faults.after > 0' diff.json)" = true ] ||
		fail "lazy-binding: $(jq -c '.by_initiator[] | select(.initiator == "lazy-binding") | .faults' diff.json)"
	[ "$(difference '.objects[] | select(.label == "binds") | [.before.relocations.bind_now, .after.relocations.bind_now] | join(" ")' diff.json)" = "false true" ] ||
		fail "binding: $(jq -c '.objects[] | select(.label == "binds")' diff.json)"
}

@test "a trace does not differ from itself" {
	stage
	put a touch-bfd-pie touch
	run_one a touch a.trace
	"$ELFAULT" diff --format json a.trace a.trace >diff.json
	adds_up diff.json
	jq -e '[.. | .verdict? // empty] | length > 100 and all(.[]; . == "same")' diff.json >/dev/null ||
		fail "something differs"
	"$ELFAULT" diff a.trace a.trace | grep -q "^No differences in faults" || fail "it says otherwise"
}

@test "five repeats each: one build shows nothing beyond noise, RELR shows" {
	stage
	put a touch-bfd-pie touch
	put b touch-bfd-relr touch
	local i
	for i in 1 2 3 4 5; do
		run_one a touch a$i.trace
		run_one a touch same$i.trace
		run_one b touch b$i.trace
	done
	"$ELFAULT" diff --format json a?.trace --after same?.trace >same.json
	adds_up same.json
	jq -e '.can_tell and all(.by_initiator[], .by_mechanism[], .by_object[], .by_cause[]; .faults.verdict != "real")' same.json >/dev/null ||
		fail "real: $(jq -c '(.by_initiator[], .by_mechanism[], .by_object[], .by_cause[]) | select(.faults.verdict == "real")' same.json)"
	"$ELFAULT" diff --format json a?.trace --after b?.trace >relr.json
	adds_up relr.json
	[ "$(difference '.by_initiator[] | select(.initiator == "relocation") | .faults.verdict' relr.json)" = real ] ||
		fail "relocation: $(jq -c '.by_initiator[] | select(.initiator == "relocation")' relr.json)"
	[ "$(difference '.by_cause[0] | [.section, .initiator, .faults.verdict] | join(" ")' relr.json)" = ".rela.dyn relocation real" ] ||
		fail "first: $(jq -c '.by_cause[0]' relr.json)"
}

# ---- Time and storage ---------------------------------------------------------------------------

# measured SIDE: what the program of that side measured itself, in ns: the median of four runs.
measured() {
	sort -n "$1".measured | awk '{ ns[NR] = $1 } END { printf "%.0f", (ns[2] + ns[3]) / 2 }'
}

# computing: four runs each, in turn, of a program that computes for 50 ms, or 100. It must say so, and nothing else.
computing() {
	local i ms
	rm -f ./*.measured
	for i in 1 2 3 4; do
		for ms in 50 100; do
			record $ms.$i.trace "$PROGRAMS/spends" $ms >out
			awk '$1 == "compute" { print $3 }' out >>$ms.measured
		done
	done
	"$ELFAULT" diff --format json 50.?.trace --after 100.?.trace >diff.json
	"$ELFAULT" diff 50.?.trace --after 100.?.trace >text
	jq -e --argjson more $(($(measured 100) - $(measured 50))) '
		def real: map(select(.time_ns.verdict == "real"));
		.account | (.main_by_initiator | real | map([.initiator, .state])) == [["program", "cpu"]] and
		# The program looks at its own processor time, in which recording is.
		(.main | map(select(.state == "recording").time_ns.difference) | add) as $recording |
		(.main_by_initiator | real[].time_ns.difference | . <= $more + 3000000 and . + $recording >= $more - 3000000) and
		(.main | real | map(.state) - ["recording"]) == ["cpu"]' diff.json >/dev/null ||
		{ echo "measured $(cat 50.measured 100.measured): $(jq -c .account diff.json)"; return 1; }
	# In the first sentence, behind own time.
	sed -n 3p text | grep -E '(slower|own time|Own time).*[;:,] cpu in program \+[45][0-9]\.[0-9] ms' ||
		{ cat text; return 1; }
}

@test "a program that computes 50 ms more is slower by that, and by nothing else" {
	need_bpf
	need jq
	# What a hypervisor takes counts as cpu: of three rounds one is enough.
	computing || computing || computing
}

@test "a program that reads 20 MiB more reads that from storage, and nothing else" {
	need_bpf
	need jq mkfs.ext4
	small 64m
	mkdir mnt
	cp "$PROGRAMS/reads" small
	hold
	local i mib
	for mib in 4 24; do
		truncate -s 32M small/$mib
		mkfs.ext4 -q -F small/$mib
		mount -o loop small/$mib mnt || skip "cannot mount a loop device"
		head -c ${mib}M /dev/urandom >mnt/file
		umount mnt
	done
	for i in 1 2 3 4; do
		for mib in 24 4; do
			mount -o loop,ro small/$mib mnt
			# It is still there where another mount namespace has the file system, too.
			dd if=mnt/file iflag=nocache count=0 2>/dev/null
			record $mib.$i.trace small/reads mnt/file read >out
			umount mnt
		done
	done
	"$ELFAULT" diff --format json 4.?.trace --after 24.?.trace >diff.json
	# The larger file has another block that lists its blocks, which is of no file.
	jq -e --arg path "$T/mnt/file" 'def real: map(select(.bytes.verdict == "real"));
		.storage | 20971520 as $more |
		(.by_file | real | map(select(.object)) | map([.object, .bytes.difference])) == [[$path, $more]] and
		(.by_initiator | real | map(.initiator) == ["program"] and
			(.[0].bytes.difference - $more | . >= 0 and . <= 16384)) and
		([.by_cause | real[].cause] | all(. == "read" or . == "readahead" or . == "metadata"))' \
		diff.json >/dev/null ||
		fail "$(jq -c '.storage | .by_initiator, .by_file, .by_cause' diff.json)"
	"$ELFAULT" diff 4.?.trace --after 24.?.trace | grep -q '^ .* +20.0 MiB .* real  *initiator  program$' ||
		fail "$("$ELFAULT" diff 4.?.trace --after 24.?.trace)"
}

@test "a moment that comes a second later is told, with a verdict, by both backends" {
	need_bpf
	need jq
	local backend later
	for backend in bpf perf; do
		for later in 0.01 1; do
			"$ELFAULT" record --backend $backend --repeat 5 --mark up=exec:true -o "$backend$later" -- \
				sh -c "sleep $later; /bin/true; :" >out 2>messages || fail "$(cat messages)"
		done
		"$ELFAULT" diff --format json "${backend}0.01" "${backend}1" >diff.json
		jq -e '.marks | length == 1 and (.[0] | .name == "up" and .before_held == 5 and .after_held == 5 and
			.since_ns.verdict == "real" and (.since_ns.difference - 990e6 | fabs) < 300e6)' diff.json ||
			fail "$backend: $(jq -c .marks diff.json)"
		"$ELFAULT" diff "${backend}0.01" "${backend}1" | grep -qE '^up [0-9.]+ m?s later \(' || fail "$backend: no sentence"
	done
}
