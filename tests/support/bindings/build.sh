#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Build a program and libraries whose names bind in every way there is: copied data, an address that is a PLT entry, weak names with
# and without a home, versions, a library that searches itself first, one that protects, two for dlopen().
#   build.sh FOLDER SYMBOLIC     SYMBOLIC: the linker's option for the library that searches itself first
set -euo pipefail
from=$(realpath "$(dirname "$0")")
cd "$1"
library() { # NAME OPTION...
	gcc -shared -fPIC -o "lib$1.so" "$from/$1.c" "${@:2}"
}

library base -Wl,--version-script="$from/base.map"
library middle -L. -lbase -Wl,--hash-style=sysv
library symbolic "$2"
library inline
library firm
library plugin -L. -lmiddle -lbase
library second -L. -lbase
gcc -fno-pie -no-pie -rdynamic -o main "$from/main.c" -L. -lsymbolic -lmiddle -lbase -linline -lfirm -Wl,-rpath,"$PWD"
