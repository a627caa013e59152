# SPDX-License-Identifier: Apache-2.0
# Completion for fish. What may follow is for elfault to say: cli/option/complete.h.

function __elfault_complete
    set -l typed (commandline -ct)
    set -l words (commandline -opc) "$typed"
    for line in ($words[1] --_complete $words[2..-1] 2>/dev/null)
        switch $line
            case ':files'
                __fish_complete_path (string replace -r -- '^--[^=]*=' '' "$typed")
            case ':directories'
                __fish_complete_directories (string replace -r -- '^--[^=]*=' '' "$typed")
            case ':command *'
                set -l first (math (string replace ':command ' '' -- $line) + 1)
                complete -C "$words[$first..-1]"
            case '*'
                echo $line
        end
    end
end

complete -c elfault -f -a '(__elfault_complete)'
