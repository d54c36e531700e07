#!/usr/bin/env python3
"""Measures pileus check and pileus explain with a thousand diagnostics: wall and CPU time of one call.

The diagnostics are one-line expressions over 60 fields, the model has 4 ranks and 2 servers.
"""

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from figures import BUILD, Figures, read_settings

PILEUS = BUILD / "bin" / "pileus"
FIELDS, COUNT = 60, {"z": 40, "y": 64, "x": 64}
FORMS = ["mean[y,x](f{a})", "mean[y,x](f{a}*f{b})", "max[y,x](sqrt(f{a}^2 + f{b}^2))", "var[y,x](f{a})",
         "mean[y,x](f{a} | f{b} > 0)", "sum[z](f{a} - mean[y,x](f{a}))", "cov[y,x](f{a}, f{b})", "max(f{a})"]


def write_configuration(path, diagnostics):
    """Writes a configuration: each diagnostic is averaged over 10 steps of 10 s, in files of ten records."""
    lines = ["<io-configuration>", '<data-definition name="state" frequency="1">']
    lines += [f'<field name="f{f}" type="array" data_type="double" size="z,y,x" collective="true"/>'
              for f in range(FIELDS)]
    lines += ["</data-definition>", "<data-handling>"]
    for d in range(diagnostics):
        a, b = d % FIELDS, (d // len(FORMS) * 7 + 1) % FIELDS
        expression = FORMS[d % len(FORMS)].format(a=a, b=b).replace(">", "&gt;")
        lines.append(f'<diagnostic field="d{d}" expression="{expression}"/>')
    lines += ["</data-handling>", '<group name="all">']
    lines += [f'<member name="d{d}"/>' for d in range(diagnostics)]
    lines += ["</group>", '<data-writing><file name="diagnostics.nc" write_time_frequency="1000">'
              '<include group="all" time_manipulation="averaged" output_frequency="100"/>'
              "</file></data-writing>", "</io-configuration>"]
    path.write_text("\n".join(lines))


def write_model(path):
    """Writes the description of a model with four ranks that share y."""
    rows = COUNT["y"] // 4
    ranks = [{"fields": {f"f{f}": {"start": [0, rank * rows, 0], "count": [COUNT["z"], rows, COUNT["x"]]}
                         for f in range(FIELDS)}} for rank in range(4)]
    path.write_text(json.dumps({
        "servers": 2, "timestep_s": 10.0, "start_time_s": 0.0, "options": {},
        "dimensions": [{"name": name, "size": size} for name, size in COUNT.items()],
        "fields": [{"name": f"f{f}", "type": "double", "dimensions": list(COUNT)} for f in range(FIELDS)],
        "ranks": ranks}))


def used_s():
    """CPU seconds of all children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def took(arguments, folder):
    """Wall and CPU seconds of one call. Errors: ends the benchmark."""
    begun, before = time.perf_counter(), used_s()
    done = subprocess.run([PILEUS, *arguments], cwd=folder, capture_output=True, text=True, check=False)
    wall_s, cpu_s = time.perf_counter() - begun, used_s() - before
    if done.returncode != 0:
        sys.exit(f"pileus {' '.join(arguments)} failed:\n{done.stdout[:2000]}{done.stderr[:2000]}")
    return wall_s, cpu_s


def main():
    """Calls each form of both commands in turn, and reports."""
    settings = read_settings(__doc__, repeats=11, diagnostics=1000)
    diagnostics = 50 if settings.quick else settings.diagnostics
    explain = ["explain", "run.xml", "--model", "model.json"]
    calls = {"check": ["check", "run.xml"], "check --json": ["check", "run.xml", "--json"],
             "explain": explain, "explain --json": [*explain, "--json"]}
    samples = {name: [] for name in calls}
    with tempfile.TemporaryDirectory() as folder:
        write_configuration(Path(folder) / "run.xml", diagnostics)
        write_model(Path(folder) / "model.json")
        for _ in range(1 if settings.quick else settings.repeats):
            for name, arguments in calls.items():
                samples[name].append(took(arguments, folder))
    figures = Figures("tools", settings)
    for name, both in samples.items():
        figures.add(f"{name}, {diagnostics} diagnostics: wall", "s", [wall_s for wall_s, _ in both])
        figures.add(f"{name}, {diagnostics} diagnostics: CPU", "s", [cpu_s for _, cpu_s in both])
    figures.report()


if __name__ == "__main__":
    main()
