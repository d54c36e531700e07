"""Published files as datasets of xarray: those of a series joined along time, read when asked for."""

import collections
import functools
import os
import pathlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping

import numpy as np

from pileus.errors import UsageError

_NUMBERED = re.compile(r"(.+)_(-?\d+(?:\.\d+)?)")
_READABLE = {".nc": "netcdf", ".nc4": "netcdf", ".cdf": "netcdf", ".zarr": "zarr"}
_MOST_OPEN = 32


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
        with _open_raw(path) as dataset:
            return "pileus_version" in dataset.attrs
    except (OSError, ValueError, KeyError):
        return False


def _xarray():
    try:
        import xarray
    except ImportError:
        raise UsageError(
            "results are datasets of xarray, which is not installed: pip install pileus[xarray]"
        ) from None
    return xarray


def _open_raw(path: pathlib.Path):
    xarray = _xarray()
    settings = {"decode_cf": False, "cache": False}
    if path.suffix == ".zarr":
        return xarray.open_zarr(path, chunks=None, decode_cf=False)
    return xarray.open_dataset(path, **settings)


@functools.lru_cache(maxsize=_MOST_OPEN)
def _opened(path: str, changed: int):  # noqa: ARG001  a file that is published again is another one
    return _open_raw(pathlib.Path(path))


def _file(path: pathlib.Path):
    return _opened(str(path), os.stat(path).st_mtime_ns)


def joined(paths: list[pathlib.Path], decode: Callable | None = None, time: str = ""):
    """The files of one series as one xarray.Dataset: what has a dimension without limit is joined along it,
    all else is that of the first file. Sizes, attributes and times are read, and no more before it is wanted.

    Args:
        decode: makes a dataset with times and unpacked values of the raw one; xarray.decode_cf by default.
        time: the name of the dimension that files follow each other along; "": all that are of time.
    """
    decode = decode or _xarray().decode_cf
    xarray = _xarray()
    unreadable = [path.name for path in paths if path.suffix not in _READABLE]
    if unreadable:
        raise UsageError(f"{unreadable[0]}: xarray reads NetCDF and Zarr; open GRIB with cfgrib")
    if len(paths) == 1:
        return decode(_file(paths[0]))
    firsts = [_file(path) for path in paths]
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
        variables[name] = _joined_variable(paths, str(name), variable, variable.dims.index(dim), lengths)
    return decode(xarray.Dataset(variables, attrs=first.attrs))


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


def _joined_variable(paths, name, variable, axis, lengths):
    from xarray.core import indexing

    shape = list(variable.shape)
    shape[axis] = sum(lengths)
    array = _lazy_type()(paths, name, axis, lengths, tuple(shape), variable.dtype)
    return type(variable)(
        variable.dims, indexing.LazilyIndexedArray(array), variable.attrs, dict(variable.encoding)
    )


@functools.cache
def _lazy_type():
    from xarray.backends import BackendArray
    from xarray.core import indexing

    class JoinedArray(BackendArray):
        """One variable of many files along one axis; each piece is read from its file."""

        def __init__(self, paths, name, axis, lengths, shape, dtype):
            self.paths, self.name, self.axis = paths, name, axis
            self.ends = np.cumsum(lengths)
            self.shape, self.dtype = shape, dtype

        def __getitem__(self, key):
            return indexing.explicit_indexing_adapter(
                key, self.shape, indexing.IndexingSupport.OUTER, self._read
            )

        def _read(self, key: tuple):
            wanted = key[self.axis]
            if isinstance(wanted, (int, np.integer)):
                piece, at = self._place(np.asarray([wanted]))
                return self._of(int(piece[0]), key, int(at[0]))
            if isinstance(wanted, slice):
                wanted = np.arange(*wanted.indices(self.shape[self.axis]))
            pieces, places = self._place(np.asarray(wanted))
            parts, begin = [], 0
            while begin < len(pieces):
                end = begin + int(np.argmax(np.append(pieces[begin:] != pieces[begin], True)))
                parts.append(self._of(int(pieces[begin]), key, places[begin:end]))
                begin = end
            if not parts:
                return self._of(0, key, places)
            axis = sum(not isinstance(one, (int, np.integer)) for one in key[: self.axis])
            return np.concatenate(parts, axis)

        def _place(self, wanted):
            wanted = np.where(wanted < 0, wanted + self.shape[self.axis], wanted)
            pieces = np.searchsorted(self.ends, wanted, "right")
            begins = np.concatenate([[0], self.ends])[pieces]
            return pieces, wanted - begins

        def _of(self, piece, key, places):
            places = _as_slice(places)
            inside = (*key[: self.axis], places, *key[self.axis + 1 :])
            variable = _file(self.paths[piece]).variables[self.name]
            dims = variable.dims
            return variable.isel(dict(zip(dims, inside, strict=True))).to_numpy()

    return JoinedArray


def _as_slice(places):
    """Records that follow each other are read at once."""
    if isinstance(places, int) or len(places) == 0:
        return places if isinstance(places, int) else slice(0, 0)
    step = int(places[1] - places[0]) if len(places) > 1 else 1
    if step > 0 and np.array_equal(places, places[0] + step * np.arange(len(places))):
        return slice(int(places[0]), int(places[-1]) + 1, step)
    return places
