#!/usr/bin/env python3
"""Measures how many model ranks one server bears, and what more servers and workers bring.

Model ranks sleep for PAUSE_MS a step instead of computing, so that many fit on few cores, and hand over four
fields, of which servers make means, variances and fluxes by level. First 1, 2, 4 ... ranks beside one
server, until it is swamped: the model waits for more than a tenth of its pause. Then MANY ranks beside
several servers with several workers. The cores are those of the machine: more threads are no faster.
"""

import json
import os
import re
import tempfile
from pathlib import Path
from typing import NamedTuple

from figures import Figures, read_settings
from runs import MODELS, run

FIELDS = [f"f{f}" for f in range(4)]
EXPRESSIONS = [*(f"{kind}[y,x]({name})" for name in FIELDS for kind in ("mean", "var", "max")),
               *(f"mean[y,x]({a}*{b})" for a, b in (("f0", "f1"), ("f0", "f2"), ("f0", "f3")))]
SWAMPED = 0.1  # of the pause


class Took(NamedTuple):
    """Of one run: its servers' CPU, and how long the model was inside Pileus and waited, a step and rank."""

    step_ms: float
    inside_ms: float
    waiting_ms: float
    server_ms: float  # CPU of all servers, a step
    idle: float  # of the servers' time
    memory_mib: float  # of parcels, at most, on one server


def configuration(folder, workers, budget):
    """Means, variances and fluxes by level, averaged over ten steps."""
    lines = ["<io-configuration>", f'<server-configuration><thread_pool number="{workers}"/>'
             f'<memory budget="{budget}"/></server-configuration>',
             '<data-definition name="state" frequency="1">']
    lines += [f'<field name="{name}" size="z,y,x" collective="true"/>' for name in FIELDS]
    lines += ["</data-definition>", "<data-handling>"]
    lines += [f'<diagnostic field="d{i}" expression="{text}"/>' for i, text in enumerate(EXPRESSIONS)]
    lines += ["</data-handling>", "<data-writing>", '<file name="profiles.nc" write_time_frequency="100">']
    lines += [f'<include field="d{i}" time_manipulation="averaged" output_frequency="10"/>'
              for i in range(len(EXPRESSIONS))]
    lines += ["</file>", "</data-writing>", "</io-configuration>"]
    path = Path(folder) / "servers.xml"
    path.write_text("\n".join(lines))
    return path


def turn(ranks, servers, workers, settings):
    """Runs once, and returns what it Took."""
    with tempfile.TemporaryDirectory() as folder:
        path, report = configuration(folder, workers, settings.budget), Path(folder) / "report.json"
        os.environ["PILEUS_REPORT"] = str(report)
        model = [MODELS / "sleepers_model", path, settings.side, 60, settings.steps, settings.pause_ms]
        cost = run(ranks, model, servers=servers, configuration=path, directory=folder)
        said = json.loads(report.read_text())
    steps_s, inside_s = map(float, re.search(r"steps ([0-9.]+) s, inside ([0-9.]+) s", cost.text).groups())
    per_step_ms = 1000 / settings.steps
    waiting_s = sum(rank["waiting_s"] for rank in said["model_ranks"]) / ranks
    idle_s, wall_s = (sum(server[name] for server in said["servers"]) for name in ("idle_s", "wall_s"))
    most = max(server["most_parcel_bytes"] for server in said["servers"])
    return Took(per_step_ms * steps_s, per_step_ms * inside_s, per_step_ms * waiting_s,
                per_step_ms * cost.server_cpu_s, idle_s / wall_s, most / (1 << 20))


def add(figures, title, runs, key):
    """Adds what the runs took."""
    figures.add(f"{title}: a step", "ms", [one.step_ms for one in runs])
    figures.add(f"{title}: of it in Pileus", "ms", [one.inside_ms for one in runs], f"{key}_inside_ms")
    figures.add(f"{title}: of it waiting for memory", "ms", [one.waiting_ms for one in runs],
                f"{key}_waiting_ms")
    figures.add(f"{title}: CPU of the servers, a step", "ms", [one.server_ms for one in runs],
                f"{key}_server_ms")
    figures.add(f"{title}: of the servers' time idle", "1", [one.idle for one in runs], f"{key}_idle")
    figures.add(f"{title}: parcels at once on a server", "MiB", [one.memory_mib for one in runs])


def main():
    """Measures both series, and reports."""
    settings = read_settings(__doc__, repeats=3, steps=100, pause_ms=100, side=32, most=32, many=16,
                             budget="64 MiB")
    if settings.quick:
        settings.repeats, settings.steps, settings.pause_ms, settings.side = 1, 10, 5, 4
        settings.most = settings.many = 2
    figures = Figures("servers", settings)
    ranks, swamped = 1, None
    while ranks <= settings.most:
        runs = [turn(ranks, 1, 1, settings) for _ in range(settings.repeats)]
        add(figures, f"{ranks} ranks, 1 server", runs, f"servers_{ranks}_ranks")
        waits = sorted(one.waiting_ms for one in runs)[len(runs) // 2]
        if swamped is None and waits > SWAMPED * settings.pause_ms:
            swamped = ranks
        ranks *= 2
    print(f"one server is swamped by {swamped} ranks" if swamped else "one server was not swamped")
    for servers in (1, 2):
        for workers in (1, 2):
            runs = [turn(settings.many, servers, workers, settings) for _ in range(settings.repeats)]
            title = f"{settings.many} ranks, {servers} servers with {workers} workers"
            add(figures, title, runs, f"servers_{servers}_workers_{workers}")
    figures.report()


if __name__ == "__main__":
    main()
