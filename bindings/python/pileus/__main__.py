"""The command `pileus`: what the program of that name does, and what needs Python."""

import argparse
import os
import sys
import tempfile

from pileus._library import program
from pileus.errors import Error

_HELP = """\
Commands of the Python package, beside those below:
  replay                    hand the fields of files over as if a model did
  check ... --with FILE     the fields of a file are those of the model (--map, --time as for replay)
"""


def _check_with(words: list[str]) -> int:
    """`pileus check run.xml --with FILE`: FILE stands in for the description of the model."""
    from pileus import replay

    taken = argparse.ArgumentParser(prog="pileus check", add_help=False, allow_abbrev=False)
    taken.add_argument("--with", dest="file", required=True)
    taken.add_argument("--map", action="append", default=[])
    taken.add_argument("--time", default="")
    given, rest = taken.parse_known_args(words[1:])
    with tempfile.TemporaryDirectory(prefix="pileus-") as folder:
        model = os.path.join(folder, os.path.basename(given.file.rstrip("/")) + ".json")
        try:
            names = replay.pairs(given.map, "--map")
            replay.describe(replay.open_files([given.file], given.time), names, model)
        except FileNotFoundError as error:
            print(f"pileus check: {error}", file=sys.stderr)
            return 2
        except Error as error:
            print(f"pileus check: {given.file}: {error}", file=sys.stderr)
            return 1
        return os.spawnv(os.P_WAIT, program("pileus"), ["pileus", "check", *rest, "--model", model])


def main() -> int:
    words = sys.argv[1:]
    if words[:1] == ["replay"]:
        from pileus import replay

        return replay.main(words[1:])
    if words[:1] == ["check"] and any(word.split("=")[0] == "--with" for word in words):
        return _check_with(words)
    if words in ([], ["--help"], ["-h"], ["help"]):
        print(_HELP, flush=True)
    return _become("pileus", words)


def server() -> int:
    """The command `pileus-server`."""
    return _become("pileus-server", sys.argv[1:])


def _become(name: str, words: list[str]) -> int:
    try:
        path = program(name)
    except Error as error:
        print(f"{name}: {error}", file=sys.stderr)
        return 2
    os.execv(path, [name, *words])


if __name__ == "__main__":
    sys.exit(main())
