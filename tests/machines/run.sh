#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Record on Debian's Linux $KERNEL, which takes 100 s of a processor: with ELFAULT_ALL, else where it is its turn, at each
# second commit.
#   run.sh BATS FILE TURN
set -euo pipefail
commits=$(git -C "$(dirname "$0")" rev-list --count HEAD 2>/dev/null) || commits=$3
if [ -z "${ELFAULT_ALL:-}" ] && [ $((commits % 2)) != "$3" ]; then
	echo "1..0 # SKIP at this commit it is the other kernel's turn (script/test --machines)"
	exit
fi
exec "$1" --formatter tap "$2"
