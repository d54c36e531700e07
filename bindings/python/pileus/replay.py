"""Hands files of an earlier run over as if a model did, so that a configuration is tried on them."""

import argparse
import json
import os
import pathlib
import sys
import time as clock
from collections.abc import Mapping, Sequence

import numpy as np

from pileus._run import Run
from pileus.errors import Error, UsageError
from pileus.recorded import Recorded, RecordedField, time_dimension
from pileus.results import joined


def open_files(paths: Sequence[str], time: str = "") -> Recorded:
    """Files as one model: those of one series joined along time, in the order that is given.

    Errors: UsageError for files that xarray cannot open, and FileNotFoundError.
    """
    import xarray

    if not paths:
        raise UsageError("name the files to replay")
    for path in paths:
        if not os.path.exists(path):
            raise FileNotFoundError(f"{path}: there is no such file")
    try:
        return Recorded(_opened(xarray, paths, time), time)
    except Error:
        raise
    except Exception as error:
        raise UsageError(f"{paths[0]}: xarray cannot open it: {type(error).__name__}: {error}") from error


def _opened(xarray, paths: Sequence[str], time: str):
    kinds = {pathlib.Path(path).suffix for path in paths}
    if kinds <= {".nc", ".nc4", ".cdf", ".zarr"}:
        files = [pathlib.Path(path) for path in paths]
        return joined(files, decode=lambda raw: _unpacked(xarray, raw), time=time)
    parts = [xarray.open_dataset(path, decode_times=False) for path in paths]
    return (
        parts[0]
        if len(parts) == 1
        else xarray.concat(parts, time or time_dimension(parts[0]), data_vars="minimal")
    )


def _unpacked(xarray, raw):
    return xarray.decode_cf(raw, decode_times=False, decode_coords=False)


class Replay:
    """A configuration and the files that stand in for a model.

    Args:
        run: a run before its registration.
        recorded: the files.
        names: names of variables by names of fields, where they differ.
        comm: a communicator of the ranks that share the work, or None.
    """

    def __init__(self, run: Run, recorded: Recorded, names: Mapping[str, str], comm=None):
        self.run, self.recorded = run, recorded
        self._rank, self._size = (comm.Get_rank(), comm.Get_size()) if comm is not None else (0, 1)
        self.fields = self._matched(names)
        self.part = self._part()

    def _matched(self, names: Mapping[str, str]) -> list[RecordedField]:
        wanted = self.run.wants()
        known = {one.name for one in wanted} | {one.name.rpartition("::")[2] for one in wanted}
        for name in names:
            if name not in known:
                raise UsageError(f'--map {name}: the configuration wants no field "{name}"')
        fields, lacking = [], []
        for one in wanted:
            variable = self.recorded.find(one.name, names)
            if variable is None:
                if not one.is_optional:
                    lacking.append(one.name)
                continue
            field = self.recorded.field(one.name, variable)
            if one.dtype is not None:
                field.dtype = one.dtype
            fields.append(field)
        if lacking:
            here = sorted(str(name) for name in self.recorded.dataset.data_vars)
            raise UsageError(
                f"the files have no variable for {', '.join(lacking)}; name it with --map FIELD=VARIABLE, of "
                + ", ".join(here)
            )
        if not fields:
            raise UsageError("the configuration wants no field that the files have")
        return fields

    def _part(self) -> dict[str, slice]:
        """Which part of which dimension this rank reads: of the one that most elements have, all the same."""
        if self._size == 1:
            return {}
        weights: dict[str, int] = {}
        for field in self.fields:
            size = int(np.prod([self.recorded.dataset.sizes[dim] for dim in field.dims], dtype=np.int64))
            for dim in field.dims:
                weights[dim] = weights.get(dim, 0) + size
        wide = {
            dim: weight for dim, weight in weights.items() if self.recorded.dataset.sizes[dim] >= self._size
        }
        if not wide:
            raise UsageError(f"no dimension of the files is long enough for {self._size} ranks; use fewer")
        chosen = max(wide, key=lambda dim: wide[dim])  # of several the first that a field has: the slowest
        length = self.recorded.dataset.sizes[chosen]
        return {chosen: slice(length * self._rank // self._size, length * (self._rank + 1) // self._size)}

    def register(self) -> None:
        run, recorded = self.run, self.recorded
        if recorded.epoch is not None:
            run.calendar(recorded.calendar, recorded.epoch)
        for dim in dict.fromkeys(dim for field in self.fields for dim in field.dims):
            coordinates, units, bounds = recorded.coordinates(dim)
            run.dimension(dim, coordinates, units=units, bounds=bounds)
        self._handles = []
        for field in self.fields:
            pieces = [self.part.get(dim, slice(0, recorded.dataset.sizes[dim])) for dim in field.dims]
            handle = run.field(
                field.name,
                field.dims,
                [piece.start for piece in pieces],
                [piece.stop - piece.start for piece in pieces],
                field.dtype,
                static=not field.has_time,
                **field.attributes,
            )
            self._handles.append(handle)
        run.commit()

    def steps(self, progress=lambda done, bytes_: None) -> None:
        """Hands all records over, a block of them at a time; `progress` is told how many and how much."""
        records, read = self.recorded.records, 0
        timed = [field for field in self.fields if field.has_time]
        for block in self.recorded.blocks(timed or self.fields, self.part):
            values: dict[str, np.ndarray] = {}
            for number in block:
                record = records[number]
                with self.run.step(number, record.time_s, record.length_s, final=number == len(records) - 1):
                    for field, handle in zip(self.fields, self._handles, strict=True):
                        if not handle.wanted:
                            continue
                        if field.name not in values:
                            values[field.name] = self.recorded.values(
                                field, self.part, block.start, block.stop
                            )
                            read += values[field.name].nbytes
                        handle.put(values[field.name][number - block.start if field.has_time else 0])
                progress(number + 1, read)


class _Bar:
    """How far it is, on a terminal in place, elsewhere a line for each tenth."""

    def __init__(self, total: int, stream):
        self.total, self.stream = total, stream
        self._is_terminal = stream.isatty()
        self._next, self._began = 0.0, clock.monotonic()

    def __call__(self, done: int, read: int) -> None:
        share = done / self.total
        now = clock.monotonic()
        if done < self.total and (now < self._next if self._is_terminal else share < self._next):
            return
        self._next = now + 0.1 if self._is_terminal else (int(share * 10) + 1) / 10
        filled = int(share * 30)
        took = max(now - self._began, 1e-9)
        line = f"{done} of {self.total} records, {read / 1e6:.0f} MB, {read / 1e6 / took:.0f} MB/s"
        if self._is_terminal:
            self.stream.write(f"\r[{'#' * filled}{'.' * (30 - filled)}] {line} ")
        else:
            self.stream.write(line + "\n")
        if self._is_terminal and done == self.total:
            self.stream.write("\n")
        self.stream.flush()


def describe(recorded: Recorded, names: Mapping[str, str], path: str) -> None:
    """Writes the files as a description of a model, which `pileus check` and `pileus explain` read."""
    dataset = recorded.dataset
    by_variable = {variable: name for name, variable in names.items()}
    fields, parts, used = [], {}, {}
    for name in dataset.data_vars:
        try:
            one = recorded.field(by_variable.get(str(name), str(name)), str(name))
        except UsageError:
            continue
        dims = list(reversed(one.dims))
        kinds = {
            "float64": "double",
            "float32": "float",
            "int32": "integer",
            "int64": "long",
            "bool": "boolean",
        }
        described = {"name": one.name, "type": kinds[one.dtype.name], "dimensions": dims}
        if not one.has_time:
            described["static"] = True
        described.update(one.attributes)
        fields.append(described)
        used.update({dim: int(dataset.sizes[dim]) for dim in dims})
        parts[one.name] = {"start": [0] * len(dims), "count": [int(dataset.sizes[dim]) for dim in dims]}
    lengths = [record.length_s for record in recorded.records if record.length_s > 0]
    model = {"servers": 1, "timestep_s": lengths[0] if lengths else 1.0, "start_time_s": 0.0, "options": {}}
    if recorded.epoch is not None:
        model |= {"calendar": recorded.calendar, "epoch": recorded.epoch}
    model["dimensions"] = [{"name": name, "size": size} for name, size in used.items()]
    model |= {"fields": fields, "ranks": [{"fields": parts}]}
    pathlib.Path(path).write_text(json.dumps(model, indent=1))


def _communicator():
    """That of the job, if a launcher started several ranks."""
    sizes = [
        os.environ.get(name, "1") for name in ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS")
    ]
    if all(size == "1" for size in sizes):
        return None
    try:
        from mpi4py import MPI
    except ImportError:
        raise UsageError("a launcher started several ranks, and mpi4py is not installed") from None
    return MPI.COMM_WORLD if MPI.COMM_WORLD.Get_size() > 1 else None


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="pileus replay",
        description="Hands the fields of files over as if a model did, step by step, and writes what the "
        "configuration makes of them. On several ranks under mpirun, which share the work.",
    )
    made.add_argument("configuration", help="the XML file")
    made.add_argument("files", nargs="+", help="NetCDF, Zarr, or what xarray opens; one series, in order")
    made.add_argument(
        "--map", action="append", default=[], metavar="FIELD=VARIABLE", help="where names differ"
    )
    made.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="what {key} stands for")
    made.add_argument(
        "--time", default="", metavar="DIMENSION", help="the dimension of time (default: found)"
    )
    made.add_argument("--directory", default=".", help="where the results go")
    made.add_argument("--servers", type=int, default=0, help="so many of the ranks serve (default: none)")
    made.add_argument("--quiet", action="store_true", help="say nothing of how far it is")
    return made


def pairs(words: Sequence[str], option: str) -> dict[str, str]:
    """ "a=b" as a: b. Errors: UsageError for what has no "="."""
    for word in words:
        if "=" not in word:
            raise UsageError(f"{option} {word}: expected NAME=VALUE")
    return dict(word.split("=", 1) for word in words)


def main(words: Sequence[str] | None = None) -> int:
    """The command `pileus replay`. Returns the exit status: 0 done, 1 refused, 2 a file cannot be read."""
    given = parser().parse_args(words)
    try:
        names, options = pairs(given.map, "--map"), pairs(given.set, "--set")
        comm = _communicator()
        if given.servers and comm is None:
            raise UsageError(
                "--servers: one process has no ranks that could serve; start it with mpirun -n N"
            )
        recorded = open_files(given.files, given.time)
        run = Run(
            given.configuration,
            comm,
            directory=given.directory,
            servers=given.servers or None,
            options=options,
        )
        if run.serves:
            run.close()
            return 0
        with run:
            replay = Replay(run, recorded, names, run.model_comm)
            replay.register()
            is_silent = given.quiet or (comm is not None and comm.Get_rank() > 0)
            bar = (lambda done, read: None) if is_silent else _Bar(len(recorded.records), sys.stderr)
            replay.steps(bar)
    except FileNotFoundError as error:
        print(f"pileus replay: {error}", file=sys.stderr)
        return 2
    except Error as error:
        print(f"pileus replay: {error}", file=sys.stderr)
        return 1
    return 0
