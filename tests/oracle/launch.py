"""Starts the model of the tests with servers beside it, or attached, and says what came of it.

PILEUS_MPI chooses the MPI, openmpi (where it is not set) or mpich. The programs are those of its build, which
PILEUS_BUILD names (build/release, build/mpich); MPIRUN is its launcher.
"""

import functools
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from oracle.kills import Job

ROOT = Path(__file__).resolve().parents[2]
BUILDS = {"openmpi": "release", "mpich": "mpich"}
MPI = os.environ.get("PILEUS_MPI", "openmpi")
BUILD = Path(os.environ.get("PILEUS_BUILD", ROOT / "build" / BUILDS[MPI])).resolve()
BIN = BUILD / "bin"
MODEL = BIN / "pileus_test_model"
SERVER = BIN / "pileus-server"
PILEUS = BIN / "pileus"
MPIRUN = os.environ.get("MPIRUN", "mpirun" if MPI == "openmpi" else f"mpirun.{MPI}")
ORACLE = Path(__file__).resolve().parent
TIMEOUT_S = 120


TWO_PROGRAMS = "two programs"
# Ways in which ranks of the model's own program become servers, and the option that asks for it.
SAME_PROGRAM = {
    "total": lambda ranks, servers: ["--servers-total", servers],
    "ratio": lambda ranks, servers: ["--servers-ratio", -(-ranks // servers)],
    "per node": lambda ranks, servers: ["--servers-per-node", servers],
    "per socket": lambda ranks, servers: ["--servers-per-socket", servers],
}


def pileus(*arguments, cwd=None, timeout=120, **changes):
    """The result of the command line program. `changes`: of the environment, which names no table of CF."""
    if not PILEUS.is_file():
        pytest.skip(f"no program {PILEUS}: build it, or set PILEUS_BUILD")
    return subprocess.run(
        [PILEUS, *map(str, arguments)],
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=timeout,
        env=os.environ | {"PILEUS_STANDARD_NAMES": ""} | changes,
        check=False,
    )


def bin_of(mpi):
    """The folder of the programs that are linked with an MPI."""
    return BIN if mpi == MPI else BUILD.parent / BUILDS[mpi] / "bin"


def launcher_of(mpi):
    return MPIRUN if mpi == MPI else f"mpirun.{mpi}"


def available_mpis():
    """The one that PILEUS_MPI names, or all that there is a build for."""
    if "PILEUS_MPI" in os.environ:
        return [MPI]
    others = [
        mpi
        for mpi in BUILDS
        if mpi != MPI and (bin_of(mpi) / MODEL.name).is_file() and shutil.which(launcher_of(mpi))
    ]
    return [MPI, *others]


@dataclass(frozen=True)
class Layout:
    """How a run is spread. No servers: attached, with or without MPI.

    `workers` counts for two programs alone. By ratio the job has `ranks` + `servers` ranks, and the ratio may
    divide them otherwise than said here.
    """

    ranks: int = 1
    servers: int = 0
    workers: int = 1
    is_uneven: bool = False
    is_alone: bool = False
    how: str = TWO_PROGRAMS
    mpi: str = MPI

    def __str__(self):
        if self.is_alone:
            return "alone"
        spread = f"{self.mpi}, {self.ranks} {'uneven' if self.is_uneven else 'even'} ranks"
        if self.servers == 0:
            return f"{spread}, attached"
        workers = f" of {self.workers} workers" if self.how == TWO_PROGRAMS else ""
        return f"{spread}, {self.servers} servers{workers}, {self.how}"


def require_programs():
    """Skips what needs the programs where they were not built."""
    for program in (MODEL, SERVER):
        if not program.is_file():
            pytest.skip(f"no program {program}: build it, or set PILEUS_BUILD")


def environment():
    """The environment of every run: the same bytes each time, as many ranks as asked for, as root too.

    What the caller's shell says to Pileus does not reach the runs: a test says it itself, with env.
    """
    kept = {key: value for key, value in os.environ.items() if not key.startswith("PILEUS_")}
    return dict(
        kept,
        SOURCE_DATE_EPOCH="0",
        OMPI_ALLOW_RUN_AS_ROOT="1",
        OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
    )


@functools.cache
def launcher_flags(launcher):
    """Flags for more ranks than cores, which only Open MPI needs."""
    version = subprocess.run([launcher, "--version"], capture_output=True, text=True, timeout=TIMEOUT_S)
    if "Open MPI" not in version.stdout and "open-mpi" not in version.stdout:
        return []
    return ["--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"]


def run(command, what, timeout_s=TIMEOUT_S, **changes):
    """The finished process; fails the test, and kills all that it started, if it does not end by itself.

    `changes`: of the environment.
    """
    job = Job(command, environment() | changes, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        said, errors = job.launcher.communicate(timeout=timeout_s)
    except subprocess.TimeoutExpired:
        job.kill()  # ranks that outlive their launcher would spin and slow later tests
        said, errors = job.launcher.communicate(timeout=timeout_s)
        pytest.fail(f"{what}: not finished after {timeout_s} s\n{said}{errors}")
    finally:
        if job.launcher.poll() is None:
            job.kill()
    return subprocess.CompletedProcess(job.launcher.args, job.launcher.returncode, said, errors)


def run_described(command, directory):
    """Runs a job that leaves model.json, its model's description, and report.json in the directory."""
    asked = {"PILEUS_DESCRIBE_MODEL": directory / "model.json", "PILEUS_REPORT": directory / "report.json"}
    done = run(command, "described run", **{key: str(path) for key, path in asked.items()})
    assert done.returncode == 0, done.stdout + done.stderr


def mpi_command(*programs, mpi=MPI):
    """mpirun for pairs of a number of ranks and a command."""
    parts = [["-n", ranks, *program] for ranks, program in programs]
    launcher = launcher_of(mpi)
    begin = [launcher, *launcher_flags(launcher), *parts[0]]
    return begin + [word for part in parts[1:] for word in (":", *part)]


def model_command(layout, configuration, directory, *options):
    """The command that runs the model of the tests in the layout."""
    programs = bin_of(layout.mpi)
    model = [programs / MODEL.name, "--config", configuration, "--directory", directory, *options]
    model += ["--uneven"] if layout.is_uneven else []
    model += ["--alone"] if layout.is_alone else []
    if layout.is_alone:
        return model
    if layout.servers == 0:
        return mpi_command((layout.ranks, model), mpi=layout.mpi)
    if layout.how == TWO_PROGRAMS:
        server = [programs / SERVER.name, configuration, "--directory", directory]
        server += ["--workers", layout.workers]
        return mpi_command((layout.ranks, model), (layout.servers, server), mpi=layout.mpi)
    asked = SAME_PROGRAM[layout.how](layout.ranks, layout.servers)
    return mpi_command((layout.ranks + layout.servers, [*model, *asked]), mpi=layout.mpi)


def run_model(layout, configuration, directory, *options, within=()):
    """Runs the model in the layout and returns what it published: file names and their paths.

    `within`: the command that runs the job, if it is not to be run directly.
    """
    directory.mkdir(parents=True, exist_ok=True)
    command = model_command(layout, configuration, directory, *options)
    done = run([*within, *command], str(layout))
    assert done.returncode == 0, f"{layout}: status {done.returncode}\n{done.stdout}{done.stderr}"
    published = sorted(path for path in directory.rglob("*") if path.is_file())
    files = {str(path.relative_to(directory)): path for path in published}
    left = [name for name, path in files.items() if path.suffix != ".nc"]
    assert not left, f"{layout}: left behind {left}"
    return files
