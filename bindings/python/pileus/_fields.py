"""What a model hands over, and what it is handed: the fields and inputs of a run."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from pileus._arrays import Layout, as_array, texts
from pileus.errors import UsageError


@dataclass(frozen=True)
class WantedField:
    """A field of the configuration, whether the model has it or not.

    Attributes:
        name: with its namespaces, "a::b::w".
        dims: names of its dimensions, slowest first; None if the configuration does not say.
        dtype: None if the configuration does not say.
        kind: "scalar", "array", "map", or None if the configuration does not say.
        definition: name of its data-definition.
        frequency: steps from one hand-over to the next; 0 in the final step only, or where `frequency_s` is
            not 0.
        frequency_s: seconds of model time from one hand-over to the next; 0 where steps count.
    """

    name: str
    dims: tuple[str, ...] | None
    dtype: np.dtype | None
    kind: str | None
    definition: str
    frequency: int
    frequency_s: float
    is_optional: bool
    is_collective: bool
    is_static: bool


class Field:
    """A field that the model hands over. `Run.field` makes it."""

    def __init__(self, run: Any, name: str, dtype: np.dtype | None, is_points: bool = False):
        self.name = name
        self.dtype = dtype
        self._run, self._library = run, run._library
        self.number = -1
        self._known: tuple | None = None
        self._layout: Layout | None = None
        self._put = self._library.pileus_put_array

    @property
    def wanted(self) -> bool:
        """Whether this step wants the field: where it does not, it need not even be computed."""
        handle = self._run._handle
        if handle is None:
            self._run._require_handle()
        return self._library.pileus_wanted(handle, self.number) == 1

    @property
    def used(self) -> bool:
        """Whether any step of the run wants the field. From commit on."""
        return self._run._flag("is_used", self.number)

    def put(self, array: Any, stable: bool = False) -> None:
        """Hands the field over; it has been copied when the call returns.

        Args:
            array: this rank's part, of any strides; of NumPy, xarray, or any other that lies in the memory of
                the host and shares it by a buffer or by DLPack. A number for a field without dimensions.
            stable: the array stays as it is until the next step has begun, so that it need not be copied.

        Errors: UsageError for another shape or type than those of the field, for a second put in a step, and
            outside a step.
        """
        if type(array) is not np.ndarray:
            array = as_array(array, f'field "{self.name}"', self.dtype)
        known = (array.shape, array.strides, array.dtype)
        if known != self._known:
            self._layout, self._known = Layout(array, f'field "{self.name}"'), known
        layout, handle = self._layout, self._run._handle
        if handle is None:
            self._run._require_handle()
        address = array.__array_interface__["data"][0]
        if stable:
            return self._put_stable(array, layout, address)
        status = self._put(
            handle, self.number, layout.type, layout.rank, layout.count, address, layout.strides
        )
        if status:
            self._run._check(status)

    def _put_stable(self, array: np.ndarray, layout: Layout, address: int) -> None:
        self._run._call(
            "put_array_stable",
            self.number,
            layout.type,
            layout.rank,
            layout.count,
            address,
            layout.strides,
        )
        self._run._lent.append(array)

    def put_part(self, part: int, array: Any) -> None:
        """Hands one index of the first dimension over, for models that keep these in arrays of their own.

        Args:
            part: the index within what this rank holds, from 0.
            array: has the other dimensions.
        """
        array = as_array(array, f'field "{self.name}"', self.dtype)
        layout = Layout(array, f'field "{self.name}"')
        address = array.__array_interface__["data"][0]
        self._run._call(
            "put_array_part",
            self.number,
            part,
            layout.type,
            layout.rank,
            layout.count,
            address,
            layout.strides,
        )

    def __reduce__(self):
        raise TypeError("a field belongs to the run of its process, and can be neither copied nor pickled")

    def __repr__(self) -> str:
        return f"<pileus.Field {self.name!r}>"


class TextField(Field):
    """A field of texts. `Run.text_field` makes it."""

    def put(self, array: Any, stable: bool = False) -> None:  # noqa: ARG002
        """Hands texts over: one, or an array or nested sequence of them in the order of the dimensions."""
        if isinstance(array, (str, bytes)):
            values = [array]
        else:
            values = np.asarray(array, dtype=object).ravel().tolist()
        self._run._call("put_texts", self.number, len(values), texts(values))


class MapField(Field):
    """A field of pairs. `Run.map_field` makes it."""

    def put(self, array: Mapping, stable: bool = False) -> None:  # noqa: ARG002
        """Hands pairs of a key and its value over, at most as many as its dimension has."""
        pairs = dict(array)
        self._run._call("put_map", self.number, len(pairs), texts(pairs.keys()), texts(pairs.values()))


class Input:
    """Values that servers read from a file for the model. `Run.input` makes it."""

    def __init__(self, run: Any, name: str, shape: tuple[int, ...], dtype: np.dtype):
        self.name, self.shape, self.dtype = name, shape, dtype
        self._run = run
        self.number = -1

    @property
    def brought(self) -> bool:
        """Whether the configuration brings it; if not, the model keeps values of its own. From commit on."""
        return self._run._flag("is_brought", self.number)

    def get(self, time: float, out: np.ndarray | None = None) -> np.ndarray:
        """The values at model time `time` (s), of this rank's part; waits where they have not come yet.

        Args:
            time: in seconds from the run's origin; times of one input rise, or stay.
            out: an array for them, of any strides; a new one if there is none.
        """
        if out is None:
            out = np.empty(self.shape, self.dtype)
        if not isinstance(out, np.ndarray) or not out.flags.writeable:
            raise UsageError(f'input "{self.name}": out is to be an array of NumPy that can be written to')
        layout = Layout(out, f'input "{self.name}"')
        address = out.__array_interface__["data"][0]
        self._run._call(
            "get_array",
            self.number,
            time,
            layout.type,
            layout.rank,
            layout.count,
            address,
            layout.strides,
        )
        return out

    def __repr__(self) -> str:
        return f"<pileus.Input {self.name!r}>"
