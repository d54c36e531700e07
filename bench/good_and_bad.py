#!/usr/bin/env python3
"""Makes a run whose server keeps up and one whose server is too slow, and draws both: pileus report.

As in the Met Office's comparison of good and bad runs of its I/O servers: every tenth step has output. Four
model ranks sleep instead of computing. Their server doubles what it writes, in the bad run so slowly that it
falls behind from one step of output to the next, until its memory is full and the model stalls.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from figures import BUILD, CANNOT, Figures, read_settings
from runs import BIN, MODELS, SERVER, launcher

OPERATORS = BUILD / "tests" / "libslow_operator.so"
RANKS, FIELDS, INTERVAL, PAUSE_US = 4, 8, 10, 12_000
BUDGET = "128 KiB"
SLOW = {"good": 1, "bad": 8}  # fields that are doubled slowly: 5 ms for each and each rank


def configuration(slow, steps):
    """Each field is doubled, so many of them slowly, in every tenth step."""
    def doubled(f):
        if f < slow:
            return f'<operator name="slow_double" field="sum_{f}" result="doubled_{f}"/>'
        return f'<operator name="arithmetic" equation="2*sum_{f}" result="doubled_{f}"/>'

    fields, members = range(FIELDS), "".join(f'<member name="total_{f}"/>' for f in range(FIELDS))
    diagnostics = "".join(
        f'<diagnostic field="total_{f}">{doubled(f)}<communication name="reduction" operator="sum" '
        f'field="doubled_{f}" result="total_{f}"/></diagnostic>' for f in fields)
    declared = "".join(f'<field name="sum_{f}" type="array" size="z"/>' for f in fields)
    return f"""<io-configuration>
      <server-configuration><memory budget="{BUDGET}"/><thread_pool number="1"/>
        <operator-library file="{OPERATORS}"/></server-configuration>
      <data-definition name="sums" frequency="1">{declared}</data-definition>
      <data-handling>{diagnostics}</data-handling>
      <group name="all">{members}</group>
      <data-writing><file name="totals.nc" write_time_frequency="{steps}">
        <include group="all" time_manipulation="instantaneous" output_frequency="{INTERVAL}"/>
      </file></data-writing>
    </io-configuration>"""


def run_one(folder, name, steps):
    """Runs once; the path of its report, and the bytes of its file."""
    written, report, out = folder / f"{name}.xml", folder / f"{name}.json", folder / name
    written.write_text(configuration(SLOW[name], steps))
    out.mkdir()
    command = [*launcher(True), "-n", RANKS, MODELS / "profiles_model", written, FIELDS, steps, PAUSE_US,
               ":", "-n", 1, SERVER, written, "--directory", out, "--report", report]
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                   "SOURCE_DATE_EPOCH": "0"}
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=300,
                          env=environment, check=False)
    if done.returncode != 0:
        sys.exit(f"{name}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return report


def main():
    """Runs both, prints their charts and reports."""
    settings = read_settings(__doc__, steps=300, picture="")
    if not OPERATORS.is_file():
        print(f"there is no {OPERATORS}, the slow operator of the tests", file=sys.stderr)
        sys.exit(CANNOT)
    steps = 100 if settings.quick else settings.steps
    figures = Figures("good_and_bad", settings)
    with tempfile.TemporaryDirectory() as name:
        reports = [run_one(Path(name), which, steps) for which in SLOW]
        asked = ["--output", settings.picture] if settings.picture else []
        charts = subprocess.run([BIN / "pileus", "report", *reports, *asked], text=True,
                                env={**os.environ, "PILEUS_PYTHON": sys.executable}, check=True,
                                capture_output=True)
        print(charts.stdout)
        for which, path in zip(SLOW, reports, strict=True):
            add_figures(figures, which, json.loads(path.read_text()), steps)
    figures.report()


def add_figures(figures, which, report, steps):
    """What the pictures show, in figures."""
    (timeline,), ranks = report["timelines"], report["model_ranks"]
    wall_s = max(rank["wall_s"] for rank in ranks)
    figures.add(f"{which}: the model's time, over that of its sleep", "1",
                [wall_s / (1e-6 * PAUSE_US * steps)])
    figures.add(f"{which}: of it waiting for memory", "1",
                [sum(rank["waiting_s"] for rank in ranks) / len(ranks) / wall_s], f"waiting_{which}")
    figures.add(f"{which}: the most steps that were not done", "1", [max(timeline["open_steps"])])
    figures.add(f"{which}: of its time the server was at work", "1",
                [timeline["busy_s"][-1] / timeline["end_s"][-1]])


if __name__ == "__main__":
    main()
