#!/usr/bin/env python3
"""Prints how large rooms, files and functions of src/ are, without tests. sizes.py [--long] [ROOT]

--long names the functions and files that are too long. A function is what stands between a line that ends
with "{" and the "}" in the same column, as clang-format writes it, where neither is a type, a namespace or a
statement.
"""

import argparse
import re
import statistics
import sys
from pathlib import Path

from check_rooms import RULES, is_test, read_rules

LONGEST_FILE = 400
LONGEST_FUNCTION = 40
LARGEST_ROOM = 5000  # lines, of a room without those inside it
MOST_INDENT = 4  # of a function within a class within a class
NO_FUNCTION = re.compile(r"^(namespace|class|struct|enum|union|extern|if|for|while|switch|do|else|try|catch|"
                         r"template <[^>]*> (class|struct)|case|default|return|"
                         r"static constexpr|inline constexpr|"
                         r"const(expr)? [\w:<>, ]+ \w+ ?(\[\])? ?=)\b")


TRAILING_COMMENT = re.compile(r"\s*//.*$")


def sources(root):
    """Path below src/ and lines of each source file that is no test."""
    for path in sorted((root / "src").rglob("*")):
        below = path.relative_to(root / "src").as_posix()
        if path.suffix in (".h", ".cpp") and not is_test(below):
            yield below, path.read_text().splitlines()


def functions(lines):
    """First line and length of each function."""
    for last, line in enumerate(lines):
        if not line.endswith("{"):
            continue
        first = first_of_statement(lines, last)
        statement = " ".join(part.strip() for part in lines[first:last + 1])
        indent = len(lines[first]) - len(lines[first].lstrip())
        if indent > MOST_INDENT or "(" not in statement or NO_FUNCTION.match(statement):
            continue
        ends = (i for i in range(last + 1, len(lines)) if lines[i].startswith(" " * indent + "}"))
        end = next(ends, None)
        if end is not None and not lines[end].startswith(" " * indent + "};"):
            yield first + 1, end - first + 1


def first_of_statement(lines, last):
    """The line where the statement begins that ends in a line."""
    first = last
    while first > 0:
        before = TRAILING_COMMENT.sub("", lines[first - 1]).strip()
        if not before or before.startswith("#") or before.endswith((";", "{", "}", ":", "*/")):
            break
        first -= 1
    return first


def sizes_of_rooms(root):
    """Lines without tests, by room."""
    rules = read_rules(root / RULES)
    sizes = {}
    for path, lines in sources(root):
        room = rules.room_of(path)
        sizes[room] = sizes.get(room, 0) + len(lines)
    return sizes


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--long", action="store_true", help="name what is too long")
    parser.add_argument("root", nargs="?", type=Path, default=Path(__file__).resolve().parents[1])
    options = parser.parse_args()
    files, lengths, long = [], [], []
    for path, lines in sources(options.root):
        files.append(len(lines))
        long += [f"src/{path}: {len(lines)} lines"] if len(lines) > LONGEST_FILE else []
        for line, length in functions(lines):
            lengths.append(length)
            long += [f"src/{path}:{line}: {length} lines"] if length > LONGEST_FUNCTION else []
    for room, size in sorted(sizes_of_rooms(options.root).items(), key=lambda item: -item[1]):
        print(f"{size:6} {room}")
    print(f"{len(lengths)} functions, median {statistics.median(lengths):.0f} lines, "
          f"{sum(length > LONGEST_FUNCTION for length in lengths)} above {LONGEST_FUNCTION}")
    print(f"{len(files)} files, median {statistics.median(files):.0f} lines, "
          f"{sum(size > LONGEST_FILE for size in files)} above {LONGEST_FILE}")
    if options.long:
        print(*long, sep="\n")


if __name__ == "__main__":
    sys.exit(main())
