"""Runs seen over time: timelines, charts, advice for runs too small and too large, and traces."""

import itertools
import json
import subprocess
import sys
import time

import pytest
from oracle.kills import Job
from oracle.launch import BUILD, SERVER, environment, mpi_command, pileus, run

MODEL = BUILD / "bench" / "models" / "profiles_model"
OPERATORS = BUILD / "tests" / "libslow_operator.so"
COLUMNS = ("steps", "open_steps", "parcel_bytes", "record_bytes", "tasks", "memory_bytes", "waiting_s",
           "busy_s", "analysis_s", "messages_s", "writing_s")
GROWING = ("end_s", "steps", "waiting_s", "busy_s", "analysis_s", "messages_s", "writing_s")
FIELDS = 6


@pytest.fixture(autouse=True)
def programs():
    for needed in (MODEL, OPERATORS, SERVER):
        if not needed.is_file():
            pytest.skip(f"no {needed}: build it, or set PILEUS_BUILD")


def configuration(steps, budget, slow):
    """Totals of all fields in each step, of which so many are doubled slowly: 5 ms for each and each rank."""
    def doubled(f):
        if f < slow:
            return f'<operator name="slow_double" field="sum_{f}" result="doubled_{f}"/>'
        return f'<operator name="arithmetic" equation="2*sum_{f}" result="doubled_{f}"/>'

    declared = "".join(f'<field name="sum_{f}" type="array" size="z"/>' for f in range(FIELDS))
    diagnostics = "".join(
        f'<diagnostic field="total_{f}">{doubled(f)}<communication name="reduction" operator="sum" '
        f'field="doubled_{f}" result="total_{f}"/></diagnostic>' for f in range(FIELDS))
    members = "".join(f'<member name="total_{f}"/>' for f in range(FIELDS))
    return f"""<io-configuration>
      <server-configuration><memory budget="{budget}"/><thread_pool number="1"/>
        <operator-library file="{OPERATORS}"/></server-configuration>
      <data-definition name="sums" frequency="1">{declared}</data-definition>
      <data-handling>{diagnostics}</data-handling>
      <group name="all">{members}</group>
      <data-writing><file name="totals.nc" write_time_frequency="{steps}">
        <include group="all" time_manipulation="none"/></file></data-writing>
    </io-configuration>"""


def command_of(directory, steps, budget="64 MiB", slow=0, servers=1, pause_us=0, ranks=1):
    directory.mkdir(exist_ok=True)
    written = directory / "run.xml"
    written.write_text(configuration(steps, budget, slow), encoding="utf-8")
    server = [SERVER, written, "--directory", directory]
    return mpi_command((ranks, [MODEL, written, FIELDS, steps, pause_us]), (servers, server))


def run_reported(directory, *arguments, **settings):
    """The report of a run, and what it printed."""
    report = directory / "report.json"
    done = run(command_of(directory, *arguments, **settings), directory.name, PILEUS_REPORT=str(report))
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(report.read_text()), done.stdout


def assert_timelines(report, servers):
    assert [one["server"] for one in report["timelines"]] == list(range(servers))
    for timeline, figures in zip(report["timelines"], report["servers"], strict=True):
        ends = timeline["end_s"]
        assert 1 < len(ends) <= 256
        assert all(a < b for a, b in itertools.pairwise(ends))
        assert all(len(timeline[name]) == len(ends) for name in COLUMNS)
        for name in GROWING:
            assert timeline[name] == sorted(timeline[name]), name
        assert max(timeline["parcel_bytes"]) == figures["most_parcel_bytes"]
        assert max(timeline["memory_bytes"]) <= figures["most_memory_bytes"]
        assert ends[-1] == pytest.approx(figures["wall_s"], abs=0.1)


def test_a_server_that_is_too_slow_is_seen_and_said_to_be_too_few(tmp_path):
    report, said = run_reported(tmp_path / "slow", 100, budget="64 KiB", slow=FIELDS)

    assert_timelines(report, 1)
    (timeline,), (rank,) = report["timelines"], report["model_ranks"]
    assert timeline["steps"][-1] == 100
    assert max(timeline["open_steps"]) > 1
    assert 0 < timeline["waiting_s"][-1] <= rank["waiting_s"] + 0.001
    (advice,) = [one for one in report["advice"] if "waiting for memory" in one]
    assert "server 0 was at work" in advice and "analysed most of it" in advice
    assert "servers, or more than 1 worker on each; more memory would only put it off" in advice
    assert said.endswith("what follows\n" + "".join(f"  {one}\n" for one in report["advice"]))


def test_servers_that_have_nothing_to_do_are_said_to_be_too_many(tmp_path):
    report, _ = run_reported(tmp_path / "idle", 60, servers=2, pause_us=25_000)

    assert_timelines(report, 2)
    assert "1 for 1 rank would do, in place of 2" in report["advice"][0]


def test_charts_and_a_picture_are_made_of_reports(tmp_path):
    run_reported(tmp_path / "one", 60, pause_us=5_000)
    report, picture = tmp_path / "one" / "report.json", tmp_path / "run.png"

    shown = pileus("report", report, report, "--ascii", "--output", picture, PILEUS_PYTHON=sys.executable)
    utf8 = pileus("report", report, LC_ALL="C.UTF-8")

    assert shown.returncode == 0, shown.stderr
    assert shown.stdout.count(f"{report}: 1 model rank, 1 server\n") == 2
    for row in ("held of the model", "steps not done", "memory", "ranks waiting", "at work", "analysis",
                "writing"):
        assert f"\n  {row}" in shown.stdout
    assert shown.stdout.isascii() and not utf8.stdout.isascii()
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_what_cannot_be_shown_is_named(tmp_path):
    run_reported(tmp_path / "one", 20)
    report, other = tmp_path / "one" / "report.json", tmp_path / "other.json"
    other.write_text('{"some": "thing"}')
    damaged = json.loads(report.read_text())
    damaged["timelines"][0]["tasks"].pop()
    (tmp_path / "damaged.json").write_text(json.dumps(damaged))

    for file, why in ((tmp_path / "none.json", "none.json"), (other, "this is no report of a run"),
                      (tmp_path / "damaged.json", "its timelines are damaged")):
        done = pileus("report", file)
        assert done.returncode == 2 and why in done.stderr, done.stderr
    without = tmp_path / "python"
    without.write_text(f"#!/bin/sh\nexec {sys.executable} -S -I \"$@\"\n")
    without.chmod(0o755)
    done = pileus("report", report, "--output", tmp_path / "a.png", PILEUS_PYTHON=str(without))
    assert done.returncode == 2 and "needs matplotlib" in done.stderr and "what it" not in done.stderr
    done = pileus("report", report, "--output", tmp_path / "a.png", PILEUS_PYTHON="/no/python")
    assert done.returncode == 2 and "there is no program /no/python" in done.stderr


def spans_of(events):
    """Spans by server and thread, in whole nanoseconds."""
    by_thread = {}
    for event in events:
        if event["ph"] == "X":
            begin = round(1e3 * event["ts"])
            span = (begin, begin + round(1e3 * event["dur"]), event["name"])
            by_thread.setdefault((event["pid"], event["tid"]), []).append(span)
    return by_thread


def assert_nested(spans):
    """Each lies within, or beside, each other of its thread."""
    open_ends = []
    for begin, end, name in sorted(spans, key=lambda span: (span[0], -span[1])):
        while open_ends and open_ends[-1] <= begin:
            open_ends.pop()
        assert not open_ends or end <= open_ends[-1], name
        open_ends.append(end)


def test_a_trace_is_whole_nested_and_changes_no_byte_of_the_files(tmp_path):
    folder = tmp_path / "traces"
    folder.mkdir()
    steps, shape = 80, {"budget": "64 KiB", "slow": 2, "servers": 2, "ranks": 2}
    run_reported(tmp_path / "plain", steps, **shape)
    done = run(command_of(tmp_path / "traced", steps, **shape), "traced", PILEUS_TRACE=str(folder))
    assert done.returncode == 0, done.stdout + done.stderr

    name = f"totals_{steps}.nc"
    assert (tmp_path / "plain" / name).read_bytes() == (tmp_path / "traced" / name).read_bytes()
    assert sorted(path.name for path in folder.iterdir()) == ["pileus-trace-0.json", "pileus-trace-1.json"]
    names = set()
    for server in range(2):
        events = json.loads((folder / f"pileus-trace-{server}.json").read_text())
        assert {event["pid"] for event in events} == {server + 1}  # 0 is none for viewers
        assert all(0 < event["tid"] < 2**31 for event in events if "tid" in event)
        for spans in spans_of(events).values():
            assert_nested(spans)
            names |= {name for _, _, name in spans}
        begun = [event["id"] for event in events if event["ph"] == "b"]
        assert begun == list(range(1, steps + 1))
        assert [event["id"] for event in events if event["ph"] == "e"] == begun
    assert {"messages", "analysis", "files", "file library", "disk", "write", "sync", "publish",
            "waits for memory"} <= names


def test_a_trace_of_a_killed_run_is_an_array_that_lacks_its_end(tmp_path):
    trace = tmp_path / "trace.json"
    command = command_of(tmp_path / "killed", 100_000, pause_us=1_000)
    job = Job(command, environment() | {"PILEUS_TRACE": str(trace)}, stdout=subprocess.DEVNULL,
              stderr=subprocess.DEVNULL)
    try:
        until = time.monotonic() + 60
        while not (trace.exists() and trace.stat().st_size > 100_000):
            assert time.monotonic() < until and job.launcher.poll() is None
            time.sleep(0.05)
    finally:
        job.kill()

    text = trace.read_text()

    assert not text.rstrip().endswith("]")
    whole = text if text.endswith("}") else text[: text.rindex(",\n")]
    assert len(json.loads(whole + "\n]")) > 100


def test_a_trace_that_cannot_be_made_is_named_and_ends_nothing(tmp_path):
    done = run(command_of(tmp_path / "run", 20), "no trace", PILEUS_TRACE="/no/folder/trace.json")

    assert done.returncode == 0
    assert "no trace is written (PILEUS_TRACE): /no/folder/trace.json" in done.stdout + done.stderr


def test_explain_says_how_many_servers_would_do(tmp_path):
    described = tmp_path / "model.json"
    done = run(command_of(tmp_path / "run", 20, ranks=2), "described", PILEUS_DESCRIBE_MODEL=str(described))
    assert done.returncode == 0, done.stderr
    asked = ["explain", tmp_path / "run" / "run.xml", "--model", described]

    plain, advised = pileus(*asked), pileus(*asked, "--advise")
    slow, quick = (pileus(*asked, "--json", "--step-takes", takes) for takes in ("1", "1e-6"))

    assert "How many servers" not in plain.stdout
    assert "How many servers\n  a step is some " in advised.stdout
    assert "for steps that take the model no less: 1 server for " in advised.stdout
    assert ", 1 server for these 2 model ranks would do" in json.loads(slow.stdout)["advice"][1]
    assert ", 1 server for" not in json.loads(quick.stdout)["advice"][1]
    assert pileus(*asked, "--step-takes", "never").returncode == 2
