#!/usr/bin/env python3
"""Measures when a model that communicates much sends to a server of another host.

Two model ranks compute, and exchange halos after each step; rank 0 hands over a field to a server on a host
with a network of its own, by TCP. The model runs without output, with output alone, with pileus_progress
while it computes, and with pileus_flush before it computes. The ways take turns. Needs root, as hosts do.
"""

import re
import sys
import tempfile
from pathlib import Path

import pytest
from figures import CANNOT, Figures, read_settings
from runs import MODELS

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from oracle.hosts import NAMES, Hosts, require, run_on_hosts  # noqa: E402
from oracle.launch import SERVER  # noqa: E402

WAYS = ("none", "plain", "progress", "flush")
COMPUTE_MS = 40


def configuration(folder):
    """A configuration that takes the largest value of each step: the field travels, and no disk is used."""
    path = Path(folder) / "moment.xml"
    path.write_text(
        '<io-configuration><server-configuration><pushdown use="no"/></server-configuration>'
        '<data-definition name="state" frequency="1"><field name="field" size="x" collective="true"/>'
        '</data-definition><data-handling><diagnostic field="largest" expression="max[x](field)"/>'
        '</data-handling><data-writing><file name="largest.nc" write_time_frequency="1000">'
        '<include field="largest" time_manipulation="averaged" output_frequency="100"/></file></data-writing>'
        "</io-configuration>"
    )
    return path


def turn(two, way, cells, steps):
    """Runs one way; returns seconds of the model, of its exchanges, and of its calls of output."""
    alpha, beta = NAMES
    with tempfile.TemporaryDirectory() as folder:
        path = configuration(folder)
        model = [MODELS / "moment_model", way, path, folder, cells, steps, COMPUTE_MS]
        programs = [(alpha, 2, model)]
        if way != "none":
            programs.append((beta, 1, [SERVER, path, "--directory", folder]))
        text = run_on_hosts(two, programs, "openmpi", Path(folder) / "report.json")
    found = re.search(r"model ([0-9.]+) s, exchanges ([0-9.]+) s, output ([0-9.]+) s", text)
    return tuple(map(float, found.groups()))


def main():
    """Measures all ways in turn, and reports."""
    settings = read_settings(__doc__, repeats=9, size=2_000_000, steps=30)
    cells, steps = (20_000, 3) if settings.quick else (settings.size, settings.steps)
    try:
        require()
    except pytest.skip.Exception as why:
        print(why, file=sys.stderr)
        sys.exit(CANNOT)
    turns = {way: [] for way in WAYS}
    with tempfile.TemporaryDirectory() as folder, Hosts(Path(folder)) as two:
        for _ in range(1 if settings.quick else settings.repeats):
            for way in WAYS:
                turns[way].append(turn(two, way, cells, steps))
    figures = Figures("moment", settings)
    for way in WAYS:
        for place, what in enumerate(("the model", "its exchanges", "its calls of output")):
            figures.add(f"{way}: {what}, a step", "ms", [1000 * one[place] / steps for one in turns[way]])
    for way in WAYS[1:]:
        pairs = list(zip(turns[way], turns["none"], strict=True))
        figures.add(f"{way}, over none: the model", "1", [a[0] / b[0] for a, b in pairs],
                    f"moment_{way}_over_none")
        figures.add(f"{way}, over none: exchanges", "1", [a[1] / b[1] for a, b in pairs],
                    f"moment_exchanges_{way}_over_none")
    figures.report()


if __name__ == "__main__":
    main()
