#!/usr/bin/env python3
"""Measures what a second server brings where a model is regridded: time of the busiest server in a step.

Two model ranks that compute nothing hand over a field of a million columns of 60 levels, which is regridded
to 260 000 points, nine links each on average. One server with one worker does that, then two. A server is
busy whenever it does not wait for its model. On two cores the model's ranks and the servers share these.
"""

import json
import os
import tempfile
from pathlib import Path

import netCDF4
import numpy as np
from figures import Figures, read_settings
from runs import MODELS, run

from regrid import conservative_of

RANKS = 2
CONFIGURATION = """<io-configuration>
  <server-configuration><thread_pool number="1"/><memory budget="{budget}"/></server-configuration>
  <grid name="coarse" cells="r{lons}x{lats}"/>
  <data-definition name="state" frequency="1">
    <field name="f0" size="z,y,x" collective="true"/>
  </data-definition>
  <data-handling>
    <diagnostic field="map" expression="regrid[y,x](f0, to=coarse, weights='weights.nc')"/>
  </data-handling>
  <data-writing>
    <file name="maps.nc" write_time_frequency="{steps}">
      <include field="map" time_manipulation="maximum" output_frequency="{steps}"/>
    </file>
  </data-writing>
</io-configuration>
"""


def write_weights(path, fine, coarse):
    """A file of links between grids of so many points along each dimension, the fastest first."""
    begin, place, weight = conservative_of(fine, coarse)
    with netCDF4.Dataset(path, "w") as file:
        sizes = {"src_grid_size": fine[0] * fine[1], "dst_grid_size": coarse[0] * coarse[1],
                 "num_links": len(place), "num_wgts": 1}
        for name, size in sizes.items():
            file.createDimension(name, size)
        file.createVariable("src_address", "i4", "num_links")[:] = place + 1
        file.createVariable("dst_address", "i4", "num_links")[:] = np.repeat(
            np.arange(1, len(begin)), np.diff(begin))
        file.createVariable("remap_matrix", "f8", ("num_links", "num_wgts"))[:] = weight[:, None]
        file.setncatts({"conventions": "SCRIP", "normalization": "fracarea"})


def turn(servers, settings, side, coarse):
    """Milliseconds of the busiest server in a step, and of the whole in a step."""
    with tempfile.TemporaryDirectory() as folder:
        path, report = Path(folder) / "run.xml", Path(folder) / "report.json"
        path.write_text(CONFIGURATION.format(budget=settings.budget, lons=coarse[0], lats=coarse[1],
                                             steps=settings.steps))
        write_weights(Path(folder) / "weights.nc", (side, RANKS * side), coarse)
        os.environ["PILEUS_REPORT"] = str(report)
        run(RANKS, [MODELS / "sleepers_model", path, side, settings.levels, settings.steps, 0],
            servers=servers, configuration=path, directory=folder)
        said = json.loads(report.read_text())["servers"]
    busy_s = max(server["wall_s"] - server["idle_s"] for server in said)
    return 1000 * busy_s / settings.steps, 1000 * max(server["wall_s"] for server in said) / settings.steps


def main():
    """Both in turn, and reports."""
    settings = read_settings(__doc__, repeats=3, levels=60, steps=6, budget="3 GiB")
    side, coarse = (16, (8, 17)) if settings.quick else (700, (364, 714))
    repeats = 1 if settings.quick else settings.repeats
    samples = {1: [], 2: []}
    for _ in range(repeats):
        for servers, turns in samples.items():
            turns.append(turn(servers, settings, side, coarse))
    figures = Figures("regrid_servers", settings)
    for servers, turns in samples.items():
        title = "1 server" if servers == 1 else f"{servers} servers"
        figures.add(f"{title}: the busiest, a step", "ms", [one[0] for one in turns])
        figures.add(f"{title}: all of a step", "ms", [one[1] for one in turns])
    ratios = [[one[i] / two[i] for one, two in zip(samples[1], samples[2], strict=True)] for i in (0, 1)]
    figures.add("1 server / 2 servers: the busiest", "1", ratios[0])
    figures.add("1 server / 2 servers: all of a step", "1", ratios[1])
    figures.report()


if __name__ == "__main__":
    main()
