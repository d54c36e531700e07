#!/usr/bin/env python3
"""Checks that each room can be compiled in one piece, as ./dev demo does (PILEUS_UNITY).

Names without linkage of two files of a room must not clash then: constants and types have one name each,
functions of one name differ in the types of their parameters. Rooms whose CMakeLists.txt says UNITY_BUILD OFF
are compiled file by file. check_pieces.py [ROOT] names each clash; status 1 if there is one.
"""

import pathlib
import re
import sys

from check_rooms import is_test

UNNAMED = re.compile(r"^namespace \{\n(.*?)^\}  // namespace$", re.DOTALL | re.MULTILINE)
CONSTANT = re.compile(r"^(?:inline |static )*(?:constexpr|const)\b[^=({\n]*?\b(\w+)(?:\[\w*\])? ?[={(]",
                      re.MULTILINE)
TYPE = re.compile(r"^(?:struct|class|union|enum(?: class)?) (\w+)[^;\n]*\{", re.MULTILINE)
FUNCTION = re.compile(r"^(?!using |return |namespace )[\w:<][\w:<>,&* \[\]]*?[ &*](\w+)\(([^{;]*)\)[^{};]*\{",
                      re.MULTILINE)
ENCLOSING = re.compile(r"^namespace ([\w:]+) \{$", re.MULTILINE)
FILE_BY_FILE = "UNITY_BUILD OFF"


def parameter_types(text):
    """The parameters without their names and default values: `const A& a, B = 1` is `const A&,B`."""
    depth, parts = 0, [""]
    for letter in text:
        depth += (letter in "<([") - (letter in ">)]")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    types = [re.sub(r"(?<=[\w>&*]) +\w+$", "", part.split(" = ")[0].strip()) for part in parts]
    return ",".join(re.sub(r"\s+", " ", one) for one in types)


def names_of(text):
    """Yields (what may clash, line) for everything in the unnamed namespaces of a file."""
    for unnamed in UNNAMED.finditer(text):
        before = text.count("\n", 0, unnamed.start(1))
        inside = "::".join(ENCLOSING.findall(text[: unnamed.start()]))
        for kind in (CONSTANT, TYPE, FUNCTION):
            for found in kind.finditer(unnamed[1]):
                name = f"{inside}::{found[1]}"
                if kind is FUNCTION:
                    name += f"({parameter_types(found[2])})"
                yield name, before + unnamed[1].count("\n", 0, found.start()) + 1


def room_of(path, src):
    """The folder whose CMakeLists.txt compiles a file."""
    folder = path.parent
    while folder != src and not (folder / "CMakeLists.txt").is_file():
        folder = folder.parent
    return folder


def check(root):
    """All clashes in the tree, one string each."""
    root = pathlib.Path(root).resolve()
    src = root / "src"
    lists = src.rglob("CMakeLists.txt")
    file_by_file = {path.parent for path in lists if FILE_BY_FILE in path.read_text()}
    first_places, clashes = {}, []
    for path in sorted(src.rglob("*.cpp")):
        shown = path.relative_to(root).as_posix()
        if is_test(shown.removeprefix("src/")) or room_of(path, src) in file_by_file:
            continue
        for name, line in names_of(path.read_text(encoding="utf-8")):
            key = (room_of(path, src), name)
            first = first_places.setdefault(key, (shown, line))
            if first[0] != shown:
                clashes.append(f"{shown}:{line}: {name} is in {first[0]}:{first[1]} too: ./dev demo compiles "
                               "a room in one piece; rename one, or share it")
    return clashes


def main(arguments):
    clashes = check(arguments[0] if arguments else pathlib.Path(__file__).parent.parent)
    print(*clashes, sep="\n", end="\n" if clashes else "")
    return 1 if clashes else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
