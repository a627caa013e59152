#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A program in a home directory, with secrets in its arguments and in those of its children: nothing that is written to a
# file or a pipe shows them, but for traces and packs. tests/unit/cli/test_secrets.py has every command and format.
# shellcheck disable=SC2088 # a tilde is what is looked for
load common

# The last one is what its child is asked to do.
ARGUMENTS=(--token=PLANTEDlong -pPLANTEDshort --password PLANTEDword PLANTEDfile A=PLANTEDassigned
	"sh -c 'true --token=PLANTEDchild'")

# The home directory with the program app, its library and their sources; the host's name is a secret where root may set it.
home() {
	need gcc python3
	need_bpf
	export HOME=$T/plantedhome XDG_CACHE_HOME=$T/cache
	mkdir -p "$HOME/elf"
	# shellcheck disable=SC2016 # gcc's
	printf '%s\n' '#include <stdio.h>' '#include <stdlib.h>' 'static char data[1 << 20];' \
		'__attribute__((constructor)) static void start(void)' \
		'{ for (int i = 0; i < 1 << 20; i += 4096) data[i] = 1; }' \
		'int used(void) { return data[4096] + fprintf(stderr, "%.0s", __FILE__); }' >"$HOME/elf/lib.c"
	printf '%s\n' '#include <stdlib.h>' 'int used(void);' 'int main(int argc, char **argv)' \
		'{ return !used() + (argc > 1 && system(argv[argc - 1]) != 0); }' >"$HOME/elf/app.c"
	gcc -g -O1 -fPIC -shared "$HOME/elf/lib.c" -o "$HOME/elf/libapp.so"
	gcc -g -O1 "$HOME/elf/app.c" -o "$HOME/elf/app" -L"$HOME/elf" -lapp -Wl,-rpath,"$HOME/elf"
	rm "$HOME/elf"/*.c
	APP=$HOME/elf/app
	mkdir said
}

# elsewhere COMMAND...: on a host with another name.
elsewhere() {
	if unshare --uts true 2>/dev/null; then
		unshare --uts sh -c 'hostname plantedhost; exec "$@"' sh "$@"
	else
		"$@"
	fi
}

# says NAME STATUS COMMAND...: keep what it writes to its pipes.
says() {
	local name=$1 status=$2 found=0
	shift 2
	elsewhere "$@" >"said/$name" 2>&1 </dev/null || found=$?
	[ "$found" = "$status" ] || {
		echo "$name: $found instead of $status"
		cat "said/$name"
		return 1
	}
}

# no_secret FILE...
no_secret() {
	! grep -raE 'PLANTED|planted(home|host)' "$@"
}

@test "no answer to a recorded trace has an argument, a home directory or the host" {
	home
	elsewhere "$ELFAULT" record -o a.trace -- "$APP" "${ARGUMENTS[@]}"
	for word in "$HOME/elf/app" PLANTEDlong; do
		grep -qF "$word" <("$ELFAULT" dump a.trace)
	done
	mkdir recorded
	cp a.trace recorded
	ln -s "$HOME" recorded/home
	echo PLANTED plantedhome plantedhost >recorded/secrets
	python3 "$tests/unit/cli/test_secrets.py" "$ELFAULT" . . recorded >tap || {
		grep -A5 '^not ok' tap
		false
	}
}

@test "what record says has none" {
	home
	says whole 0 "$ELFAULT" record -o a.trace -- "$APP" "${ARGUMENTS[@]}"
	says set 0 "$ELFAULT" record --repeat 2 -o set -- "$APP" "${ARGUMENTS[@]}"
	says cold 0 "$ELFAULT" record --cold -o "$HOME/cold.trace" -- "$APP" "${ARGUMENTS[@]}"
	says strict 4 "$ELFAULT" record --strict --ring-size=4K -o strict.trace -- "$APP" "${ARGUMENTS[@]}" ||
		says strict 0 "$ELFAULT" record --strict --ring-size=4K -o strict.trace -- "$APP" "${ARGUMENTS[@]}"
	says perf 0 "$ELFAULT" record --backend perf -o perf.trace -- "$APP" "${ARGUMENTS[@]}"
	says shell 0 "$ELFAULT" record -o shell.trace -- sh -c "true PLANTEDchild; '$APP'; : PLANTEDfile"
	says killed 137 "$ELFAULT" record -o killed.trace -- sh -c 'kill -9 $$ # PLANTED'
	says nothing 127 "$ELFAULT" record -o nothing.trace -- "$HOME/nothing" "${ARGUMENTS[@]}"
	says place 125 "$ELFAULT" record -o "$HOME/nothing/a.trace" -- "$APP" "${ARGUMENTS[@]}"
	sh -c ': PLANTEDargument; sleep 60; :' PLANTEDname --token=PLANTEDlong &
	LOOPS+=($!)
	says attached 0 "$ELFAULT" record -p $! -d 1 -o attached.trace
	no_secret said
	grep -qF 'app --token=… -p… --password' said/whole
	grep -qF '~/cold.trace' said/cold
}

@test "commands that run the program have none in what they say and write" {
	home
	"$ELFAULT" record --quiet -o a.trace -- "$APP" "${ARGUMENTS[@]}"
	mkdir written
	says exact 0 "$ELFAULT" order --exact -o written/exact.order -- "$APP" "${ARGUMENTS[@]}"
	says shown 0 "$ELFAULT" order --exact --full-paths -o exact.order -- "$APP" "${ARGUMENTS[@]}"
	says exact-nothing 127 "$ELFAULT" order --exact -o "$HOME/a.order" -- "$HOME/nothing" "${ARGUMENTS[@]}"
	"$ELFAULT" prefetch a.trace -o written/a.list
	says list 0 "$ELFAULT" prefetch --from written/a.list -- "$APP" "${ARGUMENTS[@]}"
	says trace 0 "$ELFAULT" prefetch --from a.trace -- "$APP" "${ARGUMENTS[@]}"
	says no-list 0 "$ELFAULT" prefetch --from "$HOME/no.list" -- "$APP" "${ARGUMENTS[@]}"
	says list-nothing 127 "$ELFAULT" prefetch --from "$HOME/no.list" -- "$HOME/nothing" "${ARGUMENTS[@]}"
	for format in text json; do
		says "measure-$format" 0 "$ELFAULT" prefetch --from written/a.list --measure 2 --format "$format" -- "$APP" "${ARGUMENTS[@]}"
	done
	if [ -n "$PREFETCH" ]; then
		echo >>"$HOME/elf/libapp.so"
		says stale 0 "$PREFETCH" written/a.list -- "$APP" "${ARGUMENTS[@]}"
		grep -qF '~/elf/libapp.so' said/stale
	fi
	no_secret said written
	grep -qF '~/elf/app' written/exact.order
	grep -qF "$HOME/elf/app" exact.order
	grep -qF '~/no.list' said/no-list
}
