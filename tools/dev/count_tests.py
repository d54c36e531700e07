#!/usr/bin/env python3
"""Counts the tests of several runners from the JUnit files that they leave; ./dev test uses it.

count_tests.py report PART STATUS DIRECTORY
    reads DIRECTORY/PART.xml and PART.log of a runner that ended with STATUS, prints what failed and a line
    with its counts, and keeps them in DIRECTORY/PART.counts. A runner that ended with an error, or without a
    readable file, counts as one failure if no test of it failed.
count_tests.py total DIRECTORY
    prints the sum of all counts; exit status 1 if a test failed or none ran.
"""

import pathlib
import re
import sys
from dataclasses import astuple, dataclass
from xml.etree import ElementTree

LINES_OF_A_CRASHED_RUNNER = 60
PYTEST_FOUND_NO_TESTS = 5


@dataclass
class Counts:
    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other):
        return Counts(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))

    def __str__(self):
        skipped = f", {self.skipped} skipped" if self.skipped else ""
        return f"{self.passed} passed, {self.failed} failed{skipped}"


def outcome(case):
    """passed, failed or skipped. A test that CTest could not start is "notrun" like one that was skipped."""
    if case.find("failure") is not None or case.find("error") is not None or case.get("status") == "fail":
        return "failed"
    skipped = case.find("skipped")
    if case.get("status") == "notrun":
        meant = skipped is not None and re.match(r"SKIP_|Disabled", skipped.get("message", ""))
        return "skipped" if meant else "failed"
    return "skipped" if skipped is not None or case.get("status") == "disabled" else "passed"


def words_of(case):
    """What the failed test said."""
    telling = ("failure", "error", "system-out", "system-err")
    parts = [element.text for element in case if element.tag in telling]
    return "\n".join(part.rstrip() for part in parts if part and part.strip())


def name_of(case):
    group, name = case.get("classname", ""), case.get("name", "")
    return name if group in ("", name) else f"{group}: {name}"


def read_cases(path):
    """The test cases of a JUnit file, or None if there is none that can be read."""
    try:
        return list(ElementTree.parse(path).getroot().iter("testcase"))
    except (OSError, ElementTree.ParseError):
        return None


def count(cases):
    outcomes = [outcome(case) for case in cases]
    return Counts(*(outcomes.count(word) for word in ("passed", "failed", "skipped")))


def report(part, status, directory):
    cases = read_cases(directory / f"{part}.xml")
    counts = count(cases or [])
    for case in cases or []:
        if outcome(case) == "failed":
            print(f"--- {part}: {name_of(case)} failed\n{words_of(case)}")
    found_none = cases == [] and status in (0, PYTEST_FOUND_NO_TESTS)
    if counts.failed == 0 and (cases is None or status != 0) and not found_none:
        counts.failed = 1
        log = (directory / f"{part}.log").read_text(errors="replace").splitlines()
        print(f"--- {part}: the runner ended with status {status}")
        print(*log[-LINES_OF_A_CRASHED_RUNNER:], sep="\n")
    (directory / f"{part}.counts").write_text(" ".join(map(str, astuple(counts))))
    print(f"{part}: {counts}" if counts != Counts() else f"{part}: no tests", flush=True)


def total(directory):
    files = sorted(directory.glob("*.counts"))
    counts = sum((Counts(*map(int, file.read_text().split())) for file in files), Counts())
    print(counts, flush=True)
    return 1 if counts.failed or not counts.passed else 0


def main(arguments):
    if len(arguments) == 4 and arguments[0] == "report":
        return report(arguments[1], int(arguments[2]), pathlib.Path(arguments[3]))
    if len(arguments) == 2 and arguments[0] == "total":
        return total(pathlib.Path(arguments[1]))
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
