#!/usr/bin/env python3
"""Checks that the second command of README reuses what the first one built.

    compiled_once.py FIRST SECOND

FIRST and SECOND are what `cargo build -p installer` and `cargo test --workspace --no-run` printed
with `--message-format json`. A third-party crate that the second command built although the first
already had it was requested with other features: declare those in shared/Cargo.toml.
"""

import collections
import json
import sys

# Procedural macros need fewer features of these crates than the programs do, or depend on a crate
# of which they do, so each is built once for the macros and once for the programs. Cargo cannot
# request more features for the macros alone.
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
    """The files of each third-party library, by name and version."""
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
    assert len(first) > 200, f"only {len(first)} third-party crates were examined"
    print(f"{len(first)} third-party crates serve both commands; the tests add {len(both) - len(first)}")


main()
