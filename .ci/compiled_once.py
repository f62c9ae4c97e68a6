#!/usr/bin/env python3
"""Checks that the second command of README reuses what the first one built.

    compiled_once.py FIRST SECOND

FIRST and SECOND are what `cargo build -p installer` and `cargo test --workspace --no-run` printed
with `--message-format json`. A crate of somebody else that the second one built although the first
one had it already was asked for other features: declare them in shared/Cargo.toml.
"""

import collections
import json
import sys

# The compiler's plug-ins want fewer features of these than the programs do, or stand on one of which
# they do, so each is there for both. Cargo has no way to ask for more on their side.
PLUG_INS = {
    "aho-corasick",
    "crc-fast",
    "either",
    "hashbrown",
    "indexmap",
    "itertools",
    "libc",
    "memchr",
    "regex",
    "regex-automata",
}


def built(path):
    """The files of each foreign library, by its name and version."""
    found = collections.defaultdict(set)
    for line in open(path, encoding="utf-8"):
        message = json.loads(line)
        if message.get("reason") != "compiler-artifact":
            continue
        package = message["package_id"]
        if not package.startswith("registry+") or "custom-build" in message["target"]["kind"]:
            continue
        found[package.rsplit("#", 1)[1]].update(
            name for name in message["filenames"] if name.endswith((".rlib", ".so"))
        )
    return dict(found)


def main():
    first, second = built(sys.argv[1]), built(sys.argv[2])
    again = sorted(name for name in first if second.get(name, set()) - first[name])
    both = first.keys() | second.keys()
    twice = sorted(name for name in both if len(first.get(name, set()) | second.get(name, set())) > 1)
    strange = [name for name in twice if name.split("@")[0] not in PLUG_INS]
    if again or strange:
        sys.exit(f"compiled again for the tests: {again}; compiled twice: {strange}")
    assert len(first) > 200, f"only {len(first)} foreign crates were looked at"
    print(f"{len(first)} foreign crates serve both commands; the tests add {len(both) - len(first)}")


main()
