#!/usr/bin/env python3
"""Measures a server that is far too slow for its model, for each policy of a file when the memory is full.

The model does nothing but hand over 50 profiles of 60 levels. One file has their means over 10 steps, another
the profiles of every step: that one waits, spills, loses every second record (thin), or what it must (drop).
The memory is read after the first 1000 steps, and at the end.
"""

import os

from figures import Figures, read_settings
from memory import BUDGET, STEPS_A_FILE, run_one

FIELDS = 50
SPILL = os.environ.get("TMPDIR", "/var/tmp")
POLICIES = ("wait", "spill", "thin", "drop")


def with_every_step(policy):
    """What adds the file of every step to a configuration."""
    file = (f'<file name="every.nc" write_time_frequency="{STEPS_A_FILE}" when_memory_full="{policy}">'
            '<include group="all" time_manipulation="none"/></file>')
    memory = f'budget="{BUDGET}"'
    spilling = f'{memory} spill_directory="{SPILL}" spill_limit="64 GiB"'

    def change(text):
        text = text.replace("</data-writing>", file + "</data-writing>")
        return text.replace(memory, spilling) if policy == "spill" else text

    return change


def main():
    """Runs each policy once, as it is long, and reports."""
    settings = read_settings(__doc__, repeats=1, steps=100_000)
    steps, first = (3 * STEPS_A_FILE, STEPS_A_FILE) if settings.quick else (settings.steps, 1_000)
    mib = 1 << 20
    figures = Figures("overload", settings)
    for policy in POLICIES:
        report, early = run_one(steps, first, fields=FIELDS, change=with_every_step(policy))
        (server,), (rank,) = report["servers"], report["model_ranks"]
        figures.add(f"{policy}: the most after {first} steps, of a budget of {BUDGET}", "MiB", [early / mib])
        figures.add(f"{policy}: the most after {steps} steps", "MiB", [server["most_memory_bytes"] / mib])
        figures.add(f"{policy}: records left out, of {steps}", "1", [sum(dropped_of(report).values())])
        figures.add(f"{policy}: the model's time", "s", [rank["wall_s"]])
        figures.add(f"{policy}: of the model's time waiting for memory", "1",
                    [rank["waiting_s"] / rank["wall_s"]])
        figures.add(f"{policy}: waiting for memory", "s", [rank["waiting_s"]])
        figures.add(f"{policy}: the most that was spilled at once", "MiB",
                    [server["most_spilled_bytes"] / mib])
    figures.report()


def dropped_of(report):
    """The number of records left out, by series of files."""
    return report.get("overloads", {}).get("dropped_records", {})


if __name__ == "__main__":
    main()
