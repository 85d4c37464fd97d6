# SPDX-License-Identifier: GPL-2.0-only
"""Validate each line of the file argv[3] by the schema argv[2] of the folder argv[1].

Stricter than the schemas, which allow what later versions may add: a field that is not named there
is an error, and so is a key that comes twice."""

import json
import os
import sys

from jsonschema import Draft202012Validator, RefResolver

folder, name, path = sys.argv[1:4]


def strict(schema):
    """Every object that names its fields has no others."""
    if isinstance(schema, dict):
        if "properties" in schema:
            schema["additionalProperties"] = False
        for value in schema.values():
            strict(value)
    elif isinstance(schema, list):
        for value in schema:
            strict(value)
    return schema


def load(file):
    with open(os.path.join(folder, file), encoding="utf-8") as source:
        return strict(json.load(source))


def unique(pairs):
    keys = [key for key, _ in pairs]
    if len(keys) != len(set(keys)):
        raise ValueError(f"a key comes twice: {keys}")
    return dict(pairs)


schema, common = load(name + ".json"), load("common.json")
Draft202012Validator.check_schema(schema)
Draft202012Validator.check_schema(common)
validator = Draft202012Validator(
    schema, resolver=RefResolver("", schema, store={"common.json": common}))

lines = 0
with open(path, encoding="utf-8") as source:  # strict: what is not UTF-8 is an error
    for line in source:
        lines += 1
        value = json.loads(line, object_pairs_hook=unique)
        if name == "trace":  # the error of the right branch, not of all
            branch = [b for b in schema["oneOf"]
                      if value["type"] in (b["properties"]["type"].get("enum")
                                           or [b["properties"]["type"]["const"]])]
            assert len(branch) == 1, value["type"]
            use = validator.evolve(schema=branch[0])
        else:
            use = validator
        for error in use.iter_errors(value):
            sys.exit(f"line {lines}: {error.json_path}: {error.message[:300]}")
if not lines:
    sys.exit("nothing to validate")
