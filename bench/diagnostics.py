#!/usr/bin/env python3
"""What a diagnostic costs a server: CPU time per diagnostic, client and step, as a slope.

Twice: of profiles of 60 levels that the model has summed up itself, and of the case stratus, where the server
gets 65 536 points a rank and does everything.
"""

import tempfile
from pathlib import Path

from figures import Figures, read_settings
from runs import BIN, MODELS, run, stratus_configuration

PUBLISHED_US = 230  # per diagnostic, client and step: measured for the server of the MONC model, likewise


def profiles_configuration(folder, fields, budget=None):
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
    lines += ["</group>", '<data-writing><file name="profiles.nc" write_time_frequency="100">'
              '<include group="all" time_manipulation="averaged" output_frequency="10"/>'
              "</file></data-writing>", "</io-configuration>"]
    path.write_text("\n".join(lines))
    return path


def profiles_run(diagnostics, clients, steps):
    """CPU seconds of the server."""
    with tempfile.TemporaryDirectory() as folder:
        configuration = profiles_configuration(folder, diagnostics)
        model = [MODELS / "profiles_model", configuration, diagnostics, steps]
        return run(clients, model, servers=1, configuration=configuration, directory=folder).server_cpu_s


def stratus_run(diagnostics, clients, steps, *size):
    """CPU seconds of the server."""
    with tempfile.TemporaryDirectory() as folder:
        model = [BIN / "cumulus", "--case", "stratus", "--per-rank", "--output", "pileus", "--quiet",
                 "--steps", steps, *size]
        return run(clients, model, servers=1, configuration=stratus_configuration(folder, diagnostics),
                   directory=folder).server_cpu_s


def slope_us(run_one, diagnostics, clients, steps):
    """CPU time per diagnostic, client and step.

    Differences between few and many steps, and few and many diagnostics, leave out what the start of a run
    and a step without diagnostics cost.
    """
    few, many = ([run_one(number, clients, s) for s in steps] for number in diagnostics)
    more = (many[1] - many[0]) - (few[1] - few[0])
    return 1e6 * more / ((diagnostics[1] - diagnostics[0]) * clients * (steps[1] - steps[0]))


def main():
    """Measures both slopes several times, and reports."""
    settings = read_settings(__doc__, repeats=5)
    quick = settings.quick
    repeats = 1 if quick else settings.repeats
    small = ["--nx", "6", "--ny", "6", "--nz", "12"] if quick else []
    profiles, stratus = [], []
    for _ in range(repeats):
        for clients in (1, 2):
            profiles.append(slope_us(profiles_run, (20, 220), clients, (5, 45) if quick else (50, 250)))
            stratus.append(slope_us(lambda *run: stratus_run(*run, *small), (32, 232), clients,
                                    (2, 6) if quick else (5, 20)))
    figures = Figures("diagnostics", settings)
    what = "server CPU per diagnostic, client and step"
    figures.add(f"profiles of 60 levels: {what}", "us", profiles)
    figures.add("profiles of 60 levels: the same of MONC's server over it", "1",
                [PUBLISHED_US / max(slope, 1e-3) for slope in profiles])
    figures.add(f"stratus, 65 536 points: {what}", "us", stratus)
    figures.report()


if __name__ == "__main__":
    main()
