#!/usr/bin/env python3
"""Measures the whole way from a model to a result: in situ, or by snapshots that are read again.

The case stratus of cumulus, whose result are horizontal means, variances, fluxes and extremes of every
EVERY seconds. In situ a server computes them, or the model's ranks do, attached. Otherwise the same three
fields are written as they are, by a server or by the ranks, and NumPy makes the result of these files, with
a process for each core. All ways have the same cores, and take turns; ratios are those of one turn. Results
are compared with those in situ. (CDO would take x for the levels of these files, in which z varies fastest.)

Then the time of each step around a snapshot, of a small model that writes 8 MB every 50 steps.
"""

import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import NamedTuple

from figures import Figures, read_settings
from runs import BIN, MODELS, run
from snapshots import configuration as snapshots_of_small_model

FIELDS = {"theta": "z,y,x", "qv": "z,y,x", "w": "z_face,y,x"}
DIAGNOSTICS = {  # in our language; with NumPy, of one record
    "theta_mean": ("mean[y,x](theta)", "theta.mean((0, 1))"),
    "qv_mean": ("mean[y,x](qv)", "qv.mean((0, 1))"),
    "w_max": ("max[y,x](w)", "w.max((0, 1))"),
    "theta_var": ("var[y,x](theta)", "theta.var((0, 1))"),
    "w_w": ("mean[y,x](w*w)", "(w * w).mean((0, 1))"),
    "qv_theta": ("mean[y,x](qv*theta)", "(qv * theta).mean((0, 1))"),
}
FILES = 4  # of snapshots, so that several processes can read them

# What a scientist would write: reads a file record by record, and leaves the profiles in another one.
NUMPY = """
import sys, netCDF4
with netCDF4.Dataset(sys.argv[1]) as raw, netCDF4.Dataset(sys.argv[2], "w") as out:
    raw.set_auto_mask(False)
    times = next(name for name in raw["theta"].dimensions if name.startswith("time"))
    out.createDimension("time", None)
    for name in ("z", "z_face"):
        out.createDimension(name, raw.dimensions[name].size)
    made = {name: out.createVariable(name, "f8", ("time", "z_face" if name[0] == "w" else "z"))
            for name in %r}
    for t in range(raw.dimensions[times].size):
        theta, qv, w = (raw[name][t] for name in ("theta", "qv", "w"))
        for name, text in %r.items():
            made[name][t] = eval(text)
""" % (list(DIAGNOSTICS), {name: words[1] for name, words in DIAGNOSTICS.items()})


class Way(NamedTuple):
    """A way to the result, and who takes the fields of the model: a server, or nobody else."""

    title: str
    servers: int
    is_read_again: bool = False


WAYS = IN_SITU, *OTHERS = [
    Way("in situ, 1 server", 1),
    Way("in situ, attached", 0),
    Way("snapshots by 1 server, then NumPy", 1, True),
    Way("snapshots by the ranks, then NumPy", 0, True),
]


def configuration(folder, way, every, end):
    """Writes a configuration with the result, or with snapshots of the fields."""
    lines = ["<io-configuration>", '<data-definition name="state" frequency="1">']
    lines += [f'<field name="{name}" size="{size}" collective="true"/>' for name, size in FIELDS.items()]
    lines += ["</data-definition>", "<data-handling>"]
    if way.is_read_again:
        written, period = FIELDS, end / FILES
    else:
        written, period = DIAGNOSTICS, end
        lines += [f'<diagnostic field="{name}" expression="{words[0]}"/>'
                  for name, words in DIAGNOSTICS.items()]
    lines += ["</data-handling>", "<data-writing>", f'<file name="out.nc" write_time_frequency="{period}">']
    lines += [f'<include field="{name}" time_manipulation="instantaneous" output_frequency="{every}"/>'
              for name in written]
    lines += ["</file>", "</data-writing>", "</io-configuration>"]
    path = Path(folder) / "whole_way.xml"
    path.write_text("\n".join(lines))
    return path


def read_again(raw_files):
    """Makes the result of all snapshots, a process for each core. Errors: ends the benchmark."""
    waiting, running, made = list(raw_files), [], []
    while waiting or running:
        while waiting and len(running) < os.cpu_count():
            raw = waiting.pop(0)
            made.append(raw.with_suffix(".profiles.nc"))
            running.append(subprocess.Popen([sys.executable, "-c", NUMPY, str(raw), str(made[-1])]))
        if running.pop(0).wait() != 0:
            sys.exit("the snapshots could not be read")
    return made


class Took(NamedTuple):
    """Seconds of the model's run and of the reading afterwards, bytes on the disk, and the result by name."""

    model_s: float
    reading_s: float
    bytes: int
    result: dict


def result_of(files):
    """All records of each diagnostic, by name."""
    import netCDF4  # only those that compare need it
    import numpy as np

    found = {name: [] for name in DIAGNOSTICS}
    for path in files:
        with netCDF4.Dataset(path) as file:
            for name, records in found.items():
                values = np.asarray(file[name][:])
                records.append(values.reshape(len(values), -1))
    return {name: np.concatenate(records) for name, records in found.items()}


def turn(way, settings, end):
    """Goes one way, and returns what it Took."""
    with tempfile.TemporaryDirectory(dir=settings.disk) as folder:
        path = configuration(folder, way, settings.every, end)
        model = [BIN / "cumulus", "--case", "stratus", "--quiet", "--end", end, "--output", "pileus"]
        model += ["--nx", settings.nx, "--ny", settings.nx, "--nz", settings.nz]
        model += [] if way.servers else ["--config", path, "--directory", folder]
        begin = time.monotonic()
        run(settings.ranks, model, way.servers, path, folder)
        middle = time.monotonic()
        files = sorted(Path(folder).glob("out_*.nc"), key=lambda file: int(file.stem[4:]))
        size = sum(file.stat().st_size for file in files)
        files = read_again(files) if way.is_read_again else files
        reading_s = time.monotonic() - middle if way.is_read_again else 0.0
        return Took(middle - begin, reading_s, size, result_of(files))


def difference(one, other):
    """The largest difference of two results, over the largest value of each diagnostic."""
    return max(float(abs(one[name] - other[name]).max() / abs(other[name]).max()) for name in DIAGNOSTICS)


def step_times(way, size, steps, every):
    """Milliseconds of each step of the small model."""
    with tempfile.TemporaryDirectory() as folder:
        path, times = snapshots_of_small_model(folder), Path(folder) / "times"
        model = [MODELS / "snapshots_model", way, path, folder, size, steps, every, times]
        run(1, model, servers=int(way == "pileus"), configuration=path, directory=folder)
        return [1000 * float(line) for line in times.read_text().split()]


def add_steps_around(figures, settings):
    """The step of a snapshot and the one behind it, over the median of all."""
    size, steps, every = (8, 100, 50) if settings.quick else (64, 500, 50)
    for way, title in (("own", "the model writes"), ("pileus", "1 server")):
        times = step_times(way, size, steps, every)
        usual = median(times)
        at = range(every - 1, steps - 1, every)
        figures.add(f"a step without output, {title}", "ms", times)
        figures.add(f"the step with a snapshot, {title}, over others", "1", [times[i] / usual for i in at],
                    f"step_with_snapshot_{way}")
        figures.add(f"the step behind it, {title}, over others", "1", [times[i + 1] / usual for i in at])


def main():
    """Measures all ways in turn, compares their results, and reports."""
    settings = read_settings(__doc__, repeats=5, ranks=2, every=5, end=300, nx=64, nz=64, disk="/var/tmp")
    repeats, end = settings.repeats, settings.end
    if settings.quick:
        repeats, end, settings.nx, settings.nz = 1, 40, 12, 12
    took = {way: [] for way in WAYS}
    for _ in range(repeats):
        for way in WAYS:
            took[way].append(turn(way, settings, end))
    figures = Figures("whole_way", settings)
    for way, runs in took.items():
        figures.add(f"{way.title}: to the result", "s", [one.model_s + one.reading_s for one in runs])
        if way.is_read_again:
            figures.add(f"{way.title}: of these after the model", "s", [one.reading_s for one in runs])
        figures.add(f"{way.title}: on the disk", "MB", [one.bytes / 1e6 for one in runs])
    for way in OTHERS:
        pairs = list(zip(took[way], took[IN_SITU], strict=True))
        ratios = [(one.model_s + one.reading_s) / (base.model_s + base.reading_s) for one, base in pairs]
        key = "whole_way_" + re.sub(r"\W+", "_", way.title.lower())
        figures.add(f"{way.title}: over in situ", "1", ratios, key)
        figures.add(f"{way.title}: largest difference of a result", "1",
                    [difference(one.result, base.result) for one, base in pairs], f"{key}_difference")
    add_steps_around(figures, settings)
    figures.report()


if __name__ == "__main__":
    main()
