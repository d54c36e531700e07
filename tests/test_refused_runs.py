"""A run that cannot be starts nothing: every model rank is told why, every server fails, and nobody hangs."""

import re

import pytest
from oracle.launch import MODEL, ORACLE, SERVER, mpi_command, require_programs, run

TIMEOUT_S = 60
RANKS, SERVERS = 3, 2
CONFIG, USAGE = 3, 2  # of pileus_status

CONFIGURATION = """<io-configuration>
  <data-definition name="state" frequency="1">
    <field name="w" type="array" data_type="double" size="z,y,x" collective="true"/>
  </data-definition>
  <data-writing>
    <file name="out.nc" write_time_frequency="50">
      <include field="w" time_manipulation="averaged" output_frequency="10"/>
    </file>
  </data-writing>
</io-configuration>
"""

BROKEN = {
    "a field that the model does not have": ('name="w"', 'name="ww"', "ww"),
    "a size that is not the model's": ('size="z,y,x"', 'size="y,z,x"', "y,z,x"),
    "a name that is not declared": ('field="w" time', 'field="v" time', '"v"'),
    "an element that does not exist": ("<include", "<inclde", "inclde"),
    "XML that is not well formed": ("</data-writing>", "", "data-writing"),
    "an option that nobody gives": ('"50"', '"{period}"', "period"),
}


@pytest.fixture(autouse=True)
def programs():
    require_programs()


def with_status(command):
    """A command that says its status in place of returning it, so that the launcher lets the others end."""
    words = " ".join(f"'{word}'" for word in command)
    return ["sh", "-c", f'{words}; echo "server ends with $?"']


def refused(configuration, directory):
    """A job whose servers say their status; returns all it says and each model rank's status and text."""
    model = [MODEL, "--config", configuration, "--report"]
    server = with_status([SERVER, configuration, "--directory", directory, "--workers", 1])
    done = run(mpi_command((RANKS, model), (SERVERS, server)), str(configuration), TIMEOUT_S)
    report = r"(?ms)^model rank (\d+): (\w+): status (\d+): (.*?)(?=^model rank |^server ends |\Z)"
    said = re.findall(report, done.stdout)
    ranks = {int(rank): (call, int(status), text) for rank, call, status, text in said}
    return done.stdout + done.stderr, ranks


@pytest.mark.parametrize("what", BROKEN)
def test_every_rank_is_told_what_is_wrong_and_every_server_fails(what, tmp_path):
    good, bad, word = BROKEN[what]
    assert good in CONFIGURATION
    path = tmp_path / "run.xml"
    path.write_text(CONFIGURATION.replace(good, bad), encoding="utf-8")

    all_said, ranks = refused(path, tmp_path)

    assert sorted(ranks) == list(range(RANKS)), f"{what}: {all_said}"
    for rank, (call, status, text) in ranks.items():
        assert (call, status) == ("pileus_commit", CONFIG), f"{what}: rank {rank}: {all_said}"
        assert word in text and "run.xml:" in text, f"{what}: rank {rank}: {text}"
    assert all_said.count("server ends with 1") == SERVERS, f"{what}: {all_said}"
    assert not list(tmp_path.glob("*.nc")), what


def test_a_configuration_that_is_not_there_is_named(tmp_path):
    all_said, ranks = refused(tmp_path / "missing.xml", tmp_path)

    assert sorted(ranks) == list(range(RANKS)), all_said
    assert all("missing.xml" in text for _, _, text in ranks.values()), all_said
    assert all_said.count("server ends with 1") == SERVERS, all_said


def test_the_job_fails_with_its_servers(tmp_path):
    path = tmp_path / "run.xml"
    path.write_text(CONFIGURATION.replace('name="w"', 'name="ww"'), encoding="utf-8")
    model = [MODEL, "--config", path, "--report"]

    done = run(mpi_command((RANKS, model), (SERVERS, [SERVER, path])), "refused", TIMEOUT_S)

    assert done.returncode != 0, done.stdout + done.stderr


WRONG_OPTIONS = [["--wrkers", "1"], ["--workers", "few"], ["--directory", "missing"], ["--set", "period"]]


@pytest.mark.parametrize("wrong", WRONG_OPTIONS, ids=" ".join)
def test_a_server_with_a_wrong_option_ends_the_whole_job(wrong):
    # The model and the other server wait to be joined by the server that does not come.
    path = ORACLE / "large.xml"
    command = mpi_command((2, [MODEL, "--config", path]), (1, [SERVER, path]), (1, [SERVER, path, *wrong]))

    done = run(command, str(wrong), TIMEOUT_S)

    assert done.returncode != 0, f"{wrong}: {done.stdout}{done.stderr}"
    assert wrong[0] in done.stderr, f"{wrong}: {done.stderr}"


def test_model_ranks_without_a_server_are_told_to_start_one():
    command = mpi_command((RANKS, [MODEL, "--config", ORACLE / "large.xml", "--report"]))

    done = run(command, "no server", TIMEOUT_S)

    said = re.findall(r"model rank (\d+): pileus_start: status (\d+): (.*)", done.stdout)
    assert sorted(rank for rank, _, _ in said) == ["0", "1", "2"], done.stdout + done.stderr
    for rank, status, text in said:
        assert int(status) == USAGE, f"rank {rank}: {text}"
        assert "3 model ranks and no server" in text and "pileus-server" in text, f"rank {rank}: {text}"


def test_servers_without_a_model_say_so():
    done = run(mpi_command((SERVERS, [SERVER, ORACLE / "large.xml"])), "no model", TIMEOUT_S)

    assert done.returncode != 0
    assert "none is a model rank" in done.stderr, done.stderr


@pytest.mark.parametrize("how", [["--alone"], []], ids=["alone", "attached"])
def test_an_attached_run_is_refused_alike(how, tmp_path):
    path = tmp_path / "run.xml"
    path.write_text(CONFIGURATION.replace('name="w"', 'name="ww"'), encoding="utf-8")

    done = run([MODEL, "--config", path, "--directory", tmp_path, *how], "attached", TIMEOUT_S)

    assert done.returncode == 1, done.stdout + done.stderr
    assert re.search(r"(?s)pileus_\w+: status 3: .*run\.xml:", done.stderr), done.stderr
    assert not list(tmp_path.glob("*.nc"))


def test_a_rank_that_leaves_is_named_and_holds_up_nobody(tmp_path):
    path = tmp_path / "run.xml"
    path.write_text(CONFIGURATION)
    model = [MODEL, "--config", path, "--report", "--steps", 60, "--leave", 8]
    server = with_status([SERVER, path, "--directory", tmp_path, "--workers", 1])

    done = run(mpi_command((RANKS, model), (SERVERS, server)), "a rank leaves", TIMEOUT_S)

    said = done.stdout + done.stderr
    assert "model rank 1 broke the run off after step 7" in said
    assert re.search(r"model rank 0: pileus_finish: status 4: .*", done.stdout), said
    assert said.count("server ends with 1") == SERVERS, said
    published = sorted(file.name for file in tmp_path.glob("*.nc"))
    assert "out_50.nc" in published and len(published) >= 2, said
    assert not list(tmp_path.glob(".*.part")), "nothing half written is left"


def test_a_model_that_forgets_to_finish_ends_all_the_same(tmp_path):
    path = tmp_path / "run.xml"
    path.write_text(CONFIGURATION)
    model = [MODEL, "--config", path, "--steps", 60, "--forget"]
    server = with_status([SERVER, path, "--directory", tmp_path, "--workers", 1])

    done = run(mpi_command((RANKS, model), (SERVERS, server)), "no pileus_finish", TIMEOUT_S)

    said = done.stdout + done.stderr
    assert said.count("MPI_Finalize was called before pileus_finish") == RANKS, said
    assert "model rank 2 broke the run off after step 60" in said
    assert said.count("server ends with 1") == SERVERS, said
    assert (tmp_path / "out_50.nc").exists()
    assert not list(tmp_path.glob(".*.part")), "nothing half written is left"
