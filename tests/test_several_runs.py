"""Runs one after the other in one job; ranks without a part of a group; ranks that wait for each other."""

import re

import netCDF4
import numpy
import pytest
from oracle.launch import BIN, MPI, available_mpis, bin_of, mpi_command, require_programs, run

PROGRAM = BIN / "pileus_runs_model"
COUNT, EDGE, STEPS = 60000, 5, 12
CONFIGURATION = """<io-configuration>
  <server-configuration>{memory}</server-configuration>
  <data-definition name="first" frequency="1">
    <field name="u" type="array" data_type="double" size="x" collective="true"/>
  </data-definition>
  <data-definition name="second" frequency="1">
    <field name="v" type="array" data_type="double" size="x" collective="true"/>
  </data-definition>
  <data-definition name="edges" frequency="1">
    <field name="edge" type="array" data_type="double" size="y" collective="true"/>
  </data-definition>
  <data-writing>
    <file name="{name}.nc" write_time_frequency="{period}">
      <include field="u" time_manipulation="instantaneous" output_frequency="1"/>
      <include field="v" time_manipulation="averaged" output_frequency="6"/>
      <include field="edge" time_manipulation="instantaneous" output_frequency="4"/>
    </file>
  </data-writing>
</io-configuration>
"""


@pytest.fixture(autouse=True)
def programs():
    require_programs()
    if not PROGRAM.is_file():
        pytest.skip(f"no program {PROGRAM}: build it, or set PILEUS_BUILD")


def in_one_job(tmp_path, mpi, ranks, servers, memory=""):
    """A run for each number of servers in turn, with configurations of its own."""
    configurations = []
    for number in range(1, len(servers) + 1):
        (tmp_path / str(number)).mkdir()
        path = tmp_path / f"run_{number}.xml"
        text = CONFIGURATION.format(name=f"name{number}", period=6 * number, memory=memory)
        path.write_text(text, encoding="utf-8")
        configurations.append(path)
    model = [bin_of(mpi) / PROGRAM.name, tmp_path, *servers, "--", *configurations]
    done = run(mpi_command((ranks, model), mpi=mpi), f"{mpi}, {ranks} ranks, servers {servers}")
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def beside_servers(tmp_path, mpi, ranks, servers, runs, status=0):
    """Runs that the same ranks of pileus-server serve; their number is in the names of their files."""
    path = tmp_path / "run.xml"
    path.write_text(CONFIGURATION.format(name="name{number}", period=6, memory=""), encoding="utf-8")
    model = [bin_of(mpi) / PROGRAM.name, tmp_path, *[0] * runs, "--", *[path] * runs]
    server = [bin_of(mpi) / "pileus-server", path, "--directory", tmp_path]
    done = run(mpi_command((ranks, model), (servers, server), mpi=mpi), f"{mpi}, {ranks} ranks, {runs} runs")
    assert done.returncode == status, done.stdout + done.stderr
    return done


def check_files(directory, number):
    """Every value, as the model made it: v is averaged over six steps of 1 s."""
    x = 1e-6 * numpy.arange(COUNT)
    u, v, edge = [], [], []
    paths = directory.glob(f"name{number}_*.nc")
    for path in sorted(paths, key=lambda path: int(re.findall(r"\d+", path.name)[-1])):
        with netCDF4.Dataset(path) as file:
            for name, values in (("u", u), ("v", v), ("edge", edge)):
                values.extend(file[name][...] if name in file.variables else [])
    steps = numpy.arange(1, STEPS + 1)
    assert numpy.array_equal(u, (1000.0 * number + steps)[:, None] + x)
    means = [numpy.mean([1000.0 * number + step + x for step in steps[i : i + 6]], axis=0) for i in (0, 6)]
    assert numpy.allclose(v, means, rtol=1e-14, atol=0)
    expected = [100.0 * number + step + 0.01 * numpy.arange(EDGE) for step in (4, 8, 12)]
    assert numpy.array_equal(edge, expected)


@pytest.mark.parametrize("mpi", available_mpis())
def test_runs_follow_each_other_with_other_servers_and_configurations(mpi, tmp_path):
    done = in_one_job(tmp_path, mpi, 4, [1, 0, 3, 2])

    for number in (1, 2, 3, 4):
        check_files(tmp_path / str(number), number)
    # Total of 1: rank 3. Total of 3: ranks 1, 2 and 3. Total of 2: ranks 1 and 3, behind their clients.
    served = dict(re.findall(r"rank (\d) served (\d) times", done.stdout))
    assert served == {"0": "0", "1": "2", "2": "1", "3": "3"}
    assert "ended without the others" not in done.stderr, done.stderr
    # The last run says this, after MPI_Finalize.
    for rank in (0, 2):
        assert f"rank {rank} was inside for more than 0 s: 1; wants a field: 0" in done.stdout, done.stdout
    for rank in (1, 3):
        assert f"rank {rank}: pileus_time is for model ranks, and this rank was a server" in done.stdout


@pytest.mark.parametrize("mpi", available_mpis())
def test_ranks_of_pileus_server_serve_one_run_after_the_other(mpi, tmp_path):
    done = beside_servers(tmp_path, mpi, 3, 2, runs=3)

    for number in (1, 2, 3):
        check_files(tmp_path, number)
    assert done.stdout.count("model: 3 ranks") == 3, done.stdout  # a report of each
    assert "error" not in done.stderr, done.stderr


@pytest.mark.parametrize("mpi", available_mpis())
def test_attached_ranks_that_wait_for_each_other_in_a_step_go_on_with_a_full_budget(mpi, tmp_path):
    # Less than one parcel: each further one waits for servers of ranks that stand in the model's own barrier.
    done = in_one_job(tmp_path, mpi, 3, [0], memory='<memory budget="1 KiB"/>')

    check_files(tmp_path / "1", 1)
    assert "error" not in done.stderr, done.stderr


@pytest.mark.parametrize("mpi", available_mpis())
def test_ranks_that_the_model_has_chosen_serve_wherever_they_stand(mpi, tmp_path):
    done = in_one_job(tmp_path, mpi, 5, ["@0,3", 2, "@1", "@4,2,0"])

    for number in (1, 2, 3, 4):
        check_files(tmp_path / str(number), number)
    # A total of 2: ranks 2 and 4, behind their clients.
    served = dict(re.findall(r"rank (\d) served (\d) times", done.stdout))
    assert served == {"0": "2", "1": "1", "2": "2", "3": "1", "4": "2"}
    assert "error" not in done.stderr, done.stderr


@pytest.mark.parametrize("servers", ["@1", 1])
def test_the_threads_of_a_rank_that_serves_share_few_heaps(tmp_path, servers):
    done = in_one_job(tmp_path, MPI, 3, [servers])

    more = re.findall(r"rank \d: (\d+) more heaps", done.stdout)
    assert more == ["0"], done.stdout  # beside the two that MPI has made


@pytest.mark.parametrize(
    ("servers", "why"),
    [
        ("@0,1,2", "pileus_serve: all 3 ranks serve and none is a model rank, which calls pileus_start"),
        ("@9", None),
    ],
)
def test_a_run_needs_a_model_rank_and_no_chosen_one(tmp_path, servers, why):
    (tmp_path / "1").mkdir()
    path = tmp_path / "run.xml"
    path.write_text(CONFIGURATION.format(name="name1", period=6, memory=""), encoding="utf-8")
    done = run(mpi_command((3, [PROGRAM, tmp_path, servers, "--", path])), servers)

    if why is None:
        assert done.returncode == 0, done.stderr
        return check_files(tmp_path / "1", 1)
    assert done.returncode != 0
    assert why in done.stderr, done.stderr
