#!/usr/bin/env python3
"""Names the lines of the given files that are longer than 110 characters; status 1 if there are any."""

import sys

LONGEST = 110


def too_long(path):
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            length = len(line.rstrip("\n"))
            if length > LONGEST:
                yield f"{path}:{number}: {length} characters; at most {LONGEST}"


if __name__ == "__main__":
    if len(sys.argv) == 1:
        sys.exit("check_line_lengths.py: name the files to check, or run ./dev lint")
    complaints = [complaint for path in sys.argv[1:] for complaint in too_long(path)]
    print(*complaints, sep="\n", end="\n" if complaints else "")
    sys.exit(1 if complaints else 0)
