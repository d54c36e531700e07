"""Runs of the test model that go on until they are told to end, and what their events say."""

import json
import subprocess
import time

from oracle.launch import environment, model_command

PATIENCE_S = 60


def lines_of(directory):
    path = directory / "pileus-events.jsonl"
    text = path.read_text() if path.exists() else ""
    return [json.loads(line) for line in text[: text.rfind("\n") + 1].splitlines()]


def events(directory, kind):
    return [one for one in lines_of(directory) if one["event"] == kind]


class Live:
    """A run that goes on until it is told to end."""

    def __init__(self, layout, path, directory, *options):
        directory.mkdir(exist_ok=True)
        self.directory, self.stop = directory, directory.parent / "stop"
        size = ("--size", "3,4,5", "--steps", 100000, "--until", self.stop)
        words = model_command(layout, path, directory, *size, *options)
        self.log = (directory.parent / "log").open("a+")
        self.process = subprocess.Popen(
            [*map(str, words)], env=environment(), stdout=self.log, stderr=self.log
        )

    def said(self):
        self.log.seek(0)
        return self.log.read()

    def wait_for(self, what):
        until = time.monotonic() + PATIENCE_S
        while not what():
            assert self.process.poll() is None, self.said()
            assert time.monotonic() < until, self.said()
            time.sleep(0.01)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop.touch()
        status = self.process.wait(PATIENCE_S)
        said = self.said()
        self.log.close()
        assert status == 0, said
