#!/usr/bin/env python3
"""What output costs a model: the case stratus, without output, with Pileus, and in the old ways.

The ways take turns, and ratios are those of one turn. CPU times depend less than wall times on what else the
machine does.
"""

import re
import tempfile
import time

from figures import Figures, read_settings
from runs import BIN, STRATUS, run, stratus_configuration

QUICK = ["--nx", "6", "--ny", "6", "--nz", "12", "--end", "12"]


class Turn:
    """One run of one way."""

    def __init__(self, way, settings, folder):
        model = [BIN / "cumulus", "--case", "stratus", "--per-rank", "--output", way]
        model += QUICK if settings.quick else ["--end", settings.end]
        servers = {}
        if way == "pileus":
            servers = {"servers": settings.servers, "configuration": stratus_configuration(folder),
                       "directory": folder}
        elif way != "none":
            model += ["--config", STRATUS, "--directory", folder]
        begin = time.monotonic()
        cost = run(settings.ranks, model, **servers)
        self.whole_s = time.monotonic() - begin
        said = re.search(r"(\d+) steps of .* wall time +([0-9.]+) s", cost.text)
        self.step_ms = 1000 * float(said.group(2)) / int(said.group(1))
        self.cpu_ms = 1000 * cost.model_cpu_s / int(said.group(1)) / settings.ranks
        self.server_ms = 1000 * cost.server_cpu_s / int(said.group(1))
        self.inside_ms = None
        inside = re.search(r"time of the model in Pileus: ([0-9.]+) s a rank", cost.text)
        if inside:
            self.inside_ms = 1000 * float(inside.group(1)) / int(said.group(1))


def main():
    """Measures all ways in turn, and reports."""
    settings = read_settings(__doc__, repeats=7, end=120, ranks=1, servers=1)
    ways = ["none", "pileus", "sequential"]
    if (BIN / "parallel_cumulus.so").is_file():
        ways.append("parallel")
    turns = {way: [] for way in ways}
    for _ in range(1 if settings.quick else settings.repeats):
        for way in ways:
            with tempfile.TemporaryDirectory() as folder:
                turns[way].append(Turn(way, settings, folder))

    figures = Figures("overhead", settings)
    for way in ways:
        figures.add(f"{way}: wall time of a step", "ms", [t.step_ms for t in turns[way]])
        figures.add(f"{way}: wall time of the whole run", "s", [t.whole_s for t in turns[way]])
        figures.add(f"{way}: CPU of the model per step and rank", "ms", [t.cpu_ms for t in turns[way]])
    figures.add("pileus: CPU of the servers per step", "ms", [t.server_ms for t in turns["pileus"]])
    figures.add("pileus: model in Pileus, finish included, per step", "ms",
                [t.inside_ms for t in turns["pileus"]])
    for way in ways[1:]:
        pairs = list(zip(turns[way], turns["none"], strict=True))
        figures.add(f"{way} over none: step", "1", [a.step_ms / b.step_ms for a, b in pairs])
        figures.add(f"{way} over none: whole run", "1", [a.whole_s / b.whole_s for a, b in pairs])
        figures.add(f"{way} over none: CPU of the model", "1", [a.cpu_ms / b.cpu_ms for a, b in pairs])
    figures.report()


if __name__ == "__main__":
    main()
