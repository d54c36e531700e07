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
