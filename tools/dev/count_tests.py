#!/usr/bin/env python3
"""Counts the tests of several runners from the JUnit files that they leave; ./dev test uses it.

count_tests.py report PART STATUS DIRECTORY
    reads DIRECTORY/PART.xml and PART.log of a runner that ended with STATUS, prints what failed and a line
    with its counts, and keeps them in DIRECTORY/PART.json. A runner that ended with an error, or without a
    readable file, counts as one failure if no test of it failed.
count_tests.py total DIRECTORY
    prints the end of what failed tests of all parts said once more, and then the sum of all counts; exit
    status 1 if a test failed or none ran.
"""

import json
import pathlib
import re
import sys
from dataclasses import astuple, dataclass
from xml.etree import ElementTree

LINES_OF_A_CRASHED_RUNNER = 60
LINES_SAID_ONCE_MORE = 30
FAILURES_SAID_ONCE_MORE = 20
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
    """The words of the failed test."""
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


def failures_of(part, status, cases, log):
    """(headline, lines) of each failed test; of the runner itself if it failed and no test of it did."""
    failures = [
        (f"--- {part}: {name_of(case)} failed", words_of(case).splitlines())
        for case in cases or []
        if outcome(case) == "failed"
    ]
    found_none = cases == [] and status in (0, PYTEST_FOUND_NO_TESTS)
    if not failures and (cases is None or status != 0) and not found_none:
        last = log.read_text(errors="replace").splitlines()[-LINES_OF_A_CRASHED_RUNNER:]
        failures.append((f"--- {part}: the runner ended with status {status}", last))
    return failures


def report(part, status, directory):
    cases = read_cases(directory / f"{part}.xml")
    counts = count(cases or [])
    failures = failures_of(part, status, cases, directory / f"{part}.log")
    for headline, lines in failures:
        print(headline, *lines, sep="\n")
    counts.failed = len(failures)
    result = {"counts": astuple(counts), "failures": failures}
    (directory / f"{part}.json").write_text(json.dumps(result))
    print(f"{part}: {counts}" if counts != Counts() else f"{part}: no tests", flush=True)


def say_once_more(failures):
    """Hours may lie between a failure and the end, and a log of builds: who looks at the end sees it."""
    print("--- what failed, once more")
    for headline, lines in failures[:FAILURES_SAID_ONCE_MORE]:
        print(headline)
        if len(lines) > LINES_SAID_ONCE_MORE:
            print(f"({len(lines) - LINES_SAID_ONCE_MORE} lines before)")
        print(*lines[-LINES_SAID_ONCE_MORE:], sep="\n")
    for headline, _ in failures[FAILURES_SAID_ONCE_MORE:]:
        print(headline)


def total(directory):
    results = [json.loads(file.read_text()) for file in sorted(directory.glob("*.json"))]
    counts = sum((Counts(*result["counts"]) for result in results), Counts())
    failures = [failure for result in results for failure in result["failures"]]
    if failures:
        say_once_more(failures)
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
