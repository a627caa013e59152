#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Print one of elfault's JSON schemas with all it refers to in it, for generators of code that know only
references within a file.

usage: joinschema.py SCHEMAS NAME        such as: joinschema.py docs/schema analysis"""
import json
import pathlib
import sys


def load(folder, name):
    return json.loads((pathlib.Path(folder) / f"{name}.schema.json").read_text(encoding="utf-8"))


def target(schema, steps):
    """What the pointer @steps leads to in @schema."""
    for step in steps:
        schema = schema[step]
    return schema


def joined(folder, name):
    """Schema @name; what urn:elfault:OTHER:1#/definitions/X refers to is its definition OTHER_X."""
    definitions = {}

    def local(reference, of):
        """@reference as it stands in schema @of -> within the joined schema; takes its target along."""
        where, _, pointer = reference.partition("#/")
        other = where.split(":")[2] if where else of
        steps = pointer.split("/") if pointer else []
        words = [step for step in steps if step not in ("definitions", "properties", "items")]
        key = "_".join(words if other == name else [other, *words])
        if key not in definitions:
            definitions[key] = None  # being done: it may refer to itself
            schema = load(folder, other)
            schema.pop("title")  # a generator would name the class by it
            definitions[key] = walk(target(schema, steps), other)
        return f"#/definitions/{key}"

    def walk(node, of):
        if isinstance(node, list):
            return [walk(item, of) for item in node]
        if not isinstance(node, dict):
            return node
        return {key: local(value, of) if key == "$ref" else walk(value, of)
                for key, value in node.items() if key not in ("$id", "definitions")}

    return {**walk(load(folder, name), name), "$id": f"urn:elfault:{name}:joined", "definitions": definitions}


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    json.dump(joined(sys.argv[1], sys.argv[2]), sys.stdout, indent=1)
