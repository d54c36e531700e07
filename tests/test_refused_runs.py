"""A run that cannot be starts nothing: every model rank is told why, every server fails, and nobody hangs."""

import re

import pytest
from oracle.launch import (
    BIN,
    MODEL,
    ORACLE,
    SERVER,
    available_mpis,
    bin_of,
    mpi_command,
    require_programs,
    run,
)

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


def with_status(command, name="server"):
    """A command that prints its status instead of returning it, so that the launcher lets the others end."""
    words = " ".join(f"'{word}'" for word in command)
    return ["sh", "-c", f'{words}; echo "{name} ends with $?"']


def refused(configuration, directory):
    """Runs a job whose servers print their status; returns its output and the ranks' statuses and texts."""
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


WRONG_OPTIONS = [["--wrkers", "1"], ["--workers", "few"], ["--directory", "missing"], ["--set", "period"],
                 ["--help"]]


@pytest.mark.parametrize("wrong", WRONG_OPTIONS, ids=" ".join)
def test_a_server_with_a_wrong_option_ends_the_whole_job(wrong):
    # The model and the other server wait to be joined by the server that does not come.
    path = ORACLE / "large.xml"
    command = mpi_command((2, [MODEL, "--config", path]), (1, [SERVER, path]), (1, [SERVER, path, *wrong]))

    done = run(command, str(wrong), TIMEOUT_S)

    assert done.returncode != 0, f"{wrong}: {done.stdout}{done.stderr}"
    for rank in (0, 1):
        told = rf"model rank {rank}: pileus_start: status 3: .*{wrong[0]}"
        assert re.search(told, done.stderr), done.stderr
    assert_left_in_order(done)


def assert_left_in_order(done):
    """Every rank came to MPI_Finalize: launchers do not always survive a rank that calls MPI_Abort."""
    said = (done.stdout + done.stderr).lower()
    assert "mpi_abort" not in said and 'without calling "finalize"' not in said, said


@pytest.mark.parametrize("model", ["smoke_c", "smoke_cpp", "smoke_fortran"])
@pytest.mark.parametrize("servers", [(), ((2, [SERVER, "run.xml"]),)], ids=["attached", "two programs"])
def test_examples_leave_in_order_when_the_run_is_refused(model, servers, tmp_path):
    (tmp_path / "run.xml").write_text(CONFIGURATION)

    command = mpi_command((3, [BIN / model, "run.xml"]), *servers)
    done = run(["env", "-C", tmp_path, *command], model, TIMEOUT_S)

    assert done.returncode != 0
    assert 'field "w"' in done.stderr and "run.xml:" in done.stderr, done.stderr
    assert_left_in_order(done)


WRONG_STARTS = {
    "more servers than ranks": ("", ["--servers-total", 3], "3 servers are asked for, but there are 3 ranks"),
    "none left on the socket": ("", ["--servers-per-socket", 4], "of the node of rank 0 has 3 ranks"),
    "none left on the node": ("", ["--servers-per-node", 4], "the node of rank 0 has 3 ranks"),
    "a negative number": ("", ["--servers-ratio", -1], "a negative number of servers"),
    "two ways at once": ("", ["--servers-ratio", 2, "--servers-total", 1], "more than one of servers_ratio"),
    "a model that does not ask for its role": ("", ["--servers-total", 1, "--roleless"], "is to serve, but"),
    "servers in the configuration, and no role": ('<servers ratio="2"/>', ["--roleless"], "is to serve, but"),
    "two ways at once in the configuration": ('<servers ratio="2" total="1"/>', [], "run.xml:1:"),
    "an option in the number of servers": ('<servers ratio="{n}"/>', ["--option", "n=2"], 'no option "n"'),
}


def started(directory, servers, options, beside=()):
    """The lines that each rank of a job prints about its pileus_start, and the whole output."""
    path = directory / "run.xml"
    text = f"<io-configuration><server-configuration>{servers}</server-configuration>"
    path.write_text(CONFIGURATION.replace("<io-configuration>", text), encoding="utf-8")
    model = [MODEL, "--config", path, "--directory", directory, "--report", *options]
    done = run(mpi_command((RANKS, model), *beside), " ".join(map(str, options)), TIMEOUT_S)
    said = re.findall(r"model rank (\d+): pileus_start: status (\d+): (.*)", done.stdout)
    return {int(rank): (int(status), text) for rank, status, text in said}, done.stdout + done.stderr


@pytest.mark.parametrize("what", WRONG_STARTS)
def test_every_rank_is_told_why_the_ranks_cannot_be_divided(what, tmp_path):
    servers, options, word = WRONG_STARTS[what]

    ranks, all_said = started(tmp_path, servers, options)

    assert sorted(ranks) == list(range(RANKS)), all_said
    for rank, (status, text) in ranks.items():
        assert status == (CONFIG if "run.xml:" in text else USAGE), f"rank {rank}: {text}"
        assert word in text, f"rank {rank}: {text}"


def test_a_configuration_that_is_not_there_is_named_to_all_before_ranks_are_divided(tmp_path):
    command = mpi_command((RANKS, [MODEL, "--config", tmp_path / "missing.xml", "--report"]))

    done = run(command, "no configuration", TIMEOUT_S)

    assert len(re.findall(r"pileus_start: status 3: .*missing\.xml", done.stdout)) == RANKS, done.stdout


IMPOSSIBLE = {
    "leave out one of the two": ["--servers-total", 1],
    "more than one of servers_ratio": ["--servers-ratio", 2, "--servers-total", 1],
}


@pytest.mark.parametrize("word", IMPOSSIBLE)
def test_settings_that_cannot_be_end_the_server_program_too(word, tmp_path):
    server = with_status([SERVER, tmp_path / "run.xml", "--directory", tmp_path])

    ranks, all_said = started(tmp_path, "", IMPOSSIBLE[word], [(1, server)])

    assert sorted(ranks) == list(range(RANKS)), all_said
    assert all(status == USAGE and word in text for status, text in ranks.values())
    assert "server ends with 1" in all_said


def test_servers_of_the_configuration_serve_and_the_settings_overrule_it(tmp_path):
    for directory, options, servers in (("a", [], 1), ("b", ["--servers-total", 2], 2)):
        (tmp_path / directory).mkdir()

        ranks, all_said = started(tmp_path / directory, '<servers ratio="12"/>', options)

        assert not ranks and all_said.count("server ends with 0") == servers, all_said
        assert list((tmp_path / directory).glob("*.nc")), all_said


def test_servers_of_the_configuration_mean_nothing_beside_a_server_program(tmp_path):
    server = with_status([SERVER, tmp_path / "run.xml", "--directory", tmp_path])

    ranks, all_said = started(tmp_path, '<servers total="2"/>', [], [(1, server)])

    assert not ranks and all_said.count("server ends with 0") == 1, all_said


@pytest.mark.parametrize("how", [["--servers-total", 1], []], ids=["same program", "attached"])
def test_a_refused_run_ends_on_model_ranks_and_their_own_servers(how, tmp_path):
    path = tmp_path / "run.xml"
    path.write_text(CONFIGURATION.replace('name="w"', 'name="ww"'), encoding="utf-8")
    model = [MODEL, "--config", path, "--directory", tmp_path, "--report", *how]

    done = run(mpi_command((RANKS, model)), "refused", TIMEOUT_S)

    told = re.findall(r"model rank \d+: pileus_commit: status 3: .*run\.xml:", done.stdout)
    assert len(told) == RANKS - len(how[1:]), done.stdout + done.stderr
    assert len(re.findall(r"server ends with 3: .*run\.xml:", done.stdout)) == len(how[1:]), done.stdout
    assert "transport ended without the others" not in done.stderr


def test_a_model_that_allows_no_threads_is_served_all_the_same(tmp_path):
    for directory, options in (("served", ["--servers-total", 1]), ("attached", [])):
        (tmp_path / directory).mkdir()

        ranks, all_said = started(tmp_path / directory, "", ["--single", *options])

        assert not ranks and "this MPI allows no threads beside it" in all_said, all_said
        assert list((tmp_path / directory).glob("*.nc")), all_said


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


@pytest.mark.parametrize("leaving", [["--leave", 8], ["--forget"]], ids=["leaves", "forgets"])
@pytest.mark.parametrize("how", [["--servers-total", 1], []], ids=["same program", "attached"])
def test_a_rank_that_goes_holds_up_nobody_where_the_models_ranks_serve(how, leaving, tmp_path):
    path = tmp_path / "run.xml"
    path.write_text(CONFIGURATION)
    model = [MODEL, "--config", path, "--directory", tmp_path, "--report", "--steps", 60, *leaving, *how]

    done = run(mpi_command((RANKS + len(how[1:]), model)), "a rank goes", TIMEOUT_S)

    said = done.stdout + done.stderr
    last = 7 if "--leave" in leaving else 60
    assert f"model rank 1 broke the run off after step {last}" in said
    assert (tmp_path / "out_50.nc").exists(), said
    assert not list(tmp_path.glob(".*.part")), "nothing half written is left"


WRONG_MODEL = BIN / "pileus_wrong_starts_model"
SCALAR = """<io-configuration>
  <data-definition name="state" frequency="1">
    <field name="w" type="scalar" data_type="double"/>
  </data-definition>
  <data-writing>
    <file name="out.nc" write_time_frequency="1"><include field="w" time_manipulation="none"/></file>
  </data-writing>
</io-configuration>
"""


def started_wrongly(directory, how, mpi):
    """Runs a job of three model ranks and two servers; each server prints its status."""
    if not WRONG_MODEL.is_file():
        pytest.skip(f"no program {WRONG_MODEL}: build it, or set PILEUS_BUILD")
    path = directory / "run.xml"
    path.write_text(SCALAR, encoding="utf-8")
    model = with_status([bin_of(mpi) / WRONG_MODEL.name, path, how], "model")
    server = with_status([bin_of(mpi) / SERVER.name, path, "--directory", directory])
    done = run(mpi_command((RANKS, model), (SERVERS, server), mpi=mpi), how, TIMEOUT_S)
    return done.stdout + done.stderr


@pytest.mark.parametrize("mpi", available_mpis())
@pytest.mark.parametrize(
    ("how", "word"),
    [
        ("size", "initialise them with PILEUS_SETTINGS_INIT"),
        ("null", "settings is NULL"),
        ("one", "initialise them with PILEUS_SETTINGS_INIT"),
    ],
)
def test_servers_end_with_a_model_whose_settings_are_not_understood(how, word, mpi, tmp_path):
    said = started_wrongly(tmp_path, how, mpi)

    assert len(re.findall(rf"rank \d: start: status {USAGE}: .*{word}", said)) == RANKS, said
    assert said.count("no run begins; the model has the reason from pileus_start") == 1, said
    assert said.count("server ends with 1") == SERVERS and said.count("model ends with 1") == RANKS, said


def test_a_model_without_servers_and_configuration_is_told_of_both_ways_to_have_servers():
    if not WRONG_MODEL.is_file():
        pytest.skip(f"no program {WRONG_MODEL}: build it, or set PILEUS_BUILD")

    done = run(mpi_command((2, [WRONG_MODEL, "none.xml", "nameless"])), "nameless", TIMEOUT_S)

    told = (
        rf"rank \d: start: status {USAGE}: .*there is no server.*the path of the configuration.*"
        "pileus-server in the same job, or ranks of the model that call pileus_serve"
    )
    assert len(re.findall(told, done.stdout)) == 2, done.stdout + done.stderr


@pytest.mark.parametrize("mpi", available_mpis())
def test_a_second_run_at_once_beside_servers_is_refused_and_the_first_goes_on(mpi, tmp_path):
    said = started_wrongly(tmp_path, "twice", mpi)

    told = rf"rank \d: second start: status {USAGE}: .*serve another run of this model.*pileus_finish"
    assert len(re.findall(told, said)) == RANKS, said
    assert said.count("server ends with 0") == SERVERS, said
    assert (tmp_path / "out_1.nc").is_file(), said


@pytest.mark.parametrize("wrong", [["--wrkers", "1"], ["--set", "period"]], ids=" ".join)
def test_a_server_ends_with_1_whatever_it_was_that_failed(wrong, tmp_path):
    path = tmp_path / "run.xml"
    path.write_text(CONFIGURATION, encoding="utf-8")
    command = [SERVER, path, "--directory", tmp_path]

    done = run(
        mpi_command(
            (2, with_status([MODEL, "--config", path], "model")),
            (1, with_status(command)),
            (1, with_status([*command, *wrong])),
        ),
        str(wrong),
        TIMEOUT_S,
    )

    assert done.stdout.count("ends with 1") == 4, done.stdout + done.stderr


@pytest.mark.parametrize("mpi", available_mpis())
def test_calls_before_mpi_init_are_errors_and_end_nothing(mpi, tmp_path):
    path = tmp_path / "run.xml"
    path.write_text(SCALAR, encoding="utf-8")
    done = run([bin_of(mpi) / WRONG_MODEL.name, path, "early"], "early", TIMEOUT_S)

    assert done.returncode == 1, done.stderr
    for call in ("start", "serve"):
        assert re.search(rf"rank 0: {call}: status {USAGE}: .*MPI", done.stdout), done.stdout
