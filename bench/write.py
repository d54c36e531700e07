#!/usr/bin/env python3
"""Measures writing: from fields in the model's memory to a file that has its name and is on the disk.

The same fields go out by Pileus, by POSIX writes of the same bytes, by parallel netCDF-4 and PnetCDF from the
model's ranks, and by the serial netCDF library on the rank that gathers them: in /dev/shm, and on a disk,
where every way syncs. The ways take turns, and ratios are those of one turn. Then: a thousand small
variables; compressed by one and by two workers, beside the netCDF library; the time after the last step of
a model that computes between its steps, and the memory of its server.
"""

import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from figures import Figures, read_settings
from memory import server_of
from runs import MODELS, SERVER, TIMEOUT_S, launcher

MODEL = MODELS / "write_model"
SAID = re.compile(", ".join(f"{what} ([0-9.]+) s"
                            for what in ("written in", "after the last", "the first", "the longest")))
UNKNOWN_WAY = 3  # the model's status: it was built without the library
MIB = 1 << 20


class Case(NamedTuple):
    """What the model writes, and how many ranks it has."""

    nx: int
    ny: int
    nz: int
    fields: int = 1
    records: int = 1
    ranks: int = 2
    busy_ms: int = 0
    deflate: int = 0

    def size_bytes(self):
        """The bytes of all fields and records."""
        return 8 * self.nx * self.ny * self.nz * self.fields * self.records


class Way(NamedTuple):
    """A way to write: the model's word for it, and for Pileus what its servers have."""

    title: str
    word: str
    is_shared: bool = False  # by memory that the ranks of a node share
    workers: int = 0  # 0: as many as the server chooses


POSIX = Way("POSIX", "posix")
PILEUS = Way("Pileus", "pileus")
PILEUS_SHARED = Way("Pileus, shared memory", "pileus", is_shared=True)
GATHERED = Way("netCDF, gathered", "gathered")
LIBRARIES = [Way("netCDF-4, collective", "collective"), Way("netCDF-4, collective, times fixed", "fixed"),
             Way("netCDF-4, independent, times fixed", "independent"), Way("PnetCDF", "pnetcdf"), GATHERED]
ONE_WORKER, TWO_WORKERS = (Way(f"Pileus, {n} worker{'s' * (n > 1)}", "pileus", workers=n) for n in (1, 2))


class Took(NamedTuple):
    """Seconds of one run, and the most bytes of its server if these were watched."""

    all_s: float
    after_last_s: float
    first_s: float
    longest_s: float
    server_bytes: int = 0


def configuration(folder, case, way):
    """A file of all fields in every step."""
    deflate = f' deflate="{case.deflate}"' if case.deflate else ""
    lines = ["<io-configuration>"]
    if way.workers:
        lines.append(f'<server-configuration><thread_pool number="{way.workers}"/></server-configuration>')
    lines.append('<data-definition name="state" frequency="1">')
    lines += [f'<field name="field_{f}" type="array" size="x,y,z" collective="true" units="K" '
              f'long_name="a field"/>' for f in range(case.fields)]
    lines += ["</data-definition>", '<group name="all">']
    lines += [f'<member name="field_{f}"/>' for f in range(case.fields)]
    lines += ["</group>", f'<data-writing><file name="fields.nc" write_time_frequency="{case.records}">',
              f'<include group="all" time_manipulation="instantaneous" output_frequency="1"{deflate}/>',
              "</file></data-writing>", "</io-configuration>"]
    path = Path(folder) / "write.xml"
    path.write_text("\n".join(lines))
    return path


def proportional_bytes(pid):
    """The memory of a process, what it shares with others counted in part; None after it has ended."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
        return 1024 * int(re.search(r"^Pss: +(\d+)", text, re.MULTILINE).group(1))
    except (OSError, AttributeError):
        return None


def watch(job):
    """The most memory that the job's server has until the job ends."""
    most = 0
    while job.poll() is None:
        server = server_of(job.pid)
        taken = server and proportional_bytes(server)
        most = max(most, taken or 0)
        time.sleep(0.004)
    return most


def turn(case, way, place, watches_memory=False):
    """Writes once, and returns what it Took, or None where the model lacks the library.

    Errors: ends the benchmark.
    """
    with tempfile.TemporaryDirectory(dir=place) as folder:
        path = configuration(folder, case, way)
        command = [*launcher(True), "-n", case.ranks, MODEL, way.word, path, folder, case.nx, case.ny,
                   case.nz, case.fields, case.records, case.busy_ms, case.deflate]
        if way.word == "pileus":
            command += [":", "-n", 1, SERVER, path, "--directory", folder]
        environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                       "PILEUS_SHARED_MEMORY": "yes" if way.is_shared else "no"}
        with subprocess.Popen([str(word) for word in command], text=True, env=environment,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as job:
            server_bytes = watch(job) if watches_memory else 0
            said, _ = job.communicate(timeout=TIMEOUT_S)
        if job.returncode == UNKNOWN_WAY:
            return None
        found = SAID.search(said)
        if job.returncode != 0 or not found:
            sys.exit(f"{way.title}: status {job.returncode}\n{said}")
        return Took(*(float(word) for word in found.groups()), server_bytes)


def turns(case, ways, place, repeats):
    """All ways in turn, so often: what each Took, by way, without ways that the model lacks."""
    took = {way: [] for way in ways}
    for _ in range(repeats):
        for way in list(took):
            one = turn(case, way, place)
            if one is None:
                del took[way]
            else:
                took[way].append(one)
    return took


def add_times(figures, name, case, took, bases):
    """Seconds and MB/s of each way, and how much quicker than each of the bases it was."""
    for way, runs in took.items():
        figures.add(f"{name}: {way.title}", "s", [run.all_s for run in runs])
        figures.add(f"{name}: {way.title}", "MB/s", [case.size_bytes() / run.all_s / 1e6 for run in runs])
    for base in bases:
        for way, runs in took.items():
            if base not in took or way is base:
                continue
            ratios = [b.all_s / a.all_s for a, b in zip(runs, took[base], strict=True)]
            key = re.sub(r"\W+", "_", f"write {name} {way.title} over {base.title}").lower()
            figures.add(f"{name}: speed of {way.title} over {base.title}", "1", ratios, key)


def add_last_step(figures, name, case, place, repeats):
    """A model that computes: the time from its last step to the disk, and its server's memory."""
    took = turns(case, [POSIX, PILEUS, PILEUS_SHARED], place, repeats)
    field = case.size_bytes() / case.records
    for way, runs in took.items():
        key = re.sub(r"\W+", "_", f"write {name} {way.title} last_step_s").lower()
        figures.add(f"{name}: {way.title}: after the last step", "s", [run.after_last_s for run in runs], key)
        figures.add(f"{name}: {way.title}: a step's output, at most", "s", [run.longest_s for run in runs])
    for way in (PILEUS, PILEUS_SHARED):
        watched = [turn(case, way, place, watches_memory=True).server_bytes for _ in range(repeats)]
        figures.add(f"{name}: {way.title}: the server at most", "MiB", [most / MIB for most in watched])
        key = re.sub(r"\W+", "_", f"write {name} {way.title} fields_held").lower()
        held = [(most - 40e6) / field for most in watched]
        figures.add(f"{name}: {way.title}: the server above 40 MB", "fields", held, key)


def add_places(figures, settings, place, case, repeats):
    """Large fields, by all ways."""
    took = turns(case, [POSIX, PILEUS, PILEUS_SHARED, *LIBRARIES], getattr(settings, place), repeats)
    add_times(figures, place, case, took, [POSIX])
    for library in LIBRARIES:
        pairs = zip(took[PILEUS], took.get(library, []), strict=False)
        ratios = [other.all_s / ours.all_s for ours, other in pairs]
        if ratios:
            figures.add(f"{place}: speed of Pileus over {library.title}", "1", ratios)


def main():
    """Measures all cases, or those whose names begin with --only, and reports."""
    settings = read_settings(__doc__, repeats=7, ranks=2, records=8, shm="/dev/shm", disk="/var/tmp", only="")
    is_quick = settings.quick
    repeats, n, records = (1, 16, 2) if is_quick else (settings.repeats, 256, settings.records)
    figures = Figures("write", settings)
    field = Case(n, n, 50, records=records, ranks=settings.ranks)
    steps = Case(n, n, 50, records=2 if is_quick else 20, ranks=1, busy_ms=5 if is_quick else 114)
    many = Case(30, 2, 1, fields=20 if is_quick else 1000)
    packed = Case(n, n, 50, records=records, ranks=1, deflate=1)
    cases = {
        "shm": lambda: add_places(figures, settings, "shm", field, repeats),
        "disk": lambda: add_places(figures, settings, "disk", field, repeats),
        "variables": lambda: add_times(figures, "variables", many,
                                       turns(many, [PILEUS, *LIBRARIES], settings.shm, repeats), [GATHERED]),
        "packed": lambda: add_times(figures, "packed", packed,
                                    turns(packed, [GATHERED, ONE_WORKER, TWO_WORKERS], settings.shm, repeats),
                                    [GATHERED, ONE_WORKER]),
        "steps shm": lambda: add_last_step(figures, "steps shm", steps, settings.shm, repeats),
        "steps disk": lambda: add_last_step(figures, "steps disk", steps, settings.disk, repeats),
    }
    for name, measure in cases.items():
        if name.startswith(settings.only):
            measure()
    figures.report()


if __name__ == "__main__":
    main()
