"""pileus control: files that are turned off, on and seldom while a run goes, and in one that continues it."""

import netCDF4
import numpy as np
import pytest
from oracle.configured import file, group, include, lengths, number_of, write, writing
from oracle.launch import BIN, BUILD, Layout, pileus, require_programs
from oracle.live_runs import Live, events

ALONE = Layout(is_alone=True)
FIELDS = (
    '<field name="w" size="z,y,x" collective="true" units="m s-1"/>'
    '<field name="number" data_type="integer"/>'
)
EVENTS = '<server-configuration><events file="pileus-events.jsonl"/></server-configuration>'


def numbers(steps):
    return [number_of(n) for n in steps]


def control(*words):
    return pileus("control", *words)


LIVE = (
    group(FIELDS),
    writing(
        file("w.nc", include("w", "number"), 0, 'write_on_terminate="true"'),
        file("other.nc", include("number"), 0, 'write_on_terminate="true"'),
        file("means.nc", include("w", manipulation="averaged", every="20"), 1e9),
    ),
)


@pytest.mark.parametrize("layout", [Layout(3, 2), ALONE, Layout(2)], ids=str)
def test_files_are_changed_while_the_run_goes(layout, tmp_path):
    require_programs()
    out = tmp_path / "out"
    out.mkdir()
    (out / "pileus-control.txt").write_text("off other.nc\n")  # of an earlier run
    with Live(layout, write(tmp_path, EVENTS, *LIVE), out) as live:
        asked = ["off w.nc", "on w.nc", "frequency w.nc 30"]
        live.wait_for(lambda: (out / "pileus-events.jsonl").exists())
        for count, line in enumerate(asked, 1):
            assert control(out, *line.split()).returncode == 0
            live.wait_for(lambda count=count: len(events(out, "controlled")) == count)
        assert control(out, "off", "means.nc").returncode == 0
        assert control(out, "off", "v.nc").returncode == 0
        live.wait_for(lambda: len(events(out, "control_refused")) == 2)

    told = events(out, "controlled")
    assert [one["asked"] for one in told] == asked
    off, on, seldom = (one["step"] for one in told)
    windowed, unknown = (one["why"] for one in events(out, "control_refused"))
    assert "averaged" in windowed and '"w.nc"' in unknown
    with netCDF4.Dataset(out / "other.nc") as dataset:
        steps = dataset["number"][:].tolist()
    assert steps == numbers(range(1, len(steps) + 1))
    ends = np.cumsum(lengths(len(steps)))
    rare, last = [], ends[seldom - 2]
    for n in range(seldom, len(steps) + 1):
        if ends[n - 1] // 30 > last // 30:
            rare.append(n)
            last = ends[n - 1]
    rare = sorted({*rare, len(steps)})  # the last state of a run is kept
    with netCDF4.Dataset(out / "w.nc") as dataset:
        assert dataset["number"][:].tolist() == numbers([*range(1, off), *range(on, seldom), *rare])
        assert "left out" in dataset.dropped_records and "pileus control" in dataset.dropped_records


def test_files_say_apart_what_memory_lacked_for_and_what_somebody_left_out(tmp_path):
    require_programs()
    out = tmp_path / "out"
    double = '<operator name="slow_double" field="w" result="slow"/>'
    whole = 'write_on_terminate="true" when_memory_full="drop"'
    path = write(
        tmp_path,
        f"""<server-configuration>
          <memory budget="200000"/><events file="pileus-events.jsonl"/>
          <operator-library file="{BUILD / "tests" / "libslow_operator.so"}"/>
        </server-configuration>""",
        group(FIELDS),
        f'<data-handling><diagnostic field="slow">{double}</diagnostic>'
        '<trigger name="word" event="look here" lasts="1e9"/></data-handling>',
        writing(
            file("slow.nc", include("slow", "number"), 0, whole),
            file("storm.nc", include("slow", "number"), 0, f'{whole} trigger="word"'),
            file("every.nc", include("number"), 0, 'write_on_terminate="true"'),
        ),
    )
    with Live(Layout(3, 2), path, out, "--event", "4:look here") as live:
        # "overloaded" alone would not do: the step that it names may be the one that the request meets.
        live.wait_for(lambda: {one["series"] for one in events(out, "dropped")} == {"slow.nc", "storm.nc"})
        for count, name in enumerate(("slow.nc", "storm.nc"), 1):
            assert control(out, "off", name).returncode == 0
            live.wait_for(lambda count=count: len(events(out, "controlled")) == count)

    off = {one["asked"].split()[1]: one["step"] for one in events(out, "controlled")}
    told = events(out, "dropped")
    for_memory = {
        name: sum(one["records"] for one in told if one["series"] == name) for name in ("slow.nc", "storm.nc")
    }
    with netCDF4.Dataset(out / "every.nc") as dataset:
        steps = len(dataset.dimensions["time"])
    for name, first in (("slow.nc", 1), ("storm.nc", 4)):
        with netCDF4.Dataset(out / name) as dataset:
            written = len(dataset.dimensions["time"])
            said = dataset.dropped_records
        asked, lacked = steps + 1 - off[name], off[name] - first - written
        assert asked > 0 and lacked > 0
        assert for_memory[name] == lacked
        assert said == (
            f"{asked + lacked} of {steps + 1 - first} records were left out: {lacked} as servers had no "
            f'memory for them (when_memory_full="drop"), and {asked} as somebody asked for that while the '
            "run went (pileus control)"
        )


def test_what_was_asked_for_stays_so_in_a_run_that_continues(tmp_path):
    require_programs()
    out = tmp_path / "out"
    path = write(tmp_path, EVENTS, *LIVE)
    with Live(Layout(3, 2), path, out, "--checkpoint-every", 20) as live:
        live.wait_for(lambda: (out / "pileus-events.jsonl").exists())
        assert control(out, "off", "w.nc").returncode == 0
        live.wait_for(lambda: events(out, "controlled"))
        off = events(out, "controlled")[0]["step"]
        live.wait_for(lambda: any(one["step"] >= off for one in events(out, "checkpointed")))
    (tmp_path / "stop").unlink()
    with Live(Layout(4, 1), path, out, "--continue") as live:
        live.wait_for(lambda: "continu" in live.said())

    with netCDF4.Dataset(out / "w.nc") as dataset:
        assert dataset["number"][:].tolist() == numbers(range(1, off))


@pytest.mark.parametrize(
    "words, said",
    [
        (["frequency", "w.nc", "1 month"], "a frequency is a model time"),
        (["frequency", "w.nc"], "a frequency is a model time"),
        (["off"], "which file"),
        (["off", "w.nc", "60"], "means nothing"),
        (["of", "w.nc"], "off"),
    ],
)
def test_requests_that_mean_nothing_are_refused(words, said, tmp_path):
    if not (BIN / "pileus").is_file():
        pytest.skip("no program pileus: build it, or set PILEUS_BUILD")
    done = control(tmp_path, *words)

    assert done.returncode != 0 and said in done.stdout + done.stderr
    assert not list(tmp_path.iterdir())
