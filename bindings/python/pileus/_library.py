"""The shared libraries of Pileus: where they are, which one a run needs, and the calls of pileus.h."""

import ctypes
import os
import pathlib
import struct
import sys
import threading
from ctypes import POINTER, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t, c_void_p

from pileus.errors import BY_STATUS, InternalError, UsageError

_HERE = pathlib.Path(__file__).resolve().parent
_VARIABLE = "PILEUS_PREFIX"
_opened: dict[str, ctypes.CDLL] = {}
_opening = threading.Lock()


def prefix() -> pathlib.Path:
    """The folder with bin and lib: that of the package, or what PILEUS_PREFIX in the environment says."""
    given = os.environ.get(_VARIABLE)
    folder = pathlib.Path(given) if given else _HERE / "_prefix"
    if not folder.is_dir():
        raise InternalError(
            f"{folder}: there is no such folder with the libraries of Pileus; install the package "
            f"(pip install .), or let {_VARIABLE} name a build or an installation"
        )
    return folder


def program(name: str) -> str:
    """The path of a program of Pileus, "pileus" or "pileus-server"."""
    path = prefix() / "bin" / name
    if not path.is_file():
        raise InternalError(f"{path}: there is no such program in {prefix()}")
    return str(path)


class Settings(ctypes.Structure):
    """pileus_settings."""

    _fields_ = [
        ("size", c_size_t),
        ("configuration", c_char_p),
        ("has_communicator", c_int),
        ("communicator", c_int32),
        ("directory", c_char_p),
        ("servers_ratio", c_int32),
        ("servers_per_node", c_int32),
        ("servers_total", c_int32),
        ("describe_model", c_char_p),
        ("servers_per_socket", c_int32),
        ("servers_per_numa", c_int32),
        ("component", c_char_p),
    ]


class Definition(ctypes.Structure):
    """pileus_definition."""

    _fields_ = [
        ("size", c_size_t),
        ("name", c_char_p),
        ("name_space", c_char_p),
        ("frequency", c_int64),
        ("frequency_s", c_double),
        ("is_sent_at_end", c_int),
        ("first_field", c_int),
        ("fields", c_int),
    ]


class WantedField(ctypes.Structure):
    """pileus_wanted_field."""

    _fields_ = [
        ("size", c_size_t),
        ("name", c_char_p),
        ("definition", c_int),
        ("kind", c_int),
        ("type", c_int),
        ("rank", c_int),
        ("dimensions", POINTER(c_char_p)),
        ("is_optional", c_int),
        ("is_collective", c_int),
        ("is_static", c_int),
        ("outputs", c_int),
        ("output_s", POINTER(c_double)),
        ("output_months", POINTER(c_int64)),
    ]


_TEXTS = POINTER(c_char_p)
_ARRAY = [c_int, c_int, c_void_p, c_void_p, c_void_p]  # type, rank, count, first, byte_strides

#: What follows the handle in each call that returns a status.
_CALLS = {
    "option": [c_char_p, c_char_p],
    "dimension": [c_char_p, c_int64, c_void_p, c_char_p],
    "dimension_bounds": [c_char_p, c_int64, c_void_p],
    "points": [c_char_p, c_int, _TEXTS, c_int, c_void_p, c_void_p, c_int],
    "calendar": [c_char_p, c_char_p],
    "continue": [c_int64],
    "count_anew": [],
    "field": [c_char_p, c_int, c_int, _TEXTS, c_void_p, c_void_p, POINTER(c_int)],
    "field_metadata": [c_int, c_char_p, c_char_p, c_char_p],
    "static": [c_int],
    "text_field": [c_char_p, c_int64, c_int, _TEXTS, c_void_p, c_void_p, POINTER(c_int)],
    "map_field": [c_char_p, c_int64, c_char_p, POINTER(c_int)],
    "input": [c_char_p, c_int, c_int, _TEXTS, c_void_p, c_void_p, c_char_p, POINTER(c_int)],
    "wants": [POINTER(c_int), POINTER(c_int)],
    "wants_definition": [c_int, POINTER(Definition)],
    "wants_field": [c_int, POINTER(WantedField)],
    "commit": [],
    "is_used": [c_int, POINTER(c_int)],
    "is_brought": [c_int, POINTER(c_int)],
    "get_array": [c_int, c_double, *_ARRAY],
    "checkpoint_due": [c_int64, c_double, c_double, POINTER(c_int)],
    "event": [c_char_p],
    "begin": [c_int64, c_double, c_double, c_int],
    "begin_closing": [],
    "step": [POINTER(c_int64)],
    "put_array": [c_int, *_ARRAY],
    "put_array_part": [c_int, c_int64, *_ARRAY],
    "put_array_stable": [c_int, *_ARRAY],
    "put_texts": [c_int, c_int64, _TEXTS],
    "put_map": [c_int, c_int64, _TEXTS, _TEXTS],
    "allocate": [c_size_t, POINTER(c_void_p)],
    "local_sum": [*_ARRAY, c_void_p, c_int, c_void_p],
    "end": [],
    "progress": [],
    "flush": [],
    "finish": [],
    "time": [POINTER(c_double), POINTER(c_double)],
}


def _declare(library: ctypes.CDLL) -> ctypes.CDLL:
    for name, arguments in _CALLS.items():
        call = getattr(library, "pileus_" + name)
        call.argtypes, call.restype = [c_void_p, *arguments], c_int
    others = {
        "start": ([POINTER(Settings), POINTER(c_void_p), POINTER(c_int32), POINTER(c_int)], c_int),
        "serve": ([c_int32, POINTER(c_void_p)], c_int),
        "component_checkpoints": ([c_char_p, c_char_p, c_void_p, c_int, POINTER(c_int)], c_int),
        "deallocate": ([c_void_p], c_int),
        "wanted": ([c_void_p, c_int], c_int),
        "absent": ([c_void_p], c_char_p),
        "error": ([c_void_p], c_char_p),
        "free": ([c_void_p], None),
        "version": ([], c_char_p),
    }
    for name, (arguments, result) in others.items():
        call = getattr(library, "pileus_" + name)
        call.argtypes, call.restype = arguments, result
    return library


def _open(name: str) -> ctypes.CDLL:
    with _opening:
        if name not in _opened:
            path = prefix() / "lib" / (name + ".so.0")
            try:
                _opened[name] = _declare(ctypes.CDLL(str(path)))
            except OSError as error:
                raise InternalError(f"{path} cannot be opened: {error}") from None
        return _opened[name]


def attached_library() -> ctypes.CDLL:
    """The library for runs of one process, which needs no MPI."""
    _import_readers()
    return _open("libpileus_alone")


def mpi_library() -> ctypes.CDLL:
    """The library for runs with a communicator. Errors: UsageError where mpi4py has another MPI."""
    _require_same_mpi()
    _import_readers()
    return _open("libpileus")


def _import_readers() -> None:
    """Readers of the system share netCDF and HDF5 with the servers' half, which looks for that once, at the
    first run: it then calls them in the model's own thread. So they have to be there before."""
    for name in ("netCDF4", "h5py"):
        if name in sys.modules:
            continue
        try:
            __import__(name)
        except Exception:  # noqa: S110  a reader that cannot be imported shares nothing
            pass


def needed_mpi() -> str | None:
    """The file name of the MPI that libpileus is linked with, such as "libmpi.so.40"."""
    needed = _needed_libraries(prefix() / "lib" / "libpileus.so.0")
    return next((name for name in needed if name.startswith(("libmpi.so", "libmpich.so"))), None)


def _needed_libraries(path: pathlib.Path) -> list[str]:
    """DT_NEEDED of a 64-bit ELF file of this machine's byte order, as elf(5) lays it out."""
    try:
        data = path.read_bytes()
        (headers,), (size, count) = struct.unpack_from("=Q", data, 32), struct.unpack_from("=HH", data, 54)
        segments = [struct.unpack_from("=IIQQQQ", data, headers + at * size) for at in range(count)]
        dynamic = next(one for one in segments if one[0] == 2)  # PT_DYNAMIC
        entries = list(struct.iter_unpack("=qQ", data[dynamic[2] : dynamic[2] + dynamic[5] // 16 * 16]))
        table = next(value for tag, value in entries if tag == 5)  # DT_STRTAB, an address in memory
        loaded = next(one for one in segments if one[0] == 1 and one[3] <= table < one[3] + one[5])
        names = table - loaded[3] + loaded[2]
        starts = [names + value for tag, value in entries if tag == 1]  # DT_NEEDED
        return [data[start : data.index(b"\0", start)].decode() for start in starts]
    except (OSError, struct.error, StopIteration, ValueError):
        return []


def _loaded_mpis() -> set[str]:
    found = set()
    with open("/proc/self/maps") as maps:
        for line in maps:
            path = line.rpartition(" ")[2].strip()
            name = path.rpartition("/")[2]
            if name.startswith(("libmpi.so", "libmpich.so")):
                found.add(path)
    return found


def _require_same_mpi() -> None:
    mine = needed_mpi()
    if mine is None:
        return
    for path in _loaded_mpis():
        soname = os.path.basename(path)
        if not soname.startswith(mine):
            raise UsageError(
                f"this process uses the MPI {path}, and this Pileus was built with {mine}: install mpi4py "
                "with that MPI, or build Pileus with the MPI of mpi4py"
            )


def check(library: ctypes.CDLL, handle: int | None, status: int, unnamed: str | None = None) -> None:
    """Raises the error of a call that did not return 0. `unnamed`: a file that has no name for people."""
    if status != 0:
        text = (library.pileus_error(handle) or b"").decode(errors="replace")
        if unnamed is not None:
            text = text.replace(unnamed, "configuration")
        raise BY_STATUS.get(status, InternalError)(text)
