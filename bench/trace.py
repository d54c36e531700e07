#!/usr/bin/env python3
"""Measures what a trace costs a server: its CPU time with PILEUS_TRACE over that without, pair by pair.

The model does nothing but hand over 200 profiles of 60 levels in each step, so that the server has many short
tasks and nothing hides what is added to them.
"""

import tempfile
from pathlib import Path

from diagnostics import profiles_configuration
from figures import Figures, read_settings
from runs import MODELS, run

FIELDS, STEPS_A_FILE = 200, 100


def server_s(steps, is_traced):
    """CPU seconds of the server, and the bytes of its trace."""
    with tempfile.TemporaryDirectory() as folder:
        configuration = profiles_configuration(folder, FIELDS, steps_a_file=STEPS_A_FILE)
        trace = Path(folder) / "trace.json"
        cost = run(2, [MODELS / "profiles_model", configuration, FIELDS, steps], servers=1,
                   configuration=configuration, directory=folder,
                   server_has={"PILEUS_TRACE": str(trace) if is_traced else ""})
        return cost.server_cpu_s, trace.stat().st_size if is_traced else 0


def main():
    """Measures pairs in turn, each the other way round, and reports."""
    settings = read_settings(__doc__, repeats=9, steps=4000)
    steps, repeats = (2 * STEPS_A_FILE, 1) if settings.quick else (settings.steps, settings.repeats)
    ratios, seconds, sizes = [], [], []
    for i in range(repeats):
        order = (True, False) if i % 2 else (False, True)
        both = {is_traced: server_s(steps, is_traced) for is_traced in order}
        ratios.append(both[True][0] / both[False][0])
        seconds.append(both[False][0])
        sizes.append(both[True][1] / steps)
    figures = Figures("trace", settings)
    figures.add(f"server CPU with a trace over that without, {FIELDS} profiles and 2 clients", "1", ratios,
                "trace_ratio")
    figures.add(f"server CPU without, {steps} steps", "s", seconds)
    figures.add("the trace, a step", "bytes", sizes)
    figures.report()


if __name__ == "__main__":
    main()
