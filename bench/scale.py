#!/usr/bin/env python3
"""Measures how a run grows: the real code of servers and model ranks in virtual time, on a network of nodes.

Each process has a clock of its own, on which the processor time of its code is put as it is measured here;
messages take what a network of nodes of 36 processes takes (bench/scale/world.h). Two configurations: 232
profiles that the model sums up itself, and four raw fields of 16 x 16 x 60 a rank of which servers make 15
profiles. Ten model ranks have one server. Figures of a step are slopes between a short and a longer run. Of
small runs the server's processor time is compared with that of real ones. What larger runs would take is
predicted from the sizes that were simulated, and the same way of predicting is tried on the largest of these.
--picture FILE draws the figures.
"""

import itertools
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from figures import Figures, read_settings
from runs import MODELS, run

CASES = ("profiles", "fields")
STEP_S = 0.1
RANKS_OF_SERVER = 10
SHORT, LONG = 20, 120  # steps
REAL_RANKS = (2, 4, 8, 16)
MIB = 1 << 20
# Of what is predicted: what it is, and what it may grow with besides a constant. Server 0 gets
# 20 bytes of each server for steps that are done.
TERMS = {"log": math.log2, "ranks": float}
PREDICTED = {"start_s": ("start", "s", ("log", "ranks")),
             "memory_mib": ("memory of a server", "MiB", ("ranks",)),
             "messages_percent": ("messages, busiest server", "% of a step", ("log", "ranks")),
             "analysis_percent": ("analysis, busiest server", "% of a step", ("log",)),
             "after_model_s": ("from the model's end to the last file", "s", ("log", "ranks"))}
LARGE = ((32_768, 3277), (100_000, 10_000), (1_000_000, 100_000))
SMALLEST_FITTED = 64  # ranks: with fewer, trees are not as deep as they get
# Brown et al. 2018, table I and figure 5: seconds from the last value to the written file.
PAPER = (32_768, 8.14)


def simulated(case, ranks, servers, steps):
    """What the program says of one run in virtual time. Errors: ends the benchmark."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        command = [MODELS / "scale", case, ranks, servers, steps, STEP_S, folder]
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"scale: {ranks} ranks, status {done.returncode}\n{done.stdout}{done.stderr}")
        return json.loads(done.stdout)


def pair(case, ranks, servers):
    """A short run and, of each figure of the busiest server, how much it grows with a step."""
    short, long = (simulated(case, ranks, servers, steps) for steps in (SHORT, LONG))
    slopes = {name: (long["servers"][name] - short["servers"][name]) / (LONG - SHORT)
              for name in short["servers"]}
    slopes["inside_s"] = (long["inside_s"] - short["inside_s"]) / (LONG - SHORT)
    return short, slopes


def cpu_of_real_step(ranks):
    """Seconds of the processor that the one server of a real run takes for a step."""
    with tempfile.TemporaryDirectory() as folder:
        took = []
        for steps in (10 * SHORT, 10 * LONG):
            configuration = Path(folder) / f"{steps}.xml"
            configuration.write_text(configuration_of("profiles"))
            directory = Path(folder) / str(steps)
            directory.mkdir()
            model = [MODELS / "profiles_model", configuration, 232, steps]
            took.append(run(ranks, model, servers=1, configuration=configuration,
                            directory=directory).server_cpu_s)
        return (took[1] - took[0]) / (10 * (LONG - SHORT))


def configuration_of(case):
    """The configuration of the simulated runs."""
    with tempfile.TemporaryDirectory() as folder:
        command = [str(MODELS / "scale"), case, "1", "1", "1", "0", folder]
        subprocess.run(command, capture_output=True, check=True)
        return (Path(folder) / "scale.xml").read_text()


def fitted(rows, name):
    """What a figure is of a number of ranks: no term is negative, and relative errors count.

    Terms that would be negative are left out: of all choices of terms the one with the least error is taken.
    """
    ranks = [row["ranks"] for row in rows]
    values = np.array([row[name] for row in rows])
    allowed = PREDICTED[name][2]
    best = None
    for count in range(len(allowed) + 1):
        for terms in itertools.combinations(allowed, count):
            columns = np.array([[1.0] + [TERMS[term](r) for term in terms] for r in ranks])
            weights, *_ = np.linalg.lstsq(columns / values[:, None], np.ones(len(values)), rcond=None)
            error = float(np.sum((columns @ weights / values - 1) ** 2))
            if min(weights) >= 0 and (best is None or error < best[0]):
                best = error, terms, weights
    _, terms, weights = best
    return lambda r: float(weights @ np.array([1.0] + [TERMS[term](r) for term in terms]))


def predict(figures, table, case):
    """Adds what large runs of a case would take, and how well the largest simulated one is predicted."""
    rows = [row for row in table if row["case"] == case and row["ranks"] >= SMALLEST_FITTED]
    if len(rows) < 3:
        return
    for name, (what, unit, _) in PREDICTED.items():
        largest = rows[-1]
        ratio = fitted(rows[:-1], name)(largest["ranks"]) / largest[name]
        figures.add(f"{case}: {what}, predicted over simulated, {largest['ranks']} ranks", "1", [ratio],
                    f"scale_{case}_predicted_{name}")
        for ranks, servers in LARGE:
            figures.add(f"{case}: {what}, predicted, {ranks} ranks, {servers} servers", unit,
                        [fitted(rows, name)(ranks)], f"scale_{case}_{ranks}_{name}")


def draw(path, table):
    """A picture of what grows, for each configuration, with what is predicted dashed."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    titles = {"start_s": "start, s", "memory_mib": "memory of a server, MiB",
              "percent": "messages and analysis of the busiest server, % of a step of 100 ms",
              "after_model_s": "from the model's end to the last file, s"}
    figure, axes = plt.subplots(2, 2, figsize=(9, 7))
    for axis, (name, title) in zip(axes.flat, titles.items(), strict=True):
        for case, color in zip(CASES, ("C0", "C1"), strict=True):
            rows = [row for row in table if row["case"] == case]
            axis.loglog([row["ranks"] for row in rows], [row[name] for row in rows], "o-", color=color,
                        label=f"{case}, simulated")
            fitting = [row for row in rows if row["ranks"] >= SMALLEST_FITTED]
            if len(fitting) < 3:
                continue
            parts = ("messages_percent", "analysis_percent") if name == "percent" else (name,)
            curves = [fitted(fitting, part) for part in parts]
            beyond = np.geomspace(rows[-1]["ranks"], LARGE[-1][0], 30)
            axis.loglog(beyond, [sum(curve(r) for curve in curves) for r in beyond], "--", color=color,
                        label=f"{case}, predicted")
        axis.set_xlabel("model ranks")
        axis.set_title(title, fontsize=9)
        axis.grid(alpha=0.3)
    axes.flat[3].loglog(*PAPER, "k*", label="MONC's server, Brown et al. 2018")
    axes.flat[3].legend(fontsize=7)
    axes.flat[0].legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def main():
    """Simulates all sizes of both configurations, compares with real runs, and reports."""
    settings = read_settings(__doc__, most=512, repeats=1, picture="")
    sizes = [2, 4] if settings.quick else [2**n for n in range(3, 20) if 2**n <= settings.most]
    figures, table = Figures("scale", settings), []
    for case in CASES:
        for ranks in sizes:
            servers = max(1, ranks // RANKS_OF_SERVER)
            short, slopes = pair(case, ranks, servers)
            at_start = {name: short["servers"][name] - SHORT * slopes[name] for name in slopes
                        if name != "inside_s"}
            row = {"case": case, "ranks": ranks, "start_s": short["start_s"],
                   "memory_mib": short["servers"]["memory_bytes"] / MIB,
                   "messages_percent": 100 * slopes["lane_s"] / STEP_S,
                   "analysis_percent": 100 * slopes["tasks_s"] / STEP_S,
                   "percent": 100 * (slopes["lane_s"] + slopes["tasks_s"]) / STEP_S,
                   "after_model_s": short["after_model_s"],
                   "start_mb": at_start["sent_bytes"] / 1e6}
            table.append(row)
            title, key = f"{case}: {ranks} ranks, {servers} servers", f"scale_{case}_{ranks}"
            figures.add(f"{title}: start", "s", [row["start_s"]], f"{key}_start_s")
            figures.add(f"{title}: sent at the start, busiest", "MB", [row["start_mb"]])
            figures.add(f"{title}: memory of a server", "MiB", [row["memory_mib"]], f"{key}_memory_mib")
            for what in ("messages", "analysis"):
                figures.add(f"{title}: {what}, busiest server", "% of a step", [row[f"{what}_percent"]],
                            f"{key}_{what}_percent")
            figures.add(f"{title}: messages to a server in a step", "1", [slopes["received"]])
            figures.add(f"{title}: bytes to a server in a step", "MB", [slopes["received_bytes"] / 1e6])
            figures.add(f"{title}: model in Pileus, a step", "us", [1e6 * slopes["inside_s"]])
            figures.add(f"{title}: from the model's end to the last file", "s", [short["after_model_s"]])
        predict(figures, table, case)
    for ranks in REAL_RANKS[:1] if settings.quick else REAL_RANKS:
        _, slopes = pair("profiles", ranks, 1)
        here = slopes["lane_s"] + slopes["tasks_s"] + slopes["disk_s"]
        ratios = [cpu_of_real_step(ranks) / here for _ in range(1 if settings.quick else 3)]
        figures.add(f"{ranks} ranks, 1 server: CPU of a real server over the simulated one", "1", ratios,
                    f"scale_real_over_simulated_{ranks}")
    figures.report()
    if settings.picture:
        draw(settings.picture, table)


if __name__ == "__main__":
    main()
