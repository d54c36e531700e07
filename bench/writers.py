#!/usr/bin/env python3
"""Measures what few writers of a file cost beside all servers that write what their model ranks hold.

Model ranks that compute nothing hand over a field of which each has some columns, so that what one holds of a
record lies in the file in short stretches. Several servers write it: each what it has, or one, two or as many
as writers="auto" takes. All ways take turns, for records of three sizes, and where each write takes half a
millisecond more, as if a file system of many disks had to be asked for a lock. Times are on the wall, from
the first step until all is published and synced; a library that servers load before others counts writes.
"""

import json
import os
import shutil
import tempfile
from pathlib import Path

from figures import Figures, read_settings
from runs import MODELS, run

WAYS = {
    "all": "",
    "all, write_size=4 MiB": 'write_size="4 MiB"',
    "writers=1": 'writers="1"',
    "writers=1, write_size=4 MiB": 'writers="1" write_size="4 MiB"',
    "writers=2": 'writers="2"',
    "writers=auto": 'writers="auto"',
}
COUNTER = MODELS / "libcount_writes.so"
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


def turn(more, side, levels, steps, delay_us, settings, folder):
    """Seconds of a run, the number of writes of all servers, and of servers that write more than a little."""
    out = Path(folder)
    path, report, counts = out / "run.xml", out / "report.json", out / "counts"
    path.write_text(CONFIGURATION.format(more=more, steps=steps))
    os.environ["PILEUS_REPORT"] = str(report)
    model = [MODELS / "sleepers_model", path, side, levels, steps, 0, "y"]
    has = {"LD_PRELOAD": COUNTER, "BENCH_COUNTS": counts, "BENCH_DELAY_US": delay_us}
    run(settings.ranks, model, servers=settings.servers, configuration=path, directory=out, server_has=has)
    seconds = max(server["wall_s"] for server in json.loads(report.read_text())["servers"])
    written = [tuple(map(int, one.read_text().split())) for one in out.glob("counts.*")]
    calls, all_bytes = (sum(numbers) for numbers in zip(*written, strict=True))
    return seconds, calls, sum(1 for _, size in written if size > all_bytes / (8 * settings.servers))


def main():
    """All ways in turn, and reports."""
    settings = read_settings(__doc__, repeats=5, ranks=8, servers=4, directory="")
    # side, levels, steps, delay; a rank's part is in stretches of side x levels numbers: 2, 16 and 32 KiB.
    sizes = {"0.5 MB": (32, 8, 96, 0), "8 MB": (64, 32, 24, 0), "34 MB": (128, 32, 8, 0),
             "8 MB, slow writes": (64, 32, 24, 500)}
    if settings.quick:
        settings.ranks, settings.servers = 2, 2
        sizes = {"2 kB": (4, 4, 3, 0)}
    figures = Figures("writers", settings)
    for size, (side, levels, steps, delay_us) in sizes.items():
        turns = {way: [] for way in WAYS}
        for _ in range(1 if settings.quick else settings.repeats):
            for way, more in WAYS.items():
                folder = tempfile.mkdtemp(dir=settings.directory or None)
                try:
                    turns[way].append(turn(more, side, levels, steps, delay_us, settings, folder))
                finally:
                    shutil.rmtree(folder)
        for way, samples in turns.items():
            seconds, calls, writers = zip(*samples, strict=True)
            base = [one[0] for one in turns["all"]]
            figures.add(f"{size}, {way}: wall", "s", seconds)
            figures.add(f"{size}, {way}: wall over all", "1",
                        [mine / other for mine, other in zip(seconds, base, strict=True)])
            figures.add(f"{size}, {way}: writes of a record", "1", [count / steps for count in calls])
            figures.add(f"{size}, {way}: servers that write", "1", writers)
    figures.report()


if __name__ == "__main__":
    main()
