"""Variables of many files as arrays that xarray reads when they are asked for."""

import functools
import os
import pathlib

import numpy as np
import xarray
from xarray.backends import BackendArray
from xarray.core import indexing

_MOST_OPEN = 32


def open_raw(path: pathlib.Path):
    """A dataset as it lies in its file: nothing is unpacked, nothing is kept."""
    if path.suffix == ".zarr":
        return xarray.open_zarr(path, chunks=None, decode_cf=False)
    return xarray.open_dataset(path, decode_cf=False, cache=False)


@functools.lru_cache(maxsize=_MOST_OPEN)
def _opened(path: str, changed: int):  # noqa: ARG001  a file that is published again is another one
    return open_raw(pathlib.Path(path))


def file(path: pathlib.Path):
    """The same; the last 32 stay open."""
    return _opened(str(path), os.stat(path).st_mtime_ns)


def variable(paths, name: str, first, axis: int, lengths):
    """The variable of the first file, with the records of all files along an axis."""
    shape = list(first.shape)
    shape[axis] = sum(lengths)
    array = JoinedArray(paths, name, axis, lengths, tuple(shape), first.dtype)
    return type(first)(first.dims, indexing.LazilyIndexedArray(array), first.attrs, dict(first.encoding))


class JoinedArray(BackendArray):
    """One variable of many files along one axis; each piece is read from its file."""

    def __init__(self, paths, name, axis, lengths, shape, dtype):
        self.paths, self.name, self.axis = paths, name, axis
        self.ends = np.cumsum(lengths)
        self.shape, self.dtype = shape, dtype

    def __getitem__(self, key):
        return indexing.explicit_indexing_adapter(key, self.shape, indexing.IndexingSupport.OUTER, self._read)

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
        variable = file(self.paths[piece]).variables[self.name]
        dims = variable.dims
        return variable.isel(dict(zip(dims, inside, strict=True))).to_numpy()


def _as_slice(places):
    """Records that follow each other are read at once."""
    if isinstance(places, int) or len(places) == 0:
        return places if isinstance(places, int) else slice(0, 0)
    step = int(places[1] - places[0]) if len(places) > 1 else 1
    if step > 0 and np.array_equal(places, places[0] + step * np.arange(len(places))):
        return slice(int(places[0]), int(places[-1]) + 1, step)
    return places
