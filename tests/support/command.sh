# shellcheck shell=bash disable=SC2034,SC2154 # of whoever sources it
# SPDX-License-Identifier: Apache-2.0
# Shared parts of tests of a command. Sourced with $elfault and $command set: `result` prints a line of TAP,
# `says` runs the command, whose output is then in $work/out and $work/err.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

n=0 failed=0
result() { # sentence, whether it holds
	n=$((n + 1))
	if [ "$2" = 0 ]; then
		echo "ok $n - $1"
	else
		echo "not ok $n - $1"
		sed 's/^/# /' "$work/err"
		failed=1
	fi
}
# Run elfault COMMAND; holds if it exits with status $1 and says $2 on stderr.
says() { # status, message, arguments
	local status=$1 message=$2
	shift 2
	"$elfault" "$command" "$@" >"$work/out" 2>"$work/err" </dev/null
	[ $? = "$status" ] && { [ -z "$message" ] || grep -qF -- "$message" "$work/err"; }
}
