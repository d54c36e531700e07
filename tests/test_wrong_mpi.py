"""A launcher of another MPI is named, where ranks would each be alone and write the same files."""

import shutil

import pytest
from oracle.launch import MODEL, MPI, ORACLE, SERVER, available_mpis, bin_of, require_programs, run

OTHERS = {"openmpi": ("mpirun.mpich", "PMI_SIZE"), "mpich": ("mpirun.openmpi", "OMPI_COMM_WORLD_SIZE")}
ANYWHERE = {"OMPI_MCA_rmaps_base_oversubscribe": "1"}  # more ranks than cores; MPICH needs no word for it


@pytest.fixture(autouse=True)
def programs():
    require_programs()


@pytest.fixture(name="mpi", params=OTHERS)
def each_mpi(request):
    """Both directions, if there are programs of both: ./dev --mpi mpich build makes those of the other."""
    if request.param not in available_mpis():
        pytest.skip(f"no programs with {request.param}")
    if not (bin_of(request.param) / SERVER.name).is_file():
        pytest.skip(f"no {SERVER.name} with {request.param}")
    if shutil.which(OTHERS[request.param][0]) is None:
        pytest.skip(f"no {OTHERS[request.param][0]}")
    return request.param


def under_the_other(mpi, *command):
    """The output of two ranks under the launcher of another MPI, and the sentence that is expected."""
    launcher, variable = OTHERS[mpi]
    done = run([launcher, "-n", 2, *command], launcher, 60, **ANYWHERE)
    return done, f"started 2 ranks ({variable}), but the MPI of this program"


def test_a_model_under_the_other_mpirun_is_refused_and_writes_nothing(mpi, tmp_path):
    model = [bin_of(mpi) / MODEL.name, "--config", ORACLE / "large.xml", "--directory", tmp_path]

    done, sentence = under_the_other(mpi, *model)

    assert done.returncode != 0, done.stdout
    assert sentence in done.stderr, done.stderr
    assert not list(tmp_path.iterdir())


def test_servers_under_the_other_mpirun_are_refused(mpi):
    done, sentence = under_the_other(mpi, bin_of(mpi) / SERVER.name, ORACLE / "large.xml")

    assert done.returncode != 0, done.stdout
    # Open MPI's launcher tells who is the first.
    assert done.stderr.count(sentence) == (1 if mpi == "mpich" else 2), done.stderr


@pytest.mark.parametrize("is_foreign", ["model", "server"])
def test_programs_of_two_mpis_under_open_mpis_launcher_are_refused(is_foreign, tmp_path):
    """The one that belongs to the launcher waits for the other, which says why it does not come, and ends the
    job. MPICH's launcher does not end a job for that."""
    if len(available_mpis()) < 2 or not all((bin_of(mpi) / SERVER.name).is_file() for mpi in OTHERS):
        pytest.skip("no programs with both")
    launcher, variable = OTHERS["mpich"]
    model, server = (bin_of("mpich" if one == is_foreign else "openmpi") for one in ("model", "server"))
    options = ["--config", ORACLE / "large.xml", "--directory", tmp_path]
    beside = [":", "-n", 1, server / SERVER.name, ORACLE / "large.xml"]

    done = run([launcher, "-n", 2, model / MODEL.name, *options, *beside], launcher, 60, **ANYWHERE)

    assert done.returncode != 0, done.stdout
    assert f"started 3 ranks ({variable}), but the MPI of this program" in done.stderr, done.stderr
    assert not list(tmp_path.iterdir())


def test_one_rank_that_its_own_launcher_started_runs_wherever_that_was_started(tmp_path):
    """The innermost launcher counts, such as mpirun -n 1 in a step of Slurm with several tasks."""
    variable = {"openmpi": "OMPI_COMM_WORLD_SIZE", "mpich": "PMI_SIZE"}[MPI]
    environment = [f"{variable}=1", "SLURM_STEP_NUM_TASKS=4"]

    model = [MODEL, "--config", ORACLE / "large.xml", "--directory", tmp_path]

    done = run(["env", *environment, *model], "one", 60)

    assert "started 4 ranks" not in done.stdout + done.stderr


def test_a_rank_alone_in_a_step_of_several_is_refused(tmp_path):
    model = [MODEL, "--config", ORACLE / "large.xml", "--directory", tmp_path]

    done = run(["env", "SLURM_STEP_NUM_TASKS=4", *model], "four", 60)

    assert "srun started 4 ranks (SLURM_STEP_NUM_TASKS)" in done.stdout + done.stderr
