#!/usr/bin/env python3
"""Measures what a file for each server costs beside one file of all, and what the size of a write does.

Four model ranks that compute nothing hand over a field, which several servers write: as it is in writes of
several sizes, compressed by Zstandard, and both once more with parts="server". All ways take turns. Times are
on the wall, from the first step until all is published and synced. Then both files are read whole, and
one record after the other, by netCDF4.
"""

import json
import os
import shutil
import tempfile
import time
from pathlib import Path

import netCDF4
from figures import Figures, read_settings
from runs import MODELS, run

RANKS = 4
WAYS = {
    "one file": "",
    "one file, write_size=64 KiB": 'write_size="64 KiB"',
    "one file, write_size=4 MiB": 'write_size="4 MiB"',
    "one file, write_size=16 MiB": 'write_size="16 MiB"',
    "parts": 'parts="server"',
    "parts, write_size=4 MiB": 'parts="server" write_size="4 MiB"',
    "one file, zstd": 'zstd="1"',
    "parts, zstd": 'zstd="1" parts="server"',
}
CONFIGURATION = """<io-configuration>
  <server-configuration><memory budget="512 MiB"/></server-configuration>
  <data-definition name="state" frequency="1">
    <field name="f0" size="z,y,x" collective="true"/>
  </data-definition>
  <data-writing>
    <file name="run.nc" write_timestep_frequency="{steps}" {more}>
      <include field="f0" time_manipulation="none"/>
    </file>
  </data-writing>
</io-configuration>
"""


def turn(more, settings, folder):
    """Seconds of a run, and the file that it published."""
    out = Path(folder)
    path, report = out / "run.xml", out / "report.json"
    path.write_text(CONFIGURATION.format(more=more, steps=settings.steps))
    os.environ["PILEUS_REPORT"] = str(report)
    model = [MODELS / "sleepers_model", path, settings.side, settings.levels, settings.steps, 0]
    run(RANKS, model, servers=settings.servers, configuration=path, directory=out)
    (published,) = out.glob("run*.nc")
    return max(server["wall_s"] for server in json.loads(report.read_text())["servers"]), published


def reads(path):
    """Seconds to read all at once, and record by record."""
    seconds = []
    for by_record in (False, True):
        begin = time.perf_counter()
        with netCDF4.Dataset(path) as dataset:
            f0 = dataset["f0"]
            for record in range(len(f0)) if by_record else [slice(None)]:
                f0[record]
        seconds.append(time.perf_counter() - begin)
    return seconds


def main():
    """All ways in turn, and reports."""
    settings = read_settings(__doc__, repeats=5, side=128, levels=64, steps=16, servers=2, directory="")
    if settings.quick:
        settings.side, settings.levels, settings.steps = 8, 4, 3
    times = {way: [] for way in WAYS}
    read = {way: ([], []) for way in WAYS}
    for _ in range(1 if settings.quick else settings.repeats):
        for way, more in WAYS.items():
            folder = tempfile.mkdtemp(dir=settings.directory or None)
            try:
                seconds, path = turn(more, settings, folder)
                times[way].append(seconds)
                for all_of, one in zip(read[way], reads(path), strict=True):
                    all_of.append(one)
            finally:
                shutil.rmtree(folder)
    figures = Figures("parts", settings)
    for way, samples in times.items():
        base = times["one file, zstd" if "zstd" in way else "one file"]
        figures.add(f"{way}: wall", "s", samples)
        figures.add(f"{way}: wall over one file", "1",
                    [mine / other for mine, other in zip(samples, base, strict=True)])
    for way in ("parts", "parts, zstd"):
        base = "one file, zstd" if "zstd" in way else "one file"
        for n, how in enumerate(("all at once", "record by record")):
            figures.add(f"{way}: read {how}, over one file", "1",
                        [mine / other for mine, other in zip(read[way][n], read[base][n], strict=True)])
    figures.report()


if __name__ == "__main__":
    main()
