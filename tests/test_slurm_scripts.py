"""Checks what the scripts of examples/slurm start, with an srun and an sbatch that only write it down."""

import os
import re
import shutil
import subprocess

import pytest
from oracle.installation import succeed
from oracle.launch import ROOT, SERVER

SCRIPTS = ROOT / "examples" / "slurm"
FAKE = """#!/bin/bash
{ printf '%s\\t' "$(basename "$0")" "$@"; echo; } >> "$SAID"
[[ " $* " != *" --multi-prog "* ]] || cp "${@: -1}" "$SAID.programs"
exit "${STATUS:-0}"
"""


@pytest.fixture
def job(tmp_path):
    """Runs a script as a job of so many nodes and tasks: status, commands, lines of --multi-prog, stderr."""
    (tmp_path / "bin").mkdir()
    for name in ("srun", "sbatch"):
        fake = tmp_path / "bin" / name
        fake.write_text(FAKE)
        fake.chmod(0o755)

    def run(script, nodes, tasks, *arguments, **changes):
        said = tmp_path / "said"
        surroundings = dict(os.environ, SAID=str(said), SLURM_NNODES=str(nodes), SLURM_NTASKS=str(tasks),
                            PATH=f"{tmp_path / 'bin'}:{os.environ['PATH']}", **changes)
        done = subprocess.run(["bash", SCRIPTS / script, *arguments], cwd=tmp_path, env=surroundings,
                              capture_output=True, text=True, timeout=60, check=False)
        lines = said.read_text().splitlines() if said.exists() else []
        commands = [line.split("\t")[:-1] for line in lines]
        programs = tmp_path / "said.programs"
        return (done.returncode, commands, programs.read_text().splitlines() if programs.exists() else [],
                done.stderr)

    return run


def test_one_program_is_started_with_its_arguments(job):
    status, commands, _, _ = job("same-program.sh", 2, 8, "./model", "run it.xml")

    assert status == 0
    assert commands == [["srun", "--mpi=pmix", "--kill-on-bad-exit=1", "./model", "run it.xml"]]


def test_another_way_to_start_ranks_is_taken_from_the_environment(job):
    for script in ("same-program.sh", "chained.sh", "two-programs.sh"):
        _, commands, _, _ = job(script, 2, 8, "./model", "run.xml", PILEUS_SLURM_MPI="pmi2")
        assert commands[-1 if script != "chained.sh" else -2][1] == "--mpi=pmi2", script


def test_the_last_task_of_each_node_is_a_server(job, tmp_path):
    """Two nodes of four tasks: 0-3 are on the first, 4-7 on the second."""
    status, commands, programs, _ = job("two-programs.sh", 2, 8, "./model", "run.xml", "-n", "5")

    assert status == 0
    (srun,) = commands
    assert srun[:-1] == ["srun", "--mpi=pmix", "--distribution=block", "--kill-on-bad-exit=1", "--multi-prog"]
    server = "pileus-server run.xml --log pileus.log --progress 60"
    assert programs == [f"{task} " + (server if task in (3, 7) else "./model -n 5") for task in range(8)]
    assert not list(tmp_path.glob("pileus-programs.*"))


@pytest.mark.parametrize(("nodes", "tasks"), [(2, 9), (4, 4)])
def test_tasks_that_cannot_be_shared_out_are_refused(job, nodes, tasks):
    status, commands, _, said = job("two-programs.sh", nodes, tasks, "./model", "run.xml")

    assert (status, commands) == (2, [])
    assert said.startswith(f"{tasks} tasks on {nodes} nodes: ") and "--ntasks-per-node" in said


def test_a_job_that_was_stopped_is_followed_by_one_as_large(job):
    status, commands, _, _ = job("chained.sh", 4, 32, "./model", "run.xml")

    assert status == 0
    assert [command[0] for command in commands] == ["srun", "sbatch"]
    assert commands[1][1:] == ["--nodes=4", "--ntasks-per-node=8", str(SCRIPTS / "chained.sh"), "./model",
                               "run.xml"]


def test_a_run_that_is_through_or_failed_is_followed_by_none(job, tmp_path):
    failed, commands, _, _ = job("chained.sh", 1, 8, "./model", "run.xml", STATUS="1")
    (tmp_path / "finished").touch()
    through, all_commands, _, _ = job("chained.sh", 1, 8, "./model", "run.xml")

    assert (failed, through) == (1, 0)
    assert [command[0] for command in commands] == ["srun"]
    assert [command[0] for command in all_commands] == ["srun", "srun"]


def options_in(text):
    return set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", text))


def test_slurm_and_the_server_know_the_options(tmp_path):
    scripts = "".join(path.read_text() for path in SCRIPTS.glob("*.sh"))
    ours = {"--log", "--progress"}
    assert ours <= options_in(succeed([SERVER, "--help"]))

    if not (shutil.which("srun") and shutil.which("sbatch")):
        pytest.skip("Slurm is not installed")
    settings = tmp_path / "slurm.conf"
    settings.write_text("ClusterName=none\nSlurmctldHost=localhost\nNodeName=localhost\n")
    surroundings = dict(os.environ, SLURM_CONF=str(settings))
    known = [options_in(succeed([program, "--help"], env=surroundings)) for program in ("srun", "sbatch")]
    assert options_in(scripts) - ours <= set().union(*known)
