"""Hosts on this machine that have networks of their own: what runs on several nodes are tried on.

tests/hosts/world.sh makes them, of namespaces. They share the processor, the file system and the numbers of
processes, and nothing else. Nothing of them has a name, and the system takes all of it away when the one who
made them ends, in whatever way.
"""

import itertools
import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from oracle import launch
from oracle.kills import Job, all_processes, is_running, send

HERE = Path(__file__).resolve().parents[1] / "hosts"
NAMES = ("alpha", "beta")
TIMEOUT_S = 60
NEEDS = "hosts with networks of their own need root, Linux namespaces and the package iproute2"
SPACES = ("--pid", "--mount", "--net")


def require():
    """Skips what needs hosts where there can be none."""
    tools = all(shutil.which(tool) for tool in ("ip", "nsenter", "unshare"))
    if os.geteuid() != 0 or not tools:
        pytest.skip(NEEDS)
    tried = subprocess.run(["unshare", "--fork", *SPACES, "ip", "link", "add", "type", "bridge"],
                           capture_output=True, text=True, timeout=TIMEOUT_S)
    if tried.returncode != 0:
        pytest.skip(f"{NEEDS}: {tried.stderr.strip()}")


class Hosts:
    """Hosts that are there within a block. `folder`: one that is empty, where commands on the hosts run."""

    def __init__(self, folder, names=NAMES):
        self.folder, self.names = folder, names

    def __enter__(self):
        for script in ("enter", "agent"):
            shutil.copy2(HERE / f"{script}.sh", self.folder / script)
        command = ["unshare", "--fork", *SPACES, HERE / "world.sh", self.folder, *self.names]
        # The first process ends when its input does: nobody else may have the other end of that.
        self.world_ = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        said = self.world_.stdout.readline()
        assert said, f"no hosts: status {self.world_.wait(TIMEOUT_S)}"
        self.first = int(said)
        beside = space_of(self.first, "uts")
        self.holders_ = [process for process in all_of(self.first) if space_of(process.pid, "uts") != beside]
        assert len(self.holders_) == len(self.names)
        return self

    def __exit__(self, *_):
        self.world_.stdin.close()
        self.world_.wait(TIMEOUT_S)
        self.world_.stdout.close()

    def beside(self, *words):
        """The command that runs the words beside the hosts, where the switch is."""
        return ["nsenter", "--target", self.first, *SPACES, *words]

    def on(self, host, *words):
        """The command that runs the words on a host, in this environment."""
        return self.beside(f"--wd={self.folder}", self.folder / "enter", self.folder, host, *words)

    def mpirun(self, *programs, mpi=launch.MPI, variables=None, more=(), at=None):
        """The command of a job of programs, each of which is (host, ranks, words), host by host.

        `at`: the host of the launcher, the first if it is not named. `more`: options of the launcher.
        `variables`: of the environment of all ranks. The agent hands on none, so Open MPI has to be asked for
        each, for every program again; MPICH's launcher takes them all along.
        """
        in_turn = [host for host, _ in itertools.groupby(host for host, _, _ in programs)]
        assert len(in_turn) == len(set(in_turn)), "MPICH fills one host after the other"
        asked = [f"{key}={value}" for key, value in (variables or {}).items()]
        launcher, agent = launch.launcher_of(mpi), self.folder / "agent"
        if mpi == "openmpi":
            begin = [launcher, "--mca", "plm_rsh_agent", agent, *launch.launcher_flags(launcher)]
            exports = [word for name in variables or {} for word in ("-x", name)]
            parts = [[*exports, "-n", ranks, "--host", host, *program] for host, ranks, program in programs]
        else:
            here = {host: sum(ranks for place, ranks, _ in programs if place == host) for host in self.names}
            slots = ",".join(f"{host}:{ranks}" for host, ranks in here.items() if ranks > 0)
            begin = [launcher, "-launcher", "ssh", "-launcher-exec", agent, "-hosts", slots]
            parts = [["-n", ranks, *program] for _, ranks, program in programs]
        words = [*begin, *more, *parts[0], *(word for part in parts[1:] for word in (":", *part))]
        return self.on(at or self.names[0], "env", *asked, *words)

    def ask(self, *words):
        """What a command says beside the hosts."""
        done = subprocess.run([str(word) for word in self.beside(*words)], capture_output=True, text=True,
                              timeout=TIMEOUT_S, check=True)
        return done.stdout

    def ask_on(self, host, *words):
        """What a command says on the host."""
        command = [str(word) for word in self.on(host, *words)]
        return subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=True).stdout

    def bytes_to(self, host):
        """Bytes that the switch has sent to the host."""
        (link,) = json.loads(self.ask("ip", "-json", "-statistics", "link", "show", f"to-{host}"))
        return link["stats64"]["tx"]["bytes"]

    def unplug(self, host):
        """Pull the cable out of the switch: packets are lost, and nobody learns of it."""
        self.ask("ip", "link", "set", f"to-{host}", "nomaster")

    def plug_in(self, host):
        self.ask("ip", "link", "set", f"to-{host}", "master", "switch")

    def processes_on(self, host):
        """All processes that run there."""
        space = self.ask_on(host, "readlink", "/proc/self/ns/uts").strip()
        return [process for process in all_of(self.first) if space_of(process.pid, "uts") == space]

    def kill(self, host):
        """End all that runs on the host, which itself goes on answering."""
        victims = [process for process in self.processes_on(host) if process not in self.holders_]
        send(signal.SIGKILL, victims)


def space_of(pid, kind):
    try:
        return os.readlink(f"/proc/{pid}/ns/{kind}")
    except OSError:
        return None


def all_of(first):
    """All processes in the namespaces of that one."""
    space = space_of(first, "pid")
    return [process for process in all_processes() if space_of(process.pid, "pid") == space]


def are_any_running(processes):
    return any(map(is_running, processes))


def run_on_hosts(two, programs, mpi, report, timeout_s=launch.TIMEOUT_S, **variables):
    """What a job says that writes a report, and ends well. `variables`: of the environment of its ranks.

    MPICH's ranks, in Debian over the TCP of UCX, may wait for each other in MPI_Finalize for ever, whatever
    the program (openucx/ucx#8738: TCP transport hangs during cleanup). So its jobs are ended when their run
    is over, which its report says.
    """
    asked = {"SOURCE_DATE_EPOCH": "0", "PILEUS_REPORT": str(report), **variables}
    log = two.folder / "log"
    deadline = time.monotonic() + timeout_s
    command = two.mpirun(*programs, mpi=mpi, variables=asked)
    with log.open("w") as out, Job(command, launch.environment(), stdout=out, stderr=out) as job:
        while job.launcher.poll() is None and not (mpi == "mpich" and is_complete(report)):
            assert time.monotonic() < deadline, f"not finished after {timeout_s} s\n{log.read_text()}"
            time.sleep(0.01)
        status = job.launcher.poll() or 0
    assert status == 0, log.read_text()
    return log.read_text()


def is_complete(report):
    try:
        return bool(json.loads(report.read_text()))
    except (OSError, ValueError):
        return False
