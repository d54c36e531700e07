"""Every mistake is said once, by one process, whichever way a job is started; and so is every published file.

docs/run-a-job.md says who says what. A sentence is counted in all that the job prints.
"""

import json
import re

import pytest
from oracle.launch import BIN, SERVER, mpi_command, require_programs, run

CUMULUS = BIN / "cumulus"
LIBRARY = BIN.parent / "lib" / "libodd_memory.so"
TIMEOUT_S = 60
CONFIGURATION = """<io-configuration>
  <data-definition name="state" frequency="1">
    <field name="theta" type="array" data_type="double" size="z,y,x" collective="true"/>
  </data-definition>
  <data-writing>
    <file name="out.nc" write_timestep_frequency="4">
      <include field="theta" time_manipulation="none"/>
    </file>
  </data-writing>
</io-configuration>
"""
WRONG = {
    "a field that the model does not have": (
        CONFIGURATION.replace("theta", "thetta"), 'does not register the field "thetta"'
    ),
    "an element that does not exist": (CONFIGURATION.replace("include", "inclde"), "inclde"),
}
WAYS = {
    "attached": (3, 0),
    "a server": (2, 1),
    "two servers": (2, 2),
}


@pytest.fixture(autouse=True)
def programs():
    require_programs()
    if not CUMULUS.is_file():
        pytest.skip(f"no program {CUMULUS}: build it, or set PILEUS_BUILD")


def job(directory, way, text=CONFIGURATION, options=(), **changes):
    """Runs cumulus for 8 steps; returns the result and the whole output."""
    (directory / "run.xml").write_text(text, encoding="utf-8")
    ranks, servers = WAYS[way]
    model = [CUMULUS, "--nx", 16, "--ny", 16, "--nz", 8, "--steps", 8, "--quiet", "--output", "pileus"]
    model += ["--config", directory / "run.xml", "--directory", directory]
    server = [SERVER, directory / "run.xml", "--directory", directory, *options]
    beside = [(servers, server)] if servers else []
    done = run(mpi_command((ranks, model), *beside), way, TIMEOUT_S, **changes)
    return done, done.stdout + done.stderr


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_configuration_is_said_once(what, way, tmp_path):
    text, sentence = WRONG[what]

    done, said = job(tmp_path, way, text)

    assert done.returncode == 1, said
    assert said.count(sentence) == 1, said
    assert said.count("the run cannot start") == 1, said


def test_a_file_of_the_log_has_what_the_model_says(tmp_path):
    text, sentence = WRONG["a field that the model does not have"]
    options = ["--log", tmp_path / "log", "--report", tmp_path / "report.json"]

    _, said = job(tmp_path, "two servers", text, options)

    assert said.count(sentence) == 1, said
    assert (tmp_path / "log").read_text().count(sentence) == 1
    assert sentence in json.loads((tmp_path / "report.json").read_text())["errors"][0]


@pytest.mark.parametrize("way", ["attached", "a server"])
def test_a_configuration_that_is_not_there_is_said_once(way, tmp_path):
    done, said = job(tmp_path, way, '<io-configuration><include file="gone.xml"/></io-configuration>')

    assert done.returncode == 1, said
    assert said.count('there is no file "gone.xml"') == 1, said


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("variable", ["PILEUS_LOG", "PILEUS_PATIENCE", "PILEUS_PROGRESS", "PILEUS_GIVE_UP"])
def test_a_wrong_variable_of_the_environment_is_said_once_and_ignored(variable, way, tmp_path):
    done, said = job(tmp_path, way, **{variable: "inf"})

    assert done.returncode == 0, said
    assert said.count(f'{variable} is "inf", which is no') == 1, said


WRONG_OPTIONS = [("--wrkers", "1"), ("--directory", "nowhere"), ("--set", "period")]


@pytest.mark.parametrize("wrong", WRONG_OPTIONS, ids=" ".join)
def test_a_wrong_option_of_the_servers_is_said_once(wrong, tmp_path):
    done, said = job(tmp_path, "two servers", options=wrong)

    assert done.returncode == 1, said
    assert said.count(wrong[0]) == 1, said


@pytest.mark.parametrize("servers", [1, 2])
@pytest.mark.parametrize("wrong", WRONG_OPTIONS, ids=" ".join)
def test_servers_without_a_model_say_a_wrong_option_once(servers, wrong):
    done = run(mpi_command((servers, [SERVER, "run.xml", *wrong])), str(wrong), TIMEOUT_S)

    said = done.stdout + done.stderr
    assert done.returncode == 1, said
    assert said.count(wrong[0]) == 1, said


def test_servers_without_a_model_say_once_that_there_is_none():
    done = run(mpi_command((2, [SERVER, "run.xml"])), "no model", TIMEOUT_S)

    assert done.returncode == 1
    assert (done.stdout + done.stderr).count("none is a model rank") == 1, done.stderr


@pytest.mark.parametrize("way", WAYS)
def test_a_server_that_cannot_go_on_says_why_once(way, tmp_path):
    if not LIBRARY.is_file():
        pytest.skip(f"no library {LIBRARY}: build it, or set PILEUS_BUILD")
    text = CONFIGURATION.replace(
        "  <data-writing>",
        f'  <server-configuration><operator-library file="{LIBRARY}"/></server-configuration>\n'
        '  <data-handling><diagnostic field="d"><operator name="failing" result="d" field="theta"/>'
        "</diagnostic></data-handling>\n  <data-writing>",
    ).replace('<include field="theta"', '<include field="d"')

    done, said = job(tmp_path, way, text)

    assert done.returncode == 1, said
    assert said.count("the run is stopped: ") == 1, said
    assert said.count("not enough memory") == 1, said
    # One of the two is said. It depends on whether the model has come to its end when the servers stop.
    told = re.findall("cumulus: (the servers have stopped the run|not everything was written)", said)
    assert len(told) == 1, said


@pytest.mark.parametrize("way", WAYS)
def test_files_are_named_as_they_are_published_and_counted_at_the_end(way, tmp_path):
    done, said = job(tmp_path, way, PILEUS_REPORT=str(tmp_path / "report.json"))

    assert done.returncode == 0, said
    for name in ("out_step_4.nc", "out_step_8.nc"):
        assert said.count(name) == 1, said
    assert "published 2 files with 8 records" in done.stdout
    published = json.loads((tmp_path / "report.json").read_text())["published"]
    assert [one["path"].rsplit("/", 1)[-1] for one in published] == ["out_step_4.nc", "out_step_8.nc"]
