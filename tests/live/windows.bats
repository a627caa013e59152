#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# elfault record --until window under Xvfb: the time is that of another X client, xev, and a display that is not there,
# or keeps its door shut, is said at once.
load common

setup_file() {
	command -v Xvfb >/dev/null || skip "Xvfb is not installed"
	local log
	log=$(mktemp)
	# -noreset: it begins anew when its last client goes, and closes the connection of one that comes just then.
	Xvfb -displayfd 5 -noreset -screen 0 1280x1024x24 -nolisten tcp 5>"$log" >/dev/null 2>&1 3>&- &
	echo $! >"$BATS_FILE_TMPDIR/server"
	until [ -s "$log" ]; do
		kill -0 $!
		sleep 0.1
	done
	DISPLAY=:$(cat "$log")
	rm "$log"
	export DISPLAY
	# No other session's.
	export GDK_BACKEND=x11 MOZ_ENABLE_WAYLAND=0 NO_AT_BRIDGE=1 MOZ_CRASHREPORTER_DISABLE=1
	unset XAUTHORITY
}

teardown_file() {
	[ ! -e "$BATS_FILE_TMPDIR/server" ] || kill "$(cat "$BATS_FILE_TMPDIR/server")"
}

# maps CLASS BACKEND COMMAND...: what is recorded until its window, against what xev saw of it.
maps() {
	local class=$1 backend=$2 observer
	shift 2
	rm -f watching
	timeout 240 nice -n -20 python3 "$tests/support/mapped.py" "$class" >seen 3>&- &
	observer=$!
	until [ -e watching ]; do
		kill -0 "$observer" || fail "xev does not watch"
		sleep 0.1
	done
	HOME=$T elfault record --backend "$backend" --until window --then end -o trace -- "$@" >output
	[ "$code" = 0 ] || fail "ended with $code: $(cat messages)"
	wait "$observer"
	"$ELFAULT" dump trace >trace.txt
	python3 "$tests/support/ready.py" --check trace.txt window <seen
}

@test "a GTK program's window has the time that another X client tells, within 2 ms" {
	need_bpf
	need xev xprop zenity
	thrice maps zenity bpf zenity --info --text hello
	"$ELFAULT" analyze trace | grep -q 'marks *window .*(end)'
	# It is of the process that maps it, which need not be the command.
	thrice maps zenity bpf sh -c 'sleep 0.2; zenity --info --text hello; :'
	child=$(grep -o '^mark .* pid=[0-9]*' trace.txt | grep -o '[0-9]*$')
	grep -q "^exec .*pid=$child .*zenity" trace.txt || fail "$child is not zenity: $(grep '^exec' trace.txt)"
}

@test "without BPF it is the same" {
	need xev xprop zenity
	thrice maps zenity perf zenity --info --text hello
}

@test "Firefox's window, too" {
	need_bpf
	need xev xprop firefox-esr
	mkdir profile
	thrice maps firefox bpf firefox-esr --no-remote --profile "$T/profile" about:blank
}

@test "windows of others, menus and those without a picture are not counted" {
	need_bpf
	need xev zenity python3
	# The first window of the display is of somebody who is not recorded.
	zenity --info --text other 3>&- &
	other=$!
	elfault record --backend bpf --mark window=window --until 2s --then end -o trace -- sleep 20
	kill "$other"
	[ "$code" = 0 ]
	"$ELFAULT" dump trace | grep -q '^mark .*name="window" .*held=never'
	for kind in override input; do
		elfault record --backend bpf --until window --then end -o trace -- python3 "$tests/support/maps.py" "$kind"
		[ "$code" = 0 ]
		"$ELFAULT" dump trace >trace.txt
		# It maps that one, waits, and then a usual one.
		sed -n 's/^maps //p' messages >seen
		python3 "$tests/support/ready.py" --check trace.txt window <seen
	done
}

managed() {
	: >managed
	elfault record --backend bpf --until window --then end -o trace -- zenity --info --text hello
	[ "$code" = 0 ]
	"$ELFAULT" dump trace >trace.txt
	python3 "$tests/support/ready.py" --check trace.txt window <managed
}

@test "a window manager puts the window into one of its own: it is the program's all the same" {
	need_bpf
	need zenity python3
	python3 "$tests/support/maps.py" manager >>managed 3>&- &
	other=$!
	until [ -e managing ]; do
		kill -0 "$other"
		sleep 0.1
	done
	thrice managed
	kill "$other"
}

@test "no display, one that is not there, and one that lets nobody in are refused at once" {
	DISPLAY='' elfault record --until window -o trace -- sh -c ': >started'
	[ "$code" = 125 ]
	grep -q 'has no DISPLAY' messages
	grep -q 'preserve-env=DISPLAY,XAUTHORITY' messages
	DISPLAY=:9999 elfault record --until window -o trace -- sh -c ': >started'
	[ "$code" = 125 ]
	grep -q 'cannot connect to the X display :9999' messages
	# Somebody without a key, where a key is needed.
	printf '\001\000\000\000\000\000\000\022MIT-MAGIC-COOKIE-1\000\0200123456789abcdef' >key
	Xvfb -displayfd 5 -noreset -auth "$T/key" -nolisten tcp 5>number >/dev/null 2>&1 3>&- &
	shut=$!
	until [ -s number ]; do sleep 0.1; done
	DISPLAY=:$(cat number) XAUTHORITY=/dev/null elfault record --until window -o trace -- sh -c ': >started'
	kill "$shut"
	[ "$code" = 125 ]
	grep -q 'does not let this user in' messages
	[ ! -e started ] && [ ! -e trace ]
}
