#!/usr/bin/env python3
"""Checks that every file of src/, include/ and apps/ includes only what its room may know.

The rules and their form are in cmake/rooms.txt. check_rooms.py [ROOT] names each violation with its file and
line; status 1 if there is one.
"""

import pathlib
import re
import sys
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

RULES = "cmake/rooms.txt"
SUFFIXES = {".h", ".hpp", ".c", ".cpp"}
OUTSIDE_SRC = ("include", "apps")
PUBLIC_HEADERS = "pileus/"
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"\n]+)[>"]', re.MULTILINE)
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
TEST_NAME = re.compile(r"^test_|_test$|_test_|_oracle$")


class RulesError(Exception):
    """cmake/rooms.txt cannot be understood."""


@dataclass
class Rules:
    """The rules of cmake/rooms.txt; the values are the sets of names that may be included."""

    libraries: dict = field(default_factory=dict)
    rooms: dict = field(default_factory=dict)
    files: dict = field(default_factory=dict)
    tests: dict = field(default_factory=dict)

    def room_of(self, path):
        """The innermost room that holds a path below src/, or None."""
        folders = path.split("/")[:-1]
        while folders and "/".join(folders) not in self.rooms:
            folders.pop()
        return "/".join(folders) or None

    def library_of(self, header):
        for name, patterns in self.libraries.items():
            if any(fnmatchcase(header, pattern) for pattern in patterns):
                return name
        return None

    def allowed(self, path):
        """All headers that the file may include besides its own room."""
        room = self.room_of(path)
        names = self.rooms[room] | self.files.get(path, set())
        if is_test(path):
            names |= self.tests.get(room, set()) | self.tests.get("*", set())
        return names


def is_test(path):
    *folders, name = path.split("/")
    return "testing" in folders or TEST_NAME.search(name.rsplit(".", 1)[0]) is not None


def read_rules(path):
    rules = Rules()
    kinds = {"library": rules.libraries, "room": rules.rooms, "file": rules.files, "test": rules.tests}
    places = []
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        line = line.split("#")[0].strip()
        if not line:
            continue
        place = f"{RULES}:{number}"
        rule = re.fullmatch(r"(\w+)\s+([^\s:]+)\s*:(.*)", line)
        if not rule or rule[1] not in kinds:
            raise RulesError(f'{place}: not "library", "room", "file" or "test", a name and a colon: {line}')
        kind, name, what = rule[1], rule[2], set(rule[3].split())
        if name in kinds[kind]:
            raise RulesError(f'{place}: a second line for {kind} "{name}"')
        kinds[kind][name] = what
        places.append((place, kind, name, what))
    check_names(rules, places)
    return rules


def check_names(rules, places):
    """Raises RulesError if a rule names a room or a library that has no rule of its own."""
    for place, kind, name, what in places:
        if kind == "library":
            continue
        mentioned = {name} if kind == "test" and name != "*" else set()
        for word in sorted(what | mentioned):
            is_header = "." in word and rules.room_of(word)
            if word != "*" and word not in rules.rooms and word not in rules.libraries and not is_header:
                raise RulesError(f'{place}: no room or library "{word}"')
        if kind == "file" and not rules.room_of(name):
            raise RulesError(f'{place}: "{name}" is in no room')


def includes(text):
    """Yields (line, header) for every include that is not in a block comment."""
    text = COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), text)
    for match in INCLUDE.finditer(text):
        yield text.count("\n", 0, match.start(1)) + 1, match[1]


class Check:
    def __init__(self, root, rules):
        self.root = root
        self.rules = rules

    def path_below_src(self, file):
        """The path as includes write it: core/x.h for src/core/x.h, include/pileus/x.h for itself."""
        path = file.relative_to(self.root).as_posix()
        return path.removeprefix("src/")

    def target_of(self, file, header):
        """The path below src/ that an include means, or None if it is not a file of the project's own."""
        beside = (file.parent / header).resolve()
        if beside.is_relative_to(self.root) and beside.is_file():
            return self.path_below_src(beside)
        if header.startswith(PUBLIC_HEADERS):
            return f"include/{header}"
        if self.rules.room_of(header) or (self.root / "src" / header).is_file():
            return header
        return None

    def complaint_about(self, path, file, header):
        """Say what is wrong with including this header in this file, or None."""
        room = self.rules.room_of(path)
        allowed = self.rules.allowed(path)
        target = self.target_of(file, header)
        if target is None:
            library = self.rules.library_of(header)
            if library and library not in allowed:
                return f'room "{room}" may not include "{header}" (library {library})'
            return None
        owner = self.rules.room_of(target)
        if owner is None:
            return f'"{target}" is in no room of {RULES}'
        if owner != room and "*" not in allowed and owner not in allowed and target not in allowed:
            return f'room "{room}" may not include "{target}"'
        if is_test(target) and not is_test(path):
            return f'"{target}" is for tests only'
        return None

    def complaints_about(self, file):
        path = self.path_below_src(file)
        shown = file.relative_to(self.root).as_posix()
        if self.rules.room_of(path) is None:
            yield f"{shown}:1: this folder is no room of {RULES}"
            return
        for line, header in includes(file.read_text(encoding="utf-8", errors="replace")):
            complaint = self.complaint_about(path, file, header)
            if complaint:
                yield f"{shown}:{line}: {complaint}"


def check(root):
    """All violations in the tree, one string each."""
    root = pathlib.Path(root).resolve()
    try:
        checker = Check(root, read_rules(root / RULES))
    except (OSError, RulesError) as error:
        return [str(error)]
    files = sorted(file for folder in ("src", *OUTSIDE_SRC) for file in (root / folder).rglob("*"))
    return [text for file in files if file.suffix in SUFFIXES for text in checker.complaints_about(file)]


def main(arguments):
    root = arguments[0] if arguments else pathlib.Path(__file__).parent.parent
    complaints = check(root)
    print(*complaints, sep="\n", end="\n" if complaints else "")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
