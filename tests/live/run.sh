#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Run one file of live tests: run.sh BATS FILE. As root in a mount namespace of its own, which ends with it, where
# the recorder's notes of what it has to set back are the test's alone.
set -euo pipefail
run=("$1" --formatter tap "$2")
if [ "$(id -u)" = 0 ] && unshare --mount true 2>/dev/null; then
	# shellcheck disable=SC2016 # the inner shell's
	exec unshare --mount sh -ec 'mkdir -p -m 700 /run/elfault && mount -t tmpfs -o mode=700 elfault-live /run/elfault; exec "$@"' \
		sh "${run[@]}"
fi
exec "${run[@]}"
