#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Read or write, told from the instruction alone, against what the processor said of the same fault: it
# may be unknown, never wrong.
load common

compare() {
	need_bpf
	record trace "$@" >output
	"$ELFAULT" dump trace | sed -E 's/ error=[^ ]+//' >without.txt
	! grep -q ' error=' without.txt
	"$ELFAULT" analyze --format ndjson trace >with.ndjson
	"$ELFAULT" analyze --format ndjson without.txt >without.ndjson
	python3 "$tests/support/access.py" with.ndjson without.ndjson
}

@test "clang --version" { need clang-14; compare clang-14 --version; }
@test "git --version" { need git; compare git --version; }
@test "python3 -c 'import json'" { compare /usr/bin/python3 -c 'import json'; }
@test "64 threads" { compare "$PROGRAMS/threads"; }
@test "1,000 children" { compare "$PROGRAMS/forks"; }
