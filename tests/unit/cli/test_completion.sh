#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Completion: what elfault offers, and what becomes of a line typed into bash, zsh and fish.
#   test_completion.sh ELFAULT FIXTURES COMPLETION
set -uo pipefail
elfault=$(realpath "$1") fixtures=$(realpath "$2") completion=$(realpath "$3")
support=$(realpath "$(dirname "$0")/../../support")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$fixtures/traces/start.txt" "$work/start.trace"
cd "$work" || exit 1
PATH=$(dirname "$elfault"):$PATH

n=0 failed=0
is() { # SENTENCE EXPECTED FOUND
	n=$((n + 1))
	if [ "$2" = "$3" ]; then
		echo "ok $n - $1"
	else
		echo "not ok $n - $1"
		printf 'expected: %s\nfound:    %s\n' "$2" "$3" | sed 's/^/# /'
		failed=1
	fi
}
skip() { # SENTENCE REASON
	n=$((n + 1))
	echo "ok $n - $1 # SKIP $2"
}
# The candidates, in one line.
offers() { "$elfault" --_complete "$@" | cut -f1 | paste -sd' '; }
echo 1..43

commands=$("$elfault" --help | sed -n 's/^  \([a-z]\+\) .*/\1/p' | paste -sd' ')
is "every command is offered" "$commands --help --version" "$(offers "")"
is "those that begin so are" "record report resolve redact" "$(offers re)"
is "nothing is of no command" "" "$(offers nothing "")"
# What argp itself adds is left out, but for --help.
wrong=
for command in $commands; do
	help=$("$elfault" "$command" --help | grep -oP '^ {2,6}(-., )?--\K[a-z-]+' | grep -vxF -e usage -e version  | sort | paste -sd' ')
	offered=$("$elfault" --_complete "$command" -- | cut -f1 | sed 's/^--//' | sort | paste -sd' ')
	[ "$help" = "$offered" ] || wrong+="$command: $help but $offered; "
done
is "of each command every option is offered, and no other" "" "$wrong"
is "an option has its meaning beside it" \
	"--pid	Record a running process and all that it starts" "$("$elfault" --_complete record --pi)"

is "formats are offered" "text json ndjson csv" "$(offers analyze --format "")"
is "those of export are, with their meaning" "$("$elfault" export --to nothing 2>&1 | sed -n 's/.*(expected \(.*\)).*/\1/p' | sed 's/,\| or//g')" \
	"$(offers export --to "")"
is "of a format the meaning is beside it" "speedscope	JSON for speedscope.app" "$("$elfault" --_complete export --to sp)"
is "words of weights and logs are" "faults time bytes perf-script bpftrace offsets" "$(offers export --weight "") $(offers import --from "")"
is "those of a command are" "text json markdown junit github" "$(offers check --format "")"
is "behind an equals sign they are, too" "--format=json" "$(offers analyze --format=j)"
is "fixed words are" "auto bpf perf" "$(offers record --backend "")"
is "of an option of all commands they are" "never" "$(offers smaps --color n)"
is "a value that may be left out is asked for by an equals sign" "--cold=all :files" "$(offers record --cold=)"
is "keys are" "pss private_clean private_dirty private" "$(offers smaps -t p)"
is "fields are" "initiator= init_object= initializer=" "$(offers analyze --where ini)"
is "fields to count by are, behind a comma as well" "initiator,segment initiator,section" "$(offers analyze --by initiator,se)"
is "values of fields are" "initiator=symbol-lookup initiator=static-init initiator=static-fini initiator=startup" "$(offers analyze --where initiator=s)"
is "further values are" "kind=minor,initiator!=exec|relocation" "$(offers analyze --where 'kind=minor,initiator!=exec|re')"
is "an unknown field has none" "" "$(offers analyze --where initiatr=)"

is "the files of a trace are objects" "relocations64.elf :files" "$(offers analyze start.trace "")"
is "they are values of a field" "object=relocations64.elf" "$(offers analyze start.trace --where object=)"
is "sections that faults of a trace are in are" "section=[heap]" "$(offers analyze start.trace --where 'section=[h')"
cp start.trace elfault.trace
is "the trace need not be named" "object=relocations64.elf" "$(offers analyze --where object=r)"
{
	echo elfault-trace-text 1
	grep '^meta' start.trace
	echo "map time=1000100 pid=100 addr=0x10000000 size=0x1000 prot=r-xp path=\"/tmp/\$(touch broken)\""
	echo "map time=1000100 pid=100 addr=0x20000000 size=0x1000 prot=r-xp path=\"/tmp/-plain.so\""
	echo "map time=1000100 pid=100 addr=0x30000000 size=0x1000 prot=r-xp path=\"/tmp/plain.so\""
	echo 'summary end=1900000'
} >hostile.trace
is "names that a shell would execute are not offered" "plain.so :files" "$(offers report hostile.trace "")"

is "files are the shell's to find" ":files" "$(offers dump "")"
is "folders are" ":directories" "$(offers analyze --debug-dir "")"
is "a command's own words are" ":command 4" "$(offers record -o x git ch)"
is "an option's value is not the command" ":command 7" "$(offers record -o x --backend perf -- git ch)"
is "of several ways to call it the options decide" ":command 5" "$(offers order --exact -o x ./app)"
is "other options, other operands" "relocations64.elf :files" "$(offers order --verify x "")"

# As bash calls it, with the words that it would have split the line into.
bash_offers() { # LINE
	bash --norc --noprofile -c '
		. "$1"
		COMP_LINE=$2 COMP_POINT=${#2} COMP_WORDS=()
		while read -r word; do COMP_WORDS+=("$word"); done < <(sed "s/[=:]/ & /g; s/  */\n/g" <<<"$2")
		COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
		compopt() { :; }
		$(complete -p elfault | sed "s/.*-F \([^ ]*\).*/\1/")
		echo "${COMPREPLY[*]}"' bash "$completion/elfault.bash" "$1"
}
is "bash: all candidates" "text json ndjson csv" "$(bash_offers "elfault analyze --format ")"
is "bash: what stands before an equals sign stays" "text json ndjson csv" "$(bash_offers "elfault analyze --format=")"
is "bash: files" "start.trace" "$(bash_offers "elfault dump st")"

typed() { # SHELL LINE
	local setup="PATH='$PATH'; . '$completion/elfault.bash'"
	[ "$1" = bash ] || setup="PATH='$PATH'; fpath=('$completion' \$fpath); autoload -Uz compinit; compinit -u -D; bindkey -e"
	timeout 100 python3 "$support/typed.py" "$1" "$setup" "$2" | paste -sd' '
}
lines=(
	'elfault ana\t--form\tjs\t' '<elfault> <analyze> <--format> <json>'
	"elfault analyze --where 'initiator=exec|rel\\t" '<elfault> <analyze> <--where> <initiator=exec|relocation>'
	'elfault export --to perf\t--wei\tfau\t' '<elfault> <export> <--to> <perfetto> <--weight> <faults>'
	'elfault analyze rel\tstar\t--where=kind=ma\t' '<elfault> <analyze> <relocations64.elf> <start.trace> <--where=kind=major>'
)
for shell in bash zsh; do
	for ((i = 0; i < ${#lines[@]}; i += 2)); do
		if command -v "$shell" >/dev/null; then
			is "$shell: typed ${lines[i]}" "${lines[i + 1]}" "$(typed "$shell" "${lines[i]}")"
		else
			skip "$shell: typed ${lines[i]}" "$shell is not installed"
		fi
	done
done
fish_offers() {
	fish --no-config -c "source '$completion/elfault.fish'; complete -C '$1'" | cut -f1 | paste -sd' '
}
if command -v fish >/dev/null; then
	is "fish: words, files and another program" "initiator=relocation start.trace analyze perfetto" \
		"$(fish_offers "elfault analyze --where initiator=relo") $(fish_offers "elfault dump star") $(fish_offers "elfault record -- elfault ana") $(fish_offers "elfault export --to perf")"
else
	skip "fish: words, files and another program" "fish is not installed"
fi
exit $failed
