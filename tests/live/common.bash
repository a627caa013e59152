# SPDX-License-Identifier: Apache-2.0
# Shared parts of the live tests. Sourced by bats files; meson sets ELFAULT (the program), PROGRAMS (where
# fixtures/programs is built), HOLD (tests/support/hold.c) and HAS_BPF.
bats_require_minimum_version 1.5.0

tests=$(dirname "$BATS_TEST_DIRNAME")
# shellcheck disable=SC2034 # of the tests
fixtures=$(dirname "$tests")/fixtures/programs

# Skip unless the machine, not elfault, says that BPF may be used: a recorder that is broken must fail
# these tests, not skip them.
need_bpf() {
	[ "$HAS_BPF" = 1 ] || skip "built without BPF"
	[ "$(id -u)" = 0 ] || skip "needs root"
	[ -r /sys/kernel/btf/vmlinux ] || skip "the kernel has no BTF"
	local capabilities
	capabilities=$((16#$(awk '/^CapEff/ { print $2 }' /proc/self/status)))
	# CAP_SYS_ADMIN, or CAP_BPF and CAP_PERFMON.
	((capabilities >> 21 & 1)) || ((capabilities >> 39 & 1 && capabilities >> 38 & 1)) ||
		skip "root without CAP_BPF and CAP_PERFMON"
}

need() {
	local command
	for command; do
		command -v "$command" >/dev/null || skip "$command is not installed"
	done
}

# folder: a folder where everyone may write, for programs that run as others; in $T.
folder() {
	T=$(mktemp -d "${TMPDIR:-/tmp}/elfault-live.XXXXXX")
	chmod 1777 "$T"
	cd "$T" || return 1
	HOLDER=
	recorder=
	LOOPS=()
}

# tidy: end what the test left and remove its folder, where there is one; the last act of a file's own teardown.
tidy() {
	cd /
	[ -n "${T:-}" ] || return 0
	[ -z "$HOLDER" ] || kill "$HOLDER"
	[ ${#LOOPS[@]} = 0 ] || kill "${LOOPS[@]}"
	umount -l "$T/over" "$T/mnt" 2>/dev/null || true
	umount -l "$T/small" 2>/dev/null || true
	rm -rf "$T"
}

setup() {
	folder
}

teardown() {
	tidy
}

# small SIZE: the folder small, a tmpfs. Without huge pages: no large folio of the page cache brings in more
# than a fault's window.
small() {
	mkdir small
	mount -t tmpfs -o "huge=never,size=$1" elfault-live small || skip "cannot mount a tmpfs"
}

# zero_page: a tag of expect.py, where the kernel has what it means.
zero_page() {
	python3 "$tests/support/zeropage.py"
}

# libraries PROGRAM...: the files that they are loaded with.
libraries() {
	ldd "$@" 2>/dev/null | grep -o '/[^ :]* (0x' | sed 's/ (0x//' | sort -u
}

# hold [FILE...]: until the test ends these files stay in the page cache as they are, whatever happens to it,
# and all files in small, libc and what else most programs are loaded with. Files that are replaced have to
# be held anew. So the faults of a program on them are the same ones each time.
hold() {
	local files holder
	mapfile -t files < <(
		[ ! -d small ] || find small -type f
		libraries "$PROGRAMS"/{touch-bfd-pie,codecs-plain}
		[ ! -e /etc/ld.so.cache ] || echo /etc/ld.so.cache
	)
	holder=$("$HOLD" $$ "$@" "${files[@]}") || fail "files cannot be held in memory"
	[ -z "$HOLDER" ] || kill "$HOLDER"
	HOLDER=$holder
}

# busy N: until the test ends N processes compute, so that the others wait for a processor.
busy() {
	local loop
	for ((loop = 0; loop < $1; loop++)); do
		# It ends with the test also where a file has a teardown of its own.
		setpriv --pdeathsig KILL sh -c 'while :; do :; done' >/dev/null 2>&1 3>&- &
		LOOPS+=($!)
	done
}

# calm: end them before what takes long and is not about them.
calm() {
	kill "${LOOPS[@]}"
	LOOPS=()
}

# thrice COMMAND...: compares a recording with what another tool saw of the same run. That loses events where its
# reader comes late, and a hypervisor takes time that only some clocks count: of three runs one is enough.
thrice() {
	local round
	for round in 1 2 3; do
		echo "round $round: $*"
		! "$@" || return 0
	done
	return 1
}

fail() {
	echo "$*" >&2
	return 1
}

# Run "$@" so that its standard error is kept in the file `messages` and its status in $code.
elfault() {
	code=0
	"$ELFAULT" "$@" 2>messages || code=$?
}

# The numbers of a trace: summary.py says what must hold of them.
summary() {
	python3 "$tests/support/summary.py" "$@"
}

# record OUT COMMAND...: record it with BPF; must end with 0.
record() {
	local out=$1
	shift
	elfault record --backend bpf -o "$out" -- "$@"
	[ "$code" = 0 ] || fail "elfault record ended with $code: $(cat messages)"
}

# What was started last, in the background, is $recorder.
is_recording() {
	recorder=$!
}

# until_true ROUNDS COMMAND...: whether it becomes true at all: a machine with other work takes its time.
until_true() {
	for _ in $(seq "$1"); do
		"${@:2}" && return 0
		sleep 0.05
	done
	return 1
}

# await COMMAND...: until it succeeds, while $recorder records.
await() {
	until "$@"; do
		kill -0 "$recorder" || fail "the recorder has ended: $(cat messages)"
		sleep 0.02
	done
}

# $recorder ends, with 0.
ended() {
	code=0
	wait "$recorder" || code=$?
	[ "$code" = 0 ] || fail "ended with $code: $(cat messages)"
}

# The mount of cgroups, version 2; nothing: there is none.
cgroup2_mount() {
	awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts
}

analyze() {
	"$ELFAULT" analyze --format json "$1" >"$1.json" 2>messages || fail "$(cat messages)"
}

# real NAMES COMMAND...: record it, output aside, and check the numbers, and names as NAMES says.
real() {
	local names=$1
	shift
	need_bpf
	record trace "$@" >output
	analyze trace
	summary trace.json complete exact "$names"
}

# says WORDS...: each stands in the messages.
says() {
	local words
	for words; do
		grep -qF -- "$words" messages || fail "no '$words' in: $(cat messages)"
	done
}
