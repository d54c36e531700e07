"""Published files as datasets of xarray: those of a series joined along time, read when asked for."""

import collections
import os
import pathlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping

import numpy as np

from pileus.errors import UsageError

_NUMBERED = re.compile(r"(.+)_(-?\d+(?:\.\d+)?)")
_READABLE = {".nc": "netcdf", ".nc4": "netcdf", ".cdf": "netcdf", ".zarr": "zarr"}


class Results(Mapping):
    """Series of published files: by the name of a <file> in the configuration a lazy xarray.Dataset.

    Attributes:
        files: the paths of all of them, in order.
    """

    def __init__(self, published: Iterable):
        """`published`: objects with a path, a series and a period, such as `PublishedFile`."""
        newest = {(one.series, one.period): one for one in published}  # one may be published again
        self._series: dict[str, list[pathlib.Path]] = {}
        for one in sorted(newest.values(), key=lambda one: (one.series, one.period)):
            self._series.setdefault(one.series, []).append(pathlib.Path(one.path))

    @property
    def files(self) -> list[pathlib.Path]:
        return [path for paths in self._series.values() for path in paths]

    def paths(self, series: str) -> list[pathlib.Path]:
        """The files of a series, in the order of time."""
        self._require(series)
        return list(self._series[series])

    def _require(self, series: str) -> None:
        if series not in self._series:
            names = ", ".join(sorted(self._series)) or "none yet"
            raise KeyError(f"no file of {series!r} is published; there are {names}")

    def __getitem__(self, series: str):
        return joined(self.paths(series))

    def __iter__(self) -> Iterator[str]:
        return iter(self._series)

    def __len__(self) -> int:
        return len(self._series)

    @property
    def dataset(self):
        """The dataset of the only series. Errors: UsageError where there are several, or none."""
        if len(self) != 1:
            raise UsageError(f"there are {len(self)} series ({', '.join(self)}); name one: results[name]")
        return self[next(iter(self))]

    def __repr__(self) -> str:
        lines = [
            f"  {name}: {len(paths)} file{'s' * (len(paths) != 1)}" for name, paths in self._series.items()
        ]
        return "\n".join(["<pileus.Results>", *lines])


_Found = collections.namedtuple("_Found", "path series period")


def open(directory: str | os.PathLike = ".") -> Results:  # noqa: A001  as xarray and others call it
    """The files that Pileus has published in a folder, by series. Errors: FileNotFoundError."""
    folder = pathlib.Path(directory)
    found = []
    for path in sorted(folder.iterdir()):
        if path.suffix not in _READABLE or path.name.startswith(".") or not _is_ours(path):
            continue
        numbered = _NUMBERED.fullmatch(path.stem)
        if numbered:
            found.append(_Found(path, numbered[1] + path.suffix, float(numbered[2])))
        else:
            found.append(_Found(path, path.name, 0.0))
    return Results(found)


def _is_ours(path: pathlib.Path) -> bool:
    try:
        with _reader().open_raw(path) as dataset:
            return "pileus_version" in dataset.attrs
    except (OSError, ValueError, KeyError):
        return False


def _reader():
    """What needs xarray. Errors: UsageError where that is not installed."""
    try:
        from pileus import _joined
    except ImportError as error:
        raise UsageError(
            f"results are datasets of xarray, which cannot be imported ({error}): pip install pileus[xarray]"
        ) from None
    return _joined


def joined(paths: list[pathlib.Path], decode: Callable | None = None, time: str = ""):
    """The files of one series as one xarray.Dataset: what has a dimension without limit is joined along it,
    all else is that of the first file. Sizes, attributes and times are read, and no more before it is wanted.

    Args:
        decode: makes a dataset with times and unpacked values of the raw one; xarray.decode_cf by default.
        time: the name of the dimension that files follow each other along; "": all that are of time.
    """
    reader = _reader()
    decode = decode or reader.xarray.decode_cf
    paths = [path.absolute() for path in paths]
    unreadable = [path.name for path in paths if path.suffix not in _READABLE]
    if unreadable:
        raise UsageError(f"{unreadable[0]}: xarray reads NetCDF and Zarr; open GRIB with cfgrib")
    if len(paths) == 1:
        return decode(reader.file(paths[0]))
    firsts = [reader.file(path) for path in paths]
    first = firsts[0]
    along = {time} if time else _times(first)
    variables = {}
    for name, variable in first.variables.items():
        dim = next((dim for dim in variable.dims if dim in along), None)
        if dim is None:
            variables[name] = variable
            continue
        _require_alike(paths, firsts, str(name), dim)
        lengths = [one.sizes[dim] for one in firsts]
        variables[name] = reader.variable(paths, str(name), variable, variable.dims.index(dim), lengths)
    return decode(reader.xarray.Dataset(variables, attrs=first.attrs))


#: What a reader makes numbers and dates of.
_MEANING = ("scale_factor", "add_offset", "_FillValue", "missing_value", "units", "calendar", "_Unsigned")


def _require_alike(paths, files, name: str, dim: str) -> None:
    """Errors: UsageError where a file has the variable otherwise than the first, so that it cannot be read as
    if it were one."""
    first = files[0].variables[name]
    for path, file in zip(paths, files, strict=True):
        one = file.variables.get(name)
        if one is None:
            raise UsageError(f"{path}: it has no variable {name!r}, which {paths[0]} has")
        shapes = [
            {d: size for d, size in zip(v.dims, v.shape, strict=True) if d != dim} for v in (first, one)
        ]
        if one.dims != first.dims or shapes[0] != shapes[1] or one.dtype != first.dtype:
            raise UsageError(
                f"{path}: {name!r} is {one.dtype} {dict(zip(one.dims, one.shape, strict=True))}, and in "
                f"{paths[0]} {first.dtype} {dict(zip(first.dims, first.shape, strict=True))}"
            )
        for key in _MEANING:
            mine, theirs = first.attrs.get(key), one.attrs.get(key)
            if not np.array_equal(mine, theirs, equal_nan=isinstance(mine, float)):
                raise UsageError(f"{path}: {key} of {name!r} is {theirs}, and in {paths[0]} {mine}")
    for axis in first.dims:
        coordinates = files[0].variables.get(axis)
        if axis == dim or coordinates is None:
            continue
        for path, file in zip(paths[1:], files[1:], strict=True):
            if axis not in file.variables or not coordinates.equals(file.variables[axis]):
                raise UsageError(f"{path}: the coordinates {axis!r} are not those of {paths[0]}")


def _times(first) -> set:
    """Dimensions along which files of a series follow each other. A store of Zarr does not say which these
    are, nor does a file without records along one: those of the coordinates with a time's units do."""
    named = set(first.encoding.get("unlimited_dims", ()))
    for name, variable in first.variables.items():
        if variable.dims == (name,) and " since " in str(variable.attrs.get("units", "")):
            named.add(name)
        if variable.dims == (name,) and variable.attrs.get("axis") == "T":
            named.add(name)
    if not named:
        raise UsageError("no dimension of the files is one of time, along which they could follow each other")
    return named
