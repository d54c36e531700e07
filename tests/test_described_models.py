"""A model that asks for its own description gets it however servers start."""

import json

import pytest
from oracle.launch import (
    ORACLE,
    PILEUS,
    Layout,
    model_command,
    require_programs,
    run,
    run_model,
)

LAYOUTS = [
    Layout(ranks=1, is_alone=True),
    Layout(ranks=2),
    Layout(ranks=2, servers=1),
    Layout(ranks=2, servers=1, how="total"),
]
CONFIGURATION = ORACLE / "large.xml"
OPTIONS = ["--size", "3,4,5", "--steps", "2"]


@pytest.fixture(autouse=True)
def _programs():
    require_programs()


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_server_0_writes_what_the_ranks_registered(layout, tmp_path):
    described = tmp_path / "model.json"

    run_model(layout, CONFIGURATION, tmp_path / "out", "--describe", described, *OPTIONS)

    model = json.loads(described.read_text())
    assert model["servers"] == (layout.servers or layout.ranks)
    assert len(model["ranks"]) == layout.ranks
    assert model["timestep_s"] > 0
    explained = run([PILEUS, "explain", CONFIGURATION, "--model", described], "explain")
    assert explained.returncode == 0, explained.stderr


def test_the_command_line_of_the_server_overrules_the_model(tmp_path):
    of_model, of_server = tmp_path / "model.json", tmp_path / "server.json"
    (tmp_path / "out").mkdir()
    command = model_command(LAYOUTS[2], CONFIGURATION, tmp_path / "out", *OPTIONS)
    at = command.index(":")

    done = run([*command[:at], "--describe", of_model, *command[at:], "--describe-model", of_server], "run")

    assert done.returncode == 0, done.stderr
    assert of_server.exists() and not of_model.exists()


def test_runs_and_explanations_name_an_option_that_is_misspelt(tmp_path):
    """The configuration has a default for the option, so that nothing else would name it."""
    configuration, described = tmp_path / "run.xml", tmp_path / "model.json"
    text = CONFIGURATION.read_text()
    frequency = text[text.index('write_time_frequency="') :].split('"')[1]
    configuration.write_text(text.replace(f'"{frequency}"', f'"{{length:{frequency}}}"', 1))
    (tmp_path / "out").mkdir()
    words = ["--set", "lenght=50"]
    meant = '--set lenght=50: nothing asks for the option "lenght"; did you mean "length"?'

    command = model_command(LAYOUTS[2], configuration, tmp_path / "out", *OPTIONS)
    done = run([*command, "--describe-model", described, *words], "run")
    explained = run([PILEUS, "explain", configuration, "--model", described, *words], "explain")

    assert (done.returncode, explained.returncode) == (0, 0), done.stderr + explained.stderr
    assert f"warning: {configuration}: warning: {meant}" in done.stdout + done.stderr
    assert f"{configuration}: warning: {meant}" in explained.stderr
