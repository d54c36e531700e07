"""Jobs whose processes are all ended, and are known to have ended, before a test goes on.

A launcher's ranks have process groups of their own and outlive it; what one of them had begun, a file
renamed, may come to its end after its launcher's. So all that a job starts is told by a mark in its
environment and by descent, killed, and waited for.
"""

import os
import signal
import subprocess
import time
import uuid
from dataclasses import dataclass, field
from pathlib import Path

TIMEOUT_S = 60
POLL_S = 0.002


@dataclass(frozen=True)
class Process:
    pid: int
    began: int  # ticks: the number is given again to others, which began later
    parent: int = field(compare=False)
    name: str = field(compare=False)  # of its program, 15 characters at most


def read_stat(path):
    """The process, or the thread, and the letter of its state."""
    stat = (path / "stat").read_text()
    fields = stat[stat.rindex(")") + 2 :].split()
    name = stat[stat.index("(") + 1 : stat.rindex(")")]
    return Process(int(path.name), int(fields[19]), int(fields[1]), name), fields[0]


def all_processes():
    found = []
    for path in Path("/proc").iterdir():
        if path.name.isdigit():
            try:
                found.append(read_stat(path)[0])
            except OSError:
                pass  # it has just ended
    return found


def is_running(process):
    """Tell whether any thread of it is. The first of a killed process may be a zombie, another write."""
    directory = Path(f"/proc/{process.pid}")
    try:
        if read_stat(directory)[0] != process:
            return False
        threads = list((directory / "task").iterdir())
    except OSError:
        return False
    for thread in threads:
        try:
            if read_stat(thread)[1] not in "ZX":
                return True
        except OSError:
            pass
    return False


def send(number, processes):
    for process in processes:
        try:
            os.kill(process.pid, number)
        except ProcessLookupError:
            pass


class Job:
    """A command under way. What still runs of it at the end of its block is killed."""

    def __init__(self, command, environment, **more):
        mark = {"PILEUS_TEST_JOB": uuid.uuid4().hex}
        self.mark_ = "=".join(*mark.items()).encode()
        self.known_ = set()
        words = [str(word) for word in command]
        self.launcher = subprocess.Popen(words, env=environment | mark, stdin=subprocess.DEVNULL, **more)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()

    def processes(self):
        """All processes that run now, the launcher among them."""
        everything = all_processes()
        ours = [process for process in everything if self.is_ours(process)]
        for one in ours:
            ours += [other for other in everything if other.parent == one.pid and other not in ours]
        self.known_.update(ours)
        return ours

    def is_ours(self, process):
        if process.pid == self.launcher.pid and self.launcher.returncode is None:
            return True
        try:
            return self.mark_ in Path(f"/proc/{process.pid}/environ").read_bytes().split(b"\0")
        except OSError:
            return False

    def kill(self):
        """Kill all of it, the launcher too, and return when nothing of it runs."""
        deadline = time.monotonic() + TIMEOUT_S
        stopped = set()
        # One that is stopped starts no more, and is still the parent of those that it started.
        while new := set(self.processes()) - stopped:
            assert time.monotonic() < deadline, f"{new} began while the others were stopped"
            send(signal.SIGSTOP, new)
            stopped |= new
        send(signal.SIGKILL, filter(is_running, self.known_))
        while left := [process for process in self.known_ if is_running(process)]:
            assert time.monotonic() < deadline, f"{left} run {TIMEOUT_S} s after they were killed"
            time.sleep(POLL_S)
        self.launcher.wait(TIMEOUT_S)


def kill_when(is_there, command, environment, log):
    """Runs the command, and kills all of it once something is there. The status of one that ended before.

    `log`: the path for what it says.
    """
    deadline = time.monotonic() + TIMEOUT_S
    with log.open("w") as out, Job(command, environment, stdout=out, stderr=out) as job:
        while not is_there() and job.launcher.poll() is None:
            assert time.monotonic() < deadline, f"not there after {TIMEOUT_S} s: {log.read_text()}"
            time.sleep(POLL_S)
        return job.launcher.poll()
