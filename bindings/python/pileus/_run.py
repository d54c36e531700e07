"""A run of a model: what pileus.h has, with names and arrays as NumPy's users think of them."""

import ctypes
import os
import pathlib
import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from pileus import _library
from pileus._arrays import DTYPES, Layout, as_array, numbers, text, texts, type_number, whole
from pileus._fields import Field, Input, MapField, TextField, WantedField
from pileus._follow import Publications, PublishedFile, remove
from pileus._library import check
from pileus.errors import OutputError, UsageError

FINAL, CHECKPOINT, THREADS = 1, 2, 4


class Step:
    """A step: what is put inside of its `with` belongs to it. `Run.step` makes it."""

    def __init__(self, run: "Run", begin: Callable[[], None]):
        self._run, self._begin = run, begin

    def __enter__(self) -> "Step":
        self._begin()
        self._run._lent.clear()
        return self

    def __exit__(self, kind, error, trace) -> None:
        if kind is None:
            self._run._end_step()


class Run:
    """One rank's side of a run.

    Args:
        configuration: the path of an XML file, or XML itself, which begins with "<". Not read where ranks of
            pileus-server serve, which have their own.
        comm: a communicator of mpi4py, of all model ranks and servers; None for one process, which analyses
            and writes itself.
        directory: where files go; pileus-server was told its own.
        servers: how many of the communicator's ranks become servers, or a dict with one of "total",
            "per_node", "per_socket", "per_numa" and "ratio". On such a rank the call returns when the run is
            over, and `serves` is true.
        options: what {key} in the configuration stands for.
        calendar, epoch: calendar of the model, and the date of model time 0, "2000-01-01 00:00:00".
        component: the component of a job of several to which this rank belongs.
        continue_from: a step with a checkpoint, after which this run goes on.
        count_anew: steps are numbered anew in a run that continues.
        describe_model: where a JSON file with the model's description is written, for `explain` and `check`.

    Used in a `with`, the run ends where that ends; after an exception it is broken off, and servers are told.
    """

    def __init__(
        self,
        configuration: str | os.PathLike | None = None,
        comm: Any = None,
        *,
        directory: str | os.PathLike = ".",
        servers: "int | Mapping[str, int] | None" = None,
        options: Mapping[str, Any] | None = None,
        calendar: str | None = None,
        epoch: str | None = None,
        component: str | None = None,
        continue_from: int | None = None,
        count_anew: bool = False,
        describe_model: str | os.PathLike | None = None,
    ):
        self._lent: list[np.ndarray] = []
        self._sizes: dict[str, int] = {}
        self._points: dict[str, tuple[int, ...]] = {}
        self._is_text = False
        self._process = os.getpid()
        self._handle: int | None = None
        self._owned: dict = {}  # what goes with the run, also where it is forgotten or did not begin
        self._free = weakref.finalize(self, _drop, self._owned, self._process)
        self._is_committed = self._is_finished = self._in_step = False
        self._absent = ""
        self.directory = pathlib.Path("." if directory is None else os.fsdecode(directory))
        self.comm = comm
        self.serves = False
        try:
            self._configuration = self._path_of(configuration)
            self._publications = Publications(self._configuration, self.directory, comm is None, component)
            self._owned["files"] = self._publications.own_files
            self._library = _library.attached_library() if comm is None else _library.mpi_library()
            self._start(servers, component, describe_model)
            if self.serves:
                return
            for key, value in (options or {}).items():
                self._call("option", text(key), text(value))
            if calendar is not None or epoch is not None:
                self.calendar(calendar or "standard", epoch)
            if continue_from is not None:
                self._call("continue", whole(continue_from, "continue_from"))
            if count_anew:
                self._call("count_anew")
        except BaseException:
            self._handle = None
            self._free()
            raise

    def _path_of(self, configuration) -> str | None:
        if configuration is None:
            return None
        if isinstance(configuration, str) and configuration.lstrip("\ufeff \t\r\n").startswith("<"):
            self._is_text = True
            self._owned["folder"] = tempfile.mkdtemp(prefix="pileus-")
            path = pathlib.Path(self._owned["folder"], "configuration.xml")
            path.write_text(configuration.lstrip("\ufeff"), encoding="utf-8")
            return str(path)
        if not os.fspath(configuration):
            raise UsageError("configuration: it is empty; give the path of an XML file, or XML")
        return os.fsdecode(configuration)

    def _start(self, servers, component, describe_model) -> None:
        settings = _library.Settings(size=ctypes.sizeof(_library.Settings))
        settings.configuration = text(self._configuration)
        settings.directory = text(os.fspath(self.directory))
        settings.component = text(component)
        settings.describe_model = text(os.fspath(describe_model)) if describe_model is not None else None
        if servers is None or isinstance(servers, Mapping):
            asked = dict(servers or {})
        else:
            asked = {"total": servers}
        for name, count in asked.items():
            if "servers_" + name not in dict(_library.Settings._fields_):
                raise UsageError(
                    f"servers: there is no {name!r}; say total, per_node, per_socket, per_numa or ratio"
                )
            setattr(settings, "servers_" + name, whole(count, "servers"))
        if self.comm is not None:
            settings.has_communicator, settings.communicator = 1, _handle_of(self.comm)
        handle, model, role = ctypes.c_void_p(), ctypes.c_int32(), ctypes.c_int()
        status = self._library.pileus_start(
            ctypes.byref(settings),
            ctypes.byref(handle),
            ctypes.byref(model),
            ctypes.byref(role) if asked or self.comm is not None else None,
        )
        self._handle = handle.value
        self._owned["run"] = (self._library, self._handle)
        self._check(status)
        self.serves = role.value == 1
        self.model_comm = None
        if self.comm is not None and not self.serves:
            # That of the library goes with the run; this one may be used after it.
            self.model_comm = type(self.comm).f2py(model.value).Dup()

    # Registration

    def option(self, key: str, value: Any) -> None:
        """Gives the value that {key} in the configuration stands for. The same on every rank."""
        self._call("option", text(key), text(value))

    def calendar(self, calendar: str, epoch: str | None = None) -> None:
        """Gives the calendar of the model, and the date of model time 0, "2000-01-01 00:00:00"."""
        self._call("calendar", text(calendar), text(epoch))

    def dimension(
        self,
        name: str,
        coordinates: "int | Sequence[float] | np.ndarray",
        *,
        units: str | None = None,
        bounds: Any = None,
    ) -> None:
        """Registers a dimension of the whole domain. The same on every rank.

        Args:
            coordinates: its coordinates, or its size.
            units: those of the coordinates.
            bounds: lower and upper end of each cell, an array of shape (size, 2).
        """
        what = f'dimension "{name}"'
        if np.ndim(coordinates) == 0:
            size, values = whole(coordinates, what + ": its size"), None
        else:
            values = _real(coordinates, what)
            if values.ndim != 1:
                raise UsageError(f"{what}: its coordinates have {values.ndim} dimensions, not 1")
            size = values.size
        self._call(
            "dimension", text(name), size, values.ctypes.data if values is not None else None, text(units)
        )
        self._sizes[name] = size
        if bounds is None:
            return
        cells = _real(bounds, what)
        if cells.shape != (size, 2):
            raise UsageError(f'dimension "{name}": its bounds have the shape {cells.shape}, not ({size}, 2)')
        self._call("dimension_bounds", text(name), size, cells.ctypes.data)

    def points(self, name: str, dims: Sequence[str], indices: Any, *, shared: bool = False) -> None:
        """Says which points this rank holds, in the order of its memory: cells of a mesh, blocks of NPROMA.

        Args:
            name: what fields on these points have among their dimensions.
            dims: registered dimensions over which points are numbered together, slowest first, as
                np.ravel_multi_index counts.
            indices: of each element of this rank's arrays the number of its point; negative where there is
                none.
            shared: several ranks may hold a point; the value of the lowest counts.
        """
        array = as_array(indices, f'points "{name}"')
        if array.dtype.kind not in "iu":
            raise UsageError(f'points "{name}": its indices are {array.dtype}, and are to be whole numbers')
        array = np.ascontiguousarray(array, np.int64)
        counts = numbers(array.shape, array.ndim)
        self._call(
            "points",
            text(name),
            len(dims),
            texts(reversed(dims)),
            array.ndim,
            ctypes.addressof(counts),
            array.ctypes.data,
            1 if shared else 0,
        )
        self._points[name] = array.shape

    def field(
        self,
        name: str,
        dims: Sequence[str] = (),
        start: Sequence[int] | None = None,
        shape: Sequence[int] | None = None,
        dtype: Any = np.float64,
        *,
        units: str | None = None,
        standard_name: str | None = None,
        long_name: str | None = None,
        static: bool = False,
    ) -> Field:
        """Registers a field.

        Args:
            dims: names of its dimensions, slowest first.
            start, shape: the part that this rank holds, from 0; the whole, if left out.
            dtype: float64, float32, int32, int64 or bool.
            units, standard_name, long_name: what files say about it.
            static: it never changes; it is wanted in the first step alone.
        """
        dims = tuple(dims)
        start, shape = self._part(name, dims, start, shape)
        number = type_number(dtype, f'field "{name}"')
        field = Field(self, name, np.dtype(dtype))
        field.number = self._register("field", name, (number,), dims, start, shape)
        if units is not None or standard_name is not None or long_name is not None:
            self._call("field_metadata", field.number, text(units), text(standard_name), text(long_name))
        if static:
            self._call("static", field.number)
        return field

    def text_field(
        self,
        name: str,
        length: int,
        dims: Sequence[str] = (),
        start: Sequence[int] | None = None,
        shape: Sequence[int] | None = None,
    ) -> TextField:
        """Registers a field of texts of at most `length` bytes each."""
        dims = tuple(dims)
        start, shape = self._part(name, dims, start, shape)
        field = TextField(self, name, None)
        field.number = self._register("text_field", name, (length,), dims, start, shape)
        return field

    def map_field(self, name: str, length: int, dim: str) -> MapField:
        """Registers pairs of texts of at most `length` bytes each; `dim` has the largest number of pairs."""
        field, number = MapField(self, name, None), ctypes.c_int()
        self._call("map_field", text(name), length, text(dim), ctypes.byref(number))
        field.number = number.value
        return field

    def input(
        self,
        name: str,
        dims: Sequence[str] = (),
        start: Sequence[int] | None = None,
        shape: Sequence[int] | None = None,
        dtype: Any = np.float64,
        *,
        units: str | None = None,
    ) -> Input:
        """Registers values that servers read for the model, if <data-reading> names a file that has them.

        Args: as for `field`; `units`: those in which the model takes the values.
        """
        dims = tuple(dims)
        start, shape = self._part(name, dims, start, shape)
        one = Input(self, name, tuple(shape), np.dtype(dtype))
        number = type_number(dtype, f'input "{name}"')
        one.number = self._register("input", name, (number,), dims, start, shape, text(units))
        return one

    def _part(self, name, dims, start, shape):
        if shape is None:
            if start is not None:
                raise UsageError(f'field "{name}": it has a start and no shape')
            shape = [self._extent(name, dim, dims, at) for at, dim in enumerate(dims)]
        what = f'field "{name}"'
        shape = [whole(extent, what + ": shape") for extent in _each(shape)]
        start = [0] * len(dims) if start is None else [whole(one, what + ": start") for one in _each(start)]
        if len(shape) != len(dims) or len(start) != len(dims):
            raise UsageError(
                f'field "{name}": dims has {len(dims)} names, start {len(start)} numbers and shape '
                f"{len(shape)}"
            )
        return start, shape

    def _extent(self, name, dim, dims, at) -> int:
        if dim in self._points:  # the name stands once for each extent of the arrays
            place = dims[:at].count(dim)
            if place < len(self._points[dim]):
                return self._points[dim][place]
            raise UsageError(f'field "{name}": the points "{dim}" have {len(self._points[dim])} extents')
        if dim not in self._sizes:
            raise UsageError(f'field "{name}": there is no dimension "{dim}"; register it before')
        return self._sizes[dim]

    def _register(self, call, name, first, dims, start, shape, *last) -> int:
        number = ctypes.c_int()
        rank, starts, counts = len(dims), numbers(start, len(dims)), numbers(shape, len(dims))
        self._call(
            call,
            text(name),
            *first,
            rank,
            texts(reversed(dims)) if rank else None,
            ctypes.addressof(starts),
            ctypes.addressof(counts),
            *last,
            ctypes.byref(number),
        )
        return number.value

    def wants(self) -> list[WantedField]:
        """What the configuration wants, before commit, for a model that registers no more than that."""
        definitions, fields = ctypes.c_int(), ctypes.c_int()
        self._call("wants", ctypes.byref(definitions), ctypes.byref(fields))
        owners = []
        for number in range(definitions.value):
            one = _library.Definition(size=ctypes.sizeof(_library.Definition))
            self._call("wants_definition", number, ctypes.byref(one))
            owners.append((one.name.decode(), one.frequency, one.frequency_s))
        wanted = []
        for number in range(fields.value):
            one = _library.WantedField(size=ctypes.sizeof(_library.WantedField))
            self._call("wants_field", number, ctypes.byref(one))
            dims = None
            if one.rank >= 0:
                dims = tuple(one.dimensions[at].decode() for at in reversed(range(one.rank)))
            wanted.append(
                WantedField(
                    one.name.decode(),
                    dims,
                    DTYPES.get(one.type),
                    [None, "scalar", "array", "map"][one.kind],
                    *owners[one.definition],
                    bool(one.is_optional),
                    bool(one.is_collective),
                    bool(one.is_static),
                )
            )
        return wanted

    def commit(self) -> None:
        """Ends registration. Errors: ConfigError with every mistake. Collective over the model ranks."""
        with self._publications.asked_for():
            self._call("commit")
        self._is_committed = True

    # Steps

    def step(
        self,
        index: int,
        time: float,
        length: float,
        *,
        final: bool = False,
        checkpoint: bool = False,
        threads: bool = False,
    ) -> Step:
        """A step, for a `with`.

        Args:
            index: rises from step to step, from 0.
            time: model time at the END of the step, in seconds from the run's origin.
            length: in seconds; 0 for a first step that hands over the state at the start.
            final: this is the last step that is handed over.
            checkpoint: the state after the step is kept, for a run that continues from there.
            threads: several threads may put fields of this step.
        """
        flags = FINAL * bool(final) | CHECKPOINT * bool(checkpoint) | THREADS * bool(threads)
        index = whole(index, "step")
        return Step(self, lambda: self._call("begin", index, time, length, flags))

    def closing(self) -> Step:
        """The hand-over of what is due at the end, where a model learns late which step was its last."""
        return Step(self, lambda: self._call("begin_closing"))

    def _end_step(self) -> None:
        self._call("end")
        self._publications.look()

    @property
    def absent(self) -> str:
        """A sentence with the fields that the last step wanted and did not get; "" if there are none."""
        self._require_handle()
        return (self._library.pileus_absent(self._handle) or b"").decode()

    @property
    def step_number(self) -> int:
        """The number that files and checkpoints know the last step by."""
        number = ctypes.c_int64()
        self._call("step", ctypes.byref(number))
        return number.value

    def event(self, word: str) -> None:
        """Says a word about the step that begins next, for triggers and for the run's events."""
        self._call("event", text(word))

    def checkpoint_due(self, index: int, time: float, length: float) -> "tuple[bool, bool]":
        """Whether a checkpoint is due at the step about to begin, and whether the job is about to end.

        Asked by model rank 0, which tells the others.
        """
        due = ctypes.c_int()
        self._call("checkpoint_due", index, time, length, ctypes.byref(due))
        return due.value != 0, due.value == 2

    def progress(self) -> None:
        """Lets what was handed over go on, in the middle of a long computation; never waits."""
        self._call("progress")

    def flush(self) -> None:
        """Returns when what the steps until now have sent has left this rank. Outside a step."""
        self._call("flush")

    @property
    def times(self) -> "tuple[float, float]":
        """Seconds that this rank has spent inside Pileus since commit, and how many of them it waited."""
        inside, waiting = ctypes.c_double(), ctypes.c_double()
        self._call("time", ctypes.byref(inside), ctypes.byref(waiting))
        return inside.value, waiting.value

    # Memory and sums

    def empty(self, shape: Sequence[int], dtype: Any = np.float64) -> np.ndarray:
        """A new array, all zero, that `put(..., stable=True)` need not copy where servers share memory."""
        dtype, memory = np.dtype(dtype), ctypes.c_void_p()
        shape = tuple(np.atleast_1d(shape).tolist()) if np.size(shape) else ()
        size = max(1, int(np.prod(shape)) * dtype.itemsize)
        self._call("allocate", size, ctypes.byref(memory))
        buffer = (ctypes.c_char * size).from_address(memory.value)
        # At the end of the process arrays may still be in use: the system takes their memory then.
        weakref.finalize(buffer, self._library.pileus_deallocate, memory.value).atexit = False
        return np.frombuffer(buffer, dtype, int(np.prod(shape))).reshape(shape)

    def local_sum(self, array: Any, kept: Iterable[int] = (), parts: int = 3) -> np.ndarray:
        """Sums this rank's array up without rounding, for a field that the configuration sums up further.

        Args:
            kept: axes that stay.
            parts: numbers for each sum; 3 are enough for values within a factor 2^100 of each other, 42 for
                all.
        Returns: float64, of the shape of the kept axes and `parts` last.
        """
        array = as_array(array, "local_sum", np.float64)
        layout, kept = Layout(array, "local_sum"), set(kept)
        for axis in kept:
            if not -array.ndim <= axis < array.ndim:
                raise UsageError(f"local_sum: there is no axis {axis} of {array.ndim}")
        kept = {axis % array.ndim for axis in kept}
        flags = (ctypes.c_int * max(1, array.ndim))(*[axis in kept for axis in reversed(range(array.ndim))])
        sums = np.zeros((*[array.shape[axis] for axis in sorted(kept)], parts))
        self._call(
            "local_sum",
            layout.type,
            layout.rank,
            layout.count,
            array.__array_interface__["data"][0],
            layout.strides,
            ctypes.addressof(flags),
            parts,
            sums.ctypes.data,
        )
        return sums

    # Results

    def on_published(self, callback: "Callable[[PublishedFile], Any]") -> None:
        """Calls `callback` for each file that is published, in the model's thread, at the end of steps and in
        `finish`. Before commit, on any rank that shares server 0's view of the folder of files."""
        if self._is_committed:
            raise UsageError("on_published: after commit nobody is told any more; call it before")
        if not self._publications.are_known:
            raise UsageError(
                "on_published: it reads the events of the run, and there is no file of them; say <events/> "
                "in <server-configuration>, or PILEUS_EVENTS in the environment"
            )
        self._publications.add(callback)

    def results(self):
        """The files that this run has published so far, as `pileus.Results`."""
        from pileus.results import Results

        if not self._publications.are_known and not self._publications.files and self.comm is not None:
            raise UsageError(
                "results: they are those that the events of the run tell of, and there is no file of them; "
                "say <events/> in <server-configuration>, or open the folder with pileus.open"
            )
        self._publications.read()
        return Results(self._publications.files)

    # The end

    def finish(self) -> None:
        """Ends the run: returns when everything is published. Collective over model ranks and servers."""
        if self._is_finished or self.serves:
            return
        try:
            self._call("finish")
        except UsageError:  # nothing has changed
            raise
        except Exception:
            self._is_finished = True
            self._publications.read()
            raise
        self._is_finished = True
        self._lent.clear()
        self._publications.look()

    def close(self) -> None:
        """Releases the run. One that was not finished is broken off, and its servers are told."""
        if os.getpid() != self._process:
            return  # it is that of the process that was forked
        self._handle = None
        self._publications.read()
        self._free()
        self._lent.clear()
        self._publications.close()

    def __enter__(self) -> "Run":
        return self

    def __exit__(self, kind, error, trace) -> None:
        try:
            if kind is None and self._is_committed and self._handle is not None:
                self.finish()
        finally:
            self.close()

    def __repr__(self) -> str:
        state = "closed" if self._handle is None else "finished" if self._is_finished else "open"
        return f"<pileus.Run of {self._configuration or 'a server'} ({state})>"

    def __reduce__(self):
        raise TypeError("a run belongs to its process, and can be neither copied nor pickled")

    def _require_handle(self) -> None:
        if self._handle is None:
            raise UsageError("the run is closed")
        if os.getpid() != self._process:
            raise UsageError("the run belongs to the process that was forked; a child cannot use it")

    def _call(self, name: str, *arguments) -> None:
        self._require_handle()
        try:
            status = getattr(self._library, "pileus_" + name)(self._handle, *arguments)
        except (ctypes.ArgumentError, TypeError) as error:
            raise UsageError(f"pileus_{name}: {error}") from None
        if status:
            self._check(status)

    def _check(self, status: int) -> None:
        check(self._library, self._handle, status, self._configuration if self._is_text else None)

    def _flag(self, name: str, number: int) -> bool:
        flag = ctypes.c_int()
        self._call(name, number, ctypes.byref(flag))
        return flag.value == 1


def serve(comm: Any) -> None:
    """Serves on this rank, which the model has chosen, until the run of the others is over.

    Args:
        comm: a communicator of mpi4py. The other ranks start a `Run` with it, and ask for no servers.
    """
    library, handle = _library.mpi_library(), ctypes.c_void_p()
    status = library.pileus_serve(_handle_of(comm), ctypes.byref(handle))
    try:
        check(library, handle.value, status)
    finally:
        library.pileus_free(handle.value)


def checkpoints(directory: str | os.PathLike = ".", component: str | None = None) -> list[int]:
    """The steps of the complete checkpoints of a folder, ascending."""
    library, count = _library.attached_library(), ctypes.c_int()
    where, of = text(os.fspath(directory)), text(component)
    steps = (ctypes.c_int64 * 1)()
    for _ in range(2):  # once for their number, and again for as many
        address, room = ctypes.addressof(steps), len(steps)
        if library.pileus_component_checkpoints(where, of, address, room, ctypes.byref(count)) != 0:
            raise OutputError(f"{os.fspath(directory)}: its checkpoints cannot be read; the log says why")
        if count.value <= room:
            break
        steps = (ctypes.c_int64 * count.value)()
    return list(steps)[: count.value]


def _handle_of(comm: Any) -> int:
    if not hasattr(comm, "py2f"):
        raise UsageError(f"comm: {type(comm).__name__} is no communicator of mpi4py")
    return comm.py2f()


def _real(values: Any, what: str) -> np.ndarray:
    """Numbers as float64. Errors: UsageError for what is none, such as dates."""
    array = as_array(values, what)
    if array.dtype.kind not in "fiu":
        raise UsageError(f"{what}: {array.dtype} is no real number; dates become seconds since one of them")
    return np.ascontiguousarray(array, np.float64)


def _each(values: Any) -> list:
    return [values] if np.ndim(values) == 0 else list(values)


def _drop(owned: dict, process: int) -> None:
    """Releases a run that goes, whether it was closed or forgotten; not in a child that fork() made."""
    if os.getpid() != process:
        return
    if "run" in owned:
        library, handle = owned["run"]
        library.pileus_free(handle)
    remove(owned.get("files", []))
    if "folder" in owned:
        shutil.rmtree(owned["folder"], ignore_errors=True)
