"""Events and commands of files, in jobs that are killed and go on: at least once, with an id that stays."""

import json

import pytest
from oracle.kills import kill_when
from oracle.launch import BIN, SERVER, environment, mpi_command, run

CUMULUS = BIN / "cumulus"
# Steps of 2 s to 4 s: the first attempt, if nobody kills it, ends some 30 s before w_100 is to be published.
KILLED_AFTER, KILLED_BEFORE, END = 12, 24, 40
TIMEOUT_S = 180
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
    (tmp_path / "tell.sh").write_text(COMMAND.replace("NOTES", str(tmp_path / "notes")), encoding="utf-8")
    path = tmp_path / "run.xml"
    path.write_text(CONFIGURATION.replace("COMMAND", str(tmp_path / "tell.sh")), encoding="utf-8")
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
    return mpi_command((ranks, model), (servers, [SERVER, configuration, "--directory", directory]))


def run_and_kill(configuration, directory):
    """Everything gets SIGKILL when a checkpoint was told and the model's own is there, or the run has ended;
    the newest step kept."""
    words = command(3, 2, configuration, directory, KILLED_BEFORE)
    directory.mkdir()
    log = directory / "log"

    def models():
        return {int(path.stem[-10:]) for path in directory.glob("cumulus-restart-*.nc")}

    def is_told():
        told = [event["step"] for event in of_kind(lines_of(directory), "checkpointed")]
        return KILLED_AFTER in told and max(models(), default=0) >= KILLED_AFTER

    assert kill_when(is_told, words, environment(), log) in (None, 0), log.read_text()
    kept = directory.glob("pileus-checkpoints/step-*/manifest")
    steps = {int(path.parent.name[5:]) for path in kept}
    assert steps & models(), log.read_text()
    return max(steps & models())


def lines_of(directory):
    """All events, without lines that a kill cut off or that are not complete yet."""
    path = directory / "pileus-events.jsonl"
    events = []
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        try:
            events.append(json.loads(line))
        except ValueError:
            pass
    return events


def events_of(directory):
    """The events of each attempt."""
    attempts = []
    for event in lines_of(directory):
        if event["event"] == "started":
            attempts.append([])
        attempts[-1].append(event)
    return attempts


def of_kind(events, kind):
    return [event for event in events if event["event"] == kind]


@pytest.mark.parametrize("ranks, servers", [(2, 1), (4, 2), (2, 0)])
def test_what_was_told_is_told_of_a_run_that_goes_on_too(ranks, servers, configuration, tmp_path):
    directory = tmp_path / "out"
    step = run_and_kill(configuration, directory)

    continued = command(ranks, servers, configuration, directory, END - step, "--continue", "newest")
    done = run(continued, "continued", TIMEOUT_S)

    assert done.returncode == 0, done.stdout + done.stderr
    check_events(events_of(directory), step, directory)
    check_commands((tmp_path / "notes").read_text(encoding="utf-8").splitlines(), directory)
    assert "published, but on_publish=" in done.stdout + done.stderr
    assert "exit status 3" in done.stdout + done.stderr


def check_events(attempts, step, directory):
    first, second = attempts
    assert "continued_after_step" not in first[0]
    assert second[0]["continued_after_step"] == step
    assert first[0]["run"] == second[0]["run"]
    # One that came after it may be complete and not told: the kill came in between.
    assert step >= KILLED_AFTER
    assert KILLED_AFTER in [event["step"] for event in of_kind(first, "checkpointed")]
    assert all(event["step"] > step for event in of_kind(second, "checkpointed"))

    assert second[-1]["event"] == "finished" and second[-1]["status"] == "ok"
    # The first attempt never comes to the file for which the command fails.
    failures = [event["why"].split(": ")[-1] for event in of_kind(second, "hook_failed")]
    assert failures == ["exit status 3"]
    ids = {}
    for event in of_kind(first + second, "published"):
        ids.setdefault(event["file"], set()).add(event["publication"])
    assert all(len(known) == 1 for known in ids.values()), ids
    assert {path.name for path in directory.glob("*.nc") if not path.name.startswith("cumulus-")} == {
        path.rsplit("/", 1)[-1] for path in ids
    }
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
    # Events come in the order of publication, which a run that ends need not keep to the order of time. The
    # events of the attempt that was killed are before.
    second = [event for event in of_kind(events_of(directory)[1], "published") if event["series"] == "w.nc"]
    published = [event["file"] for event in second]
    assert [note.split()[0] for note in notes][-len(published) :] == published
