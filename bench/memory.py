#!/usr/bin/env python3
"""Measures the memory of a server that cannot keep up with its model: 200 profiles of 60 levels at full rate.

The model does nothing but hand over, so that it waits for its server from the first steps on. The memory is
read after the first 1000 steps, and at the end. It runs once with a file of every 100 steps, and once with
one file for the run.
"""

import json
import os
import subprocess
import tempfile
import time
from pathlib import Path

from diagnostics import profiles_configuration
from figures import Figures, read_settings
from runs import MODELS, SERVER, launcher

FIELDS = 200
BUDGET = "64 MiB"
STEPS_A_FILE = 100


def most_bytes(pid):
    """The most bytes that the process has had so far; 0 after it has ended."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    peak = [line for line in status.splitlines() if line.startswith("VmHWM")]
    return 1024 * int(peak[0].split()[1]) if peak else 0


def server_of(launched):
    """The process of the server below the launcher; None before there is one."""
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            stat = path.read_text()
        except OSError:
            continue
        name, rest = stat[stat.index("(") + 1 : stat.rindex(")")], stat[stat.rindex(")") + 2 :].split()
        if name == SERVER.name and int(rest[1]) == launched:
            return int(path.parent.name)
    return None


def run_one(steps, first, steps_a_file=STEPS_A_FILE, fields=FIELDS, change=None):
    """Runs once and returns the report, and the most memory of the server up to the first steps.

    change : what is made of the text of the configuration
    """
    with tempfile.TemporaryDirectory() as folder:
        configuration = profiles_configuration(folder, fields, BUDGET, steps_a_file)
        if change:
            configuration.write_text(change(configuration.read_text()))
        report = Path(folder) / "report.json"
        command = [*launcher(True), "-n", 1, MODELS / "profiles_model", configuration, fields, steps,
                   ":", "-n", 1, SERVER, configuration, "--directory", folder]
        environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                       "PILEUS_REPORT": str(report)}
        job = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL, env=environment)
        mark = Path(folder) / f"profiles_{first}.nc"
        early = 0
        while job.poll() is None:
            server = server_of(job.pid)
            if early == 0 and server and mark.exists():
                early = most_bytes(server)
            time.sleep(0.05)
        if job.returncode != 0:
            raise SystemExit(f"{command}: status {job.returncode}")
        return json.loads(report.read_text()), early


def main():
    """Runs it once, as it is long, and reports."""
    settings = read_settings(__doc__, repeats=1, steps=20_000)
    steps, first = (3 * STEPS_A_FILE, STEPS_A_FILE) if settings.quick else (settings.steps, 1_000)
    report, early = run_one(steps, first)
    one_file, _ = run_one(steps, first, steps_a_file=steps)
    (server,), (rank,) = report["servers"], report["model_ranks"]
    mib = 1 << 20
    figures = Figures("memory", settings)
    figures.add("the server at its start", "MiB", [server["memory_at_start_bytes"] / mib])
    figures.add(f"the most after {first} steps", "MiB", [early / mib])
    figures.add(f"the most after {steps} steps", "MiB", [server["most_memory_bytes"] / mib])
    figures.add(f"the most after {steps} steps in one file", "MiB",
                [one_file["servers"][0]["most_memory_bytes"] / mib])
    figures.add(f"above its start, of a budget of {BUDGET}", "MiB",
                [(server["most_memory_bytes"] - server["memory_at_start_bytes"]) / mib])
    figures.add("of the model's time waiting for memory", "1", [rank["waiting_s"] / rank["wall_s"]])
    figures.report()


if __name__ == "__main__":
    main()
