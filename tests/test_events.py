"""Events and commands of files, in jobs that are killed and go on: at least once, with an id that stays."""

import json

import pytest
from oracle.kills import kill_when
from oracle.launch import BIN, SERVER, environment, mpi_command, run

CUMULUS = BIN / "cumulus"
KILLED_AFTER, END = 12, 40
TIMEOUT_S = 60
# The command notes what it was told, and fails for one file. Quick enough not to hold anything up.
CONFIGURATION = """<io-configuration>
  <server-configuration><events/><checkpoint keep="3" steps="6"/></server-configuration>
  <data-definition name="state" frequency="1">
    <field name="w" type="array" data_type="double" size="z_face,y,x" collective="true"/>
    <field name="vwp" type="array" data_type="double" size="y,x" collective="true"/>
  </data-definition>
  <data-writing>
    <file name="w.nc" write_time_frequency="20" on_publish="sh COMMAND">
      <include field="w" time_manipulation="averaged" output_frequency="10"/>
    </file>
    <file name="vwp.nc" write_time_frequency="40">
      <include field="vwp" time_manipulation="averaged" output_frequency="10"/>
    </file>
  </data-writing>
</io-configuration>
"""
COMMAND = """#!/bin/sh
test -s "$1" || exit 9
echo "$1 $PILEUS_FILE $PILEUS_SERIES $PILEUS_PUBLICATION_ID" >> NOTES
case "$1" in *w_100*.nc) exit 3;; esac
"""


@pytest.fixture(scope="module", autouse=True)
def programs():
    for program in (CUMULUS, SERVER):
        if not program.is_file():
            pytest.skip(f"no program {program}: build it, or set PILEUS_BUILD")


@pytest.fixture
def configuration(tmp_path):
    (tmp_path / "tell.sh").write_text(
        COMMAND.replace("NOTES", str(tmp_path / "notes")), encoding="utf-8"
    )
    path = tmp_path / "run.xml"
    path.write_text(
        CONFIGURATION.replace("COMMAND", str(tmp_path / "tell.sh")), encoding="utf-8"
    )
    return path


def command(ranks, servers, configuration, directory, steps, *more):
    model = [
        CUMULUS,
        "--nx",
        10,
        "--ny",
        9,
        "--nz",
        8,
        "--end",
        10**6,
        "--steps",
        steps,
        "--quiet",
    ]
    model += [
        "--output",
        "pileus",
        "--config",
        configuration,
        "--directory",
        directory,
        *more,
    ]
    if servers == 0:
        return mpi_command((ranks, model))
    return mpi_command(
        (ranks, model), (servers, [SERVER, configuration, "--directory", directory])
    )


def run_and_kill(configuration, directory):
    """Everything gets SIGKILL when a checkpoint is complete; the newest step that is kept."""
    kept = directory / "pileus-checkpoints" / f"step-{KILLED_AFTER:010d}"
    words = command(3, 2, configuration, directory, END - 3)
    directory.mkdir()
    log = directory / "log"
    assert kill_when(kept.exists, words, environment(), log) in (None, 0), log.read_text()
    steps = [
        int(path.parent.name[5:])
        for path in directory.glob("pileus-checkpoints/step-*/manifest")
    ]
    models = [int(path.stem[-10:]) for path in directory.glob("cumulus-restart-*.nc")]
    assert set(steps) & set(models), (directory / "log").read_text()
    return max(set(steps) & set(models))


def events_of(directory):
    """Those of each attempt; a line that was cut off by a kill is none."""
    attempts = []
    for line in (
        (directory / "pileus-events.jsonl").read_text(encoding="utf-8").splitlines()
    ):
        try:
            event = json.loads(line)
        except ValueError:
            continue
        if event["event"] == "started":
            attempts.append([])
        attempts[-1].append(event)
    return attempts


def of_kind(events, kind):
    return [event for event in events if event["event"] == kind]


@pytest.mark.parametrize("ranks, servers", [(2, 1), (4, 2), (2, 0)])
def test_what_was_told_is_told_of_a_run_that_goes_on_too(
    ranks, servers, configuration, tmp_path
):
    directory = tmp_path / "out"
    step = run_and_kill(configuration, directory)

    continued = command(
        ranks, servers, configuration, directory, END - step, "--continue", "newest"
    )
    done = run(continued, "continued", TIMEOUT_S)

    assert done.returncode == 0, done.stdout + done.stderr
    check_events(events_of(directory), step, directory)
    check_commands(
        (tmp_path / "notes").read_text(encoding="utf-8").splitlines(), directory
    )
    assert "published, but on_publish=" in done.stdout + done.stderr
    assert "exit status 3" in done.stdout + done.stderr


def check_events(attempts, step, directory):
    first, second = attempts
    assert "continued_after_step" not in first[0]
    assert second[0]["continued_after_step"] == step
    assert first[0]["run"] == second[0]["run"]
    assert step in [event["step"] for event in of_kind(first, "checkpointed")]
    assert all(event["step"] > step for event in of_kind(second, "checkpointed"))

    assert second[-1]["event"] == "finished" and second[-1]["status"] == "ok"
    assert [
        event["why"].split(": ")[-1] for event in of_kind(second, "hook_failed")
    ] == ["exit status 3"]
    ids = {}
    for event in of_kind(first + second, "published"):
        ids.setdefault(event["file"], set()).add(event["publication"])
    assert all(len(known) == 1 for known in ids.values()), ids
    assert {
        path.name
        for path in directory.glob("*.nc")
        if not path.name.startswith("cumulus-")
    } == {path.rsplit("/", 1)[-1] for path in ids}
    epochs = [event["complete_through_s"] for event in of_kind(second, "epoch")]
    assert epochs == sorted(epochs) and epochs[-1] == second[-1]["complete_through_s"]


def check_commands(notes, directory):
    told = {}
    for note in notes:
        path, named, series, publication = note.split()
        assert path == named and series == "w.nc"
        told.setdefault(path, []).append(publication)
    assert set(told) == {str(path) for path in directory.glob("w_*.nc")}
    assert all(len(set(ids)) == 1 for ids in told.values()), told
    # In the order of publication, but for those that a run that goes on says again.
    order = list(dict.fromkeys(note.split()[0] for note in notes))
    assert order == sorted(order, key=lambda path: float(path.rsplit("_", 1)[1][:-3]))
