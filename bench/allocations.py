#!/usr/bin/env python3
"""A server's requests to the heap and copies in the steady state: allocations a step and a message, bytes.

As slopes over steps, so that what the start and the end of a run take counts nothing. A library that is
preloaded into the server counts malloc and its kin (C++'s new is one of them), memcpy and memmove. Copies
that the compiler writes as instructions are not seen. "of Pileus" are those asked for by the program itself
and the C++ library; the others are of MPI, netCDF and HDF5.
"""

import json
import tempfile
from pathlib import Path
from typing import NamedTuple

from diagnostics import profiles_configuration
from figures import Figures, read_settings
from runs import BIN, MODELS, run, stratus_configuration

COUNTER = MODELS / "libcount_allocations.so"
PROFILES = 200
STRATUS = ["--case", "stratus", "--per-rank", "--output", "pileus", "--quiet"]
SMALL = ["--nx", "6", "--ny", "6", "--nz", "12"]


class Counts(NamedTuple):
    """A server's counts in a run. The received messages are those from the ranks of the model."""

    allocations: float
    asked_bytes: float
    own_allocations: float
    copied_bytes: float
    messages: float
    received_bytes: float

    def a_step(self, fewer, steps):
        """The counts of each of the steps that this run has more than another one."""
        return Counts(*((more - less) / steps for more, less in zip(self, fewer, strict=True)))


def counted(clients, model, configuration, folder):
    """The Counts of the server of one run."""
    counts, report = Path(folder) / "counts", Path(folder) / "report.json"
    has = {"LD_PRELOAD": COUNTER, "BENCH_COUNTS": counts, "PILEUS_REPORT": report}
    run(clients, model, servers=1, configuration=configuration, directory=folder, server_has=has)
    received = json.loads(report.read_text())["servers"][0]["from_model"]
    return Counts(*map(int, counts.read_text().split()), received["messages"], received["bytes"])


def profiles_run(clients, steps, fields):
    """Profiles that the model has summed up, in one file for the run."""
    with tempfile.TemporaryDirectory() as folder:
        configuration = profiles_configuration(folder, fields, steps_a_file=steps)
        return counted(clients, [MODELS / "profiles_model", configuration, fields, steps], configuration,
                       folder)


def stratus_run(clients, steps, size):
    """The case stratus; the steps of both runs of a slope are in the first file."""
    with tempfile.TemporaryDirectory() as folder:
        model = [BIN / "cumulus", *STRATUS, "--steps", steps, *size]
        return counted(clients, model, stratus_configuration(folder), folder)


def main():
    """Measures profiles with one and two clients, and stratus, and reports."""
    settings = read_settings(__doc__, repeats=5)
    quick = settings.quick
    cases = {
        "profiles": ("200 profiles, 1 client", profiles_run, 1, (200, 1200), PROFILES),
        "profiles_2_clients": ("200 profiles, 2 clients", profiles_run, 2, (200, 1200), PROFILES),
        "stratus": ("stratus, 1 client", stratus_run, 1, (20, 80), []),
    }
    if quick:
        cases = {
            "profiles": ("20 profiles, 1 client", profiles_run, 1, (20, 60), 20),
            "stratus": ("stratus, 432 points, 1 client", stratus_run, 1, (11, 31), SMALL),
        }
    figures = Figures("allocations", settings)
    slopes = {key: [] for key in cases}
    for _ in range(1 if quick else settings.repeats):
        for key, (_, one, clients, (few, many), size) in cases.items():
            slope = one(clients, many, size).a_step(one(clients, few, size), many - few)
            slopes[key].append(slope)
    for key, (title, *_) in cases.items():
        report(figures, key, title, slopes[key])
    figures.report()


def report(figures, key, title, slopes):
    """The figures of one case."""
    for name, unit, ending, value in (
        ("allocations a step", "1", "allocations_per_step", lambda s: s.allocations),
        ("of Pileus", "1", "own_allocations_per_step", lambda s: s.own_allocations),
        ("allocated a step", "kB", "allocated_kb_per_step", lambda s: s.asked_bytes / 1000),
        ("messages of the model a step", "1", "messages_per_step", lambda s: s.messages),
        ("allocations a message", "1", "allocations_per_message", lambda s: s.allocations / s.messages),
        ("of Pileus, a message", "1", "own_allocations_per_message",
         lambda s: s.own_allocations / s.messages),
        ("copied per byte received", "1", "copied_per_received_byte",
         lambda s: s.copied_bytes / s.received_bytes),
    ):
        figures.add(f"{title}: {name}", unit, [value(slope) for slope in slopes], f"{key}_{ending}")


if __name__ == "__main__":
    main()
