"""Follows the events of a run, which servers write as lines of JSON, to learn of published files."""

import contextlib
import html
import json
import os
import pathlib
import re
import tempfile
import threading
from collections.abc import Callable
from dataclasses import dataclass

_VARIABLE = "PILEUS_EVENTS"
_EVENTS = re.compile(r"<events\b([^>]*)>")
_FILE = re.compile(r"\bfile\s*=\s*[\"']([^\"']*)[\"']")
_environment = threading.Lock()  # of the process, in which one run at a time may put a word
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


@dataclass(frozen=True)
class PublishedFile:
    """A file that has its name and is on the disk.

    Attributes:
        path: of the file, or of the folder of a Zarr store.
        series: the name of its <file> in the configuration.
        period: which of the files of that series, from 1.
        records: how many it has.
        first_record_s, last_record_s: model times of the first and the last of them; None without records.
        complete_through_s: all records of the series up to this model time are in published files.
    """

    path: pathlib.Path
    series: str
    period: int
    records: int
    first_record_s: float | None
    last_record_s: float | None
    complete_through_s: float | None


class Publications:
    """What a run publishes, from its file of events: that of the environment, or of the configuration, or one
    of our own where the server is in this process."""

    def __init__(
        self, configuration: str | None, directory: pathlib.Path, is_alone: bool, component: str | None
    ):
        self.files: list[PublishedFile] = []
        self._callbacks: list[Callable[[PublishedFile], object]] = []
        self._told = 0
        self._position = 0
        self._rest = b""
        self._own: str | None = None
        self._path = self._named(configuration, directory)
        if self._path is None and is_alone:
            number, self._own = tempfile.mkstemp(prefix="pileus-", suffix=".jsonl")
            os.close(number)
            self._path = pathlib.Path(self._own)
        if self._path is not None and component:  # each component of a job tells of itself
            self._path = self._path.with_name(f"{self._path.stem}.{component}{self._path.suffix}")
        #: The files to remove, for a run that is forgotten.
        self.own_files = [name for name in (self._own, self._own and str(self._path)) if name]

    @property
    def are_known(self) -> bool:
        return self._path is not None

    @staticmethod
    def _named(configuration: str | None, directory: pathlib.Path) -> pathlib.Path | None:
        with _environment:
            given = os.environ.get(_VARIABLE)
        if given is not None:
            return directory / given if given else None
        try:
            text = pathlib.Path(configuration or "").read_text(encoding="utf-8", errors="replace")
        except OSError:
            return None
        element = _EVENTS.search(_COMMENT.sub("", text))
        if not element:
            return None
        named = _FILE.search(element[1])
        name = html.unescape(named[1]) if named else "pileus-events.jsonl"
        return None if "{" in name else directory / name

    @contextlib.contextmanager
    def asked_for(self):
        """The server that is made within looks for the name of the file in the environment."""
        if self._path is not None:
            with contextlib.suppress(OSError):
                self._position = self._path.stat().st_size  # what older runs wrote
        if self._own is None:
            yield
            return
        with _environment:
            os.environ[_VARIABLE] = self._own
            try:
                yield
            finally:
                os.environ.pop(_VARIABLE, None)

    def add(self, callback: Callable[[PublishedFile], object]) -> None:
        self._callbacks.append(callback)

    def look(self) -> None:
        """Takes what is new, and tells all who asked of all of it, each file once; then raises what the first
        of them raised."""
        self.read()
        first: BaseException | None = None
        while self._told < len(self.files):
            one = self.files[self._told]
            self._told += 1
            for callback in self._callbacks:
                try:
                    callback(one)
                except Exception as error:  # noqa: BLE001  which is raised below
                    first = first or error
        if first is not None:
            raise first

    def read(self) -> None:
        """Takes what is new, and tells nobody."""
        if self._path is None:
            return
        try:
            if self._path.stat().st_size <= self._position:
                return
            with open(self._path, "rb") as events:
                events.seek(self._position)
                new = events.read()
        except OSError:
            return
        self._position += len(new)
        lines = (self._rest + new).split(b"\n")
        self._rest = lines.pop()
        for line in lines:
            with contextlib.suppress(ValueError):  # a line that was cut off when a job was killed
                self._take(json.loads(line))

    def _take(self, event: dict) -> None:
        if event.get("event") != "published":
            return
        self.files.append(
            PublishedFile(
                pathlib.Path(event["file"]),
                event["series"],
                event["period"],
                event["records"],
                event["first_record_s"],
                event["last_record_s"],
                event["complete_through_s"],
            )
        )

    def close(self) -> None:
        self.read()
        if self._own is not None:
            self._own = self._path = None


def remove(names: list[str]) -> None:
    for name in names:
        with contextlib.suppress(OSError):
            os.unlink(name)
