#!/usr/bin/env python3
"""Measures what output costs a model: the case stratus without output, with Pileus, and in the old ways.

The ways take turns, and ratios are those of one turn. CPU times depend less than wall times on other work of
the machine. The CPU time of a server is the slope over steps between a run of a fifth of the model time and
one of the whole. It is divided by the same slope for the model on as many ranks without output. The old ways,
attached runs (without servers), and a model that sums up by level itself (local_sum) only run for the fifth,
in the first five turns. --ways chooses among the ways.
"""

import re
import tempfile
import time

from figures import Figures, read_settings
from runs import BIN, STRATUS, run, stratus_configuration

QUICK = ["--nx", "6", "--ny", "6", "--nz", "12"]
OLD = ["sequential", "parallel"]
ATTACHED_RANKS = (1, 3)
LOCAL_SUM_CLIENTS = (1, 2, 8)
OTHER_TURNS = 5  # of all ways but none and pileus, at most
WAYS = "pileus,sequential,parallel,attached,local_sum"


class Turn:
    """One run of one way. end : model time at its end, s."""

    def __init__(self, way, settings, end, ranks, servers=0):
        model = [BIN / "cumulus", "--case", "stratus", "--per-rank", "--end", end]
        model += ["--output", way if way in ("none", *OLD) else "pileus", *(QUICK if settings.quick else [])]
        with tempfile.TemporaryDirectory() as folder:
            of_server = {}
            if way in OLD:
                model += ["--config", STRATUS, "--directory", folder]
            elif way != "none":
                configuration = stratus_configuration(folder, sums=way == "local_sum")
                model += ["--sums", STRATUS] if way == "local_sum" else []
                model += [] if servers else ["--config", configuration, "--directory", folder]
                of_server = {"servers": servers, "configuration": configuration, "directory": folder}
            begin = time.monotonic()
            cost = run(ranks, model, **of_server)
            self.whole_s = time.monotonic() - begin
        said = re.search(r"(\d+) steps of .* wall time +([0-9.]+) s", cost.text)
        self.steps = int(said.group(1))
        self.step_ms = 1000 * float(said.group(2)) / self.steps
        self.model_ms, self.server_ms = (1000 * cpu_s / ranks for cpu_s in cost[1:])
        inside = re.search(r"time of the model in Pileus: ([0-9.]+) s a rank", cost.text)
        self.inside_ms = 1000 * float(inside.group(1)) / self.steps if inside else None


class Pair:
    """A run and a shorter one, whose differences leave out what start and end take."""

    def __init__(self, way, settings, ends, ranks, servers=0):
        self.short, self.long = (Turn(way, settings, end, ranks, servers) for end in ends)

    def slope(self, name):
        """The time that a step takes of `name`."""
        return (getattr(self.long, name) - getattr(self.short, name)) / (self.long.steps - self.short.steps)


def measure(ways, settings, ends):
    """Runs one turn of all ways and returns a Turn or a Pair of each, by name."""
    turn = {"none": Pair("none", settings, ends, settings.ranks)}
    if "pileus" in ways:
        turn["pileus"] = Pair("pileus", settings, ends, settings.ranks, settings.servers)
    for way in OLD:
        if way in ways:
            turn[way] = Turn(way, settings, ends[0], settings.ranks)
    if "attached" in ways:
        for ranks in ATTACHED_RANKS:
            turn[f"none on {ranks}"] = Turn("none", settings, ends[0], ranks)
            turn[f"attached on {ranks}"] = Turn("attached", settings, ends[0], ranks)
    if "local_sum" in ways:
        short = (ends[0] / 4, ends[0])
        for clients in LOCAL_SUM_CLIENTS:
            turn[f"local_sum of {clients}"] = Pair("local_sum", settings, short, clients, 1)
    return turn


def add_costs(figures, name, runs):
    """Adds the costs of some runs."""
    figures.add(f"{name}: wall time of a step", "ms", [run.step_ms for run in runs])
    figures.add(f"{name}: wall time of the whole run", "s", [run.whole_s for run in runs])
    figures.add(f"{name}: CPU of the model per step and rank", "ms",
                [run.model_ms / run.steps for run in runs])


def add_ratios(figures, name, runs, bases, key=None):
    """Adds the costs of some runs divided by those of the same turns without output."""
    pairs = list(zip(runs, bases, strict=True))
    figures.add(f"{name} over none: step", "1", [a.step_ms / b.step_ms for a, b in pairs])
    figures.add(f"{name} over none: whole run", "1", [a.whole_s / b.whole_s for a, b in pairs], key)
    figures.add(f"{name} over none: CPU of the model", "1",
                [a.model_ms * b.steps / b.model_ms / a.steps for a, b in pairs])


def add_servers(figures, title, turns, key):
    """Adds the CPU of servers, for each client and step, divided by that of the model without output."""
    title = f"{title.replace('_', ' ')}: CPU of the servers per client and step"
    figures.add(title, "ms", [turn[key].slope("server_ms") for turn in turns])
    ratios = [turn[key].slope("server_ms") / turn["none"].slope("model_ms") for turn in turns]
    json_key = "server_cpu_over_model_cpu" if key == "pileus" else f"pileus_{key.replace(' of ', '_')}"
    figures.add(f"{title}, over the CPU of the model", "1", ratios, json_key)


def report(settings, turns):
    """Adds all figures of all turns, and reports them."""
    figures = Figures("overhead", settings)
    full = [turn["none"].long for turn in turns]
    add_costs(figures, "none", full)
    for key in turns[0]:
        having = [turn for turn in turns if key in turn]
        runs = [turn[key] for turn in having]
        if key == "pileus":
            runs = [pair.long for pair in runs]
            add_costs(figures, key, runs)
            figures.add("pileus: model in Pileus, finish included, per step", "ms",
                        [run.inside_ms for run in runs])
            add_ratios(figures, key, runs, [turn["none"].long for turn in having],
                       "pileus_over_none_whole_run")
            add_servers(figures, key, having, key)
        elif key in OLD:
            add_costs(figures, key, runs)
            add_ratios(figures, key, runs, [turn["none"].short for turn in having])
        elif key.startswith("attached"):
            bases = [turn[key.replace("attached", "none")] for turn in having]
            add_costs(figures, key, runs)
            add_ratios(figures, key, runs, bases, f"{key.replace(' on ', '_')}_over_none_whole_run")
        elif key.startswith("local_sum"):
            add_servers(figures, key, having, key)
    figures.report()


def main():
    """Measures all ways in turn, and reports."""
    settings = read_settings(__doc__, repeats=15, end=1200.0, ranks=1, servers=1, ways=WAYS)
    ways = settings.ways.split(",")
    ways = [way for way in ways if way not in OLD or (BIN / f"{way}_cumulus.so").is_file()]
    unknown = set(ways) - set(WAYS.split(","))
    if unknown:
        raise SystemExit(f"--ways: no way {', '.join(sorted(unknown))}; there are {WAYS}")
    ends = (12, 48) if settings.quick else (settings.end / 5, settings.end)
    turns = 1 if settings.quick else settings.repeats
    report(settings, [measure(ways if turn < OTHER_TURNS else ["pileus"], settings, ends)
                      for turn in range(turns)])


if __name__ == "__main__":
    main()
