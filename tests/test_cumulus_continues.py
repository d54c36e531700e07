"""cumulus, killed and continued in another layout, ends with the files of the run that was not."""

import pytest
from oracle.kills import kill_when
from oracle.launch import BIN, SERVER, environment, mpi_command, run

CUMULUS = BIN / "cumulus"
GRID = ["--nx", 10, "--ny", 9, "--nz", 8, "--end", 10**6, "--steps"]
KILLED_AFTER, KILLED_BEFORE, END = 18, 45, 60
TIMEOUT_S = 180
CONFIGURATION = """<io-configuration>
  <server-configuration><checkpoint keep="3" steps="6"/></server-configuration>
  <data-definition name="state" frequency="1">
    <field name="theta" type="array" data_type="double" size="z,y,x" collective="true"/>
    <field name="w" type="array" data_type="double" size="z_face,y,x" collective="true"/>
    <field name="vwp" type="array" data_type="double" size="y,x" collective="true"/>
  </data-definition>
  <data-handling>
    <diagnostic field="vwp_mean" type="scalar" units="kg m-2">
      <operator name="localreduce" operator="mean" result="local" field="vwp"/>
      <communication name="reduction" operator="mean" result="vwp_mean" field="local" root="auto"/>
    </diagnostic>
  </data-handling>
  <data-writing>
    <file name="out/theta.nc" write_time_frequency="60">
      <include field="theta" time_manipulation="averaged" output_frequency="30"/>
      <include field="vwp_mean" time_manipulation="averaged" output_frequency="12"/>
    </file>
    <file name="out/dumps/dump_{time}.nc">
      <include state="io"/>
      <include field="w"/>
      <include field="theta"/>
    </file>
  </data-writing>
</io-configuration>
"""


@pytest.fixture(scope="module", autouse=True)
def programs():
    for program in (CUMULUS, SERVER):
        if not program.is_file():
            pytest.skip(f"no program {program}: build it, or set PILEUS_BUILD")


@pytest.fixture(scope="module")
def configuration(tmp_path_factory):
    path = tmp_path_factory.mktemp("configuration") / "run.xml"
    path.write_text(CONFIGURATION, encoding="utf-8")
    return path


def command(ranks, servers, configuration, directory, steps, *more):
    model = [CUMULUS, *GRID, steps, "--quiet", "--output", "pileus", "--config", configuration]
    model += ["--directory", directory, *more]
    if servers == 0:
        return mpi_command((ranks, model))
    return mpi_command((ranks, model), (servers, [SERVER, configuration, "--directory", directory]))


def published(directory):
    """The published files, without the model's own restart files."""
    names = [path for path in directory.rglob("*.nc") if not path.name.startswith("cumulus-")]
    return {str(path.relative_to(directory)): path.read_bytes() for path in names}


@pytest.fixture(scope="module")
def whole(configuration, tmp_path_factory):
    """The files of a run that nobody kills."""
    directory = tmp_path_factory.mktemp("whole")
    done = run(command(3, 2, configuration, directory, END), "whole", TIMEOUT_S)
    assert done.returncode == 0, done.stdout + done.stderr
    kept = sorted(path.name for path in (directory / "pileus-checkpoints").glob("step-*"))
    assert kept == [f"step-{step:010d}" for step in (48, 54, 60)]  # as many as keep says
    return published(directory)


def run_and_kill(configuration, directory):
    """Kills everything when a checkpoint is complete or the run has ended; returns the steps kept."""
    newest = directory / "pileus-checkpoints" / f"step-{KILLED_AFTER:010d}"
    words = command(3, 2, configuration, directory, KILLED_BEFORE)
    directory.mkdir()
    log = directory / "log"
    assert kill_when(newest.exists, words, environment(), log) in (None, 0), log.read_text()
    return sorted(int(path.parent.name[5:]) for path in directory.glob("pileus-checkpoints/step-*/manifest"))


def restarts(directory):
    return sorted(int(path.stem[-10:]) for path in directory.glob("cumulus-restart-*.nc"))


def assert_same(ours, expected):
    assert sorted(ours) == sorted(expected)
    assert not [name for name in expected if ours[name] != expected[name]]


@pytest.mark.parametrize("ranks, servers", [(2, 1), (4, 2), (2, 0)])
def test_another_layout_ends_with_the_same_files(ranks, servers, configuration, whole, tmp_path):
    directory = tmp_path / "killed"
    steps = run_and_kill(configuration, directory)
    assert steps and steps[-1] >= KILLED_AFTER, (directory / "log").read_text()
    newest = max(set(steps) & set(restarts(directory)))

    continued = command(ranks, servers, configuration, directory, END - newest, "--continue", "newest")
    done = run(continued, "continued", TIMEOUT_S)

    assert done.returncode == 0, done.stdout + done.stderr
    assert_same(published(directory), whole)


def test_a_given_step_is_taken_and_what_came_after_it_made_again(configuration, whole, tmp_path):
    directory = tmp_path / "killed"
    steps = run_and_kill(configuration, directory)
    first = min(set(steps) & set(restarts(directory)))

    done = run(command(3, 1, configuration, directory, END - first, "--continue", first), "first", TIMEOUT_S)

    assert done.returncode == 0, done.stdout + done.stderr
    assert_same(published(directory), whole)


def test_a_step_that_was_not_kept_is_refused_with_those_that_were(configuration, tmp_path):
    directory = tmp_path / "killed"
    steps = run_and_kill(configuration, directory)

    nothing = run(command(2, 1, configuration, directory, 3, "--continue", 5), "step 5", TIMEOUT_S)
    (tmp_path / "empty").mkdir()
    words = command(2, 0, configuration, tmp_path / "empty", 3, "--continue", "newest")
    empty = run(words, "none", TIMEOUT_S)

    assert nothing.returncode != 0  # of the model or of the server that it left, whoever is first
    assert "there is no" in nothing.stderr and str(steps[-1]) in nothing.stderr, nothing.stderr
    assert empty.returncode != 0
    assert "no step has both" in empty.stderr, empty.stderr
