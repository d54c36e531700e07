"""A launcher of another MPI is named, where ranks would each be alone and write the same files."""

import shutil

import pytest
from oracle.launch import MODEL, MPI, ORACLE, SERVER, require_programs, run

OTHERS = {"openmpi": ("mpirun.mpich", "PMI_SIZE"), "mpich": ("mpirun.openmpi", "OMPI_COMM_WORLD_SIZE")}


@pytest.fixture(autouse=True)
def programs():
    require_programs()


@pytest.fixture(name="other")
def other_launcher():
    launcher, variable = OTHERS[MPI]
    if shutil.which(launcher) is None:
        pytest.skip(f"no {launcher}")
    return launcher, variable


def assert_said(done, variable, program):
    said = done.stdout + done.stderr
    assert done.returncode != 0, said
    assert f"started 2 ranks ({variable}), but the MPI of this program" in said, f"{program}: {said}"


def test_a_model_under_the_other_mpirun_is_refused_and_writes_nothing(other, tmp_path):
    launcher, variable = other
    model = [MODEL, "--config", ORACLE / "large.xml", "--directory", tmp_path]

    done = run([launcher, "-n", 2, *model], launcher, 60)

    assert_said(done, variable, "model")
    assert not list(tmp_path.iterdir())


def test_servers_under_the_other_mpirun_are_refused(other):
    launcher, variable = other

    done = run([launcher, "-n", 2, SERVER, ORACLE / "large.xml"], launcher, 60)

    assert_said(done, variable, "pileus-server")


def test_one_rank_that_its_own_launcher_started_runs_wherever_that_was_started(tmp_path):
    """mpirun -n 1 in a step of Slurm with several tasks: the innermost launcher counts."""
    variable = {"openmpi": "OMPI_COMM_WORLD_SIZE", "mpich": "PMI_SIZE"}[MPI]
    environment = [f"{variable}=1", "SLURM_STEP_NUM_TASKS=4"]

    model = [MODEL, "--config", ORACLE / "large.xml", "--directory", tmp_path]

    done = run(["env", *environment, *model], "one", 60)

    assert "started 4 ranks" not in done.stdout + done.stderr


def test_a_rank_alone_in_a_step_of_several_is_refused(tmp_path):
    model = [MODEL, "--config", ORACLE / "large.xml", "--directory", tmp_path]

    done = run(["env", "SLURM_STEP_NUM_TASKS=4", *model], "four", 60)

    assert "srun started 4 ranks (SLURM_STEP_NUM_TASKS)" in done.stdout + done.stderr
