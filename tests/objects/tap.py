# SPDX-License-Identifier: Apache-2.0
"""Results of the tests of this folder, as TAP."""

_count = 0
_failed = False


def report(problem, name):
    """One test: @problem is what went wrong, None or empty if nothing did."""
    global _count, _failed
    _count += 1
    _failed |= bool(problem)
    print(f"{'not ok' if problem else 'ok'} {_count} - {name}", flush=True)
    for line in str(problem or "").splitlines():
        print("#   " + line)


def skip(reason, name):
    """One test that cannot be done here."""
    global _count
    _count += 1
    print(f"ok {_count} - {name} # SKIP {reason}", flush=True)


def finish():
    """Say how many there were; the exit status."""
    print(f"1..{_count}")
    return 1 if _failed else 0
