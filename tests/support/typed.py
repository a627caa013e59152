#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Type a line into a shell as a person does, and print the words that it has become.

    typed.py bash|zsh SETUP LINE

The shell runs in a terminal of its own, first SETUP and then LINE, where \\t is the tabulator.
"""
import os
import pty
import sys
import tempfile

SHELLS = {
    "bash": ["bash", "--norc", "--noprofile", "-i"],
    "zsh": ["zsh", "-f", "-i"],
}


def main(shell, setup, line):
    with tempfile.NamedTemporaryFile("r") as out:
        child, terminal = pty.fork()
        if child == 0:
            os.environ.update(TERM="xterm", INPUTRC="/dev/null", HISTFILE="/dev/null", PS1="$ ")
            os.execvp(SHELLS[shell][0], SHELLS[shell])
        # Control-A goes to the start of the line, where the command is put that prints the words.
        text = f"{setup}\n{line}\x01printf '<%s>\\n' >{out.name} \nexit\n"
        os.write(terminal, text.replace("\\t", "\t").encode())
        try:
            while os.read(terminal, 4096):
                pass
        except OSError:  # the shell has ended
            pass
        os.waitpid(child, 0)
        sys.stdout.write(out.read())


if __name__ == "__main__":
    main(*sys.argv[1:])
