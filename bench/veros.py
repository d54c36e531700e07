#!/usr/bin/env python3
"""Measures what output costs Veros: none, its own, and that of Pileus in the same process, in turns.

The setup acc_basic of Veros; means over ten steps and snapshots at every twentieth of the same variables
(integrations/veros/acc.xml). Times are those of the steps and of the end, until all is written.
"""

import importlib.util
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from figures import BUILD, CANNOT, ROOT, Figures, read_settings

HERE = ROOT / "integrations" / "veros"
WAYS = {"no output": [], "its own output": ["veros"], "Pileus": ["pileus"]}


def seconds(outputs, days):
    paths = [str(ROOT / "bindings" / "python"), str(HERE), os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths), "OMP_NUM_THREADS": "1"}
    environment.setdefault("PILEUS_PREFIX", str(BUILD))
    with tempfile.TemporaryDirectory() as folder:
        command = [
            sys.executable,
            HERE / "acc.py",
            str(days),
            "--config",
            HERE / "acc.xml",
            "--output",
            *outputs,
        ]
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{command}: {done.stderr}")
    return float(re.search(r"seconds (\S+)", done.stdout)[1])


def main():
    settings = read_settings(__doc__, days=60, repeats=7)
    if importlib.util.find_spec("veros") is None:
        print("Veros is not installed", file=sys.stderr)
        sys.exit(CANNOT)
    days, repeats = (5, 1) if settings.quick else (settings.days, settings.repeats)
    taken = {way: [] for way in WAYS}
    for _ in range(repeats):
        for way, outputs in WAYS.items():
            taken[way].append(seconds(outputs, days))
    figures = Figures(Path(__file__).stem, settings)
    for way, samples in taken.items():
        figures.add(f"{days} days with {way}", "s", samples)
    for way in list(WAYS)[1:]:
        ratios = [one / none for one, none in zip(taken[way], taken["no output"], strict=True)]
        figures.add(f"with {way}, times without output", "ratio", ratios)
    figures.report()


if __name__ == "__main__":
    main()
