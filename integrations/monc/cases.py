#!/usr/bin/env python3
"""Checks the IO configuration of every case of MONC with the options of that case.

    cases.py ROOT [--dialect monc-epcc] [--set KEY=VALUE]...

ROOT is a copy of MONC. A case is a file with a line ioserver_configuration_file=PATH. The program pileus has
to be in the PATH. It prints the cases that have errors, each with its first one, and counts the others.
--set gives an option to the cases that do not have it.
"""

import argparse
import pathlib
import re
import subprocess
import sys

KEY = "ioserver_configuration_file"
NO_CASES = {".F90", ".xml", ".md"}
LINE = re.compile(r"([^#!=+][^=+]*)\+?=\+?(.*)")


def options_in(path, known=()):
    """The options of a case, with those of its global configuration, which it overrules."""
    options = {}
    for line in path.read_text(errors="replace").splitlines():
        found = LINE.match(line.strip())
        if found:
            value = found[2].split("#")[0].strip()
            options[found[1].strip()] = value.strip("\"'")
    return dict(known) | options


def cases_of(root):
    """The files that name a configuration, but for the one that gives the default to all."""
    for path in sorted(root.rglob("*")):
        if not path.is_file() or path.suffix in NO_CASES or path.name == "global_config":
            continue
        options = options_in(path)
        if options.get(KEY):
            yield path, options


def first_error(root, options, dialect):
    """What pileus check says first; None where it finds nothing wrong."""
    name = options[KEY]
    settings = [word for key, value in options.items() for word in ("--set", f"{key}={value}")]
    done = subprocess.run(
        ["pileus", "check", "--dialect", dialect, *settings, name],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode == 0:
        return None
    said = (done.stdout + done.stderr).splitlines()
    return next((line for line in said if "error" in line and "warning:" not in line), said[-1])


def main():
    reader = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    reader.add_argument("root", type=pathlib.Path)
    reader.add_argument("--dialect", default="monc", choices=("monc", "monc-leeds", "monc-epcc"))
    reader.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    chosen = reader.parse_args()
    given = dict(one.split("=", 1) for one in chosen.set)
    count = failed = 0
    for path, options in cases_of(chosen.root):
        common = chosen.root / options.get("global_configuration", "global_config")
        options = given | options_in(path, options_in(common) if common.is_file() else ())
        error = first_error(chosen.root, options, chosen.dialect)
        count += 1
        failed += error is not None
        if error is not None:
            print(f"{path.relative_to(chosen.root)}: {error}")
    print(f"{count - failed} of {count} cases have a configuration without errors")


if __name__ == "__main__":
    sys.exit(main())
