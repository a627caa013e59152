# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Completion for bash. What may follow is for elfault to say: cli/option/complete.h.

_elfault() {
	local line=${COMP_LINE:0:COMP_POINT} words=() starts=() piece i
	# bash splits words at = and : as well; here they are whole.
	for ((i = 0; i <= COMP_CWORD; i++)); do
		piece=${COMP_WORDS[i]}
		if [[ $i = 0 || $line == [[:blank:]]* ]]; then
			words+=("")
			starts+=("$i")
		fi
		line=${line#"${line%%[![:blank:]]*}"}
		[ "$i" = "$COMP_CWORD" ] && piece=$line
		words[-1]+=$piece
		line=${line#"$piece"}
	done

	# bash replaces the last piece only, and nothing of a quotation mark or separator.
	local typed=${words[-1]} kept
	[[ $piece == [=:] ]] && piece=
	kept=${typed%"$piece"}
	if [[ $typed == [\"\']* ]]; then
		typed=${typed:1} piece=${piece:1} kept=
	fi
	words[-1]=$typed
	for i in "${!words[@]}"; do
		# shellcheck disable=SC2088 # it is what was typed
		[[ ${words[i]} == '~/'* ]] && words[i]=$HOME/${words[i]:2}
	done

	local reply
	COMPREPLY=()
	while IFS=$'\t' read -r reply _; do
		case $reply in
		:files)
			compopt -o filenames
			while read -r reply; do COMPREPLY+=("$reply"); done < <(compgen -f -- "$piece")
			;;
		:directories)
			compopt -o filenames
			while read -r reply; do COMPREPLY+=("$reply"); done < <(compgen -d -- "$piece")
			;;
		:command\ *)
			_elfault_command "${starts[${reply#* }]}" "$piece"
			return
			;;
		*=)
			compopt -o nospace
			COMPREPLY+=("${reply#"$kept"}")
			;;
		*)
			COMPREPLY+=("${reply#"$kept"}")
			;;
		esac
	done < <("${words[0]}" --_complete "${words[@]:1}" 2>/dev/null)
}

# Another program's command line begins at word $1; $2 is typed.
_elfault_command() {
	if declare -F _comp_command_offset >/dev/null; then
		_comp_command_offset "$1"
	elif declare -F _command_offset >/dev/null; then
		_command_offset "$1"
	elif [ "$1" = "$COMP_CWORD" ]; then
		mapfile -t COMPREPLY < <(compgen -c -- "$2")
	else
		compopt -o filenames
		mapfile -t COMPREPLY < <(compgen -f -- "$2")
	fi
}

complete -F _elfault elfault
