"""Runs models and servers under mpirun, and measures what they cost."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from figures import BUILD, ROOT

BIN = BUILD / "bin"
MODELS = BUILD / "bench" / "models"
SERVER = BIN / "pileus-server"
STRATUS = ROOT / "models" / "cumulus" / "stratus.list"
TIMEOUT_S = 600

# Runs a program, and leaves its status and CPU time in a file.
MEASURE = """
import json, os, resource, subprocess, sys
status = subprocess.call(sys.argv[2:])
used = resource.getrusage(resource.RUSAGE_CHILDREN)
name = sys.argv[1] + "." + os.environ.get("OMPI_COMM_WORLD_RANK", os.environ.get("PMI_RANK", "0"))
open(name, "w").write(json.dumps(used.ru_utime + used.ru_stime))
sys.exit(status)
"""


class Cost(NamedTuple):
    """The output of one run, and the CPU seconds of all ranks of the model and of all servers."""

    text: str
    model_cpu_s: float
    server_cpu_s: float


def launcher(ranks_may_yield):
    """The mpirun, with the flags that Open MPI needs to start as root and more ranks than cores."""
    mpirun = os.environ.get("MPIRUN", "mpirun")
    version = subprocess.run([mpirun, "--version"], capture_output=True, text=True, check=True)
    if "Open MPI" in version.stdout:
        return [mpirun, "--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle",
                "1" if ranks_may_yield else "0"]
    return [mpirun]


def run(ranks, model, servers=0, configuration=None, directory=".", ranks_may_yield=True, server_has=None):
    """Runs a model, with servers if there are any, and returns its Cost. Errors: ends the benchmark.

    ranks_may_yield : within MPI calls, to other processes; otherwise each rank needs its own core.
    server_has : variables of the environment for the servers alone.
    """
    with tempfile.TemporaryDirectory() as folder:
        measured = [sys.executable, "-c", MEASURE]
        command = [*launcher(ranks_may_yield), "-n", ranks, *measured, f"{folder}/model", *model]
        if servers:
            has = ["env", *(f"{name}={value}" for name, value in server_has.items())] if server_has else []
            command += [":", "-n", servers, *measured, f"{folder}/server", *has, SERVER, configuration,
                        "--directory", directory]
        environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                              timeout=TIMEOUT_S, env=environment)
        if done.returncode != 0:
            sys.exit(f"{' '.join(map(str, model))}: status {done.returncode}\n{done.stdout}{done.stderr}")
        return Cost(done.stdout, cpu_of(folder, "model"), cpu_of(folder, "server"))


def cpu_of(folder, who):
    """CPU seconds of all processes of one kind."""
    return sum(json.loads(path.read_text()) for path in Path(folder).glob(f"{who}.*"))


def stratus_configuration(folder, number=None, sums=False):
    """Writes the configuration of the case stratus, or of so many of its diagnostics, into the folder.

    sums : whether the model sums up by level itself.
    """
    path = Path(folder) / f"stratus_{number or 'all'}.xml"
    command = [sys.executable, STRATUS.with_suffix(".py"), *(["--sums"] if sums else []), STRATUS,
               *([str(number)] if number else [])]
    with path.open("w") as out:
        subprocess.run(command, stdout=out, check=True)
    return path
