#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The line that a finding prints for a faster cold start, typed as it stands: from a build tree, from an installation,
# and without elfault-prefetch. And what `elfault prefetch --from` executes.
#   test_prefetchline.sh ELFAULT PREFETCH
set -uo pipefail
elfault=$(realpath "$1") prefetch=${2:+$(realpath "$2")}
work=$(mktemp -d /var/tmp/elfault-prefetchline.XXXXXX) # on a disk
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export HOME=/nonexistent
unset SUDO_UID SUDO_GID

n=0 failed=0
result() { # SENTENCE STATUS
	n=$((n + 1))
	if [ "$2" = 0 ]; then
		echo "ok $n - $1"
	else
		echo "not ok $n - $1"
		cat out err line 2>/dev/null | sed 's/^/# /'
		failed=1
	fi
}

# A trace of ./run, which waited for storage ten times in a file that is here.
head -c 65536 /dev/zero >data
touch -d @1000000000 data
printf '#!/bin/sh\necho "started $*"\nexit 7\n' >run
chmod 755 run
{
	echo 'elfault-trace-text 1'
	echo 'meta arg="./run" arg="--fast" backend="bpf" kernel="6.18.0" machine="x86_64" page_size=4096 root_pid=100 start=1000000 start_unix=1700000000000000000 stacks=yes reads=yes'
	echo 'exec pid=100 tid=100 time=1000100 comm="run" kernel_minor=0 kernel_major=0 seen=0'
	echo "map addr=0x10000000 size=0x10000 prot=r--p path=\"$work/data\" device=8:1 inode=4711"
	for page in 0 1 2 3 4 5 6 7 8 9; do
		echo "fault time=$((2000000 + page * 2000000)) addr=0x1000${page}010 ip=0x555555555010 error=user kind=major duration=1000000 read_offset=0x${page}000 read_pages=1"
	done
	echo 'exit pid=100 time=30000000 kernel_minor=0 kernel_major=10 seen=10'
} >a.trace

# follow PROGRAM PATH: the line that PROGRAM prints where PATH is PATH, in the file line; then what comes of typing it.
follow() {
	PATH=$2 "$1" analyze --full --color never a.trace >out 2>err </dev/null
	tr -s ' \n' ' ' <out | sed -n 's/.* run: \(elfault prefetch .*\) asks for these ranges.*/\1/p' >line
	[ -s line ] || return 1
	PATH=$2 sh -c "$(cat line)" >out 2>err </dev/null
	[ $? = 7 ] && [ "$(cat out)" = "started --fast" ]
}
base=/usr/bin:/bin
echo 1..12

build=$(dirname "$elfault"):$base
if [ -n "$prefetch" ]; then
	follow "$elfault" "$build" && grep -qxF "elfault prefetch a.trace -o prefetch.list; $prefetch prefetch.list -- ./run --fast" line
	result "a build tree names its elfault-prefetch by its path, and the line works" $?
	grep -qF "; next: $prefetch prefetch.list -- COMMAND" err
	result "so does the list's next line" $?
else
	result "a build tree # SKIP no static libc" 0
	result "its next line # SKIP no static libc" 0
fi

mkdir -p usr/bin lone fake
cp "$elfault" usr/bin/elfault
cp "$elfault" lone/elfault
cp "$elfault" fake/elfault
cp "${prefetch:-run}" usr/bin/elfault-prefetch
if [ -n "$prefetch" ]; then
	follow usr/bin/elfault "$work/usr/bin:$base" && grep -qxF "elfault prefetch a.trace -o prefetch.list; elfault-prefetch prefetch.list -- ./run --fast" line &&
		grep -qF "; next: elfault-prefetch prefetch.list -- COMMAND" err
	result "an installation in PATH names it as one types it" $?
else
	result "an installation # SKIP no static libc" 0
fi

follow lone/elfault "$work/lone:$base" && grep -qF "; elfault prefetch --from prefetch.list -- ./run --fast" line
result "without one the line names elfault, and works" $?
grep -qF "elfault-prefetch: not found beside elfault or in PATH" err
result "and that it is missing is said" $?

# What is executed says how it was called; as root it decides for itself no more.
printf '#!/bin/sh\nfor word; do printf "<%%s>" "$word"; done\nexit 9\n' >fake/elfault-prefetch
chmod 755 fake/elfault-prefetch
root=$([ "$(id -u)" != 0 ] || echo "<--root>")
called() { # EXPECTED ARGUMENT...
	fake/elfault prefetch "${@:2}" >out 2>err </dev/null
	[ $? = 9 ] && [ "$(cat out)" = "$1" ] && [ ! -s err ]
}
called "$root<prefetch.list><--><./run><a b><--from><x>" --from prefetch.list -- ./run 'a b' --from x &&
	called "$root<prefetch.list><--><./run>" --from=prefetch.list ./run &&
	called "$root<prefetch.list><--><-odd>" --root --from prefetch.list -- -odd
result "elfault prefetch --from LIST COMMAND executes elfault-prefetch" $?
cp prefetch.list ./-list
called "$root<prefetch.list><--><./run>" --gap 0 --from prefetch.list -- ./run &&
	called "$root<./-list><--><./run>" --from=-list -- ./run
result "with other options as well, and for a list whose name looks like one" $?

# What that program cannot do stays here.
fake/elfault prefetch --from a.trace -- ./run >out 2>err </dev/null
[ $? = 7 ] && [ "$(cat out)" = "started " ] && ! grep -q "elfault-prefetch" err
result "of a trace elfault makes the list, and starts the command itself" $?
fake/elfault prefetch --from prefetch.list >out 2>err </dev/null
[ $? = 0 ] && [ ! -s out ] && grep -q "asked for\|in memory" err
result "without a command elfault asks and says what came of it" $?

# --measure starts the same program, cold. It takes longer each time, and so differently that its starts scatter by
# more than they differ from the others: then one verdict says what all of them have in common. A plain start takes less,
# however busy the machine is.
cat >fake/elfault-prefetch <<'END'
#!/bin/sh
[ "$1" != --root ] || shift
head -n 1 "$1" >>log
echo "$2 $3" >>log
case $(wc -l <log) in 2) sleep 0.4 ;; 4) sleep 1.5 ;; 6) sleep 0.7 ;; 8) sleep 2.8 ;; esac
exit 7
END
sed -i 's/exit 7/exit 0/' run fake/elfault-prefetch
measure() { # ARGUMENT...
	rm -f log
	fake/elfault prefetch --measure 4 "$@" --from prefetch.list -- ./run >out 2>err </dev/null
}
measure && [ "$(sort log | uniq -c | tr -s ' \n' ' ')" = " 4 -- ./run 4 elfault-prefetch 1 " ]
result "--measure starts elfault-prefetch with the list" $?
grep -q "cold: 2 files of the command" err
result "which leaves the page cache as the list's file does" $?
grep -q "^wall time .* real$" out && grep -q "^Prefetching harms: .*each start with it was slower than each without" out &&
	measure --format json && grep -q '"wall_ns":{[^}]*"verdict":"real"' out
result "and the sentence, the table and JSON have one verdict" $?
exit $failed
