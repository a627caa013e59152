#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `elfault resolve` as a person meets it: names for elfault's own functions, which is a program with symbols and a
# build-id. nm knows where they are.
#   test_resolve.sh ELFAULT
set -uo pipefail
elfault=$1
command=resolve
. "$(dirname "$0")/../../support/command.sh"

id=$(readelf -n "$elfault" | sed -n 's/.*Build ID: //p')
at=$(nm "$elfault" | sed -n 's/^0*\([0-9a-f]*\) T main$/\1/p')
if [ -z "$id" ] || [ -z "$at" ]; then
	echo "1..0 # SKIP elfault has no build-id or no symbols"
	exit 0
fi
objcopy --only-keep-debug "$elfault" "$work/elfault.debug"
mkdir -p "$work/debug/.build-id/${id:0:2}"
cp "$work/elfault.debug" "$work/debug/.build-id/${id:0:2}/${id:2}.debug"
row="{\"faults\":18446744073709551615,\"object\":\"/x\",\"build_id\":\"00ff\",\"initializer\":\"fn@0x$at\",\"init_build_id\":\"$id\"}"
named=${row/fn@0x$at/main}
says() { # status, message, input, arguments
	local status=$1 message=$2
	printf '%s\n' "$3" >"$work/in"
	"$elfault" "$command" "${@:4}" <"$work/in" >"$work/out" 2>"$work/err"
	[ $? = "$status" ] && if [ -z "$message" ]; then [ ! -s "$work/err" ]; else grep -qF -- "$message" "$work/err"; fi
}
echo 1..11

says 0 "" "$row" "$elfault" && [ "$(cat "$work/out")" = "$named" ]
result "a program gives its functions names" $?

says 0 "" "$row" "$work/elfault.debug" && [ "$(cat "$work/out")" = "$named" ]
result "a separate debug file does" $?

says 0 "" "$row" --debug-dir "$work/debug" && [ "$(cat "$work/out")" = "$named" ]
result "a directory of debug files is searched by build-id" $?

says 0 "0 names found, 1 not; of 1 build-id no file was given and $work has no debug file" "$row" --debug-dir "$work" &&
	[ "$(cat "$work/out")" = "$row" ]
result "a name that nothing has stays, and is counted" $?

other=${row/$id/${id//[0-9]/0}}
says 0 "1 not" "$other" --debug-dir "$work" "$elfault" && [ "$(cat "$work/out")" = "$other" ]
result "another build-id gives no names" $?

fault="{\"at\":{\"build_id\":\"$id\",\"symbol\":\"&fn@0x$at\"},\"by\":{\"build_id\":\"$id\",\"function\":\"fn@0x$at\"},\"stack\":[{\"build_id\":\"$id\",\"function\":\"fn@0x$at\"},{\"build_id\":null,\"function\":\"fn@0x$at\"}]}"
says 0 "" "$fault" "$elfault" &&
	[ "$(cat "$work/out")" = "{\"at\":{\"build_id\":\"$id\",\"symbol\":\"&main\"},\"by\":{\"build_id\":\"$id\",\"function\":\"main\"},\"stack\":[{\"build_id\":\"$id\",\"function\":\"main\"},{\"build_id\":null,\"function\":\"fn@0x$at\"}]}" ]
result "faults of ndjson and the frames of their stacks get names" $?

says 0 "" '{"a":"é/\u202e","b":1.50}' && [ "$(cat "$work/out")" = '{"a":"é/\u202e","b":1.50}' ]
result "a line without addresses stays as it is, byte for byte" $?

says 1 "line 2 of standard input: not JSON" "$row"$'\n{"fn@0x1"' "$elfault" && [ "$(head -n 1 "$work/out")" = "$named" ]
result "a line that is not JSON is refused by its number" $?

# A symbol's name may be anything.
objcopy --redefine-sym "main=a"$'\e'"[31m"$'\x7f\n'"b"$'\xff' "$elfault" "$work/evil"
says 0 "" "$row" --no-demangle "$work/evil" && grep -qF '"a\u001b[31m\u007f\nb�"' "$work/out" && [ "$(wc -l <"$work/out")" = 1 ]
result "control characters of names are escaped" $?
says 1 "line 1 of standard input: not JSON" '{"a":"'$'\e''"}' && says 0 "" '{"a":"'$'\x7f''"}' && [ "$(cat "$work/out")" = '{"a":"\u007f"}' ]
result "those of lines without addresses are, or are not JSON" $?

says 1 "$work/none: " "$row" "$work/none" && says 1 "$0: " "$row" "$0"
result "what is no ELF file is refused" $?
exit $failed
