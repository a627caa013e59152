#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Hold a command's JSON against its schema.

usage: schema.py [--lines] SCHEMA COMMAND [ARGUMENT...]

Every document (--lines: every line of standard output) must be valid. Then the schema itself is put
to the test: of the first documents each key is taken out in turn, and each must be missed, since
the contract says that every key is always there.
"""
import json
import pathlib
import subprocess
import sys

import jsonschema

import wordtable

DAMAGED_DOCUMENTS = 20


def refuse_constant(word):
    raise ValueError(f"{word} is not JSON")


def load(path):
    path = pathlib.Path(path)
    schema = json.loads(path.read_text())
    neighbours = [json.loads(p.read_text()) for p in path.parent.glob("*.schema.json")]
    validator = jsonschema.validators.validator_for(schema)
    validator.check_schema(schema)
    store = {s["$id"]: s for s in neighbours}
    return validator(schema, resolver=jsonschema.RefResolver.from_schema(schema, store=store))


def keys_of(value, path=()):
    """Every path to a key of an object; of a list only its first item counts."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield path + (key,)
            yield from keys_of(inner, path + (key,))
    elif isinstance(value, list) and value:
        yield from keys_of(value[0], path + (0,))


def is_word(path):
    """Of what is counted by initiator or by kind of wait, those are left out that nothing happened for."""
    return path[0] == "account" and path[-1] in wordtable.values("initiator") + \
        wordtable.values("wait") + ("unknown",)


def two_items(value):
    """A document whose lists keep two items, as some must have: keys_of() looks into the first."""
    if isinstance(value, dict):
        return {key: two_items(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [two_items(inner) for inner in value[:2]]
    return value


def without(document, path):
    copy = json.loads(json.dumps(document))
    inner = copy
    for step in path[:-1]:
        inner = inner[step]
    del inner[path[-1]]
    return copy


def main(arguments):
    lines = arguments[:1] == ["--lines"]
    schema, *command = arguments[lines:]
    validator = load(schema)
    output = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.decode("utf-8")
    texts = output.splitlines() if lines else [output]
    if not texts:
        sys.exit("no documents")

    failed = False
    for number, text in enumerate(texts, 1):
        document = json.loads(text, parse_constant=refuse_constant)
        for error in validator.iter_errors(document):
            failed = True
            where = "/".join(str(step) for step in error.absolute_path)
            print(f"document {number}: /{where}: {error.message[:300]}")
        if number > DAMAGED_DOCUMENTS:
            continue
        # To go through a whole document for each of its keys would take a minute.
        document = two_items(document)
        if not validator.is_valid(document):
            sys.exit(f"document {number}: it is not valid with two items of each list alone")
        for path in keys_of(document):
            # These are only there on demand.
            if path not in [("faults",), ("listings",)] and not is_word(path) and validator.is_valid(without(document, path)):
                failed = True
                where = "/".join(str(step) for step in path)
                print(f"document {number}: the schema does not miss /{where}")
    print(f"{len(texts)} documents against {schema}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
