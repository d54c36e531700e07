#!/usr/bin/env python3
"""Measures what a trigger costs: servers take one step after the other where one decides what is written.

Two model ranks that compute nothing hand over four small fields a step, to 1 or 2 servers that make means by
level. One way has no trigger, but the number that it would look at, in a file; one has a trigger that never
begins, with a file of its own; one has a trigger that is always on. All take turns. The time of a step is a
slope: that of many steps less that of few, from the first server's start to the last one's end.
"""

import json
import os
import tempfile
from pathlib import Path
from typing import NamedTuple

from figures import Figures, read_settings
from runs import MODELS, run

RANKS = 2
LEVELS = 20
FIELDS = [f"f{f}" for f in range(4)]
WAYS = {
    "no trigger": None,
    "a trigger that never begins": "1e9",
    "a trigger that is always on": "-1e9",
}


class Took(NamedTuple):
    """Of one run."""

    wall_s: float
    server_cpu_s: float


def configuration(folder, limit):
    """Means by level, averaged over ten steps, and the instants of a profile where a trigger is on."""
    lines = ["<io-configuration>", '<data-definition name="state" frequency="1">']
    lines += [f'<field name="{name}" size="z,y,x" collective="true"/>' for name in FIELDS]
    lines += ["</data-definition>", "<data-handling>"]
    lines += [f'<diagnostic field="mean_{name}" expression="mean[y,x]({name})"/>' for name in FIELDS]
    lines += ['<diagnostic field="top" expression="max[z,y,x](f0)"/>']
    if limit:
        lines += [f'<trigger name="high" when="top &gt; {limit}"/>']
    lines += ["</data-handling>", "<data-writing>", '<file name="profiles.nc" write_time_frequency="500">']
    lines += [f'<include field="mean_{name}" time_manipulation="averaged" output_frequency="10"/>'
              for name in FIELDS]
    lines += ['<include field="top" time_manipulation="averaged" output_frequency="10"/>', "</file>"]
    if limit:
        lines += ['<file name="high.nc" write_time_frequency="500" trigger="high">',
                  '<include field="mean_f0" time_manipulation="none"/>', "</file>"]
    lines += ["</data-writing>", "</io-configuration>"]
    path = Path(folder) / "triggers.xml"
    path.write_text("\n".join(lines))
    return path


def turn(limit, servers, steps, side):
    """Runs once, and returns what it Took."""
    with tempfile.TemporaryDirectory() as folder:
        path, report = configuration(folder, limit), Path(folder) / "report.json"
        os.environ["PILEUS_REPORT"] = str(report)
        model = [MODELS / "sleepers_model", path, side, LEVELS, steps, 0]
        cost = run(RANKS, model, servers=servers, configuration=path, directory=folder)
        said = json.loads(report.read_text())
    return Took(max(server["wall_s"] for server in said["servers"]), cost.server_cpu_s)


def main():
    """Measures all ways in turn with 1 and 2 servers, and reports."""
    settings = read_settings(__doc__, repeats=5, few=500, many=4500, side=8)
    few, many, repeats = (5, 15, 1) if settings.quick else (settings.few, settings.many, settings.repeats)
    figures = Figures("triggers", settings)
    for servers in 1, 2:
        walls, cpus = {name: [] for name in WAYS}, {name: [] for name in WAYS}
        for _ in range(repeats):
            for name, limit in WAYS.items():
                short, long = (turn(limit, servers, steps, settings.side) for steps in (few, many))
                walls[name].append(1e6 * (long.wall_s - short.wall_s) / (many - few))
                cpus[name].append(1e6 * (long.server_cpu_s - short.server_cpu_s) / (many - few))
        plain = next(iter(WAYS))
        for name in WAYS:
            title = f"{servers} server{'s' * (servers > 1)}, {name}"
            figures.add(f"{title}: a step", "us", walls[name])
            if name != plain:
                ratios = [one / none for one, none in zip(walls[name], walls[plain], strict=True)]
                figures.add(f"{title}: a step over none", "1", ratios)
            figures.add(f"{title}: CPU of the servers, a step", "us", cpus[name])
    figures.report()


if __name__ == "__main__":
    main()
