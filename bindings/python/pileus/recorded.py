"""Files of an earlier run as a model would hand them over: fields, dimensions, times, parts of a rank."""

import dataclasses
import re
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from pileus.errors import UsageError

_SECONDS = {
    "ms": 1e-3, "msec": 1e-3, "millisecond": 1e-3, "milliseconds": 1e-3,
    "s": 1.0, "sec": 1.0, "secs": 1.0, "second": 1.0, "seconds": 1.0,
    "min": 60.0, "mins": 60.0, "minute": 60.0, "minutes": 60.0,
    "h": 3600.0, "hr": 3600.0, "hrs": 3600.0, "hour": 3600.0, "hours": 3600.0,
    "d": 86400.0, "day": 86400.0, "days": 86400.0,
}  # fmt: skip
_SINCE = re.compile(
    r"\s*(\w+)\s+since\s+(-?\d+)-(\d+)-(\d+)"
    r"(?:[T\s]+(\d+)(?::(\d+)(?::(\d+(?:\.\d*)?))?)?)?"
    r"\s*(Z|UTC|[-+]\d+(?::?\d+)?)?\s*",
    re.IGNORECASE,
)
_CALENDARS = {"gregorian": "standard", "365_day": "noleap", "366_day": "all_leap"}
_BLOCK_BYTES = 32 << 20


@dataclasses.dataclass(frozen=True)
class Record:
    """One time of the files: `number` within the dataset, and what a step says of it (s)."""

    number: int
    time_s: float
    length_s: float


@dataclasses.dataclass
class RecordedField:
    """A field of the configuration and the variable that has it. `dims` without time, slowest first."""

    name: str
    variable: str
    dims: tuple[str, ...]
    dtype: np.dtype
    has_time: bool
    attributes: dict


class Recorded:
    """A dataset of xarray with a time axis, as a model.

    Args:
        dataset: undecoded times (decode_times=False), values unpacked.
        time: the name of its dimension of time; "": the one that is found.
    Errors: UsageError for a dataset without one, or with times that do not rise.
    """

    def __init__(self, dataset, time: str = ""):
        self.dataset = dataset
        self.time = time or time_dimension(dataset)
        if self.time not in dataset.sizes:
            raise UsageError(
                f"there is no dimension {self.time!r}; there are {', '.join(map(str, dataset.sizes))}"
            )
        self.calendar, self.epoch, self._factor = _clock(dataset.variables.get(self.time), self.time)
        self.records = self._records()

    def _records(self) -> list[Record]:
        size = self.dataset.sizes[self.time]
        axis = self.dataset.variables.get(self.time)
        if axis is None:
            raise UsageError(f"the dimension {self.time!r} has no coordinates: no step has a time")
        ends = np.asarray(axis.values, np.float64) * self._factor
        lengths = np.diff(ends, prepend=np.nan)
        bounds = self.dataset.variables.get(str(axis.attrs.get("bounds", "")))
        if bounds is not None and bounds.shape == (size, 2):
            cells = np.asarray(bounds.values, np.float64) * self._factor
            ends, lengths = cells[:, 1], cells[:, 1] - cells[:, 0]
        if not np.all(np.isfinite(ends)):
            raise UsageError(f"{self.time}: record {int(np.argmin(np.isfinite(ends)))} has no time")
        falls = np.flatnonzero(np.diff(ends) <= 0)
        if falls.size:
            at = int(falls[0])
            raise UsageError(
                f"{self.time}: times do not rise: {ends[at + 1]:g} s follows {ends[at]:g} s (record {at + 1})"
            )
        if size and not np.isfinite(lengths[0]):
            # The state at the start, or a single one; or a record as long as the next one.
            lengths[0] = 0.0 if ends[0] == 0 or size == 1 else lengths[1]
            if 0 < ends[0] < lengths[0]:
                lengths[0] = ends[0]
        if not size:
            raise UsageError(f"{self.time}: the files have no records")
        if not np.all(lengths[1:] > 0) or lengths[0] < 0:
            raise UsageError(f"{self.time}: the bounds of a record have no length")
        return [Record(at, float(ends[at]), float(lengths[at])) for at in range(size)]

    def field(self, name: str, variable: str) -> RecordedField:
        """The variable as a field. Errors: UsageError for one that no field can be."""
        if variable not in self.dataset.variables:
            raise UsageError(f'field "{name}": the files have no variable {variable!r}')
        one = self.dataset.variables[variable]
        dims = tuple(str(dim) for dim in one.dims)
        if self.time in dims and dims[0] != self.time:
            raise UsageError(f'field "{name}": {self.time} is not the first dimension of {variable} {dims}')
        has_time = self.time in dims
        keys = ("units", "standard_name", "long_name")
        attributes = {key: str(one.attrs[key]) for key in keys if key in one.attrs}
        return RecordedField(
            name, variable, dims[has_time:], _pileus_dtype(one.dtype, name), has_time, attributes
        )

    def find(self, name: str, names: Mapping[str, str]) -> str | None:
        """The variable that has a field: as `names` say, of the same name, or of that without namespaces."""
        short = name.rpartition("::")[2]
        named = names.get(name, names.get(short))
        if named is not None and named not in self.dataset.variables:
            raise UsageError(f'--map {name}={named}: the files have no variable "{named}"')
        for candidate in (named, name, short):
            if candidate is not None and candidate in self.dataset.variables:
                return candidate
        return None

    def coordinates(self, dim: str):
        """Coordinates, units and bounds of a dimension, or its size alone."""
        axis = self.dataset.variables.get(dim)
        if axis is None or axis.dims != (dim,) or axis.dtype.kind not in "fiu":
            return self.dataset.sizes[dim], None, None
        bounds = self.dataset.variables.get(str(axis.attrs.get("bounds", "")))
        cells = (
            None
            if bounds is None or bounds.shape != (axis.size, 2)
            else np.asarray(bounds.values, np.float64)
        )
        return np.asarray(axis.values, np.float64), axis.attrs.get("units"), cells

    def values(self, field: RecordedField, part: Mapping[str, slice], first: int, last: int) -> np.ndarray:
        """Records [first, last) of this rank's part; without time one record."""
        variable = self.dataset.variables[field.variable]
        chosen = {dim: part[dim] for dim in field.dims if dim in part}
        if field.has_time:
            chosen[self.time] = slice(first, last)
        values = variable.isel(chosen).to_numpy()
        if values.dtype != field.dtype:
            values = _converted(values, field)
        return values if field.has_time else values[np.newaxis]

    def blocks(self, fields: Sequence[RecordedField], part: Mapping[str, slice]) -> Iterator[range]:
        """So many records at a time that none of the fields takes more than 32 MiB, if one does not."""
        most = 1
        for field in fields:
            extents = [
                len(range(*part.get(dim, slice(None)).indices(self.dataset.sizes[dim]))) for dim in field.dims
            ]
            most = max(most, int(np.prod(extents, dtype=np.int64)) * field.dtype.itemsize)
        step = max(1, _BLOCK_BYTES // most)
        for first in range(0, len(self.records), step):
            yield range(first, min(first + step, len(self.records)))


def _converted(values: np.ndarray, field: RecordedField) -> np.ndarray:
    """Errors: UsageError where whole numbers are asked for, and there are others, or none."""
    with np.errstate(invalid="ignore"):
        converted = values.astype(field.dtype)
    if field.dtype.kind in "iu" and not (converted == values).all():
        at = values.ravel()[np.argmax((converted != values).ravel())]
        raise UsageError(
            f'field "{field.name}": {field.variable} has {at}, and the configuration wants {field.dtype}'
        )
    return converted


def _pileus_dtype(dtype: np.dtype, name: str) -> np.dtype:
    if dtype.kind == "f":
        return np.dtype(np.float64 if dtype.itemsize > 4 else np.float32)
    if dtype.kind in "iu":
        return np.dtype(np.int32 if dtype.itemsize < 4 or dtype == np.int32 else np.int64)
    if dtype.kind == "b":
        return np.dtype(bool)
    raise UsageError(f'field "{name}": its variable has the type {dtype}, which is none of numbers')


def time_dimension(dataset) -> str:
    """The dimension of time. Errors: UsageError where it is not clear which it is."""
    unlimited = dataset.encoding.get("unlimited_dims", ())
    found = [
        str(name)
        for name, one in dataset.variables.items()
        if one.dims == (name,)
        and (
            " since " in str(one.attrs.get("units", "")) or one.attrs.get("axis") == "T" or name in unlimited
        )
    ]
    if len(found) == 1:
        return found[0]
    if "time" in found:
        return "time"
    if not found and "time" in dataset.sizes:
        return "time"
    if not found:
        raise UsageError("no dimension of the files is one of time; name it with --time")
    raise UsageError(f"several dimensions may be time: {', '.join(found)}; choose with --time")


def _clock(axis, name: str) -> "tuple[str | None, str | None, float]":
    """Calendar, date of time 0 and seconds of a unit."""
    units = str(axis.attrs.get("units", "s")) if axis is not None else "s"
    calendar = str(axis.attrs.get("calendar", "standard")).lower() if axis is not None else "standard"
    calendar = _CALENDARS.get(calendar, calendar)
    dated = _SINCE.fullmatch(units)
    unit = dated[1] if dated else units.strip()
    factor = _SECONDS.get(unit.lower())
    if factor is None and not dated and " since " in units:
        raise UsageError(
            f'{name}: the date in "{units}" cannot be read; it is to be as in 2000-01-31 12:00:00'
        )
    if factor is None:
        raise UsageError(f'{name}: "{units}" is no unit of time that has a fixed length in seconds')
    if dated and dated[8] and dated[8].strip("+-0:").upper() not in ("", "Z", "UTC"):
        raise UsageError(f'{name}: "{units}" is of another time zone than UTC')
    if not dated:
        return None, None, factor
    year, month, day = int(dated[2]), int(dated[3]), int(dated[4])
    hour, minute, second = int(dated[5] or 0), int(dated[6] or 0), float(dated[7] or 0)
    if second != int(second):
        raise UsageError(f'{name}: "{units}" begins in the middle of a second')
    return calendar, f"{year:04d}-{month:02d}-{day:02d} {hour:02d}:{minute:02d}:{int(second):02d}", factor
