#!/usr/bin/env python3
"""Measures how a run grows: the real code of servers and model ranks in virtual time, on a network of nodes.

Each process has a clock of its own, on which the processor time of its code is put as it is measured here;
messages take what a network of nodes of 36 processes takes (bench/scale/world.h). Two configurations: 232
profiles that the model sums up itself, and four raw fields of 16 x 16 x 60 a rank of which servers make 15
profiles. Ten model ranks have one server. Figures of a step are slopes between a short and a longer run. Of
small runs the server's processor time is compared with that of real ones. --picture FILE draws the figures.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from figures import Figures, read_settings
from runs import MODELS, run

CASES = ("profiles", "fields")
STEP_S = 0.1
RANKS_OF_SERVER = 10
SHORT, LONG = 20, 120  # steps
REAL_RANKS = (2, 4, 8, 16)
MIB = 1 << 20


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


def draw(path, table):
    """A picture of what grows, for each configuration."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    curves = {"start, s": "start_s", "memory of a server, MiB": "memory_mib",
              "messages and analysis of the busiest server, % of a step": "percent",
              "most that a server sends at the start, MB": "start_mb"}
    figure, axes = plt.subplots(2, 2, figsize=(9, 7))
    for axis, (title, name) in zip(axes.flat, curves.items(), strict=True):
        for case in CASES:
            rows = [row for row in table if row["case"] == case]
            axis.loglog([row["ranks"] for row in rows], [row[name] for row in rows], "o-", label=case)
        axis.set_xlabel("model ranks")
        axis.set_title(title, fontsize=9)
        axis.grid(alpha=0.3)
    axes.flat[0].legend()
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
                   "percent": 100 * (slopes["lane_s"] + slopes["tasks_s"]) / STEP_S,
                   "start_mb": at_start["sent_bytes"] / 1e6}
            table.append(row)
            title, key = f"{case}: {ranks} ranks, {servers} servers", f"scale_{case}_{ranks}"
            figures.add(f"{title}: start", "s", [row["start_s"]], f"{key}_start_s")
            figures.add(f"{title}: sent at the start, busiest", "MB", [row["start_mb"]])
            figures.add(f"{title}: memory of a server", "MiB", [row["memory_mib"]], f"{key}_memory_mib")
            for what, name in (("messages", "lane_s"), ("analysis", "tasks_s")):
                figures.add(f"{title}: {what}, busiest server", "% of a step", [100 * slopes[name] / STEP_S],
                            f"{key}_{what}_percent")
            figures.add(f"{title}: messages to a server in a step", "1", [slopes["received"]])
            figures.add(f"{title}: bytes to a server in a step", "MB", [slopes["received_bytes"] / 1e6])
            figures.add(f"{title}: model in Pileus, a step", "us", [1e6 * slopes["inside_s"]])
            figures.add(f"{title}: from the model's end to the last file", "s", [short["after_model_s"]])
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
