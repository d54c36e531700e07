#!/usr/bin/env python3
"""Measures the snapshots of a small model: four fields of 64 x 64 x 64 cells a rank, every 50 steps.

The model runs without output, with a server, and attached (without servers) on one and on two ranks. In one
more way it writes and syncs the bytes itself. The ways take turns, and ratios are those of one turn. The
model's time is from the first step until everything is published.
"""

import re
import tempfile
import time
from pathlib import Path

from figures import Figures, read_settings
from runs import MODELS, run

FIELDS, EVERY, RECORDS_A_FILE = 4, 50, 5
WAYS = {  # the model's way, ranks, servers
    "none, 1 rank": ("none", 1, 0),
    "own bytes, 1 rank": ("own", 1, 0),
    "1 rank and 1 server": ("pileus", 1, 1),
    "attached, 1 rank": ("pileus", 1, 0),
    "none, 2 ranks": ("none", 2, 0),
    "attached, 2 ranks": ("pileus", 2, 0),
}


def configuration(folder):
    """A configuration with snapshots of all fields."""
    path = Path(folder) / "snapshots.xml"
    names = [f"field_{f}" for f in range(FIELDS)]
    lines = ["<io-configuration>", '<data-definition name="state" frequency="1">']
    lines += [f'<field name="{name}" type="array" size="z,y,x" collective="true"/>' for name in names]
    lines += ["</data-definition>", "<data-writing>"]
    lines += [f'<file name="snapshots.nc" write_time_frequency="{EVERY * RECORDS_A_FILE}">']
    lines += [f'<include field="{name}" time_manipulation="instantaneous" output_frequency="{EVERY}"/>'
              for name in names]
    lines += ["</file>", "</data-writing>", "</io-configuration>"]
    path.write_text("\n".join(lines))
    return path


def turn(way, size, steps):
    """Runs one way; returns seconds of the whole run and of the model, and CPU seconds of the model."""
    output, ranks, servers = WAYS[way]
    with tempfile.TemporaryDirectory() as folder:
        path = configuration(folder)
        model = [MODELS / "snapshots_model", output, path, folder, size, steps, EVERY]
        begin = time.monotonic()
        cost = run(ranks, model, servers=servers, configuration=path, directory=folder)
        whole_s = time.monotonic() - begin
    return whole_s, float(re.search(r"model ([0-9.]+) s", cost.text).group(1)), cost.model_cpu_s


def main():
    """Measures all ways in turn, and reports."""
    settings = read_settings(__doc__, repeats=15, size=64, steps=1000)
    size, steps = (8, 100) if settings.quick else (settings.size, settings.steps)
    turns = {way: [] for way in WAYS}
    for _ in range(1 if settings.quick else settings.repeats):
        for way in WAYS:
            turns[way].append(turn(way, size, steps))
    figures = Figures("snapshots", settings)
    for way, runs in turns.items():
        figures.add(f"{way}: time of the model", "s", [model_s for _, model_s, _ in runs])
        figures.add(f"{way}: CPU of the model", "s", [cpu_s for _, _, cpu_s in runs])
    for way, runs in turns.items():
        if WAYS[way][0] == "none":
            continue
        base = turns["none, 1 rank" if WAYS[way][1] == 1 else "none, 2 ranks"]
        pairs = list(zip(runs, base, strict=True))
        key = "snapshots_" + re.sub(r"\W+", "_", way)
        figures.add(f"{way}, over none: time of the model", "1", [a[1] / b[1] for a, b in pairs],
                    f"{key}_over_none")
        figures.add(f"{way}, over none: whole run", "1", [a[0] / b[0] for a, b in pairs])
    figures.report()


if __name__ == "__main__":
    main()
