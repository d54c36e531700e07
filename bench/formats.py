#!/usr/bin/env python3
"""Measures what a store of Zarr costs beside a NetCDF file, and beside zarr-python.

Two model ranks that compute nothing hand over a field, which one server writes as it is and compressed by
Zstandard, in both formats, in turn. Times are on the wall, from the model's first step until all is
published. Then zarr-python writes the same numbers to the same disk in the same shards and chunks, on as many
threads as it wants, and syncs them; its time includes no message.
"""

import json
import os
import tempfile
import time
from pathlib import Path

import numpy as np
from figures import Figures, read_settings
from runs import MODELS, run

RANKS = 2
WAYS = {"plain": "", "zstd": 'zstd="1" shuffle="false"'}
CONFIGURATION = """<io-configuration>
  <server-configuration><memory budget="1 GiB"/></server-configuration>
  <data-definition name="state" frequency="1">
    <field name="f0" size="z,y,x" collective="true"/>
  </data-definition>
  <data-writing>
    <file name="run.{kind}" write_timestep_frequency="{steps}" {more}>
      <include field="f0" time_manipulation="none"/>
    </file>
  </data-writing>
</io-configuration>
"""


def turn(kind, more, settings, folder):
    """Seconds of a run, and what it published."""
    path, report = Path(folder) / "run.xml", Path(folder) / "report.json"
    path.write_text(CONFIGURATION.format(kind=kind, more=more, steps=settings.steps))
    os.environ["PILEUS_REPORT"] = str(report)
    out = Path(folder) / kind
    out.mkdir()
    model = [MODELS / "sleepers_model", path, settings.side, settings.levels, settings.steps, 0]
    run(RANKS, model, servers=1, configuration=path, directory=out)
    (server,) = json.loads(report.read_text())["servers"]
    (published,) = out.glob(f"*.{kind}")
    return server["wall_s"], published


def by_zarr_python(store, folder):
    """Seconds in which zarr-python writes the numbers of a store again; None where it is not there."""
    try:
        import zarr
    except ImportError:
        return None
    array = zarr.open_group(store, mode="r")["f0"]
    numbers = np.ascontiguousarray(array[...])
    begin = time.perf_counter()
    copy = zarr.create_array(Path(folder) / "copy.zarr", shape=array.shape, shards=array.shards,
                             chunks=array.chunks, dtype=array.dtype, compressors=array.compressors)
    copy[...] = numbers
    for path in (Path(folder) / "copy.zarr").rglob("*"):
        if path.is_file():
            with path.open("rb") as file:
                os.fsync(file.fileno())
    return time.perf_counter() - begin


def bytes_of(path):
    return sum(one.stat().st_size for one in [path, *path.rglob("*")] if one.is_file())


def main():
    """All ways in turn, and reports."""
    settings = read_settings(__doc__, repeats=7, side=128, levels=64, steps=24)
    if settings.quick:
        settings.side, settings.levels, settings.steps = 8, 4, 3
    samples = {}
    for _ in range(1 if settings.quick else settings.repeats):
        for way, more in WAYS.items():
            with tempfile.TemporaryDirectory() as folder:
                netcdf_s, file = turn("nc", more, settings, folder)
                zarr_s, store = turn("zarr", more, settings, folder)
                sizes = bytes_of(store) / bytes_of(file)
                library_s = by_zarr_python(store, folder)
            found = {(f"{way}: zarr / netcdf, time", "1"): zarr_s / netcdf_s,
                     (f"{way}: netcdf, time", "s"): netcdf_s, (f"{way}: zarr, time", "s"): zarr_s,
                     (f"{way}: zarr / netcdf, bytes", "1"): sizes}
            if library_s is not None:
                found[f"{way}: zarr / zarr-python, time", "1"] = zarr_s / library_s
            for key, value in found.items():
                samples.setdefault(key, []).append(value)
    figures = Figures("formats", settings)
    for (name, unit), values in samples.items():
        figures.add(name, unit, values)
    figures.report()


if __name__ == "__main__":
    main()
