#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The program FILE of OBJECT, which needs 499 libraries, each with a function of its own.
#   libraries.sh FILE OBJECT
set -e
printf '.globl anchor\n.type anchor,@function\nanchor: ret\n.size anchor,1\n' >one.s
as one.s -o one.o
i=0
while [ $i -lt 499 ]; do
	ld -shared -soname lib$i.so --defsym=zoo_$i=anchor one.o -o lib$i.so
	i=$((i + 1))
done
g++ "$2" -Wl,--no-as-needed -Wl,-rpath,"$PWD" ./lib*.so -o "$1"
