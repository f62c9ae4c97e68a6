#!/usr/bin/env python3
"""Passes on what `cargo test` prints, and names the slowest tests of a program before its result.

The test runner must print times (`--report-time`): `.ci/timed` makes it.
"""

import re
import sys

TIMED = re.compile(r"^test (\S+)(?: - should panic)? \.\.\. ok <([\d.]+)s>$")
TOLD = 20

times = []
for line in sys.stdin:
    if found := TIMED.match(line.rstrip("\n")):
        times.append((float(found[2]), found[1]))
    if line.startswith("test result:"):
        if len(times) > TOLD:
            times.sort(reverse=True)
            total = sum(seconds for seconds, _ in times)
            print(f"the slowest {TOLD} of {len(times)} tests, which took {total:.0f} s in all:")
            for seconds, name in times[:TOLD]:
                print(f"{seconds:8.1f} s  {name}")
        times = []
    sys.stdout.write(line)
    sys.stdout.flush()
