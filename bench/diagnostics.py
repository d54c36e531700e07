#!/usr/bin/env python3
"""The costs of a diagnostic on a server: CPU time per diagnostic, client and step, as a slope over steps.

Of profiles of 60 levels that the model has summed up itself, averaged over 10 steps, in one file for the run
and in files of 100 steps; and of the case stratus, where the server gets 65 536 points a rank and does
everything.

Runs have --steps steps, or as many as take the server about --seconds of CPU, which a short run foresees:
where a step costs much, fewer do. What they had is one of the figures.
"""

import tempfile
from pathlib import Path
from typing import NamedTuple

from figures import Figures, read_settings
from runs import BIN, MODELS, run, stratus_configuration

PUBLISHED_US = 230  # per diagnostic, client and step: measured for the server of the MONC model, likewise
INTERVAL = 10  # steps of a mean
STEPS_A_FILE = 100


class Way(NamedTuple):
    """One of the ways to hand profiles over."""

    key: str
    title: str
    clients: int
    steps_a_file: int | None  # None: one file for the run


WAYS = [
    Way("profiles_us_1_client", "1 client, one file", 1, None),
    Way("profiles_us_2_clients", "2 clients, one file", 2, None),
    Way("profiles_us_8_clients", "8 clients, one file", 8, None),
    Way("profiles_us_with_files", f"2 clients, files of {STEPS_A_FILE} steps", 2, STEPS_A_FILE),
]


def profiles_configuration(folder, fields, budget=None, steps_a_file=STEPS_A_FILE):
    """Sums of all ranks over the number of columns, averaged over 10 steps. budget : of memory, as text."""
    path = Path(folder) / "profiles.xml"
    lines = ["<io-configuration>"]
    if budget:
        lines.append(f'<server-configuration><memory budget="{budget}"/></server-configuration>')
    lines += ['<data-definition name="sums" frequency="1">']
    lines += [f'<field name="sum_{f}" type="array" size="z"/>' for f in range(fields)]
    lines += ["</data-definition>", "<data-handling>"]
    lines += [f'<diagnostic field="mean_{f}">'
              f'<communication name="reduction" operator="sum" field="sum_{f}" result="total_{f}"/>'
              f'<operator name="arithmetic" equation="total_{f}/1024" result="mean_{f}"/></diagnostic>'
              for f in range(fields)]
    lines += ["</data-handling>", '<group name="all">']
    lines += [f'<member name="mean_{f}"/>' for f in range(fields)]
    lines += ["</group>", f'<data-writing><file name="profiles.nc" write_time_frequency="{steps_a_file}">'
              f'<include group="all" time_manipulation="averaged" output_frequency="{INTERVAL}"/>'
              "</file></data-writing>", "</io-configuration>"]
    path.write_text("\n".join(lines))
    return path


def profiles_cpu_s(diagnostics, clients, steps, steps_a_file=None):
    """CPU seconds of the server."""
    with tempfile.TemporaryDirectory() as folder:
        configuration = profiles_configuration(folder, diagnostics, steps_a_file=steps_a_file or steps)
        model = [MODELS / "profiles_model", configuration, diagnostics, steps]
        return run(clients, model, servers=1, configuration=configuration, directory=folder).server_cpu_s


def stratus_cpu_s(diagnostics, clients, steps, *size):
    """CPU seconds of the server."""
    with tempfile.TemporaryDirectory() as folder:
        model = [BIN / "cumulus", "--case", "stratus", "--per-rank", "--output", "pileus", "--quiet",
                 "--steps", steps, *size]
        return run(clients, model, servers=1, configuration=stratus_configuration(folder, diagnostics),
                   directory=folder).server_cpu_s


def steps_of(way, settings, diagnostics):
    """How many steps the short and the long run of a slope have: multiples of the files' steps."""
    if settings.quick:
        return 100, 300
    foreseen = 1000
    cpu_s = profiles_cpu_s(diagnostics, way.clients, foreseen, way.steps_a_file)
    many = min(settings.steps, int(settings.seconds * foreseen / cpu_s))
    many = max(5 * STEPS_A_FILE, many // STEPS_A_FILE * STEPS_A_FILE)
    return max(STEPS_A_FILE, many // 10 // STEPS_A_FILE * STEPS_A_FILE), many


def profiles_us(way, diagnostics, steps):
    """CPU time per diagnostic, client and step: what more steps take, so that start and end count nothing."""
    few_s, many_s = (profiles_cpu_s(diagnostics, way.clients, s, way.steps_a_file) for s in steps)
    return 1e6 * (many_s - few_s) / (diagnostics * way.clients * (steps[1] - steps[0]))


def stratus_us(diagnostics, clients, steps, *size):
    """CPU time per diagnostic, client and step.

    Differences between few and many steps, and few and many diagnostics, leave out what the start of a run
    and a step without diagnostics cost.
    """
    few, many = ([stratus_cpu_s(number, clients, s, *size) for s in steps] for number in diagnostics)
    more = (many[1] - many[0]) - (few[1] - few[0])
    return 1e6 * more / ((diagnostics[1] - diagnostics[0]) * clients * (steps[1] - steps[0]))


def main():
    """Measures all ways in turn, and reports."""
    settings = read_settings(__doc__, repeats=3, steps=20_000, seconds=20.0)
    quick = settings.quick
    small = ["--nx", "6", "--ny", "6", "--nz", "12"] if quick else []
    diagnostics = 20 if quick else 200
    steps = {way: steps_of(way, settings, diagnostics) for way in WAYS}
    profiles, stratus = {way: [] for way in WAYS}, []
    for _ in range(1 if quick else settings.repeats):
        for way in WAYS:
            profiles[way].append(profiles_us(way, diagnostics, steps[way]))
        for clients in (1, 2):
            stratus.append(stratus_us((32, 232), clients, (2, 6) if quick else (5, 20), *small))
    figures = Figures("diagnostics", settings)
    what = "server CPU per diagnostic, client and step"
    for way in WAYS:
        title = f"{diagnostics} profiles of 60 levels, {way.title}"
        figures.add(f"{title}: {what}", "us", profiles[way], way.key)
        figures.add(f"{title}: steps of a run", "1", [steps[way][1]])
    figures.add("profiles, 1 client: the same of MONC's server over it", "1",
                [PUBLISHED_US / max(slope, 1e-3) for slope in profiles[WAYS[0]]])
    figures.add(f"stratus, 65 536 points: {what}", "us", stratus, "stratus_us")
    figures.report()


if __name__ == "__main__":
    main()
