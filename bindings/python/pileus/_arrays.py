"""How arrays of NumPy, and of others that lie in the memory of the host, are told to the C interface."""

import ctypes
import operator
import os
import sys

import numpy as np

from pileus.errors import UsageError

DOUBLE, FLOAT, INT32, INT64, BOOL, TEXT = range(6)
_NUMBERS = {"<f8": DOUBLE, "<f4": FLOAT, "<i4": INT32, "<i8": INT64, "|b1": BOOL}
if sys.byteorder == "big":
    _NUMBERS = {name.replace("<", ">"): number for name, number in _NUMBERS.items()}
DTYPES = {number: np.dtype(name) for name, number in _NUMBERS.items()}
_ON_HOST = {1, 3, 11, 13}  # kDLCPU, kDLCUDAHost, kDLROCMHost and kDLCUDAManaged
_DEVICES = {2: "a CUDA device", 4: "an OpenCL device", 8: "a Metal device", 10: "a ROCm device"}


def type_number(dtype, what: str) -> int:
    """The pileus_type of a dtype. Errors: UsageError for one that Pileus does not take."""
    try:
        dtype = np.dtype(dtype)
    except TypeError as error:
        raise UsageError(f"{what}: {error}") from None
    number = _NUMBERS.get(dtype.str)
    if number is not None:
        return number
    if dtype.kind == "S":
        return TEXT
    other = dtype.newbyteorder("=")
    if other.str in _NUMBERS:
        raise UsageError(
            f"{what}: the bytes of its {dtype.str} are swapped; give array.astype({other.name!r})"
        )
    raise UsageError(f"{what}: Pileus takes float64, float32, int32, int64 and bool, and not {dtype}")


def as_array(thing, what: str, dtype=None) -> np.ndarray:
    """Any array of the host as one of NumPy that shares its memory; numbers as arrays of `dtype`.

    Errors: UsageError for what lies on a device, for what has no elements in memory, and for masks.
    """
    if isinstance(thing, np.ma.MaskedArray):
        if np.ma.is_masked(thing):
            raise UsageError(f"{what}: some of its elements are masked; give array.filled(...)")
        return thing.data
    if isinstance(thing, np.ndarray):
        return thing
    if isinstance(thing, (bool, int, float, np.generic)):
        return _number(thing, what, dtype)
    if hasattr(thing, "dims") and hasattr(thing, "variable"):  # of xarray, whose data may be of others
        return as_array(thing.variable.data, what, dtype)
    if hasattr(thing, "__dlpack_device__"):
        device = int(thing.__dlpack_device__()[0])
        if device not in _ON_HOST:
            raise UsageError(
                f"{what}: it lies on {_DEVICES.get(device, 'a device')}, and Pileus reads the memory of the "
                "host; copy it there first"
            )
        if getattr(thing, "requires_grad", False):
            thing = thing.detach()
        try:
            return np.from_dlpack(thing)
        except (BufferError, RuntimeError, TypeError):
            pass  # it may still have a buffer, as read-only arrays of older NumPy
    try:
        array = np.asarray(thing)
    except Exception as error:
        raise UsageError(f"{what}: it is no array of numbers in memory: {error}") from error
    if array.dtype == object:
        raise UsageError(f"{what}: {type(thing).__name__} is no array of numbers")
    return array


def _number(thing, what: str, dtype) -> np.ndarray:
    """A number as an array of `dtype`. Errors: UsageError where that has no such number."""
    if dtype is None:
        return np.asarray(thing)
    is_whole = isinstance(thing, (bool, int, np.integer, np.bool_)) or thing == int_of(thing)
    if dtype.kind in "iu" and not is_whole:
        raise UsageError(f"{what}: {thing} is no whole number, and its type is {dtype}")
    try:
        return np.array(thing, dtype)
    except (OverflowError, ValueError, TypeError) as error:
        raise UsageError(f"{what}: {thing!r} is no {dtype}: {error}") from None


def int_of(thing) -> int | None:
    """The whole number that is nearest to zero of it; None if there is none."""
    try:
        return int(thing)
    except (OverflowError, ValueError, TypeError):
        return None


def whole(value, what: str) -> int:
    """A whole number of 64 bits. Errors: UsageError for what is none, such as 4.7."""
    try:
        number = operator.index(value)
    except TypeError:
        raise UsageError(f"{what}: {value!r} is no whole number") from None
    if not -(2**63) <= number < 2**63:
        raise UsageError(f"{what}: {number} has more than 64 bits")
    return number


class Layout:
    """What the C interface wants to know of an array, but its address: made once for all that lie alike."""

    __slots__ = ("type", "rank", "count", "strides", "_counts", "_strides")

    def __init__(self, array: np.ndarray, what: str):
        self.type = type_number(array.dtype, what)
        shape, strides = array.shape, array.strides
        if self.type == TEXT:  # one dimension more, the last: the bytes of each
            shape, strides = (*shape, array.dtype.itemsize), (*strides, 1)
        self.rank = len(shape)
        self._counts = (ctypes.c_int64 * max(1, self.rank))(*reversed(shape))
        self._strides = (ctypes.c_int64 * max(1, self.rank))(*reversed(strides))
        self.count = ctypes.addressof(self._counts)
        self.strides = ctypes.addressof(self._strides)


def numbers(values, count: int) -> ctypes.Array:
    """`count` numbers of 64 bits, in reversed order: the C interface has the fastest dimension first."""
    return (ctypes.c_int64 * max(1, count))(*reversed(values))


def texts(values) -> ctypes.Array:
    """Texts in UTF-8, each ending with NUL."""
    encoded = [_encoded(value) for value in values]
    return (ctypes.c_char_p * max(1, len(encoded)))(*encoded)


def text(value) -> bytes | None:
    """A text or None for the C interface. Errors: UsageError for a NUL in it."""
    return None if value is None else _encoded(value)


def _encoded(value) -> bytes:
    if value is None:
        raise UsageError("None is no text")
    encoded = value if isinstance(value, bytes) else os.fsencode(str(value))
    if b"\0" in encoded:
        raise UsageError(f"{value!r} has a NUL in it")
    return encoded
